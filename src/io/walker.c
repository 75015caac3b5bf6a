// The section `walker`, as a table of keys.
#include "io/walker.h"

static arne_status walker_read_frame(const doc_slot *slot, void *into)
{
    return doc_frame(slot, slot->reader->robot, into);
}

static arne_status walker_read_joint(const doc_slot *slot, void *into)
{
    return doc_joint(slot, slot->reader->robot, into);
}

#define FRAME(index, name, text)                                                                   \
    {                                                                                              \
        name, DOC_TYPE_OTHER, offsetof(walker_side, frames) + (index) * sizeof(int),               \
            .read = walker_read_frame, .takes = "a link or frame", .help = text                    \
    }
#define JOINT(index, name, text)                                                                   \
    {                                                                                              \
        name, DOC_TYPE_OTHER, offsetof(walker_side, joints) + (index) * sizeof(int),               \
            .read = walker_read_joint, .takes = "a joint with one coordinate", .help = text        \
    }
// Frames first, in the order of their enumerators: walker_frame_key rests on it.
static const doc_key side_keys[] = {
    FRAME(WALKER_HEEL, "heel", "where the heel touches the ground"),
    FRAME(WALKER_BALL, "ball", "the middle of the ball of the foot, on the ground"),
    FRAME(WALKER_TOE, "toe", "the tip of the toes, on the ground"),
    FRAME(WALKER_FOOT, "foot", "the foot, on which the ground acts"),
    FRAME(WALKER_WRIST, "wrist", "the centre of the joint"),
    FRAME(WALKER_SHOULDER, "shoulder", "the centre of the joint"),
    FRAME(WALKER_ANKLE, "ankle", "the centre of the joint"),
    FRAME(WALKER_HIP, "hip", "the centre of the joint"),
    FRAME(WALKER_BALL_IN, "ball_in", "the inner edge of the ball, on the ground"),
    FRAME(WALKER_BALL_OUT, "ball_out", "the outer edge of the ball, on the ground"),
    JOINT(WALKER_HIP_FLEXION, "hip_flexion", "positive: the thigh forward"),
    JOINT(WALKER_KNEE_FLEXION, "knee_flexion", "positive: the shank backward"),
    JOINT(WALKER_ANKLE_DORSIFLEXION, "ankle_dorsiflexion", "positive: the toes up"),
    JOINT(WALKER_HIP_ROTATION, "hip_rotation", "of the thigh about its own axis"),
    {0},
};
#undef FRAME
#undef JOINT
static const doc_schema side_schema = {"side", NULL, side_keys, NULL};

static const doc_key backpack_keys[] = {
    {"link", DOC_TYPE_OTHER, offsetof(walker_parts, backpack), .needed = 1,
     .read = walker_read_frame, .takes = "a link or frame", .help = "what carries it"},
    {"com", DOC_TYPE_VEC3, offsetof(walker_parts, backpack_com), .unit = "m",
     .help = "its centre of mass in the axes of that link; default [0, 0, 0]"},
    {0},
};
static const doc_schema backpack_schema = {"backpack", NULL, backpack_keys, NULL};

// pairs: [[right, left], ...]
static arne_status walker_read_pair(const doc_slot *slot, int pair[WALKER_SIDES])
{
    arne_status status = doc_expect(slot, DOC_LIST);
    if (status) return status;
    if (slot->value->count != WALKER_SIDES)
        return doc_fail(slot, ARNE_VALUE, "needs pairs of a right and a left joint, not %d names",
                        slot->value->count);
    int side = 0;
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot name = {slot->reader, slot->owner, slot->key, i->value};
        status = status_both(status, walker_read_joint(&name, &pair[side++]));
    }
    return status;
}

static arne_status read_pairs(const doc_slot *slot, void *into)
{
    walker_parts *w = into;
    arne_status   status = doc_expect(slot, DOC_LIST);
    if (status) return status;
    if (slot->value->count > WALKER_MOST_PAIRS)
        return doc_fail(slot, ARNE_VALUE, "has more than %d pairs", (int)WALKER_MOST_PAIRS);
    w->pair_count = 0;
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot pair = {slot->reader, slot->owner, slot->key, i->value};
        status = status_both(status, walker_read_pair(&pair, w->pairs[w->pair_count++]));
    }
    return status;
}

// guess: {JOINT: [from, to]}
static arne_status read_guess(const doc_slot *slot, void *into)
{
    walker_parts *w = into;
    arne_status   status = doc_expect(slot, DOC_MAP);
    if (status) return status;
    if (slot->value->count > WALKER_MOST_LINES)
        return doc_fail(slot, ARNE_VALUE, "has more than %d joints", (int)WALKER_MOST_LINES);
    w->guess_count = 0;
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_node name = {
            .kind = DOC_TEXT, .line = i->line, .column = i->column, .text = i->key};
        const doc_slot joint = {slot->reader, slot->owner, slot->key, &name};
        const doc_slot ends = {slot->reader, slot->owner, slot->key, i->value};
        walker_line   *line = &w->guess[w->guess_count++];
        double         x[2] = {0, 0};
        status = status_both(status, walker_read_joint(&joint, &line->joint));
        if (status_goes_on(status)) status = status_both(status, doc_numbers(&ends, 2, x));
        line->from = x[0];
        line->to = x[1];
    }
    return status;
}

#define AT(field) offsetof(walker_parts, field)
static const doc_key walker_keys[] = {
    {"right", DOC_TYPE_MAP, AT(sides), .inside = &side_schema, .help = "frames and joints"},
    {"left", DOC_TYPE_MAP, AT(sides) + sizeof(walker_side), .inside = &side_schema,
     .help = "frames and joints"},
    {"top", DOC_TYPE_OTHER, AT(top), .read = walker_read_frame, .takes = "a link or frame",
     .help = "the top of the head: its height is that of the person"},
    {"pelvis_rotation", DOC_TYPE_OTHER, AT(pelvis_rotation), .read = walker_read_joint,
     .takes = "a joint with one coordinate", .help = "turns the pelvis about the vertical"},
    {"backpack", DOC_TYPE_MAP, 0, .inside = &backpack_schema, .help = "where the backpack is"},
    {"pairs", DOC_TYPE_LIST, 0, .read = read_pairs, .takes = "a list of [right joint, left joint]",
     .help =
         "joints that exchange values in a mirrored posture; all others are in the middle plane"},
    {"guess", DOC_TYPE_NAMES, 0, .read = read_guess, .takes = "by joint: [from, to]",
     .unit = "rad, m", .help = "motion from which the search starts"},
    {0},
};
#undef AT
const doc_schema walker_schema = {"walker", NULL, walker_keys, NULL};

const char *walker_frame_key(int frame) { return side_keys[frame].key; }

walker_parts walker_none(void)
{
    walker_parts w = {.top = -1, .pelvis_rotation = -1, .backpack = -1};
    for (int side = 0; side < WALKER_SIDES; side++) {
        for (int i = 0; i < WALKER_FRAMES; i++)
            w.sides[side].frames[i] = -1;
        for (int i = 0; i < WALKER_JOINTS; i++)
            w.sides[side].joints[i] = -1;
    }
    return w;
}

arne_status walker_read(const doc_slot *section, walker_parts *out)
{
    const doc_slot map = {section->reader, "walker", "", section->value};
    out->given = 1;
    return doc_read_map(&map, &walker_schema, out, DOC_AMENDS);
}

arne_status walker_check(const doc_slot *section, void *unused)
{
    walker_parts nobody = walker_none();
    (void)unused;
    return walker_read(section, &nobody);
}

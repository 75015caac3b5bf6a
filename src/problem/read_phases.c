// The sections `phases` and `contacts` of a problem file.
#include "base/error.h"
#include "human/contact_step.h"
#include "math/dense.h"
#include "problem/read_problem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- phases

#define AT(field) offsetof(problem_phase, spec.field)
static const doc_key phase_keys[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .needed = 1, .help = "name used by constraints and contacts"},
    {"time", DOC_TYPE_OTHER, AT(time), .read = problem_phase_time, .unit = "s",
     .takes = "a number, free, or a mapping", .otherwise = "1", .help = "its duration"},
    {"control_points", DOC_TYPE_WHOLE, AT(control_points), .range = DOC_POSITIVE,
     .help = "of every coordinate; default: as spline says"},
    {"impact", DOC_TYPE_FLAG, AT(impact), .otherwise = "no",
     .help = "velocities jump at its start"},
    {0},
};
#undef AT
const doc_schema problem_phase_schema = {"phase", "name", phase_keys, NULL};

arne_status problem_read_phase(const doc_slot *entry, const char *name, void *context)
{
    problem       *p = context;
    problem_phase *more = realloc(p->phases, (size_t)(p->phase_count + 1) * sizeof *more);
    if (!more) return arne_fail_memory(p->r.error);
    p->phases = more;
    problem_phase *to = &p->phases[p->phase_count];
    *to = (problem_phase){.spec = {.name = name, .time = 1}};
    for (int i = 0; i < p->phase_count; i++)
        if (strcmp(p->phases[i].spec.name, name) == 0)
            return doc_fail(entry, ARNE_VALUE, "is there twice");
    p->phase_count++;
    return doc_read_map(entry, &problem_phase_schema, to, 0);
}

static int phase_named(const problem *p, const char *name)
{
    for (int i = 0; i < WALK_PHASES && p->has_gait && !p->gait.thesis; i++)
        if (strcmp(plan_walk_phases[i], name) == 0) return i;
    for (int i = 0; i < p->phase_count; i++)
        if (strcmp(p->phases[i].spec.name, name) == 0) return i;
    return -1;
}

arne_status problem_phase_index(const problem *p, const doc_slot *slot, int *out)
{
    const char *name = NULL;
    arne_status status = doc_text(slot, &name);
    if (status) return status;
    *out = phase_named(p, name);
    if (*out >= 0) return ARNE_OK;
    const int walks = p->has_gait && !p->gait.thesis;
    return doc_fail(slot, ARNE_NOT_FOUND, "names phase '%.80s', which %s", name,
                    walks            ? "does not exist: a step has loading, flat, single and rising"
                    : p->phase_count ? "does not exist"
                                     : "does not exist: there are no phases");
}

// ---- contacts

#define AT(field) offsetof(problem_contact, field)
static const doc_key contact_keys[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .help = "of its columns; default: the frame's"},
    {"frame", DOC_TYPE_TEXT, AT(frame), .help = "the link or frame that touches"},
    {"shape", DOC_TYPE_TEXT, AT(shape),
     .help = "instead: a point or box among the contacts of the robot's file"},
    {"point", DOC_TYPE_VEC3, AT(point), .unit = "m", .help = "in the frame"},
    {"points", DOC_TYPE_NODE, AT(points), .unit = "m", .takes = "a list of [x, y, z]",
     .help = "several of them, in the frame"},
    {"friction", DOC_TYPE_NUMBER, AT(friction), .range = DOC_NOT_NEGATIVE,
     .help = "coefficient; needed unless it holds"},
    {"plane_point", DOC_TYPE_VEC3, AT(plane_point), .unit = "m", .help = "of the surface"},
    {"plane_normal", DOC_TYPE_VEC3, AT(plane_normal), .help = "of the surface; default: up"},
    {"holds", DOC_TYPE_TEXT, AT(holds), .help = "a frame, or world, that it holds"},
    {"other_point", DOC_TYPE_VEC3, AT(other_point), .unit = "m",
     .help = "the point on the held frame"},
    {"phases", DOC_TYPE_NODE, AT(phases), .takes = "a phase or a list", .help = "default: all"},
    {"from", DOC_TYPE_NUMBER, AT(from), .range = DOC_PART, .otherwise = "0",
     .help = "part of a motion without phases"},
    {"to", DOC_TYPE_NUMBER, AT(to), .range = DOC_PART, .otherwise = "1",
     .help = "part of a motion without phases"},
    {"stays", DOC_TYPE_NODE, AT(stays), .takes = "xyz, or by phase", .otherwise = "xyz",
     .help = "coordinates in the world that are held constant"},
    {"passes", DOC_TYPE_FLAG, AT(passes), .otherwise = "no",
     .help = "it may be behind the surface while it does not touch"},
    {"smooth", DOC_TYPE_FLAG, AT(smooth), .otherwise = "no",
     .help = "its force begins and ends at zero and is continuous"},
    {"stiffness", DOC_TYPE_NUMBER, AT(stiffness), .range = DOC_POSITIVE, .unit = "N/m^1.5",
     .help = "the contact is compliant: its force follows from the motion"},
    {"dissipation", DOC_TYPE_NUMBER, AT(dissipation), .range = DOC_NOT_NEGATIVE, .unit = "s/m",
     .otherwise = "0", .help = "of a compliant contact"},
    {"slip_velocity", DOC_TYPE_NUMBER, AT(slip_velocity), .range = DOC_POSITIVE, .unit = "m/s",
     .otherwise = "0.05", .help = "at which compliant friction reaches 71 % of its limit"},
    {"smoothing", DOC_TYPE_NUMBER, AT(smoothing), .range = DOC_POSITIVE, .unit = "m",
     .otherwise = "0.001", .help = "over which depth a compliant force begins"},
    {"plane_velocity", DOC_TYPE_VEC3, AT(plane_velocity), .unit = "m/s",
     .help = "of the surface under a compliant contact: a treadmill"},
    {"continues", DOC_TYPE_FLAG, AT(continues), .otherwise = "no",
     .help = "it touched before the motion began"},
    {0},
};
#undef AT
const doc_schema problem_contact_schema = {"contact", NULL, contact_keys, NULL};

arne_status problem_read_contact(const doc_slot *entry, const char *name, void *context)
{
    problem         *p = context;
    problem_contact *more = realloc(p->contacts, (size_t)(p->contact_count + 1) * sizeof *more);
    static const char *const none[] = {"holds", "phases", "from",   "to",
                                       "stays", "passes", "smooth", "continues"};
    static const char *const only[] = {"dissipation", "slip_velocity", "smoothing",
                                       "plane_velocity"};
    (void)name;
    if (!more) return arne_fail_memory(p->r.error);
    p->contacts = more;
    problem_contact *to = &p->contacts[p->contact_count++];
    *to = (problem_contact){.to = 1, .friction = NAN, .node = entry->value};
    arne_status    status = doc_read_map(entry, &problem_contact_schema, to, 0);
    const doc_slot part = {entry->reader, entry->owner, "to", entry->value};
    const doc_slot shape = doc_under(entry, "shape");
    if (!status && !to->frame && !to->shape) status = doc_missing(entry, "frame (or shape)");
    if (!status && to->frame && to->shape)
        status = doc_fail(&shape, ARNE_VALUE, "has no meaning beside a frame");
    if (!status && to->shape && (to->points || to->holds))
        status = doc_fail(&shape, ARNE_VALUE, "has points of its own, and holds nothing");
    for (size_t i = 0; to->stiffness > 0 && i < sizeof none / sizeof *none; i++) {
        const doc_slot slot = doc_under(entry, none[i]);
        if (slot.value)
            status = status_both(
                status, doc_fail(&slot, ARNE_VALUE, "has no meaning for a compliant contact"));
    }
    for (size_t i = 0; !(to->stiffness > 0) && i < sizeof only / sizeof *only; i++) {
        const doc_slot slot = doc_under(entry, only[i]);
        if (slot.value)
            status = status_both(
                status, doc_fail(&slot, ARNE_VALUE, "is for compliant contacts: give stiffness"));
    }
    if (!status && !to->holds && !to->shape && isnan(to->friction))
        status = doc_missing(entry, "friction");
    if (!status && !(to->from < to->to)) status = doc_fail(&part, ARNE_VALUE, "is not after from");
    to->wrong = status != ARNE_OK;
    return status;
}

// ---- what the plan is made with

// Where contacts begin and end in a motion without phases: borders of phases that are made for it.
static int add_border(double *borders, int count, double u)
{
    for (int i = 0; i < count; i++)
        if (fabs(borders[i] - u) < 1e-9) return count;
    borders[count] = u;
    return count + 1;
}

static arne_status phases_cut(problem *p, problem_made *made)
{
    double *borders = malloc((2 * (size_t)p->contact_count + 2) * sizeof *borders);
    int     count = 0;
    if (!borders) return arne_fail_memory(p->r.error);
    count = add_border(borders, count, 0);
    count = add_border(borders, count, 1);
    for (int i = 0; i < p->contact_count; i++) {
        count = add_border(borders, count, p->contacts[i].from);
        count = add_border(borders, count, p->contacts[i].to);
    }
    qsort(borders, (size_t)count, sizeof *borders, dense_rising);
    made->borders = borders;
    made->phase_count = count - 1;
    if (count == 2) {
        made->phase_count = 0; // the motion is one
        return ARNE_OK;
    }
    const doc_slot at = {&p->r, "", "contacts", doc_find(p->doc.root, "contacts")};
    if (p->options.time_most > 0)
        return doc_fail(&at, ARNE_VALUE,
                        "begin or end within a motion whose time is free: make phases of it");
    made->phases = calloc((size_t)count, sizeof *made->phases);
    if (!made->phases) return arne_fail_memory(p->r.error);
    const int degree = p->options.degree ? p->options.degree : 3,
              all = (p->options.control_points ? p->options.control_points : 12) - degree;
    for (int k = 0; k + 1 < count; k++) {
        const double part = borders[k + 1] - borders[k];
        const int    spans = (int)lround(part * all);
        made->phases[k] = (arne_plan_phase){.time = part * p->options.time,
                                            .control_points = degree + (spans > 2 ? spans : 2)};
    }
    return ARNE_OK;
}

// The phases in which a contact touches, appended to made->on, which has the lists of all contacts
// one after the other.
static arne_status find_phases(problem *p, const problem_contact *c, problem_made *made, int *on,
                               int *count)
{
    const doc_slot entry = {&p->r, "contacts", "", c->node};
    const doc_slot slot = doc_under(&entry, "phases");
    arne_status    status = ARNE_OK;
    *count = 0;
    if (made->borders) {
        for (int k = 0; k < made->phase_count; k++)
            if (made->borders[k] > c->from - 1e-9 && made->borders[k + 1] < c->to + 1e-9)
                on[(*count)++] = k;
        return slot.value ? doc_fail(&slot, ARNE_VALUE, "are named, but there are no phases")
                          : ARNE_OK;
    }
    if (!slot.value) {
        for (int k = 0; k < p->phase_count; k++)
            on[(*count)++] = k;
    } else if (slot.value->kind == DOC_LIST) {
        for (const doc_item *i = slot.value->first; i && status_goes_on(status); i = i->next) {
            const doc_slot one = {&p->r, slot.owner, slot.key, i->value};
            if (*count == p->phase_count)
                return doc_fail(&one, ARNE_VALUE, "are more than there are");
            status = status_both(status, problem_phase_index(p, &one, &on[(*count)++]));
        }
    } else
        status = problem_phase_index(p, &slot, &on[(*count)++]);
    return status;
}

static arne_status read_axes(const doc_slot *slot, unsigned char *out)
{
    const char *text = NULL;
    arne_status status = doc_text(slot, &text);
    *out = 0;
    for (const char *c = text; !status && *c; c++) {
        if (!strchr("xyz", *c)) return doc_fail(slot, ARNE_VALUE, "must be of x, y and z");
        *out = (unsigned char)(*out | 1 << (*c - 'x'));
    }
    return status;
}

// Which coordinates stay in each of the phases of a contact.
static arne_status find_stays(problem *p, const problem_contact *c, const int *on, int count,
                              unsigned char *out)
{
    const doc_slot slot = {&p->r, "contacts", "stays", c->stays};
    arne_status    status = ARNE_OK;
    memset(out, 7, (size_t)count);
    if (!c->stays) return ARNE_OK;
    if (c->stays->kind != DOC_MAP) {
        unsigned char all = 7;
        status = read_axes(&slot, &all);
        memset(out, all, (size_t)count);
        return status;
    }
    for (const doc_item *i = c->stays->first; i && status_goes_on(status); i = i->next) {
        const doc_slot one = {&p->r, "contacts", "stays", i->value};
        const int      phase = phase_named(p, i->key);
        unsigned char  axes = 7;
        if (phase < 0)
            status =
                status_both(status, doc_fail(&one, ARNE_NOT_FOUND,
                                             "names phase '%.80s', which does not exist", i->key));
        status = status_both(status, read_axes(&one, &axes));
        for (int k = 0; k < count; k++)
            if (on[k] == phase) out[k] = axes;
    }
    return status;
}

static arne_status phases_find_frame(problem *p, const problem_contact *c, const char *key,
                                     const char *name, int *out)
{
    const doc_slot entry = {&p->r, "contacts", "", c->node};
    const doc_slot slot = doc_under(&entry, key);
    *out = arne_find_frame(p->robot, name);
    return *out >= 0
               ? ARNE_OK
               : doc_fail(&slot, ARNE_NOT_FOUND, "'%.80s' is no link or frame of the robot", name);
}

// Adds one contact for every point of a shape of the robot's file.
static arne_status add_shape(problem *p, const problem_contact *c, problem_made *made,
                             arne_plan_contact *one, int *on, unsigned char *stays)
{
    const doc_slot entry = {&p->r, "contacts", "", c->node};
    problem_points points = {.count = 0};
    const char    *name = c->name ? c->name : c->shape;
    const int      room = p->phase_count > made->phase_count ? p->phase_count : made->phase_count;
    arne_status    status = problem_shape(p, c, &points);
    status = status_both(status, find_phases(p, c, made, on, &one->phase_count));
    if (!room) one->phase_count = 1; // the motion is one phase
    if (!status && isnan(one->friction)) one->friction = points.friction;
    if (!status && !(one->friction >= 0)) status = doc_missing(&entry, "friction");
    if (!status) status = find_stays(p, c, on, one->phase_count, stays);
    one->frame = points.frame;
    for (int i = 0; i < points.count && !status; i++) {
        unsigned char *own = calloc((size_t)room + 1, 1);
        if (!own) return arne_fail_memory(p->r.error);
        for (int k = 0; k < room + 1; k++)
            own[k] = c->stays ? stays[k] : points.stays[i];
        if (made->contact_count == PROBLEM_CONTACTS) {
            free(own);
            return doc_fail(&entry, ARNE_VALUE, "are more than %d points", PROBLEM_CONTACTS);
        }
        char *full = made->names[made->contact_count];
        if (points.count > 1)
            snprintf(full, sizeof made->names[0], "%.50s.%d", name, i);
        else
            snprintf(full, sizeof made->names[0], "%.60s", name);
        made->own_stays[made->contact_count] = own;
        one->stays = own;
        one->name = full;
        one->point = points.points[i];
        made->contacts[made->contact_count++] = *one;
    }
    return status;
}

// Adds one contact for every point.
static arne_status make_contact(problem *p, const problem_contact *c, problem_made *made)
{
    arne_plan_contact one = {.frame = -1,
                             .point = c->point,
                             .plane_point = c->plane_point,
                             .plane_normal = c->plane_normal,
                             .friction = c->friction,
                             .holds = c->holds != NULL,
                             .other_frame = -1,
                             .other_point = c->other_point,
                             .continues = c->continues,
                             .smooth = c->smooth,
                             .passes = c->passes,
                             .stiffness = c->stiffness,
                             .dissipation = c->dissipation,
                             .slip_velocity = c->slip_velocity,
                             .smoothing = c->smoothing,
                             .plane_velocity = c->plane_velocity};
    const doc_slot    entry = {&p->r, "contacts", "", c->node};
    const doc_slot    points = doc_under(&entry, "points");
    const arne_status flat = problem_normal(&entry, &c->plane_normal);
    if (flat) return flat;
    const int      room = p->phase_count > made->phase_count ? p->phase_count : made->phase_count;
    int           *on = calloc((size_t)room + 1, sizeof *on), number = 0;
    unsigned char *stays = calloc((size_t)room + 1, 1);
    made->stays[made->on_count] = stays;
    made->on[made->on_count++] = on;
    if (!on || !stays) return arne_fail_memory(p->r.error);
    one.phases = c->stiffness > 0 ? NULL : on;
    one.stays = stays;
    if (c->shape) return add_shape(p, c, made, &one, on, stays);
    arne_status status = phases_find_frame(p, c, "frame", c->frame, &one.frame);
    if (c->holds && strcmp(c->holds, "world") != 0)
        status = status_both(status, phases_find_frame(p, c, "holds", c->holds, &one.other_frame));
    status = status_both(status, find_phases(p, c, made, on, &one.phase_count));
    if (!room) one.phase_count = 1; // the motion is one phase
    if (!status) status = find_stays(p, c, on, one.phase_count, stays);
    if (points.value) status = status_both(status, doc_expect(&points, DOC_LIST));
    const doc_item *i = points.value && !status ? points.value->first : NULL;
    do {
        const doc_slot at = {&p->r, "contacts", "points", i ? i->value : NULL};
        if (i) status = status_both(status, doc_vec3(&at, &one.point));
        if (made->contact_count == PROBLEM_CONTACTS)
            return doc_fail(&entry, ARNE_VALUE, "are more than %d points", PROBLEM_CONTACTS);
        char *name = made->names[made->contact_count];
        if (i)
            snprintf(name, sizeof made->names[0], "%.50s.%d", c->name ? c->name : c->frame,
                     number++);
        else
            snprintf(name, sizeof made->names[0], "%.60s", c->name ? c->name : c->frame);
        one.name = name;
        made->contacts[made->contact_count++] = one;
        if (i) i = i->next;
    } while (i && status_goes_on(status));
    return status;
}

arne_status problem_make(problem *p, problem_made *made)
{
    arne_status status = ARNE_OK;
    *made = (problem_made){.phase_count = p->phase_count};
    made->on = calloc((size_t)p->contact_count + 1, sizeof *made->on);
    made->stays = calloc((size_t)p->contact_count + 1, sizeof *made->stays);
    if (!made->on || !made->stays) return arne_fail_memory(p->r.error);
    if (p->phase_count) {
        made->phases = calloc((size_t)p->phase_count, sizeof *made->phases);
        if (!made->phases) return arne_fail_memory(p->r.error);
        for (int k = 0; k < p->phase_count; k++)
            made->phases[k] = p->phases[k].spec;
    } else
        status = phases_cut(p, made);
    for (int i = 0; i < p->contact_count && status_goes_on(status); i++)
        if (!p->contacts[i].wrong)
            status = status_both(status, make_contact(p, &p->contacts[i], made));
    return status;
}

void problem_made_free(problem_made *made)
{
    for (int i = 0; i < made->on_count; i++)
        free(made->on[i]), free(made->stays[i]);
    for (int i = 0; i < made->contact_count; i++)
        free(made->own_stays[i]);
    free(made->on);
    free(made->stays);
    free(made->phases);
    free(made->borders);
}

// Loops: two frames on two bodies of the tree and a kind of joint between them. The tree itself
// does not change; src/mechanism enforces the loops.
#include "robot/loop.h"
#include "base/error.h"
#include "math/lower.h"
#include <math.h>
#include <string.h>

typedef struct kind_facts {
    const char *name;
    int         rows, has_axis;
} kind_facts;

static const kind_facts kinds[ARNE_LOOP_KIND_COUNT] = {
    {"fixed", 6, 0},     {"revolute", 5, 1}, {"prismatic", 5, 1},
    {"universal", 4, 0}, {"ball", 3, 0},     {"planar_point", 2, 1},
    {"rod", 1, 0},       {"rolling", 2, 0},  {"knife_edge", 1, 0},
};

static int loop_is_kind(arne_loop_kind kind)
{
    return (int)kind >= 0 && kind < ARNE_LOOP_KIND_COUNT;
}

const char *arne_loop_kind_name(arne_loop_kind kind)
{
    return loop_is_kind(kind) ? kinds[kind].name : "unknown";
}

int loop_kind_rows(arne_loop_kind kind) { return loop_is_kind(kind) ? kinds[kind].rows : 0; }

int loops_row_count(const arne_builder *b)
{
    int rows = 0;
    for (int i = 0; i < b->loop_count; i++)
        rows += loop_kind_rows(b->loops[i].kind);
    return rows;
}

arne_loop_spec arne_loop_spec_default(void)
{
    const arne_pose identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    arne_loop_spec  spec;
    memset(&spec, 0, sizeof spec);
    spec.kind = ARNE_LOOP_REVOLUTE;
    spec.predecessor_origin = spec.successor_origin = identity;
    spec.axis.z = 1;
    return spec;
}

static int some_joint_is(const arne_builder *b, arne_actuation actuation)
{
    for (int i = 0; i < b->joint_count; i++)
        if (b->joints[i].actuation == actuation && b->joints[i].kind != ARNE_JOINT_FIXED) return 1;
    return 0;
}

int loops_passive(const arne_builder *b, const arne_joint_spec *spec)
{
    if (spec->actuation != ARNE_ACTUATION_DEFAULT) return spec->actuation == ARNE_ACTUATION_PASSIVE;
    return spec->kind != ARNE_JOINT_FREE || spec->parent ? some_joint_is(b, ARNE_ACTUATION_ACTIVE)
                                                         : 0;
}

// ---- checks ----

static int is_finite_pose(const arne_pose *X)
{
    const double *x = &X->R.x.x;
    for (int i = 0; i < 12; i++)
        if (!isfinite(x[i])) return 0;
    return is_rotation(&X->R);
}

static arne_status check_loop(const arne_loop_spec *s, const judge *j)
{
    if (!loop_is_kind(s->kind))
        return judge_fail(j, ARNE_VALUE, s->place, "loop '%s' has an unknown kind", s->name);
    if (!is_finite_pose(&s->predecessor_origin) || !is_finite_pose(&s->successor_origin))
        return judge_fail(j, ARNE_VALUE, s->place,
                          "an origin of loop '%s' is not a finite rotation and position", s->name);
    const double length =
        sqrt(s->axis.x * s->axis.x + s->axis.y * s->axis.y + s->axis.z * s->axis.z);
    if ((kinds[s->kind].has_axis || s->kind == ARNE_LOOP_ROLLING) &&
        !(length > 1e-12 && isfinite(length)))
        return judge_fail(j, ARNE_MODEL, s->place, "the axis of loop '%s' is zero or not finite",
                          s->name);
    if (s->kind == ARNE_LOOP_ROLLING && !(s->length > 0 && isfinite(s->length)))
        return judge_fail(j, ARNE_MODEL, s->place,
                          "loop '%s' is a disc that rolls: its radius must be positive (%g)",
                          s->name, s->length);
    if (s->kind == ARNE_LOOP_ROD && !(s->length > 0 && isfinite(s->length)))
        return judge_fail(j, ARNE_MODEL, s->place,
                          "loop '%s' is a rod: its length must be positive (%g)", s->name,
                          s->length);
    return ARNE_OK;
}

// A link, a frame on one, or the link that a joint carries.
static int end_exists(const arne_builder *b, const char *name)
{
    if (name_index_find(&b->body_index, name) >= 0 || name_index_find(&b->joint_index, name) >= 0)
        return 1;
    for (int i = 0; i < b->frame_count; i++)
        if (!strcmp(b->frames[i].name, name)) return 1;
    return 0;
}

static arne_status check_ends(const arne_builder *b, const arne_loop_spec *s, const judge *j)
{
    const char *const ends[2] = {s->predecessor, s->successor};
    arne_status       status = ARNE_OK;
    for (int i = 0; i < 2; i++)
        if (!end_exists(b, ends[i]))
            status = status_both(status,
                                 judge_fail(j, ARNE_MODEL, s->place,
                                            "loop '%s' ties '%s', which is no link, frame or joint",
                                            s->name, ends[i]));
    return status;
}

static arne_status loop_check_names(const arne_builder *b, const judge *j)
{
    for (int i = 0; i < b->loop_count; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(b->loops[i].name, b->loops[k].name))
                return judge_fail(j, ARNE_MODEL, b->loops[i].place, "two loops are named '%s'",
                                  b->loops[i].name);
    return ARNE_OK;
}

static arne_status loop_check_actuation(const arne_builder *b, const judge *j)
{
    if (some_joint_is(b, ARNE_ACTUATION_ACTIVE) || some_joint_is(b, ARNE_ACTUATION_PASSIVE))
        return ARNE_OK;
    return judge_fail(
        j, ARNE_MODEL, b->loops[0].place,
        "the robot has loops (such as '%s'), but does not say which joints are active "
        "or passive",
        b->loops[0].name);
}

// ---- records ----

static int meeting_body(const arne_robot *r, int a, int b)
{
    while (a != b) { // a parent comes before its children
        if (a > b)
            a = robot_bodies(r)[a].parent;
        else
            b = robot_bodies(r)[b].parent;
    }
    return a;
}

static void tie(loop_record *l, const arne_robot *r, int end, const arne_pose *origin, pose turn)
{
    const arne_frame_info *f = &robot_frames(r)[l->info.frame[end]].info;
    const pose             in_body = pose_lift(f->pose), own = pose_lift(*origin);
    const pose             tied = pose_mul(&own, &turn), at = pose_mul(&in_body, &tied);
    l->body[end] = f->body;
    l->info.at[end] = lower_pose(&tied);
    l->at[end] = lower_pose(&at);
}

// A leg whose link is not the body where its sides meet is a loop like any other.
static void place_leg(const arne_loop_spec *s, const arne_robot *r, loop_record *l)
{
    const int base = s->leg_link ? arne_find_frame(r, s->leg_link) : -1;
    l->leg_frame = base;
    if (base < 0 || robot_frames(r)[base].info.body != l->meet) return;
    const pose in_body = pose_lift(robot_frames(r)[base].info.pose), own = pose_lift(s->leg.base);
    const pose at = pose_mul(&in_body, &own);
    l->leg = lower_pose(&at);
    l->info.leg = s->leg;
}

static arne_status place_loop(const arne_builder *b, const arne_loop_spec *s, const judge *j,
                              arne_robot *r, loop_record *l)
{
    const char *const ends[2] = {s->predecessor, s->successor};
    for (int end = 0; end < 2; end++) {
        const int joint = name_index_find(&b->joint_index, ends[end]);
        l->info.frame[end] = arne_find_frame(r, ends[end]);
        if (l->info.frame[end] < 0) l->info.frame[end] = arne_find_frame(r, b->joints[joint].child);
    }
    const int  has_axis = kinds[s->kind].has_axis;
    const pose turn = build_aligned(has_axis ? lift(s->axis) : v3(0, 0, 1));
    // The plane of a disc that rolls has its normal along z, whatever the axis of the disc.
    const pose spin = s->kind == ARNE_LOOP_ROLLING ? build_aligned(lift(s->axis)) : turn;
    l->turn = lower_pose(&turn).R;
    l->origin[0] = s->predecessor_origin;
    l->origin[1] = s->successor_origin;
    l->axis = s->axis;
    tie(l, r, 0, &s->predecessor_origin, turn);
    tie(l, r, 1, &s->successor_origin, spin);
    if (l->body[0] == l->body[1])
        return judge_fail(j, ARNE_MODEL, s->place,
                          strcmp(ends[0], ends[1])
                              ? "loop '%s' ties '%s' to '%s', which are parts of one body"
                              : "loop '%s' ties link '%s' to itself",
                          s->name, ends[0], ends[1]);
    l->meet = meeting_body(r, l->body[0], l->body[1]);
    l->info.kind = s->kind;
    place_leg(s, r, l);
    l->info.length = s->kind == ARNE_LOOP_ROD || s->kind == ARNE_LOOP_ROLLING ? s->length : 0;
    l->info.row_count = loop_kind_rows(s->kind);
    return ARNE_OK;
}

arne_status loops_check(const arne_builder *b, const judge *j)
{
    if (b->loop_count == 0) return ARNE_OK;
    arne_status status = loop_check_names(b, j);
    for (int i = 0; status_goes_on(status) && i < b->loop_count; i++) {
        status = status_both(status, check_loop(&b->loops[i], j));
        if (status_goes_on(status)) status = status_both(status, check_ends(b, &b->loops[i], j));
    }
    return status_goes_on(status) ? status_both(status, loop_check_actuation(b, j)) : status;
}

arne_status loops_place(const arne_builder *b, const judge *j, arne_robot *r)
{
    arne_status status = ARNE_OK;
    int         row = 0;
    for (int i = 0; status_goes_on(status) && i < b->loop_count; i++) {
        loop_record *l = ROBOT_ARRAY(r, loop_record, loops) + i;
        status = status_both(status, place_loop(b, &b->loops[i], j, r, l));
        l->info.row_start = row;
        row += l->info.row_count;
    }
    return status;
}

arne_loop_info arne_robot_loop(const arne_robot *robot, int loop)
{
    arne_loop_info info = robot_loops(robot)[loop].info;
    info.name = robot_names(robot) + robot_loops(robot)[loop].name;
    return info;
}

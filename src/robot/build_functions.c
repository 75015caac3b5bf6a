// Couplings by functions: from the composed rows (couplings.c) to what kernels read, and the
// functions as they were given.
#include "base/error.h"
#include "robot/build.h"
#include "robot/functions.h"
#include "robot/functions.k.h"
#include <arne/configuration.h>
#include <stdlib.h>
#include <string.h>

static int bends_of(const graph *g, int joint)
{
    int count = 0;
    for (int i = 0; i < g->bend_count; i++)
        count += g->bends[i].joint == joint;
    return count;
}

// ---- as they were given ----

// Calls `each` for all that a joint with bends follows: its mimic, its couplings, its functions.
typedef void each_follow(void *context, const char *with, const char *times, arne_function f);

static void walk_follows(const arne_builder *b, int joint, each_follow *each, void *context)
{
    const arne_joint_spec *j = &b->joints[joint];
    const double           own[2] = {j->mimic_offset, j->mimic_ratio};
    if (j->mimic)
        each(context, j->mimic, NULL, arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 2, NULL, own));
    for (int i = 0; i < b->coupling_count; i++) {
        const double line[2] = {0, b->couplings[i].ratio};
        if (b->couplings[i].joint && !strcmp(b->couplings[i].joint, j->name))
            each(context, b->couplings[i].with, NULL,
                 arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 2, NULL, line));
    }
    for (int i = 0; i < b->function_count; i++)
        if (!strcmp(b->functions[i].joint, j->name))
            each(context, b->functions[i].with, b->functions[i].times, b->functions[i].function);
}

static void count_follow(void *context, const char *with, const char *times, arne_function f)
{
    arne_robot *r = context;
    (void)with;
    (void)times;
    r->follow_count++;
    r->point_count += (f.x ? 2 : 1) * f.count;
}

typedef struct filling {
    build *s;
    int    joint, follows, points;
} filling;

static int robot_joint_named(const build *s, const char *name)
{
    return s->joint_index[name_index_find(&s->b->joint_index, name)];
}

static void fill_follow(void *context, const char *with, const char *times, arne_function f)
{
    filling       *at = context;
    follow_record *record = ROBOT_ARRAY(at->s->r, follow_record, follows) + at->follows++;
    double        *points = ROBOT_ARRAY(at->s->r, double, points) + at->points;
    const size_t   count = (size_t)f.count;
    arne_function *own = &record->function; // no addresses: the block may be copied anywhere
    memset(record, 0, sizeof *record);
    record->joint = at->joint;
    record->with = robot_joint_named(at->s, with);
    record->times = times ? robot_joint_named(at->s, times) : -1;
    record->points = (size_t)at->points;
    own->kind = f.kind;
    own->factor = f.factor;
    own->count = f.count;
    own->ends = f.ends;
    own->slopes[0] = f.slopes[0];
    own->slopes[1] = f.slopes[1];
    if (f.x) memcpy(points, f.x, count * sizeof *points);
    if (count) memcpy(points + (f.x ? count : 0), f.y, count * sizeof *points);
    at->points += (f.x ? 2 : 1) * f.count;
    ROBOT_ARRAY(at->s->r, joint_record, joints)[at->joint].info.function_count++;
}

int arne_joint_functions(const arne_robot *robot, int joint, arne_follow *functions, int room)
{
    int count = 0;
    for (int i = 0; i < robot->follow_count; i++) {
        const follow_record *f = &robot_follows(robot)[i];
        if (f->joint != joint) continue;
        if (functions && count < room) {
            const double *points = robot_points(robot) + f->points;
            arne_follow  *out = &functions[count];
            *out = (arne_follow){f->with, f->times, f->function};
            out->function.x = f->function.kind == ARNE_FUNCTION_SPLINE ? points : NULL;
            out->function.y = points + (out->function.x ? f->function.count : 0);
        }
        count++;
    }
    return count;
}

// ---- beyond the points of splines ----

static int build_functions_is_beyond(const arne_robot *r, const stage_record *s, double x)
{
    const double *pieces = robot_curve_numbers(r) + s->at + PIECES_HEAD;
    if (s->form != FORM_PIECES || pieces[-PIECES_HEAD] > 0) return 0;
    return x < pieces[0] || x > pieces[(s->count - 1) * PIECE_SIZE];
}

static int joint_of_coordinate(const arne_robot *r, int q)
{
    int i = 1;
    while (robot_bodies(r)[i].q_start != q)
        i++;
    return robot_bodies(r)[i].joint;
}

int arne_joint_beyond(const arne_robot *robot, const double *q)
{
    for (int i = 0; i < robot->bend_count; i++) {
        const bend_record *b = &robot_bends(robot)[i];
        double             x = q[b->from_q], d[FUNCTION_ORDERS];
        for (int k = 0; k < b->stage_count; k++) {
            const stage_record *s = &robot_stages(robot)[b->stage + k];
            if (build_functions_is_beyond(robot, s, x)) return joint_of_coordinate(robot, b->q);
            stage_at(robot, s, x, d);
            x = d[0];
        }
    }
    return exponents_beyond(robot, q);
}

// ---- as kernels read them ----

// All that is listed stands in the order of the robot's joints, so that it does not depend on the
// order in which specs were added. Functions are counted once, however many stages they have.
void build_count_functions(const build *s, arne_robot *r)
{
    const graph *g = &s->g;
    r->bend_count = g->bend_count;
    r->stage_count = g->stage_count;
    for (int i = 0; i < g->bend_count; i++)
        r->slope_count += g->bends[i].times >= 0 ? 2 : 1;
    for (int f = 0; f < s->b->function_count; f++) {
        int used = 0;
        for (int k = 0; k < g->stage_count; k++)
            used |= g->stages[k].function == f;
        r->curve_number_count += used ? function_numbers(&s->b->functions[f].function) : 0;
    }
    for (int k = 0; k < g->stage_count; k++)
        r->curve_number_count += g->stages[k].function < 0 ? 2 : 0;
    for (int i = 0; g->bend_count && i < s->b->joint_count; i++)
        if (bends_of(g, i)) walk_follows(s->b, i, count_follow, r);
}

typedef struct placing {
    int  bends, slopes, stages, numbers; // so far
    int *at;                             // where the numbers of each function are; -1: nowhere yet
} placing;

static arne_status place_stage(build *s, placing *p, const graph_stage *given)
{
    const arne_function *f =
        given->function < 0 ? NULL : &s->b->functions[given->function].function;
    double *numbers = ROBOT_ARRAY(s->r, double, curve_numbers) + p->numbers;
    int     at = f ? p->at[given->function] : -1;
    if (at < 0) {
        at = p->numbers;
        p->numbers += f ? function_numbers(f) : 2;
        if (f && !function_fill(f, numbers)) return arne_fail_memory(s->j.error);
        if (f) p->at[given->function] = at;
        if (!f) numbers[0] = given->offset;
        if (!f) numbers[1] = given->ratio;
    }
    ROBOT_ARRAY(s->r, stage_record, stages)
    [p->stages++] = (stage_record){f ? (int)function_form_of(f) : FORM_POLYNOMIAL, at,
                                   f ? function_parts(f) : 2};
    return ARNE_OK;
}

static arne_status place_bend(build *s, placing *p, const graph_bend *given)
{
    const joint_record    *joints = robot_joints(s->r);
    const body            *b = robot_bodies(s->r) + joints[s->joint_index[given->joint]].body;
    const arne_joint_info *with = &joints[s->joint_index[given->with]].info;
    const int              product = given->times >= 0;
    const arne_joint_info *times = product ? &joints[s->joint_index[given->times]].info : with;
    slope_record          *slopes = ROBOT_ARRAY(s->r, slope_record, slopes);
    bend_record           *out = ROBOT_ARRAY(s->r, bend_record, bends) + p->bends++;
    arne_status            status = ARNE_OK;
    out->q = b->q_start;
    out->from_q = with->q_start;
    out->other_q = product ? times->q_start : -1;
    out->stage = p->stages;
    out->stage_count = given->count;
    out->slope = p->slopes;
    out->factor = given->factor;
    slopes[p->slopes++] = (slope_record){b->v_start, with->v_start, times->v_start, 0};
    if (product) slopes[p->slopes++] = (slope_record){b->v_start, times->v_start, with->v_start, 0};
    for (int k = 0; k < given->count && !status; k++)
        status = place_stage(s, p, &s->g.stages[given->start + k]);
    return status;
}

static arne_status place_bends(build *s, placing *p)
{
    filling     at = {.s = s};
    arne_status status = ARNE_OK;
    for (int i = 0; i < s->b->joint_count && !status; i++) {
        const int joint = s->g.order[i];
        if (!bends_of(&s->g, joint)) continue;
        at.joint = s->joint_index[joint];
        walk_follows(s->b, joint, fill_follow, &at);
        for (int k = 0; k < s->g.bend_count && !status; k++)
            if (s->g.bends[k].joint == joint) status = place_bend(s, p, &s->g.bends[k]);
    }
    return status;
}

arne_status build_place_functions(build *s)
{
    placing p = {0};
    if (!s->g.bend_count) return ARNE_OK;
    p.at = malloc(((size_t)s->b->function_count + 1) * sizeof *p.at);
    if (!p.at) return arne_fail_memory(s->j.error);
    for (int i = 0; i < s->b->function_count; i++)
        p.at[i] = -1;
    const arne_status status = place_bends(s, &p);
    free(p.at);
    return status;
}

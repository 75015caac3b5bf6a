// A step with contacts, from the strike of the right heel to that of the left one.
//
// Four phases, with borders at 2/12, 3/12 and 9/12 of the step unless told otherwise: the right
// foot comes down on its heel, is flat (heel, two points of the ball, toes), and rises to ball and
// toes; the left one stands on ball and toes, on the toes alone, and swings. Which coordinates of a
// point stay says what a rigid foot leaves to say: heel x y z, ball one x y and the other y, toes y
// make seven rows for a foot and its toes; without the heel, the toes' x and z take the place of
// the heel's. The end of the step is its start, mirrored: postures, speeds and forces. Least is the
// integral of (torque / limit)^2, with a little of squared accelerations and forces, which decides
// what torques leave open.
#include "human/contact_step.h"
#include "base/error.h"
#include "plan/problem/torque_vector.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { X = 1, Y = 2, Z = 4 };

typedef struct point {
    int           part, side, count;
    int           phases[WALK_PHASES];
    unsigned char stays[WALK_PHASES];
    int mirror; // the point of the other foot that takes its place in the next step; -1: none
} point;

static const point points[WALK_CONTACTS] = {
    {WALKER_HEEL, WALKER_RIGHT, 3, {0, 1, 2}, {X | Y | Z, X | Y | Z, X | Y | Z}, -1},
    {WALKER_BALL_IN, WALKER_RIGHT, 3, {1, 2, 3}, {X | Y, X | Y, X | Y}, -1},
    {WALKER_BALL_OUT, WALKER_RIGHT, 3, {1, 2, 3}, {Y, Y, Y}, -1},
    {WALKER_TOE, WALKER_RIGHT, 3, {1, 2, 3}, {Y, Y, X | Y | Z}, -1},
    {WALKER_HEEL, WALKER_LEFT, 0, {0}, {0}, -1},
    {WALKER_BALL_IN, WALKER_LEFT, 1, {0}, {X | Y}, 1},
    {WALKER_BALL_OUT, WALKER_LEFT, 1, {0}, {Y}, 2},
    {WALKER_TOE, WALKER_LEFT, 2, {0, 1}, {X | Y | Z, X | Y | Z}, 3},
};
static const int spans[WALK_PHASES] = {2, 1, 4, 2};

const char *const plan_walk_phases[WALK_PHASES] = {"loading", "flat", "single", "rising"};

static int walk_frame_of(const walker_parts *walker, const point *p)
{
    return walker->sides[p->side].frames[p->part];
}

arne_status plan_walk_parts(const arne_robot *robot, const gait_options *o, int degree,
                            const arne_place *place, walk_parts *out, arne_error *error)
{
    static const int  needed[] = {WALKER_HEEL, WALKER_BALL_IN, WALKER_BALL_OUT, WALKER_TOE};
    const double      T = plan_gait_step(o) / o->speed, *at = o->borders;
    const double      borders[WALK_PHASES + 1] = {0, at[0], at[1], at[2], 1};
    const arne_status status =
        plan_gait_frames(robot, &o->walker, needed, sizeof needed / sizeof *needed, place, error);
    if (status) return status;
    *out = (walk_parts){.phases = {{0}}};
    for (int k = 0; k < WALK_PHASES; k++)
        out->phases[k] = (arne_plan_phase){.name = plan_walk_phases[k],
                                           .control_points = o->fineness * spans[k] + degree,
                                           .time = T * (borders[k + 1] - borders[k])};
    for (int i = 0; i < WALK_CONTACTS; i++) {
        const point *p = &points[i];
        const int    frame = walk_frame_of(&o->walker, p);
        out->contacts[i] = (arne_plan_contact){.name = arne_robot_frame(robot, frame).name,
                                               .frame = frame,
                                               .friction = o->friction,
                                               .other_frame = -1,
                                               .continues = p->side == WALKER_LEFT,
                                               .smooth = 1,
                                               .phases = p->phases,
                                               .phase_count = p->count,
                                               .stays = p->stays};
    }
    return ARNE_OK;
}

// ---- rows

typedef struct build {
    arne_plan        *p;
    gait             *g;
    const arne_place *at;
    arne_error       *error;
    arne_status       status;
} build;

static int walk_quantity(build *b, const arne_quantity *what)
{
    int out = -1;
    if (!b->status) b->status = arne_plan_add_quantity(b->p, what, &out, b->error);
    return out;
}

// At the start: left - factor right(end) = offset.
static void walk_mirror(build *b, const char *name, int what, int row, double factor, int other,
                        int other_row, double offset)
{
    const arne_constraint c = {.name = name,
                               .place = *b->at,
                               .quantity = what,
                               .row_count = 1,
                               .rows = &row,
                               .lower = &offset,
                               .upper = &offset,
                               .other = other,
                               .other_rows = &other_row,
                               .factors = &factor,
                               .other_at = 1};
    if (!b->status) b->status = arne_plan_add_constraint(b->p, &c, b->error);
}

static void walk_symmetry(build *b)
{
    const arne_plan    *p = b->p;
    const arne_quantity kinds[2] = {{.kind = ARNE_QUANTITY_POSITION},
                                    {.kind = ARNE_QUANTITY_VELOCITY}};
    const int           q = walk_quantity(b, &kinds[0]), qd = walk_quantity(b, &kinds[1]);
    for (int k = 0; k < p->problem.v_count && !b->status; k++) {
        double       sign = 1;
        const int    other = plan_gait_mirror(p->problem.robot, &b->g->options.walker, k, &sign);
        const double way =
            plan_gait_is_forward(p->problem.robot, k) ? -plan_gait_step(&b->g->options) : 0;
        if (plan_gait_is_frozen(p, k)) continue;
        walk_mirror(b, "symmetry of posture", q, k, sign, q, other, way);
        walk_mirror(b, "symmetry of speed", qd, k, sign, qd, other, 0);
    }
    for (int i = 0; i < WALK_CONTACTS; i++) {
        const arne_quantity mine = {.kind = ARNE_QUANTITY_CONTACT_FORCE, .joint = i};
        arne_quantity       theirs = mine;
        theirs.joint = points[i].mirror;
        if (theirs.joint < 0) continue;
        const int left = walk_quantity(b, &mine), right = walk_quantity(b, &theirs);
        for (int r = 0; r < 3; r++)
            walk_mirror(b, "symmetry of forces", left, r, r == 0 ? -1 : 1, right, r, 0);
    }
}

static void walk_add_objective(build *b, const char *name, int what, int count, const int *rows,
                               const double *weights)
{
    const arne_objective o = {.name = name,
                              .place = *b->at,
                              .quantity = what,
                              .row_count = count,
                              .rows = rows,
                              .weights = weights,
                              .at = -1};
    if (!b->status) b->status = arne_plan_add_objective(b->p, &o, b->error);
}

// Of three axes that meet, the torque about the third counts across the other two, over its limit:
// moves these rows of the effort to an objective of their own.
static void charge_vectors(build *b, int *rows, int *count)
{
    const arne_quantity what = {.kind = ARNE_QUANTITY_TORQUE_VECTOR};
    const int           vectors = walk_quantity(b, &what);
    int                 kept = 0;
    if (b->status) return;
    for (int i = 0; i < *count; i++) {
        const double effort = arne_robot_joint(b->p->problem.robot, rows[i]).effort,
                     over = 1 / (effort * effort);
        if (plan_counts_across(&b->p->problem.quantities[vectors], rows[i]))
            walk_add_objective(b, "effort across", vectors, 1, &rows[i], &over);
        else
            rows[kept++] = rows[i];
    }
    *count = kept;
}

// Joints without a limit of their torque carry the pelvis: nothing drives them.
static void dynamics(build *b, int *rows, double *weights)
{
    arne_plan          *p = b->p;
    const arne_quantity kinds[3] = {{.kind = ARNE_QUANTITY_TORQUE},
                                    {.kind = ARNE_QUANTITY_ACCELERATION},
                                    {.kind = ARNE_QUANTITY_UTILISATION}};
    const int torque = walk_quantity(b, &kinds[0]), acceleration = walk_quantity(b, &kinds[1]);
    const int used = walk_quantity(b, &kinds[2]); // of the strength that the problem may set later
    double   *zero = weights + p->problem.v_count;
    int       count = 0;
    for (int k = 0; k < p->problem.v_count; k++)
        if (!isfinite(arne_robot_joint(p->problem.robot, k).effort)) rows[count++] = k;
    const arne_constraint root = {.name = "force on the pelvis",
                                  .place = *b->at,
                                  .quantity = torque,
                                  .row_count = count,
                                  .rows = rows,
                                  .lower = zero,
                                  .upper = zero,
                                  .to = 1,
                                  .other = -1};
    if (!b->status) b->status = arne_plan_add_constraint(p, &root, b->error);
    count = 0;
    for (int k = 0; k < p->problem.v_count; k++) {
        if (!isfinite(arne_robot_joint(p->problem.robot, k).effort) || plan_gait_is_frozen(p, k))
            continue;
        const gait_row r = gait_row_of("torque", b->at, used, k, -1, 1);
        if (!b->status) b->status = gait_add_row(b->p, r, b->error);
        rows[count] = k;
        weights[count++] = 1;
    }
    if (b->g->options.torque_vectors) charge_vectors(b, rows, &count);
    walk_add_objective(b, "effort", used, count, rows, weights);
    for (int k = 0; k < p->problem.v_count; k++)
        weights[k] = b->g->options.smoothness;
    walk_add_objective(b, "smoothness", acceleration, p->problem.v_count, NULL, weights);
    for (int i = 0; i < WALK_CONTACTS; i++) {
        const arne_quantity force = {.kind = ARNE_QUANTITY_CONTACT_FORCE, .joint = i};
        const double        little = b->g->options.force_weight / (b->g->weight * b->g->weight);
        const double        all[3] = {little, little, little};
        if (points[i].count)
            walk_add_objective(b, "forces", walk_quantity(b, &force), 3, NULL, all);
    }
}

// Where the search starts: upright but for the joints that the walker says, one step forward.
static void guess(build *b)
{
    const walker_parts *walker = &b->g->options.walker;
    const double        step = plan_gait_step(&b->g->options);
    for (int i = 0; i < walker->guess_count; i++) {
        const walker_line *line = &walker->guess[i];
        arne_plan_start_line(b->p, arne_robot_joint(b->p->problem.robot, line->joint).v_start,
                             line->from, line->to);
    }
    for (int k = 0; k < b->p->problem.v_count; k++)
        if (plan_gait_is_forward(b->p->problem.robot, k))
            arne_plan_start_line(b->p, k, b->g->heel - 0.6 * step, b->g->heel + 0.4 * step);
}

arne_status plan_walk_add(arne_plan *plan, const gait_options *options, const arne_place *place,
                          gait *out, arne_error *error)
{
    build           b = {.p = plan, .g = out, .at = place, .error = error};
    const size_t    v = (size_t)plan->problem.v_count;
    int            *rows = calloc(v + 1, sizeof *rows);
    double         *weights = calloc(2 * v + 8, sizeof *weights);
    const arne_vec3 gravity = arne_robot_gravity(plan->problem.robot);
    *out = (gait){.options = *options, .walks = 1, .heel = options->foothold};
    out->weight = -gravity.y * arne_total_mass(plan->problem.robot);
    out->scale = plan->problem.scale[0] > 0 ? plan->problem.scale[0] : 1;
    b.status = rows && weights ? ARNE_OK : arne_fail_memory(error);
    if (!b.status) b.status = plan_gait_pairs(plan, &options->walker, place, error);
    if (!b.status) dynamics(&b, rows, weights);
    if (!b.status) walk_symmetry(&b);
    const arne_quantity heel = {.kind = ARNE_QUANTITY_FRAME_POSITION,
                                .frame = options->walker.sides[WALKER_RIGHT].frames[WALKER_HEEL]};
    const int           at = b.status ? -1 : walk_quantity(&b, &heel);
    const double        aside = -0.5 * out->options.width * out->scale;
    gait_row            stands = gait_row_of("right foothold", b.at, at, 0, aside, aside);
    stands.c.to = 0;
    if (!b.status) b.status = gait_add_row(plan, stands, error);
    stands.row = 2;
    stands.lower = stands.upper = out->heel;
    if (!b.status) b.status = gait_add_row(plan, stands, error);
    if (!b.status) guess(&b);
    free(rows);
    free(weights);
    return b.status;
}

void plan_walk_feet(const gait *g, const arne_robot *robot, const arne_work *work,
                    double feet[WALKER_SIDES][6])
{
    memset(feet, 0, WALKER_SIDES * sizeof *feet);
    for (int i = 0; i < WALK_CONTACTS; i++) {
        const int planned = walk_frame_of(&g->options.walker, &points[i]);
        const int frame =
            arne_find_frame(robot, arne_robot_frame(g->plan->problem.robot, planned).name);
        const arne_vec3 p = arne_frame_pose(robot, work, frame).p,
                        f = plan_contact_force(&g->plan->now.program->between, i);
        double *w = feet[points[i].side];
        w[0] += f.x, w[1] += f.y, w[2] += f.z;
        w[3] += p.y * f.z - p.z * f.y;
        w[4] += p.z * f.x - p.x * f.z;
        w[5] += p.x * f.y - p.y * f.x;
    }
}

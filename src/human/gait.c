// A step as constraints on a plan: phases of the feet, balance, symmetry, arms, and the effort to
// be least.
//
// Phases are given in twelfths of the step. Both feet stand in the first quarter: the right one
// comes down on its heel and is flat from k = 2 on; the left one stands on ball and toes, then on
// its toes, and swings from k = 3 on. From k = 9 on the right one rises to ball and toes. With six
// control points a coordinate, exact contact would ask for more than there is, so heights, speeds
// and the roll of a foot that stands are kept within small bands.
#include "human/gait.h"
#include "base/error.h"
#include "robot/joint.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct build {
    arne_plan        *p;
    gait             *g;
    const arne_place *at;
    arne_error       *error;
    int               place[WALKER_SIDES][WALKER_FRAMES], motion[WALKER_SIDES][WALKER_FRAMES];
    int         beside[WALKER_SIDES]; // a point one metre to the left of the foot, for its roll
    int         position, velocity;
    double     *scratch; // 2 v_count
    arne_status status;
} build;

gait_options plan_gait_defaults(void)
{
    return (gait_options){
        .speed = 1.2,
        .bands = {.height = 0.002,
                  .velocity = 0.05,
                  .roll = 0.02,
                  .tilt = acos(-1) / 36,
                  .weight = 0.2,
                  .force = 0.02,
                  .strike = 0.01,
                  .arms = 0.005},
        .polygon = {.heel_ahead = 0.03, .ball_ahead = 0.016, .ball_behind = 0.02},
        .friction = 0.8,
        .width = 0.1,
        .foothold = 0.3,
        .sole = 0.045,
        .borders = {2.0 / GAIT_GRID, (double)GAIT_SWING / GAIT_GRID, (double)GAIT_RISE / GAIT_GRID},
        .smoothness = 1e-4,
        .force_weight = 0.01,
        .fineness = 1,
        .walker = walker_none()};
}

double plan_gait_step(const gait_options *o) { return o->step > 0 ? o->step : 0.5 * o->speed; }

void plan_gait_reach(const gait *g, int k, double *low, double *high)
{
    const double step = plan_gait_step(&g->options), rear = g->support.rear;
    *low = k < GAIT_SWING  ? rear
           : k < GAIT_RISE ? g->support.front
                           : g->ball - g->options.polygon.ball_behind * g->scale;
    *high = k < GAIT_SWING ? g->support.front : k < GAIT_RISE ? g->tip : rear + step;
}

// ---- rows

gait_row gait_row_of(const char *name, const arne_place *place, int quantity, int row, double lower,
                     double upper)
{
    return (gait_row){.c = {.name = name,
                            .place = *place,
                            .quantity = quantity,
                            .row_count = 1,
                            .to = 1,
                            .other = -1},
                      .row = row,
                      .lower = lower,
                      .upper = upper};
}

arne_status gait_add_row(arne_plan *plan, gait_row row, arne_error *error)
{
    row.c.rows = &row.row;
    row.c.lower = &row.lower;
    row.c.upper = &row.upper;
    return arne_plan_add_constraint(plan, &row.c, error);
}

static void bound(build *b, const char *name, int quantity, int row, double lower, double upper,
                  double from, double to)
{
    gait_row r = gait_row_of(name, b->at, quantity, row, lower, upper);
    r.c.from = from;
    r.c.to = to;
    if (!b->status) b->status = gait_add_row(b->p, r, b->error);
}

// lower <= left - factor right <= upper
typedef struct side {
    int    quantity, row;
    double at; // t/T; of the right one negative: the same instant
} side;
static void relate(build *b, const char *name, side left, double factor, side right, double lower,
                   double upper, double to)
{
    const arne_constraint c = {.name = name,
                               .place = *b->at,
                               .quantity = left.quantity,
                               .row_count = 1,
                               .rows = &left.row,
                               .lower = &lower,
                               .upper = &upper,
                               .from = left.at,
                               .to = to,
                               .other = right.quantity,
                               .other_rows = &right.row,
                               .factors = &factor,
                               .other_at = right.at};
    if (!b->status) b->status = arne_plan_add_constraint(b->p, &c, b->error);
}

static void ask(build *b, arne_quantity_kind kind, int frame, arne_vec3 point, int *out)
{
    const arne_quantity q = {.kind = kind, .frame = frame, .point = point};
    if (!b->status) b->status = arne_plan_add_quantity(b->p, &q, out, b->error);
}

// ---- the person

static int gait_frame_of(const build *b, int which, int part)
{
    return b->g->options.walker.sides[which].frames[part];
}

// Where the feet stand.
static void gait_measure(build *b)
{
    gait            *g = b->g;
    const arne_plan *p = b->p;
    const double     step = plan_gait_step(&g->options),
                 gravity = arne_robot_gravity(p->problem.robot).y;
    double z[WALKER_FOOT];
    arne_kinematics(p->problem.robot, p->problem.work, b->scratch, NULL, NULL); // upright
    for (int i = 0; i < WALKER_FOOT; i++)
        z[i] = arne_frame_pose(p->problem.robot, p->problem.work, gait_frame_of(b, WALKER_RIGHT, i))
                   .p.z;
    g->scale = p->problem.scale[0] > 0 ? p->problem.scale[0] : 1;
    g->weight = -gravity * arne_total_mass(p->problem.robot);
    g->heel = g->options.foothold;
    g->ball = g->heel + z[WALKER_BALL] - z[WALKER_HEEL];
    g->tip = g->heel + z[WALKER_TOE] - z[WALKER_HEEL];
    const double half = 0.5 * g->options.width * g->scale;
    g->support = (gait_support){.until = (double)GAIT_SWING / GAIT_GRID,
                                .front = g->heel + g->options.polygon.heel_ahead * g->scale,
                                .rear = g->ball - step + g->options.polygon.ball_ahead * g->scale,
                                .right = -half,
                                .left = half};
}

static void quantities(build *b)
{
    const arne_vec3 origin = {0, 0, 0}, left = {1, 0, 0};
    ask(b, ARNE_QUANTITY_POSITION, -1, origin, &b->position);
    ask(b, ARNE_QUANTITY_VELOCITY, -1, origin, &b->velocity);
    for (int s = 0; s < WALKER_SIDES; s++) {
        for (int i = 0; i <= WALKER_FOOT; i++)
            ask(b, ARNE_QUANTITY_FRAME_POSITION, gait_frame_of(b, s, i), origin, &b->place[s][i]);
        for (int i = 0; i < WALKER_FOOT; i++)
            ask(b, ARNE_QUANTITY_FRAME_VELOCITY, gait_frame_of(b, s, i), origin, &b->motion[s][i]);
        ask(b, ARNE_QUANTITY_FRAME_POSITION, gait_frame_of(b, s, WALKER_FOOT), left, &b->beside[s]);
    }
}

// ---- contact

enum { LOW = 1, STILL_X = 2, STILL_Y = 4, STILL_Z = 8, STILL = 14, ABOVE = 16, LEVEL = 32 };

typedef struct touch {
    int side, first, last, part, what;
} touch;

// No constraint at the end of the step: the end is the mirrored start.
static const touch touches[] = {
    {WALKER_RIGHT, 0, 1, WALKER_HEEL, LOW | STILL},
    {WALKER_RIGHT, 0, 1, WALKER_BALL, ABOVE},
    {WALKER_RIGHT, 0, 1, WALKER_TOE, ABOVE},
    {WALKER_RIGHT, 2, 8, WALKER_HEEL, LOW | STILL},
    {WALKER_RIGHT, 2, 8, WALKER_BALL, LOW | STILL_X | STILL_Y},
    {WALKER_RIGHT, 2, 8, WALKER_TOE, LOW | STILL_Y},
    {WALKER_RIGHT, 2, 8, WALKER_FOOT, LEVEL},
    {WALKER_RIGHT, 9, 11, WALKER_BALL, LOW | STILL},
    {WALKER_RIGHT, 9, 11, WALKER_TOE, LOW | STILL_X | STILL_Y},
    {WALKER_RIGHT, 9, 11, WALKER_FOOT, LEVEL},
    {WALKER_RIGHT, 9, 11, WALKER_HEEL, ABOVE},
    {WALKER_LEFT, 0, 1, WALKER_BALL, LOW | STILL},
    {WALKER_LEFT, 0, 1, WALKER_TOE, LOW | STILL_X | STILL_Y},
    {WALKER_LEFT, 0, 1, WALKER_FOOT, LEVEL},
    {WALKER_LEFT, 0, 1, WALKER_HEEL, ABOVE},
    {WALKER_LEFT, 2, 2, WALKER_TOE, LOW | STILL},
    {WALKER_LEFT, 2, 2, WALKER_HEEL, ABOVE},
    {WALKER_LEFT, 2, 2, WALKER_BALL, ABOVE},
    {WALKER_LEFT, 3, 11, WALKER_HEEL, ABOVE},
    {WALKER_LEFT, 3, 11, WALKER_TOE, ABOVE},
};
enum { TOUCHES = sizeof touches / sizeof *touches };

// A phase lasts until the next one begins.
static double gait_begins(int k) { return (double)k / GAIT_GRID; }
static double ends(int k) { return k == GAIT_GRID ? 1 : (k + 1.0) / GAIT_GRID - 1e-6; }

static void contacts(build *b)
{
    const gait_bands *bands = &b->g->options.bands;
    for (int i = 0; i < TOUCHES; i++) {
        const touch *t = &touches[i];
        const double from = gait_begins(t->first), to = gait_begins(t->last);
        const int    place = b->place[t->side][t->part], moves = b->motion[t->side][t->part];
        if (t->what & LOW)
            bound(b, "contact height", place, 1, -bands->height, bands->height, from, to);
        if (t->what & ABOVE)
            bound(b, "above the ground", place, 1, 0, INFINITY, from, ends(t->last));
        for (int k = 0; k < 3; k++)
            if (t->what & STILL_X << k)
                bound(b, "contact speed", moves, k, -bands->velocity, bands->velocity, from, to);
        const side beside = {b->beside[t->side], 1, from}, middle = {place, 1, -1};
        if (t->what & LEVEL)
            relate(b, "roll of the foot", beside, 1, middle, -bands->roll, bands->roll, to);
    }
}

static void footholds(build *b)
{
    const gait  *g = b->g;
    const double z = g->ball - plan_gait_step(&g->options);
    const int heel = b->place[WALKER_RIGHT][WALKER_HEEL], ball = b->place[WALKER_LEFT][WALKER_BALL];
    bound(b, "right foothold", heel, 0, g->support.right, g->support.right, 0, 0);
    bound(b, "right foothold", heel, 2, g->heel, g->heel, 0, 0);
    bound(b, "left foothold", ball, 0, g->support.left, g->support.left, 0, 0);
    bound(b, "left foothold", ball, 2, z, z, 0, 0);
}

// ---- balance and force

// The zero-moment point stays where feet stand. At heel strike the rear foot carries all, as before
// it.
static void gait_balance(build *b)
{
    static const int borders[] = {1, GAIT_SWING, GAIT_RISE, GAIT_GRID};
    const gait      *g = b->g;
    const double     rear = g->support.rear;
    const int        row = b->p->problem.v_count, z = row + GROUND_Z;
    bound(b, "zero-moment point", g->ground, z, rear, rear + g->options.bands.strike, 0, 0);
    for (int i = 0; i < 3; i++) {
        double low, high;
        plan_gait_reach(g, borders[i], &low, &high);
        bound(b, "zero-moment point", g->ground, z, low, high, gait_begins(borders[i]),
              i == 2 ? 1 : ends(borders[i + 1] - 1));
    }
    bound(b, "zero-moment point aside", g->ground, row + GROUND_ASIDE, -g->options.sole * g->scale,
          g->options.sole * g->scale, 0, 1);
    bound(b, "weight on the ground", g->ground, row + GROUND_FY,
          g->options.bands.weight * g->weight, INFINITY, 0, 1);
    for (int i = 0; i < 3; i++) { // the force does not jump from one step to the next
        const side start = {g->ground, row + GROUND_FX + i, 0},
                   end = {start.quantity, start.row, 1};
        const double most = g->options.bands.force * g->weight;
        relate(b, "force at heel strike", start, i == 0 ? -1 : 1, end, -most, most, 0);
    }
}

// ---- symmetry, torques, effort

// What the step ends with is what it starts with, mirrored and one step further.
static void gait_symmetry(build *b, int k)
{
    double       sign = 1;
    const int    other = plan_gait_mirror(b->p->problem.robot, &b->g->options.walker, k, &sign);
    const double way =
        plan_gait_is_forward(b->p->problem.robot, k) ? -plan_gait_step(&b->g->options) : 0;
    const side q = {b->position, k, 0}, q_other = {b->position, other, 1};
    const side v = {b->velocity, k, 0}, v_other = {b->velocity, other, 1};
    relate(b, "symmetry of posture", q, sign, q_other, way, way, 0);
    relate(b, "symmetry of speed", v, sign, v_other, 0, 0, 0);
}

// The joints between world and pelvis have no torques. Their control points stay within limits, so
// that they do everywhere; the tilt of the pelvis has a band of its own.
static void bound_pelvis(build *b, const arne_joint_info *j)
{
    const int    tilts = !joint_is_slide(j->kind) && fabs(j->axis.x) > 0.5;
    const double most = tilts ? b->g->options.bands.tilt : INFINITY;
    arne_plan_bound(b->p, j->v_start, fmax(j->lower, -most), fmin(j->upper, most));
}

static void joints(build *b)
{
    const arne_robot *robot = b->p->problem.robot;
    double           *weights = b->scratch;
    int              *rows = (int *)(weights + b->p->problem.v_count), count = 0;
    for (int k = 0; k < b->p->problem.v_count && !b->status; k++) {
        const arne_joint_info j = arne_robot_joint(robot, k);
        if (b->p->problem.prescribed[k].on || plan_gait_is_frozen(b->p, k)) continue;
        gait_symmetry(b, k);
        if (!isfinite(j.effort)) {
            bound_pelvis(b, &j);
            continue;
        }
        bound(b, "torque", b->g->ground, k, -j.effort, j.effort, 0, 1);
        rows[count] = k;
        weights[count++] = 1 / (j.effort * j.effort);
    }
    const arne_objective effort = {.name = "effort",
                                   .place = *b->at,
                                   .quantity = b->g->ground,
                                   .row_count = count,
                                   .rows = rows,
                                   .weights = weights,
                                   .at = -1};
    if (!b->status) b->status = arne_plan_add_objective(b->p, &effort, b->error);
}

arne_status plan_gait_add(arne_plan *plan, const gait_options *options, const arne_place *place,
                          gait *out, arne_error *error)
{
    static const int needed[] = {WALKER_HEEL,  WALKER_BALL,     WALKER_TOE,   WALKER_FOOT,
                                 WALKER_WRIST, WALKER_SHOULDER, WALKER_ANKLE, WALKER_HIP};
    build            b = {.p = plan, .g = out, .at = place, .error = error};
    int              arms = 0;
    *out = (gait){.options = *options};
    if (plan->problem.muscle_count) // what they balance would lack the ground's forces
        return arne_fail(error, ARNE_UNSUPPORTED, place->file, place->line,
                         "gait: muscles are not known of formulation: thesis, whose torques have "
                         "no contacts; use formulation: contacts");
    b.scratch = calloc(2 * (size_t)plan->problem.v_count, sizeof(double));
    if (!b.scratch) return arne_fail_memory(error);
    b.status = plan_gait_frames(plan->problem.robot, &options->walker, needed,
                                sizeof needed / sizeof *needed, place, error);
    if (!b.status) b.status = plan_gait_pairs(plan, &options->walker, place, error);
    if (!b.status) gait_measure(&b);
    quantities(&b);
    const int feet[WALKER_SIDES] = {gait_frame_of(&b, WALKER_RIGHT, WALKER_FOOT),
                                    gait_frame_of(&b, WALKER_LEFT, WALKER_FOOT)};
    if (!b.status) b.status = plan_gait_ground(plan, feet, &out->support, &out->ground, error);
    if (!b.status) b.status = plan_gait_arms(plan, &options->walker, &arms, error);
    joints(&b);
    contacts(&b);
    footholds(&b);
    gait_balance(&b);
    for (int s = 0; s < WALKER_SIDES; s++)
        bound(&b, "arm and leg", arms, s, -options->bands.arms, INFINITY, 0, 1);
    free(b.scratch);
    return b.status;
}

// ---- counting

int plan_gait_count(const arne_plan *plan, const char *name)
{
    int sum = 0;
    for (int i = 0; i < plan->problem.constraint_count; i++) {
        const plan_constraint *c = &plan->now.program->constraints[i];
        if (!name || strcmp(c->name, name) == 0) sum += c->point_count * c->row_count;
    }
    return sum;
}

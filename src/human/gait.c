// A step as constraints on a plan: phases of the feet, balance, symmetry, arms, and the effort to
// be least.
//
// Phases are told in twelfths of the step. Both feet stand in the first quarter: the right one
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
    int               place[GAIT_SIDES][GAIT_PARTS], motion[GAIT_SIDES][GAIT_PARTS];
    int               beside[GAIT_SIDES]; // a point one metre to the left of the foot, for its roll
    int               position, velocity;
    double           *scratch; // 2 v_count
    arne_status       status;
} build;

gait_options plan_gait_defaults(void)
{
    const gait_options o = {.speed = 1.2,
                            .height = 0.002,
                            .velocity = 0.05,
                            .roll = 0.02,
                            .friction = 0.8,
                            .width = 0.1,
                            .foothold = 0.3,
                            .sole = 0.045,
                            .smoothness = 1e-4,
                            .fineness = 1};
    return o;
}

double plan_gait_step(const gait_options *o) { return o->step > 0 ? o->step : 0.5 * o->speed; }

// The thesis's polygon, at the size of its person: how far ahead of heel and ball the ground may
// begin to push, and how far behind the ball it may end, m.
static const double HEEL_AHEAD = 0.03, BALL_AHEAD = 0.016, BALL_BEHIND = 0.02;

void plan_gait_reach(const gait *g, int k, double *low, double *high)
{
    const double step = plan_gait_step(&g->options), rear = g->support.rear;
    *low = k < GAIT_SWING  ? rear
           : k < GAIT_RISE ? g->support.front
                           : g->ball - BALL_BEHIND * g->scale;
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

static void find_frames(build *b)
{
    static const char *const names[GAIT_PARTS] = {"heel",  "ball",     "toe",   "foot",
                                                  "wrist", "shoulder", "ankle", "hip"};
    for (int s = 0; s < GAIT_SIDES; s++)
        for (int i = 0; i < GAIT_PARTS && !b->status; i++) {
            char name[32];
            snprintf(name, sizeof name, "%c_%s", "RL"[s], names[i]);
            b->g->frames[s][i] = arne_find_frame(b->p->robot, name);
            if (b->g->frames[s][i] < 0)
                b->status = arne_fail(b->error, ARNE_NOT_FOUND, b->at->file, b->at->line,
                                      "gait: robot '%s' has no frame '%s'",
                                      arne_robot_name(b->p->robot), name);
        }
}

// Where the feet stand.
static void measure(build *b)
{
    gait            *g = b->g;
    const arne_plan *p = b->p;
    const double     step = plan_gait_step(&g->options), gravity = arne_robot_gravity(p->robot).y;
    double           z[GAIT_FOOT];
    arne_kinematics(p->robot, p->work, b->scratch, NULL, NULL); // upright
    for (int i = 0; i < GAIT_FOOT; i++)
        z[i] = arne_frame_pose(p->robot, p->work, g->frames[GAIT_RIGHT][i]).p.z;
    g->scale = p->scale[0] > 0 ? p->scale[0] : 1;
    g->weight = -gravity * arne_total_mass(p->robot);
    g->heel = g->options.foothold;
    g->ball = g->heel + z[GAIT_BALL] - z[GAIT_HEEL];
    g->tip = g->heel + z[GAIT_TOE] - z[GAIT_HEEL];
    const double half = 0.5 * g->options.width * g->scale;
    g->support = (gait_support){.until = (double)GAIT_SWING / GAIT_GRID,
                                .front = g->heel + HEEL_AHEAD * g->scale,
                                .rear = g->ball - step + BALL_AHEAD * g->scale,
                                .right = -half,
                                .left = half};
}

static void quantities(build *b)
{
    const arne_vec3 origin = {0, 0, 0}, left = {1, 0, 0};
    const gait     *g = b->g;
    ask(b, ARNE_QUANTITY_POSITION, -1, origin, &b->position);
    ask(b, ARNE_QUANTITY_VELOCITY, -1, origin, &b->velocity);
    for (int s = 0; s < GAIT_SIDES; s++) {
        for (int i = 0; i <= GAIT_FOOT; i++)
            ask(b, ARNE_QUANTITY_FRAME_POSITION, g->frames[s][i], origin, &b->place[s][i]);
        for (int i = 0; i < GAIT_FOOT; i++)
            ask(b, ARNE_QUANTITY_FRAME_VELOCITY, g->frames[s][i], origin, &b->motion[s][i]);
        ask(b, ARNE_QUANTITY_FRAME_POSITION, g->frames[s][GAIT_FOOT], left, &b->beside[s]);
    }
}

// ---- contact

enum { LOW = 1, STILL_X = 2, STILL_Y = 4, STILL_Z = 8, STILL = 14, ABOVE = 16, LEVEL = 32 };

typedef struct touch {
    int side, first, last, part, what;
} touch;

// None at the end of the step: that is the start, mirrored.
static const touch touches[] = {
    {GAIT_RIGHT, 0, 1, GAIT_HEEL, LOW | STILL},
    {GAIT_RIGHT, 0, 1, GAIT_BALL, ABOVE},
    {GAIT_RIGHT, 0, 1, GAIT_TOE, ABOVE},
    {GAIT_RIGHT, 2, 8, GAIT_HEEL, LOW | STILL},
    {GAIT_RIGHT, 2, 8, GAIT_BALL, LOW | STILL_X | STILL_Y},
    {GAIT_RIGHT, 2, 8, GAIT_TOE, LOW | STILL_Y},
    {GAIT_RIGHT, 2, 8, GAIT_FOOT, LEVEL},
    {GAIT_RIGHT, 9, 11, GAIT_BALL, LOW | STILL},
    {GAIT_RIGHT, 9, 11, GAIT_TOE, LOW | STILL_X | STILL_Y},
    {GAIT_RIGHT, 9, 11, GAIT_FOOT, LEVEL},
    {GAIT_RIGHT, 9, 11, GAIT_HEEL, ABOVE},
    {GAIT_LEFT, 0, 1, GAIT_BALL, LOW | STILL},
    {GAIT_LEFT, 0, 1, GAIT_TOE, LOW | STILL_X | STILL_Y},
    {GAIT_LEFT, 0, 1, GAIT_FOOT, LEVEL},
    {GAIT_LEFT, 0, 1, GAIT_HEEL, ABOVE},
    {GAIT_LEFT, 2, 2, GAIT_TOE, LOW | STILL},
    {GAIT_LEFT, 2, 2, GAIT_HEEL, ABOVE},
    {GAIT_LEFT, 2, 2, GAIT_BALL, ABOVE},
    {GAIT_LEFT, 3, 11, GAIT_HEEL, ABOVE},
    {GAIT_LEFT, 3, 11, GAIT_TOE, ABOVE},
};
enum { TOUCHES = sizeof touches / sizeof *touches };

// A phase lasts until the next one begins.
static double begins(int k) { return (double)k / GAIT_GRID; }
static double ends(int k) { return k == GAIT_GRID ? 1 : (k + 1.0) / GAIT_GRID - 1e-6; }

static void contacts(build *b)
{
    const gait_options *o = &b->g->options;
    for (int i = 0; i < TOUCHES; i++) {
        const touch *t = &touches[i];
        const double from = begins(t->first), to = begins(t->last);
        const int    place = b->place[t->side][t->part], moves = b->motion[t->side][t->part];
        if (t->what & LOW) bound(b, "contact height", place, 1, -o->height, o->height, from, to);
        if (t->what & ABOVE)
            bound(b, "above the ground", place, 1, 0, INFINITY, from, ends(t->last));
        for (int k = 0; k < 3; k++)
            if (t->what & STILL_X << k)
                bound(b, "contact speed", moves, k, -o->velocity, o->velocity, from, to);
        const side beside = {b->beside[t->side], 1, from}, middle = {place, 1, -1};
        if (t->what & LEVEL)
            relate(b, "roll of the foot", beside, 1, middle, -o->roll, o->roll, to);
    }
}

static void footholds(build *b)
{
    const gait  *g = b->g;
    const double z = g->ball - plan_gait_step(&g->options);
    const int    heel = b->place[GAIT_RIGHT][GAIT_HEEL], ball = b->place[GAIT_LEFT][GAIT_BALL];
    bound(b, "right foothold", heel, 0, g->support.right, g->support.right, 0, 0);
    bound(b, "right foothold", heel, 2, g->heel, g->heel, 0, 0);
    bound(b, "left foothold", ball, 0, g->support.left, g->support.left, 0, 0);
    bound(b, "left foothold", ball, 2, z, z, 0, 0);
}

// ---- balance and force

// The zero-moment point stays where feet stand. At heel strike the rear foot carries all, as before
// it.
static void balance(build *b)
{
    static const int borders[] = {1, GAIT_SWING, GAIT_RISE, GAIT_GRID};
    const gait      *g = b->g;
    const double     rear = g->support.rear;
    const int        row = b->p->v_count, z = row + GROUND_Z;
    bound(b, "zero-moment point", g->ground, z, rear, rear + 0.01, 0, 0);
    for (int i = 0; i < 3; i++) {
        double low, high;
        plan_gait_reach(g, borders[i], &low, &high);
        bound(b, "zero-moment point", g->ground, z, low, high, begins(borders[i]),
              i == 2 ? 1 : ends(borders[i + 1] - 1));
    }
    bound(b, "zero-moment point aside", g->ground, row + GROUND_ASIDE, -g->options.sole * g->scale,
          g->options.sole * g->scale, 0, 1);
    bound(b, "weight on the ground", g->ground, row + GROUND_FY, 0.2 * g->weight, INFINITY, 0, 1);
    for (int i = 0; i < 3; i++) { // the force does not jump from one step to the next
        const side start = {g->ground, row + GROUND_FX + i, 0},
                   end = {start.quantity, start.row, 1};
        const double most = 0.02 * g->weight;
        relate(b, "force at heel strike", start, i == 0 ? -1 : 1, end, -most, most, 0);
    }
}

// ---- symmetry, torques, effort

int plan_gait_mirror(const arne_robot *robot, int coordinate, double *sign)
{
    const arne_joint_info j = arne_robot_joint(robot, coordinate);
    char                  other[64];
    *sign = 1;
    if (strncmp(j.name, "R_", 2) == 0 || strncmp(j.name, "L_", 2) == 0) {
        snprintf(other, sizeof other, "%c%s", *j.name == 'R' ? 'L' : 'R', j.name + 1);
        const int found = arne_find_joint(robot, other);
        return found < 0 ? -1 : arne_robot_joint(robot, found).v_start;
    }
    // In the middle: a slide across and turns about other axes than the one across change sign.
    const int across = fabs(j.axis.x) > 0.5;
    *sign = joint_is_slide(j.kind) == across ? -1 : 1;
    return coordinate;
}

int plan_gait_is_forward(const arne_robot *robot, int coordinate)
{
    const arne_joint_info j = arne_robot_joint(robot, coordinate);
    return joint_is_slide(j.kind) && fabs(j.axis.z) > 0.5;
}

static int is_frozen(const arne_plan *p, int k)
{
    const double *low = p->x_lower + k * p->m, *up = p->x_upper + k * p->m;
    for (int i = 0; i < p->m; i++)
        if (low[i] != up[i]) return 0;
    return 1;
}

// What the step ends with is what it starts with, mirrored and one step further.
static void symmetry(build *b, int k)
{
    double       sign = 1;
    const int    other = plan_gait_mirror(b->p->robot, k, &sign);
    const char  *name = arne_robot_joint(b->p->robot, k).name;
    const double way = plan_gait_is_forward(b->p->robot, k) ? -plan_gait_step(&b->g->options) : 0;
    if (other < 0 && !b->status)
        b->status = arne_fail(b->error, ARNE_NOT_FOUND, b->at->file, b->at->line,
                              "gait: joint '%s' has none on the other side", name);
    const side q = {b->position, k, 0}, q_other = {b->position, other, 1};
    const side v = {b->velocity, k, 0}, v_other = {b->velocity, other, 1};
    relate(b, "symmetry of posture", q, sign, q_other, way, way, 0);
    relate(b, "symmetry of speed", v, sign, v_other, 0, 0, 0);
}

// The joints between world and pelvis have no torques. Their control points stay within limits, so
// that they do everywhere; the pelvis tilts by at most 5 degrees.
static void bound_pelvis(build *b, const arne_joint_info *j)
{
    const int    tilts = !joint_is_slide(j->kind) && fabs(j->axis.x) > 0.5;
    const double most = tilts ? acos(-1) / 36 : INFINITY;
    arne_plan_bound(b->p, j->v_start, fmax(j->lower, -most), fmin(j->upper, most));
}

static void joints(build *b)
{
    const arne_robot *robot = b->p->robot;
    double           *weights = b->scratch;
    int              *rows = (int *)(weights + b->p->v_count), count = 0;
    for (int k = 0; k < b->p->v_count && !b->status; k++) {
        const arne_joint_info j = arne_robot_joint(robot, k);
        if (is_frozen(b->p, k)) continue;
        symmetry(b, k);
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
    build b = {.p = plan, .g = out, .at = place, .error = error};
    int   arms = 0;
    *out = (gait){.options = *options};
    b.scratch = calloc(2 * (size_t)plan->v_count, sizeof(double));
    if (!b.scratch) return arne_fail_memory(error);
    find_frames(&b);
    if (!b.status) measure(&b);
    quantities(&b);
    const int feet[GAIT_SIDES] = {out->frames[GAIT_RIGHT][GAIT_FOOT],
                                  out->frames[GAIT_LEFT][GAIT_FOOT]};
    if (!b.status) b.status = plan_gait_ground(plan, feet, &out->support, &out->ground, error);
    if (!b.status) b.status = plan_gait_arms(plan, out->frames, &arms, error);
    joints(&b);
    contacts(&b);
    footholds(&b);
    balance(&b);
    for (int s = 0; s < GAIT_SIDES; s++)
        bound(&b, "arm and leg", arms, s, -0.005, INFINITY, 0, 1);
    free(b.scratch);
    return b.status;
}

// ---- counting

int plan_gait_count(const arne_plan *plan, const char *name)
{
    int sum = 0;
    for (int i = 0; i < plan->constraint_count; i++) {
        const plan_constraint *c = &plan->constraints[i];
        if (!name || strcmp(c->name, name) == 0) sum += c->point_count * c->row_count;
    }
    return sum;
}

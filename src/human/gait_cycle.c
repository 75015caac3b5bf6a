#include "human/gait_cycle.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const gait_cycle_names[CYCLE_COLUMNS][2] = {
    {"hip", "degrees"},       {"knee", "degrees"},       {"ankle", "degrees"},
    {"grf.vertical", ""},     {"grf.forward", ""},       {"grf.medial", ""},
    {"force.hip", "N"},       {"force.knee", "N"},       {"force.ankle", "N"},
    {"moment.hip", "N m/kg"}, {"moment.knee", "N m/kg"}, {"moment.ankle", "N m/kg"},
    {"power.hip", "W/kg"},    {"power.knee", "W/kg"},    {"power.ankle", "W/kg"},
    {"stance", ""},
};

// The state of a walker at one instant, and what was computed from it.
typedef struct instant {
    arne_plan   *plan;
    const gait  *g;
    arne_work   *work;
    double      *q, *tau; // q, qd, qdd
    arne_wrench *f_ext;
    double       feet[WALKER_SIDES][6];
} instant;

static int new_instant(instant *at)
{
    const size_t v = (size_t)at->plan->problem.v_count;
    const size_t bodies = (size_t)arne_robot_sizes(at->plan->problem.robot).body_count;
    at->q = calloc(4 * v, sizeof(double));
    at->f_ext = calloc(bodies, sizeof *at->f_ext);
    at->tau = at->q ? at->q + 3 * v : NULL;
    return arne_work_new(at->plan->problem.robot, &at->work) == ARNE_OK && at->q && at->f_ext;
}

static void free_instant(instant *at)
{
    free(at->q);
    free(at->f_ext);
    arne_work_free(at->work);
}

// Both passes; the workspace then holds the joint wrenches.
static void go_to(instant *at, double u)
{
    const int v = at->plan->problem.v_count;
    double   *q = at->q, *qd = q + v, *qdd = qd + v;
    arne_plan_evaluate(at->plan, u, q, qd, qdd, NULL, NULL);
    plan_gait_loads(at->g, at->plan->problem.robot, at->work, u, q, qd, qdd, at->tau, at->feet,
                    at->f_ext);
    arne_inverse_dynamics(at->plan->problem.robot, at->work, q, qd, qdd, at->f_ext, at->tau);
}

static int cycle_joint_of(const instant *at, int side, int which)
{
    return at->g->options.walker.sides[side].joints[which];
}

static void cycle_look(const instant *at, int side, double *out)
{
    static const int joints[] = {WALKER_HIP_FLEXION, WALKER_KNEE_FLEXION,
                                 WALKER_ANKLE_DORSIFLEXION};
    const double     degree = acos(-1) / 180, *foot = at->feet[side];
    for (int i = 0; i < 3; i++) {
        const int joint = cycle_joint_of(at, side, joints[i]);
        if (joint < 0) continue;
        const arne_vec3 f = arne_joint_wrench(at->plan->problem.robot, at->work, joint).lin;
        out[CYCLE_HIP + i] =
            at->q[arne_robot_joint(at->plan->problem.robot, joint).v_start] / degree;
        out[CYCLE_FORCE_HIP + i] = sqrt(f.x * f.x + f.y * f.y + f.z * f.z);
        const int    k = arne_robot_joint(at->plan->problem.robot, joint).v_start;
        const double kg = arne_total_mass(at->plan->problem.robot), tau = at->tau[k] / kg;
        out[CYCLE_MOMENT_HIP + i] = -tau; // flexion and dorsiflexion are positive coordinates
        out[CYCLE_POWER_HIP + i] = tau * at->q[at->plan->problem.v_count + k];
    }
    out[CYCLE_STANCE] = foot[1] > 0.01 * at->g->weight;
    out[CYCLE_UP] = foot[1] / at->g->weight;
    out[CYCLE_FORWARD] = foot[2] / at->g->weight;
    out[CYCLE_MEDIAL] = (side == WALKER_RIGHT ? 1 : -1) * foot[0] / at->g->weight;
}

static void cycle_widen(double pair[2], double x)
{
    pair[0] = fmin(pair[0], x);
    pair[1] = fmax(pair[1], x);
}

// Angles of pelvis and hips about the vertical, and what the ground does to a foot.
static void extremes(const instant *at, int side, gait_cycle *out)
{
    const double degree = acos(-1) / 180, *foot = at->feet[side];
    const double up = foot[1] / at->g->weight;
    const int    hip = cycle_joint_of(at, side, WALKER_HIP_ROTATION);
    const int    pelvis = at->g->options.walker.pelvis_rotation;
    out->least_vertical = fmin(out->least_vertical, up);
    if (up > 0.02) out->friction_used = fmax(out->friction_used, hypot(foot[0], foot[2]) / foot[1]);
    if (hip >= 0)
        cycle_widen(out->hip_rotation,
                    at->q[arne_robot_joint(at->plan->problem.robot, hip).v_start] / degree);
    if (pelvis >= 0)
        cycle_widen(out->pelvis_rotation,
                    at->q[arne_robot_joint(at->plan->problem.robot, pelvis).v_start] / degree);
}

// How far the zero-moment point is outside of its polygon, which is that of the grid point before.
static double outside(const gait *g, double u, double feet[WALKER_SIDES][6])
{
    double W[6];
    for (int i = 0; i < 6; i++)
        W[i] = feet[WALKER_RIGHT][i] + feet[WALKER_LEFT][i];
    const int    k = (int)(u * GAIT_GRID + 1e-9);
    const double x = W[5] / W[1], z = -W[3] / W[1], width = g->options.sole * g->scale;
    double       low, high;
    plan_gait_reach(g, k, &low, &high);
    const double share = k < GAIT_SWING ? (z - low) / (high - low) : 1;
    const double line = g->support.left + share * (g->support.right - g->support.left);
    return fmax(fmax(low - z, z - high), fabs(x - line) - width);
}

static double peak(const gait_cycle *c, int from, int to, double *at)
{
    int best = from;
    for (int i = from; i <= to; i++)
        if (c->x[i][CYCLE_UP] > c->x[best][CYCLE_UP]) best = i;
    *at = best / 2.0;
    return c->x[best][CYCLE_UP];
}

static void figures(gait_cycle *c)
{
    c->loading = peak(c, 10, 50, &c->loading_at);
    c->push = peak(c, 76, 120, &c->push_at);
    c->valley = INFINITY;
    for (int i = (int)(2 * c->loading_at); i <= (int)(2 * c->push_at); i++)
        c->valley = fmin(c->valley, c->x[i][CYCLE_UP]);
    for (int i = 0; i < CYCLE_ROWS; i++) {
        c->braking = fmin(c->braking, c->x[i][CYCLE_FORWARD]);
        c->propulsion = fmax(c->propulsion, c->x[i][CYCLE_FORWARD]);
    }
    c->knee = c->x[3 * CYCLE_STEP / 2][CYCLE_KNEE];
    for (int i = CYCLE_STEP; i < CYCLE_ROWS && c->toe_off == 0; i++)
        if (c->x[i][CYCLE_STANCE] == 0) c->toe_off = i / 2.0;
    c->opposite_toe_off = c->toe_off - 50;
}

int plan_gait_cycle(arne_plan *plan, const gait *g, gait_cycle *out)
{
    instant   at = {.plan = plan, .g = g};
    const int fine = new_instant(&at);
    memset(out, 0, sizeof *out);
    out->balance = -INFINITY;
    out->least_vertical = INFINITY;
    out->pelvis_rotation[0] = out->hip_rotation[0] = INFINITY;
    out->pelvis_rotation[1] = out->hip_rotation[1] = -INFINITY;
    for (int i = 0; fine && i <= CYCLE_STEP; i++) {
        const double u = (double)i / CYCLE_STEP;
        go_to(&at, u);
        const double up = at.feet[WALKER_RIGHT][1] + at.feet[WALKER_LEFT][1];
        cycle_look(&at, WALKER_RIGHT, out->x[i]);
        if (i > 0) cycle_look(&at, WALKER_LEFT, out->x[CYCLE_STEP + i]);
        out->mean_vertical += (i == 0 || i == CYCLE_STEP ? 0.5 : 1) * up / (CYCLE_STEP * g->weight);
        if (!g->walks) out->balance = fmax(out->balance, outside(g, u, at.feet));
        for (int side = 0; side < WALKER_SIDES; side++)
            extremes(&at, side, out);
        for (int k = 0; k < 6; k++)
            out->residual = fmax(out->residual, fabs(at.tau[k]));
    }
    free_instant(&at);
    if (fine) figures(out);
    return fine;
}

double plan_gait_correlation(const gait_cycle *cycle, int column, int count, const double *percent,
                             const double *other)
{
    double sum[5] = {0}; // of x, y, x x, y y, x y
    for (int i = 0; i < count; i++) {
        const double place = fmin(fmax(2 * percent[i], 0), CYCLE_ROWS - 1);
        const int    before = (int)fmin(floor(place), CYCLE_ROWS - 2);
        const double part = place - before, y = other[i];
        const double x =
            (1 - part) * cycle->x[before][column] + part * cycle->x[before + 1][column];
        const double terms[5] = {x, y, x * x, y * y, x * y};
        for (int k = 0; k < 5; k++)
            sum[k] += terms[k] / count;
    }
    return (sum[4] - sum[0] * sum[1]) /
           sqrt((sum[2] - sum[0] * sum[0]) * (sum[3] - sum[1] * sum[1]));
}

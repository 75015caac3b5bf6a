// Motions of closed chains: the independent coordinates y are planned. How q, qd, qdd and qddd of
// all coordinates depend on z = (y, yd, ydd, yddd) comes from curves through z (loop_jet.h). With t
// the time and e a step of column c of z, the k-th derivative of y is the sum over l >= k of
// (z_l + e) t^(l-k)/(l-k)!, with e at l = c alone. A curve t = a s, e = b s has the derivatives
//     F' = a F_t + b F_e,  F'' = a^2 F_tt + 2 a b F_te + b^2 F_ee
// so that those of F_t by e, of rates, are the fourth part of F'' with b = 1 less F'' with b = -1.
//
// Wheels that roll and knife edges tie velocities alone: J(q) qd = 0. Then all coordinates are
// planned, and the dependent velocities are equal to what the others make of them: an equality that
// holds at points, as often as there are unknowns. Torques are G^T of those of the tree, as ever.
#include "plan/transcription/plan_loops.h"
#include "base/error.h"
#include "plan/transcription/loop_jet.h"
#include <arne/loop.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct loops {
    const arne_robot *robot;
    arne_work        *work;
    arne_loop_work   *loop;
    int               v, n;
    int               rolling; // loops tie velocities alone: all coordinates are planned
    int               rank;
    int              *independent;
    unsigned char    *fixed; // flags of the independent ones
    double           *home;  // a closed configuration on the right branch
    double           *G;
    loop_jet         *jet;
    double (*curve)[3]; // for it
    loop_push *pushes;  // for it, of all wrenches
    double    *part;    // v_count
} loops;

static void loops_release(void *data)
{
    loops *f = data;
    if (!f) return;
    void *all[] = {f->independent, f->fixed, f->home, f->G, f->curve, f->pushes, f->part};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    arne_work_free(f->work);
    arne_loop_work_free(f->loop);
    loop_jet_free(f->jet);
    free(f);
}

// ---- closing

static int close_at(loops *f, double *q)
{
    const arne_assembly_options how = {.restarts = -1, .fixed = f->fixed};
    return arne_assemble(f->robot, f->work, f->loop, &how, q, NULL, NULL) != ARNE_OK;
}

// From a closed configuration to the one with these independent coordinates, in steps that stay on
// its branch.
static int loops_follow(loops *f, double *q, const double *y)
{
    double far = 0;
    for (int k = 0; k < f->n; k++)
        far = fmax(far, fabs(y[k] - q[f->independent[k]]));
    const int steps = 1 + (int)fmin(far / 0.1, 1000);
    for (int i = steps; i > 0; i--) {
        for (int k = 0; k < f->n; k++) {
            double *x = &q[f->independent[k]];
            *x += (y[k] - *x) / i;
        }
        if (close_at(f, q)) return 1;
    }
    return 0;
}

// Each state keeps its last configuration: the closure iteration starts there, unless the variables
// have moved far.
static int near_enough(const loops *f, const double *q, const double *y)
{
    double size = 0, far = 0;
    for (int j = 0; j < f->v; j++)
        size = fmax(size, fabs(q[j]));
    for (int k = 0; k < f->n; k++)
        far = fmax(far, fabs(y[k] - q[f->independent[k]]));
    return size > 0 && far < 0.05;
}

// ---- derivatives of q(y)

static void loops_spread(const loops *f, const double *y, double *out)
{
    memset(out, 0, (size_t)f->v * sizeof *out);
    for (int k = 0; k < f->n; k++)
        out[f->independent[k]] = y[k];
}

// The curve through z with t = a s and a step of column c by b s.
static void follow_curve(loops *f, const plan_state *s, double a, int column, double b)
{
    const int n = f->n;
    for (int o = 0; o < 3; o++)
        for (int k = 0; k < n; k++) {
            const int     c = o * n + k;
            const double *z = s->z + c;
            f->curve[c][0] = z[0];
            f->curve[c][1] = a * z[n] + (c == column ? b : 0);
            f->curve[c][2] = (o < 2 ? a * a * z[2 * n] : 0) + (c + n == column ? 2 * a * b : 0);
        }
    if (f->rolling)
        loop_jet_place(f->jet, (const double(*)[3])f->curve);
    else
        loop_jet_move(f->jet, s->q, (const double(*)[3])f->curve);
}

// Whether a quantity of the robot's own coordinates asks for their third derivatives.
static int wants_jerk(const plan_problem *p)
{
    for (int i = 0; i < p->quantity_count; i++)
        if (!p->quantities[i].planned && p->quantities[i].orders >> 3 & 1) return 1;
    return 0;
}

// Column c of carry.
static void put_column(loops *f, const plan_state *s, int c, int jerk, double *carry)
{
    const int v = f->v, all = PLAN_ORDERS * f->n;
    for (int side = 0; side < 1 + jerk; side++) {
        const double by = side ? -1 : 1;
        follow_curve(f, s, jerk, c, by);
        for (int o = 0; o < 3 + jerk; o++) {
            loop_jet_motion(f->jet, o < 3 ? o : 2, o < 3 ? 1 : 2, f->part);
            for (int j = 0; j < v; j++)
                carry[(o * v + j) * all + c] += by * f->part[j] / (!jerk ? 1 : o < 3 ? 2 : 4);
        }
    }
}

static void put_carry(loops *f, const plan_state *s, double *carry)
{
    const int all = PLAN_ORDERS * f->n, jerk = wants_jerk(s->problem);
    memset(carry, 0, (size_t)(PLAN_ORDERS * f->v * all) * sizeof *carry);
    for (int c = 0; c < (3 + jerk) * f->n; c++)
        put_column(f, s, c, jerk, carry);
}

static int loops_apply(const plan_map *map, plan_state *s, double *carry)
{
    loops       *f = map->data;
    const size_t size = (size_t)f->v * sizeof(double);
    if (!near_enough(f, s->q, s->z)) memcpy(s->q, f->home, size);
    if (loops_follow(f, s->q, s->z)) {
        memset(s->q, 0, size);
        return 1;
    }
    loops_spread(f, s->z + f->n, s->qd);
    loops_spread(f, s->z + 2 * f->n, s->qdd);
    loops_spread(f, s->z + 3 * f->n, s->qddd);
    if (arne_loop_complete(f->robot, f->work, f->loop, s->q, s->qd, s->qdd, NULL) != ARNE_OK)
        return 1;
    if (wants_jerk(s->problem) && arne_loop_complete_jerk(f->robot, f->work, f->loop, s->q, s->qd,
                                                          s->qdd, s->qddd, NULL) != ARNE_OK)
        return 1;
    if (carry) put_carry(f, s, carry);
    return 0;
}

// ---- velocities that are tied: every coordinate is planned, and rows hold where a spline can

static int apply_rolling(const plan_map *map, plan_state *s, double *carry)
{
    const loops *f = map->data;
    const int    all = PLAN_ORDERS * f->v;
    double      *to[PLAN_ORDERS] = {s->q, s->qd, s->qdd, s->qddd};
    for (int o = 0; o < PLAN_ORDERS; o++)
        memcpy(to[o], s->z + o * f->v, (size_t)f->v * sizeof(double));
    if (!carry) return 0;
    memset(carry, 0, (size_t)(all * all) * sizeof *carry);
    for (int i = 0; i < all; i++)
        carry[i * all + i] = 1;
    return 0;
}

static int slip_values(const plan_quantity *q, plan_state *s, double *out)
{
    loops *f = s->problem->map.data;
    (void)q;
    follow_curve(f, s, 0, -1, 0);
    loop_jet_slip(f->jet, 0, out);
    return 0;
}

static int slip_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    loops    *f = s->problem->map.data;
    const int all = PLAN_ORDERS * f->n;
    (void)q;
    for (int c = 0; c < 2 * f->n; c++) {
        follow_curve(f, s, 0, c, 1);
        loop_jet_slip(f->jet, 1, f->part);
        for (int k = 0; k < f->rank; k++)
            out[k * all + c] = f->part[k];
    }
    return 0;
}

arne_status plan_add_rolling(plan_problem *p, arne_error *error)
{
    const loops    *f = p->map.data;
    plan_quantity   q = {.name = "slip",
                         .what = {.kind = ARNE_QUANTITY_KIND_COUNT}, // like no other
                         .rows = f->rank,
                         .orders = 3,
                         .planned = 1,
                         .tied = 1,
                         .values = slip_values,
                         .gradient = slip_gradient};
    double         *zero = calloc((size_t)f->rank + 1, sizeof *zero);
    arne_constraint c = {.name = "rolling without slip",
                         .to = 1,
                         .other = -1,
                         .row_count = f->rank,
                         .lower = zero,
                         .upper = zero};
    arne_status     status = !f->rolling || zero ? ARNE_OK : arne_fail_memory(error);
    if (!status && f->rolling) status = plan_add(p, &q, &c.quantity, error);
    if (!status && f->rolling) status = plan_add_constraint(p, &c, error);
    free(zero);
    return status;
}

// ---- the map

static int loops_make_room(loops *f)
{
    const size_t v = (size_t)f->v;
    f->independent = calloc(v, sizeof(int));
    f->fixed = calloc(v, 1);
    f->home = calloc(v, sizeof(double));
    f->G = calloc(v * v, sizeof(double));
    f->part = calloc(v, sizeof(double));
    f->curve = calloc(3 * v, sizeof *f->curve);
    return f->independent && f->fixed && f->home && f->G && f->part && f->curve &&
           arne_work_new(f->robot, &f->work) == ARNE_OK &&
           arne_loop_work_new(f->robot, &f->loop) == ARNE_OK;
}

static arne_status find_independent(loops *f, arne_error *error)
{
    unsigned char *active = calloc((size_t)f->v, 1);
    if (!active) return arne_fail_memory(error);
    const int count = arne_active(f->robot, active);
    free(active);
    arne_start_configuration(f->robot, f->home);
    arne_status status = arne_assemble(f->robot, f->work, f->loop, NULL, f->home, NULL, error);
    if (!status)
        status = arne_loop_jacobian(f->robot, f->work, f->loop, f->home, f->G, f->independent,
                                    &f->n, NULL, error);
    if (!status && (count != f->n || f->n > 64))
        status = arne_fail(
            error, ARNE_UNSUPPORTED, NULL, 0,
            "planning of loops needs as many active joints as they leave free: %d, not %d", f->n,
            count);
    for (int k = 0; !status && k < f->n; k++)
        f->fixed[f->independent[k]] = 1;
    if (!status) f->jet = loop_jet_new(f->robot, f->independent, f->n);
    f->rank = f->v - f->n;
    if (f->rolling) f->n = f->v;
    for (int k = 0; k < f->v && f->rolling; k++)
        f->independent[k] = k;
    return status || f->jet ? status : arne_fail_memory(error);
}

// How many loops tie velocities and not positions, and the last of them.
static int count_rolling(const arne_robot *robot, const char **name)
{
    int count = 0;
    for (int i = 0; i < arne_robot_sizes(robot).loop_count; i++) {
        const arne_loop_info loop = arne_robot_loop(robot, i);
        if (loop.kind != ARNE_LOOP_ROLLING && loop.kind != ARNE_LOOP_KNIFE_EDGE) continue;
        *name = loop.name;
        count++;
    }
    return count;
}

arne_status plan_loop_map(const arne_robot *robot, plan_map *out, int *independent,
                          arne_error *error)
{
    const char *name = "";
    const int   rolling = count_rolling(robot, &name);
    if (rolling && rolling < arne_robot_sizes(robot).loop_count)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "loop '%s' ties velocities and others tie positions: motions with both "
                         "cannot be planned",
                         name);
    loops *f = calloc(1, sizeof *f);
    if (!f) return arne_fail_memory(error);
    f->robot = robot;
    f->rolling = rolling > 0;
    f->v = arne_robot_sizes(robot).v_count;
    const arne_status status =
        loops_make_room(f) ? find_independent(f, error) : arne_fail_memory(error);
    if (status) {
        loops_release(f);
        return status;
    }
    memcpy(independent, f->independent, (size_t)f->n * sizeof *independent);
    *out = (plan_map){.n = f->n,
                      .same = f->rolling,
                      .data = f,
                      .release = loops_release,
                      .apply = f->rolling ? apply_rolling : loops_apply,
                      .home = f->home};
    return ARNE_OK;
}

// ---- torques of active joints, and what goes with them

// Wrenches of the surroundings at the state, along a curve with t = a s. NULL: none, or no memory.
static loop_push *pushes_at(loops *f, const plan_state *s, double a)
{
    const plan_problem *p = s->problem;
    if (!p->wrench_count) return NULL;
    if (!f->pushes) f->pushes = calloc((size_t)p->wrench_count, sizeof *f->pushes);
    for (int i = 0; i < p->wrench_count && f->pushes; i++) {
        const plan_wrench *w = &p->wrenches[i];
        arne_wrench        rate = plan_wrench_rate(s, i);
        rate.lin = (arne_vec3){a * rate.lin.x, a * rate.lin.y, a * rate.lin.z};
        rate.ang = (arne_vec3){a * rate.ang.x, a * rate.ang.y, a * rate.ang.z};
        f->pushes[i] = (loop_push){w->frame, w->in_frame, w->point, plan_wrench_at(s, i), rate};
    }
    return f->pushes;
}

// Torques along the curve through z. Nonzero: no memory.
static int push_along(plan_state *s, double a, int column, double b)
{
    loops           *f = s->problem->map.data;
    const loop_push *pushes = pushes_at(f, s, a);
    follow_curve(f, s, a, column, b);
    loop_jet_push(f->jet, pushes, pushes ? s->problem->wrench_count : 0);
    return s->problem->wrench_count && !pushes;
}

void plan_loop_torques(plan_state *s)
{
    const loops *f = s->problem->map.data;
    const int    bad = push_along(s, 0, -1, 0);
    loop_jet_torques(f->jet, 0, s->tau);
    for (int k = 0; k < f->v && bad; k++)
        s->tau[k] = NAN;
}

void plan_loop_torque_derivatives(plan_state *s)
{
    const loops *f = s->problem->map.data;
    double      *to[3] = {s->tau_q, s->tau_v, s->M};
    for (int c = 0; c < 3 * f->n; c++) {
        const int bad = push_along(s, 0, c, 1);
        loop_jet_torques(f->jet, 1, f->part);
        for (int k = 0; k < f->v; k++)
            to[c / f->n][k * f->n + c % f->n] = bad ? NAN : f->part[k];
    }
}

static int rate_values(const plan_quantity *q, plan_state *s, double *out)
{
    const loops *f = s->problem->map.data;
    (void)q;
    if (push_along(s, 1, -1, 0)) return 1;
    loop_jet_torques(f->jet, 1, out);
    return 0;
}

static int loops_rate_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const loops *f = s->problem->map.data;
    const int    all = PLAN_ORDERS * f->n;
    (void)q;
    for (int c = 0; c < all; c++)
        for (int side = -1; side <= 1; side += 2) {
            if (push_along(s, 1, c, side)) return 1;
            loop_jet_torques(f->jet, 2, f->part);
            for (int k = 0; k < f->v; k++)
                out[k * all + c] += 0.25 * side * f->part[k];
        }
    return 0;
}

// A force and a moment, and their lengths.
static int loops_wrench_values(const plan_quantity *q, plan_state *s, double *out)
{
    const loops *f = s->problem->map.data;
    if (push_along(s, 0, -1, 0)) return 1;
    loop_jet_wrench(f->jet, q->what.joint, 0, out);
    for (int half = 0; half < 2; half++) {
        const double *x = out + 3 * half;
        out[6 + half] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + 1e-18);
    }
    return 0;
}

static int loops_wrench_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const loops  *f = s->problem->map.data;
    const int     all = PLAN_ORDERS * f->n;
    const double *x = s->value[q - s->problem->quantities];
    double        six[6];
    for (int c = 0; c < 3 * f->n; c++) {
        if (push_along(s, 0, c, 1)) return 1;
        loop_jet_wrench(f->jet, q->what.joint, 1, six);
        for (int r = 0; r < 6; r++) {
            out[r * all + c] = six[r];
            out[(6 + r / 3) * all + c] += x[r] / x[6 + r / 3] * six[r];
        }
    }
    return 0;
}

void plan_loop_quantity(plan_quantity *q)
{
    if (q->what.kind == ARNE_QUANTITY_TORQUE_RATE) {
        q->values = rate_values;
        q->gradient = loops_rate_gradient;
    } else if (q->what.kind == ARNE_QUANTITY_WRENCH) {
        q->values = loops_wrench_values;
        q->gradient = loops_wrench_gradient;
    }
    q->hessian = NULL;
    q->against = NULL;
    q->planned = 1;
    q->built_in = 0;
}

// Motions of closed chains. With y the independent coordinates and G = dq/dy, D2[a, b] the second
// derivative of q(y) along a and b:
//     qd = G yd,  qdd = G ydd + D2[yd, yd]
// arne_loop_complete gives D2[v, v]; D2[a, b] = (D2[a + b, a + b] - D2[a - b, a - b])/4. The third
// derivative, which the accelerations of passive joints need for their gradient, is the difference
// of D2[yd, yd].
#include "plan/transcription/plan_loops.h"
#include "base/error.h"
#include <arne/loop.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct loops {
    const arne_robot *robot;
    arne_work        *work;
    arne_loop_work   *loop;
    int               v, n;
    int              *independent;
    unsigned char    *fixed; // flags of the independent ones
    double           *home;  // a closed configuration on the right branch
    double           *G, *q, *qd, *qdd, *up, *down;
} loops;

static void release(void *data)
{
    loops *f = data;
    if (!f) return;
    void *all[] = {f->independent, f->fixed, f->home, f->G, f->q, f->qd, f->qdd, f->up, f->down};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    arne_work_free(f->work);
    arne_loop_work_free(f->loop);
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
static int follow(loops *f, double *q, const double *y)
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

// A state remembers its last configuration; it is a good place to start unless x has moved far.
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

static void spread(const loops *f, const double *y, double *out)
{
    memset(out, 0, (size_t)f->v * sizeof *out);
    for (int k = 0; k < f->n; k++)
        out[f->independent[k]] = y[k];
}

// D2[a + s b, a + s b] of all coordinates at q into out.
static int bend_along(loops *f, const double *q, const double *a, double s, const double *b,
                      double *out)
{
    memset(f->qd, 0, (size_t)f->v * sizeof *f->qd);
    for (int k = 0; k < f->n; k++)
        f->qd[f->independent[k]] = a[k] + (b ? s * b[k] : 0);
    memset(out, 0, (size_t)f->v * sizeof *out);
    return arne_loop_complete(f->robot, f->work, f->loop, q, f->qd, out, NULL) != ARNE_OK;
}

// carry[row of q^(order)][column of y^(by)] += factor D2[a, e_k]
static int put_bent(loops *f, const double *q, const double *a, int order, int by, double factor,
                    double *carry)
{
    const int all = PLAN_ORDERS * f->n;
    double    unit[64] = {0};
    for (int k = 0; k < f->n; k++) {
        unit[k] = 1;
        if (bend_along(f, q, a, 1, unit, f->up) || bend_along(f, q, a, -1, unit, f->down)) return 1;
        unit[k] = 0;
        for (int j = 0; j < f->v; j++)
            carry[(order * f->v + j) * all + by * f->n + k] +=
                factor * 0.25 * (f->up[j] - f->down[j]);
    }
    return 0;
}

// The derivative of D2[yd, yd] by y: central differences of fourth order, as they are differenced
// once more.
static int put_third(loops *f, const double *q, const double *yd, double *carry)
{
    static const double at[4] = {-2, -1, 1, 2},
                        weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const int    all = PLAN_ORDERS * f->n;
    const double h = 1e-3;
    for (int k = 0; k < f->n; k++)
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < f->v; j++)
                f->q[j] = q[j] + at[i] * h * f->G[j * f->n + k];
            if (close_at(f, f->q) || bend_along(f, f->q, yd, 0, NULL, f->up)) return 1;
            for (int j = 0; j < f->v; j++)
                carry[(2 * f->v + j) * all + k] += weight[i] / h * f->up[j];
        }
    return 0;
}

static int put_carry(loops *f, const plan_state *s, double *carry)
{
    const int     n = f->n, v = f->v, all = PLAN_ORDERS * n;
    const double *yd = s->z + n, *ydd = yd + n;
    memset(carry, 0, (size_t)(PLAN_ORDERS * v * all) * sizeof *carry);
    for (int order = 0; order < 3; order++)
        for (int j = 0; j < v; j++)
            for (int k = 0; k < n; k++)
                carry[(order * v + j) * all + order * n + k] = f->G[j * n + k];
    return put_bent(f, s->q, yd, 1, 0, 1, carry) || put_bent(f, s->q, yd, 2, 1, 2, carry) ||
           put_bent(f, s->q, ydd, 2, 0, 1, carry) || put_third(f, s->q, yd, carry);
}

static int apply(const plan_map *map, plan_state *s, double *carry)
{
    loops       *f = map->data;
    const size_t size = (size_t)f->v * sizeof(double);
    int          mobility = 0, *independent = NULL;
    if (!near_enough(f, s->q, s->z)) memcpy(s->q, f->home, size);
    if (follow(f, s->q, s->z)) {
        memset(s->q, 0, size);
        return 1;
    }
    spread(f, s->z + f->n, s->qd);
    spread(f, s->z + 2 * f->n, s->qdd);
    memset(s->qddd, 0, size);
    if (arne_loop_complete(f->robot, f->work, f->loop, s->q, s->qd, s->qdd, NULL) != ARNE_OK)
        return 1;
    if (!carry) return 0;
    if (arne_loop_jacobian(f->robot, f->work, f->loop, s->q, f->G, independent, &mobility, NULL,
                           NULL) != ARNE_OK)
        return 1;
    return put_carry(f, s, carry);
}

// ---- the map

static int make_room(loops *f)
{
    const size_t v = (size_t)f->v;
    f->independent = calloc(v, sizeof(int));
    f->fixed = calloc(v, 1);
    f->home = calloc(v, sizeof(double));
    f->G = calloc(v * v, sizeof(double));
    f->q = calloc(v, sizeof(double));
    f->qd = calloc(v, sizeof(double));
    f->qdd = calloc(v, sizeof(double));
    f->up = calloc(v, sizeof(double));
    f->down = calloc(v, sizeof(double));
    return f->independent && f->fixed && f->home && f->G && f->q && f->qd && f->qdd && f->up &&
           f->down && arne_work_new(f->robot, &f->work) == ARNE_OK &&
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
    return status;
}

arne_status plan_loop_map(const arne_robot *robot, plan_map *out, int *independent,
                          arne_error *error)
{
    for (int i = 0; i < arne_robot_sizes(robot).loop_count; i++) {
        const arne_loop_info loop = arne_robot_loop(robot, i);
        if (loop.kind == ARNE_LOOP_ROLLING || loop.kind == ARNE_LOOP_KNIFE_EDGE)
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "loop '%s' ties velocities and not positions: motions with such "
                             "conditions cannot be planned yet",
                             loop.name);
    }
    loops *f = calloc(1, sizeof *f);
    if (!f) return arne_fail_memory(error);
    f->robot = robot;
    f->v = arne_robot_sizes(robot).v_count;
    const arne_status status = make_room(f) ? find_independent(f, error) : arne_fail_memory(error);
    if (status) {
        release(f);
        return status;
    }
    memcpy(independent, f->independent, (size_t)f->n * sizeof *independent);
    *out = (plan_map){.n = f->n, .data = f, .release = release, .apply = apply, .home = f->home};
    return ARNE_OK;
}

// ---- torques of active joints

int plan_loop_allows(arne_quantity_kind kind) { return kind != ARNE_QUANTITY_JERK; }

int plan_loop_torques(plan_state *s, double *out)
{
    loops *f = s->plan->map.data;
    return arne_loop_inverse_dynamics(f->robot, f->work, f->loop, s->q, s->qd, s->qdd, NULL, NULL,
                                      out, NULL) != ARNE_OK;
}

static int torque_values(const plan_quantity *q, plan_state *s, double *out)
{
    if (plan_loop_torques(s, out)) return 1;
    for (int j = 0; q->what.kind == ARNE_QUANTITY_POWER && j < s->plan->v_count; j++)
        out[j] *= s->qd[j];
    return 0;
}

// By the independent coordinates themselves.
static int torque_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    loops    *f = s->plan->map.data;
    const int n = f->n, all = PLAN_ORDERS * n;
    double   *d[3] = {s->at->matrices, s->at->matrices + n * n, s->at->matrices + 2 * n * n};
    if (arne_loop_inverse_dynamics_derivatives(f->robot, f->work, f->loop, s->q, s->qd, s->qdd,
                                               NULL, 0, d[0], d[1], d[2], NULL) != ARNE_OK)
        return 1;
    const double *x = s->value[q - s->plan->quantities];
    for (int i = 0; i < n; i++) {
        const int j = f->independent[i];
        double   *row = out + j * all;
        for (int k = 0; k < 3 * n; k++)
            row[k] = d[k / n][i * n + k % n];
        if (q->what.kind != ARNE_QUANTITY_POWER) continue;
        const double speed = s->qd[j], torque = fabs(speed) > 1e-12 ? x[j] / speed : 0;
        for (int k = 0; k < 3 * n; k++)
            row[k] *= speed;
        row[n + i] += torque;
    }
    return 0;
}

// ---- torque rates, wrenches of joints, the power of all

// A motion of the whole tree.
typedef struct moved {
    double *q, *qd, *qdd, *qddd, *tau;
} moved;

// From the planned coordinates z, on the branch of a closed configuration nearby.
static int move(loops *f, const double *near, const double *z, const moved *m)
{
    const int n = f->n;
    memcpy(m->q, near, (size_t)f->v * sizeof *near);
    if (follow(f, m->q, z)) return 1;
    spread(f, z + n, m->qd);
    spread(f, z + 2 * n, m->qdd);
    spread(f, z + 3 * n, m->qddd);
    return arne_loop_complete(f->robot, f->work, f->loop, m->q, m->qd, m->qdd, NULL) != ARNE_OK;
}

static int rows_of(loops *f, const plan_quantity *q, const moved *m, double *out)
{
    if (q->what.kind == ARNE_QUANTITY_TORQUE_RATE)
        return arne_loop_complete_jerk(f->robot, f->work, f->loop, m->q, m->qd, m->qdd, m->qddd,
                                       NULL) != ARNE_OK ||
               arne_loop_torque_rate(f->robot, f->work, f->loop, m->q, m->qd, m->qdd, m->qddd, NULL,
                                     0, NULL, NULL, out, NULL) != ARNE_OK;
    if (arne_loop_inverse_dynamics(f->robot, f->work, f->loop, m->q, m->qd, m->qdd, NULL, NULL,
                                   m->tau, NULL) != ARNE_OK)
        return 1;
    if (q->what.kind == ARNE_QUANTITY_MECHANICAL_POWER) {
        *out = 0;
        for (int j = 0; j < f->v; j++)
            *out += m->tau[j] * m->qd[j];
        return 0;
    }
    if (arne_loop_forces(f->robot, f->work, f->loop, m->q, m->qd, m->qdd, NULL, m->tau, NULL, NULL,
                         NULL) != ARNE_OK)
        return 1;
    const arne_wrench w = arne_joint_wrench(f->robot, f->work, q->what.joint);
    const double      six[6] = {w.lin.x, w.lin.y, w.lin.z, w.ang.x, w.ang.y, w.ang.z};
    memcpy(out, six, sizeof six);
    for (int half = 0; half < 2; half++) {
        const double *x = six + 3 * half;
        out[6 + half] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + 1e-18);
    }
    return 0;
}

// Five arrays of v_count, for the caller to free by their first; NULL: no memory.
static moved new_moved(const loops *f)
{
    const size_t v = (size_t)f->v;
    double      *q = calloc(5 * v, sizeof *q);
    return q ? (moved){q, q + v, q + 2 * v, q + 3 * v, q + 4 * v}
             : (moved){NULL, NULL, NULL, NULL, NULL};
}

static int other_values(const plan_quantity *q, plan_state *s, double *out)
{
    loops      *f = s->plan->map.data;
    const moved m = new_moved(f);
    const int   bad = !m.q || move(f, s->q, s->z, &m) || rows_of(f, q, &m, out);
    free(m.q);
    return bad;
}

// Central differences of fourth order: the library has no derivatives of these with loops.
static int other_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    static const double at[4] = {-2, -1, 1, 2},
                        weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    loops      *f = s->plan->map.data;
    const int   all = PLAN_ORDERS * f->n;
    const moved m = new_moved(f);
    double     *z = calloc((size_t)all + (size_t)q->rows, sizeof *z);
    int         bad = !m.q || !z;
    if (!bad) memcpy(z, s->z, (size_t)all * sizeof *z);
    for (int c = 0; c < all && !bad; c++) {
        const double was = s->z[c], h = 1e-3 * fmax(1, fabs(was));
        for (int i = 0; i < 4 && !bad; i++) {
            z[c] = was + at[i] * h;
            bad = move(f, s->q, z, &m) || rows_of(f, q, &m, z + all);
            for (int r = 0; r < q->rows && !bad; r++)
                out[r * all + c] += weight[i] / h * z[all + r];
        }
        z[c] = was;
    }
    free(z);
    free(m.q);
    return bad;
}

void plan_loop_quantity(plan_quantity *q)
{
    const arne_quantity_kind kind = q->what.kind;
    const int                torque = kind == ARNE_QUANTITY_TORQUE || kind == ARNE_QUANTITY_POWER;
    q->values = torque ? torque_values : other_values;
    q->gradient = torque ? torque_gradient : other_gradient;
    q->hessian = NULL;
    q->against = NULL;
    q->planned = 1;
    q->built_in = 0;
}

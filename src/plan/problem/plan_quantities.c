// The built-in quantities: how many rows, what they depend on, and their gradients. Values are in
// values.k.h, second derivatives of the geometric ones in geometry.c.
#include "base/error.h"
#include "plan/problem/geometry.h"
#include "plan/problem/plan_muscle.h"
#include "plan/problem/plan_press.h"
#include "plan/problem/plan_rate.h"
#include "plan/problem/strength.h"
#include "plan/problem/torque_vector.h"
#include "plan/transcription/plan_loops.h"
#include "robot/robot.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- coordinates and torques

static void coordinate_pattern(const plan_quantity *q, const plan_problem *p, unsigned char *out)
{
    const int v = p->v_count, k = q->kind->order;
    for (int j = 0; j < v; j++)
        out[j * PLAN_ORDERS * v + k * v + j] = 1;
}

static int coordinate_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const int v = s->problem->v_count, k = q->kind->order;
    for (int j = 0; j < v; j++)
        out[j * PLAN_ORDERS * v + k * v + j] = 1;
    return 0;
}

// Three v_count x v_count matrices into the columns of q, qd, qdd.
static void put_matrices(int rows, int v, const double *dq, const double *dv, const double *da,
                         double *out)
{
    const double *from[3] = {dq, dv, da};
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < 3; k++)
            if (from[k])
                memcpy(out + (r * PLAN_ORDERS + k) * v, from[k] + r * v, (size_t)v * sizeof *out);
}

static int torque_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    plan_torque_derivatives(s);
    for (int i = 0; i < q->rows; i++)
        plan_add_torque(s, i, 1, out + i * PLAN_ORDERS * plan_own(s->problem));
    return 0;
}

static void torque_by_forces(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    for (int i = 0; i < q->rows; i++)
        memcpy(out + i * PLAN_ORDERS * p->n + p->v_count, s->tau_f + i * p->force_count,
               (size_t)p->force_count * sizeof *out);
}

static void power_by_forces(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    for (int i = 0; i < q->rows; i++)
        for (int c = 0; c < p->force_count; c++)
            out[i * PLAN_ORDERS * p->n + p->v_count + c] =
                s->qd[i] * s->tau_f[i * p->force_count + c];
}

static void torque_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    for (int i = 0; i < q->rows; i++)
        plan_curve_torque(s, i, lambda[i]);
}

// Of tau_i qd_i, added to a row.
static void quantity_add_power(plan_state *s, int i, double *row)
{
    plan_torques(s);
    plan_torque_derivatives(s);
    plan_add_torque(s, i, s->qd[i], row);
    plan_add_coordinate(s, 1, i, s->tau[i], row);
}

static int power_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    for (int i = 0; i < q->rows; i++)
        quantity_add_power(s, i, out + i * PLAN_ORDERS * plan_own(s->problem));
    return 0;
}

// d2(tau qd) = qd d2tau + dtau dqd + dqd dtau
static void curve_power(plan_state *s, int i, double lambda)
{
    const int v = s->problem->v_count, nf = s->problem->force_count, n = s->problem->n;
    if (lambda == 0) return;
    plan_torque_derivatives(s);
    plan_curve_torque(s, i, lambda * s->qd[i]);
    for (int c = 0; c < v; c++) {
        plan_curve(s, v + i, c, lambda * s->tau_q[i * v + c]);
        plan_curve(s, v + i, v + c, lambda * s->tau_v[i * v + c]);
        plan_curve(s, v + i, 2 * v + c, lambda * s->M[i * v + c]);
    }
    for (int c = 0; c < nf; c++)
        plan_curve_planned(s, n + i, v + c, lambda * s->tau_f[i * nf + c]);
}

static void power_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    for (int i = 0; i < q->rows; i++)
        curve_power(s, i, lambda[i]);
}

static void mechanical_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    (void)q;
    for (int i = 0; i < s->problem->v_count; i++)
        curve_power(s, i, *lambda);
}

static int mechanical_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    (void)q;
    for (int i = 0; i < s->problem->v_count; i++)
        quantity_add_power(s, i, out);
    return 0;
}

static void mechanical_by_forces(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    (void)q;
    for (int i = 0; i < p->v_count; i++)
        for (int c = 0; c < p->force_count; c++)
            out[p->v_count + c] += s->qd[i] * s->tau_f[i * p->force_count + c];
}

// The rate is dtau/dq qd + dtau/dqd qdd + M qddd. One call of the second derivatives of lambda .
// tau gives the gradient of lambda . rate. With contact forces or wrenches: plan_rate.c.
static int rate_against(const plan_quantity *q, plan_state *s, const double *lambda, double *out)
{
    const plan_problem *p = s->problem;
    const int           v = p->v_count;
    double             *qq = s->at->matrices, *qv = qq + v * v, *vv = qv + v * v, *qa = vv + v * v;
    (void)q;
    if (plan_is_pushed(p)) return plan_rate_against(s, lambda, out);
    plan_torque_derivatives(s);
    plan_second_derivatives(s, NULL, 0, lambda, qq, qv, vv, qa);
    for (int j = 0; j < v; j++)
        for (int k = 0; k < v; k++) {
            out[j] +=
                qq[j * v + k] * s->qd[k] + qv[j * v + k] * s->qdd[k] + qa[j * v + k] * s->qddd[k];
            out[v + j] += qv[k * v + j] * s->qd[k] + vv[j * v + k] * s->qdd[k] +
                          lambda[k] * s->tau_q[k * v + j];
            out[2 * v + j] += qa[k * v + j] * s->qd[k] + lambda[k] * s->tau_v[k * v + j];
            out[3 * v + j] += lambda[k] * s->M[k * v + j];
        }
    return 0;
}

static int quantity_rate_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const int v = s->problem->v_count, all = PLAN_ORDERS * (q->planned ? s->problem->n : v);
    double   *lambda = s->at->own + plan_rate_scratch(s->problem);
    for (int i = 0; i < v; i++) {
        memset(lambda, 0, (size_t)v * sizeof *lambda);
        lambda[i] = 1;
        if (rate_against(q, s, lambda, out + i * all)) return 1;
    }
    return 0;
}

// ---- wrenches and the zero-moment point

static int quantity_wrench_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    const int           v = p->v_count, all = PLAN_ORDERS * v;
    double             *dq = s->at->matrices, *dv = dq + 6 * v, *da = dv + 6 * v;
    const double       *x = s->value[q - p->quantities];
    arne_inverse_dynamics_derivatives(s->robot, s->work, s->q, s->qd, s->qdd, NULL, 0, NULL, NULL,
                                      NULL);
    arne_wrench_derivatives(s->robot, s->work, q->what.joint, dq, dv, da);
    put_matrices(6, v, dq, dv, da, out);
    if (plan_is_pushed(p)) plan_pushed_gradient(s, q->what.joint, out);
    for (int half = 0; half < 2; half++) // lengths
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < all; c++)
                out[(6 + half) * all + c] +=
                    x[3 * half + r] / x[6 + half] * out[(3 * half + r) * all + c];
    return 0;
}

// Values with contact forces and wrenches.
static void quantity_wrench_values(const plan_quantity *q, plan_state *s, double *out)
{
    plan_pushed_wrench(s, q->what.joint, out);
    for (int half = 0; half < 2; half++) {
        const double *x = out + 3 * half;
        out[6 + half] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + 1e-18);
    }
}

static void wrench_by_forces(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    const int           all = PLAN_ORDERS * p->n;
    const double       *x = s->value[q - p->quantities];
    plan_pushed_by_forces(s, q->what.joint, out);
    for (int half = 0; half < 2; half++)
        for (int r = 0; r < 3; r++)
            for (int c = p->v_count; c < p->n; c++)
                out[(6 + half) * all + c] +=
                    x[3 * half + r] / x[6 + half] * out[(3 * half + r) * all + c];
}

static int zmp_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem  *p = s->problem;
    const arne_quantity *what = &q->what;
    const int            v = p->v_count, all = PLAN_ORDERS * v;
    double              *dq = s->at->matrices, *dv = dq + 3 * v, *da = dv + 3 * v;
    arne_vec3            zmp;
    if (arne_zero_moment_point(s->robot, s->work, s->q, s->qd, s->qdd, what->plane_point,
                               what->plane_normal, &zmp, dq, dv, da) != ARNE_OK)
        return 1;
    if (what->kind == ARNE_QUANTITY_ZMP) {
        put_matrices(3, v, dq, dv, da, out);
        return 0;
    }
    for (int i = 0; i < what->corner_count; i++) {
        const arne_vec3 inward = geometry_inward(what, i);
        for (int c = 0; c < 3 * v; c++) {
            const double *d = c < v ? dq + c : c < 2 * v ? dv + c - v : da + c - 2 * v;
            out[i * all + c] = inward.x * d[0] + inward.y * d[v] + inward.z * d[2 * v];
        }
    }
    return 0;
}

static int com_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const int v = s->problem->v_count;
    (void)q;
    arne_com_jacobian(s->robot, s->work, s->q, s->at->matrices);
    put_matrices(3, v, s->at->matrices, NULL, NULL, out);
    return 0;
}

// Momentum is linear in qd; that of the whole over its mass is the velocity of the centre of mass.
static int quantity_momentum_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    const int           v = p->v_count, rows = q->rows;
    double             *dq = s->at->matrices, *dv = dq + 6 * v;
    const double        factor =
        q->what.kind == ARNE_QUANTITY_COM_VELOCITY ? 1 / arne_total_mass(s->robot) : 1;
    const arne_momentum_derivatives want = {.dmomentum_dq = dq, .dmomentum_dqd = dv};
    arne_centroidal_derivatives(s->robot, s->work, s->q, s->qd, s->qdd, NULL, &want);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < v; k++) {
            out[r * PLAN_ORDERS * v + k] = factor * dq[r * v + k];
            out[r * PLAN_ORDERS * v + v + k] = factor * dv[r * v + k];
        }
    return 0;
}

// ---- the list

#define COORDINATES (KIND_LINEAR | KIND_COORDINATE | KIND_BY_COORDINATE | KIND_ONCE)
#define DRIVES (KIND_OF_DRIVES | KIND_BY_COORDINATE | KIND_ONCE)
static const plan_kind kinds[ARNE_QUANTITY_KIND_COUNT] = {
    [ARNE_QUANTITY_POSITION] = {"position", 0, 1, COORDINATES | KIND_HAS_LIMITS, .order = 0,
                                .unit = 0, .gradient = coordinate_gradient},
    [ARNE_QUANTITY_VELOCITY] = {"velocity", 0, 2, COORDINATES | KIND_HAS_LIMITS, .order = 1,
                                .unit = 1, .gradient = coordinate_gradient},
    [ARNE_QUANTITY_ACCELERATION] = {"acceleration", 0, 4, COORDINATES | KIND_HAS_LIMITS, .order = 2,
                                    .unit = 2, .gradient = coordinate_gradient},
    [ARNE_QUANTITY_JERK] = {"jerk", 0, 8, COORDINATES | KIND_HAS_LIMITS, .order = 3, .unit = 3,
                            .gradient = coordinate_gradient},
    [ARNE_QUANTITY_TORQUE] = {"torque", 0, 7, DRIVES | KIND_HAS_LIMITS, .unit = ARNE_UNIT_TAU,
                              .gradient = torque_gradient, .hessian = torque_hessian,
                              .by_forces = torque_by_forces},
    [ARNE_QUANTITY_TORQUE_RATE] = {"torque_rate", 0, 15, DRIVES | KIND_HAS_LIMITS,
                                   .unit = ARNE_UNIT_TAU_RATE, .gradient = quantity_rate_gradient},
    [ARNE_QUANTITY_POWER] = {"power", 0, 7, DRIVES, .gradient = power_gradient,
                             .hessian = power_hessian, .by_forces = power_by_forces},
    [ARNE_QUANTITY_WRENCH] = {"wrench", 8, 7, KIND_OF_DRIVES | KIND_ONCE_A_JOINT,
                              .gradient = quantity_wrench_gradient, .by_forces = wrench_by_forces},
    [ARNE_QUANTITY_FRAME_POSITION] = {"frame_position", 3, 1, KIND_OF_FRAME,
                                      .gradient = geometry_gradient, .hessian = geometry_hessian},
    [ARNE_QUANTITY_FRAME_ROTATION] = {"frame_rotation", 3, 1, KIND_OF_FRAME,
                                      .gradient = geometry_rotation_gradient},
    [ARNE_QUANTITY_FRAME_VELOCITY] = {"frame_velocity", 6, 3, KIND_OF_FRAME,
                                      .gradient = geometry_velocity_gradient,
                                      .hessian = geometry_velocity_hessian},
    [ARNE_QUANTITY_HEIGHT] = {"height", 1, 1, KIND_OF_FRAME, .gradient = geometry_gradient,
                              .hessian = geometry_hessian},
    [ARNE_QUANTITY_DISTANCE] = {"distance", 1, 1, KIND_OF_FRAME, .gradient = geometry_gradient,
                                .hessian = geometry_hessian},
    [ARNE_QUANTITY_COM] = {"com", 3, 1, .gradient = com_gradient},
    [ARNE_QUANTITY_ZMP] = {"zmp", 3, 7, .gradient = zmp_gradient},
    [ARNE_QUANTITY_ZMP_INSIDE] = {"zmp_inside", 0, 7, .gradient = zmp_gradient},
    [ARNE_QUANTITY_DEVIATION] = {"deviation", 0, 1, KIND_LINEAR | KIND_BY_COORDINATE,
                                 .gradient = coordinate_gradient},
    [ARNE_QUANTITY_CONTACT_FORCE] = {"contact_force", 3, 1, KIND_LINEAR | KIND_ONCE_A_JOINT,
                                     .order = 0},
    [ARNE_QUANTITY_COM_VELOCITY] = {"com_velocity", 3, 3, .gradient = quantity_momentum_gradient},
    [ARNE_QUANTITY_MOMENTUM] = {"momentum", 6, 3, .gradient = quantity_momentum_gradient},
    [ARNE_QUANTITY_MECHANICAL_POWER] = {"mechanical_power", 1, 7, KIND_OF_DRIVES | KIND_ONCE,
                                        .gradient = mechanical_gradient,
                                        .hessian = mechanical_hessian,
                                        .by_forces = mechanical_by_forces},
    [ARNE_QUANTITY_UTILISATION] = {"utilisation", 0, 7, KIND_BY_COORDINATE | KIND_ONCE, .order = 0},
    [ARNE_QUANTITY_MARGIN] = {"margin", 0, 7, KIND_BY_COORDINATE | KIND_ONCE, .order = 0},
    [ARNE_QUANTITY_METABOLIC_POWER] = {"metabolic_power", 1, 3, KIND_ONCE, .order = 0},
    [ARNE_QUANTITY_TORQUE_VECTOR] = {"torque_vector", 0, 7, KIND_BY_COORDINATE | KIND_ONCE,
                                     .unit = ARNE_UNIT_TAU},
    [ARNE_QUANTITY_ACTIVATION] = {"activation", 0, 1, KIND_LINEAR | KIND_ONCE, .order = 0},
};
#undef COORDINATES
#undef DRIVES

const plan_kind *plan_kind_of(int kind)
{
    return kind >= 0 && kind < ARNE_QUANTITY_KIND_COUNT ? &kinds[kind] : NULL;
}

static arne_status quantity_check(const plan_problem *p, const arne_quantity *what,
                                  arne_error *error)
{
    const arne_sizes size = arne_robot_sizes(p->robot);
    const int        kind = (int)what->kind;
    if (kind == ARNE_QUANTITY_WRENCH && (what->joint < 0 || what->joint >= size.joint_count))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "wrench: there is no such joint");
    if (kinds[kind].flags & KIND_OF_FRAME && (what->frame < 0 || what->frame >= size.frame_count))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s: there is no such frame",
                         kinds[kind].name);
    if (kind == ARNE_QUANTITY_DISTANCE &&
        (what->other_frame < -1 || what->other_frame >= size.frame_count))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "distance: there is no such frame");
    if (kind == ARNE_QUANTITY_ZMP_INSIDE && what->corner_count < 3)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the polygon has fewer than 3 corners");
    if (kind == ARNE_QUANTITY_DEVIATION && (what->reference_count < 1 || !what->reference))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the reference is missing");
    return ARNE_OK;
}

static int built_in_values(const plan_quantity *quantity, plan_state *s, double *out)
{
    const arne_quantity_kind kind = quantity->what.kind;
    if (kind == ARNE_QUANTITY_TORQUE || kind == ARNE_QUANTITY_POWER) {
        plan_torques(s); // shared
        for (int k = 0; k < s->problem->v_count; k++)
            out[k] = kind == ARNE_QUANTITY_TORQUE ? s->tau[k] : s->tau[k] * s->qd[k];
        return 0;
    }
    if (kind == ARNE_QUANTITY_MECHANICAL_POWER) {
        plan_torques(s);
        *out = 0;
        for (int k = 0; k < s->problem->v_count; k++)
            *out += s->tau[k] * s->qd[k];
        return 0;
    }
    if (kind == ARNE_QUANTITY_TORQUE_RATE && plan_is_pushed(s->problem)) {
        plan_rate_values(s, out);
        return 0;
    }
    plan_quantity_rows(s->robot, s, &quantity->what, out);
    if (kind == ARNE_QUANTITY_WRENCH && plan_is_pushed(s->problem))
        quantity_wrench_values(quantity, s, out);
    return 0;
}

arne_status plan_built_in(plan_problem *p, const arne_quantity *what, plan_quantity *out,
                          arne_error *error)
{
    if (!plan_kind_of((int)what->kind))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no such quantity");
    if (what->kind == ARNE_QUANTITY_CONTACT_FORCE) {
        if (what->joint < 0 || what->joint >= p->touch_count)
            return arne_fail(error, ARNE_VALUE, NULL, 0, "contact_force: there is no such contact");
        plan_contact_quantity(p, what, out);
        return ARNE_OK;
    }
    if (what->kind == ARNE_QUANTITY_UTILISATION || what->kind == ARNE_QUANTITY_MARGIN)
        return plan_strength_quantity(p, what, out, error);
    if (what->kind == ARNE_QUANTITY_ACTIVATION || what->kind == ARNE_QUANTITY_METABOLIC_POWER)
        return plan_muscle_quantity(p, what, out, error);
    if (what->kind == ARNE_QUANTITY_TORQUE_VECTOR) return plan_torque_vector(p, what, out, error);
    const int passed_by =
        what->kind == ARNE_QUANTITY_TORQUE_RATE || what->kind == ARNE_QUANTITY_WRENCH;
    if (p->muscle_count && passed_by)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "%s is not known where muscles drive the robot", kinds[what->kind].name);
    for (int i = 0; passed_by && i < p->touch_count; i++)
        if (plan_is_compliant(p, i))
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "%s is not known with compliant contacts", kinds[what->kind].name);
    const arne_status status = quantity_check(p, what, error);
    if (status) return status;
    for (int i = 0; i < p->wrench_count; i++) {
        const char *why = plan_forbids_wrench(p, what->kind, p->wrenches[i].count > 1);
        if (why)
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s is not known with %s",
                             kinds[what->kind].name, why);
    }
    const plan_kind *k = &kinds[what->kind];
    const int        linear = (k->flags & KIND_LINEAR) != 0;
    *out = (plan_quantity){.kind = k,
                           .rows = k->rows ? k->rows : p->v_count,
                           .orders = k->orders,
                           .linear = linear,
                           .what = *what,
                           .values = built_in_values,
                           .gradient = k->gradient,
                           .hessian = k->hessian,
                           .by_forces = k->by_forces,
                           .built_in = 1,
                           .pattern = linear ? coordinate_pattern : NULL};
    arne_vec3   *n = &out->what.plane_normal;
    const double length = sqrt(n->x * n->x + n->y * n->y + n->z * n->z);
    *n = length > 0 ? (arne_vec3){n->x / length, n->y / length, n->z / length}
                    : (arne_vec3){0, 0, 1};
    if (what->kind == ARNE_QUANTITY_ZMP_INSIDE) out->rows = what->corner_count;
    if (what->kind == ARNE_QUANTITY_TORQUE_RATE) {
        out->against = rate_against;
        out->scratch = plan_rate_scratch(p) + p->v_count;
        out->planned = p->force_count > 0;
        if (out->planned) out->pattern = plan_rate_pattern;
    }
    const int of_frame = (k->flags & KIND_OF_FRAME) != 0;
    if (of_frame && !p->robot->shares_coordinates) out->pattern = geometry_pattern;
    if (of_frame && p->robot->shares_coordinates) out->hessian = NULL; // columns are sums there
    if (p->planned_from && k->flags & KIND_OF_DRIVES) plan_loop_quantity(out);
    snprintf(out->name, sizeof out->name, "%s", k->name);
    return ARNE_OK;
}

// Frames that are held, at accelerations instead of velocities: the same conditions, the same
// solution.
//
// Inverse dynamics: tau = M qdd + c - J^T f, with tau_u = 0 for the coordinates u that nothing
// drives, so A f = b with A = (J^T)_u and b what inverse dynamics without contacts leaves there.
// The least |f| with A f = b in the cones by alternating directions (Boyd 2011):
//     f = the point of A f = b nearest to (z - y) / 2,   z = the point of the cones nearest to f +
//     y,   y += f - z
#include "world/held_frames.h"
#include "base/error.h"
#include "math/dense.h"
#include <stdlib.h>
#include <string.h>

static int block_count(const arne_holding *h)
{
    int count = 0;
    for (int i = 0; i < h->count; i++)
        count += 1 + (h->held[i].full != 0);
    return count;
}

static void mark_undriven(arne_holding *h)
{
    const arne_robot *robot = h->world->robot;
    for (int j = 0; j < robot->joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(robot, j);
        if (!info.passive && info.parent >= 0) continue;
        memset(h->free_v + info.v_start, 1, (size_t)info.v_count);
        h->undriven += info.v_count;
    }
}

static arne_status check_held(const arne_robot *robot, const arne_held *held, arne_error *error)
{
    if (held->frame < 0 || held->frame >= robot->frame_count)
        return arne_fail(error, ARNE_NOT_FOUND, NULL, 0, "there is no frame %d to be held",
                         held->frame);
    if (isnan(held->friction) || !isfinite(vec_length(held->normal)))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a held frame has a number that is not finite");
    return ARNE_OK;
}

arne_status arne_holding_new(const arne_robot *robot, const arne_held *held, int count,
                             arne_holding **out, arne_error *error)
{
    if (out) *out = NULL;
    if (!robot || !out || count < 0 || (count > 0 && !held))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_status status = ARNE_OK;
    for (int i = 0; i < count && !status; i++)
        status = check_held(robot, &held[i], error);
    if (status) return status;
    arne_holding *h = calloc(1, sizeof *h);
    if (!h) return arne_fail_memory(error);
    const size_t nv = (size_t)robot->v_count, n = 6 * (size_t)count;
    h->count = count;
    h->held = calloc((size_t)count + 1, sizeof *h->held);
    h->free_v = calloc(nv + 1, 1);
    h->A = calloc(nv * n + nv * nv + 2 * nv + 3 * n + 1, sizeof *h->A);
    if (h->held && count) memcpy(h->held, held, (size_t)count * sizeof *held);
    status = h->held && h->free_v && h->A ? arne_world_new(robot, NULL, 0, &h->world, error)
                                          : arne_fail_memory(error);
    if (!status) status = rigid_new(h->world, block_count(h), error);
    if (status) {
        arne_holding_free(h);
        return status;
    }
    h->AAT = h->A + nv * n;
    h->b = h->AAT + nv * nv;
    h->zero = h->b + nv;
    h->f = h->zero + nv;
    h->z = h->f + n;
    h->y = h->z + n;
    mark_undriven(h);
    *out = h;
    return ARNE_OK;
}

void arne_holding_free(arne_holding *h)
{
    if (!h) return;
    arne_world_free(h->world);
    free(h->held);
    free(h->free_v);
    free(h->A);
    free(h->derivatives);
    free(h);
}

static void take_axes(const arne_held *held, arne_vec3 out[3])
{
    const double    length = vec_length(held->normal);
    const arne_vec3 n = length > 0 ? vec_scale(held->normal, 1 / length) : vec_of(0, 0, 1);
    const arne_vec3 start = fabs(n.x) < 0.7 ? vec_of(1, 0, 0) : vec_of(0, 1, 0);
    const arne_vec3 a = vec_add(start, n, -vec_dot(start, n));
    out[0] = n;
    out[1] = vec_scale(a, 1 / vec_length(a));
    out[2] = vec_cross(n, out[1]);
}

// Rows of all held frames, with the accelerations that velocities alone cause there.
static arne_status make_rows(arne_holding *h, arne_work *work, const double *q, const double *qd,
                             arne_error *error)
{
    arne_world *w = h->world;
    rigid      *r = w->rigid;
    r->block_count = 0;
    arne_kinematics(w->robot, work, q, qd, h->zero);
    for (int i = 0; i < h->count; i++) {
        const arne_held  *held = &h->held[i];
        const int         on = robot_frames(w->robot)[held->frame].info.body;
        const arne_pose   X = arne_frame_pose(w->robot, work, held->frame);
        const arne_motion a = arne_frame_acceleration(
            w->robot, work, held->frame, ARNE_AXES_ALIGNED, ARNE_ACCELERATION_CLASSICAL);
        for (int turns = 0; turns <= (held->full != 0); turns++) {
            const int  free_to_leave = held->unilateral && !turns;
            row_block *b = rigid_add_block(r, free_to_leave ? ROW_CONTACT : ROW_HELD, i);
            b->rows.rows = 3;
            b->rows.turns = turns;
            b->rows.point = X.p;
            b->rows.body[0] = on;
            take_axes(held, b->rows.axis);
            rigid_span(w, on, &b->rows);
            for (int k = 0; k < 3; k++)
                b->bias[k] = vec_dot(b->rows.axis[k], turns ? a.ang : a.lin);
            b->mu = held->friction >= 0 ? held->friction : HELD_NO_CONE;
        }
    }
    return rigid_columns(w, work, q, 1, NULL, error);
}

static void held_put_forces(const arne_holding *h, const double *p, arne_wrench *forces)
{
    const rigid *r = h->world->rigid;
    memset(forces, 0, (size_t)h->count * sizeof *forces);
    for (int i = 0; i < r->block_count; i++) {
        const row_block *b = &r->blocks[i];
        arne_vec3       *to = b->rows.turns ? &forces[b->touch].ang : &forces[b->touch].lin;
        for (int k = 0; k < 3; k++)
            *to = vec_add(*to, b->rows.axis[k], p ? p[3 * i + k] : b->p[k]);
    }
}

arne_status arne_contact_dynamics(arne_holding *h, arne_work *work, const double *q,
                                  const double *qd, const double *tau, const arne_wrench *f_ext,
                                  double *qdd, arne_wrench *forces, double *residual,
                                  arne_error *error)
{
    if (!h || !work || !q || !qd || !tau || !qdd)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_status status =
        arne_forward_dynamics(h->world->robot, work, q, qd, tau, f_ext, qdd, error);
    if (!status) status = make_rows(h, work, q, qd, error);
    if (status) return status;
    const double left = rigid_solve(h->world, qdd);
    if (residual) *residual = left;
    if (forces) held_put_forces(h, NULL, forces);
    return ARNE_OK;
}

// ---- inverse dynamics ----

// The nearest point of a cone |t| <= mu n, n >= 0.
static void into_cone(double mu, double f[3])
{
    const double t = sqrt(f[1] * f[1] + f[2] * f[2]);
    if (mu >= HELD_NO_CONE) {
        f[0] = fmax(0, f[0]);
        return;
    }
    if (t <= mu * f[0]) return;
    const double n = (f[0] + mu * t) / (1 + mu * mu);
    if (n <= 0) {
        f[0] = f[1] = f[2] = 0;
        return;
    }
    f[0] = n;
    f[1] *= mu * n / t;
    f[2] *= mu * n / t;
}

// A and A A^T (with a trace of a diagonal, as rows may depend on each other), factored. Returns 0
// where that is not possible.
static int balance(arne_holding *h)
{
    const rigid *r = h->world->rigid;
    const int    n = 3 * r->block_count, nv = h->world->robot->v_count;
    int          row = 0;
    for (int v = 0; v < nv; v++) {
        if (!h->free_v[v]) continue;
        for (int i = 0; i < r->block_count; i++) {
            const contact_rows *c = &r->blocks[i].rows;
            const int           inside = v >= c->first && v < c->first + c->count;
            for (int k = 0; k < 3; k++)
                h->A[row * n + 3 * i + k] =
                    inside ? r->J[c->at + (size_t)(k * c->count + v - c->first)] : 0;
        }
        row++;
    }
    double trace = 0;
    for (int i = 0; i < row; i++)
        for (int j = 0; j < row; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += h->A[i * n + k] * h->A[j * n + k];
            h->AAT[i * row + j] = sum;
            trace += i == j ? sum : 0;
        }
    for (int i = 0; i < row; i++)
        h->AAT[i * row + i] += 1e-13 * trace;
    return dense_factor(row, h->AAT, 1e-30);
}

// f becomes the point of A f = b nearest to it.
static void onto_balance(const arne_holding *h, const double *b, double *left, double *f)
{
    const int n = 3 * h->world->rigid->block_count, m = h->undriven;
    for (int turn = 0; turn < 2; turn++) { // the second takes away what the trace has left
        for (int i = 0; i < m; i++) {
            left[i] = b[i];
            for (int k = 0; k < n; k++)
                left[i] -= h->A[i * n + k] * f[k];
        }
        dense_solve(m, h->AAT, left);
        for (int i = 0; i < m; i++)
            for (int k = 0; k < n; k++)
                f[k] += h->A[i * n + k] * left[i];
    }
}

static double alternate(arne_holding *h, double *left)
{
    const rigid *r = h->world->rigid;
    const int    n = 3 * r->block_count;
    double       apart = 0, size = 1;
    memset(h->z, 0, (size_t)n * sizeof *h->z);
    memset(h->y, 0, (size_t)n * sizeof *h->y);
    for (int turn = 0; turn < 20000; turn++) {
        double moved = 0;
        for (int k = 0; k < n; k++)
            h->f[k] = 0.5 * (h->z[k] - h->y[k]);
        onto_balance(h, h->b, left, h->f);
        apart = 0;
        size = 1;
        for (int i = 0; i < r->block_count; i++) {
            double z[3];
            for (int k = 0; k < 3; k++)
                z[k] = h->f[3 * i + k] + h->y[3 * i + k];
            if (r->blocks[i].kind == ROW_CONTACT) into_cone(r->blocks[i].mu, z);
            for (int k = 0; k < 3; k++) {
                const int at = 3 * i + k;
                moved = fmax(moved, fabs(z[k] - h->z[at]));
                h->z[at] = z[k];
                h->y[at] += h->f[at] - z[k];
                apart = fmax(apart, fabs(h->f[at] - z[k]));
                size = fmax(size, fabs(z[k]));
            }
        }
        if (apart < 1e-11 * size && moved < 1e-11 * size) break;
    }
    return apart / size;
}

arne_status arne_contact_inverse_dynamics(arne_holding *h, arne_work *work, const double *q,
                                          const double *qd, const double *qdd,
                                          const arne_wrench *f_ext, double *tau,
                                          arne_wrench *forces, arne_error *error)
{
    if (!h || !work || !q || !qd || !qdd || !tau)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    const arne_robot *robot = h->world->robot;
    rigid            *r = h->world->rigid;
    const int         nv = robot->v_count;
    const arne_status status = make_rows(h, work, q, qd, error);
    if (status) return status;
    arne_inverse_dynamics(robot, work, q, qd, qdd, f_ext, tau);
    for (int v = 0, row = 0; v < nv; v++)
        if (h->free_v[v]) h->b[row++] = tau[v];
    memset(h->f, 0, (size_t)(3 * r->block_count) * sizeof *h->f);
    double apart = 0;
    if (h->undriven && r->block_count) {
        if (!balance(h))
            return arne_fail(error, ARNE_SINGULAR, NULL, 0, "%s", arne_status_text(ARNE_SINGULAR));
        apart = alternate(h, r->v_free);
        memcpy(h->f, h->z, (size_t)(3 * r->block_count) * sizeof *h->f);
    }
    double worst = 0, size = 1;
    for (int v = 0; v < nv; v++) {
        const double before = tau[v];
        for (int i = 0; i < r->block_count; i++) {
            const contact_rows *c = &r->blocks[i].rows;
            if (v < c->first || v >= c->first + c->count) continue;
            for (int k = 0; k < 3; k++)
                tau[v] -= r->J[c->at + (size_t)(k * c->count + v - c->first)] * h->f[3 * i + k];
        }
        if (!h->free_v[v]) continue;
        size = fmax(size, fabs(before));
        worst = fmax(worst, fabs(tau[v]));
    }
    if (forces) held_put_forces(h, h->f, forces);
    if (worst > 1e-7 * size || apart > 1e-7)
        return arne_fail(
            error, ARNE_NOT_CONVERGED, NULL, 0,
            "no forces of the held frames, inside their cones, make this motion: %.3g is "
            "left on coordinates that nothing drives",
            worst);
    return ARNE_OK;
}

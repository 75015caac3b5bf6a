// Frames that stand, in phases: dynamics with the accelerations of their origins (and of their
// orientation) given, and plastic impacts where a phase begins with one.
//
//     M a + c = tau + J^T f,   J a + dJ/dt v + d J v = 0          (d: contact_damping)
//     f = -S^-1 (J a0 + dJ/dt v + d J v),   a = a0 + M^-1 J^T f,   S = J M^-1 J^T
//
// with a0 of forward dynamics. Derivatives at fixed f: D of inverse dynamics with f as loads that
// are constant in the world, C of the frames' accelerations. Then
//     df = -S^-1 (C - J M^-1 D),   da = -M^-1 D + M^-1 J^T df
// Impact: M (v+ - v) = J^T p, J v+ = 0; its derivatives are those of M (v+ - v), which is inverse
// dynamics at rest without weight, and of J v+.
#include "base/error.h"
#include "control/oc.h"
#include "math/dense.h"
#include <arne/derivatives.h>
#include <string.h>

static const double REDUNDANT = 1e-12; // part of S's diagonal, for contacts that hold each other

static void zero(double *x, int n) { memset(x, 0, (size_t)n * sizeof *x); }

const oc_stand *contact_at(const arne_oc *oc, int k)
{
    const oc_stand *found = oc->phase_count ? &oc->phases[oc->schedule[k]] : NULL;
    return found && found->count > 0 ? found : NULL;
}

int contact_begins(const arne_oc *oc, int k)
{
    const oc_stand *stand = contact_at(oc, k);
    return stand && stand->impact && oc->schedule[k] != (k > 0 ? oc->schedule[k - 1] : oc->before);
}

arne_status arne_oc_schedule(arne_oc *oc, const int *phase_of_knot, int before, arne_error *error)
{
    if (!oc || !phase_of_knot) return arne_fail_null(error);
    for (int k = 0; k < oc->N && oc->phase_count; k++)
        if (phase_of_knot[k] < 0 || phase_of_knot[k] >= oc->phase_count)
            return arne_fail(error, ARNE_VALUE, NULL, 0, "knot %d: there is no phase %d", k,
                             phase_of_knot[k]);
    if (!oc->phase_count) return ARNE_OK;
    memcpy(oc->schedule, phase_of_knot, (size_t)oc->N * sizeof *oc->schedule);
    oc->before = before;
    return ARNE_OK;
}

// ---- rows ----

// J of all frames that stand, in the world's axes.
static void stand_jacobian(arne_oc *oc, const oc_stand *s, const double *q, double *J)
{
    double *full = oc->contact.frame;
    for (int i = 0; i < s->count; i++) {
        const int rows = s->contacts[i].full ? 6 : 3;
        arne_jacobian(oc->robot, oc->work, q, s->contacts[i].frame, ARNE_AXES_ALIGNED, full);
        memcpy(J, full, (size_t)(rows * oc->n) * sizeof *J);
        J += rows * oc->n;
    }
}

static void put_motion(const arne_motion *m, int rows, double s, double *out)
{
    const double x[6] = {m->lin.x, m->lin.y, m->lin.z, m->ang.x, m->ang.y, m->ang.z};
    for (int i = 0; i < rows; i++)
        out[i] += s * x[i];
}

// J a + dJ/dt v + d J v
static void stand_rows(arne_oc *oc, const oc_stand *s, const double *x, const double *a,
                       double *out)
{
    zero(out, s->rows);
    arne_kinematics(oc->robot, oc->work, x, x + oc->nq, a);
    for (int i = 0; i < s->count; i++) {
        const int         frame = s->contacts[i].frame, rows = s->contacts[i].full ? 6 : 3;
        const arne_motion acceleration = arne_frame_acceleration(
            oc->robot, oc->work, frame, ARNE_AXES_ALIGNED, ARNE_ACCELERATION_CLASSICAL);
        const arne_motion velocity =
            arne_frame_velocity(oc->robot, oc->work, frame, ARNE_AXES_ALIGNED);
        put_motion(&acceleration, rows, 1, out);
        put_motion(&velocity, rows, oc->contact_damping, out);
        out += rows;
    }
}

// M^-1 J^T (as rows of J M^-1) and the factor of S. Nonzero: S is singular.
static int stand_factor(arne_oc *oc, const oc_stand *s, const double *Minv)
{
    const contact_room *c = &oc->contact;
    const int           m = s->rows, n = oc->n;
    zero(c->JM, m * n);
    matrix_add_plain(oc->robot, m, n, n, 1, c->J, Minv, c->JM);
    matrix_gram(oc->robot, m, n, c->JM, c->J, c->S);
    for (int i = 0; i < m; i++)
        c->S[i * (m + 1)] *= 1 + REDUNDANT;
    return !dense_factor(m, c->S, 1e-14);
}

// X (rows x n) <- -S^-1 X
static void stand_solve(const arne_oc *oc, const oc_stand *s, double *X)
{
    matrix_solve_rows(oc->robot, s->rows, oc->n, oc->contact.S, X);
    for (int i = 0; i < s->rows * oc->n; i++)
        X[i] = -X[i];
}

// Forces f (rows) as loads that are constant in the world.
static void stand_loads(arne_oc *oc, const oc_stand *s, const double *f)
{
    for (int i = 0; i < s->count; i++) {
        const arne_oc_contact *c = &s->contacts[i];
        const arne_mat3        R = arne_frame_pose(oc->robot, oc->work, c->frame).R;
        const arne_vec3       *axes[3] = {&R.x, &R.y, &R.z};
        double                 turned[6] = {0};
        for (int k = 0; k < (c->full ? 6 : 3); k++)
            turned[k] = axes[k % 3]->x * f[k / 3 * 3] + axes[k % 3]->y * f[k / 3 * 3 + 1] +
                        axes[k % 3]->z * f[k / 3 * 3 + 2];
        oc->contact.loads[i] = (arne_load){
            .frame = c->frame,
            .in_world = 1,
            .wrench = {{turned[0], turned[1], turned[2]}, {turned[3], turned[4], turned[5]}}};
        f += c->full ? 6 : 3;
    }
}

// ---- accelerations ----

int contact_acceleration(arne_oc *oc, const oc_stand *s, const double *x, const double *Minv,
                         double *a)
{
    contact_room *c = &oc->contact;
    const int     n = oc->n;
    stand_jacobian(oc, s, x, c->J);
    if (!Minv) {
        if (arne_inverse_mass_matrix(oc->robot, oc->work, x, c->Minv, NULL)) return 1;
        Minv = c->Minv;
    }
    stand_rows(oc, s, x, a, c->f);
    if (stand_factor(oc, s, Minv)) return 1;
    dense_solve(s->rows, c->S, c->f);
    for (int i = 0; i < s->rows; i++) {
        c->f[i] = -c->f[i];
        for (int j = 0; j < n; j++)
            a[j] += c->f[i] * c->JM[i * n + j];
    }
    return 0;
}

// C_q and C_v: derivatives of the rows at fixed a.
static void stand_derivatives(arne_oc *oc, const oc_stand *s, const double *x, const double *a)
{
    contact_room *c = &oc->contact;
    const int     n = oc->n;
    double       *parts[4]; // dv/dq, dv/dqd, da/dq, da/dqd of a frame
    for (int i = 0; i < 4; i++)
        parts[i] = c->frame + 6 * i * n;
    const arne_frame_derivatives out = {parts[0], parts[1], parts[2], parts[3], NULL};
    for (int i = 0, at = 0; i < s->count; i++) {
        const int rows = s->contacts[i].full ? 6 : 3;
        arne_frame_motion_derivatives(oc->robot, oc->work, x, x + oc->nq, a, s->contacts[i].frame,
                                      ARNE_AXES_ALIGNED, &out);
        for (int j = 0; j < rows * n; j++) {
            c->fq[at + j] = parts[2][j] + oc->contact_damping * parts[0][j];
            c->fv[at + j] = parts[3][j] + oc->contact_damping * parts[1][j];
        }
        at += rows * n;
    }
}

// d <- -M^-1 D, df <- -S^-1 (C - J M^-1 D), d <- d + M^-1 J^T df. df holds C before.
static void stand_chain(arne_oc *oc, const oc_stand *s, const double *Minv, const double *D,
                        double *d, double *df)
{
    const contact_room *c = &oc->contact;
    const int           n = oc->n, m = s->rows;
    zero(d, n * n);
    matrix_add_plain(oc->robot, n, n, n, -1, Minv, D, d);
    matrix_add_plain(oc->robot, m, n, n, -1, c->JM, D, df);
    stand_solve(oc, s, df);
    matrix_add_turned(oc->robot, n, n, m, c->JM, df, d);
}

int contact_derivatives(arne_oc *oc, const oc_stand *s, const double *x, double *a, double *a_q,
                        double *a_v, double *a_t)
{
    contact_room *c = &oc->contact;
    const int     n = oc->n, m = s->rows;
    memcpy(c->Minv, a_t, (size_t)(n * n) * sizeof *a_t);
    if (contact_acceleration(oc, s, x, c->Minv, a)) return 1;
    stand_derivatives(oc, s, x, a);
    arne_kinematics(oc->robot, oc->work, x, NULL, NULL);
    stand_loads(oc, s, c->f);
    arne_inverse_dynamics_derivatives(oc->robot, oc->work, x, x + oc->nq, a, c->loads, s->count,
                                      c->Dq, c->Dv, NULL);
    stand_chain(oc, s, c->Minv, c->Dq, a_q, c->fq);
    stand_chain(oc, s, c->Minv, c->Dv, a_v, c->fv);
    memcpy(c->ft, c->JM, (size_t)(m * n) * sizeof *c->ft); // df/dtau = -S^-1 J M^-1
    stand_solve(oc, s, c->ft);
    matrix_add_turned(oc->robot, n, n, m, c->JM, c->ft, a_t);
    return 0;
}

static double *forces_of(const arne_oc *oc, int k)
{
    return oc->forces + (ptrdiff_t)k * oc->most_rows * (1 + 3 * oc->n);
}

void contact_put(arne_oc *oc, int k)
{
    const contact_room *c = &oc->contact;
    const size_t        rows = (size_t)oc->most_rows, all = rows * (size_t)oc->n;
    double             *to = forces_of(oc, k);
    memcpy(to, c->f, rows * sizeof *to);
    memcpy(to + rows, c->fq, all * sizeof *to);
    memcpy(to + rows + all, c->fv, all * sizeof *to);
    memcpy(to + rows + 2 * all, c->ft, all * sizeof *to);
}

void contact_take(arne_oc *oc, int k)
{
    contact_room *c = &oc->contact;
    const size_t  rows = (size_t)oc->most_rows, all = rows * (size_t)oc->n;
    const double *from = forces_of(oc, k);
    memcpy(c->f, from, rows * sizeof *from);
    memcpy(c->fq, from + rows, all * sizeof *from);
    memcpy(c->fv, from + rows + all, all * sizeof *from);
    memcpy(c->ft, from + rows + 2 * all, all * sizeof *from);
}

// ---- impacts ----

int contact_impact(arne_oc *oc, const oc_stand *s, const double *x, double *after)
{
    contact_room *c = &oc->contact;
    const int     n = oc->n;
    memmove(after, x, (size_t)oc->sx * sizeof *x);
    stand_jacobian(oc, s, after, c->J);
    if (arne_inverse_mass_matrix(oc->robot, oc->work, after, c->Minv, NULL)) return 1;
    if (stand_factor(oc, s, c->Minv)) return 1;
    zero(c->f, s->rows);
    matrix_add_plain(oc->robot, s->rows, 1, n, -1, c->J, after + oc->nq, c->f);
    dense_solve(s->rows, c->S, c->f);
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < n; j++)
            after[oc->nq + j] += c->f[i] * c->JM[i * n + j];
    return 0;
}

int contact_impact_derivatives(arne_oc *oc, const oc_stand *s, const double *x, double *after,
                               double *v_q, double *v_v)
{
    contact_room *c = &oc->contact;
    const int     n = oc->n, m = s->rows;
    double       *jump = c->column + m, *rest = jump + n;
    if (contact_impact(oc, s, x, after)) return 1;
    for (int i = 0; i < n; i++)
        jump[i] = after[oc->nq + i] - x[oc->nq + i];
    zero(rest, n);
    for (int i = 0, at = 0; i < s->count; i++) { // C: derivatives of J v+
        const int                    rows = s->contacts[i].full ? 6 : 3;
        const arne_frame_derivatives out = {c->frame, NULL, NULL, NULL, NULL};
        arne_frame_motion_derivatives(oc->robot, oc->work, x, after + oc->nq, rest,
                                      s->contacts[i].frame, ARNE_AXES_ALIGNED, &out);
        memcpy(c->fq + at, c->frame, (size_t)(rows * n) * sizeof *c->fq);
        at += rows * n;
    }
    arne_kinematics(oc->robot, oc->work, x, NULL, NULL);
    stand_loads(oc, s, c->f);
    arne_inverse_dynamics_derivatives(oc->robot, oc->work, x, rest, jump, c->loads, s->count, c->Dq,
                                      NULL, NULL);
    arne_inverse_dynamics_derivatives(oc->robot, oc->work, x, rest, rest, NULL, 0, c->Dv, NULL,
                                      NULL);
    for (int i = 0; i < n * n; i++)
        c->Dq[i] -= c->Dv[i]; // weight
    stand_chain(oc, s, c->Minv, c->Dq, v_q, c->fq);
    zero(v_v, n * n); // v+ = (1 - M^-1 J^T S^-1 J) v
    memcpy(c->fv, c->J, (size_t)(m * n) * sizeof *c->fv);
    stand_solve(oc, s, c->fv);
    for (int i = 0; i < n; i++)
        v_v[i * (n + 1)] = 1;
    matrix_add_turned(oc->robot, n, n, m, c->JM, c->fv, v_v);
    return 0;
}

// Quantities that accelerations enter: wrenches of joints, forces on frames that stand and their
// friction cones.
#include "control/oc_terms.h"
#include <arne/derivatives.h>
#include <string.h>

// The wrench of a joint at the acceleration of the controls: dw = w_q dq + w_v dv + w_a (a_q dq +
// a_v dv + a_tau B du).
int force_wrench(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref, double *r,
                 double *J)
{
    const int     n = oc->n, ld = oc->ldz;
    const double *q = at->x, *v = at->x + oc->nq;
    double       *a = oc->t, *tau = a + n, *wq = tau + n, *wv = wq + 6 * n, *wa = wv + 6 * n,
           *aq = wa + 6 * n, *av = aq + n * n, *at_ = av + n * n;
    oc_torques(oc, at->u, tau);
    if (dynamics_accelerations(oc, q, tau, a, aq, av, at_)) return 1;
    arne_inverse_dynamics(oc->robot, oc->work, q, v, a, NULL, tau);
    const arne_wrench w = arne_joint_wrench(oc->robot, oc->work, t->given.index);
    const double      now[6] = {w.lin.x, w.lin.y, w.lin.z, w.ang.x, w.ang.y, w.ang.z};
    quantity_subtract(6, now, ref, r);
    if (!J) return 0;
    arne_inverse_dynamics_derivatives(oc->robot, oc->work, q, v, a, NULL, 0, NULL, NULL, NULL);
    arne_wrench_derivatives(oc->robot, oc->work, t->given.index, wq, wv, wa);
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < n; c++) {
            double sq = wq[i * n + c], sv = wv[i * n + c], st = 0;
            for (int m = 0; m < n; m++) {
                sq += wa[i * n + m] * aq[m * n + c];
                sv += wa[i * n + m] * av[m * n + c];
                st += wa[i * n + m] * at_[m * n + c];
            }
            J[i * ld + c] = sq;
            J[i * ld + n + c] = sv;
            for (int m = 0; m < oc->nu; m++)
                J[i * ld + oc->nx + m] += st * oc_drive(oc, c, m);
        }
    return 0;
}

void arne_oc_torques(arne_oc *oc, const double *q, const double *qd, const double *control,
                     double *tau)
{
    if (!oc || !q || !qd || !control || !tau) return;
    if (oc->by_acceleration)
        arne_inverse_dynamics(oc->robot, oc->work, q, qd, control, NULL, tau);
    else
        oc_torques(oc, control, tau);
}

static int torque_first(const arne_oc *oc, const oc_term *t)
{
    return (int)t->given.quantity == OC_UNDRIVEN ? oc->driven_count : 0;
}

// Torques of what is driven, or of what is not.
void force_torque(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref, double *r,
                  double *J)
{
    const int     n = oc->n, ld = oc->ldz, *of = oc->driven + torque_first(oc, t);
    const double *q = at->x, *v = at->x + oc->nq;
    double       *tau = oc->t, *tq = tau + n, *tv = tq + n * n, *ta = tv + n * n;
    arne_oc_torques(oc, q, v, at->u, tau);
    for (int i = 0; i < t->rows; i++)
        r[i] = tau[of[i]] - (ref ? ref[i] : 0);
    if (!J) return;
    if (oc->by_acceleration)
        arne_inverse_dynamics_derivatives(oc->robot, oc->work, q, v, at->u, NULL, 0, tq, tv, ta);
    for (int i = 0; i < t->rows; i++, J += ld) {
        const ptrdiff_t row = (ptrdiff_t)of[i] * n;
        for (int j = 0; j < oc->nu && !oc->by_acceleration; j++)
            J[oc->nx + j] = oc_drive(oc, of[i], j);
        if (!oc->by_acceleration) continue;
        memcpy(J, tq + row, (size_t)n * sizeof *J);
        memcpy(J + n, tv + row, (size_t)n * sizeof *J);
        memcpy(J + oc->nx, ta + row, (size_t)n * sizeof *J);
    }
}

// mu . tau(q, v, a) has all second derivatives from one recursion.
int force_torque_curvature(arne_oc *oc, const oc_term *t, const at_knot *at, const double *g,
                           double *Q)
{
    const int     n = oc->n, nn = n * n, ld = oc->ldz, *of = oc->driven + torque_first(oc, t);
    const double *q = at->x, *v = at->x + oc->nq;
    double       *mu = oc->t, *qq = mu + n, *qv = qq + nn, *vv = qv + nn, *qa = vv + nn;
    memset(mu, 0, (size_t)n * sizeof *mu);
    for (int i = 0; i < t->rows; i++)
        mu[of[i]] = g[i];
    if (arne_second_derivatives(oc->robot, oc->work, q, v, at->u, NULL, 0, mu, qq, qv, vv, qa,
                                NULL))
        return 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Q[(n + j) * ld + i] += qv[i * n + j];
            Q[(oc->nx + j) * ld + i] += qa[i * n + j];
            if (j > i) continue;
            Q[i * ld + j] += qq[i * n + j];
            Q[(n + i) * ld + n + j] += vv[i * n + j];
        }
    return 0;
}

// The forces on all frames that stand, in contact.f; with derivatives in fq, fv, ft.
static int forces_find(arne_oc *oc, const oc_stand *s, const double *x, const double *u,
                       int derivatives)
{
    contact_room *c = &oc->contact;
    double       *a = oc->t, *tau = a + oc->n;
    oc_torques(oc, u, tau);
    oc->forced = 1 + derivatives;
    if (!derivatives)
        return arne_forward_dynamics(oc->robot, oc->work, x, x + oc->nq, tau, NULL, a, NULL) ||
               contact_acceleration(oc, s, x, NULL, a);
    return arne_forward_dynamics_derivatives(oc->robot, oc->work, x, x + oc->nq, tau, NULL, 0, a,
                                             c->a_q, c->a_v, c->a_t, NULL) ||
           contact_derivatives(oc, s, x, a, c->a_q, c->a_v, c->a_t);
}

// The force on a frame that stands, and its three rows in J. Returns 1 where it does not stand, -1
// where the dynamics fail.
static int force_at(arne_oc *oc, const oc_term *t, const at_knot *at, double *f, double *J)
{
    const oc_stand *s = contact_at(oc, at->k);
    contact_room   *c = &oc->contact;
    const int       n = oc->n, ld = oc->ldz;
    const double   *x = at->x;
    int             row = 0, i = 0;
    for (; s && i < s->count && s->contacts[i].frame != t->given.index; i++)
        row += s->contacts[i].full ? 6 : 3;
    if (!s || i == s->count) return 1;
    const int impact = contact_begins(oc, at->k);
    double   *v_q = oc->t + 2 * n, *v_v = v_q + n * n;
    if (impact && contact_impact_derivatives(oc, s, x, c->x, v_q, v_v)) return -1;
    if (impact) x = c->x;
    if (J && oc->forces_known && oc->forced < 2 && x == oc->states + (ptrdiff_t)at->k * oc->sx) {
        contact_take(oc, at->k);
        oc->forced = 2;
    }
    if ((impact || oc->forced <= (J != NULL)) && forces_find(oc, s, x, at->u, J != NULL)) return -1;
    memcpy(f, c->f + row, 3 * sizeof *f);
    for (int k = 0; k < 3 && J; k++)
        for (int j = 0; j < n; j++) {
            const double *fq = c->fq + (row + k) * n, *fv = c->fv + (row + k) * n;
            double        on_q = fq[j], on_v = impact ? 0 : fv[j];
            for (int l = 0; l < n && impact; l++) {
                on_q += fv[l] * v_q[l * n + j];
                on_v += fv[l] * v_v[l * n + j];
            }
            J[k * ld + j] = on_q;
            J[k * ld + n + j] = on_v;
            for (int m = 0; m < oc->nu; m++)
                J[k * ld + oc->nx + m] += c->ft[(row + k) * n + j] * oc_drive(oc, j, m);
        }
    return 0;
}

int force_rows(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref, double *r,
               double *J)
{
    const int found = force_at(oc, t, at, r, J);
    if (found < 0) return 1;
    if (found == 1)
        memset(r, 0, 3 * sizeof *r);
    else
        quantity_subtract(3, r, ref, r);
    return 0;
}

// w = f + (mu - 1) n (n . f) - lower n: the cone is |w - n (n . w)| <= n . w.
int force_friction(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref, double *r,
                   double *J)
{
    double        f[3], *rows = J ? oc->hJ : NULL;
    const double *normal = quantity_normal(ref), mu = ref ? ref[0] : 1;
    const double *lower = quantity_at(t->given.lower, t->given.bounds_stride, at->k);
    if (J) memset(rows, 0, (size_t)(3 * oc->ldz) * sizeof *rows);
    const int found = force_at(oc, t, at, f, rows);
    if (found < 0) return 1;
    memset(r, 0, 3 * sizeof *r);
    if (found == 1) return 0;
    for (int i = 0; i < 3; i++) {
        r[i] = -lower[0] * normal[i];
        for (int j = 0; j < 3; j++) {
            const double a = (i == j) + (mu - 1) * normal[i] * normal[j];
            r[i] += a * f[j];
            for (int c = 0; c < oc->nz && J; c++)
                J[i * oc->ldz + c] += a * rows[j * oc->ldz + c];
        }
    }
    return 0;
}

// Terms of a knot: quantities with their Jacobians, costs, and bounds by an augmented Lagrangian.
//
//     cost     1/2 w r^2                 gradient  J^T (w r)      Hessian  J^T w J
//     bounds   1/2 rho s^2,  s = t - clip(t, lower, upper),  t = r + y / rho
//                                                  J^T (rho s)             J^T rho J where s != 0
//
// y are multipliers; the next ones are rho s (Rockafellar 1973). Each term has its own rho, which
// grows while its violation does not fall to a quarter from one update to the next. The exact
// Hessian has sum of g_i d2r_i besides, where g are the factors of J^T: central differences of J^T
// g along q.
#include "control/oc.h"
#include <arne/configuration.h>
#include <arne/derivatives.h>
#include <arne/integrate.h>
#include <math.h>
#include <string.h>

// Of J^T g, whose entries are of the size of J: the error is about 1e-10 of them.
static const double DIFFERENCE_STEP = 1e-5;
static const double PENALTY_FACTOR = 10, VIOLATION_DROP = 0.25;
static const double FRICTION_SMOOTH = 1e-3; // N
static const double PI = 3.14159265358979323846;

// The columns that a quantity depends on.
enum { ON_Q = 1, ON_V = 2, ON_U = 4, ON_P = 8 };

typedef struct at_knot {
    int           k;
    const double *x, *u, *p; // p: the control before
} at_knot;

int oc_term_rows(const arne_oc *oc, const arne_oc_term *t)
{
    switch (t->quantity) {
    case ARNE_OC_STATE:
        return 2 * oc->n;
    case ARNE_OC_CONTROL:
    case ARNE_OC_RATE:
        return oc->nu;
    case ARNE_OC_POSITION:
    case ARNE_OC_COM:
        return 3;
    case ARNE_OC_FORCE:
        return 3;
    case ARNE_OC_FRICTION:
        return 1;
    case ARNE_OC_RESIDUAL:
        return t->rows;
    case ARNE_OC_COST:
        return 0;
    default:
        return 6;
    }
}

static int quantity_depends(arne_oc_quantity quantity)
{
    switch (quantity) {
    case ARNE_OC_POSE:
    case ARNE_OC_POSITION:
    case ARNE_OC_COM:
        return ON_Q;
    case ARNE_OC_VELOCITY:
    case ARNE_OC_MOMENTUM:
    case ARNE_OC_STATE:
        return ON_Q | ON_V;
    case ARNE_OC_CONTROL:
        return ON_U;
    case ARNE_OC_RATE:
        return ON_U | ON_P;
    default:
        return ON_Q | ON_V | ON_U;
    }
}

// Whether d(J^T g)/dq has all of its second derivatives: not where qd enters with its square.
static int quantity_is_smooth(arne_oc_quantity quantity)
{
    return quantity != ARNE_OC_RATE && quantity != ARNE_OC_WRENCH && quantity != ARNE_OC_FORCE &&
           quantity != ARNE_OC_FRICTION;
}

static const double *term_at(const double *array, ptrdiff_t stride, int k)
{
    return array ? array + stride * k : NULL;
}

// ---- quantities: r, and J where it is not NULL (rows of ldz, zero before) ----

static void residual_state(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref,
                           double *r)
{
    const int n = oc->n, nq = oc->nq;
    double   *neutral = oc->stage;
    if (!ref) {
        arne_neutral(oc->robot, neutral);
        memset(neutral + nq, 0, (size_t)n * sizeof *neutral);
        ref = neutral;
    }
    arne_difference(oc->robot, ref, at->x, r);
    for (int i = 0; i < n; i++)
        r[n + i] = at->x[nq + i] - ref[nq + i];
    if (t->given.wrap) oc_wrap(oc, r);
}

void oc_wrap(const arne_oc *oc, double *d)
{
    for (const int *i = oc->turning; i < oc->turning + oc->turning_count; i++)
        d[*i] -= 2 * PI * ceil((d[*i] - PI) / (2 * PI));
}

static void jacobian_state(const arne_oc *oc, const double *r, double *J)
{
    for (int i = 0; i < 2 * oc->n; i++)
        J[i * oc->ldz + i] = 1;
    for (const curved *c = oc->bends; c < oc->bends + oc->bend_count; c++) {
        double inverse[36];
        tangent_inverse(c, r, inverse);
        for (int i = 0; i < c->count; i++)
            for (int k = 0; k < c->count; k++)
                J[(c->v + i) * oc->ldz + c->v + k] = inverse[i * c->count + k];
    }
}

static void residual_control(const arne_oc *oc, const oc_term *t, const at_knot *at,
                             const double *ref, double *r, double *J)
{
    const int    rate = t->given.quantity == ARNE_OC_RATE, nx = oc->nx;
    const double scale = rate ? 1 / oc->h : 1;
    for (int i = 0; i < oc->nu; i++) {
        r[i] = scale * (at->u[i] - (rate ? at->p[i] : 0)) - (ref ? ref[i] : 0);
        if (!J) continue;
        J[i * oc->ldz + nx + i] = scale;
        if (rate) J[i * oc->ldz + 2 * oc->n + i] = -scale;
    }
}

static arne_pose pose_from(const double *x)
{
    const arne_pose identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    if (!x) return identity;
    return (arne_pose){{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}},
                       {x[9], x[10], x[11]}};
}

static double oc_terms_dot3(arne_vec3 a, arne_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static arne_vec3 turned_back(const arne_mat3 *R, arne_vec3 a)
{
    return (arne_vec3){oc_terms_dot3(R->x, a), oc_terms_dot3(R->y, a), oc_terms_dot3(R->z, a)};
}

// A^-1 X
static arne_pose pose_between(const arne_pose *A, const arne_pose *X)
{
    const arne_vec3 p = {X->p.x - A->p.x, X->p.y - A->p.y, X->p.z - A->p.z};
    return (arne_pose){
        {turned_back(&A->R, X->R.x), turned_back(&A->R, X->R.y), turned_back(&A->R, X->R.z)},
        turned_back(&A->R, p)};
}

// J = M Jb for the leading `columns` rows of six of the body's Jacobian.
static void jacobian_turned(const arne_oc *oc, int rows, const double *M, int inner,
                            const double *Jb, double *J)
{
    for (int i = 0; i < rows; i++)
        for (int m = 0; m < inner; m++) {
            const double s = M[i * inner + m];
            for (int c = 0; c < oc->n; c++)
                J[i * oc->ldz + c] += s * Jb[m * oc->n + c];
        }
}

static void residual_frame(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref,
                           double *r, double *J)
{
    const arne_pose A = pose_from(ref);
    double         *Jb = oc->Jb;
    if (J && oc->jacobian_of != t->given.index)
        arne_jacobian(oc->robot, oc->work, at->x, t->given.index, ARNE_AXES_BODY, Jb);
    if (!J && !oc->posed) arne_kinematics(oc->robot, oc->work, at->x, NULL, NULL);
    oc->posed = !J;
    oc->jacobian_of = J ? t->given.index : -1;
    const arne_pose X = arne_frame_pose(oc->robot, oc->work, t->given.index);
    const arne_pose E = pose_between(&A, &X);
    if (t->given.quantity == ARNE_OC_POSITION) {
        const double turn[9] = {E.R.x.x, E.R.y.x, E.R.z.x, E.R.x.y, E.R.y.y,
                                E.R.z.y, E.R.x.z, E.R.y.z, E.R.z.z};
        r[0] = E.p.x;
        r[1] = E.p.y;
        r[2] = E.p.z;
        if (J) jacobian_turned(oc, 3, turn, 3, Jb, J);
        return;
    }
    twist_log(&E, r);
    if (!J) return;
    double log_jacobian[36];
    twist_right_inverse(r, log_jacobian);
    jacobian_turned(oc, 6, log_jacobian, 6, Jb, J);
}

static void rows_subtract(int n, const double *from, const double *ref, double *r)
{
    for (int i = 0; i < n; i++)
        r[i] = from[i] - (ref ? ref[i] : 0);
}

// Copies rows x n into the columns from `column` on.
static void rows_place(const arne_oc *oc, int rows, const double *from, double *J, int column)
{
    for (int i = 0; i < rows; i++)
        memcpy(J + i * oc->ldz + column, from + i * oc->n, (size_t)oc->n * sizeof *J);
}

static void residual_velocity(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref,
                              double *r, double *J)
{
    const double *q = at->x, *v = at->x + oc->nq;
    double       *dq = oc->t, *dv = dq + 6 * oc->n, *rest = dv + 6 * oc->n;
    arne_kinematics(oc->robot, oc->work, q, v, NULL);
    const arne_motion m =
        arne_frame_velocity(oc->robot, oc->work, t->given.index, ARNE_AXES_ALIGNED);
    const double now[6] = {m.lin.x, m.lin.y, m.lin.z, m.ang.x, m.ang.y, m.ang.z};
    rows_subtract(6, now, ref, r);
    if (!J) return;
    const arne_frame_derivatives out = {.dvelocity_dq = dq, .dvelocity_dqd = dv};
    memset(rest, 0, (size_t)oc->n * sizeof *rest);
    arne_frame_motion_derivatives(oc->robot, oc->work, q, v, rest, t->given.index,
                                  ARNE_AXES_ALIGNED, &out);
    rows_place(oc, 6, dq, J, 0);
    rows_place(oc, 6, dv, J, oc->n);
}

static void residual_com(arne_oc *oc, const at_knot *at, const double *ref, double *r, double *J)
{
    arne_vec3 c;
    arne_center_of_mass(oc->robot, oc->work, at->x, NULL, &c, NULL);
    const double now[3] = {c.x, c.y, c.z};
    rows_subtract(3, now, ref, r);
    if (!J) return;
    arne_com_jacobian(oc->robot, oc->work, at->x, oc->t);
    rows_place(oc, 3, oc->t, J, 0);
}

static void residual_momentum(arne_oc *oc, const at_knot *at, const double *ref, double *r,
                              double *J)
{
    const double *q = at->x, *v = at->x + oc->nq;
    double       *dq = oc->t, *dv = dq + 6 * oc->n, *rest = dv + 6 * oc->n;
    arne_wrench   m;
    arne_momentum(oc->robot, oc->work, q, v, &m);
    const double now[6] = {m.lin.x, m.lin.y, m.lin.z, m.ang.x, m.ang.y, m.ang.z};
    rows_subtract(6, now, ref, r);
    if (!J) return;
    const arne_momentum_derivatives out = {.dmomentum_dq = dq, .dmomentum_dqd = dv};
    memset(rest, 0, (size_t)oc->n * sizeof *rest);
    arne_centroidal_derivatives(oc->robot, oc->work, q, v, rest, NULL, &out);
    rows_place(oc, 6, dq, J, 0);
    rows_place(oc, 6, dv, J, oc->n);
}

// The wrench of a joint at the acceleration of the controls: dw = w_q dq + w_v dv + w_a (a_q dq +
// a_v dv + a_tau B du).
static int residual_wrench(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref,
                           double *r, double *J)
{
    const int     n = oc->n, ld = oc->ldz;
    const double *q = at->x, *v = at->x + oc->nq;
    double       *a = oc->t, *tau = a + n, *wq = tau + n, *wv = wq + 6 * n, *wa = wv + 6 * n,
           *aq = wa + 6 * n, *av = aq + n * n, *at_ = av + n * n;
    oc_torques(oc, at->u, tau);
    if (arne_forward_dynamics_derivatives(oc->robot, oc->work, q, v, tau, NULL, 0, a, aq, av, at_,
                                          NULL))
        return 1;
    arne_inverse_dynamics(oc->robot, oc->work, q, v, a, NULL, tau);
    const arne_wrench w = arne_joint_wrench(oc->robot, oc->work, t->given.index);
    const double      now[6] = {w.lin.x, w.lin.y, w.lin.z, w.ang.x, w.ang.y, w.ang.z};
    rows_subtract(6, now, ref, r);
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
    const int impact = s->impact && s->first == at->k;
    double   *v_q = oc->t + 2 * n, *v_v = v_q + n * n;
    if (impact && contact_impact_derivatives(oc, s, x, c->x, v_q, v_v)) return -1;
    if (impact) x = c->x;
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

static int residual_force(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref,
                          double *r, double *J)
{
    const int found = force_at(oc, t, at, r, J);
    if (found < 0) return 1;
    if (found == 1)
        memset(r, 0, 3 * sizeof *r);
    else
        rows_subtract(3, r, ref, r);
    return 0;
}

// mu f_n - |f_t|, with |f_t| rounded within FRICTION_SMOOTH of zero.
static int residual_friction(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref,
                             double *r, double *J)
{
    static const double usual[4] = {1, 0, 0, 1};
    double              f[3], *rows = J ? oc->hJ : NULL;
    if (J) memset(rows, 0, (size_t)(3 * oc->ldz) * sizeof *rows);
    const int found = force_at(oc, t, at, f, rows);
    if (found < 0) return 1;
    r[0] = 0;
    if (found == 1) return 0;
    const double *k = ref ? ref : usual, *normal = k + 1;
    const double  along = f[0] * normal[0] + f[1] * normal[1] + f[2] * normal[2];
    double        side[3], square = FRICTION_SMOOTH * FRICTION_SMOOTH;
    for (int i = 0; i < 3; i++) {
        side[i] = f[i] - along * normal[i];
        square += side[i] * side[i];
    }
    const double size = sqrt(square);
    r[0] = k[0] * along - size + FRICTION_SMOOTH;
    for (int i = 0; i < 3 && J; i++)
        for (int j = 0; j < oc->nz; j++)
            J[j] += (k[0] * normal[i] - side[i] / size) * rows[i * oc->ldz + j];
    return 0;
}

static int residual_user(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref,
                         double *r, double *J)
{
    const int          n2 = 2 * oc->n, width = n2 + (at->u ? oc->nu : 0), rows = t->rows;
    const arne_oc_knot knot = {at->k, at->x, at->x + oc->nq, at->u};
    const int          stride = n2 + oc->nu;
    if (J) memset(oc->user, 0, (size_t)rows * (size_t)stride * sizeof *J);
    if (t->given.residual(t->given.context, &knot, r, J ? oc->user : NULL)) return 1;
    rows_subtract(rows, r, ref, r);
    for (int i = 0; J && i < rows; i++)
        for (int c = 0; c < width; c++)
            J[i * oc->ldz + (c < n2 ? c : oc->nx + c - n2)] = oc->user[i * stride + c];
    return 0;
}

// Several terms at one state share poses, the Jacobian of a frame, and contact forces.
static void forget_frames(arne_oc *oc)
{
    oc->posed = 0;
    oc->jacobian_of = -1;
}
static void forget_state(arne_oc *oc)
{
    forget_frames(oc);
    oc->forced = 0;
}

static int term_residual(arne_oc *oc, const oc_term *t, const at_knot *at, double *r, double *J)
{
    const arne_oc_quantity what = t->given.quantity;
    if (what >= ARNE_OC_VELOCITY) forget_frames(oc); // their functions use the workspace
    const double *ref = term_at(t->given.reference, t->given.reference_stride, at->k);
    if (J) memset(J, 0, (size_t)t->rows * (size_t)oc->ldz * sizeof *J);
    switch (t->given.quantity) {
    case ARNE_OC_STATE:
        residual_state(oc, t, at, ref, r);
        if (J) jacobian_state(oc, r, J);
        return 0;
    case ARNE_OC_CONTROL:
    case ARNE_OC_RATE:
        residual_control(oc, t, at, ref, r, J);
        return 0;
    case ARNE_OC_POSE:
    case ARNE_OC_POSITION:
        residual_frame(oc, t, at, ref, r, J);
        return 0;
    case ARNE_OC_VELOCITY:
        residual_velocity(oc, t, at, ref, r, J);
        return 0;
    case ARNE_OC_COM:
        residual_com(oc, at, ref, r, J);
        return 0;
    case ARNE_OC_MOMENTUM:
        residual_momentum(oc, at, ref, r, J);
        return 0;
    case ARNE_OC_WRENCH:
        return residual_wrench(oc, t, at, ref, r, J);
    case ARNE_OC_FORCE:
        return residual_force(oc, t, at, ref, r, J);
    case ARNE_OC_FRICTION:
        return residual_friction(oc, t, at, ref, r, J);
    default:
        return residual_user(oc, t, at, ref, r, J);
    }
}

// ---- costs and bounds ----

static double term_scale(const arne_oc *oc, const oc_term *t)
{
    return t->given.at_end ? 1 : oc->h;
}

static double *multipliers_at(const oc_term *t, int k)
{
    return t->multipliers ? t->multipliers + (ptrdiff_t)(k - t->first) * t->rows : NULL;
}

// Row i of a term: factors of its gradient and Hessian, and its value.
typedef struct row_cost {
    double gradient, hessian, value, plain, violation;
} row_cost;

static double beyond(double x, double low, double high)
{
    return x < low ? x - low : x > high ? x - high : 0;
}

static row_cost row_value(const arne_oc *oc, const oc_term *t, int k, int i, double r)
{
    const arne_oc_term *g = &t->given;
    const double       *w = term_at(g->weights, g->weights_stride, k);
    const double        weight = term_scale(oc, t) * g->weight * (w ? w[i] : 1);
    row_cost            c = {weight * r, weight, 0.5 * weight * r * r, 0.5 * weight * r * r, 0};
    const double       *y = multipliers_at(t, k);
    if (!y) return c;
    const double *lower = term_at(g->lower, g->bounds_stride, k),
                 *upper = term_at(g->upper, g->bounds_stride, k);
    const double low = lower ? lower[i] : -INFINITY, high = upper ? upper[i] : INFINITY;
    const double s = beyond(r + y[i] / t->penalty, low, high);
    c.gradient += t->penalty * s;
    c.hessian += s != 0 || low == high ? t->penalty : 0;
    c.value += 0.5 * (t->penalty * s * s - y[i] * y[i] / t->penalty);
    c.violation = fabs(beyond(r, low, high));
    return c;
}

static int cost_user(const arne_oc *oc, const oc_term *t, const at_knot *at, double *value,
                     double *gradient, double *hessian)
{
    const arne_oc_knot knot = {at->k, at->x, at->x + oc->nq, at->u};
    return t->given.cost(t->given.context, &knot, value, gradient, hessian);
}

static double cost_weight(const arne_oc *oc, const oc_term *t)
{
    return term_scale(oc, t) * (t->given.weight != 0 ? t->given.weight : 1);
}

static int term_is_here(const oc_term *t, int k) { return k >= t->first && k <= t->last; }

// The cost of the rows in oc->r of a term without bounds.
static double squares(const arne_oc *oc, const oc_term *t, int k)
{
    const double *w = term_at(t->given.weights, t->given.weights_stride, k);
    double        sum = 0;
    for (int i = 0; i < t->rows; i++)
        sum += (w ? w[i] : 1) * oc->r[i] * oc->r[i];
    return 0.5 * term_scale(oc, t) * t->given.weight * sum;
}

int terms_value(arne_oc *oc, int k, const double *x, const double *u, const double *p,
                double *merit, double *plain, double *violation)
{
    const at_knot at = {k, x, u, p};
    forget_state(oc);
    for (const oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++) {
        if (!term_is_here(t, k)) continue;
        if (t->given.quantity == ARNE_OC_COST) {
            double value = 0;
            if (cost_user(oc, t, &at, &value, NULL, NULL)) return 1;
            *merit += cost_weight(oc, t) * value;
            *plain += cost_weight(oc, t) * value;
            continue;
        }
        if (term_residual(oc, t, &at, oc->r, NULL)) return 1;
        if (!t->multipliers) {
            const double sum = squares(oc, t, k);
            *merit += sum;
            *plain += sum;
            continue;
        }
        for (int i = 0; i < t->rows; i++) {
            const row_cost c = row_value(oc, t, k, i, oc->r[i]);
            *merit += c.value;
            *plain += c.plain;
            *violation = fmax(*violation, c.violation);
        }
    }
    return !isfinite(*merit);
}

static int expand_user(arne_oc *oc, const oc_term *t, const at_knot *at, double *z, double *Q)
{
    const int    n2 = 2 * oc->n, all = n2 + oc->nu, width = at->u ? all : n2;
    double      *gradient = oc->user, *hessian = gradient + all, value = 0;
    const double weight = cost_weight(oc, t);
    memset(gradient, 0, (size_t)(all * (all + 1)) * sizeof *gradient);
    if (cost_user(oc, t, at, &value, gradient, hessian)) return 1;
    for (int i = 0; i < width; i++) {
        const int row = i < n2 ? i : oc->nx + i - n2;
        z[row] += weight * gradient[i];
        for (int j = 0; j <= i; j++)
            Q[row * oc->ldz + (j < n2 ? j : oc->nx + j - n2)] += weight * hessian[i * all + j];
    }
    return 0;
}

// Adds the symmetric part of d(J^T g)/dq, by central differences with g kept.
static int expand_curvature(arne_oc *oc, const oc_term *t, const at_knot *at, const double *g,
                            double *Q)
{
    const int n = oc->n, nz = at->u ? oc->nz : oc->nx;
    double   *x = oc->F, *along = x + oc->sx, *side[2] = {along + n, along + n + oc->nz};
    memcpy(x, at->x, (size_t)oc->sx * sizeof *x);
    for (int j = 0; j < n; j++) {
        for (int s = 0; s < 2; s++) {
            const at_knot moved = {at->k, x, at->u, at->p};
            memset(along, 0, (size_t)n * sizeof *along);
            along[j] = s ? DIFFERENCE_STEP : -DIFFERENCE_STEP;
            arne_integrate(oc->robot, at->x, along, x);
            forget_state(oc);
            if (term_residual(oc, t, &moved, oc->r, oc->J)) return 1;
            memset(side[s], 0, (size_t)oc->nz * sizeof *x);
            for (int i = 0; i < t->rows; i++)
                for (int c = 0; c < nz; c++)
                    side[s][c] += g[i] * oc->J[i * oc->ldz + c];
        }
        for (int c = 0; c < nz; c++) {
            const double d = (side[1][c] - side[0][c]) / (2 * DIFFERENCE_STEP);
            if (c >= n)
                Q[c * oc->ldz + j] += d;
            else
                Q[(c > j ? c : j) * oc->ldz + (c > j ? j : c)] += c == j ? d : 0.5 * d;
        }
    }
    forget_state(oc);
    return 0;
}

// States and controls of joints that add: the Jacobian is the identity.
static void expand_diagonal(arne_oc *oc, const oc_term *t, int k, double *z, double *Q)
{
    const int first = t->given.quantity == ARNE_OC_CONTROL ? oc->nx : 0;
    for (int i = 0; i < t->rows; i++) {
        const row_cost c = row_value(oc, t, k, i, oc->r[i]);
        z[first + i] += c.gradient;
        Q[(first + i) * oc->ldz + first + i] += c.hessian;
    }
}

static int expand_term(arne_oc *oc, const oc_term *t, const at_knot *at, int exact, double *z,
                       double *Q)
{
    const arne_oc_quantity quantity = t->given.quantity;
    const int              depends = quantity_depends(quantity);
    const int simple = quantity == ARNE_OC_CONTROL || (quantity == ARNE_OC_STATE && oc->plain);
    if (term_residual(oc, t, at, oc->r, simple ? NULL : oc->J)) return 1;
    if (simple) {
        expand_diagonal(oc, t, at->k, z, Q);
        return 0;
    }
    const int width = depends == ON_Q            ? oc->n
                      : depends == (ON_Q | ON_V) ? 2 * oc->n
                      : at->u                    ? oc->nz
                                                 : oc->nx;
    int       kept = 0;
    for (int i = 0; i < t->rows; i++) {
        const row_cost c = row_value(oc, t, at->k, i, oc->r[i]);
        const double  *J = oc->J + i * oc->ldz;
        oc->g[i] = c.gradient;
        if (c.gradient == 0 && c.hessian == 0) continue;
        double *from = oc->J + kept * oc->ldz, *scaled = oc->hJ + kept * oc->ldz;
        kept++;
        for (int m = 0; m < width; m++) {
            z[m] += c.gradient * J[m];
            scaled[m] = c.hessian * J[m];
        }
        if (from != J) memmove(from, J, (size_t)oc->ldz * sizeof *from);
        memset(scaled + width, 0, (size_t)(oc->ldz - width) * sizeof *scaled);
    }
    matrix_add_product(oc->robot, width, width, kept, oc->J, oc->ldz, oc->hJ, oc->ldz, Q, oc->ldz,
                       1, 1);
    if (!exact || !quantity_is_smooth(quantity) || !kept) return 0;
    return expand_curvature(oc, t, at, oc->g, Q);
}

int terms_expand(arne_oc *oc, int k, const double *x, const double *u, const double *p, int exact,
                 double *z, double *Q)
{
    const at_knot at = {k, x, u, p};
    forget_state(oc);
    for (const oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++) {
        if (!term_is_here(t, k)) continue;
        if (t->given.quantity == ARNE_OC_COST ? expand_user(oc, t, &at, z, Q)
                                              : expand_term(oc, t, &at, exact, z, Q))
            return 1;
    }
    return 0;
}

void terms_set_penalty(arne_oc *oc, double penalty)
{
    for (oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++) {
        t->penalty = penalty;
        t->violation = INFINITY;
    }
}

static int term_update(arne_oc *oc, oc_term *t, int k, double *violation)
{
    const double *u = k < oc->N ? oc->controls + (ptrdiff_t)k * oc->nu : NULL;
    const at_knot at = {k, oc->states + (ptrdiff_t)k * oc->sx, u, oc_before(oc, k)};
    const double *lower = term_at(t->given.lower, t->given.bounds_stride, k),
                 *upper = term_at(t->given.upper, t->given.bounds_stride, k);
    double *y = multipliers_at(t, k);
    forget_state(oc);
    if (term_residual(oc, t, &at, oc->r, NULL)) return 1;
    for (int i = 0; i < t->rows; i++) {
        const double low = lower ? lower[i] : -INFINITY, high = upper ? upper[i] : INFINITY;
        y[i] = t->penalty * beyond(oc->r[i] + y[i] / t->penalty, low, high);
        *violation = fmax(*violation, fabs(beyond(oc->r[i], low, high)));
    }
    return 0;
}

double terms_update_multipliers(arne_oc *oc, int harder)
{
    double most = 0;
    for (oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++) {
        double violation = 0;
        if (!t->multipliers) continue;
        for (int k = t->first; k <= t->last; k++)
            if (term_update(oc, t, k, &violation)) return -1;
        if (harder && violation > VIOLATION_DROP * t->violation) t->penalty *= PENALTY_FACTOR;
        t->violation = violation;
        most = fmax(most, t->penalty);
    }
    return most;
}

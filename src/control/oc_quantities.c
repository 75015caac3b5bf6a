// Quantities of a knot with their Jacobians: states, controls, frames, centre of mass, momentum,
// and functions of the caller. Those that need accelerations are in oc_forces.c.
#include "control/oc_terms.h"
#include "math/vectors.h"
#include <arne/configuration.h>
#include <arne/derivatives.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

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
    case ARNE_OC_FRICTION:
        return 3;
    case ARNE_OC_RESIDUAL:
        return t->rows;
    case ARNE_OC_COST:
        return 0;
    case ARNE_OC_TORQUE:
        return oc->driven_count;
    default:
        return (int)t->quantity == OC_UNDRIVEN ? oc->n - oc->driven_count : 6;
    }
}

int quantity_depends(arne_oc_quantity quantity)
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

const double *quantity_at(const double *array, ptrdiff_t stride, int k)
{
    return array ? array + stride * k : NULL;
}

const double *quantity_normal(const double *ref)
{
    static const double up[3] = {0, 0, 1};
    return ref ? ref + 1 : up;
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

// A^-1 X
static arne_pose pose_between(const arne_pose *A, const arne_pose *X)
{
    const arne_vec3 p = {X->p.x - A->p.x, X->p.y - A->p.y, X->p.z - A->p.z};
    return (arne_pose){{into3(&A->R, X->R.x), into3(&A->R, X->R.y), into3(&A->R, X->R.z)},
                       into3(&A->R, p)};
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

void quantity_subtract(int n, const double *from, const double *ref, double *r)
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
    quantity_subtract(6, now, ref, r);
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
    quantity_subtract(3, now, ref, r);
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
    quantity_subtract(6, now, ref, r);
    if (!J) return;
    const arne_momentum_derivatives out = {.dmomentum_dq = dq, .dmomentum_dqd = dv};
    memset(rest, 0, (size_t)oc->n * sizeof *rest);
    arne_centroidal_derivatives(oc->robot, oc->work, q, v, rest, NULL, &out);
    rows_place(oc, 6, dq, J, 0);
    rows_place(oc, 6, dv, J, oc->n);
}

static int residual_user(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref,
                         double *r, double *J)
{
    const int          n2 = 2 * oc->n, width = n2 + (at->u ? oc->nu : 0), rows = t->rows;
    const arne_oc_knot knot = {at->k, at->x, at->x + oc->nq, at->u};
    const int          stride = n2 + oc->nu;
    if (J) memset(oc->user, 0, (size_t)rows * (size_t)stride * sizeof *J);
    if (t->given.residual(t->given.context, &knot, r, J ? oc->user : NULL)) return 1;
    quantity_subtract(rows, r, ref, r);
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
void quantity_forget(arne_oc *oc)
{
    forget_frames(oc);
    oc->forced = 0;
}

int quantity_rows(arne_oc *oc, const oc_term *t, const at_knot *at, double *r, double *J)
{
    const arne_oc_quantity what = t->given.quantity;
    if (what >= ARNE_OC_VELOCITY) forget_frames(oc); // their functions use the workspace
    const double *ref = quantity_at(t->given.reference, t->given.reference_stride, at->k);
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
        return force_wrench(oc, t, at, ref, r, J);
    case ARNE_OC_FORCE:
        return force_rows(oc, t, at, ref, r, J);
    case ARNE_OC_FRICTION:
        return force_friction(oc, t, at, ref, r, J);
    case ARNE_OC_RESIDUAL:
        return residual_user(oc, t, at, ref, r, J);
    default:
        force_torque(oc, t, at, ref, r, J);
        return 0;
    }
}

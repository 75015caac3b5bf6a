// The Riccati recursion over the horizon. From the last knot back, with V of the next knot:
//
//     Q  = L_zz + F^T V F (+ V_x . f_zz)      q = L_z + F^T (V_x + V gap)       z = (x, u)
//     k  = -Q_uu^-1 q_u,  K = -Q_uu^-1 Q_ux   (of free controls; others step to bounds)
//     V  = Q_xx + Q_xu K,  V_x = q_x + Q_xu k
//
// Symplectic Euler has F = T (1 + [0; G; 0]) with G = h (a_q, a_v, a_tau B): see oc_dynamics.c. T
// adds multiples of rows, so that the products are W = V'_vv G and P^T G + G^T P, where V' = T^T V
// T and P = V'_v + W/2: about 12 n^3 + 10 n^2 nu operations, a third of a dense F.
#include "control/matrix.h"
#include "control/oc.h"
#include "math/box_qp.h"
#include "math/dense_row.h"
#include "robot/kernel.h"
#include <math.h>

// ---- T: dq+ = Ad dq + h Jr dv+ ----

// x <- T^T x
static void vector_turn(const arne_oc *oc, double *x)
{
    const int n = oc->n;
    for (int i = 0; i < n; i++)
        x[n + i] += oc->h * x[i];
    for (const curved *c = oc->bends; c < oc->bends + oc->bend_count; c++) {
        double was[6];
        memcpy(was, x + c->v, (size_t)c->count * sizeof *was);
        for (int i = 0; i < c->count; i++) {
            double back = 0, right = -was[i]; // of which h times was added above
            for (int m = 0; m < c->count; m++) {
                back += c->back[m * c->count + i] * was[m];
                right += c->right[m * c->count + i] * was[m];
            }
            x[c->v + i] = back;
            x[n + c->v + i] += oc->h * right;
        }
    }
}

// Rows of a curved joint: q (count rows of ld) become Ad^T q, and h (Jr^T - 1) q is added to v.
static void riccati_bend_rows(const arne_oc *oc, const curved *c, int width, int ld, double *q,
                              double *v)
{
    double *was = oc->bend_room;
    for (int i = 0; i < c->count; i++)
        memcpy(was + i * oc->ldx, q + i * ld, (size_t)width * sizeof *was);
    for (int i = 0; i < c->count; i++) {
        matrix_row_scale(width, q + i * ld, c->back[i * c->count + i]);
        matrix_row_add(width, v + i * ld, oc->h * (c->right[i * c->count + i] - 1),
                       was + i * oc->ldx);
        for (int m = 0; m < c->count; m++) {
            if (m == i) continue;
            matrix_row_add(width, q + i * ld, c->back[m * c->count + i], was + m * oc->ldx);
            matrix_row_add(width, v + i * ld, oc->h * c->right[m * c->count + i],
                           was + m * oc->ldx);
        }
    }
}

// The columns from `first` on, as rows, and back.
static void columns_take(const arne_oc *oc, int first, int count, double *rows)
{
    for (int i = 0; i < oc->nx; i++)
        for (int m = 0; m < count; m++)
            rows[m * oc->ldx + i] = oc->V[i * oc->ldx + first + m];
}
static void columns_put(const arne_oc *oc, int first, int count, const double *rows)
{
    for (int i = 0; i < oc->nx; i++)
        for (int m = 0; m < count; m++)
            oc->V[i * oc->ldx + first + m] = rows[m * oc->ldx + i];
}

// V <- T^T V T
static void value_turn(arne_oc *oc)
{
    const int n = oc->n, ld = oc->ldx;
    double   *V = oc->V;
    for (int i = 0; i < n; i++)
        matrix_row_add(oc->nx, V + (n + i) * ld, oc->h, V + i * ld);
    for (int i = 0; i < oc->nx; i++)
        matrix_row_add_exact(n, V + i * ld + n, oc->h, V + i * ld);
    for (const curved *c = oc->bends; c < oc->bends + oc->bend_count; c++) {
        double *q = oc->bend_room + 6 * ld, *v = q + 6 * ld;
        riccati_bend_rows(oc, c, ld, ld, V + c->v * ld, V + (n + c->v) * ld);
        columns_take(oc, c->v, c->count, q);
        columns_take(oc, n + c->v, c->count, v);
        riccati_bend_rows(oc, c, ld, ld, q, v);
        columns_put(oc, c->v, c->count, q);
        columns_put(oc, n + c->v, c->count, v);
    }
}

// ---- one knot: Q and q ----

// The place in z of entry i of the next state: the control before the next knot is this one.
static int place_in_z(const arne_oc *oc, int i)
{
    return i < 2 * oc->n ? i : oc->nx + i - 2 * oc->n;
}

// G into the rows after P.
static double *gains_of_velocity(arne_oc *oc, int k)
{
    const int     n = oc->n, ld = oc->ldz;
    const double *aq = oc->a_q + (ptrdiff_t)k * n * n, *av = oc->a_v + (ptrdiff_t)k * n * n,
                 *at = oc->a_t + (ptrdiff_t)k * n * n;
    double *G = oc->PGP + n * ld;
    for (int i = 0; i < n; i++) {
        double *row = G + i * ld;
        matrix_row_set_exact(n, row, oc->h, aq + i * n);
        matrix_row_set_exact(n, row + n, oc->h, av + i * n);
        double *u = row + oc->nx;
        for (int j = 0; j < oc->nu; j++) {
            if (oc->drive) {
                u[j] = oc->h * at[i * n + oc->drive[j]];
                continue;
            }
            u[j] = 0;
            for (int m = 0; m < n; m++)
                u[j] += oc->h * at[i * n + m] * oc->B[m * oc->nu + j];
        }
    }
    return G;
}

// z += F^T (T^-T x) for x that T has turned.
static void pull_back(const arne_oc *oc, const double *G, const double *x, double *z)
{
    for (int i = 0; i < oc->nx; i++)
        z[place_in_z(oc, i)] += x[i];
    for (int i = 0; i < oc->n; i++)
        matrix_row_add(oc->nz, z, x[oc->n + i], G + i * oc->ldz);
}

static void add_structured(arne_oc *oc, const double *G)
{
    const int n = oc->n, ld = oc->ldz, ldv = matrix_padded(n);
    double   *P = oc->PGP, *V = oc->V;
    for (int i = 0; i < n; i++) {
        const double *row = V + (n + i) * oc->ldx;
        memcpy(P + i * ld, row, (size_t)(2 * n) * sizeof *P);
        if (oc->rate) {
            memset(P + i * ld + 2 * n, 0, (size_t)oc->nu * sizeof *P);
            memcpy(P + i * ld + oc->nx, row + 2 * n, (size_t)oc->nu * sizeof *P);
        } else
            memset(P + i * ld + 2 * n, 0, (size_t)(ld - 2 * n) * sizeof *P);
        memcpy(oc->Vv + i * ldv, row + n, (size_t)n * sizeof *P);
    }
    matrix_product(n, oc->nz, n, oc->Vv, ldv, G, ld, P, ld, 0.5, 0);
    memcpy(P + 2 * n * ld, P, (size_t)(n * ld) * sizeof *P);
    matrix_product(oc->nz, oc->nz, 2 * n, P, ld, P + n * ld, ld, oc->Q, ld, 1, 1);
    // What is added above the diagonal is never read.
    for (int i = 0; i < 2 * n; i++)
        matrix_row_add(i + 1, oc->Q + i * ld, 1, V + i * oc->ldx);
    for (int i = 2 * n; i < oc->nx; i++)
        for (int j = 0; j <= i; j++)
            oc->Q[place_in_z(oc, i) * ld + place_in_z(oc, j)] += V[i * oc->ldx + j];
}

static int expand_euler(arne_oc *oc, int k)
{
    const double *v = oc->states + (ptrdiff_t)k * oc->sx + oc->nq,
                 *a = oc->a + (ptrdiff_t)k * oc->n;
    if (!oc->plain) {
        for (int i = 0; i < oc->n; i++)
            oc->t[i] = oc->h * (v[i] + oc->h * a[i]);
        tangent_at(oc->bends, oc->bend_count, oc->t);
    }
    const double *G = gains_of_velocity(oc, k);
    value_turn(oc);
    vector_turn(oc, oc->Vx);
    vector_turn(oc, oc->costate);
    pull_back(oc, G, oc->Vx, oc->z);
    pull_back(oc, G, oc->costate, oc->own);
    add_structured(oc, G);
    return 0;
}

static int expand_dense(arne_oc *oc, int k)
{
    const int     ld = oc->ldz;
    double       *W = oc->L;
    const double *F = oc_dense(oc, k);
    memset(W, 0, (size_t)((oc->nx + 3) * ld) * sizeof *W);
    matrix_product(oc->nx, oc->nz, oc->nx, oc->V, oc->ldx, F, ld, W, ld, 1, 0);
    matrix_product(oc->nz, oc->nz, oc->nx, F, ld, W, ld, oc->Q, ld, 1, 1);
    for (int i = 0; i < oc->nx; i++) {
        matrix_row_add(oc->nz, oc->z, oc->Vx[i], F + i * ld);
        matrix_row_add(oc->nz, oc->own, oc->costate[i], F + i * ld);
    }
    return 0;
}

// ---- one knot: controls ----

// L L^T = Q_uu of the free controls, with L^T in the rows of U from the diagonal on, and the
// inverse of the diagonal. The last column has the diagonal of Q_uu. Returns 0 where Q_uu is not
// positive definite.
static int factor_free(int m, double *U, int ld)
{
    static const double PART = 1e-14; // of the diagonal that must be left
    for (int i = 0; i < m; i++) {
        double *row = U + i * ld;
        if (!(row[i] > PART * fabs(row[ld - 1]))) return 0;
        const double inverse = 1 / sqrt(row[i]);
        matrix_row_scale(m - i, row + i, inverse);
        row[i] = inverse;
        for (int r = i + 1; r < m; r++)
            matrix_row_add(m - r, U + r * ld + r, -row[r], row + r);
    }
    return 1;
}

// The free controls' rows of Q_uu, Q_ux and the gradient after the step of those that are not.
static int gather_free(arne_oc *oc, const double *step)
{
    const int nx = oc->nx, ld = oc->ldz;
    int       m = 0;
    for (int i = 0, row = 0; i < oc->nu; i++) {
        const double *Qi = oc->Q + (nx + i) * ld;
        if (!oc->is_free[i]) continue;
        double *U = oc->U + row * oc->ldu;
        memcpy(oc->R + row * oc->ldx, Qi, (size_t)nx * sizeof *Qi);
        oc->y[row] = oc->z[nx + i];
        U[oc->ldu - 1] = Qi[nx + i];
        for (int j = i, column = row; j < oc->nu; j++)
            if (oc->is_free[j]) U[column++] = oc->Q[(nx + j) * ld + nx + i];
        for (int j = 0; j < oc->nu; j++)
            if (!oc->is_free[j])
                oc->y[row] += step[j] * (j <= i ? Qi[nx + j] : oc->Q[(nx + j) * ld + nx + i]);
        row++;
        m = row;
    }
    return m;
}

// R <- L^-1 R, y <- L^-1 y
static void solve_forward(const arne_oc *oc, int m)
{
    const int ldu = oc->ldu;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < i; j++) {
            const double l = oc->U[j * ldu + i];
            matrix_row_add(oc->nx, oc->R + i * oc->ldx, -l, oc->R + j * oc->ldx);
            oc->y[i] -= l * oc->y[j];
        }
        matrix_row_scale(oc->nx, oc->R + i * oc->ldx, oc->U[i * ldu + i]);
        oc->y[i] *= oc->U[i * ldu + i];
    }
}

// R <- L^-T R, y <- L^-T y
static void solve_back(const arne_oc *oc, int m)
{
    const int ldu = oc->ldu;
    for (int i = m - 1; i >= 0; i--) {
        const double *U = oc->U + i * ldu;
        for (int j = i + 1; j < m; j++) {
            matrix_row_add(oc->nx, oc->R + i * oc->ldx, -U[j], oc->R + j * oc->ldx);
            oc->y[i] -= U[j] * oc->y[j];
        }
        matrix_row_scale(oc->nx, oc->R + i * oc->ldx, U[i]);
        oc->y[i] *= U[i];
    }
}

// Factor and forward solution for the controls that are free. Returns 0 where Q_uu is indefinite.
static int solve_free(arne_oc *oc, const double *step, int *count)
{
    *count = gather_free(oc, step);
    if (!factor_free(*count, oc->U, oc->ldu)) return 0;
    solve_forward(oc, *count);
    return 1;
}

// Whether the step of all controls together, -L^-T y, stays within the bounds.
static int step_is_inside(const arne_oc *oc, int k)
{
    const double *u = oc->controls + (ptrdiff_t)k * oc->nu;
    double       *d = oc->box;
    for (int i = oc->nu - 1; i >= 0; i--) {
        d[i] = -oc->y[i];
        for (int j = i + 1; j < oc->nu; j++)
            d[i] -= oc->U[i * oc->ldu + j] * d[j];
        d[i] *= oc->U[i * oc->ldu + i];
    }
    for (int i = 0; i < oc->nu; i++)
        if (u[i] + d[i] < oc->lower[i] || u[i] + d[i] > oc->upper[i]) return 0;
    return 1;
}

// Which controls are free, and the step of the others, by the box-constrained program.
static int choose_free(arne_oc *oc, int k, double *step)
{
    const int     nu = oc->nu, nx = oc->nx;
    const double *u = oc->controls + (ptrdiff_t)k * nu;
    double       *low = oc->box, *high = low + nu, *room = high + nu;
    for (int i = 0; i < nu; i++) {
        low[i] = oc->lower[i] - u[i];
        high[i] = oc->upper[i] - u[i];
        for (int j = 0; j <= i; j++)
            oc->H[i * nu + j] = oc->H[j * nu + i] = oc->Q[(nx + i) * oc->ldz + nx + j];
    }
    return box_qp(nu, oc->H, oc->z + nx, low, high, step, oc->is_free, room);
}

// V and V_x of this knot from Q, q, R, y.
static void value_update(arne_oc *oc, int m, const double *step)
{
    const int nx = oc->nx;
    for (int i = 0; i < nx; i++) {
        memcpy(oc->V + i * oc->ldx, oc->Q + i * oc->ldz, (size_t)(i + 1) * sizeof *oc->V);
        oc->Vx[i] = oc->z[i];
    }
    matrix_product(nx, nx, m, oc->R, oc->ldx, oc->R, oc->ldx, oc->V, oc->ldx, -1, 1);
    matrix_mirror(oc->ldx, 1, oc->V);
    for (int i = 0; i < oc->nu; i++)
        for (int j = 0; j < nx && !oc->is_free[i]; j++)
            oc->Vx[j] += oc->Q[(nx + i) * oc->ldz + j] * step[i];
    for (int i = 0; i < m; i++)
        matrix_row_add(nx, oc->Vx, -oc->y[i], oc->R + i * oc->ldx);
}

static void keep_gains(arne_oc *oc, int k, double *step)
{
    const int nu = oc->nu, nx = oc->nx;
    double   *K = oc->K + (ptrdiff_t)k * nu * nx;
    for (int i = 0, row = 0; i < nu; i++, K += nx) {
        if (!oc->is_free[i]) {
            memset(K, 0, (size_t)nx * sizeof *K);
            continue;
        }
        matrix_row_scale(nx, oc->R + row * oc->ldx, -1);
        memcpy(K, oc->R + row * oc->ldx, (size_t)nx * sizeof *K);
        step[i] = -oc->y[row++];
    }
}

// ---- sums ----

static void add_descent(const arne_oc *oc, int k, const double *step, oc_descent *out)
{
    const int     nu = oc->nu, nx = oc->nx;
    const double *u = oc->controls + (ptrdiff_t)k * nu;
    for (int i = 0; i < nu; i++) {
        const double *Qi = oc->Q + (nx + i) * oc->ldz + nx, g = oc->own[nx + i];
        double        sum = 0.5 * Qi[i] * step[i];
        for (int j = 0; j < i; j++)
            sum += Qi[j] * step[j];
        out->slope -= oc->z[nx + i] * step[i];
        out->curvature -= 2 * sum * step[i];
        double projected = u[i] - g;
        if (oc->bounded) projected = fmin(fmax(projected, oc->lower[i]), oc->upper[i]);
        projected = oc->bounded ? u[i] - projected : g;
        out->gradient = fmax(out->gradient, fabs(projected));
    }
}

// Regularises V, and lets V_x look across the gap before knot k.
static void value_finish(arne_oc *oc, int k, oc_descent *out)
{
    const int     nx = oc->nx;
    const double *f = oc->gaps + (ptrdiff_t)k * nx;
    double       *Vf = oc->Vf + (ptrdiff_t)k * nx;
    for (int i = 0; i < nx; i++)
        oc->V[i * (oc->ldx + 1)] += oc->reg;
    if (oc->feasible) return;
    double *sum = oc->bend_room;
    memset(sum, 0, (size_t)oc->ldx * sizeof *sum);
    for (int j = 0; j < nx; j++)
        matrix_row_add(nx, sum, f[j], oc->V + j * oc->ldx);
    memcpy(Vf, sum, (size_t)nx * sizeof *Vf);
    for (int i = 0; i < nx; i++) {
        oc->Vx[i] += Vf[i];
        out->pull = fmax(out->pull, fabs(oc->Vx[i]));
        out->slope -= oc->Vx[i] * f[i];
        out->curvature += f[i] * Vf[i];
    }
}

static int expand_terms(arne_oc *oc, int k, int exact)
{
    const double *u = k < oc->N ? oc->controls + (ptrdiff_t)k * oc->nu : NULL;
    memset(oc->Q, 0, (size_t)((oc->nz + 3) * oc->ldz) * sizeof *oc->Q);
    memset(oc->z, 0, (size_t)oc->ldz * sizeof *oc->z);
    if (terms_expand(oc, k, oc->states + (ptrdiff_t)k * oc->sx, u, oc_before(oc, k), exact, oc->z,
                     oc->Q))
        return 1;
    memcpy(oc->own, oc->z, (size_t)oc->ldz * sizeof *oc->z);
    return 0;
}

static int riccati_knot(arne_oc *oc, int k, int exact, oc_descent *out)
{
    const int nu = oc->nu, nx = oc->nx;
    double   *step = oc->k + (ptrdiff_t)k * nu;
    if (expand_terms(oc, k, exact)) return RICCATI_FAILED;
    if (exact && dynamics_curvature(oc, k, oc->Vx, oc->Q)) return RICCATI_FAILED;
    if (oc_is_structured(oc, k) ? expand_euler(oc, k) : expand_dense(oc, k)) return RICCATI_FAILED;
    for (int i = 0; i < nu; i++)
        oc->Q[(nx + i) * (oc->ldz + 1)] += oc->reg;
    int m;
    memset(oc->is_free, 1, (size_t)nu);
    const int definite = solve_free(oc, step, &m);
    if (!oc->bounded && !definite) return RICCATI_INDEFINITE;
    if (oc->bounded && !(definite && step_is_inside(oc, k)) &&
        !(choose_free(oc, k, step) && solve_free(oc, step, &m)))
        return RICCATI_INDEFINITE;
    if (oc->spreading) penalty_keep(oc, k, m);
    value_update(oc, m, step);
    solve_back(oc, m);
    keep_gains(oc, k, step);
    add_descent(oc, k, step, out);
    memcpy(oc->costate, oc->own, (size_t)nx * sizeof *oc->costate);
    value_finish(oc, k, out);
    return RICCATI_OK;
}

KERNEL(int, riccati_run, (const arne_robot *robot, arne_oc *oc, int exact, oc_descent *out),
       (robot, oc, exact, out))
{
    (void)robot;
    *out = (oc_descent){0, 0, 0, 0};
    if (expand_terms(oc, oc->N, exact)) return RICCATI_FAILED;
    for (int i = 0; i < oc->nx; i++)
        memcpy(oc->V + i * oc->ldx, oc->Q + i * oc->ldz, (size_t)(i + 1) * sizeof *oc->V);
    matrix_mirror(oc->ldx, 1, oc->V);
    memcpy(oc->Vx, oc->z, (size_t)oc->nx * sizeof *oc->z);
    memcpy(oc->costate, oc->z, (size_t)oc->nx * sizeof *oc->z);
    value_finish(oc, oc->N, out);
    for (int k = oc->N - 1; k >= 0; k--) {
        const int status = riccati_knot(oc, k, exact, out);
        if (status) return status;
    }
    return RICCATI_OK;
}

KERNEL(void, riccati_control,
       (const arne_robot *robot, const arne_oc *oc, int k, double length, const double *dx,
        double *u),
       (robot, oc, k, length, dx, u))
{
    (void)robot;
    const int     nu = oc->nu, nx = oc->nx;
    const double *was = oc->controls + (ptrdiff_t)k * nu, *step = oc->k + (ptrdiff_t)k * nu;
    const double *K = oc->K + (ptrdiff_t)k * nu * nx;
    for (int i = 0; i < nu; i++, K += nx) {
        double sum = was[i] + length * step[i];
        if (!oc->open_loop) sum += matrix_row_dot(nx, K, dx);
        u[i] = oc->bounded ? fmin(fmax(sum, oc->lower[i]), oc->upper[i]) : sum;
    }
}

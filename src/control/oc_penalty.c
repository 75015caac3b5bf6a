// First penalties of bounds, from how far costs and dynamics let the bounded quantities move.
//
// The inverse Hessian of the horizon's costs (Gauss-Newton, dynamics linear) is the covariance of
//     u = K x + w,  cov(w) = Q_uu^-1,  x+ = F (x, u),  x_0 given,
// so that one pass forward finds S = J cov(x, u) J^T of every bounded row: a multiplier y moves it
// by -S y. With the penalty rho = KAPPA / S an update of multipliers leaves a part 1 / (1 + KAPPA)
// of a violation, whatever the units and weights are. A term has one penalty: S is the geometric
// mean over its rows and knots.
#include "control/oc_solve.h"
#include "control/oc_terms.h"
#include <math.h>
#include <string.h>

static const double KAPPA = 100;
static const double WITHOUT = 10; // where nothing can be said
// A tick has one update of multipliers, and a robot whose foot slips meanwhile falls: cones are
// stiffer. With 10 and 100 the trotting quadruped stands its pushes, with 1 and 1000 it falls.
// Other bounds, as of speeds, follow their multipliers better as they are.
static const double TICK_CONES = 30;

void penalty_keep(arne_oc *oc, int k, int count)
{
    const int     nu = oc->nu, ld = oc->ldu;
    const double *U = oc->U;
    double       *W = oc->spread + (ptrdiff_t)k * nu * nu, *y = oc->box;
    memset(W, 0, (size_t)(nu * nu) * sizeof *W);
    for (int c = 0, column = 0; c < nu; c++) {
        if (!oc->is_free[c]) continue;
        for (int i = 0; i < count; i++) {
            y[i] = i == column;
            for (int j = 0; j < i; j++)
                y[i] -= U[j * ld + i] * y[j];
            y[i] *= U[i * ld + i];
        }
        for (int i = count - 1; i >= 0; i--) {
            for (int j = i + 1; j < count; j++)
                y[i] -= U[i * ld + j] * y[j];
            y[i] *= U[i * ld + i];
        }
        for (int r = 0, row = 0; r < nu; r++)
            if (oc->is_free[r]) W[r * nu + c] = y[row++];
        column++;
    }
}

// cov(x, u) from cov(x), in the leading block of C (rows of ldz).
static void spread_controls(const arne_oc *oc, int k, double *C)
{
    const int     nx = oc->nx, nu = oc->nu, ld = oc->ldz;
    const double *K = oc->K + (ptrdiff_t)k * nu * nx, *W = oc->spread + (ptrdiff_t)k * nu * nu;
    for (int i = 0; i < nu; i++)
        for (int j = 0; j < nx; j++) {
            double sum = 0;
            for (int m = 0; m < nx; m++)
                sum += K[i * nx + m] * C[m * ld + j];
            C[(nx + i) * ld + j] = C[j * ld + nx + i] = sum;
        }
    for (int i = 0; i < nu; i++)
        for (int j = 0; j < nu; j++) {
            double sum = W[i * nu + j];
            for (int m = 0; m < nx; m++)
                sum += C[(nx + i) * ld + m] * K[j * nx + m];
            C[(nx + i) * ld + nx + j] = sum;
        }
}

// a^T C b of the first n entries
static double bilinear(int n, int ld, const double *a, const double *C, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && a[i] != 0; j++)
            sum += a[i] * C[i * ld + j] * b[j];
    return sum;
}

// C of the next knot: F C F^T
static int spread_step(arne_oc *oc, int k, double *C, double *next)
{
    const int nz = oc->nz, ld = oc->ldz;
    if (dynamics_dense(oc, k, oc->states + (ptrdiff_t)k * oc->sx,
                       oc->controls + (ptrdiff_t)k * oc->nu, oc->F))
        return 1;
    memset(next, 0, (size_t)(nz * ld) * sizeof *next);
    for (int i = 0; i < oc->nx; i++)
        for (int j = 0; j <= i; j++)
            next[i * ld + j] = next[j * ld + i] =
                bilinear(nz, ld, oc->F + i * ld, C, oc->F + j * ld);
    memcpy(C, next, (size_t)(nz * ld) * sizeof *C);
    return 0;
}

static int row_is_bounded(const oc_term *t, int k, int i)
{
    const double *lower = quantity_at(t->given.lower, t->given.bounds_stride, k),
                 *upper = quantity_at(t->given.upper, t->given.bounds_stride, k);
    return t->given.quantity == ARNE_OC_FRICTION || (lower && isfinite(lower[i])) ||
           (upper && isfinite(upper[i]));
}

// Adds log S of the rows of knot k to the sums of their terms.
static int spread_terms(arne_oc *oc, int k, const double *C)
{
    const double *u = k < oc->N ? oc->controls + (ptrdiff_t)k * oc->nu : NULL;
    const at_knot at = {k, oc->states + (ptrdiff_t)k * oc->sx, u, oc_before(oc, k)};
    quantity_forget(oc);
    for (oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++) {
        if (!t->multipliers || k < t->first || k > t->last) continue;
        if (quantity_rows(oc, t, &at, oc->r, oc->J)) return 1;
        for (int i = 0; i < t->rows; i++) {
            const double *J = oc->J + i * oc->ldz;
            const double  S = bilinear(u ? oc->nz : oc->nx, oc->ldz, J, C, J);
            if (!(S > 0) || !row_is_bounded(t, k, i)) continue;
            t->spread += log(S);
            t->spread_count++;
        }
    }
    return 0;
}

static int spread_run(solve *s)
{
    arne_oc     *oc = s->oc;
    oc_descent   d;
    const double reg = oc->reg;
    double      *C = oc->spread + (ptrdiff_t)oc->N * oc->nu * oc->nu,
           *next = C + (ptrdiff_t)oc->nz * oc->ldz;
    int status = dynamics_derive(oc) ? RICCATI_FAILED : RICCATI_INDEFINITE;
    oc->feasible = oc->spreading = 1;
    while (status == RICCATI_INDEFINITE && oc->reg <= s->o.most_regularisation) {
        status = riccati_run(oc->robot, oc, 0, &d);
        oc->reg = fmax(oc->reg, s->o.least_regularisation) * 10;
    }
    oc->spreading = 0;
    oc->reg = reg;
    if (status != RICCATI_OK) return 1;
    memset(C, 0, (size_t)(oc->nz * oc->ldz) * sizeof *C);
    for (int k = 0; k <= oc->N; k++) {
        if (k < oc->N) spread_controls(oc, k, C);
        if (spread_terms(oc, k, C) || (k < oc->N && spread_step(oc, k, C, next))) return 1;
    }
    return 0;
}

// KAPPA / S of each term, where it can be said.
static void penalties_find(solve *s)
{
    arne_oc *oc = s->oc;
    terms_set_penalty(oc, 0);
    for (oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++) {
        t->spread = 0;
        t->spread_count = 0;
    }
    const int failed = spread_run(s);
    terms_set_penalty(oc, WITHOUT);
    for (oc_term *t = oc->terms; t < oc->terms + oc->term_count && !failed; t++) {
        const double rho = t->spread_count ? KAPPA / exp(t->spread / t->spread_count) : 0;
        if (rho > 0 && isfinite(rho)) t->penalty_first = rho;
    }
    memset(oc->k, 0, (size_t)(oc->N * oc->nu) * sizeof *oc->k);
}

void oc_first_penalties(solve *s, int is_tick)
{
    arne_oc  *oc = s->oc;
    const int stiffer = is_tick && !(s->o.penalty > 0);
    if (!oc->penalised) penalties_find(s);
    oc->penalised = 1;
    for (oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++) {
        const int is_cone = t->given.quantity == ARNE_OC_FRICTION;
        t->penalty = (stiffer && is_cone ? TICK_CONES : 1) * t->penalty_first;
        t->violation = INFINITY;
    }
}

// Newton's method for the consistent estimate.
//
// A step solves (F^T F + B) d = -(F^T (F x - b) + g), with the gradient g and the Hessian B of what
// is beyond the data. Data can be a million times as strong as the prior, and bodies thin: so the
// step is found where B is plain, and as a least squares problem, in which nothing is squared. Of a
// link with P = L L^T the coordinates are those of a symmetric S, dP = L S L^T: there the Hessian
// of -log det P is the identity, however thin the body is. Of rotors they are parts of their size.
#include "identify/consistent.h"
#include "identify/least_squares.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = BODY_PARAMETERS };

typedef struct newton {
    const body_problem *p;
    double             *g, *B, *A, *b, *e, *d, *next;
    double             *T; // links x N x N: from S to parameters
} newton;

static int newton_new(newton *w, const body_problem *p)
{
    const size_t n = (size_t)p->count, rows = (size_t)p->rows + n, links = (size_t)p->links;
    w->p = p;
    w->g = malloc((4 * n + n * n + rows * n + rows + links * N * N) * sizeof(double));
    if (!w->g) return 0;
    w->e = w->g + n;
    w->d = w->e + n;
    w->next = w->d + n;
    w->B = w->next + n;
    w->A = w->B + n * n;
    w->b = w->A + rows * n;
    w->T = w->b + rows;
    return 1;
}

// ---- coordinates

// The symmetric matrices of length 1: (i, i), and (i, k) with (k, i).
static void body_newton_symmetric(int k, double E[16])
{
    static const int row[N] = {0, 1, 2, 3, 1, 2, 3, 2, 3, 3},
                     column[N] = {0, 1, 2, 3, 0, 0, 0, 1, 1, 2};
    memset(E, 0, 16 * sizeof *E);
    E[4 * row[k] + column[k]] = E[4 * column[k] + row[k]] = k < 4 ? 1 : sqrt(0.5);
}

static void body_newton_multiply(const double A[16], const double B[16], int turn_B, double out[16])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            double sum = 0;
            for (int c = 0; c < 4; c++)
                sum += A[4 * i + c] * B[turn_B ? 4 * k + c : 4 * c + k];
            out[4 * i + k] = sum;
        }
}

// T of a link; its distance to the prior, and the gradient of that by S. INFINITY outside.
static double enter_link(newton *w, const double *x, int link, double gradient[N])
{
    const body_problem *p = w->p;
    const double       *prior = p->inverse_prior + 16 * (ptrdiff_t)link;
    double             *T = w->T + (size_t)link * N * N;
    double              P[16], L[16], E[16], half[16], dP[16], W[16], pi[N], trace = 0;
    pseudo_inertia(x + (ptrdiff_t)N * link, P);
    if (!pseudo_factor(P, L)) return INFINITY;
    body_newton_multiply(prior, L, 0, half);
    for (int i = 0; i < 4; i++) // W = L^T P0^-1 L
        for (int k = 0; k < 4; k++) {
            W[4 * i + k] = 0;
            for (int c = 0; c < 4; c++)
                W[4 * i + k] += L[4 * c + i] * half[4 * c + k];
        }
    for (int i = 0; i < 4; i++)
        trace += W[5 * i];
    for (int k = 0; k < N; k++) {
        body_newton_symmetric(k, E);
        body_newton_multiply(L, E, 0, half);
        body_newton_multiply(half, L, 1, dP);
        from_pseudo_inertia(dP, pi);
        gradient[k] = 0;
        for (int i = 0; i < 16; i++)
            gradient[k] += E[i] * (p->trace * W[i] - p->log_det * (i % 5 == 0));
        for (int i = 0; i < N; i++)
            T[i * N + k] = pi[i];
    }
    return p->trace * trace - p->log_det * pseudo_log_det(L);
}

// y = T^T x of all coordinates, in place; stride: from one of x to the next.
static void to_coordinates(const newton *w, const double *at, double *x, size_t stride)
{
    const body_problem *p = w->p;
    for (int link = 0; link < p->links; link++) {
        const double *T = w->T + (size_t)link * N * N;
        double       *own = x + (size_t)(N * link) * stride, kept[N];
        for (int i = 0; i < N; i++)
            kept[i] = own[(size_t)i * stride];
        for (int k = 0; k < N; k++) {
            double sum = 0;
            for (int i = 0; i < N; i++)
                sum += T[i * N + k] * kept[i];
            own[(size_t)k * stride] = sum;
        }
    }
    for (int i = N * p->links; i < N * p->links + p->rotors; i++)
        x[(size_t)i * stride] *= at[i];
}

// d = T e.
static void from_coordinates(const newton *w, const double *at, const double *e, double *d)
{
    const body_problem *p = w->p;
    memcpy(d, e, (size_t)p->count * sizeof *d);
    for (int link = 0; link < p->links; link++) {
        const double *T = w->T + (size_t)link * N * N;
        for (int i = 0; i < N; i++) {
            d[N * link + i] = 0;
            for (int k = 0; k < N; k++)
                d[N * link + i] += T[i * N + k] * e[N * link + k];
        }
    }
    for (int i = N * p->links; i < N * p->links + p->rotors; i++)
        d[i] *= at[i];
}

// ---- a step

// L in place; a pivot that is nothing but rounding is none.
static void semidefinite_factor(size_t n, double *B)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++) {
            double sum = B[i * n + k];
            for (size_t c = 0; c < k; c++)
                sum -= B[i * n + c] * B[k * n + c];
            if (k < i)
                B[i * n + k] = B[k * n + k] > 0 ? sum / B[k * n + k] : 0;
            else
                B[i * n + i] = sum > 1e-13 * B[i * n + i] ? sqrt(sum) : 0;
        }
}

// Gradient and Hessian of all beyond the data, by coordinates; their value.
static double beyond_data(newton *w, const double *x)
{
    const body_problem *p = w->p;
    const size_t        n = (size_t)p->count;
    memset(w->g, 0, n * sizeof *w->g);
    memset(w->B, 0, n * n * sizeof *w->B);
    double value = body_others(p, x, w->g, w->B), own[N];
    for (int link = 0; link < p->links && isfinite(value); link++) {
        value += enter_link(w, x, link, own);
        memcpy(w->d + (ptrdiff_t)N * link, own, sizeof own);
    }
    if (!isfinite(value)) return INFINITY;
    to_coordinates(w, x, w->g, 1);
    for (size_t i = 0; i < n; i++)
        to_coordinates(w, x, w->B + i * n, 1);
    for (size_t i = 0; i < n; i++)
        to_coordinates(w, x, w->B + i, n);
    for (int i = 0; i < N * p->links; i++) {
        w->g[i] += w->d[i];
        w->B[(size_t)i * n + (size_t)i] += p->log_det;
    }
    return value;
}

// The step from x in w->d, the slope along it in *slope. INFINITY where x lies outside.
static double body_newton_newton_step(newton *w, const double *x, double *slope)
{
    const body_problem *p = w->p;
    const size_t        n = (size_t)p->count, data = (size_t)p->rows, rows = data + n;
    double              value = beyond_data(w, x);
    if (!isfinite(value)) return INFINITY;
    semidefinite_factor(n, w->B);
    memset(w->A, 0, rows * n * sizeof *w->A);
    for (size_t i = 0; i < data; i++) {
        const double left = body_residual(p, x, (int)i);
        value += left * left / 2;
        w->b[i] = -left;
        for (size_t k = 0; k < n; k++)
            w->A[k * rows + i] = p->F[k * data + i];
        to_coordinates(w, x, w->A + i, rows);
    }
    double *y = w->b + data; // -L^-1 g
    *slope = 0;
    for (size_t i = 0; i < n; i++) {
        y[i] = -w->g[i];
        for (size_t k = 0; k < i; k++)
            y[i] -= w->B[i * n + k] * y[k];
        y[i] = w->B[i * n + i] > 0 ? y[i] / w->B[i * n + i] : 0;
        for (size_t k = 0; k <= i; k++)
            w->A[i * rows + data + k] = w->B[i * n + k]; // L^T
    }
    if (!least_squares((int)rows, p->count, w->A, w->b, w->e)) return INFINITY;
    from_coordinates(w, x, w->e, w->d);
    for (size_t i = 0; i < n; i++) // the decrement is the length of what the step fits
        *slope -= w->b[i] * w->b[i];
    return value;
}

double body_decrement(const body_problem *p, const double *x)
{
    newton w;
    double slope = -INFINITY;
    if (!newton_new(&w, p)) return INFINITY;
    if (!isfinite(body_newton_newton_step(&w, x, &slope))) slope = -INFINITY;
    free(w.g);
    return -slope / 2;
}

// Steps without progress that are rounding.
enum { STALLED_STEPS = 8 };

// Down to a decrement below `least`, or to where rounding keeps it. 0 where there is no way.
static int body_newton_descend(newton *w, double *x, int iterations, double least)
{
    const body_problem *p = w->p;
    const size_t        n = (size_t)p->count;
    double              before = INFINITY;
    int                 stalled = 0;
    for (int iteration = 0; iteration < iterations; iteration++) {
        double       slope, length = 1;
        const double value = body_newton_newton_step(w, x, &slope);
        if (!isfinite(value)) return 0;
        // At the end; or where rounding keeps it, a hundredth of a deviation from there.
        stalled = -slope < 1e-4 && -slope > before / 2 ? stalled + 1 : 0;
        const int done = -slope < least || stalled == STALLED_STEPS;
        before = -slope;
        for (; length > 1e-12; length /= 2) {
            for (size_t i = 0; i < n; i++)
                w->next[i] = x[i] + length * w->d[i];
            if (body_value(p, w->next) <= value + 1e-4 * length * slope + 1e-12 * fabs(value))
                break;
        }
        // No way down: as good as numbers allow.
        if (length <= 1e-12) return -slope < 1e-3 + 1e-9 * fabs(value);
        memcpy(x, w->next, n * sizeof *x);
        if (done) return 1;
    }
    return 0;
}

// How much larger than the prior bodies may be at the beginning of the path.
static const double ROOM = 1e6;
// From stage to stage.
static const double STAGE_FACTOR = 0.1;

// An interior point method: a path of problems whose logarithms weigh `weight`, which falls from
// that of the data to its own. The weight of the trace is ROOM times smaller, as long as that is
// above its own: so the path begins at bodies ROOM times as large as the prior, and minima stay far
// from the edge of what can be (at the edge steps are short) until the last stages. With both
// weights alike, a mass that data want large would be held at the prior's and every step would be
// as short as the prior is small.
arne_status body_newton(const body_problem *p, double *x)
{
    body_problem stage = *p;
    newton       w;
    if (!newton_new(&w, &stage)) return ARNE_NO_MEMORY;
    for (double weight = body_value(p, x) / (10.0 * p->links); weight > 2 * p->barrier;
         weight *= STAGE_FACTOR) {
        stage.log_det = fmax(weight, p->log_det);
        stage.trace = fmax(weight / ROOM, p->trace);
        stage.barrier = weight;
        (void)body_newton_descend(&w, x, 100, 0.1 * weight);
    }
    stage = *p;
    const int fine = body_newton_descend(&w, x, 300, 1e-8);
    free(w.g);
    return fine ? ARNE_OK : ARNE_NOT_CONVERGED;
}

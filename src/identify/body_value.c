// The objective of the consistent estimate with its exact derivatives, and Newton's method on it.
#include "identify/consistent.h"
#include "identify/least_squares.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct output {
    int     n;
    double  value;
    double *g, *H;
} output;

static double residual(const body_problem *p, const double *x, int i)
{
    double left = -p->b[i];
    for (int k = 0; k < p->count; k++)
        left += p->F[(size_t)k * (size_t)p->rows + (size_t)i] * x[k];
    return left;
}

static double of_data(const body_problem *p, const double *x, output *o)
{
    const size_t n = (size_t)p->count, rows = (size_t)p->rows;
    double       value = 0;
    for (int i = 0; i < p->rows; i++) {
        const double left = residual(p, x, i);
        value += left * left / 2;
        for (size_t k = 0; o->g && k < n; k++)
            o->g[k] += p->F[k * rows + (size_t)i] * left;
    }
    for (size_t a = 0; o->H && a < n; a++)
        for (size_t b = 0; b < n; b++)
            for (size_t i = 0; i < rows; i++)
                o->H[a * n + b] += p->F[a * rows + i] * p->F[b * rows + i];
    return value;
}

static double trace_of_product(const double A[16], const double B[16])
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            sum += A[4 * i + k] * B[4 * k + i];
    return sum;
}

static void multiply(const double A[16], const double B[16], double out[16])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            out[4 * i + k] = 0;
            for (int c = 0; c < 4; c++)
                out[4 * i + k] += A[4 * i + c] * B[4 * c + k];
        }
}

static double of_link(const body_problem *p, const double *x, int link, output *o)
{
    const double *prior = p->inverse_prior + 16 * (ptrdiff_t)link;
    const int     start = BODY_PARAMETERS * link;
    double        P[16], L[16], inverse[16], E[16], product[BODY_PARAMETERS][16];
    pseudo_inertia(x + start, P);
    if (!pseudo_factor(P, L)) return INFINITY;
    if (o->g) {
        pseudo_inverse(L, inverse);
        for (int k = 0; k < BODY_PARAMETERS; k++) {
            pseudo_basis(k, E);
            multiply(inverse, E, product[k]);
            o->g[start + k] +=
                p->prior * (trace_of_product(prior, E) - trace_of_product(inverse, E));
        }
    }
    for (int k = 0; o->H && k < BODY_PARAMETERS; k++)
        for (int l = 0; l < BODY_PARAMETERS; l++)
            o->H[(size_t)(start + k) * (size_t)p->count + (size_t)(start + l)] +=
                p->prior * trace_of_product(product[k], product[l]);
    return p->prior * (trace_of_product(prior, P) - pseudo_log_det(L));
}

// weight (rate u - log u) of a number u = sum of some x that must be positive.
static double of_positive(const body_problem *p, const double *x, int a, int b, double weight,
                          double rate, output *o)
{
    const double u = x[a] + (b >= 0 ? x[b] : 0);
    const int    at[2] = {a, b};
    if (!(u > 0)) return INFINITY;
    for (int i = 0; i < 2 && at[i] >= 0; i++) {
        if (o->g) o->g[at[i]] += weight * (rate - 1 / u);
        for (int k = 0; k < 2 && at[k] >= 0 && o->H; k++)
            o->H[(size_t)at[i] * (size_t)p->count + (size_t)at[k]] += weight / (u * u);
    }
    return weight * (rate * u - log(u));
}

// -log of the product of the distances to a box's sides, or of an ellipsoid's m^2 - |h - m c|^2 in
// its own scale: of r = m^2 - sum w_a^2, w_a = (h_a - m c_a) / half_a.
static double of_region(const body_problem *p, const double *x, const body_region *r, output *o)
{
    const double *pi = x + BODY_PARAMETERS * (ptrdiff_t)r->link;
    const size_t  start = (size_t)(BODY_PARAMETERS * r->link), n = (size_t)p->count;
    double        value = 0, w[3], square = pi[0] * pi[0];
    for (int a = 0; a < 3; a++) {
        w[a] = (pi[1 + a] - pi[0] * r->centre[a]) / r->half[a];
        square -= w[a] * w[a];
    }
    if (r->is_ellipsoid) {
        if (!(square > 0)) return INFINITY;
        double d[4] = {2 * pi[0], 0, 0, 0}; // of r
        for (int a = 0; a < 3; a++) {
            d[0] += 2 * w[a] * r->centre[a] / r->half[a];
            d[1 + a] = -2 * w[a] / r->half[a];
        }
        for (int i = 0; i < 4 && o->g; i++)
            o->g[start + (size_t)i] -= p->barrier * d[i] / square;
        for (int i = 0; i < 4 && o->H; i++)
            for (int k = 0; k < 4; k++) {
                double second = i == 0 && k == 0 ? 2 : 0;
                for (int a = 0; a < 3; a++) {
                    const double wi = i == 0 ? -r->centre[a] : i == 1 + a,
                                 wk = k == 0 ? -r->centre[a] : k == 1 + a;
                    second -= 2 * wi * wk / (r->half[a] * r->half[a]);
                }
                o->H[(start + (size_t)i) * n + start + (size_t)k] +=
                    p->barrier * (d[i] * d[k] / (square * square) - second / square);
            }
        return -p->barrier * log(square);
    }
    for (int a = 0; a < 3; a++)
        for (int side = -1; side <= 1; side += 2) {
            const double u = pi[0] + side * w[a];
            const double d[2] = {1 - side * r->centre[a] / r->half[a], side / r->half[a]};
            const size_t at[2] = {start, start + 1 + (size_t)a};
            if (!(u > 0)) return INFINITY;
            value -= p->barrier * log(u);
            for (int i = 0; i < 2; i++) {
                if (o->g) o->g[at[i]] -= p->barrier * d[i] / u;
                for (int k = 0; k < 2 && o->H; k++)
                    o->H[at[i] * n + at[k]] += p->barrier * d[i] * d[k] / (u * u);
            }
        }
    return value;
}

// All but the data.
static double beyond_data(const body_problem *p, const double *x, output *o)
{
    const int rotors = BODY_PARAMETERS * p->links, others = rotors + p->rotors;
    double    value = 0;
    for (int i = 0; i < p->links; i++)
        value += of_link(p, x, i, o);
    for (int i = 0; i < p->rotors; i++)
        value += of_positive(p, x, rotors + i, -1, p->prior, 1 / p->rotor_prior[i], o);
    for (int i = 0; i < p->others; i++) {
        if (p->is_positive[i]) value += of_positive(p, x, others + i, -1, p->barrier, 0, o);
        if (p->pair[i] >= 0)
            value += of_positive(p, x, others + i, others + p->pair[i], p->barrier, 0, o);
    }
    for (int i = 0; i < p->region_count; i++)
        value += of_region(p, x, &p->regions[i], o);
    return value;
}

double body_value(const body_problem *p, const double *x, double *gradient, double *hessian)
{
    const size_t n = (size_t)p->count;
    output       o = {.n = p->count, .g = gradient, .H = hessian};
    if (gradient) memset(gradient, 0, n * sizeof *gradient);
    if (hessian) memset(hessian, 0, n * n * sizeof *hessian);
    const double value = of_data(p, x, &o) + beyond_data(p, x, &o);
    return isfinite(value) ? value : INFINITY;
}

// ---- Newton's method
//
// A step solves (F^T F + B) d = -(F^T (F x - b) + g), with the gradient g and the Hessian B of what
// is beyond the data. Data can be a million times as strong as the prior: so the step is found as a
// least squares problem, F d = b - F x above and L^T d = -L^-1 g below (B = L L^T), and nothing is
// squared.

typedef struct newton {
    const body_problem *p;
    double             *g, *B, *A, *b, *d, *next;
} newton;

static int newton_new(newton *w, const body_problem *p)
{
    const size_t n = (size_t)p->count, rows = (size_t)p->rows + n;
    w->p = p;
    w->g = malloc((3 * n + n * n + rows * n + rows) * sizeof(double));
    if (!w->g) return 0;
    w->d = w->g + n;
    w->next = w->d + n;
    w->B = w->next + n;
    w->A = w->B + n * n;
    w->b = w->A + rows * n;
    return 1;
}

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

// The step from x in w->d, the slope along it in *slope. INFINITY where x lies outside.
static double newton_step(newton *w, const double *x, double *slope)
{
    const body_problem *p = w->p;
    const size_t        n = (size_t)p->count, data = (size_t)p->rows, rows = data + n;
    output              o = {.n = p->count, .g = w->g, .H = w->B};
    memset(w->g, 0, n * sizeof *w->g);
    memset(w->B, 0, n * n * sizeof *w->B);
    double value = beyond_data(p, x, &o);
    if (!isfinite(value)) return INFINITY;
    semidefinite_factor(n, w->B);
    memset(w->A, 0, rows * n * sizeof *w->A);
    for (size_t i = 0; i < data; i++) {
        const double left = residual(p, x, (int)i);
        value += left * left / 2;
        w->b[i] = -left;
        for (size_t k = 0; k < n; k++)
            w->A[k * rows + i] = p->F[k * data + i];
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
    if (!least_squares((int)rows, p->count, w->A, w->b, w->d)) return INFINITY;
    for (size_t i = 0; i < n; i++) // the decrement is the length of what the step fits
        *slope -= w->b[i] * w->b[i];
    return value;
}

double body_decrement(const body_problem *p, const double *x)
{
    newton w;
    double slope = -INFINITY;
    if (!newton_new(&w, p)) return INFINITY;
    if (!isfinite(newton_step(&w, x, &slope))) slope = -INFINITY;
    free(w.g);
    return -slope / 2;
}

// Down to a decrement below `least`, or to where rounding keeps it. 0 where there is no way.
static int descend(newton *w, double *x, int iterations, double least)
{
    const body_problem *p = w->p;
    const size_t        n = (size_t)p->count;
    double              before = INFINITY;
    for (int iteration = 0; iteration < iterations; iteration++) {
        double       slope, length = 1;
        const double value = newton_step(w, x, &slope);
        if (!isfinite(value)) return 0;
        // At the end; or where rounding keeps it, a hundredth of a deviation from there.
        const int done = -slope < least || (-slope < 1e-4 && -slope > before / 2);
        before = -slope;
        for (; length > 1e-12; length /= 2) {
            for (size_t i = 0; i < n; i++)
                w->next[i] = x[i] + length * w->d[i];
            if (body_value(p, w->next, NULL, NULL) <=
                value + 1e-4 * length * slope + 1e-12 * fabs(value))
                break;
        }
        // No way down: as good as numbers allow.
        if (length <= 1e-12) return -slope < 1e-3 + 1e-9 * fabs(value);
        memcpy(x, w->next, n * sizeof *x);
        if (done) return 1;
    }
    return 0;
}

// Data that are much stronger than the prior would drive the first steps to the edge of what can
// be, where steps are short. So the prior starts as strong as the data and falls to its weight: the
// path of an interior point method.
int body_newton(const body_problem *p, double *x)
{
    body_problem stage = *p;
    newton       w;
    if (!newton_new(&w, &stage)) return 0;
    for (double weight = body_value(p, x, NULL, NULL) / (10.0 * p->links); weight > 10 * p->prior;
         weight *= 0.05) {
        stage.prior = weight;
        stage.barrier = p->barrier * weight / p->prior;
        (void)descend(&w, x, 30, 0.1 * weight);
    }
    stage = *p;
    const int fine = descend(&w, x, 300, 1e-8);
    free(w.g);
    return fine;
}

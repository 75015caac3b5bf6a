// The objective of the consistent estimate with its exact derivatives.
#include "identify/consistent.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct output {
    int     n;
    double  value;
    double *g, *H;
} output;

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

// All but the data and the links' distances.
static double of_others(const body_problem *p, const double *x, output *o)
{
    const int rotors = BODY_PARAMETERS * p->links, others = rotors + p->rotors;
    double    value = 0;
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

double body_others(const body_problem *p, const double *x, double *gradient, double *hessian)
{
    output o = {.n = p->count, .g = gradient, .H = hessian};
    return of_others(p, x, &o);
}

double body_residual(const body_problem *p, const double *x, int row)
{
    double left = -p->b[row];
    for (int k = 0; k < p->count; k++)
        left += p->F[(size_t)k * (size_t)p->rows + (size_t)row] * x[k];
    return left;
}

static double of_data(const body_problem *p, const double *x, output *o)
{
    const size_t n = (size_t)p->count, rows = (size_t)p->rows;
    double       value = 0;
    for (int i = 0; i < p->rows; i++) {
        const double left = body_residual(p, x, i);
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

double body_value(const body_problem *p, const double *x, double *gradient, double *hessian)
{
    const size_t n = (size_t)p->count;
    output       o = {.n = p->count, .g = gradient, .H = hessian};
    if (gradient) memset(gradient, 0, n * sizeof *gradient);
    if (hessian) memset(hessian, 0, n * n * sizeof *hessian);
    double value = of_data(p, x, &o) + of_others(p, x, &o);
    for (int i = 0; i < p->links; i++)
        value += of_link(p, x, i, &o);
    return isfinite(value) ? value : INFINITY;
}

// The objective of the consistent estimate, and exact derivatives of what is not quadratic in it
// beyond the distances of links, whose derivatives body_newton.c has in coordinates of its own.
#include "identify/consistent.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct output {
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

static double of_link(const body_problem *p, const double *x, int link)
{
    double P[16], L[16];
    pseudo_inertia(x + BODY_PARAMETERS * (ptrdiff_t)link, P);
    if (!pseudo_factor(P, L)) return INFINITY;
    return p->trace * trace_of_product(p->inverse_prior + 16 * (ptrdiff_t)link, P) -
           p->log_det * pseudo_log_det(L);
}

// Whether a number is a constant of the problem and keeps its start value.
static int is_held(const body_problem *p, int at)
{
    const int other = at - BODY_PARAMETERS * p->links - p->rotors;
    return other >= 0 && p->is_held[other];
}

// rate u - weight log u of a number u = x_a, or x_a + x_b, that must be positive.
static double of_positive(const body_problem *p, const double *x, int a, int b, double weight,
                          double rate, output *o)
{
    const double u = x[a] + (b >= 0 ? x[b] : 0);
    const int    at[2] = {a, b};
    if (!(u > 0)) return INFINITY;
    for (int i = 0; i < 2 && at[i] >= 0; i++) {
        if (is_held(p, at[i])) continue;
        if (o->g) o->g[at[i]] += rate - weight / u;
        for (int k = 0; k < 2 && at[k] >= 0 && o->H; k++)
            if (!is_held(p, at[k]))
                o->H[(size_t)at[i] * (size_t)p->count + (size_t)at[k]] += weight / (u * u);
    }
    return rate * u - weight * log(u);
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
        value += of_positive(p, x, rotors + i, -1, p->log_det, p->trace / p->rotor_prior[i], o);
    for (int i = 0; i < p->others; i++) {
        const size_t at = (size_t)(others + i);
        // Any positive curvature will do: a held number starts at its minimum, with zero slope.
        if (p->is_held[i] && o->H) o->H[at * (size_t)p->count + at] += 1;
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
    output o = {.g = gradient, .H = hessian};
    return of_others(p, x, &o);
}

double body_residual(const body_problem *p, const double *x, int row)
{
    double left = -p->b[row];
    for (int k = 0; k < p->count; k++)
        left += p->F[(size_t)k * (size_t)p->rows + (size_t)row] * x[k];
    return left;
}

double body_value(const body_problem *p, const double *x)
{
    double value = body_others(p, x, NULL, NULL);
    for (int i = 0; i < p->links; i++)
        value += of_link(p, x, i);
    for (int i = 0; i < p->rows; i++) {
        const double left = body_residual(p, x, i);
        value += left * left / 2;
    }
    return isfinite(value) ? value : INFINITY;
}

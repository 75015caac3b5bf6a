// Minimises from a motion within limits: L-BFGS (Nocedal 1980), with steps halved until they keep
// all limits and decrease the objective enough. The weight of the barrier falls in stages.
#include "identify/excitation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 12, STAGES = 3 };

typedef struct memory {
    int     n, count, next;
    double *s, *y, *rho, *alpha;
} memory;

static double excitation_search_dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// d = -H g by the pairs that are known.
static void direction(const memory *m, const double *g, double *d)
{
    const int n = m->n;
    for (int i = 0; i < n; i++)
        d[i] = -g[i];
    for (int i = 1; i <= m->count; i++) {
        const int     k = (m->next - i + PAIRS) % PAIRS;
        const double *s = m->s + (size_t)k * (size_t)n, *y = m->y + (size_t)k * (size_t)n;
        m->alpha[k] = m->rho[k] * excitation_search_dot(n, s, d);
        for (int c = 0; c < n; c++)
            d[c] -= m->alpha[k] * y[c];
    }
    if (m->count) {
        const int     k = (m->next - 1 + PAIRS) % PAIRS;
        const double *y = m->y + (size_t)k * (size_t)n;
        const double  scale = 1 / (m->rho[k] * excitation_search_dot(n, y, y));
        for (int c = 0; c < n; c++)
            d[c] *= scale;
    } else {
        const double length = sqrt(excitation_search_dot(n, g, g));
        for (int c = 0; c < n; c++)
            d[c] *= 0.05 / (length + 1e-12);
    }
    for (int i = m->count; i >= 1; i--) {
        const int     k = (m->next - i + PAIRS) % PAIRS;
        const double *s = m->s + (size_t)k * (size_t)n, *y = m->y + (size_t)k * (size_t)n;
        const double  beta = m->rho[k] * excitation_search_dot(n, y, d);
        for (int c = 0; c < n; c++)
            d[c] += (m->alpha[k] - beta) * s[c];
    }
}

static void remember(memory *m, const double *step, const double *change)
{
    const double product = excitation_search_dot(m->n, step, change);
    if (!(product > 1e-12)) return;
    const size_t at = (size_t)m->next * (size_t)m->n;
    memcpy(m->s + at, step, (size_t)m->n * sizeof *step);
    memcpy(m->y + at, change, (size_t)m->n * sizeof *step);
    m->rho[m->next] = 1 / product;
    m->next = (m->next + 1) % PAIRS;
    if (m->count < PAIRS) m->count++;
}

// One stage; vectors g, d, trial, g2 of n each in `room`.
static void excitation_search_descend(excitation *e, memory *m, double *x, int iterations,
                                      double *room)
{
    const int n = m->n;
    double   *g = room, *d = g + n, *trial = d + n, *g2 = trial + n;
    double    value = excitation_value(e, x, g);
    m->count = 0;
    for (int i = 0; i < iterations && !study_stops(e->study); i++) {
        double length = 1, now = INFINITY;
        direction(m, g, d);
        double slope = excitation_search_dot(n, g, d);
        if (!(slope < 0)) break;
        for (; length > 1e-9; length /= 2) {
            for (int c = 0; c < n; c++)
                trial[c] = x[c] + length * d[c];
            now = excitation_value(e, trial, NULL);
            if (now <= value + 1e-4 * length * slope) break;
        }
        if (length <= 1e-9) {
            if (!m->count) break;
            m->count = 0; // restart along the negative gradient
            continue;
        }
        now = excitation_value(e, trial, g2);
        for (int c = 0; c < n; c++) {
            d[c] = trial[c] - x[c];
            g[c] = g2[c] - g[c];
        }
        remember(m, d, g);
        memcpy(x, trial, (size_t)n * sizeof *x);
        memcpy(g, g2, (size_t)n * sizeof *g);
        if (value - now < 1e-6 * (1 + fabs(value))) break;
        value = now;
    }
}

void excitation_search(excitation *e, double *x, int iterations)
{
    const size_t n = (size_t)e->count;
    memory       m = {.n = e->count};
    m.s = malloc((2 * PAIRS * n + 2 * PAIRS + 4 * n) * sizeof(double));
    if (!m.s) {
        e->no_memory = 1;
        return;
    }
    m.y = m.s + PAIRS * n;
    m.rho = m.y + PAIRS * n;
    m.alpha = m.rho + PAIRS;
    for (int stage = 0; stage < STAGES; stage++) {
        e->mu = 10.0 / e->samples * pow(0.1, stage);
        excitation_search_descend(e, &m, x, iterations / STAGES, m.alpha + PAIRS);
    }
    free(m.s);
}

// A primal-dual interior point (Mehrotra 1992; Nocedal and Wright 2006, section 16.6). The cost is
// separable, so that the Newton step is a diagonal D and one dense matrix of the rows,
// K = B D^-1 B^T + soft. Reserves are eliminated: 2 c = R lambda. Squares are mostly solved before
// that, by pivoting. When it is near the solution, the
// activations that tend to a bound are set there, and Newton steps of the others find the exact
// solution; it counts where it fulfils all conditions of the optimum.
#include "muscle/activation_program.h"
#include "math/dense.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    INTERIOR_ITERATIONS = 200,
    CAREFUL_FROM = 20,
    CAREFUL_EACH = 5,
    GUESS_STEPS = 4,
    PIVOT_STEPS = 12,
    COLUMN_ARRAYS = 14,
    ROW_ARRAYS = 3
};
static const double INTERIOR_TOLERANCE = 1e-11; // of gradients, torques and gaps
static const double GAP_TOLERANCE = 1e-15, PIVOT_TOLERANCE = 1e-15;
static const double LAST_TOLERANCE = 1e-9, LAST_GAP = 1e-12; // where rounding stops it before
static const double GUESS_GAP = 1e-3;                        // below this the bounds are guessed
static const double GUESS_TOLERANCE = 1e-9;                  // of the conditions of a guess
static const double TO_BOUNDARY = 0.995, CAREFUL_PART = 0.6;
static const double BLOCKED_LENGTH = 0.5, PLAIN_GOAL = 0.3; // of a step, of mu

typedef struct interior {
    const activation_program *p;
    double                   *a, *lambda;
    double                   *below, *above;           // distances from the bounds
    double                   *low, *high;              // multipliers of the bounds
    double                   *slope, *curve, *D;       // of the cost; curve and what bounds add
    double                   *gap, *da, *dlow, *dhigh; // gap: of the gradient; a step
    double                   *g, *low_fix, *high_fix;  // right side; second-order corrections
    double                   *off, *dlambda, *K;       // off: B a + soft lambda - b
    double                    mu, size;                // size: of the largest terms of gradients
} interior;

int activation_room(int columns, int rows)
{
    return COLUMN_ARRAYS * columns + (ROW_ARRAYS + rows) * rows;
}

static void interior_place(interior *s, double *room)
{
    double **const column[COLUMN_ARRAYS] = {
        &s->below, &s->above, &s->low,  &s->high,  &s->slope, &s->curve,   &s->D,
        &s->gap,   &s->da,    &s->dlow, &s->dhigh, &s->g,     &s->low_fix, &s->high_fix};
    for (int i = 0; i < COLUMN_ARRAYS; i++, room += s->p->columns)
        *column[i] = room;
    s->off = room;
    s->dlambda = room + s->p->rows;
    s->K = room + 2 * s->p->rows;
}

// ---- B ----

// How large the terms of column_dot are.
static double column_size(const activation_program *p, int i, const double *x)
{
    double sum = 0;
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
        sum += fabs(p->value[k] * x[p->row[k]]);
    return sum;
}

static double column_dot(const activation_program *p, int i, const double *x)
{
    double sum = 0;
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
        sum += p->value[k] * x[p->row[k]];
    return sum;
}

static void column_add(const activation_program *p, int i, double x, double *out)
{
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
        out[p->row[k]] += p->value[k] * x;
}

// K of D^-1, where entries with D = 0 are left out. Returns 0 where it is singular.
static int interior_factor(interior *s)
{
    const activation_program *p = s->p;
    const int                 m = p->rows;
    memset(s->K, 0, (size_t)(m * m) * sizeof *s->K);
    for (int j = 0; j < m; j++)
        s->K[j * m + j] = p->soft[j];
    for (int i = 0; i < p->columns; i++) {
        if (s->D[i] == 0) continue;
        const double w = 1 / s->D[i];
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            const double v = w * p->value[k];
            double      *row = s->K + p->row[k] * m;
            for (int l = p->start[i]; l <= k; l++)
                row[p->row[l]] += v * p->value[l]; // rows of a column rise: the lower part
        }
    }
    return dense_factor(m, s->K, PIVOT_TOLERANCE);
}

// ---- the cost ----

static void cost_at(const interior *s)
{
    const double power = s->p->power;
    for (int i = 0; i < s->p->columns; i++) {
        const double a = fmax(s->a[i], 0), f = power == 2 ? 1 : power == 3 ? a : pow(a, power - 2);
        s->slope[i] = power == 1 ? 1 : a > 0 ? power * f * a : 0;
        s->curve[i] = power == 1 ? 0 : power * (power - 1) * f;
    }
}

// gap = f' - B^T lambda - low + high; off = B a + soft lambda - b. Returns the largest, relative to
// the largest terms.
static double interior_residuals(interior *s)
{
    const activation_program *p = s->p;
    double                    worst = 0, size = 1;
    s->mu = 0;
    s->size = 1;
    for (int j = 0; j < p->rows; j++) {
        s->off[j] = p->soft[j] * s->lambda[j] - p->b[j];
        size = fmax(size, fabs(p->b[j]));
    }
    cost_at(s);
    for (int i = 0; i < p->columns; i++) {
        const double below = s->below[i], above = s->above[i];
        column_add(p, i, s->a[i], s->off);
        s->gap[i] = s->slope[i] - column_dot(p, i, s->lambda) - s->low[i] + s->high[i];
        s->D[i] = s->curve[i] + s->low[i] / below + s->high[i] / above;
        s->mu += s->low[i] * below + s->high[i] * above;
        s->size = fmax(s->size, column_size(p, i, s->lambda));
        worst = fmax(worst, fabs(s->gap[i]));
    }
    worst /= s->size;
    s->mu /= fmax(2 * p->columns, 1);
    for (int j = 0; j < p->rows; j++)
        worst = fmax(worst, fabs(s->off[j]) / size);
    return worst;
}

// ---- steps ----

// The step towards products `goal` of multipliers and distances, less the corrections.
static void interior_step(interior *s, double goal)
{
    const activation_program *p = s->p;
    for (int j = 0; j < p->rows; j++)
        s->dlambda[j] = -s->off[j];
    for (int i = 0; i < p->columns; i++) {
        const double below = s->below[i], above = s->above[i];
        s->g[i] = -s->gap[i] + ((goal - s->low_fix[i]) / below - s->low[i]) -
                  ((goal - s->high_fix[i]) / above - s->high[i]);
        column_add(p, i, -s->g[i] / s->D[i], s->dlambda);
    }
    dense_solve(p->rows, s->K, s->dlambda);
    for (int i = 0; i < p->columns; i++) {
        const double below = s->below[i], above = s->above[i];
        s->da[i] = (s->g[i] + column_dot(p, i, s->dlambda)) / s->D[i];
        s->dlow[i] = (goal - s->low_fix[i] - s->low[i] * s->da[i]) / below - s->low[i];
        s->dhigh[i] = (goal - s->high_fix[i] + s->high[i] * s->da[i]) / above - s->high[i];
    }
}

static double shorter(double length, double x, double dx)
{
    return dx < 0 && -x / dx < length ? -x / dx : length;
}

// How far the step may go until a distance or multiplier vanishes.
static double interior_length(const interior *s)
{
    const activation_program *p = s->p;
    double                    length = 1 / TO_BOUNDARY;
    for (int i = 0; i < p->columns; i++) {
        length = shorter(length, s->below[i], s->da[i]);
        length = shorter(length, s->above[i], -s->da[i]);
        length = shorter(length, s->low[i], s->dlow[i]);
        length = shorter(length, s->high[i], s->dhigh[i]);
    }
    return length;
}

// Predictor and corrector. Where the corrector is blocked early, as happens far from the central
// path, a plain step towards a part of mu; careful: only that.
static void interior_predict(interior *s, int careful)
{
    const activation_program *p = s->p;
    const size_t              bytes = (size_t)p->columns * sizeof *s->low_fix;
    memset(s->low_fix, 0, bytes);
    memset(s->high_fix, 0, bytes);
    interior_step(s, careful ? PLAIN_GOAL * s->mu : 0);
    if (careful) return;
    const double length = fmin(interior_length(s), 1);
    double       mu = 0;
    for (int i = 0; i < p->columns; i++) {
        const double step = length * s->da[i];
        mu += (s->low[i] + length * s->dlow[i]) * (s->below[i] + step) +
              (s->high[i] + length * s->dhigh[i]) * (s->above[i] - step);
        s->low_fix[i] = s->da[i] * s->dlow[i];
        s->high_fix[i] = -s->da[i] * s->dhigh[i];
    }
    mu /= 2 * p->columns;
    const double part = mu / s->mu;
    interior_step(s, part * part * part * s->mu);
    if (interior_length(s) >= BLOCKED_LENGTH) return;
    memset(s->low_fix, 0, bytes);
    memset(s->high_fix, 0, bytes);
    interior_step(s, PLAIN_GOAL * s->mu);
}

static void interior_advance(interior *s, double part)
{
    const double length = part * TO_BOUNDARY * interior_length(s);
    for (int i = 0; i < s->p->columns; i++) {
        s->a[i] += length * s->da[i];
        s->below[i] += length * s->da[i];
        s->above[i] -= length * s->da[i];
        s->low[i] += length * s->dlow[i];
        s->high[i] += length * s->dhigh[i];
    }
    for (int j = 0; j < s->p->rows; j++)
        s->lambda[j] += length * s->dlambda[j];
}

// ---- the end ----

// One Newton step of the free activations and lambda. Returns 0 where it is singular.
static int guess_step(interior *s, const double *is_free)
{
    const activation_program *p = s->p;
    cost_at(s);
    for (int j = 0; j < p->rows; j++)
        s->dlambda[j] = p->b[j] - p->soft[j] * s->lambda[j];
    for (int i = 0; i < p->columns; i++) {
        s->gap[i] = s->slope[i] - column_dot(p, i, s->lambda);
        s->D[i] = is_free[i] > 0 ? fmax(s->curve[i], PIVOT_TOLERANCE) : 0;
        column_add(p, i, -s->a[i] + (is_free[i] > 0 ? s->gap[i] / s->D[i] : 0), s->dlambda);
    }
    if (!interior_factor(s)) return 0;
    dense_solve(p->rows, s->K, s->dlambda);
    for (int i = 0; i < p->columns; i++)
        if (is_free[i] > 0) s->a[i] += (column_dot(p, i, s->dlambda) - s->gap[i]) / s->D[i];
    for (int j = 0; j < p->rows; j++)
        s->lambda[j] += s->dlambda[j];
    return 1;
}

static int guess_holds(interior *s, const double *is_free)
{
    const activation_program *p = s->p;
    int                       good = 1;
    for (int i = 0; i < p->columns && good; i++)
        good = s->a[i] >= p->lower[i] && s->a[i] <= p->upper[i];
    if (!good) return 0;
    cost_at(s);
    for (int i = 0; i < p->columns && good; i++) {
        const double gap = s->slope[i] - column_dot(p, i, s->lambda);
        const double part = gap / (1 + column_size(p, i, s->lambda));
        good = is_free[i] > 0           ? fabs(part) <= GUESS_TOLERANCE
               : s->a[i] == p->lower[i] ? part >= -GUESS_TOLERANCE
                                        : part <= GUESS_TOLERANCE;
    }
    return good;
}

// Squares only: block principal pivoting (Judice and Pires 1994), which needs few solves where it
// ends: all activations outside of their bounds go there, all at a bound that want to leave it are
// free again. Returns 0 where it does not end soon.
static int pivot_search(interior *s)
{
    const activation_program *p = s->p;
    double                   *is_free = s->da;
    int                       changes = 1;
    for (int i = 0; i < p->columns; i++)
        is_free[i] = 1;
    for (int step = 0; step < PIVOT_STEPS && changes; step++) {
        if (!guess_step(s, is_free)) return 0;
        changes = 0;
        cost_at(s);
        for (int i = 0; i < p->columns; i++) {
            const double gap = s->slope[i] - column_dot(p, i, s->lambda), a = s->a[i];
            const int low = a<p->lower[i], high = a> p->upper[i];
            if (is_free[i] > 0 && (low || high)) {
                s->a[i] = low ? p->lower[i] : p->upper[i];
                is_free[i] = 0;
                changes++;
            } else if (is_free[i] == 0 && (a == p->lower[i] ? gap < 0 : gap > 0)) {
                is_free[i] = 1;
                changes++;
            }
        }
    }
    return !changes;
}

// Sets what tends to a bound there, and solves for the others. Returns 0, with a and lambda as they
// were, where that is not the optimum.
static int interior_guess(interior *s)
{
    const activation_program *p = s->p;
    const int                 n = p->columns, m = p->rows, steps = p->power == 2 ? 1 : GUESS_STEPS;
    double                   *a = s->g, *lambda = s->K + m * m, *is_free = s->da;
    int                       good = 1;
    memcpy(a, s->a, (size_t)n * sizeof *a);
    memcpy(lambda, s->lambda, (size_t)m * sizeof *lambda);
    for (int i = 0; i < n; i++) {
        const int low = s->below[i] * s->size < s->low[i];
        const int high = s->above[i] * s->size < s->high[i];
        if (low || high) s->a[i] = low ? p->lower[i] : p->upper[i];
        is_free[i] = !low && !high;
    }
    for (int i = 0; i < steps && good; i++)
        good = guess_step(s, is_free);
    if (good && guess_holds(s, is_free)) return 1;
    memcpy(s->a, a, (size_t)n * sizeof *a);
    memcpy(s->lambda, lambda, (size_t)m * sizeof *lambda);
    return 0;
}

// The middle of the bounds, lambda of the Newton step from there without bounds, and multipliers as
// large as the gradients are then.
static void interior_start(interior *s)
{
    const activation_program *p = s->p;
    double                    size = 1;
    for (int j = 0; j < p->rows; j++)
        s->dlambda[j] = p->b[j];
    for (int i = 0; i < p->columns; i++) {
        s->a[i] = 0.5 * (p->lower[i] + p->upper[i]);
        s->below[i] = s->above[i] = 0.5 * (p->upper[i] - p->lower[i]);
        s->D[i] = 1 / s->below[i];
        column_add(p, i, -s->a[i], s->dlambda);
    }
    memset(s->lambda, 0, (size_t)p->rows * sizeof *s->lambda);
    if (interior_factor(s)) {
        dense_solve(p->rows, s->K, s->dlambda);
        memcpy(s->lambda, s->dlambda, (size_t)p->rows * sizeof *s->lambda);
    }
    for (int i = 0; i < p->columns; i++)
        size = fmax(size, column_size(p, i, s->lambda));
    for (int i = 0; i < p->columns; i++)
        s->low[i] = s->high[i] = size;
}

arne_status activation_solve(const activation_program *p, double *room, double *a, double *lambda)
{
    interior s = {.p = p, .a = a, .lambda = lambda};
    int      found = 0;
    interior_place(&s, room);
    for (int i = 0; i < p->columns; i++)
        a[i] = p->lower[i];
    memset(lambda, 0, (size_t)p->rows * sizeof *lambda);
    if (p->power == 2 && pivot_search(&s)) return ARNE_OK;
    interior_start(&s);
    for (int i = 0; i < INTERIOR_ITERATIONS; i++) {
        double worst = interior_residuals(&s);
        found = worst <= INTERIOR_TOLERANCE && s.mu <= GAP_TOLERANCE * s.size;
        if (!found && p->power > 1 && s.mu < GUESS_GAP * s.size) { // 1: singular
            found = interior_guess(&s);
            worst = interior_residuals(&s);
        }
        if (found || !isfinite(worst) || !interior_factor(&s)) break;
        const int careful = i >= CAREFUL_FROM && i % CAREFUL_EACH == 0; // others can run in circles
        interior_predict(&s, careful);
        interior_advance(&s, careful ? CAREFUL_PART : 1);
    }
    found = found || (interior_residuals(&s) <= LAST_TOLERANCE && s.mu <= LAST_GAP * s.size);
    for (int i = 0; i < p->columns; i++) // rounding
        a[i] = fmin(fmax(a[i], p->lower[i]), p->upper[i]);
    return found ? ARNE_OK : ARNE_NOT_CONVERGED;
}

// Nonlinear parameters of friction: the speed of Stribeck friction; steepness and shift of the
// sigmoid (Gaz et al. 2019). Linear ones come from the regression.
//
// The torque that bodies do not explain is averaged in bins of speed. A search over the nonlinear
// parameters fits these means, with the best linear ones for each trial (variable projection: Golub
// and Pereyra 1973). Regression and search alternate.
#include "base/error.h"
#include "identify/least_squares.h"
#include "identify/study.h"
#include <math.h>
#include <stdlib.h>

enum { TERMS = 4 };

typedef struct curve {
    const arne_identify *study;
    int                  joint;
    column_kind          kind;
    double              *A, *b;
} curve;

static int terms(const curve *c, double v, const double shape[2], double out[TERMS])
{
    const double sign = v > 0 ? 1 : -1;
    out[0] = v;
    out[1] = 1;
    if (c->kind == COLUMN_SIGMOID) {
        out[2] = 1 / (1 + exp(-shape[0] * (v + shape[1])));
        return 3;
    }
    out[2] = sign;
    out[3] = sign * exp(-v * v / (shape[0] * shape[0]));
    return 4;
}

// The sum of squares that the best linear parameters leave.
static double misfit(const curve *c, const double shape[2])
{
    const double *bin = c->study->bin + 2 * (size_t)c->joint * FRICTION_BINS;
    double        x[TERMS], out[TERMS], sum = 0;
    const double  top = c->study->top_speed[c->joint];
    int           count = 0;
    for (int i = 0; i < FRICTION_BINS; i++) {
        const double weight = sqrt(bin[2 * i]), v = ((i + 0.5) / FRICTION_BINS * 2 - 1) * top;
        count = terms(c, v, shape, out);
        for (int k = 0; k < count; k++)
            c->A[k * FRICTION_BINS + i] = weight * out[k];
        c->b[i] = weight > 0 ? weight * bin[2 * i + 1] / bin[2 * i] : 0;
    }
    if (!least_squares(FRICTION_BINS, count, c->A, c->b, x)) return INFINITY;
    for (int i = count; i < FRICTION_BINS; i++)
        sum += c->b[i] * c->b[i];
    return sum;
}

// A grid search that narrows in every round: factors for the first number, steps for the second.
static void friction_search(const curve *c, double shape[2], double low, double high, double shift)
{
    double best = misfit(c, shape);
    double at = sqrt(low * high), factor = pow(high / low, 0.5), centre = 0;
    for (int round = 0; round < 8; round++, factor = pow(factor, 0.4), shift *= 0.4) {
        double from = at, middle = centre;
        for (int i = -6; i <= 6; i++)
            for (int k = shift > 0 ? -4 : 0; k <= (shift > 0 ? 4 : 0); k++) {
                const double trial[2] = {from * pow(factor, i / 6.0), middle + shift * k / 4};
                if (trial[0] < low || trial[0] > high) continue;
                const double value = misfit(c, trial);
                if (value >= best && !(round == 0 && i == -6 && k <= -4)) continue;
                best = value;
                shape[0] = trial[0];
                shape[1] = trial[1];
            }
        at = shape[0];
        centre = shape[1];
    }
}

arne_status study_shape(arne_identify *s, arne_error *error)
{
    curve c = {.study = s};
    c.A = malloc((TERMS + 1) * FRICTION_BINS * sizeof *c.A);
    if (!c.A) return arne_fail_memory(error);
    c.b = c.A + TERMS * FRICTION_BINS;
    for (int k = s->m.base->rank; k < s->m.count; k++) {
        model_column *column = &s->m.column[k];
        const double  top = s->top_speed[column->joint];
        c.kind = column->kind;
        c.joint = column->joint;
        if (c.kind == COLUMN_STRIBECK) friction_search(&c, column->shape, 0.01 * top, 0.6 * top, 0);
        if (c.kind == COLUMN_SIGMOID)
            friction_search(&c, column->shape, 2 / top, 400 / top, 0.2 * top);
    }
    free(c.A);
    return ARNE_OK;
}

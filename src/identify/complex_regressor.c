// The regressor's derivatives along the coordinates, their rates and accelerations: its text in
// complex numbers, one step along the imaginary axis. Exact to rounding.
#define ARNE_COMPLEX
#include "identify/complex_regressor.h"
#include "algo/regressor.k.h"
#include <stdlib.h>
#include <string.h>

static const double STEP = 1e-100;

struct complex_regressor {
    const arne_robot *robot;
    work             *w;
    real             *x, *Y; // q, qd, qdd; v_count x parameters
};

complex_regressor *complex_regressor_new(const arne_robot *r)
{
    complex_regressor *c = calloc(1, sizeof *c);
    const size_t       n = (size_t)r->v_count, size = work_walk(r, NULL, NULL);
    if (!c) return NULL;
    c->robot = r;
    c->w = aligned_alloc(ARNE_ALIGNMENT,
                         (size + ARNE_ALIGNMENT - 1) / ARNE_ALIGNMENT * ARNE_ALIGNMENT);
    c->x = calloc(3 * n + 1, sizeof *c->x);
    c->Y = calloc(n * (size_t)parameter_count(r) + 1, sizeof *c->Y);
    if (!c->w || !c->x || !c->Y) {
        complex_regressor_free(c);
        return NULL;
    }
    work_walk(r, c->w, (char *)c->w);
    work_start(r, c->w);
    return c;
}

void complex_regressor_free(complex_regressor *c)
{
    if (!c) return;
    free(c->w);
    free(c->x);
    free(c->Y);
    free(c);
}

void complex_regressor_along(complex_regressor *c, const double *x, int k, double *dY)
{
    const int n = c->robot->v_count, count = n * parameter_count(c->robot);
    for (int i = 0; i < 3 * n; i++)
        c->x[i] = x[i] + (i == k ? STEP * _Complex_I : 0);
    regressor(c->robot, c->w, c->x, c->x + n, c->x + 2 * n, PARAMETERS_OF_LINKS, c->Y);
    for (int i = 0; i < count; i++)
        dY[i] = cimag(c->Y[i]) / STEP;
}

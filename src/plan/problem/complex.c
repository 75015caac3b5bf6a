#define ARNE_COMPLEX
#include "plan/problem/complex.h"
#include "plan/problem/values.k.h"
#include <stdlib.h>

static const double STEP = 1e-100; // so small that its square vanishes next to anything

struct plan_complex {
    const arne_robot *robot;
    work             *w;
    real             *z, *out;
};

plan_complex *plan_complex_new(const arne_robot *robot, int most)
{
    const size_t  size = (work_walk(robot, NULL, NULL) / ARNE_ALIGNMENT + 1) * ARNE_ALIGNMENT;
    plan_complex *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->robot = robot;
    c->w = aligned_alloc(ARNE_ALIGNMENT, size);
    c->z = calloc(4 * (size_t)robot->v_count + 1, sizeof *c->z);
    c->out = calloc((size_t)most + 1, sizeof *c->out);
    if (!c->w || !c->z || !c->out) {
        plan_complex_free(c);
        return NULL;
    }
    work_walk(robot, c->w, (char *)c->w);
    work_start(robot, c->w);
    return c;
}

void plan_complex_free(plan_complex *c)
{
    if (!c) return;
    free(c->w);
    free(c->z);
    free(c->out);
    free(c);
}

void plan_complex_column(plan_complex *c, const arne_quantity *what, int rows, double u,
                         const double *z, int column, double *out)
{
    const int n = c->robot->v_count;
    for (int i = 0; i < 4 * n; i++)
        c->z[i] = z[i];
    c->z[column] += STEP * _Complex_I;
    const quantity_state at = {c->robot, c->w, c->z, c->z + n, c->z + 2 * n, c->z + 3 * n, u};
    quantity_rows(&at, what, c->out);
    for (int r = 0; r < rows; r++)
        out[r] = cimag(c->out[r]) / STEP;
}

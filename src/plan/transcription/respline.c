// Finer splines: every span of every phase is halved. The old motion is in the new space, so it is
// interpolated exactly. And the way back, to a motion that was kept.
#include "plan/transcription/respline.h"
#include "base/error.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONTROL_POINTS = 400 };

static int finer_count(const arne_plan *p, int phase)
{
    return 2 * (p->phases[phase].m - p->degree) + p->degree;
}

int plan_can_respline(const arne_plan *p)
{
    int sum = 0;
    for (int k = 0; k < p->phase_count; k++)
        sum += finer_count(p, k);
    return sum <= MOST_CONTROL_POINTS;
}

// The control points of one coordinate in the finer space.
static arne_status interpolate(const arne_bspline *spline, const double *control,
                               const arne_bspline *finer, double *out, arne_error *error)
{
    const int               m = arne_bspline_count(finer);
    arne_bspline_condition *at = malloc((size_t)m * sizeof *at);
    double                 *values = malloc((size_t)m * sizeof *values);
    arne_status             status = at && values ? ARNE_OK : arne_fail_memory(error);
    for (int i = 0; !status && i < m; i++) {
        at[i] = (arne_bspline_condition){.t = arne_bspline_place(finer, i)};
        arne_bspline_evaluate(spline, 1, at[i].t, 1, control, 1, &values[i]);
    }
    if (!status) status = arne_bspline_fit(finer, 1, at, values, 1, out, error);
    free(at);
    free(values);
    return status;
}

// What becomes of the plan: its phases and variables.
typedef struct finer {
    plan_phase *phases;
    int         m;
    double     *x, *lower, *upper;
} finer;

static void free_finer(finer *f, int phase_count)
{
    for (int k = 0; f->phases && k < phase_count; k++) {
        arne_bspline_free(f->phases[k].spline);
        arne_bspline_free(f->phases[k].force);
    }
    free(f->phases), free(f->x), free(f->lower), free(f->upper);
}

// counts: control points of each phase; NULL: twice as many spans.
static arne_status new_finer(const arne_plan *p, const int *counts, finer *f, arne_error *error)
{
    arne_status status = ARNE_OK;
    *f = (finer){.phases = calloc((size_t)p->phase_count, sizeof *f->phases)};
    if (!f->phases) return arne_fail_memory(error);
    for (int k = 0; k < p->phase_count && !status; k++) {
        plan_phase *to = &f->phases[k];
        *to = p->phases[k];
        to->spline = to->force = NULL;
        to->first = f->m;
        to->m = counts ? counts[k] : finer_count(p, k);
        f->m += to->m;
        status = arne_bspline_new(p->degree, to->m, NULL, &to->spline, error);
        if (!status && p->degree > 2)
            status = arne_bspline_new(p->degree - 2, to->m - 2, NULL, &to->force, error);
    }
    const size_t count = (size_t)p->n * (size_t)f->m + (size_t)p->phase_count;
    f->x = calloc(count, sizeof(double));
    f->lower = calloc(count, sizeof(double));
    f->upper = calloc(count, sizeof(double));
    if (!status && (!f->x || !f->lower || !f->upper)) status = arne_fail_memory(error);
    return status;
}

// Bounds of a coordinate. Along a path the first and the last ones are fixed: it starts and ends at
// rest.
static void bound_coordinate(const arne_plan *p, int j, finer *f)
{
    const int m = f->m;
    for (int i = 0; i < m; i++) {
        f->lower[j * m + i] = p->prescribed[j].on ? 0 : p->coordinate_lower[j];
        f->upper[j * m + i] = p->prescribed[j].on ? 0 : p->coordinate_upper[j];
    }
    for (int i = 0; p->map.n && !p->planned_from && i < p->m / 2; i++) {
        const int old[2] = {j * p->m + i, j * p->m + p->m - 1 - i};
        const int at[2] = {j * m + i, j * m + m - 1 - i};
        for (int end = 0; end < 2; end++) {
            if (p->x_lower[old[end]] != p->x_upper[old[end]]) continue;
            f->x[at[end]] = f->lower[at[end]] = f->upper[at[end]] = p->x_lower[old[end]];
        }
    }
}

static arne_status fill_coordinate(const arne_plan *p, int j, finer *f, arne_error *error)
{
    arne_status status = ARNE_OK;
    const int   force = j >= p->n - p->force_count;
    for (int k = 0; k < p->phase_count && !status && !p->prescribed[j].on; k++) {
        const plan_phase *old = &p->phases[k], *now = &f->phases[k];
        status = interpolate(force ? old->force : old->spline, p->x + j * p->m + old->first,
                             force ? now->force : now->spline, f->x + j * f->m + now->first, error);
    }
    bound_coordinate(p, j, f);
    return status;
}

// The plan takes the splines and variables, and forgets what followed from those it had.
static void take(arne_plan *p, const finer *f)
{
    finer was = {p->phases, p->m, p->x, p->x_lower, p->x_upper};
    plan_forget(p);
    free_finer(&was, p->phase_count);
    p->x = f->x, p->x_lower = f->lower, p->x_upper = f->upper;
    p->phases = f->phases;
    p->m = f->m;
    p->x_count = p->n * p->m + p->phase_count - !p->free_time;
    p->multiplier_count = -1; // of another size
    p->has_multipliers = 0;
    for (int i = 0; i < p->constraint_count; i++)
        p->constraints[i].held = 0; // by variables that are no more
}

arne_status plan_respline(arne_plan *p, arne_error *error)
{
    finer       f;
    arne_status status = new_finer(p, NULL, &f, error);
    for (int j = 0; !status && j < p->n; j++)
        status = fill_coordinate(p, j, &f, error);
    if (status) {
        free_finer(&f, p->phase_count);
        return status;
    }
    for (int k = 0; k < p->phase_count; k++) {
        const int old = p->n * p->m + k, now = p->n * f.m + k;
        f.x[now] = p->x[old];
        f.lower[now] = p->x_lower[old];
        f.upper[now] = p->x_upper[old];
    }
    take(p, &f);
    return ARNE_OK;
}

// ---- the way back

static size_t variables(const arne_plan *p)
{
    return (size_t)p->n * (size_t)p->m + (size_t)p->phase_count;
}

arne_status plan_keep(const arne_plan *p, plan_kept *kept, arne_error *error)
{
    const size_t size = variables(p) * sizeof(double);
    *kept = (plan_kept){.counts = calloc((size_t)p->phase_count, sizeof *kept->counts),
                        .x = malloc(3 * size),
                        .extra_count = p->extra_count,
                        .grid_points = p->options.grid_points};
    if (!kept->counts || !kept->x) {
        plan_kept_free(kept);
        return arne_fail_memory(error);
    }
    for (int k = 0; k < p->phase_count; k++)
        kept->counts[k] = p->phases[k].m;
    memcpy(kept->x, p->x, size);
    memcpy(kept->x + variables(p), p->x_lower, size);
    memcpy(kept->x + 2 * variables(p), p->x_upper, size);
    return ARNE_OK;
}

void plan_kept_free(plan_kept *kept)
{
    free(kept->counts), free(kept->x);
    *kept = (plan_kept){0};
}

arne_status plan_come_back(arne_plan *p, const plan_kept *kept, arne_error *error)
{
    finer             f;
    const arne_status status = new_finer(p, kept->counts, &f, error);
    if (status) {
        free_finer(&f, p->phase_count);
        return status;
    }
    take(p, &f);
    const size_t size = variables(p) * sizeof(double);
    memcpy(p->x, kept->x, size);
    memcpy(p->x_lower, kept->x + variables(p), size);
    memcpy(p->x_upper, kept->x + 2 * variables(p), size);
    p->extra_count = kept->extra_count;
    p->options.grid_points = kept->grid_points;
    return ARNE_OK;
}

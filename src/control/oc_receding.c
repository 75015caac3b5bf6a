// Receding horizons: the solution of the last tick, shifted in time, is where this tick starts.
#include "base/error.h"
#include "control/oc_solve.h"
#include <arne/configuration.h>
#include <arne/integrate.h>
#include <math.h>
#include <string.h>

enum { STEP_TRIALS = 5 };
static const double MUCH_MORE = 1; // part of the cost of the last tick

// Rows of an array that belongs to knots: each moves by the part s towards the next; the last
// stays.
static void rows_shift(double *x, ptrdiff_t rows, ptrdiff_t width, double s)
{
    for (ptrdiff_t i = 0; i < (rows - 1) * width; i++)
        x[i] += s * (x[i + width] - x[i]);
}

// States move on likewise, along geodesics; the last one by a step.
static void states_shift(arne_oc *oc, double s)
{
    for (int k = 0; k < oc->N; k++) {
        double *x = oc->states + (ptrdiff_t)k * oc->sx, *next = x + oc->sx, *d = oc->L;
        arne_difference(oc->robot, x, next, d);
        for (int i = 0; i < oc->n; i++) {
            d[i] *= s;
            x[oc->nq + i] += s * (next[oc->nq + i] - x[oc->nq + i]);
        }
        arne_integrate(oc->robot, x, d, x);
    }
}

static void oc_shift(arne_oc *oc, double s)
{
    states_shift(oc, s);
    rows_shift(oc->controls, oc->N, oc->nu, s);
    rows_shift(oc->K, oc->N, (ptrdiff_t)oc->nu * oc->nx, s);
    for (const oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++)
        if (t->multipliers) rows_shift(t->multipliers, t->last - t->first + 1, t->rows, s);
}

// A whole step from the shifted states, whose only large gap is that to the measured state, if it
// costs less than `bar`. Returns whether it was taken.
static int step_across(solve *s, double bar)
{
    arne_oc  *oc = s->oc;
    const int iterations = s->o.iterations;
    if (oc_find_gaps(oc, oc->x0) || oc_evaluate(oc, &s->at) || oc->feasible) return 0;
    s->bar = bar;
    s->o.iterations = 1;
    oc_search(s);
    s->o.iterations = iterations;
    s->bar = 0;
    if (!oc->feasible) s->r.iterations = 0;
    return oc->feasible;
}

// The motion from the measured state that this tick starts with: that of the shifted controls
// alone, as the plant will be driven. If it diverges or costs much more than the last tick, as
// after a push: the one that costs least of it, that with the gains of the last tick, and a whole
// step from the shifted states. If all diverge: the shifted states, with a gap, or no control at
// all.
static int oc_first_motion(solve *s)
{
    arne_oc    *oc = s->oc;
    merit_value open = {.merit = INFINITY}, held = {.merit = INFINITY};
    if (oc_rollout_try(oc, oc->x0, 0, &open)) open.merit = INFINITY;
    if (oc->started &&
        !(open.merit < INFINITY && open.cost <= oc->last_cost + MUCH_MORE * fabs(oc->last_cost))) {
        if (oc_rollout_try(oc, oc->x0, 1, &held)) held.merit = INFINITY;
        if (step_across(s, fmin(open.merit, held.merit))) return 0;
    }
    oc->feasible = 1; // a rollout has no gaps
    if (!oc_rollout(oc, oc->x0, held.merit < open.merit, &s->at)) return 0;
    if (oc->started && !oc_find_gaps(oc, oc->x0) && !oc_evaluate(oc, &s->at)) return 0;
    oc->feasible = 1;
    for (int i = 0; i < oc->N * oc->nu; i++)
        oc->controls[i] = fmin(fmax(0, oc->lower[i % oc->nu]), oc->upper[i % oc->nu]);
    return oc_rollout(oc, oc->x0, 0, &s->at);
}

// u_0, with the gain across a gap that is left.
static void oc_control_now(arne_oc *oc, double *control)
{
    double *dx = oc->L;
    memset(dx, 0, (size_t)oc->nx * sizeof *dx);
    if (!oc->feasible) memcpy(dx, oc->gaps, (size_t)oc->nx * sizeof *dx);
    riccati_control(oc->robot, oc, 0, 0, dx, control);
}

void arne_oc_set_previous(arne_oc *oc, const double *control)
{
    if (oc && control) memcpy(oc->previous, control, (size_t)oc->nu * sizeof *control);
}

arne_status arne_oc_step(arne_oc *oc, const double *q, const double *qd, double elapsed,
                         const arne_oc_options *options, double *control, double *gain,
                         arne_oc_result *result, arne_error *error)
{
    solve s;
    if (!oc || !q || !qd || !control) return arne_fail_null(error);
    if (!(elapsed >= 0))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "elapsed is %g: not zero or more", elapsed);
    oc_keep_state(oc, q, qd, oc->x0);
    arne_status status = oc_begin(&s, oc, oc->x0, options, 1, STEP_TRIALS, error);
    if (status) return status;
    if (oc->started) oc_shift(oc, fmin(elapsed / oc->h, 1));
    oc_stay(oc);
    oc_first_penalties(&s, 1);
    if (oc_first_motion(&s))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "no motion from this state is finite: look at references and weights");
    oc_search(&s);
    if (oc->constrained) s.r.penalty = terms_update_multipliers(oc, 0);
    oc->last_cost = s.at.cost;
    status = oc_end(&s, result, error);
    oc_control_now(oc, control);
    memcpy(oc->previous, control, (size_t)oc->nu * sizeof *control);
    if (gain) memcpy(gain, oc->K, (size_t)(oc->nu * oc->nx) * sizeof *gain);
    return status == ARNE_NOT_CONVERGED ? ARNE_OK : status;
}

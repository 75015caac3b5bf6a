// Receding horizons: the solution of the last tick, shifted in time, is where this tick starts.
#include "base/error.h"
#include "control/oc_solve.h"
#include <math.h>
#include <string.h>

enum { STEP_TRIALS = 5 };

// Rows of an array that belongs to knots: each moves by the part s towards the next; the last
// stays.
static void rows_shift(double *x, ptrdiff_t rows, ptrdiff_t width, double s)
{
    for (ptrdiff_t i = 0; i < (rows - 1) * width; i++)
        x[i] += s * (x[i + width] - x[i]);
}

static void oc_shift(arne_oc *oc, double s)
{
    rows_shift(oc->controls, oc->N, oc->nu, s);
    for (const oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++)
        if (t->multipliers) rows_shift(t->multipliers, t->last - t->first + 1, t->rows, s);
}

// The states that follow from the measured one: without feedback, as the plant will be driven; with
// the gains of the last tick, if that diverges; from no control at all, if that does, too.
static int oc_rollout_some(arne_oc *oc, merit_value *at)
{
    if (!oc_rollout(oc, oc->x0, 0, at)) return 0;
    if (oc->started && !oc_rollout(oc, oc->x0, 1, at)) return 0;
    for (int i = 0; i < oc->N * oc->nu; i++)
        oc->controls[i] = fmin(fmax(0, oc->lower[i % oc->nu]), oc->upper[i % oc->nu]);
    return oc_rollout(oc, oc->x0, 0, at);
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
    oc->feasible = 1; // a rollout has no gaps
    if (oc_rollout_some(oc, &s.at))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "no motion from this state is finite: look at references and weights");
    oc_search(&s);
    if (oc->constrained) s.r.penalty = terms_update_multipliers(oc, 0);
    status = oc_end(&s, result, error);
    memcpy(control, oc->controls, (size_t)oc->nu * sizeof *control);
    memcpy(oc->previous, control, (size_t)oc->nu * sizeof *control);
    if (gain) memcpy(gain, oc->K, (size_t)(oc->nu * oc->nx) * sizeof *gain);
    return status == ARNE_NOT_CONVERGED ? ARNE_OK : status;
}

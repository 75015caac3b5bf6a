// Where a search finds no motion: other starts, before limits are said to forbid it. A straight
// line in a second is a bad start for a motion that has to swing; so the same line in two, four and
// eight times the time where that is free, then all of these with twice as many spans where the
// problem leaves them to us, and of small plans with four times as many. The best of what is found
// on the same splines counts.
#include "base/error.h"
#include "plan/solve/search.h"
#include "plan/transcription/respline.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOWER = 3,  // doublings of the time
    SMALL = 300, // variables of plans that are tried again
    TINY = 60    // and of those with four times as many spans
};

typedef struct attempts {
    search          *s;
    const plan_kept *first; // where the first search started
    plan_kept        best;
    double           objective; // of the best; INFINITY: none
    arne_plan_status status;
} attempts;

// The motion in so many times the time, as far as its bounds allow. Returns whether that is
// another.
static int slow_down(arne_plan *p, double factor)
{
    int another = 0;
    for (int k = 0; p->free_time && k < p->phase_count; k++) {
        const int    at = p->n * p->m + k;
        const double was = p->x[at];
        p->x[at] = fmin(fmax(was * factor, p->x_lower[at]), p->x_upper[at]);
        another |= p->x[at] > 1.01 * was;
    }
    return another;
}

static arne_status note_if_better(attempts *a, arne_plan_status found, arne_error *error)
{
    arne_plan             *p = a->s->p;
    const arne_plan_result result = {.status = found};
    if (a->s->stopped || found > ARNE_PLAN_ACCEPTABLE || search_found_none(a->s, &result))
        return ARNE_OK;
    const double objective = search_objective(p);
    if (!(objective < a->objective)) return ARNE_OK;
    plan_kept_free(&a->best);
    a->objective = objective;
    a->status = found;
    return plan_keep(p, &a->best, error);
}

// From the first start, with spans doubled so often, this many times slower.
static arne_status attempt(attempts *a, int finer, double factor, arne_error *error)
{
    arne_plan       *p = a->s->p;
    arne_plan_status found = ARNE_PLAN_OPTIMAL;
    arne_status      status = plan_come_back(p, a->first, error);
    if (status) return status;
    if (!slow_down(p, factor) && factor > 1) return ARNE_OK;
    for (int i = 0; i < finer && !status; i++)
        status = plan_respline(p, error);
    if (!status) status = search_ready(a->s, error);
    if (!status) status = search_run(a->s, 2, 0, &found, error);
    return status ? status : note_if_better(a, found, error);
}

static arne_status try_all(attempts *a, arne_error *error)
{
    const search *s = a->s;
    arne_status   status = ARNE_OK;
    const int     most = s->options->converge >= 0 || !plan_can_respline(s->p) ? 0
                         : s->p->x_count > TINY                                ? 1
                                                                               : 2;
    for (int finer = 0; finer <= most && !isfinite(a->objective); finer++)
        for (int i = !finer; i <= SLOWER && !status && !s->stopped; i++)
            status = attempt(a, finer, ldexp(1, i), error);
    return status;
}

// The plan as it stood, where no attempt helps.
static arne_status stand_again(search *s, const plan_kept *stood, const double *start,
                               arne_error *error)
{
    arne_status status = plan_come_back(s->p, stood, error);
    if (!status) status = search_ready(s, error);
    if (!status) memcpy(s->start, start, (size_t)s->p->x_count * sizeof *start);
    return status;
}

arne_status search_retry(search *s, const plan_kept *first, arne_plan_result *result,
                         arne_error *error)
{
    attempts     a = {.s = s, .first = first, .objective = INFINITY};
    plan_kept    stood;
    const size_t size = (size_t)s->p->x_count * sizeof(double);
    if (s->p->x_count > SMALL || s->stopped) return ARNE_OK;
    double *start = malloc(size + 1);
    if (!start) return arne_fail_memory(error);
    memcpy(start, s->start, size);
    arne_status status = plan_keep(s->p, &stood, error);
    if (!status) {
        status = try_all(&a, error);
        if (!status && isfinite(a.objective)) {
            result->status = a.status;
            status = plan_come_back(s->p, &a.best, error);
            if (!status) status = search_ready(s, error);
        } else if (!status) {
            status = stand_again(s, &stood, start, error);
        }
        plan_kept_free(&stood);
    }
    if (s->stopped) result->status = ARNE_PLAN_INTERRUPTED;
    plan_kept_free(&a.best);
    free(start);
    return status;
}

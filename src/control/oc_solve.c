// The iteration: derivatives, Riccati recursion, line search; around it the multipliers of bounds.
//
// Feasibility-driven DDP as Crocoddyl has it (Mastalli et al. 2020): trial with step s
//     u = u_k + s k + K (x (-) x_k), clipped to the bounds of controls
//     x_k+1 = f(x, u) (+) (s - 1) gap_k+1
// and the expected decrease s (d0 + s d1 / 2), which has the gaps in it. Merit: the cost with the
// penalties of bounds. A step is taken if the expected decrease is positive and the merit decreases
// by a tenth of it; or, with gaps, if it is negative and the merit rises by at most twice of it,
// and by no more than max |V_x| times the sum of the gaps that the step closes (an exact penalty).
// A whole step closes all gaps; from then on the merit never rises.
#include "control/oc_solve.h"
#include "base/error.h"
#include "base/options.h"
#include <arne/configuration.h>
#include <arne/integrate.h>
#include <math.h>
#include <string.h>

enum { MOST_TRIALS = 10, DEFAULT_ITERATIONS = 500, IDLE_ITERATIONS = 30, SLOW_TURN = 10 };
static const double ACCEPT_PART = 0.1, ACCEPT_RISE = 2, NO_SLOPE = 1e-12;
static const double REG_FACTOR = 10, REG_UP_STEP = 0.01, REG_DOWN_STEP = 0.5;
// Of the merit: below it a decrease cannot be told from rounding.
static const double MERIT_ROUNDING = 1e-15;
// AUTO: the expected decrease, as a part of the cost, below which the exact Hessian is used.
static const double EXACT_BELOW = 1e-3, EXACT_REG_LEAST = 1e-9;
static const double PENALTY_MOST = 1e9;
static const double NO_GAP = 1e-14, LIMIT_PART = 1e-6, LIMIT_LEAST = 1e-9;
// Of the merit, and of the gradient: what rounding leaves, without and with penalties.
static const double NOTHING_LEFT[2] = {1e-25, 1e-23}, ROUNDED_GRADIENT[2] = {1e-7, 1e-6};

static double oc_solve_seconds(const solve *s)
{
    return s->o.clock ? s->o.clock(s->o.clock_context) : 0;
}

// ---- the iterate ----

static const double *oc_solve_state_of(const arne_oc *oc, int k)
{
    return oc->states + (ptrdiff_t)k * oc->sx;
}

// out = to (-) from, of states.
static void state_difference(const arne_oc *oc, const double *from, const double *to, double *out)
{
    arne_difference(oc->robot, from, to, out);
    if (oc->circles) oc_wrap(oc, out);
    for (int i = 0; i < oc->n; i++)
        out[oc->n + i] = to[oc->nq + i] - from[oc->nq + i];
}

// x <- x (+) s d
static void state_move(arne_oc *oc, double *x, double s, const double *d)
{
    double *w = oc->t;
    for (int i = 0; i < oc->n; i++) {
        w[i] = s * d[i];
        x[oc->nq + i] += s * d[oc->n + i];
    }
    arne_integrate(oc->robot, x, w, x);
}

static double oc_solve_largest(const double *x, ptrdiff_t n)
{
    double most = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double oc_gap_sum(const arne_oc *oc)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)(oc->N + 1) * oc->nx; i++)
        sum += fabs(oc->gaps[i]);
    return sum;
}

int oc_find_gaps(arne_oc *oc, const double *x0)
{
    double *next = oc->trial_x;
    oc->forces_known = 0;
    state_difference(oc, oc->states, x0, oc->gaps);
    for (int k = 0; k < oc->N; k++) {
        if (dynamics_step(oc, k, oc_solve_state_of(oc, k), oc->controls + (ptrdiff_t)k * oc->nu,
                          next))
            return 1;
        state_difference(oc, oc_solve_state_of(oc, k + 1), next,
                         oc->gaps + (ptrdiff_t)(k + 1) * oc->nx);
    }
    oc->feasible = oc_solve_largest(oc->gaps, (ptrdiff_t)(oc->N + 1) * oc->nx) <= NO_GAP;
    return 0;
}

int oc_evaluate(arne_oc *oc, merit_value *out)
{
    *out = (merit_value){0, 0, 0, 0};
    for (int k = 0; k <= oc->N; k++)
        if (terms_value(oc, k, oc_solve_state_of(oc, k),
                        k < oc->N ? oc->controls + (ptrdiff_t)k * oc->nu : NULL, oc_before(oc, k),
                        &out->merit, &out->cost, &out->violation))
            return 1;
    return 0;
}

// ---- trials ----

// A trial of this length from x0. Nonzero: it is not finite, or its merit is above the limit, at
// which sums of squares need not go on.
static int trial_run(arne_oc *oc, const double *x0, double length, double limit, merit_value *out)
{
    const int nu = oc->nu, nx = oc->nx;
    double   *dx = oc->L, *next = oc->trial_x;
    *out = (merit_value){0, 0, 0, 0};
    memcpy(next, x0, (size_t)oc->sx * sizeof *x0);
    if (!oc->feasible && length < 1) state_move(oc, next, length - 1, oc->gaps);
    for (int k = 0; k <= oc->N; k++) {
        const double *x = oc->trial_x + (ptrdiff_t)k * oc->sx;
        double       *u = k < oc->N ? oc->trial_u + (ptrdiff_t)k * nu : NULL;
        const double *before = k > 0 ? oc->trial_u + (ptrdiff_t)(k - 1) * nu : oc->previous;
        state_difference(oc, oc_solve_state_of(oc, k), x, dx);
        for (int i = 0; i < nu && oc->rate; i++)
            dx[2 * oc->n + i] = before[i] - oc_before(oc, k)[i];
        for (int i = 0; i < nx && !oc->feasible; i++)
            out->across -= oc->Vf[(ptrdiff_t)k * nx + i] * dx[i];
        if (u) riccati_control(oc->robot, oc, k, length, dx, u);
        if (terms_value(oc, k, x, u, before, &out->merit, &out->cost, &out->violation)) return 1;
        if (out->merit > limit) return 1;
        if (!u) break;
        next = oc->trial_x + (ptrdiff_t)(k + 1) * oc->sx;
        if (dynamics_step(oc, k, x, u, next)) return 1;
        if (!oc->feasible && length < 1)
            state_move(oc, next, length - 1, oc->gaps + (ptrdiff_t)(k + 1) * nx);
    }
    return 0;
}

static void swap(double **a, double **b)
{
    double *was = *a;
    *a = *b;
    *b = was;
}

static void trial_take(arne_oc *oc, double length)
{
    oc->forces_known = 0;
    swap(&oc->states, &oc->trial_x);
    swap(&oc->controls, &oc->trial_u);
    if (length == 1) oc->feasible = 1;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)(oc->N + 1) * oc->nx; i++)
        oc->gaps[i] *= oc->feasible ? 0 : 1 - length;
}

int oc_rollout_try(arne_oc *oc, const double *x0, int feedback, merit_value *out)
{
    memset(oc->k, 0, (size_t)(oc->N * oc->nu) * sizeof *oc->k);
    oc->open_loop = !feedback;
    const int failed = trial_run(oc, x0, 1, INFINITY, out);
    oc->open_loop = 0;
    return failed;
}

int oc_rollout(arne_oc *oc, const double *x0, int feedback, merit_value *out)
{
    const int failed = oc_rollout_try(oc, x0, feedback, out);
    if (!failed) trial_take(oc, 1);
    return failed;
}

// Tries steps 1, 1/2, ...; returns the length that was taken, or 0.
static double oc_solve_search(solve *s, const oc_descent *d)
{
    arne_oc *oc = s->oc;
    double   length = 1;
    // With a margin above all that a step may be taken for.
    const double limit =
        oc->feasible && oc->squares ? s->at.merit * (1 + LIMIT_PART) + LIMIT_LEAST : INFINITY;
    s->gap_sum = oc->feasible ? 0 : oc_gap_sum(oc);
    for (int i = 0; i < s->o.trials; i++, length /= 2) {
        merit_value trial;
        s->r.trials++;
        const int failed = trial_run(oc, s->x0, length, limit, &trial);
        if (failed && s->bar > 0) return 0;
        if (failed) continue;
        const double d0 = d->slope + trial.across, d1 = d->curvature - 2 * trial.across;
        const double expected = length * (d0 + 0.5 * length * d1),
                     found = s->at.merit - trial.merit;
        const double rounding = MERIT_ROUNDING * fabs(s->at.merit);
        const double rise = length * d->pull * s->gap_sum;
        const int    good = expected >= 0
                                ? fabs(d0) < NO_SLOPE || found > ACCEPT_PART * expected ||
                                   (expected < rounding && found > -rounding)
                                : !oc->feasible && found > ACCEPT_RISE * expected && found > -rise;
        if (s->bar > 0 && !(trial.merit < s->bar)) return 0;
        if (s->bar <= 0 && !good) continue;
        trial_take(oc, length);
        s->at = trial;
        return length;
    }
    return 0;
}

// ---- one iteration ----

static int wants_exact(const solve *s)
{
    if (s->o.hessian == ARNE_OC_EXACT) return 1;
    return s->o.hessian == ARNE_OC_AUTO && s->oc->feasible && s->near_optimum && !s->exact_fails;
}

static void harder_exact(solve *s)
{
    s->exact_reg = fmin(fmax(s->exact_reg, EXACT_REG_LEAST) * REG_FACTOR, s->o.most_regularisation);
}

// The recursion, with more regularisation until it succeeds. Returns 0 where it never does.
static int recursion(solve *s, oc_descent *d)
{
    arne_oc *oc = s->oc;
    int      exact = wants_exact(s);
    for (;;) {
        const double reg = oc->reg;
        // Newton's own step, and its gains, unless it was indefinite before
        if (exact && s->o.hessian == ARNE_OC_AUTO) oc->reg = s->exact_reg;
        const int status = riccati_run(oc->robot, oc, exact, d);
        oc->reg = reg;
        if (status == RICCATI_OK && isfinite(d->slope) && isfinite(d->curvature)) break;
        if (exact && s->o.hessian == ARNE_OC_AUTO) {
            exact = 0;
            s->near_optimum = 0;
            harder_exact(s);
            continue;
        }
        if (status == RICCATI_FAILED || oc->reg >= s->o.most_regularisation) return 0;
        oc->reg =
            fmin(fmax(oc->reg, s->o.least_regularisation) * REG_FACTOR, s->o.most_regularisation);
    }
    s->exact = exact;
    s->r.exact += exact;
    return 1;
}

static void oc_solve_regularise(solve *s, double length)
{
    arne_oc *oc = s->oc;
    if (s->exact && s->o.hessian == ARNE_OC_AUTO) {
        if (length < REG_DOWN_STEP)
            harder_exact(s);
        else if (length == 1)
            s->exact_reg = s->exact_reg > EXACT_REG_LEAST ? s->exact_reg / REG_FACTOR : 0;
    } else if (length > REG_DOWN_STEP)
        oc->reg = fmax(oc->reg / REG_FACTOR, s->o.least_regularisation);
    else if (length <= REG_UP_STEP)
        oc->reg = fmin(fmax(oc->reg, 1e-12) * REG_FACTOR, s->o.most_regularisation);
}

// Whether the search is at its end, with the outcome. Also where Newton's step gains nothing that
// rounding would show: with large penalties or unstable dynamics the gradient itself is rounded at
// more than the tolerance, and some more iterations find a smaller one.
static int is_at_end(solve *s, const oc_descent *d)
{
    const double part = fabs(s->r.expected) / fmax(fabs(s->at.merit), 1e-300);
    const int    inside = s->at.violation <= s->o.bound_tolerance;
    if (!s->oc->feasible) return 0;
    s->r.outcome = ARNE_OC_CONVERGED;
    if (d->gradient <= s->inner_tolerance && part <= s->o.cost_tolerance) return 1;
    if (!s->exact || part > NOTHING_LEFT[s->oc->constrained]) return 0;
    if (!inside || d->gradient <= ROUNDED_GRADIENT[s->oc->constrained]) return 1;
    s->r.outcome = ARNE_OC_STALLED;
    return s->idle++ >= IDLE_ITERATIONS;
}

// Where nothing helps any more: gaps are closed by a rollout with the last gains, or of no control
// at all, and the search goes on from there, once each.
static int start_over(solve *s)
{
    arne_oc    *oc = s->oc;
    merit_value at;
    if (oc->feasible || s->restarts++ > 0) return 0;
    if (oc_rollout(oc, s->x0, 1, &at)) {
        for (int i = 0; i < oc->N * oc->nu; i++)
            oc->controls[i] =
                oc->bounded ? fmin(fmax(0, oc->lower[i % oc->nu]), oc->upper[i % oc->nu]) : 0;
        if (oc_rollout(oc, s->x0, 0, &at)) return 0;
    }
    s->at = at;
    s->moved = 1;
    oc->reg = s->o.regularisation;
    return 1;
}

// One iteration; returns whether the search ends, with the outcome set.
static int iterate(solve *s)
{
    arne_oc     *oc = s->oc;
    oc_descent   d;
    const double t0 = oc_solve_seconds(s);
    if (s->moved && dynamics_derive(oc)) {
        s->r.outcome = ARNE_OC_STALLED;
        return !start_over(s);
    }
    s->moved = 0;
    const double t1 = oc_solve_seconds(s);
    const int    found = recursion(s, &d);
    const double t2 = oc_solve_seconds(s);
    s->r.derivative_time += t1 - t0;
    s->r.riccati_time += t2 - t1;
    if (!found) {
        s->r.outcome = ARNE_OC_STALLED;
        return !start_over(s);
    }
    s->r.gradient = d.gradient;
    s->r.expected = d.slope + 0.5 * d.curvature;
    if (is_at_end(s, &d)) return 1;
    s->r.iterations++;
    const double length = oc_solve_search(s, &d);
    s->r.search_time += oc_solve_seconds(s) - t2;
    s->r.step = length;
    s->moved = length > 0;
    s->r.rejected += length == 0;
    s->exact_fails = s->exact && length == 0;
    const int small = oc->feasible && fabs(s->r.expected) <= EXACT_BELOW * fabs(s->at.merit);
    s->slow = small && length < 1 ? s->slow + 1 : small ? s->slow : 0;
    s->near_optimum = small && (length == 1 || s->slow % (2 * SLOW_TURN) >= SLOW_TURN);
    const int was_most = oc->reg >= s->o.most_regularisation;
    oc_solve_regularise(s, length);
    if (length > 0 || s->exact_fails || !was_most) return 0;
    s->r.outcome = ARNE_OC_STALLED;
    return !start_over(s);
}

// ---- the whole search ----

static int out_of_time(const solve *s, double longest)
{
    return s->o.clock && s->o.deadline > 0 && oc_solve_seconds(s) + longest > s->o.deadline;
}

void oc_search(solve *s)
{
    double longest = 0;
    s->r.outcome = ARNE_OC_ITERATIONS;
    while (s->r.iterations < s->o.iterations) {
        const double start = oc_solve_seconds(s);
        if (out_of_time(s, longest)) {
            s->r.outcome = ARNE_OC_DEADLINE;
            return;
        }
        if (s->o.stop && s->o.stop(s->o.stop_context)) {
            s->r.outcome = ARNE_OC_STOPPED;
            return;
        }
        if (iterate(s)) return;
        longest = fmax(longest, oc_solve_seconds(s) - start);
        s->r.outcome = ARNE_OC_ITERATIONS;
    }
}

// Bounds: searches with multipliers kept, each followed by new ones.
static void search_bounded(solve *s)
{
    arne_oc *oc = s->oc;
    s->inner_tolerance = fmax(s->o.tolerance, 1e-2);
    for (;;) {
        oc_search(s);
        if (s->r.outcome != ARNE_OC_CONVERGED && s->r.outcome != ARNE_OC_STALLED) return;
        const int inside = s->at.violation <= s->o.bound_tolerance;
        const int done =
            inside && (s->inner_tolerance <= s->o.tolerance || s->r.outcome == ARNE_OC_STALLED);
        s->r.penalty = terms_update_multipliers(oc, !inside); // if done: those of this gradient
        if (done) return;
        s->r.outcome = ARNE_OC_STALLED;
        if (s->r.penalty < 0 || s->r.penalty > PENALTY_MOST) return;
        s->inner_tolerance =
            fmax(fmax(s->o.tolerance, 1e-4 * s->at.violation), 0.1 * s->inner_tolerance);
        oc->reg = s->o.regularisation;
        s->near_optimum = s->exact_fails = s->restarts = s->idle = 0;
        if (oc_evaluate(oc, &s->at)) return;
    }
}

static double or_default(double given, double otherwise) { return given > 0 ? given : otherwise; }

arne_status oc_begin(solve *s, arne_oc *oc, const double *x0, const arne_oc_options *given,
                     int iterations, int trials, arne_error *error)
{
    *s = (solve){.oc = oc, .x0 = x0, .moved = 1};
    if (given && !options_take(&s->o, sizeof s->o, OPTIONS_FIRST(arne_oc_options), given))
        return options_refuse(error);
    for (int i = 0; i < oc->sx; i++)
        if (!isfinite(x0[i]))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "entry %d of the state is not finite", i);
    arne_oc_options *o = &s->o;
    if (o->iterations <= 0) o->iterations = iterations;
    if (o->trials <= 0) o->trials = trials;
    o->tolerance = or_default(o->tolerance, 1e-9);
    o->gap_tolerance = or_default(o->gap_tolerance, 1e-9);
    o->bound_tolerance = or_default(o->bound_tolerance, 1e-8);
    o->cost_tolerance = or_default(o->cost_tolerance, 1e-10);
    o->least_regularisation = or_default(o->least_regularisation, 1e-9);
    o->regularisation = fmax(or_default(o->regularisation, 1e-9), o->least_regularisation);
    o->most_regularisation = or_default(o->most_regularisation, 1e9);
    s->inner_tolerance = o->tolerance;
    oc->reg = o->regularisation;
    if (o->penalty > 0) terms_set_penalty(oc, o->penalty);
    oc->penalised |= o->penalty > 0 || !oc->constrained;
    for (int i = 0; i < oc->N * oc->nu && oc->bounded; i++)
        oc->controls[i] = fmin(fmax(oc->controls[i], oc->lower[i % oc->nu]), oc->upper[i % oc->nu]);
    return ARNE_OK;
}

arne_status oc_end(solve *s, arne_oc_result *result, arne_error *error)
{
    arne_oc *oc = s->oc;
    s->r.cost = s->at.cost;
    s->r.violation = s->at.violation;
    s->r.gap = oc->feasible ? 0 : oc_solve_largest(oc->gaps, (ptrdiff_t)(oc->N + 1) * oc->nx);
    s->r.regularisation = oc->reg;
    oc->started = 1;
    if (result) *result = s->r;
    switch (s->r.outcome) {
    case ARNE_OC_CONVERGED:
        return ARNE_OK;
    case ARNE_OC_DEADLINE:
    case ARNE_OC_STOPPED:
        return arne_fail(error, ARNE_STOPPED, NULL, 0, "optimal control: %s after %d iterations",
                         s->r.outcome == ARNE_OC_DEADLINE ? "the time was up" : "stopped",
                         s->r.iterations);
    default:
        return arne_fail(error, ARNE_NOT_CONVERGED, NULL, 0,
                         "optimal control: %s after %d iterations, gradient %.3g, gap %.3g, "
                         "violation %.3g",
                         s->r.outcome == ARNE_OC_STALLED ? "no step helps" : "not converged",
                         s->r.iterations, s->r.gradient, s->r.gap, s->r.violation);
    }
}

void oc_stay(arne_oc *oc)
{
    for (int k = 0; k <= oc->N && !oc->started; k++)
        memcpy(oc->states + (ptrdiff_t)k * oc->sx, oc->x0, (size_t)oc->sx * sizeof *oc->x0);
}

void oc_keep_state(const arne_oc *oc, const double *q, const double *qd, double *x0)
{
    memcpy(x0, q, (size_t)oc->nq * sizeof *q);
    memcpy(x0 + oc->nq, qd, (size_t)oc->n * sizeof *qd);
}

arne_status arne_oc_start(arne_oc *oc, const double *states, const double *controls,
                          arne_error *error)
{
    if (!oc) return arne_fail_null(error);
    const ptrdiff_t x_count = (ptrdiff_t)(oc->N + 1) * oc->sx, u_count = (ptrdiff_t)oc->N * oc->nu;
    for (ptrdiff_t i = 0; states && i < x_count; i++)
        if (!isfinite(states[i]))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "a number of states is not finite");
    for (ptrdiff_t i = 0; controls && i < u_count; i++)
        if (!isfinite(controls[i]))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "a number of controls is not finite");
    oc->started = states != NULL;
    oc->penalised = 0;
    if (states) memcpy(oc->states, states, (size_t)x_count * sizeof *states);
    if (controls)
        memcpy(oc->controls, controls, (size_t)u_count * sizeof *controls);
    else
        memset(oc->controls, 0, (size_t)u_count * sizeof *oc->controls);
    memset(oc->k, 0, (size_t)u_count * sizeof *oc->k);
    memset(oc->multipliers, 0, oc->multiplier_count * sizeof *oc->multipliers);
    return ARNE_OK;
}

arne_status arne_oc_solve(arne_oc *oc, const double *q, const double *qd,
                          const arne_oc_options *options, arne_oc_result *result, arne_error *error)
{
    solve s;
    if (!oc || !q || !qd) return arne_fail_null(error);
    oc_keep_state(oc, q, qd, oc->x0);
    const arne_status status =
        oc_begin(&s, oc, oc->x0, options, DEFAULT_ITERATIONS, MOST_TRIALS, error);
    if (status) return status;
    oc_stay(oc);
    oc_first_penalties(&s, 0);
    if (oc_find_gaps(oc, oc->x0) || oc_evaluate(oc, &s.at))
        return arne_fail(
            error, ARNE_VALUE, NULL, 0,
            "the cost or the dynamics at the start are not finite: look at references, "
            "weights and the first guess");
    if (oc->constrained)
        search_bounded(&s);
    else
        oc_search(&s);
    return oc_end(&s, result, error);
}

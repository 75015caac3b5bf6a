// One search of the solver on a plan: what it asks, what it is told, and the best iterate of all.
#ifndef ARNE_PLAN_SOLVE_SEARCH_H
#define ARNE_PLAN_SOLVE_SEARCH_H

#include "plan/problem/plan.h"
#include "plan/solve/nlp.h"

#define SEARCH_BLUNT                                                                               \
    1e-2 // smoothing of absolute values, of their largest size, in the first search

typedef struct search {
    arne_plan                *p;
    const arne_solve_options *options;
    const ipopt_module       *solver;
    int                       phase, smooth, iterations, stopped;
    int                       near; // the start is nearly the optimum of a coarser plan
    double                    function_time, derivative_time;
    int                       no_memory;   // a callback ran out of it
    double                   *start;       // of phase 1
    double                   *seen, *best; // the last iterate, the best one
    double                    best_violation, best_objective, feasible;
    int                       is_set;
    char                      worst[400]; // what is missed most, for progress
} search;

// Phase 1: to the nearest motion that keeps the constraints; 2: the objective. warm: the
// multipliers count.
ARNE_CHECKED arne_status search_run(search *s, int phase, int warm, arne_plan_status *result,
                                    arne_error *error);

// s, of a clock that only goes forward.
double search_clock(void);

// The objective of the motion that the plan stands at; NAN where it has none.
double search_objective(arne_plan *p);

// ---- solve.c

// Makes all ready that depends on the splines and the grid.
ARNE_CHECKED arne_status search_ready(search *s, arne_error *error);
// Rounds of refinement, until what is missed between grid points is small.
ARNE_CHECKED arne_status search_refine(search *s, arne_plan_result *result, arne_error *error);
// Whether the search found no motion that keeps all constraints.
int search_found_none(const search *s, const arne_plan_result *result);

// ---- retry.c

// Other starts, where the first one led to no motion that keeps all constraints. Nothing changes
// where they do not either.
struct plan_kept;
ARNE_CHECKED arne_status search_retry(search *s, const struct plan_kept *first,
                                      arne_plan_result *result, arne_error *error);

// ---- converge.c

// Finer splines until the objective stays, where that is asked for.
ARNE_CHECKED arne_status search_converge(search *s, arne_plan_result *result, double begun,
                                         arne_error *error);
// Absolute values without a smoothing of their own are smoothed less and less, each time from the
// motion before, until the objective stays.
ARNE_CHECKED arne_status search_sharpen(search *s, arne_plan_result *result, double begun,
                                        arne_error *error);

// ---- tighten.c

// Goes on with tighter bounds at grid points until limits are kept between them too. The motion
// stays where there is none.
ARNE_CHECKED arne_status search_keep_limits(search *s, arne_plan_result *result, arne_error *error);

#endif

// One search of the solver on a plan: what it asks, what it is told, and the best iterate of all.
#ifndef ARNE_PLAN_SOLVE_SEARCH_H
#define ARNE_PLAN_SOLVE_SEARCH_H

#include "plan/problem/plan.h"
#include "plan/solve/nlp.h"

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

#endif

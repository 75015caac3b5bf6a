// A search of the solver, shared by solving and by receding horizons.
#ifndef ARNE_CONTROL_OC_SOLVE_H
#define ARNE_CONTROL_OC_SOLVE_H

#include "control/oc.h"

// Of an iterate or a trial: cost with penalties, cost, largest violation; across: what gaps add to
// the slope of the expected decrease.
typedef struct merit_value {
    double merit, cost, violation, across;
} merit_value;

typedef struct solve {
    arne_oc        *oc;
    const double   *x0;
    arne_oc_options o; // with defaults filled in
    arne_oc_result  r;
    merit_value     at;
    double          inner_tolerance; // of the gradient, while multipliers are kept
    int             moved;           // since the derivatives were computed
    double          gap_sum;
    int             restarts, idle; // rollouts that closed gaps; iterations that gained nothing
    int             near_optimum, exact_fails, exact;
    int             slow;      // short steps near the optimum
    double          bar;       // above 0: only a whole step whose merit is below it is taken
    double          exact_reg; // of the exact Hessian, where it was indefinite
} solve;

// Copies the state, fills in options, clips controls.
void oc_keep_state(const arne_oc *oc, const double *q, const double *qd, double *x0);
// Where no states were given: all are the measured one.
void        oc_stay(arne_oc *oc);
arne_status oc_begin(solve *s, arne_oc *oc, const double *x0, const arne_oc_options *given,
                     int iterations, int trials, arne_error *error);
// Fills the result; the status of the outcome.
arne_status oc_end(solve *s, arne_oc_result *result, arne_error *error);

// The first penalties of bounds, found at the iterate where there are none yet; those of a search
// before do not last.
void oc_first_penalties(solve *s, int is_tick);
// Gaps and costs of the iterate. Nonzero: not finite.
int oc_find_gaps(arne_oc *oc, const double *x0);
int oc_evaluate(arne_oc *oc, merit_value *out);
// Replaces the states by those of the controls from x0, with the feedback of the last gains or
// without. Nonzero: they diverge, and states and controls are as before.
int oc_rollout_try(arne_oc *oc, const double *x0, int feedback, merit_value *out); // leaves them
int oc_rollout(arne_oc *oc, const double *x0, int feedback, merit_value *out);
// Iterations with multipliers kept; sets the outcome.
void oc_search(solve *s);

#endif

// Searching for the best motion of a plan: solving programs by strategies, judging what is found.
#ifndef ARNE_PLAN_SOLVE_SEARCH_H
#define ARNE_PLAN_SOLVE_SEARCH_H

#include "plan/problem/plan.h"
#include "plan/solve/nlp.h"

// Smoothing of absolute values in the first search, relative to their largest size.
#define SEARCH_SMOOTHING 1e-2

// What all solves of one search share.
typedef struct search {
    arne_plan                *plan;
    const plan_problem       *problem;
    const arne_solve_options *options;
    const ipopt_module       *solver;
    double                    begun;    // s, by clock_seconds
    double                    feasible; // what rows may miss, in the units of the constraints
    double                    function_time, derivative_time; // s
    int                       iterations, stopped, refinements;
    int                       no_memory; // a callback ran out of it
} search;

// What is minimised.
typedef enum search_aim {
    AIM_OBJECTIVE, // the problem's own
    AIM_NEAREST,   // the squared distance from the start
    AIM_SMOOTHEST  // the integral of squared accelerations
} search_aim;

// How close the start is to the optimum: where the barrier starts, and how far from bounds.
typedef enum search_start { START_FAR, START_NEAR, START_WARM } search_start;

// A way to solve a program.
typedef struct search_strategy {
    const char  *name;
    search_aim   aim;
    search_start start;
    double       tolerance; // of Ipopt; 0: as the options say
    int          halvings;  // of all spans, before
    double       slower;    // factor of free durations, before; 0: none
    int          seed;      // of control points that are scattered, before; 0: they are not
} search_strategy;

extern const search_strategy search_plain, search_near, search_warm, search_nearest,
    search_smoothest;

// Solves the program of a solution from its motion, in place: motion, multipliers and status.
// rows: bounds of rows, lower and upper, in place of the program's; NULL: those.
ARNE_CHECKED arne_status search_solve(search *s, const search_strategy *how, const double *rows,
                                      plan_solution *now, arne_error *error);

// The objective of a motion; NAN where it has none.
double search_objective(const plan_solution *s);
// Whether Ipopt has reached its tolerances, or nearly.
static inline int search_succeeded(arne_plan_status status)
{
    return status == ARNE_PLAN_OPTIMAL || status == ARNE_PLAN_ACCEPTABLE;
}
// Whether no motion was found that keeps all constraints.
int search_found_none(const search *s, const plan_solution *now);

// ---- refine.c

// Finer grids where constraints are missed between the points that hold them.
ARNE_CHECKED arne_status search_refine(search *s, plan_solution *now, arne_error *error);
// The part of a bound by which constraints may be missed between grid points.
double search_allowed_between(const arne_solve_options *o);

// ---- other_starts.c

// Variables of the plans that are tried again. All attempts together then take less than about ten
// seconds; a larger plan says at once what it misses.
enum { RETRY_VARIABLES = 300 };
// Other starts, where the first one led to no motion that keeps all constraints.
ARNE_CHECKED arne_status search_retry(search *s, const plan_solution *first, plan_solution *now,
                                      arne_error *error);

// ---- warm_start.c

// Moves control points at random, by so large a part of their ranges; usually this one.
#define SEARCH_SCATTERED 0.1
enum { SEARCH_SEEDS = 2 }; // so many starts beside the first one
void search_scatter(const plan_problem *p, plan_solution *s, unsigned long seed, double part);

// ---- converge.c

// Control points of all coordinates up to which spans are doubled unasked. A search of twice as
// many takes some ten seconds.
enum { CONVERGE_VARIABLES = 2000 };

// Adds a row to the table of steps.
void search_note_step(const search *s, const plan_solution *now, double objective);
// Finer splines until the objective stays, where that is asked for.
ARNE_CHECKED arne_status search_converge(search *s, plan_solution *now, arne_plan_result *result,
                                         arne_error *error);
// Absolute values without a smoothing of their own are smoothed less and less, each time from the
// motion before, until the objective stays.
ARNE_CHECKED arne_status search_sharpen(search *s, plan_solution *now, arne_plan_result *result,
                                        arne_error *error);

// ---- smoothness.c

// Goes to the smoothest motion that keeps the constraints.
ARNE_CHECKED arne_status search_smooth_start(search *s, plan_solution *now, arne_error *error);

// Moves a start at which an objective that is to be as great as possible has no slope.
void search_nudge(plan_solution *now);

// A problem with smoothness beside its objective.
typedef struct smooth_problem {
    plan_problem        problem;
    const plan_problem *own; // without it
} smooth_problem;
// Whether the objective asks for the greatest of something at no cost, where equations of motion
// are held at nodes only.
int smooth_is_due(const plan_solution *now);
// From here on the search is that of the smooth problem.
ARNE_CHECKED arne_status smooth_begin(search *s, smooth_problem *with, plan_solution *now,
                                      arne_error *error);
// Less and less smoothness, until the objective stays or no motion is found.
ARNE_CHECKED arne_status smooth_less(search *s, smooth_problem *with, plan_solution *now,
                                     arne_plan_result *result, arne_error *error);
// The search has its own problem again. To be called also where smooth_begin failed.
ARNE_CHECKED arne_status smooth_end(search *s, smooth_problem *with, plan_solution *now,
                                    arne_error *error);
// search_converge after that, where the problem is small; a motion that breaks constraints between
// nodes is not kept.
ARNE_CHECKED arne_status smooth_converge(search *s, plan_solution *now, arne_plan_result *result,
                                         arne_error *error);

// ---- between_points.c

// Goes on with tighter bounds at grid points until limits are kept between them too. The motion
// stays where there is none.
ARNE_CHECKED arne_status search_keep_limits(search *s, plan_solution *now, arne_error *error);

// ---- plan_gaps.c

// A constraint that is missed at a point where it is held. -1: none is.
typedef struct plan_miss {
    int    constraint, row;
    double u, amount;
} plan_miss;
plan_miss plan_violation(const plan_solution *s);
// The worst of all other constraints.
plan_miss plan_worst_but(const plan_solution *s, const int *constraints, int count);
// The same of the motion x that plan_set was given.
plan_miss plan_worst_now(plan_program *p, const double *x, const int *constraints, int count);

// How far a constraint is missed between the points where it is held. `part` is relative to the
// bound; of equalities and bounds of zero to the largest size of the quantity along the motion.
typedef struct plan_gap {
    int    constraint, row; // -1: none is missed
    double u, amount, part;
} plan_gap;
ARNE_CHECKED arne_status plan_worst_gap(const plan_solution *s, plan_gap *worst, arne_error *error);

// Where constraints are missed by more than `part`.
typedef struct plan_gaps_found {
    double        *extra; // limits: one instant in each interval of the grid, phase plus part
    unsigned char *spans; // equalities: in which spans, of all phases
    int            extra_count, span_count;
} plan_gaps_found;
ARNE_CHECKED arne_status plan_gaps(const plan_solution *s, double part, plan_gaps_found *out,
                                   arne_error *error);
void                     plan_gaps_free(plan_gaps_found *gaps);

#endif

// A nonlinear program and its solver as the planner sees them: minimise f(x) with bounds on x and
// on rows g(x). The solver is Ipopt in a module of its own, libarne_ipopt.so (src/modules/ipopt),
// which knows nothing of robots.
#ifndef ARNE_PLAN_SOLVE_NLP_H
#define ARNE_PLAN_SOLVE_NLP_H

#include "base/module.h"
#include <arne/plan.h>

// Functions return 0, or nonzero if there is no value: the solver then shortens its step. is_new is
// 0 if x is that of the last call. With out NULL a function fills the sparsity structure; entries
// keep that order.
typedef struct nlp {
    int           x_count, row_count, jacobian_count, hessian_count;
    const double *x_lower, *x_upper, *row_lower, *row_upper; // 2e19 and beyond: none
    double        objective_scale;
    const double *row_scale;
    void         *context;
    int (*objective)(void *context, const double *x, int is_new, double *out);
    int (*gradient)(void *context, const double *x, int is_new, double *out);
    int (*rows)(void *context, const double *x, int is_new, double *out);
    int (*jacobian)(void *context, const double *x, int is_new, int *row, int *column, double *out);
    // The lower triangle of factor times the Hessian of the objective plus the sum of lambda_i
    // times that of row i.
    int (*hessian)(void *context, const double *x, int is_new, double factor, const double *lambda,
                   int *row, int *column, double *out);
    // After every iteration; in_restoration: its figures are of another problem. Nonzero ends the
    // search.
    int (*progress)(void *context, const arne_plan_progress *now, int in_restoration);
} nlp;

// An option of the solver: text, real or integer.
typedef struct nlp_option {
    const char *key, *text;
    double      number;
    int         is_whole;
} nlp_option;

typedef struct nlp_search {
    const nlp        *problem;
    const nlp_option *options;
    int               option_count;
    const char       *log;                             // a file; NULL: none
    double           *x;                               // the start, and where the search ends
    double           *multipliers, *x_lower, *x_upper; // of rows and of bounds
    arne_plan_status  status;
} nlp_search;

// What the module holds, by the name arne_ipopt_module.
typedef struct ipopt_module {
    module_head head;
    // ARNE_OK with a status; ARNE_NO_MEMORY; or ARNE_UNSUPPORTED where the solver fails by an error
    // of its own.
    arne_status (*solve)(nlp_search *search);
} ipopt_module;

ARNE_CHECKED arne_status nlp_solver_find(const ipopt_module **module, arne_error *error);

#endif

// The module libarne_ipopt.so: Ipopt's interior point method through its C interface (3.11 and
// later).
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): RTLD_DEFAULT
#include "guard.h"
#include "modules/ipopt/linear_solver.h"
#include "plan/solve/nlp.h"
#include <arne/version.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <IpStdCInterface.h>

typedef struct ipopt_run {
    nlp_search  *search;
    IpoptProblem problem;
    int          code;
    const char  *linear_solver; // ours; NULL: that of the options
} ipopt_run;

static const nlp *problem_of(UserDataPtr data)
{
    return ((const ipopt_run *)data)->search->problem;
}

// ---- what Ipopt asks

static Bool eval_f(Index n, Number *x, Bool is_new, Number *out, UserDataPtr data)
{
    const nlp *p = problem_of(data);
    (void)n;
    return !p->objective(p->context, x, is_new, out);
}

static Bool eval_grad_f(Index n, Number *x, Bool is_new, Number *out, UserDataPtr data)
{
    const nlp *p = problem_of(data);
    (void)n;
    return !p->gradient(p->context, x, is_new, out);
}

static Bool eval_g(Index n, Number *x, Bool is_new, Index rows, Number *out, UserDataPtr data)
{
    const nlp *p = problem_of(data);
    (void)n, (void)rows;
    return !p->rows(p->context, x, is_new, out);
}

static Bool eval_jac_g(Index n, Number *x, Bool is_new, Index rows, Index count, Index *row,
                       Index *column, Number *out, UserDataPtr data)
{
    const nlp *p = problem_of(data);
    (void)n, (void)rows, (void)count;
    return !p->jacobian(p->context, x, is_new, row, column, out);
}

static Bool eval_h(Index n, Number *x, Bool is_new, Number factor, Index rows, Number *lambda,
                   Bool new_lambda, Index count, Index *row, Index *column, Number *out,
                   UserDataPtr data)
{
    const nlp *p = problem_of(data);
    (void)n, (void)rows, (void)new_lambda, (void)count;
    return !p->hessian(p->context, x, is_new, factor, lambda, row, column, out);
}

static Bool each_iteration(Index mode, Index iteration, Number objective, Number violation,
                           Number dual, Number mu, Number d_norm, Number regularization,
                           Number alpha_dual, Number alpha_primal, Index trials, UserDataPtr data)
{
    const nlp               *p = problem_of(data);
    const arne_plan_progress now = {.iteration = iteration,
                                    .objective = objective,
                                    .violation = violation,
                                    .dual = dual,
                                    .barrier = mu,
                                    .step = alpha_primal};
    (void)d_norm, (void)regularization, (void)alpha_dual, (void)trials;
    return !p->progress(p->context, &now, mode != 0);
}

// ---- asking Ipopt

static void ipopt_set_options(IpoptProblem problem, const nlp_search *s)
{
    char key[64], text[4096]; // 3.11 takes them without const
    // Else Ipopt reads a file ipopt.opt where the program happens to run.
    snprintf(key, sizeof key, "option_file_name");
    text[0] = 0;
    (void)AddIpoptStrOption(problem, key, text);
    for (int i = 0; i < s->option_count; i++) {
        const nlp_option *o = &s->options[i];
        snprintf(key, sizeof key, "%s", o->key);
        snprintf(text, sizeof text, "%s", o->text ? o->text : "");
        if (o->text)
            (void)AddIpoptStrOption(problem, key, text);
        else if (o->is_whole)
            (void)AddIpoptIntOption(problem, key, (int)o->number);
        else
            (void)AddIpoptNumOption(problem, key, o->number);
    }
    snprintf(text, sizeof text, "%s", s->log ? s->log : "");
    if (s->log) (void)OpenIpoptOutputFile(problem, text, 5);
}

static void use_solver(IpoptProblem problem, const char *name)
{
    char key[32], text[32];
    snprintf(key, sizeof key, "linear_solver");
    snprintf(text, sizeof text, "%s", name);
    (void)AddIpoptStrOption(problem, key, text);
    snprintf(key, sizeof key, "linear_system_scaling");
    snprintf(text, sizeof text, "none");
    (void)AddIpoptStrOption(problem, key, text);
    // The largest that Ipopt allows: so it does not ask for better pivots, which there are not.
    snprintf(key, sizeof key, "ma57_pivtol");
    (void)AddIpoptNumOption(problem, key, 1e-4);
    snprintf(key, sizeof key, "min_refinement_steps"); // the sum of large weights needs one
    (void)AddIpoptIntOption(problem, key, 1);
}

static void ipopt_call(void *context)
{
    ipopt_run  *r = context;
    nlp_search *s = r->search;
    const nlp  *p = s->problem;
    double      value;
    r->problem =
        CreateIpoptProblem(p->x_count, (double *)p->x_lower, (double *)p->x_upper, p->row_count,
                           (double *)p->row_lower, (double *)p->row_upper, p->jacobian_count,
                           p->hessian_count, 0, eval_f, eval_g, eval_grad_f, eval_jac_g, eval_h);
    if (!r->problem) return;
    ipopt_set_options(r->problem, s);
    if (r->linear_solver) use_solver(r->problem, r->linear_solver);
    (void)SetIpoptProblemScaling(r->problem, p->objective_scale, NULL, (double *)p->row_scale);
    (void)SetIntermediateCallback(r->problem, each_iteration);
    r->code = IpoptSolve(r->problem, s->x, NULL, &value, s->multipliers, s->x_lower, s->x_upper, r);
}

static void ipopt_release(void *context)
{
    ipopt_run *r = context;
    if (r->problem) FreeIpoptProblem(r->problem);
}

static arne_plan_status verdict(int code)
{
    switch (code) {
    case Solve_Succeeded:
        return ARNE_PLAN_OPTIMAL;
    case Solved_To_Acceptable_Level:
    case Search_Direction_Becomes_Too_Small:
    case Feasible_Point_Found:
        return ARNE_PLAN_ACCEPTABLE;
    case Infeasible_Problem_Detected:
    case Restoration_Failed:
        return ARNE_PLAN_INFEASIBLE;
    case Maximum_Iterations_Exceeded:
    case Maximum_CpuTime_Exceeded:
        return ARNE_PLAN_ITERATIONS;
    case User_Requested_Stop:
        return ARNE_PLAN_INTERRUPTED;
    default:
        return ARNE_PLAN_FAILED;
    }
}

// OpenBLAS maps a work buffer of 128 MiB (32 MiB on some processors) at its first product of
// matrices. Under a limit of address space (ulimit -v) that fails, and OpenBLAS 0.3.21 then tries
// again in an endless loop instead of returning. So this much must be free before Ipopt starts: the
// buffer, and 32 MiB for the search itself. The memory is not touched, so the test costs no time.
enum { OPENBLAS_ROOM = (128 + 32) << 20 }; // bytes

static int has_room(void)
{
    if (!dlsym(RTLD_DEFAULT, "openblas_get_config")) return 1; // another BLAS
    void *volatile room = malloc(OPENBLAS_ROOM); // which a compiler would leave out otherwise
    const int there = room != NULL;
    free(room);
    return there;
}

// Rows of the linear system of a step without slacks and inequalities.
static int condensed_rows(const nlp *p)
{
    int rows = 0;
    for (int i = 0; i < p->x_count; i++)
        rows += p->x_lower[i] < p->x_upper[i];
    for (int i = 0; i < p->row_count; i++)
        rows += p->row_lower[i] >= p->row_upper[i];
    return rows;
}

static arne_status ipopt_search(nlp_search *search)
{
    if (!has_room()) return ARNE_NO_MEMORY;
    ipopt_run r = {.search = search, .code = Internal_Error};
    r.linear_solver = linear_solver_name(condensed_rows(search->problem));
    const arne_status status = ipopt_guard(ipopt_call, &r), freed = ipopt_guard(ipopt_release, &r);
    if (status == ARNE_NO_MEMORY || freed == ARNE_NO_MEMORY || r.code == Insufficient_Memory)
        return ARNE_NO_MEMORY;
    search->status = verdict(r.code);
    return status;
}

ARNE_API extern const ipopt_module arne_ipopt_module;
const ipopt_module arne_ipopt_module = {{ARNE_VERSION_STRING, sizeof(nlp) + sizeof(nlp_search)},
                                        ipopt_search};

// The section `solver` of a problem file.
#include "problem/read_problem.h"

static const doc_word method_words[] = {
    {"ipopt", 0, NULL, NULL, "splines and Ipopt"},
    {"riccati", 1, NULL, NULL, "knots and a Riccati recursion, for control loops"},
    {0}};

// Problems with method: riccati are read by src/horizon.
static arne_status read_method(const doc_slot *slot, void *unused)
{
    const doc_word *word = NULL;
    (void)unused;
    const arne_status status = doc_choice(slot, method_words, &word);
    if (status || !word->value) return status;
    return doc_fail(slot, ARNE_UNSUPPORTED,
                    "riccati is not supported here: `arne plan` and the controller mpc of "
                    "`arne simulate` solve such problems");
}

arne_status problem_only_riccati(const doc_slot *slot, void *unused)
{
    (void)unused;
    return doc_fail(slot, ARNE_VALUE, "is for solver: {method: riccati}");
}

#define AT(field) offsetof(arne_solve_options, field)
static const doc_key solver_keys[] = {
    {"method", DOC_TYPE_WORD, 0, .read = read_method, .words = method_words, .otherwise = "ipopt",
     .help = "how the problem is solved"},
    {"tolerance", DOC_TYPE_NUMBER, AT(tolerance), .range = DOC_POSITIVE,
     .help = "of optimality, scaled"},
    {"violation", DOC_TYPE_NUMBER, AT(violation), .range = DOC_POSITIVE,
     .help = "of constraints, in their units"},
    {"between", DOC_TYPE_NUMBER, AT(between), .range = DOC_POSITIVE,
     .help = "largest violation between grid points, relative to the bound"},
    {"converge", DOC_TYPE_NUMBER, AT(converge), .range = DOC_NOT_NEGATIVE,
     .help = "double spans until the relative change of the objective is below this; 0: never. "
             "Default: 1e-3 if no control points are given and the plan is small"},
    {"iterations", DOC_TYPE_WHOLE, AT(iterations), .range = DOC_NOT_NEGATIVE,
     .help = "at most, in each phase"},
    {"refine", DOC_TYPE_WHOLE, AT(refine), .range = DOC_NOT_NEGATIVE,
     .help = "largest number of rounds of refinement; 0: none"},
    {"feasibility_first", DOC_TYPE_FLAG, AT(feasibility_first), .otherwise = "no",
     .help = "first find any motion that satisfies the constraints"},
    {"smooth_first", DOC_TYPE_FLAG, AT(smooth_first), .otherwise = "no",
     .help = "first find the motion of least acceleration"},
    {0},
};
#undef AT
const doc_schema problem_solver_schema = {"solver", NULL, solver_keys, NULL};

arne_status problem_solver(const doc_slot *section, void *unused)
{
    problem       *p = problem_of(section);
    const doc_slot map = {section->reader, "solver", "", section->value};
    (void)unused;
    return doc_read_map(&map, &problem_solver_schema,
                        p->plan ? &p->plan->problem.solver : &p->solver, 0);
}

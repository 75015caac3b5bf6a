#include "plan/solve/nlp.h"

arne_status nlp_solver_find(const ipopt_module **module, arne_error *error)
{
    static const module_need need = {"ipopt", "planning", "Ipopt", "coinor-libipopt-dev",
                                     sizeof(nlp) + sizeof(nlp_search)};
    const module_head       *head;
    const arne_status        status = module_open(&need, &head, error);
    *module = (const ipopt_module *)head;
    return status;
}

arne_status arne_plan_available(arne_error *error)
{
    const ipopt_module *module;
    return nlp_solver_find(&module, error);
}

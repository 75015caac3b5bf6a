#include "simulate/stiff_solver.h"

const module_need stiff_solver_module = {"sundials", "stiff integration", "SUNDIALS",
                                         "libsundials-dev", sizeof(arne_integrator)};

arne_status stiff_solver_find(arne_method method, const stiff_solver **solver, arne_error *error)
{
    const module_head *head;
    *solver = NULL;
    if (method != ARNE_METHOD_CVODE && method != ARNE_METHOD_IDA) return ARNE_OK;
    const arne_status status = module_open(&stiff_solver_module, &head, error);
    if (status != ARNE_OK) return status;
    const sundials_module *module = (const sundials_module *)head;
    *solver = method == ARNE_METHOD_CVODE ? module->cvode : module->ida;
    return ARNE_OK;
}

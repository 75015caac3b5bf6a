// CVODE and IDA of SUNDIALS as the integrators see them: a module, libarne_sundials.so
// (src/modules/sundials).
#ifndef ARNE_SIMULATE_STIFF_SOLVER_H
#define ARNE_SIMULATE_STIFF_SOLVER_H

#include "base/module.h"
#include "simulate/integrator.h"

// A method that has memory of its own, integrator.memory. release also takes what make has left
// half-made.
struct stiff_solver {
    arne_status (*make)(arne_integrator *it, arne_error *error);
    void (*release)(arne_integrator *it);
    arne_status (*start)(arne_integrator *it, arne_error *error);
    arne_status (*advance)(arne_integrator *it, double until, int *event, arne_error *error);
};

// What the module holds, by the name arne_sundials_module.
typedef struct sundials_module {
    module_head         head;
    const stiff_solver *cvode, *ida;
} sundials_module;

extern const module_need stiff_solver_module;

// The solver of a method: NULL for the library's own methods; ARNE_UNSUPPORTED where there is no
// module.
ARNE_CHECKED arne_status stiff_solver_find(arne_method method, const stiff_solver **solver,
                                           arne_error *error);

#endif

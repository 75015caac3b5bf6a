// The module libarne_sundials.so: what the library asks for by name. It carries its own copy of the
// few functions of the library that it calls.
#include "simulate/stiff_solver.h"
#include <arne/version.h>

extern const stiff_solver cvode_solver, ida_solver;

ARNE_API extern const sundials_module arne_sundials_module;
const sundials_module                 arne_sundials_module = {
                    {ARNE_VERSION_STRING, sizeof(arne_integrator)}, &cvode_solver, &ida_solver};

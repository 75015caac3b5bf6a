// Generated functions as CasADi loads them (casadi.external), with their exact Jacobians.
#ifndef ARNE_CODEGEN_CASADI_H
#define ARNE_CODEGEN_CASADI_H

#include "codegen/generate.h"

// One C file: every function and, with g->ask.options->derivatives of 1 or 2, its Jacobian
// jac_NAME and the Jacobian of that, jac_jac_NAME.
ARNE_CHECKED arne_status write_casadi(buffer *b, generation *g);
void                     write_casadi_cmake(buffer *b, const generation *g);

#endif

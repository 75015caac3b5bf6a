// The solver of condense.h as a linear solver of Ipopt.
#ifndef ARNE_MODULES_IPOPT_LINEAR_SOLVER_H
#define ARNE_MODULES_IPOPT_LINEAR_SOLVER_H

// The name by which this module's Ipopt knows it. NULL: this build of Ipopt takes none, or the
// system is better solved as a sparse one. rows: variables that are not fixed, and equalities.
const char *linear_solver_name(int rows);

#endif

// The solver of condense.h as a linear solver of Ipopt.
#ifndef ARNE_MODULES_IPOPT_OWN_SOLVER_H
#define ARNE_MODULES_IPOPT_OWN_SOLVER_H

// Gives it to Ipopt until it is taken back; from any thread. The name by which Ipopt knows it, or
// NULL: this version of Ipopt takes none, it has another one in this place, or the problem is one
// for a sparse solver. rows: variables that are not fixed, and equalities.
const char *own_solver_give(int rows);
void        own_solver_take_back(void);

#endif

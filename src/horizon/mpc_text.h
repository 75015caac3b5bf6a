// The solver of generated controllers, embedded by the build: mpc_solver.inc.
#ifndef ARNE_HORIZON_MPC_TEXT_H
#define ARNE_HORIZON_MPC_TEXT_H

extern const char mpc_solver[];

#endif

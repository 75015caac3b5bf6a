// The quantities of `arne compute` that say how torques, wrenches and motions change.
#ifndef CLI_DERIVATIVES_H
#define CLI_DERIVATIVES_H

#include "quantities.h"

int wrench_derivatives(const request *ask, const state *at, result *out);
int jerk(const request *ask, const state *at, result *out);
int second_derivatives(const request *ask, const state *at, result *out);

#endif

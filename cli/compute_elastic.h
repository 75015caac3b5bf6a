// Quantities of robots with springs between motors and joints, or on joints.
#ifndef CLI_ELASTIC_H
#define CLI_ELASTIC_H

#include "quantities.h"

// v_count flags, to be freed: set where elastic inverse dynamics takes the acceleration as given.
// It is an outcome for a free base and for joints that have a spring and no motor.
unsigned char *given_by_motors(const arne_robot *robot);

int elastic_inverse_dynamics(const request *ask, const state *at, result *out);
int elastic_forward_dynamics(const request *ask, const state *at, result *out);
int coupled_matrix(const request *ask, const state *at, result *out);

#endif

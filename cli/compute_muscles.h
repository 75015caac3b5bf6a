// Quantities of muscles: lengths, speeds and moment arms of their paths.
#ifndef CLI_COMPUTE_MUSCLES_H
#define CLI_COMPUTE_MUSCLES_H

#include "quantities.h"

int muscle_lengths(const request *ask, const state *at, result *out);
int muscle_velocities(const request *ask, const state *at, result *out);
int muscle_moment_arms(const request *ask, const state *at, result *out);

#endif

// Time derivatives of anything, along the motion of a state, by differences of eighth order.
#ifndef TEST_RATES_H
#define TEST_RATES_H

#include "random.h"

// Something that depends on q and qd (and on the base, which the workspace knows).
typedef void (*path_fn)(const arne_robot *robot, arne_work *work, const double *q, const double *qd,
                        const void *context, double *out);

// d/dt f(q, qd) at the state, where dq/dt = qd, d(qd)/dt = qdd, and the base moves as the state
// says. With step 4e-3 truncation and rounding are both near 1e-11 for motions of a few rad/s.
void rate_along(const state *s, arne_work *work, path_fn f, const void *context, int count,
                double *rate);

#endif

// Derivatives of everything by the complex step: the algorithm texts, and short formulas on top of
// them, in complex numbers. No differences are taken, so they are as exact as the quantities
// themselves.
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H

#include "random.h"

#include <arne/arne.h>

// Which way the state goes: rates of q (along the velocity coordinates, on the right), qd, qdd and
// tau; NULL: none. With base_jerk time goes on: a prescribed base moves as its state says, and
// loads change by their rates.
typedef struct nudge {
    const double      *q, *qd, *qdd, *tau;
    const arne_motion *base_jerk;
} nudge;

// A state and what acts on it. A load that is fixed in the world keeps its vectors and goes with
// its frame's origin.
typedef struct loaded {
    const state     *s;
    const arne_load *loads;
    int              load_count;
} loaded;

// Torques: v_count. Joint wrenches, as arne_joint_wrench gives them: 6 per joint. Direct dynamics:
// v_count.
void oracle_torques(loaded at, nudge d, double *out);
void oracle_wrenches(loaded at, nudge d, double *out);
void oracle_accelerations(loaded at, nudge d, double *out);
// Of lambda^T dtau/d(q, qd, qdd): 3 x v_count. Loads that are fixed in the world are not for this.
void oracle_gradient(loaded at, const double *lambda, nudge d, double *out);

// Velocity and classical acceleration of a frame: 12 numbers.
void oracle_frame(const state *s, int frame, arne_axes axes, nudge d, double *out);
// Accelerations of the centres of mass of a link and of the robot, in the world's axes: 6 numbers.
void oracle_centres(const state *s, int link, nudge d, double *out);
// Momentum about the centre of mass and its rate: 12 numbers.
void oracle_momentum(const state *s, nudge d, double *out);
// The same without a step.
void momentum_and_rate(const state *s, double *out);
// The zero-moment point, and where the state does not change at all.
void      oracle_zero_moment_point(const state *s, arne_vec3 point, arne_vec3 normal, nudge d,
                                   double *out);
arne_vec3 zero_moment_point(const state *s, arne_vec3 point, arne_vec3 normal);

#endif

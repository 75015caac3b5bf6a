// Joints whose coordinates do not add: ball, planar and free. Their tangents are part of those of
// poses: q (+) w = q exp(w) with twists w in body axes, linear part first.
//
//     d(q (+) w) = Ad(exp(-w)) dq + Jr(w) dw,        d(q (-) r) = Jr(q (-) r)^-1 dq
//
// Jr is the right Jacobian of the exponential map.
#ifndef ARNE_CONTROL_TANGENT_H
#define ARNE_CONTROL_TANGENT_H

#include <arne/robot.h>

typedef struct curved {
    int    q, v, count; // its first coordinate and velocity, and how many velocities it has
    int    part[6];     // which of the six of a pose they are
    double back[36];    // Ad(exp(-w)) and Jr(w), count x count, of the last tangent_at
    double right[36];
} curved;

// The curved joints of a robot; returns how many. out may be NULL.
int tangent_find(const arne_robot *robot, curved *out);
// Fills back and right for the step w (of all velocities).
void tangent_at(curved *c, int count, const double *w);

// Jr(w) and its inverse for a whole twist, 6 x 6 row-major; back: Ad(exp(-w)), may be NULL.
void twist_right(const double w[6], double Jr[36], double *back);
void twist_right_inverse(const double w[6], double out[36]);
// The inverse of a curved joint's Jr(w), count x count.
void tangent_inverse(const curved *c, const double *w, double *out);

// log of a pose: the twist w with exp(w) = X.
void twist_log(const arne_pose *X, double w[6]);

#endif

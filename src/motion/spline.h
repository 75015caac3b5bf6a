// Trajectories that are B-splines in all coordinates.
#ifndef ARNE_MOTION_SPLINE_H
#define ARNE_MOTION_SPLINE_H

#include "motion/trajectory.h"

// The basis becomes the trajectory's. The control points (count x q_count) are those of the neutral
// configuration until they are set.
ARNE_CHECKED arne_status spline_new(const arne_robot *robot, arne_bspline *basis, double T,
                                    arne_trajectory **out, arne_error *error);
double                  *spline_control(arne_trajectory *path);
// Turns quaternions of points (count x q_count) to the sign that is nearer to the one before.
void spline_align(const arne_trajectory *path, double *points, int count);
// ARNE_VALUE where a quaternion comes near zero: no rotation can be told there.
ARNE_CHECKED arne_status spline_check(const arne_trajectory *path, const arne_robot *robot,
                                      arne_error *error);

#endif

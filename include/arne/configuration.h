// The space of configurations: q is not a vector where there are ball and free joints.
//
// Quaternions are x, y, z, w. A step is taken along the velocity coordinates, on the right: for a
// free joint q (+) v turns and moves the body by the twist v written in its own axes.
#ifndef ARNE_CONFIGURATION_H
#define ARNE_CONFIGURATION_H

#include <arne/robot.h>
#include <stdint.h>

ARNE_BEGIN

// Zeros, and the identity for quaternions.
ARNE_API void arne_neutral(const arne_robot *robot, double *q);
// Uniform within limits (revolute, continuous and universal without limits: within pi; lengths:
// within 1 m), and uniform over rotations. The seed is advanced; equal seeds give equal
// configurations on every machine.
ARNE_API void arne_random_configuration(const arne_robot *robot, uint64_t *seed, double *q);
// v = to (-) from: the velocity that leads from one to the other in unit time. Rotations given by a
// quaternion take the shorter way; other angles are subtracted without wrapping.
ARNE_API void arne_difference(const arne_robot *robot, const double *from, const double *to,
                              double *v);
// u = 0: from, u = 1: to. out may be from or to.
ARNE_API void arne_interpolate(const arne_robot *robot, const double *from, const double *to,
                               double u, double *out);
// Scales quaternions to unit length (a zero one becomes the identity). Angles are left as they are.
ARNE_API void arne_normalize(const arne_robot *robot, double *q);
// The largest deviation from 1 of the length of a quaternion (with its sign); 0 if there is no
// quaternion.
ARNE_API double arne_quaternion_error(const arne_robot *robot, const double *q);
// qdot, the time derivative of the entries of q, from the velocities v.
ARNE_API void arne_coordinate_rate(const arne_robot *robot, const double *q, const double *v,
                                   double *qdot);
// The time derivative of u in q (+) u with constant q, if the velocities there are v. Integrators
// use it. u is a small step (rotations well below 2 pi). rate may be v.
ARNE_API void arne_step_rate(const arne_robot *robot, const double *u, const double *v,
                             double *rate);
// Whether the position of a joint may have been given in degrees: an angle of more than two turns,
// or, of a joint with limits within these, of more than three times the larger of its limits and
// 1 rad. One rule for all that read postures: the first is worth a warning, the second an error.
typedef enum arne_degrees {
    ARNE_DEGREES_NO,
    ARNE_DEGREES_PERHAPS, // within the limits, or there are none
    ARNE_DEGREES_OUTSIDE  // outside of the limits as well
} arne_degrees;
ARNE_API arne_degrees arne_joint_degrees(const arne_joint_info *joint, double position);
// A joint that follows by a spline beyond whose points q is, where it goes on straight, or an
// exponential one that turns by more than it is for; -1: none.
ARNE_API int arne_joint_beyond(const arne_robot *robot, const double *q);

// A configuration and a motion as MuJoCo has them (qpos, qvel, qacc), for robots read from MJCF:
// quaternions are w, x, y, z, the linear velocity of a free joint is in the axes of the world, and
// its acceleration that of the origin. Joints that follow others have entries of their own; in the
// first direction they are not looked at. Velocities and accelerations may be NULL (accelerations
// need velocities).
ARNE_API void arne_from_mujoco(const arne_robot *robot, const double *qpos, const double *qvel,
                               const double *qacc, double *q, double *qd, double *qdd);
ARNE_API void arne_to_mujoco(const arne_robot *robot, const double *q, const double *qd,
                             const double *qdd, double *qpos, double *qvel, double *qacc);
// The numbers of entries of qpos and of qvel.
ARNE_API void arne_mujoco_counts(const arne_robot *robot, int *nq, int *nv);

ARNE_END

#endif

// Kinematics: poses, velocities, accelerations and Jacobians, centre of mass, energy and momentum,
// inverse kinematics.
//
// Functions that take q leave the poses of all bodies in the workspace, Jacobians of a frame those
// of its body and of what carries it; functions that take only a frame, such as arne_frame_pose,
// read them back. All are O(bodies) unless stated otherwise, allocate no memory, and can fail only
// if they return a status.
#ifndef ARNE_KINEMATICS_H
#define ARNE_KINEMATICS_H

#include <arne/work.h>

// The axes and the reference point of a motion of a frame.
typedef enum arne_axes {
    ARNE_AXES_BODY,   // the frame's own axes, at its origin
    ARNE_AXES_WORLD,  // the world's axes, the body-fixed point that is at the world's origin (a
                      // spatial vector)
    ARNE_AXES_ALIGNED // the world's axes, at the frame's origin
} arne_axes;

typedef enum arne_acceleration_kind {
    ARNE_ACCELERATION_CLASSICAL, // the acceleration of the frame's origin and the angular
                                 // acceleration
    ARNE_ACCELERATION_SPATIAL    // the time derivative of the body's twist as a spatial vector
} arne_acceleration_kind;

ARNE_BEGIN

// Poses of all bodies; with qd also velocities; with qd and qdd also accelerations (without
// gravity).
ARNE_API void arne_kinematics(const arne_robot *robot, arne_work *work, const double *q,
                              const double *qd, const double *qdd);
// Read back after arne_kinematics.
ARNE_API arne_pose   arne_frame_pose(const arne_robot *robot, const arne_work *work, int frame);
ARNE_API arne_motion arne_frame_velocity(const arne_robot *robot, const arne_work *work, int frame,
                                         arne_axes axes);
ARNE_API arne_motion arne_frame_acceleration(const arne_robot *robot, const arne_work *work,
                                             int frame, arne_axes axes,
                                             arne_acceleration_kind kind);

// J (6 x v_count, row-major): the frame's twist is J qd; linear rows first.
ARNE_API void arne_jacobian(const arne_robot *robot, arne_work *work, const double *q, int frame,
                            arne_axes axes, double *J);
// The time derivative of the entries of J.
ARNE_API void arne_jacobian_rate(const arne_robot *robot, arne_work *work, const double *q,
                                 const double *qd, int frame, arne_axes axes, double *Jdot);

// The mass that can move (a link fixed to a fixed base is not included).
ARNE_API double arne_total_mass(const arne_robot *robot);
// Centre of mass in the world and, where qd is given, its velocity. velocity may be NULL.
ARNE_API void arne_center_of_mass(const arne_robot *robot, arne_work *work, const double *q,
                                  const double *qd, arne_vec3 *com, arne_vec3 *velocity);
// 3 x v_count, row-major.
ARNE_API void arne_com_jacobian(const arne_robot *robot, arne_work *work, const double *q,
                                double *J);

// Kinetic energy of the bodies and of reflected rotors; potential energy of weight, zero at the
// world's origin. Either may be NULL.
ARNE_API void arne_energy(const arne_robot *robot, arne_work *work, const double *q,
                          const double *qd, double *kinetic, double *potential);

// Linear momentum and angular momentum about the centre of mass, in the world's axes (rotors not
// counted).
ARNE_API void arne_momentum(const arne_robot *robot, arne_work *work, const double *q,
                            const double *qd, arne_wrench *momentum);
// The centroidal matrix A (6 x v_count): momentum = A qd, where the base does not move by itself.
ARNE_API void arne_centroidal_matrix(const arne_robot *robot, arne_work *work, const double *q,
                                     double *A);

// A target of arne_inverse_kinematics: a frame, its position and optionally its orientation.
typedef struct arne_target {
    int       frame;
    int       use_rotation;
    arne_pose pose;
} arne_target;

typedef struct arne_ik_options {
    size_t size;       // of this struct, or 0: see arne/types.h
    double tolerance;  // on each target: metres and radians; 0: 1e-10
    int    iterations; // over all starts; 0: 500
    int    restarts;   // random starts after the first fails; negative: none; 0: 20
} arne_ik_options;

// A configuration within limits that brings the frames to their targets, by damped least squares
// from q. It stays near q: joints that move no target keep their values, and angles stay within
// half a turn of q if limits allow.
//
// q       in: where to start; out: the best configuration found
// left    the largest remaining position or rotation error, may be NULL
// Returns ARNE_OK, or ARNE_NOT_CONVERGED if the targets are not reached within the tolerance.
ARNE_API ARNE_CHECKED arne_status arne_inverse_kinematics(const arne_robot *robot, arne_work *work,
                                                          const arne_target     *targets,
                                                          int                    target_count,
                                                          const arne_ik_options *options, double *q,
                                                          double *left);

ARNE_END

#endif

// Controllers: torques from a reference and the measured state, with the motors' limits.
//
// A controller is made for a robot, which must outlive it; it has a workspace of its own and
// belongs to one thread at a time. arne_control allocates nothing. All vectors are in the robot's
// own order; gains have v_count numbers. The torques of a free base are always zero. The torque for
// an elastic joint is applied by its motor.
#ifndef ARNE_CONTROL_H
#define ARNE_CONTROL_H

#include <arne/kinematics.h>
#include <arne/motor.h>
#include <arne/robot.h>
#include <arne/table.h>
#include <arne/work.h>

typedef struct arne_controller arne_controller;

// The input of a controller at a sample. Of the reference only q is required; NULL for a derivative
// means zero.
typedef struct arne_control_input {
    double        t;
    const double *q, *qd; // measured
    // The reference: positions (q_count) and their derivatives (v_count each), as
    // arne_trajectory_evaluate gives them.
    const double *q_ref, *qd_ref, *qdd_ref, *qddd_ref, *qdddd_ref;
} arne_control_input;

// A controller of the caller's own: writes the torques.
typedef arne_status (*arne_control_fn)(void *context, const arne_control_input *input, double *tau);

// The limits of the motors; infinite where there is no limit.
typedef struct arne_control_limits {
    const double *torque;      // v_count: |tau| is at most this. NULL: as the robot's file says
    const double *torque_rate; // v_count: |dtau/dt| between samples is at most this. NULL: likewise
} arne_control_limits;

// How often a limit was active since the controller was made or reset, over all samples.
typedef struct arne_control_hits {
    long   samples;                  // calls of arne_control
    long   torque;                   // entries of tau that were limited, summed over samples
    long   torque_rate;              // entries of tau whose change was limited
    int    first_torque, first_rate; // the first velocity coordinate that was limited, -1: none
    double first_torque_time, first_rate_time;
} arne_control_hits;

ARNE_BEGIN

// Takes NULL.
ARNE_API void arne_controller_free(arne_controller *controller);

// Computes tau (v_count) for a sample, within the limits. The torque rate is limited relative to
// the torque of the previous sample; the first sample after a reset is not limited. If the law
// fails (ARNE_SINGULAR, or what a callback returns), tau is not changed.
ARNE_API ARNE_CHECKED arne_status arne_control(arne_controller          *controller,
                                               const arne_control_input *input, double *tau,
                                               arne_error *error);
// Resets the previous sample, the memory of the law, and the counts of hits.
ARNE_API void arne_controller_reset(arne_controller *controller);

// Sets limits, which are copied. Without this call, the limits of the robot's file apply: efforts
// of joints and motors, effort rates of motors.
ARNE_API ARNE_CHECKED arne_status arne_controller_set_limits(arne_controller           *controller,
                                                             const arne_control_limits *limits,
                                                             arne_error                *error);
ARNE_API arne_control_hits        arne_controller_hits(const arne_controller *controller);
// The number of samples in which the torque (rate 0) or torque rate (rate 1) of this velocity
// coordinate was limited.
ARNE_API long arne_controller_hits_of(const arne_controller *controller, int entry, int rate);
// The controller's workspace, with which a prescribed base can be moved (arne_work_set_base).
ARNE_API arne_work *arne_controller_work(arne_controller *controller);
// Its name in scenarios: pd, pd_gravity, computed_torque, ...
ARNE_API const char *arne_controller_name(const arne_controller *controller);

// tau = kp (q_ref (-) q) + kd (qd_ref - qd); for an elastic joint it acts on the motor, with theta
// and its reference.
ARNE_API ARNE_CHECKED arne_status arne_controller_pd(const arne_robot *robot, const double *kp,
                                                     const double *kd, arne_controller **out,
                                                     arne_error *error);
// The same, plus the integral of ki (q_ref (-) q) over the samples. It does not wind up: where the
// torque is at its limit, an error that would drive it further is not added, and the integral stays
// within the limit.
ARNE_API ARNE_CHECKED arne_status arne_controller_pid(const arne_robot *robot, const double *kp,
                                                      const double *ki, const double *kd,
                                                      arne_controller **out, arne_error *error);
// tau of arne_controller_pd, plus g(q).
ARNE_API ARNE_CHECKED arne_status arne_controller_pd_gravity(const arne_robot *robot,
                                                             const double *kp, const double *kd,
                                                             arne_controller **out,
                                                             arne_error       *error);
// tau = M (qdd_ref + kd (qd_ref - qd) + kp (q_ref (-) q)) + bias(q, qd): with kp = w^2, kd = 2 w
// errors decay like exp(-w t). For a robot with a free base, only the joints are controlled.
// ARNE_UNSUPPORTED if joints are elastic or have no motor.
ARNE_API ARNE_CHECKED arne_status arne_controller_computed_torque(const arne_robot *robot,
                                                                  const double     *kp,
                                                                  const double     *kd,
                                                                  arne_controller **out,
                                                                  arne_error       *error);
// Makes a frame behave as if a spring and a damper connected it with its reference pose:
//
//     tau = J^T (K e + D de) + kd (qd_ref - qd) + bias(q, qd)
//
// with e the displacement of the frame (position, rotation vector) and de the difference of its
// velocity, in the axes of the reference pose.
//
// stiffness  6 numbers: linear x, y, z [N/m], angular x, y, z [N m/rad]
// damping    likewise [N s/m, N m s/rad]
// kd         damps the joints, also those that do not move the frame (v_count, NULL: none)
ARNE_API ARNE_CHECKED arne_status arne_controller_impedance(const arne_robot *robot, int frame,
                                                            const double *stiffness,
                                                            const double *damping, const double *kd,
                                                            arne_controller **out,
                                                            arne_error       *error);
// Torques of a table with the columns time and tau.JOINT (joints without a column: zero), held or
// interpolated linearly between rows; before the first row and after the last row, the torques of
// these rows. The table is copied.
ARNE_API ARNE_CHECKED arne_status arne_controller_torque_table(const arne_robot *robot,
                                                               const arne_table *table, int linear,
                                                               arne_controller **out,
                                                               arne_error       *error);
// Inverse-dynamics control of robots with rigid and elastic joints, load side and motor side:
// arne/motor.h has the law. The desired motion of the motors passes a second-order filter with this
// natural frequency [rad/s] and damping ratio. The controller has memory: sample it at increasing
// times.
ARNE_API ARNE_CHECKED arne_status arne_controller_mixed(const arne_robot       *robot,
                                                        const arne_mixed_gains *gains,
                                                        double natural, double damping,
                                                        arne_controller **out, arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_controller_callback(const arne_robot *robot,
                                                           arne_control_fn function, void *context,
                                                           arne_controller **out,
                                                           arne_error       *error);

ARNE_END

#endif

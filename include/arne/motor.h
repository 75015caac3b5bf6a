// Robots with motors: elastic joints, rotors on any link, and their control. Hua et al. 2023;
// Khalil 2010, section 6.
//
// All algorithms of Arne work on such robots, with the coordinates theta of the motors at the end
// of q, qd, qdd and tau (see robot.h). The functions here use one torque per joint, that of its
// motor. Arrays of motor torques have joint_v = v_count - theta_count entries: the torque of a
// motor is at the index of its joint, even if it acts on theta.
#ifndef ARNE_MOTOR_H
#define ARNE_MOTOR_H

#include <arne/dynamics.h>

ARNE_BEGIN

// From motor torques to the torques of all coordinates, and back. A joint that has a spring but no
// motor is passive: its entry is not read, and is set to zero.
ARNE_API void arne_motor_spread(const arne_robot *robot, const double *motor, double *tau);
ARNE_API void arne_motor_gather(const arne_robot *robot, const double *tau, double *motor);

// Inverse dynamics. The motion of all coordinates is given, except for joints with a spring and no
// motor, and a free base: their accelerations are computed (their entries of qdd are written), also
// in linear time.
//
// motor   motor torques; for a joint with a spring alone, the torque of the spring
// through the torque that each joint transmits along its own coordinates, from parent to child
//         (joint_v; may be NULL). If the motion of an elastic joint is consistent, this is the
//         torque of its spring.
// work    afterwards holds the joint wrenches
ARNE_API ARNE_CHECKED arne_status arne_elastic_inverse_dynamics(
    const arne_robot *robot, arne_work *work, const double *q, const double *qd,
    const arne_wrench *f_ext, double *qdd, double *motor, double *through, arne_error *error);

// Forward dynamics: accelerations of joints and motors from motor torques, in linear time, or by
// the coupled matrix (M, S; S^T, B) of the paper.
ARNE_API ARNE_CHECKED arne_status arne_elastic_forward_dynamics(
    const arne_robot *robot, arne_work *work, const double *q, const double *qd,
    const double *motor, const arne_wrench *f_ext, double *qdd, double *through, arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_elastic_forward_dynamics_matrix(
    const arne_robot *robot, arne_work *work, const double *q, const double *qd,
    const double *motor, const arne_wrench *f_ext, double *qdd, double *through, arne_error *error);

// Feedforward: the motor torques, and the motion of the motors, that make the joints follow a
// motion. With springs this needs the motion up to its fourth derivative: Buondonno and De Luca
// 2015.
//
// ARNE_UNSUPPORTED, with the reason, if the fourth derivative is not enough or the problem is not
// algebraic: a rotor whose own acceleration acts on an elastic joint nearer to the base (this needs
// higher derivatives), a spring with a damper (this needs the history of the motor), a passive
// joint.
typedef struct arne_feedforward arne_feedforward;

// For one robot, which must outlive it. free takes NULL.
ARNE_API ARNE_CHECKED arne_status arne_feedforward_new(const arne_robot  *robot,
                                                       arne_feedforward **out, arne_error *error);
ARNE_API void                     arne_feedforward_free(arne_feedforward *feedforward);
// joint   the motion of the joints: position (q_count - theta_count) and four derivatives (joint_v
//         each)
// q, qd, qdd   the whole motion, motors included, is written there; any may be NULL
// motor   motor torques
// No allocation, O(bodies).
ARNE_API void arne_feedforward_torques(arne_feedforward *feedforward, const double *const joint[5],
                                       const arne_wrench *f_ext, double *q, double *qd, double *qdd,
                                       double *motor);

// Control of robots with rigid and elastic joints, load side and motor side (Hua et al. 2023,
// section IV).
//
// All gains are per joint (joint_v entries) and positive; those of the motor side are read for
// elastic joints only.
typedef struct arne_mixed_gains {
    const double *load_damping;  // K_Dq
    const double *load_slope;    // Lambda_q = K_Dq^-1 K_Pq
    const double *motor_damping; // K_Dtheta
    const double *motor_slope;   // Lambda_theta
} arne_mixed_gains;

// The reference of the law: for the joints, and for the motors of elastic joints (computed by
// arne_load_law).
typedef struct arne_mixed_reference {
    const double *q, *qd, *qdd;             // of the joints
    const double *theta, *thetad, *thetadd; // of elastic joints, per joint; used by arne_motor_law
} arne_mixed_reference;

// The load side: the desired torque tau_qc of each joint, and the position of the motor of each
// elastic joint that produces it, theta_d = tau_qc / K + q. For rigid joints it is the torque of
// the motor.
//
// qdd     the accelerations of all coordinates as measured or estimated; NULL: those of the
//         reference
// wanted, theta_d   joint_v entries each; theta_d of rigid joints is q
ARNE_API void arne_load_law(const arne_robot *robot, arne_work *work, const arne_mixed_gains *gains,
                            const arne_mixed_reference *reference, const double *q,
                            const double *qd, const double *qdd, double *wanted, double *theta_d);
// The motor side: replaces the entries of elastic joints in `motor`, which contains the torques of
// arne_load_law.
ARNE_API void arne_motor_law(const arne_robot *robot, arne_work *work,
                             const arne_mixed_gains *gains, const arne_mixed_reference *reference,
                             const double *q, const double *qd, const double *qdd, double *motor);

// The motor side needs two derivatives of theta_d. A second-order filter gives a smooth copy of
// theta_d with both.
typedef struct arne_filter {
    double natural, damping; // frequency in rad/s, ratio
    double x, xd;            // its state
} arne_filter;

// The acceleration of the copy for the input u.
ARNE_API double arne_filter_rate(const arne_filter *filter, double u);
// Advances the state by dt at a constant input u, exactly.
ARNE_API void arne_filter_step(arne_filter *filter, double u, double dt);

ARNE_END

#endif

// Robots whose motors are part of the story: elastic joints, rotors on any link, and their control.
// Hua et al. 2023; Khalil 2010, section 6.
//
// Every algorithm of Arne works on such robots as it stands, with the motors' own coordinates theta
// at the tail of q, qd, qdd and tau (see robot.h). What is here speaks the language of people who
// drive the robot: one torque per joint, that of its motor. Arrays called motor torques have
// joint_v entries, v_count - theta_count: the torque of a joint's motor stands at the joint's own
// place, also where it acts on theta.
#ifndef ARNE_MOTOR_H
#define ARNE_MOTOR_H

#include <arne/dynamics.h>

ARNE_BEGIN

// From motor torques to the torques of all coordinates, and back. A joint that has a spring but no
// motor is passive: its entry is not read, and becomes zero.
ARNE_API void arne_motor_spread(const arne_robot *robot, const double *motor, double *tau);
ARNE_API void arne_motor_gather(const arne_robot *robot, const double *tau, double *motor);

// Inverse dynamics. The motion of all coordinates is given, but for joints that have a spring and
// no motor, and a free base: how these accelerate is an outcome (their entries of qdd are written),
// in one linear recursion all the same.
//
// motor   motor torques; of a joint with a spring alone: what the spring does to it
// through what goes through each joint along its own coordinates, from parent to child (joint_v;
// may be NULL). Where
//         the motion of an elastic joint is consistent, this is what its spring transmits.
// work    afterwards holds the joint wrenches
ARNE_API ARNE_CHECKED arne_status arne_elastic_inverse_dynamics(
    const arne_robot *robot, arne_work *work, const double *q, const double *qd,
    const arne_wrench *f_ext, double *qdd, double *motor, double *through, arne_error *error);

// Forward dynamics: motor torques in, accelerations of joints and motors out. Linear, and by the
// coupled matrix (M, S; S^T, B) as the paper has it.
ARNE_API ARNE_CHECKED arne_status arne_elastic_forward_dynamics(
    const arne_robot *robot, arne_work *work, const double *q, const double *qd,
    const double *motor, const arne_wrench *f_ext, double *qdd, double *through, arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_elastic_forward_dynamics_matrix(
    const arne_robot *robot, arne_work *work, const double *q, const double *qd,
    const double *motor, const arne_wrench *f_ext, double *qdd, double *through, arne_error *error);

// Feedforward: which motor torques, and which motion of the motors, make the joints follow a
// motion. Where springs are between, that takes the motion up to its fourth derivative: Buondonno
// and De Luca 2015.
//
// ARNE_UNSUPPORTED, with the reason, where that is not enough or not an algebraic matter: a rotor
// whose own acceleration acts on an elastic joint nearer the base (that takes higher derivatives),
// a spring with a damper beside it (that takes the motor's history), a passive joint.
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

// Control of robots that mix rigid and elastic joints, load side and motor side (Hua et al. 2023,
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

// What the law is to follow: joints, and where the motors of elastic joints are to be
// (arne_load_law says where).
typedef struct arne_mixed_reference {
    const double *q, *qd, *qdd;             // of the joints
    const double *theta, *thetad, *thetadd; // of elastic joints, per joint; used by arne_motor_law
} arne_mixed_reference;

// The load side: the torque tau_qc that each joint should feel, and where the motor of each elastic
// joint has to stand to give it, theta_d = tau_qc / K + q. For rigid joints the torque is the
// motor's.
//
// qdd     the accelerations of all coordinates as measured or estimated; NULL: those of the
//         reference
// wanted, theta_d   joint_v entries each; theta_d of rigid joints is q
ARNE_API void arne_load_law(const arne_robot *robot, arne_work *work, const arne_mixed_gains *gains,
                            const arne_mixed_reference *reference, const double *q,
                            const double *qd, const double *qdd, double *wanted, double *theta_d);
// The motor side: replaces the entries of elastic joints in `motor`, which holds what arne_load_law
// wants.
ARNE_API void arne_motor_law(const arne_robot *robot, arne_work *work,
                             const arne_mixed_gains *gains, const arne_mixed_reference *reference,
                             const double *q, const double *qd, const double *qdd, double *motor);

// theta_d comes without derivatives, and the motor side wants two of them: a filter of second order
// gives a smooth copy with both.
typedef struct arne_filter {
    double natural, damping; // frequency in rad/s, ratio
    double x, xd;            // its state
} arne_filter;

// The acceleration of the copy, where the input is u.
ARNE_API double arne_filter_rate(const arne_filter *filter, double u);
// Moves the state on by dt while the input is u, exactly.
ARNE_API void arne_filter_step(arne_filter *filter, double u, double dt);

ARNE_END

#endif

// Derivatives of torques, wrenches, motions and momenta with respect to the state.
//
// Derivatives with respect to q are along the velocity coordinates, perturbed on the right: d/de at
// q (+) e e_k with (+) of arne_integrate. So they have v_count columns, also for ball and free
// joints. Coulomb friction contributes nothing, not even at rest. Matrices are row-major; any
// output may be NULL unless stated otherwise. No function allocates memory, and only those that
// return a status can fail.
#ifndef ARNE_DERIVATIVES_H
#define ARNE_DERIVATIVES_H

#include <arne/dynamics.h>

// A wrench of the environment on a frame, at the frame's origin and in its axes. When the robot
// moves, it is constant in the link (its components do not change) or in the world (the force and
// moment vectors do not change).
typedef struct arne_load {
    int         frame;
    int         in_world;
    arne_wrench wrench;
    // Its time derivative relative to the link or the world, in the frame's axes; only
    // arne_torque_rate uses it.
    arne_wrench rate;
} arne_load;

ARNE_BEGIN

// dtau/dq, dtau/dqd, dtau/dqdd (the last is the mass matrix), each v_count x v_count. Rotor inertia
// and viscous friction are included. O(n d) with d the depth of the tree. Barman 2020, chapter 3,
// in terms of composite bodies.
ARNE_API void arne_inverse_dynamics_derivatives(const arne_robot *robot, arne_work *work,
                                                const double *q, const double *qd,
                                                const double *qdd, const arne_load *loads,
                                                int load_count, double *dtau_dq, double *dtau_dqd,
                                                double *dtau_dqdd);

// dqdd/dq, dqdd/dqd, dqdd/dtau, from those of inverse dynamics and the factorised mass matrix. qdd
// (may be NULL) takes the accelerations themselves. ARNE_SINGULAR as arne_forward_dynamics.
ARNE_API ARNE_CHECKED arne_status arne_forward_dynamics_derivatives(
    const arne_robot *robot, arne_work *work, const double *q, const double *qd, const double *tau,
    const arne_load *loads, int load_count, double *qdd, double *dqdd_dq, double *dqdd_dqd,
    double *dqdd_dtau, arne_error *error);

// Derivatives of the wrench of one joint (arne_joint_wrench): 6 x v_count each, force rows first.
// Call arne_inverse_dynamics_derivatives at the same state before; its matrices may be NULL.
ARNE_API void arne_wrench_derivatives(const arne_robot *robot, arne_work *work, int joint,
                                      double *dwrench_dq, double *dwrench_dqd,
                                      double *dwrench_dqdd);

// Derivatives with respect to the final time T of a motion q(t/T), at fixed t/T: x' = -(dx/dqd qd +
// 2 dx/dqdd qdd)/T for the torques, or for any rows x v_count of derivatives. out has `rows`
// entries.
ARNE_API void arne_final_time_derivative(const arne_robot *robot, int rows, const double *dqd,
                                         const double *dqdd, const double *qd, const double *qdd,
                                         double T, double *out);

// dtau = dtau/dq along_q + dtau/dqd along_qd + dtau/dqdd along_qdd, in O(bodies). Directions that
// are NULL are zero.
ARNE_API void arne_inverse_dynamics_along(const arne_robot *robot, arne_work *work, const double *q,
                                          const double *qd, const double *qdd,
                                          const arne_load *loads, int load_count,
                                          const double *along_q, const double *along_qd,
                                          const double *along_qdd, double *dtau);
// The product from the other side: derivatives of multiplier . tau with respect to q, qd and qdd,
// in O(bodies).
ARNE_API void arne_inverse_dynamics_against(const arne_robot *robot, arne_work *work,
                                            const double *q, const double *qd, const double *qdd,
                                            const arne_load *loads, int load_count,
                                            const double *multiplier, double *against_q,
                                            double *against_qd, double *against_qdd);

// The sum over i of multiplier_i times the second derivatives of tau_i, each v_count x v_count, in
// O(n d): d2tau_dq2 and d2tau_dqd2 are symmetric, d2tau_dqdqd[j][k] = d2/dq_j dqd_k,
// d2tau_dqdqdd[j][k] = d2/dq_j dqdd_k. Only for robots whose joints have one coordinate each, and
// no loads that are fixed in the world: else ARNE_UNSUPPORTED.
ARNE_API ARNE_CHECKED arne_status arne_second_derivatives(
    const arne_robot *robot, arne_work *work, const double *q, const double *qd, const double *qdd,
    const arne_load *loads, int load_count, const double *multiplier, double *d2tau_dq2,
    double *d2tau_dqdqd, double *d2tau_dqd2, double *d2tau_dqdqdd, arne_error *error);

// tau and its time derivative along a motion with jerk qddd, in one O(bodies) recursion. Guarino Lo
// Bianco 2009. A prescribed base's own jerk is set with arne_work_set_base_jerk. tau may be NULL.
ARNE_API void arne_torque_rate(const arne_robot *robot, arne_work *work, const double *q,
                               const double *qd, const double *qdd, const double *qddd,
                               const arne_load *loads, int load_count, double *tau,
                               double *tau_rate);
// After arne_torque_rate: linear and angular jerk of a frame, the time derivatives of its classical
// acceleration and of its angular acceleration, in the frame's axes (ARNE_AXES_BODY) or the world's
// (ARNE_AXES_ALIGNED).
ARNE_API arne_motion arne_frame_jerk(const arne_robot *robot, const arne_work *work, int frame,
                                     arne_axes axes);
// Likewise the jerk of a link's centre of mass, or of the whole robot's with frame -1 (in the
// world's axes).
ARNE_API arne_vec3 arne_com_jerk(const arne_robot *robot, const arne_work *work, int frame,
                                 arne_axes axes);

// Derivatives of a frame's velocity and classical acceleration (ARNE_AXES_BODY or
// ARNE_AXES_ALIGNED), 6 x v_count each, linear rows first. The derivative of its pose is
// arne_jacobian. dv/dqd is the Jacobian too, and so is da/dqdd.
typedef struct arne_frame_derivatives {
    double *dvelocity_dq, *dvelocity_dqd, *dacceleration_dq, *dacceleration_dqd,
        *dacceleration_dqdd;
} arne_frame_derivatives;
ARNE_API void arne_frame_motion_derivatives(const arne_robot *robot, arne_work *work,
                                            const double *q, const double *qd, const double *qdd,
                                            int frame, arne_axes axes,
                                            const arne_frame_derivatives *out);

// Derivatives of the momentum about the centre of mass and of its rate, in the world's axes: 6 x
// v_count each, linear rows first. The linear rows divided by the mass are those of the velocity
// and acceleration of the centre of mass.
typedef struct arne_momentum_derivatives {
    double *dmomentum_dq, *dmomentum_dqd, *dmomentum_rate_dq, *dmomentum_rate_dqd,
        *dmomentum_rate_dqdd;
} arne_momentum_derivatives;
ARNE_API void arne_centroidal_derivatives(const arne_robot *robot, arne_work *work, const double *q,
                                          const double *qd, const double *qdd,
                                          arne_wrench                     *momentum_rate,
                                          const arne_momentum_derivatives *out);

// The zero-moment point on the plane through `point` with unit `normal`: where the ground's force
// on the robot acts with no moment in the plane. Derivatives are 3 x v_count. ARNE_SINGULAR if no
// force acts on the plane.
ARNE_API ARNE_CHECKED arne_status arne_zero_moment_point(const arne_robot *robot, arne_work *work,
                                                         const double *q, const double *qd,
                                                         const double *qdd, arne_vec3 point,
                                                         arne_vec3 normal, arne_vec3 *zmp,
                                                         double *dzmp_dq, double *dzmp_dqd,
                                                         double *dzmp_dqdd);

ARNE_END

#endif

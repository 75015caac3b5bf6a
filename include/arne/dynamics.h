// The torques that a motion needs, and the motion that torques cause.
//
//     tau = M(q) qdd + c(q, qd) + g(q) + friction(qd) - sum of J^T f_ext        (rotors are in M)
//
// f_ext are the wrenches that the environment exerts on the bodies: one per body (body_count of
// them), in the body's own frame; NULL: none. arne_add_wrench adds the wrench on a link or frame.
// No function allocates memory, and only those that return a status can fail. q, qd, qdd, tau have
// the sizes of arne_robot_sizes.
#ifndef ARNE_DYNAMICS_H
#define ARNE_DYNAMICS_H

#include <arne/kinematics.h>

ARNE_BEGIN

// Adds a wrench that acts at a frame's origin, in the frame's axes, to f_ext (body_count wrenches).
ARNE_API void arne_add_wrench(const arne_robot *robot, int frame, const arne_wrench *wrench,
                              arne_wrench *f_ext);

// Inverse dynamics: the torques of a motion. Luh, Walker and Paul 1980; Khalil 2010, section 3.2.
//
// work    afterwards holds the joint wrenches: arne_joint_wrench, arne_base_wrench
// cost    O(bodies)
ARNE_API void arne_inverse_dynamics(const arne_robot *robot, arne_work *work, const double *q,
                                    const double *qd, const double *qdd, const arne_wrench *f_ext,
                                    double *tau);
// g(q): torques of weight and springs at rest, without friction.
ARNE_API void arne_gravity(const arne_robot *robot, arne_work *work, const double *q, double *tau);
// c(q, qd) + g(q) + friction(qd) - sum of J^T f_ext.
ARNE_API void arne_bias(const arne_robot *robot, arne_work *work, const double *q, const double *qd,
                        const arne_wrench *f_ext, double *tau);

// After inverse dynamics, arne_forward_wrenches or arne_forward_dynamics_matrix: the wrench that
// the parent exerts on the child through this joint, at the joint's origin, in the child link's
// axes, without rotor and friction torques.
ARNE_API arne_wrench arne_joint_wrench(const arne_robot *robot, const arne_work *work, int joint);
// Likewise the wrench that the ground exerts on the base, at the root link's origin and in its
// axes. For a fixed base it does not include the base itself; for a prescribed base it does. For a
// free base: the torques of its joint as a wrench at the world's origin, which are zero if nothing
// holds it.
ARNE_API arne_wrench arne_base_wrench(const arne_robot *robot, const arne_work *work);

// M (v_count x v_count), reflected rotors included, by composite bodies. O(n d), d the depth of the
// tree.
ARNE_API void arne_mass_matrix(const arne_robot *robot, arne_work *work, const double *q,
                               double *M);

// In place: M = L^T D L with the sparsity of the tree (Featherstone 2005). The strict lower part of
// M becomes L, the diagonal D; the upper part is not touched.
ARNE_API ARNE_CHECKED arne_status arne_factor(const arne_robot *robot, double *M,
                                              arne_error *error);
// x = M^-1 x with the factor.
ARNE_API void arne_solve(const arne_robot *robot, const double *factor, double *x);
ARNE_API ARNE_CHECKED arne_status arne_inverse_mass_matrix(const arne_robot *robot, arne_work *work,
                                                           const double *q, double *Minv,
                                                           arne_error *error);

// C(q, qd) with C qd = c(q, qd) and dM/dt - 2 C skew-symmetric (Echeandia and Wensing 2021). O(n
// d).
ARNE_API void arne_coriolis_matrix(const arne_robot *robot, arne_work *work, const double *q,
                                   const double *qd, double *C);

// Lambda = (J M^-1 J^T)^-1 of a frame (6 x 6, row-major). ARNE_SINGULAR if J does not have full
// rank.
ARNE_API ARNE_CHECKED arne_status arne_operational_inertia(const arne_robot *robot, arne_work *work,
                                                           const double *q, int frame,
                                                           arne_axes axes, double *Lambda,
                                                           arne_error *error);

// Forward dynamics: the accelerations that torques cause, in linear time by articulated bodies.
// Nasser 1989; Khalil 2010, section 3.3.2. Coordinates that move several bodies (mimic joints,
// rotors that turn with their joint) are carried along the recursion; if there are very many of
// them, the reduced mass matrix is used.
//
// ARNE_SINGULAR if a joint moves no inertia; error (may be NULL) names the joint.
ARNE_API ARNE_CHECKED arne_status arne_forward_dynamics(const arne_robot *robot, arne_work *work,
                                                        const double *q, const double *qd,
                                                        const double *tau, const arne_wrench *f_ext,
                                                        double *qdd, arne_error *error);
// Hybrid dynamics, in the same recursion: for some joints the acceleration is given, for the others
// the torque.
//
// given   v_count flags: where set, qdd[k] is read and tau[k] written, else tau[k] is read and
//         qdd[k] written
ARNE_API ARNE_CHECKED arne_status arne_hybrid_dynamics(const arne_robot *robot, arne_work *work,
                                                       const double *q, const double *qd,
                                                       const unsigned char *given,
                                                       const arne_wrench *f_ext, double *tau,
                                                       double *qdd, arne_error *error);
// Inverse dynamics of a robot with a free base, in O(bodies) by composite bodies: the accelerations
// of the joints are given, and that of the base is computed. Khalil 2010, section 7.
//
// qdd     the first six entries, of the base, are written; the others are read
// tau     zero for the base
// ARNE_UNSUPPORTED if the base is not free, ARNE_SINGULAR if the robot has no mass.
ARNE_API ARNE_CHECKED arne_status arne_base_acceleration(const arne_robot *robot, arne_work *work,
                                                         const double *q, const double *qd,
                                                         const arne_wrench *f_ext, double *qdd,
                                                         double *tau, arne_error *error);
// Computes the joint wrenches of the motion that arne_forward_dynamics or arne_hybrid_dynamics has
// just found, in O(bodies).
ARNE_API void arne_forward_wrenches(const arne_robot *robot, arne_work *work);
// The same by mass matrix, bias and solve; afterwards the work holds the joint wrenches.
ARNE_API ARNE_CHECKED arne_status arne_forward_dynamics_matrix(const arne_robot *robot,
                                                               arne_work *work, const double *q,
                                                               const double *qd, const double *tau,
                                                               const arne_wrench *f_ext,
                                                               double *qdd, arne_error *error);

ARNE_END

#endif

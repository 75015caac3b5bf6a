// Which torques a motion takes, and which motion torques make.
//
//     tau = M(q) qdd + c(q, qd) + g(q) + friction(qd) - sum of J^T f_ext        (rotors are in M)
//
// f_ext is what the environment does to the bodies: one wrench per body (body_count of them), in
// the body's own frame; NULL: none. arne_add_wrench puts the wrench on a link or frame there. All
// functions allocate nothing, and cannot fail unless they return a status. q, qd, qdd, tau have the
// sizes of arne_robot_sizes.
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
// g(q): torques at rest, without friction.
ARNE_API void arne_gravity(const arne_robot *robot, arne_work *work, const double *q, double *tau);
// c(q, qd) + g(q) + friction(qd) - sum of J^T f_ext.
ARNE_API void arne_bias(const arne_robot *robot, arne_work *work, const double *q, const double *qd,
                        const arne_wrench *f_ext, double *tau);

// After inverse dynamics, arne_forward_wrenches or arne_forward_dynamics_matrix: what the parent
// does to the child through this joint, at the joint's origin, in the child link's axes, without
// rotor and friction torques.
ARNE_API arne_wrench arne_joint_wrench(const arne_robot *robot, const arne_work *work, int joint);
// Likewise: what the ground does to the base, at the root link's origin and in its axes. Of a fixed
// base only what it carries, of a prescribed base with its own inertia. Of a free base: the torques
// of its joint as a wrench at the world's origin, which are zero where nothing holds it.
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

// Lambda = (J M^-1 J^T)^-1 of a frame (6 x 6, row-major). ARNE_SINGULAR where J has not full rank.
ARNE_API ARNE_CHECKED arne_status arne_operational_inertia(const arne_robot *robot, arne_work *work,
                                                           const double *q, int frame,
                                                           arne_axes axes, double *Lambda,
                                                           arne_error *error);

// Forward dynamics: the motion that torques make, in one linear recursion over articulated bodies.
// Nasser 1989; Khalil 2010, section 3.3.2. Where a coordinate moves several bodies (mimic joints,
// rotors that turn with their joint) it is carried along the recursion; only where very many would
// have to be, the reduced mass matrix is used.
//
// ARNE_SINGULAR where a joint has no inertia behind it; error (may be NULL) names the joint.
ARNE_API ARNE_CHECKED arne_status arne_forward_dynamics(const arne_robot *robot, arne_work *work,
                                                        const double *q, const double *qd,
                                                        const double *tau, const arne_wrench *f_ext,
                                                        double *qdd, arne_error *error);
// Hybrid dynamics, in the same recursion: some joints have their acceleration given, the others
// their torque.
//
// given   v_count flags: where set, qdd[k] is read and tau[k] written, else tau[k] is read and
//         qdd[k] written
ARNE_API ARNE_CHECKED arne_status arne_hybrid_dynamics(const arne_robot *robot, arne_work *work,
                                                       const double *q, const double *qd,
                                                       const unsigned char *given,
                                                       const arne_wrench *f_ext, double *tau,
                                                       double *qdd, arne_error *error);
// Inverse dynamics of a robot with a free base, in O(bodies) by composite bodies: the joints'
// accelerations are given and the base's follow. Khalil 2010, section 7.
//
// qdd     the first six entries, of the base, are written; the others are read
// tau     zero for the base
// ARNE_UNSUPPORTED where the base is not free, ARNE_SINGULAR where nothing has mass.
ARNE_API ARNE_CHECKED arne_status arne_base_acceleration(const arne_robot *robot, arne_work *work,
                                                         const double *q, const double *qd,
                                                         const arne_wrench *f_ext, double *qdd,
                                                         double *tau, arne_error *error);
// The joint wrenches of the motion that arne_forward_dynamics or arne_hybrid_dynamics has just
// found, in O(bodies), for those who want them.
ARNE_API void arne_forward_wrenches(const arne_robot *robot, arne_work *work);
// The same by mass matrix, bias and solve; afterwards the work holds the joint wrenches.
ARNE_API ARNE_CHECKED arne_status arne_forward_dynamics_matrix(const arne_robot *robot,
                                                               arne_work *work, const double *q,
                                                               const double *qd, const double *tau,
                                                               const arne_wrench *f_ext,
                                                               double *qdd, arne_error *error);

ARNE_END

#endif

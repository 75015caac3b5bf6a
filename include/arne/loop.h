// Robots with closed loops: a tree of bodies, cut at some joints, and the loops that close the
// cuts.
//
// q, qd, qdd and tau are those of the tree, passive joints included: v_count velocities, of which
// the loops leave only `mobility` free. The constraints of all loops are J qd = 0, with J of
// loop_row_count x v_count. The robot says which joints are active or passive; a free base and the
// motors of elastic joints count as active. If the active joints determine the motion, all
// velocities follow from those of independent active joints, q_tree' = G q_independent'.
//
// The rank is determined by singular values: those below ARNE_LOOP_RANK of the largest count as
// zero, with lengths in the robot's unit (below). Redundant constraints (the rank is low at all
// nearby configurations too: planar loops in space, parallelograms) are handled exactly. A singular
// configuration (the rank is low only there, or the passive joints can move while the active ones
// stand still) is an error, ARNE_LOOP_SINGULAR, whose text names the direction. There is no
// regularisation.
//
// Configurations must be closed to ARNE_LOOP_CLOSED, otherwise functions fail with ARNE_LOOP_OPEN:
// in radians and metres; for a robot that reaches less than 0.1 m in units of ten times its reach.
// Only arne_loop_work_new allocates memory. The first call at a closed configuration also
// determines the rank at nearby ones; later calls are fast.
#ifndef ARNE_LOOP_H
#define ARNE_LOOP_H

#include <arne/derivatives.h>

#define ARNE_LOOP_RANK 1e-7
#define ARNE_LOOP_CLOSED 1e-6

typedef struct arne_loop_work arne_loop_work;

ARNE_BEGIN

// Memory for the functions below, as in arne/work.h.
ARNE_API size_t                   arne_loop_work_size(const arne_robot *robot);
ARNE_API arne_loop_work          *arne_loop_work_place(const arne_robot *robot, void *memory);
ARNE_API ARNE_CHECKED arne_status arne_loop_work_new(const arne_robot *robot, arne_loop_work **out);
ARNE_API void                     arne_loop_work_free(arne_loop_work *loop);

// Writes v_count flags: 1 if the coordinate is active. Returns the number of active coordinates.
ARNE_API int arne_active(const arne_robot *robot, unsigned char *active);
// The configuration of the joints' `start` values, which need not be closed.
ARNE_API void arne_start_configuration(const arne_robot *robot, double *q);

// ---- closing ----

// The largest closure error over all loops, in metres or radians, and (where not NULL) the errors
// of all rows.
ARNE_API double arne_loop_closure(const arne_robot *robot, arne_work *work, arne_loop_work *loop,
                                  const double *q, double *errors);

typedef struct arne_assembly_options {
    size_t               size;       // of this struct, or 0: see arne/types.h
    double               tolerance;  // on the closure; 0: 1e-12
    int                  iterations; // of each start; 0: 200
    int                  restarts;   // random starts after the first fails; negative: none; 0: 30
    const unsigned char *fixed; // v_count flags of the coordinates that stay; NULL: the active ones
} arne_assembly_options;

typedef struct arne_assembly {
    double closure; // that was reached
    int    worst;   // the loop with the largest closure error
    int    starts;  // 1: the seed was enough
    // The side of the singularity: the sign of the determinant of the constraints over the
    // coordinates that are solved for, or 0 if there are more rows than such coordinates.
    int branch;
} arne_assembly;

// Moves the passive joints until all loops are closed: damped Newton steps from q, then from random
// starts.
//
// q       in: active positions and a seed; out: closed, or the best that was found
// out     may be NULL
// ARNE_NOT_CONVERGED if no assembly was found; the error has the smallest closure error and its
// loop.
ARNE_API ARNE_CHECKED arne_status arne_assemble(const arne_robot *robot, arne_work *work,
                                                arne_loop_work              *loop,
                                                const arne_assembly_options *options, double *q,
                                                arne_assembly *out, arne_error *error);

// Finds all ways to assemble the mechanism at these active positions, nearest to q first.
//
// modes     room for `room` configurations of q_count; count takes how many were found
// complete  may be NULL: 1 if there are no others. This is known for loops with three passive
//           joints in a plane, as in four-bars, slider-cranks and five-bars; for others, the modes
//           are those that many random starts found.
ARNE_API ARNE_CHECKED arne_status arne_assembly_modes(const arne_robot *robot, arne_work *work,
                                                      arne_loop_work              *loop,
                                                      const arne_assembly_options *options,
                                                      const double *q, int room, double *modes,
                                                      int *count, int *complete, arne_error *error);

// Projects to the nearest closed configuration and velocities, over all coordinates, against drift.
// qd may be NULL.
ARNE_API ARNE_CHECKED arne_status arne_loop_project(const arne_robot *robot, arne_work *work,
                                                    arne_loop_work *loop, double *q, double *qd,
                                                    arne_error *error);

// ---- mobility and kinematics ----

typedef struct arne_loop_report {
    int    rows;         // scalar constraints
    int    rank;         // of them, here
    int    generic_rank; // at nearby configurations
    int    mobility;     // v_count - generic_rank
    int    redundant;    // rows - generic_rank
    int    active;       // active coordinates
    int    undetermined; // degrees of freedom not controlled by the active joints, nearby
    int    singular;     // the rank, or the control by the active joints, is lower here than nearby
    double condition;    // of J over the passive coordinates: infinite where singular
    double constraint_condition; // of J over all, at its generic rank
} arne_loop_report;

// Rank, mobility and condition at a closed configuration, by singular values.
//
// direction   v_count numbers, may be NULL: the velocity, with active joints at rest, that
//             violates the loops least (the singular direction, of unit length)
ARNE_API ARNE_CHECKED arne_status arne_loop_analyse(const arne_robot *robot, arne_work *work,
                                                    arne_loop_work *loop, const double *q,
                                                    arne_loop_report *report, double *direction,
                                                    arne_error *error);

// G = dq_tree/dq_independent (v_count x mobility) and the independent coordinates, `mobility` of
// them: the active ones in order, or as many of them as are independent. condition (may be NULL) is
// estimated from the factorisation.
ARNE_API ARNE_CHECKED arne_status arne_loop_jacobian(const arne_robot *robot, arne_work *work,
                                                     arne_loop_work *loop, const double *q,
                                                     double *G, int *independent, int *mobility,
                                                     double *condition, arne_error *error);
// The dependent entries of qd, and of qdd (may be NULL), from the independent ones. If the active
// joints do not determine the motion (rods that spin), the smallest solution.
ARNE_API ARNE_CHECKED arne_status arne_loop_complete(const arne_robot *robot, arne_work *work,
                                                     arne_loop_work *loop, const double *q,
                                                     double *qd, double *qdd, arne_error *error);
// The dependent entries of qddd from the independent ones, at qd and qdd of the whole tree that
// satisfy the loops.
ARNE_API ARNE_CHECKED arne_status arne_loop_complete_jerk(const arne_robot *robot, arne_work *work,
                                                          arne_loop_work *loop, const double *q,
                                                          const double *qd, const double *qdd,
                                                          double *qddd, arne_error *error);

// Manipulability of a frame: singular values of its Jacobian over the independent velocities of the
// joints, largest first. They are the half axes of the ellipsoid of frame velocities for joint
// velocities of unit norm. A free base does not move.
//
// loop      NULL for robots without loops; else q must be closed
// linear    3 numbers, of the velocity of its origin [m]; may be NULL
// angular   3 numbers, of its angular velocity; may be NULL
// measure   Yoshikawa's sqrt(det(J J^T)) of both together; with fewer than six velocities
//           sqrt(det(J^T J)). 0 at a singularity. May be NULL
// Fails if memory runs out and, with loops, like arne_loop_jacobian. Allocates.
ARNE_API ARNE_CHECKED arne_status arne_manipulability(const arne_robot *robot, arne_work *work,
                                                      arne_loop_work *loop, const double *q,
                                                      int frame, double *linear, double *angular,
                                                      double *measure, arne_error *error);

// ---- dynamics ----

// Inverse dynamics: the torques of the active joints, G^T tau_tree; those of passive joints are
// zero. Khalil 2010, section 4. If there are more active joints than degrees of freedom, the
// torques with the least sum of weight tau^2.
//
// qd, qdd  of the whole tree; they must satisfy the loops (arne_loop_complete)
// weights  v_count positive numbers, NULL: all one
// ARNE_MODEL if there are fewer active joints than degrees of freedom.
ARNE_API ARNE_CHECKED arne_status arne_loop_inverse_dynamics(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *qdd, const arne_wrench *f_ext, const double *weights,
    double *tau, arne_error *error);

// The same for arne_gravity and arne_bias: the torques that hold the robot still, and those for
// zero acceleration of the active joints.
ARNE_API ARNE_CHECKED arne_status arne_loop_gravity(const arne_robot *robot, arne_work *work,
                                                    arne_loop_work *loop, const double *q,
                                                    const double *weights, double *tau,
                                                    arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_loop_bias(const arne_robot *robot, arne_work *work,
                                                 arne_loop_work *loop, const double *q,
                                                 const double *qd, const arne_wrench *f_ext,
                                                 const double *weights, double *tau,
                                                 arne_error *error);

// The forces in the loops for a motion with these torques; the smallest ones if they are not
// unique.
//
// lambda         loop_row_count multipliers, may be NULL
// indeterminate  may be NULL: 1 if there are redundant constraints, so that the forces are not
//                unique
// Afterwards arne_loop_wrench, arne_joint_wrench and arne_base_wrench return consistent wrenches.
ARNE_API ARNE_CHECKED arne_status arne_loop_forces(const arne_robot *robot, arne_work *work,
                                                   arne_loop_work *loop, const double *q,
                                                   const double *qd, const double *qdd,
                                                   const arne_wrench *f_ext, const double *tau,
                                                   double *lambda, int *indeterminate,
                                                   arne_error *error);
// The wrench that the predecessor exerts on the successor, at the successor's connected frame and
// in the axes of the predecessor's.
ARNE_API arne_wrench arne_loop_wrench(const arne_robot *robot, const arne_work *work,
                                      const arne_loop_work *loop, int index);

// Baumgarte's stabilisation: constraint errors e satisfy e'' + 2 damping e' + stiffness e = 0.
// Zero: e'' = 0.
typedef struct arne_stabilisation {
    double damping, stiffness;
} arne_stabilisation;

// Forward dynamics: the accelerations that torques cause. Torques of passive joints are included.
//
// stabilisation  NULL: none. With it q may be open.
// cost           linear in the bodies, cubic only in the loops' rows
// ARNE_LOOP_SINGULAR if the rank of the constraints is lower than nearby.
ARNE_API ARNE_CHECKED arne_status arne_loop_forward_dynamics(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *tau, const arne_wrench *f_ext,
    const arne_stabilisation *stabilisation, double *qdd, arne_error *error);

// The time derivative of the torques of arne_loop_inverse_dynamics, with loads and their rates
// (arne_load).
//
// qd, qdd, qddd  of the whole tree; they must satisfy the loops (arne_loop_complete,
//                arne_loop_complete_jerk)
// weights        as above; they do not change
// tau            may be NULL; tau and tau_rate have v_count entries, zero at passive joints
ARNE_API ARNE_CHECKED arne_status arne_loop_torque_rate(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *qdd, const double *qddd, const arne_load *loads, int load_count,
    const double *weights, double *tau, double *tau_rate, arne_error *error);

// The regressor of those torques: tau = Y pi plus the torques of springs (arne/identify.h),
// projected in the same way. Y is v_count x parameter_count; rows of passive joints are zero.
ARNE_API ARNE_CHECKED arne_status arne_loop_regressor(const arne_robot *robot, arne_work *work,
                                                      arne_loop_work *loop, const double *q,
                                                      const double *qd, const double *qdd,
                                                      const double *weights, double *Y,
                                                      arne_error *error);

// A_c = G^T M G (mobility x mobility) and H_c, with tau_independent = A_c qdd_independent + H_c. A
// and H may be NULL; if H is NULL, qd may be NULL too.
ARNE_API ARNE_CHECKED arne_status arne_loop_reduced(const arne_robot *robot, arne_work *work,
                                                    arne_loop_work *loop, const double *q,
                                                    const double *qd, const arne_wrench *f_ext,
                                                    double *A, double *H, arne_error *error);
// G A_c^-1 G^T (v_count x v_count): the derivatives of the accelerations of all joints with respect
// to the torques of all joints. Its entries for the independent joints are the inverse of A_c. It
// exists even if the active joints do not determine the motion. ARNE_SINGULAR if a motion that the
// loops allow has no inertia.
ARNE_API ARNE_CHECKED arne_status arne_loop_inverse_mass_matrix(const arne_robot *robot,
                                                                arne_work        *work,
                                                                arne_loop_work   *loop,
                                                                const double *q, double *Minv,
                                                                arne_error *error);
// C_c (mobility x mobility): C_c qd_independent is the part of H_c that depends on velocities, and
// dA_c/dt - 2 C_c is skew-symmetric.
ARNE_API ARNE_CHECKED arne_status arne_loop_coriolis_matrix(const arne_robot *robot,
                                                            arne_work *work, arne_loop_work *loop,
                                                            const double *q, const double *qd,
                                                            double *C, arne_error *error);
// The operational-space inertia of a frame, 6 x 6. ARNE_SINGULAR if the loops leave the frame fewer
// than six degrees of freedom.
ARNE_API ARNE_CHECKED arne_status arne_loop_operational_inertia(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q, int frame,
    arne_axes axes, double *Lambda, arne_error *error);

// Derivatives of G^T tau_tree with respect to the independent coordinates, their velocities and
// accelerations, each mobility x mobility; the dependent coordinates move along. By the chain rule
// over G.
ARNE_API ARNE_CHECKED arne_status arne_loop_inverse_dynamics_derivatives(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *qdd, const arne_load *loads, int load_count, double *dq,
    double *dqd, double *dqdd, arne_error *error);

// Derivatives of the accelerations of all joints with respect to the independent coordinates and
// their velocities (v_count x mobility each; the dependent coordinates move along) and to the
// torques of all joints (v_count x v_count). Any output may be NULL; qdd receives the accelerations
// themselves. Fails like arne_loop_forward_dynamics and arne_loop_jacobian.
ARNE_API ARNE_CHECKED arne_status arne_loop_forward_dynamics_derivatives(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *tau, const arne_load *loads, int load_count, double *qdd,
    double *dq, double *dqd, double *dtau, arne_error *error);

ARNE_END

#endif

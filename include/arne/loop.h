// Robots with closed loops: a tree of bodies, cut at some joints, and the loops that close the
// cuts.
//
// q, qd, qdd and tau are those of the tree, passive joints included: v_count velocities, of which
// the loops leave only `mobility` free. The rows of all loops are J qd = 0, with J of
// loop_row_count x v_count. Where joints are active or passive is said in the robot; a free base
// and the motors of elastic joints count as active. If the active joints determine the motion, all
// that moves follows from the independent ones of them, q_tree' = G q_independent'.
//
// Rank is by singular values: what is below ARNE_LOOP_RANK of the largest is zero. Constraints that
// are redundant (the rank is low at all nearby configurations too: planar loops in space,
// parallelograms) are handled exactly. A configuration that is singular (the rank is low only
// there, or the passive joints can move while the active ones stand still) is an error,
// ARNE_LOOP_SINGULAR, that names the direction. Nothing is regularised.
//
// The functions take configurations that are closed to ARNE_LOOP_CLOSED, else they fail with
// ARNE_LOOP_OPEN. None allocates but arne_loop_work_new. The first call at a closed configuration
// finds the rank at nearby ones as well; the others are fast.
#ifndef ARNE_LOOP_H
#define ARNE_LOOP_H

#include <arne/derivatives.h>

#define ARNE_LOOP_RANK 1e-7
#define ARNE_LOOP_CLOSED 1e-6

typedef struct arne_loop_work arne_loop_work;

ARNE_BEGIN

// Memory for all that follows, as in arne/work.h.
ARNE_API size_t                   arne_loop_work_size(const arne_robot *robot);
ARNE_API arne_loop_work          *arne_loop_work_place(const arne_robot *robot, void *memory);
ARNE_API ARNE_CHECKED arne_status arne_loop_work_new(const arne_robot *robot, arne_loop_work **out);
ARNE_API void                     arne_loop_work_free(arne_loop_work *loop);

// v_count flags: 1 where the coordinate is active. Returns how many are.
ARNE_API int arne_active(const arne_robot *robot, unsigned char *active);
// The configuration that the joints' `start` give, which need not be closed.
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
    // On which side of its singularity each way to assemble lies: the sign of the constraints'
    // determinant over the coordinates that are solved for, or 0 where there are more rows than
    // such coordinates and it has no sign.
    int branch;
} arne_assembly;

// Moves the passive joints until all loops are closed: damped Newton steps from q, the seed, then
// from random ones.
//
// q       in: active positions and a seed; out: closed, or the best that was found
// out     may be NULL
// ARNE_NOT_CONVERGED where no assembly was found; the error has the smallest closure error and its
// loop.
ARNE_API ARNE_CHECKED arne_status arne_assemble(const arne_robot *robot, arne_work *work,
                                                arne_loop_work              *loop,
                                                const arne_assembly_options *options, double *q,
                                                arne_assembly *out, arne_error *error);

// All ways to assemble that are found at these active positions, nearest to the seed first.
//
// modes     room for `room` configurations of q_count; count takes how many were found
// complete  may be NULL: 1 where there are no others. That is known of loops whose passive joints
//           are three that lie in a plane, as in four-bars, slider-cranks and five-bars; elsewhere
//           modes are what many starts found.
ARNE_API ARNE_CHECKED arne_status arne_assembly_modes(const arne_robot *robot, arne_work *work,
                                                      arne_loop_work              *loop,
                                                      const arne_assembly_options *options,
                                                      const double *q, int room, double *modes,
                                                      int *count, int *complete, arne_error *error);

// The nearest closed configuration and velocities, over all coordinates: against drift. qd may be
// NULL.
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
    int    undetermined; // motions that the active joints leave, at nearby configurations
    int    singular;     // the rank, or the hold of the active joints, is lower here than nearby
    double condition;    // of J over the passive coordinates: infinite where singular
    double constraint_condition; // of J over all, at its generic rank
} arne_loop_report;

// Rank, mobility and condition at a closed configuration, by singular values.
//
// direction   v_count numbers, may be NULL: the velocity with standing active joints that the loops
//             resist least (the singular direction, of unit length)
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
// The dependent entries of qd, and of qdd (may be NULL), from the independent ones. Where the
// active joints do not determine the motion (rods that spin), the smallest that go with the active
// ones.
ARNE_API ARNE_CHECKED arne_status arne_loop_complete(const arne_robot *robot, arne_work *work,
                                                     arne_loop_work *loop, const double *q,
                                                     double *qd, double *qdd, arne_error *error);
// The dependent entries of qddd from the independent ones, at qd and qdd of the whole tree that
// satisfy the loops.
ARNE_API ARNE_CHECKED arne_status arne_loop_complete_jerk(const arne_robot *robot, arne_work *work,
                                                          arne_loop_work *loop, const double *q,
                                                          const double *qd, const double *qdd,
                                                          double *qddd, arne_error *error);

// How well a frame can be moved: singular values of its Jacobian over the independent velocities of
// the joints, largest first. They are the half axes of what joint speeds of unit norm do to the
// frame. A free base stands still.
//
// loop      NULL for robots without loops; else q must be closed
// linear    3 numbers, of the velocity of its origin [m]; may be NULL
// angular   3 numbers, of its angular velocity; may be NULL
// measure   Yoshikawa's sqrt(det(J J^T)) of both together; with fewer than six velocities
//           sqrt(det(J^T J)). 0 where the frame is stuck in a direction. May be NULL
// Fails for lack of memory and, with loops, as arne_loop_jacobian does. Allocates.
ARNE_API ARNE_CHECKED arne_status arne_manipulability(const arne_robot *robot, arne_work *work,
                                                      arne_loop_work *loop, const double *q,
                                                      int frame, double *linear, double *angular,
                                                      double *measure, arne_error *error);

// ---- dynamics ----

// Inverse dynamics: the torques of the active joints, G^T tau_tree; those of passive joints are
// zero. Khalil 2010, section 4. Where there are more active joints than mobility, the ones of least
// sum of weight tau^2.
//
// qd, qdd  of the whole tree; they must satisfy the loops (arne_loop_complete)
// weights  v_count positive numbers, NULL: all one
// ARNE_MODEL where there are fewer active joints than mobility.
ARNE_API ARNE_CHECKED arne_status arne_loop_inverse_dynamics(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *qdd, const arne_wrench *f_ext, const double *weights,
    double *tau, arne_error *error);

// Likewise of arne_gravity and arne_bias: the torques that hold the robot still, and those of
// active joints that do not accelerate.
ARNE_API ARNE_CHECKED arne_status arne_loop_gravity(const arne_robot *robot, arne_work *work,
                                                    arne_loop_work *loop, const double *q,
                                                    const double *weights, double *tau,
                                                    arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_loop_bias(const arne_robot *robot, arne_work *work,
                                                 arne_loop_work *loop, const double *q,
                                                 const double *qd, const arne_wrench *f_ext,
                                                 const double *weights, double *tau,
                                                 arne_error *error);

// The forces that the loops carry in a motion with these torques; the smallest where they are not
// determined.
//
// lambda         loop_row_count multipliers, may be NULL
// indeterminate  may be NULL: 1 where there are redundant constraints, so that other forces would
//                do as well
// Afterwards arne_loop_wrench, arne_joint_wrench and arne_base_wrench give wrenches that agree with
// each other.
ARNE_API ARNE_CHECKED arne_status arne_loop_forces(const arne_robot *robot, arne_work *work,
                                                   arne_loop_work *loop, const double *q,
                                                   const double *qd, const double *qdd,
                                                   const arne_wrench *f_ext, const double *tau,
                                                   double *lambda, int *indeterminate,
                                                   arne_error *error);
// What the predecessor does to the successor, at the successor's tied frame and in the axes of the
// predecessor's.
ARNE_API arne_wrench arne_loop_wrench(const arne_robot *robot, const arne_work *work,
                                      const arne_loop_work *loop, int index);

// Baumgarte's stabilisation: rows are made to obey e'' + 2 damping e' + stiffness e = 0. Zero: e''
// = 0.
typedef struct arne_stabilisation {
    double damping, stiffness;
} arne_stabilisation;

// Forward dynamics: the accelerations that torques make. Torques of passive joints are heeded too.
//
// stabilisation  NULL: none. With it q may be open.
// cost           linear in the bodies, cubic only in the loops' rows
// ARNE_LOOP_SINGULAR where the rank of the constraints is lower than nearby.
ARNE_API ARNE_CHECKED arne_status arne_loop_forward_dynamics(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *tau, const arne_wrench *f_ext,
    const arne_stabilisation *stabilisation, double *qdd, arne_error *error);

// The time derivative of the torques of arne_loop_inverse_dynamics, with what loads do and how they
// change (arne_load).
//
// qd, qdd, qddd  of the whole tree; they must satisfy the loops (arne_loop_complete,
//                arne_loop_complete_jerk)
// weights        as above; they do not change
// tau            may be NULL; tau and tau_rate have v_count entries, zero at passive joints
ARNE_API ARNE_CHECKED arne_status arne_loop_torque_rate(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *qdd, const double *qddd, const arne_load *loads, int load_count,
    const double *weights, double *tau, double *tau_rate, arne_error *error);

// The regressor of those torques: tau = Y pi, and what springs hold (arne/identify.h), projected in
// the same way. Y is v_count x parameter_count; rows of passive joints are zero.
ARNE_API ARNE_CHECKED arne_status arne_loop_regressor(const arne_robot *robot, arne_work *work,
                                                      arne_loop_work *loop, const double *q,
                                                      const double *qd, const double *qdd,
                                                      const double *weights, double *Y,
                                                      arne_error *error);

// A_c = G^T M G (mobility x mobility) and H_c, with tau_independent = A_c qdd_independent + H_c. A,
// H may be NULL; where H is, so may qd.
ARNE_API ARNE_CHECKED arne_status arne_loop_reduced(const arne_robot *robot, arne_work *work,
                                                    arne_loop_work *loop, const double *q,
                                                    const double *qd, const arne_wrench *f_ext,
                                                    double *A, double *H, arne_error *error);
// G A_c^-1 G^T (v_count x v_count): how the accelerations of all joints change with the torques of
// all. Its entries of as many active joints as mobility are the inverse of A_c. It exists also
// where the active joints do not determine the motion. ARNE_SINGULAR where a motion that the loops
// allow has no inertia.
ARNE_API ARNE_CHECKED arne_status arne_loop_inverse_mass_matrix(const arne_robot *robot,
                                                                arne_work        *work,
                                                                arne_loop_work   *loop,
                                                                const double *q, double *Minv,
                                                                arne_error *error);
// C_c (mobility x mobility): C_c qd_independent is the velocity's part of H_c, and dA_c/dt - 2 C_c
// is skew-symmetric.
ARNE_API ARNE_CHECKED arne_status arne_loop_coriolis_matrix(const arne_robot *robot,
                                                            arne_work *work, arne_loop_work *loop,
                                                            const double *q, const double *qd,
                                                            double *C, arne_error *error);
// The inertia that a force on a frame meets, 6 x 6. ARNE_SINGULAR where the loops leave the frame
// less than six directions.
ARNE_API ARNE_CHECKED arne_status arne_loop_operational_inertia(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q, int frame,
    arne_axes axes, double *Lambda, arne_error *error);

// Derivatives of G^T tau_tree with respect to the independent coordinates, their velocities and
// accelerations, each mobility x mobility: what depends on them moves along. By the chain rule over
// G.
ARNE_API ARNE_CHECKED arne_status arne_loop_inverse_dynamics_derivatives(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *qdd, const arne_load *loads, int load_count, double *dq,
    double *dqd, double *dqdd, arne_error *error);

// Derivatives of the accelerations of all joints with respect to the independent coordinates and
// their velocities (v_count x mobility each; what depends on them moves along) and to the torques
// of all joints (v_count x v_count). Any output may be NULL; qdd takes the accelerations
// themselves. Fails as arne_loop_forward_dynamics and arne_loop_jacobian do.
ARNE_API ARNE_CHECKED arne_status arne_loop_forward_dynamics_derivatives(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *tau, const arne_load *loads, int load_count, double *qdd,
    double *dq, double *dqd, double *dtau, arne_error *error);

ARNE_END

#endif

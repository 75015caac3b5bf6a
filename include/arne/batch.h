// Many states at once: several in the lanes of a vector register, and blocks of them on all cores.
//
// Arrays are structures of arrays: row i holds entry i of all states, so entry i of state s is x[i * stride + s]. Matrices
// are row-major, each entry a row of its own: M[(j * v_count + k) * stride + s]. The numbers are those of the functions for
// one state, to rounding: lanes have a sine, a cosine and an order of operations of their own, and agree to 1e-12 of the
// largest number. For one binary, width and processor they are the same to the last bit, whatever the number of threads.
#ifndef ARNE_BATCH_H
#define ARNE_BATCH_H

#include <arne/derivatives.h>
#include <stddef.h>

// What can be asked for: name, and the function for one state.
#define ARNE_BATCH_ALGORITHMS(ARNE_ALGORITHM)                                                      \
    ARNE_ALGORITHM(KINEMATICS)          /* arne_kinematics and what is read back of one frame */   \
    ARNE_ALGORITHM(JACOBIAN)            /* arne_jacobian, arne_jacobian_rate */                    \
    ARNE_ALGORITHM(CENTER_OF_MASS)      /* arne_center_of_mass */                                  \
    ARNE_ALGORITHM(COM_JACOBIAN)        /* arne_com_jacobian */                                    \
    ARNE_ALGORITHM(ENERGY)              /* arne_energy */                                          \
    ARNE_ALGORITHM(MOMENTUM)            /* arne_momentum */                                        \
    ARNE_ALGORITHM(CENTROIDAL_MATRIX)   /* arne_centroidal_matrix */                               \
    ARNE_ALGORITHM(INVERSE_DYNAMICS)    /* arne_inverse_dynamics, arne_joint_wrench */             \
    ARNE_ALGORITHM(GRAVITY)             /* arne_gravity */                                         \
    ARNE_ALGORITHM(BIAS)                /* arne_bias */                                            \
    ARNE_ALGORITHM(MASS_MATRIX)         /* arne_mass_matrix */                                     \
    ARNE_ALGORITHM(INVERSE_MASS_MATRIX) /* arne_inverse_mass_matrix */                             \
    ARNE_ALGORITHM(CORIOLIS_MATRIX)     /* arne_coriolis_matrix */                                 \
    ARNE_ALGORITHM(OPERATIONAL_INERTIA) /* arne_operational_inertia */                             \
    ARNE_ALGORITHM(FORWARD_DYNAMICS)    /* arne_forward_dynamics, arne_forward_wrenches */         \
    ARNE_ALGORITHM(FORWARD_DYNAMICS_MATRIX)      /* arne_forward_dynamics_matrix */                \
    ARNE_ALGORITHM(HYBRID_DYNAMICS)              /* arne_hybrid_dynamics */                        \
    ARNE_ALGORITHM(BASE_ACCELERATION)            /* arne_base_acceleration */                      \
    ARNE_ALGORITHM(REGRESSOR)                    /* arne_regressor */                              \
    ARNE_ALGORITHM(INVERSE_DYNAMICS_DERIVATIVES) /* and so on: arne_ and the same name */          \
    ARNE_ALGORITHM(FORWARD_DYNAMICS_DERIVATIVES)                                                   \
    ARNE_ALGORITHM(INVERSE_DYNAMICS_ALONG)                                                         \
    ARNE_ALGORITHM(INVERSE_DYNAMICS_AGAINST)                                                       \
    ARNE_ALGORITHM(SECOND_DERIVATIVES)                                                             \
    ARNE_ALGORITHM(TORQUE_RATE) /* also arne_frame_jerk, and arne_com_jerk of the whole robot */   \
    ARNE_ALGORITHM(WRENCH_DERIVATIVES)                                                             \
    ARNE_ALGORITHM(FRAME_MOTION_DERIVATIVES)                                                       \
    ARNE_ALGORITHM(CENTROIDAL_DERIVATIVES)                                                         \
    ARNE_ALGORITHM(ZERO_MOMENT_POINT)

typedef enum arne_batch_algorithm {
#define ARNE_ALGORITHM(name) ARNE_BATCH_##name,
    ARNE_BATCH_ALGORITHMS(ARNE_ALGORITHM)
#undef ARNE_ALGORITHM
        ARNE_BATCH_ALGORITHM_COUNT
} arne_batch_algorithm;

// Arrays of input: name and rows. n: v_count, b: body_count.
#define ARNE_BATCH_INPUTS(ARNE_INPUT)                                                              \
    ARNE_INPUT(q, q_count)                                                                         \
    ARNE_INPUT(qd, n)                                                                              \
    ARNE_INPUT(qdd, n)                                                                             \
    ARNE_INPUT(qddd, n)                                                                            \
    ARNE_INPUT(tau, n)                                                                             \
    ARNE_INPUT(lambda, n)  /* of INVERSE_DYNAMICS_AGAINST and SECOND_DERIVATIVES */                \
    ARNE_INPUT(along_q, n) /* the directions of INVERSE_DYNAMICS_ALONG; NULL: zero */              \
    ARNE_INPUT(along_qd, n)                                                                        \
    ARNE_INPUT(along_qdd, n)                                                                       \
    ARNE_INPUT(f_ext, 6 * b) /* wrenches on the bodies, force first; NULL: none */

typedef struct arne_batch_inputs {
#define ARNE_INPUT(name, rows) const double *name;
    ARNE_BATCH_INPUTS(ARNE_INPUT)
#undef ARNE_INPUT
    const arne_load       *loads; // of derivatives and torque rates: the same for all states
    int                    load_count;
    int                    frame; // of kinematics, Jacobians and frame derivatives
    int                    joint; // of WRENCH_DERIVATIVES
    arne_axes              axes;
    arne_acceleration_kind kind;
    const unsigned char   *given; // of HYBRID_DYNAMICS: v_count flags, the same for all states
    arne_vec3              point, normal; // of ZERO_MOMENT_POINT: the plane
    size_t                 stride;        // of inputs and outputs alike; 0: the number of states
} arne_batch_inputs;

// Arrays of output: name and rows. n: v_count, j: joint_count, p: arne_parameter_count. Those that are NULL are not wanted.
#define ARNE_BATCH_OUTPUTS(ARNE_OUTPUT)                                                            \
    ARNE_OUTPUT(pose, 12) /* the columns of R, then p */                                           \
    ARNE_OUTPUT(velocity, 6)                                                                       \
    ARNE_OUTPUT(acceleration, 6)                                                                   \
    ARNE_OUTPUT(jacobian, 6 * n)                                                                   \
    ARNE_OUTPUT(jacobian_rate, 6 * n)                                                              \
    ARNE_OUTPUT(com, 3)                                                                            \
    ARNE_OUTPUT(com_velocity, 3)                                                                   \
    ARNE_OUTPUT(com_jacobian, 3 * n)                                                               \
    ARNE_OUTPUT(kinetic, 1)                                                                        \
    ARNE_OUTPUT(potential, 1)                                                                      \
    ARNE_OUTPUT(momentum, 6)                                                                       \
    ARNE_OUTPUT(momentum_rate, 6)                                                                  \
    ARNE_OUTPUT(centroidal_matrix, 6 * n)                                                          \
    ARNE_OUTPUT(tau, n)                                                                            \
    ARNE_OUTPUT(tau_rate, n)                                                                       \
    ARNE_OUTPUT(joint_wrenches, 6 * j) /* of INVERSE_DYNAMICS and all direct dynamics */           \
    ARNE_OUTPUT(base_wrench, 6)        /* likewise */                                              \
    ARNE_OUTPUT(regressor, n *p)                                                                   \
    ARNE_OUTPUT(operational_inertia, 36)                                                           \
    ARNE_OUTPUT(jerk, 6)                                                                           \
    ARNE_OUTPUT(com_jerk, 3)                                                                       \
    ARNE_OUTPUT(qdd, n)                                                                            \
    ARNE_OUTPUT(mass_matrix, n *n)                                                                 \
    ARNE_OUTPUT(inverse_mass_matrix, n *n)                                                         \
    ARNE_OUTPUT(coriolis_matrix, n *n)                                                             \
    ARNE_OUTPUT(dtau_dq, n *n)                                                                     \
    ARNE_OUTPUT(dtau_dqd, n *n)                                                                    \
    ARNE_OUTPUT(dtau_dqdd, n *n)                                                                   \
    ARNE_OUTPUT(dqdd_dq, n *n)                                                                     \
    ARNE_OUTPUT(dqdd_dqd, n *n)                                                                    \
    ARNE_OUTPUT(dqdd_dtau, n *n)                                                                   \
    ARNE_OUTPUT(dtau, n)      /* of INVERSE_DYNAMICS_ALONG */                                      \
    ARNE_OUTPUT(against_q, n) /* of INVERSE_DYNAMICS_AGAINST */                                    \
    ARNE_OUTPUT(against_qd, n)                                                                     \
    ARNE_OUTPUT(against_qdd, n)                                                                    \
    ARNE_OUTPUT(qq, n *n)                                                                          \
    ARNE_OUTPUT(qv, n *n)                                                                          \
    ARNE_OUTPUT(vv, n *n)                                                                          \
    ARNE_OUTPUT(qa, n *n)                                                                          \
    ARNE_OUTPUT(dwrench_dq, 6 * n)                                                                 \
    ARNE_OUTPUT(dwrench_dqd, 6 * n)                                                                \
    ARNE_OUTPUT(dwrench_dqdd, 6 * n)                                                               \
    ARNE_OUTPUT(dv_dq, 6 * n)                                                                      \
    ARNE_OUTPUT(dv_dqd, 6 * n)                                                                     \
    ARNE_OUTPUT(da_dq, 6 * n)                                                                      \
    ARNE_OUTPUT(da_dqd, 6 * n)                                                                     \
    ARNE_OUTPUT(da_dqdd, 6 * n)                                                                    \
    ARNE_OUTPUT(dh_dq, 6 * n)                                                                      \
    ARNE_OUTPUT(dh_dqd, 6 * n)                                                                     \
    ARNE_OUTPUT(drate_dq, 6 * n)                                                                   \
    ARNE_OUTPUT(drate_dqd, 6 * n)                                                                  \
    ARNE_OUTPUT(drate_dqdd, 6 * n)                                                                 \
    ARNE_OUTPUT(zmp, 3)                                                                            \
    ARNE_OUTPUT(dzmp_dq, 3 * n)                                                                    \
    ARNE_OUTPUT(dzmp_dqd, 3 * n)                                                                   \
    ARNE_OUTPUT(dzmp_dqdd, 3 * n)

typedef struct arne_batch_outputs {
#define ARNE_OUTPUT(name, rows) double *name;
    ARNE_BATCH_OUTPUTS(ARNE_OUTPUT)
#undef ARNE_OUTPUT
} arne_batch_outputs;

typedef struct arne_batch_options {
    size_t size;    // of this struct, or 0: see arne/types.h
    int    width;   // states per register: 1, 2, 4 or 8; 0: as many as this machine does well
    int    threads; // the caller's among them; 0: one for each processor
} arne_batch_options;

// Memory and threads for one robot, which must outlive it. One caller at a time.
typedef struct arne_batch arne_batch;

ARNE_BEGIN

// Whether this build has code for a width, and this machine can run it.
ARNE_API int arne_batch_has_width(int width);

// Everything that is ever allocated is allocated here. options may be NULL. ARNE_UNSUPPORTED where the width is not there.
ARNE_API ARNE_CHECKED arne_status arne_batch_new(const arne_robot         *robot,
                                                 const arne_batch_options *options,
                                                 arne_batch **out, arne_error *error);
ARNE_API void                     arne_batch_free(arne_batch *batch);
ARNE_API int                      arne_batch_width(const arne_batch *batch);
ARNE_API int                      arne_batch_threads(const arne_batch *batch);

// How the base moves in all states, as arne_work_set_base and arne_work_set_base_jerk say it. NULL: identity, zero.
ARNE_API void arne_batch_set_base(arne_batch *batch, const arne_pose *pose,
                                  const arne_motion *velocity, const arne_motion *acceleration,
                                  const arne_motion *jerk);

// Evaluates `count` states. Allocates nothing.
//
// Outputs may overlap neither each other nor inputs (rows that interleave are fine). Arrays need the alignment of a double
// and no other. Inputs that the algorithm does not read are ignored; an output that it does not make is refused.
// ARNE_SINGULAR as for one state: the text names the first such state, the results of the others are good.
// ARNE_NULL_ARGUMENT and ARNE_VALUE, with the name of what is wrong, before anything is written.
ARNE_API ARNE_CHECKED arne_status arne_batch_run(arne_batch *batch, arne_batch_algorithm algorithm,
                                                 const arne_batch_inputs  *inputs,
                                                 const arne_batch_outputs *outputs, size_t count,
                                                 arne_error *error);

ARNE_END

#endif

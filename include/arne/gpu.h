// Many states at once on a CUDA device, in float or double: one thread for each state.
//
// Arrays are structures of arrays as in batch.h: entry i of state s is x[i * count + s], and matrices are row-major, each
// entry a row of its own. Entries are float or double, as the object was made for. The base, where it does not float,
// stands still at the origin.
//
// Where Arne was built without CUDA, or the machine has no device, everything here answers ARNE_UNSUPPORTED with a text
// that says which.
#ifndef ARNE_GPU_H
#define ARNE_GPU_H

#include <arne/codegen.h>
#include <stddef.h>

// What can be asked for: name, the inputs it reads, the outputs it can make.
#define ARNE_GPU_ALGORITHMS(ARNE_ALGORITHM)                                                        \
    ARNE_ALGORITHM(POSE, IN(q), OUT(pose))                                                         \
    ARNE_ALGORITHM(INVERSE_DYNAMICS, IN(q) | IN(qd) | IN(qdd), OUT(torque))                        \
    ARNE_ALGORITHM(FORWARD_DYNAMICS, IN(q) | IN(qd) | IN(tau), OUT(acceleration))                  \
    ARNE_ALGORITHM(MASS_MATRIX, IN(q), OUT(mass_matrix))                                           \
    ARNE_ALGORITHM(INVERSE_DYNAMICS_DERIVATIVES, IN(q) | IN(qd) | IN(qdd),                         \
                   OUT(dtau_dq) | OUT(dtau_dqd) | OUT(dtau_dqdd))                                  \
    ARNE_ALGORITHM(ROLLOUT, IN(q) | IN(qd) | IN(tau), OUT(end_q) | OUT(end_qd))

typedef enum arne_gpu_algorithm {
#define ARNE_ALGORITHM(name, inputs, outputs) ARNE_GPU_##name,
    ARNE_GPU_ALGORITHMS(ARNE_ALGORITHM)
#undef ARNE_ALGORITHM
        ARNE_GPU_ALGORITHM_COUNT
} arne_gpu_algorithm;

// Arrays: name and rows. n: v_count.
#define ARNE_GPU_INPUTS(ARNE_INPUT)                                                                \
    ARNE_INPUT(q, q_count)                                                                         \
    ARNE_INPUT(qd, n)                                                                              \
    ARNE_INPUT(qdd, n)                                                                             \
    ARNE_INPUT(tau, n)

#define ARNE_GPU_OUTPUTS(ARNE_OUTPUT)                                                              \
    ARNE_OUTPUT(pose, 12) /* of one frame in the world: the columns of R, then p */                \
    ARNE_OUTPUT(torque, n)                                                                         \
    ARNE_OUTPUT(acceleration, n)                                                                   \
    ARNE_OUTPUT(mass_matrix, n *n)                                                                 \
    ARNE_OUTPUT(dtau_dq, n *n)                                                                     \
    ARNE_OUTPUT(dtau_dqd, n *n)                                                                    \
    ARNE_OUTPUT(dtau_dqdd, n *n)                                                                   \
    ARNE_OUTPUT(end_q, q_count) /* of ROLLOUT: where the trajectories end */                       \
    ARNE_OUTPUT(end_qd, n)

// Inputs that the algorithm does not read are ignored; outputs that are NULL are not wanted.
typedef struct arne_gpu_arrays {
#define ARNE_INPUT(name, rows) const void *name;
    ARNE_GPU_INPUTS(ARNE_INPUT)
#undef ARNE_INPUT
#define ARNE_OUTPUT(name, rows) void *name;
    ARNE_GPU_OUTPUTS(ARNE_OUTPUT)
#undef ARNE_OUTPUT
    int    on_device; // the arrays are in the device's memory; else in the machine's own
    int    frame;     // of POSE
    int    steps;     // of ROLLOUT: at least 1
    double dt;        // of ROLLOUT [s]
} arne_gpu_arrays;

// Memory on the current device for one robot, which must outlive it.
typedef struct arne_gpu arne_gpu;

ARNE_BEGIN

// ARNE_OK where there is a device to run on.
ARNE_API ARNE_CHECKED arne_status arne_gpu_available(arne_error *error);

// ARNE_UNSUPPORTED also where the robot is too large for the device's constant memory, which takes about fifty bodies.
ARNE_API ARNE_CHECKED arne_status arne_gpu_new(const arne_robot *robot, arne_precision precision,
                                               arne_gpu **out, arne_error *error);
ARNE_API void                     arne_gpu_free(arne_gpu *gpu);

// Evaluates `count` states. stream is a cudaStream_t, or NULL for the default stream.
//
// With arrays on the device the work is put on the stream and the call returns at once; an object does one run at a
// time, so its runs belong on one stream. With arrays on the machine the results are there when the call returns.
//
// ROLLOUT takes steps of dt by the semi-implicit Euler rule, qd += qdd dt and q += qd dt, under constant torques: for
// robots whose joints have one coordinate each, ARNE_UNSUPPORTED for others. A singular mass matrix makes the results of
// that state infinite or not a number; the others are good.
//
// Outputs may overlap neither each other nor inputs. ARNE_NULL_ARGUMENT and ARNE_VALUE, with the name of what is wrong,
// before anything is written; ARNE_UNSUPPORTED with the device's own words where it fails.
ARNE_API ARNE_CHECKED arne_status arne_gpu_run(arne_gpu *gpu, arne_gpu_algorithm algorithm,
                                               const arne_gpu_arrays *arrays, size_t count,
                                               void *stream, arne_error *error);

ARNE_END

#endif

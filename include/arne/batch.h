// Many states at once: several in the lanes of a vector register, and blocks of them on all cores.
//
// Arrays are structures of arrays: row i holds entry i of all states, so entry i of state s is x[i
// * stride + s]. Matrices are row-major, each entry a row of its own: M[(j * v_count + k) * stride
// + s]. Results agree with those of the functions for one state to 1e-12 of the largest number;
// lanes have their own sine, cosine and order of operations. For one binary, width and processor
// they are the same to the last bit, whatever the number of threads.
#ifndef ARNE_BATCH_H
#define ARNE_BATCH_H

#include <arne/catalogue.h>
#include <arne/derivatives.h>
#include <stddef.h>

// The layout of an array, in doubles: entry i of state s is x[i * entry + s * state]. A C-ordered
// array of states has entry 1 and state N. For inputs both may have any value: state 0 means that
// all states share the same values, and negative strides go backwards.
typedef struct arne_batch_layout {
    ptrdiff_t entry, state;
} arne_batch_layout;

// Arrays as in the catalogue, for the algorithms that have ARNE_HAS_BATCH. Inputs that the
// algorithm does not read are ignored; outputs that are NULL are not computed.
typedef struct arne_batch_inputs {
#define ARNE_INPUT(name, ...) const double *name;
#define ARNE_INPUT_OUTPUT(name, ...) const double *name;
#include <arne/catalogue.def>
    const arne_load       *loads; // where it takes loads: the same for all states
    int                    load_count;
    int                    frame; // where it takes one
    int                    joint; // of WRENCH_DERIVATIVES
    arne_axes              axes;
    arne_acceleration_kind kind;
    const unsigned char   *given; // of HYBRID_DYNAMICS: v_count flags, the same for all states
    arne_vec3              point, normal; // of ZERO_MOMENT_POINT: the plane
    size_t                 stride;        // of inputs and outputs alike; 0: the number of states
    // Layouts that differ from `stride`, indexed by arne_input and arne_array: ARNE_INPUT_COUNT and
    // ARNE_ARRAY_COUNT of them. NULL: all arrays have the stride.
    const arne_batch_layout *input_layouts, *output_layouts;
} arne_batch_inputs;

typedef struct arne_batch_outputs {
#define ARNE_INPUT_OUTPUT(name, ...) double *name;
#define ARNE_OUTPUT(name, ...) double *name;
#include <arne/catalogue.def>
} arne_batch_outputs;

typedef struct arne_batch_options {
    size_t size;    // of this struct, or 0: see arne/types.h
    int    width;   // states per register: 1, 2, 4 or 8; 0: the best for this machine
    int    threads; // including the caller's; 0: one for each processor
} arne_batch_options;

// Memory and threads for one robot, which must outlive it. One caller at a time.
typedef struct arne_batch arne_batch;

ARNE_BEGIN

// For programs that choose arrays at run time. Returns 1, or 0 if the struct has no such array.
ARNE_API int arne_batch_set_input(arne_batch_inputs *inputs, arne_array array, const double *at);
ARNE_API int arne_batch_set_output(arne_batch_outputs *outputs, arne_array array, double *at);

// Whether this build has code for a width, and this machine can run it.
ARNE_API int arne_batch_has_width(int width);

// Allocates all memory that the batch needs. options may be NULL. ARNE_UNSUPPORTED if the width is
// not available.
ARNE_API ARNE_CHECKED arne_status arne_batch_new(const arne_robot         *robot,
                                                 const arne_batch_options *options,
                                                 arne_batch **out, arne_error *error);
ARNE_API void                     arne_batch_free(arne_batch *batch);
ARNE_API int                      arne_batch_width(const arne_batch *batch);
ARNE_API int                      arne_batch_threads(const arne_batch *batch);

// The motion of the base in all states, as for arne_work_set_base and arne_work_set_base_jerk.
// NULL: identity, zero.
ARNE_API void arne_batch_set_base(arne_batch *batch, const arne_pose *pose,
                                  const arne_motion *velocity, const arne_motion *acceleration,
                                  const arne_motion *jerk);

// Evaluates `count` states. Allocates nothing.
//
// Outputs must not overlap each other or inputs (interleaved rows are allowed; with layouts,
// everything between the first and the last number of an array belongs to it). Arrays need only the
// alignment of a double. Inputs that the algorithm does not read are ignored; an output that it
// does not have is an error. ARNE_UNSUPPORTED for an algorithm that has no batch form.
// ARNE_SINGULAR as for one state: the text names the first such state, and the results of all other
// states are valid. ARNE_NULL_ARGUMENT and ARNE_VALUE name the wrong argument; then nothing has
// been written.
ARNE_API ARNE_CHECKED arne_status arne_batch_run(arne_batch *batch, arne_algorithm algorithm,
                                                 const arne_batch_inputs  *inputs,
                                                 const arne_batch_outputs *outputs, size_t count,
                                                 arne_error *error);

ARNE_END

#endif

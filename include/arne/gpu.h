// Many states at once on a CUDA device, in float or double: one thread for each state.
//
// Arrays are structures of arrays as in batch.h: entry i of state s is x[i * count + s], unless a
// layout says otherwise, and matrices are row-major, each entry a row of its own. Entries are float
// or double, as the object was made for. The base, where it does not float, stands still at the
// origin.
//
// Where Arne was built without CUDA, or the machine has no device, everything here answers
// ARNE_UNSUPPORTED with a text that says which.
#ifndef ARNE_GPU_H
#define ARNE_GPU_H

#include <arne/batch.h>
#include <arne/codegen.h>
#include <stddef.h>

// Arrays as the catalogue has them, of those algorithms that have ARNE_HAS_GPU. Inputs that the
// algorithm does not read are ignored (f_ext is read by none); outputs that are NULL are not
// wanted.
typedef struct arne_gpu_inputs {
#define ARNE_INPUT(name, ...) const void *name;
#define ARNE_INPUT_OUTPUT(name, ...) const void *name;
#include <arne/catalogue.def>
    int on_device; // the arrays, outputs too, are in the device's memory; else in the machine's own
    int frame;     // where it takes one
    int steps;     // of ROLLOUT: at least 1
    double dt;     // of ROLLOUT [s]
    // How arrays lie on the device, as in batch.h: ARNE_INPUT_COUNT and ARNE_ARRAY_COUNT of them,
    // in entries. NULL: in rows of count, all of them. Only with on_device.
    const arne_batch_layout *input_layouts, *output_layouts;
} arne_gpu_inputs;

typedef struct arne_gpu_outputs {
#define ARNE_INPUT_OUTPUT(name, ...) void *name;
#define ARNE_OUTPUT(name, ...) void *name;
#include <arne/catalogue.def>
} arne_gpu_outputs;

// Memory on the current device for one robot, which must outlive it.
typedef struct arne_gpu arne_gpu;

ARNE_BEGIN

// ARNE_OK where there is a device to run on.
ARNE_API ARNE_CHECKED arne_status arne_gpu_available(arne_error *error);

// ARNE_UNSUPPORTED also where the robot is too large for the device's constant memory, which takes
// about fifty bodies.
ARNE_API ARNE_CHECKED arne_status arne_gpu_new(const arne_robot *robot, arne_precision precision,
                                               arne_gpu **out, arne_error *error);
ARNE_API void                     arne_gpu_free(arne_gpu *gpu);

// Evaluates `count` states. stream is a cudaStream_t, or NULL for the default stream.
//
// With arrays on the device the work is put on the stream and the call returns at once; an object
// does one run at a time, so its runs belong on one stream. With arrays on the machine the results
// are there when the call returns.
//
// ROLLOUT takes steps of dt by the semi-implicit Euler rule, qd += qdd dt and q += qd dt, under
// constant torques: for robots whose joints have one coordinate each, ARNE_UNSUPPORTED for others.
// A singular mass matrix makes the results of that state infinite or not a number; the others are
// good.
//
// Outputs may overlap neither each other nor inputs. ARNE_NULL_ARGUMENT and ARNE_VALUE, with the
// name of what is wrong, before anything is written; ARNE_UNSUPPORTED with the device's own words
// where it fails.
ARNE_API ARNE_CHECKED arne_status arne_gpu_run(arne_gpu *gpu, arne_algorithm algorithm,
                                               const arne_gpu_inputs  *inputs,
                                               const arne_gpu_outputs *outputs, size_t count,
                                               void *stream, arne_error *error);

// Waits until all that was put on the stream is done. ARNE_UNSUPPORTED with the device's own words
// where that failed.
ARNE_API ARNE_CHECKED arne_status arne_gpu_wait(arne_gpu *gpu, void *stream, arne_error *error);

// For programs that choose arrays at run time: 1, or 0 where the struct has no such array.
ARNE_API int arne_gpu_set_input(arne_gpu_inputs *inputs, arne_array array, const void *at);
ARNE_API int arne_gpu_set_output(arne_gpu_outputs *outputs, arne_array array, void *at);

ARNE_END

#endif

// Many states at once on a CUDA device, in float or double: one thread for each state.
//
// Kernels are generated for the robot when they are first needed: its straight-line code (see
// arne_generate_kernel) is compiled by NVRTC, CUDA's run-time compiler, and stored in a folder, so
// that a machine compiles it only once. CUDA is not needed to build Arne: the driver (libcuda.so.1)
// and NVRTC (libnvrtc) are loaded at run time.
//
// Arrays are structures of arrays as in batch.h: entry i of state s is x[i * count + s], unless a
// layout is given, and matrices are row-major, each entry a row of its own. Entries are float or
// double, as chosen in the options. A base that is not free is at rest at the origin. Loops are
// ignored.
//
// On a machine without a device, all functions return ARNE_UNSUPPORTED with a text that says what
// is missing.
#ifndef ARNE_GPU_H
#define ARNE_GPU_H

#include <arne/batch.h>
#include <arne/codegen.h>
#include <arne/integrate.h>
#include <stddef.h>

// Arrays as in the catalogue, for the algorithms that have ARNE_HAS_GPU. Inputs that the algorithm
// does not read are ignored (none reads f_ext); outputs that are NULL are not computed.
typedef struct arne_gpu_inputs {
#define ARNE_INPUT(name, ...) const void *name;
#define ARNE_INPUT_OUTPUT(name, ...) const void *name;
#include <arne/catalogue.def>
    int       on_device; // all arrays, outputs too, are in the device's memory; else in the host's
    int       frame;     // where it takes one
    arne_axes axes;      // likewise
    // For ROLLOUT: at least one step of dt [s], with ARNE_METHOD_EULER or ARNE_METHOD_RK4.
    int         steps;
    double      dt;
    arne_method method;
    // Gains of a controller, v_count of each in the host's memory; NULL: none. The torques are then
    // tau + kp (q_ref (-) q) + kd (qd_ref - qd), with arne_difference for (-), at every evaluation
    // of the accelerations; kp needs q_ref, and qd_ref is zero if it is NULL.
    const double *kp, *kd;
    // Which of tau, q_ref and qd_ref have entries for every step: bits 1u << ARNE_INPUT_tau ...
    // Entry i of step k is then entry k v_count + i (q_ref: k q_count + i).
    unsigned every_step;
    // Layouts of arrays on the device, as in batch.h: ARNE_INPUT_COUNT and ARNE_ARRAY_COUNT of
    // them, in entries. NULL: all arrays have rows of count entries. Only with on_device.
    const arne_batch_layout *input_layouts, *output_layouts;
} arne_gpu_inputs;

typedef struct arne_gpu_outputs {
#define ARNE_INPUT_OUTPUT(name, ...) void *name;
#define ARNE_OUTPUT(name, ...) void *name;
#include <arne/catalogue.def>
} arne_gpu_outputs;

typedef struct arne_gpu_options {
    size_t         size; // of this struct, or 0: see arne/types.h
    arne_precision precision;
    int            fast; // 1: fast math: less accurate sines, divisions and roots
    // A folder for compiled kernels, created if necessary; "": kernels are not stored; NULL:
    // arne/kernels in $XDG_CACHE_HOME or $HOME/.cache. Several processes may share it.
    const char *cache;
} arne_gpu_options;

// How a request is executed.
typedef struct arne_gpu_kernel {
    int    was_cached; // its binary was there already
    int    operations; // additions and multiplications of one evaluation
    double seconds;    // that it took to generate, compile and load
    char   file[4096]; // where its binary is stored; "": nowhere
} arne_gpu_kernel;

// Memory on the current device for one robot, which must outlive it.
typedef struct arne_gpu arne_gpu;

ARNE_BEGIN

// ARNE_OK if there is a device, and NVRTC to compile kernels for it.
ARNE_API ARNE_CHECKED arne_status arne_gpu_available(arne_error *error);

// options NULL: all defaults, with entries of double. Uses the device of the thread's current
// context, or the first one.
ARNE_API ARNE_CHECKED arne_status arne_gpu_new(const arne_robot       *robot,
                                               const arne_gpu_options *options, arne_gpu **out,
                                               arne_error *error);
ARNE_API void                     arne_gpu_free(arne_gpu *gpu);

// Prepares the kernel of a request before the first run: generates and compiles it, or loads it
// from the folder, which takes from milliseconds to some seconds. Of the inputs only frame, axes,
// method, kp and kd matter, of the outputs only which are not NULL; outputs NULL: all that are not
// on request. *facts (may be NULL) describes how the request will be executed. Fails like
// arne_gpu_run.
ARNE_API ARNE_CHECKED arne_status arne_gpu_prepare(arne_gpu *gpu, arne_algorithm algorithm,
                                                   const arne_gpu_inputs  *inputs,
                                                   const arne_gpu_outputs *outputs,
                                                   arne_gpu_kernel *facts, arne_error *error);

// Evaluates `count` states. stream is a cudaStream_t, or NULL for the default stream.
//
// With arrays on the device, the work is put on the stream and the call returns at once; use one
// stream for all runs of an object. With arrays on the host, the results are complete when the call
// returns.
//
// Outputs on request, and functions of more than 60000 operations, have no kernel:
// ARNE_UNSUPPORTED, with the reason.
//
// ROLLOUT: semi-implicit Euler is qd += qdd dt, then q = q (+) qd dt; RK4 is the classical method
// on the space of configurations, as arne_integrator has both. The whole rollout is one kernel.
//
// A singular mass matrix makes the results of that state infinite or NaN; all other results are
// valid.
//
// Outputs must not overlap each other or inputs. ARNE_NULL_ARGUMENT and ARNE_VALUE name the wrong
// argument; then nothing has been written. ARNE_UNSUPPORTED with the message of the driver if the
// device fails.
ARNE_API ARNE_CHECKED arne_status arne_gpu_run(arne_gpu *gpu, arne_algorithm algorithm,
                                               const arne_gpu_inputs  *inputs,
                                               const arne_gpu_outputs *outputs, size_t count,
                                               void *stream, arne_error *error);

// Waits until all work on the stream is done. ARNE_UNSUPPORTED with the message of the driver if it
// failed.
ARNE_API ARNE_CHECKED arne_status arne_gpu_wait(arne_gpu *gpu, void *stream, arne_error *error);

// Memory on the device, for programs that do not use CUDA themselves. Copies between host and
// device work in both directions and are complete when the call returns. Release the memory before
// the object. ARNE_UNSUPPORTED with the message of the driver if it fails.
ARNE_API ARNE_CHECKED arne_status arne_gpu_allocate(arne_gpu *gpu, size_t bytes, void **out,
                                                    arne_error *error);
ARNE_API void                     arne_gpu_release(arne_gpu *gpu, void *memory);
ARNE_API ARNE_CHECKED arne_status arne_gpu_copy(arne_gpu *gpu, void *to, const void *from,
                                                size_t bytes, arne_error *error);
// The name of the device; valid as long as the object.
ARNE_API const char *arne_gpu_name(const arne_gpu *gpu);

// For programs that choose arrays at run time. Returns 1, or 0 if the struct has no such array.
ARNE_API int arne_gpu_set_input(arne_gpu_inputs *inputs, arne_array array, const void *at);
ARNE_API int arne_gpu_set_output(arne_gpu_outputs *outputs, arne_array array, void *at);

ARNE_END

#endif

// Many states at once on a CUDA device, in float or double: one thread for each state.
//
// Kernels are made for the robot when they are first needed: its straight-line code (see
// arne_generate_kernel) is compiled by NVRTC, CUDA's compiler at run time, and kept in a folder, so
// that a machine does it once. Where that cannot be, general kernels run, which take any robot and
// are some ten times slower; they have the algorithms with ARNE_HAS_GENERAL. Nothing of CUDA is
// needed to build Arne: the driver (libcuda.so.1), NVRTC (libnvrtc) and the module of general
// kernels (libarne_cuda.so, where nvcc was there at the build) are looked for at run time.
//
// Arrays are structures of arrays as in batch.h: entry i of state s is x[i * count + s], unless a
// layout says otherwise, and matrices are row-major, each entry a row of its own. Entries are float
// or double, as the object was made for. The base, where it does not float, stands still at the
// origin. Loops are left open.
//
// Where the machine has no device, everything here answers ARNE_UNSUPPORTED with a text that says
// what is missing.
#ifndef ARNE_GPU_H
#define ARNE_GPU_H

#include <arne/batch.h>
#include <arne/codegen.h>
#include <arne/integrate.h>
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
    arne_axes axes; // likewise
    // Of ROLLOUT: at least one step of dt [s], by ARNE_METHOD_EULER or ARNE_METHOD_RK4.
    int         steps;
    double      dt;
    arne_method method;
    // Factors of a controller, v_count of each in the machine's own memory; NULL: none. The torques
    // are then tau + kp (q_ref (-) q) + kd (qd_ref - qd), with arne_difference for (-), at every
    // evaluation of the accelerations; kp needs q_ref, and qd_ref is zero where it is NULL.
    const double *kp, *kd;
    // Of tau, q_ref and qd_ref those that have entries for every step: bits 1u << ARNE_INPUT_tau
    // ... Entry i of step k is then the one of number k v_count + i (q_ref: k q_count + i).
    unsigned every_step;
    // How arrays lie on the device, as in batch.h: ARNE_INPUT_COUNT and ARNE_ARRAY_COUNT of them,
    // in entries. NULL: in rows of count, all of them. Only with on_device.
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
    int            general; // 1: general kernels only
    int            fast;    // 1: fast math: fewer digits of sines, divisions and roots
    // A folder for compiled kernels, made where there is none; "": they are not kept; NULL:
    // arne/kernels in $XDG_CACHE_HOME or $HOME/.cache. Several processes may share it.
    const char     *cache;
    arne_warning_fn warn; // hears, by the rule gpu, why a general kernel runs; NULL: nobody
    void           *warn_context;
} arne_gpu_options;

// How a request is run.
typedef struct arne_gpu_kernel {
    int    is_compiled; // for this robot; 0: general
    int    was_cached;  // its binary was there already
    int    operations;  // additions and multiplications of one evaluation; 0 where it is general
    double seconds;     // that it took to generate, compile and load
    char   why[512];    // it is general; "" where it is not
    char   file[4096];  // where its binary is kept; "": nowhere
} arne_gpu_kernel;

// Memory on the current device for one robot, which must outlive it.
typedef struct arne_gpu arne_gpu;

ARNE_BEGIN

// ARNE_OK where there is a device, and kernels to run on it: NVRTC, or the general ones.
ARNE_API ARNE_CHECKED arne_status arne_gpu_available(arne_error *error);

// options NULL: the default of each, entries of double. On the device of the thread's current
// context, or on the first one.
ARNE_API ARNE_CHECKED arne_status arne_gpu_new(const arne_robot       *robot,
                                               const arne_gpu_options *options, arne_gpu **out,
                                               arne_error *error);
ARNE_API void                     arne_gpu_free(arne_gpu *gpu);

// Makes the kernel of a request ready, so that the first run need not: generates and compiles it,
// or finds it in the folder, which takes from milliseconds to some seconds. Of the inputs frame,
// axes, method, kp and kd count, of the outputs which are not NULL; outputs NULL: all that are made
// without request. *facts, where it is not NULL, says how it will be run. Fails as arne_gpu_run.
ARNE_API ARNE_CHECKED arne_status arne_gpu_prepare(arne_gpu *gpu, arne_algorithm algorithm,
                                                   const arne_gpu_inputs  *inputs,
                                                   const arne_gpu_outputs *outputs,
                                                   arne_gpu_kernel *facts, arne_error *error);

// Evaluates `count` states. stream is a cudaStream_t, or NULL for the default stream.
//
// With arrays on the device the work is put on the stream and the call returns at once; an object
// does one run at a time, so its runs belong on one stream. With arrays on the machine the results
// are there when the call returns.
//
// Not every request has a kernel: outputs that are made on request only, and functions of very many
// operations, are left to the general kernels. These take ROLLOUT by Euler under constant torques
// for robots whose joints have one coordinate each, and robots of about fifty bodies.
// ARNE_UNSUPPORTED with both reasons where neither can do it.
//
// ROLLOUT: semi-implicit Euler is qd += qdd dt, then q = q (+) qd dt; RK4 is the classical method
// on the space of configurations, as arne_integrator has both. The whole rollout is one kernel.
//
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

// Memory on the device, for programs that use nothing of CUDA itself; copies go either way, between
// it and the machine's own, and are done when the call returns. Release what was allocated before
// the object. ARNE_UNSUPPORTED with the device's own words where it fails.
ARNE_API ARNE_CHECKED arne_status arne_gpu_allocate(arne_gpu *gpu, size_t bytes, void **out,
                                                    arne_error *error);
ARNE_API void                     arne_gpu_release(arne_gpu *gpu, void *memory);
ARNE_API ARNE_CHECKED arne_status arne_gpu_copy(arne_gpu *gpu, void *to, const void *from,
                                                size_t bytes, arne_error *error);
// The name of the device, which lives as long as the object.
ARNE_API const char *arne_gpu_name(const arne_gpu *gpu);

// For programs that choose arrays at run time: 1, or 0 where the struct has no such array.
ARNE_API int arne_gpu_set_input(arne_gpu_inputs *inputs, arne_array array, const void *at);
ARNE_API int arne_gpu_set_output(arne_gpu_outputs *outputs, arne_array array, void *at);

ARNE_END

#endif

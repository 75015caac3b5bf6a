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
#include <arne/contact.h>
#include <arne/integrate.h>
#include <stddef.h>

// Numbers of a height field on the device: see arne_surface. All worlds have the same one.
typedef struct arne_gpu_field {
    const void *heights; // rows x columns, in the device's memory, in the options' precision
    int         rows, columns;
    double      corner[2], spacing[2];
} arne_gpu_field;

// Torques from the error e = (q_ref (-) q, qd_ref - qd) of 2 v_count numbers:
//     W2 tanh(W1 e + b1) + b2 with hidden units, W e + b without
// one for each velocity, cut off at `most`, in addition to all others. They are found at the first
// of every `holds` steps and held until the next.
typedef struct arne_gpu_policy {
    // W1 (hidden x 2 v_count), b1, W2 (v_count x hidden), b2; or W (v_count x 2 v_count), b: in the
    // device's memory, in the options' precision, of each state its own, or with layout.state = 0
    // the same for all.
    const void       *weights;
    arne_batch_layout layout;
    int               hidden; // 0: none; at most 1024
    int               holds;  // 0: 1
    const double     *most;   // v_count; 0: no torque, and these weights are not read
} arne_gpu_policy;

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
    // For ROLLOUT: what each state may have besides, as arrays: `ground` (see below), mass_factor,
    // stiffness and damping in the place of kp and kd, and restart with q_start and qd_start.
    //
    // With `ground` the contact shapes touch its plane, or `field` in its place: by the compliant
    // model, as arne_ground_dynamics; with sweeps > 0 by the rigid one, by so many sweeps of
    // Gauss-Seidel in every step, for points and spheres and ARNE_METHOD_EULER.
    int                   sweeps;
    unsigned long long    left_out; // bit i: contact shape i of the robot touches nothing
    const arne_gpu_field *field;    // NULL: none
    // Joints of one coordinate beyond a limit: torques of a spring and damper that only push back
    // [N m/rad, N m s/rad]; both 0: limits are ignored. The rigid model holds limits without them.
    double                 limit_stiffness, limit_damping;
    const arne_gpu_policy *policy; // NULL: none; needs q_ref
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
// from the folder, which takes from milliseconds to some seconds. Of the inputs only frame, axes
// and method matter, and which of the others are there; of the outputs only which are not NULL;
// outputs NULL: all that are not on request. *facts (may be NULL) describes how the request will be
// executed. Fails like arne_gpu_run.
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
// Rigid: v+ = v + h M^-1 (tau - c) + M^-1 J^T p with J and M as at the start of the step, and at
// its end v_n + gap / h >= 0, p_n >= 0, v_n p_n = 0, Coulomb's law across; limits and dry friction
// of joints likewise. Nothing bounces. arne_world_step is another method for the same conditions:
// it solves them exactly, in the middle of the step, and stops at impacts.
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

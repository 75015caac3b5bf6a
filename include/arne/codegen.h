// Straight-line C99 code for one robot, without loops, branches, tables or static memory. Products
// with zero and one are removed, common subexpressions are computed once, and unused results are
// not computed.
//
// The code is returned in memory; no files are written.
#ifndef ARNE_CODEGEN_H
#define ARNE_CODEGEN_H

#include <arne/catalogue.h>
#include <arne/kinematics.h>
#include <stddef.h>

typedef enum arne_precision { ARNE_PRECISION_DOUBLE, ARNE_PRECISION_FLOAT } arne_precision;

typedef enum arne_sincos_source {
    ARNE_SINCOS_LIBM,      // sin and cos of <math.h>
    ARNE_SINCOS_POLYNOMIAL // a small function in the generated file: for angles up to 1e6 rad, in
                           // float up to 1e3
} arne_sincos_source;

// Who calls the code.
typedef enum arne_generate_target {
    ARNE_TARGET_C,     // a C program: header, source, self-test and CMakeLists.txt
    ARNE_TARGET_CASADI // CasADi's external functions: one C file, and CMakeLists.txt
} arne_generate_target;

typedef struct arne_generate_options {
    size_t             size;      // of this struct, or 0: see arne/types.h
    const char *const *functions; // names, see arne_generated_function
    int                function_count;
    const char        *prefix; // of files and functions; NULL: made from the robot's name
    int                frame;  // of pose and jacobian; -1: none, and pose gives all frames
    arne_axes          axes;   // of the Jacobian
    arne_precision     precision;
    arne_sincos_source sincos;
    int                base_parameters; // 1: from arne_robot_base_form, with fewer operations
    int                open;            // 1: of a robot with loops, the tree that is cut at them
    // 2, 4 or 8 states at once, by the vector extensions of gcc and clang; 0 or 1: one. Entry i of
    // state s of an array is x[i * lanes + s].
    int                  lanes;
    arne_generate_target target;
    // For CasADi: 1: exact Jacobians too; 2: and their Jacobians; 0: values only. Derivatives are
    // those by the entries of q itself, also where they are a quaternion's.
    int derivatives;
} arne_generate_options;

// Operation counts. Subtractions count as additions, sine and cosine of an angle as one; a change
// of sign is free.
typedef struct arne_operation_counts {
    int mul, add, div, sqrt, sincos, sign;
} arne_operation_counts;

typedef struct arne_generated_file {
    char *name;  // PREFIX.h, PREFIX.c, PREFIX_selftest.c, CMakeLists.txt; see target.
                 // Of arne_generate_mpc also PREFIX_mpc.h, PREFIX_mpc.c, PREFIX_mpc_selftest.c
    char  *text; // ends with a zero
    size_t size; // without the zero
} arne_generated_file;

enum { ARNE_GENERATED_FILES = 7, ARNE_GENERATED_PREFIX = 48 };

typedef struct arne_generated {
    char                   prefix[ARNE_GENERATED_PREFIX];
    arne_generated_file    file[ARNE_GENERATED_FILES];
    int                    file_count;
    int                    function_count;
    arne_operation_counts *counts; // of each function
} arne_generated;

// ---- one function as a kernel for a GPU ----

// What a rollout stands on.
typedef enum arne_ground_kind {
    ARNE_GROUND_NONE,
    ARNE_GROUND_PLANE, // that of the input `ground`
    ARNE_GROUND_FIELD  // a height field, with the numbers of `ground` behind its plane
} arne_ground_kind;

typedef struct arne_kernel_options {
    size_t         size; // of this struct, or 0: see arne/types.h
    arne_precision precision;
    int            frame; // where the algorithm takes one
    arne_axes      axes;  // likewise
    // The outputs to compute, of those that are not on request; NULL: all of them.
    const arne_array *outputs;
    int               output_count;
    // Of ROLLOUT: how it steps (ARNE_METHOD_EULER or ARNE_METHOD_RK4 of arne/integrate.h), and
    // whether the torques follow a reference.
    int method;
    int stiffness, damping; // 1: tau + kp (q_ref (-) q), and + kd (qd_ref - qd)
    // Likewise, see arne_gpu_inputs: what it stands on, by which model, without which contact
    // shapes; whether gains and masses are inputs of each state; restarts, limits, and a policy
    // with so many hidden units.
    arne_ground_kind   ground;
    int                rigid;
    unsigned long long left_out;
    int                own_gains, mass, restart, limits, policy, hidden;
} arne_kernel_options;

// CUDA C++ with one kernel, `extern "C" __global__ void arne_kernel(...)`: a thread for each state,
// ARNE_KERNEL_BLOCK of them in a block. It needs no header.
//
// Its arguments are one struct for each of `arrays`, {pointer, state, entry}, with the strides of
// an arne_batch_layout: that of states a long long, that of entries an int; the inputs first. Then
// the number of states, unsigned of 64 bits. A rollout has behind them: the number of steps, int;
// the step, in its precision; for each input behind qd, a 64 bit stride from one step to the next
// (0: the same in all), for tau, q_ref and qd_ref; a struct with the factors kp, kd and the largest
// torques of a policy of all velocities, those that there are, in its precision. Then those that it
// has of: stiffness and damping of limits; heights, rows, columns, corner and spacing of a field;
// sweeps, int; the policy as an array and how many steps it holds, int.
typedef struct arne_kernel {
    char                 *text; // ends with a zero
    size_t                size; // without the zero
    int                   input_count, output_count;
    arne_array            arrays[ARNE_ARRAY_COUNT]; // inputs, then outputs
    arne_operation_counts counts;                   // of one evaluation
} arne_kernel;

enum { ARNE_KERNEL_BLOCK = 128 };

ARNE_BEGIN

// For a robot with loops, the kernel ignores the loops and computes the tree. ARNE_NOT_FOUND for an
// algorithm that has no generated form (and is not ROLLOUT) or an output that it does not have,
// ARNE_VALUE for a bad frame or method, ARNE_UNSUPPORTED for a prescribed base and for rollouts
// that a robot cannot have, ARNE_SINGULAR as arne_forward_dynamics, ARNE_NO_MEMORY.
ARNE_API ARNE_CHECKED arne_status arne_generate_kernel(const arne_robot          *robot,
                                                       arne_algorithm             algorithm,
                                                       const arne_kernel_options *options,
                                                       arne_kernel **out, arne_error *error);
ARNE_API void                     arne_kernel_free(arne_kernel *kernel);

// Names from the robot's file are converted to plain identifiers, and to plain words in comments,
// so that a file cannot inject code. The self-test contains values that the library computes here,
// at a few random states.
//
// For a robot with loops, the functions compute the closed mechanism: they take q, qd, qdd of all
// joints, which must satisfy the loops, and return torques of the active joints (zero at the
// others), accelerations of all joints and the mass matrix of the active joints. The passive
// coordinates always depend on the active ones. Therefore there must be as many active joints as
// degrees of freedom, otherwise ARNE_UNSUPPORTED, and at singular configurations results are not
// finite. inverse-dynamics-derivatives, torque-rate and joint-wrenches are ARNE_UNSUPPORTED. With
// `open`, all functions are those of the tree without its loops.
//
// ARNE_NOT_FOUND for a function that is unknown, ARNE_VALUE for one that is listed twice or has no
// meaning in base parameters (joint-wrenches, regressor), a missing or bad frame or a bad prefix,
// ARNE_UNSUPPORTED for a prescribed base, ARNE_SINGULAR as arne_forward_dynamics, ARNE_NO_MEMORY.
ARNE_API ARNE_CHECKED arne_status arne_generate(const arne_robot            *robot,
                                                const arne_generate_options *options,
                                                arne_generated **out, arne_error *error);
// The functions that can be generated: the algorithms of the catalogue that have
// ARNE_HAS_GENERATED, and "jacobian-rate". NULL after the last.
ARNE_API const arne_algorithm_info *arne_generated_function(int index);
ARNE_API void                       arne_generated_free(arne_generated *generated);

ARNE_END

#endif

// The functions that can be generated, and what goes in and comes out.
#ifndef ARNE_CODEGEN_FUNCTIONS_H
#define ARNE_CODEGEN_FUNCTIONS_H

#include "codegen/tape.h"
#include <arne/codegen.h>
#include <arne/loop.h>

// Identifier, name, inputs as letters (q: q, v: qd, a: qdd, j: qddd, t: tau), what it computes. A new one also needs its
// outputs in function_outputs, a RUN in record.c and a case in check_function.
#define ARNE_GENERATED_FUNCTIONS(FUNCTION)                                                         \
    FUNCTION(pose, "pose", "q", "Poses of frames in the world.")                                   \
    FUNCTION(jacobian, "jacobian", "q", "The Jacobian of a frame: its twist is J qd.")             \
    FUNCTION(                                                                                      \
        inverse_dynamics, "inverse-dynamics", "qva",                                               \
        "tau = M(q) qdd + c(q, qd) + g(q), with friction and rotors where the robot has them.")    \
    FUNCTION(gravity, "gravity", "q", "g(q): the torques at rest, without friction.")              \
    FUNCTION(bias, "bias", "qv", "c(q, qd) + g(q), with friction where the robot has it.")         \
    FUNCTION(mass_matrix, "mass-matrix", "q", "M(q), with rotors where the robot has them.")       \
    FUNCTION(forward_dynamics, "forward-dynamics", "qvt", "qdd = M(q)^-1 (tau - bias(q, qd)).")    \
    FUNCTION(inverse_dynamics_derivatives, "inverse-dynamics-derivatives", "qva",                  \
             "The derivatives of inverse dynamics with respect to q, qd and qdd.")                 \
    FUNCTION(torque_rate, "torque-rate", "qvaj",                                                   \
             "The torques of inverse dynamics and their time derivatives.")                        \
    FUNCTION(joint_wrenches, "joint-wrenches", "qva",                                              \
             "What each joint transmits in inverse dynamics, and what the base stands on.")        \
    FUNCTION(regressor, "regressor", "qva",                                                        \
             "Y(q, qd, qdd): the torques of inverse dynamics are Y times the parameters.")

typedef enum function_id {
#define FUNCTION(id, name, inputs, summary) FUNCTION_##id,
    ARNE_GENERATED_FUNCTIONS(FUNCTION)
#undef FUNCTION
        FUNCTION_COUNT
} function_id;

typedef struct function_info {
    const char *id, *name, *inputs, *summary;
} function_info;
const function_info *function_of(function_id f);

enum { MOST_INPUTS = 4, MOST_OUTPUTS = 3 };

// An array that goes in or comes out.
typedef struct array_info {
    const char *name, *meaning;
    int         count;
} array_info;

typedef struct request {
    const arne_robot            *robot;
    const arne_generate_options *options;
    const arne_robot            *form; // that is recorded: the robot itself, or its base form
    // Of a closed mechanism: its coordinates, those that depend on the others first; NULL: of a tree.
    const int *order;
    int        dependent; // how many of them
} request;

// Whether a robot in base parameters gives what the robot itself does.
int has_base_form(function_id f);

// Whether it is there for closed mechanisms.
int has_closed_form(function_id f);

// Returns how many there are.
int function_inputs(const request *ask, function_id f, array_info out[MOST_INPUTS]);
int function_outputs(const request *ask, function_id f, array_info out[MOST_OUTPUTS]);
// The number of values of all of them.
int total_count(const array_info *arrays, int count);

// Runs the algorithm's text over a tape, with every input a variable, in the order of function_inputs. *results has one
// entry for every value of function_outputs; tape and results are the caller's, also where it fails.
arne_status record_function(const request *ask, function_id f, tape **out, tape_ref **results);
// The same by the library, in plain doubles.
arne_status check_function(const request *ask, function_id f, arne_work *work, const double *inputs,
                           double *outputs, arne_error *error);
// Likewise of a closed mechanism.
arne_status check_closed_function(const request *ask, function_id f, arne_work *work,
                                  arne_loop_work *loop, const double *inputs, double *outputs,
                                  arne_error *error);

#endif

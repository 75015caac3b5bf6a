// The functions that can be generated, as the catalogue has them: what goes in and comes out.
#ifndef ARNE_CODEGEN_FUNCTIONS_H
#define ARNE_CODEGEN_FUNCTIONS_H

#include "codegen/tape.h"
#include <arne/catalogue.h>
#include <arne/codegen.h>
#include <arne/loop.h>

enum { MOST_INPUTS = ARNE_INPUT_COUNT, MOST_OUTPUTS = 8, FUNCTION_WORD = 64 };

// Functions are algorithms of the catalogue, and one that is a part of another.
#define FUNCTION_JACOBIAN_RATE ((arne_algorithm)ARNE_ALGORITHM_COUNT)
enum { FUNCTION_COUNT = (int)ARNE_ALGORITHM_COUNT + 1 };
const arne_algorithm_info *function_info(arne_algorithm f);
// The algorithm that makes it.
arne_algorithm function_algorithm(arne_algorithm f);
// Whether its outputs are M^-1 times something: how exact they can be depends on the mass matrix.
int gives_accelerations(arne_algorithm f);

// "inverse_dynamics", as part of an identifier.
const char *function_word(arne_algorithm f, char word[FUNCTION_WORD]);

// An array that goes in or comes out.
typedef struct array_info {
    arne_array  array;
    const char *name, *unit, *meaning;
    int         count;
} array_info;

typedef struct request {
    const arne_robot            *robot;
    const arne_generate_options *options;
    const arne_robot            *form;   // that is recorded: the robot itself, or its base form
    const arne_robot            *screws; // the same by screws, see screw_form.h; NULL: none
    // Of a closed mechanism: its coordinates, those that depend on the others first; NULL: of a
    // tree.
    const int *order;
    int        dependent; // how many of them
} request;

// Returns how many there are.
int function_inputs(const request *ask, arne_algorithm f, array_info out[MOST_INPUTS]);
int function_outputs(const request *ask, arne_algorithm f, array_info out[MOST_OUTPUTS]);
// The number of values of all of them.
int total_count(const array_info *arrays, int count);

// What is asked for of frames: from which on, and how many.
int first_frame(const request *ask);
int frame_count(const request *ask, arne_algorithm f);

// Runs the algorithm's text over a tape, with every input a variable, in the order of
// function_inputs: where there are several ways, by the one of fewest operations. *results has one
// entry for every value of function_outputs; tape and results are the caller's, also where it
// fails.
arne_status record_function(const request *ask, arne_algorithm f, tape **out, tape_ref **results);
// What these values cost; fails the tape where there is no memory.
int recording_cost(tape *t, const tape_ref *results, int count);
// The same by the library, in plain doubles.
arne_status check_function(const request *ask, arne_algorithm f, const double *inputs,
                           double *outputs, arne_error *error);
// Likewise of a closed mechanism.
arne_status check_closed_function(const request *ask, arne_algorithm f, arne_work *work,
                                  arne_loop_work *loop, const double *inputs, double *outputs,
                                  arne_error *error);

// ARNE_UNSUPPORTED where a joint follows by a function that code cannot have.
arne_status generate_check_functions(const arne_robot *robot, arne_error *error);

// The workspace of a recording, a struct work of recorded numbers, to be freed; NULL: no memory.
void *record_work(const arne_robot *r);

#endif

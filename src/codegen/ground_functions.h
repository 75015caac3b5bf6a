// The functions of a rollout on ground, or with masses of each world: recorded for kernels only.
//
// A contact point is a point of a contact shape that is not left out; a row is a direction in which
// a point or a joint moves: along the normal and two across for each point, then the coordinates
// that have a limit or dry friction.
#ifndef ARNE_CODEGEN_GROUND_FUNCTIONS_H
#define ARNE_CODEGEN_GROUND_FUNCTIONS_H

#include "codegen/emit.h"

typedef enum ground_function {
    GROUND_PLACES, // q -> where the points are, without the radius around them
    GROUND_MOTION, // compliant ground, or none: q, qd, tau, ground, planes -> qdd
    GROUND_ROWS,   // velocities and accelerations of the rows without impulses, and J M^-1 J^T
    GROUND_PUSH    // q, qd, tau, a force on each point -> qdd
} ground_function;

enum { GROUND_COORDINATES = 128 };

// A coordinate with a row.
typedef struct ground_coordinate {
    int    q, v;
    double lower, upper, positive, negative; // limits, and friction either way
} ground_coordinate;

typedef struct ground_request {
    const arne_robot  *robot;
    unsigned long long left_out;
    int                on_ground, own_planes, has_mass;
    ground_coordinate  coordinates[GROUND_COORDINATES];
    int                point_count, coordinate_count, row_count;
} ground_request;

// Counts points and rows.
void ground_start(ground_request *g);
int  ground_takes(const ground_request *g, int shape);
// ARNE_UNSUPPORTED, with what of a rollout the robot cannot have.
ARNE_CHECKED arne_status ground_check(const ground_request *g, const arne_kernel_options *o,
                                      arne_error *error);

const char *ground_word(ground_function f);
int         ground_inputs(const ground_request *g, ground_function f, array_info out[MOST_INPUTS]);
int ground_outputs(const ground_request *g, ground_function f, array_info out[MOST_OUTPUTS]);

// As record_function.
arne_status record_ground(const ground_request *g, ground_function f, tape **out,
                          tape_ref **results);

#endif

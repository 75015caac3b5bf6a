// What is asked of arne compute: its options, and what a run makes of them.
#ifndef ARNE_CLI_COMPUTE_ASK_H
#define ARNE_CLI_COMPUTE_ASK_H

#include "compute_many.h"
#include "given_state.h"
#include "load.h"
#include "order.h"
#include "quantities.h"
#include "targets.h"

typedef struct compute_args {
    robot_args  robot;
    state_args  state;
    target_args target;
    text_list   wrench, wrench_rate, payload, contact, activation;
    number_list friction;
    int         unilateral;
    int         wrench_fixed_in, method, axes, spatial, rate, open, json;
    const char *order, *given, *output;
} compute_args;

// Everything that a run makes and gives back.
typedef struct compute_run {
    const compute_args *args;
    quantity            quantity;
    arne_robot         *robot;
    ordering            order;
    state_list          states;
    arne_wrench        *f_ext;
    arne_load          *loads;
    int                *frames;
    unsigned char      *given;
    double             *activation;
    arne_target        *targets;
    base_motion         base;
    request             ask;
} compute_run;

// Reads the robot and all that the options say. A status of the program; compute_free in any case.
int  compute_prepare(compute_run *r, const char *path);
void compute_free(compute_run *r);
// The loads of this state, where columns of the file have them.
void compute_set_loads(compute_run *r, const state *at);

#endif

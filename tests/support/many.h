// A request to arne_batch with everything in it: random states, loads, and room for all outputs.
#ifndef TEST_MANY_H
#define TEST_MANY_H

#include "testing.h"

typedef struct problem {
    const arne_robot  *robot;
    arne_sizes         size;
    arne_load         *load;
    unsigned char     *given;
    size_t             count, stride;
    state             *states;
    arne_batch_inputs  in;
    double            *memory_in;
    arne_batch_outputs out;                      // room for all; what is asked is chosen from these
    double            *out_at[ARNE_ARRAY_COUNT]; // the same by their place in the catalogue
    double            *memory_out;
    size_t             out_size;
} problem;

// The arrays' rows lie `stride` apart. qddd and along_q are the states' tau, multiplier is their
// qdd, along_qd and along_qdd their qd. The load is on the last frame, which is the frame asked
// for; the joint is the last one. Every other acceleration is given.
problem new_problem(const arne_robot *robot, size_t count, size_t stride);
void    free_problem(problem *p);
// Writes state s to the arrays, after a change.
void put_state(problem *p, size_t s);
// The outputs that an algorithm makes, of all there are; none of one that has no batch form.
arne_batch_outputs outputs_of(const problem *p, arne_algorithm a);

arne_batch *new_batch(const arne_robot *robot, int width, int threads);
void       *zeroed(size_t count, size_t size);

#endif

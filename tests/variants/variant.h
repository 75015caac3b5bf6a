// The algorithm texts in every arithmetic, behind one face: states in, doubles out.
//
// variant.c is compiled once for each of these.
#ifndef TEST_VARIANT_H
#define TEST_VARIANT_H

#include "codegen/tape.h"
#include "random.h"
#include "requests.h"

enum { VARIANT_LANES = 4 };

typedef struct variant {
    const char *name;
    int         lanes; // states at once
    // Runs on `lanes` states of one robot; the outputs of each state follow those of the last.
    void (*run)(const arne_robot *robot, const request *ask, const state *states, double *out);
} variant;

extern const variant variant_double; // one number at a time, on every machine
extern const variant
    variant_wide; // three-vectors in a register; only where ARNE_HAVE_WIDE is defined
extern const variant variant_complex; // the real parts
extern const variant variant_lanes;
extern const variant variant_record; // the values

// What a step is taken in. Along q a step is one of a velocity coordinate, on the right: ball, free
// and planar joints move in body axes. Coordinate 6 i + k of f_ext is component k of the wrench on
// body i, linear part first.
typedef enum variant_input {
    INPUT_Q,
    INPUT_QD,
    INPUT_QDD,
    INPUT_TAU,
    INPUT_F_EXT,
    INPUT_COUNT
} variant_input;
int variant_input_count(const arne_robot *robot, variant_input input);

// The derivative of all outputs with respect to one coordinate of an input, by a step i h in it: no
// differences are taken, so it is as exact as the outputs themselves.
void variant_complex_step(const arne_robot *robot, const request *ask, const state *s,
                          variant_input input, int coordinate, double *out);

// The operations of straight-line code for this robot and algorithm, with q, qd, qdd, tau, the
// wrenches and the motion of a prescribed base as its variables.
operation_counts variant_count(const arne_robot *robot, const request *ask, const state *s);

#endif

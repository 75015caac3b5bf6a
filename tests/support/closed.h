// Robots with loops for the tests: the files of robots/ that have some, and random closed chains.
#ifndef TEST_CLOSED_H
#define TEST_CLOSED_H

#include "json.h"
#include "random.h"

#include <arne/arne.h>

typedef struct closed {
    arne_robot     *robot;
    arne_work      *work;
    arne_loop_work *loop;
    arne_sizes      size;
    uint64_t        seed;
    double          home[MAX_Q]; // a closed configuration
} closed;

// The work of a robot that is given away.
closed closed_make(arne_robot *robot);
closed closed_file(const char *name);
void   closed_free(closed *c);

// One to three branches of revolute, prismatic and helical joints from a trunk, tied by one or two
// loops of every kind in turn, with as many active joints as mobility. Every fourth is on a free
// base, every fourth on a prescribed one, every fifth has an elastic motor, every sixth a spring on
// a joint, every seventh a mimic joint and another seventh one that follows by a function, within a
// loop.
closed closed_random(uint64_t seed);

// A state with closed loops near the home of the robot and with velocities, accelerations that the
// loops allow. 0 where none was found away from singularities: the condition is below 1e3.
int closed_state(closed *c, uint64_t seed, state *out);

// A link of a reference's model: c, I about it, m. NULL: without mass.
void add_json_link(arne_builder *builder, const char *name, const json *link);

#endif

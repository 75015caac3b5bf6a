// Random numbers, states and trees, the same on every machine for the same seed.
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <arne/arne.h>
#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

rng       rng_seed(uint64_t seed);
double    rng_uniform(rng *r, double low, double high);
int       rng_below(rng *r, int count);
int       rng_chance(rng *r, double probability);
arne_vec3 rng_vec3(rng *r, double size); // every component within size
arne_vec3 rng_axis(rng *r);              // uniform over the sphere
arne_pose rng_pose(rng *r, double size); // any rotation
void      rng_fill(rng *r, double *out, int count, double size);

// Capacities that every robot of the tests fits in; robots.c checks it.
enum { MAX_Q = 192, MAX_V = 160, MAX_BODIES = 160, MAX_FRAMES = 256 };

// How a robot stands and moves, and what acts on it.
typedef struct state {
    const arne_robot *robot;
    arne_sizes        size;
    uint64_t          seed;
    double            q[MAX_Q], qd[MAX_V], qdd[MAX_V], tau[MAX_V];
    arne_wrench       wrench[MAX_FRAMES]; // on every link, at its origin, in its axes
    arne_wrench       f_ext[MAX_BODIES];  // all of them, as the library takes them
    arne_pose         base_pose;          // at rest at the origin but for a prescribed base
    arne_motion       base_velocity, base_acceleration;
} state;

// Everything random. A base that is prescribed moves at random too: state_set_base tells the
// workspace.
state random_state(const arne_robot *robot, uint64_t seed);
void  state_set_base(const state *s, arne_work *work);
// For laws that are about a base that does not move: it stays where it is, at rest.
void state_stop_base(state *s, arne_work *work);

// A body with a positive definite inertia that obeys the triangle inequality, written in one of the
// ways a spec can say it.
void random_inertia(rng *r, arne_body_spec *spec);

// A tree of up to twelve joints of every kind in a new builder: branches, massless links, tips,
// mimic joints, friction, rotors, limits, any order of adding. Its links are l0, l1, ..., its
// joints j1, j2, ...
arne_builder *random_tree(uint64_t seed);
// Motors of every kind on joints that can have one, and springs on some; for a tree of random_tree.
void add_random_motors(arne_builder *builder, uint64_t seed);
void add_lossless_motors(arne_builder *builder, uint64_t seed); // springs without dampers
// Joints of such a tree that follow one joint follow others too; rigid motors turn with others.
void add_random_couplings(arne_builder *builder, uint64_t seed);
// Joints of such a tree that nothing follows, drives or holds follow others by functions.
void add_random_functions(arne_builder *builder, uint64_t seed);
// Makes exponential joints of some that have several coordinates.
void add_random_strains(arne_builder *builder, uint64_t seed);
// The base that the tree of this seed is built with by default: fixed, prescribed and free in turn.
arne_base random_tree_base(uint64_t seed);

#endif

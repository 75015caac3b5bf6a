// Rods by strain modes for tests: clamped to the world, and what others computed of such.
#ifndef TEST_RODS_H
#define TEST_RODS_H

#include "json.h"
#include <arne/arne.h>

typedef struct held_rod {
    arne_robot *robot;
    arne_work  *work;
    int         n, tip;
} held_rod;

// A link of the kind, without modes, stiffness and mass yet; one of length 1, all stiffness 1.
arne_body_spec rod_named(const char *name, double length, int points);
arne_body_spec rod_unit(int points);
// A builder with a link `world`; a fixed joint; the robot with frame rod_tip; frees the builder.
arne_builder *rod_builder(void);
void          rod_clamp(arne_builder *b, const char *parent, const char *child, double x);
held_rod      rod_finish(arne_builder *b);
held_rod      rod_clamped(const arne_body_spec *rod, double down);
void          rod_release(held_rod *r);
// Where its tip is at q; how far that is from b.
arne_vec3 rod_tip(const held_rod *r, const double *q);
double    rod_distance(arne_vec3 a, const double *b);
// A file of $ARNE_REFERENCE/rods; skips the test where it is not there. Numbers of its parameters.
json     *rod_reference(const char *name);
double    rod_number(const json *p, const char *key, double otherwise);
arne_vec3 rod_vector(const json *p, const char *key);

#endif

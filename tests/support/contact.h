// Robots that touch, from texts, and runs of them on a plane.
#ifndef CONTACT_H
#define CONTACT_H

#include "testing.h"

typedef struct on_ground {
    const char        *yaml; // of the robot
    arne_vec3          gravity;
    double             friction, restitution, step, duration, every;
    arne_contact_model model;
    const double      *q, *qd;
    arne_controller   *controller;
    arne_method        method; // compliant
} on_ground;

arne_robot *contact_robot(const char *yaml, arne_vec3 gravity);
// A run on the plane z = 0. q, qd, energies and contact forces are recorded.
arne_table *contact_run(const arne_robot *robot, const on_ground *on,
                        arne_simulation_summary *summary);
double      contact_value(const arne_table *table, int row, const char *name);

extern const char *const CONTACT_BLOCK, *const CONTACT_BALL;

#endif

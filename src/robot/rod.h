// Rods by strain modes as chains of exponential joints; see rod.c.
#ifndef ARNE_ROBOT_ROD_H
#define ARNE_ROBOT_ROD_H

#include "robot/build.h"

enum { ROD_MODES = 16, ROD_POINTS = 200, ROD_PLACES = 2 * ROD_POINTS, ROD_NAME = 160 };

// Where a rod is cut: at the points that carry its mass, where something stands on it, at its tip.
typedef struct rod {
    const build          *s;
    const arne_body_spec *body;
    int                   tells; // what is wrong with places
    int                   count;
    double                at[ROD_PLACES];     // m from the root
    double                weight[ROD_PLACES]; // of the mass there, m; 0: none
    double                stiffness[ARNE_STRAIN_COUNT], damping[ARNE_STRAIN_COUNT];
    double                line[4]; // mass and rotary inertia per length at the root
    // Modes as sums of Legendre's polynomials, and their stiffness.
    double shape[ARNE_STRAIN_COUNT][ROD_MODES][ROD_MODES];
    double mode_stiffness[ARNE_STRAIN_COUNT][ROD_MODES];
} rod;

// The rules of a spec.
arne_status rod_check(const build *s, const arne_body_spec *link);
// Places and modes. Fails where too many things stand on it, or one beyond its ends, and tells so.
arne_status rod_make(const build *s, const arne_body_spec *link, int tells, rod *out);
// Adds its links, and its joints with their springs, to a builder.
arne_status rod_add_bodies(const rod *r, arne_builder *into);
arne_status rod_add_joints(const rod *r, arne_builder *into);
// From a point in the link's frame to the frame of the piece there, whose name is written.
void rod_put(const rod *r, arne_vec3 *p, char name[ROD_NAME]);

#endif

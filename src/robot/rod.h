// Rods by strain modes as chains of exponential joints; see rod.c.
#ifndef ARNE_ROBOT_ROD_H
#define ARNE_ROBOT_ROD_H

#include "robot/build.h"

enum {
    ROD_MODES = 16,     // of a strain in a piece
    ROD_ALL_MODES = 64, // of a strain
    ROD_POINTS = 200,
    ROD_PLACES = 3 * ROD_POINTS,
    ROD_NAME = 160
};

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
    double shape[ARNE_STRAIN_COUNT][ROD_ALL_MODES][ROD_MODES];
    double mode_stiffness[ARNE_STRAIN_COUNT][ROD_ALL_MODES];
} rod;

// Point i of n of Gauss's rule over [0, 1].
void rod_gauss_point(int n, int i, double *x, double *weight);
// The section's stiffness at s/L = x over that at the root: second moments go with the fourth power
// of its size, areas with the second.
double rod_taper(const arne_flexible_spec *f, int strain, double x);
// That size, over the one that is given.
double rod_size(const arne_flexible_spec *f, double x);
// How many pieces it has, and modes of a strain in all.
int rod_pieces(const arne_flexible_spec *f);
int rod_mode_count(const arne_flexible_spec *f, int strain);
// Makes the modes of all strains; one of them at s/L = x, which is not the end of a piece.
void   rod_shape_modes(rod *r);
double rod_mode_at(const rod *r, int strain, int mode, double x);
// Twist and bends at rest.
void rod_rest(const arne_flexible_spec *f, double s, double out[3]);

// The rules of a spec.
arne_status rod_check(const build *s, const arne_body_spec *link);
// Places and modes. Fails where too many things stand on it, or one beyond its ends, and tells so.
arne_status rod_make(const build *s, const arne_body_spec *link, int tells, rod *out);
// Adds its links, and its joints with their springs, to a builder.
arne_status rod_add_bodies(const rod *r, arne_builder *into);
arne_status rod_add_joints(const rod *r, arne_builder *into);
// From a point in the link's frame to the frame of the piece there, whose name is written.
void rod_put(const rod *r, arne_vec3 *p, char name[ROD_NAME]);
// Likewise at x along the rod, also where the point is the root's origin.
void rod_put_at(const rod *r, double x, arne_vec3 *p, char name[ROD_NAME]);

#endif

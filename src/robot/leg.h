// Legs of parallel robots: their inverse kinematics in closed form.
#ifndef ARNE_ROBOT_LEG_H
#define ARNE_ROBOT_LEG_H

#include <arne/robot.h>

enum { LEG_COORDINATES = 3 };

// How many coordinates a leg of this kind has; 0: no closed form.
int leg_coordinates(arne_leg_kind kind);

// The coordinates of a leg that ends at a point, given in the leg's frame.
//
// bend  where there are two ways: 1 is that of the larger active coordinate, -1 the other, 0 the
//       one nearest the seed
// q     in: a seed, also for the turns of angles; out: the coordinates
// Returns 0, and leaves q alone, where the point cannot be reached.
int leg_solve(const arne_leg *leg, arne_vec3 point, int bend, double *q);

#endif

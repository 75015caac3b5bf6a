// Paths that run inside of rods: see tendon.c.
#ifndef ARNE_ROBOT_TENDON_H
#define ARNE_ROBOT_TENDON_H

#include "robot/build.h"
#include "robot/robot.h"
#include "robot/rod.h"

// The place in the section at part x of the way from one point to the next, which is h long, and
// how it changes per length.
void tendon_at(const arne_path_point *from, const arne_path_point *to, double h, double x,
               arne_vec3 *place, arne_vec3 *slope);
// The rules of a point that a path comes to along a rod.
arne_status tendon_check(const arne_builder *b, const arne_muscle_spec *m, int point,
                         const judge *j);
// What kernels read of it.
void tendon_place(const build *s, const arne_muscle_spec *m, int point, point_record *out);
// Adds a muscle to s->segments, with a point at every cut where it runs along rods by strain modes.
arne_status tendon_spread(const build *s, const arne_muscle_spec *m);
// The rules of such points, while the links that they are on are still whole.
arne_status tendon_check_rod(const build *s, const arne_muscle_spec *m, int point);

#endif

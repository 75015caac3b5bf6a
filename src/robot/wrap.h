// How a straight piece of a path wraps a surface.
#ifndef ARNE_ROBOT_WRAP_H
#define ARNE_ROBOT_WRAP_H

#include <arne/muscle.h>

static const double PI = 3.14159265358979323846;

// Where a path meets a surface and leaves it, in the surface's frame, and how far it lies on it.
typedef struct wrap_arc {
    arne_vec3 from, to;
    double    length;
} wrap_arc;

// A possible wrap is that of a piece which passes on the wrong side of a surface: another piece of
// the path may take it.
typedef enum wrap_outcome { WRAP_NONE, WRAP_POSSIBLE, WRAP_CERTAIN } wrap_outcome;

// The piece from a to b, in the surface's frame. Nothing wraps a surface that a or b is inside of.
wrap_outcome wrap_line(const arne_wrap_spec *spec, arne_vec3 a, arne_vec3 b, wrap_arc *arc);

// The same of an ellipsoid, whose half axes are `spec->size`.
wrap_outcome wrap_ellipsoid(const arne_wrap_spec *spec, arne_vec3 a, arne_vec3 b, wrap_arc *arc);

// The same of a torus: the radii of its tube and of its ring.
wrap_outcome wrap_torus(const arne_wrap_spec *spec, arne_vec3 a, arne_vec3 b, wrap_arc *arc);

// The half axis that a side names; zero for ARNE_WRAP_ALL.
static inline arne_vec3 wrap_axis(arne_wrap_side side)
{
    arne_vec3 s = {0, 0, 0};
    if (side == ARNE_WRAP_SITE)
        s.x = 1;
    else if (side != ARNE_WRAP_ALL)
        (&s.x)[(side - 1) / 2] = side % 2 ? 1 : -1;
    return s;
}

#endif

// How the robot moves: points of its skeleton at chosen times, and from where to look at it.
#ifndef ARNE_REPORT_MOTION_H
#define ARNE_REPORT_MOTION_H

#include "report/run_page.h"
#include "report/skeleton.h"

// Directions of the picture in the world: right and up. Turned by `turn` about z, then raised.
typedef struct view {
    double turn, raise;
} view;

// Places are in the axes of the picture: z is up, against gravity, and the others are axes of the
// world.
typedef struct upright {
    int    axis; // of the world, that is up: 0, 1, 2
    double sign; // -1: down is
} upright;

typedef struct figure {
    skeleton   skeleton;
    upright    up;
    int        frame_count;
    double    *times;
    int       *rows;       // of the result, for each frame
    arne_vec3 *places;     // point_count of them for each frame
    int        body_count; // that are drawn
    float     *poses;      // of each body in the world, for each frame: x, y, z, and the quaternion
    float     *coms;       // of the whole, for each frame
    int        follow;     // the point that the picture moves with, or -1
    arne_vec3  low, high;  // of all points, relative to that point
    view       view;
    double     ground; // its height; NAN: there is none
} figure;

// No frames where the run has no positions (or the robot is too large to be drawn). figure_free is
// needed also after a failure.
ARNE_CHECKED arne_status figure_make(run *r, figure *out);
// The same by other columns of positions, such as "q_ref", and without a skeleton's places: a ghost
// beside the figure. No frames where no joint has such a column.
ARNE_CHECKED arne_status figure_make_ghost(run *r, const char *prefix, figure *out);
// One frame: a robot in one posture.
ARNE_CHECKED arne_status figure_make_still(const arne_robot *robot, arne_work *work,
                                           const double *q, figure *out);
// A frame for each of `count` postures, q_count numbers each.
ARNE_CHECKED arne_status figure_make_postures(const arne_robot *robot, arne_work *work, int count,
                                              const double *q, figure *out);
void                     figure_free(figure *f);

static inline const arne_vec3 *figure_frame(const figure *f, int frame)
{
    return f->places + (size_t)frame * (size_t)f->skeleton.point_count;
}

// A direction of the world in the axes of the picture.
arne_vec3 upright_vector(upright u, arne_vec3 v);
// Where a place is in the picture, in metres: x to the right, y up.
void view_project(view v, arne_vec3 p, double *x, double *y);

#endif

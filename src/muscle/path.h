// Paths of all muscles of a robot.
#ifndef ARNE_MUSCLE_PATH_H
#define ARNE_MUSCLE_PATH_H

#include <arne/muscle.h>

// What arne_muscle_lengths and arne_muscle_moment_arms say, found together. NULL: not wanted.
void muscle_paths(const arne_robot *robot, arne_work *work, const double *q, const double *qd,
                  double *lengths, double *velocities, double *arms);

// Where a path bends.
typedef struct muscle_node {
    int       body;
    arne_vec3 at;   // in the body
    int       wrap; // the surface on which the path goes on to the next node; -1: it is straight
} muscle_node;

// The nodes of one path at q; there is room for robot->path_room of them. Returns how many.
int muscle_nodes(const arne_robot *robot, arne_work *work, const double *q, int muscle,
                 muscle_node *nodes);

#endif

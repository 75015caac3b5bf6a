// Paths of all muscles of a robot.
#ifndef ARNE_MUSCLE_PATH_H
#define ARNE_MUSCLE_PATH_H

#include <arne/muscle.h>

// What arne_muscle_lengths and arne_muscle_moment_arms say, found together. NULL: not wanted.
void muscle_paths(const arne_robot *robot, arne_work *work, const double *q, const double *qd,
                  double *lengths, double *velocities, double *arms);

// d2L_i/dq_k dq_l of the paths of straight pieces between fixed points, for which done[i] is 1; out
// has muscles x v_count x v_count. Returns how many are not done; -1: the workspace is another's.
int muscle_bends(const arne_robot *robot, arne_work *work, const double *q, double *out,
                 unsigned char *done);

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

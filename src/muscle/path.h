// Paths of all muscles of a robot.
#ifndef ARNE_MUSCLE_PATH_H
#define ARNE_MUSCLE_PATH_H

#include <arne/muscle.h>

// What arne_muscle_lengths and arne_muscle_moment_arms say, found together. NULL: not wanted.
void muscle_paths(const arne_robot *robot, arne_work *work, const double *q, const double *qd,
                  double *lengths, double *velocities, double *arms);

#endif

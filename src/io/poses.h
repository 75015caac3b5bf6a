// Configurations that a robot file names, as MuJoCo's qpos.
#ifndef ARNE_IO_POSES_H
#define ARNE_IO_POSES_H

#include "io/reader.h"

typedef struct robot_pose {
    char   *name;
    double *qpos;
    int     count;
} robot_pose;

typedef struct robot_poses {
    robot_pose *item;
    int         count;
} robot_poses;

// Room for the numbers of one more; NULL: no memory.
double *robot_poses_add(robot_poses *list, const char *name, int count);
void    robot_poses_free(robot_poses *list);

#endif

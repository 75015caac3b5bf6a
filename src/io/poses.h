// Configurations that a robot file names, as MuJoCo's qpos, the gains of its servos, and the step
// of its simulations.
#ifndef ARNE_IO_POSES_H
#define ARNE_IO_POSES_H

#include "io/reader.h"

typedef struct robot_pose {
    char   *name;
    double *qpos;
    int     count;
} robot_pose;

// An actuator that holds a joint at a position or speed; gains are on the joint's side of the gear.
typedef struct robot_servo {
    char  *joint;
    double kp, kd;
    double ratio; // of damping, in place of kd: 2 ratio sqrt(kp times the joint's inertia); 0: none
} robot_servo;

typedef struct robot_poses {
    robot_pose  *item;
    robot_servo *servos;
    int          count, servo_count;
    double       step; // s, of simulations; 0: not said
} robot_poses;

// Adds a configuration of so many numbers, to be filled by the caller; NULL: no memory.
double *robot_poses_add(robot_poses *list, const char *name, int count);
int     robot_poses_add_servo(robot_poses *list, robot_servo servo); // 0: no memory
void    robot_poses_free(robot_poses *list);
// Reads those of a robot file; robot_poses_free is needed also after a failure.
ARNE_CHECKED arne_status robot_poses_read(const char *path, robot_poses *list, arne_error *error);
// The step of simulations that a robot file says; 0: none, or it cannot be read.
ARNE_CHECKED arne_status robot_file_step(const char *path, double *step);

#endif

// What the tasks of arne motion share.
#ifndef CLI_MOTION_H
#define CLI_MOTION_H

#include "load.h"

#include <arne/capture.h>
#include <arne/table.h>

typedef struct motion_args {
    robot_args  robot;
    const char *output, *errors, *tasks, *loads, *forces, *setup, *reactions, *torso, *adjusted;
    text_list   weight, load, reserve;
    number_list cutoff, power, residual, change;
    int         passive, compliant, opensim;
} motion_args;

// To a file, as its ending says, or to standard output.
int motion_write(const arne_table *table, const char *path);
// The recording and the loads that the options name.
int motion_read(const motion_args *args, const arne_robot *robot, const char *file,
                arne_recording *r, arne_loads **loads);
int motion_muscles(const motion_args *args, const arne_robot *robot, const char *file);

#endif

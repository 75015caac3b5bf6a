// The scenario of a recorded motion: the robot goes through it exactly, and the torques are what it
// takes.
#ifndef CLI_VIEW_MOTION_H
#define CLI_VIEW_MOTION_H

#include "load.h"

// Writes motion.csv and motion.yaml into a folder, from the rows of a CSV file. *scenario, to be
// freed, is the path of the latter. Returns an exit status.
int view_write_motion(const char *robot_path, const robot_args *robot, const char *states,
                      const char *folder, char **scenario);

#endif

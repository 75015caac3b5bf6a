// The scenario of a recorded motion: the robot goes through it exactly, and the torques are what it
// takes.
#ifndef CLI_VIEW_MOTION_H
#define CLI_VIEW_MOTION_H

#include "load.h"

typedef struct view_recording {
    const char      *states; // a CSV file
    double           cutoff; // Hz, of the filter that finds rates; 0: chosen, and told
    int              quiet;
    const text_list *columns; // --column
} view_recording;

// Writes motion.csv and motion.yaml into a folder, from the rows of a CSV file: what was recorded,
// and velocities and accelerations as `compute --differentiate` finds them. *scenario, to be freed,
// is the path of the latter, *start the time of the first row. Returns an exit status.
int view_write_motion(const char *robot_path, const robot_args *robot, const view_recording *from,
                      const char *folder, char **scenario, double *start);

#endif

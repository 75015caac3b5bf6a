// The targets of inverse kinematics: each --frame with the --position, --quaternion and --rpy after
// it.
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include "options.h"

#include <arne/kinematics.h>

typedef struct target_args {
    text_list frame, position, quaternion, rpy;
} target_args;

// Returns an exit status; mistakes are printed on stderr. *out is to be freed.
int targets_make(const arne_robot *robot, const target_args *args, arne_target **out, int *count);

// The rotation of a quaternion x, y, z, w that must have unit length; `what` begins the message.
int rotation_of(const char *what, const double *quaternion, arne_mat3 *out);

#endif

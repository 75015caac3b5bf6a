// The point-to-point motion of the Stanford arm in C. Guarino Lo Bianco, "Evaluation of generalized
// force derivatives by means of a recursive Newton-Euler approach", IEEE Transactions on Robotics
// 25(4), 2009, and the paper's check of torque rates along it.
#ifndef STANFORD_MOTION_H
#define STANFORD_MOTION_H

#include <arne/arne.h>
#include <stdio.h>

enum { STANFORD_JOINTS = 6, STANFORD_SECONDS = 2 };

typedef struct stanford_motion {
    double q[STANFORD_JOINTS], qd[STANFORD_JOINTS], qdd[STANFORD_JOINTS], qddd[STANFORD_JOINTS];
} stanford_motion;

// Where the motion is at a time from 0 to STANFORD_SECONDS, and how it moves on.
stanford_motion stanford_motion_at(double time);

// Whether a robot has the joints that the motion is for.
int stanford_fits(const arne_robot *robot);

// Compares the exact rate of joint 1 with backward differences of its torque at three sampling
// times and writes a table of the largest differences. Returns 1 where they are as they should be,
// else 0.
int stanford_check_rates(const arne_robot *robot, arne_work *work, FILE *out);

#endif

// Friction of joints and motors, entry by entry, and what of it sticks.
#ifndef ARNE_WORLD_JOINT_FRICTION_H
#define ARNE_WORLD_JOINT_FRICTION_H

#include <arne/robot.h>

// The entry of qd that a joint or motor moves with and its ratio to that; coupled ones have terms
// besides.
typedef struct friction_entry {
    int    v, joint, motor; // of joint and motor one is -1
    double ratio, viscous, positive, negative;
} friction_entry;

// Coulomb friction of one coordinate that has friction, and what it does now.
typedef struct dry_joint {
    int    v;                  // the entry of qd
    double positive, negative; // torques, both positive numbers
    int    mode;               // 1, -1: slides that way; 0: sticks
    double needed;             // sticking: the friction it takes
} dry_joint;

// Goes through the coordinates of joints, then motors: starts at zeros, returns 0 at the end. The
// friction is that of the dynamics: zero where the robot is built without.
typedef struct friction_cursor {
    int joint, coordinate, motor;
} friction_cursor;
int joint_friction_next(const arne_robot *robot, friction_cursor *at, friction_entry *out);
// A joint that has friction or a damper and follows by a function, -1: none. Entries and what
// sticks are not for such a robot, whose ratios vary.
int friction_by_function(const arne_robot *robot);
// Which coordinates have Coulomb friction (at most so many, where out is NULL), from joints, motors
// and what follows them.
int dry_collect(const arne_robot *robot, dry_joint *out);

#endif

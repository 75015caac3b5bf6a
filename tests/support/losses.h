// Friction and springs, worked out from what arne_robot_joint, _motor and _spring say and nothing
// else.
#ifndef TEST_LOSSES_H
#define TEST_LOSSES_H

#include <arne/arne.h>

// The speed of a rotor on the joint's side of its gear; theta's own where it is elastic.
double motor_speed(const arne_robot *robot, int motor, const double *qd);
// The speed of a joint of one coordinate, its own or that of the joints it follows.
double joint_speed(const arne_robot *robot, int joint, const double *qd);
// viscous u + coulomb sign(u) of every joint and motor, as torques of the robot's coordinates.
void friction_torque(const arne_robot *robot, const double *qd, double *tau);
// What springs and dampers hold; q or qd NULL: without springs, without dampers.
void   spring_torque(const arne_robot *robot, const double *q, const double *qd, double *tau);
double spring_energy(const arne_robot *robot, const double *q);

#endif

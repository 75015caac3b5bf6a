// What those outside of the kernels may know of a workspace.
#ifndef ARNE_ROBOT_WORK_PARTS_H
#define ARNE_ROBOT_WORK_PARTS_H

#include <arne/work.h>

// As arne_work_size and arne_work_place, of a robot that has kernels here.
size_t     work_size(const arne_robot *robot);
arne_work *work_place(const arne_robot *robot, void *memory);

// As many zeros as there are velocities.
const double *work_zero(const arne_robot *robot, const arne_work *work);

// Where a body is in the world, after the kinematics.
arne_pose work_body_pose(const arne_robot *robot, const arne_work *work, int body);

#endif

// The robot with other frames on its bodies, in which its joints are axial screws.
#ifndef ARNE_CODEGEN_SCREW_FORM_H
#define ARNE_CODEGEN_SCREW_FORM_H

#include <arne/robot.h>

// A copy with the same torques, accelerations and matrices of joints, but not with the same poses
// and wrenches of links; to be freed as a robot. *out is NULL where there is none: no joint would
// be a screw, or there are loops.
ARNE_CHECKED arne_status screw_form(const arne_robot *robot, arne_robot **out);

#endif

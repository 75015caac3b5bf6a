// Between a robot as its file has it and the robot that is planned, whose joints have one
// coordinate each.
#ifndef ARNE_PLAN_SPLIT_JOINTS_H
#define ARNE_PLAN_SPLIT_JOINTS_H

#include <arne/plan.h>

// How the shown robot moves where the planned one has q, qd, qdd (each v_count of the planned). A
// base that is prescribed is set in the workspace of the shown robot.
void plan_show(const arne_robot *planned, const double *q, const double *qd, const double *qdd,
               const arne_robot *shown, arne_work *work, double *shown_q, double *shown_qd,
               double *shown_qdd);

// The pose of a base that is prescribed: position and quaternion.
void plan_show_base(const arne_robot *planned, const double *q, double *out);

#endif

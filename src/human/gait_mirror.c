// The two sides of a walker: which frames they need, and what takes the place of what in a mirrored
// posture. Joints in pairs trade places. Of those in the middle, a slide across and turns about
// other axes than the one across change sign.
#include "base/error.h"
#include "human/gait.h"
#include "robot/joint.h"
#include <math.h>
#include <stdlib.h>

arne_status plan_gait_frames(const arne_robot *robot, const walker_parts *walker, const int *frames,
                             int count, const arne_place *place, arne_error *error)
{
    if (!walker->given)
        return arne_fail(error, ARNE_NOT_FOUND, place->file, place->line,
                         "gait: robot '%s' has no section 'walker', which names the frames and "
                         "joints of a step",
                         arne_robot_name(robot));
    for (int side = 0; side < WALKER_SIDES; side++)
        for (int i = 0; i < count; i++)
            if (walker->sides[side].frames[frames[i]] < 0)
                return arne_fail(error, ARNE_NOT_FOUND, place->file, place->line,
                                 "gait: the walker of robot '%s' has no %s %s",
                                 arne_robot_name(robot), side == WALKER_RIGHT ? "right" : "left",
                                 walker_frame_key(frames[i]));
    return ARNE_OK;
}

int plan_gait_mirror(const arne_robot *robot, const walker_parts *walker, int coordinate,
                     double *sign)
{
    *sign = 1;
    for (int i = 0; i < walker->pair_count; i++)
        for (int side = 0; side < WALKER_SIDES; side++)
            if (arne_robot_joint(robot, walker->pairs[i][side]).v_start == coordinate)
                return arne_robot_joint(robot, walker->pairs[i][1 - side]).v_start;
    const arne_joint_info j = arne_robot_joint(robot, coordinate);
    const int             across = fabs(j.axis.x) > 0.5;
    *sign = joint_is_slide(j.kind) == across ? -1 : 1;
    return coordinate;
}

int plan_gait_is_forward(const arne_robot *robot, int coordinate)
{
    const arne_joint_info j = arne_robot_joint(robot, coordinate);
    return joint_is_slide(j.kind) && fabs(j.axis.z) > 0.5;
}

int plan_gait_is_frozen(const arne_plan *plan, int coordinate)
{
    return plan->problem.coordinate_lower[coordinate] == plan->problem.coordinate_upper[coordinate];
}

arne_status plan_gait_pairs(const arne_plan *plan, const walker_parts *walker,
                            const arne_place *place, arne_error *error)
{
    const double middle = 1e-6; // m
    double      *upright =
        calloc((size_t)arne_robot_sizes(plan->problem.robot).q_count, sizeof *upright);
    arne_status status = upright ? ARNE_OK : arne_fail_memory(error);
    if (!status) arne_kinematics(plan->problem.robot, plan->problem.work, upright, NULL, NULL);
    for (int k = 0; k < plan->problem.v_count && !status; k++) {
        double                sign = 1;
        const arne_joint_info j = arne_robot_joint(plan->problem.robot, k);
        const double x = arne_frame_pose(plan->problem.robot, plan->problem.work, j.child).p.x;
        if (plan_gait_is_frozen(plan, k) || fabs(x) <= middle) continue;
        if (plan_gait_mirror(plan->problem.robot, walker, k, &sign) == k)
            status = arne_fail(error, ARNE_NOT_FOUND, place->file, place->line,
                               "gait: joint '%s' is %.3g m beside the middle of the body, but in "
                               "no pair of the walker",
                               j.name, fabs(x));
    }
    free(upright);
    return status;
}

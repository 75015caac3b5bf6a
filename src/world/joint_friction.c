#include "world/joint_friction.h"
#include "robot/robot.h"
#include <math.h>

// What a joint follows moves it at a ratio; the coordinates of a joint have the same friction each.
static int joint_entry(const arne_robot *robot, friction_cursor *at, friction_entry *out)
{
    const arne_joint_info *info = &robot_joints(robot)[at->joint].info;
    const int              follows = info->mimic >= 0;
    if (at->coordinate >= (follows ? 1 : info->v_count)) {
        at->joint++;
        at->coordinate = 0;
        return 0;
    }
    const int first = (follows ? &robot_joints(robot)[info->mimic].info : info)->v_start;
    *out = (friction_entry){.v = first + at->coordinate++,
                            .joint = at->joint,
                            .motor = -1,
                            .ratio = follows ? info->mimic_ratio : 1,
                            .viscous = info->viscous,
                            .positive = info->coulomb_positive,
                            .negative = info->coulomb_negative};
    return 1;
}

static int friction_next(const arne_robot *robot, friction_cursor *at, friction_entry *out)
{
    while (at->joint < robot->joint_count)
        if (joint_entry(robot, at, out)) return 1;
    if (at->motor >= robot->motor_count) return 0;
    const arne_motor_info *motor = &robot_motors(robot)[at->motor].info;
    const int              moves_joint = motor->v_index < 0;
    *out = (friction_entry){.v = moves_joint ? robot_joints(robot)[motor->joint].info.v_start
                                             : motor->v_index,
                            .joint = -1,
                            .motor = at->motor++,
                            .ratio = 1,
                            .viscous = motor->viscous,
                            .positive = motor->coulomb_positive,
                            .negative = motor->coulomb_negative};
    return 1;
}

int joint_friction_next(const arne_robot *robot, friction_cursor *at, friction_entry *out)
{
    const int there = friction_next(robot, at, out);
    if (there && !robot->has_friction) out->viscous = out->positive = out->negative = 0;
    return there;
}

int friction_by_function(const arne_robot *robot)
{
    for (int i = 0; robot->has_friction && i < robot->joint_count; i++) {
        const arne_joint_info *j = &robot_joints(robot)[i].info;
        const int has = j->viscous != 0 || j->coulomb_positive != 0 || j->coulomb_negative != 0;
        if (j->function_count && has) return i;
    }
    for (int i = 0; i < robot->joint_spring_count; i++) {
        const arne_spring_info *s = &robot_joint_springs(robot)[i];
        if (arne_spring_torque(s, s->rest, 1) != 0 &&
            robot_joints(robot)[s->joint].info.function_count)
            return s->joint;
    }
    return -1;
}

static void add_dry(dry_joint *out, int *count, int v, double positive, double negative)
{
    if (positive <= 0 && negative <= 0) return;
    for (int i = 0; out && i < *count; i++)
        if (out[i].v == v) {
            out[i].positive += positive;
            out[i].negative += negative;
            return;
        }
    if (out) out[*count] = (dry_joint){.v = v, .positive = positive, .negative = negative};
    (*count)++;
}

// What follows the other way round has its directions exchanged.
int dry_collect(const arne_robot *robot, dry_joint *out)
{
    int             count = 0;
    friction_cursor at = {0};
    friction_entry  e;
    while (joint_friction_next(robot, &at, &e)) {
        const double size = fabs(e.ratio);
        add_dry(out, &count, e.v, size * (e.ratio > 0 ? e.positive : e.negative),
                size * (e.ratio > 0 ? e.negative : e.positive));
    }
    return count;
}

#include "world/joint_friction.h"
#include "robot/robot.h"
#include <math.h>

int joint_friction_at(const arne_robot *robot, int i, friction_entry *out)
{
    if (i < robot->joint_count) {
        const arne_joint_info info = arne_robot_joint(robot, i);
        const int             first = info.mimic < 0 ? i : info.mimic;
        *out = (friction_entry){.v = arne_robot_joint(robot, first).v_start,
                                .joint = i,
                                .motor = -1,
                                .ratio = info.mimic < 0 ? 1 : info.mimic_ratio,
                                .viscous = info.viscous,
                                .positive = info.coulomb_positive,
                                .negative = info.coulomb_negative};
        if (info.mimic < 0 && info.v_count != 1) *out = (friction_entry){.joint = i, .motor = -1};
        return 1;
    }
    i -= robot->joint_count;
    if (i >= robot->motor_count) return 0;
    const arne_motor_info motor = arne_robot_motor(robot, i);
    const int v = motor.v_index >= 0 ? motor.v_index : arne_robot_joint(robot, motor.joint).v_start;
    *out = (friction_entry){.v = v,
                            .joint = -1,
                            .motor = i,
                            .ratio = 1,
                            .viscous = motor.viscous,
                            .positive = motor.coulomb_positive,
                            .negative = motor.coulomb_negative};
    return 1;
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
    int            count = 0;
    friction_entry e;
    if (!robot->has_friction) return 0;
    for (int i = 0; joint_friction_at(robot, i, &e); i++) {
        const double size = fabs(e.ratio);
        add_dry(out, &count, e.v, size * (e.ratio > 0 ? e.positive : e.negative),
                size * (e.ratio > 0 ? e.negative : e.positive));
    }
    return count;
}

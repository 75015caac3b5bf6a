// Coordinates that nothing drives: passive joints, joints with a spring and no motor, and the load
// side of a spring between joint and motor. No plan may ask a torque of them. A robot with loops is
// planned by its active joints, so that its passive ones need no rule.
#include "plan/problem/undriven_coordinates.h"
#include "base/error.h"
#include <stdlib.h>

// No motor drives it: a spring alone holds it.
static int is_sprung(const arne_robot *robot, int joint)
{
    for (int k = 0; k < arne_robot_sizes(robot).spring_count; k++) {
        const arne_spring_info spring = arne_robot_spring(robot, k);
        if (spring.joint == joint && spring.passive) return 1;
    }
    return 0;
}

// Rows of the quantity torque; returns their number.
static int undriven_find_rows(const arne_robot *robot, const unsigned char *driven, int *rows)
{
    const arne_sizes size = arne_robot_sizes(robot);
    int              count = 0;
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        const int             motor = arne_joint_motor(robot, i);
        const int             elastic = motor >= 0 && arne_robot_motor(robot, motor).v_index >= 0;
        const int             free = j.passive || elastic || is_sprung(robot, i);
        for (int k = 0; k < j.v_count && free; k++)
            if (!driven || !driven[j.v_start + k]) rows[count++] = j.v_start + k;
    }
    return count;
}

int plan_has_undriven(const arne_robot *robot, const arne_plan_options *o)
{
    int      *rows = calloc((size_t)arne_robot_sizes(robot).v_count + 1, sizeof *rows);
    const int count = rows && !o->all_driven && !arne_robot_sizes(robot).loop_count
                          ? undriven_find_rows(robot, o->driven, rows)
                          : 0;
    free(rows);
    return count > 0;
}

arne_status plan_add_undriven(plan_problem *p, const unsigned char *driven, arne_error *error)
{
    const size_t        size = (size_t)p->v_count + 1;
    int                *rows = calloc(size, sizeof *rows);
    double             *zero = calloc(size, sizeof *zero);
    const arne_quantity torque = {.kind = ARNE_QUANTITY_TORQUE};
    arne_constraint     c = {.name = "the torque of a joint that nothing drives",
                             .to = 1,
                             .other = -1,
                             .rows = rows,
                             .lower = zero,
                             .upper = zero};
    arne_status         status = rows && zero ? ARNE_OK : arne_fail_memory(error);
    if (!status) c.row_count = undriven_find_rows(p->robot, driven, rows);
    if (!status && c.row_count) {
        status = plan_add_quantity(p, &torque, &c.quantity, error);
        if (!status) status = plan_add_constraint(p, &c, error);
    }
    free(rows);
    free(zero);
    return status;
}

// What joints follow and rotors turn with, for those who ask: the rows of G (robot/coordinates.k.h)
// by joint and motor.
#include "robot/robot.h"
#include <string.h>

typedef struct list {
    arne_term *terms;
    int        count, room;
} list;

static void add_term(list *l, int joint, double ratio)
{
    if (l->terms && l->count < l->room) l->terms[l->count] = (arne_term){joint, ratio};
    l->count++;
}

int arne_joint_terms(const arne_robot *robot, int joint, arne_term *terms, int room)
{
    const arne_joint_info *info = &robot_joints(robot)[joint].info;
    list                   l = {terms, 0, room};
    if (info->mimic < 0) return 0;
    add_term(&l, info->mimic, info->mimic_ratio);
    for (int i = 0; i < robot->term_count; i++)
        if (robot_terms(robot)[i].joint == joint)
            add_term(&l, robot_terms(robot)[i].with, robot_terms(robot)[i].ratio);
    return l.count;
}

int arne_motor_terms(const arne_robot *robot, int motor, arne_term *terms, int room)
{
    const arne_motor_info *info = &robot_motors(robot)[motor].info;
    list                   l = {terms, 0, room};
    if (info->v_index >= 0) return 0;
    add_term(&l, info->joint, 1);
    for (int i = 0; i < robot->term_count; i++)
        if (robot_terms(robot)[i].motor == motor)
            add_term(&l, robot_terms(robot)[i].with, robot_terms(robot)[i].ratio);
    return l.count;
}

void arne_coupling_matrix(const arne_robot *robot, double *C)
{
    const size_t n = (size_t)robot->v_count;
    memset(C, 0, (size_t)robot->motor_count * n * sizeof *C);
    for (int m = 0; m < robot->motor_count; m++) {
        const arne_motor_info *info = &robot_motors(robot)[m].info;
        double                *row = C + (size_t)m * n;
        const int              own = robot_joints(robot)[info->joint].info.v_start;
        row[info->v_index >= 0 ? info->v_index : own] = info->gear;
    }
    for (int i = 0; i < robot->term_count; i++) {
        const term *t = &robot_terms(robot)[i];
        if (t->motor >= 0)
            C[(size_t)t->motor * n + (size_t)t->from_v] +=
                robot_motors(robot)[t->motor].info.gear * t->ratio;
    }
}

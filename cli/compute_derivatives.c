#include "compute_derivatives.h"

#include "message.h"

#include <arne/derivatives.h>
#include <stdlib.h>
#include <string.h>

int wrench_derivatives(const request *ask, const state *at, result *out)
{
    static const char *const force[] = {"dforce_dq", "dforce_dqd", "dforce_dqdd"};
    static const char *const moment[] = {"dmoment_dq", "dmoment_dqd", "dmoment_dqdd"};

    const arne_sizes sizes = arne_robot_sizes(ask->robot);
    const size_t     half = 3 * (size_t)sizes.v_count;
    double *rows = need(6 * half, sizeof *rows), *d[] = {rows, rows + 2 * half, rows + 4 * half};
    arne_inverse_dynamics_derivatives(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD],
                                      at->part[PART_QDD], ask->loads, ask->load_count, NULL, NULL,
                                      NULL);
    for (int i = 0; i < sizes.joint_count; i++) {
        const int   child = arne_robot_joint(ask->robot, i).child;
        const char *link = arne_robot_frame(ask->robot, child).name;
        arne_wrench_derivatives(ask->robot, ask->work, i, d[0], d[1], d[2]);
        for (int k = 0; k < 3; k++)
            memcpy(result_add_in(out, "joint_wrenches", link, force[k], AXIS_XYZ, AXIS_V), d[k],
                   half * sizeof *rows);
        for (int k = 0; k < 3; k++)
            memcpy(result_add_in(out, "joint_wrenches", link, moment[k], AXIS_XYZ, AXIS_V),
                   d[k] + half, half * sizeof *rows);
    }
    free(rows);
    return EXIT_FINE;
}

int jerk(const request *ask, const state *at, result *out)
{
    double *rate = need((size_t)arne_robot_sizes(ask->robot).v_count, sizeof *rate);
    arne_torque_rate(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], at->part[PART_QDD],
                     at->part[PART_QDDD], NULL, 0, NULL, rate);
    free(rate);
    for (int i = 0; i < ask->frame_count; i++) {
        const int         frame = ask->frames[i];
        const arne_motion j = arne_frame_jerk(ask->robot, ask->work, frame, ask->axes);
        const char       *name = arne_robot_frame(ask->robot, frame).name;
        result_add_vec3(out, "frames", name, "lin", j.lin);
        result_add_vec3(out, "frames", name, "ang", j.ang);
    }
    return EXIT_FINE;
}

// Contracted with the i-th unit vector they are those of tau_i.
int second_derivatives(const request *ask, const state *at, result *out)
{
    const int    n = arne_robot_sizes(ask->robot).v_count;
    const size_t square = (size_t)n * (size_t)n;
    double      *qq = result_add_cube(out, "d2tau_dq2"), *vv = result_add_cube(out, "d2tau_dqd2");
    double    *qv = result_add_cube(out, "d2tau_dqdqd"), *qa = result_add_cube(out, "d2tau_dqdqdd");
    double    *unit = need((size_t)n, sizeof *unit);
    arne_error error = {0};
    arne_status status = ARNE_OK;
    for (int i = 0; i < n && status == ARNE_OK; i++) {
        const size_t start = (size_t)i * square;
        unit[i] = 1;
        status = arne_second_derivatives(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD],
                                         at->part[PART_QDD], ask->loads, ask->load_count, unit,
                                         qq + start, qv + start, vv + start, qa + start, &error);
        unit[i] = 0;
    }
    free(unit);
    return status == ARNE_OK ? EXIT_FINE : fail_error(ask->path, status, &error);
}

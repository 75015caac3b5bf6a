// Gains of the servos that a robot file has (position and velocity actuators of MJCF).
#include "base/error.h"
#include "io/poses.h"
#include <arne/dynamics.h>
#include <arne/simulate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The diagonal of the mass matrix where the joints start, for damping by ratios.
static arne_status servo_inertias(const arne_robot *robot, double *inertia, arne_error *error)
{
    const arne_sizes size = arne_robot_sizes(robot);
    const size_t     n = (size_t)size.v_count;
    arne_work       *work = NULL;
    double          *q = calloc((size_t)size.q_count + n * n + 1, sizeof *q), *M = q + size.q_count;
    if (!q || arne_work_new(robot, &work)) {
        free(q);
        return arne_fail_memory(error);
    }
    arne_neutral(robot, q);
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.q_count == 1) q[j.q_start] = j.start;
    }
    arne_mass_matrix(robot, work, q, M);
    for (size_t i = 0; i < n; i++)
        inertia[i] = M[i * n + i];
    arne_work_free(work);
    free(q);
    return ARNE_OK;
}

arne_status arne_read_servo_gains(const char *path, const arne_robot *robot, double *kp, double *kd,
                                  arne_error *error)
{
    robot_poses list = {0};
    if (!path || !robot || !kp || !kd) return arne_fail_null(error);
    const size_t n = (size_t)arne_robot_sizes(robot).v_count;
    double      *inertia = calloc(n + 1, sizeof *inertia);
    arne_status  status = inertia ? robot_poses_read(path, &list, error) : arne_fail_memory(error);
    if (!status) status = servo_inertias(robot, inertia, error);
    if (!status && list.servo_count == 0)
        status =
            arne_fail(error, ARNE_NOT_FOUND, path, 0,
                      "the file has no actuators that hold a position or speed: give kp and kd");
    memset(kp, 0, n * sizeof *kp);
    memset(kd, 0, n * sizeof *kd);
    for (int i = 0; i < list.servo_count && !status; i++) {
        const robot_servo *s = &list.servos[i];
        const int          joint = arne_find_joint(robot, s->joint);
        if (joint < 0 || arne_robot_joint(robot, joint).v_count != 1)
            continue; // it follows another
        const int v = arne_robot_joint(robot, joint).v_start;
        kp[v] += s->kp;
        kd[v] += s->ratio > 0 ? 2 * s->ratio * sqrt(s->kp * inertia[v]) : s->kd;
    }
    robot_poses_free(&list);
    free(inertia);
    return status;
}

// The mass that brings a first torque to its limit. A point of mass m at p loads its link by m (g -
// a_p), so that inverse dynamics is linear in m, and two evaluations tell all.
#include "base/error.h"
#include "math/vectors.h"
#include "motion/drive_limits.h"
#include <arne/effort.h>
#include <arne/kinematics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void arne_effort_limits(const arne_robot *robot, double *limit)
{
    arne_drive_limits(robot, limit, NULL);
}

typedef struct asked {
    const arne_robot *robot;
    arne_work        *work;
    arne_loop_work   *loop;
    const double     *q, *qd, *qdd;
    arne_error       *error;
} asked;

static arne_status payload_capacity_torques(const asked *a, const arne_wrench *f_ext, double *tau)
{
    if (a->loop)
        return arne_loop_inverse_dynamics(a->robot, a->work, a->loop, a->q, a->qd, a->qdd, f_ext,
                                          NULL, tau, a->error);
    arne_inverse_dynamics(a->robot, a->work, a->q, a->qd, a->qdd, f_ext, tau);
    return ARNE_OK;
}

// What a point of 1 kg at the frame's origin does to its link: g - a, in the frame's axes.
static arne_wrench unit_load(const asked *a, int frame)
{
    arne_kinematics(a->robot, a->work, a->q, a->qd, a->qdd);
    const arne_pose   X = arne_frame_pose(a->robot, a->work, frame);
    const arne_motion moves = arne_frame_acceleration(a->robot, a->work, frame, ARNE_AXES_ALIGNED,
                                                      ARNE_ACCELERATION_CLASSICAL);
    const arne_vec3   g = arne_robot_gravity(a->robot);
    const arne_vec3   f = {g.x - moves.lin.x, g.y - moves.lin.y, g.z - moves.lin.z};
    return (arne_wrench){.lin = {dot3(X.R.x, f), dot3(X.R.y, f), dot3(X.R.z, f)}};
}

// How much of `step` fits between the torque and its limit on that side.
static double payload_capacity_room(double limit, double tau, double step)
{
    if (fabs(tau) > limit) return 0;
    if (step == 0) return INFINITY;
    return (step > 0 ? limit - tau : -limit - tau) / step;
}

static arne_status find_least(const asked *a, const double *bare, const double *loaded,
                              const double *limit, double *mass, int *limiting)
{
    *mass = INFINITY;
    *limiting = -1;
    for (int k = 0; k < arne_robot_sizes(a->robot).v_count; k++) {
        const double fits = isfinite(limit[k])
                                ? payload_capacity_room(limit[k], bare[k], loaded[k] - bare[k])
                                : INFINITY;
        if (!(fits < *mass)) continue;
        *mass = fits;
        *limiting = k;
    }
    if (*limiting >= 0) return ARNE_OK;
    return arne_fail(a->error, ARNE_VALUE, NULL, 0,
                     "no mass at this frame brings a joint to a limit of effort: either none has "
                     "such a limit, or none of those feels it here");
}

arne_status arne_payload_capacity(const arne_robot *robot, arne_work *work, arne_loop_work *loop,
                                  int frame, const double *q, const double *qd, const double *qdd,
                                  const arne_wrench *f_ext, double *mass, int *limiting,
                                  arne_error *error)
{
    const asked a = {robot, work, loop, q, qd, qdd, error};
    if (!robot || !work || !q || !qd || !qdd || !mass || !limiting)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    const arne_sizes size = arne_robot_sizes(robot);
    const size_t     n = (size_t)size.v_count + 1, bodies = (size_t)size.body_count;
    double          *tau = calloc(3 * n, sizeof *tau);
    arne_wrench     *loads = calloc(bodies, sizeof *loads);
    arne_status      status = tau && loads ? ARNE_OK : arne_fail_memory(error);
    if (!status) status = payload_capacity_torques(&a, f_ext, tau);
    if (!status) {
        const arne_wrench load = unit_load(&a, frame);
        if (f_ext) memcpy(loads, f_ext, bodies * sizeof *loads);
        arne_add_wrench(robot, frame, &load, loads);
        status = payload_capacity_torques(&a, loads, tau + n);
    }
    if (!status) {
        arne_effort_limits(robot, tau + 2 * n);
        status = find_least(&a, tau, tau + n, tau + 2 * n, mass, limiting);
    }
    free(tau);
    free(loads);
    return status;
}

// What the ground does along a planned step, for results: the two passes as they are said, by the library's own recursions.
#include "plan/gait.h"
#include <math.h>
#include <string.h>

// A wrench about the world's origin and in its axes, as one at a frame's origin and in the frame's.
static arne_wrench seen_from(const arne_pose *X, const double *W)
{
    const double    f[3] = {W[0], W[1], W[2]}, p[3] = {X->p.x, X->p.y, X->p.z};
    const double    n[3] = {W[3] - (p[1] * f[2] - p[2] * f[1]), W[4] - (p[2] * f[0] - p[0] * f[2]),
                            W[5] - (p[0] * f[1] - p[1] * f[0])};
    const arne_vec3 axes[3] = {X->R.x, X->R.y, X->R.z};
    double          out[6];
    for (int i = 0; i < 3; i++) {
        out[i] = axes[i].x * f[0] + axes[i].y * f[1] + axes[i].z * f[2];
        out[3 + i] = axes[i].x * n[0] + axes[i].y * n[1] + axes[i].z * n[2];
    }
    return (arne_wrench){{out[0], out[1], out[2]}, {out[3], out[4], out[5]}};
}

void plan_gait_loads(const gait *g, const arne_robot *robot, arne_work *work, double u,
                     const double *q, const double *qd, const double *qdd, double *tau,
                     double feet[GAIT_SIDES][6], arne_wrench *f_ext)
{
    arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, tau);
    const arne_wrench all = arne_base_wrench(robot, work);
    const double      W[6] = {all.lin.x, all.lin.y, all.lin.z, all.ang.x, all.ang.y, all.ang.z};
    plan_gait_share(&g->support, u, W, feet);
    memset(f_ext, 0, (size_t)arne_robot_sizes(robot).body_count * sizeof *f_ext);
    arne_kinematics(robot, work, q, NULL, NULL);
    for (int side = 0; side < GAIT_SIDES; side++) {
        const int         foot = g->frames[side][GAIT_FOOT];
        const arne_pose   X = arne_frame_pose(robot, work, foot);
        const arne_wrench wrench = seen_from(&X, feet[side]);
        arne_add_wrench(robot, foot, &wrench, f_ext);
    }
}

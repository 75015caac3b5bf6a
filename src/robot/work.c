// Workspaces of doubles, as the kernels of one instruction set lay them out.
#include "math/lower.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include "robot/work_parts.h"

KERNEL(size_t, work_size, (const arne_robot *robot), (robot))
{
    return work_walk(robot, NULL, NULL);
}

KERNEL(arne_work *, work_place, (const arne_robot *robot, void *memory), (robot, memory))
{
    arne_work *w = memory;
    work_walk(robot, w, memory);
    work_start(robot, w);
    return w;
}

KERNEL(void, arne_work_set_base,
       (const arne_robot *robot, arne_work *w, const arne_pose *at, const arne_motion *velocity,
        const arne_motion *acceleration),
       (robot, w, at, velocity, acceleration))
{
    WORK_FITS(robot, w);
    const arne_pose identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    work_set_base(robot, w, pose_lift(at ? *at : identity),
                  velocity ? motion_lift(*velocity) : motion_zero(),
                  acceleration ? motion_lift(*acceleration) : motion_zero());
}

KERNEL(void, arne_work_set_base_jerk,
       (const arne_robot *robot, arne_work *w, const arne_motion *jerk), (robot, w, jerk))
{
    WORK_FITS(robot, w);
    (void)robot;
    work_set_base_jerk(w, jerk ? motion_lift(*jerk) : motion_zero());
}

KERNEL(arne_pose, work_body_pose, (const arne_robot *robot, const arne_work *w, int i),
       (robot, w, i))
{
    (void)robot;
    return lower_pose(&w->X_w[i]);
}

KERNEL(const double *, work_zero, (const arne_robot *robot, const arne_work *w), (robot, w))
{
    (void)robot;
    return w->zero;
}

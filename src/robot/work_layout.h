// Whether a workspace is one for this robot. It holds arrays of the robot's sizes, and of poses and
// gravity what does not vary with q; so another robot's would be written beyond its end, or give
// wrong numbers. A copy with a payload has the same layout, and so has a robot that was read twice.
#ifndef ARNE_ROBOT_WORK_LAYOUT_H
#define ARNE_ROBOT_WORK_LAYOUT_H

#include "base/error.h"
#include "robot/robot.h"
#include <arne/work.h>
#include <assert.h>

// A workspace starts with its layout. What follows only kernels know: robot/kernel.h.
static inline int work_differs(const arne_robot *r, const arne_work *w)
{
    return r && w && r->layout != *(const uint64_t *)(const void *)w;
}

// Functions that return a status say so; the others assert it where assertions are compiled in.
static inline arne_status work_refuse(arne_error *error)
{
    return arne_fail(error, ARNE_WORKSPACE, NULL, 0, "%s", arne_status_text(ARNE_WORKSPACE));
}
#define WORK_FITS(robot, work) assert(!work_differs(robot, work))

#endif

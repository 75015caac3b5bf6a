// A robot of another build of the same sources, for the best kernels of this one. NULL where there
// is no memory.
#ifndef ARNE_BENCH_PACKAGED_ROBOT_H
#define ARNE_BENCH_PACKAGED_ROBOT_H

#include <arne/robot.h>

#ifdef __cplusplus
extern "C"
#endif
    arne_robot *
    packaged_robot(const arne_robot *other);

#endif

// arne bench --gpu: states per second on a CUDA device.
#ifndef CLI_BENCH_GPU_H
#define CLI_BENCH_GPU_H

#include <arne/robot.h>
#include <stdio.h>

// One table for the robot. EXIT_DATA where there is no device, or a result differs from that of the
// processor.
int bench_gpu(const arne_robot *robot, FILE *out);

#endif

// What a thread of the GPU does with its states, done here: in double, on the processor.
#ifndef TEST_GPU_TEXT_H
#define TEST_GPU_TEXT_H

#include "gpu/gpu_job.h"

// Runs all states of a job, one after the other, in fresh memory; 0 where there is none.
int gpu_text_run(const arne_robot *robot, const gpu_job *job);

// The head of a robot that says it is larger than constant memory; free it. NULL where there is no
// memory.
arne_robot *gpu_text_large_robot(const arne_robot *robot);

#endif

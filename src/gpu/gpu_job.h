// One run, checked: what gpu.c hands to the device. The same struct in C and in CUDA.
#ifndef ARNE_GPU_GPU_JOB_H
#define ARNE_GPU_GPU_JOB_H

#include <arne/gpu.h>

enum gpu_input {
#define INPUT(name, rows) GPU_IN_##name,
    ARNE_GPU_INPUTS(INPUT)
#undef INPUT
        GPU_IN_COUNT
};
enum gpu_output {
#define OUTPUT(name, rows) GPU_OUT_##name,
    ARNE_GPU_OUTPUTS(OUTPUT)
#undef OUTPUT
        GPU_OUT_COUNT
};

#define GPU_NAME(name, rows) #name,
#define GPU_INPUT_NAMES ARNE_GPU_INPUTS(GPU_NAME)
#define GPU_OUTPUT_NAMES ARNE_GPU_OUTPUTS(GPU_NAME)

typedef struct gpu_job {
    const void *in[GPU_IN_COUNT]; // NULL: not read
    void       *out[GPU_OUT_COUNT];
    size_t      in_rows[GPU_IN_COUNT], out_rows[GPU_OUT_COUNT];
    size_t      count;
    size_t      entry; // bytes
    int         algorithm;
    int         on_device;
    int         body; // that carries the frame, and where the frame is on it
    arne_pose   frame;
    int         steps;
    double      dt;
} gpu_job;

ARNE_BEGIN
// Checks a request and makes the job of it. Needs no device.
arne_status gpu_job_make(const arne_robot *robot, arne_precision precision,
                         arne_gpu_algorithm algorithm, const arne_gpu_arrays *arrays, size_t count,
                         gpu_job *job, arne_error *error);
ARNE_END

#endif

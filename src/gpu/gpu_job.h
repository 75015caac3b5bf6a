// One run, checked: what gpu.c launches.
#ifndef ARNE_GPU_GPU_JOB_H
#define ARNE_GPU_GPU_JOB_H

#include <arne/gpu.h>

typedef struct gpu_job {
    const void *in[ARNE_INPUT_COUNT];  // NULL: not read
    void       *out[ARNE_ARRAY_COUNT]; // NULL: not wanted
    // Small numbers are small here: with the robot it is an argument of a kernel, and that may not
    // be large.
    unsigned in_rows[ARNE_INPUT_COUNT], out_rows[ARNE_ARRAY_COUNT]; // 0: not of this algorithm
    unsigned in_at[ARNE_INPUT_COUNT],
        out_at[ARNE_ARRAY_COUNT]; // where they start in a thread's memory
    arne_batch_layout in_layout[ARNE_INPUT_COUNT], out_layout[ARNE_ARRAY_COUNT];
    size_t            count;
    size_t            entry; // bytes
    int               algorithm;
    int               on_device;
    int               body; // that carries the frame, and where the frame is on it
    arne_pose         frame;
    int               steps;
    double            dt;
    // What only compiled kernels know.
    int                    frame_index, axes, method;
    const double          *kp, *kd;
    int                    has_stiffness, has_damping, own_gains; // of a controller
    int                    sweeps;
    double                 limit_stiffness, limit_damping;
    unsigned long long     left_out;
    const arne_gpu_field  *field;
    const arne_gpu_policy *policy;
    size_t step_rows[ARNE_INPUT_COUNT]; // from one step to the next; 0: the same in all
} gpu_job;

ARNE_BEGIN
// Checks a request and makes the job of it. Needs no device.
arne_status gpu_job_make(const arne_robot *robot, arne_precision precision,
                         arne_algorithm algorithm, const arne_gpu_inputs *inputs,
                         const arne_gpu_outputs *outputs, size_t count, gpu_job *job,
                         arne_error *error);

// Likewise without arrays, to say which kernel it takes: an output that is not NULL is wanted;
// outputs NULL: all that are made without request.
arne_status gpu_job_sketch(const arne_robot *robot, arne_precision precision,
                           arne_algorithm algorithm, const arne_gpu_inputs *inputs,
                           const arne_gpu_outputs *outputs, gpu_job *job, arne_error *error);
ARNE_END

#endif

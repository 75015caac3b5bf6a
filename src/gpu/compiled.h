// Kernels that are made for one robot: found in the folder, or generated and compiled, then loaded.
#ifndef ARNE_GPU_COMPILED_H
#define ARNE_GPU_COMPILED_H

#include "gpu/driver.h"
#include "gpu/gpu_job.h"
#include "gpu/kernel_cache.h"
#include "gpu/nvrtc.h"

// What tells one kernel from another.
typedef struct kernel_key {
    int                algorithm, frame, axes, method, stiffness, damping;
    int                ground, rigid, own_gains, mass, restart, limits, policy, hidden;
    unsigned long long left_out;
    unsigned char      wanted[ARNE_ARRAY_COUNT];
} kernel_key;

typedef struct compiled {
    struct compiled *next;
    kernel_key       key;
    driver_handle    module, function; // NULL: it could not be made, and `why` says why
    char             why[512];
    arne_gpu_kernel  facts;
    int              input_count, output_count;
    arne_array       arrays[ARNE_ARRAY_COUNT];
} compiled;

// Of one robot on one device.
typedef struct workshop {
    const arne_robot *robot;
    const driver     *device;
    nvrtc            *compiler; // NULL: not yet asked for
    arne_precision    precision;
    int               is_fast;
    kernel_cache      cache;
    compiled         *made;
} workshop;

// In the device's context, as all that follows. NULL where there is no memory. A kernel that could
// not be made is remembered as such.
compiled *workshop_kernel(workshop *w, const gpu_job *job);
void      workshop_close(workshop *w);

// Puts it on the stream; arrays are in the device's memory.
ARNE_CHECKED arne_status compiled_launch(const workshop *w, const compiled *k, const gpu_job *job,
                                         driver_handle stream, arne_error *error);

#endif

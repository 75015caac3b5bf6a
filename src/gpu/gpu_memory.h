// The object behind the public face.
#ifndef ARNE_GPU_GPU_MEMORY_H
#define ARNE_GPU_GPU_MEMORY_H

#include "gpu/compiled.h"

struct arne_gpu {
    const arne_robot *robot;
    arne_gpu_options  options;
    driver           *device;
    workshop          shop;
    device_address    staging; // arrays of the host while they are on the device
    size_t            staging_size;
};

// Makes the device's context that of the thread, until driver_leave.
ARNE_CHECKED arne_status gpu_enter(const arne_gpu *gpu, arne_error *error);

#endif

// The compiler of kernels at run time: NVRTC, found where the machine has it.
#ifndef ARNE_GPU_NVRTC_H
#define ARNE_GPU_NVRTC_H

#include <arne/status.h>
#include <stddef.h>

typedef struct nvrtc nvrtc;

// Where it looks: the file that ARNE_NVRTC names, libraries that the process has or that the loader
// finds, the folders of CUDA_PATH, CUDA_HOME and /usr/local/cuda. ARNE_UNSUPPORTED where there is
// none.
ARNE_CHECKED arne_status nvrtc_open(nvrtc **out, arne_error *error);
void                     nvrtc_close(nvrtc *n);

// Its release, as 1000 major + 10 minor.
int nvrtc_release(const nvrtc *n);

typedef struct nvrtc_target {
    int major, minor; // compute capability of the device
    int is_fast;      // fast math: fewer digits of sines, divisions and roots
} nvrtc_target;

// Machine code for the device, or (where the compiler does not know it yet) PTX of the last one
// before, which the driver compiles. *image is to be freed. ARNE_UNSUPPORTED with the first line of
// the compiler's words.
ARNE_CHECKED arne_status nvrtc_compile(const nvrtc *n, const char *text, const nvrtc_target *target,
                                       char **image, size_t *size, arne_error *error);

#endif

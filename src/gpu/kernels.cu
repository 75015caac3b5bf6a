// The algorithm texts as kernels: compiled once with ARNE_CUDA=float and once with double. One thread takes one state at a
// time, then the one that lies as many threads further on.
#include "gpu/backend.h"
#include "gpu/gpu_state.h"
#include "gpu/kernels.h"
#include <cstring>

enum { LOCAL_BYTES = 32 * 1024 };

// Words of the catalogue's rows: only some algorithms become general kernels.
enum : unsigned {
    COMPUTE = 0,
    BENCH = 0,
    GENERATED = 0,
    LOOPS = 0,
    BASE_FORM = 0,
    GPU = 0,
    GENERAL = 1
};

// The robot's block by value: kernel arguments live in constant memory, and each launch has its own.
template <int SIZE> struct robot_argument {
    alignas(64) char block[SIZE];
};

// Where a state's memory is small it is local to the thread: the device then interleaves that of neighbours, so that a warp
// reads whole lines. Larger ones lie one after the other in `scratch`.
template <int SIZE, int LOCAL, int ALGORITHM>
__global__ void __launch_bounds__(GPU_BLOCK)
    run_states(const __grid_constant__ robot_argument<SIZE> robot,
               const __grid_constant__ gpu_job job, char *scratch, size_t each)
{
    const size_t                 first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t                 step = (size_t)gridDim.x * blockDim.x;
    const arne_robot            *r = (const arne_robot *)(const void *)robot.block;
    alignas(ARNE_ALIGNMENT) char own[LOCAL ? LOCAL : ARNE_ALIGNMENT];
    if (first >= job.count) return;
    gpu_state t;
    gpu_state_place(r, &job, LOCAL ? own : scratch + first * each, &t);
    for (size_t s = first; s < job.count; s += step)
        gpu_run_state(&job, &t, ALGORITHM, s);
}

template <int SIZE, int LOCAL, int ALGORITHM>
static cudaError_t start(const robot_argument<SIZE> &robot, const gpu_job *job, char *scratch,
                         size_t each, unsigned blocks, cudaStream_t stream)
{
    run_states<SIZE, LOCAL, ALGORITHM>
        <<<blocks, GPU_BLOCK, 0, stream>>>(robot, *job, scratch, each);
    return cudaGetLastError();
}

template <int SIZE, int LOCAL>
static cudaError_t launch_sized(const arne_robot *r, const gpu_job *job, char *scratch, size_t each,
                                unsigned threads, cudaStream_t stream)
{
    robot_argument<SIZE> robot;
    const size_t         needed = (job->count + GPU_BLOCK - 1) / GPU_BLOCK;
    unsigned             blocks = threads / GPU_BLOCK;
    if (needed < blocks) blocks = (unsigned)needed;
    std::memset(robot.block, 0, SIZE);
    gpu_robot_pack(r, robot.block);
    switch (job->algorithm) {
#define ARNE_ALGORITHM(id, name, text, needs, may, takes, has, ...)                                \
    case ARNE_ALGORITHM_##id:                                                                      \
        if constexpr (((has)&GENERAL) != 0)                                                        \
            return start<SIZE, LOCAL, ARNE_ALGORITHM_##id>(robot, job, scratch, each, blocks,      \
                                                           stream);                                \
        break;
#define ARNE_PROCEDURE ARNE_ALGORITHM
#include <arne/catalogue.def>
    default:
        break;
    }
    return cudaErrorInvalidValue;
}

static cudaError_t launch(const arne_robot *r, const gpu_job *job, char *scratch, size_t each,
                          unsigned threads, cudaStream_t stream)
{
    if (gpu_robot_bytes(r) > GPU_ROBOT_SMALL)
        return launch_sized<GPU_ROBOT_LARGE, 0>(r, job, scratch, each, threads, stream);
    if (each <= LOCAL_BYTES) {
        const cudaError_t code =
            launch_sized<GPU_ROBOT_SMALL, LOCAL_BYTES>(r, job, scratch, each, threads, stream);
        if (code != cudaErrorMemoryAllocation) return code; // a small device has no room for it
    }
    return launch_sized<GPU_ROBOT_SMALL, 0>(r, job, scratch, each, threads, stream);
}

static size_t state_size(const arne_robot *r, gpu_rows rows) { return gpu_state_size(r, rows); }

#define KERNELS_OF(type) gpu_kernels_##type
#define KERNELS(type) KERNELS_OF(type)
extern const gpu_kernels KERNELS(ARNE_CUDA) = {state_size, launch};

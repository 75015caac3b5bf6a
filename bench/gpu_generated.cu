// Generated functions as kernels, one thread for each state. Compiled with BENCH_REAL, BENCH_TEXT (the generated file) and
// BENCH_LAUNCH (the name of the function it offers).
#include "gpu_generated.h"

#include BENCH_TEXT

namespace
{

using real = BENCH_REAL;
constexpr int BLOCK = 128, SQUARE = JOINTS * JOINTS;

__device__ __forceinline__ size_t this_state() { return (size_t)blockIdx.x * BLOCK + threadIdx.x; }

template <int ROWS>
__device__ __forceinline__ void read(const real *__restrict__ from, size_t count, size_t s, real *x)
{
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        x[i] = from[(size_t)i * count + s];
}

template <int ROWS>
__device__ __forceinline__ void write(real *__restrict__ to, size_t count, size_t s, const real *x)
{
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        to[(size_t)i * count + s] = x[i];
}

__global__ void __launch_bounds__(BLOCK)
    inverse(const real *q, const real *qd, const real *qdd, real *tau, size_t count)
{
    const size_t s = this_state();
    real         a[JOINTS], b[JOINTS], c[JOINTS], x[JOINTS];
    if (s >= count) return;
    read<JOINTS>(q, count, s, a);
    read<JOINTS>(qd, count, s, b);
    read<JOINTS>(qdd, count, s, c);
    generated_inverse_dynamics(a, b, c, x);
    write<JOINTS>(tau, count, s, x);
}

__global__ void __launch_bounds__(BLOCK)
    forward(const real *q, const real *qd, const real *tau, real *qdd, size_t count)
{
    const size_t s = this_state();
    real         a[JOINTS], b[JOINTS], c[JOINTS], x[JOINTS];
    if (s >= count) return;
    read<JOINTS>(q, count, s, a);
    read<JOINTS>(qd, count, s, b);
    read<JOINTS>(tau, count, s, c);
    generated_forward_dynamics(a, b, c, x);
    write<JOINTS>(qdd, count, s, x);
}

__global__ void __launch_bounds__(BLOCK) mass(const real *q, real *M, size_t count)
{
    const size_t s = this_state();
    real         a[JOINTS], x[SQUARE];
    if (s >= count) return;
    read<JOINTS>(q, count, s, a);
    generated_mass_matrix(a, x);
    write<SQUARE>(M, count, s, x);
}

__global__ void __launch_bounds__(BLOCK) derivatives(const real *q, const real *qd, const real *qdd,
                                                     real *dq, real *dqd, real *dqdd, size_t count)
{
    const size_t s = this_state();
    real         a[JOINTS], b[JOINTS], c[JOINTS], x[SQUARE], y[SQUARE], z[SQUARE];
    if (s >= count) return;
    read<JOINTS>(q, count, s, a);
    read<JOINTS>(qd, count, s, b);
    read<JOINTS>(qdd, count, s, c);
    generated_inverse_dynamics_derivatives(a, b, c, x, y, z);
    write<SQUARE>(dq, count, s, x);
    write<SQUARE>(dqd, count, s, y);
    write<SQUARE>(dqdd, count, s, z);
}

} // namespace

void BENCH_LAUNCH(bench_function function, const void *const *in, void *const *out, size_t count,
                  cudaStream_t stream)
{
    const real *const q = (const real *)in[0], *const b = (const real *)in[1],
                      *const c = (const real *)in[2];
    real *const              x = (real *)out[0];
    const unsigned           blocks = (unsigned)((count + BLOCK - 1) / BLOCK);
    switch (function) {
    case INVERSE:
        inverse<<<blocks, BLOCK, 0, stream>>>(q, b, c, x, count);
        break;
    case FORWARD:
        forward<<<blocks, BLOCK, 0, stream>>>(q, b, c, x, count);
        break;
    case MASS:
        mass<<<blocks, BLOCK, 0, stream>>>(q, x, count);
        break;
    default:
        derivatives<<<blocks, BLOCK, 0, stream>>>(q, b, c, x, (real *)out[1], (real *)out[2],
                                                  count);
        break;
    }
}

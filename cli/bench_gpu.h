// arne bench --gpu: states per second on a CUDA device.
#ifndef CLI_BENCH_GPU_H
#define CLI_BENCH_GPU_H

#include <arne/batch.h>
#include <arne/gpu.h>
#include <stdio.h>

// One table for the robot, row by row as they are known. cache: the folder of compiled kernels,
// NULL: the user's own. EXIT_DATA where there is no device, or a result differs from that of the
// processor.
int bench_gpu(const arne_robot *robot, const char *cache, FILE *out);

// ---- between bench_gpu.c, bench_rollout.c and bench_ground.c ----

// A tile of random states is repeated over the arrays, so that every result has its counterpart
// from the processor.
enum { TILE = 250, GPU_INPUTS = 7, GROUND_NUMBERS = 10, GPU_COLUMNS = 7 };

typedef struct gpu_trial {
    const arne_robot *robot;
    arne_batch       *batch;
    arne_gpu         *gpu;
    int               is_float, frame;
    size_t            rows[GPU_INPUTS]; // of q, qd, qdd, tau, qddd, q_ref, ground
    double           *tile[GPU_INPUTS]; // TILE states of each
    double           *wanted, *torque;
    // Repeated over `count` states, on both sides.
    size_t count;
    void  *here[GPU_INPUTS], *there[GPU_INPUTS];
    FILE  *to;
    int    row_count, wrong;
} gpu_trial;

// Arrays of so many states. Outputs are room for one array, on both sides.
typedef struct gpu_room {
    size_t rows;
    void  *here, *there;
} gpu_room;

size_t      trial_entry(const gpu_trial *t);
double      trial_get(const gpu_trial *t, const void *array, size_t i);
void        trial_put(const gpu_trial *t, void *array, size_t i, double x);
arne_status trial_fill(gpu_trial *t, size_t count, arne_error *error);
void        trial_drop(gpu_trial *t);
arne_status room_new(gpu_trial *t, size_t rows, gpu_room *room, arne_error *error);
void        room_free(gpu_trial *t, gpu_room *room);
// The last TILE states of what came back.
void room_read(const gpu_trial *t, const gpu_room *room, double *found);

// Seconds of one run, the best of some.
arne_status trial_time(gpu_trial *t, arne_algorithm a, const arne_gpu_inputs *in,
                       const arne_gpu_outputs *out, double *seconds, arne_error *error);

// One row: states (or steps) per second on the device and with transfers (0: not measured), and the
// difference from the processor (negative: not compared).
void trial_row(gpu_trial *t, const char *what, const arne_gpu_kernel *kernel, double rate,
               double with, double off, double tolerance);

// Rollouts, beside those of the library's integrators.
arne_status bench_rollouts(gpu_trial *t, arne_error *error);
// Those on ground, of a robot with a free base and contact shapes.
arne_status bench_ground(gpu_trial *t, arne_error *error);

#endif

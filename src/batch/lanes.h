// One block of states in the lanes of a register: the face of lanes.c, which is compiled once for
// each width.
#ifndef ARNE_BATCH_LANES_H
#define ARNE_BATCH_LANES_H

#include <arne/batch.h>

// What all blocks of a run share. Arrays are indexed as in the catalogue, whose inputs come first.
typedef struct batch_job {
    const arne_robot        *robot;
    const arne_batch_inputs *given; // loads, frame, axes
    arne_algorithm           algorithm;
    size_t                   stride, count;
    const double            *in[ARNE_INPUT_COUNT]; // NULL: not read
    size_t                   in_rows[ARNE_INPUT_COUNT];
    arne_batch_layout        in_layout[ARNE_INPUT_COUNT], out_layout[ARNE_ARRAY_COUNT];
    double                  *out[ARNE_ARRAY_COUNT]; // NULL: not wanted
    size_t                   out_rows[ARNE_ARRAY_COUNT];
    size_t out_at[ARNE_ARRAY_COUNT]; // the first row of each output in a block's memory
} batch_job;

typedef void (*batch_look)(void *context, size_t block, unsigned lanes);

typedef struct batch_kernel {
    int width;
    // The bytes of a block, with room for some rows of inputs and outputs, and a block in such
    // memory.
    size_t (*size)(const arne_robot *robot, size_t in_rows, size_t out_rows);
    void (*place)(const arne_robot *robot, size_t in_rows, void *memory);
    void (*set_base)(const arne_robot *robot, void *memory, const arne_pose *at,
                     const arne_motion *velocity, const arne_motion *acceleration,
                     const arne_motion *jerk);
    // The blocks from `first` up to `end`. Where a mass matrix looks singular, `look` is told the
    // block and has a bit for each such lane.
    void (*run)(const batch_job *job, void *memory, size_t first, size_t end, batch_look look,
                void *context);
} batch_kernel;

extern const batch_kernel batch_kernel_1, batch_kernel_2, batch_kernel_4, batch_kernel_8;

// The widest that the robot's instruction set has, and this processor.
const batch_kernel *batch_kernel_widest(const arne_robot *robot);

#endif

// Algorithms of the catalogue on a few states, by a batch of one lane and one thread: for `arne
// bench`.
#ifndef CLI_BENCH_BATCH_H
#define CLI_BENCH_BATCH_H

#include <arne/batch.h>

typedef struct bench_batch bench_batch;

// The parts q, qd, qdd, qddd and tau of `count` states, state by state. NULL where there is no
// memory.
bench_batch *bench_batch_new(const arne_robot *robot, const double *const part[5], int count);
void         bench_batch_free(bench_batch *b);

// All states, with all the usual outputs of the algorithm.
arne_status bench_batch_run(bench_batch *b, arne_algorithm algorithm);

#endif

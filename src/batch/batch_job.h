// What a run is asked for, looked at before anything is computed.
#ifndef ARNE_BATCH_BATCH_JOB_H
#define ARNE_BATCH_BATCH_JOB_H

#include "batch/lanes.h"

// The most rows of input, and of output, that any algorithm has for one state.
size_t batch_most_inputs(const arne_robot *robot);
size_t batch_most_outputs(const arne_robot *robot);

// Fills *job, or says what is wrong with the request.
arne_status batch_job_make(const arne_robot *robot, arne_algorithm algorithm,
                           const arne_batch_inputs *inputs, const arne_batch_outputs *outputs,
                           size_t count, batch_job *job, arne_error *error);

#endif

// The constraint matrix of a robot's loops, which the public interface keeps to itself.
#ifndef TEST_LOOP_ROWS_H
#define TEST_LOOP_ROWS_H

#include <arne/loop.h>

// J at q, loop_row_count x v_count.
void loop_rows_at(const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
                  double *J);

#endif

#include "loop_rows.h"

#include "mechanism/loop_work.h"

#include <string.h>

void loop_rows_at(const arne_robot *robot, arne_work *w, arne_loop_work *loop, const double *q,
                  double *J)
{
    loop_constraints(robot, w, loop, q, NULL, NULL);
    memcpy(J, loop->J, (size_t)(loop->m * loop->n) * sizeof *J);
}

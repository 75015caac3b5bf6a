// What the loops of a robot leave, for `arne info` and `arne check`.
#include "info.h"
#include "message.h"

#include <stdlib.h>

void loop_facts_find(const arne_robot *robot, loop_facts *out)
{
    arne_work      *work = NULL;
    arne_loop_work *loop = NULL;
    double         *q = need((size_t)arne_robot_sizes(robot).q_count, sizeof *q);
    *out = (loop_facts){.status = arne_work_new(robot, &work)};
    if (out->status == ARNE_OK) out->status = arne_loop_work_new(robot, &loop);
    arne_start_configuration(robot, q);
    if (out->status == ARNE_OK)
        out->status = arne_assemble(robot, work, loop, NULL, q, NULL, &out->error);
    if (out->status == ARNE_OK)
        out->status = arne_loop_analyse(robot, work, loop, q, &out->report, NULL, &out->error);
    arne_loop_work_free(loop);
    arne_work_free(work);
    free(q);
}

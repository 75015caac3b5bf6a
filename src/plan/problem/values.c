#include "plan/problem/plan.h"
#include "plan/problem/values.k.h"
#include "robot/kernel.h"

KERNEL(void, plan_quantity_rows,
       (const arne_robot *robot, const plan_state *s, const arne_quantity *what, double *out),
       (robot, s, what, out))
{
    const quantity_state at = {robot, s->work, s->q, s->qd, s->qdd, s->qddd, s->u};
    quantity_rows(&at, what, out);
}

#include "plan/problem/plan.h"
#include "plan/problem/values.k.h"
#include <string.h>

int plan_built_in_values(const plan_quantity *quantity, plan_state *s, double *out)
{
    const quantity_state at = {s->plan->robot, s->plan->work, s->q, s->qd, s->qdd, s->qddd, s->u};
    if (quantity->what.kind == ARNE_QUANTITY_TORQUE || quantity->what.kind == ARNE_QUANTITY_POWER) {
        plan_torques(s); // shared
        for (int k = 0; k < s->plan->v_count; k++)
            out[k] = quantity->what.kind == ARNE_QUANTITY_TORQUE ? s->tau[k] : s->tau[k] * s->qd[k];
        return 0;
    }
    quantity_rows(&at, &quantity->what, out);
    return 0;
}

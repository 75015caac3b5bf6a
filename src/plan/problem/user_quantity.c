// Quantities computed by a function of the caller.
#include "base/error.h"
#include "plan/problem/plan.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct callback {
    arne_quantity_fn fn;
    void            *context;
    double          *scratch; // two sets of rows, and z
    int              has_gradient;
} callback;

static int values(const plan_quantity *q, plan_state *s, double *out)
{
    const callback *c = q->data;
    return c->fn(c->context, s->u, s->q, out, NULL);
}

static int by_differences(const plan_quantity *q, plan_state *s, double *out)
{
    const callback *c = q->data;
    const int       all = PLAN_ORDERS * s->problem->v_count;
    double         *up = c->scratch, *down = up + q->rows, *z = down + q->rows;
    memcpy(z, s->q, (size_t)all * sizeof *z);
    for (int k = 0; k < all; k++) {
        const double was = z[k], step = 1e-5 * fmax(1, fabs(was));
        z[k] = was + step;
        int bad = c->fn(c->context, s->u, z, up, NULL);
        z[k] = was - step;
        bad |= c->fn(c->context, s->u, z, down, NULL);
        z[k] = was;
        if (bad) return 1;
        for (int r = 0; r < q->rows; r++)
            out[r * all + k] = (up[r] - down[r]) / (2 * step);
    }
    return 0;
}

static int user_quantity_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    callback *c = q->data;
    if (c->has_gradient) {
        const int answer = c->fn(c->context, s->u, s->q, c->scratch, out);
        if (answer != -1) return answer;
        c->has_gradient = 0;
    }
    return by_differences(q, s, out);
}

static void user_quantity_release(void *data)
{
    callback *c = data;
    free(c->scratch);
    free(c);
}

arne_status arne_plan_add_callback(arne_plan *plan, const char *name, int rows, arne_quantity_fn fn,
                                   void *context, int *out, arne_error *error)
{
    if (!plan || !fn || !out) return arne_fail_null(error);
    if (rows < 1)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a quantity of one's own needs a function and rows");
    callback *c = calloc(1, sizeof *c);
    if (!c) return arne_fail_memory(error);
    *c = (callback){
        fn, context,
        calloc((size_t)(2 * rows + PLAN_ORDERS * plan->problem.v_count), sizeof(double)), 1};
    plan_quantity q = {.rows = rows,
                       .orders = 15,
                       .data = c,
                       .alone = 1,
                       .release = user_quantity_release,
                       .values = values,
                       .gradient = user_quantity_gradient};
    snprintf(q.name, sizeof q.name, "%s", name ? name : "callback");
    const arne_status status =
        c->scratch ? plan_add(plan_change(plan), &q, out, error) : arne_fail_memory(error);
    if (status) user_quantity_release(c);
    return status;
}

#include "testing.h"
#include <arne/integrate.h>

#include <stdlib.h>

// The state a time t later, to first order in everything: enough, for only the slope at t = 0
// counts.
static void move_to(const state *s, arne_work *work, double t, double *q, double *qd)
{
    double step[MAX_V];
    for (int i = 0; i < s->size.v_count; i++) {
        step[i] = t * s->qd[i];
        qd[i] = s->qd[i] + t * s->qdd[i];
    }
    arne_integrate(s->robot, s->q, step, q);

    state           moved = *s;
    const arne_vec3 w = s->base_velocity.ang;
    const double    rate = v3_length(w);
    const arne_pose turn = {rate > 0 ? m3_turn(v3_scale(1 / rate, w), t * rate) : m3_identity(),
                            v3_scale(t, s->base_velocity.lin)};
    moved.base_pose = pose_mul(s->base_pose, turn);
    moved.base_velocity.lin = v3_add(s->base_velocity.lin, v3_scale(t, s->base_acceleration.lin));
    moved.base_velocity.ang = v3_add(s->base_velocity.ang, v3_scale(t, s->base_acceleration.ang));
    state_set_base(&moved, work);
}

void rate_along(const state *s, arne_work *work, path_fn f, const void *context, int count,
                double *rate)
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const double        h = 4e-3;
    double              q[MAX_Q], qd[MAX_V];
    double             *out = malloc(sizeof *out * (size_t)(count + 1));

    assert_non_null(out);
    for (int i = 0; i < count; i++)
        rate[i] = 0;
    for (int k = -4; k <= 4; k++) {
        if (k == 0) continue;
        move_to(s, work, k * h, q, qd);
        f(s->robot, work, q, qd, context, out);
        const double c = (k < 0 ? -weight[-k - 1] : weight[k - 1]) / h;
        for (int i = 0; i < count; i++)
            rate[i] += c * out[i];
    }
    state_set_base(s, work);
    free(out);
}

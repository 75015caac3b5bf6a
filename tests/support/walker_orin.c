#include "walker_orin.h"

#include "testing.h"

void walker_orin_mass_matrix(const state *s, arne_work *work, double *M)
{
    const int n = s->size.v_count;
    double    zero[MAX_V] = {0}, unit[MAX_V] = {0}, rest[MAX_V], column[MAX_V];
    state     still = *s;

    state_stop_base(&still, work);
    arne_inverse_dynamics(s->robot, work, s->q, zero, zero, NULL, rest);
    for (int j = 0; j < n; j++) {
        unit[j] = 1;
        arne_inverse_dynamics(s->robot, work, s->q, zero, unit, NULL, column);
        unit[j] = 0;
        for (int i = 0; i < n; i++)
            M[i * n + j] = column[i] - rest[i];
    }
    state_set_base(s, work);
}

void walker_orin_bias(const state *s, arne_work *work, const arne_wrench *f_ext, double *bias)
{
    const double zero[MAX_V] = {0};
    arne_inverse_dynamics(s->robot, work, s->q, s->qd, zero, f_ext, bias);
}

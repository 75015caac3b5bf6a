#define ARNE_JET
#include "algo/inverse_dynamics.k.h"
#include "mechanism/jet_dynamics.h"

typedef struct jet_work {
    work  own;
    real *q, *qd, *qdd, *tau;
} jet_work;

static size_t rounded(size_t size) { return (size + 63) / 64 * 64; }

size_t jet_work_size(const arne_robot *robot)
{
    const size_t reals = (size_t)robot->q_count + 3 * (size_t)robot->v_count;
    return rounded(sizeof(jet_work)) + rounded(reals * sizeof(real)) + work_walk(robot, NULL, NULL);
}

void *jet_work_place(const arne_robot *robot, void *memory)
{
    jet_work    *j = memory;
    const size_t reals = (size_t)robot->q_count + 3 * (size_t)robot->v_count;
    char        *at = (char *)memory + rounded(sizeof *j);
    j->q = (real *)(void *)at;
    j->qd = j->q + robot->q_count;
    j->qdd = j->qd + robot->v_count;
    j->tau = j->qdd + robot->v_count;
    work_walk(robot, &j->own, at + rounded(reals * sizeof(real)));
    work_start(robot, &j->own);
    return j;
}

void jet_inverse_dynamics(const arne_robot *robot, void *memory, const double *const path[5],
                          const arne_wrench *f_ext, double *const tau[3])
{
    jet_work *j = memory;
    for (int k = 0; k < robot->q_count; k++)
        j->q[k] = r_jet(path[0][k], path[1][k], path[2][k]);
    for (int k = 0; k < robot->v_count; k++) {
        j->qd[k] = r_jet(path[1][k], path[2][k], path[3][k]);
        j->qdd[k] = r_jet(path[2][k], path[3][k], path[4][k]);
    }
    inverse_dynamics(robot, &j->own, j->q, j->qd, j->qdd, f_ext, j->tau);
    for (int k = 0; k < robot->v_count; k++) {
        tau[0][k] = j->tau[k].x;
        tau[1][k] = j->tau[k].d;
        tau[2][k] = j->tau[k].dd;
    }
}

// One state of a run over any arithmetic: what each thread of the device does, and what a test can do without one.
#ifndef ARNE_GPU_GPU_STATE_H
#define ARNE_GPU_GPU_STATE_H

#include "algo/factor.k.h"
#include "algo/forward_dynamics.k.h"
#include "algo/inverse_dynamics_derivatives.k.h"
#include "algo/kinematics.k.h"
#include "algo/mass_matrix.k.h"
#include "gpu/gpu_job.h"

// The memory of one thread: a workspace, then the inputs and outputs of its state.
typedef struct gpu_state {
    work *w;
    real *in[GPU_IN_COUNT];
    real *out;
} gpu_state;

ARNE_TEXT size_t gpu_padded(size_t bytes)
{
    return (bytes + ARNE_ALIGNMENT - 1) / ARNE_ALIGNMENT * ARNE_ALIGNMENT;
}

ARNE_TEXT size_t gpu_state_size(const arne_robot *r)
{
    const size_t q = (size_t)r->q_count, n = (size_t)r->v_count;
    return work_walk(r, NULL, NULL) + gpu_padded((q + 3 * n) * sizeof(real)) +
           gpu_padded((12 + q + 3 * n * n) * sizeof(real));
}

ARNE_TEXT gpu_state gpu_state_place(const arne_robot *r, char *memory)
{
    gpu_state    s;
    const size_t q = (size_t)r->q_count, n = (size_t)r->v_count;
    s.w = (work *)(void *)memory;
    real *at = (real *)(void *)(memory + work_walk(r, s.w, memory));
    work_start(r, s.w);
    s.in[GPU_IN_q] = at;
    s.in[GPU_IN_qd] = at + q;
    s.in[GPU_IN_qdd] = at + q + n;
    s.in[GPU_IN_tau] = at + q + 2 * n;
    s.out = (real *)(void *)((char *)at + gpu_padded((q + 3 * n) * sizeof(real)));
    return s;
}

ARNE_FN void gpu_write(const gpu_job *job, int output, size_t s, const real *x)
{
    real *to = (real *)job->out[output];
    for (size_t i = 0; to && i < job->out_rows[output]; i++)
        to[i * job->count + s] = x[i];
}

ARNE_FN void gpu_write_vec3(real *to, vec3 a)
{
    to[0] = vx(a);
    to[1] = vy(a);
    to[2] = vz(a);
}

ARNE_FN void gpu_pose(const arne_robot *r, const gpu_job *job, const gpu_state *t)
{
    kinematics(r, t->w, t->in[GPU_IN_q], NULL, NULL);
    const pose in_body = pose_lift(job->frame), X = pose_mul(&t->w->X_w[job->body], &in_body);
    gpu_write_vec3(t->out, X.R.x);
    gpu_write_vec3(t->out + 3, X.R.y);
    gpu_write_vec3(t->out + 6, X.R.z);
    gpu_write_vec3(t->out + 9, X.p);
}

// By articulated bodies, or by the mass matrix where mimic joints tie branches together.
ARNE_FN void gpu_forward_dynamics(const arne_robot *r, const gpu_state *t, real *qdd)
{
    const real *q = t->in[GPU_IN_q], *qd = t->in[GPU_IN_qd], *tau = t->in[GPU_IN_tau];
    work       *w = t->w;
    if (!r->has_mimic) {
        tree_forward_dynamics(r, w, q, qd, tau, NULL, qdd);
        return;
    }
    mass_matrix(r, w, q, w->matrix);
    factor(r->v_count, robot_factor_parents(r), w->matrix);
    inverse_dynamics(r, w, q, qd, w->zero, NULL, w->scratch);
    for (int k = 0; k < r->v_count; k++)
        qdd[k] = r_sub(tau[k], w->scratch[k]);
    factor_solve(r->v_count, robot_factor_parents(r), w->matrix, qdd);
}

ARNE_FN void gpu_rollout(const arne_robot *r, const gpu_job *job, const gpu_state *t)
{
    const real dt = r_num(job->dt);
    for (int step = 0; step < job->steps; step++) {
        gpu_forward_dynamics(r, t, t->out);
        for (int k = 0; k < r->v_count; k++) {
            t->in[GPU_IN_qd][k] = r_add_mul(t->in[GPU_IN_qd][k], t->out[k], dt);
            t->in[GPU_IN_q][k] = r_add_mul(t->in[GPU_IN_q][k], t->in[GPU_IN_qd][k], dt);
        }
    }
}

// The algorithm stands apart from the job, so that a compiler that knows it can leave out the others.
ARNE_FN void gpu_run_state(const arne_robot *r, const gpu_job *job, const gpu_state *t,
                           int algorithm, size_t s)
{
    const real *q = t->in[GPU_IN_q], *qd = t->in[GPU_IN_qd], *qdd = t->in[GPU_IN_qdd];
    const int   nn = r->v_count * r->v_count;
    for (int i = 0; i < GPU_IN_COUNT; i++) {
        const real *from = (const real *)job->in[i];
        for (size_t row = 0; from && row < job->in_rows[i]; row++)
            t->in[i][row] = from[row * job->count + s];
    }
    switch (algorithm) {
    case ARNE_GPU_POSE:
        gpu_pose(r, job, t);
        gpu_write(job, GPU_OUT_pose, s, t->out);
        break;
    case ARNE_GPU_INVERSE_DYNAMICS:
        inverse_dynamics(r, t->w, q, qd, qdd, NULL, t->out);
        gpu_write(job, GPU_OUT_torque, s, t->out);
        break;
    case ARNE_GPU_FORWARD_DYNAMICS:
        gpu_forward_dynamics(r, t, t->out);
        gpu_write(job, GPU_OUT_acceleration, s, t->out);
        break;
    case ARNE_GPU_MASS_MATRIX:
        mass_matrix(r, t->w, q, t->out);
        gpu_write(job, GPU_OUT_mass_matrix, s, t->out);
        break;
    case ARNE_GPU_INVERSE_DYNAMICS_DERIVATIVES:
        inverse_dynamics_derivatives(r, t->w, q, qd, qdd, NULL, 0, t->out, t->out + nn,
                                     t->out + 2 * nn);
        gpu_write(job, GPU_OUT_dtau_dq, s, t->out);
        gpu_write(job, GPU_OUT_dtau_dqd, s, t->out + nn);
        gpu_write(job, GPU_OUT_dtau_dqdd, s, t->out + 2 * nn);
        break;
    default:
        gpu_rollout(r, job, t);
        gpu_write(job, GPU_OUT_end_q, s, q);
        gpu_write(job, GPU_OUT_end_qd, s, qd);
        break;
    }
}

#endif

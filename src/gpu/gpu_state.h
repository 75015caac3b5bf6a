// One state of a run over any arithmetic: what each thread of the device does, and what a test can
// do without one.
#ifndef ARNE_GPU_GPU_STATE_H
#define ARNE_GPU_GPU_STATE_H

#include "algo/run_call.h"
#include "gpu/gpu_job.h"

// The memory of one thread: a workspace, then the inputs and outputs of its state.
typedef struct gpu_state {
    call          c;
    call_settings settings; // no loads
    real         *in, *out;
} gpu_state;

ARNE_TEXT size_t gpu_padded(size_t bytes)
{
    return (bytes + ARNE_ALIGNMENT - 1) / ARNE_ALIGNMENT * ARNE_ALIGNMENT;
}

ARNE_TEXT size_t gpu_state_size(const arne_robot *r, gpu_rows rows)
{
    return work_walk(r, NULL, NULL) + gpu_padded(rows.in * sizeof(real)) +
           gpu_padded(rows.out * sizeof(real));
}

// The addresses are the same for all states of a thread.
ARNE_TEXT void gpu_state_place(const arne_robot *r, const gpu_job *job, char *memory, gpu_state *s)
{
    size_t in_rows = 0;
    work  *w = (work *)(void *)memory;
    s->in = (real *)(void *)(memory + work_walk(r, w, memory));
    work_start(r, w);
    s->c.r = r;
    s->c.w = w;
    s->settings.loads = NULL;
    s->settings.load_count = 0;
    s->c.settings = &s->settings;
    s->c.f_ext = NULL;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++) {
        s->c.in[i] = job->in[i] ? s->in + job->in_at[i] : NULL;
        in_rows += job->in[i] ? job->in_rows[i] : 0;
    }
    s->out = (real *)(void *)((char *)s->in + gpu_padded(in_rows * sizeof(real)));
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        s->c.out[i] = job->out_rows[i] ? s->out + job->out_at[i] : NULL;
        s->c.wanted[i] = job->out[i] != NULL;
    }
}

// The frame's pose comes with the job: the robot's frames are not on the device.
ARNE_FN void gpu_pose(const gpu_job *job, const call *c)
{
    kinematics(c->r, c->w, IN(q), NULL, NULL);
    const pose in_body = pose_lift(job->frame);
    put_pose(OUT(pose), pose_mul(&c->w->X_w[job->body], &in_body));
}

ARNE_FN void gpu_rollout(const gpu_job *job, const gpu_state *t)
{
    const call *c = &t->c;
    const int   n = c->r->v_count;
    const real  dt = r_num(job->dt);
    real       *q = OUT(q_end), *qd = OUT(qd_end), *qdd = c->w->scratch + 3 * c->r->tree_v_count;
    for (int k = 0; k < n; k++) {
        q[k] = IN(q)[k];
        qd[k] = IN(qd)[k];
    }
    for (int step = 0; step < job->steps; step++) {
        forward_dynamics(c->r, c->w, q, qd, IN(tau), NULL, qdd);
        for (int k = 0; k < n; k++) {
            qd[k] = r_add_mul(qd[k], qdd[k], dt);
            q[k] = r_add_mul(q[k], qd[k], dt);
        }
    }
}

// The algorithm stands apart from the job, so that a compiler that knows it can leave out the
// others.
ARNE_FN void gpu_run_state(const gpu_job *job, const gpu_state *t, int algorithm, size_t s)
{
    for (int i = 0; i < ARNE_INPUT_COUNT; i++) {
        const real *from = (const real *)job->in[i];
        for (size_t row = 0; from && row < job->in_rows[i]; row++)
            t->in[job->in_at[i] + row] = from[(ptrdiff_t)row * job->in_layout[i].entry +
                                              (ptrdiff_t)s * job->in_layout[i].state];
    }
    if (algorithm == ARNE_ALGORITHM_POSE)
        gpu_pose(job, &t->c);
    else if (algorithm == ARNE_ALGORITHM_ROLLOUT)
        gpu_rollout(job, t);
    else
        run_call(algorithm, &t->c);
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        real *to = (real *)job->out[i];
        for (size_t row = 0; to && row < job->out_rows[i]; row++)
            to[(ptrdiff_t)row * job->out_layout[i].entry +
               (ptrdiff_t)s * job->out_layout[i].state] = t->out[job->out_at[i] + row];
    }
}

#endif

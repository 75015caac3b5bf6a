// What the functions of one state have at hand: py_single.c and py_derivatives.c have those of
// trees, py_closed.c those of mechanisms with loops.
#ifndef ARNE_PYTHON_SINGLE_STATE_H
#define ARNE_PYTHON_SINGLE_STATE_H

#include "single.h"

#define UNPACK                                                                                     \
    const arne_robot *r = c->self->robot;                                                          \
    arne_work        *w = c->work;                                                                 \
    double *const    *out = c->at->out;                                                            \
    (void)r;                                                                                       \
    (void)w;                                                                                       \
    (void)out
#define IN(name) (c->at->in[ARNE_ARRAY_##name])
#define WRENCHES ((const arne_wrench *)(const void *)IN(f_ext))
#define STATE(name) static arne_status name(const call *c)

typedef struct call {
    const robot_object *self;
    const method       *m;
    const asked        *what;
    arne_work          *work;
    arne_loop_work     *loop;
    const one_state    *at;
    arne_error         *error;
} call;

typedef arne_status (*state_function)(const call *);
// py_closed.c: what an algorithm computes of a closed mechanism, where that is another thing; NULL:
// the same as of a tree.
state_function closed_function(arne_algorithm algorithm);
// py_derivatives.c: derivatives, rates and the regressor; NULL: another algorithm.
state_function derivative_function(arne_algorithm algorithm);

static inline void put3(double *out, arne_vec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static inline void put_motion(double *out, arne_motion m)
{
    put3(out, m.lin);
    put3(out + 3, m.ang);
}

static inline void put_wrench(double *out, arne_wrench f)
{
    put3(out, f.lin);
    put3(out + 3, f.ang);
}

static inline void put_joint_wrenches(const call *c)
{
    for (int i = 0; i < c->self->size.joint_count; i++)
        put_wrench(c->at->out[0] + 6 * i, arne_joint_wrench(c->self->robot, c->work, i));
    put_wrench(c->at->out[1], arne_base_wrench(c->self->robot, c->work));
}

#endif

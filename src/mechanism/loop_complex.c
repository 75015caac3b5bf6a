// How the constraints change along a direction, exactly: their text in complex numbers, one step
// along the imaginary axis. A common motion of all bodies changes nothing in them, so the base
// stays where it is.
#define ARNE_COMPLEX
#include "mechanism/loop_work.h"

static const double STEP = 1e-100;

typedef struct part {
    work     *w;
    real     *q, *qd, *qdd, *J, *tree_J, *rate;
    loop_tie *ties;
    double   *qdot;
} part;

static size_t loop_complex_walk(const arne_robot *r, part *p, char *memory)
{
    const size_t q = (size_t)r->q_count, n = (size_t)r->v_count, t = (size_t)r->tree_v_count;
    const size_t m = (size_t)r->loop_row_count;
    size_t       at = work_walk(r, NULL, NULL);
    if (p) p->w = (work *)(void *)memory;
#define TAKE(name, type, count)                                                                    \
    if (p) p->name = (type *)(void *)(memory + at);                                                \
    at += ((count) * sizeof(type) + ARNE_ALIGNMENT - 1) / ARNE_ALIGNMENT * ARNE_ALIGNMENT;
    TAKE(q, real, q)
    TAKE(qd, real, n)
    TAKE(qdd, real, n)
    TAKE(J, real, m * n)
    TAKE(tree_J, real, m * t)
    TAKE(rate, real, m)
    TAKE(ties, loop_tie, (size_t)r->loop_count)
    TAKE(qdot, double, q)
#undef TAKE
    return at;
}

size_t loop_complex_size(const arne_robot *r)
{
    return r->loop_count ? loop_complex_walk(r, NULL, NULL) : 0;
}

void loop_complex_start(const arne_robot *r, void *memory)
{
    if (!r->loop_count) return;
    work *w = memory;
    work_walk(r, w, memory);
    work_start(r, w);
}

static void step(int count, const double *x, const double *dx, real *out)
{
    for (int k = 0; k < count; k++)
        out[k] = x[k] + (dx ? STEP * dx[k] * _Complex_I : 0);
}

void loop_complex_along(const arne_robot *r, void *memory, const double *q, const double *qd,
                        const double *qdd, const double *dq, const double *dqd, const double *dqdd,
                        double *dJ, double *drate)
{
    part p;
    loop_complex_walk(r, &p, memory);
    if (dq) arne_coordinate_rate(r, q, dq, p.qdot);
    step(r->q_count, q, dq ? p.qdot : NULL, p.q);
    step(r->v_count, qd, dqd, p.qd);
    step(r->v_count, qdd, dqdd, p.qdd);
    kinematics(r, p.w, p.q, p.qd, p.qdd);
    loops_tie(r, p.w, p.ties);
    if (dJ) {
        real *J = r->shares_coordinates ? p.tree_J : p.J;
        loops_jacobian(r, p.w, p.ties, J);
        collect_columns(r, p.w, r->loop_row_count, J, p.J);
        for (int k = 0; k < r->loop_row_count * r->v_count; k++)
            dJ[k] = cimag(p.J[k]) / STEP;
    }
    loops_motion(r, p.w, p.ties, r->shares_coordinates ? p.w->tree_qd : p.qd, 1, NULL, p.rate);
    for (int i = 0; i < r->loop_row_count; i++)
        drate[i] = cimag(p.rate[i]) / STEP;
}

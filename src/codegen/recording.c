// The algorithm texts over a tape.
#define ARNE_RECORD
#include "algo/factor.k.h"
#include "algo/forward_dynamics_shared.k.h"
#include "algo/gravity.k.h"
#include "algo/inverse_dynamics_derivatives.k.h"
#include "algo/jacobian.k.h"
#include "algo/mass_matrix.k.h"
#include "algo/regressor.k.h"
#include "algo/torque_rate.k.h"
#include "codegen/functions.h"
#include "mechanism/loop_straight.k.h"
#include <arne/identify.h>
#include <stdlib.h>
#include <string.h>

typedef struct inputs {
    const real *q, *qd, *qdd, *qddd, *tau;
} inputs;

// Memory of closed mechanisms.
typedef struct closed {
    loop_straight s;
    real         *tau, *qdd, *M, *A;
} closed;

static real *put_vec3(real *out, vec3 a)
{
    out[0] = vx(a);
    out[1] = vy(a);
    out[2] = vz(a);
    return out + 3;
}

// ---- the functions ----

#define RUN(id)                                                                                    \
    static void run_##id(const request *ask, const arne_robot *r, work *w, const inputs *in,       \
                         real *out)
#define UNUSED ((void)ask, (void)r, (void)w, (void)in)

RUN(pose)
{
    const int only = ask->options->frame, first = only < 0 ? 0 : only,
              end = only < 0 ? r->frame_count : only + 1;
    kinematics(r, w, in->q, NULL, NULL);
    for (int i = first; i < end; i++) {
        const arne_frame_info *f = &robot_frames(r)[i].info;
        const pose in_body = pose_lift(f->pose), X = pose_mul(&w->X_w[f->body], &in_body);
        out = put_vec3(put_vec3(put_vec3(put_vec3(out, X.R.x), X.R.y), X.R.z), X.p);
    }
}

RUN(jacobian) { jacobian(r, w, in->q, ask->options->frame, ask->options->axes, out); }

RUN(inverse_dynamics)
{
    UNUSED;
    inverse_dynamics(r, w, in->q, in->qd, in->qdd, NULL, out);
}

RUN(gravity)
{
    UNUSED;
    gravity(r, w, in->q, out);
}

RUN(bias)
{
    UNUSED;
    inverse_dynamics(r, w, in->q, in->qd, w->zero, NULL, out);
}

RUN(mass_matrix)
{
    UNUSED;
    mass_matrix(r, w, in->q, out);
}

// By recursion where there is one, else by the reduced mass matrix.
RUN(forward_dynamics)
{
    UNUSED;
    if (!r->has_mimic) {
        tree_forward_dynamics(r, w, in->q, in->qd, in->tau, NULL, out);
        return;
    }
    if (r->has_handles) {
        shared_forward_dynamics(r, w, in->q, in->qd, NULL, NULL, in->tau, NULL, out);
        return;
    }
    real *bias = w->scratch;
    mass_matrix(r, w, in->q, w->matrix);
    factor(r->v_count, robot_factor_parents(r), w->matrix);
    inverse_dynamics(r, w, in->q, in->qd, w->zero, NULL, bias);
    for (int k = 0; k < r->v_count; k++)
        out[k] = r_sub(in->tau[k], bias[k]);
    factor_solve(r->v_count, robot_factor_parents(r), w->matrix, out);
}

RUN(inverse_dynamics_derivatives)
{
    UNUSED;
    const int nn = r->v_count * r->v_count;
    inverse_dynamics_derivatives(r, w, in->q, in->qd, in->qdd, NULL, 0, out, out + nn,
                                 out + 2 * nn);
}

RUN(torque_rate)
{
    UNUSED;
    real *tau = tree_out(r, out, w->tree_tau), *rate = tree_out(r, out + r->v_count, w->tree_rate);
    tree_torque_rate(r, w, tree_q(r, w, in->q), tree_v(r, in->qd, w->tree_qd),
                     tree_v(r, in->qdd, w->tree_qdd), tree_v(r, in->qddd, w->tree_qddd), NULL, 0,
                     tau, rate);
    collect(r, tau, out);
    collect(r, rate, out + r->v_count);
}

RUN(joint_wrenches)
{
    UNUSED;
    inverse_dynamics(r, w, in->q, in->qd, in->qdd, NULL, w->scratch);
    for (int i = 0; i < r->joint_count; i++) {
        const joint_record *j = &robot_joints(r)[i];
        const pose          X = pose_lift(robot_frames(r)[j->info.child].info.pose);
        const force         f = w->f[j->body];
        out = put_vec3(put_vec3(out, into(&X, f.lin)), into(&X, f.ang));
    }
    put_vec3(put_vec3(out, w->f[0].lin), w->f[0].ang);
}

RUN(regressor)
{
    UNUSED;
    regressor(r, w, in->q, in->qd, in->qdd, PARAMETERS_OF_LINKS, out);
}

// ---- of closed mechanisms ----

static void closed_forward_dynamics(const arne_robot *r, work *w, closed *c, const inputs *in,
                                    real *out)
{
    const int n = c->s.n, rank = c->s.rank, f = n - rank;
    int      *above = calloc((size_t)(f + 1), sizeof *above);
    if (!above) return;
    straight_rest(r, w, &c->s, in->q, in->qd, c->qdd);
    inverse_dynamics(r, w, in->q, in->qd, c->qdd, NULL, c->tau);
    for (int k = 0; k < n; k++)
        c->tau[k] = r_sub(in->tau[k], c->tau[k]);
    mass_matrix(r, w, in->q, c->M);
    straight_mass_matrix(&c->s, c->M, c->A);
    straight_torques(&c->s, c->tau);
    for (int k = 0; k < f; k++) {
        above[k] = k - 1; // dense
        out[k] = c->tau[c->s.order[rank + k]];
    }
    factor(f, above, c->A);
    factor_solve(f, above, c->A, out);
    for (int k = 0; k < n; k++)
        c->tau[k] = r_num(0);
    for (int k = 0; k < f; k++)
        c->tau[c->s.order[rank + k]] = out[k];
    straight_solve(&c->s, NULL, c->tau); // G times the independent accelerations
    for (int k = 0; k < n; k++)
        out[k] = r_add(c->qdd[k], c->tau[k]);
    free(above);
}

static void closed_regressor(const arne_robot *r, work *w, closed *c, const inputs *in, real *out)
{
    const int n = c->s.n, count = arne_parameter_count(r);
    regressor(r, w, in->q, in->qd, in->qdd, PARAMETERS_OF_LINKS, out);
    kinematics(r, w, in->q, NULL, NULL);
    straight_factor(r, w, &c->s);
    for (int p = 0; p < count; p++) {
        for (int k = 0; k < n; k++)
            c->tau[k] = out[k * count + p];
        straight_torques(&c->s, c->tau);
        for (int k = 0; k < n; k++)
            out[k * count + p] = c->tau[k];
    }
}

// False where it is that of the tree too.
static int run_closed(const request *ask, function_id f, work *w, closed *c, const inputs *in,
                      real *out)
{
    const arne_robot *r = ask->form;
    switch (f) {
    case FUNCTION_inverse_dynamics:
    case FUNCTION_gravity:
        kinematics(r, w, in->q, NULL, NULL);
        straight_factor(r, w, &c->s);
        if (f == FUNCTION_gravity)
            gravity(r, w, in->q, out);
        else
            inverse_dynamics(r, w, in->q, in->qd, in->qdd, NULL, out);
        straight_torques(&c->s, out);
        return 1;
    case FUNCTION_bias:
        straight_rest(r, w, &c->s, in->q, in->qd, c->qdd);
        inverse_dynamics(r, w, in->q, in->qd, c->qdd, NULL, out);
        straight_torques(&c->s, out);
        return 1;
    case FUNCTION_mass_matrix:
        kinematics(r, w, in->q, NULL, NULL);
        straight_factor(r, w, &c->s);
        mass_matrix(r, w, in->q, c->M);
        straight_mass_matrix(&c->s, c->M, out);
        return 1;
    case FUNCTION_forward_dynamics:
        closed_forward_dynamics(r, w, c, in, out);
        return 1;
    case FUNCTION_regressor:
        closed_regressor(r, w, c, in, out);
        return 1;
    default:
        return 0;
    }
}

// One block for all; NULL where there is no memory.
static void *closed_place(const request *ask, closed *c)
{
    const arne_robot *r = ask->form;
    const size_t      m = (size_t)r->loop_row_count, n = (size_t)r->v_count;
    const size_t      t = (size_t)r->tree_v_count, s = m > n ? m : n;
    const size_t      room = m * t + m * n + m * n + n * n + m + n + s + 2 * n + 2 * n * n;
    char             *block = calloc((size_t)r->loop_count + 1, sizeof(loop_tie));
    real             *at = calloc(room + 1, sizeof *at);
    memset(c, 0, sizeof *c);
    c->s.ties = (loop_tie *)(void *)block;
    c->s.m = (int)m;
    c->s.n = (int)n;
    c->s.rank = ask->dependent;
    c->s.order = ask->order;
    if (!block || !at) {
        free(block);
        free(at);
        c->s.ties = NULL;
        return NULL;
    }
    real **const part[] = {&c->s.tree_J, &c->s.J, &c->s.Q, &c->s.R, &c->s.row, &c->s.free,
                           &c->s.all,    &c->tau, &c->qdd, &c->M,   &c->A};
    const size_t size[] = {m * t, m * n, m * n, n * n, m, n, s, n, n, n * n, n * n};
    void        *memory = at;
    for (size_t i = 0; i < sizeof part / sizeof *part; at += size[i++])
        *part[i] = at;
    return memory;
}

// ---- recording ----

static work *new_work(const arne_robot *r)
{
    const size_t size = (work_walk(r, NULL, NULL) / ARNE_ALIGNMENT + 1) * ARNE_ALIGNMENT;
    void        *memory = aligned_alloc(ARNE_ALIGNMENT, size);
    work        *w = memory;
    if (!w) return NULL;
    memset(memory, 0, size);
    work_walk(r, w, memory);
    work_start(r, w);
    return w;
}

// The variables in the order of the inputs. Their values do not matter, but a quaternion of zeros would divide by zero.
static inputs read_inputs(tape *t, const request *ask, function_id f, real *at)
{
    inputs     in = {NULL, NULL, NULL, NULL, NULL};
    array_info arrays[MOST_INPUTS];
    const int  count = function_inputs(ask, f, arrays);
    for (int i = 0; i < count; i++) {
        const char letter = function_of(f)->inputs[i];
        *(letter == 'q'   ? &in.q
          : letter == 'v' ? &in.qd
          : letter == 'a' ? &in.qdd
          : letter == 'j' ? &in.qddd
                          : &in.tau) = at;
        for (int k = 0; k < arrays[i].count; k++)
            *at++ = tape_variable(t, 0.5);
    }
    return in;
}

static void run_function(const request *ask, function_id f, work *w, const inputs *in, real *out)
{
    static void (*const all[])(const request *, const arne_robot *, work *, const inputs *,
                               real *) = {
#define FUNCTION(id, name, inputs, summary) run_##id,
        ARNE_GENERATED_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    all[f](ask, ask->form, w, in, out);
}

arne_status record_function(const request *ask, function_id f, tape **out, tape_ref **results)
{
    array_info   in[MOST_INPUTS], made[MOST_OUTPUTS];
    const size_t in_count = (size_t)total_count(in, function_inputs(ask, f, in)),
                 count = (size_t)total_count(made, function_outputs(ask, f, made));
    tape *t = *out = tape_new();
    *results = malloc(sizeof **results * (count + 1));
    work  *w = new_work(ask->form);
    real  *x = malloc(sizeof *x * (in_count + 1)), *y = calloc(count + 1, sizeof *y);
    closed c;
    void  *memory = closed_place(ask, &c);
    if (t && *results && w && x && y && memory) {
        const inputs all = read_inputs(t, ask, f, x);
        if (!ask->order || !run_closed(ask, f, w, &c, &all, y)) run_function(ask, f, w, &all, y);
        for (size_t i = 0; i < count; i++)
            (*results)[i] = tape_reference(t, y[i]);
    }
    const int fine = t && *results && w && x && y && memory && !t->failed;
    free(c.s.ties);
    free(memory);
    free(w);
    free(x);
    free(y);
    return fine ? ARNE_OK : ARNE_NO_MEMORY;
}

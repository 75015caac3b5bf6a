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
#include <stdlib.h>
#include <string.h>

typedef struct inputs {
    const real *q, *qd, *qdd, *qddd, *tau;
} inputs;

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
    work *w = new_work(ask->form);
    real *x = malloc(sizeof *x * (in_count + 1)), *y = calloc(count + 1, sizeof *y);
    if (t && *results && w && x && y) {
        const inputs all = read_inputs(t, ask, f, x);
        run_function(ask, f, w, &all, y);
        for (size_t i = 0; i < count; i++)
            (*results)[i] = tape_reference(t, y[i]);
    }
    const int fine = t && *results && w && x && y && !t->failed;
    free(w);
    free(x);
    free(y);
    return fine ? ARNE_OK : ARNE_NO_MEMORY;
}

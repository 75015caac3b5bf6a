// Torques and accelerations.
#include "algo/base_acceleration.k.h"
#include "algo/coriolis_matrix.k.h"
#include "algo/factor.k.h"
#include "algo/forward_dynamics_shared.k.h"
#include "algo/gravity.k.h"
#include "algo/hybrid_dynamics.k.h"
#include "algo/mass_matrix.k.h"
#include "algo/operational_inertia.k.h"
#include "algo/regressor.k.h"
#include "batch/block.h"
#include "batch/motions.k.h"

static int wants_wrenches(const call *c)
{
    return c->job->out[OUT_joint_wrenches] || c->job->out[OUT_base_wrench];
}

// What inverse dynamics has left in the workspace.
static void put_wrenches(const call *c)
{
    for (int i = 0; i < c->r->joint_count; i++)
        put_motion(c->out[OUT_joint_wrenches] + 6 * i, joint_wrench(c->r, c->w, i));
    const force f = base_wrench(c->r, c->w);
    put_motion(c->out[OUT_base_wrench], mo(f.lin, f.ang));
}

// The wrenches of an acceleration that the mass matrix has given.
static void put_wrenches_of(const call *c, const real *qdd)
{
    if (!wants_wrenches(c)) return;
    inverse_dynamics(c->r, c->w, c->in[IN_q], c->in[IN_qd], qdd, c->f_ext, c->w->scratch);
    put_wrenches(c);
}

RUN(INVERSE_DYNAMICS)
{
    UNPACK;
    w->keeps_wrenches = wants_wrenches(c);
    inverse_dynamics(r, w, in[IN_q], in[IN_qd], in[IN_qdd], c->f_ext, out[OUT_tau]);
    if (w->keeps_wrenches) put_wrenches(c);
    return 0;
}

RUN(GRAVITY)
{
    UNPACK;
    gravity(r, w, in[IN_q], out[OUT_tau]);
    return 0;
}

RUN(BIAS)
{
    UNPACK;
    inverse_dynamics(r, w, in[IN_q], in[IN_qd], w->zero, c->f_ext, out[OUT_tau]);
    return 0;
}

RUN(MASS_MATRIX)
{
    UNPACK;
    mass_matrix(r, w, in[IN_q], out[OUT_mass_matrix]);
    return 0;
}

RUN(CORIOLIS_MATRIX)
{
    UNPACK;
    coriolis_matrix(r, w, in[IN_q], in[IN_qd], out[OUT_coriolis_matrix]);
    return 0;
}

static unsigned factored_mass_matrix(const arne_robot *r, work *w, const real *q)
{
    mass_matrix(r, w, q, w->matrix);
    factor(r->v_count, robot_factor_parents(r), w->matrix);
    return suspicious(r->v_count, w->matrix, r->v_count + 1);
}

RUN(INVERSE_MASS_MATRIX)
{
    UNPACK;
    const unsigned bad = factored_mass_matrix(r, w, in[IN_q]);
    factor_invert(r->v_count, robot_factor_parents(r), w->matrix, out[OUT_inverse_mass_matrix]);
    return bad;
}

// M qdd = tau - bias
RUN(FORWARD_DYNAMICS_MATRIX)
{
    UNPACK;
    real          *bias = w->scratch, *qdd = out[OUT_qdd];
    const unsigned bad = factored_mass_matrix(r, w, in[IN_q]);
    inverse_dynamics(r, w, in[IN_q], in[IN_qd], w->zero, c->f_ext, bias);
    for (int k = 0; k < r->v_count; k++)
        qdd[k] = r_sub(in[IN_tau][k], bias[k]);
    factor_solve(r->v_count, robot_factor_parents(r), w->matrix, qdd);
    put_wrenches_of(c, qdd);
    return bad;
}

// After the recursions; returns the lanes that look singular.
static unsigned end_recursion(const call *c)
{
    if (wants_wrenches(c)) {
        (c->r->has_mimic ? shared_wrenches : wrenches_outward)(c->r, c->w);
        put_wrenches(c);
    }
    return suspicious(c->r->v_count, c->w->D, 1);
}

RUN(FORWARD_DYNAMICS)
{
    UNPACK;
    w->keeps_wrenches = wants_wrenches(c);
    if (!r->has_mimic)
        tree_forward_dynamics(r, w, in[IN_q], in[IN_qd], in[IN_tau], c->f_ext, out[OUT_qdd]);
    else if (r->has_handles)
        shared_forward_dynamics(r, w, in[IN_q], in[IN_qd], NULL, c->f_ext, in[IN_tau], NULL,
                                out[OUT_qdd]);
    else
        return LANES_NAME(batch_run_FORWARD_DYNAMICS_MATRIX)(c);
    return end_recursion(c);
}

RUN(HYBRID_DYNAMICS)
{
    UNPACK;
    const unsigned char *given = c->job->given->given;
    real                *tau = out[OUT_tau], *qdd = out[OUT_qdd];
    for (int k = 0; k < r->v_count; k++) {
        tau[k] = in[IN_tau][k];
        qdd[k] = in[IN_qdd][k];
    }
    if (r->has_mimic && !r->has_handles) {
        hybrid_by_matrix(r, w, in[IN_q], in[IN_qd], given, c->f_ext, tau, qdd);
        if (wants_wrenches(c)) put_wrenches(c);
        return suspicious(r->v_count, w->matrix, r->v_count + 1);
    }
    if (r->has_mimic)
        shared_forward_dynamics(r, w, in[IN_q], in[IN_qd], given, c->f_ext, tau, tau, qdd);
    else
        tree_hybrid_dynamics(r, w, in[IN_q], in[IN_qd], given, c->f_ext, tau, qdd);
    return end_recursion(c);
}

RUN(BASE_ACCELERATION)
{
    UNPACK;
    real *tau = tree_out(r, out[OUT_tau], w->tree_tau), *qdd = out[OUT_qdd];
    for (int k = 0; k < r->v_count; k++)
        qdd[k] = in[IN_qdd][k];
    real *a = tree_out(r, qdd, w->tree_qdd);
    tree_v(r, qdd, w->tree_qdd);
    tree_base_acceleration(r, w, tree_q(r, w, in[IN_q]), tree_v(r, in[IN_qd], w->tree_qd), c->f_ext,
                           a, tau);
    for (int k = 0; k < 6; k++)
        qdd[k] = a[k];
    collect(r, tau, out[OUT_tau]);
    return 0;
}

RUN(OPERATIONAL_INERTIA)
{
    UNPACK;
    const arne_batch_inputs *given = c->job->given;
    real                     mobility[36];
    const unsigned           bad = factored_mass_matrix(r, w, in[IN_q]);
    factored_mobility(r, w, in[IN_q], given->frame, given->axes, mobility);
    invert_mobility(mobility, out[OUT_operational_inertia]);
    return bad | suspicious(6, mobility, 7);
}

RUN(REGRESSOR)
{
    UNPACK;
    regressor(r, w, in[IN_q], in[IN_qd], in[IN_qdd], PARAMETERS_OF_LINKS, out[OUT_regressor]);
    return 0;
}

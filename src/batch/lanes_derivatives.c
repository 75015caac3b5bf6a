// How torques, accelerations and momenta change with the state.
#include "algo/centroidal_derivatives.k.h"
#include "algo/directional.k.h"
#include "algo/forward_dynamics_derivatives.k.h"
#include "algo/frame_derivatives.k.h"
#include "algo/second_derivatives.k.h"
#include "algo/torque_rate.k.h"
#include "batch/block.h"

static void parts(const call *c, const real *qdd)
{
    const arne_batch_inputs *given = c->job->given;
    common_parts(c->r, c->w, tree_q(c->r, c->w, c->in[IN_q]),
                 tree_v(c->r, c->in[IN_qd], c->w->tree_qd), tree_v(c->r, qdd, c->w->tree_qdd),
                 given->loads, given->load_count);
}

RUN(INVERSE_DYNAMICS_DERIVATIVES)
{
    UNPACK;
    parts(c, in[IN_qdd]);
    common_composites(r, w, c->job->given->load_count);
    composite_derivatives(r, w, out[OUT_dtau_dq], out[OUT_dtau_dqd], out[OUT_dtau_dqdd]);
    return 0;
}

static void solve_minus(const arne_robot *r, const work *w, real *X)
{
    row_scale(r->v_count * r->v_count, X, r_num(-1));
    factor_solve_rows(r->v_count, robot_factor_parents(r), w->matrix, r->v_count, X);
}

RUN(FORWARD_DYNAMICS_DERIVATIVES)
{
    UNPACK;
    const int   n = r->v_count, *above = robot_factor_parents(r);
    real       *M = tree_out(r, w->matrix, w->tree_matrix), *qdd = out[OUT_qdd];
    real       *bias = tree_out(r, w->scratch, w->tree_tau);
    const real *tree_qd = tree_v(r, in[IN_qd], w->tree_qd);
    parts(c, w->zero);
    common_composites(r, w, c->job->given->load_count);
    composite_mass_matrix(r, w, M);
    collect_matrix(r, M, w->matrix);
    composite_bias(r, w, tree_q(r, w, in[IN_q]), tree_qd, bias);
    collect(r, bias, w->scratch);
    factor(n, above, w->matrix);
    for (int k = 0; k < n; k++)
        qdd[k] = r_sub(in[IN_tau][k], w->scratch[k]);
    factor_solve(n, above, w->matrix, qdd);
    move_to_acceleration(r, w, tree_v(r, qdd, w->tree_qdd));
    composite_derivatives(r, w, out[OUT_dqdd_dq], out[OUT_dqdd_dqd], NULL);
    solve_minus(r, w, out[OUT_dqdd_dq]);
    solve_minus(r, w, out[OUT_dqdd_dqd]);
    if (c->job->out[OUT_dqdd_dtau]) factor_invert(n, above, w->matrix, out[OUT_dqdd_dtau]);
    return suspicious(n, w->matrix, n + 1);
}

RUN(INVERSE_DYNAMICS_ALONG)
{
    UNPACK;
    const int loads = c->job->given->load_count;
    real     *dtau = tree_out(r, out[OUT_dtau], w->tree_tau);
    parts(c, in[IN_qdd]);
    // the state is spent by now, so its arrays may take the directions
    const real *x = in[IN_along_q] ? tree_v(r, in[IN_along_q], w->tree_qd) : NULL;
    const real *y = in[IN_along_qd] ? tree_v(r, in[IN_along_qd], w->tree_qdd) : NULL;
    const real *z = in[IN_along_qdd] ? tree_v(r, in[IN_along_qdd], w->tree_qddd) : NULL;
    tree_inverse_dynamics_along(r, w, x, y, z, loads, dtau);
    collect(r, dtau, out[OUT_dtau]);
    return 0;
}

RUN(INVERSE_DYNAMICS_AGAINST)
{
    UNPACK;
    const int n = r->tree_v_count, loads = c->job->given->load_count;
    real     *x = w->scratch, *y = x + n, *z = y + n;
    parts(c, in[IN_qdd]);
    tree_inverse_dynamics_against(r, w, tree_v(r, in[IN_lambda], w->tree_tau), loads, x, y, z);
    deliver(r, 1, x, out[OUT_against_q]);
    deliver(r, 1, y, out[OUT_against_qd]);
    deliver(r, 1, z, out[OUT_against_qdd]);
    return 0;
}

RUN(SECOND_DERIVATIVES)
{
    UNPACK;
    const int   nn = r->tree_v_count * r->tree_v_count;
    real *const user[4] = {out[OUT_qq], out[OUT_qv], out[OUT_vv], out[OUT_qa]};
    real       *tree[4];
    for (int i = 0; i < 4; i++)
        tree[i] = !r->has_mimic ? user[i] : i < 3 ? w->tree_matrix + i * nn : w->matrix;
    parts(c, in[IN_qdd]);
    tree_second_derivatives(r, w, tree_v(r, in[IN_lambda], w->tree_tau), c->job->given->load_count,
                            tree[0], tree[1], tree[2], tree[3]);
    for (int i = 0; i < 4; i++)
        collect_matrix(r, tree[i], user[i]);
    return 0;
}

RUN(TORQUE_RATE)
{
    UNPACK;
    const arne_batch_inputs *given = c->job->given;
    real                    *tau = tree_out(r, out[OUT_tau], w->tree_tau);
    real                    *rate = tree_out(r, out[OUT_tau_rate], w->tree_rate);
    tree_torque_rate(r, w, tree_q(r, w, in[IN_q]), tree_v(r, in[IN_qd], w->tree_qd),
                     tree_v(r, in[IN_qdd], w->tree_qdd), tree_v(r, in[IN_qddd], w->tree_qddd),
                     given->loads, given->load_count, tau, rate);
    collect(r, tau, out[OUT_tau]);
    collect(r, rate, out[OUT_tau_rate]);
    if (c->job->out[OUT_jerk])
        put_motion(out[OUT_jerk], frame_jerk(r, w, given->frame, given->axes));
    if (c->job->out[OUT_com_jerk]) put_vec3(out[OUT_com_jerk], com_jerk(r, w));
    return 0;
}

RUN(WRENCH_DERIVATIVES)
{
    UNPACK;
    real *const user[3] = {out[OUT_dwrench_dq], out[OUT_dwrench_dqd], out[OUT_dwrench_dqdd]};
    parts(c, in[IN_qdd]);
    common_composites(r, w, c->job->given->load_count);
    for (int i = 0; i < 3; i++) {
        tree_wrench_derivative(r, w, c->job->given->joint, (direction)i, w->rows);
        deliver(r, 6, w->rows, user[i]);
    }
    return 0;
}

RUN(FRAME_MOTION_DERIVATIVES)
{
    UNPACK;
    const arne_batch_inputs *given = c->job->given;
    real *const              dv[3] = {out[OUT_dv_dq], out[OUT_dv_dqd], NULL};
    real *const              da[3] = {out[OUT_da_dq], out[OUT_da_dqd], out[OUT_da_dqdd]};
    const real              *qd = tree_v(r, in[IN_qd], w->tree_qd);
    joint_poses(r, w, tree_q(r, w, in[IN_q]));
    common_frame(r, w);
    common_axes(r, w);
    common_motions(r, w, qd, tree_v(r, in[IN_qdd], w->tree_qdd));
    const moving_frame m = frame_moving(r, w, given->frame);
    for (int i = 0; i < 3; i++) {
        tree_frame_derivative(r, w, &m, given->axes, (direction)i, w->rows, w->task);
        deliver(r, 6, w->rows, dv[i]);
        deliver(r, 6, w->task, da[i]);
    }
    return 0;
}

// The robot as one body, less loads.
static whole whole_of(const call *c)
{
    const arne_robot *r = c->r;
    work             *w = c->w;
    common_parts(r, w, tree_q(r, w, c->in[IN_q]), tree_v(r, c->in[IN_qd], w->tree_qd),
                 tree_v(r, c->in[IN_qdd], w->tree_qdd), NULL, 0);
    common_composites(r, w, 0);
    return common_whole(r, w);
}

RUN(CENTROIDAL_DERIVATIVES)
{
    UNPACK;
    real *const dh[3] = {out[OUT_dh_dq], out[OUT_dh_dqd], NULL};
    real *const drate[3] = {out[OUT_drate_dq], out[OUT_drate_dqd], out[OUT_drate_dqdd]};
    const whole all = whole_of(c);
    const vec3  lin = add_scaled(out_of(&w->base_pose, all.F.lin), lift(r->gravity), all.m);
    const vec3  ang = out_of(&w->base_pose, sub(all.F.ang, cross(all.c, all.F.lin)));
    put_motion(out[OUT_momentum_rate], mo(lin, ang));
    for (int i = 0; i < 3; i++) {
        tree_centroidal_derivative(r, w, &all, (direction)i, w->rows, w->task);
        deliver(r, 6, w->rows, dh[i]);
        deliver(r, 6, w->task, drate[i]);
    }
    return 0;
}

RUN(ZERO_MOMENT_POINT)
{
    UNPACK;
    const arne_batch_inputs *given = c->job->given;
    real *const              user[3] = {out[OUT_dzmp_dq], out[OUT_dzmp_dqd], out[OUT_dzmp_dqdd]};
    const whole              all = whole_of(c);
    const contact            p =
        contact_of(to_parent(&w->base_pose, all.F), lift(given->point), lift(given->normal));
    put_vec3(out[OUT_zmp], add(p.point, p.arm));
    for (int i = 0; i < 3; i++) {
        if (!c->job->out[OUT_dzmp_dq + i]) continue;
        tree_contact_derivative(r, w, &p, (direction)i, w->rows);
        deliver(r, 3, w->rows, user[i]);
    }
    return lanes_unless_larger(r_mul(p.pressure, p.pressure),
                               r_mul(p.square, r_num(ARNE_NO_PRESSURE * ARNE_NO_PRESSURE)));
}

// The derivatives among the algorithms. A part of variant.c: in its arithmetic, on its inputs.
#ifndef TEST_VARIANT_DERIVATIVES_H
#define TEST_VARIANT_DERIVATIVES_H

// A wrench on the last frame, fixed in the link or in the world.
static arne_load last_load(const arne_robot *r, int in_world)
{
    const arne_load l = {
        r->frame_count - 1, in_world, {{3, -2, 1}, {0.5, 1, -1.5}}, {{1, 2, -1}, {-0.5, 0.3, 0.2}}};
    return l;
}

RUN(inverse_dynamics_derivatives)
{
    const arne_load l = last_load(r, 1);
    const int       nn = r->v_count * r->v_count;
    inverse_dynamics_derivatives(r, w, in->q, in->qd, in->qdd, &l, 1, out, out + nn, out + 2 * nn);
}

// Six rows of the tree in the user's coordinates; where to put the next ones.
static real *next_rows(const arne_robot *r, const real *rows, real *out)
{
    const int count = 6 * r->v_count;
    collect_columns(r, 6, rows, out);
    if (!r->shares_coordinates) memcpy(out, rows, sizeof *out * (size_t)count);
    return out + count;
}

RUN(wrench_derivatives)
{
    const arne_load l = last_load(r, 1);
    const int       joint = r->joint_count - 1;
    real           *rows = w->rows;
    inverse_dynamics_derivatives(r, w, in->q, in->qd, in->qdd, &l, 1, NULL, NULL, NULL);
    for (int i = 0; joint >= 0 && i < 3; i++) {
        tree_wrench_derivative(r, w, joint, i == 0 ? ALONG_Q : i == 1 ? ALONG_QD : ALONG_QDD, rows);
        out = next_rows(r, rows, out);
    }
}

static void parts(const arne_robot *r, work *w, const inputs *in, const arne_load *loads, int count)
{
    common_parts(r, w, tree_q(r, w, in->q), tree_v(r, in->qd, w->tree_qd),
                 tree_v(r, in->qdd, w->tree_qdd), loads, count);
}

RUN(inverse_dynamics_along)
{
    const arne_load l = last_load(r, 1);
    real           *tau = tree_out(r, out, w->tree_tau);
    parts(r, w, in, &l, 1);
    const real *x = tree_v(r, in->qd, w->tree_qd), *y = tree_v(r, in->qdd, w->tree_qdd);
    tree_inverse_dynamics_along(r, w, x, y, tree_v(r, in->tau, w->tree_qddd), 1, tau);
    collect(r, tau, out);
}

RUN(inverse_dynamics_against)
{
    const arne_load l = last_load(r, 1);
    const int       n = r->tree_v_count;
    real           *tree = w->scratch;
    parts(r, w, in, &l, 1);
    tree_inverse_dynamics_against(r, w, tree_v(r, in->tau, w->tree_tau), 1, tree, tree + n,
                                  tree + 2 * n);
    for (int i = 0; i < 3; i++) {
        collect(r, tree + i * n, out + i * r->v_count);
        for (int k = 0; !r->shares_coordinates && k < n; k++)
            out[i * n + k] = tree[i * n + k];
    }
}

static void rate_of(const arne_robot *r, work *w, const inputs *in, const arne_load *loads,
                    int count, real *out)
{
    real *tau = tree_out(r, out, w->tree_tau), *rate = tree_out(r, out + r->v_count, w->tree_rate);
    tree_torque_rate(r, w, tree_q(r, w, in->q), tree_v(r, in->qd, w->tree_qd),
                     tree_v(r, in->qdd, w->tree_qdd), tree_v(r, in->tau, w->tree_qddd), loads,
                     count, tau, rate);
    collect(r, tau, out);
    collect(r, rate, out + r->v_count);
}

RUN(torque_rate) { rate_of(r, w, in, NULL, 0, out); }
RUN(torque_rate_loaded)
{
    const arne_load loads[2] = {last_load(r, 0), last_load(r, 1)};
    rate_of(r, w, in, loads, 2, out);
}

RUN(frame_derivatives)
{
    parts(r, w, in, NULL, 0);
    const moving_frame m = frame_moving(r, w, r->frame_count - 1);
    tree_frame_derivative(r, w, &m, ARNE_AXES_BODY, ALONG_Q, w->rows, w->task);
    out = next_rows(r, w->task, next_rows(r, w->rows, out));
    tree_frame_derivative(r, w, &m, ARNE_AXES_ALIGNED, ALONG_QD, w->rows, w->task);
    next_rows(r, w->task, next_rows(r, w->rows, out));
}

RUN(centroidal_derivatives)
{
    parts(r, w, in, NULL, 0);
    common_composites(r, w, 0);
    const whole all = common_whole(r, w);
    tree_centroidal_derivative(r, w, &all, ALONG_Q, w->rows, w->task);
    out = next_rows(r, w->task, next_rows(r, w->rows, out));
    tree_centroidal_derivative(r, w, &all, ALONG_QD, w->rows, w->task);
    next_rows(r, w->task, next_rows(r, w->rows, out));
}

RUN(second_derivatives)
{
    const arne_load l = last_load(r, 0);
    const int       n = r->tree_v_count, nn = n * n, m = r->v_count;
    real           *tree[4];
    for (int i = 0; i < 4; i++)
        tree[i] = !r->shares_coordinates ? out + i * nn
                  : i < 3                ? w->tree_matrix + i * nn
                                         : w->matrix;
    parts(r, w, in, &l, 1);
    tree_second_derivatives(r, w, tree_v(r, in->tau, w->tree_tau), 1, tree[0], tree[1], tree[2],
                            tree[3]);
    for (int i = 0; i < 4; i++)
        collect_matrix(r, tree[i], out + i * m * m);
}

#endif

// Every algorithm on one block of states. Compiled once for each width, with ARNE_LANES and the flags of a processor that
// has registers of that width; without it, for one state at a time in plain doubles, the oracle of the others.
#include "batch/lanes.h"
#include "algo/centroidal_derivatives.k.h"
#include "algo/coriolis_matrix.k.h"
#include "algo/directional.k.h"
#include "algo/energy.k.h"
#include "algo/forward_dynamics.k.h"
#include "algo/forward_dynamics_derivatives.k.h"
#include "algo/frame_derivatives.k.h"
#include "algo/gravity.k.h"
#include "algo/jacobian.k.h"
#include "algo/second_derivatives.k.h"
#include "algo/torque_rate.k.h"
#include "batch/motions.k.h"
#include <stdint.h>
#include <string.h>

#ifdef ARNE_LANES
enum { LANES = ARNE_LANES };
#else
enum { LANES = 1 };
#endif

// A block: the workspace, and the rows of inputs and outputs of its states side by side.
typedef struct block {
    work *w;
    real *in;   // rows of all inputs, one after the other
    load *load; // f_ext as the texts take it
    real *out;
} block;

// ---- memory ----

static size_t padded(size_t bytes)
{
    return (bytes + ARNE_ALIGNMENT - 1) / ARNE_ALIGNMENT * ARNE_ALIGNMENT;
}

static size_t block_size(const arne_robot *r, size_t in_rows, size_t out_rows)
{
    return padded(sizeof(block)) + padded(work_walk(r, NULL, NULL)) +
           padded(in_rows * sizeof(real)) + padded((size_t)r->body_count * sizeof(load)) +
           padded(out_rows * sizeof(real));
}

static void block_place(const arne_robot *r, size_t in_rows, void *memory)
{
    block *b = memory;
    char  *at = (char *)memory + padded(sizeof(block));
    b->w = (work *)(void *)at;
    work_walk(r, b->w, at);
    work_start(r, b->w);
    at += padded(work_walk(r, NULL, NULL));
    b->in = (real *)(void *)at;
    at += padded(in_rows * sizeof(real));
    b->load = (load *)(void *)at;
    at += padded((size_t)r->body_count * sizeof(load));
    b->out = (real *)(void *)at;
}

static void block_set_base(const arne_robot *r, void *memory, const arne_pose *at,
                           const arne_motion *velocity, const arne_motion *acceleration,
                           const arne_motion *jerk)
{
    const arne_pose identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    work           *w = ((block *)memory)->w;
    work_set_base(r, w, pose_lift(at ? *at : identity),
                  velocity ? motion_lift(*velocity) : motion_zero(),
                  acceleration ? motion_lift(*acceleration) : motion_zero());
    work_set_base_jerk(w, jerk ? motion_lift(*jerk) : motion_zero());
}

// ---- states into lanes and back ----

// Lanes without a state of their own repeat the last one: they cannot raise anything that it does not.
static void read_row(const double *from, size_t count, real *to)
{
    double few[LANES];
    if (count >= LANES) {
        memcpy(to, from, sizeof *to);
        return;
    }
    for (size_t i = 0; i < LANES; i++)
        few[i] = from[i < count ? i : count - 1];
    memcpy(to, few, sizeof *to);
}

static void write_row(const real *from, size_t count, double *to)
{
    memcpy(to, from, count >= LANES ? sizeof *from : count * sizeof *to);
}

// An array of the caller's, and the rows of the block that take it.
typedef struct transfer {
    double *user;
    real   *own;
    size_t  rows;
} transfer;

// What stays the same from block to block.
typedef struct call {
    const batch_job  *job;
    const arne_robot *r;
    work             *w;
    const real       *in[INPUT_COUNT]; // NULL: not given
    load             *f_ext;
    real             *out[OUTPUT_COUNT]; // NULL: the algorithm does not make it
    transfer          reads[INPUT_COUNT], writes[OUTPUT_COUNT];
    int               read_count, write_count;
} call;

static void read_loads(const real *x, int count, load *f)
{
    for (int i = 0; i < count; i++, x += 6) {
#ifdef ARNE_LANES
        f[i] = fo(v3(x[0], x[1], x[2]), v3(x[3], x[4], x[5]));
#else
        f[i] = (load){.lin = {x[0], x[1], x[2]}, .ang = {x[3], x[4], x[5]}};
#endif
    }
}

static void prepare(const batch_job *job, block *b, call *c)
{
    real *at = b->in;
    *c = (call){.job = job, .r = job->robot, .w = b->w};
    for (int i = 0; i < INPUT_COUNT; i++) {
        if (!job->in[i]) continue;
        // inputs are only read: one type serves both ways
        c->reads[c->read_count++] =
            (transfer){(double *)(uintptr_t)job->in[i], at, job->in_rows[i]};
        c->in[i] = at;
        at += job->in_rows[i];
    }
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        if (job->out_rows[i]) c->out[i] = b->out + job->out_at[i];
        if (job->out[i])
            c->writes[c->write_count++] = (transfer){job->out[i], c->out[i], job->out_rows[i]};
    }
    if (c->in[IN_f_ext]) c->f_ext = b->load;
}

static void read_block(const call *c, size_t first)
{
    const size_t stride = c->job->stride, count = c->job->count - first;
    for (int i = 0; i < c->read_count; i++) {
        const transfer *t = &c->reads[i];
        const double   *from = t->user + first;
        for (size_t row = 0; row < t->rows; row++, from += stride)
            read_row(from, count, &t->own[row]);
    }
    if (c->f_ext) read_loads(c->in[IN_f_ext], c->r->body_count, c->f_ext);
}

static void write_block(const call *c, size_t first)
{
    const size_t stride = c->job->stride, count = c->job->count - first;
    for (int i = 0; i < c->write_count; i++) {
        const transfer *t = &c->writes[i];
        double         *to = t->user + first;
        for (size_t row = 0; row < t->rows; row++, to += stride)
            write_row(&t->own[row], count, to);
    }
}

// ---- the algorithms: each returns the lanes that look singular ----

#define RUN(name) static unsigned run_##name(const call *c)
#define UNPACK                                                                                     \
    const arne_robot  *r = c->r;                                                                   \
    work              *w = c->w;                                                                   \
    const real *const *in = c->in;                                                                 \
    real *const       *out = c->out

static void put_vec3(real *out, vec3 a)
{
    out[0] = vx(a);
    out[1] = vy(a);
    out[2] = vz(a);
}

static void put_motion(real *out, motion a)
{
    put_vec3(out, a.lin);
    put_vec3(out + 3, a.ang);
}

RUN(KINEMATICS)
{
    UNPACK;
    const batch_job         *job = c->job;
    const arne_batch_inputs *given = job->given;
    const int                moves = job->out[OUT_velocity] || job->out[OUT_acceleration];
    kinematics(r, w, in[IN_q], moves ? in[IN_qd] : NULL,
               job->out[OUT_acceleration] ? in[IN_qdd] : NULL);
    if (job->out[OUT_pose]) {
        const pose X = frame_pose(r, w, given->frame);
        put_vec3(out[OUT_pose], X.R.x);
        put_vec3(out[OUT_pose] + 3, X.R.y);
        put_vec3(out[OUT_pose] + 6, X.R.z);
        put_vec3(out[OUT_pose] + 9, X.p);
    }
    if (job->out[OUT_velocity])
        put_motion(out[OUT_velocity], frame_velocity(r, w, given->frame, given->axes));
    if (job->out[OUT_acceleration])
        put_motion(out[OUT_acceleration],
                   frame_acceleration(r, w, given->frame, given->axes, given->kind));
    return 0;
}

RUN(JACOBIAN)
{
    UNPACK;
    const arne_batch_inputs *given = c->job->given;
    if (c->job->out[OUT_jacobian])
        jacobian(r, w, in[IN_q], given->frame, given->axes, out[OUT_jacobian]);
    if (c->job->out[OUT_jacobian_rate])
        jacobian_rate(r, w, in[IN_q], in[IN_qd], given->frame, given->axes, out[OUT_jacobian_rate]);
    return 0;
}

RUN(CENTER_OF_MASS)
{
    UNPACK;
    vec3 com, velocity = v3_zero();
    center_of_mass(r, w, in[IN_q], c->job->out[OUT_com_velocity] ? in[IN_qd] : NULL, &com,
                   &velocity);
    put_vec3(out[OUT_com], com);
    put_vec3(out[OUT_com_velocity], velocity);
    return 0;
}

RUN(COM_JACOBIAN)
{
    UNPACK;
    com_jacobian(r, w, in[IN_q], out[OUT_com_jacobian]);
    return 0;
}

RUN(ENERGY)
{
    UNPACK;
    if (c->job->out[OUT_kinetic]) *out[OUT_kinetic] = kinetic_energy(r, w, in[IN_q], in[IN_qd]);
    if (c->job->out[OUT_potential]) *out[OUT_potential] = potential_energy(r, w, in[IN_q]);
    return 0;
}

RUN(MOMENTUM)
{
    UNPACK;
    const force h = momentum_about_com(r, w, in[IN_q], in[IN_qd]);
    put_motion(out[OUT_momentum], mo(h.lin, h.ang));
    return 0;
}

RUN(CENTROIDAL_MATRIX)
{
    UNPACK;
    centroidal_matrix(r, w, in[IN_q], out[OUT_centroidal_matrix]);
    return 0;
}

RUN(INVERSE_DYNAMICS)
{
    UNPACK;
    inverse_dynamics(r, w, in[IN_q], in[IN_qd], in[IN_qdd], c->f_ext, out[OUT_tau]);
    for (int i = 0; c->job->out[OUT_joint_wrenches] && i < r->joint_count; i++)
        put_motion(out[OUT_joint_wrenches] + 6 * i, joint_wrench(r, w, i));
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

// Lanes where an entry of D, every `step`th number, is so much smaller than the largest that it may be rounding. A NaN is
// not larger than anything.
static unsigned suspicious(int n, const real *D, int step)
{
    unsigned lanes = 0;
#ifdef ARNE_LANES
    real      largest = r_num(0);
    real_bits good = ~(real_bits){0};
    for (int k = 0; k < n; k++) {
        const real_bits more = D[k * step] > largest;
        largest = (real)(((real_bits)D[k * step] & more) | ((real_bits)largest & ~more));
    }
    for (int k = 0; k < n; k++)
        good &= D[k * step] > largest * 1e-10;
    for (int i = 0; i < LANES; i++)
        lanes |= (unsigned)!good[i] << i;
#else
    double largest = 0;
    for (int k = 0; k < n; k++)
        largest = D[k * step] > largest ? D[k * step] : largest;
    for (int k = 0; k < n; k++)
        lanes |= (unsigned)!(D[k * step] > 1e-10 * largest);
#endif
    return lanes;
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
    return bad;
}

RUN(FORWARD_DYNAMICS)
{
    UNPACK;
    if (r->has_mimic) return run_FORWARD_DYNAMICS_MATRIX(c);
    tree_forward_dynamics(r, w, in[IN_q], in[IN_qd], in[IN_tau], c->f_ext, out[OUT_qdd]);
    return suspicious(r->v_count, w->D, 1);
}

// ---- derivatives ----

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

RUN(CENTROIDAL_DERIVATIVES)
{
    UNPACK;
    real *const dh[3] = {out[OUT_dh_dq], out[OUT_dh_dqd], NULL};
    real *const drate[3] = {out[OUT_drate_dq], out[OUT_drate_dqd], out[OUT_drate_dqdd]};
    common_parts(r, w, tree_q(r, w, in[IN_q]), tree_v(r, in[IN_qd], w->tree_qd),
                 tree_v(r, in[IN_qdd], w->tree_qdd), NULL, 0);
    common_composites(r, w, 0);
    const whole all = common_whole(r, w);
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

// ---- blocks ----

static void block_run(const batch_job *job, void *memory, size_t first, size_t end, batch_look look,
                      void *context)
{
    static unsigned (*const all[])(const call *) = {
#define ALGORITHM(name) run_##name,
        ARNE_BATCH_ALGORITHMS(ALGORITHM)
#undef ALGORITHM
    };
    call c;
    prepare(job, memory, &c);
    for (size_t b = first; b < end; b++) {
        read_block(&c, b * LANES);
        const unsigned bad = all[job->algorithm](&c);
        write_block(&c, b * LANES);
        if (bad) look(context, b, bad);
    }
}

#define KERNEL_OF(width) batch_kernel_##width
#define KERNEL(width) KERNEL_OF(width)
#ifndef ARNE_LANES
const batch_kernel batch_kernel_1 = {LANES, block_size, block_place, block_set_base, block_run};
#else
const batch_kernel KERNEL(ARNE_LANES) = {LANES, block_size, block_place, block_set_base, block_run};
#endif

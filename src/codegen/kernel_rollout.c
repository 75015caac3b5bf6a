// A rollout as a kernel: many steps in one launch, with the state in registers.
//
// Euler: qd += h qdd, then q = q (+) h qd. RK4 steps along velocities (Munthe-Kaas 1999), as
// src/simulate/fixed_step.c does; its four stages are a loop, so that the straight-line code of the
// accelerations is there once and stays in the instruction cache.
#include "codegen/kernel.h"
#include <arne/integrate.h>

// NULL: its coordinates are those of a vector.
static const char *curved(arne_joint_kind kind)
{
    const arne_joint_kind_info *facts = arne_joint_kind_facts(kind);
    return facts->has_body_axes ? facts->name : NULL;
}

// One function of two arrays of coordinates or velocities for all joints. of_q: whether the first,
// the second and the result are coordinates.
typedef struct joint_function {
    const char *name, *a, *b;
    int         of_q[3];
} joint_function;

static const joint_function STEP = {"step", "q", "v", {1, 0, 1}},
                            RATE = {"rate", "u", "v", {0, 0, 0}},
                            BETWEEN = {"between", "from", "to", {1, 1, 0}};

// A coordinate of a vector.
static void put_plain(buffer *b, const joint_function *f, int q, int v)
{
    if (f == &STEP) put(b, "    out[%d] = q[%d] + v[%d];\n", q, q, v);
    if (f == &RATE) put(b, "    out[%d] = v[%d];\n", v, v);
    if (f == &BETWEEN) put(b, "    out[%d] = to[%d] - from[%d];\n", v, q, q);
}

static void put_joint_function(buffer *b, const arne_robot *robot, const joint_function *f)
{
    const arne_sizes size = arne_robot_sizes(robot);
    put(b, "static __device__ __forceinline__ void %s(const real *%s, const real *%s, real *out)\n",
        f->name, f->a, f->b);
    put(b, "{\n    (void)%s;\n    (void)%s;\n", f->a, f->b);
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        const char           *kind = curved(j.kind);
        const int             at[2] = {j.v_start, j.q_start};
        if (j.v_count == 0) continue;
        if (kind)
            put(b, "    %s_%s(%s + %d, %s + %d, out + %d);\n", f->name, kind, f->a, at[f->of_q[0]],
                f->b, at[f->of_q[1]], at[f->of_q[2]]);
        for (int k = 0; !kind && k < j.v_count; k++)
            put_plain(b, f, j.q_start + k, j.v_start + k);
    }
    for (int i = 0; i < size.motor_count; i++) { // behind springs
        const arne_motor_info m = arne_robot_motor(robot, i);
        if (m.v_index >= 0) put_plain(b, f, m.q_index, m.v_index);
    }
    put(b, "}\n");
}

static void put_steps(buffer *b, const arne_robot *robot)
{
    put(b, "%s\n", kernel_steps);
    put_joint_function(b, robot, &STEP);
    put_joint_function(b, robot, &RATE);
    put_joint_function(b, robot, &BETWEEN);
}

// ---- torques ----

static int reads_q_ref(const arne_kernel_options *o) { return o->stiffness || o->policy; }
static int reads_qd_ref(const arne_kernel_options *o) { return o->damping || o->policy; }
static int has_factors(const arne_kernel_options *o)
{
    return o->policy || (!o->own_gains && (o->stiffness || o->damping));
}

static void kernel_rollout_put_torques(buffer *b, const kernel_plan *p)
{
    const arne_kernel_options *o = p->options;
    const int   has[3] = {o->stiffness && !o->own_gains, o->damping && !o->own_gains, o->policy};
    const char *kp = o->own_gains ? "c.kp" : "c.f->kp", *kd = o->own_gains ? "c.kd" : "c.f->kd";
    if (has_factors(o))
        put(b, "struct factors {\n%s%s%s};\n", has[0] ? "    real kp[NV];\n" : "",
            has[1] ? "    real kd[NV];\n" : "", has[2] ? "    real most[NV];\n" : "");
    put(b, "struct controller {\n    rows_in tau%s%s%s%s;\n", reads_q_ref(o) ? ", q_ref" : "",
        reads_qd_ref(o) ? ", qd_ref" : "", o->own_gains && o->stiffness ? ", kp" : "",
        o->own_gains && o->damping ? ", kd" : "");
    put(b, "%s%s%s};\n", has_factors(o) ? "    const factors *f;\n" : "",
        o->limits ? "    real stop_k, stop_d;\n" : "", o->policy ? "    const real *act;\n" : "");
    if (o->limits) put_limits(b, p);
    put(b, "static __device__ __forceinline__ void torques(const controller &c, const real *q,\n"
           "                                               const real *qd, real *tau)\n{\n"
           "    (void)q;\n    (void)qd;\n    EACH(i, NV) tau[i] = c.tau[i];\n");
    if (o->stiffness)
        put(b,
            "    real to[NQ], off[NV];\n    EACH(i, NQ) to[i] = c.q_ref[i];\n"
            "    between(q, to, off);\n    EACH(i, NV) tau[i] += %s[i] * off[i];\n",
            kp);
    if (o->damping)
        put(b, "    EACH(i, NV) tau[i] += %s[i] * ((c.qd_ref.at ? c.qd_ref[i] : 0) - qd[i]);\n",
            kd);
    if (o->policy) put(b, "    EACH(i, NV) tau[i] += c.act[i];\n");
    if (o->limits) put(b, "    stops(q, qd, c.stop_k, c.stop_d, tau);\n");
    put(b, "}\n\n");
    if (o->policy) put_policy(b, p);
}

// ---- the kernel ----

static void kernel_rollout_put_head(buffer *b, const kernel_plan *p)
{
    const arne_kernel_options *o = p->options;
    put(b, "extern \"C\" __global__ void __launch_bounds__(%d) arne_kernel(\n", ARNE_KERNEL_BLOCK);
    for (int i = 0; i < p->out->input_count + p->out->output_count; i++)
        put(b, "    const array %s_,\n", arne_catalogue_array(p->out->arrays[i])->name);
    put(b, "    unsigned long long count, int steps, real dt, long long tau_each");
    put(b, "%s%s%s%s%s%s%s)\n{\n", reads_q_ref(o) ? ", long long q_ref_each" : "",
        reads_qd_ref(o) ? ", long long qd_ref_each" : "",
        has_factors(o) ? ",\n    const factors f" : "",
        o->limits ? ",\n    real stop_k, real stop_d" : "",
        o->ground == ARNE_GROUND_FIELD
            ? ",\n    const real *heights, int rows, int columns, real corner_x, real corner_y, "
              "real spacing_x, real spacing_y"
            : "",
        o->rigid ? ", int sweeps" : "", o->policy ? ",\n    const array policy_, int holds" : "");
    put(b,
        "    const long long s = (long long)blockIdx.x * %d + threadIdx.x;\n"
        "    if ((unsigned long long)s >= count) return;\n",
        ARNE_KERNEL_BLOCK);
    put(b, "    real q[NQ], qd[NV], tau[NV], a[NV], v[NV];\n"
           "    const rows_in q_in(q_, s), qd_in(qd_, s);\n"
           "    EACH(i, NQ) q[i] = q_in[i];\n    EACH(i, NV) qd[i] = qd_in[i];\n");
    if (o->restart)
        put(b, "    if (rows_in(restart_, s)[0] != 0) {\n"
               "        EACH(i, NQ) q[i] = rows_in(q_start_, s)[i];\n"
               "        EACH(i, NV) qd[i] = rows_in(qd_start_, s)[i];\n    }\n");
    if (o->policy) put(b, "    real act[NV];\n    const rows_in weights(policy_, s);\n");
    put(b, "    controller c = {rows_in(tau_, s)%s%s%s%s%s%s%s};\n",
        reads_q_ref(o) ? ", rows_in(q_ref_, s)" : "",
        reads_qd_ref(o) ? ", rows_in(qd_ref_, s)" : "",
        o->own_gains && o->stiffness ? ", rows_in(stiffness_, s)" : "",
        o->own_gains && o->damping ? ", rows_in(damping_, s)" : "", has_factors(o) ? ", &f" : "",
        o->limits ? ", stop_k, stop_d" : "", o->policy ? ", act" : "");
    put_world_start(b, p);
}

static const char euler[] = "        torques(c, q, qd, tau);\n"
                            "        ACCELERATE;\n"
                            "        EACH(i, NV) qd[i] += dt * a[i];\n"
                            "        EACH(i, NV) v[i] = dt * qd[i];\n"
                            "        step(q, v, q);\n";

static const char runge_kutta[] =
    "        real u[NV], r[NV], sum[NV], q_sum[NV], q1[NQ];\n"
    "        EACH(i, NV) a[i] = r[i] = sum[i] = q_sum[i] = 0;\n"
    "        _Pragma(\"unroll 1\") for (int stage = 0; stage < 4; stage++) {\n"
    "            const real part = stage == 0 ? 0 : stage == 3 ? dt : (real)0.5 * dt;\n"
    "            const real weight = dt * (stage % 3 ? (real)(1.0 / 3) : (real)(1.0 / 6));\n"
    "            EACH(i, NV) u[i] = part * r[i];\n"
    "            EACH(i, NV) v[i] = qd[i] + part * a[i];\n"
    "            step(q, u, q1);\n"
    "            torques(c, q1, v, tau);\n"
    "            accelerate(w, q1, v, tau, a);\n"
    "            rate(u, v, r);\n"
    "            EACH(i, NV) q_sum[i] += weight * r[i];\n"
    "            EACH(i, NV) sum[i] += weight * a[i];\n"
    "        }\n"
    "        EACH(i, NV) qd[i] += sum[i];\n"
    "        step(q, q_sum, q);\n";

static void put_end(buffer *b, const kernel_plan *p, arne_array array, const char *from)
{
    for (int i = p->out->input_count; i < p->out->input_count + p->out->output_count; i++)
        if (p->out->arrays[i] == array)
            put(b, "    EACH(i, %s) rows_out(%s_, s)[i] = %s[i];\n",
                array == ARNE_ARRAY_q_end ? "NQ" : "NV", arne_catalogue_array(array)->name, from);
}

void put_rollout(buffer *b, const kernel_plan *p)
{
    const arne_kernel_options *o = p->options;
    put_steps(b, p->ask.robot);
    put_world(b, p);
    kernel_rollout_put_torques(b, p);
    put(b, "#define ACCELERATE %s\n",
        o->rigid ? "rigid_accelerate(w, q, qd, tau, dt, sweeps, felt, a)"
                 : "accelerate(w, q, qd, tau, a)");
    kernel_rollout_put_head(b, p);
    put(b, "    _Pragma(\"unroll 1\") for (int k = 0; k < steps; k++) {\n");
    if (o->policy) put(b, "        if (k %% holds == 0) policy(weights, c, q, qd, act);\n");
    put(b, "%s", o->method == ARNE_METHOD_RK4 ? runge_kutta : euler);
    put(b, "        c.tau.at += tau_each;\n");
    if (reads_q_ref(o)) put(b, "        c.q_ref.at += q_ref_each;\n");
    if (reads_qd_ref(o)) put(b, "        if (c.qd_ref.at) c.qd_ref.at += qd_ref_each;\n");
    put(b, "    }\n");
    put_end(b, p, ARNE_ARRAY_q_end, "q");
    put_end(b, p, ARNE_ARRAY_qd_end, "qd");
    put(b, "}\n");
}

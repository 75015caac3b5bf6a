// Every algorithm in one arithmetic; the macros of math/real.h say in which.
#include "variant.h"
#include "texts.h"
#include <stdlib.h>
#include <string.h>

// ---- the arithmetic: a number of a state becomes a real, and a real an output ----

#if defined ARNE_COMPLEX
#define VARIANT variant_complex
enum { LANES = 1 };
static real input(struct tape *t, const double *x)
{
    (void)t;
    return *x;
}
static double output(real x, int lane)
{
    (void)lane;
    return creal(x);
}

#elif defined ARNE_LANES
#define VARIANT variant_lanes
enum { LANES = ARNE_LANES };
// The same number of each of the states, which lie side by side.
static real input(struct tape *t, const double *x)
{
    real all = r_num(0);
    (void)t;
    for (int i = 0; i < LANES; i++)
        all[i] = *(const double *)(const void *)((const char *)x + (size_t)i * sizeof(state));
    return all;
}
static double output(real x, int lane) { return x[lane]; }

#elif defined ARNE_RECORD
#define VARIANT variant_record
enum { LANES = 1 };
static real   input(struct tape *t, const double *x) { return tape_variable(t, *x); }
static double output(real x, int lane)
{
    (void)lane;
    return x.value;
}

#else
#ifdef ARNE_WIDE
#define VARIANT variant_wide
#else
#define VARIANT variant_double
#endif
enum { LANES = 1 };
static real input(struct tape *t, const double *x)
{
    (void)t;
    return *x;
}
static double output(real x, int lane)
{
    (void)lane;
    return x;
}
#endif

// ---- inputs ----

typedef struct inputs {
    real   q[MAX_Q], qd[MAX_V], qdd[MAX_V], tau[MAX_V];
    load   f_ext[MAX_BODIES];
    pose   base_pose;
    motion base_velocity, base_acceleration;
} inputs;

static void input_array(struct tape *t, int count, const double *x, real *out)
{
    for (int i = 0; i < count; i++)
        out[i] = input(t, &x[i]);
}

static vec3 input_vec3(struct tape *t, const arne_vec3 *a)
{
    return v3(input(t, &a->x), input(t, &a->y), input(t, &a->z));
}

static pose input_pose(struct tape *t, const arne_pose *X)
{
    const mat3 R = m3(input_vec3(t, &X->R.x), input_vec3(t, &X->R.y), input_vec3(t, &X->R.z));
    return pose_from(R, input_vec3(t, &X->p));
}

static motion input_motion(struct tape *t, const arne_motion *v)
{
    return mo(input_vec3(t, &v->lin), input_vec3(t, &v->ang));
}

static load input_load(struct tape *t, const arne_wrench *f)
{
#if defined ARNE_COMPLEX || defined ARNE_LANES || defined ARNE_RECORD
    return fo(input_vec3(t, &f->lin), input_vec3(t, &f->ang));
#else
    (void)t;
    return *f;
#endif
}

static void read_inputs(struct tape *t, const state *s, inputs *in)
{
    input_array(t, s->size.q_count, s->q, in->q);
    input_array(t, s->size.v_count, s->qd, in->qd);
    input_array(t, s->size.v_count, s->qdd, in->qdd);
    input_array(t, s->size.v_count, s->tau, in->tau);
    for (int i = 0; i < s->size.body_count; i++)
        in->f_ext[i] = input_load(t, &s->f_ext[i]);
    in->base_pose = input_pose(t, &s->base_pose);
    in->base_velocity = input_motion(t, &s->base_velocity);
    in->base_acceleration = input_motion(t, &s->base_acceleration);
}

// ---- outputs ----

static real *next_vec3(real *out, vec3 a)
{
    put_vec3(out, a);
    return out + 3;
}

static real *next_motion(real *out, motion v) { return next_vec3(next_vec3(out, v.lin), v.ang); }

static void all_wrenches(const arne_robot *r, const work *w, real *out)
{
    for (int i = 0; i < r->body_count; i++)
        out = next_vec3(next_vec3(out, w->f[i].lin), w->f[i].ang);
}

// ---- the algorithms ----

#define RUN(name) static void run_##name(const arne_robot *r, work *w, const inputs *in, real *out)

RUN(pose)
{
    kinematics(r, w, in->q, NULL, NULL);
    for (int i = 0; i < r->body_count; i++) {
        const pose *X = &w->X_w[i];
        out = next_vec3(next_vec3(next_vec3(next_vec3(out, X->R.x), X->R.y), X->R.z), X->p);
    }
}

RUN(velocity)
{
    kinematics(r, w, in->q, in->qd, NULL);
    for (int i = 0; i < r->body_count; i++)
        out = next_motion(out, w->v[i]);
}

RUN(acceleration)
{
    kinematics(r, w, in->q, in->qd, in->qdd);
    for (int i = 0; i < r->body_count; i++)
        out = next_motion(out, w->a[i]);
}

RUN(jacobian_body) { jacobian(r, w, in->q, r->frame_count - 1, ARNE_AXES_BODY, out); }
RUN(jacobian_world) { jacobian(r, w, in->q, r->frame_count - 1, ARNE_AXES_WORLD, out); }
RUN(jacobian_aligned) { jacobian(r, w, in->q, r->frame_count - 1, ARNE_AXES_ALIGNED, out); }
RUN(jacobian_rate_body)
{
    jacobian_rate(r, w, in->q, in->qd, r->frame_count - 1, ARNE_AXES_BODY, out);
}
RUN(jacobian_rate_world)
{
    jacobian_rate(r, w, in->q, in->qd, r->frame_count - 1, ARNE_AXES_WORLD, out);
}
RUN(jacobian_rate_aligned)
{
    jacobian_rate(r, w, in->q, in->qd, r->frame_count - 1, ARNE_AXES_ALIGNED, out);
}

RUN(center_of_mass)
{
    vec3 com;
    center_of_mass(r, w, in->q, NULL, &com, NULL);
    put_vec3(out, com);
}

RUN(com_velocity)
{
    vec3 com, velocity = v3_zero();
    center_of_mass(r, w, in->q, in->qd, &com, &velocity);
    put_vec3(out, velocity);
}

RUN(com_jacobian) { com_jacobian(r, w, in->q, out); }

RUN(momentum)
{
    const force h = momentum_about_com(r, w, in->q, in->qd);
    next_vec3(next_vec3(out, h.lin), h.ang);
}

RUN(centroidal_matrix) { centroidal_matrix(r, w, in->q, out); }
RUN(kinetic_energy) { *out = kinetic_energy(r, w, in->q, in->qd); }
RUN(potential_energy) { *out = potential_energy(r, w, in->q); }
RUN(inverse_dynamics) { inverse_dynamics(r, w, in->q, in->qd, in->qdd, NULL, out); }
RUN(inverse_dynamics_loaded) { inverse_dynamics(r, w, in->q, in->qd, in->qdd, in->f_ext, out); }

RUN(joint_wrenches)
{
    inverse_dynamics(r, w, in->q, in->qd, in->qdd, in->f_ext, w->scratch);
    all_wrenches(r, w, out);
}

RUN(gravity) { gravity(r, w, in->q, out); }
RUN(regressor) { regressor(r, w, in->q, in->qd, in->qdd, PARAMETERS_OF_LINKS, out); }
RUN(bias) { inverse_dynamics(r, w, in->q, in->qd, w->zero, NULL, out); }
RUN(coriolis_matrix) { coriolis_matrix(r, w, in->q, in->qd, out); }
RUN(mass_matrix) { mass_matrix(r, w, in->q, out); }

RUN(factor)
{
    mass_matrix(r, w, in->q, out);
    factor(r->v_count, robot_factor_parents(r), out);
}

RUN(solve)
{
    run_factor(r, w, in, w->matrix);
    memcpy(out, in->tau, sizeof *out * (size_t)r->v_count);
    factor_solve(r->v_count, robot_factor_parents(r), w->matrix, out);
}

RUN(inverse_mass_matrix)
{
    run_factor(r, w, in, w->matrix);
    factor_invert(r->v_count, robot_factor_parents(r), w->matrix, out);
}

RUN(forward_dynamics) { forward_dynamics(r, w, in->q, in->qd, in->tau, NULL, out); }
RUN(forward_dynamics_loaded) { forward_dynamics(r, w, in->q, in->qd, in->tau, in->f_ext, out); }
RUN(forward_dynamics_matrix) { forward_by_matrix(r, w, in->q, in->qd, in->tau, NULL, out); }

RUN(forward_wrenches)
{
    real             *qdd = w->scratch + 3 * r->tree_v_count;
    const forward_way way = forward_dynamics(r, w, in->q, in->qd, in->tau, in->f_ext, qdd);
    if (way == FORWARD_BY_MATRIX)
        inverse_dynamics(r, w, in->q, in->qd, qdd, in->f_ext, w->rows);
    else if (way == FORWARD_BY_HANDLES)
        shared_wrenches(r, w);
    else
        wrenches_outward(r, w);
    all_wrenches(r, w, out);
}

#include "variant_derivatives.h"

// ---- running them ----

// Results that may be kept until they are read.
typedef struct run {
    int   count;
    work *w;
    real *out;
} run;

// Memory begins as NaN, so that a text that reads what it has not written is found out.
static void *new_memory(size_t size)
{
    const size_t bytes = (size / ARNE_ALIGNMENT + 1) * ARNE_ALIGNMENT;
    void        *memory = aligned_alloc(ARNE_ALIGNMENT, bytes);
    if (!memory) abort();
    return memset(memory, 0xff, bytes);
}

static run run_algorithm(const arne_robot *r, algorithm a, const inputs *in)
{
    static void (*const all[])(const arne_robot *, work *, const inputs *, real *) = {
#define ALGORITHM(name, count, type) run_##name,
        ALGORITHMS(ALGORITHM)
#undef ALGORITHM
    };
    run done;
    done.count = algorithm_outputs(r, a);
    done.w = new_memory(work_walk(r, NULL, NULL));
    done.out = new_memory(sizeof *done.out * (size_t)done.count);
    work_walk(r, done.w, (char *)done.w);
    work_start(r, done.w);
    if (r->base == ARNE_BASE_PRESCRIBED)
        work_set_base(r, done.w, in->base_pose, in->base_velocity, in->base_acceleration);
    all[a](r, done.w, in, done.out);
    return done;
}

static void run_end(run done)
{
    free(done.w);
    free(done.out);
}

static void run_states(const arne_robot *robot, algorithm a, const state *states, double *out)
{
    inputs       in;
    struct tape *t = NULL;
#ifdef ARNE_RECORD
    t = tape_new();
#endif
    read_inputs(t, states, &in);
    const run done = run_algorithm(robot, a, &in);
    for (int lane = 0; lane < LANES; lane++)
        for (int i = 0; i < done.count; i++)
            *out++ = output(done.out[i], lane);
    run_end(done);
#ifdef ARNE_RECORD
    tape_free(t);
#endif
}

#define NAME_OF(variant) #variant
#define NAMED(variant) NAME_OF(variant)
const variant VARIANT = {NAMED(VARIANT), LANES, run_states};

#ifdef ARNE_COMPLEX

// So small that its square vanishes next to anything.
static const double STEP = 1e-100;

static void step_q(const arne_robot *r, const state *s, int coordinate, real *q)
{
    double along[MAX_V] = {0}, rate[MAX_Q];
    along[coordinate] = 1;
    arne_coordinate_rate(r, s->q, along, rate);
    for (int i = 0; i < s->size.q_count; i++)
        q[i] += rate[i] * STEP * _Complex_I;
}

static void step_wrench(force *f, int component)
{
    const real h = STEP * _Complex_I, o = 0;
    vec3      *part = component < 3 ? &f->lin : &f->ang;
    const int  k = component % 3;
    *part = add(*part, v3(k == 0 ? h : o, k == 1 ? h : o, k == 2 ? h : o));
}

void variant_complex_step(const arne_robot *robot, algorithm a, const state *s, variant_input input,
                          int coordinate, double *out)
{
    inputs in;
    read_inputs(NULL, s, &in);
    if (input == INPUT_Q) step_q(robot, s, coordinate, in.q);
    if (input == INPUT_QD) in.qd[coordinate] += STEP * _Complex_I;
    if (input == INPUT_QDD) in.qdd[coordinate] += STEP * _Complex_I;
    if (input == INPUT_TAU) in.tau[coordinate] += STEP * _Complex_I;
    if (input == INPUT_F_EXT) step_wrench(&in.f_ext[coordinate / 6], coordinate % 6);

    const run done = run_algorithm(robot, a, &in);
    for (int i = 0; i < done.count; i++)
        out[i] = cimag(done.out[i]) / STEP;
    run_end(done);
}

#endif

#ifdef ARNE_RECORD

operation_counts variant_count(const arne_robot *robot, algorithm a, const state *s)
{
    inputs       in;
    struct tape *t = tape_new();
    read_inputs(t, s, &in);
    const run              done = run_algorithm(robot, a, &in);
    const operation_counts counts = tape_count(t, done.out, done.count);
    run_end(done);
    tape_free(t);
    return counts;
}

#endif

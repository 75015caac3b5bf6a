// The catalogue in one arithmetic; the macros of math/real.h say in which.
#include "variant.h"
#include "algo/run_call.h"
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
    real   f_ext[6 * MAX_BODIES];
    real   ground[10];
    pose   base_pose;
    motion base_velocity, base_acceleration;
} inputs;

// A sloping plane of ground.
static const double GROUND[10] = {0.1, -0.2, 0.3, 0.48, 0.6, 0.64, 0.7, 900, 0.4, 0.05};

static void input_array(struct tape *t, int count, const double *x, real *out)
{
    for (int i = 0; i < count; i++)
        out[i] = input(t, &x[i]);
}

// A number that all states share.
static real input_same(struct tape *t, double x)
{
#ifdef ARNE_RECORD
    return tape_variable(t, x);
#else
    (void)t;
    return r_num(x);
#endif
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

static void read_inputs(struct tape *t, const state *s, inputs *in)
{
    input_array(t, s->size.q_count, s->q, in->q);
    input_array(t, s->size.v_count, s->qd, in->qd);
    input_array(t, s->size.v_count, s->qdd, in->qdd);
    input_array(t, s->size.v_count, s->tau, in->tau);
    input_array(t, 6 * s->size.body_count, &s->f_ext[0].lin.x, in->f_ext);
    for (int i = 0; i < 10; i++)
        in->ground[i] = input_same(t, GROUND[i]);
    in->base_pose = input_pose(t, &s->base_pose);
    in->base_velocity = input_motion(t, &s->base_velocity);
    in->base_acceleration = input_motion(t, &s->base_acceleration);
}

// ---- running it ----

// Results that may be kept until they are read.
typedef struct run {
    int   count;
    work *w;
    load *f_ext;
    real *made, *out; // all that the algorithm makes, and what of it is wanted
} run;

// Memory begins as NaN, so that a text that reads what it has not written is found out.
static void *new_memory(size_t size)
{
    const size_t bytes = (size / ARNE_ALIGNMENT + 1) * ARNE_ALIGNMENT;
    void        *memory = aligned_alloc(ARNE_ALIGNMENT, bytes);
    if (!memory) abort();
    return memset(memory, 0xff, bytes);
}

static load load_of(const real *f)
{
#if defined ARNE_COMPLEX || defined ARNE_LANES || defined ARNE_RECORD
    return fo(v3(f[0], f[1], f[2]), v3(f[3], f[4], f[5]));
#else
    return (load){{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
#endif
}

// A state has fewer kinds of numbers than the catalogue has inputs: some serve twice, as in many.h.
static void give_inputs(const request *ask, const inputs *in, call *c)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(ask->algorithm);
    const unsigned             taken = info->needs | (ask->loaded ? info->may : 0);
    const real *const          all[ARNE_INPUT_COUNT] = {
                 [ARNE_INPUT_q] = in->q,          [ARNE_INPUT_qd] = in->qd,
                 [ARNE_INPUT_qdd] = in->qdd,      [ARNE_INPUT_qddd] = in->tau,
                 [ARNE_INPUT_tau] = in->tau,      [ARNE_INPUT_multiplier] = in->qdd,
                 [ARNE_INPUT_along_q] = in->tau,  [ARNE_INPUT_along_qd] = in->qd,
                 [ARNE_INPUT_along_qdd] = in->qd, [ARNE_INPUT_f_ext] = in->f_ext,
                 [ARNE_INPUT_ground] = in->ground};
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        c->in[i] = taken & 1u << i ? all[i] : NULL;
    for (int i = 0; i < info->output_count; i++) // what some outputs need besides
        for (int k = 0; k < ARNE_INPUT_COUNT; k++)
            if (info->outputs[i].needs & 1u << k) c->in[k] = all[k];
}

static run run_request(const arne_robot *r, const request *ask, const inputs *in)
{
    const int       last = r->frame_count - 1;
    const arne_load loads[] = {
        {last, 0, {{3, -2, 1}, {0.5, 1, -1.5}}, {{1, 2, -1}, {-0.5, 0.3, 0.2}}},
        {last, 1, {{-1, 2, 0.5}, {1, 0.4, 0.3}}, {{0, 0.1, 2}, {0.2, 0, -1}}}};
    unsigned char       given[MAX_V];
    const call_settings settings = {.loads = loads,
                                    .load_count = ask->loaded ? 2 : 0,
                                    .frame = last,
                                    .joint = r->joint_count - 1,
                                    .axes = ask->axes,
                                    .given = given,
                                    .point = {0.1, 0.2, -0.3},
                                    .normal = {0.6, 0, 0.8}};
    call                c = {.r = r, .settings = &settings};
    run                 done = {.count = request_outputs(ask, r)};
    size_t              made = 0;
    for (int k = 0; k < MAX_V; k++)
        given[k] = k % 2 == 0;
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        made += arne_array_size(r, (arne_array)i);
    done.w = c.w = new_memory(work_walk(r, NULL, NULL));
    done.f_ext = new_memory(sizeof *done.f_ext * (size_t)r->body_count);
    done.made = new_memory(sizeof *done.made * made);
    done.out = new_memory(sizeof *done.out * (size_t)done.count);
    work_walk(r, done.w, (char *)done.w);
    work_start(r, done.w);
    done.w->keeps_wrenches = 1;
    if (r->base == ARNE_BASE_PRESCRIBED)
        work_set_base(r, done.w, in->base_pose, in->base_velocity, in->base_acceleration);
    give_inputs(ask, in, &c);
    for (int i = 0; i < r->body_count; i++)
        done.f_ext[i] = load_of(in->f_ext + 6 * (size_t)i);
    if (c.in[ARNE_INPUT_f_ext]) c.f_ext = done.f_ext;
    real *at = done.made;
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        c.out[i] = at;
        c.wanted[i] = (unsigned char)request_wants(ask, (arne_array)i);
        at += arne_array_size(r, (arne_array)i);
    }
    run_call((int)ask->algorithm, &c);
    real *out = done.out;
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        const size_t rows = c.wanted[i] ? arne_array_size(r, (arne_array)i) : 0;
        memcpy(out, c.out[i], rows * sizeof *out);
        out += rows;
    }
    return done;
}

static void run_end(run done)
{
    free(done.w);
    free(done.f_ext);
    free(done.made);
    free(done.out);
}

static void run_states(const arne_robot *robot, const request *ask, const state *states,
                       double *out)
{
    inputs       in;
    struct tape *t = NULL;
#ifdef ARNE_RECORD
    t = tape_new();
#endif
    read_inputs(t, states, &in);
    const run done = run_request(robot, ask, &in);
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

int variant_input_count(const arne_robot *robot, variant_input input)
{
    const arne_sizes size = arne_robot_sizes(robot);
    return input == INPUT_F_EXT ? 6 * size.body_count : size.v_count;
}

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

void variant_complex_step(const arne_robot *robot, const request *ask, const state *s,
                          variant_input input, int coordinate, double *out)
{
    inputs in;
    read_inputs(NULL, s, &in);
    if (input == INPUT_Q) step_q(robot, s, coordinate, in.q);
    if (input == INPUT_QD) in.qd[coordinate] += STEP * _Complex_I;
    if (input == INPUT_QDD) in.qdd[coordinate] += STEP * _Complex_I;
    if (input == INPUT_TAU) in.tau[coordinate] += STEP * _Complex_I;
    if (input == INPUT_F_EXT) in.f_ext[coordinate] += STEP * _Complex_I;

    const run done = run_request(robot, ask, &in);
    for (int i = 0; i < done.count; i++)
        out[i] = cimag(done.out[i]) / STEP;
    run_end(done);
}

#endif

#ifdef ARNE_RECORD

operation_counts variant_count(const arne_robot *robot, const request *ask, const state *s)
{
    inputs       in;
    struct tape *t = tape_new();
    read_inputs(t, s, &in);
    const run              done = run_request(robot, ask, &in);
    const operation_counts counts = tape_count(t, done.out, done.count);
    run_end(done);
    tape_free(t);
    return counts;
}

#endif

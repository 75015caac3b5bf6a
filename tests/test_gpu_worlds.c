// Rollouts on ground, with parameters of each world, restarts, limits and policies: kernels that
// are compiled for the robot, on a double of the driver and of NVRTC (tests/fake_gpu), beside the
// library's own worlds and integrators.
#include "testing.h"

#include "many.h"
#include <arne/configuration.h>
#include <arne/contact.h>
#include <arne/dynamics.h>
#include <arne/gpu.h>
#include <arne/integrate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 3, NQ = 19, NV = 18, FEET = 4, STEPS = 100 };
static const unsigned long long TRUNK = 1ull << FEET; // its box, behind the feet

static arne_robot *quadruped(int no_friction)
{
    const arne_build_options options = {.size = sizeof options, .no_friction = no_friction};
    return read_robot("quadruped", &options);
}

static arne_gpu *new_gpu(const arne_robot *robot, arne_precision precision)
{
    const arne_gpu_options options = {.size = sizeof options, .precision = precision, .cache = ""};
    arne_gpu              *gpu = NULL;
    arne_error             error = {0};
    if (arne_gpu_new(robot, &options, &gpu, &error)) fail_msg("%s", error.text);
    return gpu;
}

// What must be in the device's memory wherever the other arrays are.
static void *there(arne_gpu *gpu, const double *x, size_t count)
{
    void *memory;
    assert_ok(arne_gpu_allocate(gpu, count * sizeof *x, &memory, NULL));
    assert_ok(arne_gpu_copy(gpu, memory, x, count * sizeof *x, NULL));
    return memory;
}

// ---- arrays of all worlds ----

typedef struct worlds {
    double q[NQ * COUNT], qd[NV * COUNT], tau[NV * COUNT], q_ref[NQ * COUNT], ground[10 * COUNT];
    double mass[16 * COUNT], kp[NV * COUNT], kd[NV * COUNT];
    double q_end[NQ * COUNT], qd_end[NV * COUNT];
} worlds;

static void put(double *rows, int count, int s, const double *x)
{
    for (int i = 0; i < count; i++)
        rows[i * COUNT + s] = x[i];
}

static void get(const double *rows, int count, int s, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = rows[i * COUNT + s];
}

static void standing(double height, double *q)
{
    memset(q, 0, NQ * sizeof *q);
    q[2] = height;
    q[6] = 1;
    for (int leg = 0; leg < FEET; leg++) {
        q[7 + 3 * leg + 1] = -0.8;
        q[7 + 3 * leg + 2] = 1.6;
    }
}

// Worlds of different ground, masses and gains: one in the air, one that lands, one that stands.
static worlds *new_worlds(const arne_surface *surface, const arne_robot *robot)
{
    worlds *w = zeroed(1, sizeof *w);
    for (int s = 0; s < COUNT; s++) {
        double       q[NQ], ground[10], x[NV] = {0};
        arne_surface own = *surface;
        own.friction = 0.5 + 0.2 * s;
        standing(0.315 - 0.008 * s, q);
        put(w->q, NQ, s, q);
        standing(0.309, q);
        put(w->q_ref, NQ, s, q);
        x[0] = 0.1 * s; // it drifts
        x[3] = 0.2;
        put(w->qd, NV, s, x);
        assert_ok(arne_surface_ground(robot, &own, ground, NULL));
        put(w->ground, 10, s, ground);
        for (int i = 6; i < NV; i++) {
            w->kp[i * COUNT + s] = 80 + 10 * s + i;
            w->kd[i * COUNT + s] = 2 + 0.1 * i;
        }
        for (int i = 0; i < 16; i++)
            w->mass[i * COUNT + s] = 1 + 0.05 * s * (1 + i % 3);
    }
    return w;
}

static arne_gpu_inputs inputs_of(const worlds *w)
{
    return (arne_gpu_inputs){.q = w->q,
                             .qd = w->qd,
                             .tau = w->tau,
                             .q_ref = w->q_ref,
                             .ground = w->ground,
                             .stiffness = w->kp,
                             .damping = w->kd,
                             .steps = STEPS,
                             .dt = 5e-4};
}

static void run(arne_gpu *gpu, const arne_gpu_inputs *in, worlds *w)
{
    const arne_gpu_outputs out = {.q_end = w->q_end, .qd_end = w->qd_end};
    arne_error             error = {0};
    if (arne_gpu_run(gpu, ARNE_ALGORITHM_ROLLOUT, in, &out, COUNT, NULL, &error))
        fail_msg("%s", error.text);
}

// ---- by the library ----

// Every link once more, times its body's factor less one.
static arne_robot *heavier(const arne_robot *robot, const double *factor)
{
    arne_robot *all = NULL;
    for (int i = 0; i < arne_robot_sizes(robot).frame_count; i++) {
        const arne_frame_info f = arne_robot_frame(robot, i);
        const double          more = factor[f.body] - 1;
        arne_payload          load = {.mass = more * f.mass, .com = f.com};
        arne_robot           *next;
        if (!f.is_link || !(f.mass > 0) || !(more > 0)) continue;
        for (int k = 0; k < 6; k++)
            load.inertia[k] = more * f.inertia[k];
        assert_ok(arne_robot_attach(all ? all : robot, i, &load, &next, NULL));
        arne_robot_free(all);
        all = next;
    }
    return all;
}

typedef struct plant {
    const arne_robot *robot;
    arne_work        *work;
    arne_world       *world;
    double            q_ref[NQ], kp[NV], kd[NV], stop_k, stop_d;
} plant;

static void push_back(const plant *p, const double *q, const double *qd, double *tau)
{
    for (int i = 0; i < arne_robot_sizes(p->robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(p->robot, i);
        if (j.q_count != 1) continue;
        const double x = q[j.q_start], v = qd[j.v_start];
        if (x < j.lower) tau[j.v_start] += fmax(0, p->stop_k * (j.lower - x) - p->stop_d * v);
        if (x > j.upper) tau[j.v_start] -= fmax(0, p->stop_k * (x - j.upper) + p->stop_d * v);
    }
}

static arne_status rate(void *context, double time, const double *q, const double *qd,
                        const double *z, double *qdd, double *zd, arne_error *error)
{
    const plant *p = context;
    arne_wrench  f_ext[16] = {{{0, 0, 0}, {0, 0, 0}}};
    double       off[NV], tau[NV];
    (void)time;
    (void)z;
    (void)zd;
    arne_difference(p->robot, q, p->q_ref, off);
    for (int i = 0; i < NV; i++)
        tau[i] = p->kp[i] * off[i] - p->kd[i] * qd[i];
    push_back(p, q, qd, tau);
    arne_kinematics(p->robot, p->work, q, qd, NULL);
    arne_world_press(p->world, p->work, f_ext);
    return arne_forward_dynamics(p->robot, p->work, q, qd, tau, f_ext, qdd, error);
}

static void by_library(const arne_robot *robot, const arne_surface *surface,
                       const arne_gpu_inputs *in, const worlds *w, int s, double *q, double *qd)
{
    double       mass[16];
    arne_surface own = *surface;
    plant        p = {.stop_k = in->limit_stiffness, .stop_d = in->limit_damping};
    own.friction = w->ground[6 * COUNT + s];
    get(w->mass, 16, s, mass);
    arne_robot *heavy = in->mass_factor ? heavier(robot, mass) : NULL;
    p.robot = heavy ? heavy : robot;
    p.work = new_work(p.robot);
    assert_ok(arne_world_new(p.robot, &own, 1, &p.world, NULL));
    get(w->q_ref, NQ, s, p.q_ref);
    get(w->kp, NV, s, p.kp);
    get(w->kd, NV, s, p.kd);
    const arne_system             system = {.robot = p.robot, .context = &p, .rate = rate};
    const arne_integrator_options how = {.size = sizeof how, .method = in->method, .step = in->dt};
    arne_integrator              *it;
    assert_ok(arne_integrator_new(&system, &how, &it, NULL));
    get(w->q, NQ, s, q);
    get(w->qd, NV, s, qd);
    for (int k = 0; k < in->steps; k++) {
        assert_ok(arne_integrator_start(it, 0, q, qd, NULL, NULL));
        assert_ok(arne_integrator_advance(it, in->dt, NULL, NULL));
        memcpy(q, arne_integrator_q(it), NQ * sizeof *q);
        memcpy(qd, arne_integrator_qd(it), NV * sizeof *qd);
    }
    arne_integrator_free(it);
    arne_world_free(p.world);
    arne_work_free(p.work);
    arne_robot_free(heavy);
}

static void expect(const char *what, const double *x, const double *wanted, int count, double near)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i] - wanted[i]) <= near * fmax(1, fabs(wanted[i]))))
            fail_msg("%s, entry %d: %.17g is not %.17g", what, i, x[i], wanted[i]);
}

static void compare(arne_gpu *gpu, const arne_robot *robot, const arne_surface *surface,
                    const arne_gpu_inputs *in, worlds *w)
{
    run(gpu, in, w);
    for (int s = 0; s < COUNT; s++) {
        double q[NQ], qd[NV], x[NQ];
        by_library(robot, surface, in, w, s, q, qd);
        get(w->q_end, NQ, s, x);
        expect("q_end", x, q, NQ, 1e-9);
        get(w->qd_end, NV, s, x);
        expect("qd_end", x, qd, NV, 1e-9);
    }
}

static const arne_surface SOFT = {.model = ARNE_CONTACT_COMPLIANT,
                                  .normal = {0.05, -0.1, 1},
                                  .stiffness = 2e5,
                                  .dissipation = 0.5,
                                  .slip_velocity = 0.05,
                                  .no_pairs = 1};

// ---- compliant ----

static void worlds_fall_and_stand_as_the_library_has_it(void **unused)
{
    arne_robot     *robot = quadruped(1);
    arne_gpu       *gpu = new_gpu(robot, ARNE_PRECISION_DOUBLE);
    worlds         *w = new_worlds(&SOFT, robot);
    arne_gpu_inputs in = inputs_of(w);
    (void)unused;
    compare(gpu, robot, &SOFT, &in, w);
    in.mass_factor = w->mass;
    compare(gpu, robot, &SOFT, &in, w);
    in.method = ARNE_METHOD_RK4;
    in.steps = 20;
    compare(gpu, robot, &SOFT, &in, w);
    // A knee beyond its limit, and one that goes there.
    in.limit_stiffness = 300;
    in.limit_damping = 2;
    w->q[(7 + 2) * COUNT] = 2.71;
    w->q[(7 + 5) * COUNT + 1] = -2.7;
    w->qd[(6 + 5) * COUNT + 1] = -3;
    compare(gpu, robot, &SOFT, &in, w);
    free(w);
    arne_gpu_free(gpu);
    arne_robot_free(robot);
}

static void hills_are_those_of_the_library(void **unused)
{
    double       heights[41 * 31];
    arne_robot  *robot = quadruped(1);
    arne_gpu    *gpu = new_gpu(robot, ARNE_PRECISION_DOUBLE);
    arne_surface hills = SOFT;
    (void)unused;
    for (int i = 0; i < 41 * 31; i++)
        heights[i] = 0.02 * sin(0.4 * (i % 31)) * cos(0.3 * (double)(i / 31));
    void           *memory = there(gpu, heights, 41 * 31);
    arne_gpu_field  field = {memory, 41, 31, {-0.3, -0.4}, {0.02, 0.02}};
    worlds         *w = new_worlds(&SOFT, robot);
    arne_gpu_inputs in = inputs_of(w);
    hills.heights = heights;
    hills.rows = 41;
    hills.columns = 31;
    memcpy(hills.corner, field.corner, sizeof hills.corner);
    memcpy(hills.spacing, field.spacing, sizeof hills.spacing);
    in.field = &field;
    compare(gpu, robot, &hills, &in, w); // hind feet are beside it
    arne_gpu_release(gpu, memory);
    free(w);
    arne_gpu_free(gpu);
    arne_robot_free(robot);
}

// Ten seconds in float: on its feet.
static void float_stays_on_its_feet(void **unused)
{
    arne_robot  *robot = quadruped(0);
    arne_gpu    *gpu = new_gpu(robot, ARNE_PRECISION_FLOAT);
    arne_surface level = SOFT;
    level.normal = (arne_vec3){0, 0, 1};
    worlds          *w = new_worlds(&level, robot);
    arne_gpu_inputs  in = inputs_of(w);
    static float     x[6][NQ * COUNT], end[2][NQ * COUNT];
    const double    *from[6] = {w->q, w->qd, w->tau, w->q_ref, w->kp, w->kd};
    arne_gpu_outputs out = {.q_end = end[0], .qd_end = end[1]};
    arne_error       error = {0};
    float            ground[10 * COUNT];
    (void)unused;
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < (k % 3 ? NV : NQ) * COUNT; i++)
            x[k][i] = (float)from[k][i];
    for (int i = 0; i < 10 * COUNT; i++)
        ground[i] = (float)w->ground[i];
    in.q = x[0];
    in.qd = x[1];
    in.tau = x[2];
    in.q_ref = x[3];
    in.stiffness = x[4];
    in.damping = x[5];
    in.ground = ground;
    in.left_out = TRUNK;
    in.dt = 1e-3;
    in.steps = 10000;
    for (in.sweeps = 0; in.sweeps <= 8; in.sweeps += 8) {
        if (arne_gpu_run(gpu, ARNE_ALGORITHM_ROLLOUT, &in, &out, COUNT, NULL, &error))
            fail_msg("%s", error.text);
        for (int s = 0; s < COUNT; s++) {
            assert_true(fabs((double)end[0][2 * COUNT + s] - 0.299) < 0.02);
            assert_true((double)end[0][6 * COUNT + s] > 0.99); // upright
            for (int i = 0; i < 6; i++)
                assert_true(fabs((double)end[1][i * COUNT + s]) < 0.05);
        }
    }
    free(w);
    arne_gpu_free(gpu);
    arne_robot_free(robot);
}

// ---- rigid ----

// Three rows: the velocity of the point of a foot that is lowest.
static void foot_jacobian(const arne_robot *robot, arne_work *work, const double *q, int foot,
                          double *J)
{
    const arne_contact_info c = arne_robot_contact(robot, foot);
    double                  all[6 * NV];
    arne_jacobian(robot, work, q, c.link, ARNE_AXES_ALIGNED, all);
    memcpy(J, all, 3 * NV * sizeof *J);
    for (int i = 0; i < NV; i++) { // + w x (0, 0, -radius)
        J[i] -= c.size[0] * all[4 * NV + i];
        J[NV + i] += c.size[0] * all[3 * NV + i];
    }
}

// The force on a foot, from the law of motion of its leg: J^T f are the torques that are missing.
static void foot_force(const double *J, int leg, const double *missing, double f[3])
{
    double A[9], c[9], det = 0;
    for (int i = 0; i < 3; i++) // A f = missing, A = J^T of the leg
        for (int k = 0; k < 3; k++)
            A[3 * i + k] = J[k * NV + 6 + 3 * leg + i];
    for (int i = 0; i < 9; i++) {
        const int a = (i / 3 + 1) % 3, b = (i / 3 + 2) % 3;
        const int k1 = (i % 3 + 1) % 3, k2 = (i % 3 + 2) % 3;
        c[i] = A[3 * a + k1] * A[3 * b + k2] - A[3 * a + k2] * A[3 * b + k1];
    }
    for (int k = 0; k < 3; k++)
        det += A[k] * c[k];
    for (int k = 0; k < 3; k++) {
        f[k] = 0;
        for (int i = 0; i < 3; i++)
            f[k] += c[3 * i + k] * missing[6 + 3 * leg + i] / det;
    }
}

// Pushes, inside the cone, against the sliding, and only where the gap closes. u: the velocity at
// the end of the step, with what closes the gap.
static void check_contact(const double f[3], const double u[3], double mu)
{
    const double push = hypot(f[0], f[1]), slides = hypot(u[0], u[1]);
    assert_true(f[2] >= -1e-6);
    assert_true(u[2] >= -1e-8);
    assert_true(fabs(f[2] * u[2]) < 1e-5);
    assert_true(push <= mu * f[2] + 1e-6);
    assert_true(slides < 1e-7 || fabs(push - mu * f[2]) < 1e-5);
    assert_true(fabs(f[0] * u[0] + f[1] * u[1] + push * slides) < 1e-5);
}

// One step obeys the law of motion with forces on the feet alone, and these those of contact.
static void check_step(const arne_robot *robot, const worlds *w, int s, double h, int *touched)
{
    arne_work *work = new_work(robot);
    double     q[NQ], qd[NV], next[NV], qdd[NV], missing[NV], off[NV], q_ref[NQ];
    get(w->q, NQ, s, q);
    get(w->qd, NV, s, qd);
    get(w->q_ref, NQ, s, q_ref);
    get(w->qd_end, NV, s, next);
    arne_difference(robot, q, q_ref, off);
    for (int i = 0; i < NV; i++)
        qdd[i] = (next[i] - qd[i]) / h;
    arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, missing);
    for (int i = 0; i < NV; i++)
        missing[i] -= w->kp[i * COUNT + s] * off[i] - w->kd[i * COUNT + s] * qd[i];
    for (int leg = 0; leg < FEET; leg++) {
        const arne_contact_info c = arne_robot_contact(robot, leg);
        double                  J[3 * NV], f[3], u[3] = {0};
        foot_jacobian(robot, work, q, leg, J);
        foot_force(J, leg, missing, f);
        arne_kinematics(robot, work, q, qd, NULL);
        const double gap = arne_frame_pose(robot, work, c.link).p.z - c.size[0];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < NV; i++)
                u[k] += J[k * NV + i] * next[i];
        u[2] += (gap > 0 ? gap : 0.2 * gap) / h;
        check_contact(f, u, w->ground[6 * COUNT + s]);
        *touched |= f[2] > 1 ? (hypot(u[0], u[1]) > 1e-3 ? 1 : 2) : 4; // slides, sticks, is open
        for (int i = 0; i < NV; i++)
            for (int k = 0; k < 3; k++)
                missing[i] -= J[k * NV + i] * f[k];
    }
    for (int i = 0; i < NV; i++)
        assert_true(fabs(missing[i]) < 1e-6);
    arne_work_free(work);
}

static void rigid_steps_obey_the_laws_of_contact(void **unused)
{
    arne_robot        *robot = quadruped(1);
    arne_gpu          *gpu = new_gpu(robot, ARNE_PRECISION_DOUBLE);
    const arne_surface level = {.model = ARNE_CONTACT_COMPLIANT, .no_pairs = 1};
    int                seen = 0;
    (void)unused;
    for (int trial = 0; trial < 10; trial++) {
        worlds         *w = new_worlds(&level, robot);
        arne_gpu_inputs in = inputs_of(w);
        in.left_out = TRUNK;
        in.sweeps = 3000;
        in.steps = 1;
        in.dt = 1e-3;
        for (int s = 0; s < COUNT; s++) {
            w->q[2 * COUNT + s] = 0.299 + 0.002 * sin(trial + s);
            for (int i = 0; i < NV; i++)
                w->qd[i * COUNT + s] = 0.3 * sin(trial * 7 + s * 3 + i);
        }
        run(gpu, &in, w);
        for (int s = 0; s < COUNT; s++)
            check_step(robot, w, s, in.dt, &seen);
        free(w);
    }
    assert_int_equal(seen, 7);
    arne_gpu_free(gpu);
    arne_robot_free(robot);
}

// In the air: what dry friction holds does not move, and a joint that is driven to its limit comes
// to rest there.
static void rigid_joints_stick_and_stop(void **unused)
{
    arne_robot        *robot = quadruped(0);
    arne_gpu          *gpu = new_gpu(robot, ARNE_PRECISION_DOUBLE);
    const arne_surface level = {.model = ARNE_CONTACT_COMPLIANT, .point = {0, 0, -100}};
    worlds            *w = new_worlds(&level, robot);
    arne_gpu_inputs    in = inputs_of(w);
    const double       upper = arne_robot_joint(robot, 3).upper; // of a knee
    (void)unused;
    in.stiffness = in.damping = NULL;
    in.left_out = TRUNK;
    in.sweeps = 200;
    in.dt = 1e-3;
    memset(w->qd, 0, sizeof w->qd);
    for (int s = 0; s < COUNT; s++) {
        w->tau[6 * COUNT + s] = 0.15; // within 0.2 of friction
        w->q[(7 + 2) * COUNT + s] = upper - 0.05;
        w->tau[8 * COUNT + s] = 3 + s;
    }
    run(gpu, &in, w);
    for (int s = 0; s < COUNT; s++) {
        assert_true(fabs(w->qd_end[6 * COUNT + s]) < 1e-9);
        assert_true(fabs(w->q_end[(7 + 2) * COUNT + s] - upper) < 1e-9);
        assert_true(fabs(w->qd_end[8 * COUNT + s]) < 1e-9);
    }
    free(w);
    arne_gpu_free(gpu);
    arne_robot_free(robot);
}

// It comes to rest where the library's own rigid steps do.
static void rigid_robots_stand_as_the_library_has_it(void **unused)
{
    arne_robot        *robot = quadruped(1);
    arne_gpu          *gpu = new_gpu(robot, ARNE_PRECISION_DOUBLE);
    const arne_surface soft = {.model = ARNE_CONTACT_COMPLIANT, .no_pairs = 1, .friction = 0.9};
    const arne_surface hard = {.model = ARNE_CONTACT_RIGID, .no_pairs = 1, .friction = 0.9};
    worlds            *w = new_worlds(&soft, robot);
    arne_gpu_inputs    in = inputs_of(w);
    arne_world        *world;
    arne_work         *work = new_work(robot);
    double             q[NQ], qd[NV], ref[NQ], off[NV], tau[NV], x[NQ];
    const int          s = COUNT - 1;
    (void)unused;
    memset(w->qd, 0, sizeof w->qd);
    w->ground[6 * COUNT + s] = 0.9;
    in.left_out = TRUNK;
    in.sweeps = 30;
    in.steps = 1500;
    in.dt = 1e-3;
    run(gpu, &in, w);
    get(w->q, NQ, s, q);
    get(w->qd, NV, s, qd);
    get(w->q_ref, NQ, s, ref);
    assert_ok(arne_world_new(robot, &hard, 1, &world, NULL));
    for (int k = 0; k < in.steps; k++) {
        arne_difference(robot, q, ref, off);
        for (int i = 0; i < NV; i++)
            tau[i] = w->kp[i * COUNT + s] * off[i] - w->kd[i * COUNT + s] * qd[i];
        assert_ok(arne_world_step(world, work, tau, NULL, in.dt, q, qd, NULL));
    }
    get(w->q_end, NQ, s, x);
    for (int i = 2; i < NQ; i++)
        assert_true(fabs(x[i] - q[i]) < 2e-3);
    get(w->qd_end, NV, s, x);
    for (int i = 0; i < NV; i++)
        assert_true(fabs(x[i]) < 1e-3);
    arne_world_free(world);
    arne_work_free(work);
    free(w);
    arne_gpu_free(gpu);
    arne_robot_free(robot);
}

// ---- policies and restarts ----

enum { HIDDEN = 5, LINEAR = NV * 2 * NV + NV, DENSE = HIDDEN * (2 * NV + 1) + NV * (HIDDEN + 1) };

// A linear policy of gains is a controller; what of it is not wanted is not read.
static void a_linear_policy_may_be_a_controller(void **unused)
{
    static double   weights[LINEAR * COUNT];
    double          most[NV] = {0}, wanted[NV * COUNT];
    arne_robot     *robot = quadruped(1);
    arne_gpu       *gpu = new_gpu(robot, ARNE_PRECISION_DOUBLE);
    worlds         *w = new_worlds(&SOFT, robot);
    arne_gpu_inputs in = inputs_of(w);
    arne_gpu_policy policy = {.layout = {COUNT, 1}, .most = most};
    (void)unused;
    run(gpu, &in, w);
    memcpy(wanted, w->qd_end, sizeof wanted);
    for (int s = 0; s < COUNT; s++)
        for (int i = 0; i < NV; i++) {
            most[i] = i < 6 ? 0 : 1e3;
            weights[i * COUNT + s] = NAN; // rows of the base
            weights[(i * 2 * NV + i) * COUNT + s] = w->kp[i * COUNT + s];
            weights[(i * 2 * NV + NV + i) * COUNT + s] = w->kd[i * COUNT + s];
        }
    void *memory = there(gpu, weights, (size_t)LINEAR * COUNT);
    policy.weights = memory;
    in.stiffness = in.damping = NULL;
    in.policy = &policy;
    run(gpu, &in, w);
    expect("qd_end", w->qd_end, wanted, NV * COUNT, 1e-9);
    arne_gpu_release(gpu, memory);
    free(w);
    arne_gpu_free(gpu);
    arne_robot_free(robot);
}

static void dense_torques(const double *weights, const double *e, const double *most, double *tau)
{
    const double *b1 = weights + HIDDEN * 2 * NV, *W2 = b1 + HIDDEN, *b2 = W2 + NV * HIDDEN;
    for (int i = 0; i < NV; i++) {
        double y = b2[i];
        for (int j = 0; j < HIDDEN; j++) {
            double x = b1[j];
            for (int k = 0; k < 2 * NV; k++)
                x += weights[j * 2 * NV + k] * e[k];
            y += W2[i * HIDDEN + j] * tanh(x);
        }
        tau[i] += fmax(-most[i], fmin(most[i], most[i] > 0 ? y : 0));
    }
}

// The torques of hidden units, the same weights for all, held for seven steps; with restarts of
// some worlds.
static void a_dense_policy_gives_torques_that_are_held(void **unused)
{
    static double   weights[DENSE];
    double          most[NV], wanted[NV * COUNT], restart[COUNT] = {0, 1, 0};
    arne_robot     *robot = quadruped(1);
    arne_gpu       *gpu = new_gpu(robot, ARNE_PRECISION_DOUBLE);
    worlds         *w = new_worlds(&SOFT, robot), *other = new_worlds(&SOFT, robot);
    arne_gpu_inputs in = inputs_of(w);
    arne_gpu_policy policy = {.layout = {1, 0}, .hidden = HIDDEN, .holds = 7, .most = most};
    (void)unused;
    for (int i = 0; i < DENSE; i++)
        weights[i] = 3 * sin(i);
    void *memory = there(gpu, weights, DENSE);
    policy.weights = memory;
    for (int i = 0; i < NV; i++)
        most[i] = i < 6 ? 0 : 4;
    for (int s = 0; s < COUNT; s++)
        other->q[2 * COUNT + s] = 0.32;
    in.steps = 7;
    for (int s = 0; s < COUNT; s++) { // by given torques
        double q[NQ], ref[NQ], e[2 * NV], qd[NV], tau[NV] = {0};
        get(restart[s] > 0 ? other->q : w->q, NQ, s, q);
        get(w->q_ref, NQ, s, ref);
        get(w->qd, NV, s, qd);
        arne_difference(robot, q, ref, e);
        for (int i = 0; i < NV; i++)
            e[NV + i] = -qd[i];
        dense_torques(weights, e, most, tau);
        put(w->tau, NV, s, tau);
    }
    in.restart = restart;
    in.q_start = other->q;
    in.qd_start = other->qd;
    run(gpu, &in, w);
    memcpy(wanted, w->qd_end, sizeof wanted);
    memset(w->tau, 0, sizeof w->tau);
    in.policy = &policy;
    run(gpu, &in, w);
    expect("qd_end", w->qd_end, wanted, NV * COUNT, 1e-9);
    // A world that restarts goes on as one that started there.
    in.restart = in.q_start = in.qd_start = NULL;
    in.q = other->q;
    run(gpu, &in, w);
    for (int i = 0; i < NV; i++)
        assert_true(fabs(w->qd_end[i * COUNT + 1] - wanted[i * COUNT + 1]) < 1e-9);
    arne_gpu_release(gpu, memory);
    free(w);
    free(other);
    arne_gpu_free(gpu);
    arne_robot_free(robot);
}

// ---- what is refused ----

static void expect_refusal(arne_gpu *gpu, const arne_gpu_inputs *in, worlds *w, arne_status status,
                           const char *words)
{
    const arne_gpu_outputs out = {.q_end = w->q_end, .qd_end = w->qd_end};
    arne_error             error = {0};
    assert_status(arne_gpu_run(gpu, ARNE_ALGORITHM_ROLLOUT, in, &out, COUNT, NULL, &error), status);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static void what_it_cannot_have_is_named(void **unused)
{
    arne_robot           *robot = quadruped(1);
    arne_gpu             *gpu = new_gpu(robot, ARNE_PRECISION_DOUBLE);
    worlds               *w = new_worlds(&SOFT, robot);
    const arne_gpu_inputs plain = inputs_of(w);
    const arne_gpu_field  field = {.heights = w->q, .rows = 1, .columns = 9, .spacing = {1, 1}};
    const arne_gpu_policy policy = {.weights = w->q};
    arne_gpu_inputs       in = plain;
    (void)unused;
    in.sweeps = 4;
    expect_refusal(gpu, &in, w, ARNE_UNSUPPORTED, "'body' is a box");
    in.left_out = TRUNK;
    in.method = ARNE_METHOD_RK4;
    expect_refusal(gpu, &in, w, ARNE_UNSUPPORTED, "ARNE_METHOD_EULER");
    in = plain;
    in.left_out = 31;
    expect_refusal(gpu, &in, w, ARNE_UNSUPPORTED, "no contact shapes");
    in = plain;
    in.ground = NULL;
    in.sweeps = 1;
    expect_refusal(gpu, &in, w, ARNE_VALUE, "for rollouts with ground");
    in = plain;
    in.field = &field;
    expect_refusal(gpu, &in, w, ARNE_VALUE, "two rows");
    in = plain;
    in.restart = w->q;
    expect_refusal(gpu, &in, w, ARNE_VALUE, "go together");
    in = plain;
    in.kp = w->q;
    expect_refusal(gpu, &in, w, ARNE_VALUE, "take the place");
    in = plain;
    in.policy = &policy;
    expect_refusal(gpu, &in, w, ARNE_NULL_ARGUMENT, "most is NULL");
    free(w);
    arne_gpu_free(gpu);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_fall_and_stand_as_the_library_has_it),
        cmocka_unit_test(hills_are_those_of_the_library),
        cmocka_unit_test(float_stays_on_its_feet),
        cmocka_unit_test(rigid_steps_obey_the_laws_of_contact),
        cmocka_unit_test(rigid_joints_stick_and_stop),
        cmocka_unit_test(rigid_robots_stand_as_the_library_has_it),
        cmocka_unit_test(a_linear_policy_may_be_a_controller),
        cmocka_unit_test(a_dense_policy_gives_torques_that_are_held),
        cmocka_unit_test(what_it_cannot_have_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

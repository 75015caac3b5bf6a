// Moving bases, elastic joints and motors of the papers, in tests/data: Khalil 2010, sections 6 and
// 7, and Hua et al. 2023.
#include "testing.h"

#include "example.h"
#include "losses.h"
#include "rk4.h"

#include <stdio.h>

typedef double matrix[MAX_V * MAX_V];

static arne_vec3 vec3_of(const json *object, const char *key)
{
    double v[3];
    vector(object, key, 3, v);
    return v3(v[0], v[1], v[2]);
}

static arne_mat3 rows_of(const json *object, const char *key)
{
    double R[9];
    vector(object, key, 9, R);
    const arne_mat3 out = {v3(R[0], R[3], R[6]), v3(R[1], R[4], R[7]), v3(R[2], R[5], R[8])};
    return out;
}

// Both methods of direct dynamics.
static void check_direct(const state *s, arne_work *work, const double *tau, const double *wanted)
{
    const int n = s->size.v_count;
    double    qdd[MAX_V];
    matrix    M;
    arne_mass_matrix(s->robot, work, s->q, M);
    assert_ok(arne_forward_dynamics(s->robot, work, s->q, s->qd, tau, NULL, qdd, NULL));
    assert_direct_close(s, "direct dynamics", qdd, wanted, n, 1e-10, M);
    assert_ok(arne_forward_dynamics_matrix(s->robot, work, s->q, s->qd, tau, NULL, qdd, NULL));
    assert_direct_close(s, "direct dynamics by matrix", qdd, wanted, n, 1e-10, M);
}

// ---- Khalil 2010, section 6: springs on joints ----

static example springs_build(json *file)
{
    example       e = {.file = file};
    const json   *elastic = json_get(file, "elastic_joints");
    arne_builder *builder = NULL;
    double        stiffness[6], rest[6];
    assert_ok(arne_builder_new(&builder));
    add_base(builder);
    add_rows(builder, json_get(file, "model"), "c");
    vector(file, "stiffness", 6, stiffness);
    vector(file, "q0", 6, rest);
    for (int i = 0; i < json_count(elastic); i++) {
        const int        joint = json_integer(json_at(elastic, i));
        arne_spring_spec spring = arne_spring_spec_default();
        char             name[32];
        snprintf(name, sizeof name, "joint%d", joint);
        spring.joint = name;
        spring.stiffness = stiffness[joint - 1];
        spring.rest = rest[joint - 1];
        assert_ok(arne_builder_add_spring(builder, &spring, NULL));
    }
    example_finish(&e, builder);
    return e;
}

static void springs_case(const example *e, const json *at)
{
    const state   s = state_at(e, at);
    unsigned char given[MAX_V];
    double        tau[MAX_V] = {0}, qdd[MAX_V], wanted[MAX_V], hold[MAX_V], wrenches[6 * MAX_V];
    matrix        M;
    memset(given, 1, sizeof given);
    for (int i = 0; i < s.size.spring_count; i++)
        given[arne_robot_joint(e->robot, arne_robot_spring(e->robot, i).joint).v_start] = 0;
    vector(at, "qdd_rigid_given", e->n, qdd);
    arne_mass_matrix(e->robot, e->work, s.q, M);
    assert_ok(arne_hybrid_dynamics(e->robot, e->work, s.q, s.qd, given, NULL, tau, qdd, NULL));
    assert_direct_close(&s, "accelerations of springs", qdd, s.qdd, e->n, 1e-10, M);

    arne_forward_wrenches(e->robot, e->work);
    vector(at, "joint_wrenches_own_frame", 6 * e->n, wrenches);
    for (int i = 0; i < e->n; i++) {
        const arne_wrench ours = arne_joint_wrench(e->robot, e->work, i);
        assert_close(&s, "joint wrench", &ours.lin.x, wrenches + 6 * i, 6, 1e-10);
    }
    vector(at, "Gamma", e->n, wanted);
    spring_torque(e->robot, s.q, s.qd, hold);
    for (int k = 0; k < e->n; k++)
        tau[k] -= given[k] ? 0 : hold[k]; // a spring's torque is part of the robot, not of tau
    assert_close(&s, "torques", tau, wanted, e->n, 1e-10);
    for (int k = 0; k < e->n; k++)
        tau[k] = given[k] ? wanted[k] : 0;
    check_direct(&s, e->work, tau, s.qdd);
}

static void springs(void **unused)
{
    (void)unused;
    json       *file = open_file("elastic.json");
    example     e = springs_build(file);
    const json *cases = json_get(file, "cases");
    assert_int_equal(json_count(cases), 4);
    assert_int_equal(arne_robot_sizes(e.robot).spring_count, 2);
    for (int i = 0; i < json_count(cases); i++)
        springs_case(&e, json_at(cases, i));
    example_close(&e);
}

// ---- Khalil 2010, section 7: a base that moves freely ----

static example floating_build(json *file, int dry)
{
    const arne_build_options options = {.base = ARNE_BASE_FREE};
    const json              *base = json_get(file, "base");
    example                  e = {.file = file};
    arne_builder            *builder = NULL;
    double                   com[3], inertia[9];
    assert_ok(arne_builder_new(&builder));
    vector(base, "c", 3, com);
    vector(base, "I", 9, inertia);
    add_link(builder, 0, number(base, "m"), com, inertia);
    add_rows(builder, json_get(file, "model"), "c");
    for (int i = 1; i <= 4 && !dry; i++) {
        arne_joint_spec spec;
        char            name[32];
        snprintf(name, sizeof name, "joint%d", i);
        assert_ok(arne_builder_get_joint(builder, name, &spec));
        spec.coulomb_positive = spec.coulomb_negative = 0;
        assert_ok(arne_builder_set_joint(builder, &spec, NULL));
    }
    e.robot = finish(builder, &options);
    e.work = new_work(e.robot);
    e.n = arne_robot_sizes(e.robot).v_count;
    arne_builder_free(builder);
    return e;
}

typedef struct base_keys {
    const char *R, *p, *v, *w;
} base_keys;

// The base is given in the world's axes; ours is in its own.
static state floating_state(const example *e, const json *at, base_keys k)
{
    state           s = {.robot = e->robot, .size = arne_robot_sizes(e->robot)};
    const arne_mat3 R = rows_of(at, k.R);
    const arne_vec3 p = vec3_of(at, k.p), v = m3_apply_t(R, vec3_of(at, k.v)),
                    w = m3_apply_t(R, vec3_of(at, k.w));
    memcpy(s.q, &p, sizeof p);
    m3_to_quaternion(R, s.q + 3);
    memcpy(s.qd, &v, sizeof v);
    memcpy(s.qd + 3, &w, sizeof w);
    vector(at, "q", 4, s.q + 7);
    vector(at, "qd", 4, s.qd + 6);
    return s;
}

// d/dt of the twist in the base's axes from the accelerations in the world's.
static void floating_acceleration(const state *s, const json *at, arne_mat3 R, double *qdd)
{
    const arne_vec3 v = v3(s->qd[0], s->qd[1], s->qd[2]), w = v3(s->qd[3], s->qd[4], s->qd[5]);
    const arne_vec3 a =
        v3_sub(m3_apply_t(R, vec3_of(at, "base_acceleration_world")), v3_cross(w, v));
    const arne_vec3 turn = m3_apply_t(R, vec3_of(at, "base_omega_dot_world"));
    memcpy(qdd, &a, sizeof a);
    memcpy(qdd + 3, &turn, sizeof turn);
    vector(at, "qdd", 4, qdd + 6);
}

static void floating_case(const example *e, const json *at)
{
    const base_keys keys = {"base_R_world_from_base", "base_p_world", "base_v_world",
                            "base_omega_world"};
    const state     s = floating_state(e, at, keys);
    const arne_mat3 R = rows_of(at, keys.R);
    const json     *inverse = json_get(at, "inverse"), *direct = json_get(at, "direct");
    double          qdd[MAX_V], wanted[MAX_V], tau[MAX_V], torques[MAX_V] = {0};
    matrix          M;
    floating_acceleration(&s, inverse, R, wanted);
    memcpy(qdd, wanted, sizeof qdd);
    memset(qdd, 0, 6 * sizeof *qdd);
    arne_mass_matrix(e->robot, e->work, s.q, M);
    assert_ok(arne_base_acceleration(e->robot, e->work, s.q, s.qd, NULL, qdd, tau, NULL));
    assert_direct_close(&s, "acceleration of the base", qdd, wanted, e->n, 1e-10, M);
    vector(inverse, "Gamma", 4, torques + 6);
    assert_direct_close(&s, "torques", tau, torques, e->n, 1e-10, M);
    check_direct(&s, e->work, torques, wanted);

    floating_acceleration(&s, direct, R, wanted);
    vector(direct, "Gamma", 4, torques + 6);
    check_direct(&s, e->work, torques, wanted);
}

static void floating(void **unused)
{
    (void)unused;
    json       *file = open_file("moving_base.json");
    example     e = floating_build(file, 1);
    const json *cases = json_get(file, "cases");
    assert_int_equal(json_count(cases), 4);
    for (int i = 0; i < json_count(cases); i++)
        floating_case(&e, json_at(cases, i));
    example_close(&e);
}

static void shake(double t, const double *q, const double *qd, double *tau, const void *unused)
{
    (void)q, (void)qd, (void)unused;
    tau[6] = 1.5 * sin(2 * t);
    tau[7] = 3 * cos(t);
    tau[8] = -sin(3 * t);
    tau[9] = 0.6 * cos(2 * t);
}

// The flight of the paper's robot, with weight: its centre of mass falls, and its angular momentum
// stays.
static void free_flight(void **unused)
{
    (void)unused;
    const base_keys keys = {"base_R", "base_p", "base_v", "base_omega"};
    json           *file = open_file("moving_base.json");
    example         e = floating_build(file, 0);
    const json     *samples = json_get(json_get(file, "free_flight"), "samples");
    const flight    f = {e.robot, e.work, shake, NULL};
    state           s = floating_state(&e, json_at(samples, 0), keys);
    double          t = number(json_at(samples, 0), "t");
    for (int i = 0; i < json_count(samples); i++) {
        const json       *at = json_at(samples, i);
        const state       theirs = floating_state(&e, at, keys);
        const double      dt = 5e-4, until = number(at, "t");
        const arne_vec3   linear = vec3_of(at, "linear_momentum");
        const arne_vec3   angular = vec3_of(at, "angular_momentum_about_COM");
        const arne_wrench momentum = {linear, angular};
        arne_wrench       ours;
        fly(&f, t, dt, (int)lround((until - t) / dt), s.q, s.qd);
        t = until;
        const double same = s.q[3] * theirs.q[3] + s.q[4] * theirs.q[4] + s.q[5] * theirs.q[5] +
                            s.q[6] * theirs.q[6];
        for (int k = 3; k < 7; k++)
            s.q[k] *= same < 0 ? -1 : 1;
        assert_close(&s, "place", s.q, theirs.q, s.size.q_count, 1e-8);
        assert_close(&s, "velocity", s.qd, theirs.qd, s.size.v_count, 1e-8);
        arne_momentum(e.robot, e.work, s.q, s.qd, &ours);
        assert_same(&s, "momentum", ours, momentum, 1e-9);
    }
    example_close(&e);
}

// ---- Hua et al. 2023: motors on any link, rigid and elastic joints ----

static void add_motor(arne_builder *builder, const json *motor, int joint)
{
    arne_motor_spec spec = arne_motor_spec_default();
    char            name[32], link[16];
    snprintf(name, sizeof name, "joint%d", joint);
    link_name(json_integer(json_get(motor, "on_link")), link);
    spec.joint = name;
    spec.link = link;
    spec.axis = vec3_of(motor, "axis");
    spec.inertia = number(motor, "Imz");
    spec.gear = number(motor, "eta");
    spec.inertia_included = 1;
    if (json_is_number(json_get(motor, "K"))) spec.stiffness = number(motor, "K");
    assert_ok(arne_builder_add_motor(builder, &spec, NULL));
}

static example hua_build(json *file, const json *model)
{
    example       e = {.file = file};
    const json   *links = json_get(model, "links"), *motors = json_get(model, "motors");
    arne_builder *builder = NULL;
    assert_ok(arne_builder_new(&builder));
    add_base(builder);
    for (int i = 0; i < json_count(links); i++) {
        const json     *link = json_at(links, i);
        arne_joint_spec spec = arne_joint_spec_default();
        double          com[3], inertia[9];
        arne_dh_standard(&spec, number(link, "theta_offset"), number(link, "d"), number(link, "a"),
                         number(link, "alpha"));
        vector(link, "c", 3, com);
        vector(link, "I", 9, inertia);
        add_link(builder, i + 1, number(link, "m"), com, inertia);
        add_joint(builder, spec, i + 1, i);
    }
    for (int i = 0; i < json_count(motors); i++)
        add_motor(builder, json_at(motors, i), i + 1);
    example_finish(&e, builder);
    return e;
}

// q and theta, one behind the other.
static state hua_state(const example *e, const json *at)
{
    state     s = {.robot = e->robot, .size = arne_robot_sizes(e->robot)};
    const int motors = s.size.theta_count, joints = e->n - motors;
    vector(at, "q", joints, s.q);
    vector(at, "theta", motors, s.q + joints);
    vector(at, "qd", joints, s.qd);
    vector(at, "thetad", motors, s.qd + joints);
    if (!json_find(at, "qdd")) return s;
    vector(at, "qdd", joints, s.qdd);
    vector(at, "thetadd", motors, s.qdd + joints);
    return s;
}

// Torques of the motors from those of all coordinates, and back; behind a spring nothing else
// pushes the joint.
static void motor_torques(const example *e, const double *tau, double *motor)
{
    for (int i = 0; i < arne_robot_sizes(e->robot).motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(e->robot, i);
        motor[i] = tau[m.v_index < 0 ? i : m.v_index];
    }
}
static void spread(const example *e, const double *motor, double *tau)
{
    memset(tau, 0, (size_t)e->n * sizeof *tau);
    for (int i = 0; i < arne_robot_sizes(e->robot).motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(e->robot, i);
        tau[m.v_index < 0 ? i : m.v_index] = motor[i];
    }
}

static void hua_torques(const example *e, const json *at, const arne_wrench *f_ext,
                        const char *tau_key, const char *joint_key)
{
    const state s = hua_state(e, at);
    const int   joints = s.size.joint_count;
    double      tau[MAX_V], motor[MAX_V], wanted[MAX_V];
    arne_inverse_dynamics(e->robot, e->work, s.q, s.qd, s.qdd, f_ext, tau);
    motor_torques(e, tau, motor);
    vector(at, tau_key, joints, wanted);
    assert_close(&s, "motor torques", motor, wanted, joints, 1e-10);
    for (int i = 0; i < joints; i++) {
        const arne_joint_info j = arne_robot_joint(e->robot, i);
        motor[i] = v3_dot(j.axis, arne_joint_wrench(e->robot, e->work, i).ang);
    }
    vector(at, joint_key, joints, wanted);
    assert_close(&s, "joint torques", motor, wanted, joints, 1e-10);
}

static void hua_forward(const example *e, const state *s, const json *at)
{
    const int motors = s->size.theta_count, joints = e->n - motors;
    double    motor[MAX_V], tau[MAX_V], wanted[MAX_V];
    vector(at, "tau_m", joints, motor);
    spread(e, motor, tau);
    vector(at, "qdd", joints, wanted);
    vector(at, "thetadd", motors, wanted + joints);
    check_direct(s, e->work, tau, wanted);
}

static void hua_matrices(const example *e, const state *s, const json *at)
{
    double bias[MAX_V], wanted[MAX_V], hold[MAX_V];
    matrix A, theirs;
    vector(at, "A", e->n * e->n, theirs);
    arne_mass_matrix(e->robot, e->work, s->q, A);
    assert_close(s, "coupled matrix", A, theirs, e->n * e->n, 1e-10);
    vector(at, "zeta", e->n, wanted);
    arne_bias(e->robot, e->work, s->q, s->qd, NULL, bias);
    spring_torque(e->robot, s->q, s->qd, hold);
    for (int k = 0; k < e->n - s->size.theta_count; k++)
        bias[k] -= hold[k]; // theirs is without springs in the rows of joints
    assert_close(s, "bias", bias, wanted, e->n, 1e-10);
}

static void hua_generic(void **unused)
{
    (void)unused;
    json       *file = open_file("hua.json");
    const json *generic = json_get(file, "generic_5R"), *cases = json_get(generic, "cases");
    example     e = hua_build(file, json_get(generic, "model"));
    assert_int_equal(json_count(cases), 3);
    for (int i = 0; i < json_count(cases); i++) {
        const json *at = json_at(cases, i);
        const state s = hua_state(&e, at);
        arne_wrench f_ext[MAX_BODIES] = {0};
        hua_torques(&e, at, NULL, "tau", "tau_b_projected");
        // (2, -1, 3) N in the world's axes is what the tip does to the environment.
        const int tip = arne_find_frame(e.robot, "link5");
        arne_kinematics(e.robot, e.work, s.q, NULL, NULL);
        const arne_wrench push = {
            m3_apply_t(arne_frame_pose(e.robot, e.work, tip).R, v3(-2, 1, -3)), {0, 0, 0}};
        arne_add_wrench(e.robot, tip, &push, f_ext);
        hua_torques(&e, at, f_ext, "tau_with_fe", "tau_b_projected_with_fe");
        hua_matrices(&e, &s, at);
        hua_forward(&e, &s, json_get(at, "forward"));
    }
    example_close(&e);
}

// The arm of robots/, whose links and motors are apart, is the one whose links contain the motors.
static void hua_arm(void **unused)
{
    (void)unused;
    json       *file = open_file("hua.json");
    const json *completion = json_get(file, "completion_3R"),
               *cases = json_get(completion, "cases");
    example e = {.file = file, .robot = read_robot("hua_arm", NULL)};
    e.work = new_work(e.robot);
    e.n = arne_robot_sizes(e.robot).v_count;
    assert_int_equal(json_count(cases), 3);
    for (int i = 0; i < json_count(cases); i++) {
        const json *at = json_at(cases, i);
        state       s = hua_state(&e, at);
        hua_matrices(&e, &s, at);
        hua_forward(&e, &s, at);
    }
    const json  *motion = json_get(completion, "free_motion"), *y = json_get(motion, "y");
    const flight f = {e.robot, e.work, NULL, NULL};
    state        s = {.robot = e.robot, .size = arne_robot_sizes(e.robot)};
    double       start[8], energy[6];
    vector(motion, "y0", 8, start);
    vector(motion, "energy", 6, energy);
    memcpy(s.q, start, 4 * sizeof *start);
    memcpy(s.qd, start + 4, 4 * sizeof *start);
    for (int i = 0; i < json_count(y); i++) {
        double wanted[8], kinetic, potential;
        if (i) fly(&f, 0, 2e-5, 5000, s.q, s.qd);
        json_numbers(json_at(y, i), wanted, 8);
        assert_close(&s, "free motion", s.q, wanted, 4, 1e-8);
        assert_close(&s, "its velocity", s.qd, wanted + 4, 4, 1e-8);
        arne_energy(e.robot, e.work, s.q, s.qd, &kinetic, &potential);
        const double total = kinetic + potential;
        assert_same(&s, "energy", total, energy[0], 1e-8);
    }
    example_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs),     cmocka_unit_test(floating), cmocka_unit_test(free_flight),
        cmocka_unit_test(hua_generic), cmocka_unit_test(hua_arm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

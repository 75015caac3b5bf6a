// Motors on any link: rotors against bodies and mimic joints that say the same, and what must come
// out where they are rigid, reflected, locked or weightless.
#include "testing.h"

#include "losses.h"

#include <stdio.h>

typedef double matrix[MAX_V * MAX_V];

enum { TREES = 300 };

typedef struct named {
    char text[32];
} named;

static named name_of(const char *what, int i)
{
    named n;
    snprintf(n.text, sizeof n.text, "%s%d", what, i);
    return n;
}

// The tree of this seed, and what its motors are to be, made again by every caller.
typedef struct subject {
    arne_builder   *builder;
    arne_motor_spec motor[16]; // joint and link are their names' indices, until they are added
    int             joint[16], link[16], count, links;
    rng             random;
} subject;

static int is_drivable(const arne_joint_spec *j)
{
    return !j->mimic && arne_joint_kind_v_count(j->kind) == 1;
}

// Every joint that can have one gets a motor that is whole: nothing of it is in the link.
static subject subject_of(uint64_t seed)
{
    subject         t = {.builder = random_tree(seed), .links = 1, .random = rng_seed(seed + 5)};
    rng            *r = &t.random;
    arne_joint_spec joint;
    for (; arne_builder_get_joint(t.builder, name_of("j", t.links).text, &joint) == ARNE_OK;
         t.links++) {
        if (!is_drivable(&joint)) continue;
        arne_motor_spec *m = &t.motor[t.count];
        *m = arne_motor_spec_default();
        t.joint[t.count++] = t.links;
        m->axis = rng_axis(r);
        m->position = rng_vec3(r, 0.3);
        m->gear = rng_uniform(r, 1, 50) * (rng_chance(r, 0.5) ? 1 : -1);
        m->inertia = rng_uniform(r, 1e-4, 1e-3);
        m->transverse = rng_uniform(r, 1e-4, 1e-3);
        m->mass = rng_uniform(r, 0.1, 0.5);
        if (rng_chance(r, 0.5)) m->stiffness = rng_uniform(r, 50, 500);
    }
    for (int i = 0; i < t.count; i++)
        t.link[i] = rng_below(r, t.links);
    return t;
}

static void add_motor(arne_builder *builder, arne_motor_spec m, int joint, int link)
{
    const named driven = name_of("j", joint), on = name_of("l", link);
    m.joint = driven.text;
    m.link = on.text;
    assert_ok(arne_builder_add_motor(builder, &m, NULL));
}

static arne_robot *with_motors(const subject *t, const arne_build_options *options)
{
    for (int i = 0; i < t->count; i++)
        add_motor(t->builder, t->motor[i], t->joint[i], t->link[i]);
    return finish(t->builder, options);
}

// ---- an oracle: rotors as bodies on joints, as anybody could write them ----

static arne_pose frame_along(arne_vec3 axis, arne_vec3 place)
{
    const arne_vec3 z = v3_scale(1 / v3_length(axis), axis), other = {z.y, z.z, -z.x};
    const arne_vec3 across = v3_cross(other, z);
    const arne_vec3 x = v3_scale(1 / v3_length(across), across);
    const arne_pose out = {{x, v3_cross(z, x), z}, place};
    return out;
}

static arne_robot *with_bodies(const subject *t, const arne_build_options *options)
{
    for (int i = 0; i < t->count; i++) {
        const arne_motor_spec *m = &t->motor[i];
        const named            rotor = name_of("rotor", i), shaft = name_of("shaft", i);
        const named            driven = name_of("j", t->joint[i]), on = name_of("l", t->link[i]);
        arne_body_spec         body = arne_body_spec_default();
        arne_joint_spec        joint = arne_joint_spec_default();
        body.name = rotor.text;
        body.mass = m->mass;
        body.inertia[0] = body.inertia[1] = m->transverse;
        body.inertia[2] = m->inertia;
        body.accept = ARNE_ACCEPT_TRIANGLE;
        joint.name = shaft.text;
        joint.parent = on.text;
        joint.child = rotor.text;
        joint.kind = ARNE_JOINT_CONTINUOUS;
        joint.origin = frame_along(m->axis, m->position);
        if (isinf(m->stiffness)) {
            joint.mimic = driven.text;
            joint.mimic_ratio = m->gear;
        }
        assert_ok(arne_builder_add_body(t->builder, &body, NULL));
        assert_ok(arne_builder_add_joint(t->builder, &joint, NULL));
    }
    return finish(t->builder, options);
}

// Where a coordinate of the robot with motors is in the other one, and by what its speed is
// multiplied there.
typedef struct mapping {
    int    q[MAX_Q], v[MAX_V];
    double ratio[MAX_V];
} mapping;

static mapping map_to(const arne_robot *a, const arne_robot *b, const subject *t)
{
    const arne_sizes size = arne_robot_sizes(a);
    mapping          map = {{0}, {0}, {0}};
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(a, i);
        const arne_joint_info k = arne_robot_joint(b, arne_find_joint(b, j.name));
        for (int c = 0; c < j.q_count; c++)
            map.q[j.q_start + c] = k.q_start + c;
        for (int c = 0; c < j.v_count; c++) {
            map.v[j.v_start + c] = k.v_start + c;
            map.ratio[j.v_start + c] = 1;
        }
    }
    for (int i = 0; i < t->count; i++) {
        const int             joint = arne_find_joint(a, name_of("j", t->joint[i]).text);
        const arne_motor_info m = arne_robot_motor(a, arne_joint_motor(a, joint));
        if (m.v_index < 0) continue;
        const arne_joint_info k = arne_robot_joint(b, arne_find_joint(b, name_of("shaft", i).text));
        map.q[m.q_index] = k.q_start;
        map.v[m.v_index] = k.v_start;
        map.ratio[m.v_index] = m.gear;
    }
    return map;
}

static void compare_bodies(const state *s, arne_work *work, const arne_robot *b, arne_work *work_b,
                           const mapping *map)
{
    const int n = s->size.v_count, n_b = arne_robot_sizes(b).v_count;
    double    q[MAX_Q] = {0}, qd[MAX_V] = {0}, qdd[MAX_V] = {0}, tau[MAX_V], theirs[MAX_V];
    double    hold[MAX_V], ours[MAX_V];
    matrix    A, M, wanted;
    for (int i = 0; i < s->size.q_count; i++)
        q[map->q[i]] = s->q[i]; // how far a symmetric rotor has turned does not matter
    for (int i = 0; i < n; i++) {
        qd[map->v[i]] = map->ratio[i] * s->qd[i];
        qdd[map->v[i]] = map->ratio[i] * s->qdd[i];
    }
    if (arne_robot_base(b) == ARNE_BASE_PRESCRIBED)
        arne_work_set_base(b, work_b, &s->base_pose, &s->base_velocity, &s->base_acceleration);
    arne_inverse_dynamics(s->robot, work, s->q, s->qd, s->qdd, NULL, ours);
    arne_inverse_dynamics(b, work_b, q, qd, qdd, NULL, tau);
    spring_torque(s->robot, s->q, s->qd, hold);
    arne_mass_matrix(s->robot, work, s->q, A);
    arne_mass_matrix(b, work_b, q, M);
    for (int i = 0; i < n; i++) {
        theirs[i] = map->ratio[i] * tau[map->v[i]] + hold[i];
        for (int k = 0; k < n; k++)
            wanted[i * n + k] = map->ratio[i] * map->ratio[k] * M[map->v[i] * n_b + map->v[k]];
    }
    assert_close(s, "torques with rotors as bodies", ours, theirs, n, 1e-10);
    assert_close(s, "coupled matrix with rotors as bodies", A, wanted, n * n, 1e-10);
}

static void rotors_are_bodies(void **unused)
{
    (void)unused;
    int seen = 0;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        const arne_build_options options = {.base = random_tree_base(seed)};
        subject                  t = subject_of(seed), u = subject_of(seed);
        arne_robot              *a = with_motors(&t, &options), *b = with_bodies(&u, &options);
        arne_work               *work_a = new_work(a), *work_b = new_work(b);
        const mapping            map = map_to(a, b, &t);
        for (uint64_t i = 1; i <= 2; i++) {
            state s = random_state(a, i);
            state_set_base(&s, work_a);
            compare_bodies(&s, work_a, b, work_b, &map);
        }
        seen += t.count;
        arne_work_free(work_a);
        arne_work_free(work_b);
        arne_robot_free(a);
        arne_robot_free(b);
        arne_builder_free(t.builder);
        arne_builder_free(u.builder);
    }
    assert_true(seen > TREES);
}

// ---- what a motor's own figures mean ----

// A mass with an inertia about its centre, at a place of a body; all in the body's axes.
static void put_into(arne_body_spec *body, const arne_motor_spec *m, int with_mass,
                     int with_inertia)
{
    const double    mass = with_mass ? m->mass : 0, total = body->mass + mass;
    const arne_vec3 old = body->com, axis = v3_scale(1 / v3_length(m->axis), m->axis);
    const arne_vec3 com =
        v3_scale(1 / total, v3_add(v3_scale(body->mass, old), v3_scale(mass, m->position)));
    const arne_vec3 shift[2] = {v3_sub(old, com), v3_sub(m->position, com)};
    const double    masses[2] = {body->mass, mass};
    const double along = with_inertia ? m->inertia : 0, across = with_inertia ? m->transverse : 0;
    const double a[3] = {axis.x, axis.y, axis.z};
    const int    row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        const double one = row[k] == column[k];
        body->inertia[k] += across * one + (along - across) * a[row[k]] * a[column[k]];
        for (int i = 0; i < 2; i++) {
            const double d[3] = {shift[i].x, shift[i].y, shift[i].z};
            body->inertia[k] +=
                masses[i] * (v3_dot(shift[i], shift[i]) * one - d[row[k]] * d[column[k]]);
        }
    }
    body->mass = total;
    body->com = com;
}

// A link that contains its motors, with figures that say so, is the link and the motors apart.
static void contained_or_apart(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        const arne_build_options options = {.base = random_tree_base(seed)};
        subject                  t = subject_of(seed), u = subject_of(seed);
        for (int i = 0; i < u.count; i++) {
            arne_body_spec body;
            const int      with_mass = rng_chance(&u.random, 0.5);
            assert_ok(arne_builder_get_body(u.builder, name_of("l", u.link[i]).text, &body));
            const int plain =
                !body.about_origin && body.mass > 0 && v3_length(body.inertia_axes.x) == 0;
            if (!plain) continue;
            put_into(&body, &u.motor[i], with_mass, 1);
            assert_ok(arne_builder_set_body(u.builder, &body, NULL));
            u.motor[i].mass_included = with_mass;
            u.motor[i].inertia_included = 1;
        }
        arne_robot *a = with_motors(&t, &options), *b = with_motors(&u, &options);
        arne_work  *work = new_work(a);
        state       s = random_state(a, 1);
        double      tau[MAX_V], wanted[MAX_V];
        state_set_base(&s, work);
        arne_inverse_dynamics(a, work, s.q, s.qd, s.qdd, NULL, wanted);
        arne_inverse_dynamics(b, work, s.q, s.qd, s.qdd, NULL, tau);
        assert_close(&s, "torques with motors contained", tau, wanted, s.size.v_count, 1e-10);
        arne_work_free(work);
        arne_robot_free(a);
        arne_robot_free(b);
        arne_builder_free(t.builder);
        arne_builder_free(u.builder);
    }
}

// Rigid motors that weigh nothing change nothing, to the last bit.
static void weightless_motors_are_nothing(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        const arne_build_options options = {.base = random_tree_base(seed)};
        subject                  t = subject_of(seed);
        arne_robot              *plain = finish(t.builder, &options);
        for (int i = 0; i < t.count; i++) {
            t.motor[i].stiffness = INFINITY;
            t.motor[i].inertia = t.motor[i].transverse = t.motor[i].mass = 0;
            t.motor[i].reflected = i % 2;
        }
        arne_robot *robot = with_motors(&t, &options);
        arne_work  *work = new_work(plain);
        state       s = random_state(plain, 1);
        const int   n = s.size.v_count;
        double      tau[2][MAX_V], qdd[2][MAX_V];
        matrix      M[2];
        state_set_base(&s, work);
        assert_int_equal(arne_robot_sizes(robot).v_count, n);
        for (int i = 0; i < 2; i++) {
            const arne_robot *r = i ? robot : plain;
            arne_inverse_dynamics(r, work, s.q, s.qd, s.qdd, s.f_ext, tau[i]);
            arne_mass_matrix(r, work, s.q, M[i]);
            assert_ok(arne_forward_dynamics(r, work, s.q, s.qd, s.tau, s.f_ext, qdd[i], NULL));
        }
        assert_memory_equal(tau[0], tau[1], (size_t)n * sizeof(double));
        assert_memory_equal(qdd[0], qdd[1], (size_t)n * sizeof(double));
        assert_memory_equal(M[0], M[1], (size_t)(n * n) * sizeof(double));
        arne_work_free(work);
        arne_robot_free(plain);
        arne_robot_free(robot);
        arne_builder_free(t.builder);
    }
}

// E^T A E, where E moves the motors with their joints, is the matrix of the rigid robot.
static void locked_motors_make_the_rigid_robot(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        const arne_build_options options = {.base = random_tree_base(seed)};
        subject                  t = subject_of(seed), u = subject_of(seed);
        for (int i = 0; i < t.count; i++) {
            t.motor[i].reflected = u.motor[i].reflected = i % 3 == 2;
            u.motor[i].stiffness = INFINITY;
        }
        arne_robot *elastic = with_motors(&t, &options), *rigid = with_motors(&u, &options);
        arne_work  *work = new_work(elastic), *work_rigid = new_work(rigid);
        const state s = random_state(elastic, 1);
        const int   n = s.size.v_count, m = n - s.size.theta_count;
        int         to[MAX_V];
        matrix      A, M, sum;
        for (int k = 0; k < n; k++)
            to[k] = k;
        for (int i = 0; i < s.size.motor_count; i++) {
            const arne_motor_info motor = arne_robot_motor(elastic, i);
            if (motor.v_index >= 0)
                to[motor.v_index] = arne_robot_joint(elastic, motor.joint).v_start;
        }
        arne_mass_matrix(elastic, work, s.q, A);
        arne_mass_matrix(rigid, work_rigid, s.q, M);
        memset(sum, 0, sizeof sum);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                sum[to[i] * m + to[k]] += A[i * n + k];
        assert_close(&s, "E^T A E", sum, M, m * m, 1e-12);
        arne_work_free(work);
        arne_work_free(work_rigid);
        arne_robot_free(elastic);
        arne_robot_free(rigid);
        arne_builder_free(t.builder);
        arne_builder_free(u.builder);
    }
}

// A reflected rotor adds gear^2 inertia to the diagonal of its own coordinate, and nothing else.
static void reflected_rotors_are_on_the_diagonal(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        const arne_build_options options = {.base = random_tree_base(seed)};
        subject                  t = subject_of(seed);
        arne_robot              *plain = finish(t.builder, &options);
        for (int i = 0; i < t.count; i++)
            t.motor[i].reflected = t.motor[i].mass_included = t.motor[i].inertia_included = 1;
        arne_robot *robot = with_motors(&t, &options);
        arne_work  *work = new_work(robot), *work_plain = new_work(plain);
        const state s = random_state(robot, 1);
        const int   n = s.size.v_count, m = n - s.size.theta_count;
        matrix      A, M, wanted;
        memset(wanted, 0, sizeof wanted);
        arne_mass_matrix(robot, work, s.q, A);
        arne_mass_matrix(plain, work_plain, s.q, M);
        for (int i = 0; i < m; i++)
            for (int k = 0; k < m; k++)
                wanted[i * n + k] = M[i * m + k];
        for (int i = 0; i < s.size.motor_count; i++) {
            const arne_motor_info motor = arne_robot_motor(robot, i);
            const int             own = arne_robot_joint(robot, motor.joint).v_start;
            const int             k = motor.v_index < 0 ? own : motor.v_index;
            wanted[k * n + k] += motor.gear * motor.gear * motor.inertia;
        }
        assert_close(&s, "reflected rotors", A, wanted, n * n, 1e-12);
        arne_work_free(work);
        arne_work_free(work_plain);
        arne_robot_free(plain);
        arne_robot_free(robot);
        arne_builder_free(t.builder);
    }
}

// ---- other sizes ----

// How a coordinate of a larger robot compares: lengths grow, angles do not. 0 where a joint mixes
// both.
static int find_sizes(const arne_robot *robot, double length, double *size)
{
    const arne_sizes count = arne_robot_sizes(robot);
    for (int i = 0; i < count.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.kind == ARNE_JOINT_PLANAR || j.kind == ARNE_JOINT_FREE) return 0;
        for (int k = 0; k < j.v_count; k++)
            size[j.v_start + k] = j.kind == ARNE_JOINT_PRISMATIC ? length : 1;
    }
    for (int i = 0; i < count.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(robot, i);
        if (m.v_index >= 0) size[m.v_index] = size[arne_robot_joint(robot, m.joint).v_start];
    }
    return 1;
}

// A robot that is longer and heavier holds weight and springs, and is inert, as units say.
static void larger_robots(void **unused)
{
    (void)unused;
    const double             length = 2, mass = 3;
    const arne_build_options options = {.base = ARNE_BASE_FIXED};
    int                      seen = 0;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        arne_builder *builder = random_tree(seed);
        add_random_motors(builder, seed);
        arne_robot *robot = finish(builder, &options);
        assert_ok(arne_builder_scale(builder, length, mass));
        arne_robot *larger = finish(builder, &options);
        arne_work  *work = new_work(robot), *larger_work = new_work(larger);
        const state s = random_state(robot, 1);
        const int   n = s.size.v_count;
        double      size[MAX_V], q[MAX_Q], tau[MAX_V], wanted[MAX_V];
        matrix      M, theirs;
        if (find_sizes(robot, length, size)) {
            memcpy(q, s.q, sizeof q);
            for (int i = 0; i < s.size.joint_count; i++) {
                const arne_joint_info j = arne_robot_joint(robot, i);
                if (j.v_count == 1) q[j.q_start] *= size[j.v_start];
            }
            for (int i = 0; i < s.size.motor_count; i++) {
                const arne_motor_info m = arne_robot_motor(robot, i);
                if (m.v_index >= 0) q[m.q_index] *= size[m.v_index];
            }
            arne_gravity(robot, work, s.q, wanted);
            arne_gravity(larger, larger_work, q, tau);
            arne_mass_matrix(robot, work, s.q, M);
            arne_mass_matrix(larger, larger_work, q, theirs);
            for (int i = 0; i < n; i++) {
                wanted[i] *= mass * length / size[i];
                for (int k = 0; k < n; k++)
                    M[i * n + k] *= mass * length * length / (size[i] * size[k]);
            }
            assert_close(&s, "what a larger robot holds", tau, wanted, n, 1e-12);
            assert_close(&s, "its mass matrix", theirs, M, n * n, 1e-12);
            seen += s.size.motor_count;
        }
        arne_work_free(work);
        arne_work_free(larger_work);
        arne_robot_free(robot);
        arne_robot_free(larger);
        arne_builder_free(builder);
    }
    assert_true(seen > 50);
}

// ---- what a link cannot contain ----

static void link_cannot_contain_its_rotor(void **unused)
{
    (void)unused;
    arne_builder   *builder = random_tree(1);
    arne_motor_spec m = arne_motor_spec_default();
    arne_robot     *robot = NULL;
    arne_error      error;
    arne_body_spec  body;
    arne_joint_spec joint;
    int             i = 1;
    while (arne_builder_get_joint(builder, name_of("j", i).text, &joint) == ARNE_OK &&
           !is_drivable(&joint))
        i++;
    assert_true(is_drivable(&joint));
    const named driven = name_of("j", i);
    assert_ok(arne_builder_get_body(builder, joint.child, &body));
    m.name = "huge";
    m.joint = driven.text;
    m.link = body.name;
    m.inertia = 10;
    m.inertia_included = 1;
    assert_ok(arne_builder_add_motor(builder, &m, NULL));
    assert_int_equal(arne_builder_finish(builder, NULL, &robot, &error), ARNE_MODEL);
    assert_null(robot);
    assert_non_null(strstr(error.text, "huge"));
    assert_non_null(strstr(error.text, body.name));
    arne_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotors_are_bodies),
        cmocka_unit_test(contained_or_apart),
        cmocka_unit_test(weightless_motors_are_nothing),
        cmocka_unit_test(locked_motors_make_the_rigid_robot),
        cmocka_unit_test(reflected_rotors_are_on_the_diagonal),
        cmocka_unit_test(larger_robots),
        cmocka_unit_test(link_cannot_contain_its_rotor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

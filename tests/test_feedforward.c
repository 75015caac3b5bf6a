// Feedforward through springs: the motion it finds is one the robot makes by itself, its rates
// belong together, and it says where there is none. And the filter of the control laws.
#include "testing.h"

#include "losses.h"

#include <arne/motor.h>
#include <stdlib.h>

enum { TREES = 400, ORDERS = 5 };

// Positions and four derivatives of the joints.
typedef struct motion {
    double at[ORDERS][MAX_V];
} motion;

// Away from zero velocity, where dry friction jumps.
static motion random_motion(uint64_t seed, int count)
{
    motion m;
    rng    r = rng_seed(seed + 77);
    for (int i = 0; i < ORDERS; i++)
        rng_fill(&r, m.at[i], count, 1.5);
    for (int k = 0; k < count; k++)
        m.at[1][k] += m.at[1][k] < 0 ? -0.3 : 0.3;
    return m;
}

// The same motion a while later.
static motion later(const motion *m, double t, int count)
{
    motion out = *m;
    for (int i = 0; i < ORDERS; i++)
        for (int k = 0; k < count; k++) {
            double sum = 0;
            for (int j = ORDERS - 1; j >= i; j--)
                sum = m->at[j][k] + sum * t / (j - i + 1);
            out.at[i][k] = sum;
        }
    return out;
}

typedef struct whole {
    double q[MAX_Q], qd[MAX_V], qdd[MAX_V], motor[MAX_V];
} whole;

static whole ahead_at(arne_feedforward *f, const motion *m, const arne_wrench *f_ext)
{
    whole               out;
    const double *const joint[ORDERS] = {m->at[0], m->at[1], m->at[2], m->at[3], m->at[4]};
    arne_feedforward_torques(f, joint, f_ext, out.q, out.qd, out.qdd, out.motor);
    return out;
}

// The springs carry what their joints need: nothing else has to act on these, and the motors'
// torques are those of the motion.
static void check_motion(const state *s, arne_work *work, const whole *w)
{
    const int n = s->size.v_count;
    double    tau[MAX_V], wanted[MAX_V];
    arne_motor_spread(s->robot, w->motor, wanted);
    arne_inverse_dynamics(s->robot, work, w->q, w->qd, w->qdd, s->f_ext, tau);
    assert_close(s, "torques ahead", tau, wanted, n, 1e-10);
}

// A robot that is where it should be needs the torques that go ahead, whatever the gains; and its
// motors stand where the load side wants them.
static void check_laws(const state *s, arne_work *work, const whole *w)
{
    const int joints = s->size.v_count - s->size.theta_count;
    double    theta[MAX_V] = {0}, thetad[MAX_V] = {0}, thetadd[MAX_V] = {0}, gain[MAX_V];
    double    motor[MAX_V], theta_d[MAX_V];
    for (int k = 0; k < joints; k++)
        gain[k] = 3 + k;
    for (int i = 0; i < s->size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(s->robot, i);
        const int             k = arne_robot_joint(s->robot, m.joint).v_start;
        if (m.v_index < 0) continue;
        theta[k] = w->q[m.q_index];
        thetad[k] = w->qd[m.v_index];
        thetadd[k] = w->qdd[m.v_index];
    }
    const arne_mixed_gains     gains = {gain, gain, gain, gain};
    const arne_mixed_reference reference = {w->q, w->qd, w->qdd, theta, thetad, thetadd};
    arne_load_law(s->robot, work, &gains, &reference, w->q, w->qd, NULL, motor, theta_d);
    for (int i = 0; i < s->size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(s->robot, i);
        const int             k = arne_robot_joint(s->robot, m.joint).v_start;
        if (m.v_index >= 0) assert_same(s, "wanted place of a motor", theta_d[k], theta[k], 1e-10);
    }
    arne_motor_law(s->robot, work, &gains, &reference, w->q, w->qd, NULL, motor);
    assert_close(s, "torques of the laws", motor, w->motor, joints, 1e-10);
}

// thetad is the rate of theta, and thetadd that of thetad, by differences of eighth order.
static void check_rates(const state *s, arne_feedforward *f, const motion *m, const whole *w)
{
    static const double weight[5] = {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const double        h = 4e-3;
    const int           n = s->size.v_count, joints = n - s->size.theta_count;
    double              first[MAX_V] = {0}, second[MAX_V] = {0};
    for (int i = -4; i <= 4; i++) {
        const motion there = later(m, i * h, joints);
        const whole  x = ahead_at(f, &there, s->f_ext);
        const double c = (i < 0 ? -1 : 1) * weight[abs(i)] / h;
        for (int k = 0; k < n; k++) {
            first[k] += c * x.q[k];
            second[k] += c * x.qd[k];
        }
    }
    assert_close(s, "velocity ahead", w->qd, first, n, 1e-7);
    assert_close(s, "acceleration ahead", w->qdd, second, n, 1e-7);
}

static void motions_are_whole(void **unused)
{
    (void)unused;
    int seen = 0, elastic = 0;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        const arne_build_options options = {.base = ARNE_BASE_FIXED};
        arne_builder            *builder = random_tree(seed);
        arne_feedforward        *f = NULL;
        arne_error               error = {0};
        add_lossless_motors(builder, seed);
        arne_robot       *robot = finish(builder, &options);
        arne_work        *work = new_work(robot);
        const state       s = random_state(robot, 1);
        const motion      m = random_motion(seed, s.size.v_count);
        const arne_status status = arne_feedforward_new(robot, &f, &error);
        if (status == ARNE_OK) {
            const whole w = ahead_at(f, &m, s.f_ext), alone = ahead_at(f, &m, NULL);
            check_motion(&s, work, &w);
            check_rates(&s, f, &m, &w);
            check_laws(&s, work, &alone);
            seen++;
            elastic += s.size.theta_count;
        } else {
            assert_int_equal(status, ARNE_UNSUPPORTED);
            assert_true(error.text[0] != 0);
        }
        arne_feedforward_free(f);
        arne_work_free(work);
        arne_robot_free(robot);
        arne_builder_free(builder);
    }
    assert_true(seen > 40 && elastic > 20);
}

// ---- where it is not defined ----

static arne_builder *two_joints(const arne_motor_spec *first, const arne_motor_spec *second)
{
    static const char *const link[3] = {"base", "one", "two"}, *const joint[2] = {"near", "far"};
    arne_builder *builder = NULL;
    assert_ok(arne_builder_new(&builder));
    for (int i = 0; i < 3; i++) {
        arne_body_spec  body = arne_body_spec_default();
        arne_joint_spec spec = arne_joint_spec_default();
        body.name = link[i];
        body.mass = 1;
        body.com = v3(0.1, 0, 0);
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
        assert_ok(arne_builder_add_body(builder, &body, NULL));
        if (i == 0) continue;
        spec.name = joint[i - 1];
        spec.parent = link[i - 1];
        spec.child = link[i];
        spec.origin.p = v3(0.2, 0, 0);
        assert_ok(arne_builder_add_joint(builder, &spec, NULL));
    }
    for (int i = 0; i < 2; i++) {
        arne_motor_spec motor = *(i ? second : first);
        motor.joint = joint[i];
        assert_ok(arne_builder_add_motor(builder, &motor, NULL));
    }
    return builder;
}

// And a third joint that only a spring moves.
static arne_builder *with_tail(arne_builder *builder)
{
    arne_spring_spec spring = arne_spring_spec_default();
    arne_body_spec   body = arne_body_spec_default();
    arne_joint_spec  joint = arne_joint_spec_default();
    body.name = "tail";
    body.mass = 1;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
    joint.name = "wag";
    joint.parent = "two";
    joint.child = "tail";
    spring.joint = "wag";
    spring.stiffness = 1;
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    assert_ok(arne_builder_add_spring(builder, &spring, NULL));
    return builder;
}

static void expect(arne_builder *builder, const char *text)
{
    arne_robot       *robot = finish(builder, NULL);
    arne_feedforward *f = NULL;
    arne_error        error = {0};
    const arne_status status = arne_feedforward_new(robot, &f, &error);
    assert_int_equal(status, text ? ARNE_UNSUPPORTED : ARNE_OK);
    assert_int_equal(f == NULL, text != NULL);
    if (text && !strstr(error.text, text)) fail_msg("'%s' has no '%s'", error.text, text);
    arne_feedforward_free(f);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

static void reasons(void **unused)
{
    (void)unused;
    arne_motor_spec rigid = arne_motor_spec_default();
    rigid.inertia = 1e-3;
    rigid.gear = 10;
    arne_motor_spec elastic = rigid;
    elastic.stiffness = 100;
    arne_motor_spec damped = elastic, reflected = elastic;
    damped.damping = 1;
    reflected.reflected = 1;
    expect(two_joints(&rigid, &rigid), NULL);
    expect(two_joints(&rigid, &elastic), NULL);
    expect(two_joints(&elastic, &rigid), NULL);
    expect(two_joints(&elastic, &reflected), NULL);
    expect(two_joints(&elastic, &elastic), "motor 'far' acts on joint 'near'");
    expect(two_joints(&rigid, &damped), "motor 'far' has a damper");

    expect(with_tail(two_joints(&rigid, &rigid)), "joint 'wag' has a spring but no motor");
    assert_int_equal(arne_feedforward_new(NULL, NULL, NULL), ARNE_NULL_ARGUMENT);
}

// ---- the filter ----

// Its exact step is what small steps of its rate make, slow or fast, with and without overshoot.
static void filter_steps_are_exact(void **unused)
{
    (void)unused;
    static const double damping[] = {0.2, 0.7, 0.99999, 1, 1.00001, 3};
    for (size_t i = 0; i < sizeof damping / sizeof *damping; i++) {
        const double input = 0.7, dt = 0.1;
        const int    steps = 20000;
        arne_filter  exact = {8, damping[i], -0.3, 2}, small = exact;
        arne_filter_step(&exact, input, dt);
        for (int k = 0; k < steps; k++) { // the midpoint rule
            arne_filter middle = small;
            middle.x += 0.5 * dt / steps * small.xd;
            middle.xd += 0.5 * dt / steps * arne_filter_rate(&small, input);
            small.x += dt / steps * middle.xd;
            small.xd += dt / steps * arne_filter_rate(&middle, input);
        }
        assert_true(fabs(exact.x - small.x) < 1e-8 && fabs(exact.xd - small.xd) < 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_are_whole),
        cmocka_unit_test(reasons),
        cmocka_unit_test(filter_steps_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

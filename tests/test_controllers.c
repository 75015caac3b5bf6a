// Controllers: what each law promises, on every robot, and limits that hold.
#include "testing.h"
#include <arne/integrate.h>

#include <stdio.h>

// Gains of ones and zeros say little: these differ for every coordinate.
static void some_gains(double *gain, int count, double size)
{
    for (int i = 0; i < count; i++)
        gain[i] = size * (1 + 0.1 * i);
}

static arne_control_input input_of(const state *s, const state *ref)
{
    const arne_control_input in = {
        .t = 0.5, .q = s->q, .qd = s->qd, .q_ref = ref->q, .qd_ref = ref->qd, .qdd_ref = ref->qdd};
    return in;
}

static void lift_limits(arne_controller *c, int count)
{
    double none[MAX_V];
    for (int i = 0; i < count; i++)
        none[i] = INFINITY;
    const arne_control_limits limits = {none, NULL};
    assert_ok(arne_controller_set_limits(c, &limits, NULL));
}

static int base_size(const arne_robot *robot)
{
    return arne_robot_base(robot) == ARNE_BASE_FREE ? 6 : 0;
}

// What joints want of motors that are coordinates of their own; nothing drives a base, or a joint
// with a spring alone.
static void move_to_motors(const arne_robot *robot, double *tau)
{
    const arne_sizes size = arne_robot_sizes(robot);
    for (int i = 0; i < base_size(robot); i++)
        tau[i] = 0;
    for (int k = 0; k < size.spring_count; k++) {
        const int joint = arne_robot_spring(robot, k).joint;
        if (arne_joint_motor(robot, joint) < 0) tau[arne_robot_joint(robot, joint).v_start] = 0;
    }
    for (int m = 0; m < size.motor_count; m++) {
        const arne_motor_info motor = arne_robot_motor(robot, m);
        const int             joint = arne_robot_joint(robot, motor.joint).v_start;
        if (motor.v_index < 0) continue;
        tau[motor.v_index] += tau[joint];
        tau[joint] = 0;
    }
}

// Whether all joints have motors that move with them.
static int is_direct(const arne_robot *robot)
{
    const arne_sizes size = arne_robot_sizes(robot);
    for (int k = 0; k < size.spring_count; k++)
        if (arne_joint_motor(robot, arne_robot_spring(robot, k).joint) < 0) return 0;
    return size.theta_count == 0;
}

// Feedback is where the motor is.
static void feed_back_motors(const arne_robot *robot, double *tau)
{
    for (int m = 0; m < arne_robot_sizes(robot).motor_count; m++) {
        const arne_motor_info motor = arne_robot_motor(robot, m);
        if (motor.v_index >= 0) tau[arne_robot_joint(robot, motor.joint).v_start] = 0;
    }
    move_to_motors(robot, tau);
}

// No feedback where nothing drives a joint.
static void spare_passive(const arne_robot *robot, double *tau)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        for (int k = 0; k < j.v_count && j.passive; k++)
            tau[j.v_start + k] = 0;
    }
}

// In a tree no law drives a passive joint, unless the caller gives its torques.
static arne_status some_torque(void *context, const arne_control_input *input, double *tau)
{
    (void)input;
    for (int i = 0; i < 2; i++)
        tau[i] = *(const double *)context;
    return ARNE_OK;
}

static void passive_joints_of_trees_are_left_alone(void **unused)
{
    static const char text[] =
        "bodies: [{name: ground}, {name: a, mass: 1, com: [1, 0, 0]},\n"
        "  {name: b, mass: 1, com: [1, 0, 0]}]\n"
        "joints: [{name: j, kind: revolute, parent: ground, child: a, axis: [0, 1, 0]},\n"
        "  {name: k, kind: revolute, parent: a, child: b, axis: [0, 1, 0], passive: true}]\n";
    static const double      gains[2] = {5, 5}, zero[2] = {0}, ref[2] = {1, 1};
    const arne_control_input in = {.q = zero, .qd = zero, .q_ref = ref, .qd_ref = zero};
    arne_builder            *builder = NULL;
    arne_robot              *robot = NULL;
    double                   tau[2], given = 3;
    (void)unused;
    assert_ok(arne_builder_new(&builder));
    assert_ok(arne_read_yaml(builder, text, strlen(text), "passive.yaml", NULL));
    assert_ok(arne_builder_finish(builder, NULL, &robot, NULL));
    for (int law = 0; law < 4; law++) {
        arne_controller  *c = NULL;
        const arne_status status =
            law == 0   ? arne_controller_pd(robot, gains, gains, &c, NULL)
            : law == 1 ? arne_controller_pd_gravity(robot, gains, gains, &c, NULL)
            : law == 2 ? arne_controller_computed_torque(robot, gains, gains, &c, NULL)
                       : arne_controller_callback(robot, some_torque, &given, &c, NULL);
        assert_ok(status);
        assert_ok(arne_control(c, &in, tau, NULL));
        assert_true(tau[0] != 0 && (tau[1] != 0) == (law == 3));
        arne_controller_free(c);
    }
    arne_robot_free(robot);
    arne_builder_free(builder);
}

static void pd_is_linear_in_errors(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const state      ref = random_state(robot, s.seed + 50);
            double           kp[MAX_V], kd[MAX_V], e[MAX_V], want[MAX_V], g[MAX_V], tau[MAX_V];
            const int        n = s.size.v_count;
            arne_controller *plain, *lifting;
            some_gains(kp, n, 30);
            some_gains(kd, n, 4);
            assert_ok(arne_controller_pd(robot, kp, kd, &plain, NULL));
            assert_ok(arne_controller_pd_gravity(robot, kp, kd, &lifting, NULL));
            lift_limits(plain, n);
            lift_limits(lifting, n);
            const arne_control_input in = input_of(&s, &ref);
            arne_difference(robot, s.q, ref.q, e);
            for (int i = 0; i < n; i++)
                want[i] = kp[i] * e[i] + kd[i] * (ref.qd[i] - s.qd[i]);
            feed_back_motors(robot, want);
            memcpy(e, want, sizeof e);
            spare_passive(robot, e);
            assert_ok(arne_control(plain, &in, tau, NULL));
            assert_close(&s, "pd", tau, e, n, 1e-13);
            state_set_base(&s, arne_controller_work(lifting));
            arne_gravity(robot, work, s.q, g);
            move_to_motors(robot, g);
            for (int i = 0; i < n; i++)
                want[i] += g[i];
            assert_ok(arne_control(lifting, &in, tau, NULL));
            assert_close(&s, "pd and gravity", tau, want, n, 1e-13);
            arne_controller_free(plain);
            arne_controller_free(lifting);
        }
}

// Under computed torque the robot accelerates as the error equation says, whatever it is made of.
static void computed_torque_makes_a_double_integrator(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const state      ref = random_state(robot, s.seed + 50);
            double           kp[MAX_V], kd[MAX_V], e[MAX_V], want[MAX_V], tau[MAX_V], qdd[MAX_V];
            const int        n = s.size.v_count, base = base_size(robot);
            static double    M[MAX_V * MAX_V];
            arne_controller *c;
            some_gains(kp, n, 9);
            some_gains(kd, n, 6);
            const arne_status status = arne_controller_computed_torque(robot, kp, kd, &c, NULL);
            if (!is_direct(robot)) {
                assert_status(status, ARNE_UNSUPPORTED);
                continue;
            }
            assert_ok(status);
            lift_limits(c, n);
            state_set_base(&s, arne_controller_work(c));
            const arne_control_input in = input_of(&s, &ref);
            assert_ok(arne_control(c, &in, tau, NULL));
            arne_difference(robot, s.q, ref.q, e);
            assert_ok(arne_forward_dynamics(robot, work, s.q, s.qd, tau, NULL, qdd, NULL));
            for (int i = 0; i < n; i++)
                want[i] = ref.qdd[i] + kd[i] * (ref.qd[i] - s.qd[i]) + kp[i] * e[i];
            arne_mass_matrix(robot, work, s.q, M);
            assert_direct_close(&s, "acceleration under computed torque", qdd + base, want + base,
                                n - base, 1e-9, M);
            arne_controller_free(c);
        }
}

// The energy of the virtual spring, with the same stiffness along all axes.
static double spring_energy(const state *s, arne_work *work, const double *q, arne_pose goal,
                            int frame)
{
    arne_kinematics(s->robot, work, q, NULL, NULL);
    const arne_pose X = arne_frame_pose(s->robot, work, frame);
    const arne_vec3 d = v3_sub(goal.p, X.p);
    double          h[4];
    m3_to_quaternion(m3_mul(m3_transpose(X.R), goal.R), h);
    const double angle = 2 * atan2(sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]), fabs(h[3]));
    return 0.5 * 400 * v3_dot(d, d) + 0.5 * 30 * angle * angle;
}

// At rest the torques beyond the weight are minus the gradient of the spring's energy.
static void impedance_is_a_spring(void **unused)
{
    (void)unused;
    const double stiffness[6] = {400, 400, 400, 30, 30, 30}, damping[6] = {1, 2, 3, 4, 5, 6};
    EACH_FILE_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int        n = s.size.v_count;
            const int        frame = s.size.frame_count - 1;
            const state      ref = random_state(robot, s.seed + 50);
            double           want[MAX_V], g[MAX_V], tau[MAX_V], rest[MAX_V] = {0};
            arne_controller *c;
            assert_ok(arne_controller_impedance(robot, frame, stiffness, damping, NULL, &c, NULL));
            lift_limits(c, n);
            state_stop_base(&s, work);
            const arne_control_input in = {.q = s.q, .qd = rest, .q_ref = ref.q};
            arne_work_set_base(robot, arne_controller_work(c), &s.base_pose, NULL, NULL);
            arne_work_set_base(robot, work, &s.base_pose, NULL, NULL);
            arne_kinematics(robot, work, ref.q, NULL, NULL);
            const arne_pose goal = arne_frame_pose(robot, work, frame);
            arne_bias(robot, work, s.q, rest, NULL, g);
            for (int i = 0; i < n; i++) {
                double       step[MAX_V] = {0}, q[MAX_Q], energy[2];
                const double h = 1e-5;
                for (int side = 0; side < 2; side++) {
                    step[i] = side ? h : -h;
                    arne_integrate(robot, s.q, step, q);
                    energy[side] = spring_energy(&s, work, q, goal, frame);
                }
                want[i] = g[i] - (energy[1] - energy[0]) / (2 * h);
            }
            move_to_motors(robot, want);
            assert_ok(arne_control(c, &in, tau, NULL));
            assert_close(&s, "impedance", tau, want, n, 1e-6);
            arne_controller_free(c);
        }
}

static arne_status steep(void *context, const arne_control_input *in, double *tau)
{
    const double *sign = context;
    if (in->t > 3) return ARNE_NOT_CONVERGED;
    tau[0] = *sign * 1000 * in->t;
    tau[1] = NAN;
    return ARNE_OK;
}

static void limits_hold_and_are_counted(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("planar_2r", NULL);
    arne_controller *c;
    double           sign = 1, tau[2] = {0, 0}, q[2] = {0, 0};
    const double     torque[2] = {5, 5}, rate[2] = {16, INFINITY};
    assert_ok(arne_controller_callback(robot, steep, &sign, &c, NULL));
    const arne_control_limits limits = {torque, rate};
    assert_ok(arne_controller_set_limits(c, &limits, NULL));
    double before = 0;
    for (int k = 0; k <= 200; k++) {
        const arne_control_input in = {.t = k / 128.0, .q = q, .qd = q, .q_ref = q};
        sign = k < 100 ? 1 : -1;
        assert_ok(arne_control(c, &in, tau, NULL));
        assert_true(fabs(tau[0]) <= 5 && fabs(tau[0] - before) <= 0.125);
        assert_true(isnan(tau[1]));
        before = tau[0];
    }
    const arne_control_hits hits = arne_controller_hits(c);
    assert_int_equal(hits.samples, 201);
    assert_int_equal(hits.torque, 200); // all but t = 0 ask for more than 5
    assert_int_equal(arne_controller_hits_of(c, 0, 0), 200);
    assert_int_equal(arne_controller_hits_of(c, 1, 0), 0);
    assert_int_equal(hits.first_torque, 0);
    assert_true(hits.first_torque_time == 1 / 128.0);
    // 5 N m by 1/8 N m: 39 steps are cut on the way up, 79 on the way through zero.
    assert_int_equal(hits.torque_rate, 39 + 79);
    const arne_control_input late = {.t = 4, .q = q, .qd = q, .q_ref = q};
    arne_error               error;
    assert_status(arne_control(c, &late, tau, &error), ARNE_NOT_CONVERGED);
    assert_true(tau[0] == before && strstr(error.text, "callback"));
    arne_controller_reset(c);
    assert_int_equal(arne_controller_hits(c).torque, 0);
    arne_controller_free(c);
    arne_robot_free(robot);
}

static void torque_tables(void **unused)
{
    (void)unused;
    arne_robot *robot = read_robot("planar_2r", NULL);
    arne_table *table;
    char        name[64];
    snprintf(name, sizeof name, "tau.%s", arne_robot_joint(robot, 1).name);
    assert_ok(arne_table_new(&table));
    assert_ok(arne_table_add_column(table, name, "N m"));
    assert_ok(arne_table_add_column(table, "time", "s"));
    for (int i = 0; i < 5; i++)
        assert_ok(arne_table_append(table, (double[]){i * i, 0.1 * i}));
    for (int linear = 0; linear < 2; linear++) {
        arne_controller *c;
        assert_ok(arne_controller_torque_table(robot, table, linear, &c, NULL));
        lift_limits(c, 2);
        for (int k = -3; k < 60; k++) {
            const double             t = 0.01 * k, u = t / 0.1;
            const int                i = t < 0 ? 0 : u >= 4 ? 4 : (int)floor(u + 1e-12);
            const arne_control_input in = {.t = t};
            double                   tau[2];
            const double want = i * i + (linear && t > 0 && i < 4 ? (u - i) * (2 * i + 1) : 0);
            assert_ok(arne_control(c, &in, tau, NULL));
            assert_true(tau[0] == 0);
            if (fabs(u - round(u)) > 1e-9 || linear) assert_true(fabs(tau[1] - want) < 1e-12);
        }
        arne_controller_free(c);
    }
    arne_table_free(table);

    arne_controller *c;
    arne_error       error;
    assert_ok(arne_table_new(&table));
    assert_ok(arne_table_add_column(table, "time", "s"));
    assert_ok(arne_table_add_column(table, "tau.nobody", ""));
    assert_ok(arne_table_append(table, (double[]){0, 0}));
    assert_status(arne_controller_torque_table(robot, table, 0, &c, &error), ARNE_VALUE);
    assert_ok(arne_table_append(table, (double[]){0, 0}));
    assert_status(arne_controller_torque_table(robot, table, 0, &c, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "does not come after"));
    arne_table_free(table);
    arne_robot_free(robot);
}

// A double pendulum that is held against gravity: a spring and damper hang below the reference, the
// integral takes that away. It never exceeds the torque limit, whatever the error was before.
static void the_integral_holds_and_does_not_wind_up(void **unused)
{
    (void)unused;
    const arne_vec3          down = {0, -9.81, 0};
    const arne_build_options heavy = {.gravity = &down};
    arne_robot              *robot = read_robot("planar_2r", &heavy);
    arne_work               *work = new_work(robot);
    const double             kp[2] = {60, 60}, ki[2] = {80, 80}, kd[2] = {12, 12}, rest[2] = {0};
    const double     limit[2] = {300, 300}, weak[2] = {1, 1}, ref[2] = {0.3, 0.4}, far[2] = {3, 3};
    double           q[2] = {0.3, 0.4}, qd[2] = {0}, qdd[2], tau[2], g[2];
    const double     h = 1e-3;
    arne_controller *c, *pd;
    assert_ok(arne_controller_pid(robot, kp, ki, kd, &c, NULL));
    const arne_control_limits limits = {limit, NULL}, few = {weak, NULL};
    assert_ok(arne_controller_set_limits(c, &limits, NULL));
    for (int k = 0; k < 20000; k++) {
        const arne_control_input in = {
            .t = k * h, .q = q, .qd = qd, .q_ref = ref, .qd_ref = rest, .qdd_ref = rest};
        assert_ok(arne_control(c, &in, tau, NULL));
        assert_ok(arne_forward_dynamics(robot, work, q, qd, tau, NULL, qdd, NULL));
        for (int i = 0; i < 2; i++) {
            qd[i] += h * qdd[i];
            q[i] += h * qd[i];
        }
    }
    arne_gravity(robot, work, ref, g);
    assert_true(fabs(g[0]) > 1);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(q[i] - ref[i]) < 1e-4 && fabs(tau[i] - g[i]) < 1e-2 * (1 + fabs(g[i])));
    // A minute of an error that the motors cannot remove, then the error turns: so does the torque.
    assert_ok(arne_controller_set_limits(c, &few, NULL));
    for (int k = 0; k < 61; k++) {
        const arne_control_input in = {
            .t = 100.0 + k, .q = rest, .qd = rest, .q_ref = far, .qd_ref = rest};
        assert_ok(arne_control(c, &in, tau, NULL));
        assert_true(tau[0] == 1 && tau[1] == 1);
    }
    const double             past[2] = {-0.05, -0.05};
    const arne_control_input back = {
        .t = 161.0, .q = rest, .qd = rest, .q_ref = past, .qd_ref = rest};
    assert_ok(arne_control(c, &back, tau, NULL));
    assert_true(tau[0] < 0 && tau[1] < 0);
    // Without an integral it is pd.
    arne_controller_free(c);
    assert_ok(arne_controller_pid(robot, kp, NULL, kd, &c, NULL));
    assert_ok(arne_controller_pd(robot, kp, kd, &pd, NULL));
    double same[2];
    assert_ok(arne_control(c, &back, tau, NULL));
    assert_ok(arne_control(pd, &back, same, NULL));
    assert_true(tau[0] == same[0] && tau[1] == same[1]);
    arne_controller_free(pd);
    arne_controller_free(c);
    arne_work_free(work);
    arne_robot_free(robot);
}

static void bad_gains_are_refused(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("planar_2r", NULL);
    arne_controller *c;
    const double     fine[2] = {1, 1}, negative[2] = {1, -1}, six[6] = {0};
    assert_status(arne_controller_pd(robot, negative, fine, &c, NULL), ARNE_VALUE);
    assert_status(arne_controller_computed_torque(robot, fine, negative, &c, NULL), ARNE_VALUE);
    assert_status(arne_controller_impedance(robot, 99, six, six, NULL, &c, NULL), ARNE_VALUE);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passive_joints_of_trees_are_left_alone),
        cmocka_unit_test(pd_is_linear_in_errors),
        cmocka_unit_test(computed_torque_makes_a_double_integrator),
        cmocka_unit_test(impedance_is_a_spring),
        cmocka_unit_test(limits_hold_and_are_counted),
        cmocka_unit_test(torque_tables),
        cmocka_unit_test(the_integral_holds_and_does_not_wind_up),
        cmocka_unit_test(bad_gains_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

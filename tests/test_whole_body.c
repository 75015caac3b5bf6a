// The controller whole_body: forces inside the cones carry the base, whatever way they are looked
// at; a quadruped that squats by it stays on its feet where computed torque falls.
#include "contact.h"
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

enum { NQ = 19, NV = 18, FEET = 4 };
static const char *const FOOT[FEET] = {"front_left_foot", "front_right_foot", "rear_left_foot",
                                       "rear_right_foot"};
static const double      RADIUS = 0.0175, MU = 0.6;

typedef struct standing {
    arne_robot      *robot;
    arne_work       *work;
    arne_controller *c;
    double           q[NQ], qd[NV], weight;
} standing;

// Legs bent by `angle`, feet where they are at 0.8, on the plane z = 0.
static void posture(const standing *s, double angle, double *q)
{
    double x[2];
    for (int i = 0; i < 2; i++) {
        const double a = i ? angle : 0.8;
        arne_neutral(s->robot, q);
        for (int leg = 0; leg < FEET; leg++)
            q[7 + 3 * leg + 1] = -a, q[7 + 3 * leg + 2] = 2 * a;
        arne_kinematics(s->robot, s->work, q, NULL, NULL);
        const arne_vec3 p =
            arne_frame_pose(s->robot, s->work, arne_find_frame(s->robot, FOOT[0])).p;
        x[i] = p.x;
        q[2] = RADIUS - p.z;
    }
    q[0] = x[0] - x[1];
}

static arne_surrounding plane(arne_contact_model model)
{
    return (arne_surrounding){.kind = ARNE_SURROUNDING_GROUND,
                              .surface = {.model = model, .friction = MU, .slip_velocity = 0.01}};
}

static standing stand(double kp, double kd)
{
    standing               s = {.robot = read_robot("quadruped", NULL)};
    double                 p[NV], d[NV];
    arne_error             e;
    const arne_surrounding ground = plane(ARNE_CONTACT_RIGID);
    const arne_sizes       size = arne_robot_sizes(s.robot);
    assert_true(size.q_count == NQ && size.v_count == NV);
    assert_ok(arne_work_new(s.robot, &s.work));
    for (int i = 0; i < NV; i++)
        p[i] = kp, d[i] = kd;
    assert_ok_or(arne_controller_whole_body(s.robot, &ground, 1, p, d, 1e-6, &s.c, &e), &e);
    posture(&s, 0.8, s.q);
    s.weight = 9.81 * arne_total_mass(s.robot);
    return s;
}

static void fall(standing *s)
{
    arne_controller_free(s->c);
    arne_work_free(s->work);
    arne_robot_free(s->robot);
}

// What is left of the base's rows of M a + bias - J^T f.
static void base_rows(const standing *s, const double *a, double f[FEET][3], double left[6])
{
    double h[NV], J[6 * NV];
    arne_inverse_dynamics(s->robot, s->work, s->q, s->qd, a, NULL, h);
    memcpy(left, h, 6 * sizeof *left);
    for (int k = 0; k < FEET; k++) {
        const int frame = arne_find_frame(s->robot, FOOT[k]);
        arne_jacobian(s->robot, s->work, s->q, frame, ARNE_AXES_ALIGNED, J);
        // The point that touches is below the foot's origin: r x f for r = (0, 0, -RADIUS).
        const double w[6] = {f[k][0], f[k][1], f[k][2], RADIUS * f[k][1], -RADIUS * f[k][0], 0};
        for (int i = 0; i < 6; i++)
            for (int row = 0; row < 6; row++)
                left[i] -= J[row * NV + i] * w[row];
    }
}

// The forces that torques stand for: a leg has three joints, so h - tau = J^T f has one solution.
static void forces_of(const standing *s, const double *a, const double *tau, double f[FEET][3])
{
    double h[NV], J[6 * NV];
    arne_inverse_dynamics(s->robot, s->work, s->q, s->qd, a, NULL, h);
    for (int k = 0; k < FEET; k++) {
        arne_jacobian(s->robot, s->work, s->q, arne_find_frame(s->robot, FOOT[k]),
                      ARNE_AXES_ALIGNED, J);
        double A[3][3], b[3];
        for (int i = 0; i < 3; i++) {
            const int at = 6 + 3 * k + i;
            A[i][0] = J[at] - RADIUS * J[4 * NV + at];
            A[i][1] = J[NV + at] + RADIUS * J[3 * NV + at];
            A[i][2] = J[2 * NV + at];
            b[i] = h[at] - tau[at];
        }
        const double det = A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) -
                           A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
                           A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
        for (int j = 0; j < 3; j++) { // Cramer's rule
            double B[3][3];
            memcpy(B, A, sizeof B);
            for (int i = 0; i < 3; i++)
                B[i][j] = b[i];
            f[k][j] = (B[0][0] * (B[1][1] * B[2][2] - B[1][2] * B[2][1]) -
                       B[0][1] * (B[1][0] * B[2][2] - B[1][2] * B[2][0]) +
                       B[0][2] * (B[1][0] * B[2][1] - B[1][1] * B[2][0])) /
                      det;
        }
    }
}

static void assert_in_cones(const standing *s, double f[FEET][3])
{
    for (int k = 0; k < FEET; k++) {
        assert_true(f[k][2] > -1e-9 * s->weight);
        assert_true(hypot(f[k][0], f[k][1]) <= MU * f[k][2] + 1e-9 * s->weight);
    }
}

static double length_of(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

// At rest feet carry the weight. With random motions of all coordinates that cones can carry, no
// force is left on the base.
static void carries_the_base(void **unused)
{
    (void)unused;
    standing s = stand(0, 0);
    rng      r = rng_seed(7);
    for (int n = 0; n < 40; n++) {
        double             a[NV] = {0}, tau[NV], f[FEET][3], left[6], sum = 0;
        arne_control_input in = {.q = s.q, .qd = s.qd, .q_ref = s.q, .qd_ref = s.qd, .qdd_ref = a};
        if (n) {
            rng_fill(&r, a, NV, 2);
            rng_fill(&r, s.qd, NV, 0.5);
        }
        assert_ok(arne_control(s.c, &in, tau, NULL));
        for (int i = 0; i < 6; i++)
            assert_true(tau[i] == 0);
        forces_of(&s, a, tau, f);
        assert_in_cones(&s, f);
        base_rows(&s, a, f, left);
        assert_true(length_of(left, 6) < 2e-5 * s.weight);
        for (int k = 0; k < FEET; k++)
            sum += f[k][2];
        if (!n) assert_true(fabs(sum - s.weight) < 1e-5 * s.weight);
    }
    fall(&s);
}

// A body that is to accelerate more than friction allows: the forces reach the edge of the cones,
// and none near them leaves less, as accelerations of the base count it.
static void nearest_in_the_cones(void **unused)
{
    (void)unused;
    standing           s = stand(0, 0);
    double             a[NV] = {12}, tau[NV], f[FEET][3], left[6], M[NV * NV], pulled = 0, best = 0;
    arne_control_input in = {.q = s.q, .qd = s.qd, .q_ref = s.q, .qd_ref = s.qd, .qdd_ref = a};
    rng                r = rng_seed(3);
    assert_ok(arne_control(s.c, &in, tau, NULL));
    forces_of(&s, a, tau, f);
    assert_in_cones(&s, f);
    base_rows(&s, a, f, left);
    arne_mass_matrix(s.robot, s.work, s.q, M);
    for (int i = 0; i < 6; i++)
        best += left[i] * left[i] / M[i * NV + i];
    assert_true(length_of(left, 6) > 0.1 * s.weight);
    for (int k = 0; k < FEET; k++)
        pulled = fmax(pulled, (fabs(f[k][0]) + fabs(f[k][1])) / (MU * f[k][2]));
    assert_true(fabs(pulled - 1) < 1e-6);
    for (int n = 0; n < 300; n++) {
        double g[FEET][3], cost = 0;
        for (int k = 0; k < FEET; k++) {
            for (int i = 0; i < 3; i++)
                g[k][i] = f[k][i] + rng_uniform(&r, -1, 1) * (n % 2 ? 3 : 0.1);
            g[k][2] = fmax(g[k][2], (fabs(g[k][0]) + fabs(g[k][1])) / MU);
        }
        base_rows(&s, a, g, left);
        for (int i = 0; i < 6; i++)
            cost += left[i] * left[i] / M[i * NV + i];
        assert_true(cost > best * (1 - 1e-5));
    }
    fall(&s);
}

// A knee that may do little: others take over, and no torque is cut.
static void within_torque_limits(void **unused)
{
    (void)unused;
    standing           s = stand(0, 0);
    double             a[NV] = {0}, tau[NV], limit[NV], f[FEET][3], left[6];
    arne_control_input in = {.q = s.q, .qd = s.qd, .q_ref = s.q, .qd_ref = s.qd, .qdd_ref = a};
    assert_ok(arne_control(s.c, &in, tau, NULL));
    for (int i = 0; i < NV; i++)
        limit[i] = 20;
    limit[8] = 0.6 * fabs(tau[8]);
    const arne_control_limits limits = {.torque = limit};
    assert_ok(arne_controller_set_limits(s.c, &limits, NULL));
    arne_controller_reset(s.c);
    assert_ok(arne_control(s.c, &in, tau, NULL));
    assert_true(fabs(tau[8]) <= limit[8]);
    forces_of(&s, a, tau, f);
    assert_in_cones(&s, f);
    base_rows(&s, a, f, left);
    assert_true(length_of(left, 6) < 1e-3 * s.weight);
    fall(&s);
}

// In the air it is computed torque.
static void flies_as_computed_torque(void **unused)
{
    (void)unused;
    standing         s = stand(100, 20);
    arne_controller *plain;
    double           gain[NV], rate[NV], a[NV], tau[NV], other[NV];
    rng              r = rng_seed(5);
    for (int i = 0; i < NV; i++)
        gain[i] = 100, rate[i] = 20;
    assert_ok(arne_controller_computed_torque(s.robot, gain, rate, &plain, NULL));
    rng_fill(&r, s.qd, NV, 1);
    rng_fill(&r, a, NV, 1);
    s.q[2] += 0.5;
    const arne_control_input in = {.q = s.q, .qd = s.qd, .q_ref = s.q, .qdd_ref = a};
    assert_ok(arne_control(s.c, &in, tau, NULL));
    assert_ok(arne_control(plain, &in, other, NULL));
    for (int i = 0; i < NV; i++)
        assert_true(tau[i] == other[i]);
    arne_controller_free(plain);
    fall(&s);
}

// A squat, from 0.8 to 1.1 rad and back, over 0.8 s, and 1.5 s at rest; returns the largest
// distance of the body from its reference, and at the end that of any foot from where it stood.
static double squat(arne_contact_model model, int plain, double *slipped)
{
    standing               s = stand(400, 40);
    const arne_surrounding ground = plane(model);
    double                 times[17], points[17 * NQ], gain[NV], rate[NV], worst = 0;
    arne_trajectory       *path;
    arne_error             e;
    for (int i = 0; i < NV; i++)
        gain[i] = 400, rate[i] = 40;
    for (int i = 0; i < 17; i++) {
        times[i] = 0.05 * i;
        posture(&s, 0.8 + 0.15 * (1 - cos(i * acos(-1) / 8)), points + i * NQ);
    }
    assert_ok_or(arne_trajectory_waypoints(s.robot, 5, 17, times, points, &path, &e), &e);
    arne_controller_free(s.c);
    assert_ok(plain ? arne_controller_computed_torque(s.robot, gain, rate, &s.c, &e)
                    : arne_controller_whole_body(s.robot, &ground, 1, gain, rate, 1e-6, &s.c, &e));
    const arne_simulation_spec sim = {
        .robot = s.robot,
        .controller = s.c,
        .sample_time = 1e-3,
        .reference = path,
        .surroundings = &ground,
        .surrounding_count = 1,
        .integrator = {.method = ARNE_METHOD_RK4,
                       .step = model == ARNE_CONTACT_RIGID ? 1e-3 : 5e-5},
        .duration = 2.3,
        .record_every = 0.02,
        .record = ARNE_RECORD_Q | ARNE_RECORD_ERROR | ARNE_RECORD_CONTACT};
    arne_table             *table;
    arne_simulation_summary summary;
    assert_ok_or(arne_simulate(&sim, NULL, NULL, &table, &summary, &e), &e);
    for (int i = 0; i < arne_table_rows(table); i++) {
        double q[NQ];
        for (int k = 0; k < 3; k++) {
            char name[32];
            snprintf(name, sizeof name, "q.base.%d", k);
            q[k] = contact_value(table, i, name);
        }
        const double t = arne_table_row(table, i)[0];
        double       wanted[NQ];
        arne_trajectory_evaluate(path, fmin(t, 0.8), wanted, NULL, NULL, NULL, NULL);
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(q[k] - wanted[k]));
    }
    const int first = arne_table_find(table, "q.base.0");
    arne_kinematics(s.robot, s.work, arne_table_row(table, arne_table_rows(table) - 1) + first,
                    NULL, NULL);
    *slipped = 0;
    double sum = 0;
    for (int k = 0; k < FEET; k++) {
        char name[64];
        snprintf(name, sizeof name, "contact.%s.fz", FOOT[k]);
        sum += contact_value(table, -1, name);
        const int       frame = arne_find_frame(s.robot, FOOT[k]);
        const arne_vec3 p = arne_frame_pose(s.robot, s.work, frame).p;
        arne_work      *work;
        assert_ok(arne_work_new(s.robot, &work));
        arne_kinematics(s.robot, work, s.q, NULL, NULL);
        const arne_vec3 was = arne_frame_pose(s.robot, work, frame).p;
        *slipped = fmax(*slipped, hypot(p.x - was.x, p.y - was.y));
        arne_work_free(work);
    }
    printf("model %d, plain %d: body %.3g m, feet %.3g m, carried %.6g of the weight\n", model,
           plain, worst, *slipped, sum / s.weight);
    if (!plain) assert_true(fabs(sum / s.weight - 1) < 1e-4);
    arne_table_free(table);
    arne_trajectory_free(path);
    fall(&s);
    return worst;
}

static void squats(void **unused)
{
    (void)unused;
    for (int model = 0; model < ARNE_CONTACT_MODEL_COUNT; model++) {
        double slipped;
        assert_true(squat((arne_contact_model)model, 0, &slipped) < 2e-3);
        assert_true(slipped < 1e-3);
        assert_true(squat((arne_contact_model)model, 1, &slipped) > 0.1);
    }
}

static void refuses(const char *robot, const char *keys, const char *ground, const char *says)
{
    char           text[600], with[700];
    arne_scenario *s = NULL;
    arne_error     e;
    snprintf(text, sizeof text, "robot: %s.yaml\nduration: 1\ncontroller: {type: whole_body%s}\n%s",
             robot, keys, ground);
    const arne_status status =
        arne_scenario_read_yaml(text, strlen(text), ARNE_ROBOTS_DIR "/s.yaml", NULL, &s, &e);
    snprintf(with, sizeof with, "%s: %s", says, e.text);
    arne_scenario_free(s);
    if (!status || !strstr(e.text, says) || e.line != 3) fail_msg("%s line %d", with, e.line);
}

// One number of a scenario is the gain of all coordinates, the base's too.
static void reads(void **unused)
{
    (void)unused;
    static const char text[] = "robot: quadruped.yaml\nduration: 1\n"
                               "controller: {type: whole_body, kp: 400, kd: 40}\n"
                               "surroundings: [{type: ground, friction: 0.6}]\n";
    standing          s = stand(400, 40);
    arne_scenario    *read;
    arne_error        e;
    double            tau[NV], other[NV], ref[NQ];
    assert_ok_or(
        arne_scenario_read_yaml(text, strlen(text), ARNE_ROBOTS_DIR "/s.yaml", NULL, &read, &e),
        &e);
    memcpy(ref, s.q, sizeof ref);
    ref[2] += 0.01;
    const arne_control_input in = {.q = s.q, .qd = s.qd, .q_ref = ref};
    assert_ok(arne_control(s.c, &in, tau, NULL));
    assert_ok(arne_control(arne_scenario_simulation(read)->controller, &in, other, NULL));
    for (int i = 0; i < NV; i++)
        assert_true(fabs(tau[i] - other[i]) < 1e-9);
    arne_scenario_free(read);
    fall(&s);
}

static void refusals(void **unused)
{
    (void)unused;
    static const char *const ground = "surroundings: [{type: ground, friction: 0.5}]\n",
                             *gains = ", kp: 1, kd: 1";
    refuses("arm6", gains, ground, "has no free base: take computed_torque");
    refuses("arm6", gains, ground, "arm6");
    refuses("planar_2r", gains, "base: free\nsurroundings: [{type: ground, friction: 0.5}]\n",
            "has no contacts to stand on");
    refuses("quadruped", gains, "", "a ground or height_field");
    refuses("quadruped", ", kp: {front_left_knee: 9}, kd: 1", ground, "no gain of the base");
    refuses("quadruped", ", kp: 1", ground, "kd is missing");
    refuses("quadruped", ", kp: 1, kd: -1", ground, "kd");
    refuses("quadruped", ", kp: 1, kd: 1, force_weight: -1", ground, "force_weight");
    refuses("quadruped", ", kp: 1, kd: 1, force_weight: 0", ground, "force_weight");
    refuses("quadruped", ", kp: 1, kd: 1, force_wieght: 1", ground, "force_wieght");
    standing         s = stand(1, 1);
    arne_controller *c = NULL;
    arne_error       e;
    assert_status(arne_controller_whole_body(s.robot, NULL, 0, NULL, NULL, 1e-6, &c, &e),
                  ARNE_VALUE);
    const arne_surrounding on = plane(ARNE_CONTACT_RIGID);
    for (int i = 0; i < 4; i++) {
        static const double weights[] = {-1, 0, INFINITY, NAN};
        assert_status(arne_controller_whole_body(s.robot, &on, 1, NULL, NULL, weights[i], &c, &e),
                      ARNE_VALUE);
        assert_non_null(strstr(e.text, "force_weight"));
        assert_null(c);
    }
    fall(&s);
}

// Robots whose forces or torques it could not choose.
static void refuses_kinds(void **unused)
{
    (void)unused;
    static const char *const wheel = "base: free\n"
                                     "bodies: [{name: wheel, mass: 1, inertia: [1, 1, 1]}]\n"
                                     "contacts: [{link: wheel, disc: 0.1,\n"
                                     "            tyre: {longitudinal: 10, lateral: 10}}]\n";
    static const char *const says[] = {"loops", "elastic joints", "tyres"};
    const arne_build_options floats = {.base = ARNE_BASE_FREE};
    const arne_surrounding   on = plane(ARNE_CONTACT_RIGID);
    arne_robot *const robots[] = {read_robot("four_bar", &floats), read_robot("hua_arm", &floats),
                                  contact_robot(wheel, (arne_vec3){0, 0, -9.81})};
    for (int i = 0; i < 3; i++) {
        arne_controller *c = NULL;
        arne_error       e;
        assert_status(arne_controller_whole_body(robots[i], &on, 1, NULL, NULL, 1e-6, &c, &e),
                      ARNE_UNSUPPORTED);
        if (!strstr(e.text, says[i])) fail_msg("%s", e.text);
        arne_robot_free(robots[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_the_base),
        cmocka_unit_test(nearest_in_the_cones),
        cmocka_unit_test(within_torque_limits),
        cmocka_unit_test(flies_as_computed_torque),
        cmocka_unit_test(squats),
        cmocka_unit_test(refusals),
        cmocka_unit_test(reads),
        cmocka_unit_test(refuses_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

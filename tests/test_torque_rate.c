// Torques with their rates, and jerks: the complex step in time of torques and accelerations, and
// the Stanford arm of Guarino Lo Bianco 2009.
#include "json.h"
#include "nudges.h"

static const double TOLERANCE = 1e-10;

// A motion with jerk: of the joints and of the base.
typedef struct jerky {
    double      qddd[MAX_V];
    arne_motion base_jerk;
} jerky;

static jerky random_jerk(const state *s, arne_work *work)
{
    jerky j = {{0}, {{0, 0, 0}, {0, 0, 0}}};
    rng   r = rng_seed(s->seed + 31);
    rng_fill(&r, j.qddd, s->size.v_count, 3);
    if (arne_robot_base(s->robot) == ARNE_BASE_PRESCRIBED) {
        j.base_jerk.lin = rng_vec3(&r, 3);
        j.base_jerk.ang = rng_vec3(&r, 3);
    }
    state_set_base(s, work);
    arne_work_set_base_jerk(s->robot, work, &j.base_jerk);
    return j;
}

static nudge in_time(const state *s, const jerky *j)
{
    const nudge d = {.q = s->qd, .qd = s->qdd, .qdd = j->qddd, .base_jerk = &j->base_jerk};
    return d;
}

static void on_every_robot(void (*law)(const state *s, arne_work *work, const jerky *j))
{
    EACH_ROBOT (robot, work)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            const state s = random_state(robot, seed);
            const jerky j = random_jerk(&s, work);
            law(&s, work, &j);
        }
}

// ---- torques ----

static void rate_law(const state *s, arne_work *work, const jerky *j)
{
    const int   n = s->size.v_count;
    arne_load   loads[MAX_LOADS];
    arne_wrench f_ext[MAX_BODIES];
    double      tau[MAX_V], rate[MAX_V], alone[MAX_V], wanted[MAX_V];
    const int   all = random_loads(s, loads);
    for (int count = 0; count <= all; count += all) { // without loads and with all of them
        const loaded at = {s, loads, count};
        arne_torque_rate(s->robot, work, s->q, s->qd, s->qdd, j->qddd, loads, count, tau, rate);
        oracle_torques(at, in_time(s, j), wanted);
        assert_close(s, "torque rate", rate, wanted, n, TOLERANCE);
        arne_torque_rate(s->robot, work, s->q, s->qd, s->qdd, j->qddd, loads, count, NULL, alone);
        assert_close(s, "torque rate alone", alone, rate, n, 0);
        loads_as_wrenches(s->robot, loads, count, f_ext);
        arne_inverse_dynamics(s->robot, work, s->q, s->qd, s->qdd, f_ext, wanted);
        assert_close(s, "torque", tau, wanted, n, 1e-12);
    }
}

static void rates_agree_with_the_complex_step(void **unused)
{
    (void)unused;
    on_every_robot(rate_law);
}

// d(tau)/dt is what the derivatives say along (qd, qdd, qddd), where the base is at rest and loads
// move with the links.
static void rates_are_derivatives_along_the_motion(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 200) {
        state     s = random_state(robot, 4);
        jerky     j = random_jerk(&s, work);
        arne_load loads[MAX_LOADS];
        double    tau[MAX_V], rate[MAX_V], along[MAX_V];
        const int count = random_loads(&s, loads), n = s.size.v_count;
        for (int i = 0; i < count; i++)
            memset(&loads[i].rate, 0, sizeof loads[i].rate);
        state_stop_base(&s, work);
        arne_torque_rate(robot, work, s.q, s.qd, s.qdd, j.qddd, loads, count, tau, rate);
        arne_inverse_dynamics_along(robot, work, s.q, s.qd, s.qdd, loads, count, s.qd, s.qdd,
                                    j.qddd, along);
        assert_close(&s, "torque rate", rate, along, n, TOLERANCE);
    }
}

// Setting the base takes its jerk away again.
static void base_jerk_is_forgotten(void **unused)
{
    static const arne_build_options prescribed = {.base = ARNE_BASE_PRESCRIBED};
    arne_robot                     *robot = read_robot("arm6", &prescribed);
    arne_work                      *work = new_work(robot), *fresh = new_work(robot);
    const state                     s = random_state(robot, 1);
    const jerky                     j = random_jerk(&s, work);
    double                          tau[MAX_V], with[MAX_V], without[MAX_V], wanted[MAX_V];
    (void)unused;
    arne_torque_rate(robot, work, s.q, s.qd, s.qdd, j.qddd, NULL, 0, tau, with);
    state_set_base(&s, work);
    arne_torque_rate(robot, work, s.q, s.qd, s.qdd, j.qddd, NULL, 0, tau, without);
    state_set_base(&s, fresh);
    arne_torque_rate(robot, fresh, s.q, s.qd, s.qdd, j.qddd, NULL, 0, tau, wanted);
    assert_close(&s, "torque rate", without, wanted, s.size.v_count, 0);
    assert_true(relative_error(with, wanted, s.size.v_count) > 1e-3);
    arne_work_set_base_jerk(robot, fresh, &j.base_jerk);
    arne_torque_rate(robot, fresh, s.q, s.qd, s.qdd, j.qddd, NULL, 0, tau, wanted);
    assert_close(&s, "torque rate", with, wanted, s.size.v_count, 0);
    arne_work_set_base_jerk(robot, fresh, NULL);
    arne_torque_rate(robot, fresh, s.q, s.qd, s.qdd, j.qddd, NULL, 0, tau, wanted);
    assert_close(&s, "torque rate", without, wanted, s.size.v_count, 0);
    arne_work_free(work);
    arne_work_free(fresh);
    arne_robot_free(robot);
}

// ---- jerks ----

static int pick(const state *s, int count)
{
    rng r = rng_seed(s->seed + (uint64_t)s->size.joint_count);
    return rng_below(&r, count);
}

static void jerk_law(const state *s, arne_work *work, const jerky *j)
{
    const int frames[3] = {0, pick(s, s->size.frame_count), s->size.frame_count - 1};
    double    tau[MAX_V], rate[MAX_V], wanted[12];
    for (int i = 0; i < 3; i++) {
        arne_motion inside, turned, exact;
        arne_torque_rate(s->robot, work, s->q, s->qd, s->qdd, j->qddd, NULL, 0, tau, rate);
        const arne_motion jerk = arne_frame_jerk(s->robot, work, frames[i], ARNE_AXES_ALIGNED);
        inside = arne_frame_jerk(s->robot, work, frames[i], ARNE_AXES_BODY);
        oracle_frame(s, frames[i], ARNE_AXES_ALIGNED, in_time(s, j), wanted);
        memcpy(&exact, wanted + 6, sizeof exact);
        assert_same(s, "jerk", jerk, exact, TOLERANCE);

        arne_kinematics(s->robot, work, s->q, NULL, NULL);
        const arne_mat3 R = arne_frame_pose(s->robot, work, frames[i]).R;
        turned.lin = m3_apply(R, inside.lin);
        turned.ang = m3_apply(R, inside.ang);
        assert_same(s, "jerk in the frame's axes", turned, exact, TOLERANCE);
    }
}

static void jerks_agree_with_the_complex_step(void **unused)
{
    (void)unused;
    on_every_robot(jerk_law);
}

static void centre_law(const state *s, arne_work *work, const jerky *j)
{
    const int link = pick(s, s->size.link_count);
    double    tau[MAX_V], rate[MAX_V], wanted[6];
    arne_vec3 exact[2];
    arne_torque_rate(s->robot, work, s->q, s->qd, s->qdd, j->qddd, NULL, 0, tau, rate);
    const arne_vec3 own = arne_com_jerk(s->robot, work, link, ARNE_AXES_ALIGNED),
                    inside = arne_com_jerk(s->robot, work, link, ARNE_AXES_BODY),
                    whole = arne_com_jerk(s->robot, work, -1, ARNE_AXES_ALIGNED);
    oracle_centres(s, link, in_time(s, j), wanted);
    memcpy(exact, wanted, sizeof exact);
    assert_same(s, "jerk of a link's centre of mass", own, exact[0], TOLERANCE);
    assert_same(s, "jerk of the centre of mass", whole, exact[1], TOLERANCE);
    arne_kinematics(s->robot, work, s->q, NULL, NULL);
    const arne_vec3 turned = m3_apply(arne_frame_pose(s->robot, work, link).R, inside);
    assert_same(s, "jerk in the link's axes", turned, exact[0], TOLERANCE);
}

static void jerks_of_centres_agree_with_the_complex_step(void **unused)
{
    (void)unused;
    on_every_robot(centre_law);
}

// ---- the Stanford arm ----

static void compare_samples(const json *file, const char *motion, const arne_robot *robot,
                            arne_work *work)
{
    const json *samples = json_get(json_get(file, motion), "samples");
    assert_int_equal(json_count(samples), 21);
    for (int i = 0; i < json_count(samples); i++) {
        const json *at = json_at(samples, i);
        state       s = {.robot = robot, .size = arne_robot_sizes(robot), .seed = (uint64_t)i};
        double      qddd[6], tau[6], rate[6], tau_wanted[6], rate_wanted[6];
        json_numbers(json_get(at, "q"), s.q, 6);
        json_numbers(json_get(at, "qd"), s.qd, 6);
        json_numbers(json_get(at, "qdd"), s.qdd, 6);
        json_numbers(json_get(at, "qddd"), qddd, 6);
        json_numbers(json_get(at, "tau"), tau_wanted, 6);
        json_numbers(json_get(at, "tau_dot"), rate_wanted, 6);
        arne_torque_rate(robot, work, s.q, s.qd, s.qdd, qddd, NULL, 0, tau, rate);
        assert_close(&s, "torque", tau, tau_wanted, 6, TOLERANCE);
        assert_close(&s, "torque rate", rate, rate_wanted, 6, TOLERANCE);
    }
}

static void stanford_arm(void **unused)
{
    json       *file = json_read(TEST_DATA_DIR "/stanford.json");
    arne_robot *robot = read_robot("stanford", NULL);
    arne_work  *work = new_work(robot);
    (void)unused;
    assert_int_equal(arne_robot_sizes(robot).v_count, 6);
    compare_samples(file, "quintic", robot, work);
    compare_samples(file, "septic", robot, work);
    arne_work_free(work);
    arne_robot_free(robot);
    json_free(file);
}

// The paper's motion from q_initial to q_final in two seconds: torque of joint 1, and its rate.
static double joint1(const json *file, arne_work *work, const arne_robot *robot, double t,
                     double *rate)
{
    const double T = json_number(json_get(file, "t_f")), u = t / T;
    const double p[4] = {u * u * u * (10 + u * (-15 + 6 * u)), 30 * u * u * (1 + u * (-2 + u)) / T,
                         60 * u * (1 + u * (-3 + 2 * u)) / (T * T),
                         60 * (1 + u * (-6 + 6 * u)) / (T * T * T)};
    double       from[6], to[6], x[4][6], tau[6], all[6];
    json_numbers(json_get(file, "q_initial"), from, 6);
    json_numbers(json_get(file, "q_final"), to, 6);
    for (int d = 0; d < 4; d++)
        for (int k = 0; k < 6; k++)
            x[d][k] = (d == 0 ? from[k] : 0) + (to[k] - from[k]) * p[d];
    arne_torque_rate(robot, work, x[0], x[1], x[2], x[3], NULL, 0, tau, all);
    *rate = all[0];
    return tau[0];
}

// Between the exact rate and the backward difference of torques, the largest over the motion.
static double largest_gap(const json *file, arne_work *work, const arne_robot *robot, double Ts)
{
    double    rate, before = joint1(file, work, robot, 0, &rate), gap = 0;
    const int count = (int)lround(json_number(json_get(file, "t_f")) / Ts);
    for (int i = 1; i <= count; i++) {
        const double tau = joint1(file, work, robot, i * Ts, &rate);
        gap = fmax(gap, fabs(rate - (tau - before) / Ts));
        before = tau;
    }
    return gap;
}

static void backward_differences_of_the_paper(void **unused)
{
    json        *file = json_read(TEST_DATA_DIR "/stanford.json");
    arne_robot  *robot = read_robot("stanford", NULL);
    arne_work   *work = new_work(robot);
    const double fine = largest_gap(file, work, robot, 1e-4),
                 middle = largest_gap(file, work, robot, 1e-3),
                 coarse = largest_gap(file, work, robot, 1e-2);
    (void)unused;
    assert_true(fabs(fine - 0.024022) < 1e-5);
    assert_true(fabs(fine - 0.02462) <
                0.03 * 0.02462); // the paper's, from a table that lost a column in print
    assert_true(fabs(middle / fine - 10) < 0.01 && fabs(coarse / fine - 100) < 0.1);
    arne_work_free(work);
    arne_robot_free(robot);
    json_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_agree_with_the_complex_step),
        cmocka_unit_test(rates_are_derivatives_along_the_motion),
        cmocka_unit_test(base_jerk_is_forgotten),
        cmocka_unit_test(jerks_agree_with_the_complex_step),
        cmocka_unit_test(jerks_of_centres_agree_with_the_complex_step),
        cmocka_unit_test(stanford_arm),
        cmocka_unit_test(backward_differences_of_the_paper),
    };
    return cmocka_run_group_tests_name("torque rate", tests, NULL, NULL);
}

// Identification: exact data give the parameters back, noise gives deviations that are right, and
// what is found can be.
#include "identify_data.h"

#include "identify/excitation.h"
#include "identify/pseudo_inertia.h"

// ---- exact data

static void check_exact(int with_rates, double rate, arne_estimator estimator, double tolerance)
{
    arne_robot                 *prior = read_file("arm6.yaml"), *truth = true_robot(prior);
    recording                   r = record(truth, (int)(30 * rate), rate, 0);
    const arne_log              log = log_of(&r, NULL, with_rates);
    const arne_identify_options o = {.size = sizeof o, .estimator = estimator};
    arne_identify              *s = fit(prior, &log, &o);
    double                      expected[120];
    const arne_identify_result *found = arne_identify_get(s);
    true_values(s, truth, expected);
    for (int i = 0; i < found->base_count; i++)
        if (fabs(found->base[i].value - expected[i]) > tolerance * fmax(1, fabs(expected[i])))
            fail_msg("%s: %.15g, not %.15g", found->base[i].name, found->base[i].value,
                     expected[i]);
    assert_true(found->cutoff == 0);
    if (estimator == ARNE_ESTIMATOR_CONSISTENT) {
        // The written robot has the true torques.
        arne_robot *built = NULL;
        arne_work  *work = NULL;
        arne_error  error;
        double      tau[6];
        assert_true(found->is_consistent);
        if (arne_identify_robot(s, &built, &error)) fail_msg("%s", error.text);
        assert_int_equal(arne_work_new(built, &work), ARNE_OK);
        for (int i = 0; i < r.rows; i += 97) {
            const size_t at = (size_t)i * 6;
            arne_inverse_dynamics(built, work, r.q + at, r.qd + at, r.qdd + at, NULL, tau);
            for (int j = 0; j < 6; j++)
                assert_true(fabs(tau[j] - r.tau[at + (size_t)j]) < 1e-6);
        }
        arne_work_free(work);
        arne_robot_free(built);
    }
    arne_identify_free(s);
    recording_free(&r);
    arne_robot_free(truth);
    arne_robot_free(prior);
}

static void exact_data_give_parameters_back(void **unused)
{
    (void)unused;
    check_exact(2, 100, ARNE_ESTIMATOR_FREE, 1e-9);
    check_exact(1, 200, ARNE_ESTIMATOR_FREE, 1e-9);
    check_exact(2, 100, ARNE_ESTIMATOR_CONSISTENT, 1e-9);
}

// ---- noise

// Torque noise alone: intervals of 95 % hold the true value in 92 to 98 % of cases, and three
// deviations nearly always.
static void deviations_are_right(void **unused)
{
    enum { SEEDS = TEST_PART > 1 ? 60 : 150 };
    (void)unused;
    arne_robot *prior = read_file("arm6.yaml"), *truth = true_robot(prior);
    recording   r = record(truth, 600, 30, 0);
    double     *noisy = malloc((size_t)r.rows * 6 * sizeof *noisy), expected[120];
    long        all = 0, within = 0, within_three = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t noise = seed * 7919;
        for (int i = 0; i < 6 * r.rows; i++)
            noisy[i] = r.tau[i] + (2 - 0.3 * (i % 6)) * gauss(&noise);
        const arne_log              log = log_of(&r, noisy, 2);
        const arne_identify_options o = {
            .size = sizeof o, .estimator = ARNE_ESTIMATOR_FREE, .hold_back = -1};
        arne_identify              *s = fit(prior, &log, &o);
        const arne_identify_result *found = arne_identify_get(s);
        true_values(s, truth, expected);
        for (int i = 0; i < found->base_count; i++) {
            const double off = fabs(found->base[i].value - expected[i]) / found->base[i].deviation;
            all++;
            within += off < 1.96;
            within_three += off < 3;
        }
        arne_identify_free(s);
    }
    print_message("95 %% intervals hold %.2f %%, three deviations %.2f %% of %ld\n",
                  100.0 * (double)within / (double)all, 100.0 * (double)within_three / (double)all,
                  all);
    assert_true(within > 0.92 * (double)all && within < 0.98 * (double)all);
    assert_true(within_three > 0.99 * (double)all);
    free(noisy);
    recording_free(&r);
    arne_robot_free(truth);
    arne_robot_free(prior);
}

// What else is wrong with recordings: the bias is told, and what is found stays a set of bodies.
static void disturbed_data_stay_consistent(void **unused)
{
    static const char *const names[] = {"quantised",       "jitter",         "outliers",
                                        "outliers, Huber", "delayed torque", "missing samples"};
    double                   off[6];
    (void)unused;
    arne_robot *prior = read_file("arm6.yaml"), *truth = true_robot(prior);
    for (int kind = 0; kind < 6; kind++) {
        recording r = record(truth, 3000, 100, 0);
        uint64_t  seed = 17;
        double    expected[120], bias = 0;
        for (int i = 0; i < 6 * r.rows; i++) {
            r.tau[i] += 0.5 * gauss(&seed);
            if (kind == 0) r.q[i] = round(r.q[i] / 1e-4) * 1e-4;
            if (kind == 2 || kind == 3)
                if (random_between(&seed, 0, 1) < 0.01) r.tau[i] += 100;
        }
        if (kind == 4)
            for (int i = 6 * r.rows - 1; i >= 12; i--)
                r.tau[i] = r.tau[i - 12];
        if (kind == 1)
            for (int i = 0; i < r.rows; i++)
                r.time[i] += random_between(&seed, -0.002, 0.002);
        if (kind == 5) // single ones, and a gap of a fifth of a second
            for (int i = 0; i < r.rows; i++)
                if (random_between(&seed, 0, 1) < 0.05 || (i > 1000 && i < 1020)) r.q[6 * i] = NAN;
        const arne_log              log = log_of(&r, NULL, kind == 0 ? 0 : 1);
        const arne_identify_options o = {.size = sizeof o, .huber = kind == 3 ? 1.345 : 0};
        arne_identify              *s = fit(prior, &log, &o);
        const arne_identify_result *found = arne_identify_get(s);
        assert_true(found->is_consistent);
        true_values(s, truth, expected);
        for (int i = 0; i < found->base_count; i++)
            bias = fmax(bias, fabs(found->base[i].value - expected[i]) / found->base[i].deviation);
        print_message("%-16s at most %.1f deviations off\n", names[kind], bias);
        off[kind] = bias;
        arne_identify_free(s);
        recording_free(&r);
    }
    assert_true(off[3] < off[2]); // Huber's weights help
    assert_true(off[5] < 6);      // and missing samples do no harm beyond the noise
    arne_robot_free(truth);
    arne_robot_free(prior);
}

// ---- the parts

// A block after the other, the triangle is that of all rows: R^T R = A^T A.
static void blocks_make_one_triangle(void **unused)
{
    enum { ROWS = 1000, COLUMNS = 7 };
    (void)unused;
    arne_robot *robot = read_file("arm6.yaml");
    block_qr    qr;
    double      gram[COLUMNS][COLUMNS] = {{0}}, row[COLUMNS];
    uint64_t    seed = 3;
    assert_true(block_qr_new(&qr, COLUMNS));
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < COLUMNS; c++)
            row[c] = random_between(&seed, -1, 1);
        for (int a = 0; a < COLUMNS; a++)
            for (int b = 0; b < COLUMNS; b++)
                gram[a][b] += 4 * row[a] * row[b];
        block_qr_add(robot, &qr, row, 2);
    }
    block_qr_finish(robot, &qr);
    for (int a = 0; a < COLUMNS; a++)
        for (int b = 0; b < COLUMNS; b++) {
            double sum = 0;
            for (int k = 0; k <= (a < b ? a : b); k++)
                sum += qr.R[a * COLUMNS + k] * qr.R[b * COLUMNS + k];
            assert_true(fabs(sum - gram[a][b]) < 1e-9 * ROWS);
        }
    block_qr_free(&qr);
    arne_robot_free(robot);
}

// ---- loads

static void a_box_is_weighed(void **unused)
{
    (void)unused;
    arne_robot        *robot = read_file("arm7.urdf"), *loaded = NULL;
    arne_error         error;
    const int          frame = arne_robot_joint(robot, 6).child;
    const arne_payload box = {2, {0.02, -0.01, 0.12}, {0.004, 0.005, 0.003, 0, 0.0002, 0}};
    assert_int_equal(arne_robot_attach(robot, frame, &box, &loaded, &error), ARNE_OK);
    for (int alone = 0; alone < 2; alone++) {
        recording with = record(loaded, 2000, 100, 0), without = record(robot, 2000, 100, 1);
        uint64_t  seed = 11;
        for (int i = 0; i < 7 * with.rows; i++) {
            with.tau[i] += 0.3 * gauss(&seed);
            without.tau[i] += 0.3 * gauss(&seed);
        }
        const arne_log  a = log_of(&with, NULL, 1), b = log_of(&without, NULL, 1);
        arne_identify  *s = NULL;
        arne_load_found found;
        assert_int_equal(arne_identify_new(robot, NULL, &s, &error), ARNE_OK);
        assert_int_equal(arne_identify_add_log(s, &a, ARNE_LOG_LOADED, &error), ARNE_OK);
        if (!alone) assert_int_equal(arne_identify_add_log(s, &b, ARNE_LOG_FIT, &error), ARNE_OK);
        if (arne_identify_payload(s, frame, &found, &error)) fail_msg("%s", error.text);
        print_message("mass %.4f +- %.4f, centre %.4f %.4f %.4f\n", found.load.mass,
                      found.mass_deviation, found.load.com.x, found.load.com.y, found.load.com.z);
        assert_true(fabs(found.load.mass - 2) < 0.02);
        assert_true(fabs(found.load.com.x - 0.02) < 3e-3);
        assert_true(fabs(found.load.com.y + 0.01) < 3e-3);
        assert_true(fabs(found.load.com.z - 0.12) < 3e-3);
        arne_identify_free(s);
        recording_free(&with);
        recording_free(&without);
    }
    arne_robot_free(loaded);
    arne_robot_free(robot);
}

// ---- designed motions

static void designed_motions_keep_limits(void **unused)
{
    (void)unused;
    arne_robot               *robot = read_file("arm6.yaml");
    arne_work                *work = NULL;
    arne_design              *d = NULL;
    arne_error                error;
    const arne_design_options o = {.size = sizeof o, .starts = 1, .iterations = 15};
    if (arne_design_new(robot, &o, &d, &error)) fail_msg("%s", error.text);
    const arne_design_result *r = arne_design_get(d);
    double                    q[6], qd[6], qdd[6], tau[6];
    print_message("condition: designed %.1f, random %.1f, sinusoidal %.1f\n", r->condition,
                  r->random_condition, r->sinusoid_condition);
    assert_true(r->condition < 60);
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    for (int i = 0; i <= 5000; i++) {
        arne_design_motion(d, r->period * i / 5000, q, qd, qdd);
        arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, tau);
        for (int j = 0; j < 6; j++) {
            const arne_joint_info info = arne_robot_joint(robot, j);
            assert_true(q[j] >= info.lower && q[j] <= info.upper);
            assert_true(fabs(qd[j]) <= info.velocity && fabs(tau[j]) <= info.effort);
            assert_true(fabs(qdd[j]) <= 2 * info.velocity);
            if (i == 0) assert_true(fabs(qd[j]) < 1e-9 && fabs(qdd[j]) < 1e-9);
        }
    }
    arne_work_free(work);
    arne_design_free(d);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_data_give_parameters_back),
        cmocka_unit_test(deviations_are_right),
        cmocka_unit_test(disturbed_data_stay_consistent),
        cmocka_unit_test(blocks_make_one_triangle),
        cmocka_unit_test(a_box_is_weighed),
        cmocka_unit_test(designed_motions_keep_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

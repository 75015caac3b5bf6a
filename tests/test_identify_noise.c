// Identification from noisy logs with the filter that is chosen: robots, rates and noises that
// differ; deviations after filters; joints that turn one way; and the limits of cut-offs.
#include "identify_data.h"

#include <string.h>

static void add_noise(recording *r, double positions, double torques, uint64_t seed)
{
    for (int i = 0; i < r->n * r->rows; i++) {
        r->q[i] += positions * gauss(&seed);
        r->tau[i] += torques * gauss(&seed);
    }
}

// ---- loads

typedef struct noisy_case {
    const char *robot;
    double      mass, rate, noise; // of the load [kg]; [Hz]; of positions [rad, m]
    int         alone;             // no log without the load
} noisy_case;

static arne_robot *with_load(const arne_robot *robot, int frame, double mass)
{
    const double       square = 0.002 * mass;
    const arne_payload box = {mass, {0.02, -0.01, 0.06}, {square, square, square, 0, 0, 0}};
    arne_robot        *loaded = NULL;
    arne_error         error;
    if (arne_robot_attach(robot, frame, &box, &loaded, &error)) fail_msg("%s", error.text);
    return loaded;
}

// From positions alone; links and friction are not known, or only friction is not.
static void check_load(const noisy_case *c)
{
    arne_robot     *prior = read_file(c->robot), *truth = true_robot(prior);
    const int       rows = (int)(20 * c->rate), joints = arne_robot_sizes(prior).v_count;
    const int       frame = arne_robot_joint(prior, joints - 1).child;
    arne_robot     *loaded = with_load(truth, frame, c->mass);
    recording       with = record(loaded, rows, c->rate, 0);
    recording       without = record(truth, rows, c->rate, 1);
    arne_identify  *s = NULL;
    arne_load_found found;
    arne_error      error;
    add_noise(&with, c->noise, 0.1, 3);
    add_noise(&without, c->noise, 0.1, 5);
    const arne_log a = log_of(&with, NULL, 0), b = log_of(&without, NULL, 0);
    assert_int_equal(arne_identify_new(c->alone ? truth : prior, NULL, &s, &error), ARNE_OK);
    assert_int_equal(arne_identify_add_log(s, &a, ARNE_LOG_LOADED, &error), ARNE_OK);
    if (!c->alone) assert_int_equal(arne_identify_add_log(s, &b, ARNE_LOG_FIT, &error), ARNE_OK);
    if (arne_identify_payload(s, frame, &found, &error)) fail_msg("%s", error.text);
    const double off = fabs(found.load.mass - c->mass);
    print_message("%s at %.0f Hz, noise %.1e: filter %.2f Hz, %.4f kg +- %.4f\n", c->robot, c->rate,
                  c->noise, found.cutoff, found.load.mass, found.mass_deviation);
    assert_int_equal(found.rests_on_robot, c->alone);
    assert_true(found.cutoff > 0.5 && found.cutoff < 20); // the motion lies below 0.7 Hz
    assert_true(off < 0.01 * c->mass && off < 4 * found.mass_deviation);
    arne_identify_free(s);
    recording_free(&with);
    recording_free(&without);
    arne_robot_free(loaded);
    arne_robot_free(truth);
    arne_robot_free(prior);
}

static void noise_does_not_hide_loads(void **unused)
{
    static const noisy_case cases[] = {
        {"arm6.yaml", 3, 200, 1.75e-4, 0}, {"arm6.yaml", 3, 200, 1.75e-4, 1},
        {"arm6.yaml", 5, 1000, 1e-4, 1},   {"arm7.urdf", 2, 500, 1e-3, 0},
        {"arm7.urdf", 2, 100, 1e-5, 1},    {"puma560.yaml", 1, 250, 1e-4, 0},
        {"puma560.yaml", 3, 200, 1e-3, 1}, {"stanford.yaml", 2, 200, 1e-4, 0},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_load(&cases[i]);
}

// ---- robots

// The rms of what a robot's torques miss of those of a clean recording, as a part of these.
static double torque_error(const arne_robot *robot, const recording *r)
{
    arne_work *work = NULL;
    double     tau[8], miss = 0, all = 0;
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    for (int i = 0; i < r->rows; i++) {
        const size_t at = (size_t)i * (size_t)r->n;
        arne_inverse_dynamics(robot, work, r->q + at, r->qd + at, r->qdd + at, NULL, tau);
        for (int j = 0; j < r->n; j++) {
            miss += pow(tau[j] - r->tau[at + (size_t)j], 2);
            all += pow(r->tau[at + (size_t)j], 2);
        }
    }
    arne_work_free(work);
    return sqrt(miss / all);
}

// More noise means a lower cut-off, and torques of another motion stay right.
static void check_noises(const char *name, double rate)
{
    arne_robot  *prior = read_file(name), *truth = true_robot(prior);
    recording    other = record(truth, 400, 20, 3);
    const double before = torque_error(prior, &other);
    double       last = INFINITY;
    for (double noise = 1e-5; noise < 2e-3; noise *= 10) {
        recording r = record(truth, (int)(25 * rate), rate, 0);
        add_noise(&r, noise, 0.1, 11);
        const arne_log log = log_of(&r, NULL, 0);
        arne_identify *s = fit(prior, &log, NULL);
        arne_robot    *built = NULL;
        arne_error     error;
        if (arne_identify_robot(s, &built, &error)) fail_msg("%s", error.text);
        const double cutoff = arne_identify_get(s)->cutoff, miss = torque_error(built, &other);
        print_message("%s at %.0f Hz, noise %.0e: filter %.2f Hz, torques %.2f %% off (%.0f %%)\n",
                      name, rate, noise, cutoff, 100 * miss, 100 * before);
        assert_true(cutoff > 0 && cutoff <= last);
        assert_true(miss < 0.02);
        last = cutoff;
        arne_robot_free(built);
        arne_identify_free(s);
        recording_free(&r);
    }
    recording_free(&other);
    arne_robot_free(truth);
    arne_robot_free(prior);
}

static void more_noise_is_filtered_more(void **unused)
{
    (void)unused;
    check_noises("arm6.yaml", 200);
    check_noises("puma560.yaml", 500);
    check_noises("scara.yaml", 100);
}

// A short log leaves few independent rows after a low cut-off: it is fitted all the same.
static void short_logs_have_rows(void **unused)
{
    (void)unused;
    arne_robot *prior = read_file("arm7.urdf"), *truth = true_robot(prior);
    recording   r = record(truth, 1600, 200, 0), other = record(truth, 160, 20, 1);
    add_noise(&r, 1e-3, 0.1, 5);
    const arne_log log = log_of(&r, NULL, 0);
    arne_identify *s = fit(prior, &log, NULL);
    arne_robot    *built = NULL;
    arne_error     error;
    if (arne_identify_robot(s, &built, &error)) fail_msg("%s", error.text);
    print_message("filter %.2f Hz, %ld rows, torques %.2f %% off (%.0f %%)\n",
                  arne_identify_get(s)->cutoff, arne_identify_get(s)->fit.rows,
                  100 * torque_error(built, &other), 100 * torque_error(prior, &other));
    assert_true(torque_error(built, &other) < 0.2 * torque_error(prior, &other));
    arne_robot_free(built);
    arne_identify_free(s);
    recording_free(&r);
    recording_free(&other);
    arne_robot_free(truth);
    arne_robot_free(prior);
}

// A log to validate with does not change the filter, however noisy it is.
static void validation_does_not_choose_the_filter(void **unused)
{
    (void)unused;
    arne_robot *prior = read_file("arm6.yaml");
    recording   r = record(prior, 3000, 100, 0), check = record(prior, 3000, 100, 1);
    double      cutoff[2];
    add_noise(&r, 1e-4, 0.1, 1);
    for (int k = 0; k < 2; k++) {
        arne_identify *s = NULL;
        arne_error     error;
        const arne_log log = log_of(&r, NULL, 0), other = log_of(&check, NULL, 0);
        assert_int_equal(arne_identify_new(prior, NULL, &s, &error), ARNE_OK);
        assert_int_equal(arne_identify_add_log(s, &log, ARNE_LOG_FIT, &error), ARNE_OK);
        assert_int_equal(arne_identify_add_log(s, &other, ARNE_LOG_VALIDATE, &error), ARNE_OK);
        if (arne_identify_fit_robot(s, &error)) fail_msg("%s", error.text);
        cutoff[k] = arne_identify_get(s)->cutoff;
        arne_identify_free(s);
        add_noise(&check, 1e-2, 0.1, 7); // the second time
    }
    assert_true(cutoff[0] > 0 && cutoff[0] == cutoff[1]);
    recording_free(&r);
    recording_free(&check);
    arne_robot_free(prior);
}

// ---- deviations

// Errors in deviations of repeated fits, from filtered logs: their rms.
static double rms_of_scores(const char *name, double rate, double cutoff, double noise)
{
    enum { SEEDS = 8 };
    arne_robot *prior = read_file(name), *truth = true_robot(prior);
    double      expected[120], sum = 0;
    long        all = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        recording r = record(truth, (int)(20 * rate), rate, 0);
        add_noise(&r, noise, 1, seed * 77);
        const arne_log              log = log_of(&r, NULL, noise > 0 ? 0 : 1);
        const arne_identify_options o = {
            .size = sizeof o, .estimator = ARNE_ESTIMATOR_FREE, .hold_back = -1, .cutoff = cutoff};
        arne_identify              *s = fit(prior, &log, &o);
        const arne_identify_result *found = arne_identify_get(s);
        true_values(s, truth, expected);
        for (int i = 0; i < found->base_count; i++, all++)
            sum += pow((found->base[i].value - expected[i]) / found->base[i].deviation, 2);
        for (int j = 0; j < found->joint_count; j++)
            assert_true(found->correlation[j] >= 1);
        arne_identify_free(s);
        recording_free(&r);
    }
    arne_robot_free(truth);
    arne_robot_free(prior);
    return sqrt(sum / (double)all);
}

static void deviations_after_filters_are_right(void **unused)
{
    static const struct {
        const char *robot;
        double      rate, cutoff, noise; // cutoff 0: chosen
    } cases[] = {{"arm6.yaml", 100, 5, 0},    {"arm6.yaml", 100, 10, 0},
                 {"arm6.yaml", 200, 3, 0},    {"puma560.yaml", 200, 4, 0},
                 {"arm6.yaml", 200, 0, 1e-4}, {"puma560.yaml", 200, 0, 1e-4}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double z =
            rms_of_scores(cases[i].robot, cases[i].rate, cases[i].cutoff, cases[i].noise);
        print_message("%s, %.0f Hz, cut-off %.0f: errors of %.3f deviations\n", cases[i].robot,
                      cases[i].rate, cases[i].cutoff, z);
        assert_true(z > 0.75 && z < 1.12);
    }
}

// ---- one direction

// The third joint turns forward alone: backward its friction stays that of the prior, with and
// without noise, and forward it is found.
static void friction_of_no_motion_stays(void **unused)
{
    (void)unused;
    arne_robot *prior = read_file("arm6.yaml"), *truth = true_robot(prior);
    for (int kind = 0; kind < 4; kind++) { // with noise; with an offset of its own
        recording  r = record(truth, 3000, 100, 0);
        arne_work *work = NULL;
        arne_error error;
        assert_int_equal(arne_work_new(truth, &work), ARNE_OK);
        for (int i = 0; i < r.rows; i++) {
            const size_t at = 6 * (size_t)i;
            const double t = r.time[i];
            r.q[at + 2] = -2 + 0.15 * t - 0.04 * sin(2 * t);
            r.qd[at + 2] = 0.15 - 0.08 * cos(2 * t);
            r.qdd[at + 2] = 0.16 * sin(2 * t);
            arne_inverse_dynamics(truth, work, r.q + at, r.qd + at, r.qdd + at, NULL, r.tau + at);
        }
        arne_work_free(work);
        if (kind & 1) add_noise(&r, 1e-4, 0.1, 5);
        const arne_log              log = log_of(&r, NULL, kind & 1 ? 0 : 2);
        const arne_identify_options o = {.size = sizeof o,
                                         .friction = kind & 2 ? ARNE_FRICTION_VISCOUS |
                                                                    ARNE_FRICTION_COULOMB |
                                                                    ARNE_FRICTION_OFFSET
                                                              : 0};
        arne_identify              *s = fit(prior, &log, &o);
        const arne_identify_result *found = arne_identify_get(s);
        const char                 *joint = arne_robot_joint(prior, 2).name;
        arne_robot                 *built = NULL;
        int                         unseen = 0;
        for (int i = 0; i < found->base_count; i++) {
            const arne_identified *p = &found->base[i];
            if (strncmp(p->name, joint, strlen(joint)) != 0) continue;
            if (!p->seen) {
                assert_true(p->value == p->prior);
                unseen++;
            }
            if (strstr(p->name, "coulomb_positive")) assert_true(fabs(p->value - 2.2) < 0.6);
        }
        assert_int_equal(unseen, 1);
        if (arne_identify_robot(s, &built, &error)) fail_msg("%s", error.text);
        assert_true(arne_robot_joint(built, 2).coulomb_negative < 4);
        arne_robot_free(built);
        arne_identify_free(s);
        recording_free(&r);
    }
    arne_robot_free(truth);
    arne_robot_free(prior);
}

// ---- cut-offs and warnings

static char warnings[4000];

static void keep_warning(void *context, const arne_warning *w)
{
    (void)context;
    const size_t at = strlen(warnings);
    snprintf(warnings + at, sizeof warnings - at, "%s: %s\n", w->rule, w->text);
}

static arne_status fit_with(const arne_log *log, double cutoff, double *used, arne_error *error)
{
    arne_robot                 *prior = read_file("arm6.yaml");
    arne_identify              *s = NULL;
    const arne_identify_options o = {.size = sizeof o, .cutoff = cutoff, .warn = keep_warning};
    *warnings = 0;
    assert_int_equal(arne_identify_new(prior, &o, &s, error), ARNE_OK);
    assert_int_equal(arne_identify_add_log(s, log, ARNE_LOG_FIT, error), ARNE_OK);
    const arne_status status = arne_identify_fit_robot(s, error);
    if (!status) *used = arne_identify_get(s)->cutoff;
    arne_identify_free(s);
    arne_robot_free(prior);
    return status;
}

// Too low is refused, too high becomes the highest that a filter can have; neither is dropped.
static void cutoffs_have_limits(void **unused)
{
    static const double low[] = {1e-300, 1e-9, 1e-3, 0.02};
    (void)unused;
    arne_robot *prior = read_file("arm6.yaml");
    recording   r = record(prior, 3000, 100, 0);
    arne_error  error;
    double      used = 0;
    add_noise(&r, 1e-5, 0.1, 5);
    for (int k = 0; k < 2; k++) { // as they are, and with times that jitter
        const arne_log log = log_of(&r, NULL, 0);
        for (size_t i = 0; i < sizeof low / sizeof *low; i++) {
            assert_int_equal(fit_with(&log, low[i], &used, &error), ARNE_VALUE);
            assert_non_null(strstr(error.text, "leaves nothing of a log"));
        }
        const arne_status status = fit_with(&log, 0.2, &used, &error);
        if (status) assert_non_null(strstr(error.text, "rows of joint")); // few, but no fault
        assert_int_equal(fit_with(&log, 300, &used, &error), ARNE_OK);
        assert_non_null(strstr(warnings, "cutoff: the cut-off of positions, 300 Hz, is too high"));
        assert_true(used > 40 && used < 50);
        uint64_t seed = 3;
        for (int i = 0; i < r.rows; i++)
            r.time[i] += random_between(&seed, -0.003, 0.003);
    }
    recording_free(&r);
    arne_robot_free(prior);
}

static void what_is_left_is_told(void **unused)
{
    (void)unused;
    arne_robot *prior = read_file("arm6.yaml"), *truth = true_robot(prior);
    arne_error  error;
    double      used;
    for (int kind = 0; kind < 3; kind++) {
        recording r = record(truth, 3000, 100, 0);
        add_noise(&r, 1e-5, 0.1, 5);
        uint64_t seed = 8;
        double   slow = 0;
        for (int i = 0; i < r.rows && kind; i++) { // a torque that drifts; nothing but noise
            slow = 0.98 * slow + gauss(&seed);
            r.tau[6 * i + 1] = kind == 1 ? r.tau[6 * i + 1] + slow : 100 * gauss(&seed);
        }
        const arne_log log = log_of(&r, NULL, 0);
        assert_int_equal(fit_with(&log, 0, &used, &error), ARNE_OK);
        const char *joint = arne_robot_joint(prior, 1).name;
        if (kind == 0) assert_null(strstr(warnings, "residuals:"));
        if (kind == 1) assert_non_null(strstr(warnings, "residuals are not white"));
        if (kind == 2) assert_non_null(strstr(warnings, "more than half of the torque"));
        if (kind) assert_non_null(strstr(warnings, joint));
        recording_free(&r);
    }
    arne_robot_free(truth);
    arne_robot_free(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_does_not_hide_loads),
        cmocka_unit_test(more_noise_is_filtered_more),
        cmocka_unit_test(short_logs_have_rows),
        cmocka_unit_test(validation_does_not_choose_the_filter),
        cmocka_unit_test(deviations_after_filters_are_right),
        cmocka_unit_test(friction_of_no_motion_stays),
        cmocka_unit_test(cutoffs_have_limits),
        cmocka_unit_test(what_is_left_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

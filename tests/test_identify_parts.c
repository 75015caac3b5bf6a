// Identification, its parts: gradients of designed motions, regions of centres, gears and gains,
// filters, threads.
#include "base/plain.h"
#include "identify_data.h"

#include "identify/consistent.h"
#include "identify/excitation.h"
#include "identify/filter_choice.h"
#include "motion/butterworth.h"
#include <string.h>

// ---- designed motions

// The gradient against differences of order four, of Fourier series and of splines, with limits of
// torque and a floor.
static void check_gradient(int splines)
{
    arne_robot                 *robot = read_file("arm6.yaml");
    const arne_identify_options o = {.size = sizeof o};
    arne_identify              *s = NULL;
    arne_error                  error;
    double                      limits[6][6];
    const int                   frames[] = {arne_robot_joint(robot, 5).child};
    if (arne_identify_new(robot, &o, &s, &error)) fail_msg("%s", error.text);
    for (int j = 0; j < 6; j++) {
        const double own[6] = {-2.5, 2.5, 6, 40, 900, 2 - 0.2 * j};
        for (int k = 0; k < 6; k++)
            limits[k][j] = own[k];
    }
    excitation e = {.study = s,
                    .robot = robot,
                    .n = 6,
                    .harmonics = 4,
                    .samples = 40,
                    .period = 8,
                    .mu = 0.7,
                    .low = limits[0],
                    .high = limits[1],
                    .speed = limits[2],
                    .rate = limits[3],
                    .effort = limits[4],
                    .noise = limits[5],
                    .frames = frames,
                    .frame_count = 1,
                    .floor = -5};
    assert_true(excitation_new(&e));
    if (splines) assert_true(excitation_splines(&e));
    for (int c = 0; c < s->m.count; c++)
        e.scale[c] = 1;
    double   x[42], gradient[42];
    uint64_t seed = 5;
    assert_int_equal(e.count, 42);
    for (int k = 0; k < e.count; k++)
        x[k] = random_between(&seed, -0.3, 0.3);
    assert_true(isfinite(excitation_value(&e, x, gradient)));
    for (int k = 0; k < e.count; k++) {
        const double h = 1e-4, kept = x[k];
        double       at[4];
        for (int i = 0; i < 4; i++) {
            x[k] = kept + h * (i < 2 ? i - 2 : i - 1);
            at[i] = excitation_value(&e, x, NULL);
        }
        x[k] = kept;
        const double slope = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h);
        if (fabs(slope - gradient[k]) > 1e-5 * fmax(1, fabs(slope)))
            fail_msg("%d: %.12g, not %.12g", k, gradient[k], slope);
    }
    excitation_free(&e);
    arne_identify_free(s);
    arne_robot_free(robot);
}

static void gradients_are_exact(void **unused)
{
    (void)unused;
    check_gradient(0);
    check_gradient(1);
}

// At rest at both ends, which are one place; a good motion, too.
static void splines_start_and_end_at_rest(void **unused)
{
    (void)unused;
    arne_robot               *robot = read_file("arm6.yaml");
    arne_design              *d = NULL;
    arne_error                error;
    const arne_design_options o = {
        .size = sizeof o, .starts = 1, .iterations = 8, .motion = ARNE_DESIGN_SPLINES};
    if (arne_design_new(robot, &o, &d, &error)) fail_msg("%s", error.text);
    const arne_design_result *r = arne_design_get(d);
    double                    a[18], b[18];
    print_message("splines: condition %.1f\n", r->condition);
    assert_true(r->condition < 60 && r->worst <= 1);
    arne_design_motion(d, 0, a, a + 6, a + 12);
    arne_design_motion(d, r->period * (1 - 1e-9), b, b + 6, b + 12);
    for (int k = 0; k < 18; k++) {
        assert_true(fabs(a[k] - b[k]) < 1e-5);
        assert_true(k < 6 || fabs(a[k]) < 1e-9);
    }
    arne_design_free(d);
    arne_robot_free(robot);
}

// ---- centres of mass

// The centre that data alone would find lies outside of the box: what is found keeps to it.
static void centres_stay_in_their_regions(void **unused)
{
    (void)unused;
    arne_robot *prior = read_file("arm6.yaml"), *truth = true_robot(prior);
    recording   r = record(truth, 900, 30, 1);
    uint64_t    seed = 9;
    for (int i = 0; i < 6 * r.rows; i++)
        r.tau[i] += 0.5 * gauss(&seed);
    const arne_log log = log_of(&r, NULL, 2);
    double         pi[84], prior_pi[84];
    arne_parameters(prior, prior_pi);
    for (int kind = 0; kind < 3; kind++) {         // none, box, ellipsoid
        const double         *own = prior_pi + 20; // the third link
        const double          c[3] = {own[1] / own[0], own[2] / own[0], own[3] / own[0]};
        const arne_com_region region = {.frame = arne_robot_joint(prior, 2).child,
                                        .low = {c[0] - 0.004, c[1] - 0.05, c[2] - 0.05},
                                        .high = {c[0] + 0.004, c[1] + 0.05, c[2] + 0.05},
                                        .is_ellipsoid = kind == 2};
        arne_identify_options o = {.size = sizeof o, .regions = &region, .region_count = kind > 0};
        arne_identify        *s = fit(prior, &log, &o);
        memcpy(pi, arne_identify_get(s)->parameters, sizeof pi);
        const double x = (pi[21] / pi[20] - c[0]) / 0.004, y = (pi[22] / pi[20] - c[1]) / 0.05,
                     z = (pi[23] / pi[20] - c[2]) / 0.05;
        print_message("centre at %.3f %.3f %.3f of its region\n", x, y, z);
        assert_true(arne_identify_get(s)->is_consistent);
        if (kind == 0) assert_true(fabs(x) > 1);
        if (kind == 1) assert_true(fmax(fabs(x), fmax(fabs(y), fabs(z))) <= 1);
        if (kind == 2) assert_true(x * x + y * y + z * z <= 1);
        arne_identify_free(s);
    }
    recording_free(&r);
    arne_robot_free(truth);
    arne_robot_free(prior);
}

// ---- Newton's method

enum { HARD_LINKS = 3, HARD_COUNT = 10 * HARD_LINKS + HARD_LINKS + 3, HARD_ROWS = HARD_COUNT + 5 };

// A body: a mass, a centre and the second moments of an ellipsoid.
static void random_body(uint64_t *seed, double mass, double size, double *pi)
{
    double P[16] = {0}, c[3], axis[3][3];
    for (int a = 0; a < 3; a++) {
        c[a] = size * random_between(seed, -1, 1);
        for (int b = 0; b < 3; b++)
            axis[a][b] = size * random_between(seed, -0.5, 0.5);
        axis[a][a] += 0.3 * size;
    }
    for (int a = 0; a < 3; a++) {
        P[4 * a + 3] = P[12 + a] = mass * c[a];
        for (int b = 0; b < 3; b++) {
            P[4 * a + b] = mass * c[a] * c[b];
            for (int k = 0; k < 3; k++)
                P[4 * a + b] += mass * axis[k][a] * axis[k][b];
        }
    }
    P[15] = mass;
    from_pseudo_inertia(P, pi);
}

// Data whose columns differ by factors up to 10^spread, of bodies up to 10^far times as heavy as
// the prior. One of the other numbers must be positive, two have a positive sum.
static void check_hard(uint64_t seed, double spread, double far)
{
    double        F[HARD_ROWS * HARD_COUNT], b[HARD_ROWS] = {0}, truth[HARD_COUNT];
    double        x[HARD_COUNT], inverse[16 * HARD_LINKS], rotor[HARD_LINKS], P[16], L[16];
    unsigned char positive[3] = {1, 0, 0}, held[3] = {0};
    int           pair[3] = {-1, 2, -1};
    body_problem  p = {.links = HARD_LINKS,
                       .rotors = HARD_LINKS,
                       .others = 3,
                       .count = HARD_COUNT,
                       .trace = 0.01,
                       .log_det = 0.01,
                       .barrier = 1e-4,
                       .rows = HARD_ROWS,
                       .F = F,
                       .b = b,
                       .start = x,
                       .inverse_prior = inverse,
                       .rotor_prior = rotor,
                       .is_positive = positive,
                       .is_held = held,
                       .pair = pair};
    for (int l = 0; l < HARD_LINKS; l++) {
        const double heavier = pow(10, random_between(&seed, -far, far));
        random_body(&seed, 2 * heavier, 0.3, truth + 10 * l);
        random_body(&seed, 2, 0.1, x + 10 * l);
        pseudo_inertia(x + 10 * l, P);
        assert_true(pseudo_factor(P, L));
        pseudo_inverse(L, inverse + 16 * l);
        rotor[l] = x[10 * HARD_LINKS + l] = 0.01;
        truth[10 * HARD_LINKS + l] = 0.01 * heavier;
    }
    for (int i = 0; i < 3; i++) {
        truth[HARD_COUNT - 3 + i] = i - 0.9;
        x[HARD_COUNT - 3 + i] = 1;
    }
    for (int k = 0; k < HARD_COUNT; k++) {
        const double scale = pow(10, random_between(&seed, -spread / 2, spread / 2));
        const int    unseen = random_between(&seed, 0, 1) < 0.3 && k < 10 * HARD_LINKS;
        for (int i = 0; i < HARD_ROWS; i++) {
            F[k * HARD_ROWS + i] = unseen ? 0 : scale * gauss(&seed);
            b[i] += F[k * HARD_ROWS + i] * truth[k];
        }
    }
    for (int i = 0; i < HARD_ROWS; i++)
        b[i] += gauss(&seed);
    if (body_newton(&p, x)) fail_msg("spread 1e%g, masses 1e%g: no minimum", spread, far);
    assert_true(body_decrement(&p, x) < 1e-6);
    // A minimum: no way from it leads down.
    const double least = body_value(&p, x);
    for (int trial = 0; trial < 200; trial++) {
        double       other[HARD_COUNT];
        const double part = pow(10, random_between(&seed, -6, -1));
        for (int k = 0; k < HARD_COUNT; k++)
            other[k] = x[k] + (trial % HARD_COUNT == k || trial > 100) * part * gauss(&seed) *
                                  fmax(fabs(x[k]), 1e-3);
        assert_true(body_value(&p, other) >= least - 1e-6 - 1e-11 * fabs(least));
    }
}

static void newton_solves_hard_problems(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 10; seed++)
        for (int spread = 0; spread <= 6; spread += 3)
            for (int far = 0; far <= 3; far++)
                check_hard(seed, spread, far);
}

// ---- gears, couplings, gains

static int  warned;
static char warning[600];

static void on_warning(void *context, const arne_warning *w)
{
    (void)context;
    warned++;
    snprintf(warning, sizeof warning, "%s: %s", w->rule, w->text);
    print_message("%s\n", warning);
}

static const char geared[] =
    "name: wrist\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: base, mass: 0}\n"
    "  - {name: a, mass: 2, com: [0.2, 0, 0], inertia: [0.02, 0.05, 0.05, 0, 0, 0]}\n"
    "  - {name: b, mass: 1, com: [0.15, 0, 0], inertia: [0.01, 0.02, 0.02, 0, 0, 0]}\n"
    "joints:\n"
    "  - {name: j1, kind: revolute, parent: base, child: a, axis: [0, 0, 1],\n"
    "     limits: {lower: -3, upper: 3, velocity: 9, effort: 99}}\n"
    "  - {name: j2, kind: revolute, parent: a, child: b, axis: [0, 0, 1], origin: {xyz: [0.4, 0, "
    "0]},\n"
    "     limits: {lower: -3, upper: 3, velocity: 9, effort: 99}}\n"
    "motors:\n"
    "  - {joint: j1, gear: 40, rotor: reflected, inertia: %g}\n"
    "  - {joint: j2, gear: -30, rotor: reflected, inertia: %g, friction: {viscous: %g, coulomb: "
    "%g}}\n"
    "couplings: [{motor: j2, with: {j1: 0.5}}]\n";

static arne_robot *wrist(double i1, double i2, double viscous, double coulomb)
{
    char          text[2000];
    arne_robot   *robot = NULL;
    arne_builder *b = NULL;
    arne_error    error;
    plain_print(text, sizeof text, geared, i1, i2, viscous, coulomb);
    assert_int_equal(arne_builder_new(&b), ARNE_OK);
    arne_status status = arne_read_yaml(b, text, strlen(text), "wrist.yaml", &error);
    if (!status) status = arne_builder_finish(b, NULL, &robot, &error);
    if (status) fail_msg("%s", error.text);
    arne_builder_free(b);
    return robot;
}

// A log of motors is seen to be one; rotor and friction of the motor that turns with two joints are
// found, and the robot that is written has them.
static void couplings_of_the_robot_serve(void **unused)
{
    (void)unused;
    arne_robot *prior = wrist(1e-4, 1e-4, 0, 0), *truth = wrist(1e-4, 3e-4, 0.4, 0.3);
    recording   r = record(truth, 3000, 100, 0);
    double      C[4], *joint_q = malloc(3000 * 8 * sizeof *joint_q), *kept = joint_q;
    arne_coupling_matrix(truth, C);
    memcpy(kept, r.q, 3000 * 2 * sizeof *kept);
    memcpy(kept + 6000, r.qd, 6000 * sizeof *kept);
    memcpy(kept + 12000, r.qdd, 6000 * sizeof *kept);
    memcpy(kept + 18000, r.tau, 6000 * sizeof *kept);
    for (int i = 0; i < r.rows; i++) {
        double *const x[3] = {r.q + (ptrdiff_t)2 * i, r.qd + (ptrdiff_t)2 * i,
                              r.qdd + (ptrdiff_t)2 * i};
        double       *tau = r.tau + (ptrdiff_t)2 * i;
        for (int p = 0; p < 3; p++) {
            const double a = x[p][0], b = x[p][1];
            x[p][0] = C[0] * a + C[1] * b;
            x[p][1] = C[2] * a + C[3] * b;
        }
        // C^T tau_m = tau
        const double det = C[0] * C[3] - C[1] * C[2], a = tau[0], b = tau[1];
        tau[0] = (C[3] * a - C[2] * b) / det;
        tau[1] = (C[0] * b - C[1] * a) / det;
    }
    const arne_log              log = log_of(&r, NULL, 2);
    const arne_identify_options o = {.size = sizeof o, .warn = on_warning};
    warned = 0;
    arne_identify              *s = fit(prior, &log, &o);
    const arne_identify_result *found = arne_identify_get(s);
    assert_true(warned > 0 && strstr(warning, "of motors"));
    for (int j = 0; j < 2; j++)
        assert_true(found->fit.percent[j] < 1e-3);
    int seen = 0;
    for (int i = 0; i < found->base_count; i++) {
        const double x = found->base[i].value;
        if (strcmp(found->base[i].name, "motor.j2.rotor") == 0) assert_true(fabs(x - 0.27) < 1e-2);
        if (strcmp(found->base[i].name, "motor.j2.viscous") == 0 && fabs(x - 0.4) < 1e-4) seen++;
        if (strcmp(found->base[i].name, "motor.j2.coulomb") == 0 && fabs(x - 0.3) < 1e-4) seen++;
    }
    assert_int_equal(seen, 2);
    arne_robot *built = NULL;
    arne_work  *work = NULL;
    arne_error  error;
    double      tau[2];
    if (arne_identify_robot(s, &built, &error)) fail_msg("%s", error.text);
    assert_int_equal(arne_work_new(built, &work), ARNE_OK);
    for (int i = 5; i < r.rows; i += 61) {
        const size_t at = (size_t)i * 2;
        arne_inverse_dynamics(built, work, kept + at, kept + 6000 + at, kept + 12000 + at, NULL,
                              tau);
        for (size_t j = 0; j < 2; j++)
            assert_true(fabs(tau[j] - kept[18000 + at + j]) <
                        2e-4 * (1 + fabs(kept[18000 + at + j])));
    }
    arne_work_free(work);
    arne_robot_free(built);
    arne_identify_free(s);
    free(joint_q);
    recording_free(&r);
    arne_robot_free(truth);
    arne_robot_free(prior);
}

// A joint whose current is nearly all friction: its gain is named as doubtful.
static void doubtful_gains_are_named(void **unused)
{
    (void)unused;
    arne_robot *prior = wrist(0, 0, 0, 0);
    recording   r = record(prior, 2000, 100, 0);
    uint64_t    seed = 3;
    for (int i = 0; i < r.rows; i++) {
        r.tau[2 * i] = r.tau[2 * i] / 12 + 0.01 * gauss(&seed);
        r.tau[2 * i + 1] =
            0.02 * r.tau[2 * i + 1] + (r.qd[2 * i + 1] > 0 ? 1 : -1) + 0.01 * gauss(&seed);
    }
    arne_log                    log = log_of(&r, NULL, 2);
    const arne_identify_options o = {
        .size = sizeof o, .warn = on_warning, .side = ARNE_SIDE_JOINTS};
    log.is_current = 1;
    warned = 0;
    arne_identify              *s = fit(prior, &log, &o);
    const arne_identify_result *found = arne_identify_get(s);
    assert_int_equal(warned, 1);
    assert_non_null(strstr(warning, "joint 'j2' is doubtful"));
    assert_true(fabs(found->gains[0] - 12) < 3 * found->gain_deviations[0] + 0.05);
    assert_true(found->gain_deviations[0] > 0 && found->gain_deviations[0] < 0.05 * 12);
    arne_identify_free(s);
    recording_free(&r);
    arne_robot_free(prior);
}

// Torques in N mm, and positions in degrees although they are few.
static void units_show_by_ratios(void **unused)
{
    (void)unused;
    arne_robot *prior = wrist(1e-4, 1e-4, 0.1, 0.1);
    recording   r = record(prior, 1500, 100, 0);
    for (int i = 0; i < 2 * r.rows; i++)
        r.tau[i] *= 1000;
    const arne_identify_options o = {.size = sizeof o,
                                     .warn = on_warning,
                                     .estimator = ARNE_ESTIMATOR_FREE,
                                     .side = ARNE_SIDE_JOINTS};
    const arne_log              log = log_of(&r, NULL, 2);
    warned = 0;
    arne_identify *s = fit(prior, &log, &o);
    assert_int_equal(warned, 3); // two limits, and all of it
    assert_non_null(strstr(warning, "in every joint"));
    arne_identify_free(s);
    for (int i = 0; i < 2 * r.rows; i++) {
        r.tau[i] /= 1000;
        r.q[i] *= 0.2 * 180 / PI;
    }
    const arne_log degrees = log_of(&r, NULL, 0);
    arne_error     error;
    assert_int_equal(arne_identify_new(prior, &o, &s, &error), ARNE_OK);
    assert_int_equal(arne_identify_add_log(s, &degrees, ARNE_LOG_FIT, &error), ARNE_OK);
    assert_int_equal(arne_identify_fit_robot(s, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "degrees"));
    arne_identify_free(s);
    recording_free(&r);
    arne_robot_free(prior);
}

// ---- filters and threads

// Sections at once and channels side by side do what one section and one channel do.
static void filters_agree(void **unused)
{
    enum { ROWS = 700, CHANNELS = 11 };
    (void)unused;
    static double all[ROWS][CHANNELS], one[ROWS];
    for (int order = 1; order <= 5; order++) {
        const butterworth f = butterworth_make(order, 8, 0.01);
        uint64_t          seed = 4;
        double            kept[ROWS][CHANNELS];
        for (int i = 0; i < ROWS; i++)
            for (int c = 0; c < CHANNELS; c++)
                kept[i][c] = all[i][c] = sin(0.1 * c + 0.05 * i) + random_between(&seed, -1, 1);
        butterworth_both_ways(NULL, &f, ROWS, CHANNELS, CHANNELS, all[0]);
        for (int c = 0; c < CHANNELS; c++) {
            for (int i = 0; i < ROWS; i++)
                one[i] = kept[i][c];
            for (int way = 0; way < 2; way++)
                for (int k = 0; k < f.count; k++) { // as it is written down
                    const filter_section *s = &f.section[k];
                    const double          x0 = one[way ? ROWS - 1 : 0];
                    double                z1 = (1 - s->b0) * x0, z2 = (s->b2 - s->a2) * x0;
                    for (int i = 0; i < ROWS; i++) {
                        double      *x = &one[way ? ROWS - 1 - i : i];
                        const double out = s->b0 * *x + z1;
                        z1 = s->b1 * *x - s->a1 * out + z2;
                        z2 = s->b2 * *x - s->a2 * out;
                        *x = out;
                    }
                }
            for (int i = 0; i < ROWS; i++)
                assert_true(fabs(one[i] - all[i][c]) < 1e-12);
        }
    }
}

// sum H^2 N + sum (1 - H)^2 S
static double filter_misses(const filter_choice *f, double cutoff)
{
    double sum = 0;
    for (int i = 0; i < FILTER_CELLS; i++) {
        const double H = 1 / (1 + pow(1e-6 * exp2((i + 0.5) / 8) / cutoff, 4));
        sum += H * H * f->noise[i] + (1 - H) * (1 - H) * f->signal[i];
    }
    return sum;
}

// Of noisy motion the cut-off misses least, up to the steps in which it is searched.
static void cutoffs_miss_least(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4; k++) {
        filter_choice f = {.band = 1};
        for (int i = 136; i < 200; i++) { // from 0.13 to 33 Hz
            f.signal[i] = i < 160;
            f.noise[i] = pow(10, -k - 1) * pow(1e-6 * exp2((i + 0.5) / 8), 3);
        }
        const double cutoff = filter_choice_cutoff(&f, 2), least = filter_misses(&f, cutoff);
        assert_true(cutoff >= 2.5 && cutoff <= 15.0000001);
        for (double other = 2.5; other <= 15; other *= 1.01)
            assert_true(least <= 1.01 * filter_misses(&f, other));
    }
}

// What is found does not depend on threads, to the last bit.
static void threads_change_nothing(void **unused)
{
    (void)unused;
    arne_robot *prior = read_file("arm6.yaml"), *truth = true_robot(prior);
    recording   r = record(truth, 24000, 400, 0);
    uint64_t    seed = 21;
    for (int i = 0; i < 6 * r.rows; i++)
        r.tau[i] += gauss(&seed);
    const arne_log log = log_of(&r, NULL, 1);
    arne_identify *s[2];
    for (int k = 0; k < 2; k++) {
        const arne_identify_options o = {.size = sizeof o, .cutoff = 15, .threads = k ? 3 : 1};
        s[k] = fit(prior, &log, &o);
    }
    const arne_identify_result *a = arne_identify_get(s[0]), *b = arne_identify_get(s[1]);
    for (int i = 0; i < a->base_count; i++)
        assert_true(a->base[i].value == b->base[i].value && a->free[i] == b->free[i]);
    assert_true(a->fit.rows == b->fit.rows && a->validate.rows == b->validate.rows);
    assert_true(a->fit.rows > 0 && a->validate.rows > 0);
    for (int j = 0; j < 6; j++)
        assert_true(a->fit.rms[j] == b->fit.rms[j] && a->validate.rms[j] == b->validate.rms[j]);
    arne_identify_free(s[0]);
    arne_identify_free(s[1]);
    recording_free(&r);
    arne_robot_free(truth);
    arne_robot_free(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_exact),
        cmocka_unit_test(splines_start_and_end_at_rest),
        cmocka_unit_test(centres_stay_in_their_regions),
        cmocka_unit_test(newton_solves_hard_problems),
        cmocka_unit_test(couplings_of_the_robot_serve),
        cmocka_unit_test(doubtful_gains_are_named),
        cmocka_unit_test(units_show_by_ratios),
        cmocka_unit_test(filters_agree),
        cmocka_unit_test(cutoffs_miss_least),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

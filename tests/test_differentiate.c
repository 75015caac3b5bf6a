// Rates of recorded positions.
#include "testing.h"

#include <stdlib.h>

typedef struct record {
    int     rows;
    double *time, *x, *smooth, *rate, *second;
} record;

static double jittered(rng *r, int i, double step, double part)
{
    return i * step + step * rng_uniform(r, -part, part);
}

static record make(int rows, double step, double jitter, double noise, uint64_t seed)
{
    record  r = {rows, NULL, NULL, NULL, NULL, NULL};
    rng     random = rng_seed(seed);
    double *all[5];
    for (int k = 0; k < 5; k++) {
        all[k] = malloc((size_t)rows * sizeof(double));
        assert_non_null(all[k]);
    }
    r.time = all[0], r.x = all[1], r.smooth = all[2], r.rate = all[3], r.second = all[4];
    for (int i = 0; i < rows; i++) {
        r.time[i] = jittered(&random, i, step, jitter);
        r.x[i] = sin(3 * r.time[i]) + 0.5 * cos(5 * r.time[i]) + 0.2 * r.time[i] +
                 noise * rng_uniform(&random, -1, 1);
    }
    return r;
}

static void done(record *r)
{
    free(r->time), free(r->x), free(r->smooth), free(r->rate), free(r->second);
}

// The largest errors of rates away from the ends, where the filter has both sides.
static void errors(const record *r, double *rate, double *second)
{
    *rate = *second = 0;
    for (int i = r->rows / 10; i < r->rows - r->rows / 10; i++) {
        const double t = r->time[i];
        const double v = 3 * cos(3 * t) - 2.5 * sin(5 * t) + 0.2;
        const double a = -9 * sin(3 * t) - 12.5 * cos(5 * t);
        *rate = fmax(*rate, fabs(r->rate[i] - v));
        *second = fmax(*second, fabs(r->second[i] - a));
    }
}

// Without noise and filter the differences are of order 4.
static void clean_positions(void **unused)
{
    double     e1[2], e2[2];
    arne_error error;
    (void)unused;
    for (int k = 0; k < 2; k++) {
        record r = make(k ? 401 : 201, k ? 0.01 : 0.02, 0, 0, 1);
        double cutoff = 1e9;
        assert_ok_or(
            arne_differentiate(r.rows, 1, r.time, r.x, &cutoff, r.smooth, r.rate, r.second, &error),
            &error);
        errors(&r, &e1[k], &e2[k]);
        done(&r);
    }
    assert_true(e1[1] < e1[0] / 12 && e2[1] < e2[0] / 12);
    assert_true(e1[1] < 1e-5 && e2[1] < 1e-4);
}

// With noise and jitter the cut-off that is chosen lies above the motion (0.8 Hz) and below the
// noise, and rates are near.
static void noisy_positions(void **unused)
{
    arne_error error;
    (void)unused;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        record r = make(2000, 0.002, 0.2, 1e-4, seed);
        double cutoff = 0, e1, e2;
        assert_ok_or(
            arne_differentiate(r.rows, 1, r.time, r.x, &cutoff, r.smooth, r.rate, r.second, &error),
            &error);
        errors(&r, &e1, &e2);
        assert_true(cutoff > 1.5 && cutoff < 60);
        assert_true(e1 < 0.03 && e2 < 1.5);
        done(&r);
    }
}

// A recording that begins and ends in motion: the first and the last rows are about as good as the
// others. Without noise they are within a hundredth of the largest acceleration.
static void ends_in_motion(void **unused)
{
    static const struct {
        int    rows;
        double step, noise, cutoff, wanted;
    } cases[] = {{101, 0.01, 0, 0, 0.01},
                 {301, 0.01, 0, 8, 0.01},
                 {1001, 0.005, 0, 10, 0.01},
                 {2000, 0.002, 1e-5, 0, 0.06},
                 {801, 0.005, 1e-5, 10, 0.06}};
    const double most = 9 + 12.5;
    arne_error   error;
    (void)unused;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            record r = make(cases[k].rows, cases[k].step, 0, cases[k].noise, seed);
            double cutoff = cases[k].cutoff;
            assert_ok_or(arne_differentiate(r.rows, 1, r.time, r.x, &cutoff, r.smooth, r.rate,
                                            r.second, &error),
                         &error);
            double worst = 0;
            for (int i = 0; i < r.rows; i++) {
                const double t = r.time[i];
                worst =
                    fmax(worst, fabs(r.second[i] - (-9 * sin(3 * t) - 12.5 * cos(5 * t))) / most);
            }
            if (worst > cases[k].wanted)
                fail_msg("case %zu: %.3g of the largest acceleration, cut-off %g Hz", k, worst,
                         cutoff);
            done(&r);
        }
}

// At a standstill noise makes no velocity.
static void rest_is_rest(void **unused)
{
    arne_error error;
    int        moving = 0;
    record     r = make(1000, 0.002, 0, 0, 1);
    rng        random = rng_seed(7);
    double     cutoff = 10;
    (void)unused;
    for (int i = 0; i < r.rows; i++) {
        const double u = fmin(fmax(r.time[i] - 1, 0), 0.5) / 0.5; // half a second of motion
        r.x[i] = u * u * u * (10 - 15 * u + 6 * u * u) + 1e-4 * rng_uniform(&random, -1, 1);
    }
    assert_ok_or(arne_differentiate(r.rows, 1, r.time, r.x, &cutoff, NULL, r.rate, NULL, &error),
                 &error);
    for (int i = 0; i < r.rows; i++)
        moving += r.rate[i] != 0 && (r.time[i] < 0.85 || r.time[i] > 1.65);
    assert_true(moving < r.rows / 50);
    assert_true(r.rate[625] > 3);
    done(&r);
}

static void bad_records(void **unused)
{
    record     r = make(20, 0.01, 0, 0, 1);
    double     cutoff = 0;
    arne_error error;
    (void)unused;
    assert_status(arne_differentiate(4, 1, r.time, r.x, &cutoff, NULL, r.rate, NULL, &error),
                  ARNE_VALUE);
    r.time[7] = r.time[6];
    assert_status(arne_differentiate(20, 1, r.time, r.x, &cutoff, NULL, r.rate, NULL, &error),
                  ARNE_VALUE);
    assert_non_null(strstr(error.text, "row 8"));
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_positions), cmocka_unit_test(noisy_positions),
        cmocka_unit_test(ends_in_motion), cmocka_unit_test(rest_is_rest),
        cmocka_unit_test(bad_records)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

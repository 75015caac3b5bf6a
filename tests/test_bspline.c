// B-splines: the definition, polynomials they must reproduce, derivatives by differences.
#include "testing.h"

#include <stdlib.h>

enum { ORDERS = 6, MORE = 9, MOST = 40 };

typedef struct sample {
    arne_bspline *basis;
    int           degree, count, pieces;
    double        breaks[MOST + 1], T;
} sample;

// Every degree, even and uneven breaks, some of them repeated.
static sample random_basis(rng *r, int degree)
{
    sample s = {.degree = degree, .pieces = 1 + rng_below(r, 12)};
    s.count = degree + s.pieces;
    s.T = rng_uniform(r, 0.2, 5);
    const int even = rng_chance(r, 0.3);
    for (int i = 1; i <= s.pieces; i++) {
        const int repeat = !even && degree > 1 && i > 2 && i < s.pieces && rng_chance(r, 0.2) &&
                           s.breaks[i - 1] > s.breaks[i - 2];
        s.breaks[i] = s.breaks[i - 1] + (even ? 1 : repeat ? 0 : rng_uniform(r, 0.1, 1));
    }
    for (int i = 0; i <= s.pieces; i++)
        s.breaks[i] = i == s.pieces ? 1 : s.breaks[i] / s.breaks[s.pieces];
    assert_ok(arne_bspline_new(degree, s.count, even ? NULL : s.breaks, &s.basis, NULL));
    return s;
}

static double knot(const sample *s, int i)
{
    const int piece = i - s->degree;
    return arne_bspline_breaks(s->basis)[piece < 0 ? 0 : piece > s->pieces ? s->pieces : piece];
}

// The recursion of Cox and de Boor, as it defines B-splines.
static double definition(const sample *s, int i, int d, double u)
{
    if (d == 0) return u >= knot(s, i) && u < knot(s, i + 1);
    const double a = knot(s, i + d) - knot(s, i), b = knot(s, i + d + 1) - knot(s, i + 1);
    return (a > 0 ? (u - knot(s, i)) / a * definition(s, i, d - 1, u) : 0) +
           (b > 0 ? (knot(s, i + d + 1) - u) / b * definition(s, i + 1, d - 1, u) : 0);
}

static void basis_is_the_definition(void **unused)
{
    (void)unused;
    rng r = rng_seed(1);
    for (int degree = 0; degree <= 9; degree++)
        for (int trial = 0; trial < 10; trial++) {
            sample    s = random_basis(&r, degree);
            double    N[64], sum = 0;
            const int width = degree + 1;
            double    u = rng_uniform(&r, 0, 1);
            if (trial == 0) u = 0;
            if (trial == 1) u = arne_bspline_breaks(s.basis)[s.pieces / 2];
            if (u >= 1) u = 0;
            const int first = arne_bspline_basis(s.basis, s.T, u * s.T, 1, N);
            u = u * s.T / s.T;
            for (int i = 0; i < s.count; i++) {
                const int    in = i >= first && i < first + width;
                const double exact = definition(&s, i, degree, u);
                assert_true(fabs((in ? N[i - first] : 0) - exact) < 1e-14);
                sum += exact;
            }
            assert_true(fabs(sum - 1) < 1e-14);
            arne_bspline_free(s.basis);
        }
}

// Away from breaks, derivative k is the rate of derivative k - 1: differences of eighth order.
static void derivatives_are_rates(void **unused)
{
    (void)unused;
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    rng                 r = rng_seed(2);
    for (int degree = 1; degree <= 12; degree++)
        for (int trial = 0; trial < 20; trial++) {
            sample        s = random_basis(&r, degree);
            double        c[64 * 2], exact[ORDERS * 2], scale[ORDERS] = {0};
            const double *breaks = arne_bspline_breaks(s.basis);
            const int     piece = rng_below(&r, s.pieces);
            const double  wide = (breaks[piece + 1] - breaks[piece]) * s.T;
            const double  t = breaks[piece] * s.T + 0.5 * wide, h = wide / (degree > 8 ? 64 : 16);
            rng_fill(&r, c, 2 * s.count, 1);
            if (wide > 0) {
                double rate[ORDERS * 2] = {0};
                arne_bspline_evaluate(s.basis, s.T, t, 2, c, ORDERS, exact);
                for (int i = -4; i <= 4; i++) {
                    double at[ORDERS * 2];
                    arne_bspline_evaluate(s.basis, s.T, t + i * h, 2, c, ORDERS, at);
                    for (int k = 0; k < ORDERS * 2; k++) {
                        if (i) rate[k] += (i > 0 ? 1 : -1) * weight[abs(i) - 1] * at[k] / h;
                    }
                    // Rounding is that of the sum's terms, which may cancel.
                    double N[ORDERS * 64];
                    arne_bspline_basis(s.basis, s.T, t + i * h, ORDERS, N);
                    for (int k = 0; k < ORDERS * (degree + 1); k++)
                        scale[k / (degree + 1)] = fmax(scale[k / (degree + 1)], fabs(N[k]) / h);
                }
                for (int k = 1; k < ORDERS; k++)
                    for (int i = 0; i < 2; i++) // of degree 9 and more, differences are not exact
                        assert_true(fabs(rate[2 * k - 2 + i] - exact[2 * k + i]) <=
                                    (degree - k < 8 ? 1e-12 : 1e-7) * scale[k - 1]);
            }
            arne_bspline_free(s.basis);
        }
}

// A spline of degree p holds every polynomial of degree p, with all derivatives; control points on
// a line at their places are a steady motion.
static void polynomials_are_reproduced(void **unused)
{
    (void)unused;
    rng r = rng_seed(3);
    for (int degree = 1; degree <= 7; degree++)
        for (int trial = 0; trial < 10; trial++) {
            sample                 s = random_basis(&r, degree);
            double                 poly[8], value[64], control[64];
            arne_bspline_condition at[64];
            rng_fill(&r, poly, degree + 1, 1);
            for (int i = 0; i < s.count; i++) {
                at[i] = (arne_bspline_condition){arne_bspline_place(s.basis, i) * s.T, 0};
                value[i] = 0;
                for (int d = degree; d >= 0; d--)
                    value[i] = value[i] * (at[i].t / s.T) + poly[d];
            }
            assert_ok(arne_bspline_fit(s.basis, s.T, at, value, 1, control, NULL));
            for (int j = 0; j < 20; j++) {
                const double t = rng_uniform(&r, 0, s.T);
                double       out[MORE];
                arne_bspline_evaluate(s.basis, s.T, t, 1, control, MORE, out);
                for (int k = 0; k < MORE; k++) {
                    double exact = 0;
                    for (int d = degree; d >= k; d--) {
                        double factor = 1;
                        for (int m = 0; m < k; m++)
                            factor *= (d - m) / s.T;
                        exact = exact * (t / s.T) + poly[d] * factor;
                    }
                    assert_true(fabs(out[k] - exact) < 1e-8 * pow(s.count / s.T, k));
                }
            }
            for (int i = 0; i < s.count; i++)
                control[i] = 3 * arne_bspline_place(s.basis, i) * s.T - 1;
            double line[3];
            arne_bspline_evaluate(s.basis, s.T, 0.4 * s.T, 1, control, 3, line);
            assert_true(fabs(line[0] - (1.2 * s.T - 1)) < 1e-12 && fabs(line[1] - 3) < 1e-10);
            arne_bspline_free(s.basis);
        }
}

static void final_time_by_differences(void **unused)
{
    (void)unused;
    rng r = rng_seed(4);
    for (int degree = 1; degree <= 9; degree++) {
        sample        s = random_basis(&r, degree);
        double        c[64 * 3], fixed_place[15], fixed_time[15], plus[15], minus[15];
        const double *breaks = arne_bspline_breaks(s.basis);
        const double  u = 0.5 * (breaks[0] + breaks[1]), h = 1e-6 * s.T;
        rng_fill(&r, c, 3 * s.count, 1);
        arne_bspline_final_time_at_place(s.basis, s.T, u * s.T, 3, c, 5, fixed_place);
        arne_bspline_final_time_at_time(s.basis, s.T, u * s.T, 3, c, 5, fixed_time);
        for (int which = 0; which < 2; which++) {
            const double *exact = which ? fixed_time : fixed_place;
            arne_bspline_evaluate(s.basis, s.T + h, which ? u * s.T : u * (s.T + h), 3, c, 5, plus);
            arne_bspline_evaluate(s.basis, s.T - h, which ? u * s.T : u * (s.T - h), 3, c, 5,
                                  minus);
            for (int i = 0; i < 15; i++) {
                const double rate = (plus[i] - minus[i]) / (2 * h);
                const double scale = pow(30 * degree / s.T, i / 3 + 1);
                assert_true(fabs(rate - exact[i]) < 1e-7 * scale);
            }
        }
        arne_bspline_free(s.basis);
    }
}

// Positions and velocities at mixed times.
static void fit_meets_conditions(void **unused)
{
    (void)unused;
    arne_bspline                *basis;
    const arne_bspline_condition at[] = {{0, 0},   {0, 1},   {0, 2}, {0.7, 0}, {1.1, 0},
                                         {1.1, 1}, {1.6, 0}, {2, 0}, {2, 1},   {2, 2}};
    double                       value[20], control[20], out[6];
    rng                          r = rng_seed(6);
    rng_fill(&r, value, 20, 1);
    assert_ok(arne_bspline_new(5, 10, NULL, &basis, NULL));
    assert_ok(arne_bspline_fit(basis, 2, at, value, 2, control, NULL));
    for (int i = 0; i < 10; i++) {
        arne_bspline_evaluate(basis, 2, at[i].t, 2, control, 3, out);
        for (int c = 0; c < 2; c++)
            assert_true(fabs(out[2 * at[i].order + c] - value[2 * i + c]) < 1e-11);
    }
    const arne_bspline_condition twice[] = {{0, 0}, {0, 0}, {1, 0}, {1.2, 0}, {1.3, 0},
                                            {1, 0}, {1, 0}, {1, 0}, {1, 0},   {1, 0}};
    assert_status(arne_bspline_fit(basis, 2, twice, value, 2, control, NULL), ARNE_VALUE);
    arne_bspline_condition early[10] = {{0}};
    for (int i = 0; i < 10; i++)
        early[i].t = 0.01 * i; // nothing determines the later points
    assert_status(arne_bspline_fit(basis, 2, early, value, 2, control, NULL), ARNE_SINGULAR);
    arne_bspline_free(basis);
}

static void ends_and_bad_input(void **unused)
{
    (void)unused;
    arne_bspline *basis;
    const double falls[] = {0, 0.6, 0.5, 1}, not_all[] = {0, 0.5, 0.9}, jump[] = {0, .5, .5, .5, 1},
                 ends[] = {0, 0, 1};
    assert_status(arne_bspline_new(-1, 3, NULL, &basis, NULL), ARNE_VALUE);
    assert_status(arne_bspline_new(3, 3, NULL, &basis, NULL), ARNE_VALUE);
    assert_status(arne_bspline_new(64, 99, NULL, &basis, NULL), ARNE_VALUE);
    assert_status(arne_bspline_new(2, 5, falls, &basis, NULL), ARNE_VALUE);
    assert_status(arne_bspline_new(2, 4, not_all, &basis, NULL), ARNE_VALUE);
    assert_status(arne_bspline_new(2, 6, jump, &basis, NULL), ARNE_VALUE);
    assert_status(arne_bspline_new(2, 4, ends, &basis, NULL), ARNE_VALUE);
    assert_ok(arne_bspline_new(3, 8, NULL, &basis, NULL));
    double       c[8], out[2];
    rng          r = rng_seed(7);
    const double T = 1.7;
    rng_fill(&r, c, 8, 1);
    for (int late = 0; late < 2; late++)
        for (int beyond = 0; beyond < 2; beyond++) {
            arne_bspline_evaluate(basis, T, late ? T + beyond : -beyond, 1, c, 2, out);
            assert_true(fabs(out[0] - c[late ? 7 : 0]) < 1e-15);
            assert_true(fabs(out[1] - (late ? c[7] - c[6] : c[1] - c[0]) * 15 / T) < 1e-12);
        }
    arne_bspline_free(basis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(basis_is_the_definition),    cmocka_unit_test(derivatives_are_rates),
        cmocka_unit_test(polynomials_are_reproduced), cmocka_unit_test(final_time_by_differences),
        cmocka_unit_test(fit_meets_conditions),       cmocka_unit_test(ends_and_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

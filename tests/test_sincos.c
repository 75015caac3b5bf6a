// The sine and cosine of lanes against those of long doubles, over small and large angles.
#include "testing.h"

#include "math/sincos.h"

typedef double    pair __attribute__((vector_size(16)));
typedef long long pair_bits __attribute__((vector_size(16)));
ARNE_DEFINE_SINCOS(pair, pair, pair_bits, 2)

static double ulps(double got, long double wanted)
{
    const double size = fabs((double)wanted);
    return (double)(fabsl((long double)got - wanted) / (nextafter(size, INFINITY) - size));
}

static void check_sincos(double x, double *worst)
{
    const pair two = {x, -x};
    pair       s, c;
    sincos_pair(two, &s, &c);
    const double e[4] = {ulps(s[0], sinl(x)), ulps(c[0], cosl(x)), ulps(s[1], sinl(-x)),
                         ulps(c[1], cosl(-x))};
    for (int i = 0; i < 4; i++)
        if (!(e[i] <= *worst)) *worst = e[i];
}

static void sines_are_within_two_ulps(void **unused)
{
    static const double sizes[] = {1e-300, 1e-8, 0.1, 1, 4, 100, 1e4, 1e6, 1e9, 1e15, 1e300};
    rng                 r = rng_seed(1);
    double              worst = 0;
    (void)unused;
    for (int i = 0; i < 11; i++)
        for (int k = 0; k < 100000; k++)
            check_sincos(rng_uniform(&r, -sizes[i], sizes[i]), &worst);
    for (int k = -600000; k <= 600000;
         k += 7) // next to multiples of pi/2, where one of them is small
        for (int i = -1; i <= 1; i++)
            check_sincos((double)(k * 1.57079632679489661923132169163975144L) * (1 + i * 0x1p-52),
                         &worst);
    check_sincos(0, &worst);
    print_message("sine and cosine: within %.2f units in the last place\n", worst);
    assert_true(worst < 2);
}

static void sines_of_no_number_are_none(void **unused)
{
    const double bad[] = {INFINITY, -INFINITY, NAN};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        const pair x = {1, bad[i]};
        pair       s, c;
        sincos_pair(x, &s, &c);
        assert_true(isnan(s[1]) && isnan(c[1]));
        assert_true(fabs(s[0] - sin(1)) < 1e-15 && fabs(c[0] - cos(1)) < 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_are_within_two_ulps),
        cmocka_unit_test(sines_of_no_number_are_none),
    };
    return cmocka_run_group_tests_name("sincos", tests, NULL, NULL);
}

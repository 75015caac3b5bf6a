// Fatigue by three compartments: endurance at a constant intensity has a closed form.
#include "testing.h"

#include <arne/fatigue.h>

// In steps of any size the intensity is possible for as long as the closed form says.
static void endurance_is_the_closed_form(void **unused)
{
    const arne_fatigue rates = {.fatigue = 0.01, .recovery = 0.002};
    (void)unused;
    for (int i = 2; i < 10; i++) {
        const double TL = 0.1 * i, F = rates.fatigue, R = rates.recovery;
        const double exact = -log(1 - R * (1 - TL) / (F * TL)) / R;
        if (R * (1 - TL) >= F * TL) {
            assert_true(isinf(arne_fatigue_endurance(rates, TL)));
            continue;
        }
        assert_true(fabs(arne_fatigue_endurance(rates, TL) - exact) < 1e-9 * exact);
        for (int k = 1; k <= 3; k++) {
            const double step = exact / (7.3 * k);
            double       fatigued = 0, held = 0, last = step;
            for (int n = 0; n < 100 && last >= step; n++)
                held += last = arne_fatigue_advance(rates, TL, step, &fatigued);
            assert_true(fabs(held - exact) < 1e-9 * exact);
        }
    }
}

// What rests recovers, and what does not tire never does.
static void rest_recovers(void **unused)
{
    const arne_fatigue rates = {.fatigue = 0.01, .recovery = 0.002}, none = {0, 0};
    double             fatigued = 0.5;
    (void)unused;
    assert_true(arne_fatigue_advance(rates, 0, 100, &fatigued) == 100);
    assert_true(fabs(fatigued - 0.5 * exp(-0.2)) < 1e-12);
    fatigued = 0;
    assert_true(arne_fatigue_advance(none, 0.9, 1e6, &fatigued) == 1e6 && fatigued == 0);
    assert_true(isinf(arne_fatigue_endurance(none, 0.9)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endurance_is_the_closed_form),
        cmocka_unit_test(rest_recovers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

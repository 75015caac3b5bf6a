// Numbers as files write them: value, grammar, and independence of the locale.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier)
#include "reading.h"
#include <locale.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

typedef struct good_number {
    const char *text;
    double      value;
} good_number;

static void assert_number(const char *text, double wanted)
{
    double            value = NAN;
    const arne_status status = arne_parse_number(text, &value);
    if (status != ARNE_OK || value != wanted)
        fail_msg("'%s' is %.17g (%s) instead of %.17g", text, value, arne_status_text(status),
                 wanted);
}

static void plain_numbers(void **unused)
{
    (void)unused;
    static const good_number good[] = {
        {"0", 0},
        {"-0", -0.0},
        {"1", 1},
        {"+2", 2},
        {"-3.5", -3.5},
        {"1.", 1},
        {".5", 0.5},
        {"-.5", -0.5},
        {"1e3", 1000},
        {"1E+3", 1000},
        {"1.5e-3", 1.5e-3},
        {"  7\t", 7},
        {"- 7", -7},
        {"007", 7},
        {"1e-400", 0},
        {"5e-324", 5e-324},
        {"0.1", 0.1},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"9007199254740993", 9007199254740992.0}, // halfway: to even
        {"9007199254740993.00000000000000000000000000000000000001", 9007199254740994.0},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"0.500000000000000166533453693773481063544750213623046875", 0.50000000000000022},
        {"3.14159265358979323846264338327950288419716939937510", 3.14159265358979323846},
    };
    for (size_t i = 0; i < COUNT(good); i++)
        assert_number(good[i].text, good[i].value);
}

static void products_and_degrees(void **unused)
{
    (void)unused;
    const good_number good[] = {
        {"pi", pi},
        {"-pi", -pi},
        {"pi/2", pi / 2},
        {"-3*pi/4", -3 * pi / 4},
        {"2 * pi", 2 * pi},
        {"2*3/4", 1.5},
        {"1/4", 0.25},
        {"90 deg", pi / 2},
        {"45deg", pi / 4},
        {"-180 deg", -pi},
        {"270 deg", 3 * pi / 2},
        {"1.5 rad", 1.5},
        {"pi/2 rad", pi / 2},
        {"360/8 deg", pi / 4},
        {"1e2*2", 200},
        {"+pi", pi},
    };
    for (size_t i = 0; i < COUNT(good); i++)
        assert_number(good[i].text, good[i].value);
}

static void what_is_not_a_number(void **unused)
{
    (void)unused;
    static const char *const bad[] = {
        "",     " ",          "x",     "nan",   "NaN", "-nan",  "inf",    "-inf",     "Infinity",
        ".inf", ".nan",       "1e",    "1e+",   "e5",  ".",     "-",      "+",        "--1",
        "1 2",  "1,5",        "0x10",  "1.5.2", "1f",  "1_000", "pipi",   "2pi",      "pi pi",
        "pi*",  "*pi",        "pi//2", "1/0",   "0/0", "1e999", "-1e400", "1e308*10", "90 degrees",
        "deg",  "90 deg deg", "3*-pi", "(1)",   "1+1", "0x1p3", "1d5",    "\xc2\xbd",
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        double            value = 42;
        const arne_status status = arne_parse_number(bad[i], &value);
        if (status != ARNE_VALUE) fail_msg("'%s' is taken as %.17g", bad[i], value);
    }
}

static void missing_arguments(void **unused)
{
    (void)unused;
    double value = 0;
    assert_int_equal(arne_parse_number(NULL, &value), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_parse_number("1", NULL), ARNE_NULL_ARGUMENT);
}

// A locale whose decimal point is a comma: one that is installed, or else one made for this test.
static int use_comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR",
                                        "nl_NL.UTF-8"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (setlocale(LC_ALL, names[i])) return 1;
    char folder[] = "/tmp/arne_locale_XXXXXX", command[200];
    if (!mkdtemp(folder)) return 0;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
             folder);
    int made = system(command) >= 0 && setenv("LOCPATH", folder, 1) == 0;
    made = made && setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 && made;
}

static void the_locale_does_not_matter(void **unused)
{
    (void)unused;
    if (!use_comma()) {
        print_message("there is no locale with a decimal comma, and none can be made\n");
        skip();
    }
    assert_string_equal(localeconv()->decimal_point, ",");
    assert_number("1.5e-3", 1.5e-3);
    assert_number("0.25*pi", pi / 4);
    double value = 0;
    assert_int_equal(arne_parse_number("1,5", &value), ARNE_VALUE);

    if (!READERS_ARE_BUILT) return;
    reading r = read_good(
        arne_read_urdf, "<robot name='r'><link name='a'><inertial><mass value='1.5'/>"
                        "<origin xyz='0.25 0 -0.5'/><inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' "
                        "ixz='0' iyz='0'/></inertial></link></robot>");
    assert_true(body_of(&r, "a").mass == 1.5);
    assert_vec3(body_of(&r, "a").com, 0.25, 0, -0.5);
    end_reading(&r);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_numbers),
        cmocka_unit_test(products_and_degrees),
        cmocka_unit_test(what_is_not_a_number),
        cmocka_unit_test(missing_arguments),
        cmocka_unit_test(the_locale_does_not_matter),
    };
    return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}

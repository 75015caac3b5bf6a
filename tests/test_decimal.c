// Numbers and their digits: what is written is read back to the last bit, no shorter text would be,
// and reading agrees with the C library everywhere.
#include "base/plain.h"
#include "testing.h"

#include "base/decimal.h"
#include <arne/io.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

// Of all kinds: any bits, numbers near one, whole numbers and binary fractions.
static double some_number(uint64_t *s)
{
    const uint64_t bits = next(s);
    double         x;
    memcpy(&x, &bits, sizeof x);
    if (bits % 4 == 1) x = (double)(int64_t)next(s) / 3e18;
    if (bits % 4 == 2) x = (double)(int64_t)(next(s) >> next(s) % 64);
    if (bits % 4 == 3) x = ldexp((double)(next(s) >> 11), -(int)(next(s) % 60));
    return isfinite(x) ? x : 1;
}

static void assert_bits(double a, double b, const char *text)
{
    if (memcmp(&a, &b, sizeof a) != 0) fail_msg("'%s' is %.17g, not %.17g", text, a, b);
}

static void what_is_written_reads_back(void **unused)
{
    (void)unused;
    uint64_t s = 88172645463325252u;
    for (int i = 0; i < 300000; i++) {
        const double x = some_number(&s);
        char         text[DECIMAL_ROOM];
        double       back = 0;
        const size_t length = decimal_write(x, text);
        assert_int_equal(length, strlen(text));
        assert_ok(arne_parse_number(text, &back));
        assert_bits(back, x, text);
        assert_bits(plain_number(text, NULL), x, text);
    }
}

static int digit_count(const char *text)
{
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9') continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        count += count > 0 || *text != '0';
    }
    return count - (zeros < count ? zeros : 0);
}

static void no_shorter_text_does(void **unused)
{
    (void)unused;
    uint64_t s = 123456789;
    for (int i = 0; i < 30000; i++) {
        const double x = some_number(&s);
        char         text[DECIMAL_ROOM], other[64];
        int          digits = 1;
        decimal_write(x, text);
        for (; digits < 17; digits++) {
            plain_print(other, sizeof other, "%.*g", digits, x);
            if (plain_number(other, NULL) == x) break;
        }
        if (x != 0 && digit_count(text) > digits) fail_msg("'%s' for '%s'", text, other);
    }
}

static void digits_are_set_out_as_people_do(void **unused)
{
    (void)unused;
    static const struct {
        double      value;
        const char *text;
    } known[] = {{0, "0"},
                 {-0.0, "-0"},
                 {0.1, "0.1"},
                 {-9.81, "-9.81"},
                 {100, "100"},
                 {1e16, "10000000000000000"},
                 {1e17, "1e+17"},
                 {1e23, "1e+23"},
                 {9007199254740992, "9007199254740992"},
                 {1e-4, "0.0001"},
                 {1e-5, "1e-05"},
                 {5e-324, "5e-324"},
                 {2.2250738585072014e-308, "2.2250738585072014e-308"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {(double)INFINITY, "inf"},
                 {-(double)INFINITY, "-inf"},
                 {(double)NAN, "nan"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[ARNE_NUMBER_SIZE];
        assert_int_equal(arne_print_number(known[i].value, text), strlen(known[i].text));
        assert_string_equal(text, known[i].text);
    }
}

// Texts with too many digits, ties, and numbers at both ends, where only exact arithmetic is right.
static void reading_agrees_with_the_library(void **unused)
{
    (void)unused;
    static const char *const hard[] = {"9007199254740993",
                                       "9007199254740992.9999999999999999999",
                                       "0.5000000000000000000000000000000001",
                                       "2.2250738585072011e-308",
                                       "4.9e-324",
                                       "2.4703282292062327e-324",
                                       "1.7976931348623158e308",
                                       "0.000000000000000000000000000012345678901234567",
                                       "1e-400",
                                       "00000000000000000000001.5",
                                       "9223372036854775807",
                                       "18446744073709551616",
                                       "1.00000000000000011102230246251565",
                                       "8.5e22",
                                       "1e23"};
    uint64_t                 s = 987654321;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        double value = 0;
        assert_ok(arne_parse_number(hard[i], &value));
        assert_bits(value, plain_number(hard[i], NULL), hard[i]);
    }
    for (int i = 0; i < 300000; i++) {
        char      text[64];
        double    value = 0;
        const int digits = 1 + (int)(next(&s) % 20), point = (int)(next(&s) % 20);
        size_t    length = 0;
        for (int d = 0; d < digits; d++) {
            if (d == point) text[length++] = '.';
            text[length++] = (char)('0' + next(&s) % 10);
        }
        snprintf(text + length, sizeof text - length, "e%d", (int)(next(&s) % 80) - 40);
        assert_ok(arne_parse_number(text, &value));
        assert_bits(value, plain_number(text, NULL), text);
    }
}

// It reads eight bytes at once only where it was told that there are so many.
static void it_stays_within_the_text(void **unused)
{
    (void)unused;
    for (size_t length = 1; length < 24; length++) {
        char  *text = malloc(length + 1);
        double value;
        int    done;
        assert_non_null(text);
        memset(text, '7', length);
        text[length] = 0;
        assert_ptr_equal(decimal_read(text, text, &value, &done), text + length);
        assert_ptr_equal(decimal_read(text, text + length, &value, &done), text + length);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_reads_back),
                                       cmocka_unit_test(no_shorter_text_does),
                                       cmocka_unit_test(digits_are_set_out_as_people_do),
                                       cmocka_unit_test(reading_agrees_with_the_library),
                                       cmocka_unit_test(it_stays_within_the_text)};
    return cmocka_run_group_tests_name("decimal", tests, NULL, NULL);
}

// Numbers: a small grammar over decimal_read, and behind that plain_number, which rounds correctly
// but accepts too much (hexadecimal, "nan", "infinity") and is slow.
//
//     expression = [sign] factor { ("*" | "/") factor } [ unit ]
//     factor     = decimal | "pi"
#include "io/number.h"

#include "base/decimal.h"
#include "base/plain.h"
#include "io/unit.h"
#include <arne/io.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const char not_a_number[] = "is not a number";
static const char not_finite[] = "is not a finite number";
static const char other_unit[] = "is in a unit that is not known or of something else";

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static const char *skip_space(const char *p)
{
    while (is_space(*p))
        p++;
    return p;
}

// Whether p names something that is a number to a C library but not to us: nan, -inf, .inf.
static int names_no_finite_number(const char *p)
{
    p += *p == '+' || *p == '-';
    p += *p == '.';
    char word[4] = "";
    for (int i = 0; i < 3 && p[i]; i++)
        word[i] = (char)(p[i] | 0x20);
    return strcmp(word, "nan") == 0 || strcmp(word, "inf") == 0;
}

static arne_status number_refuse(const char *text, const char **why)
{
    *why = names_no_finite_number(text) ? not_finite : not_a_number;
    return ARNE_VALUE;
}

// The unsigned decimal number at *cursor, which moves behind it; it stays where it is when there is
// none.
static arne_status decimal(const char **cursor, double *out)
{
    const char *start = *cursor;
    int         done = 0;
    *cursor = decimal_read(start, start, out, &done);
    if (*cursor == start) return ARNE_VALUE;
    if (!done) *out = plain_number(start, NULL); // the slow path, where rounding is uncertain
    return ARNE_OK;
}

arne_status arne_number_decimal(const char **cursor, double *out, const char **why)
{
    const char       *end = *cursor + (**cursor == '+' || **cursor == '-');
    const arne_status status = decimal(&end, out);
    if (status == ARNE_VALUE || (!status && !(*end == 0 || is_space(*end))))
        return number_refuse(*cursor, why);
    if (status) return status;
    if (!isfinite(*out)) {
        *why = not_finite;
        return ARNE_VALUE;
    }
    if (**cursor == '-') *out = -*out;
    *cursor = end;
    return ARNE_OK;
}

// A decimal number or pi. *cursor stays where it is when there is neither.
static arne_status number_factor(const char **cursor, double *out)
{
    if (strncmp(*cursor, "pi", 2) != 0) return decimal(cursor, out);
    *out = pi;
    *cursor += 2;
    return ARNE_OK;
}

static arne_status number_product(const char **cursor, double *out)
{
    arne_status status = number_factor(cursor, out);
    while (!status) {
        const char *p = skip_space(*cursor);
        if (*p != '*' && *p != '/') return ARNE_OK;
        const char operation = *p;
        double     next = 0;
        *cursor = skip_space(p + 1);
        status = number_factor(cursor, &next);
        *out = operation == '*' ? *out * next : *out / next;
    }
    return status;
}

// Whether one of these units is rad, rad/s, ...
static int number_of_angles(const char *units)
{
    for (const char *at = units; at; at = strchr(at, ',')) {
        at = skip_space(at + (*at == ','));
        if (strncmp(at, "rad", 3) == 0) return 1;
    }
    return 0;
}

// The unit behind a number, as a factor to SI. The caller converts degrees itself, so that 90 deg
// is exactly pi/2.
static int number_unit(const char *said, const char *units, double *factor, int *degrees)
{
    const int angle = !units || number_of_angles(units);
    *factor = 1;
    *degrees = angle && strcmp(said, "deg") == 0;
    if (!*said || *degrees || (angle && strcmp(said, "rad") == 0)) return 1;
    return units && unit_among(said, units, factor);
}

arne_status arne_number_expression(const char *text, double *out, const char **why)
{
    return arne_number_in_unit(text, NULL, out, why);
}

arne_status arne_number_in_unit(const char *text, const char *units, double *out, const char **why)
{
    const char  *start = skip_space(text), *p = start;
    const double sign = *p == '-' ? -1 : 1;
    double       value = 0;
    p = skip_space(p + (*p == '+' || *p == '-'));

    const arne_status status = number_product(&p, &value);
    if (status == ARNE_VALUE) return number_refuse(start, why);
    if (status) return status;
    double factor;
    int    degrees;
    char   said[32];
    size_t length = strlen(p = skip_space(p));
    while (length && is_space(p[length - 1]))
        length--;
    if (length >= sizeof said) return number_refuse(start, why);
    memcpy(said, p, length);
    said[length] = 0;
    if (!number_unit(said, units, &factor, &degrees)) {
        const int letter = plain_lower(*said) >= 'a' && plain_lower(*said) <= 'z';
        if (!units || !letter) return number_refuse(start, why);
        *why = other_unit;
        return ARNE_VALUE;
    }
    value = degrees ? value / 180 * pi : value * factor;
    if (!isfinite(value)) {
        *why = not_finite;
        return ARNE_VALUE;
    }
    *out = sign * value;
    return ARNE_OK;
}

size_t arne_print_number(double value, char text[ARNE_NUMBER_SIZE])
{
    return decimal_write(value, text);
}

arne_status arne_parse_number(const char *text, double *out)
{
    const char *why = NULL;
    if (!text || !out) return ARNE_NULL_ARGUMENT;
    return arne_number_expression(text, out, &why);
}

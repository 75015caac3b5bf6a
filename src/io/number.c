// Numbers: a small grammar over decimal_read, and behind that plain_number, which rounds correctly
// but accepts too much (hexadecimal, "nan", "infinity") and is slow.
//
//     expression = [sign] factor { ("*" | "/") factor } [ "deg" | "rad" ]
//     factor     = decimal | "pi"
#include "io/number.h"

#include "base/decimal.h"
#include "base/plain.h"
#include <arne/io.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const char not_a_number[] = "is not a number";
static const char not_finite[] = "is not a finite number";

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
    if (!done) *out = plain_number(start, NULL); // few digits are too close to call
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

arne_status arne_number_expression(const char *text, double *out, const char **why)
{
    const char  *start = skip_space(text), *p = start;
    const double sign = *p == '-' ? -1 : 1;
    double       value = 0;
    p = skip_space(p + (*p == '+' || *p == '-'));

    const arne_status status = number_product(&p, &value);
    if (status == ARNE_VALUE) return number_refuse(start, why);
    if (status) return status;
    p = skip_space(p);
    if (strncmp(p, "deg", 3) == 0) {
        value = value / 180 * pi; // in this order 90 deg is pi/2 to the last digit
        p += 3;
    } else if (strncmp(p, "rad", 3) == 0) {
        p += 3;
    }
    if (*skip_space(p)) return number_refuse(start, why);
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

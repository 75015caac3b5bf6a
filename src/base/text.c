#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// How many bytes the sequence that starts with this byte has; 0: none starts so.
static int sequence_length(unsigned char lead)
{
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead < 0xe0) return 2;
    if (lead >= 0xe0 && lead < 0xf0) return 3;
    return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

// How many of its bytes are there before the text ends or something else begins.
static int sequence_present(const unsigned char *at, int length)
{
    int present = length > 0;
    while (present && present < length && (at[present] & 0xc0) == 0x80)
        present++;
    return present;
}

// Of one byte, or of two in the range that terminals obey as well.
static int is_control(const unsigned char *at, int length)
{
    return (length == 1 && (at[0] < 0x20 || at[0] == 0x7f)) ||
           (length == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

void text_line_list(char *out, size_t size, const char *format, va_list arguments)
{
    const int wanted = vsnprintf(out, size, format, arguments);
    const int cut = wanted < 0 || (size_t)wanted >= size;
    if (wanted < 0) *out = 0;
    unsigned char *at = (unsigned char *)out;
    while (*at) {
        const int length = sequence_length(*at), present = sequence_present(at, length);
        if (cut && length && present < length && !at[present]) {
            *at = 0;
            return;
        }
        const int good = length && present == length && !is_control(at, length);
        if (!good) *at = '?';
        at += good ? length : 1;
    }
}

void text_line(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_line_list(out, size, format, arguments);
    va_end(arguments);
}

// Whatever the locale has for a decimal point becomes one.
static void plain_digits(char *text)
{
    char *out = text;
    for (const char *in = text; *in; in++) {
        if (strchr("0123456789+-e", *in))
            *out++ = *in;
        else if (out == text || out[-1] != '.')
            *out++ = '.';
    }
    *out = 0;
}

void text_number(char *out, size_t size, int digits, double value)
{
    if (isfinite(value)) {
        snprintf(out, size, "%.*g", digits, value);
        plain_digits(out);
    } else {
        snprintf(out, size, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    }
}

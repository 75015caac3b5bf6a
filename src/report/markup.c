#include "report/markup.h"

#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static int continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

int text_width(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += !continues(*text);
    return count;
}

// U+FFFE and U+FFFF are UTF-8 but no XML.
static int is_no_character(const char *c)
{
    return c[0] == '\xef' && c[1] == '\xbf' && (c[2] == '\xbe' || c[2] == '\xbf');
}

void put_text_short(buffer *b, const char *text, int most)
{
    char line[1024];
    text_line(line, sizeof line, "%s", text);
    const int cut = text_width(line) > most;
    int       count = 0;
    for (const char *c = line; *c; c++) {
        count += !continues(*c);
        if (cut && count >= most) break;
        const char *name = entity(*c);
        if (name)
            put_bytes(b, name, strlen(name));
        else if (is_no_character(c))
            put_bytes(b, "?", 1), c += 2;
        else
            put_bytes(b, c, 1);
    }
    if (cut) put(b, "\u2026");
}

void put_text(buffer *b, const char *text) { put_text_short(b, text, 1024); }

void put_place(buffer *b, double value)
{
    // Far outside of any picture, and within a long; places that are no number are 0.
    const double near = isnan(value) ? 0 : fmin(fmax(value, -1e9), 1e9);
    const long   hundredths = lround(near * 100);
    const long   whole = labs(hundredths) / 100, rest = labs(hundredths) % 100;
    put(b, "%s%ld", hundredths < 0 ? "-" : "", whole);
    if (rest % 10)
        put(b, ".%02ld", rest);
    else if (rest)
        put(b, ".%ld", rest / 10);
}

void put_decimals(buffer *b, double value, int decimals)
{
    long unit = 1;
    for (int i = 0; i < decimals; i++)
        unit *= 10;
    const long count = lround(value * (double)unit);
    put(b, "%s%ld", count < 0 ? "\u2212" : "", labs(count) / unit);
    if (decimals) put(b, ".%0*ld", decimals, labs(count) % unit);
}

void put_power(buffer *b, int exponent)
{
    static const char *const digit[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                        "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char                     text[16];
    snprintf(text, sizeof text, "%d", abs(exponent));
    put(b, "\u00d710%s", exponent < 0 ? "\u207b" : "");
    for (const char *c = text; *c; c++)
        put(b, "%s", digit[*c - '0']);
}

void put_value(buffer *b, double value, int digits)
{
    char text[64];
    if (!isfinite(value)) {
        put(b, "%s", isnan(value) ? "\u2013" : value < 0 ? "\u2212\u221e" : "\u221e");
        return;
    }
    buffer plain = {0};
    put_digits(&plain, fabs(value), digits);
    snprintf(text, sizeof text, "%s", plain.text ? plain.text : "");
    b->failed = b->failed || plain.failed;
    buffer_free(&plain);
    char *exponent = strchr(text, 'e');
    if (exponent) *exponent = 0;
    put(b, "%s%s", value < 0 ? "\u2212" : "", text);
    if (exponent) put_power(b, atoi(exponent + 1));
}

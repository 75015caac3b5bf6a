#include "base/text.h"

#include "base/plain.h"
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

int text_has_controls(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const int length = sequence_length(*at), whole = sequence_present(at, length) == length;
        if (length && whole && is_control(at, length)) return 1;
        at += length && whole ? length : 1;
    }
    return 0;
}

const char *text_wrong_name(const char *text)
{
    if (strlen(text) > NAME_BYTES) return "has more than 250 bytes";
    if (text_has_controls(text)) return "has control characters";
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const int length = sequence_length(*at);
        // Too long a form, and halves of UTF-16.
        const int odd = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) ||
                        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] >= 0x90);
        if (!length || sequence_present(at, length) != length || odd) return "is not UTF-8";
        at += length;
    }
    return NULL;
}

// The code of a mark that changes the direction in which text is shown (UAX #9); 0: it is none. at
// has whole sequences.
static unsigned direction_mark(const unsigned char *at)
{
    if (at[0] == 0xd8 && at[1] == 0x9c) return 0x61c;
    if (at[0] != 0xe2 || (at[1] != 0x80 && at[1] != 0x81)) return 0;
    const unsigned code = 0x2000u | (at[1] & 1u) << 6 | (at[2] & 0x3fu);
    const int is_mark = code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                        (code >= 0x2066 && code <= 0x2069);
    return is_mark ? code : 0;
}

// Leaves off what is only a part of the last character.
static void trim(char *text)
{
    size_t length = strlen(text), back = 0;
    while (back < 4 && back < length && ((unsigned char)text[length - 1 - back] & 0xc0) == 0x80)
        back++;
    if (back == length) return;
    const int wanted = sequence_length((unsigned char)text[length - 1 - back]);
    if (wanted > 1 && (size_t)wanted != back + 1) text[length - 1 - back] = 0;
}

// Marks become six letters each, where these fit.
static void show_marks(char *text, size_t size)
{
    for (char *at = text; *at; at++) {
        const unsigned code = direction_mark((unsigned char *)at);
        if (!code) continue;
        char         shown[7];
        const size_t before = (size_t)(at - text), length = code < 0x800 ? 2 : 3;
        const size_t rest = strlen(at + length);
        snprintf(shown, sizeof shown, "\\u%04x", code);
        if (before + 6 >= size) {
            *at = 0;
            return;
        }
        const size_t room = size - 1 - before - 6;
        memmove(at + 6, at + length, rest < room ? rest : room);
        memcpy(at, shown, 6);
        at[6 + (rest < room ? rest : room)] = 0;
        trim(at);
        at += 5;
    }
}

void text_line_list(char *out, size_t size, const char *format, va_list arguments)
{
    const int wanted = plain_print_list(out, size, format, arguments);
    const int cut = wanted < 0 || (size_t)wanted >= size;
    if (wanted < 0) *out = 0;
    unsigned char *at = (unsigned char *)out;
    while (*at) {
        const int length = sequence_length(*at), present = sequence_present(at, length);
        if (cut && length && present < length && !at[present]) {
            *at = 0;
            break;
        }
        const int good = length && present == length && !is_control(at, length);
        if (!good) *at = '?';
        at += good ? length : 1;
    }
    show_marks(out, size);
}

void text_line(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_line_list(out, size, format, arguments);
    va_end(arguments);
}

void text_number(char *out, size_t size, int digits, double value)
{
    if (isfinite(value))
        plain_print(out, size, "%.*g", digits, value);
    else
        snprintf(out, size, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

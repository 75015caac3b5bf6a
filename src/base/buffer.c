#include "base/buffer.h"

#include "base/decimal.h"
#include "base/plain.h"
#include "base/text.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int buffer_make_room(buffer *b, size_t more)
{
    if (b->failed) return 0;
    if (b->size + more + 1 <= b->room) return 1;
    const size_t room = 2 * (b->size + more) + 256;
    char        *text = realloc(b->text, room);
    if (!text) {
        b->failed = 1;
        return 0;
    }
    b->text = text;
    b->room = room;
    return 1;
}

void buffer_free(buffer *b)
{
    free(b->text);
    *b = (buffer){0};
}

void put(buffer *b, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = plain_print_list(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) b->failed = 1;
    if (length < 0 || !buffer_make_room(b, (size_t)length)) return;
    va_start(arguments, format);
    plain_print_list(b->text + b->size, (size_t)length + 1, format, arguments);
    va_end(arguments);
    b->size += (size_t)length;
}

void put_bytes(buffer *b, const char *bytes, size_t size)
{
    if (!buffer_make_room(b, size)) return;
    memcpy(b->text + b->size, bytes, size);
    b->size += size;
    b->text[b->size] = 0;
}

void put_digits(buffer *b, double value, int digits)
{
    char text[64];
    text_number(text, sizeof text, digits, value);
    put(b, "%s", text);
}

void put_shortest(buffer *b, double value)
{
    char text[DECIMAL_ROOM];
    put_bytes(b, text, decimal_write(value, text));
}

void put_number(buffer *b, double value, int is_float)
{
    char digits[64];
    if (!isfinite(value)) b->failed = b->not_finite = 1;
    if (is_float)
        text_number(digits, sizeof digits, 9, value);
    else
        decimal_write(value, digits);
    put(b, "%s%s%s", digits, strpbrk(digits, ".e") ? "" : ".0", is_float ? "f" : "");
}

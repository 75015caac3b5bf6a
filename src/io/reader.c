#include "io/reader.h"
#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_SIZE = sizeof((arne_error *)0)->text };

// A message is one line of plain text, whatever the names in the file contain.
static void write_line(char text[MESSAGE_SIZE], const char *format, va_list arguments)
{
    vsnprintf(text, MESSAGE_SIZE, format, arguments);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
}

arne_status arne_reader_fail(const reader *r, arne_status code, int line, const char *format, ...)
{
    char    text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    write_line(text, format, arguments);
    va_end(arguments);
    return arne_fail(r->error, code, r->file, line, "%s", text);
}

arne_status arne_reader_check(const reader *r, arne_status status, int line)
{
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(r->error);
    if (status && r->error && r->error->code != status)
        return arne_reader_fail(r, status, line, "%s", arne_status_text(status));
    return status;
}

static arne_status warn(reader *r, const char *rule, int line, const char *text)
{
    const arne_place place = {r->file, line};
    return arne_reader_check(r, arne_builder_warn(r->builder, rule, place, text), line);
}

arne_status arne_reader_warn(reader *r, const char *rule, int line, const char *format, ...)
{
    char    text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    write_line(text, format, arguments);
    va_end(arguments);
    return warn(r, rule, line, text);
}

arne_status arne_reader_unknown(reader *r, int line, const char *format, ...)
{
    if (r->unknown_count > ARNE_READ_MAX_UNKNOWN) return ARNE_OK;
    if (r->unknown_count++ == ARNE_READ_MAX_UNKNOWN)
        return warn(r, "unknown", line, "there is more that is unknown; it is not listed");
    char    text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    write_line(text, format, arguments);
    va_end(arguments);
    return warn(r, "unknown", line, text);
}

#include "io/reader.h"
#include "base/error.h"
#include "base/text.h"

enum { MESSAGE_SIZE = sizeof((arne_error *)0)->text };

arne_status arne_reader_fail(const reader *r, arne_status code, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    arne_fail_list(r->error, code, r->file, line, format, arguments);
    va_end(arguments);
    return code;
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
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return warn(r, rule, line, text);
}

arne_status arne_reader_unknown(reader *r, int line, const char *format, ...)
{
    char    text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!r->builder) return arne_reader_fail(r, ARNE_VALUE, line, "%s", text);
    if (r->unknown_count > ARNE_READ_MAX_UNKNOWN) return ARNE_OK;
    if (r->unknown_count++ == ARNE_READ_MAX_UNKNOWN)
        return warn(r, "unknown", line, "there is more that is unknown; it is not listed");
    return warn(r, "unknown", line, text);
}

#include "io/reader.h"
#include "base/text.h"
#include "robot/builder.h"
#include <string.h>

enum { MESSAGE_SIZE = sizeof((arne_error *)0)->text };

static arne_status reader_keep(const reader *r, const finding *f, const char *file,
                               const char *text)
{
    if (!r->found) {
        if (f->code) arne_fail(r->error, f->code, file, f->line, "%s", text);
        if (f->code && r->error) r->error->column = f->column;
        return f->code;
    }
    return findings_add(r->found, f, file, text) ? f->code : arne_fail_memory(r->error);
}

arne_status arne_reader_fail(const reader *r, arne_status code, int line, const char *format, ...)
{
    char    text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return arne_reader_fail_at(r, code, line, 0, "%s", text);
}

arne_status arne_reader_fail_at(const reader *r, arne_status code, int line, int column,
                                const char *format, ...)
{
    const finding f = {.code = code, .line = line, .column = column};
    char          text[MESSAGE_SIZE];
    va_list       arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return reader_keep(r, &f, r->file, text);
}

arne_status arne_reader_check(const reader *r, arne_status status, int line)
{
    if (!status || status == ARNE_NO_MEMORY || !r->error) return status;
    if (r->builder) r->builder->incomplete = 1; // what was not added is missed by others
    const arne_error said = *r->error;
    arne_error_clear(r->error);
    if (said.code != status)
        return arne_reader_fail(r, status, line, "%s", arne_status_text(status));
    const finding f = {.code = status,
                       .line = said.file[0] || said.line ? said.line : line,
                       .column = said.column};
    return reader_keep(r, &f, said.file[0] ? said.file : r->file, said.text);
}

arne_status arne_reader_end(const reader *r, arne_status status, arne_error *error)
{
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(error);
    if (!status) return ARNE_OK;
    findings_sort(r->found);
    return findings_first(r->found, error);
}

arne_status arne_reader_tell(const reader *r, arne_status status, const arne_build_options *options,
                             arne_error *error)
{
    findings_sort(r->found);
    if (options) {
        const listeners to = {options->warn, options->warn_context, options->fail,
                              options->fail_context};
        findings_tell(r->found, &to);
    }
    return arne_reader_end(r, status, error);
}

static arne_status reader_warn(reader *r, const char *rule, int line, int column, const char *text)
{
    const finding f = {.rule = rule, .line = line, .column = column};
    return reader_keep(r, &f, r->file, text);
}

arne_status arne_reader_warn(reader *r, const char *rule, int line, const char *format, ...)
{
    char    text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return reader_warn(r, rule, line, 0, text);
}

arne_status arne_reader_warn_at(reader *r, const char *rule, int line, int column,
                                const char *format, ...)
{
    char    text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return reader_warn(r, rule, line, column, text);
}

arne_status arne_reader_unknown(reader *r, int line, int column, const char *format, ...)
{
    char    text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!r->builder) return arne_reader_fail_at(r, ARNE_VALUE, line, column, "%s", text);
    if (r->unknown_count > ARNE_READ_MAX_UNKNOWN) return ARNE_OK;
    if (r->unknown_count++ == ARNE_READ_MAX_UNKNOWN)
        return reader_warn(r, "unknown", line, column,
                           "there is more that is unknown; it is not listed");
    return reader_warn(r, "unknown", line, column, text);
}

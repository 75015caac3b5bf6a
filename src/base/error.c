#include "base/error.h"
#include "base/text.h"
#include <string.h>

void arne_error_clear(arne_error *error)
{
    if (error) memset(error, 0, sizeof *error);
}

arne_status arne_fail_list(arne_error *error, arne_status code, const char *file, int line,
                           const char *format, va_list arguments)
{
    if (!error) return code;
    arne_error_clear(error);
    error->code = code;
    error->line = line;
    error->count = 1;
    if (file) text_line(error->file, sizeof error->file, "%s", file);
    text_line_list(error->text, sizeof error->text, format, arguments);
    return code;
}

arne_status arne_fail(arne_error *error, arne_status code, const char *file, int line,
                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    arne_fail_list(error, code, file, line, format, arguments);
    va_end(arguments);
    return code;
}

#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void arne_error_clear(arne_error *error)
{
    if (error) memset(error, 0, sizeof *error);
}

arne_status arne_fail(arne_error *error, arne_status code, const char *file, int line,
                      const char *format, ...)
{
    if (!error) return code;
    arne_error_clear(error);
    error->code = code;
    error->line = line;
    if (file) snprintf(error->file, sizeof error->file, "%s", file);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return code;
}

arne_status arne_fail_memory(arne_error *error)
{
    return arne_fail(error, ARNE_NO_MEMORY, NULL, 0, "%s", arne_status_text(ARNE_NO_MEMORY));
}

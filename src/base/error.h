// Filling an arne_error. Every failure goes through here, so that a NULL error is handled once.
#ifndef ARNE_BASE_ERROR_H
#define ARNE_BASE_ERROR_H

#include <arne/status.h>
#include <stdarg.h>
#include <stddef.h>

// Writes code, place and a formatted text to *error where it is not NULL, and returns the code.
// file may be NULL. The text is one line, whatever the names in it contain.
arne_status arne_fail(arne_error *error, arne_status code, const char *file, int line,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));
arne_status arne_fail_list(arne_error *error, arne_status code, const char *file, int line,
                           const char *format, va_list arguments)
    __attribute__((format(printf, 5, 0)));

// Out of memory has one text.
static inline arne_status arne_fail_memory(arne_error *error)
{
    arne_fail(error, ARNE_NO_MEMORY, NULL, 0, "%s", arne_status_text(ARNE_NO_MEMORY));
    return ARNE_NO_MEMORY;
}

static inline arne_status arne_fail_null(arne_error *error)
{
    return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                     arne_status_text(ARNE_NULL_ARGUMENT));
}

// Where several things are checked, all of them are: the status of the first failure counts, unless
// one of them ends everything.
static inline int status_goes_on(arne_status status)
{
    return status != ARNE_NO_MEMORY && status != ARNE_TOO_LARGE;
}
static inline arne_status status_both(arne_status first, arne_status second)
{
    return first && status_goes_on(second) ? first : second ? second : first;
}

// An error that says nothing yet.
void arne_error_clear(arne_error *error);

#endif

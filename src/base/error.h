// Filling an arne_error. Every failure goes through here, so that a NULL error is handled once.
#ifndef ARNE_BASE_ERROR_H
#define ARNE_BASE_ERROR_H

#include <arne/status.h>

// Writes code, place and a formatted text to *error where it is not NULL, and returns the code. file may be NULL.
arne_status arne_fail(arne_error *error, arne_status code, const char *file, int line,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

// Out of memory has one text.
arne_status arne_fail_memory(arne_error *error);

// An error that says nothing yet.
void arne_error_clear(arne_error *error);

#endif

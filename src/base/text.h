// Text that is shown to people.
#ifndef ARNE_BASE_TEXT_H
#define ARNE_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

// Writes a formatted text as one line of UTF-8, whatever names from files are in it: control
// characters and broken sequences become '?', marks that change the direction of writing are shown
// as \u202e and the like, and what does not fit is left off at a whole character.
void text_line(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void text_line_list(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

// Whether a text has control characters: names with them are refused, as they break lines.
int text_has_controls(const char *text);
// Why a text cannot be a name: what completes the sentence "the name of X ..."; NULL where it can.
// Names are of UTF-8 without control characters, and have NAME_BYTES at most: they become columns
// and files.
enum { NAME_BYTES = 250 };
const char *text_wrong_name(const char *text);

// A number with that many digits, 17 to read back as the same, and a point whatever the locale has.
void text_number(char *out, size_t size, int digits, double value);

#endif

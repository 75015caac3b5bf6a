// Numbers and letters as the C locale has them, whatever locale the process is in: a program that
// has called setlocale(LC_ALL, "") may be in one with a decimal comma or with Turkish letters. The
// library reads and prints numbers through this file only; tools/check-locale sees to it.
#ifndef ARNE_BASE_PLAIN_H
#define ARNE_BASE_PLAIN_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

// As snprintf, vsnprintf and fprintf.
int plain_print(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int plain_print_list(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
int plain_write(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// As strtod: the number at the start of a text, also nan and inf. *end (may be NULL) is where it
// ends: at the text itself where there is none.
double plain_number(const char *text, char **end);

// What an errno says, as strerror in the C locale; may be used from several threads.
const char *plain_reason(int number);

// Letters and digits of ASCII alone.
static inline int  plain_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline int  plain_is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static inline int  plain_is_letter(char c) { return (c >= 'a' && c <= 'z') || plain_is_upper(c); }
static inline int  plain_is_name(char c) { return plain_is_letter(c) || plain_is_digit(c); }
static inline int  plain_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline char plain_lower(char c) { return (char)(plain_is_upper(c) ? c + 32 : c); }

// Whether two texts are the same but for small and capital letters.
static inline int plain_same(const char *a, const char *b)
{
    while (*a && plain_lower(*a) == plain_lower(*b)) {
        a++;
        b++;
    }
    return !*a && !*b;
}

#endif

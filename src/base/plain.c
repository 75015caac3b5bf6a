// The C locale is a constant of the C library: to ask for it takes no lock and (with glibc)
// allocates nothing, and uselocale changes it for the calling thread alone.
#define _GNU_SOURCE // strtod_l, newlocale; NOLINT(bugprone-reserved-identifier)
#include "base/plain.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

typedef struct locale_swap {
    locale_t plain, before;
} locale_swap;

static locale_swap locale_to_plain(void)
{
    locale_swap swap = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (swap.plain) swap.before = uselocale(swap.plain);
    return swap;
}

static void locale_back(locale_swap swap)
{
    if (!swap.plain) return;
    uselocale(swap.before);
    freelocale(swap.plain);
}

int plain_print_list(char *out, size_t size, const char *format, va_list arguments)
{
    const locale_swap swap = locale_to_plain();
    const int         length = vsnprintf(out, size, format, arguments);
    locale_back(swap);
    return length;
}

int plain_print(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = plain_print_list(out, size, format, arguments);
    va_end(arguments);
    return length;
}

int plain_write(FILE *out, const char *format, ...)
{
    va_list           arguments;
    const locale_swap swap = locale_to_plain();
    va_start(arguments, format);
    const int length = vfprintf(out, format, arguments);
    va_end(arguments);
    locale_back(swap);
    return length;
}

double plain_number(const char *text, char **end)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) {
        if (end) *end = (char *)text;
        return 0;
    }
    const double value = strtod_l(text, end, plain);
    freelocale(plain);
    return value;
}

const char *plain_reason(int number)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) return "the system gives no reason";
    const char *text = strerror_l(number, plain);
    freelocale(plain);
    return text;
}

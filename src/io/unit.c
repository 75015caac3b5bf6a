#include "io/unit.h"
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct base_unit {
    const char *name;
    const char *si[5]; // of the unit itself, per s, per s^2, ...; one where it has no rates
    double      factor;
} base_unit;

#define RATES(si)                                                                                  \
    {                                                                                              \
        si, si "/s", si "/s^2", si "/s^3", si "/s^4"                                               \
    }

// How a column's unit begins; what follows is a power of seconds.
static const base_unit units[] = {
    {"rad", RATES("rad"), 1},
    {"deg", RATES("rad"), 3.14159265358979323846 / 180},
    {"\xc2\xb0", RATES("rad"), 3.14159265358979323846 / 180}, // the degree sign
    {"mrad", RATES("rad"), 1e-3},
    {"m", RATES("m"), 1},
    {"cm", RATES("m"), 1e-2},
    {"mm", RATES("m"), 1e-3},
    {"um", RATES("m"), 1e-6},
    {"Nm", RATES("N m"), 1},
    {"mNm", RATES("N m"), 1e-3},
    {"kNm", RATES("N m"), 1e3},
    {"N", RATES("N"), 1},
    {"kN", RATES("N"), 1e3},
    {"s", {"s"}, 1},
    {"ms", {"s"}, 1e-3},
    {"us", {"s"}, 1e-6},
    {"ns", {"s"}, 1e-9},
    {"min", {"s"}, 60},
    {"A", {"A"}, 1},
    {"mA", {"A"}, 1e-3},
    {"kg", {"kg"}, 1},
    {"g", {"kg"}, 1e-3},
};

// Without blanks, '*', '^' and centred dots.
static int tidy(const char *unit, char *out, size_t size)
{
    size_t length = 0;
    for (const char *p = unit; *p; p++) {
        if (strchr(" \t*^.", *p)) continue;
        if ((unsigned char)p[0] == 0xc2 && (unsigned char)p[1] == 0xb7) {
            p++;
            continue;
        }
        if (length + 1 == size) return 0;
        out[length++] = *p;
    }
    out[length] = 0;
    return 1;
}

// "" is 0, "/s" is 1, "/s2" is 2, ...; -1: something else.
static int seconds(const char *rest)
{
    static const char *const powers[] = {"", "/s", "/s2", "/s3", "/s4"};
    for (int i = 0; i < 5; i++)
        if (strcmp(rest, powers[i]) == 0) return i;
    return strcmp(rest, "/s/s") == 0 ? 2 : -1;
}

const char *unit_to_si(const char *unit, double *factor)
{
    char text[32];
    if (!tidy(unit, text, sizeof text)) return NULL;
    if (strcmp(text, "rpm") == 0 || strcmp(text, "1/min") == 0) {
        *factor = pi / 30;
        return "rad/s";
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t length = strlen(units[i].name);
        if (strncmp(text, units[i].name, length) != 0) continue;
        const int power = seconds(text + length);
        if (power < 0 || !units[i].si[power]) continue;
        *factor = units[i].factor;
        return units[i].si[power];
    }
    return NULL;
}

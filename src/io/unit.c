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
    {"degree", RATES("rad"), 3.14159265358979323846 / 180},
    {"degrees", RATES("rad"), 3.14159265358979323846 / 180},
    {"radian", RATES("rad"), 1},
    {"radians", RATES("rad"), 1},
    {"rev", RATES("rad"), 2 * 3.14159265358979323846},
    {"mrad", RATES("rad"), 1e-3},
    {"m", RATES("m"), 1},
    {"cm", RATES("m"), 1e-2},
    {"mm", RATES("m"), 1e-3},
    {"um", RATES("m"), 1e-6},
    {"km", RATES("m"), 1e3},
    {"Nm", RATES("N m"), 1},
    {"mNm", RATES("N m"), 1e-3},
    {"Nmm", RATES("N m"), 1e-3},
    {"Ncm", RATES("N m"), 1e-2},
    {"kNm", RATES("N m"), 1e3},
    {"N", RATES("N"), 1},
    {"kN", RATES("N"), 1e3},
    {"s", {"s"}, 1},
    {"sec", {"s"}, 1},
    {"seconds", {"s"}, 1},
    {"ms", {"s"}, 1e-3},
    {"us", {"s"}, 1e-6},
    {"ns", {"s"}, 1e-9},
    {"min", {"s"}, 60},
    {"h", {"s"}, 3600},
    {"Hz", {"Hz"}, 1},
    {"kHz", {"Hz"}, 1e3},
    {"J", {"J"}, 1},
    {"kJ", {"J"}, 1e3},
    {"W", {"W"}, 1},
    {"kW", {"W"}, 1e3},
    {"A", {"A"}, 1},
    {"mA", {"A"}, 1e-3},
    {"kg", {"kg"}, 1},
    {"g", {"kg"}, 1e-3},
    {"t", {"kg"}, 1e3},
    {"kgm2", {"kg m^2"}, 1},
    {"kgcm2", {"kg m^2"}, 1e-4},
    {"kgmm2", {"kg m^2"}, 1e-6},
    {"gcm2", {"kg m^2"}, 1e-7},
    {"gmm2", {"kg m^2"}, 1e-9},
    {"cm2", {"m^2"}, 1e-4},
    {"mm2", {"m^2"}, 1e-6},
};

// Other ways to write a letter: superscripts, the micro sign, the degree sign of Latin-1. Blanks,
// '*', '^' and centred dots are left out.
static const struct {
    const char *said, *meant;
} letters[] = {
    {"\xc2\xb0", "deg"}, {"\xc2\xb2", "2"},
    {"\xc2\xb3", "3"},   {"\xe2\x81\xb4", "4"},
    {"\xc2\xb9", "1"},   {"\xe2\x81\xbb", "-"},
    {"\xc2\xb5", "u"},   {"\xce\xbc", "u"},
    {"\xc2\xb7", ""},    {"\xe2\x8b\x85", ""},
    {"\xc2\xa0", ""},    {"\xb0", "deg"},
    {"\xb2", "2"},       {"\xb3", "3"},
    {"\xb5", "u"},       {"\xb7", ""},
    {" ", ""},           {"\t", ""},
    {"*", ""},           {"^", ""},
    {".", ""},
};

static size_t meant_by(const char *at, const char **meant)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        const size_t length = strlen(letters[i].said);
        *meant = letters[i].meant;
        if (strncmp(at, letters[i].said, length) == 0) return length;
    }
    return 0;
}

// Words of angles may be in capitals; elsewhere these matter.
static int tidy(const char *unit, char *out, size_t size)
{
    size_t length = 0;
    for (const char *p = unit; *p;) {
        const char   own[2] = {*p, 0};
        const char  *meant;
        const size_t taken = meant_by(p, &meant);
        if (!taken) meant = own;
        if (length + strlen(meant) >= size) return 0;
        memcpy(out + length, meant, strlen(meant));
        length += strlen(meant);
        p += taken ? taken : 1;
    }
    out[length] = 0;
    if (out[0] == 'D' || out[0] == 'R')
        for (char *p = out; *p; p++)
            if (*p >= 'A' && *p <= 'Z') *p = (char)(*p | 0x20);
    return 1;
}

// What stands behind the unit: nothing is 0, "/s" or "s-1" is 1, ...; -1: something else.
static int unit_seconds(const char *rest)
{
    static const char *const powers[][4] = {{""},
                                            {"/s", "/sec", "s-1"},
                                            {"/s2", "/sec2", "s-2", "/s/s"},
                                            {"/s3", "/sec3", "s-3"},
                                            {"/s4", "/sec4", "s-4"}};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4 && powers[i][k]; k++)
            if (strcmp(rest, powers[i][k]) == 0) return i;
    return -1;
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
        const int power = unit_seconds(text + length);
        if (power < 0 || !units[i].si[power]) continue;
        *factor = units[i].factor;
        return units[i].si[power];
    }
    return NULL;
}

int unit_among(const char *unit, const char *wanted_units, double *factor)
{
    const char *si = unit_to_si(unit, factor);
    char        said[32], wanted[32], one[64];
    if (!si) *factor = 1;
    if (!tidy(si ? si : unit, said, sizeof said)) return 0;
    for (const char *at = wanted_units; *at;) {
        const size_t length = strcspn(at, ",");
        if (length < sizeof one) {
            memcpy(one, at, length);
            one[length] = 0;
            if (tidy(one, wanted, sizeof wanted) && strcmp(said, wanted) == 0) return 1;
        }
        at += length + (at[length] == ',');
    }
    return 0;
}

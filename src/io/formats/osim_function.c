// OpenSim's functions of one coordinate as ours.
//
//     Constant               value
//     LinearFunction         slope, value at 0
//     PolynomialFunction     coefficients, the highest power first
//     Sine                   amplitude sin(omega q + phase) + offset
//     SimmSpline             cubic with ends of Forsythe, Malcolm and Moler; NaturalCubicSpline of
//                            files before 4.0 is read as this, as OpenSim does
//     PiecewiseLinearFunction
//     MultiplierFunction     scale times another
#include "io/formats/osim.h"

#include "base/error.h"
#include <string.h>

enum { MULTIPLIERS_MOST = 16 };

// The element of the function: within <tag>, or one that is called so, or the only one.
static const xml_node *osim_function_node(const xml_node *node, const char *tag)
{
    const xml_node *holder = osim_child(node, tag);
    if (holder) return holder->first;
    for (const xml_node *c = node->first; c; c = c->next) {
        const char *name = xml_node_get(c, "name");
        if (name && strcmp(name, tag) == 0) return c;
        if (strstr(c->tag, "Function") || strstr(c->tag, "Spline") || !strcmp(c->tag, "Constant") ||
            !strcmp(c->tag, "Sine"))
            return c;
    }
    return NULL;
}

int osim_function_is(const xml_node *node, const char *tag, const char *kind)
{
    const xml_node *at = osim_function_node(node, tag);
    return at && strcmp(at->tag, kind) == 0;
}

static double *osim_function_room(osim *o, int count)
{
    double *out = document_take(&o->tree.memory, ((size_t)count + 1) * sizeof *out);
    if (!out) osim_check(o, arne_fail_memory(o->reader->error));
    return out;
}

// Coefficients c as powers of q from the lowest.
static int osim_function_powers(osim *o, const xml_node *at, arne_function *out)
{
    int           count = 0;
    const double *c = osim_list(o, at, "coefficients", &count);
    double       *y = c && count ? osim_function_room(o, count) : NULL;
    if (c && !count) osim_fail(o, at, "<%s> has no coefficients", at->tag);
    if (!y) return 0;
    for (int i = 0; i < count; i++)
        y[i] = c[count - 1 - i];
    *out = arne_function_make(ARNE_FUNCTION_POLYNOMIAL, count, NULL, y);
    return 1;
}

static int osim_function_spline(osim *o, const xml_node *at, arne_function *out)
{
    int           count = 0, values = 0;
    const double *x = osim_list(o, at, "x", &count), *y = osim_list(o, at, "y", &values);
    if (count != values || count < 1)
        return osim_fail(o, at, "<%s> has %d numbers in x and %d in y", at->tag, count, values), 0;
    *out = count > 1 ? arne_function_make(ARNE_FUNCTION_SPLINE, count, x, y)
                     : arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 1, NULL, y);
    out->ends =
        strcmp(at->tag, "PiecewiseLinearFunction") == 0 ? ARNE_ENDS_STRAIGHT : ARNE_ENDS_SIMM;
    return 1;
}

static int osim_function_sine(osim *o, const xml_node *at, arne_function *out)
{
    double *y = osim_function_room(o, 4);
    if (!y) return 0;
    y[0] = y[1] = 1;
    y[2] = y[3] = 0;
    osim_numbers(o, at, "amplitude", 1, &y[0]);
    osim_numbers(o, at, "omega", 1, &y[1]);
    osim_numbers(o, at, "phase", 1, &y[2]);
    osim_numbers(o, at, "offset", 1, &y[3]);
    *out = arne_function_make(ARNE_FUNCTION_SINE, 4, NULL, y);
    return 1;
}

static int osim_function_constant(osim *o, const xml_node *at, arne_function *out)
{
    double *y = osim_function_room(o, 1);
    if (!y) return 0;
    y[0] = 0;
    osim_numbers(o, at, "value", 1, y);
    *out = arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 1, NULL, y);
    return 1;
}

int osim_function(osim *o, const xml_node *node, const char *tag, arne_function *out)
{
    static const struct {
        const char *tag;
        int (*read)(osim *o, const xml_node *at, arne_function *out);
    } kinds[] = {{"Constant", osim_function_constant},
                 {"LinearFunction", osim_function_powers},
                 {"PolynomialFunction", osim_function_powers},
                 {"SimmSpline", osim_function_spline},
                 {"NaturalCubicSpline", osim_function_spline},
                 {"natCubicSpline", osim_function_spline},
                 {"PiecewiseLinearFunction", osim_function_spline},
                 {"Sine", osim_function_sine}};
    const xml_node *at = osim_function_node(node, tag);
    double          factor = 1;
    for (int i = 0; at && i < MULTIPLIERS_MOST && !strcmp(at->tag, "MultiplierFunction"); i++) {
        double scale = 1;
        ((xml_node *)at)->used = 1;
        osim_numbers(o, at, "scale", 1, &scale);
        factor *= scale;
        at = osim_function_node(at, "function");
    }
    if (!at) return 0;
    ((xml_node *)at)->used = 1;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k].tag, at->tag) == 0) {
            const int found = kinds[k].read(o, at, out);
            out->factor = factor;
            return found;
        }
    osim_fail(o, at,
              "the function <%s> is not read (Constant, LinearFunction, PolynomialFunction, "
              "SimmSpline, PiecewiseLinearFunction, Sine and MultiplierFunction are)",
              at->tag);
    return 0;
}

int osim_function_is_constant(const arne_function *f, double *value)
{
    if (f->kind != ARNE_FUNCTION_POLYNOMIAL) return 0;
    for (int i = 1; i < f->count; i++)
        if (f->factor * f->y[i] != 0) return 0;
    *value = f->factor * f->y[0];
    return 1;
}

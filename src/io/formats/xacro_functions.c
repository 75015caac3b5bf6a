// The functions of xacro's expressions, by a table.
#include "io/formats/xacro.h"

#include "base/plain.h"
#include "io/number.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ---- mathematics

static double to_degrees(double x) { return x * (180.0 / pi); }
static double to_radians(double x) { return x * (pi / 180.0); }

static const struct {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} mathematics[] = {
    {"sin", sin, NULL},
    {"cos", cos, NULL},
    {"tan", tan, NULL},
    {"asin", asin, NULL},
    {"acos", acos, NULL},
    {"atan", atan, NULL},
    {"sinh", sinh, NULL},
    {"cosh", cosh, NULL},
    {"tanh", tanh, NULL},
    {"exp", exp, NULL},
    {"log10", log10, NULL},
    {"log2", log2, NULL},
    {"sqrt", sqrt, NULL},
    {"fabs", fabs, NULL},
    {"degrees", to_degrees, NULL},
    {"radians", to_radians, NULL},
    {"atan2", NULL, atan2},
    {"pow", NULL, pow},
    {"hypot", NULL, hypot},
    {"fmod", NULL, fmod},
    {"copysign", NULL, copysign},
};
enum { MATHEMATICS = sizeof mathematics / sizeof *mathematics };

static const struct {
    const char *name;
    double      value;
} constants[] = {{"pi", 3.14159265358979323846},
                 {"e", 2.71828182845904523536},
                 {"tau", 6.28318530717958647693},
                 {"inf", INFINITY},
                 {"nan", NAN}};

// ---- functions. All get their number of arguments checked by the table.

static const xacro_value *call_len(xacro *x, const xacro_call *c)
{
    const xacro_value *v = c->arguments[0];
    long long          count = v->count;
    if (v->kind < XACRO_TEXT || v->kind > XACRO_DICT)
        return xacro_why(x, "%s has no length", xacro_kind_name(v->kind));
    for (const char *p = v->kind == XACRO_TEXT ? v->text : ""; *p; p++)
        count += ((unsigned char)*p & 0xc0) != 0x80;
    return xacro_int(x, count);
}

static const xacro_value *call_str(xacro *x, const xacro_call *c)
{
    const char *text = c->count ? xacro_string(x, c->arguments[0]) : "";
    return text ? xacro_word(x, text) : NULL;
}

static const xacro_value *call_bool(xacro *x, const xacro_call *c)
{
    return xacro_bool(x, c->count && xacro_truth(c->arguments[0]));
}

static const xacro_value *whole_number(xacro *x, double f)
{
    if (!(fabs(f) < 9e18)) return xacro_why(x, "the number is too large for an int");
    return xacro_int(x, (long long)f);
}

static const xacro_value *call_int(xacro *x, const xacro_call *c)
{
    const xacro_value *v = c->arguments[0];
    long long          i = 0;
    if (v->kind == XACRO_FLOAT) return whole_number(x, trunc(v->f));
    if (xacro_is_number(v)) return xacro_int(x, v->i);
    if (v->kind == XACRO_TEXT && xacro_parse_int(v->text, &i)) return xacro_int(x, i);
    return xacro_why(x, "this is no int");
}

static const xacro_value *call_float(xacro *x, const xacro_call *c)
{
    const xacro_value *v = c->arguments[0];
    double             f = 0;
    if (xacro_is_number(v)) return xacro_float(x, xacro_number(v));
    if (v->kind == XACRO_TEXT && xacro_parse_float(v->text, &f)) return xacro_float(x, f);
    return xacro_why(x, "this is no float");
}

static const xacro_value *call_abs(xacro *x, const xacro_call *c)
{
    const xacro_value *v = c->arguments[0];
    if (!xacro_is_number(v)) return xacro_why(x, "abs needs a number");
    if (v->kind == XACRO_FLOAT) return xacro_float(x, fabs(v->f));
    return v->i < -LLONG_MAX ? xacro_why(x, "the number is too large for an int")
                             : xacro_int(x, v->i < 0 ? -v->i : v->i);
}

static const xacro_value *call_floor(xacro *x, const xacro_call *c)
{
    if (!xacro_is_number(c->arguments[0])) return xacro_why(x, "floor needs a number");
    return whole_number(x, floor(xacro_number(c->arguments[0])));
}

static const xacro_value *call_ceil(xacro *x, const xacro_call *c)
{
    if (!xacro_is_number(c->arguments[0])) return xacro_why(x, "ceil needs a number");
    return whole_number(x, ceil(xacro_number(c->arguments[0])));
}

static const xacro_value *call_log(xacro *x, const xacro_call *c)
{
    double v[2] = {1, 1};
    for (int i = 0; i < c->count; i++) {
        if (!xacro_is_number(c->arguments[i])) return xacro_why(x, "log needs a number");
        v[i] = xacro_number(c->arguments[i]);
        if (!(v[i] > 0)) return xacro_why(x, "log needs a number above 0");
    }
    return xacro_float(x, c->count == 2 ? log(v[0]) / log(v[1]) : log(v[0]));
}

// To so many decimals, as the exact value rounds; halves to even.
static const xacro_value *call_round(xacro *x, const xacro_call *c)
{
    const xacro_value *v = c->arguments[0];
    char               text[400];
    const char        *p = text, *why = "";
    double             f = 0;
    if (!xacro_is_number(v)) return xacro_why(x, "round needs a number");
    if (c->count == 1) return v->kind == XACRO_FLOAT ? whole_number(x, nearbyint(v->f)) : v;
    const xacro_value *digits = c->arguments[1];
    if (digits->kind != XACRO_INT || digits->i < 0)
        return xacro_why(x, "round needs 0 or more digits");
    if (v->kind != XACRO_FLOAT || !isfinite(v->f) || digits->i > 40) return v;
    plain_print(text, sizeof text, "%.*f", (int)digits->i, v->f);
    return arne_number_decimal(&p, &f, &why) ? v : xacro_float(x, f);
}

// The arguments, or the items of the only one.
static const xacro_value *call_items(xacro *x, const xacro_call *c, int *count,
                                     const xacro_value ***items)
{
    const xacro_value *only = c->arguments[0];
    *items = c->count == 1 ? only->items : c->arguments;
    *count = c->count == 1 ? only->count : c->count;
    if (c->count == 1 && only->kind != XACRO_LIST && only->kind != XACRO_TUPLE)
        return xacro_why(x, "a list is needed");
    for (int i = 0; i < *count; i++)
        if (!xacro_is_number((*items)[i])) return xacro_why(x, "numbers are needed");
    return only;
}

static const xacro_value *extreme(xacro *x, const xacro_call *c, double sign)
{
    int                 count = 0, best = 0;
    const xacro_value **items = NULL;
    if (!call_items(x, c, &count, &items)) return NULL;
    if (count == 0) return xacro_why(x, "the list is empty");
    for (int i = 1; i < count; i++)
        if (sign * xacro_number(items[i]) > sign * xacro_number(items[best])) best = i;
    return items[best];
}

static const xacro_value *call_max(xacro *x, const xacro_call *c) { return extreme(x, c, 1); }
static const xacro_value *call_min(xacro *x, const xacro_call *c) { return extreme(x, c, -1); }

static const xacro_value *call_sum(xacro *x, const xacro_call *c)
{
    int                 count = 0, whole = 1;
    const xacro_value **items = NULL;
    double              f = 0;
    long long           i = 0;
    if (!call_items(x, c, &count, &items)) return NULL;
    for (int k = 0; k < count; k++) {
        whole =
            whole && items[k]->kind != XACRO_FLOAT && !__builtin_add_overflow(i, items[k]->i, &i);
        f += xacro_number(items[k]);
    }
    return whole ? xacro_int(x, i) : xacro_float(x, f);
}

static const xacro_value *call_range(xacro *x, const xacro_call *c)
{
    long long v[3] = {0, 0, 1};
    for (int i = 0; i < c->count; i++) {
        if (c->arguments[i]->kind != XACRO_INT) return xacro_why(x, "range needs ints");
        v[c->count == 1 ? 1 : i] = c->arguments[i]->i;
    }
    if (v[2] == 0) return xacro_why(x, "the step of a range must not be 0");
    const double room = ((double)v[1] - (double)v[0]) / (double)v[2];
    if (room > XACRO_MAX_LIST) return xacro_why(x, "a range of %.0f items is too long", room);
    xacro_value *list = xacro_items(x, XACRO_LIST, room > 0 ? (int)ceil(room) : 0);
    for (int i = 0; list && i < list->count; i++)
        if (!(list->items[i] = xacro_int(x, v[0] + i * v[2]))) return NULL;
    return list;
}

// A list of the items of anything that has items.
static const xacro_value *call_list(xacro *x, const xacro_call *c)
{
    const xacro_value *v = c->count ? c->arguments[0] : NULL;
    if (v && (v->kind < XACRO_TEXT || v->kind > XACRO_DICT))
        return xacro_why(x, "a list is needed");
    const xacro_call   length = {NULL, c->arguments, 1, NULL};
    const xacro_value *count = v ? call_len(x, &length) : xacro_int(x, 0);
    xacro_value       *list = count ? xacro_items(x, XACRO_LIST, (int)count->i) : NULL;
    const char        *p = v && v->kind == XACRO_TEXT ? v->text : "";
    for (int i = 0; list && i < list->count; i++) {
        size_t size = 1;
        while (((unsigned char)p[size] & 0xc0) == 0x80)
            size++;
        list->items[i] = v->kind == XACRO_TEXT ? xacro_text(x, p, size)
                                               : v->items[v->kind == XACRO_DICT ? 2 * i : i];
        if (!list->items[i]) return NULL;
        p += v->kind == XACRO_TEXT ? size : 0;
    }
    return list;
}

static const xacro_value *call_tuple(xacro *x, const xacro_call *c)
{
    xacro_value *v = (xacro_value *)call_list(x, c); // a new one
    if (v) v->kind = XACRO_TUPLE;
    return v;
}

static const xacro_value *call_dict(xacro *x, const xacro_call *c)
{
    if (c->count == 0) return c->keywords;
    if (c->arguments[0]->kind != XACRO_DICT) return xacro_why(x, "dict takes NAME=VALUE or a dict");
    return c->arguments[0];
}

static const xacro_value *call_load_yaml(xacro *x, const xacro_call *c)
{
    if (c->arguments[0]->kind != XACRO_TEXT)
        return xacro_why(x, "load_yaml needs the name of a file");
    return xacro_load_yaml(x, c->arguments[0]->text);
}

static const xacro_value *call_abs_filename(xacro *x, const xacro_call *c)
{
    const char *name = xacro_string(x, c->arguments[0]);
    const char *path = name ? xacro_absolute(x, name) : NULL;
    return path ? xacro_word(x, path) : NULL;
}

static const xacro_value *call_arg(xacro *x, const xacro_call *c)
{
    const char *name = xacro_string(x, c->arguments[0]);
    if (!name) return NULL;
    if (xacro_scope_find(&x->given, name, NULL)) return xacro_scope_value(x, &x->given, name);
    return xacro_why(x, "the argument '%s' is not given", name);
}

static const xacro_value *call_fatal(xacro *x, const xacro_call *c)
{
    buffer out = {0};
    for (int i = 0; i < c->count; i++) {
        if (i) put(&out, " ");
        xacro_put(&out, c->arguments[i]);
    }
    xacro_why(x, "%s", out.text ? out.text : "the file says so");
    buffer_free(&out);
    return NULL;
}

static const xacro_value *call_nothing(xacro *x, const xacro_call *c)
{
    (void)c;
    return xacro_word(x, "");
}

typedef struct xacro_row {
    const char    *module; // "": everybody's. Those of xacro with `bare` too
    const char    *name;
    int            least, most;
    xacro_function call;
    int            bare;
} xacro_row;

enum { ANY = 1000 };

static const xacro_row rows[] = {
    {"", "len", 1, 1, call_len, 1},
    {"", "str", 0, 1, call_str, 1},
    {"", "bool", 0, 1, call_bool, 1},
    {"", "int", 1, 1, call_int, 1},
    {"", "float", 1, 1, call_float, 1},
    {"", "abs", 1, 1, call_abs, 1},
    {"", "round", 1, 2, call_round, 1},
    {"", "max", 1, ANY, call_max, 1},
    {"", "min", 1, ANY, call_min, 1},
    {"", "sum", 1, 1, call_sum, 1},
    {"", "range", 1, 3, call_range, 1},
    {"", "list", 0, 1, call_list, 1},
    {"", "tuple", 0, 1, call_tuple, 1},
    {"", "dict", 0, 1, call_dict, 1},
    {"math", "floor", 1, 1, call_floor, 1},
    {"math", "ceil", 1, 1, call_ceil, 1},
    {"math", "trunc", 1, 1, call_int, 1},
    {"math", "log", 1, 2, call_log, 1},
    {"xacro", "load_yaml", 1, 1, call_load_yaml, 1},
    {"xacro", "abs_filename", 1, 1, call_abs_filename, 1},
    {"xacro", "dotify", 1, 1, call_dict, 1},
    {"xacro", "arg", 1, 1, call_arg, 0},
    {"xacro", "message", 0, ANY, call_nothing, 0},
    {"xacro", "warning", 0, ANY, call_nothing, 0},
    {"xacro", "error", 0, ANY, call_nothing, 0},
    {"xacro", "print_location", 0, 0, call_nothing, 0},
    {"xacro", "fatal", 0, ANY, call_fatal, 0},
};

const xacro_value *xacro_builtin(xacro *x, const char *module, const char *name)
{
    const int is_math = !module || strcmp(module, "math") == 0;
    if (!module && (strcmp(name, "math") == 0 || strcmp(name, "xacro") == 0)) {
        xacro_value *v = xacro_items(x, XACRO_MODULE, 0);
        if (v) v->text = strcmp(name, "math") == 0 ? "math" : "xacro";
        return v;
    }
    for (size_t i = 0; is_math && i < sizeof constants / sizeof *constants; i++)
        if (strcmp(constants[i].name, name) == 0) return xacro_float(x, constants[i].value);
    for (size_t i = 0; is_math && i < MATHEMATICS; i++)
        if (strcmp(mathematics[i].name, name) == 0)
            return xacro_thing(x, XACRO_FUNCTION, &mathematics[i]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0 &&
            (module ? strcmp(rows[i].module, module) == 0 : rows[i].bare))
            return xacro_thing(x, XACRO_FUNCTION, &rows[i]);
    return NULL;
}

static const xacro_value *call_mathematics(xacro *x, size_t i, const xacro_call *c)
{
    const int needed = mathematics[i].one ? 1 : 2;
    double    v[2] = {0};
    if (c->count != needed)
        return xacro_why(x, "%s needs %d argument%s", mathematics[i].name, needed,
                         needed == 1 ? "" : "s");
    for (int k = 0; k < needed; k++) {
        if (!xacro_is_number(c->arguments[k]))
            return xacro_why(x, "%s needs a number, not %s", mathematics[i].name,
                             xacro_kind_name(c->arguments[k]->kind));
        v[k] = xacro_number(c->arguments[k]);
    }
    const double result =
        mathematics[i].one ? mathematics[i].one(v[0]) : mathematics[i].two(v[0], v[1]);
    if (isnan(result) && !isnan(v[0]) && !isnan(v[1]))
        return xacro_why(x, "%s is not defined there", mathematics[i].name);
    return xacro_float(x, result);
}

const xacro_value *xacro_function_call(xacro *x, const xacro_value *function, const xacro_call *c)
{
    for (size_t i = 0; i < MATHEMATICS; i++)
        if (function->thing == &mathematics[i]) return call_mathematics(x, i, c);
    const xacro_row *row = function->thing;
    if (c->keywords->count && row->call != call_dict)
        return xacro_why(x, "%s takes no keywords", row->name);
    if (c->count < row->least || c->count > row->most)
        return xacro_why(x, "%s does not take %d argument%s", row->name, c->count,
                         c->count == 1 ? "" : "s");
    return row->call(x, c);
}

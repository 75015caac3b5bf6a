#include "io/formats/xacro.h"

#include "base/decimal.h"
#include "io/number.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPR_MAX_DEPTH = 100 };

static xacro_value *xacro_value_new(xacro *x, xacro_kind kind)
{
    xacro_value *v = xacro_take(x, sizeof *v);
    if (v) v->kind = kind;
    return v;
}

const xacro_value *xacro_none(xacro *x) { return xacro_value_new(x, XACRO_NONE); }

const xacro_value *xacro_int(xacro *x, long long i)
{
    xacro_value *v = xacro_value_new(x, XACRO_INT);
    if (v) v->i = i;
    return v;
}

const xacro_value *xacro_bool(xacro *x, int truth)
{
    xacro_value *v = xacro_value_new(x, XACRO_BOOL);
    if (v) v->i = truth != 0;
    return v;
}

const xacro_value *xacro_float(xacro *x, double f)
{
    xacro_value *v = xacro_value_new(x, XACRO_FLOAT);
    if (v) v->f = f;
    return v;
}

const xacro_value *xacro_text(xacro *x, const char *text, size_t size)
{
    xacro_value *v = xacro_value_new(x, XACRO_TEXT);
    if (v && !(v->text = xacro_copy(x, text, size))) return NULL;
    return v;
}

const xacro_value *xacro_word(xacro *x, const char *text)
{
    return xacro_text(x, text, strlen(text));
}

const xacro_value *xacro_thing(xacro *x, xacro_kind kind, const void *thing)
{
    xacro_value *v = xacro_value_new(x, kind);
    if (v) v->thing = thing;
    return v;
}

xacro_value *xacro_items(xacro *x, xacro_kind kind, int count)
{
    xacro_value *v = xacro_value_new(x, kind);
    const size_t room = (size_t)(count + 1) * (kind == XACRO_DICT ? 2 : 1);
    if (!v || !(v->items = xacro_take(x, room * sizeof *v->items))) return NULL;
    v->count = count;
    return v;
}

int xacro_is_number(const xacro_value *v)
{
    return v->kind == XACRO_BOOL || v->kind == XACRO_INT || v->kind == XACRO_FLOAT;
}

double xacro_number(const xacro_value *v) { return v->kind == XACRO_FLOAT ? v->f : (double)v->i; }

int xacro_truth(const xacro_value *v)
{
    switch (v->kind) {
    case XACRO_NONE:
        return 0;
    case XACRO_BOOL:
    case XACRO_INT:
        return v->i != 0;
    case XACRO_FLOAT:
        return v->f != 0;
    case XACRO_TEXT:
        return *v->text != 0;
    case XACRO_LIST:
    case XACRO_TUPLE:
    case XACRO_DICT:
        return v->count > 0;
    default:
        return 1;
    }
}

// Lists within lists deeper than this are not compared: they are never equal.
static int xacro_equal_deep(const xacro_value *a, const xacro_value *b, int depth);

const xacro_value *xacro_dict_find(const xacro_value *dict, const xacro_value *key)
{
    for (int i = dict->count - 1; i >= 0; i--) // of equal keys the last counts
        if (xacro_equal(dict->items[2 * i], key)) return dict->items[2 * i + 1];
    return NULL;
}

static int xacro_items_equal(const xacro_value *a, const xacro_value *b, int depth)
{
    if (a->count != b->count || depth > REPR_MAX_DEPTH) return 0;
    for (int i = 0; i < a->count; i++) {
        const int          is_dict = a->kind == XACRO_DICT;
        const xacro_value *mine = is_dict ? a->items[2 * i + 1] : a->items[i];
        const xacro_value *other = is_dict ? xacro_dict_find(b, a->items[2 * i]) : b->items[i];
        if (!other || !xacro_equal_deep(mine, other, depth + 1)) return 0;
    }
    return 1;
}

static int xacro_equal_deep(const xacro_value *a, const xacro_value *b, int depth)
{
    if (xacro_is_number(a) && xacro_is_number(b)) {
        if (a->kind != XACRO_FLOAT && b->kind != XACRO_FLOAT) return a->i == b->i;
        return xacro_number(a) == xacro_number(b);
    }
    if (a->kind != b->kind) return 0;
    if (a->kind == XACRO_NONE) return 1;
    if (a->kind == XACRO_TEXT) return strcmp(a->text, b->text) == 0;
    if (a->kind > XACRO_DICT) return a->thing == b->thing;
    return xacro_items_equal(a, b, depth);
}

int xacro_equal(const xacro_value *a, const xacro_value *b) { return xacro_equal_deep(a, b, 0); }

const char *xacro_kind_name(xacro_kind kind)
{
    static const char *const names[] = {"None",     "bool",  "int",  "float",     "str",
                                        "list",     "tuple", "dict", "namespace", "module",
                                        "function", "block", "macro"};
    return names[kind];
}

// ---- printing

// 0.1, 1.0, 1e-05, 1e+16: the fewest digits, an exponent below 1e-4 and from 1e16 on.
static void xacro_put_float(buffer *out, double f)
{
    char   text[DECIMAL_ROOM];
    size_t size = decimal_write(f, text);
    if (strpbrk(text, ".ein")) {
        put_bytes(out, text, size);
    } else if (fabs(f) < 1e16) {
        put(out, "%s.0", text);
    } else { // 17 digits
        const size_t sign = *text == '-';
        while (size > sign + 1 && text[size - 1] == '0')
            size--;
        put_bytes(out, text, sign + 1);
        if (size > sign + 1) put(out, ".");
        put_bytes(out, text + sign + 1, size - sign - 1);
        put(out, "e+16");
    }
}

static void xacro_put_quoted(buffer *out, const char *text)
{
    const char quote = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
    put_bytes(out, &quote, 1);
    for (; *text; text++) {
        const char *escape = *text == '\n'   ? "\\n"
                             : *text == '\t' ? "\\t"
                             : *text == '\r' ? "\\r"
                             : *text == '\\' ? "\\\\"
                                             : NULL;
        if (!escape && *text == quote) put(out, "\\");
        put_bytes(out, escape ? escape : text, escape ? 2 : 1);
    }
    put_bytes(out, &quote, 1);
}

static void xacro_put_deep(buffer *out, const xacro_value *v, int quoted, int depth);

static void xacro_put_items(buffer *out, const xacro_value *v, int depth)
{
    put(out, "%s", v->kind == XACRO_LIST ? "[" : v->kind == XACRO_TUPLE ? "(" : "{");
    for (int i = 0; i < v->count; i++) {
        if (i) put(out, ", ");
        if (v->kind == XACRO_DICT) {
            xacro_put_deep(out, v->items[2 * i], 1, depth + 1);
            put(out, ": ");
            xacro_put_deep(out, v->items[2 * i + 1], 1, depth + 1);
        } else {
            xacro_put_deep(out, v->items[i], 1, depth + 1);
        }
    }
    if (v->kind == XACRO_TUPLE && v->count == 1) put(out, ",");
    put(out, "%s", v->kind == XACRO_LIST ? "]" : v->kind == XACRO_TUPLE ? ")" : "}");
}

static void xacro_put_deep(buffer *out, const xacro_value *v, int quoted, int depth)
{
    if (depth > REPR_MAX_DEPTH || out->size > XACRO_MAX_TEXT) {
        put(out, "...");
        return;
    }
    switch (v->kind) {
    case XACRO_NONE:
        put(out, "None");
        break;
    case XACRO_BOOL:
        put(out, "%s", v->i ? "True" : "False");
        break;
    case XACRO_INT:
        put(out, "%lld", v->i);
        break;
    case XACRO_FLOAT:
        xacro_put_float(out, v->f);
        break;
    case XACRO_TEXT:
        if (quoted)
            xacro_put_quoted(out, v->text);
        else
            put_bytes(out, v->text, strlen(v->text));
        break;
    case XACRO_LIST:
    case XACRO_TUPLE:
    case XACRO_DICT:
        xacro_put_items(out, v, depth);
        break;
    default:
        put(out, "<%s>", xacro_kind_name(v->kind));
    }
}

void xacro_put(buffer *out, const xacro_value *v) { xacro_put_deep(out, v, 0, 0); }

const char *xacro_string(xacro *x, const xacro_value *v)
{
    buffer out = {0};
    if (v->kind == XACRO_TEXT) return v->text;
    xacro_put(&out, v);
    return xacro_written(x, &out);
}

// ---- reading

static const char *xacro_skip(const char *p)
{
    while (*p && strchr(" \t\r\n\f\v", *p))
        p++;
    return p;
}

int xacro_parse_int(const char *text, long long *out)
{
    const char *p = xacro_skip(text);
    const int   negative = *p == '-';
    long long   value = 0;
    p += *p == '-' || *p == '+';
    if (*p < '0' || *p > '9') return 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (value > (LLONG_MAX - 9) / 10) return 0;
        value = value * 10 + (*p - '0');
    }
    *out = negative ? -value : value;
    return *xacro_skip(p) == 0;
}

static int xacro_parse_special(const char *p, double *out)
{
    char   word[12] = "";
    size_t size = 0;
    double sign = *p == '-' ? -1 : 1;
    p += *p == '-' || *p == '+';
    while (p[size] && !strchr(" \t\r\n", p[size]) && size < sizeof word - 1) {
        word[size] = (char)(p[size] | 0x20);
        size++;
    }
    if (*xacro_skip(p + size)) return 0;
    if (strcmp(word, "nan") == 0)
        *out = NAN;
    else if (strcmp(word, "inf") == 0 || strcmp(word, "infinity") == 0)
        *out = sign * INFINITY;
    else
        return 0;
    return 1;
}

int xacro_parse_float(const char *text, double *out)
{
    const char *why = "", *p = xacro_skip(text);
    if (arne_number_decimal(&p, out, &why) == ARNE_OK) return *xacro_skip(p) == 0;
    return xacro_parse_special(xacro_skip(text), out);
}

const xacro_value *xacro_literal(xacro *x, const xacro_value *v)
{
    long long i = 0;
    double    f = 0;
    if (v->kind != XACRO_TEXT) return v;
    const size_t size = strlen(v->text);
    if (size >= 2 && v->text[0] == '\'' && v->text[size - 1] == '\'')
        return xacro_text(x, v->text + 1, size - 2);
    if (strchr(v->text, '_')) return v;
    if (xacro_parse_int(v->text, &i)) return xacro_int(x, i);
    if (xacro_parse_float(v->text, &f)) return xacro_float(x, f);
    if (strcmp(v->text, "true") == 0 || strcmp(v->text, "True") == 0) return xacro_bool(x, 1);
    if (strcmp(v->text, "false") == 0 || strcmp(v->text, "False") == 0) return xacro_bool(x, 0);
    return v;
}

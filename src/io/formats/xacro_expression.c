// Python's arithmetic over the values of xacro. Integers have 64 bits: what does not fit is
// refused.
#include "io/formats/xacro.h"

#include <math.h>
#include <string.h>

// The name of a comprehension and its value, and those around it.
typedef struct xacro_local {
    const char               *name;
    const xacro_value        *value;
    const struct xacro_local *around;
} xacro_local;

typedef struct xacro_frame {
    xacro             *x;
    xacro_scope       *scope;
    const xacro_local *local;
} xacro_frame;

static const xacro_value *eval_node(const xacro_frame *f, const xacro_node *n);

// How many steps it takes to look at all of a value.
static long xacro_expression_size_of(const xacro_value *v)
{
    return v->kind == XACRO_TEXT ? (long)(strlen(v->text) / 64) : v->count / 4;
}

static const xacro_value *eval_name(const xacro_frame *f, const char *name)
{
    for (const xacro_local *l = f->local; l; l = l->around)
        if (strcmp(l->name, name) == 0) return l->value;
    if (xacro_scope_find(f->scope, name, NULL)) return xacro_scope_value(f->x, f->scope, name);
    const xacro_value *v = xacro_builtin(f->x, NULL, name);
    return v ? v : xacro_why(f->x, "'%s' is not defined", name);
}

static const xacro_value *eval_attribute(const xacro_frame *f, const xacro_node *n)
{
    const xacro_value *of = eval_node(f, n->a), *v = NULL;
    if (!of) return NULL;
    if (of->kind == XACRO_MODULE) {
        v = xacro_builtin(f->x, of->text, n->name);
    } else if (of->kind == XACRO_SPACE) {
        xacro_scope *inside = (xacro_scope *)of->thing;
        if (xacro_scope_find(inside, n->name, NULL))
            return xacro_scope_value(f->x, inside, n->name);
    } else if (of->kind == XACRO_DICT) {
        const xacro_value key = {.kind = XACRO_TEXT, .text = n->name};
        f->x->steps += xacro_expression_size_of(of);
        v = xacro_dict_find(of, &key);
    }
    if (v) return v;
    return xacro_why(
        f->x, of->kind == XACRO_DICT ? "there is no key '%s'" : "there is no '%s' here", n->name);
}

// ---- indices

// Where the character `index` of UTF-8 starts; of texts only.
static const char *text_at(const char *text, long long index)
{
    for (; *text && index > 0; index--)
        for (text++; ((unsigned char)*text & 0xc0) == 0x80;)
            text++;
    return text;
}

static long long length_of(const xacro_value *v)
{
    long long count = 0;
    if (v->kind != XACRO_TEXT) return v->count;
    for (const char *p = v->text; *p; p++)
        count += ((unsigned char)*p & 0xc0) != 0x80;
    return count;
}

static int is_sequence(const xacro_value *v)
{
    return v->kind == XACRO_TEXT || v->kind == XACRO_LIST || v->kind == XACRO_TUPLE;
}

static const xacro_value *xacro_expression_part_of(xacro *x, const xacro_value *v, long long from,
                                                   long long to)
{
    if (to < from) to = from;
    if (v->kind == XACRO_TEXT) {
        const char *start = text_at(v->text, from), *end = text_at(start, to - from);
        return xacro_text(x, start, (size_t)(end - start));
    }
    xacro_value *part = xacro_items(x, v->kind, (int)(to - from));
    if (part && to > from)
        memcpy(part->items, v->items + from, (size_t)(to - from) * sizeof *part->items);
    return part;
}

static const xacro_value *eval_index(const xacro_frame *f, const xacro_node *n)
{
    const xacro_value *of = eval_node(f, n->a), *key = of ? eval_node(f, n->b) : NULL;
    if (!key) return NULL;
    if (of->kind == XACRO_DICT) {
        f->x->steps += xacro_expression_size_of(of);
        const xacro_value *v = xacro_dict_find(of, key);
        const char        *name = v ? NULL : xacro_string(f->x, key);
        return v || !name ? v : xacro_why(f->x, "there is no key '%s'", name);
    }
    if (!is_sequence(of) || (key->kind != XACRO_INT && key->kind != XACRO_BOOL))
        return xacro_why(f->x, "%s cannot be indexed by %s", xacro_kind_name(of->kind),
                         xacro_kind_name(key->kind));
    const long long count = length_of(of), i = key->i < 0 ? key->i + count : key->i;
    if (i < 0 || i >= count)
        return xacro_why(f->x, "index %lld is out of range: there are %lld items", key->i, count);
    return of->kind == XACRO_TEXT ? xacro_expression_part_of(f->x, of, i, i + 1) : of->items[i];
}

// An end of a slice, within 0 and count.
static int slice_end(const xacro_frame *f, const xacro_node *n, long long count, long long *out)
{
    const xacro_value *v = n ? eval_node(f, n) : NULL;
    if (!n) return 1;
    if (!v) return 0;
    if (v->kind != XACRO_INT) return xacro_why(f->x, "the end of a slice must be an int"), 0;
    const long long i = v->i < 0 ? v->i + count : v->i;
    *out = i < 0 ? 0 : i > count ? count : i;
    return 1;
}

static const xacro_value *eval_slice(const xacro_frame *f, const xacro_node *n)
{
    const xacro_value *of = eval_node(f, n->a);
    if (!of) return NULL;
    if (!is_sequence(of)) return xacro_why(f->x, "%s has no slices", xacro_kind_name(of->kind));
    const long long count = length_of(of);
    long long       from = 0, to = count;
    if (!slice_end(f, n->b, count, &from) || !slice_end(f, n->c, count, &to)) return NULL;
    return xacro_expression_part_of(f->x, of, from, to);
}

// ---- lists and calls

static int list_length(const xacro_node *list)
{
    int count = 0;
    for (; list; list = list->next)
        count++;
    return count;
}

static const xacro_value *eval_items(const xacro_frame *f, const xacro_node *n, xacro_kind kind)
{
    xacro_value *v = xacro_items(f->x, kind, list_length(n->list));
    int          i = 0;
    for (const xacro_node *item = n->list; v && item; item = item->next)
        if (!(v->items[i++] = eval_node(f, item->a))) return NULL;
    return v;
}

static const xacro_value *eval_each(const xacro_frame *f, const xacro_node *n)
{
    const xacro_value *in = eval_node(f, n->b);
    if (!in) return NULL;
    if (in->kind < XACRO_TEXT || in->kind > XACRO_DICT)
        return xacro_why(f->x, "%s is no list", xacro_kind_name(in->kind));
    const int    count = (int)length_of(in), step = in->kind == XACRO_DICT ? 2 : 1;
    xacro_value *v = xacro_items(f->x, XACRO_LIST, count);
    if (!v) return NULL;
    v->count = 0;
    for (int i = 0; i < count; i++) {
        const xacro_value *item = in->kind == XACRO_TEXT
                                      ? xacro_expression_part_of(f->x, in, i, i + 1)
                                      : in->items[step * i];
        const xacro_local  local = {n->name, item, f->local};
        const xacro_frame  inner = {f->x, f->scope, &local};
        const xacro_value *keep = item && n->c ? eval_node(&inner, n->c) : item;
        if (!keep) return NULL;
        if (n->c && !xacro_truth(keep)) continue;
        if (!(v->items[v->count++] = eval_node(&inner, n->a))) return NULL;
    }
    return v;
}

static const xacro_value *eval_call(const xacro_frame *f, const xacro_node *n)
{
    const int    count = list_length(n->list);
    xacro_value *plain = xacro_items(f->x, XACRO_LIST, count);
    xacro_value *keywords = xacro_items(f->x, XACRO_DICT, count);
    if (!plain || !keywords) return NULL;
    plain->count = keywords->count = 0;
    for (const xacro_node *item = n->list; item; item = item->next) {
        const xacro_value *v = eval_node(f, item->a);
        if (!v) return NULL;
        if (!item->name) {
            plain->items[plain->count++] = v;
            continue;
        }
        keywords->items[2 * keywords->count] = xacro_word(f->x, item->name);
        if (!keywords->items[2 * keywords->count]) return NULL;
        keywords->items[2 * keywords->count++ + 1] = v;
    }
    xacro_call call = {NULL, plain->items, plain->count, keywords};
    if (n->a->operation == XACRO_ATTRIBUTE) {
        call.self = eval_node(f, n->a->a);
        if (!call.self) return NULL;
        if (call.self->kind < XACRO_SPACE) return xacro_method_call(f->x, n->a->name, &call);
    }
    const xacro_value *function = eval_node(f, n->a);
    if (!function) return NULL;
    if (function->kind != XACRO_FUNCTION)
        return xacro_why(f->x, "%s is no function", xacro_kind_name(function->kind));
    return xacro_function_call(f->x, function, &call);
}

// ---- comparisons

static int text_within(const xacro_value *part, const xacro_value *whole, int *is)
{
    if (part->kind != XACRO_TEXT) return 0;
    *is = strstr(whole->text, part->text) != NULL;
    return 1;
}

// Whether part is in whole; 0 where that is no question.
static int is_within(const xacro_value *part, const xacro_value *whole, int *is)
{
    *is = 0;
    if (whole->kind == XACRO_TEXT) return text_within(part, whole, is);
    if (whole->kind == XACRO_DICT) return *is = xacro_dict_find(whole, part) != NULL, 1;
    if (whole->kind != XACRO_LIST && whole->kind != XACRO_TUPLE) return 0;
    for (int i = 0; i < whole->count && !*is; i++)
        *is = xacro_equal(part, whole->items[i]);
    return 1;
}

static int is_ordered(const char *how, double order)
{
    return (*how == '<' ? order < 0 : order > 0) || (how[1] == '=' && order == 0);
}

static int xacro_expression_compare(xacro *x, const xacro_value *a, const char *how,
                                    const xacro_value *b, int *is)
{
    int known = 1;
    if (strcmp(how, "==") == 0)
        *is = xacro_equal(a, b);
    else if (strcmp(how, "!=") == 0)
        *is = !xacro_equal(a, b);
    else if (strcmp(how, "in") == 0)
        known = is_within(a, b, is);
    else if (strcmp(how, "not in") == 0)
        known = is_within(a, b, is), *is = !*is;
    else if (xacro_is_number(a) && xacro_is_number(b))
        *is = is_ordered(how, xacro_number(a) - xacro_number(b)) ||
              (how[1] == '=' && xacro_equal(a, b));
    else if (a->kind == XACRO_TEXT && b->kind == XACRO_TEXT)
        *is = is_ordered(how, strcmp(a->text, b->text));
    else
        known = 0;
    if (!known)
        xacro_why(x, "%s and %s cannot be compared by %s", xacro_kind_name(a->kind),
                  xacro_kind_name(b->kind), how);
    return known;
}

static const xacro_value *eval_compare(const xacro_frame *f, const xacro_node *n)
{
    const xacro_value *left = eval_node(f, n->a);
    int                is = 1;
    for (const xacro_node *item = n->list; left && item && is; item = item->next) {
        const xacro_value *right = eval_node(f, item->a);
        f->x->steps += right ? xacro_expression_size_of(left) + xacro_expression_size_of(right) : 0;
        if (!right || !xacro_expression_compare(f->x, left, item->name, right, &is)) return NULL;
        left = right;
    }
    return left ? xacro_bool(f->x, is) : NULL;
}

// ---- arithmetic

static const xacro_value *xacro_expression_refuse(xacro *x, const char *what, const xacro_value *a,
                                                  const xacro_value *b)
{
    return xacro_why(x, "%s cannot be %s %s", xacro_kind_name(a->kind), what,
                     xacro_kind_name(b->kind));
}

static const xacro_value *repeat(xacro *x, const xacro_value *v, long long times)
{
    const long long count = times < 0 ? 0 : times;
    const size_t    size = v->kind == XACRO_TEXT ? strlen(v->text) : (size_t)v->count;
    if (size && count > XACRO_MAX_LIST / (long long)size)
        return xacro_why(x, "a text or list repeated %lld times is too long", times);
    if (v->kind == XACRO_TEXT) {
        char *text = xacro_take(x, size * (size_t)count + 1);
        for (long long i = 0; text && i < count; i++)
            memcpy(text + (size_t)i * size, v->text, size);
        return text ? xacro_word(x, text) : NULL;
    }
    xacro_value *list = xacro_items(x, v->kind, (int)(count * v->count));
    for (int i = 0; list && i < list->count; i++)
        list->items[i] = v->items[i % v->count];
    return list;
}

static const xacro_value *xacro_expression_join(xacro *x, const xacro_value *a,
                                                const xacro_value *b)
{
    if (a->kind == XACRO_TEXT) {
        buffer out = {0};
        put_bytes(&out, a->text, strlen(a->text));
        put_bytes(&out, b->text, strlen(b->text));
        const char *text = xacro_written(x, &out);
        return text ? xacro_word(x, text) : NULL;
    }
    if (a->count + b->count > XACRO_MAX_LIST) return xacro_why(x, "a list is too long");
    xacro_value *list = xacro_items(x, a->kind, a->count + b->count);
    for (int i = 0; list && i < list->count; i++)
        list->items[i] = i < a->count ? a->items[i] : b->items[i - a->count];
    return list;
}

static long long floor_quotient(long long a, long long b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static const xacro_value *power(xacro *x, long long base, long long exponent)
{
    long long result = 1;
    while (exponent-- > 0) {
        if (__builtin_mul_overflow(result, base, &result))
            return xacro_why(x, "the number is too large for an int");
        if (base == 0 || base == 1) break;
        if (base == -1) return xacro_int(x, exponent % 2 ? 1 : -1);
    }
    return xacro_int(x, result);
}

static const xacro_value *integers(xacro *x, xacro_operation operation, long long a, long long b)
{
    long long result = 0;
    int       overflow = 0;
    switch (operation) {
    case XACRO_ADD:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case XACRO_SUBTRACT:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case XACRO_MULTIPLY:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case XACRO_FLOOR:
    case XACRO_MODULO:
        if (b == 0) return xacro_why(x, "division by zero");
        if (b == -1) // which overflows in C
            return operation == XACRO_FLOOR ? integers(x, XACRO_SUBTRACT, 0, a) : xacro_int(x, 0);
        result = floor_quotient(a, b);
        result = operation == XACRO_FLOOR ? result : a - result * b;
        break;
    default:
        return power(x, a, b);
    }
    return overflow ? xacro_why(x, "the number is too large for an int") : xacro_int(x, result);
}

static const xacro_value *floats(xacro *x, xacro_operation operation, double a, double b)
{
    if (b == 0 && operation >= XACRO_DIVIDE && operation <= XACRO_MODULO)
        return xacro_why(x, "division by zero");
    switch (operation) {
    case XACRO_ADD:
        return xacro_float(x, a + b);
    case XACRO_SUBTRACT:
        return xacro_float(x, a - b);
    case XACRO_MULTIPLY:
        return xacro_float(x, a * b);
    case XACRO_DIVIDE:
        return xacro_float(x, a / b);
    case XACRO_FLOOR:
        return xacro_float(x, floor(a / b));
    case XACRO_MODULO: {
        const double rest = fmod(a, b);
        return xacro_float(x, rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
    }
    default:
        if (a == 0 && b < 0) return xacro_why(x, "division by zero");
        if (a < 0 && b != floor(b)) return xacro_why(x, "the power is no real number");
        return xacro_float(x, pow(a, b));
    }
}

static const xacro_value *eval_binary(const xacro_frame *f, const xacro_node *n)
{
    static const char *const words[] = {"added to",   "subtracted from", "multiplied by",
                                        "divided by", "divided by",      "divided by",
                                        "raised to"};
    const xacro_value       *a = eval_node(f, n->a), *b = a ? eval_node(f, n->b) : NULL;
    const xacro_operation    operation = n->operation;
    if (!b) return NULL;
    if (xacro_is_number(a) && xacro_is_number(b)) {
        const int whole = a->kind != XACRO_FLOAT && b->kind != XACRO_FLOAT &&
                          operation != XACRO_DIVIDE && !(operation == XACRO_POWER && b->i < 0);
        return whole ? integers(f->x, operation, a->i, b->i)
                     : floats(f->x, operation, xacro_number(a), xacro_number(b));
    }
    if (operation == XACRO_ADD && a->kind == b->kind && is_sequence(a))
        return xacro_expression_join(f->x, a, b);
    if (operation == XACRO_MULTIPLY && is_sequence(a) &&
        (b->kind == XACRO_INT || b->kind == XACRO_BOOL))
        return repeat(f->x, a, b->i);
    if (operation == XACRO_MULTIPLY && is_sequence(b) &&
        (a->kind == XACRO_INT || a->kind == XACRO_BOOL))
        return repeat(f->x, b, a->i);
    return xacro_expression_refuse(f->x, words[operation - XACRO_ADD], a, b);
}

static const xacro_value *eval_sign(const xacro_frame *f, const xacro_node *n)
{
    const xacro_value *v = eval_node(f, n->a);
    if (!v) return NULL;
    if (!xacro_is_number(v)) return xacro_why(f->x, "%s has no sign", xacro_kind_name(v->kind));
    if (v->kind == XACRO_FLOAT) return n->operation == XACRO_PLUS ? v : xacro_float(f->x, -v->f);
    return n->operation == XACRO_PLUS ? xacro_int(f->x, v->i)
                                      : integers(f->x, XACRO_SUBTRACT, 0, v->i);
}

static const xacro_value *eval_choice(const xacro_frame *f, const xacro_node *n)
{
    const xacro_value *first = eval_node(f, n->operation == XACRO_IF ? n->b : n->a);
    if (!first) return NULL;
    const int truth = xacro_truth(first);
    switch (n->operation) {
    case XACRO_IF:
        return eval_node(f, truth ? n->a : n->c);
    case XACRO_AND:
        return truth ? eval_node(f, n->b) : first;
    case XACRO_OR:
        return truth ? first : eval_node(f, n->b);
    default:
        return xacro_bool(f->x, !truth);
    }
}

static const xacro_value *eval_node(const xacro_frame *f, const xacro_node *n)
{
    if (!xacro_step(f->x)) return NULL;
    switch (n->operation) {
    case XACRO_CONSTANT:
        return n->value;
    case XACRO_NAME:
        return eval_name(f, n->name);
    case XACRO_ATTRIBUTE:
        return eval_attribute(f, n);
    case XACRO_INDEX:
        return eval_index(f, n);
    case XACRO_SLICE:
        return eval_slice(f, n);
    case XACRO_CALL:
        return eval_call(f, n);
    case XACRO_ITEMS_LIST:
        return eval_items(f, n, XACRO_LIST);
    case XACRO_ITEMS_TUPLE:
        return eval_items(f, n, XACRO_TUPLE);
    case XACRO_EACH:
        return eval_each(f, n);
    case XACRO_IF:
    case XACRO_AND:
    case XACRO_OR:
    case XACRO_NOT:
        return eval_choice(f, n);
    case XACRO_COMPARE:
        return eval_compare(f, n);
    case XACRO_NEGATE:
    case XACRO_PLUS:
        return eval_sign(f, n);
    default:
        return eval_binary(f, n);
    }
}

const xacro_value *xacro_eval(xacro *x, const char *text, xacro_scope *scope)
{
    const xacro_frame frame = {x, scope, NULL};
    const xacro_node *node = xacro_parse(x, text);
    return node ? eval_node(&frame, node) : NULL;
}

// Methods of strings and dicts in expressions of xacro.
#include "io/formats/xacro.h"

#include "base/plain.h"
#include <string.h>

static const char *text_argument(const xacro_call *c, int i)
{
    return c->count > i && c->arguments[i]->kind == XACRO_TEXT ? c->arguments[i]->text : NULL;
}

static const xacro_value *method_split(xacro *x, const xacro_call *c)
{
    const char  *by = text_argument(c, 0), *p = c->self->text;
    xacro_value *list = xacro_items(x, XACRO_LIST, (int)strlen(p) + 1);
    if (c->count && (!by || !*by)) return xacro_why(x, "split needs a text");
    if (!list) return NULL;
    list->count = 0;
    for (;;) {
        static const char blank[] = " \t\r\n";
        if (!by) p += strspn(p, blank);
        if (!by && !*p) return list;
        const char *end = by ? strstr(p, by) : p + strcspn(p, blank);
        if (!end) end = p + strlen(p);
        if (!(list->items[list->count++] = xacro_text(x, p, (size_t)(end - p)))) return NULL;
        if (!*end) return list;
        p = end + (by ? strlen(by) : 0);
    }
}

static const xacro_value *method_starts(xacro *x, const xacro_call *c)
{
    const char *with = text_argument(c, 0);
    if (!with) return xacro_why(x, "startswith needs a text");
    return xacro_bool(x, strncmp(c->self->text, with, strlen(with)) == 0);
}

static const xacro_value *method_ends(xacro *x, const xacro_call *c)
{
    const char  *with = text_argument(c, 0);
    const size_t size = strlen(c->self->text);
    if (!with) return xacro_why(x, "endswith needs a text");
    return xacro_bool(x, size >= strlen(with) &&
                             strcmp(c->self->text + size - strlen(with), with) == 0);
}

static char upper(char c) { return (char)(c >= 'a' && c <= 'z' ? c - 32 : c); }

static const xacro_value *with_case(xacro *x, const char *text, char (*change)(char))
{
    char *copy = xacro_copy(x, text, strlen(text));
    for (char *p = copy; p && *p; p++)
        *p = change(*p);
    return copy ? xacro_word(x, copy) : NULL;
}

static const xacro_value *method_lower(xacro *x, const xacro_call *c)
{
    return with_case(x, c->self->text, plain_lower);
}

static const xacro_value *method_upper(xacro *x, const xacro_call *c)
{
    return with_case(x, c->self->text, upper);
}

static const xacro_value *strip(xacro *x, const xacro_call *c, int left, int right)
{
    const char *what = c->count ? text_argument(c, 0) : " \t\r\n", *p = c->self->text;
    if (!what) return xacro_why(x, "strip needs a text");
    if (left) p += strspn(p, what);
    size_t size = strlen(p);
    while (right && size && strchr(what, p[size - 1]))
        size--;
    return xacro_text(x, p, size);
}

static const xacro_value *method_strip(xacro *x, const xacro_call *c) { return strip(x, c, 1, 1); }
static const xacro_value *method_lstrip(xacro *x, const xacro_call *c) { return strip(x, c, 1, 0); }
static const xacro_value *method_rstrip(xacro *x, const xacro_call *c) { return strip(x, c, 0, 1); }

static const xacro_value *method_replace(xacro *x, const xacro_call *c)
{
    const char *old = text_argument(c, 0), *new = text_argument(c, 1), *p = c->self->text;
    buffer      out = {0};
    if (!old || !new || !*old) return xacro_why(x, "replace needs two texts");
    for (const char *at; (at = strstr(p, old)) && out.size <= XACRO_MAX_TEXT;
         p = at + strlen(old)) {
        put_bytes(&out, p, (size_t)(at - p));
        put_bytes(&out, new, strlen(new));
    }
    put_bytes(&out, p, strlen(p));
    const char *text = xacro_written(x, &out);
    return text ? xacro_word(x, text) : NULL;
}

static const xacro_value *method_join(xacro *x, const xacro_call *c)
{
    const xacro_value *list = c->arguments[0];
    buffer             out = {0};
    if (list->kind != XACRO_LIST && list->kind != XACRO_TUPLE)
        return xacro_why(x, "join needs a list");
    for (int i = 0; i < list->count && out.size <= XACRO_MAX_TEXT; i++) {
        if (i) put_bytes(&out, c->self->text, strlen(c->self->text));
        xacro_put(&out, list->items[i]);
    }
    const char *text = xacro_written(x, &out);
    return text ? xacro_word(x, text) : NULL;
}

static const xacro_value *dict_part(xacro *x, const xacro_value *dict, int keys, int values)
{
    xacro_value *list = xacro_items(x, XACRO_LIST, dict->count);
    for (int i = 0; list && i < dict->count; i++) {
        xacro_value *pair = keys && values ? xacro_items(x, XACRO_TUPLE, 2) : NULL;
        if (keys && values && !pair) return NULL;
        if (pair) pair->items[0] = dict->items[2 * i], pair->items[1] = dict->items[2 * i + 1];
        list->items[i] = pair ? pair : dict->items[2 * i + (keys ? 0 : 1)];
    }
    return list;
}

static const xacro_value *method_keys(xacro *x, const xacro_call *c)
{
    return dict_part(x, c->self, 1, 0);
}
static const xacro_value *method_values(xacro *x, const xacro_call *c)
{
    return dict_part(x, c->self, 0, 1);
}
static const xacro_value *method_items(xacro *x, const xacro_call *c)
{
    return dict_part(x, c->self, 1, 1);
}

static const xacro_value *method_get(xacro *x, const xacro_call *c)
{
    const xacro_value *v = xacro_dict_find(c->self, c->arguments[0]);
    return v ? v : c->count > 1 ? c->arguments[1] : xacro_none(x);
}

static const struct {
    xacro_kind     kind;
    const char    *name;
    int            least, most;
    xacro_function call;
} methods[] = {
    {XACRO_TEXT, "split", 0, 1, method_split},     {XACRO_TEXT, "startswith", 1, 1, method_starts},
    {XACRO_TEXT, "endswith", 1, 1, method_ends},   {XACRO_TEXT, "lower", 0, 0, method_lower},
    {XACRO_TEXT, "upper", 0, 0, method_upper},     {XACRO_TEXT, "strip", 0, 1, method_strip},
    {XACRO_TEXT, "lstrip", 0, 1, method_lstrip},   {XACRO_TEXT, "rstrip", 0, 1, method_rstrip},
    {XACRO_TEXT, "replace", 2, 2, method_replace}, {XACRO_TEXT, "join", 1, 1, method_join},
    {XACRO_DICT, "keys", 0, 0, method_keys},       {XACRO_DICT, "values", 0, 0, method_values},
    {XACRO_DICT, "items", 0, 0, method_items},     {XACRO_DICT, "get", 1, 2, method_get},
};

const xacro_value *xacro_method_call(xacro *x, const char *name, const xacro_call *c)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].kind == c->self->kind && strcmp(methods[i].name, name) == 0) {
            if (c->count >= methods[i].least && c->count <= methods[i].most)
                return methods[i].call(x, c);
            return xacro_why(x, "%s does not take %d argument%s", name, c->count,
                             c->count == 1 ? "" : "s");
        }
    return xacro_why(x, "%s has no method '%s' here", xacro_kind_name(c->self->kind), name);
}

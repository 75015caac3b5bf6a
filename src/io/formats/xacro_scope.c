// Memory, limits, mistakes and scopes of xacro.
#include "io/formats/xacro.h"

#include "base/error.h"
#include "base/plain.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *xacro_too_large(xacro *x, const char *what)
{
    if (!x->ended) xacro_why(x, "%s", what);
    x->ended = 1;
    return NULL;
}

void *xacro_no_memory(xacro *x)
{
    x->status = arne_fail_memory(x->reader->error);
    x->ended = 1;
    return NULL;
}

const char *xacro_written(xacro *x, buffer *out)
{
    const char *text =
        out->failed ? xacro_no_memory(x) : xacro_copy(x, out->text ? out->text : "", out->size);
    buffer_free(out);
    return text;
}

void *xacro_take(xacro *x, size_t size)
{
    x->taken += size;
    if (x->taken > XACRO_MAX_BYTES || size > XACRO_MAX_BYTES)
        return xacro_too_large(x, "it grows without end: more than 256 MiB");
    void *memory = document_take(&x->tree.memory, size);
    return memory ? memory : xacro_no_memory(x);
}

char *xacro_copy(xacro *x, const char *text, size_t size)
{
    if (size > XACRO_MAX_TEXT) return xacro_too_large(x, "a text is longer than 1 MiB");
    char *copy = xacro_take(x, size + 1);
    if (copy && size) memcpy(copy, text, size);
    return copy;
}

void *xacro_why(xacro *x, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    plain_print_list(x->why, sizeof x->why, format, arguments);
    va_end(arguments);
    return NULL;
}

int xacro_step(xacro *x)
{
    if (x->ended) return 0;
    if (++x->steps > XACRO_MAX_STEPS)
        xacro_too_large(x, "it takes too long: more than 20 million steps");
    return !x->ended;
}

static unsigned xacro_hash(const char *name)
{
    unsigned h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

xacro_scope *xacro_scope_new(xacro *x, xacro_scope *parent, int is_space)
{
    xacro_scope *scope = xacro_take(x, sizeof *scope);
    if (scope) scope->parent = parent, scope->is_space = is_space;
    return scope;
}

xacro_entry *xacro_scope_find(xacro_scope *scope, const char *name, xacro_scope **holder)
{
    const unsigned h = xacro_hash(name);
    for (; scope; scope = scope->parent)
        for (xacro_entry *e = scope->bucket[h % 32]; e; e = e->next)
            if (e->hash == h && strcmp(e->name, name) == 0) {
                if (holder) *holder = scope;
                return e;
            }
    return NULL;
}

int xacro_scope_remove(xacro_scope *scope, const char *name)
{
    xacro_scope *holder = NULL;
    xacro_entry *found = xacro_scope_find(scope, name, &holder);
    if (!found) return 0;
    xacro_entry **at = &holder->bucket[found->hash % 32];
    while (*at != found)
        at = &(*at)->next;
    *at = found->next;
    return 1;
}

int xacro_scope_set(xacro *x, xacro_scope *scope, const char *name, const xacro_value *v,
                    xacro_when when)
{
    const unsigned h = xacro_hash(name);
    xacro_entry   *e = scope->bucket[h % 32];
    while (e && !(e->hash == h && strcmp(e->name, name) == 0))
        e = e->next;
    if (v && when != XACRO_SET_RAW) v = xacro_literal(x, v);
    if (!v) return 0;
    if (!e) {
        if (!xacro_step(x) || !(e = xacro_take(x, sizeof *e))) return 0;
        e->name = xacro_copy(x, name, strlen(name));
        if (!e->name) return 0;
        e->hash = h;
        e->next = scope->bucket[h % 32];
        scope->bucket[h % 32] = e;
    }
    e->value = v;
    e->state = when == XACRO_SET_LAZY && v->kind == XACRO_TEXT ? XACRO_LAZY : XACRO_READY;
    return 1;
}

const xacro_value *xacro_scope_value(xacro *x, xacro_scope *scope, const char *name)
{
    xacro_scope *holder = NULL;
    xacro_entry *e = xacro_scope_find(scope, name, &holder);
    if (!e) return xacro_why(x, "'%s' is not defined", name);
    if (e->state == XACRO_READY) return e->value;
    if (e->state == XACRO_BROKEN) return x->why[0] = 0, NULL; // it was told before
    if (e->state == XACRO_BUSY)
        return xacro_why(x,
                         "the property '%s' is defined by itself (lazy_eval=\"false\" works a "
                         "property out where it stands)",
                         name);
    e->state = XACRO_BUSY;
    const xacro_value *v = xacro_eval_text(x, e->value->text, holder);
    if (v) v = xacro_literal(x, v);
    e->state = v ? XACRO_READY : XACRO_BROKEN;
    if (v) e->value = v;
    return v;
}

// Texts of xacro: ${EXPRESSION} and $(COMMAND) in them are worked out; $${ and $$( stand for ${ and
// $(. A text that is one expression keeps its type; all else is joined.
#define _POSIX_C_SOURCE 200809L // getcwd; NOLINT(bugprone-reserved-identifier)
#include "io/formats/xacro.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORD_SIZE = 256, MAX_TEXTS = 100 };

// ---- commands

static const xacro_value *command_environment(xacro *x, const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    if (!value && !otherwise) return xacro_why(x, "the environment has no %s", name);
    return xacro_word(x, value ? value : otherwise);
}

static const xacro_value *command_folder(xacro *x, const char *what)
{
    char folder[PATH_MAX];
    if (strcmp(what, "cwd") == 0)
        return getcwd(folder, sizeof folder) ? xacro_word(x, folder)
                                             : xacro_why(x, "there is no current folder");
    const char *slash = strrchr(x->file, '/');
    return slash ? xacro_text(x, x->file, (size_t)(slash - x->file)) : xacro_word(x, ".");
}

// The arguments as values, by their names.
static const xacro_value *command_eval(xacro *x, const char *expression)
{
    xacro_scope typed = {0};
    for (int i = 0; i < 32; i++)
        for (const xacro_entry *e = x->given.bucket[i]; e; e = e->next)
            if (!xacro_scope_set(x, &typed, e->name, e->value, XACRO_SET_NOW)) return NULL;
    return xacro_eval(x, expression, &typed);
}

static const xacro_value *run_command(xacro *x, const char *text)
{
    char        word[WORD_SIZE] = "", name[WORD_SIZE] = "";
    const char *p = text + strspn(text, " ");
    size_t      size = strcspn(p, " ");
    memcpy(word, p, size < sizeof word ? size : sizeof word - 1);
    p += size;
    const char *rest = p += strspn(p, " ");
    if (strcmp(word, "eval") == 0) return command_eval(x, rest);
    size = strcspn(p, " ");
    memcpy(name, p, size < sizeof name ? size : sizeof name - 1);
    p += size;
    p += strspn(p, " ");
    if (strcmp(word, "cwd") == 0 || strcmp(word, "dirname") == 0) return command_folder(x, word);
    if (!*name) return xacro_why(x, "$(%s) is not understood", text);
    if (strcmp(word, "optenv") == 0) return command_environment(x, name, p);
    if (*p) return xacro_why(x, "$(%s) is not understood", text);
    if (strcmp(word, "env") == 0) return command_environment(x, name, NULL);
    if (strcmp(word, "find") == 0) return xacro_find_package(x, name);
    if (strcmp(word, "arg") != 0)
        return xacro_why(
            x, "$(%s) is unknown; there are arg, find, env, optenv, eval, cwd, dirname", word);
    const xacro_entry *given = xacro_scope_find(&x->given, name, NULL);
    const char        *value = given ? xacro_string(x, given->value) : NULL;
    if (!given)
        return xacro_why(x, "the argument '%s' is not given and has no default: say %s:=VALUE",
                         name, name);
    return value ? xacro_word(x, value) : NULL;
}

// ---- texts

// Where the part of a text ends that starts at p; *kind: $ (escaped), { ( or t. NULL: it never
// ends.
static const char *part_end(const char *p, char *kind)
{
    size_t dollars = strspn(p, "$");
    *kind = 't';
    if (dollars == 0) return p + strcspn(p, "$");
    const char next = p[dollars];
    if (next != '{' && next != '(') return dollars > 1 ? NULL : p + 1 + strcspn(p + 1, "{($");
    *kind = dollars > 1 ? '$' : next;
    if (dollars > 1) return p + dollars + 1;
    const char *end = strchr(p, next == '{' ? '}' : ')');
    return end ? end + 1 : NULL;
}

static const xacro_value *eval_part(xacro *x, char kind, const char *p, size_t size,
                                    xacro_scope *scope)
{
    if (kind == 't') return xacro_text(x, p, size);
    if (kind == '$') return xacro_text(x, p + 1, size - 1);
    const char        *inside = xacro_copy(x, p + 2, size - 3);
    const xacro_value *inner = inside ? xacro_eval_text(x, inside, scope) : NULL;
    const char        *text = inner ? xacro_string(x, inner) : NULL;
    const xacro_value *v = !text         ? NULL
                           : kind == '{' ? xacro_eval(x, text, scope)
                                         : run_command(x, text);
    const size_t       used = strlen(x->why);
    if (!v && used && !strstr(x->why, " in '$")) // the innermost expression is named
        snprintf(x->why + used, sizeof x->why - used, " in '%.*s'", size < 120 ? (int)size : 120,
                 p);
    return v;
}

static const xacro_value *eval_parts(xacro *x, const char *text, xacro_scope *scope)
{
    buffer             out = {0};
    const xacro_value *only = NULL;
    int                count = 0;
    for (const char *p = text, *end; *p; p = end) {
        char kind = 0;
        end = part_end(p, &kind);
        const xacro_value *v = end ? eval_part(x, kind, p, (size_t)(end - p), scope)
                                   : xacro_why(x, "'%.60s' is no complete expression", p);
        if (!v) return buffer_free(&out), NULL;
        only = v;
        if (count++ || *end) xacro_put(&out, v);
    }
    if (count == 1) {
        buffer_free(&out);
        return only;
    }
    const char *joined = xacro_written(x, &out);
    return joined ? xacro_word(x, joined) : NULL;
}

const xacro_value *xacro_eval_text(xacro *x, const char *text, xacro_scope *scope)
{
    if (!xacro_step(x)) return NULL;
    if (!strchr(text, '$')) return xacro_word(x, text);
    if (x->texts >= MAX_TEXTS)
        return xacro_why(x, "properties refer to each other deeper than %d", MAX_TEXTS);
    x->texts++;
    const xacro_value *v = eval_parts(x, text, scope);
    x->texts--;
    return v;
}

int xacro_condition(const xacro_value *v, int *truth)
{
    long long i = 0;
    *truth = xacro_truth(v);
    if (v->kind != XACRO_TEXT) return 1;
    *truth = strcmp(v->text, "true") == 0 || strcmp(v->text, "True") == 0;
    if (*truth || strcmp(v->text, "false") == 0 || strcmp(v->text, "False") == 0) return 1;
    *truth = xacro_parse_int(v->text, &i) && i != 0;
    return xacro_parse_int(v->text, &i);
}

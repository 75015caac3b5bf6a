// The processor of xacro: from the tree of a file to that of the URDF.
//
// Elements are taken in the order of the file. A scope is a table of properties, or of macros; the
// body of a macro has one of its own within that of its caller. Rules and order of evaluation are
// those of https://github.com/ros/xacro (version 2).
#define _POSIX_C_SOURCE 200809L // glob; NOLINT(bugprone-reserved-identifier)
#include "io/formats/xacro.h"

#include "base/error.h"
#include "base/plain.h"
#include "io/formats/formats.h"
#include "robot/builder.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void process_element(xacro *x, const xml_node *in, const xacro_place *at);

// ---- mistakes

static void xacro_tell(xacro *x, const xml_node *at)
{
    char call[200] = "";
    if (x->status == ARNE_NO_MEMORY || !x->why[0]) return;
    if (x->caller)
        snprintf(call, sizeof call, " (called by <%.60s> of line %d)", x->caller->tag,
                 x->caller->line);
    const arne_status code = x->ended ? ARNE_TOO_LARGE : ARNE_VALUE;
    const arne_status told =
        xml_node_fail(x->reader, code, at, "<%.60s>: %s%s", at->tag, x->why, call);
    x->status = x->ended ? told : status_both(x->status, told);
    x->why[0] = 0;
    if (++x->mistakes >= XACRO_MAX_MISTAKES) x->ended = 1;
}

void xacro_warn_unknown(xacro *x, const xml_node *in, const char *known)
{
    for (int i = 0; i < in->attribute_count; i++) {
        char word[80];
        snprintf(word, sizeof word, " %.70s ", in->attributes[i].name);
        if (strstr(known, word) || strncmp(in->attributes[i].name, "xmlns", 5) == 0) continue;
        const arne_status status =
            xml_node_warn(x->reader, "unknown", in, "<%s>: unknown attribute '%s' is ignored",
                          in->tag, in->attributes[i].name);
        if (status) x->status = status, x->ended = 1;
    }
}

// An attribute that must be there.
const char *xacro_required(xacro *x, const xml_node *in, const char *name)
{
    const char *value = xml_node_get(in, name);
    return value ? value : xacro_why(x, "the attribute '%s' is missing", name);
}

const char *xacro_eval_required(xacro *x, const xml_node *in, const char *name,
                                xacro_scope *symbols)
{
    const char        *text = xacro_required(x, in, name);
    const xacro_value *v = text ? xacro_eval_text(x, text, symbols) : NULL;
    return v ? xacro_string(x, v) : NULL;
}

static int truth_of(xacro *x, const char *text, xacro_scope *symbols, int *truth)
{
    const xacro_value *v = xacro_eval_text(x, text, symbols);
    if (!v) return 0;
    if (xacro_condition(v, truth)) return 1;
    const char *is = xacro_string(x, v);
    if (is)
        xacro_why(x, "the condition '%.80s' gives '%.80s', which is neither true nor false", text,
                  is);
    return 0;
}

// ---- properties and arguments

static int is_identifier(const char *name)
{
    static const char words[] =
        " True False None and as assert async await break class continue def "
        "del elif else except finally for from global if import in is lambda "
        "nonlocal not or pass raise return try while with yield ";
    char word[32];
    snprintf(word, sizeof word, " %.20s ", name);
    if (!*name || plain_is_digit(*name) || strstr(words, word)) return 0;
    for (; *name; name++)
        if (!plain_is_name(*name) && *name != '_' && !((unsigned char)*name & 0x80)) return 0;
    return 1;
}

// The scope that a property goes to; NULL: there is none.
static xacro_scope *target_scope(xacro_scope *symbols, const char *scope)
{
    xacro_scope *target = symbols;
    if (scope && strcmp(scope, "global") == 0)
        while (target->parent)
            target = target->parent;
    else if (scope && strcmp(scope, "parent") == 0)
        for (target = symbols->parent; target && target->is_space && !symbols->is_space;)
            target = target->parent;
    return target;
}

static int xacro_is_known(xacro *x, xacro_scope *symbols, const char *name)
{
    return xacro_scope_find(symbols, name, NULL) || xacro_builtin(x, NULL, name);
}

static int set_property(xacro *x, const xml_node *in, const xacro_place *at, const char *name)
{
    const char *value = xml_node_get(in, "value"), *otherwise = xml_node_get(in, "default");
    const char *lazy_text = xml_node_get(in, "lazy_eval"), *scope = xml_node_get(in, "scope");
    int         lazy = 1;
    char        block[200];
    if (otherwise) {
        if (xacro_is_known(x, at->symbols, name)) return 1;
        value = otherwise;
    }
    if (lazy_text && !truth_of(x, lazy_text, at->symbols, &lazy)) return 0;
    xacro_scope *target = target_scope(at->symbols, scope);
    if (!target) return 1; // the file itself has no parent
    if (!value) {
        snprintf(block, sizeof block, "**%.190s", name);
        return xacro_scope_set(x, target, block, xacro_thing(x, XACRO_BLOCK, in), XACRO_SET_NOW);
    }
    if (scope && *scope) lazy = 0;
    return xacro_scope_set(x, target, name,
                           lazy ? xacro_word(x, value) : xacro_eval_text(x, value, at->symbols),
                           lazy ? XACRO_SET_LAZY : XACRO_SET_NOW);
}

static int take_property(xacro *x, const xml_node *in, const xacro_place *at)
{
    const char *name = xacro_required(x, in, "name"), *remove_text = xml_node_get(in, "remove");
    int         remove = 0;
    xacro_warn_unknown(x, in, " name value default remove scope lazy_eval ");
    if (!name) return 0;
    if (!is_identifier(name) || strncmp(name, "__", 2) == 0)
        return xacro_why(x,
                         "'%.80s' is no name of a property: letters, digits and _, no word of "
                         "Python, and not __ first",
                         name),
               0;
    if (remove_text && !truth_of(x, remove_text, at->symbols, &remove)) return 0;
    if (!!xml_node_get(in, "value") + !!xml_node_get(in, "default") + remove > 1)
        return xacro_why(x, "'%.80s' can have only one of value, default and remove", name), 0;
    if (remove && xacro_scope_remove(at->symbols, name)) return 1;
    return set_property(x, in, at, name);
}

static int take_argument(xacro *x, const xml_node *in, const xacro_place *at)
{
    const char *name = xacro_required(x, in, "name"), *otherwise = xacro_required(x, in, "default");
    xacro_warn_unknown(x, in, " name default ");
    if (!name || !otherwise) return 0;
    if (xacro_scope_find(&x->given, name, NULL)) return 1;
    return xacro_scope_set(x, &x->given, name, xacro_eval_text(x, otherwise, at->symbols),
                           XACRO_SET_RAW);
}

// ---- includes

static void lift_namespaces(xacro *x, const xml_node *from, xml_node *to)
{
    for (int i = 0; i < from->attribute_count; i++) {
        const xml_attribute *a = &from->attributes[i];
        if (strncmp(a->name, "xmlns:", 6) == 0 && strcmp(a->name, "xmlns:xacro") != 0 &&
            !xml_node_get(to, a->name) && !xml_node_set(&x->tree, to, a->name, a->value))
            x->ended = 1, x->status = arne_fail_memory(x->reader->error);
    }
}

static int include_file(xacro *x, const char *path, const xacro_place *at, int optional)
{
    size_t      size = 0;
    char       *text = xacro_load(x, path, &size);
    const char *file = x->file;
    if (!text && optional && !x->ended) return x->why[0] = 0, 1;
    if (!text) return 0;
    xml_node *root = xacro_parse_file(x, path, text, size);
    free(text);
    if (!root) return 0;
    x->file = root->file;
    xacro_process_children(x, root, at);
    lift_namespaces(x, root, at->out);
    x->file = file;
    return 1;
}

static int include_pattern(xacro *x, const char *pattern, const xacro_place *at, int optional)
{
    glob_t found = {0};
    int    ok = 1;
    if (!strpbrk(pattern, "*[?")) return include_file(x, pattern, at, optional);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && ok; i++)
            ok = include_file(x, found.gl_pathv[i], at, optional);
    globfree(&found);
    return ok;
}

static int take_include(xacro *x, const xml_node *in, const xacro_place *at)
{
    const char *space = xml_node_get(in, "ns"), *optional_text = xml_node_get(in, "optional");
    const char *name = xacro_eval_required(x, in, "filename", at->symbols);
    const char *path = name ? xacro_absolute(x, name) : NULL;
    xacro_place place = {at->symbols, at->macros, at->out, NULL};
    int         optional = 0;
    xacro_warn_unknown(x, in, " filename ns optional ");
    if (!path || (optional_text && !truth_of(x, optional_text, at->symbols, &optional))) return 0;
    if (space) {
        space = xacro_eval_required(x, in, "ns", at->symbols);
        place.symbols = space ? xacro_scope_new(x, at->symbols, 1) : NULL;
        place.macros = place.symbols ? xacro_scope_new(x, at->macros, 1) : NULL;
        if (!place.macros ||
            !xacro_scope_set(x, at->symbols, space, xacro_thing(x, XACRO_SPACE, place.symbols),
                             XACRO_SET_NOW) ||
            !xacro_scope_set(x, at->macros, space, xacro_thing(x, XACRO_SPACE, place.macros),
                             XACRO_SET_NOW))
            return 0;
    }
    return include_pattern(x, path, &place, optional);
}

// ---- the other elements

static int take_condition(xacro *x, const xml_node *in, const xacro_place *at)
{
    const char *text = xacro_required(x, in, "value");
    int         truth = 0;
    xacro_warn_unknown(x, in, " value ");
    if (!text || !truth_of(x, text, at->symbols, &truth)) return 0;
    const xacro_place place = {at->symbols, at->macros, at->out, NULL};
    if (truth == (strcmp(in->tag, "xacro:if") == 0)) xacro_process_children(x, in, &place);
    return 1;
}

// One element, or (**) what is in it.
static int insert_block(xacro *x, const xml_node *in, const xacro_place *at)
{
    const char        *name = xacro_required(x, in, "name");
    const xacro_place  place = {at->symbols, at->macros, at->out, NULL};
    const xacro_entry *block = NULL;
    char               key[200];
    int                stars = 3;
    xacro_warn_unknown(x, in, " name ");
    if (!name) return 0;
    while (!block && --stars > 0) {
        snprintf(key, sizeof key, "%s%.190s", stars == 2 ? "**" : "*", name);
        block = xacro_scope_find(at->symbols, key, NULL);
    }
    if (!block || block->value->kind != XACRO_BLOCK)
        return xacro_why(x, "there is no block '%.80s'", name), 0;
    if (stars == 2)
        xacro_process_children(x, block->value->thing, &place);
    else
        process_element(x, block->value->thing, &place);
    return 1;
}

static int take_element(xacro *x, const xml_node *in, const xacro_place *at)
{
    const char *tag = xacro_eval_required(x, in, "xacro:name", at->symbols);
    xml_node   *named = tag && *tag ? xacro_take(x, sizeof *named) : NULL;
    if (tag && !*tag) xacro_why(x, "the name is empty");
    if (!named) return 0;
    *named = *in;
    named->tag = tag;
    process_element(x, named, at);
    return 1;
}

static int take_attribute(xacro *x, const xml_node *in, const xacro_place *at)
{
    const char *name = xacro_eval_required(x, in, "name", at->symbols);
    const char *value = name ? xacro_eval_required(x, in, "value", at->symbols) : NULL;
    if (!value) return 0;
    if (!*name) return xacro_why(x, "the name is empty"), 0;
    if (at->of != in->parent) return 1; // within a macro or condition it is lost, as in xacro
    return xml_node_set(&x->tree, at->out, name, value);
}

static const struct {
    const char *tag;
    int (*take)(xacro *x, const xml_node *in, const xacro_place *at);
} handlers[] = {
    {"xacro:property", take_property},    {"xacro:arg", take_argument},
    {"xacro:macro", xacro_take_macro},    {"xacro:include", take_include},
    {"xacro:if", take_condition},         {"xacro:unless", take_condition},
    {"xacro:insert_block", insert_block}, {"xacro:element", take_element},
    {"xacro:attribute", take_attribute},  {"xacro:call", xacro_call_by_name},
};

static int is_dropped(const char *attribute)
{
    return strncmp(attribute, "xacro:", 6) == 0 || strcmp(attribute, "xmlns:xacro") == 0;
}

static int eval_attributes(xacro *x, const xml_node *in, xacro_scope *symbols, xml_node *out)
{
    out->attributes = xacro_take(x, (size_t)(in->attribute_count + 1) * sizeof *out->attributes);
    if (!out->attributes) return 0;
    for (int i = 0; i < in->attribute_count; i++) {
        const xml_attribute *a = &in->attributes[i];
        if (is_dropped(a->name)) continue;
        const xacro_value *v = xacro_eval_text(x, a->value, symbols);
        const char        *text = v ? xacro_string(x, v) : NULL;
        if (!text) return 0;
        out->attributes[out->attribute_count++] = (xml_attribute){a->name, text, 0};
    }
    return 1;
}

static void process_plain(xacro *x, const xml_node *in, const xacro_place *at)
{
    xml_node *out = xacro_new_node(x, in->tag, in);
    if (!out) return xacro_tell(x, in);
    if (at->out)
        xml_node_append(at->out, out);
    else
        x->tree.root = out;
    if (!eval_attributes(x, in, at->symbols, out)) xacro_tell(x, in);
    const xml_node   *of = in->first ? in->first->parent : in; // <xacro:element> has another name
    const xacro_place inner = {at->symbols, at->macros, out, of};
    xacro_process_children(x, in, &inner);
}

static void process_element(xacro *x, const xml_node *in, const xacro_place *at)
{
    if (++x->depth > XACRO_MAX_DEPTH && !x->ended) {
        xacro_too_large(x,
                        "macros, includes and elements are nested deeper than 300: is one within "
                        "itself?");
        xacro_tell(x, in);
    }
    size_t i = 0;
    if (x->ended) {
        x->depth--;
        return;
    }
    while (i < sizeof handlers / sizeof *handlers && strcmp(handlers[i].tag, in->tag) != 0)
        i++;
    x->why[0] = 0;
    int ok = 1;
    if (i < sizeof handlers / sizeof *handlers)
        ok = handlers[i].take(x, in, at);
    else if (strncmp(in->tag, "xacro:", 6) == 0)
        ok = xacro_call_macro(x, in, in->tag + 6, at);
    else
        process_plain(x, in, at);
    if (!ok) xacro_tell(x, in);
    x->depth--;
}

static void process_text(xacro *x, const xml_node *in, const xacro_place *at)
{
    x->why[0] = 0;
    const xacro_value *v = xacro_eval_text(x, in->text, at->symbols);
    const char        *text = v ? xacro_string(x, v) : NULL;
    xml_node          *out = text ? xacro_new_node(x, "", in) : NULL;
    if (!out) return xacro_tell(x, in->parent);
    out->text = text;
    if (at->out) xml_node_append(at->out, out);
}

void xacro_process_children(xacro *x, const xml_node *in, const xacro_place *at)
{
    for (const xml_node *c = in->first; c && !x->ended; c = c->next)
        if (*c->tag)
            process_element(x, c, at);
        else
            process_text(x, c, at);
}

// ---- all of it

// NAME:=VALUE NAME:=VALUE ...: a value goes on to the next NAME:=.
static int take_given(xacro *x)
{
    const char *p = x->arguments ? x->arguments : "";
    for (p += strspn(p, " "); *p;) {
        const char *sign = strstr(p, ":="), *next = sign ? strstr(sign + 2, ":=") : NULL;
        if (!sign) return 1;
        while (next && next > sign + 2 && *next != ' ')
            next--;
        const char *end = next && *next == ' ' ? next : p + strlen(p);
        const char *name = xacro_copy(x, p, (size_t)(sign - p));
        const char *value = xacro_copy(x, sign + 2, (size_t)(end - sign - 2));
        if (!name || !value ||
            !xacro_scope_set(x, &x->given, name, xacro_word(x, value), XACRO_SET_RAW))
            return 0;
        p = end + strspn(end, " ");
    }
    return 1;
}

arne_status xacro_expand(reader *r, const char *text, size_t size, const char *arguments,
                         xml_tree *out)
{
    xacro    *x = calloc(1, sizeof *x);
    xml_node *root = NULL;
    *out = (xml_tree){0};
    if (!x) return arne_fail_memory(r->error);
    x->reader = r;
    x->file = r->file;
    x->arguments = arguments;
    xacro_scope *symbols = xacro_scope_new(x, NULL, 0), *macros = xacro_scope_new(x, NULL, 0);
    if (symbols && macros && take_given(x)) root = xacro_parse_file(x, r->file, text, size);
    if (root) {
        const xacro_place place = {symbols, macros, NULL, NULL};
        const char       *space = xml_node_get(root, "xacro:targetNamespace");
        process_plain(x, root, &place);
        if (x->tree.root && space && !xml_node_set(&x->tree, x->tree.root, "xmlns", space))
            x->status = arne_fail_memory(r->error);
    } else if (!x->status) {
        x->status = ARNE_NO_MEMORY;
    }
    const arne_status status = x->status;
    *out = x->tree;
    free(x);
    return status;
}

arne_status xacro_read(reader *r, const char *text, size_t size)
{
    xml_tree    tree = {0};
    arne_status status = xacro_expand(r, text, size, r->arguments, &tree);
    if (status)
        r->builder->incomplete = 1;
    else if (r->printed)
        xacro_print(r->printed, tree.root);
    else
        status = urdf_read_tree(r, tree.root);
    xml_tree_free(&tree);
    return status;
}

// ---- printing

static void print_escaped(buffer *out, const char *text)
{
    for (; *text; text++) {
        const char *as = *text == '&'   ? "&amp;"
                         : *text == '<' ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
        put_bytes(out, as ? as : text, as ? strlen(as) : 1);
    }
}

static void print_node(buffer *out, const xml_node *node, int depth)
{
    const int only_text = node->first && !node->first->next && !*node->first->tag;
    put(out, "%*s", 2 * depth, "");
    if (!*node->tag) {
        print_escaped(out, node->text);
        put(out, "\n");
        return;
    }
    put(out, "<%s", node->tag);
    for (int i = 0; i < node->attribute_count; i++) {
        put(out, " %s=\"", node->attributes[i].name);
        print_escaped(out, node->attributes[i].value);
        put(out, "\"");
    }
    put(out, !node->first ? "/>\n" : only_text ? ">" : ">\n");
    if (only_text) print_escaped(out, node->first->text);
    for (const xml_node *c = only_text ? NULL : node->first; c; c = c->next)
        print_node(out, c, depth + 1);
    if (node->first) put(out, "%*s</%s>\n", only_text ? 0 : 2 * depth, "", node->tag);
}

void xacro_print(buffer *out, const xml_node *root)
{
    put(out, "<?xml version=\"1.0\" ?>\n");
    print_node(out, root, 0);
}

// Macros of xacro: their parameters, and calls with attributes, blocks and defaults.
#include "io/formats/xacro.h"

#include <string.h>

typedef struct xacro_parameter {
    const char *name;
    const char *otherwise; // the text of its default; NULL: none
    int         forward;   // ^: the caller's value, if there is one
} xacro_parameter;

typedef struct xacro_macro {
    const xml_node  *body;
    int              count;
    xacro_parameter *parameters;
} xacro_macro;

// One of "a", "a:=1", "a=^", "a:='x y'", "*a": *p moves behind it. Blanks within quotes and ${}
// belong to a default.
static int next_parameter(xacro *x, const char **p, xacro_parameter *out)
{
    const char *start = *p + strspn(*p, " \t\r\n"), *end = start + strcspn(start, " \t\r\n:=");
    *out = (xacro_parameter){.name = xacro_copy(x, start, (size_t)(end - start))};
    *p = end;
    if (*end != ':' && *end != '=') return out->name != NULL;
    end += *end == ':';
    end += *end == '=';
    out->forward = *end == '^';
    end += out->forward;
    end += out->forward && *end == '|';
    char within = 0;
    for (start = end; *end && (within || !strchr(" \t\r\n", *end)); end++)
        within = within         ? (*end == within ? 0 : within)
                 : *end == '\'' ? '\''
                 : *end == '{'  ? '}'
                                : 0;
    *p = end;
    if (end > start) out->otherwise = xacro_copy(x, start, (size_t)(end - start));
    return out->name && (end == start || out->otherwise);
}

int xacro_take_macro(xacro *x, const xml_node *in, const xacro_place *at)
{
    const char  *name = xacro_required(x, in, "name"), *p = xml_node_get(in, "params");
    xacro_macro *macro = xacro_take(x, sizeof *macro);
    xacro_warn_unknown(x, in, " name params ");
    if (!name || !macro) return 0;
    if (strncmp(name, "xacro:", 6) == 0) name += 6;
    if (strcmp(name, "call") == 0 || strchr(name, '.'))
        return xacro_why(x, "a macro must not be called 'call' or have a '.' in its name"), 0;
    p = p ? p : "";
    macro->body = in;
    macro->parameters = xacro_take(x, (strlen(p) / 2 + 1) * sizeof *macro->parameters);
    if (!macro->parameters) return 0;
    while (p[strspn(p, " \t\r\n")]) {
        const char *before = p;
        if (!next_parameter(x, &p, &macro->parameters[macro->count++])) return 0;
        if (p == before || !*macro->parameters[macro->count - 1].name)
            return xacro_why(x, "params is not understood at '%.40s'", before), 0;
    }
    return xacro_scope_set(x, at->macros, name, xacro_thing(x, XACRO_MACRO, macro), XACRO_SET_RAW);
}

// NAME, or SPACE.SPACE.NAME: the scopes become those of the space.
static const xacro_macro *find_macro(const char *name, xacro_place *at)
{
    const xacro_entry *e = xacro_scope_find(at->macros, name, NULL);
    while (!e) {
        char         space[100];
        const size_t size = strcspn(name, ".");
        if (name[size] != '.' || size >= sizeof space) return NULL;
        memcpy(space, name, size);
        space[size] = 0;
        const xacro_entry *m = xacro_scope_find(at->macros, space, NULL);
        const xacro_entry *s = xacro_scope_find(at->symbols, space, NULL);
        if (!m || m->value->kind != XACRO_SPACE || !s || s->value->kind != XACRO_SPACE) return NULL;
        at->macros = (xacro_scope *)m->value->thing;
        at->symbols = (xacro_scope *)s->value->thing;
        name += size + 1;
        e = xacro_scope_find(at->macros, name, NULL);
    }
    return e->value->kind == XACRO_MACRO ? e->value->thing : NULL;
}

static int has_parameter(const xacro_macro *macro, const char *name)
{
    for (int i = 0; i < macro->count; i++)
        if (strcmp(macro->parameters[i].name, name) == 0) return 1;
    return 0;
}

static int is_skipped(const xml_node *in, const char *attribute)
{
    return strncmp(attribute, "xmlns", 5) == 0 ||
           (strcmp(in->tag, "xacro:call") == 0 && strcmp(attribute, "macro") == 0);
}

static int take_attributes(xacro *x, const xml_node *in, const xacro_macro *macro,
                           xacro_scope *symbols, xacro_scope *inner)
{
    for (int i = 0; i < in->attribute_count; i++) {
        const xml_attribute *a = &in->attributes[i];
        if (is_skipped(in, a->name)) continue;
        if (!has_parameter(macro, a->name) || *a->name == '*')
            return xacro_why(x, "the macro of line %d has no parameter '%.80s'", macro->body->line,
                             a->name),
                   0;
        if (!xacro_scope_set(x, inner, a->name, xacro_eval_text(x, a->value, symbols),
                             XACRO_SET_NOW))
            return 0;
    }
    return 1;
}

const xml_node *xacro_next_element(const xml_node *node)
{
    while (node && !*node->tag)
        node = node->next;
    return node;
}

xml_node *xacro_new_node(xacro *x, const char *tag, const xml_node *place)
{
    xml_node *node = xacro_step(x) ? xacro_take(x, sizeof *node) : NULL;
    if (node)
        *node = (xml_node){.tag = tag,
                           .file = place->file,
                           .text = "",
                           .line = place->line,
                           .column = place->column};
    return node;
}

// The elements within a call, worked out where the call stands, are its blocks.
static int take_blocks(xacro *x, const xml_node *in, const xacro_macro *macro,
                       const xacro_place *at, xacro_scope *inner)
{
    xml_node *blocks = xacro_new_node(x, in->tag, in);
    if (!blocks) return 0;
    const xacro_place place = {at->symbols, at->macros, blocks, NULL};
    const int         before = x->mistakes;
    xacro_process_children(x, in, &place);
    if (x->ended || x->mistakes > before) return x->why[0] = 0, 0;
    const xml_node *block = xacro_next_element(blocks->first);
    for (int i = 0; i < macro->count; i++) {
        const char *name = macro->parameters[i].name;
        if (*name != '*') continue;
        if (!block) return xacro_why(x, "the block '%s' is missing", name), 0;
        if (!xacro_scope_set(x, inner, name, xacro_thing(x, XACRO_BLOCK, block), XACRO_SET_NOW))
            return 0;
        block = xacro_next_element(block->next);
    }
    if (block)
        return xacro_why(x, "<%.80s> is a block that the macro does not take", block->tag), 0;
    return 1;
}

static int take_defaults(xacro *x, const xacro_macro *macro, xacro_scope *symbols,
                         xacro_scope *inner)
{
    for (int i = 0; i < macro->count; i++) {
        const xacro_parameter *p = &macro->parameters[i];
        const xacro_value     *v = NULL;
        xacro_scope           *holder = NULL;
        if (*p->name == '*' || (xacro_scope_find(inner, p->name, &holder) && holder == inner))
            continue;
        if (p->forward && xacro_scope_find(symbols, p->name, NULL))
            v = xacro_scope_value(x, symbols, p->name);
        else if (p->otherwise)
            v = xacro_eval_text(x, p->otherwise, symbols);
        else
            xacro_why(x,
                      p->forward ? "there is no property '%.80s' to forward"
                                 : "the parameter '%.80s' is missing",
                      p->name);
        if (!v || !xacro_scope_set(x, inner, p->name, v, XACRO_SET_NOW)) return 0;
    }
    return 1;
}

int xacro_call_macro(xacro *x, const xml_node *in, const char *name, const xacro_place *at)
{
    xacro_place        place = *at;
    const xacro_macro *macro = find_macro(name, &place);
    if (!macro) return xacro_why(x, "there is no macro '%.80s'", name), 0;
    xacro_scope *inner = xacro_scope_new(x, place.symbols, 0);
    xacro_scope *macros = inner ? xacro_scope_new(x, place.macros, 0) : NULL;
    if (!macros || !take_attributes(x, in, macro, place.symbols, inner) ||
        !take_blocks(x, in, macro, &place, inner) || !take_defaults(x, macro, place.symbols, inner))
        return 0;
    const xacro_place body = {inner, macros, at->out, NULL};
    const xml_node   *caller = x->caller;
    x->caller = in;
    xacro_process_children(x, macro->body, &body);
    x->caller = caller;
    return 1;
}

int xacro_call_by_name(xacro *x, const xml_node *in, const xacro_place *at)
{
    const char *name = xacro_eval_required(x, in, "macro", at->symbols);
    return name ? xacro_call_macro(x, in, name, at) : 0;
}

// Expressions of xacro: the part of Python's grammar that robot packages use.
//
//     test    = or [ "if" or "else" test ]
//     or      = and { "or" and };  and = not { "and" not };  not = "not" not | compare
//     compare = sum { ("<" | ... | "in" | "not in" | "is" | "is not") sum }
//     sum     = term { ("+" | "-") term };  term = factor { ("*" | "/" | "//" | "%") factor }
//     factor  = ("+" | "-") factor | postfix [ "**" factor ]
//     postfix = atom { "." name | "(" arguments ")" | "[" index "]" }
#include "io/formats/xacro.h"

#include "base/plain.h"
#include <stdlib.h>
#include <string.h>

typedef struct xacro_parser {
    xacro      *x;
    const char *at;
    int         depth;
} xacro_parser;

static xacro_node *parse_test(xacro_parser *p);
static xacro_node *parse_or(xacro_parser *p);
static xacro_node *parse_factor(xacro_parser *p);

static void parse_space(xacro_parser *p)
{
    while (*p->at && strchr(" \t\r\n", *p->at))
        p->at++;
}

static xacro_node *parse_fail(xacro_parser *p)
{
    if (!p->x->why[0])
        xacro_why(p->x, *p->at ? "'%.40s' is not understood" : "it ends too early%s", p->at);
    return NULL;
}

static xacro_node *parse_node(xacro_parser *p, xacro_operation operation, xacro_node *a,
                              xacro_node *b, xacro_node *c)
{
    xacro_node *const below[] = {a, b, c};
    xacro_node       *node = xacro_step(p->x) ? xacro_take(p->x, sizeof *node) : NULL;
    if (!node) return NULL;
    *node = (xacro_node){.operation = operation, .a = a, .b = b, .c = c, .depth = 1};
    for (int i = 0; i < 3; i++)
        if (below[i] && below[i]->depth >= node->depth) node->depth = below[i]->depth + 1;
    if (node->depth > XACRO_MAX_EXPRESSION)
        return xacro_why(p->x, "the expression is nested deeper than %d", XACRO_MAX_EXPRESSION);
    return node;
}

static int xacro_parse_is_letter(char c)
{
    return plain_is_name(c) || c == '_' || (unsigned char)c >= 0x80;
}

static int parse_symbol(xacro_parser *p, const char *symbol)
{
    const size_t size = strlen(symbol);
    parse_space(p);
    if (strncmp(p->at, symbol, size) != 0) return 0;
    if (xacro_parse_is_letter(*symbol) && xacro_parse_is_letter(p->at[size])) return 0;
    p->at += size;
    return 1;
}

static const char *parse_name(xacro_parser *p)
{
    size_t size = 0;
    parse_space(p);
    while (xacro_parse_is_letter(p->at[size]))
        size++;
    if (size == 0 || plain_is_digit(*p->at)) return NULL;
    const char *name = xacro_copy(p->x, p->at, size);
    if (name && strncmp(name, "__", 2) == 0)
        return xacro_why(p->x, "the name '%s' must not be used", name);
    p->at += size;
    return name;
}

// ---- atoms

static xacro_node *parse_constant(xacro_parser *p, const xacro_value *value)
{
    xacro_node *node = value ? parse_node(p, XACRO_CONSTANT, NULL, NULL, NULL) : NULL;
    if (node) node->value = value;
    return node;
}

static xacro_node *parse_number(xacro_parser *p)
{
    size_t    size = 0;
    long long i = 0;
    double    f = 0;
    while (plain_is_name(p->at[size]) || p->at[size] == '.' || p->at[size] == '_' ||
           ((p->at[size] == '+' || p->at[size] == '-') && (p->at[size - 1] | 0x20) == 'e'))
        size++;
    const char *text = xacro_copy(p->x, p->at, size);
    if (!text) return NULL;
    if (xacro_parse_int(text, &i))
        p->at += size;
    else if (!strpbrk(text, ".eE"))
        return xacro_why(p->x, "%.40s is no int of 64 bits", text);
    else if (!xacro_parse_float(text, &f))
        return parse_fail(p);
    else
        return p->at += size, parse_constant(p, xacro_float(p->x, f));
    return parse_constant(p, xacro_int(p->x, i));
}

// One string; texts side by side are one.
static int parse_quoted(xacro_parser *p, buffer *out)
{
    const int  raw = *p->at == 'r' || *p->at == 'R';
    const char quote = *(p->at += *p->at != '\'' && *p->at != '"');
    for (p->at++; *p->at && *p->at != quote; p->at++) {
        static const char codes[] = "n\nt\tr\r\\\\'\'\"\"";
        const char       *code = NULL;
        if (*p->at == '\\' && !raw)
            for (code = codes; *code && *code != p->at[1]; code += 2)
                ;
        if (code && !*code)
            return xacro_why(p->x, "'\\%c' in a text is not understood", p->at[1]), 0;
        put_bytes(out, code ? code + 1 : p->at, 1);
        p->at += code != NULL;
    }
    if (!*p->at) return xacro_why(p->x, "a text has no closing quote"), 0;
    p->at++;
    parse_space(p);
    return 1;
}

static int starts_text(const char *p)
{
    p += *p && strchr("uUrR", *p) != NULL;
    return *p == '\'' || *p == '"';
}

static xacro_node *parse_text(xacro_parser *p)
{
    buffer out = {0};
    int    ok = 1;
    while (ok && starts_text(p->at))
        ok = parse_quoted(p, &out);
    const char *text = xacro_written(p->x, &out);
    return ok && text ? parse_constant(p, xacro_word(p->x, text)) : NULL;
}

// What follows the first item of a list: for NAME in LIST [if CONDITION].
static xacro_node *parse_each(xacro_parser *p, xacro_node *item)
{
    const char *name = parse_name(p);
    if (!name || !parse_symbol(p, "in")) return parse_fail(p);
    xacro_node *in = parse_or(p), *condition = NULL;
    if (!in) return NULL;
    if (parse_symbol(p, "if") && !(condition = parse_or(p))) return NULL;
    xacro_node *node = parse_node(p, XACRO_EACH, item, in, condition);
    if (node) node->name = name;
    return node;
}

// NAME = of an argument with a keyword; NULL where it has none.
static const char *parse_keyword(xacro_parser *p)
{
    const char *start = p->at, *name = parse_name(p);
    parse_space(p);
    if (name && *p->at == '=' && p->at[1] != '=') return p->at++, name;
    p->at = start;
    p->x->why[0] = 0;
    return NULL;
}

// Items up to `end`; what holds them has them as its list. *commas says how many there were.
static int parse_items(xacro_parser *p, const char *end, int is_call, xacro_node *holder,
                       int *commas)
{
    xacro_node **last = &holder->list;
    *commas = 0;
    while (!parse_symbol(p, end)) {
        const char *keyword = is_call ? parse_keyword(p) : NULL;
        xacro_node *item = parse_test(p);
        if (item && !keyword && !*commas && parse_symbol(p, "for")) item = parse_each(p, item);
        if (!item) return 0;
        if (item->depth >= holder->depth) holder->depth = item->depth + 1;
        xacro_node *entry = parse_node(p, XACRO_PLUS, item, NULL, NULL);
        if (!entry) return 0;
        entry->name = keyword;
        *last = entry;
        last = &entry->next;
        if (parse_symbol(p, ","))
            ++*commas;
        else if (!parse_symbol(p, end))
            return parse_fail(p), 0;
        else
            break;
    }
    return 1;
}

// A list that was given by a comprehension is its only item.
static xacro_node *parse_bracket(xacro_parser *p, const char *end, xacro_operation operation)
{
    int         commas = 0;
    xacro_node *node = parse_node(p, operation, NULL, NULL, NULL);
    if (!node || !parse_items(p, end, 0, node, &commas)) return NULL;
    if (node->list && !commas &&
        (operation == XACRO_ITEMS_TUPLE || node->list->a->operation == XACRO_EACH))
        return node->list->a;
    return node;
}

static xacro_node *parse_atom(xacro_parser *p)
{
    parse_space(p);
    if (plain_is_digit(*p->at) || (*p->at == '.' && plain_is_digit(p->at[1])))
        return parse_number(p);
    if (starts_text(p->at)) return parse_text(p);
    if (parse_symbol(p, "(")) return parse_bracket(p, ")", XACRO_ITEMS_TUPLE);
    if (parse_symbol(p, "[")) return parse_bracket(p, "]", XACRO_ITEMS_LIST);
    if (parse_symbol(p, "True")) return parse_constant(p, xacro_bool(p->x, 1));
    if (parse_symbol(p, "False")) return parse_constant(p, xacro_bool(p->x, 0));
    if (parse_symbol(p, "None")) return parse_constant(p, xacro_none(p->x));
    static const char *const words[] = {"lambda", "if", "else", "for",   "in",    "is",
                                        "and",    "or", "not",  "await", "yield", "import"};
    const char              *start = p->at;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (parse_symbol(p, words[i])) return p->at = start, parse_fail(p);
    const char *name = parse_name(p);
    xacro_node *node = name ? parse_node(p, XACRO_NAME, NULL, NULL, NULL) : parse_fail(p);
    if (node) node->name = name;
    return node;
}

// [INDEX] or [FROM:TO]
static xacro_node *parse_index(xacro_parser *p, xacro_node *of)
{
    xacro_node *from = NULL, *to = NULL;
    if (!parse_symbol(p, ":")) {
        if (!(from = parse_test(p))) return NULL;
        if (parse_symbol(p, "]")) return parse_node(p, XACRO_INDEX, of, from, NULL);
        if (!parse_symbol(p, ":")) return parse_fail(p);
    }
    if (parse_symbol(p, "]")) return parse_node(p, XACRO_SLICE, of, from, NULL);
    if (!(to = parse_test(p)) || !parse_symbol(p, "]")) return parse_fail(p);
    return parse_node(p, XACRO_SLICE, of, from, to);
}

static xacro_node *parse_postfix(xacro_parser *p)
{
    xacro_node *node = parse_atom(p);
    while (node) {
        int commas = 0;
        if (parse_symbol(p, ".")) {
            const char *name = parse_name(p);
            node = name ? parse_node(p, XACRO_ATTRIBUTE, node, NULL, NULL) : parse_fail(p);
            if (node) node->name = name;
        } else if (parse_symbol(p, "(")) {
            node = parse_node(p, XACRO_CALL, node, NULL, NULL);
            if (node && !parse_items(p, ")", 1, node, &commas)) node = NULL;
        } else if (parse_symbol(p, "[")) {
            node = parse_index(p, node);
        } else {
            break;
        }
    }
    return node;
}

// ---- operators

static xacro_node *parse_power(xacro_parser *p)
{
    xacro_node *base = parse_postfix(p), *exponent = NULL;
    if (!base || !parse_symbol(p, "**")) return base;
    return (exponent = parse_factor(p)) ? parse_node(p, XACRO_POWER, base, exponent, NULL) : NULL;
}

static xacro_node *parse_factor(xacro_parser *p)
{
    if (++p->depth > XACRO_MAX_EXPRESSION)
        return xacro_why(p->x, "the expression is nested deeper than %d", XACRO_MAX_EXPRESSION);
    xacro_node     *node = NULL;
    xacro_operation sign = parse_symbol(p, "-")   ? XACRO_NEGATE
                           : parse_symbol(p, "+") ? XACRO_PLUS
                                                  : XACRO_CONSTANT;
    if (sign == XACRO_CONSTANT)
        node = parse_power(p);
    else if ((node = parse_factor(p)))
        node = parse_node(p, sign, node, NULL, NULL);
    p->depth--;
    return node;
}

static xacro_node *parse_term(xacro_parser *p)
{
    xacro_node *node = parse_factor(p);
    while (node) {
        const xacro_operation operation = parse_symbol(p, "//")  ? XACRO_FLOOR
                                          : parse_symbol(p, "/") ? XACRO_DIVIDE
                                          : parse_symbol(p, "*") ? XACRO_MULTIPLY
                                          : parse_symbol(p, "%") ? XACRO_MODULO
                                                                 : XACRO_CONSTANT;
        if (operation == XACRO_CONSTANT) break;
        xacro_node *other = parse_factor(p);
        node = other ? parse_node(p, operation, node, other, NULL) : NULL;
    }
    return node;
}

static xacro_node *parse_sum(xacro_parser *p)
{
    xacro_node *node = parse_term(p);
    while (node) {
        const xacro_operation operation = parse_symbol(p, "+")   ? XACRO_ADD
                                          : parse_symbol(p, "-") ? XACRO_SUBTRACT
                                                                 : XACRO_CONSTANT;
        if (operation == XACRO_CONSTANT) break;
        xacro_node *other = parse_term(p);
        node = other ? parse_node(p, operation, node, other, NULL) : NULL;
    }
    return node;
}

static const char *parse_comparison(xacro_parser *p)
{
    static const char *const symbols[] = {"==", "!=", "<=", ">=", "<", ">", "in"};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (parse_symbol(p, symbols[i])) return symbols[i];
    if (parse_symbol(p, "is")) return parse_symbol(p, "not") ? "!=" : "==";
    const char *start = p->at;
    if (parse_symbol(p, "not") && parse_symbol(p, "in")) return "not in";
    p->at = start;
    return NULL;
}

static xacro_node *parse_compare(xacro_parser *p)
{
    xacro_node  *node = parse_sum(p);
    const char  *name = node ? parse_comparison(p) : NULL;
    xacro_node  *chain = name ? parse_node(p, XACRO_COMPARE, node, NULL, NULL) : NULL;
    xacro_node **last = chain ? &chain->list : NULL;
    if (!name) return node;
    for (; chain && name; name = parse_comparison(p)) {
        xacro_node *other = parse_sum(p);
        xacro_node *entry = other ? parse_node(p, XACRO_PLUS, other, NULL, NULL) : NULL;
        if (!entry) return NULL;
        if (entry->depth >= chain->depth) chain->depth = entry->depth + 1;
        entry->name = name;
        *last = entry;
        last = &entry->next;
    }
    return chain;
}

static xacro_node *parse_not(xacro_parser *p)
{
    int count = 0;
    while (parse_symbol(p, "not"))
        count++;
    xacro_node *node = parse_compare(p);
    for (; node && count > 0; count--)
        node = parse_node(p, XACRO_NOT, node, NULL, NULL);
    return node;
}

static xacro_node *parse_and(xacro_parser *p)
{
    xacro_node *node = parse_not(p), *other = NULL;
    while (node && parse_symbol(p, "and"))
        node = (other = parse_not(p)) ? parse_node(p, XACRO_AND, node, other, NULL) : NULL;
    return node;
}

static xacro_node *parse_or(xacro_parser *p)
{
    xacro_node *node = parse_and(p), *other = NULL;
    while (node && parse_symbol(p, "or"))
        node = (other = parse_and(p)) ? parse_node(p, XACRO_OR, node, other, NULL) : NULL;
    return node;
}

static xacro_node *parse_test(xacro_parser *p)
{
    if (++p->depth > XACRO_MAX_EXPRESSION)
        return xacro_why(p->x, "the expression is nested deeper than %d", XACRO_MAX_EXPRESSION);
    xacro_node *node = parse_or(p);
    if (node && parse_symbol(p, "if")) {
        xacro_node *condition = parse_or(p);
        if (condition && !parse_symbol(p, "else")) condition = parse_fail(p);
        xacro_node *otherwise = condition ? parse_test(p) : NULL;
        node = otherwise ? parse_node(p, XACRO_IF, node, condition, otherwise) : NULL;
    }
    p->depth--;
    return node;
}

const xacro_node *xacro_parse(xacro *x, const char *text)
{
    xacro_parser p = {.x = x, .at = text};
    x->why[0] = 0;
    xacro_node *node = parse_test(&p);
    parse_space(&p);
    return node && *p.at ? parse_fail(&p) : node;
}

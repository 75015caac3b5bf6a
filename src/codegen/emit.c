// A product or sum that is used once stands where it is used, in a parenthesis where needed: a * b
// + c in one expression is what compilers fuse. Everything else becomes a constant with a name, in
// the order of the recursion, which keeps few numbers alive at a time.
//
// A long function is cut into parts, each a function: x has the inputs, w the numbers that one part
// hands to later ones.
#include "codegen/emit.h"
#include <stdlib.h>

enum { MOST_LEAVES = 6, NONE = -1, IN_ANGLE = -2 };
// How long a part is, and a function that is cut into parts. A GPU has more registers.
enum { PART_STATEMENTS = 1000, LONG_STATEMENTS = 2000 };
enum { CUDA_PART_STATEMENTS = 1000, CUDA_LONG_STATEMENTS = 4000 };

typedef struct listing {
    buffer         *b;
    const emission *how;
    const tape     *t;
    const tape_ref *results;
    int             result_count;
    char           *needed, *inside; // inside: written where it is used
    int            *uses;
    int            *name;         // of a temporary or an angle; NONE
    int            *first, *next; // results that are this node
    int             angles, temporaries;
    int             together; // all angles at once, before everything else
    int             parts;    // 1: it is not cut
    int            *part;     // where a node is computed
    char           *shared;   // a later part needs it
    int             handed;   // how many of these there are
} listing;

static void put_type(const listing *l)
{
    if (l->how->lanes > 1)
        put(l->b, "%s_real", l->how->prefix);
    else
        put(l->b, "%s", l->how->is_float ? "float" : "double");
}

// ---- expressions ----

static void put_variable(listing *l, int number, const char *format)
{
    const array_info *in = l->how->in;
    while (number >= in->count)
        number -= in++->count;
    put(l->b, format, in->name, number);
}

static void put_variable_name(listing *l, int number)
{
    const array_info *in = l->how->in;
    while (number >= in->count)
        number -= in++->count;
    put(l->b, "%s", in->name);
}

// Where the lanes of an input begin.
static void put_variable_number(listing *l, int number)
{
    const array_info *in = l->how->in;
    while (number >= in->count)
        number -= in++->count;
    put(l->b, "%d", number * l->how->lanes);
}

static int is_sum(operation what) { return what == OP_ADD || what == OP_SUB; }

// Where it is inside an expression: the operation around it, and on which side.
static int needs_parentheses(operation what, operation around, int on_right)
{
    if (is_sum(around)) return is_sum(what) && on_right;
    if (around == OP_MUL) return is_sum(what) || on_right;
    return around == OP_DIV;
}

static void put_expression(listing *l, int node);

static void put_operand(listing *l, int node, operation around, int on_right)
{
    const tape_node *n = &l->t->nodes[node];
    if (n->what == OP_VARIABLE && l->parts > 1)
        put(l->b, "x[%d]", n->a);
    else if (n->what == OP_VARIABLE)
        put_variable(l, n->a, "%s%d");
    else if (n->what == OP_CONSTANT)
        put_number(l->b, n->value, l->how->is_float);
    else if (l->inside[node]) {
        const int enclose = needs_parentheses(n->what, around, on_right);
        put(l->b, "%s", enclose ? "(" : "");
        put_expression(l, node); // at most MOST_LEAVES deep
        put(l->b, "%s", enclose ? ")" : "");
    } else
        put(l->b, l->shared[node] ? "w[%d]" : "t%d", l->name[node]);
}

static void emit_put_call(listing *l, const char *function, int argument)
{
    if (l->how->lanes > 1)
        put(l->b, "%s_%s(", l->how->prefix, function);
    else
        put(l->b, "%s%s(", function, l->how->is_float ? "f" : "");
    put_operand(l, argument, OP_ADD, 0);
    put(l->b, ")");
}

static void put_trigonometry(listing *l, const tape_node *n)
{
    if (l->together)
        put(l->b, "%s[%d]", n->what == OP_SINE ? "sine" : "cosine", l->name[n->a]);
    else if (l->how->cuda)
        put(l->b, "%s%d", n->what == OP_SINE ? "sine" : "cosine", l->name[n->a]);
    else
        emit_put_call(l, n->what == OP_SINE ? "sin" : "cos", l->t->nodes[n->a].a);
}

static void put_sign(listing *l, int argument)
{
    const char *zero = l->how->is_float ? "0.0f" : "0.0";
    if (l->how->lanes > 1) {
        put(l->b, "%s_sign(", l->how->prefix);
        put_operand(l, argument, OP_ADD, 0);
        put(l->b, ")");
        return;
    }
    put(l->b, "(%s)((", l->how->is_float ? "float" : "double");
    put_operand(l, argument, OP_MUL, 0);
    put(l->b, " > %s) - (", zero);
    put_operand(l, argument, OP_MUL, 0);
    put(l->b, " < %s))", zero);
}

static void put_expression(listing *l, int node)
{
    static const char *const signs[] = {
        [OP_ADD] = " + ", [OP_SUB] = " - ", [OP_MUL] = " * ", [OP_DIV] = " / "};
    const tape_node *n = &l->t->nodes[node];
    switch (n->what) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
        put_operand(l, n->a, n->what, 0);
        put(l->b, "%s", signs[n->what]);
        put_operand(l, n->b, n->what, 1);
        break;
    case OP_SQRT:
        emit_put_call(l, "sqrt", n->a);
        break;
    case OP_SIGN:
        put_sign(l, n->a);
        break;
    case OP_SINE:
    case OP_COSINE:
        put_trigonometry(l, n);
        break;
    default:
        put_operand(l, node, OP_ADD, 0);
        break;
    }
}

// ---- statements ----

// The array of a result, whose number becomes that of its entry.
static const array_info *emit_array_of(const listing *l, int *result)
{
    const array_info *out = l->how->out;
    while (*result >= out->count)
        *result -= out++->count;
    return out;
}

static void put_target(listing *l, int result)
{
    const array_info *out = emit_array_of(l, &result);
    if (l->how->lanes > 1)
        put(l->b, "    *(%s_loose *)(%s + %d) = ", l->how->prefix, out->name,
            result * l->how->lanes);
    else
        put(l->b, "    %s[%d] = ", out->name, result);
}

// Zeros from result i on that stand side by side, where they are many: compilers of kernels take
// minutes for thousands of them one by one. Returns the last that is written; before i: none.
static int put_zeros(listing *l, int i)
{
    enum { MANY = 8 };
    int               entry = i, count = 1;
    const array_info *out = emit_array_of(l, &entry);
    while (l->next[i + count - 1] == i + count && entry + count < out->count)
        count++;
    if (count < MANY) return i - 1;
    put(l->b, "    _Pragma(\"unroll 1\") for (int i = %d; i < %d; i++) %s[i] = 0;\n", entry,
        entry + count, out->name);
    return i + count - 1;
}

static void put_results(listing *l, int node)
{
    const tape_node *n = &l->t->nodes[node];
    const int        loops = l->how->cuda && n->what == OP_CONSTANT && n->value == 0;
    for (int i = l->first[node]; i >= 0; i = l->next[i]) {
        const int last = loops ? put_zeros(l, i) : NONE;
        if (last >= i) {
            i = last;
            continue;
        }
        put_target(l, i);
        if (l->how->lanes > 1 && l->t->nodes[node].what == OP_CONSTANT)
            put(l->b, "(%s_real){0} %s ", l->how->prefix, l->results[i] & 1 ? "-" : "+");
        else
            put(l->b, "%s", l->results[i] & 1 ? "-" : "");
        put_operand(l, node, l->results[i] & 1 ? OP_MUL : OP_ADD, l->results[i] & 1);
        put(l->b, ";\n");
    }
}

// Sine and cosine of one angle in one call, where the first of them is needed.
static void put_pair(listing *l, int angle)
{
    if (l->name[angle] >= 0) return;
    const int i = l->name[angle] = l->angles++;
    put(l->b, "    real sine%d, cosine%d;\n    real_sincos(", i, i);
    put_operand(l, l->t->nodes[angle].a, OP_ADD, 0);
    put(l->b, ", &sine%d, &cosine%d);\n", i, i);
}

static void put_statement(listing *l, int node)
{
    const operation what = l->t->nodes[node].what;
    if (l->inside[node] && l->first[node] < 0) return;
    if (what == OP_VARIABLE || what == OP_CONSTANT || what == OP_SINCOS) return;
    if (!l->inside[node] && l->name[node] < 0) {
        if (l->how->cuda && !l->together && (what == OP_SINE || what == OP_COSINE))
            put_pair(l, l->t->nodes[node].a);
        l->name[node] = l->shared[node] ? l->handed++ : l->temporaries++;
        put(l->b, l->shared[node] ? "    " : "    const ");
        if (!l->shared[node]) put_type(l);
        put(l->b, l->shared[node] ? "w[%d] = " : " t%d = ", l->name[node]);
        put_expression(l, node);
        put(l->b, ";\n");
    }
    put_results(l, node);
}

// Arrays of which this robot has no use.
static void put_unused(listing *l)
{
    int first = 0;
    for (int k = 0; k < l->how->in_count; k++) {
        const int end = first + l->how->in[k].count;
        int       used = 0;
        for (int i = 0; i < l->t->count; i++) {
            const tape_node *n = &l->t->nodes[i];
            used |= l->needed[i] && n->what == OP_VARIABLE && n->a >= first && n->a < end;
        }
        if (!used) put(l->b, "    (void)%s;\n", l->how->in[k].name);
        first = end;
    }
    for (int k = 0; k < l->how->out_count; k++)
        if (!l->how->out[k].count) put(l->b, "    (void)%s;\n", l->how->out[k].name);
}

static void put_load(listing *l, int number)
{
    if (l->how->lanes > 1) {
        put(l->b, "*(const %s_loose *)(", l->how->prefix);
        put_variable_name(l, number);
        put(l->b, " + ");
        put_variable_number(l, number);
        put(l->b, ")");
    } else
        put_variable(l, number, "%s[%d]");
}

static void emit_put_loads(listing *l)
{
    for (int i = 0; i < l->t->count; i++) {
        if (!l->needed[i] || l->t->nodes[i].what != OP_VARIABLE) continue;
        const int number = l->t->nodes[i].a;
        put(l->b, "    const ");
        put_type(l);
        put_variable(l, number, " %s%d = ");
        put_load(l, number);
        put(l->b, ";\n");
    }
}

// All of them, in their order.
static void put_array_of_loads(listing *l)
{
    const int count = total_count(l->how->in, l->how->in_count);
    put(l->b, "    const ");
    put_type(l);
    put(l->b, " x[%d] = {", count ? count : 1);
    for (int i = 0; i < count; i++) {
        put(l->b, "%s", !i ? "" : i % 8 ? ", " : ",\n        ");
        put_load(l, i);
    }
    put(l->b, "%s};\n", count ? "" : "0");
}

// What angles are made of, which are inputs or linear in them, then all of them at once.
static void put_angles(listing *l)
{
    const tape *t = l->t;
    for (int i = 0; i < t->count; i++)
        if (l->needed[i] && t->nodes[i].what == OP_SINCOS) l->name[i] = l->angles++;
    if (!l->angles) return;
    const char *p = l->how->prefix;
    put(l->b, "    const ");
    put_type(l);
    put(l->b, " angle[%s_ANGLES(%d)] = {", p, l->angles);
    for (int i = 0; i < t->count; i++) {
        if (!l->needed[i] || t->nodes[i].what != OP_SINCOS) continue;
        put(l->b, "%s", l->name[i] ? ", " : "");
        put_operand(l, t->nodes[i].a, OP_ADD, 0);
    }
    put(l->b, "};\n    ");
    put_type(l);
    put(l->b, " sine[%s_ANGLES(%d)], cosine[%s_ANGLES(%d)];\n", p, l->angles, p, l->angles);
    const char *type = l->how->is_float ? "float" : "double";
    if (l->how->lanes > 1)
        put(l->b,
            "    %s_sincos(%d, (const %s *)(const void *)angle, (%s *)(void *)sine, (%s *)(void "
            "*)cosine);\n",
            p, l->angles * l->how->lanes, type, type, type);
    else
        put(l->b, "    %s_sincos(%s_ANGLES(%d), angle, sine, cosine);\n", p, p, l->angles);
}

// ---- what goes where ----

static void count_uses(listing *l)
{
    for (int i = 0; i < l->t->count; i++) {
        const tape_node *n = &l->t->nodes[i];
        l->name[i] = l->first[i] = NONE;
        if (!l->needed[i] || n->what == OP_VARIABLE) continue;
        if (n->a >= 0) l->uses[n->a] += n->what == OP_SIGN ? 2 : 1; // a sign asks twice
        if (n->b >= 0) l->uses[n->b]++;
    }
    for (int i = l->result_count - 1; i >= 0; i--) {
        const int node = l->results[i] / 2;
        l->uses[node]++;
        l->next[i] = l->first[node];
        l->first[node] = i;
    }
}

// Angles are written before everything else, so what they are made of is always inside.
static void choose_inside(listing *l, int *leaves)
{
    const tape *t = l->t;
    for (int i = 0; i < t->count; i++) {
        const tape_node *n = &t->nodes[i];
        leaves[i] = 1;
        if (n->what != OP_ADD && n->what != OP_SUB && n->what != OP_MUL) continue;
        const int a = l->inside[n->a] ? leaves[n->a] : 1, b = l->inside[n->b] ? leaves[n->b] : 1;
        leaves[i] = a + b;
        l->inside[i] = (char)(l->uses[i] == 1 && leaves[i] <= MOST_LEAVES);
    }
    for (int i = t->count - 1; i >= 0; i--) {
        const tape_node *n = &t->nodes[i];
        if (!l->needed[i] || (n->what != OP_SINCOS && leaves[i] != IN_ANGLE)) continue;
        if (n->what == OP_VARIABLE || n->what == OP_CONSTANT) continue;
        if (n->what != OP_SINCOS) l->inside[i] = 1;
        leaves[n->a] = IN_ANGLE;
        if (n->b >= 0) leaves[n->b] = IN_ANGLE;
    }
}

// ---- parts ----

static int is_statement(const listing *l, int node)
{
    const operation what = l->t->nodes[node].what;
    return l->needed[node] && !l->inside[node] && what != OP_VARIABLE && what != OP_CONSTANT &&
           what != OP_SINCOS;
}

// Whether something is written at its place: a statement, or a result that is an expression.
static int is_written(const listing *l, int node)
{
    return is_statement(l, node) || (l->needed[node] && l->inside[node] && l->first[node] >= 0);
}

static void share(listing *l, int operand, int part)
{
    if (operand >= 0 && is_statement(l, operand) && l->part[operand] != part)
        l->shared[operand] = 1;
}

// Statements stay in their order; what is inside belongs to where it is used.
static void plan_parts(listing *l)
{
    const tape *t = l->t;
    int         count = 0;
    for (int i = 0; i < t->count; i++)
        count += is_statement(l, i);
    const int most = l->how->cuda ? CUDA_LONG_STATEMENTS : LONG_STATEMENTS,
              each = l->how->cuda ? CUDA_PART_STATEMENTS : PART_STATEMENTS;
    l->parts = count > most ? (count + each - 1) / each : 1;
    l->together = l->how->polynomial || (l->how->cuda && l->parts > 1);
    for (int i = 0, at = 0; i < t->count; i++) {
        l->part[i] = NONE;
        if (is_written(l, i)) l->part[i] = at < count ? at * l->parts / count : l->parts - 1;
        at += is_statement(l, i);
    }
    for (int i = t->count - 1; i >= 0 && l->parts > 1; i--) {
        const tape_node *n = &t->nodes[i];
        if (!l->needed[i] || n->what <= OP_CONSTANT || n->what == OP_SINCOS) continue;
        const int own[2] = {n->a, n->what == OP_SINE || n->what == OP_COSINE ? NONE : n->b};
        for (int k = 0; k < 2; k++) {
            share(l, own[k], l->part[i]);
            if (own[k] >= 0 && l->inside[own[k]] && l->part[own[k]] < l->part[i])
                l->part[own[k]] = l->part[i];
        }
    }
}

static void put_part_head(listing *l, int part)
{
    const emission *h = l->how;
    put(l->b, "static %svoid %s_%s_part%d(const ", h->cuda ? "__device__ __noinline__ " : "",
        h->prefix, h->word, part);
    put_type(l);
    put(l->b, " *x, ");
    if (l->together && l->angles) {
        put(l->b, "const ");
        put_type(l);
        put(l->b, " *sine, const ");
        put_type(l);
        put(l->b, " *cosine, ");
    }
    put_type(l);
    put(l->b, " *w");
    for (int i = 0; i < h->out_count; i++)
        if (h->cuda)
            put(l->b, ", out_%s %s", h->out[i].name, h->out[i].name);
        else
            put(l->b, ", %s *%s", h->is_float ? "float" : "double", h->out[i].name);
    put(l->b, ")\n{\n    (void)x;\n    (void)w;\n");
    if (l->together && l->angles) put(l->b, "    (void)sine;\n    (void)cosine;\n");
    for (int i = 0; i < h->out_count; i++)
        put(l->b, "    (void)%s;\n", h->out[i].name);
}

static void put_part_call(listing *l, int part)
{
    const emission *h = l->how;
    put(l->b, "    %s_%s_part%d(x, %sw", h->prefix, h->word, part,
        l->together && l->angles ? "sine, cosine, " : "");
    for (int i = 0; i < h->out_count; i++)
        put(l->b, ", %s", h->out[i].name);
    put(l->b, ");\n");
}

static void write_parts(listing *l, buffer *before)
{
    buffer *body = l->b;
    put_array_of_loads(l);
    if (l->together) put_angles(l);
    l->b = before;
    for (int p = 0, i = 0; p < l->parts; p++) {
        put_part_head(l, p);
        l->temporaries = 0;
        for (; i < l->t->count && !(is_written(l, i) && l->part[i] > p); i++)
            if (l->needed[i]) put_statement(l, i);
        put(l->b, "}\n\n");
    }
    l->b = body;
    put(l->b, "    ");
    put_type(l);
    put(l->b, " w[%d];\n", l->handed ? l->handed : 1);
    for (int p = 0; p < l->parts; p++)
        put_part_call(l, p);
}

static void write_listing(listing *l, int *leaves, buffer *before)
{
    tape_mark(l->t, l->results, l->result_count, l->needed);
    count_uses(l);
    choose_inside(l, leaves);
    plan_parts(l);
    if (l->parts > 1)
        write_parts(l, before);
    else {
        put_unused(l);
        emit_put_loads(l);
        if (l->together) put_angles(l);
        for (int i = 0; i < l->t->count; i++)
            if (l->needed[i]) put_statement(l, i);
    }
    for (int i = 0; i < l->t->count; i++) // results that are inputs or constants
        if (l->first[i] >= 0 && l->t->nodes[i].what <= OP_CONSTANT) put_results(l, i);
}

arne_status emit_body(buffer *b, buffer *before, const emission *how, const tape *t,
                      const tape_ref *results, arne_operation_counts *counts)
{
    const size_t n = (size_t)t->count + 1, m = (size_t)total_count(how->out, how->out_count);
    listing      l = {.b = b, .how = how, .t = t, .results = results, .result_count = (int)m};
    int         *numbers = calloc(5 * n + m + 1, sizeof *numbers);
    char        *flags = calloc(3 * n, 1);
    if (numbers && flags) {
        l.uses = numbers;
        l.name = numbers + n;
        l.first = numbers + 2 * n;
        l.part = numbers + 4 * n;
        l.next = numbers + 5 * n;
        l.needed = flags;
        l.inside = flags + n;
        l.shared = flags + 2 * n;
        write_listing(&l, numbers + 3 * n, before);
        *counts = tape_count_marked(t, l.needed);
    }
    const int fine = numbers && flags && !b->failed && !before->failed;
    free(numbers);
    free(flags);
    return fine ? ARNE_OK : ARNE_NO_MEMORY;
}

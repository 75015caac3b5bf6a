// An operation is recorded where it has an operand that is not a constant, is not settled by an
// exact zero or one, and is not on the tape already:
//     0 x = 0,  1 x = x,  -1 x = -x,  x + 0 = x,  x - x = 0,  0 / x = 0,  x / 1 = x,  a (b x) = (a
//               b) x
// Signs are moved outward, from operands to the result, so that x - y and y - x are one operation,
// as are x y and -x y.
#define ARNE_RECORD
#include "codegen/tape.h"
#include "math/real.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

tape *tape_new(void) { return calloc(1, sizeof(tape)); }

void tape_free(tape *t)
{
    if (!t) return;
    free(t->nodes);
    free(t->slots);
    free(t);
}

// ---- the list and its index ----

static uint64_t tape_hash_of(const tape_node *n)
{
    uint64_t bits;
    memcpy(&bits, &n->value, sizeof bits);
    bits ^= (uint64_t)(unsigned)n->a * 0x9e3779b97f4a7c15u;
    bits ^= (uint64_t)(unsigned)n->b * 0xbf58476d1ce4e5b9u + (uint64_t)n->what;
    bits = (bits ^ (bits >> 30)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

// Bit for bit: -0 is not 0 here.
static int same_node(const tape_node *m, const tape_node *n)
{
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    const int same_value = memcmp(&m->value, &n->value, sizeof m->value) == 0;
    return m->what == n->what && m->a == n->a && m->b == n->b && same_value;
}

// The slot that has this operation, or the free one where it belongs.
static int *tape_find_slot(const tape *t, const tape_node *n)
{
    const uint64_t mask = (uint64_t)t->slot_count - 1;
    uint64_t       at = tape_hash_of(n) & mask;
    while (t->slots[at] >= 0 && !same_node(&t->nodes[t->slots[at]], n))
        at = (at + 1) & mask;
    return &t->slots[at];
}

// Room for one more, with a power of two slots, at most half of them taken.
static int tape_make_room(tape *t)
{
    if (t->count < t->room) return 1;
    const int  room = t->room ? 2 * t->room : 1024;
    tape_node *nodes = realloc(t->nodes, sizeof *nodes * (size_t)room);
    if (!nodes) return 0;
    t->nodes = nodes;
    int *slots = malloc(sizeof *slots * 2 * (size_t)room);
    if (!slots) return 0;
    free(t->slots);
    t->slots = slots;
    t->slot_count = 2 * room;
    t->room = room;
    for (int i = 0; i < t->slot_count; i++)
        slots[i] = -1;
    for (int i = 0; i < t->count; i++)
        *tape_find_slot(t, &t->nodes[i]) = i;
    return 1;
}

static int record(tape *t, operation what, int a, int b, double value)
{
    const tape_node entry = {what, a, b, value};
    if (t->failed || !tape_make_room(t)) {
        t->failed = 1;
        return -1;
    }
    int *slot = tape_find_slot(t, &entry);
    if (*slot < 0) {
        *slot = t->count;
        t->nodes[t->count++] = entry;
    }
    return *slot;
}

// ---- reals ----

static int is_constant(real x) { return !x.tape; }
static int is_exactly(real x, double value) { return is_constant(x) && x.value == value; }

real r_num(double x)
{
    const real constant = {x, NULL, -1};
    return constant;
}

// Without memory the value becomes a constant; the result is not used.
static real made(tape *t, int node, int negative, double value)
{
    const real x = {value, t, 2 * node + negative};
    return node < 0 ? r_num(value) : x;
}

real tape_variable(tape *t, double value)
{
    return made(t, record(t, OP_VARIABLE, t->variables++, -1, 0), 0, value);
}

tape_ref tape_reference(tape *t, real x)
{
    if (!is_constant(x)) return x.node;
    const int node = record(t, OP_CONSTANT, -1, -1, fabs(x.value));
    return node < 0 ? 0 : 2 * node + (x.value < 0);
}

// The value of a node is not kept; only constants are ever evaluated.
real tape_number(tape *t, int node)
{
    const tape_node *n = &t->nodes[node];
    return n->what == OP_CONSTANT ? r_num(n->value) : made(t, node, 0, 0.5);
}

real tape_sine_derivative(tape *t, int node)
{
    const tape_node n = t->nodes[node];
    const int       sine = n.what == OP_SINE;
    return made(t, record(t, sine ? OP_COSINE : OP_SINE, n.a, -1, 0), !sine, 0.5);
}

int r_is_zero(real x) { return is_exactly(x, 0); }

static tape *tape_of(real a, real b) { return a.tape ? a.tape : b.tape; }

static real tape_record_one(operation what, real a, double value)
{
    if (is_constant(a)) return r_num(value);
    return made(a.tape, record(a.tape, what, a.node / 2, -1, 0), 0, value);
}

// ---- the operations of real.h ----

real r_neg(real a)
{
    a.value = -a.value;
    if (!is_constant(a)) a.node ^= 1;
    return a;
}

real r_add(real a, real b)
{
    const double value = a.value + b.value;
    if (is_constant(a) && is_constant(b)) return r_num(value);
    if (is_exactly(a, 0)) return b;
    if (is_exactly(b, 0)) return a;
    tape    *t = tape_of(a, b);
    tape_ref x = tape_reference(t, a), y = tape_reference(t, b);
    if (x == (y ^ 1)) return r_num(0);
    if (x > y) {
        const tape_ref swap = x;
        x = y;
        y = swap;
    }
    const operation what = (x ^ y) & 1 ? OP_SUB : OP_ADD;
    return made(t, record(t, what, x / 2, y / 2, 0), x & 1, value);
}

real r_sub(real a, real b) { return r_add(a, r_neg(b)); }

// The constant factor of a product that was recorded, or NULL; the other one is *rest.
static const tape_node *tape_factor_of(real x, int *rest)
{
    const tape_node *n = &x.tape->nodes[x.node / 2], *nodes = x.tape->nodes;
    if (n->what != OP_MUL) return NULL;
    const int first = nodes[n->a].what == OP_CONSTANT;
    if (!first && nodes[n->b].what != OP_CONSTANT) return NULL;
    *rest = first ? n->b : n->a;
    return &nodes[first ? n->a : n->b];
}

static real scaled(double by, real x)
{
    int              rest = -1;
    const tape_node *own = tape_factor_of(x, &rest);
    if (own) {
        const real inner = {x.value / own->value, x.tape, 2 * rest + (x.node & 1)};
        return r_mul(r_num(by * own->value), inner);
    }
    tape          *t = x.tape;
    const tape_ref c = tape_reference(t, r_num(by));
    const int      first = c / 2 < x.node / 2;
    const int      node = record(t, OP_MUL, (first ? c : x.node) / 2, (first ? x.node : c) / 2, 0);
    return made(t, node, (c ^ x.node) & 1, by * x.value);
}

real r_mul(real a, real b)
{
    const double value = a.value * b.value;
    if (is_constant(a) && is_constant(b)) return r_num(value);
    if (is_exactly(a, 0) || is_exactly(b, 0)) return r_num(0);
    if (is_exactly(a, 1)) return b;
    if (is_exactly(b, 1)) return a;
    if (is_exactly(a, -1)) return r_neg(b);
    if (is_exactly(b, -1)) return r_neg(a);
    if (is_constant(a)) return scaled(a.value, b);
    if (is_constant(b)) return scaled(b.value, a);
    const int x = a.node / 2, y = b.node / 2, first = x < y;
    return made(a.tape, record(a.tape, OP_MUL, first ? x : y, first ? y : x, 0),
                (a.node ^ b.node) & 1, value);
}

real r_div(real a, real b)
{
    const double value = a.value / b.value;
    if (is_constant(a) && is_constant(b)) return r_num(value);
    if (is_exactly(a, 0)) return a;
    if (is_exactly(b, 1)) return a;
    if (is_exactly(b, -1)) return r_neg(a);
    tape          *t = tape_of(a, b);
    const tape_ref x = tape_reference(t, a), y = tape_reference(t, b);
    return made(t, record(t, OP_DIV, x / 2, y / 2, 0), (x ^ y) & 1, value);
}

// Of a negated number this is 0 minus it: no text takes the root of one.
real r_sqrt(real a)
{
    const double value = sqrt(a.value);
    if (!is_constant(a) && (a.node & 1)) {
        tape     *t = a.tape;
        const int zero = record(t, OP_CONSTANT, -1, -1, 0);
        a = made(t, zero < 0 ? -1 : record(t, OP_SUB, zero, a.node / 2, 0), 0, a.value);
    }
    return tape_record_one(OP_SQRT, a, value);
}

real r_sign(real a)
{
    const double value = (double)((a.value > 0) - (a.value < 0));
    real         s = tape_record_one(OP_SIGN, a, value);
    if (!is_constant(s)) s.node ^= a.node & 1;
    return s;
}

void r_sincos_many(int count, const real *x, real *s, real *c)
{
    for (int i = 0; i < count; i++) {
        const real angle = x[i], both = tape_record_one(OP_SINCOS, angle, 0);
        s[i] = tape_record_one(OP_SINE, both, 0);
        c[i] = tape_record_one(OP_COSINE, both, 0);
        s[i].value = sin(angle.value);
        c[i].value = cos(angle.value);
        if (!is_constant(s[i])) s[i].node ^= angle.node & 1;
    }
}

void r_sincos_shift(real *s, real *c, double by)
{
    const real shift = r_num(atan2(s->value, c->value) + by);
    if (is_constant(*s)) {
        r_sincos_many(1, &shift, s, c);
        return;
    }
    tape      *t = s->tape;
    const int  both = t->nodes[s->node / 2].a;
    const real angle = {shift.value - by, t, 2 * t->nodes[both].a + (s->node & 1)},
               larger = r_add(angle, r_num(by));
    r_sincos_many(1, &larger, s, c);
}

// ---- counting ----

void tape_mark(const tape *t, const tape_ref *results, int count, char *needed)
{
    for (int i = 0; i < count; i++)
        needed[results[i] / 2] = 1;
    for (int i = t->count - 1; i >= 0; i--) { // operands come before what is made of them
        const tape_node *n = &t->nodes[i];
        if (!needed[i] || n->what == OP_VARIABLE) continue;
        if (n->a >= 0) needed[n->a] = 1;
        if (n->b >= 0) needed[n->b] = 1;
    }
}

operation_counts tape_count_marked(const tape *t, const char *needed)
{
    operation_counts sum = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < t->count; i++) {
        const operation what = t->nodes[i].what;
        if (!needed[i]) continue;
        sum.add += what == OP_ADD || what == OP_SUB;
        sum.mul += what == OP_MUL;
        sum.div += what == OP_DIV;
        sum.sqrt += what == OP_SQRT;
        sum.sign += what == OP_SIGN;
        sum.sincos += what == OP_SINCOS;
    }
    return sum;
}

operation_counts tape_count(const tape *t, const real *results, int count)
{
    operation_counts sum = {0, 0, 0, 0, 0, 0};
    tape_ref        *refs = malloc(sizeof *refs * ((size_t)count + 1));
    char            *needed = calloc((size_t)t->count + 1, 1);
    int              own = 0;
    if (refs && needed && !t->failed) {
        for (int i = 0; i < count; i++)
            if (!is_constant(results[i])) refs[own++] = results[i].node;
        tape_mark(t, refs, own, needed);
        sum = tape_count_marked(t, needed);
    }
    free(needed);
    free(refs);
    return sum;
}

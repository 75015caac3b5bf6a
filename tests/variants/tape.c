// An operation is recorded where it has an operand that is not a constant and is not settled by an
// exact zero or one:
//     0 x = 0,  1 x = x,  -1 x = -x,  x + 0 = x,  0 / x = 0,  x / 1 = x
#include "tape.h"
#include "math/real.h"
#include <stdlib.h>

typedef enum operation {
    OP_VARIABLE,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_NEG,
    OP_SQRT,
    OP_SIGN,
    OP_SINE,
    OP_COSINE, // of the angle of the sine that is its operand
} operation;

// Operands that are constants are -1.
typedef struct node {
    operation what;
    int       a, b;
} node;

struct tape {
    node *nodes;
    int   count, capacity;
};

// Out of memory a test has nothing left to say.
static void *or_abort(void *memory)
{
    if (!memory) abort();
    return memory;
}

struct tape *tape_new(void) { return or_abort(calloc(1, sizeof(struct tape))); }

void tape_free(struct tape *t)
{
    if (t) free(t->nodes);
    free(t);
}

static int is_constant(real x) { return !x.tape; }
static int is_exactly(real x, double value) { return is_constant(x) && x.value == value; }

static real record(struct tape *t, operation what, int a, int b, double value)
{
    const real x = {value, t, t->count};
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 1024;
        t->nodes = or_abort(realloc(t->nodes, sizeof *t->nodes * (size_t)t->capacity));
    }
    const node entry = {what, a, b};
    t->nodes[t->count++] = entry;
    return x;
}

static real record_one(operation what, real a, double value)
{
    return is_constant(a) ? r_num(value) : record(a.tape, what, a.node, -1, value);
}

static real record_two(operation what, real a, real b, double value)
{
    if (is_constant(a) && is_constant(b)) return r_num(value);
    return record(a.tape ? a.tape : b.tape, what, a.tape ? a.node : -1, b.tape ? b.node : -1,
                  value);
}

real tape_variable(struct tape *t, double value) { return record(t, OP_VARIABLE, -1, -1, value); }

// ---- the operations of real.h ----

real r_num(double x)
{
    const real constant = {x, NULL, -1};
    return constant;
}

real r_neg(real a) { return record_one(OP_NEG, a, -a.value); }

real r_add(real a, real b)
{
    if (is_exactly(a, 0)) return b;
    if (is_exactly(b, 0)) return a;
    return record_two(OP_ADD, a, b, a.value + b.value);
}

real r_sub(real a, real b)
{
    if (is_exactly(a, 0)) return r_neg(b);
    if (is_exactly(b, 0)) return a;
    return record_two(OP_SUB, a, b, a.value - b.value);
}

real r_mul(real a, real b)
{
    if (is_exactly(a, 0) || is_exactly(b, 0)) return r_num(0);
    if (is_exactly(a, 1)) return b;
    if (is_exactly(b, 1)) return a;
    if (is_exactly(a, -1)) return r_neg(b);
    if (is_exactly(b, -1)) return r_neg(a);
    return record_two(OP_MUL, a, b, a.value * b.value);
}

real r_div(real a, real b)
{
    if (is_exactly(a, 0) && !is_exactly(b, 0)) return a;
    if (is_exactly(b, 1)) return a;
    if (is_exactly(b, -1)) return r_neg(a);
    return record_two(OP_DIV, a, b, a.value / b.value);
}

real r_sqrt(real a) { return record_one(OP_SQRT, a, sqrt(a.value)); }

real r_sign(real a) { return record_one(OP_SIGN, a, (double)((a.value > 0) - (a.value < 0))); }

void r_sincos_many(int count, const real *x, real *s, real *c)
{
    for (int i = 0; i < count; i++) {
        const real angle = x[i];
        s[i] = record_one(OP_SINE, angle, sin(angle.value));
        c[i] = record_one(OP_COSINE, s[i], cos(angle.value));
    }
}

// ---- counting ----

static void count_operation(operation_counts *sum, operation what)
{
    sum->add += what == OP_ADD || what == OP_SUB;
    sum->mul += what == OP_MUL;
    sum->div += what == OP_DIV;
    sum->sqrt += what == OP_SQRT;
    sum->sign += what == OP_SIGN;
    sum->sincos += what == OP_SINE;
}

operation_counts tape_count(const struct tape *t, const real *results, int count)
{
    operation_counts sum = {0, 0, 0, 0, 0, 0};
    char            *needed = or_abort(calloc((size_t)t->count + 1, 1));
    for (int i = 0; i < count; i++)
        if (!is_constant(results[i])) needed[results[i].node] = 1;
    for (int i = t->count - 1; i >= 0; i--) { // operands come before what is made of them
        const node *n = &t->nodes[i];
        if (!needed[i]) continue;
        if (n->a >= 0) needed[n->a] = 1;
        if (n->b >= 0) needed[n->b] = 1;
        count_operation(&sum, n->what);
    }
    free(needed);
    return sum;
}

// Forward differentiation of a recording. d[i] is the derivative of node i by one variable:
//     d(a + b) = da + db          d(a b) = da b + a db       d(a / b) = (da - (a / b) db) / b
//     d sqrt(a) = da / (2 sqrt(a))   d sin(a) = cos(a) da    d cos(a) = -sin(a) da   d sign(a) = 0
// Derivatives are recorded on the same tape: what does not depend on the variable is an exact zero
// and vanishes, and what two derivatives share is recorded once.
#define ARNE_RECORD
#include "codegen/tape_derivative.h"
#include "math/real.h"
#include <stdlib.h>

static real derivative_of(tape *t, int node, const real *d)
{
    const tape_node n = t->nodes[node]; // a copy: recording moves the list
    const real      self = tape_number(t, node);
    switch (n.what) {
    case OP_ADD:
        return r_add(d[n.a], d[n.b]);
    case OP_SUB:
        return r_sub(d[n.a], d[n.b]);
    case OP_MUL:
        return r_add(r_mul(d[n.a], tape_number(t, n.b)), r_mul(tape_number(t, n.a), d[n.b]));
    case OP_DIV:
        return r_div(r_sub(d[n.a], r_mul(self, d[n.b])), tape_number(t, n.b));
    case OP_SQRT:
        return r_div(r_mul(r_num(0.5), d[n.a]), self);
    case OP_SINCOS:
        return d[n.a];
    case OP_SINE:
    case OP_COSINE:
        return r_mul(d[n.a], tape_sine_derivative(t, node));
    default: // constants, signs, other variables
        return r_num(0);
    }
}

arne_status tape_differentiate(tape *t, int variable, const tape_ref *results, int count,
                               tape_ref *out)
{
    const int nodes = t->count;
    real     *d = malloc(sizeof *d * ((size_t)nodes + 1));
    char     *needed = calloc((size_t)nodes + 1, 1);
    if (!d || !needed) {
        free(d);
        free(needed);
        return ARNE_NO_MEMORY;
    }
    tape_mark(t, results, count, needed);
    for (int i = 0; i < nodes; i++) {
        const tape_node n = t->nodes[i];
        if (n.what == OP_VARIABLE)
            d[i] = r_num(n.a == variable);
        else if (needed[i])
            d[i] = derivative_of(t, i, d);
    }
    for (int i = 0; i < count; i++) {
        const real x = d[results[i] / 2];
        out[i] = r_is_zero(x) ? TAPE_ZERO : tape_reference(t, results[i] & 1 ? r_neg(x) : x);
    }
    free(d);
    free(needed);
    return t->failed ? ARNE_NO_MEMORY : ARNE_OK;
}

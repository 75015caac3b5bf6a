// The recording arithmetic: a list of operations without repetition, and how many of them its
// results need.
#ifndef ARNE_CODEGEN_TAPE_H
#define ARNE_CODEGEN_TAPE_H

#include <arne/codegen.h>

struct real;

typedef arne_operation_counts operation_counts;

typedef enum operation {
    OP_VARIABLE, // a: its number
    OP_CONSTANT, // value, never negative
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_SQRT,
    OP_SIGN,
    OP_SINCOS, // of the angle a; sine and cosine are taken from it
    OP_SINE,
    OP_COSINE
} operation;

// Operands a and b are nodes, always before their use; -1: none.
typedef struct tape_node {
    operation what;
    int       a, b;
    double    value;
} tape_node;

// A signed node: 2 node, and 1 more where it is negated. So a change of sign is no operation.
typedef int tape_ref;

typedef struct tape {
    tape_node *nodes;
    int        count, room;
    int       *slots; // where each operation is, by its hash; -1: free
    int        slot_count;
    int        variables;
    int        failed; // there was no memory: what was recorded since is worthless
} tape;

// NULL where there is no memory.
tape *tape_new(void);
void  tape_free(tape *t);
// A number that is not known before the code runs. Variables are numbered from 0.
struct real tape_variable(tape *t, double value);
// A result of the recording as a node; a constant becomes one.
tape_ref tape_reference(tape *t, struct real x);

// A node as a number, and the derivative of the sine or cosine that a node is by its angle: for
// those who record more.
struct real tape_number(tape *t, int node);
struct real tape_sine_derivative(tape *t, int node);
// Whether it is a constant zero.
int r_is_zero(struct real x);

// Marks in needed[t->count], which is zeroed before, what these results are made of.
void             tape_mark(const tape *t, const tape_ref *results, int count, char *needed);
operation_counts tape_count_marked(const tape *t, const char *needed);
// The operations that these results need; those without use are not counted. Zero where there is no
// memory.
operation_counts tape_count(const tape *t, const struct real *results, int count);

#endif

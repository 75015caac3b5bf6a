// The linear systems of an interior point method, in the variables alone.
//
// A step of the method solves
//
//     [ H    .   C^T  J^T ] [x]        H  Hessian with what bounds add to its diagonal
//     [ .    S   .    -1  ] [s]        S  the same of slacks, a diagonal matrix
//     [ C    .   -e   .   ] [y]        C  Jacobian of equalities
//     [ J   -1   .    -d  ] [z]        J  Jacobian of inequalities
//
// with small e and d. A slack s_i and the multiplier z_i of its row meet no other slack or row:
// they are taken out as a pivot of two rows, and leave w_i J_i^T J_i with w = S / (1 + S d). What
// is left has as many rows as there are variables and equalities; LAPACK factors it as a dense
// matrix. Rows with entries in the same columns are taken out together.
//
// Pairs are found by the pattern alone: a row with one entry beside the diagonal, in a later
// column.
#ifndef ARNE_PLAN_SOLVE_CONDENSE_H
#define ARNE_PLAN_SOLVE_CONDENSE_H

// Where things are in the arrays below.
typedef struct condensed {
    int  isa; // by isa_index
    int  n, entries, rest, pairs, groups;
    int *target;                // of every entry: its place in the numbers
    int *slack, *row;           // of every pair
    int *variable;              // of every row of the rest
    int *first_pair;            // of every group, and the end
    int *first_column, *column; // of every group, and the end; of the rest
    int  numbers;               // the rest, three of every pair, and the entries of its row
    int  widest;                // the columns of the widest group, a multiple of 8
} condensed;

// The numbers that condense_pattern needs, in keep and in room; what lies in keep afterwards can be
// had again by condense_open.
int  condense_keep(int n, int entries);
int  condense_room(int n);
void condense_pattern(int n, int entries, const int *row, const int *column, int *keep, int *room);
condensed condense_open(int *keep);

// A count as whole vectors of eight.
static inline int condense_rounded(int count) { return (count + 7) / 8 * 8; }

// The length of a column of the rest: whole vectors, so that loops may run beyond row n.
static inline int condense_stride(int n) { return condense_rounded(n) + 8; }

// Numbers for each row of the rest that LAPACK's factorisation may use: its widest panel.
enum { CONDENSE_PANEL = 64 };

// Lengths of `numbers` and `whole` below.
long condense_numbers(const condensed *c);
int  condense_whole(const condensed *c);

// The first half of a factorisation: takes the pairs out of the matrix of these values. The rest is
// left at the start of `numbers`: the lower triangle of a matrix of c->rest rows, in columns of
// condense_stride numbers. Returns the negative eigenvalues of the pairs, or -1: one is singular.
int condense_reduce(const condensed *c, const double *values, double *numbers);

// Solving, before and after the rest's own solution: the right-hand side of the rest from that of
// all rows, then slacks and multipliers in `full` from the solution x of the rest.
void condense_begin(const condensed *c, double *numbers, const double *full, double *x);
void condense_end(const condensed *c, double *numbers, const double *x, double *full);

// ---- src/modules/ipopt/condense_lapack.c: with LAPACK's factors of the rest

// Factors the matrix of these values. The number of negative eigenvalues, or -1 where it is
// singular.
int condense_factor(const condensed *c, const double *values, double *numbers, int *whole);

// x becomes the solution.
void condense_solve(const condensed *c, double *numbers, int *whole, double *x);

#endif

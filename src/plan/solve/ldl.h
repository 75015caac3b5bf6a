// Factors of a dense symmetric matrix that need not be definite.
#ifndef ARNE_PLAN_SOLVE_LDL_H
#define ARNE_PLAN_SOLVE_LDL_H

enum { LDL_PANEL = 32 }; // columns that are factored before the rest is updated

// The length of a column of a matrix of n rows: those below row n are room for whole vectors.
static inline int ldl_stride(int n) { return (n + 7) / 8 * 8 + 8; }

// A matrix of n rows, its lower triangle in columns of ldl_stride(n) numbers. Those from row n on
// are 0; the upper triangle is overwritten.
typedef struct ldl_matrix {
    int     isa, n; // isa: by isa_index
    double *A;
    int    *order, *kinds; // n each: row i of the factors is row order[i] of A; see below
    double *room;          // LDL_PANEL columns
} ldl_matrix;

// A = P^T L D L^T P in place, with blocks of one and two rows in D: kinds are 1, or 2 and 0. The
// number of negative eigenvalues, or -1 where A is singular.
int ldl_factor(const ldl_matrix *m);

// x = A^-1 x
void ldl_solve(const ldl_matrix *m, double *x);

#endif

// Small dense solves outside the recursions: Cholesky and elimination, row-major, in place.
#ifndef ARNE_MATH_DENSE_H
#define ARNE_MATH_DENSE_H

// A = L L^T in the lower part of A. Returns 0 where A is not positive definite to within `part` of
// its diagonal.
int dense_factor(int n, double *A, double part);
// x = A^-1 x
void dense_solve(int n, const double *L, double *x);
// X = A^-1 X for n rows of `columns`, by elimination with pivots; A is overwritten. Returns 0 where
// A is singular: where a pivot is not above `part` of the largest entry of its row.
int dense_eliminate(int n, double *A, int columns, double *X, double part);
// Jacobi's rotations: a symmetric A becomes diagonal, and the columns of V its axes. Entries of the
// size of rounding turn nothing: a matrix that is diagonal keeps its axes.
void dense_diagonalise3(double A[3][3], double V[3][3]);
// For qsort: numbers in rising order.
int dense_rising(const void *a, const void *b);

#endif

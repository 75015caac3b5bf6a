// Small dense solves outside the recursions: Cholesky, row-major, in place.
#ifndef ARNE_MATH_DENSE_H
#define ARNE_MATH_DENSE_H

// A = L L^T in the lower part of A. Returns 0 where A is not positive definite to within `part` of
// its diagonal.
int dense_factor(int n, double *A, double part);
// x = A^-1 x
void dense_solve(int n, const double *L, double *x);

#endif

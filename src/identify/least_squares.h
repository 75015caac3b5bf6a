// A dense least squares problem, small: what is left after all rows became triangles.
#ifndef ARNE_IDENTIFY_LEAST_SQUARES_H
#define ARNE_IDENTIFY_LEAST_SQUARES_H

// Minimises |A x - b|: A is rows x columns by columns and becomes R in its upper part, b becomes
// Q^T b. Columns must be independent. Returns 0 where one is zero.
int least_squares(int rows, int columns, double *A, double *b, double *x);
// (R^T R)^-1, columns x columns, from what least_squares left. scratch: columns squared.
void inverse_gram(int rows, int columns, const double *R, double *out, double *scratch);

#endif

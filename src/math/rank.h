// Small dense factorisations that show the rank: QR with column pivoting, singular values,
// semidefinite LDL^T. Row-major, in place, in memory of the caller.
#ifndef ARNE_MATH_RANK_H
#define ARNE_MATH_RANK_H

// A P = Q R by Householder reflections. Columns that `late` marks (NULL: none) are taken only when
// the others are used up; among those that may be taken the longest is next, until what is left of
// all is below part times the longest column of A.
typedef struct dense_qr {
    int rows, columns, rank;
    int most,
        most_early; // the rank, and its part that is not late, where they are known from elsewhere
    int     early;  // how many of the rank are columns that are not late
    double *A;      // rows x columns: R above the diagonal, reflections below
    double *scale;  // columns: of the reflections
    double *diagonal; // columns: of R
    int    *pivot;    // columns: which column of A stands here; from `rank` on in ascending order
    double  largest, smallest; // on the diagonal
    double  left;              // the longest column that is left, of those that are early
} dense_qr;

void dense_qr_factor(dense_qr *f, const unsigned char *late, double part);
// x = Q^T x and x = Q x, over the first `rank` reflections.
void dense_qr_transposed(const dense_qr *f, double *x);
void dense_qr_multiply(const dense_qr *f, double *x);
// x = R^-1 x and x = R^-T x, over the leading rank x rank part.
void dense_qr_back(const dense_qr *f, double *x);
void dense_qr_forward(const dense_qr *f, double *x);

// Singular values of a matrix in no order, and its right singular vectors V. Matrices are by
// columns: A holds `columns` of `rows` entries each and becomes the left vectors times the values;
// V holds `columns` vectors of as many entries. One-sided Jacobi rotations: small values are as
// accurate as large ones.
void dense_singular(int rows, int columns, double *A, double *values, double *V);

// A = L D L^T of a positive semidefinite matrix of known rank, with pivoting: row pivot[i] of A is
// row i of L, whose diagonal of ones is not kept: the inverses of D are there. Returns the number
// of steps made before nothing above part of the largest pivot was left.
int dense_semidefinite_factor(int n, int rank, double part, double *A, int *pivot);
// A solution of A x = b with zeros beyond the rank; b is overwritten by x. `scratch` has n entries.
void dense_semidefinite_solve(int n, int rank, const double *L, const int *pivot, double *b,
                              double *scratch);

#endif

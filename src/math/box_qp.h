// A quadratic program with bounds.
#ifndef ARNE_MATH_BOX_QP_H
#define ARNE_MATH_BOX_QP_H

// Minimises 1/2 d^T H d + g^T d over lower <= d <= upper from d. H n x n, row-major. free_set:
// which entries are inside. Returns 0 where H is not positive definite on them. room: n (n + 3)
// numbers.
int box_qp(int n, const double *H, const double *g, const double *lower, const double *upper,
           double *d, unsigned char *free_set, double *room);

#endif

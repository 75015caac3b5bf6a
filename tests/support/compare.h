// Comparisons by one rule, "relative": max|a - b| <= tolerance * max(1, max|b|) over the array.
//
// A failure names the robot, the quantity, the state and the worst entry. NaN never passes.
#ifndef TEST_COMPARE_H
#define TEST_COMPARE_H

#include "random.h"

#include <arne/arne.h>
#include <stddef.h>

void close_at(const state *s, const char *quantity, const double *a, const double *b, int count,
              double tolerance, const char *file, int line);
void same_at(const state *s, const char *quantity, const void *a, const void *b, size_t bytes,
             double tolerance, const char *file, int line);
// For direct-type quantities: the tolerance grows with the condition of M, by max(1, 1e-4 cond(M)).
void direct_close_at(const state *s, const char *quantity, const double *a, const double *b,
                     int count, double tolerance, const double *M, const char *file, int line);
void status_at(arne_status status, arne_status wanted, const arne_error *error, const char *file,
               int line);

#define assert_close(s, quantity, a, b, count, tolerance)                                          \
    close_at(s, quantity, a, b, count, tolerance, __FILE__, __LINE__)
#define assert_direct_close(s, quantity, a, b, count, tolerance, M)                                \
    direct_close_at(s, quantity, a, b, count, tolerance, M, __FILE__, __LINE__)
// For one number, a vector, a motion, a wrench or a pose: everything that is made of doubles.
#define assert_same(s, quantity, a, b, tolerance)                                                  \
    same_at(s, quantity, &(a), &(b), sizeof(a), tolerance, __FILE__, __LINE__)

#define assert_ok(status) status_at(status, ARNE_OK, NULL, __FILE__, __LINE__)
#define assert_ok_or(status, error) status_at(status, ARNE_OK, error, __FILE__, __LINE__)
#define assert_status(status, wanted) status_at(status, wanted, NULL, __FILE__, __LINE__)

// max|a - b| / max(1, max|b|).
double relative_error(const double *a, const double *b, int count);
// Ratio of the largest and the smallest eigenvalue of a symmetric matrix, by Jacobi's rotations.
// Infinite where the smallest is not positive.
double condition(const double *M, int count);
// M x, for matrices in rows.
void   multiply(const double *M, const double *x, int rows, int columns, double *out);
double dot(const double *a, const double *b, int count);

#endif

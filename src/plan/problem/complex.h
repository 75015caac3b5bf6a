// Quantities in complex numbers: the imaginary part carries a derivative that is exact to rounding.
#ifndef ARNE_PLAN_PROBLEM_COMPLEX_H
#define ARNE_PLAN_PROBLEM_COMPLEX_H

#include <arne/plan.h>

typedef struct plan_complex plan_complex;

// most: the rows of the largest quantity. NULL: no memory.
plan_complex *plan_complex_new(const arne_robot *robot, int most);
void          plan_complex_free(plan_complex *c);
// The derivatives of all rows by one column of z (positions, velocities, accelerations, jerks of
// the robot).
void plan_complex_column(plan_complex *c, const arne_quantity *what, int rows, double u,
                         const double *z, int column, double *out);

#endif

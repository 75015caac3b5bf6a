// Mass matrices that cannot be inverted: found after the fact, since the texts do not branch on
// numbers.
#ifndef ARNE_ALGO_SINGULAR_H
#define ARNE_ALGO_SINGULAR_H

#include "base/error.h"
#include <arne/work.h>

// What is left of a diagonal entry after elimination, relative to the entry, below which it is
// rounding.
#define ARNE_SINGULAR_PART 1e-13

// The error for velocity coordinate k of the user.
arne_status fail_singular(const arne_robot *robot, int k, arne_error *error);
// What elimination has left of n diagonal entries, `step` apart, leaves no doubt. So it is with
// most matrices. least: what is rounding of each, as the robot has it; NULL: none.
int plainly_regular(int n, int step, const double *D, const double *least);
// The column of what factor() left of a matrix where no more than `part` of the diagonal entry, or
// no more than `least`, is left; -1: none.
int singular_column(int n, const int *above, const double *M, double part, const double *least);

#endif

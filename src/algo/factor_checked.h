// factor() of a matrix in the user's coordinates, and a look at what it left. For kernels, in
// doubles.
#ifndef ARNE_ALGO_FACTOR_CHECKED_H
#define ARNE_ALGO_FACTOR_CHECKED_H

#include "algo/factor.k.h"
#include "algo/singular.h"
#include "robot/robot.h"

ARNE_TEXT arne_status factor_checked(const arne_robot *robot, double *M, arne_error *error)
{
    const int  n = robot->v_count;
    const int *above = robot_factor_parents(robot);
    factor(n, above, M);
    const int k = singular_column(n, above, M, ARNE_SINGULAR_PART, robot_least(robot));
    return k < 0 ? ARNE_OK : fail_singular(robot, k, error);
}

#endif

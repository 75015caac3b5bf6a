#include "algo/singular.h"
#include "robot/robot.h"
#include <math.h>

arne_status fail_singular(const arne_robot *robot, int k, arne_error *error)
{
    for (int i = 0; i < robot->joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (k >= j.v_start && k < j.v_start + j.v_count)
            return arne_fail(error, ARNE_SINGULAR, NULL, 0,
                             "the mass matrix is singular: joint '%s' has no inertia to move",
                             j.name);
    }
    for (int i = 0; i < robot->motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(robot, i);
        if (k == m.v_index)
            return arne_fail(error, ARNE_SINGULAR, NULL, 0,
                             "the mass matrix is singular: motor '%s' drives an elastic joint but "
                             "has no rotor inertia",
                             m.name);
    }
    return arne_fail(error, ARNE_SINGULAR, NULL, 0, "%s", arne_status_text(ARNE_SINGULAR));
}

int plainly_regular(int n, int step, const double *D, const double *least)
{
    double largest = 0, smallest = INFINITY;
    int    all = 1;
    for (int k = 0; k < n; k++) {
        const double d = D[k * step];
        largest = d > largest ? d : largest;
        smallest = d < smallest ? d : smallest;
        all &= d > (least ? least[k] : -INFINITY); // what is not a number is not more
    }
    return all && smallest > 1e-10 * largest;
}

int singular_column(int n, const int *above, const double *M, double part, const double *least)
{
    if (plainly_regular(n, n + 1, M, least)) return -1;
    for (int k = n - 1; k >= 0; k--) {
        double whole = M[k * n + k]; // what stood there before: the sum of L_jk^2 D_j
        for (int j = k + 1; j < n; j++)
            for (int i = above[j]; i >= k; i = above[i])
                if (i == k) whole += M[j * n + k] * M[j * n + k] * M[j * n + j];
        if (!(M[k * n + k] > part * whole) || (least && !(M[k * n + k] > least[k]))) return k;
    }
    return -1;
}

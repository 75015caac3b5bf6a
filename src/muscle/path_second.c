// Second derivatives of lengths of paths: exact for straight pieces (path.c); of paths over
// surfaces, with moving points, and of robots whose joints follow others, from the exact first
// derivatives at four places a coordinate. The error is of order h^4: about 1e-10 of the length.
#include "muscle/path.h"
#include "robot/robot.h"
#include <math.h>
#include <string.h>

static const double SECOND_STEP = 2e-3; // rad or m

// Adds weight dL/dq at q moved along one coordinate to a column of the paths that are not done.
static void second_add(const arne_robot *robot, arne_work *work, double *q, int column, double step,
                       double weight, const unsigned char *done, double *arms, double *out)
{
    const int    v = robot->v_count;
    const double was = q[column];
    q[column] += step;
    muscle_paths(robot, work, q, NULL, NULL, NULL, arms);
    q[column] = was;
    for (int i = 0; i < robot->muscle_count; i++)
        for (int k = 0; !done[i] && k < v; k++)
            out[(i * v + k) * v + column] -= weight * arms[i * v + k];
}

static void second_symmetric(int v, double *B)
{
    for (int k = 0; k < v; k++)
        for (int l = 0; l < k; l++)
            B[k * v + l] = B[l * v + k] = 0.5 * (B[k * v + l] + B[l * v + k]);
}

arne_status arne_muscle_second_derivatives(const arne_robot *robot, arne_work *work,
                                           const double *q, double *scratch, double *out)
{
    if (!robot || !work || !q || !scratch || !out) return ARNE_NULL_ARGUMENT;
    if (robot->q_count != robot->v_count) return ARNE_UNSUPPORTED;
    const int      v = robot->v_count, count = robot->muscle_count;
    double        *moved = scratch, *arms = scratch + v;
    unsigned char *done = (unsigned char *)(arms + count * v);
    const int      left = muscle_bends(robot, work, q, out, done);
    if (left <= 0) return left ? ARNE_WORKSPACE : ARNE_OK;
    memcpy(moved, q, (size_t)v * sizeof *q);
    for (int i = 0; i < count; i++)
        if (!done[i]) memset(out + i * v * v, 0, (size_t)(v * v) * sizeof *out);
    for (int k = 0; k < v; k++)
        for (int side = -2; side <= 2; side++) {
            const double part = side == 0 ? 0 : side % 2 ? side * 8.0 / 12 : -side / 24.0;
            if (side)
                second_add(robot, work, moved, k, side * SECOND_STEP, part / SECOND_STEP, done,
                           arms, out);
        }
    for (int i = 0; i < count; i++)
        if (!done[i]) second_symmetric(v, out + i * v * v);
    return ARNE_OK;
}

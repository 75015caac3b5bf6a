// Manipulability after Yoshikawa 1985: with the frame's twist J qd, the twists that speeds of unit
// norm make are an ellipsoid, whose half axes are the singular values of J. Where there are loops
// J is over the independent coordinates, J G.
#include "base/error.h"
#include "math/rank.h"
#include <arne/kinematics.h>
#include <arne/loop.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6 };

typedef struct freedom {
    double *J;           // 6 x v_count, then 6 x count of the columns that count
    double *G, *copy;    // v_count x mobility; 6 x v_count and 6 x 6 to be overwritten
    int    *independent; // v_count
    int     v_count, count;
} freedom;

static arne_status manipulability_make_room(freedom *f, const arne_robot *robot, int closed)
{
    const size_t n = (size_t)arne_robot_sizes(robot).v_count;
    f->v_count = (int)n;
    f->J = calloc(2 * ROWS * n + ROWS * ROWS + 1, sizeof *f->J);
    f->copy = f->J ? f->J + ROWS * n : NULL;
    f->G = closed ? calloc(n * n + 1, sizeof *f->G) : NULL;
    f->independent = calloc(n + 1, sizeof *f->independent);
    return f->J && f->independent && (f->G || !closed) ? ARNE_OK : ARNE_NO_MEMORY;
}

// The columns of the joints, or those of J G, packed as 6 x count.
static void keep_columns(freedom *f, const arne_robot *robot, int mobility)
{
    const int n = f->v_count, end = n - arne_robot_sizes(robot).theta_count; // motors move no frame
    const int base = arne_robot_base(robot) == ARNE_BASE_FREE ? ROWS : 0;
    int       count = 0;
    for (int c = 0; c < mobility; c++)
        if (f->independent[c] >= base && f->independent[c] < end) f->independent[count++] = c;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < count; c++) {
            const int from = f->independent[c];
            double    sum = f->G ? 0 : f->J[r * n + from];
            for (int k = 0; f->G && k < n; k++)
                sum += f->J[r * n + k] * f->G[k * mobility + from];
            f->copy[r * count + c] = sum;
        }
    memcpy(f->J, f->copy, (size_t)(ROWS * count) * sizeof *f->J);
    f->count = count;
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// Of `rows` rows from `first` on: each is a column of what the rotations take.
static void manipulability_singular_values(const freedom *f, int first, int rows,
                                           double values[ROWS])
{
    double *A = f->copy, *V = A + (size_t)ROWS * (size_t)f->v_count;
    memcpy(A, f->J + first * f->count, (size_t)(rows * f->count) * sizeof *A);
    memset(values, 0, ROWS * sizeof *values);
    if (f->count) dense_singular(f->count, rows, A, values, V);
    qsort(values, (size_t)rows, sizeof *values, falling);
}

arne_status arne_manipulability(const arne_robot *robot, arne_work *work, arne_loop_work *loop,
                                const double *q, int frame, double *linear, double *angular,
                                double *measure, arne_error *error)
{
    freedom f = {0};
    double  values[ROWS];
    int     mobility = arne_robot_sizes(robot).v_count;
    arne_error_clear(error);
    arne_status status = manipulability_make_room(&f, robot, loop != NULL);
    if (status) arne_fail_memory(error);
    for (int i = 0; !status && i < mobility; i++)
        f.independent[i] = i;
    if (!status && loop)
        status =
            arne_loop_jacobian(robot, work, loop, q, f.G, f.independent, &mobility, NULL, error);
    if (!status) {
        arne_jacobian(robot, work, q, frame, ARNE_AXES_ALIGNED, f.J);
        keep_columns(&f, robot, mobility);
        manipulability_singular_values(&f, 0, 3, values);
        if (linear) memcpy(linear, values, 3 * sizeof *linear);
        manipulability_singular_values(&f, 3, 3, values);
        if (angular) memcpy(angular, values, 3 * sizeof *angular);
        manipulability_singular_values(&f, 0, ROWS, values);
        double product = f.count ? 1 : 0;
        for (int i = 0; i < ROWS && i < f.count; i++)
            product *= values[i];
        if (measure) *measure = product;
    }
    free(f.J);
    free(f.G);
    free(f.independent);
    return status;
}

// Gears between motors and joints: q of motors = C q of joints, and power is the same on both
// sides, so that torques of joints are C^T those of motors.
//
// The matrix is the one of the settings, else that of the robot's motors and couplings. Whether a
// log is of motors is given, or detected: positions beyond all joint limits that fit the motors.
#include "base/error.h"
#include "identify/study.h"
#include "math/dense.h"
#include "robot/joint.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SEEN = 20000 };

// The inverse of A; 0 if A is singular.
static int invert(int n, double *A, double *out)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            out[i * n + k] = i == k;
    return dense_eliminate(n, A, n, out, 0);
}

// The matrix of the robot's motors; a joint without a motor has the row of the identity.
static int robot_gears(const arne_identify *s, double *gear)
{
    const int n = s->m.n, motors = arne_robot_sizes(s->robot).motor_count;
    double   *C = calloc((size_t)(motors * n) + 1, sizeof *C);
    if (!C) return 0;
    arne_coupling_matrix(s->robot, C);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
            gear[j * n + k] = j == k;
    for (int i = 0; i < motors; i++) {
        const int j = arne_robot_joint(s->robot, arne_robot_motor(s->robot, i).joint).v_start;
        memcpy(gear + (ptrdiff_t)j * n, C + (ptrdiff_t)i * n, (size_t)n * sizeof *C);
    }
    free(C);
    return 1;
}

// C_mk / C_mm of motors; m.coupling stays NULL if no motor is coupled to several joints.
static void find_mixed(arne_identify *s, double *mixed)
{
    const int n = s->m.n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const double own = s->gear[i * n + i];
            mixed[i * n + k] = own != 0 ? s->gear[i * n + k] / own : 0;
            if (k != i && mixed[i * n + k] != 0) s->m.coupling = mixed;
        }
}

arne_status gears_make(arne_identify *s, arne_error *error)
{
    const size_t n = (size_t)s->m.n, size = n * n;
    if (!s->options.coupling && !arne_robot_sizes(s->robot).motor_count) return ARNE_OK;
    double *A = study_take(s, 2 * size, sizeof *A);
    s->gear = study_take(s, size, sizeof(double));
    s->inverse_gear = study_take(s, size, sizeof(double));
    if (!A || !s->gear || !s->inverse_gear) return arne_fail_memory(error);
    if (s->options.coupling)
        memcpy(s->gear, s->options.coupling, size * sizeof *A);
    else if (!robot_gears(s, s->gear))
        return arne_fail_memory(error);
    memcpy(A, s->gear, size * sizeof *A);
    find_mixed(s, A + size);
    if (invert(s->m.n, A, s->inverse_gear)) return ARNE_OK;
    return arne_fail(error, ARNE_VALUE, NULL, 0, "the coupling matrix cannot be inverted");
}

// ---- which side a log is of

typedef struct side_view {
    const arne_identify *study;
    long                 rows, beyond, beyond_as_motors;
} side_view;

static int gears_is_beyond(const arne_identify *s, int j, double q)
{
    const arne_joint_info i = arne_robot_joint(s->robot, j);
    const double          far = joint_is_slide(i.kind) ? INFINITY : 4 * 3.14159265358979;
    const double          low = isfinite(i.lower) ? i.lower : -far;
    const double          high = isfinite(i.upper) ? i.upper : far;
    const double          slack = isfinite(high - low) ? 0.05 * (high - low) : 0;
    return q < low - slack || q > high + slack;
}

static arne_status view_row(void *context, const log_entry *e, const double *row, int line)
{
    side_view           *v = context;
    const arne_identify *s = v->study;
    int                  beyond = 0, as_motors = 0;
    (void)e, (void)line;
    for (int j = 0; row && j < s->m.n; j++) {
        double q = 0;
        for (int k = 0; k < s->m.n; k++)
            q += s->inverse_gear[j * s->m.n + k] * row[1 + k];
        beyond |= gears_is_beyond(s, j, row[1 + j]);
        as_motors |= gears_is_beyond(s, j, q);
    }
    v->rows += row != NULL;
    v->beyond += beyond;
    v->beyond_as_motors += as_motors;
    return v->rows < ROWS_SEEN ? ARNE_OK : ARNE_STOPPED;
}

arne_status gears_side(arne_identify *s)
{
    side_view  v = {.study = s};
    arne_error error;
    s->of_motors = s->gear && (s->options.coupling || s->options.side == ARNE_SIDE_MOTORS);
    if (!s->gear || s->of_motors || s->options.side == ARNE_SIDE_JOINTS) return ARNE_OK;
    for (int i = 0; i < s->entry_count; i++) {
        v.rows = 0;
        const arne_status status = log_each(s, &s->entry[i], view_row, &v, &error);
        if (status == ARNE_NO_MEMORY) return status; // the scan reports other mistakes
    }
    findings_free(&s->found);
    s->found = (findings){0};
    s->of_motors = v.beyond > 0 && v.beyond_as_motors == 0;
    if (s->of_motors)
        study_warn(s, "side", s->entry[0].path, 1,
                   "positions are beyond what joints can do, but those of motors fit: the log is "
                   "taken to be of motors, by the gears and couplings of the robot's file (--side "
                   "joints says that it is not)");
    return ARNE_OK;
}

// Splines through points: one linear system for all coordinates.
#include "motion/motion_columns.h"
#include "motion/spline.h"

#include "base/error.h"
#include <arne/configuration.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct through {
    const arne_robot       *robot;
    int                     degree, count, ends; // ends: derivatives that vanish at each end
    const double           *times, *points;
    arne_error             *error;
    arne_trajectory        *path;
    arne_bspline_condition *at;      // one for each control point
    double                 *value;   // as many rows
    double                 *aligned; // the points
} through;

static arne_status waypoints_check(const through *w, int rows)
{
    if (w->degree < 1 || w->degree > ARNE_BSPLINE_MAX_DEGREE || w->degree % 2 == 0)
        return arne_fail(w->error, ARNE_VALUE, NULL, 0,
                         "degree %d: splines through points have degree 1, 3, 5, ...", w->degree);
    if (w->count < rows)
        return arne_fail(w->error, ARNE_VALUE, NULL, 0,
                         "%d points are too few for degree %d: %d are needed", w->count, w->degree,
                         rows);
    if (w->times[0] != 0)
        return arne_fail(w->error, ARNE_VALUE, NULL, 0, "the first time is %g, not 0", w->times[0]);
    for (int i = 1; i < w->count; i++)
        if (!(w->times[i] > w->times[i - 1]) || !isfinite(w->times[i]))
            return arne_fail(w->error, ARNE_VALUE, NULL, 0, "time %g does not come after %g",
                             w->times[i], w->times[i - 1]);
    const int q_count = arne_robot_sizes(w->robot).q_count;
    for (int i = 0; i < w->count; i++) {
        char which[32];
        snprintf(which, sizeof which, "point %d", i + 1);
        const double     *point = w->points + (size_t)i * (size_t)q_count;
        const arne_status status = trajectory_check_point(w->robot, point, which, w->error);
        if (status) return status;
    }
    return ARNE_OK;
}

// Breaks at all points, but for those (degree - 1) / 2 next to each free end. Where the ends rest,
// as many derivatives are given there instead.
static arne_status make_basis(through *w)
{
    const double T = w->times[w->count - 1];
    const int    skip = w->ends ? 0 : (w->degree - 1) / 2, pieces = w->count - 1 - 2 * skip;
    double      *breaks = malloc(sizeof *breaks * (size_t)(pieces + 1));
    if (!breaks) return arne_fail_memory(w->error);
    breaks[0] = 0;
    for (int i = 1; i < pieces; i++)
        breaks[i] = w->times[i + skip] / T;
    breaks[pieces] = 1;
    arne_bspline *basis;
    arne_status status = arne_bspline_new(w->degree, pieces + w->degree, breaks, &basis, w->error);
    free(breaks);
    if (!status) status = spline_new(w->robot, basis, T, &w->path, w->error);
    return status;
}

static arne_status make_conditions(through *w)
{
    const int    n = arne_bspline_count(w->path->basis), last = w->count - 1;
    const size_t width = (size_t)w->path->q_count;
    int          row = 0;
    w->at = calloc((size_t)n, sizeof *w->at);
    w->value = calloc((size_t)n * width + 1, sizeof *w->value);
    w->aligned = calloc((size_t)w->count * width + 1, sizeof *w->aligned);
    if (!w->at || !w->value || !w->aligned) return arne_fail_memory(w->error);
    for (int i = 0; i <= last; i++) {
        const int orders = i == 0 || i == last ? w->ends : 0;
        for (int k = 0; k <= orders; k++)
            w->at[row++] = (arne_bspline_condition){w->times[i], k};
    }
    return ARNE_OK;
}

static arne_status waypoints_fit(through *w)
{
    arne_status status = make_basis(w);
    if (!status) status = make_conditions(w);
    if (!status) {
        const int n = arne_bspline_count(w->path->basis), width = w->path->q_count;
        int       point = 0;
        memcpy(w->aligned, w->points, sizeof *w->points * (size_t)w->count * (size_t)width);
        spline_align(w->path, w->aligned, w->count);
        for (int row = 0; row < n; row++)
            if (w->at[row].order == 0)
                memcpy(w->value + (size_t)row * (size_t)width,
                       w->aligned + (size_t)(point++) * (size_t)width,
                       sizeof *w->value * (size_t)width);
        status = arne_bspline_fit(w->path->basis, w->path->duration, w->at, w->value, width,
                                  spline_control(w->path), w->error);
    }
    if (!status) status = spline_check(w->path, w->robot, w->error);
    free(w->at);
    free(w->value);
    free(w->aligned);
    return status;
}

static arne_status waypoints_make(through *w, int rows, arne_trajectory **out)
{
    arne_error_clear(w->error);
    if (!out || !w->robot || !w->times || !w->points)
        return arne_fail(w->error, ARNE_NULL_ARGUMENT, NULL, 0,
                         "out, robot, times or points is NULL");
    *out = NULL;
    arne_status status = waypoints_check(w, rows);
    if (status) return status;
    status = waypoints_fit(w);
    if (status)
        arne_trajectory_free(w->path);
    else
        *out = w->path;
    return status;
}

arne_status arne_trajectory_waypoints(const arne_robot *robot, int degree, int count,
                                      const double *times, const double *points,
                                      arne_trajectory **out, arne_error *error)
{
    through w = {.robot = robot,
                 .degree = degree,
                 .count = count,
                 .ends = (degree - 1) / 2,
                 .times = times,
                 .points = points,
                 .error = error};
    return waypoints_make(&w, 2, out);
}

arne_status arne_trajectory_through(const arne_robot *robot, int degree, int count,
                                    const double *times, const double *points,
                                    arne_trajectory **out, arne_error *error)
{
    through w = {.robot = robot,
                 .degree = degree,
                 .count = count,
                 .times = times,
                 .points = points,
                 .error = error};
    return waypoints_make(&w, degree + 1, out);
}

// --- tables ------------------------------------------------------------------------------------

// Rows of the table as times and configurations.
static void take_rows(const arne_table *table, const int *column, const double *rest, int width,
                      double *times, double *points)
{
    const int time = arne_table_find(table, "time");
    for (int r = 0; r < arne_table_rows(table); r++) {
        const double *row = arne_table_row(table, r);
        times[r] = row[time] - arne_table_row(table, 0)[time];
        for (int i = 0; i < width; i++)
            points[(size_t)r * (size_t)width + (size_t)i] =
                column[i] < 0 ? rest[i] : row[column[i]];
    }
}

// Motors of elastic joints have no columns: they go where their joints go.
static void waypoints_follow_joints(const arne_robot *robot, int *column)
{
    for (int m = 0; m < arne_robot_sizes(robot).motor_count; m++) {
        const arne_motor_info motor = arne_robot_motor(robot, m);
        if (motor.q_index >= 0)
            column[motor.q_index] = column[arne_robot_joint(robot, motor.joint).q_start];
    }
}

static int finds_any(const int *column, int width)
{
    for (int i = 0; i < width; i++)
        if (column[i] >= 0) return 1;
    return width == 0;
}

// The rates of what has a column, in the places of q; zero for what rests.
static arne_status take_rates(const arne_robot *robot, const arne_table *table, const char *name,
                              const int *of_q, double *out, arne_error *error)
{
    const arne_sizes size = arne_robot_sizes(robot);
    const int        rows = arne_table_rows(table);
    int             *column = malloc(sizeof *column * (size_t)(size.q_count + size.v_count + 1));
    arne_status      status = column ? ARNE_OK : arne_fail_memory(error);
    for (int i = size.v_count; i < size.q_count && !status; i++)
        column[i] = -1; // of robots that are refused later
    if (!status) status = arne_columns_find(robot, table, name, column, error);
    if (!status) waypoints_follow_joints(robot, column);
    for (int i = 0; i < size.joint_count && !status; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        for (int k = 0; k < j.q_count && k < j.v_count && !status; k++) {
            if (of_q[j.q_start + k] < 0) continue;
            if (column[j.v_start + k] < 0)
                status = arne_fail(error, ARNE_VALUE, NULL, arne_table_line(table, -1),
                                   "column '%s.%s' is missing, which goes with q.%s", name, j.name,
                                   j.name);
        }
    }
    for (int r = 0; r < rows && !status; r++)
        for (int i = 0; i < size.q_count; i++)
            out[(size_t)r * (size_t)size.q_count + (size_t)i] =
                column[i] < 0 ? 0 : arne_table_row(table, r)[column[i]];
    free(column);
    return status;
}

static arne_status join_rows(const arne_robot *robot, const arne_table *table, const int *column,
                             const double *times, const double *points, arne_trajectory **out,
                             arne_error *error)
{
    const size_t rows = (size_t)arne_table_rows(table);
    const size_t size = rows * (size_t)arne_robot_sizes(robot).q_count;
    double      *rates = calloc(2 * size + 1, sizeof *rates);
    arne_status  status = rates ? ARNE_OK : arne_fail_memory(error);
    if (!status) status = take_rates(robot, table, "qd", column, rates, error);
    if (!status) status = take_rates(robot, table, "qdd", column, rates + size, error);
    if (!status)
        status =
            arne_trajectory_rates(robot, (int)rows, times, points, rates, rates + size, out, error);
    free(rates);
    return status;
}

arne_status arne_trajectory_table(const arne_robot *robot, int degree, const arne_table *table,
                                  const double *rest, arne_trajectory **out, arne_error *error)
{
    arne_error_clear(error);
    if (!robot || !table || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "robot, table or out is NULL");
    *out = NULL;
    const int   width = arne_robot_sizes(robot).q_count, rows = arne_table_rows(table);
    arne_status status = arne_columns_time(table, 2, error);
    if (status) return status;
    int    *column = malloc(sizeof *column * (size_t)(width + 1));
    double *neutral = malloc(sizeof *neutral * (size_t)(width + 1));
    double *times = calloc((size_t)rows, sizeof *times);
    double *points = calloc((size_t)rows * (size_t)width + 1, sizeof *points);
    if (!column || !neutral || !times || !points) status = arne_fail_memory(error);
    if (!status) status = arne_columns_find(robot, table, "q", column, error);
    if (!status && !finds_any(column, width))
        status = arne_fail(error, ARNE_VALUE, NULL, 0,
                           "no column is called q.JOINT, or JOINT, after a joint of the robot");
    if (!status) {
        waypoints_follow_joints(robot, column);
        arne_neutral(robot, neutral);
        take_rows(table, column, rest ? rest : neutral, width, times, points);
        status = degree ? arne_trajectory_through(robot, degree, rows, times, points, out, error)
                        : join_rows(robot, table, column, times, points, out, error);
    }
    free(column);
    free(neutral);
    free(times);
    free(points);
    return status;
}

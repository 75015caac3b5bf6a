// Recordings of a robot: tables of coordinates, and inverse dynamics along them.
#include "base/error.h"
#include "capture/capture.h"
#include "motion/motion_columns.h"
#include <arne/configuration.h>
#include <arne/dynamics.h>
#include <arne/loop.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static arne_status recording_take(const arne_robot *robot, arne_table *table, double cutoff,
                                  arne_recording *out, int *lacking, arne_error *error)
{
    const int   rows = arne_table_rows(table), q = arne_robot_sizes(robot).q_count;
    const int   time = arne_table_find(table, "time");
    int        *column = malloc(((size_t)q + 1) * sizeof *column);
    double     *t = malloc(((size_t)rows + 1) * sizeof *t);
    double     *x = malloc(((size_t)rows * (size_t)q + 1) * sizeof *x);
    double     *start = malloc(((size_t)q + 1) * sizeof *start);
    arne_status status = column && t && x && start ? ARNE_OK : arne_fail_memory(error);
    int         found = 0;
    if (!status) status = arne_columns_find(robot, table, "q", column, error);
    if (!status) status = arne_columns_time(table, 4, error);
    if (!status) arne_start_configuration(robot, start);
    for (int i = 0; !status && i < q; i++)
        found += column[i] >= 0;
    if (!status && !found)
        status = arne_fail(error, ARNE_NOT_FOUND, NULL, arne_table_line(table, -1),
                           "no column is a coordinate of the robot");
    for (int r = 0; r < rows && !status; r++) {
        const double *row = arne_table_row(table, r);
        t[r] = row[time];
        for (int i = 0; i < q; i++)
            x[(size_t)r * (size_t)q + (size_t)i] = column[i] < 0 ? start[i] : row[column[i]];
    }
    if (!status) status = arne_recording_smooth(rows, q, t, x, cutoff, out, error);
    if (!status && lacking) *lacking = q - found;
    free(column);
    free(t);
    free(x);
    free(start);
    return status;
}

arne_status arne_recording_read(const arne_robot *robot, const char *path, double cutoff,
                                arne_recording *out, int *lacking, arne_error *error)
{
    arne_table *table = NULL;
    arne_error_clear(error);
    if (!robot || !path || !out) return arne_fail_null(error);
    *out = (arne_recording){0};
    const arne_sizes sizes = arne_robot_sizes(robot);
    if (sizes.q_count != sizes.v_count)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "recordings are of robots without quaternions (ball and free joints)");
    arne_status status = arne_table_read_csv(path, &table, error);
    if (!status) status = recording_take(robot, table, cutoff, out, lacking, error);
    if (status && error && !error->file[0]) strncat(error->file, path, sizeof error->file - 1);
    arne_table_free(table);
    return status;
}

arne_status arne_recording_dynamics(const arne_robot *robot, const arne_recording *motion,
                                    const arne_loads *loads, double *tau, arne_error *error)
{
    arne_work *work = NULL;
    arne_error_clear(error);
    if (!robot || !motion || !tau) return arne_fail_null(error);
    const arne_sizes sizes = arne_robot_sizes(robot);
    const size_t     v = (size_t)sizes.v_count, bodies = (size_t)sizes.body_count;
    if (motion->columns != sizes.v_count || sizes.q_count != sizes.v_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the recording has %d coordinates, the robot %d", motion->columns,
                         sizes.v_count);
    arne_wrench *f_ext = malloc(bodies * sizeof *f_ext);
    arne_status  status = f_ext ? arne_work_new(robot, &work) : ARNE_NO_MEMORY;
    for (int r = 0; r < motion->rows && !status; r++) {
        const size_t at = (size_t)r * v;
        memset(f_ext, 0, bodies * sizeof *f_ext);
        arne_kinematics(robot, work, motion->x + at, NULL, NULL);
        if (loads) arne_loads_add(loads, robot, work, motion->time[r], f_ext);
        arne_inverse_dynamics(robot, work, motion->x + at, motion->rate + at, motion->second + at,
                              f_ext, tau + at);
    }
    arne_work_free(work);
    free(f_ext);
    return status ? arne_fail(error, status, NULL, 0, "%s", arne_status_text(status)) : ARNE_OK;
}

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

// ---- torques

static int recording_is_band(const arne_robot *robot, int muscle)
{
    return arne_robot_muscle(robot, muscle).law.kind >= ARNE_MUSCLE_LIGAMENT;
}

arne_status recording_torques_new(recording_torques *t, const arne_robot *robot,
                                  const arne_loads *loads, arne_error *error)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    const size_t     muscles = (size_t)arne_muscle_count(robot);
    int              bands = 0;
    for (int i = 0; i < (int)muscles; i++)
        bands += recording_is_band(robot, i);
    *t = (recording_torques){.robot = robot, .loads = loads};
    t->f_ext = malloc((size_t)sizes.body_count * sizeof *t->f_ext);
    if (bands) t->paths = calloc(muscles * (4 + (size_t)sizes.v_count), sizeof *t->paths);
    if (!t->f_ext || (bands && !t->paths) || arne_work_new(robot, &t->work))
        return arne_fail_memory(error);
    return ARNE_OK;
}

void recording_torques_free(recording_torques *t)
{
    arne_work_free(t->work);
    free(t->f_ext);
    free(t->paths);
    *t = (recording_torques){0};
}

arne_status recording_torques_at(const recording_torques *t, double time, const double *q,
                                 const double *qd, const double *qdd, double *tau)
{
    const arne_sizes          sizes = arne_robot_sizes(t->robot);
    const arne_muscle_options rigid = {.tendon = ARNE_TENDON_RIGID};
    const int                 n = arne_muscle_count(t->robot), v = sizes.v_count;
    double *L = t->paths, *V = L ? L + n : NULL, *none = L ? V + n : NULL, *F = L ? none + n : NULL;
    memset(t->f_ext, 0, (size_t)sizes.body_count * sizeof *t->f_ext);
    arne_kinematics(t->robot, t->work, q, NULL, NULL);
    if (t->loads) arne_loads_add(t->loads, t->robot, t->work, time, t->f_ext);
    arne_inverse_dynamics(t->robot, t->work, q, qd, qdd, t->f_ext, tau);
    if (!L) return ARNE_OK;
    double     *arms = F + n;
    arne_status status = arne_muscle_lengths(t->robot, t->work, q, qd, L, V);
    if (!status) status = arne_muscle_moment_arms(t->robot, t->work, q, arms);
    if (!status) status = arne_muscle_forces(t->robot, 1, none, L, V, &rigid, F, NULL);
    for (int i = 0; i < n && !status; i++)
        for (int j = 0; j < v && recording_is_band(t->robot, i); j++)
            tau[j] -= arms[i * v + j] * F[i];
    return status;
}

arne_status arne_recording_dynamics(const arne_robot *robot, const arne_recording *motion,
                                    const arne_loads *loads, double *tau, arne_error *error)
{
    arne_error_clear(error);
    if (!robot || !motion || !tau) return arne_fail_null(error);
    const arne_sizes sizes = arne_robot_sizes(robot);
    if (motion->columns != sizes.v_count || sizes.q_count != sizes.v_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the recording has %d coordinates, the robot %d", motion->columns,
                         sizes.v_count);
    const arne_status covered = loads_cover(loads, motion, error);
    if (covered) return covered;
    recording_torques t;
    arne_status       status = recording_torques_new(&t, robot, loads, error);
    for (int r = 0; r < motion->rows && !status; r++) {
        const size_t at = (size_t)r * (size_t)sizes.v_count;
        status = recording_torques_at(&t, motion->time[r], motion->x + at, motion->rate + at,
                                      motion->second + at, tau + at);
    }
    recording_torques_free(&t);
    return status ? arne_fail(error, status, NULL, 0, "%s", arne_status_text(status)) : ARNE_OK;
}

// Measured forces on links: nine columns each (force, point, torque), a natural cubic spline
// through each of them, which goes on straight beyond its ends.
#include "base/error.h"
#include "capture/capture.h"
#include "io/pose_math.h"
#include <arne/dynamics.h>
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 9 }; // of a load: force, point, torque

typedef struct load {
    int frame, force_in, point_in; // -1: the world
    int has_point;
} load;

struct arne_loads {
    int           count;
    load         *item;
    smooth_spline spline;
    double        step; // of its rows, on average
};

static const char *loads_link_name(const void *robot, int index)
{
    return arne_robot_frame(robot, index).name;
}

// A link or frame by its name, or by a path of OpenSim; -1: the world, -2: there is none.
static int loads_frame(const arne_robot *robot, const char *name, arne_error *error)
{
    const char *slash = name ? strrchr(name, '/') : NULL;
    char        near[400];
    if (slash) name = slash + 1;
    if (!name || !*name) return -1;
    const int frame = arne_find_frame(robot, name);
    if (frame >= 0) return frame;
    if (strcmp(name, "ground") == 0) return -1;
    arne_near_matches(name, loads_link_name, robot, arne_robot_sizes(robot).frame_count, near,
                      sizeof near);
    arne_fail(error, ARNE_NOT_FOUND, NULL, 0, "the robot has no link '%s'%s", name, near);
    return -2;
}

static const char *loads_column_name(const void *table, int index)
{
    return arne_table_name(table, index);
}

// The columns PREFIX x, y, z.
static arne_status loads_columns(const arne_table *table, const char *prefix, int column[3],
                                 arne_error *error)
{
    for (int k = 0; k < 3; k++) {
        char name[300], near[400];
        snprintf(name, sizeof name, "%.280s%c", prefix, 'x' + k);
        column[k] = arne_table_find(table, name);
        if (column[k] >= 0) continue;
        arne_near_matches(name, loads_column_name, table, arne_table_columns(table), near,
                          sizeof near);
        return arne_fail(error, ARNE_NOT_FOUND, NULL, arne_table_line(table, -1),
                         "there is no column '%s'%s", name, near);
    }
    return ARNE_OK;
}

static arne_status loads_place(const arne_robot *robot, const arne_table *table,
                               const arne_load_columns *from, load *out, int column[NUMBERS],
                               arne_error *error)
{
    const char *const prefix[3] = {from->force, from->point, from->torque};
    arne_status       status = ARNE_OK;
    for (int i = 0; i < NUMBERS; i++)
        column[i] = -1;
    out->frame = loads_frame(robot, from->link, error);
    out->force_in = loads_frame(robot, from->force_in, error);
    out->point_in = loads_frame(robot, from->point_in, error);
    if (out->frame == -2 || out->force_in == -2 || out->point_in == -2) return ARNE_NOT_FOUND;
    if (out->frame < 0)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "a load names no link that it acts on");
    out->has_point = from->point && *from->point;
    for (int i = 0; i < 3 && !status; i++)
        if (prefix[i] && *prefix[i])
            status = loads_columns(table, prefix[i], column + 3 * i, error);
    return status;
}

// Missing numbers, as of a point while there is no force, are 0.
static arne_status loads_fit(arne_loads *l, const arne_table *table, const int *column,
                             arne_error *error)
{
    const int   rows = arne_table_rows(table), width = NUMBERS * l->count;
    const int   time = arne_table_find(table, "time");
    double     *t = malloc(((size_t)rows + 1) * sizeof *t);
    double     *x = malloc(((size_t)rows * (size_t)width + 1) * sizeof *x);
    arne_status status = t && x ? ARNE_OK : arne_fail_memory(error);
    if (!status && time < 0)
        status = arne_fail(error, ARNE_VALUE, NULL, arne_table_line(table, -1),
                           "there is no column 'time'");
    if (!status && rows < 4)
        status = arne_fail(error, ARNE_VALUE, NULL, arne_table_line(table, -1),
                           "forces need at least 4 rows, there are %d", rows);
    for (int r = 0; r < rows && !status; r++) {
        const double *row = arne_table_row(table, r);
        t[r] = row[time];
        if (!isfinite(t[r]) || (r && !(t[r] > t[r - 1])))
            status = arne_fail(error, ARNE_VALUE, NULL, arne_table_line(table, r),
                               "time %.9g does not come after %.9g", t[r], r ? t[r - 1] : 0);
        for (int c = 0; c < width; c++) {
            const double v = column[c] < 0 ? 0 : row[column[c]];
            x[(size_t)r * (size_t)width + (size_t)c] = isfinite(v) ? v : 0;
        }
    }
    if (!status) status = smooth_spline_fit(&l->spline, 3, rows, width, t, x, error);
    if (!status) l->step = l->spline.length / (rows - 1);
    free(t);
    free(x);
    return status;
}

arne_status arne_loads_new(const arne_robot *robot, const arne_table *table,
                           const arne_load_columns *loads, int count, arne_loads **out,
                           arne_error *error)
{
    arne_error_clear(error);
    if (!robot || !table || !loads || !out || count < 1) return arne_fail_null(error);
    const size_t numbers = NUMBERS * (size_t)count;
    int         *column = malloc(numbers * sizeof *column);
    arne_loads  *l = calloc(1, sizeof *l);
    arne_status  status = ARNE_OK;
    *out = NULL;
    if (l) l->item = calloc((size_t)count, sizeof *l->item);
    if (!column || !l || !l->item) status = arne_fail_memory(error);
    for (int i = 0; i < count && !status; i++)
        status = loads_place(robot, table, &loads[i], &l->item[i], column + NUMBERS * i, error);
    if (!status) l->count = count;
    if (!status) status = loads_fit(l, table, column, error);
    free(column);
    if (status)
        arne_loads_free(l);
    else
        *out = l;
    return status;
}

arne_status loads_cover(const arne_loads *l, const arne_recording *motion, arne_error *error)
{
    const int    rows = motion->rows;
    const double first = rows ? motion->time[0] : 0, last = rows ? motion->time[rows - 1] : 0;
    if (!l || !rows) return ARNE_OK;
    const double start = l->spline.start, end = start + l->spline.length;
    const double spare = fmax(l->step, rows > 1 ? (last - first) / (rows - 1) : 0);
    if (first >= start - spare && last <= end + spare) return ARNE_OK;
    return arne_fail(error, ARNE_VALUE, NULL, 0,
                     "forces are known from %.6g to %.6g s, the motion goes from %.6g to %.6g s",
                     start, end, first, last);
}

void arne_loads_free(arne_loads *loads)
{
    if (!loads) return;
    smooth_spline_free(&loads->spline);
    free(loads->item);
    free(loads);
}

static arne_pose loads_pose(const arne_robot *robot, const arne_work *work, int frame)
{
    return frame < 0 ? pose_identity() : arne_frame_pose(robot, work, frame);
}

// The numbers of a load at a time; values: the basis there, and its rates.
static void loads_now(const arne_loads *l, int index, int first, const double *values,
                      double beyond, double out[NUMBERS])
{
    const int width = NUMBERS * l->count;
    for (int c = 0; c < NUMBERS; c++) {
        out[c] = 0;
        for (int k = 0; k < 4; k++) {
            const double x =
                l->spline
                    .control[(size_t)(first + k) * (size_t)width + (size_t)(NUMBERS * index + c)];
            out[c] += (values[k] + beyond * values[4 + k]) * x;
        }
    }
}

void arne_loads_add(const arne_loads *l, const arne_robot *robot, const arne_work *work,
                    double time, arne_wrench *f_ext)
{
    const double end = l->spline.start + l->spline.length;
    const double beyond = time < l->spline.start ? time - l->spline.start : fmax(time - end, 0);
    double       values[8], n[NUMBERS];
    const int    first =
        arne_bspline_basis(l->spline.basis, l->spline.length, time - l->spline.start, 2, values);
    for (int i = 0; i < l->count; i++) {
        const load *at = &l->item[i];
        loads_now(l, i, first, values, beyond, n);
        const arne_pose X = arne_frame_pose(robot, work, at->frame);
        const arne_pose F = loads_pose(robot, work, at->force_in);
        const arne_pose P = loads_pose(robot, work, at->point_in);
        const arne_vec3 force = rotate(&F.R, (arne_vec3){n[0], n[1], n[2]});
        const arne_vec3 free_moment = rotate(&F.R, (arne_vec3){n[6], n[7], n[8]});
        const arne_vec3 point =
            at->has_point ? vec_add(P.p, rotate(&P.R, (arne_vec3){n[3], n[4], n[5]})) : X.p;
        const arne_vec3   arm = vec_add(point, vec_scale(-1, X.p));
        const arne_vec3   moment = vec_add(free_moment, vec_cross(arm, force));
        const arne_wrench w = {rotate_back(&X.R, force), rotate_back(&X.R, moment)};
        arne_add_wrench(robot, at->frame, &w, f_ext);
    }
}

// A start from an earlier run.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "plan/plan.h"
#include <arne/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

arne_solve_options arne_plan_solver(const arne_plan *plan) { return plan->solver; }

// The control polygon of the table at a place.
static double polygon_at(const arne_table *t, int places, int column, double place)
{
    const int rows = arne_table_rows(t);
    int       i = 0;
    while (i + 2 < rows && arne_table_row(t, i + 1)[places] < place)
        i++;
    if (rows == 1) return arne_table_row(t, 0)[column];
    const double *a = arne_table_row(t, i), *b = arne_table_row(t, i + 1);
    const double  part = (place - a[places]) / (b[places] - a[places]);
    return a[column] + part * (b[column] - a[column]);
}

static int fill_from(arne_plan *p, const arne_table *t)
{
    const int places = arne_table_find(t, "place");
    int       found = 0;
    for (int j = 0; j < p->n && places >= 0 && arne_table_rows(t) > 0; j++) {
        char name[320];
        plan_coordinate_name(p, j, name, sizeof name);
        const int column = arne_table_find(t, name);
        if (column < 0 || p->prescribed[j].on) continue;
        found++;
        for (int i = 0; i < p->m; i++) {
            const double x = polygon_at(t, places, column, arne_bspline_place(p->spline, i));
            p->x[j * p->m + i] = fmin(fmax(x, p->x_lower[j * p->m + i]), p->x_upper[j * p->m + i]);
        }
    }
    return found;
}

arne_status arne_plan_start_from(arne_plan *plan, const char *dir, arne_error *error)
{
    const size_t size = strlen(dir) + sizeof "/control_points.csv";
    char        *path = malloc(size);
    arne_table  *points = NULL, *result = NULL;
    if (!path) return arne_fail_memory(error);
    snprintf(path, size, "%s/control_points.csv", dir);
    arne_status status = arne_table_read_csv(path, &points, error);
    if (!status && !fill_from(plan, points))
        status =
            arne_fail(error, ARNE_VALUE, path, 0, "there is no coordinate of this problem in it");
    snprintf(path, size, "%s/result.csv", dir);
    if (!status && plan->free_time) status = arne_table_read_csv(path, &result, error);
    if (!status && result) {
        const int column = arne_table_find(result, "time"), rows = arne_table_rows(result);
        if (column >= 0 && rows > 0)
            plan->x[plan->n * plan->m] =
                fmin(fmax(arne_table_row(result, rows - 1)[column], plan->options.time_least),
                     plan->options.time_most);
    }
    free(path);
    arne_table_free(points);
    arne_table_free(result);
    return status;
}

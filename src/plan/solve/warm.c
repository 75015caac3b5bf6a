// A start from an earlier run.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "base/random.h"
#include "io/kept_files.h"
#include "plan/problem/plan.h"
#include "robot/joint.h"
#include <arne/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

arne_solve_options arne_plan_solver(const arne_plan *plan)
{
    arne_solve_options o = plan->solver;
    if (o.refine == 0) o.refine = -1; // a file says 0 for none
    return o;
}

void arne_plan_scatter(arne_plan *plan, unsigned long seed, double part)
{
    uint64_t state = seed;
    for (int j = 0; j < plan->n - plan->force_count; j++) {
        double range = 1;
        for (int i = 0; i < arne_robot_sizes(plan->robot).joint_count && !plan->map.n; i++) {
            const arne_joint_info joint = arne_robot_joint(plan->robot, i);
            if (joint.v_count != 1 || joint.v_start != j) continue;
            range = isfinite(joint.upper - joint.lower) ? joint.upper - joint.lower
                    : joint_is_slide(joint.kind)        ? 1
                                                        : acos(-1);
        }
        for (int i = 0; i < plan->m; i++) {
            const int    at = j * plan->m + i;
            const double off = random_between(&state, -part * range, part * range);
            if (plan->x_lower[at] < plan->x_upper[at])
                plan->x[at] = fmin(fmax(plan->x[at] + off, plan->x_lower[at]), plan->x_upper[at]);
        }
    }
}

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
            const double x = polygon_at(t, places, column, plan_control_place(p, i));
            p->x[j * p->m + i] = fmin(fmax(x, p->x_lower[j * p->m + i]), p->x_upper[j * p->m + i]);
        }
    }
    return found;
}

// Those of a run whose problem had the same size; else none.
static arne_status fill_multipliers(arne_plan *p, const char *path, arne_error *error)
{
    arne_table *t = NULL;
    FILE       *there = fopen(path, "r");
    if (!there) return ARNE_OK;
    fclose(there);
    arne_status status = plan_prepare(p, error);
    if (!status) status = kept_files_table(NULL, path, &t, error);
    const int n = p->x_count, m = p->row_count;
    if (!status && arne_table_rows(t) == m + 2 * n) {
        double *parts[3] = {malloc(((size_t)m + 1) * sizeof(double)),
                            malloc(((size_t)n + 1) * sizeof(double)),
                            malloc(((size_t)n + 1) * sizeof(double))};
        free(p->multipliers), free(p->bound_lower), free(p->bound_upper);
        p->multipliers = parts[0], p->bound_lower = parts[1], p->bound_upper = parts[2];
        p->multiplier_count = m;
        p->has_multipliers = parts[0] && parts[1] && parts[2];
        for (int i = 0; p->has_multipliers && i < m + 2 * n; i++)
            parts[i < m ? 0 : i < m + n ? 1 : 2][i < m ? i : (i - m) % n] = arne_table_row(t, i)[0];
        if (!p->has_multipliers) status = arne_fail_memory(error);
    }
    arne_table_free(t);
    return status;
}

// To a duration of the whole, as far as bounds of phases allow.
static void stretch(arne_plan *p, double T)
{
    const double factor = T / arne_plan_time(p);
    for (int k = 0; k < p->phase_count; k++) {
        const int at = p->n * p->m + k;
        p->x[at] = fmin(fmax(factor * p->x[at], p->x_lower[at]), p->x_upper[at]);
    }
}

arne_status arne_plan_start_from(arne_plan *plan, const char *dir, arne_error *error)
{
    if (!plan || !dir) return arne_fail_null(error);
    const size_t size = strlen(dir) + sizeof "/control_points.csv";
    char        *path = malloc(size);
    arne_table  *points = NULL, *result = NULL;
    if (!path) return arne_fail_memory(error);
    snprintf(path, size, "%s/control_points.csv", dir);
    arne_status status = kept_files_table(NULL, path, &points, error);
    if (!status && !fill_from(plan, points))
        status =
            arne_fail(error, ARNE_VALUE, path, 0, "there is no coordinate of this problem in it");
    snprintf(path, size, "%s/result.csv", dir);
    if (!status && plan->free_time) status = kept_files_table(NULL, path, &result, error);
    if (!status && result) {
        const int column = arne_table_find(result, "time"), rows = arne_table_rows(result);
        if (column >= 0 && rows > 0) stretch(plan, arne_table_row(result, rows - 1)[column]);
    }
    snprintf(path, size, "%s/multipliers.csv", dir);
    if (!status) status = fill_multipliers(plan, path, error);
    free(path);
    arne_table_free(points);
    arne_table_free(result);
    return status;
}

// A start from an earlier run.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "base/random.h"
#include "io/kept_files.h"
#include "plan/solve/search.h"
#include "robot/joint.h"
#include <arne/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

arne_solve_options arne_plan_solver(const arne_plan *plan)
{
    arne_solve_options o = plan->problem.solver;
    if (o.refine == 0) o.refine = -1; // a file says 0 for none
    return o;
}

// The range of a coordinate, within which it is scattered: between its limits, or 1 m, or pi rad.
static double coordinate_range(const plan_problem *p, int j)
{
    for (int i = 0; i < arne_robot_sizes(p->robot).joint_count && !p->map.n; i++) {
        const arne_joint_info joint = arne_robot_joint(p->robot, i);
        if (joint.v_count != 1 || joint.v_start != j) continue;
        return isfinite(joint.upper - joint.lower) ? joint.upper - joint.lower
               : joint_is_slide(joint.kind)        ? 1
                                                   : acos(-1);
    }
    return 1;
}

void search_scatter(const plan_problem *p, plan_solution *s, unsigned long seed, double part)
{
    const int           m = s->grid.m;
    const plan_program *n = s->program;
    uint64_t            state = seed;
    for (int j = 0; j < p->n - p->force_count; j++) {
        const double range = coordinate_range(p, j);
        for (int at = j * m; at < (j + 1) * m; at++) {
            const double off = random_between(&state, -part * range, part * range);
            if (n->x_lower[at] < n->x_upper[at])
                s->x[at] = fmin(fmax(s->x[at] + off, n->x_lower[at]), n->x_upper[at]);
        }
    }
}

void arne_plan_scatter(arne_plan *plan, unsigned long seed, double part)
{
    if (plan_ready(plan, -1, NULL) == ARNE_OK)
        search_scatter(&plan->problem, &plan->now, seed, part);
}

// The control polygon in the table, interpolated at a place.
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

static int fill_from(arne_plan *plan, const arne_table *t)
{
    const plan_problem *p = &plan->problem;
    const plan_grid    *grid = &plan->now.grid;
    const double       *T = plan_durations(p, &plan->now);
    const int           places = arne_table_find(t, "place"), m = grid->m;
    int                 found = 0;
    for (int j = 0; j < p->n && places >= 0 && arne_table_rows(t) > 0; j++) {
        char name[320];
        plan_coordinate_name(p, j, name, sizeof name);
        const int column = arne_table_find(t, name);
        if (column < 0 || p->prescribed[j].on) continue;
        found++;
        for (int i = 0; i < m; i++) {
            const double x = polygon_at(t, places, column, plan_control_place(p, grid, T, i));
            plan->now.x[j * m + i] = fmin(fmax(x, p->coordinate_lower[j]), p->coordinate_upper[j]);
        }
    }
    return found;
}

// Multipliers of the earlier run, if its problem had the same size.
static arne_status fill_multipliers(arne_plan *plan, const char *path, arne_error *error)
{
    arne_table *t = NULL;
    FILE       *there = fopen(path, "r");
    if (!there) return ARNE_OK;
    fclose(there);
    plan_solution *now = &plan->now;
    arne_status    status = plan_ready(plan, -1, error);
    if (!status) status = kept_files_table(NULL, path, &t, error);
    if (!status && arne_table_rows(t) == now->multiplier_count) {
        free(now->multipliers);
        now->multipliers = malloc(((size_t)now->multiplier_count + 1) * sizeof *now->multipliers);
        if (!now->multipliers) status = arne_fail_memory(error);
        for (int i = 0; !status && i < now->multiplier_count; i++)
            now->multipliers[i] = arne_table_row(t, i)[0];
    }
    arne_table_free(t);
    return status;
}

// Scales the durations of phases to a duration of the whole motion, within their bounds.
static void stretch(arne_plan *plan, double wanted)
{
    const plan_problem *p = &plan->problem;
    const double        factor = wanted / arne_plan_time(plan);
    for (int k = 0; k < p->phase_count; k++) {
        const plan_phase *f = &p->phases[k];
        double           *T = plan_durations(p, &plan->now) + k;
        *T = f->most > 0 ? fmin(fmax(factor * *T, f->least), f->most) : f->time;
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
    if (!status && plan->problem.free_time) status = kept_files_table(NULL, path, &result, error);
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

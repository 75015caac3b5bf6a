// The folder of a plan: result.csv, summary.json, control_points.csv, iterations.csv and inputs/.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "base/plain.h"
#include "io/run_folder.h"
#include "io/whole_file.h"
#include "plan/problem/plan_muscle.h"
#include "plan/problem/split_joints.h"
#include "plan/result/fatigue.h"
#include "plan/result/plan_row.h"
#include <arne/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- result.csv

typedef struct part { // a kind of column
    const char *name;
    int         order; // as arne_joint_unit has it
} part;
static const part parts[] = {
    {"q", 0}, {"qd", 1}, {"qdd", 2}, {"tau", ARNE_UNIT_TAU}, {"tau_rate", ARNE_UNIT_TAU_RATE}};

// The names of the coordinates of a kind: of joints, with .0, .1, ... where there are several; then
// of motors.
static arne_status run_add_columns(arne_table *t, const motion_row *m, int kind)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < m->size.joint_count && !status; i++) {
        const arne_joint_info j = arne_robot_joint(m->shown, i);
        const int             count = kind == 0 ? j.q_count : j.v_count;
        for (int k = 0; k < count && !status; k++) {
            char name[320];
            snprintf(name, sizeof name, count > 1 ? "%s.%.250s.%d" : "%s.%.250s", parts[kind].name,
                     j.name, k);
            status = arne_table_add_column(t, name, arne_joint_unit(&j, k, parts[kind].order));
        }
    }
    for (int i = 0; i < m->size.motor_count && !status; i++) {
        const arne_motor_info    motor = arne_robot_motor(m->shown, i);
        char                     name[320];
        static const char *const theta[] = {"theta", "thetad", "thetadd", "tau.theta",
                                            "tau_rate.theta"};
        if (motor.v_index < 0) continue;
        const arne_joint_info j = arne_robot_joint(m->shown, motor.joint);
        snprintf(name, sizeof name, "%s.%.250s", theta[kind], j.name);
        status = arne_table_add_column(t, name, arne_joint_unit(&j, 0, parts[kind].order));
    }
    return status;
}

static arne_status add_wrench_columns(arne_table *t, const motion_row *m)
{
    static const char *const axes[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    arne_status              status = ARNE_OK;
    for (int i = 0; i < m->size.joint_count && !status; i++)
        for (int k = 0; k < 6 && !status; k++) {
            char name[320];
            snprintf(name, sizeof name, "wrench.%.250s.%s", arne_robot_joint(m->shown, i).name,
                     axes[k]);
            status = arne_table_add_column(t, name, k < 3 ? "N" : "N m");
        }
    return status;
}

// A base that is prescribed has a pose of its own.
static int has_base(const motion_row *m)
{
    return arne_robot_base(m->shown) == ARNE_BASE_PRESCRIBED;
}

// Activation and force of a muscle.
static arne_status run_add_muscle(arne_table *t, const motion_row *m, int muscle, int force)
{
    char name[300];
    snprintf(name, sizeof name, "%s.%.250s", force ? "force" : "activation",
             arne_robot_muscle(m->p->problem.robot, muscle).name);
    return arne_table_add_column(t, name, force ? "N" : "");
}

static arne_status new_result(const motion_row *m, arne_table **out)
{
    arne_status status = arne_table_new(out);
    if (!status) status = arne_table_add_column(*out, "time", "s");
    for (int k = 0; k < (m->same ? 5 : 4) && !status; k++)
        status = run_add_columns(*out, m, k);
    static const char *const base[] = {"base.x",  "base.y",  "base.z", "base.qx",
                                       "base.qy", "base.qz", "base.qw"};
    for (int k = 0; k < 7 && !status && has_base(m); k++)
        status = arne_table_add_column(*out, base[k], k < 3 ? "m" : "");
    if (!status) status = add_wrench_columns(*out, m);
    for (int k = 0; k < 3 * m->p->problem.touch_count && !status; k++) {
        char name[120];
        snprintf(name, sizeof name, "contact.%s.f%c", m->p->problem.touches[k / 3].name,
                 "xyz"[k % 3]);
        status = arne_table_add_column(*out, name, "N");
    }
    for (int k = 0; k < 2 * m->p->problem.muscle_count && !status; k++)
        status = run_add_muscle(*out, m, k / 2, k % 2);
    for (int k = 0; k < m->p->problem.module.column_count && !status; k++)
        status = arne_table_add_column(*out, m->p->problem.module.columns[k][0],
                                       m->p->problem.module.columns[k][1]);
    return status;
}

static double *run_put_wrenches(const motion_row *m, double *at)
{
    for (int i = 0; i < m->size.joint_count; i++) {
        const arne_wrench w = arne_joint_wrench(m->shown, m->work, i);
        const double      six[6] = {w.lin.x, w.lin.y, w.lin.z, w.ang.x, w.ang.y, w.ang.z};
        memcpy(at, six, sizeof six);
        at += 6;
    }
    return at;
}

int plan_span_count(const arne_plan *p)
{
    return p->now.grid.m - p->problem.phase_count * p->problem.degree;
}

double plan_span_part(const arne_plan *p, double place)
{
    const plan_problem *of = &p->problem;
    int                 k = 0, spans = p->now.grid.counts[0] - of->degree;
    for (; k + 1 < of->phase_count && place >= spans; spans = p->now.grid.counts[++k] - of->degree)
        place -= spans;
    const double *breaks = plan_grid_breaks(of, &p->now.grid, k);
    const int     i = place < spans ? (int)place : spans - 1;
    return plan_part(of, plan_durations(of, &p->now), k,
                     breaks[i] + (place - i) * (breaks[i + 1] - breaks[i]));
}

// Evenly within every span between knots, with the knots: at least as many rows as are asked for.
static arne_status run_fill_result(motion_row *m, arne_table *t)
{
    const int spans = plan_span_count(m->p),
              wanted = m->p->problem.samples > 1 ? m->p->problem.samples : 201;
    const int    each = 2 * ((wanted - 1 + 2 * spans - 1) / (2 * spans)), steps = spans * each;
    const double T = arne_plan_time(m->p);
    double      *row = calloc((size_t)arne_table_columns(t), sizeof *row);
    arne_status  status = row ? arne_table_reserve(t, steps + 1) : ARNE_NO_MEMORY;
    for (int i = 0; i <= steps && !status; i++) {
        const double u = plan_span_part(m->p, (double)i / each),
                     *from[5] = {m->q, m->qd, m->qdd, m->tau, m->tau_rate};
        double *at = row;
        plan_row_fill(m, u);
        *at++ = u * T;
        for (int k = 0; k < (m->same ? 5 : 4); k++) {
            const int count = k == 0 ? m->size.q_count : m->size.v_count;
            memcpy(at, from[k], (size_t)count * sizeof *at);
            at += count;
        }
        if (has_base(m)) {
            plan_show_base(m->p->problem.robot, m->z, at);
            at += 7;
        }
        at = run_put_wrenches(m, at);
        for (int k = 0; k < m->p->problem.touch_count; k++, at += 3) {
            const arne_vec3 f = plan_contact_force(&m->p->now.program->between, k);
            at[0] = f.x, at[1] = f.y, at[2] = f.z;
        }
        at = plan_muscle_row(&m->p->now.program->between, at);
        for (int k = 0; k < m->p->problem.module.column_count; k++)
            *at++ = m->extra[k];
        status = arne_table_append(t, row);
    }
    free(row);
    return status;
}

arne_status plan_table(arne_plan *p, int rows, arne_table **out, arne_error *error)
{
    motion_row  m;
    arne_status status = plan_row_new(&m, p) ? ARNE_OK : ARNE_NO_MEMORY;
    *out = NULL;
    if (!status) status = new_result(&m, out);
    if (!status && rows) status = run_fill_result(&m, *out);
    plan_row_free(&m);
    if (!status) return ARNE_OK;
    arne_table_free(*out);
    *out = NULL;
    return arne_fail(error, status, NULL, 0, "%s", arne_status_text(status));
}

static arne_status run_write_table(const run_folder *run, const char *name, const arne_table *t,
                                   arne_error *error)
{
    char *path = arne_run_folder_path(run, name);
    if (!path) return arne_fail_memory(error);
    const arne_status status = arne_table_write_csv(t, path, error);
    free(path);
    return status;
}

static arne_status write_result(const run_folder *run, motion_row *m, arne_error *error)
{
    arne_table *t = NULL;
    arne_status status = new_result(m, &t);
    if (!status) status = run_fill_result(m, t);
    status = status ? arne_fail(error, status, NULL, 0, "%s", arne_status_text(status))
                    : run_write_table(run, "result.csv", t, error);
    arne_table_free(t);
    return status;
}

// The Greville point of each control point, and its value for every planned coordinate.
static arne_status write_control_points(const run_folder *run, const arne_plan *p,
                                        arne_error *error)
{
    arne_table *t = NULL;
    double     *row = calloc((size_t)p->problem.n + 1, sizeof *row);
    arne_status status = row ? arne_table_new(&t) : ARNE_NO_MEMORY;
    if (!status) status = arne_table_add_column(t, "place", "");
    for (int j = 0; j < p->problem.n && !status; j++) {
        char name[320];
        plan_coordinate_name(&p->problem, j, name, sizeof name);
        status = arne_table_add_column(t, name, "");
    }
    const int m = p->now.grid.m;
    for (int i = 0; i < m && !status; i++) {
        row[0] =
            plan_control_place(&p->problem, &p->now.grid, plan_durations(&p->problem, &p->now), i);
        for (int j = 0; j < p->problem.n; j++)
            row[j + 1] = p->now.x[j * m + i];
        status = arne_table_append(t, row);
    }
    free(row);
    status = status ? arne_fail(error, status, NULL, 0, "%s", arne_status_text(status))
                    : run_write_table(run, "control_points.csv", t, error);
    arne_table_free(t);
    return status;
}

// Of rows, then of the lower and upper bounds of variables: one column.
static arne_status write_multipliers(const run_folder *run, const arne_plan *p, arne_error *error)
{
    const int   count = p->now.program->row_count + 2 * p->now.program->x_count;
    arne_table *t = NULL;
    arne_status status = arne_table_new(&t);
    if (!status) status = arne_table_add_column(t, "multiplier", "");
    for (int i = 0; i < count && !status; i++)
        status = arne_table_append(t, &p->now.multipliers[i]);
    status = status ? arne_fail(error, status, NULL, 0, "%s", arne_status_text(status))
                    : run_write_table(run, "multipliers.csv", t, error);
    arne_table_free(t);
    return status;
}

// ---- all of it

static arne_status run_write_summary(const run_folder *run, motion_row *m,
                                     const arne_plan_result *result, arne_error *error)
{
    char      *path = arne_run_folder_path(run, "summary.json");
    whole_file file;
    if (!path) return arne_fail_memory(error);
    arne_status status = arne_whole_file_open(&file, path, error);
    if (!status) {
        plan_summary(file.stream, m, result);
        status = arne_whole_file_close(&file, error);
    }
    free(path);
    return status;
}

// A scaled robot is written as a file that extends the original. *copy names the original, and
// afterwards the new file.
static arne_status write_scaled(const run_folder *run, const arne_plan *p, char **copy,
                                arne_error *error)
{
    const char  *name = strrchr(*copy, '/') + 1;
    const size_t size = strlen(*copy) + sizeof "scaled_";
    char        *scaled = malloc(size), *path = NULL;
    whole_file   file;
    if (scaled) {
        snprintf(scaled, size, "%.*sscaled_%s", (int)(name - *copy), *copy, name);
        path = arne_run_folder_path(run, scaled);
    }
    arne_status status = path ? arne_whole_file_open(&file, path, error) : arne_fail_memory(error);
    if (!status) {
        fputs("extends: ", file.stream);
        arne_json_text(file.stream, name); // a file may be called anything
        plain_write(file.stream, "\nscale: {length: %.17g, mass: %.17g}\n", p->problem.scale[0],
                    p->problem.scale[1]);
        status = arne_whole_file_close(&file, error);
    }
    free(path);
    if (status) {
        free(scaled);
        return status;
    }
    free(*copy);
    *copy = scaled;
    return ARNE_OK;
}

static int is_scaled(const arne_plan *p)
{
    return p->problem.scale[0] > 0 && (p->problem.scale[0] != 1 || p->problem.scale[1] != 1);
}

// Copies of the input files. In the copy of the problem, `robot` names the copy beside it.
static arne_status run_copy_inputs(const run_folder *run, arne_plan *p, arne_error *error)
{
    char *robot = NULL, *problem = NULL;
    if (!p->problem.path || !p->problem.robot_path) return ARNE_OK;
    arne_status status = arne_run_folder_copy_robot(run, p->problem.robot_path, &robot, error);
    if (!status) {
        const run_path said = {p->problem.robot_line, p->problem.robot_said,
                               strrchr(robot, '/') + 1};
        status = arne_run_folder_copy(run, p->problem.path, &said, 1, &problem, error);
    }
    if (!status && is_scaled(p)) status = write_scaled(run, p, &robot, error);
    free(p->robot_copy);
    p->robot_copy = robot;
    free(problem);
    return status;
}

static arne_status write_fatigue(const run_folder *run, arne_plan *p, arne_error *error)
{
    plan_tired  tired;
    arne_table *t = NULL;
    arne_status status = plan_fatigue(p, &tired, &t, error);
    if (!status) status = run_write_table(run, "fatigue.csv", t, error);
    arne_table_free(t);
    return status;
}

static arne_status run_write_all(const run_folder *run, arne_plan *p,
                                 const arne_plan_result *result, arne_error *error)
{
    motion_row  m;
    arne_status status = plan_row_new(&m, p) ? ARNE_OK : arne_fail_memory(error);
    if (!status) status = write_result(run, &m, error);
    if (!status) status = write_control_points(run, p, error);
    if (!status && p->now.multipliers) status = write_multipliers(run, p, error);
    if (!status && p->log) status = run_write_table(run, "iterations.csv", p->log, error);
    if (!status && p->problem.repeat) status = write_fatigue(run, p, error);
    if (!status && p->problem.module.tables)
        status = p->problem.module.tables(p->problem.module.data, run, &m, error);
    if (!status) status = run_write_summary(run, &m, result, error);
    plan_row_free(&m);
    return status;
}

void plan_release(arne_plan *p)
{
    if (p->place) arne_run_folder_drop(p->place);
    free(p->place);
    p->place = NULL;
    p->resumes = 0;
}

arne_status arne_plan_reserve(arne_plan *plan, const char *dir, arne_error *error)
{
    if (!plan || !dir) return arne_fail_null(error);
    plan_release(plan);
    plan->place = calloc(1, sizeof *plan->place);
    if (!plan->place) return arne_fail_memory(error);
    arne_status status = arne_run_folder_begin(plan->place, dir, error);
    if (!status) status = run_copy_inputs(plan->place, plan, error);
    if (!status) status = arne_run_folder_check(plan->place, error);
    if (status) plan_release(plan);
    return status;
}

arne_status arne_plan_resume(arne_plan *plan, const char *dir, arne_error *error)
{
    if (!plan || !dir) return arne_fail_null(error);
    char       *from = NULL;
    arne_status status = arne_plan_reserve(plan, dir, error);
    if (!status) status = arne_run_folder_resume(plan->place, &from, error);
    if (!status) status = arne_plan_start_from(plan, from, error);
    free(from);
    if (status) plan_release(plan);
    plan->resumes = !status;
    return status;
}

arne_status arne_plan_write(arne_plan *plan, const arne_plan_result *result, const char *dir,
                            const arne_report_options *page, arne_error *error)
{
    if (!plan || !result || !(dir || plan->place)) return arne_fail_null(error);
    arne_status status = plan->place ? ARNE_OK : arne_plan_reserve(plan, dir, error);
    if (!status) status = run_write_all(plan->place, plan, result, error);
    if (!status)
        status = !arne_plan_is_complete(result->status)
                     ? arne_run_folder_keep(plan->place, page, error)
                     : arne_run_folder_finish(plan->place, page, error);
    if (!status && plan->resumes && result->status != ARNE_PLAN_INTERRUPTED)
        arne_run_folder_resumed(plan->place);
    plan_release(plan);
    return status;
}

// A problem of optimal control solved once, and the folder of the run.
#include "base/error.h"
#include "horizon/horizon.h"
#include "io/json.h"
#include "io/run_folder.h"
#include "io/whole_file.h"
#include "motion/motion_columns.h"
#include <arne/dynamics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const arne_robot *arne_horizon_robot(const arne_horizon *h) { return h ? h->robot : NULL; }
const double     *arne_horizon_start(const arne_horizon *h) { return h ? h->start : NULL; }
const arne_oc    *arne_horizon_solver(const arne_horizon *h) { return h ? h->oc : NULL; }

double arne_horizon_tick(const arne_horizon *h)
{
    return !h ? 0 : h->rate > 0 ? 1 / h->rate : h->solver.step;
}

int arne_horizon_iterations(const arne_horizon *h, int first)
{
    return !h ? 0 : first ? h->solver.start_iterations : h->solver.iterations;
}

// ---- the problem

// Knots of a term of the whole time on a shorter or longer horizon.
static void knots_stretch(arne_oc_term *t, int from, int to)
{
    if (t->at_end || (!t->first && !t->last)) return;
    t->last = t->last >= from - 1 ? to - 1 : (int)lround((double)t->last * to / from);
    if (t->first > 1) t->first = (int)lround((double)t->first * to / from);
    if (t->last < t->first) t->last = t->first;
}

arne_oc_problem arne_horizon_problem(arne_horizon *h, int receding)
{
    if (!h) return (arne_oc_problem){0};
    const int     N = receding ? h->receding : h->knots;
    arne_oc_term *terms = h->terms;
    if (receding && N != h->knots) { // behind those of the whole time
        terms = h->terms + h->term_count;
        memcpy(terms, h->terms, (size_t)h->term_count * sizeof *terms);
        for (int i = 0; i < h->term_count; i++)
            knots_stretch(&terms[i], h->knots, N);
    }
    int bounded = 0;
    for (int i = 0; i < h->control_count; i++)
        bounded |= !h->solver.controls && (isfinite(h->lower[i]) || isfinite(h->upper[i]));
    return (arne_oc_problem){.robot = h->robot,
                             .knots = N,
                             .step = h->solver.step,
                             .integrator = (arne_oc_integrator)h->solver.integrator,
                             .control_lower = bounded ? h->lower : NULL,
                             .control_upper = bounded ? h->upper : NULL,
                             .terms = terms,
                             .term_count = h->term_count,
                             .phases = h->stands,
                             .phase_count = !h->stands       ? 0
                                            : h->phase_count ? h->phase_count
                                                             : 1,
                             .contact_damping = h->solver.contact_damping,
                             .control_kind = (arne_oc_control_kind)h->solver.controls,
                             .threads = h->solver.threads};
}

// Linear between rows of a table, constant before and behind them.
static double table_value(const arne_table *table, int time, int column, double t, int *row)
{
    const int last = arne_table_rows(table) - 1;
    if (t < arne_table_row(table, *row)[time]) *row = 0; // the next cycle
    while (*row < last && arne_table_row(table, *row + 1)[time] <= t)
        ++*row;
    const double *a = arne_table_row(table, *row);
    if (*row == last || t <= a[time]) return a[column];
    const double *b = arne_table_row(table, *row + 1);
    return a[column] + (t - a[time]) / (b[time] - a[time]) * (b[column] - a[column]);
}

// The torques of the drives at rest.
static void hold_weight(arne_horizon *h, const double *q)
{
    double *tau = h->gravity + h->control_count;
    arne_gravity(h->robot, h->work, q, tau);
    for (int i = 0; i < h->control_count; i++)
        h->gravity[i] = fmin(fmax(tau[h->drives[i]], h->lower[i]), h->upper[i]);
}

void arne_horizon_at(arne_horizon *h, double t, const double *q)
{
    if (!h) return;
    if (h->gravity) hold_weight(h, q ? q : h->start);
    const int N = h->receding > h->knots ? h->receding : h->knots;
    for (const horizon_target *to = h->targets; to < h->targets + h->target_count; to++) {
        const int time = arne_table_find(to->table, "time");
        for (int i = 0; i < to->size; i++)
            for (int k = 0, row = 0; k <= N && to->column[i] >= 0; k++)
                to->out[k * to->size + i] = table_value(
                    to->table, time, to->column[i], horizon_time(h, t + k * h->solver.step), &row);
    }
    horizon_schedule(h, t);
}

const int *arne_horizon_schedule(const arne_horizon *h, int *before)
{
    if (before) *before = h ? h->before : -1;
    return h ? h->schedule : NULL;
}

arne_status arne_horizon_solve(arne_horizon *h, const arne_oc_options *options,
                               arne_oc_result *result, arne_error *error)
{
    if (!h) return arne_fail_null(error);
    arne_oc_options how = {0};
    if (options) how = *options;
    if (how.iterations <= 0) how.iterations = h->solver.start_iterations;
    if (!(how.tolerance > 0)) how.tolerance = h->solver.tolerance;
    const arne_oc_problem problem = arne_horizon_problem(h, 0);
    arne_oc_free(h->oc);
    h->oc = NULL;
    arne_horizon_at(h, 0, NULL);
    const arne_status status = arne_oc_new(&problem, &h->oc, error);
    return status ? status
                  : arne_oc_solve(h->oc, h->start, h->start + h->size.q_count, &how, result, error);
}

// ---- result.csv

static arne_status add_thetas(const arne_robot *robot, const char *part, const char *unit,
                              arne_table *t)
{
    arne_status status = ARNE_OK;
    for (int m = 0; m < arne_robot_sizes(robot).motor_count && !status; m++) {
        const arne_motor_info motor = arne_robot_motor(robot, m);
        char                  name[512];
        if (motor.v_index < 0) continue;
        if (!arne_column_name(part, arne_robot_joint(robot, motor.joint).name, 0, 1, name,
                              sizeof name))
            return ARNE_TOO_LARGE;
        status = arne_table_add_column(t, name, unit);
    }
    return status;
}

static arne_status add_columns(const arne_robot *robot, arne_table *t)
{
    static const struct {
        const char *part, *theta, *unit;
        int         order;
    } parts[] = {{"q", "theta", "rad", 0},
                 {"qd", "thetad", "rad/s", 1},
                 {"tau", "tau.theta", "N m", ARNE_UNIT_TAU}};
    arne_status status = arne_table_add_column(t, "time", "s");
    for (int i = 0; i < 3 && !status; i++) {
        status = arne_columns_add(robot, parts[i].part, parts[i].order, t);
        if (!status) status = add_thetas(robot, parts[i].theta, parts[i].unit, t);
    }
    return status;
}

// A row for every knot; the control of the last step stands in the last one, too.
static arne_status fill_result(const arne_horizon *h, arne_table *t)
{
    const int     nq = h->size.q_count, n = h->size.v_count, nu = arne_oc_control_count(h->oc);
    const double *x = arne_oc_states(h->oc), *u = arne_oc_controls(h->oc);
    double       *row = calloc((size_t)arne_table_columns(t) + 1, sizeof *row);
    arne_status   status = row ? arne_table_reserve(t, h->knots + 1) : ARNE_NO_MEMORY;
    for (int k = 0; k <= h->knots && !status; k++, x += nq + n) {
        const double *now = u + (ptrdiff_t)(k < h->knots ? k : k - 1) * nu;
        row[0] = k * h->solver.step;
        memcpy(row + 1, x, (size_t)(nq + n) * sizeof *row);
        arne_oc_torques(h->oc, x, x + nq, now, row + 1 + nq + n);
        status = arne_table_append(t, row);
    }
    free(row);
    return status;
}

static arne_status write_result(const arne_horizon *h, const run_folder *run, arne_error *error)
{
    arne_table *t = NULL;
    arne_status status = arne_table_new(&t);
    if (!status) status = add_columns(h->robot, t);
    if (!status) status = fill_result(h, t);
    if (status) (void)arne_fail(error, status, NULL, 0, "%s", arne_status_text(status));
    char *path = arne_run_folder_path(run, "result.csv");
    if (!status) status = path ? arne_table_write_csv(t, path, error) : arne_fail_memory(error);
    free(path);
    arne_table_free(t);
    return status;
}

// ---- summary.json

// Bounds of torques over the whole motion, which plots show.
static void put_limits(json *j, const arne_horizon *h)
{
    json_put_open(j, "limits", '{');
    for (int i = 0; i < h->size.joint_count; i++) {
        const arne_joint_info info = arne_robot_joint(h->robot, i);
        for (int k = 0; k < h->control_count && info.v_count == 1; k++) {
            char key[330];
            if (h->drives[k] != info.v_start || (isinf(h->lower[k]) && isinf(h->upper[k])))
                continue;
            if (!arne_column_name("tau", info.name, 0, 1, key, sizeof key)) continue;
            json_put_numbers(j, key, (const double[]){h->lower[k], h->upper[k]}, 2);
        }
    }
    json_put_close(j, '}');
}

static void put_summary(FILE *out, const arne_horizon *h, const char *robot,
                        const arne_oc_result *r)
{
    json j = json_run(out, "plan", h->title, robot, h->robot);
    json_put_flag(&j, "complete", r->outcome == ARNE_OC_CONVERGED);
    json_put_text(&j, "method", "riccati");
    json_put_text(&j, "status", arne_oc_outcome_name(r->outcome));
    json_put_number(&j, "T", h->time);
    json_put_number(&j, "knots", h->knots);
    json_put_number(&j, "objective", r->cost);
    json_put_number(&j, "iterations", r->iterations);
    json_put_number(&j, "gradient", r->gradient);
    json_put_number(&j, "gap", r->gap);
    json_put_number(&j, "violation", r->violation);
    if (r->derivative_time > 0) {
        json_put_number(&j, "derivative_time", r->derivative_time);
        json_put_number(&j, "riccati_time", r->riccati_time);
        json_put_number(&j, "search_time", r->search_time);
    }
    put_limits(&j, h);
    json_put_number(&j, "snapshots", h->snapshots);
    json_put_close(&j, '}');
}

static arne_status write_summary(const arne_horizon *h, const run_folder *run, const char *robot,
                                 const arne_oc_result *result, arne_error *error)
{
    char      *path = arne_run_folder_path(run, "summary.json");
    whole_file file;
    if (!path) return arne_fail_memory(error);
    arne_status status = arne_whole_file_open(&file, path, error);
    if (!status) {
        put_summary(file.stream, h, robot, result);
        status = arne_whole_file_close(&file, error);
    }
    free(path);
    return status;
}

// Copies of the files; in that of the problem, `robot` names the copy beside it.
static arne_status copy_inputs(const arne_horizon *h, const run_folder *run, char **robot,
                               arne_error *error)
{
    char       *problem = NULL;
    const int   count = h->target_count + 1;
    run_path   *said = calloc((size_t)count, sizeof *said);
    char      **copies = calloc((size_t)count, sizeof *copies);
    arne_status status = said && copies
                             ? arne_run_folder_copy_robot(run, h->robot_path, &copies[0], error)
                             : arne_fail_memory(error);
    for (int i = 1; i < count && !status; i++)
        status = arne_run_folder_copy(run, h->targets[i - 1].path, NULL, 0, &copies[i], error);
    for (int i = 0; i < count && !status; i++) {
        const doc_node *node = i ? h->targets[i - 1].node : doc_find(h->doc.root, "robot");
        said[i] = (run_path){node->line, node->text, strrchr(copies[i], '/') + 1};
    }
    if (!status) status = arne_run_folder_copy(run, h->path, said, count, &problem, error);
    if (!status) {
        *robot = copies[0];
        copies[0] = NULL;
    }
    for (int i = 0; i < count && copies; i++)
        free(copies[i]);
    free(copies);
    free(said);
    free(problem);
    return status;
}

arne_status arne_horizon_write(arne_horizon *h, const arne_oc_result *result, const char *dir,
                               const arne_report_options *page, arne_error *error)
{
    if (!h || !h->oc || !result || !dir) return arne_fail_null(error);
    run_folder  run = {0};
    char       *robot = NULL;
    arne_status status = arne_run_folder_begin(&run, dir, error);
    if (!status) status = copy_inputs(h, &run, &robot, error);
    if (!status) status = arne_run_folder_check(&run, error);
    if (!status) status = write_result(h, &run, error);
    if (!status) status = write_summary(h, &run, robot, result, error);
    if (!status)
        status = result->outcome == ARNE_OC_CONVERGED ? arne_run_folder_finish(&run, page, error)
                                                      : arne_run_folder_keep(&run, page, error);
    arne_run_folder_drop(&run);
    free(robot);
    return status;
}

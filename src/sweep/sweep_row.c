// One row: values go into the trees, the trees are interpreted as files are, the run is made, its
// figures are taken.
#include "base/text.h"
#include "io/folder.h"
#include "io/run_list.h"
#include "plan/result/plan_row.h"
#include "problem/read_problem.h"
#include "sweep/sweep.h"
#include "sweep/sweep_files.h"
#include <arne/plan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- reading the run as the trees have it

static arne_status read_scenario(arne_sweep *s, findings *found, arne_scenario **out,
                                 arne_error *error)
{
    arne_build_options    build = s->build;
    const scenario_source source = {.path = s->run_path, .given = &s->given};
    if (found) {
        const listeners all = findings_listeners(found);
        build.warn = all.warn;
        build.fail = all.fail;
        build.warn_context = build.fail_context = found;
    }
    return scenario_read(&source, &build, out, error);
}

static arne_status read_plan(arne_sweep *s, findings *found, arne_plan **out, arne_error *error)
{
    arne_build_options build = s->build;
    if (found) {
        const listeners all = findings_listeners(found);
        build.warn = all.warn;
        build.fail = all.fail;
        build.warn_context = build.fail_context = found;
    }
    return problem_read_given(s->run_path, &s->given, &build, out, error);
}

arne_status sweep_try_run(arne_sweep *s, findings *found, arne_error *error)
{
    arne_scenario *scenario = NULL;
    arne_plan     *plan = NULL;
    arne_table    *table = NULL;
    arne_status    status = ARNE_OK;
    if (s->kind == SWEEP_SCENARIO) status = read_scenario(s, found, &scenario, error);
    if (s->kind == SWEEP_PROBLEM) status = read_plan(s, found, &plan, error);
    if (s->kind == SWEEP_COMPUTE) status = sweep_compute(s, 0, found, &table, error);
    for (const kept_file *f = s->files.first; f && !status; f = f->next)
        status = sweep_add_input(s, f->path); // tables, and what the robot's file extends
    arne_scenario_free(scenario);
    arne_plan_free(plan);
    arne_table_free(table);
    return status;
}

arne_status sweep_columns(arne_sweep *s, arne_table **out, arne_error *error)
{
    arne_scenario *scenario = NULL;
    arne_plan     *plan = NULL;
    arne_status    status = ARNE_OK;
    *out = NULL;
    if (s->kind == SWEEP_COMPUTE) return sweep_compute(s, 0, NULL, out, error);
    if (s->kind == SWEEP_SCENARIO) {
        status = read_scenario(s, NULL, &scenario, error);
        if (!status) status = scenario_columns(scenario, out, error);
    } else {
        status = read_plan(s, NULL, &plan, error);
        if (!status) status = plan_table(plan, 0, out, error);
    }
    arne_scenario_free(scenario);
    arne_plan_free(plan);
    return status;
}

// ---- figures

static double field_value(const summary_field *f, const void *summary)
{
    const char *at = (const char *)summary + f->offset;
    if (f->is_long == 1) return (double)*(const long *)(const void *)at;
    if (f->is_long == 2) return *(const int *)(const void *)at;
    return *(const double *)(const void *)at;
}

static void take_figures(const arne_sweep *s, const void *summary, const arne_scenario *scenario,
                         const arne_table *table, double *figures)
{
    const summary_field *fields = s->kind == SWEEP_SCENARIO ? scenario_fields : plan_fields;
    for (int i = 0; i < s->figure_count; i++) {
        const sweep_figure *f = &s->figures[i];
        figures[i] = NAN;
        if (f->source == FIGURE_SUMMARY && summary) {
            figures[i] = field_value(&fields[f->index], summary);
        } else if (f->source == FIGURE_OWN && scenario && f->index < scenario->figure_count) {
            figures[i] = scenario->figures[f->index].figure.value;
        } else if (f->source == FIGURE_COLUMN && table) {
            const int column = arne_table_find(table, f->of);
            if (column >= 0) figures[i] = measure_column(table, column, f->measure);
        }
    }
}

static void say_why(char reason[SWEEP_REASON], const arne_error *error)
{
    const char *slash = strrchr(error->file, '/');
    const char *file = slash ? slash + 1 : error->file;
    if (file[0] && error->line)
        text_line(reason, SWEEP_REASON, "%s:%d: %s", file, error->line, error->text);
    else
        text_line(reason, SWEEP_REASON, "%s", error->text);
}

// ---- the kinds of runs

// A run that was made into its folder: rows are read back, which keeps every bit.
static arne_status run_in_folder(arne_scenario *scenario, const sweep_job *job, const char *dir,
                                 arne_table **table, arne_simulation_summary *summary,
                                 arne_error *error)
{
    const arne_scenario_options how = {.stop = job->stop, .stop_context = job->stop_context};
    arne_status                 status = arne_scenario_run(scenario, dir, &how, summary, error);
    const int                   kept = summary->ended[0] && (status || summary->stopped);
    char                       *path = arne_join(dir, kept ? ".incomplete" : "", "/result.csv");
    if (path && arne_table_read_csv(path, table, NULL) != ARNE_OK) *table = NULL;
    free(path);
    return status;
}

static arne_status run_scenario(const sweep_job *job, const char *dir, double *figures,
                                char reason[SWEEP_REASON])
{
    arne_sweep             *s = job->sweep;
    arne_scenario          *scenario = NULL;
    arne_table             *table = NULL;
    arne_error              error = {0};
    arne_simulation_summary summary = {0};
    arne_status             status = dir ? sweep_files_scenario(s, dir, &scenario, &error)
                                         : read_scenario(s, NULL, &scenario, &error);
    if (!status && dir) {
        status = run_in_folder(scenario, job, dir, &table, &summary, &error);
    } else if (!status) {
        arne_simulation_spec sim = scenario->sim;
        sim.stop = job->stop;
        sim.stop_context = job->stop_context;
        status = arne_simulate(&sim, NULL, NULL, &table, &summary, &error);
    }
    if (table && scenario) scenario_measure(scenario, table);
    if (!status || table) take_figures(s, &summary, scenario, table, figures);
    if (status && status != ARNE_STOPPED)
        say_why(reason, &error);
    else if (!status && !summary.complete && !summary.stopped)
        text_line(reason, SWEEP_REASON, "ended at t = %.6g s: %s", summary.time, summary.ended);
    if (summary.stopped) status = ARNE_STOPPED;
    arne_table_free(table);
    arne_scenario_free(scenario);
    return status == ARNE_STOPPED || status == ARNE_NO_MEMORY ? status : ARNE_OK;
}

// Where the search of a row was left for its neighbours; to be freed.
static char *warm_folder(const sweep_job *job, long row)
{
    char name[32];
    snprintf(name, sizeof name, "/%ld", row);
    return row < 0 || !job->warm ? NULL : arne_join(job->warm, name, "");
}

// Whether there was a motion of the neighbour to start from.
static int start_warm(const sweep_job *job, long row, arne_plan *plan, arne_solve_options *how)
{
    char       *from = warm_folder(job, sweep_warm_parent(job->sweep, row));
    struct stat info;
    arne_error  error;
    const int   found =
        from && stat(from, &info) == 0 && arne_plan_start_from(plan, from, &error) == ARNE_OK;
    if (found) {
        how->warm = 1;
        how->smooth_first = how->feasibility_first = 0;
    }
    free(from);
    return found;
}

static arne_status keep_plan(const sweep_job *job, long row, const char *dir, arne_plan *plan,
                             const arne_plan_result *result)
{
    char       *warm = job->sweep->warm ? warm_folder(job, row) : NULL;
    arne_error  error;
    arne_status status = ARNE_OK;
    if (warm && arne_plan_is_complete(result->status))
        status = arne_plan_write(plan, result, warm, NULL, &error);
    if (dir && !status) status = arne_plan_write(plan, result, dir, NULL, &error);
    free(warm);
    return status;
}

// One search; *warm asks for a start from the neighbour, and says whether there was one.
static arne_status sweep_row_search(const sweep_job *job, long row, const char *dir, int *warm,
                                    arne_plan **plan, arne_plan_result *result, arne_error *error)
{
    arne_sweep *s = job->sweep;
    arne_status status =
        dir ? sweep_files_plan(s, dir, plan, error) : read_plan(s, NULL, plan, error);
    if (status) return status;
    arne_solve_options how = arne_plan_solver(*plan);
    how.stop = job->stop;
    how.stop_context = job->stop_context;
    *warm = *warm && start_warm(job, row, *plan, &how);
    status = arne_plan_solve(*plan, &how, result, error);
    const int stopped = result->status == ARNE_PLAN_INTERRUPTED && job->stop;
    return stopped && job->stop(job->stop_context) ? ARNE_STOPPED : status;
}

static arne_status run_plan(const sweep_job *job, long row, const char *dir, double *figures,
                            char reason[SWEEP_REASON])
{
    arne_sweep      *s = job->sweep;
    arne_plan       *plan = NULL;
    arne_table      *table = NULL;
    arne_error       error = {0};
    arne_plan_result result = {0};
    int              warm = s->warm;
    arne_status      status = sweep_row_search(job, row, dir, &warm, &plan, &result, &error);
    if (status == ARNE_NOT_CONVERGED && warm) { // a start from nothing may find more
        arne_plan_free(plan);
        plan = NULL;
        result = (arne_plan_result){0};
        warm = 0;
        status = sweep_row_search(job, row, dir, &warm, &plan, &result, &error);
    }
    if (!status || status == ARNE_NOT_CONVERGED) {
        if (plan_table(plan, 1, &table, NULL) == ARNE_OK)
            take_figures(s, &result, NULL, table, figures);
        (void)keep_plan(job, row, dir, plan, &result);
    }
    if (status && status != ARNE_STOPPED) say_why(reason, &error);
    arne_table_free(table);
    arne_plan_free(plan);
    return status == ARNE_STOPPED || status == ARNE_NO_MEMORY ? status : ARNE_OK;
}

static arne_status run_quantity(arne_sweep *s, double *figures, char reason[SWEEP_REASON])
{
    arne_table *table = NULL;
    arne_error  error = {0};
    arne_status status = sweep_compute(s, 1, NULL, &table, &error);
    if (status)
        say_why(reason, &error);
    else
        take_figures(s, NULL, NULL, table, figures);
    arne_table_free(table);
    return status == ARNE_NO_MEMORY ? status : ARNE_OK;
}

static arne_status run_kind(const sweep_job *job, long row, const char *dir, double *figures,
                            char reason[SWEEP_REASON])
{
    switch (job->sweep->kind) {
    case SWEEP_SCENARIO:
        return run_scenario(job, dir, figures, reason);
    case SWEEP_PROBLEM:
        return run_plan(job, row, dir, figures, reason);
    case SWEEP_COMPUTE:
        return run_quantity(job->sweep, figures, reason);
    default:
        return ARNE_OK;
    }
}

arne_status sweep_evaluate(const sweep_job *job, long row, double *figures,
                           char reason[SWEEP_REASON])
{
    arne_sweep  *s = job->sweep;
    char        *dir = NULL, name[32];
    sweep_value *values = calloc((size_t)s->parameter_count + 1, sizeof *values);
    if (!values) return ARNE_NO_MEMORY;
    snprintf(name, sizeof name, "/%ld", row);
    if (job->row_folder) dir = arne_join(job->row_folder, "", "");
    if (job->folder) dir = arne_join(job->folder, name, "");
    if ((job->folder || job->row_folder) && !dir) {
        free(values);
        return ARNE_NO_MEMORY;
    }
    strcpy(reason, "ok");
    for (int i = 0; i < s->figure_count; i++)
        figures[i] = NAN;
    sweep_values(s, row, values);
    sweep_set_values(s, values);
    const arne_status status = run_kind(job, row, dir, figures, reason);
    s->row_values = NULL;
    if (dir) sweep_files_remove(dir);
    struct stat info;
    const int   goes = job->folder && s->keep == KEEP_FAILED && strcmp(reason, "ok") == 0;
    if (goes) run_list_remove(dir, 0);
    if (goes && stat(dir, &info) == 0) run_list_remove(dir, 0); // for want of memory, say
    free(dir);
    free(values);
    return status;
}

// ---- its line

void sweep_put_cell(buffer *b, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        put_bytes(b, text, strlen(text));
        return;
    }
    put(b, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"') put(b, "\"");
        put_bytes(b, *c == '\n' || *c == '\r' ? " " : c, 1);
    }
    put(b, "\"");
}

static void put_cell_number(buffer *b, double value)
{
    put(b, ",");
    if (isfinite(value)) put_shortest(b, value); // else nothing: there is no such number
}

void sweep_put_line(buffer *b, const arne_sweep *s, long row, const double *figures,
                    const char *reason)
{
    sweep_value *values = calloc((size_t)s->parameter_count + 1, sizeof *values);
    if (!values) {
        b->failed = 1;
        return;
    }
    sweep_values(s, row, values);
    put(b, "%ld", row);
    for (int i = 0; i < s->parameter_count; i++)
        if (values[i].text) {
            put(b, ",");
            sweep_put_cell(b, values[i].text);
        } else {
            put_cell_number(b, values[i].number);
        }
    for (int i = 0; i < s->figure_count; i++)
        put_cell_number(b, figures[i]);
    put(b, ",");
    sweep_put_cell(b, reason);
    free(values);
}

char *arne_sweep_header(const arne_sweep *s)
{
    buffer b = {0};
    put(&b, "row");
    for (int i = 0; i < s->parameter_count + s->figure_count; i++) {
        put(&b, ",");
        sweep_put_cell(&b, arne_sweep_name(s, i));
    }
    put(&b, ",status");
    if (!b.failed) return b.text;
    buffer_free(&b);
    return NULL;
}

// A scenario's result: figures taken from it, and the folder that a run leaves.
#include "base/error.h"
#include "base/options.h"
#include "base/plain.h"
#include "io/json.h"
#include "io/kept_files.h"
#include "io/run_folder.h"
#include "io/whole_file.h"
#include "simulate/plant.h"
#include "simulate/result_rows.h"
#include "simulate/scenario.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- figures and plots ----

typedef struct figure_keys {
    const char     *name, *unit;
    int             measure;
    const doc_node *column;
    double          published, within;
} figure_keys;

const doc_word scenario_measures[] = {
    {"rms", MEASURE_RMS, NULL, NULL, NULL},
    {"peak", MEASURE_PEAK, NULL, NULL, "the largest absolute value"},
    {"max", MEASURE_MAX, NULL, NULL, NULL},
    {"min", MEASURE_MIN, NULL, NULL, NULL},
    {"mean", MEASURE_MEAN, NULL, NULL, NULL},
    {"first", MEASURE_FIRST, NULL, NULL, NULL},
    {"last", MEASURE_LAST, NULL, NULL, NULL},
    {"range", MEASURE_RANGE, NULL, NULL, "the largest less the smallest"},
    {"change", MEASURE_CHANGE, NULL, NULL, "the last less the first"},
    {0},
};

#define AT(field) offsetof(figure_keys, field)
static const doc_key figure_key_table[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .needed = 1, .help = "what the report calls it"},
    {"unit", DOC_TYPE_TEXT, AT(unit), .needed = 0, .help = "unit of the number"},
    {"measure", DOC_TYPE_WORD, AT(measure), .words = scenario_measures, .otherwise = "last",
     .help = "how the column is reduced to a number"},
    {"column", DOC_TYPE_NODE, AT(column), .needed = 1, .takes = "a column of the result",
     .help = "the column to measure"},
    {"published", DOC_TYPE_NUMBER, AT(published), .help = "the published or known value"},
    {"within", DOC_TYPE_NUMBER, AT(within), .range = DOC_POSITIVE,
     .help = "allowed difference, as a fraction of the published value"},
    {0},
};
#undef AT
const doc_schema scenario_figure_schema = {"figures", NULL, figure_key_table, NULL};

static arne_status scenario_run_read_figure(const doc_slot *item, const char *name, void *context)
{
    arne_scenario *s = context;
    figure_keys    k = {.unit = "", .measure = MEASURE_LAST, .published = NAN, .within = INFINITY};
    (void)name;
    const arne_status status = doc_read_map(item, &scenario_figure_schema, &k, 0);
    if (status) return status;
    for (int i = 0; i < s->figure_count; i++)
        if (!strcmp(s->figures[i].figure.name, k.name))
            return doc_fail(item, ARNE_VALUE, "another figure is named '%.80s', too", k.name);
    const doc_slot   column = {item->reader, item->owner, "column", k.column};
    scenario_figure *out = &s->figures[s->figure_count++];
    out->figure = (arne_figure){k.name, k.unit, NAN, k.published, k.within};
    out->measure = (enum measure)k.measure;
    out->column_node = k.column;
    return doc_text(&column, &out->column);
}

arne_status scenario_read_figures(const doc_slot *section, void *unused)
{
    arne_scenario *s = scenario_of(section);
    (void)unused;
    s->figures = document_take(&s->doc, ((size_t)section->value->count + 1) * sizeof *s->figures);
    if (!s->figures) return arne_fail_memory(s->reader.error);
    return doc_each(section, &scenario_figure_schema, scenario_run_read_figure, s);
}

// The report reads them.
static const doc_key plot_key_table[] = {
    {"title", DOC_TYPE_SKIP, 0, .takes = "text", .help = "above the plot"},
    {"x", DOC_TYPE_SKIP, 0, .takes = "a column", .otherwise = "time",
     .help = "the column along the axis"},
    {"y", DOC_TYPE_SKIP, 0, .takes = "a column or a list of them", .help = "the columns to plot"},
    {"x_label", DOC_TYPE_SKIP, 0, .takes = "text", .help = "below the axis"},
    {"y_label", DOC_TYPE_SKIP, 0, .takes = "text", .help = "beside the axis"},
    {"equal", DOC_TYPE_SKIP, 0, .takes = "true or false", .help = "scales of both axes"},
    {0},
};
const doc_schema scenario_plot_schema = {"plots", NULL, plot_key_table, NULL};

static arne_status read_plot(const doc_slot *item, const char *name, void *context)
{
    (void)name;
    return doc_read_map(item, &scenario_plot_schema, context, 0);
}

arne_status scenario_read_plots(const doc_slot *section, void *unused)
{
    arne_scenario *s = scenario_of(section);
    (void)unused;
    s->plots = section->value;
    return doc_each(section, &scenario_plot_schema, read_plot, s);
}

static arne_status scenario_run_check_column(arne_scenario *s, const arne_table *table,
                                             const char *owner, const doc_node *node)
{
    const doc_slot slot = {&s->reader, owner, "column", node};
    const char    *name = NULL;
    arne_status    status = doc_text(&slot, &name);
    if (status || arne_table_find(table, name) >= 0) return status;
    return doc_fail(&slot, ARNE_NOT_FOUND,
                    "'%.100s' is not among the columns of the result: see record", name);
}

static arne_status check_plot(arne_scenario *s, const arne_table *table, const doc_node *plot)
{
    const doc_node *x = doc_find(plot, "x"), *y = doc_find(plot, "y");
    arne_status     status = x ? scenario_run_check_column(s, table, "plots", x) : ARNE_OK;
    if (y && y->kind == DOC_TEXT)
        status = status_both(status, scenario_run_check_column(s, table, "plots", y));
    for (const doc_item *i = y && y->kind == DOC_LIST ? y->first : NULL;
         i && status_goes_on(status); i = i->next)
        status = status_both(status, scenario_run_check_column(s, table, "plots", i->value));
    return status;
}

arne_status scenario_check_columns(arne_scenario *s)
{
    const doc_slot root = {&s->reader, "", "", s->doc.root};
    plant          p = {0};
    record         r = {0};
    arne_status    status = plant_new(&s->sim, &p, s->reader.error);
    if (!status) status = record_new(&p, &r, s->reader.error);
    status = doc_check(&root, status);
    const int made = !status;
    for (int i = 0; made && i < s->figure_count && status_goes_on(status); i++)
        status = status_both(
            status, scenario_run_check_column(s, r.table, "figures", s->figures[i].column_node));
    for (const doc_item *i = made && s->plots ? s->plots->first : NULL; i && status_goes_on(status);
         i = i->next)
        status = status_both(status, check_plot(s, r.table, i->value));
    record_free(&r);
    plant_free(&p);
    return status;
}

arne_status scenario_columns(const arne_scenario *s, arne_table **out, arne_error *error)
{
    plant       p = {0};
    record      r = {0};
    arne_status status = plant_new(&s->sim, &p, error);
    if (!status) status = record_new(&p, &r, error);
    *out = status ? NULL : r.table;
    if (!status) r.table = NULL;
    record_free(&r);
    plant_free(&p);
    return status;
}

double measure_column(const arne_table *table, int column, measure what)
{
    const int rows = arne_table_rows(table);
    if (rows == 0) return NAN;
    const double first = arne_table_row(table, 0)[column],
                 last = arne_table_row(table, rows - 1)[column];
    double sum = 0, squares = 0, low = first, high = first;
    for (int i = 0; i < rows; i++) {
        const double x = arne_table_row(table, i)[column];
        sum += x;
        squares += x * x;
        low = fmin(low, x);
        high = fmax(high, x);
    }
    switch (what) {
    case MEASURE_RMS:
        return sqrt(squares / rows);
    case MEASURE_PEAK:
        return fmax(fabs(low), fabs(high));
    case MEASURE_MAX:
        return high;
    case MEASURE_MIN:
        return low;
    case MEASURE_MEAN:
        return sum / rows;
    case MEASURE_FIRST:
        return first;
    case MEASURE_RANGE:
        return high - low;
    case MEASURE_CHANGE:
        return last - first;
    default:
        return last;
    }
}

void scenario_measure(arne_scenario *s, const arne_table *table)
{
    for (int i = 0; i < s->figure_count; i++)
        s->figures[i].figure.value = measure_column(
            table, arne_table_find(table, s->figures[i].column), s->figures[i].measure);
}

int arne_scenario_figure_count(const arne_scenario *s) { return s->figure_count; }

arne_figure arne_scenario_figure(const arne_scenario *s, int index)
{
    return s->figures[index].figure;
}

int arne_figure_good(const arne_figure *f)
{
    if (isnan(f->published)) return 1;
    const double scale = f->published == 0 ? 1 : fabs(f->published);
    return fabs(f->value - f->published) <= f->within * scale;
}

// ---- the folder ----

static void write_node(FILE *out, const doc_node *node)
{
    buffer text = {0};
    document_put(&text, node);
    if (text.text && !text.failed) fputs(text.text, out);
    buffer_free(&text);
}

// Torques that the motors can give, for plots.
static void write_limits(json *j, const arne_robot *robot)
{
    json_put_open(j, "limits", '{');
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info info = arne_robot_joint(robot, i);
        char                  name[512];
        if (info.v_count != 1 || !isfinite(info.effort)) continue;
        snprintf(name, sizeof name, "tau.%s", info.name);
        json_put_numbers(j, name, (const double[]){-info.effort, info.effort}, 2);
    }
    json_put_close(j, '}');
}

static void write_figures(json *j, const arne_scenario *s)
{
    json_put_open(j, "figures", '[');
    for (int i = 0; i < s->figure_count; i++) {
        const arne_figure *f = &s->figures[i].figure;
        json_put_open(j, NULL, '{');
        json_put_text(j, "name", f->name);
        json_put_text(j, "unit", f->unit);
        json_put_number(j, "value", f->value);
        json_put_number(j, "published", f->published);
        json_put_close(j, '}');
    }
    json_put_close(j, ']');
}

// The first impacts, for the page: impacts.csv has all.
static void write_impacts(json *j, const arne_scenario *s, const arne_table *impacts)
{
    enum { SHOWN = 40 };
    const int contacts = arne_robot_sizes(s->robot).contact_count, rows = arne_table_rows(impacts);
    json_put_number(j, "impact_count", rows);
    json_put_open(j, "impacts", '[');
    for (int i = 0, shown = 0; i < rows && shown < SHOWN; i++)
        for (int c = 0; c < contacts && shown < SHOWN; c++) {
            const double *row = arne_table_row(impacts, i), *p = row + 1 + 3 * c;
            if (p[0] == 0 && p[1] == 0 && p[2] == 0) continue;
            shown++;
            json_put_open(j, NULL, '{');
            json_put_number(j, "time", row[0]);
            json_put_text(j, "contact", arne_robot_contact(s->robot, c).name);
            json_put_number(j, "impulse", sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
            json_put_close(j, '}');
        }
    json_put_close(j, ']');
}

static void scenario_run_write_summary(FILE *out, const arne_scenario *s, const char *robot,
                                       const arne_table *impacts, const arne_simulation_summary *r)
{
    const char *title = *s->title ? s->title : arne_robot_name(s->robot);
    json        j = json_run(out, "simulate", title, robot, s->robot);
    json_put_text(&j, "text", s->text);
    const arne_vec3 g = arne_robot_gravity(s->robot);
    json_put_numbers(&j, "gravity", (const double[]){g.x, g.y, g.z}, 3);
    json_put_flag(&j, "complete", r->complete);
    if (r->ended[0]) json_put_text(&j, "ended", r->ended);
    json_put_number(&j, "time", r->time);
    json_put_number(&j, "duration", s->sim.duration);
    json_put_text(&j, "method", arne_method_name(s->sim.integrator.method));
    json_put_number(&j, "rms_error", r->rms_error);
    json_put_number(&j, "peak_error", r->peak_error);
    json_put_number(&j, "energy_residual", r->energy_residual);
    json_put_number(&j, "closure_error", r->closure_error);
    if (plant_is_rigid(&s->sim)) {
        json_put_number(&j, "contact_residual", r->contact_residual);
        json_put_number(&j, "penetration", r->penetration);
    }
    if (impacts && arne_table_rows(impacts) > 0) write_impacts(&j, s, impacts);
    json_put_number(&j, "limits_hit", (double)r->limits_hit);
    json_put_number(&j, "steps", (double)r->steps);
    json_put_number(&j, "evaluations", (double)r->rates);
    json_put_number(&j, "solve_time", r->solve_time);
    json_put_number(&j, "realtime_ratio", r->realtime_ratio);
    write_limits(&j, s->robot);
    if (s->figure_count) write_figures(&j, s);
    if (s->snapshots > 0) json_put_number(&j, "snapshots", s->snapshots);
    if (s->plots) {
        json_put_key(&j, "plots");
        write_node(out, s->plots);
    }
    json_put_close(&j, '}');
}

static arne_status save_summary(const arne_scenario *s, const run_folder *folder, const char *robot,
                                const arne_table *impacts, const arne_simulation_summary *summary,
                                arne_error *error)
{
    char       *path = arne_run_folder_path(folder, "summary.json");
    whole_file  file;
    arne_status status = path ? arne_whole_file_open(&file, path, error) : arne_fail_memory(error);
    if (!status) {
        scenario_run_write_summary(file.stream, s, robot, impacts, summary);
        status = arne_whole_file_close(&file, error);
    }
    free(path);
    return status;
}

// Copies of the robot, the tables and the scenario itself, which then names the copies.
static arne_status save_inputs(const arne_scenario *s, const run_folder *folder, char **robot,
                               arne_error *error)
{
    run_path   *paths = calloc((size_t)s->file_count + 1, sizeof *paths);
    char      **names = calloc((size_t)s->file_count + 2, sizeof *names);
    arne_status status = paths && names ? ARNE_OK : arne_fail_memory(error);
    for (int i = 0; i < s->file_count && !status; i++) {
        const scenario_file *f = &s->files[i];
        status = i == 0 ? arne_run_folder_copy_robot(folder, f->path, &names[i], error)
                        : arne_run_folder_copy(folder, f->path, NULL, 0, &names[i], error);
        if (!status) paths[i] = (run_path){f->line, f->said, names[i] + strlen("inputs/")};
    }
    if (!status)
        status = arne_run_folder_copy(folder, s->path, paths, s->file_count, &names[s->file_count],
                                      error);
    if (!status) {
        *robot = names[0];
        names[0] = NULL;
    }
    for (int i = 0; names && i <= s->file_count; i++)
        free(names[i]);
    free(names);
    free(paths);
    return status;
}

static arne_status scenario_run_write_table(const run_folder *folder, const char *name,
                                            const arne_table *table, arne_error *error)
{
    char             *path = arne_run_folder_path(folder, name);
    const arne_status status =
        path ? arne_table_write_csv(table, path, error) : arne_fail_memory(error);
    free(path);
    return status;
}

// A run that was stopped or failed has a place of its own: what was there before stays.
static arne_status save(const arne_scenario *s, run_folder *folder, const arne_table *table,
                        const arne_table *impacts, const arne_simulation_summary *summary,
                        const char *robot, int keep, const arne_report_options *page,
                        arne_error *error)
{
    arne_status status = scenario_run_write_table(folder, "result.csv", table, error);
    if (!status && impacts && arne_table_rows(impacts) > 0)
        status = scenario_run_write_table(folder, "impacts.csv", impacts, error);
    if (!status) status = save_summary(s, folder, robot, impacts, summary, error);
    if (status) return status;
    return keep ? arne_run_folder_keep(folder, page, error)
                : arne_run_folder_finish(folder, page, error);
}

// Where an earlier run was stopped, and its rows.
typedef struct way_on {
    arne_table *checkpoint, *rows;
} way_on;

static arne_status read_way_on(const run_folder *folder, way_on *out, arne_error *error)
{
    char       *from = NULL, *path = NULL;
    arne_status status = arne_run_folder_resume(folder, &from, error);
    if (status) return status;
    path = arne_join(from, "/", "checkpoint.csv");
    status = path ? kept_files_table(NULL, path, &out->checkpoint, error) : arne_fail_memory(error);
    free(path);
    path = status ? NULL : arne_join(from, "/", "result.csv");
    if (!status)
        status = path ? kept_files_table(NULL, path, &out->rows, error) : arne_fail_memory(error);
    free(path);
    free(from);
    return status;
}

static arne_status simulate_and_save(arne_scenario *s, run_folder *folder, const char *robot,
                                     const arne_scenario_options *how, const way_on *on,
                                     arne_simulation_summary *summary, arne_error *error)
{
    arne_table          *table = NULL, *checkpoint = NULL, *impacts = NULL;
    arne_simulation_spec sim = s->sim;
    sim.stop = how->stop;
    sim.stop_context = how->stop_context;
    sim.resume = on->checkpoint;
    sim.resume_rows = on->rows;
    sim.checkpoint = &checkpoint;
    sim.impacts = &impacts;
    arne_status status = arne_simulate(&sim, how->progress, how->context, &table, summary, error);
    if (status && error && !error->file[0])
        snprintf(error->file, sizeof error->file, "%s", s->path);
    // Without memory for a first step there is no more than the state it was to start from.
    if (table && arne_table_rows(table) > (status == ARNE_NO_MEMORY)) {
        arne_error  own_error, *complaint = status ? &own_error : error;
        arne_status saved = ARNE_OK;
        scenario_measure(s, table);
        if (checkpoint)
            saved = scenario_run_write_table(folder, "checkpoint.csv", checkpoint, complaint);
        if (!saved)
            saved = save(s, folder, table, impacts, summary, robot, status || summary->stopped,
                         how->page, complaint);
        if (!saved && !status && on->checkpoint && !summary->stopped)
            arne_run_folder_resumed(folder);
        if (saved && folder->partial) summary->ended[0] = 0; // nothing is left
        if (!status) status = saved;
    } else {
        summary->ended[0] = 0;
    }
    arne_table_free(table);
    arne_table_free(checkpoint);
    arne_table_free(impacts);
    return status;
}

arne_status arne_scenario_run(arne_scenario *s, const char *dir, const arne_scenario_options *how,
                              arne_simulation_summary *summary, arne_error *error)
{
    arne_scenario_options own_options;
    if (how &&
        !options_take(&own_options, sizeof own_options, OPTIONS_FIRST(arne_scenario_options), how))
        return options_refuse(error);
    if (how) how = &own_options;
    if (!s || !dir) return arne_fail_null(error);
    static const arne_scenario_options usual = {0};
    run_folder                         folder;
    arne_simulation_summary            own;
    char                              *robot = NULL;
    way_on                             on = {NULL, NULL};
    if (!summary) summary = &own;
    memset(summary, 0, sizeof *summary);
    // The folder first: what cannot be written is known before hours of work.
    arne_status status = arne_run_folder_begin(&folder, dir, error);
    if (status) return status;
    status = save_inputs(s, &folder, &robot, error);
    if (!status) status = arne_run_folder_check(&folder, error);
    if (!how) how = &usual;
    if (!status && how->resume) status = read_way_on(&folder, &on, error);
    if (!status) status = simulate_and_save(s, &folder, robot, how, &on, summary, error);
    arne_table_free(on.checkpoint);
    arne_table_free(on.rows);
    arne_run_folder_drop(&folder);
    free(robot);
    return status;
}

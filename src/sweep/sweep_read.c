// A sweep file as a table of keys: docs/sweep.md says what each means.
#include "io/run_folder.h"
#include "robot/builder.h"
#include "sweep/sweep.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

arne_sweep *sweep_of(const doc_slot *slot) { return slot->reader->context; }

static const doc_word designs[] = {
    {"grid", DESIGN_GRID, NULL, NULL, "every value with every other, the last one fastest"},
    {"rows", DESIGN_ROWS, NULL, NULL, "the first values, the second ones, and so on"},
    {"lhs", DESIGN_LHS, NULL, NULL, "Latin hypercube"},
    {"sobol", DESIGN_SOBOL, NULL, NULL, "Sobol points"},
    {"saltelli", DESIGN_SALTELLI, NULL, NULL, "samples (parameters + 2) rows, for Sobol indices"},
    {0},
};
static const doc_word keeps[] = {
    {"none", KEEP_NONE, NULL, NULL, NULL},
    {"failed", KEEP_FAILED, NULL, NULL, "the folders of runs that fail"},
    {"all", KEEP_ALL, NULL, NULL, NULL},
    {0},
};
static const doc_word warms[] = {
    {"no", 0, NULL, NULL, NULL},
    {"neighbours", 1, NULL, NULL, "searches of a grid start from that of a neighbour"},
    {0},
};

#define AT(field) offsetof(arne_sweep, field)
static const doc_key section_table[] = {
    {"title", DOC_TYPE_TEXT, AT(title), .help = "of the page"},
    {"text", DOC_TYPE_TEXT, AT(text), .help = "about the sweep, in a sentence or two"},
    {"run", DOC_TYPE_NODE, AT(run_node), .needed = 1,
     .takes = "the file of a scenario or problem, or a mapping with compute, robot, q, qd, ...",
     .help = "the run of every row"},
    {"parameters", DOC_TYPE_NODE, AT(parameter_node),
     .takes = "by path: a list, a range or a distribution; or a CSV with a column for each",
     .help = "values to vary, by path; robot.KEY is in the robot's file, others are in the run's"},
    {"robustness", DOC_TYPE_NODE, AT(robustness_node), .takes = "a part such as 10 %, or a mapping",
     .help = "varies masses, centres and principal moments of all bodies by up to this fraction"},
    {"design", DOC_TYPE_WORD, AT(design), .words = designs,
     .help = "default: lhs if there is a distribution, otherwise grid"},
    {"samples", DOC_TYPE_WHOLE, AT(samples), .range = DOC_POSITIVE, .help = "number of samples"},
    {"seed", DOC_TYPE_WHOLE, AT(seed), .otherwise = "0", .help = "seed of the random numbers"},
    {"figures", DOC_TYPE_NODE, AT(figure_node),
     .takes = "by name: summary.FIELD, or {column: NAME, reduce: WORD}",
     .help = "default: those of the run"},
    {"keep", DOC_TYPE_WORD, AT(keep), .words = keeps, .otherwise = "none",
     .help = "folders of runs"},
    {"time_limit", DOC_TYPE_NUMBER, AT(time_limit), .unit = "s", .range = DOC_POSITIVE,
     .help = "of each run"},
    {"warm", DOC_TYPE_WORD, AT(warm), .words = warms, .otherwise = "no",
     .help = "where searches start"},
    {0},
};
#undef AT
const doc_schema sweep_schema = {"sweep", NULL, section_table, NULL};

arne_status sweep_add_input(arne_sweep *s, const char *path)
{
    for (int i = 0; i < s->input_count; i++)
        if (strcmp(s->inputs[i], path) == 0) return ARNE_OK;
    char **inputs = realloc(s->inputs, ((size_t)s->input_count + 1) * sizeof *inputs);
    if (inputs) s->inputs = inputs;
    char *copy = inputs ? arne_join(path, "", "") : NULL;
    if (!copy) return arne_fail_memory(s->reader.error);
    inputs[s->input_count++] = copy;
    return ARNE_OK;
}

static arne_status sweep_read_check_together(arne_sweep *s, const doc_slot *root)
{
    const doc_slot warm = doc_under(root, "warm"), keep = doc_under(root, "keep");
    if (s->warm && (s->kind != SWEEP_PROBLEM || s->design != DESIGN_GRID))
        return doc_fail(&warm, ARNE_VALUE, "is for problems on a grid (design: grid)");
    if (s->keep && s->kind != SWEEP_SCENARIO && s->kind != SWEEP_PROBLEM)
        return doc_fail(&keep, ARNE_VALUE,
                        "is for scenarios and problems: only these have folders");
    return ARNE_OK;
}

static arne_status sweep_read_read_all(arne_sweep *s)
{
    const doc_slot root = {&s->reader, "", "", s->doc.root};
    if (!s->doc.root || s->doc.root->kind != DOC_MAP)
        return arne_reader_fail(&s->reader, ARNE_SYNTAX, 1,
                                "this is no sweep: it has no sections such as run");
    s->title = s->text = "";
    arne_status status = doc_read_map(&root, &sweep_schema, s, 0);
    if (s->run_node && status_goes_on(status)) {
        const arne_status run = sweep_read_run(s);
        status = status_both(status, run);
        if (status_goes_on(status)) status = status_both(status, sweep_read_parameters(s));
        s->run_is_good = !run; // else the form of what follows is checked, and no more
        if (status_goes_on(status)) status = status_both(status, sweep_read_robustness(s));
        if (!run && status_goes_on(status)) status = status_both(status, sweep_bind_parameters(s));
        if (status_goes_on(status)) status = status_both(status, sweep_read_figures(s));
    }
    if (status) return status;
    status = sweep_count_rows(s);
    return status ? status : sweep_read_check_together(s, &root);
}

static arne_sweep *new_sweep(const char *path, const arne_build_options *options)
{
    const arne_build_options plain = {0};
    arne_sweep              *s = calloc(1, sizeof *s);
    if (s) s->path = arne_join(path, "", "");
    if (!s || !s->path) {
        free(s);
        return NULL;
    }
    s->build = options ? *options : plain;
    s->build.warn = NULL;
    s->build.fail = NULL;
    s->given.files = &s->files;
    s->unknown = -1;
    return s;
}

static arne_status read_sweep(const char *path, const arne_build_options *options, arne_sweep **out,
                              arne_error *error)
{
    arne_error own;
    arne_error_clear(error);
    arne_error_clear(&own);
    arne_sweep *s = new_sweep(path, options);
    if (!s) return arne_fail_memory(error);
    s->reader = (reader){
        .file = s->path, .found = &s->found, .error = &own, .context = s, .document = &s->doc};
    arne_status status = document_load(&s->reader, &s->doc);
    if (!status || (s->doc.root && status == ARNE_VALUE))
        status = status_both(status, sweep_read_read_all(s));
    status = arne_reader_tell(&s->reader, status, options, error);
    findings_free(&s->found);
    s->reader.error = NULL;
    if (status) {
        arne_sweep_free(s);
        return status;
    }
    *out = s;
    return ARNE_OK;
}

arne_status arne_sweep_read(const char *path, const arne_build_options *options, arne_sweep **out,
                            arne_error *error)
{
    arne_build_options own_options;
    if (out) *out = NULL;
    const arne_status known = builder_take_options(&options, &own_options, error);
    if (known) return known;
    if (!path || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    return read_sweep(path, options, out, error);
}

void arne_sweep_free(arne_sweep *s)
{
    if (!s) return;
    for (int i = 0; i < s->parameter_count; i++)
        free(s->parameters[i].values);
    for (int i = 0; i < s->input_count; i++)
        free(s->inputs[i]);
    free(s->inputs);
    free(s->parameters);
    free(s->directions);
    free(s->run_path);
    free(s->robot_path);
    free(s->robot_name);
    document_free(&s->run_tree);
    document_free(&s->robot_tree);
    document_free(&s->doc);
    kept_files_free(&s->files);
    free(s->path);
    free(s);
}

// ---- the table's columns

const char *arne_sweep_title(const arne_sweep *s) { return s->title; }
long        arne_sweep_rows(const arne_sweep *s) { return s->rows; }
int         arne_sweep_parameters(const arne_sweep *s) { return s->parameter_count; }
int         arne_sweep_figures(const arne_sweep *s) { return s->figure_count; }

const char *arne_sweep_name(const arne_sweep *s, int column)
{
    if (column < 0 || column >= s->parameter_count + s->figure_count) return NULL;
    return column < s->parameter_count ? s->parameters[column].path
                                       : s->figures[column - s->parameter_count].name;
}

const char *arne_sweep_unit(const arne_sweep *s, int column)
{
    if (column < 0 || column >= s->parameter_count + s->figure_count) return NULL;
    return column < s->parameter_count ? "" : s->figures[column - s->parameter_count].unit;
}

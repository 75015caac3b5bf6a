// The folder of an identification: the robot, its parameters, what is left of torques, and the
// summary. docs/identify.md.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "base/plain.h"
#include "identify/study.h"
#include "io/json.h"
#include "io/run_folder.h"
#include "io/table.h"
#include "io/whole_file.h"
#include "robot/joint.h"
#include <arne/io.h>
#include <arne/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*fill_fn)(const arne_identify *s, FILE *out);

static arne_status write_file(const arne_identify *s, const run_folder *folder, const char *name,
                              fill_fn fill, arne_error *error)
{
    whole_file  file;
    char       *path = arne_run_folder_path(folder, name);
    arne_status status = path ? arne_whole_file_open(&file, path, error) : arne_fail_memory(error);
    if (!status) {
        fill(s, file.stream);
        status = arne_whole_file_close(&file, error);
    }
    free(path);
    return status;
}

// ---- parameters.csv

static void write_study_put_cell(FILE *out, double value, int has)
{
    if (has) plain_write(out, "%.17g", value);
}

// Base parameters, friction and other columns of the model; then all parameters of links and
// rotors.
static void fill_parameters(const arne_identify *s, FILE *out)
{
    const arne_identify_result *r = &s->result;
    static const char *const    units[] = {"kg",     "kg m",   "kg m",   "kg m",   "kg m^2",
                                           "kg m^2", "kg m^2", "kg m^2", "kg m^2", "kg m^2"};
    fprintf(out,
            "parameter,kind,value,standard_deviation,prior,unit,free,seen,essential,grouping\n");
    for (int i = 0; i < r->base_count; i++) {
        const arne_identified *p = &r->base[i];
        arne_csv_quoted(out, p->name);
        plain_write(out, ",base,%.17g,", p->value);
        write_study_put_cell(out, p->deviation, p->seen);
        plain_write(out, ",%.17g,%s,%.17g,%d,%d,", p->prior, p->unit, r->free[i], p->seen,
                    p->essential);
        arne_csv_quoted(out, p->grouping);
        fputc('\n', out);
    }
    for (int c = 0; c < 14 * s->m.n; c++) {
        char name[300];
        if (c >= 10 * s->m.n && c < 13 * s->m.n) continue; // friction is above
        arne_parameter_name(s->robot, c, name, sizeof name);
        arne_csv_quoted(out, name);
        plain_write(out, ",link,%.17g,,%.17g,%s,%.17g,,,\n", r->parameters[c],
                    s->estimate[ESTIMATE_PRIOR].pi[c], c < 10 * s->m.n ? units[c % 10] : "kg m^2",
                    s->estimate[ESTIMATE_FREE].pi[c]);
    }
}

// ---- result.csv, friction.csv

static void write_study_fill_result(const arne_identify *s, FILE *out)
{
    static const char *const parts[] = {"q", "tau", "model", "prior", "residual"};
    const int                n = s->m.n, use = s->shown[0].count ? 0 : 1;
    const shown_rows        *shown = &s->shown[s->shown[1].count && !use ? 1 : use];
    const shown_rows        *from[2] = {&s->shown[0], shown == &s->shown[0] ? NULL : shown};
    fprintf(out, "time [s],held_back");
    for (int p = 0; p < 5; p++)
        for (int j = 0; j < n; j++) {
            const arne_joint_info joint = arne_robot_joint(s->robot, j);
            const int             slides = joint_is_slide(joint.kind);
            fputc(',', out);
            arne_csv_column(out, parts[p], joint.name,
                            p == 0 ? (slides ? "m" : "rad") : (slides ? "N" : "N m"));
        }
    fputc('\n', out);
    double shift = 0, last = 0;
    for (int set = 0; set < 2; set++)
        for (int i = 0; from[set] && i < from[set]->count; i++) {
            const double *row = from[set]->row + (size_t)i * (2 + SHOWN_PARTS * (size_t)n);
            // Logs are shown one after the other, whatever their start times are.
            if (i == 0 || !(row[0] + shift > last))
                shift = last - row[0] + (last > 0 ? s->step : 0);
            last = row[0] + shift;
            plain_write(out, "%.9g,%d", last, row[1] == SET_HELD);
            for (int p = 0; p < 5; p++)
                for (int j = 0; j < n; j++) {
                    const double *at = row + 2 + SHOWN_PARTS * (size_t)j;
                    plain_write(out, ",%.9g",
                                p == 4 ? at[SHOWN_MEASURED] - at[SHOWN_FOUND] : at[p]);
                }
            fputc('\n', out);
        }
}

static void fill_friction(const arne_identify *s, FILE *out)
{
    static const char *const parts[] = {"speed", "model", "measured", "prior"};
    const int                n = s->m.n;
    for (int i = 0; i < 4 * n; i++) {
        if (i) fputc(',', out);
        arne_csv_column(out, parts[i % 4], arne_robot_joint(s->robot, i / 4).name, NULL);
    }
    fputc('\n', out);
    for (int i = 0; i < FRICTION_BINS; i++) {
        for (int j = 0; j < n; j++) {
            const double *bin = s->bin + 2 * ((size_t)j * FRICTION_BINS + (size_t)i);
            const double  v = ((i + 0.5) / FRICTION_BINS * 2 - 1) * s->top_speed[j];
            const double  by = friction_at(s, s->estimate[ESTIMATE_FOUND].beta, j, v);
            plain_write(out, "%s%.9g,%.9g,%.9g,%.9g", j ? "," : "", v, by,
                        bin[0] > 0 ? bin[1] / bin[0] : by, friction_at(s, s->m.prior, j, v));
        }
        fputc('\n', out);
    }
}

// ---- summary.json

static const char *study_joint(const arne_identify *s, int j)
{
    return arne_robot_joint(s->robot, j).name;
}

static void put_fit(const arne_identify *s, json *j, const char *key, const arne_identify_fit *f)
{
    json_put_open(j, key, '{');
    for (int i = 0; f->rows && i < s->m.n; i++) {
        json_put_open(j, study_joint(s, i), '{');
        json_put_number(j, "rms", f->rms[i]);
        json_put_number(j, "percent", f->percent[i]);
        json_put_close(j, '}');
    }
    json_put_close(j, '}');
}

static void put_by_joint(const arne_identify *s, json *j, const char *key, const double *values)
{
    json_put_open(j, key, '{');
    for (int i = 0; i < s->m.n; i++)
        json_put_number(j, study_joint(s, i), values[i]);
    json_put_close(j, '}');
}

static void put_links(const arne_identify *s, json *j)
{
    json_put_flag(j, "consistent", s->result.is_consistent);
    json_put_open(j, "inconsistent_links", '[');
    for (int i = 0; i < s->result.inconsistent_count; i++) {
        const int child = arne_robot_joint(s->robot, s->result.inconsistent[i]).child;
        json_put_text(j, NULL, arne_robot_frame(s->robot, child).name);
    }
    json_put_close(j, ']');
    json_put_number(j, "free_inconsistent_links", s->result.free_inconsistent_count);
}

static void put_names(const arne_identify *s, json *j, const char *key,
                      int (*wanted)(const arne_identified *p))
{
    json_put_open(j, key, '[');
    for (int i = 0; i < s->result.base_count; i++)
        if (wanted(&s->result.base[i])) json_put_text(j, NULL, s->result.base[i].name);
    json_put_close(j, ']');
}

// For the page: the table of what was found.
static void write_study_put_values(const arne_identify *s, json *j)
{
    static const char *const keys[] = {"parameters", "standard_deviations", "prior_parameters"};
    for (int k = 0; k < 3; k++) {
        json_put_open(j, keys[k], '{');
        for (int i = 0; i < s->result.base_count; i++) {
            const arne_identified *p = &s->result.base[i];
            json_put_number(j, p->name, k == 0 ? p->value : k == 1 ? p->deviation : p->prior);
        }
        json_put_close(j, '}');
    }
}

static int write_study_is_unseen(const arne_identified *p) { return !p->seen; }
static int is_essential(const arne_identified *p) { return p->essential; }

// Friction of joints, with offsets and nonlinear terms, which a robot file cannot express.
static void put_friction(const arne_identify *s, json *j)
{
    const model  *m = &s->m;
    const double *beta = s->estimate[ESTIMATE_FOUND].beta;
    json_put_open(j, "friction", '{');
    for (int i = 0; i < m->n; i++) {
        const double *own = s->result.parameters + 10 * m->n + 3 * (ptrdiff_t)i;
        json_put_open(j, study_joint(s, i), '{');
        json_put_number(j, "viscous", own[0]);
        json_put_number(j, "coulomb_positive", own[1]);
        json_put_number(j, "coulomb_negative", own[2]);
        json_put_number(j, "offset", (own[1] - own[2]) / 2);
        for (int c = m->base->rank; c < m->count; c++) {
            const model_column *k = &m->column[c];
            if (k->joint != i) continue;
            if (k->kind == COLUMN_STRIBECK) {
                json_put_number(j, "stribeck", beta[c]);
                json_put_number(j, "stribeck_speed", k->shape[0]);
            }
            if (k->kind == COLUMN_SIGMOID) {
                json_put_number(j, "sigmoid", beta[c]);
                json_put_number(j, "sigmoid_slope", k->shape[0]);
                json_put_number(j, "sigmoid_shift", k->shape[1]);
            }
            if (k->kind == COLUMN_LOAD) json_put_number(j, "load", beta[c]);
        }
        json_put_close(j, '}');
    }
    json_put_close(j, '}');
}

// The columns PART.JOINT of a plot.
static void put_columns(json *j, const char *const *parts, int count, const char *joint)
{
    json_put_open(j, "y", '[');
    for (int i = 0; i < count; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s.%.300s", parts[i], joint);
        json_put_text(j, NULL, text);
    }
    json_put_close(j, ']');
}

static void write_study_put_plots(const arne_identify *s, json *j)
{
    static const char *const        torques[] = {"tau", "model", "prior"},
                             *const residual[] = {"residual"},
                             *const friction[] = {"measured", "model", "prior"};
    char                            text[400];
    json_put_open(j, "plots", '[');
    for (int i = 0; i < s->m.n; i++)
        for (int k = 0; k < 2; k++) {
            json_put_open(j, NULL, '{');
            json_put_text(j, "x", "time");
            snprintf(text, sizeof text, "%.200s: %s", study_joint(s, i),
                     k ? "residual" : "measured (tau), found (model), before (prior)");
            json_put_text(j, "title", text);
            put_columns(j, k ? residual : torques, k ? 1 : 3, study_joint(s, i));
            json_put_close(j, '}');
        }
    for (int i = 0; i < s->m.n; i++) {
        const arne_joint_info info = arne_robot_joint(s->robot, i);
        const int is_angle = arne_joint_kind_facts(info.kind)->limits == ARNE_COORDINATE_ANGLE;
        json_put_open(j, NULL, '{');
        json_put_text(j, "file", "friction.csv");
        snprintf(text, sizeof text, "%.200s: friction", info.name);
        json_put_text(j, "title", text);
        json_put_text(j, "x_label", is_angle ? "speed [rad/s]" : "speed [m/s]");
        json_put_text(j, "y_label", is_angle ? "torque [N m]" : "force [N]");
        snprintf(text, sizeof text, "speed.%.300s", info.name);
        json_put_text(j, "x", text);
        put_columns(j, friction, 3, info.name);
        json_put_close(j, '}');
    }
    json_put_close(j, ']');
}

// Autocorrelation of residuals at the first few lags.
static void put_autocorrelation(const arne_identify *s, json *j)
{
    json_put_open(j, "autocorrelation", '{');
    for (int i = 0; i < s->m.n; i++)
        json_put_numbers(j, study_joint(s, i), s->lag + (size_t)i * (CORRELATION_LAGS + 1) + 1, 10);
    json_put_close(j, '}');
}

static void write_study_put_figure(json *j, const char *name, const char *unit, double value)
{
    json_put_open(j, NULL, '{');
    json_put_text(j, "name", name);
    json_put_text(j, "unit", unit);
    json_put_number(j, "value", value);
    json_put_close(j, '}');
}

static void write_study_put_figures(const arne_identify *s, json *j)
{
    const arne_identify_result *r = &s->result;
    json_put_open(j, "figures", '[');
    write_study_put_figure(j, "Condition number of the data", "", r->condition);
    for (int i = 0; i < s->m.n; i++)
        for (int k = 0; k < 2; k++) {
            const arne_identify_fit *f = k ? &r->validate : &r->fit;
            char                     text[300];
            if (!f->rows) continue;
            snprintf(text, sizeof text, "%.200s: %s", study_joint(s, i),
                     k ? "torque error, other data" : "torque error, fitted data");
            write_study_put_figure(j, text, "%", f->percent[i]);
        }
    json_put_close(j, ']');
}

static void write_study_fill_summary(const arne_identify *s, FILE *out)
{
    const arne_identify_result *r = &s->result;
    const int                   is_free = s->options.estimator == ARNE_ESTIMATOR_FREE;
    char                        text[400];
    snprintf(text, sizeof text, "%.300s, identified", arne_robot_name(s->robot));
    json j = json_run(out, "identify", text, "robot.yaml", NULL);
    json_put_text(&j, "estimator", is_free ? "free" : "consistent");
    put_fit(s, &j, "fit", &r->fit);
    put_fit(s, &j, "validate", &r->validate);
    put_links(s, &j);
    json_put_number(&j, "condition", r->condition);
    put_fit(s, &j, "fit_free", &r->fit_free);
    put_fit(s, &j, "validate_free", &r->validate_free);
    put_fit(s, &j, "fit_prior", &r->fit_prior);
    put_fit(s, &j, "validate_prior", &r->validate_prior);
    json_put_number(&j, "rows", (double)r->fit.rows);
    json_put_number(&j, "validate_rows", (double)r->validate.rows);
    json_put_number(&j, "rate", r->rate);
    json_put_number(&j, "cutoff", r->cutoff);
    json_put_number(&j, "torque_cutoff", r->torque_cutoff);
    json_put_number(&j, "decimate", r->decimate);
    put_by_joint(s, &j, "correlation", r->correlation);
    put_autocorrelation(s, &j);
    if (r->gains) put_by_joint(s, &j, "gains", r->gains);
    if (r->gains) put_by_joint(s, &j, "gain_deviations", r->gain_deviations);
    put_friction(s, &j);
    write_study_put_values(s, &j);
    put_names(s, &j, "unseen", write_study_is_unseen);
    put_names(s, &j, "essential", is_essential);
    write_study_put_figures(s, &j);
    write_study_put_plots(s, &j);
    json_put_close(&j, '}');
}

// ---- the folder

static arne_status write_study_write_robot(const run_folder *folder, const arne_robot *robot,
                                           const char *name, arne_error *error)
{
    char             *path = arne_run_folder_path(folder, name);
    const arne_status status =
        path ? arne_robot_write(robot, path, NULL, NULL, error) : arne_fail_memory(error);
    free(path);
    return status;
}

static arne_status write_study_write_all(const arne_identify *s, const run_folder *folder,
                                         arne_error *error)
{
    arne_robot *found = NULL;
    arne_status status = arne_identify_robot(s, &found, error);
    if (!status) status = write_study_write_robot(folder, found, "robot.yaml", error);
    if (!status) status = write_study_write_robot(folder, found, "robot.urdf", error);
    if (!status) status = write_study_write_robot(folder, s->robot, "inputs/prior.yaml", error);
    if (!status) status = write_file(s, folder, "parameters.csv", fill_parameters, error);
    if (!status) status = write_file(s, folder, "result.csv", write_study_fill_result, error);
    if (!status) status = write_file(s, folder, "friction.csv", fill_friction, error);
    if (!status) status = write_file(s, folder, "summary.json", write_study_fill_summary, error);
    arne_robot_free(found);
    return status;
}

arne_status arne_identify_write(const arne_identify *s, const char *dir,
                                const arne_report_options *page, arne_error *error)
{
    arne_error_clear(error);
    if (!s || !dir || !s->is_done)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "there is no fit yet");
    run_folder  folder = {0};
    arne_status status = arne_run_folder_begin(&folder, dir, error);
    if (!status) status = arne_run_folder_check(&folder, error);
    if (!status) status = write_study_write_all(s, &folder, error);
    if (!status) status = arne_run_folder_finish(&folder, page, error);
    arne_run_folder_drop(&folder);
    return status;
}

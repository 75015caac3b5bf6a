// Designed motions: searches from several random starts, and the result of the best.
#include "base/error.h"
#include "base/options.h"
#include "base/plain.h"
#include "base/random.h"
#include "identify/excitation.h"
#include "io/json.h"
#include "io/run_folder.h"
#include "io/table.h"
#include "io/whole_file.h"
#include "robot/joint.h"
#include <arne/dynamics.h>
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arne_design {
    arne_design_options options;
    arne_identify      *study;
    excitation          e;
    double             *x;
    int                *frames;
    arne_identified    *base;
    char                worst_limit[300];
    arne_design_result  result;
};

static int design_stops(const arne_design *d)
{
    return d->options.stop && d->options.stop(d->options.stop_context);
}

// ---- limits

static void design_set_limits(arne_design *d)
{
    const arne_design_options *o = &d->options;
    excitation                *e = &d->e;
    const double               part = 1 - (o->margin > 0 ? o->margin : 0.05);
    for (int j = 0; j < e->n; j++) {
        const arne_joint_info i = arne_robot_joint(e->robot, j);
        const int             slides = joint_is_slide(i.kind);
        const double          far = slides ? 0.5 : 3.14159265358979323846;
        const double          low = isfinite(i.lower) ? i.lower : -far;
        const double          high = isfinite(i.upper) ? i.upper : far;
        const double          speed = isfinite(i.velocity) ? i.velocity : slides ? 0.5 : 2;
        const double          rate = o->accelerations      ? o->accelerations[j]
                                     : o->acceleration > 0 ? o->acceleration
                                                           : 2 * speed;
        e->low[j] = (low + high) / 2 - part * (high - low) / 2;
        e->high[j] = (low + high) / 2 + part * (high - low) / 2;
        e->speed[j] = part * speed;
        e->rate[j] = part * rate;
        e->effort[j] = isfinite(i.effort) && i.effort > 0 ? part * i.effort : INFINITY;
        e->noise[j] = o->noises                ? o->noises[j]
                      : isfinite(e->effort[j]) ? (o->noise > 0 ? o->noise : 0.01) * i.effort
                                               : 1;
    }
}

// ---- motions to start with

static void design_random_motion(const excitation *e, uint64_t *seed, double *x)
{
    for (int j = 0; j < e->n; j++) {
        const double middle = (e->low[j] + e->high[j]) / 2, half = (e->high[j] - e->low[j]) / 2;
        double      *own = x + (ptrdiff_t)j * e->per_joint;
        own[0] = middle + random_between(seed, -0.2, 0.2) * half;
        for (int v = 1; v < e->per_joint; v++) {
            const int harmonic = e->spline ? 1 : (v + 1) / 2;
            own[v] = random_between(seed, -1, 1) * fmin(half, 2) / harmonic;
        }
    }
}

// One sine a joint, no two of the same frequency.
static void sinusoids(const excitation *e, double *x)
{
    memset(x, 0, (size_t)e->count * sizeof *x);
    for (int j = 0; j < e->n; j++) {
        double *own = x + (ptrdiff_t)j * e->per_joint;
        own[0] = (e->low[j] + e->high[j]) / 2;
        own[1 + (2 * j) % (e->per_joint - 1)] = fmin((e->high[j] - e->low[j]) / 2, 2);
    }
}

// Scales a motion until it is within limits: each joint by its own limits, then all joints by
// torques and the floor. 0 if even rest is outside.
static int fit_within(excitation *e, double *x, double part)
{
    int    which = 0, joint = 0;
    double used = 0;
    for (int round = 0; round < 200; round++) {
        used = excitation_worst(e, x, 4 * e->samples, &which, &joint);
        if (used <= part) return 1;
        const double factor = which == 5 ? 0.8 : fmax(0.5, 0.98 * part / used);
        for (int j = 0; j < e->n; j++)
            for (int v = 1; v < e->per_joint; v++)
                if (which > 3 || j == joint) x[j * e->per_joint + v] *= factor;
        if (which > 3) // towards where less is needed
            for (int j = 0; j < e->n; j++)
                x[j * e->per_joint] += 0.1 * ((e->low[j] + e->high[j]) / 2 - x[j * e->per_joint]);
    }
    return 0;
}

// Scales of columns, by their lengths over a first motion.
static void set_scale(excitation *e, const double *x)
{
    const size_t count = (size_t)e->study->m.count, rows = (size_t)e->samples * (size_t)e->n;
    for (size_t c = 0; c < count; c++)
        e->scale[c] = 1;
    (void)excitation_condition(e, x, NULL);
    for (size_t c = 0; c < count; c++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) {
            const double y = e->y[i * count + c] / e->noise[i % (size_t)e->n];
            sum += y * y;
        }
        e->scale[c] = sum > 0 ? 1 / sqrt(sum) : 1;
    }
}

static arne_status design_search(arne_design *d, arne_error *error)
{
    excitation *e = &d->e;
    uint64_t    seed = d->options.seed + 1;
    double      best = INFINITY;
    double     *x = malloc((size_t)e->count * sizeof *x);
    int         found = 0;
    if (!x) return arne_fail_memory(error);
    const int starts = d->options.starts > 0 ? d->options.starts : 4;
    sinusoids(e, x);
    d->result.sinusoid_condition = INFINITY;
    if (fit_within(e, x, 1)) d->result.sinusoid_condition = excitation_condition(e, x, NULL);
    if (d->options.motion == ARNE_DESIGN_SPLINES && !excitation_splines(e)) {
        free(x);
        return arne_fail_memory(error);
    }
    for (int tries = 0, k = 0; k < starts && tries < 20 * starts && !design_stops(d); tries++) {
        design_random_motion(e, &seed, x);
        if (!fit_within(e, x, 0.9)) continue;
        if (k++ == 0) {
            d->result.random_condition = excitation_condition(e, x, NULL);
            set_scale(e, x);
        }
        excitation_search(e, x, d->options.iterations > 0 ? d->options.iterations : 150);
        e->mu = 0;
        const double value = excitation_value(e, x, NULL);
        if (!(value < best)) continue;
        best = value;
        found = 1;
        memcpy(d->x, x, (size_t)e->count * sizeof *x);
    }
    free(x);
    if (e->no_memory) return arne_fail_memory(error);
    if (design_stops(d)) return arne_fail(error, ARNE_STOPPED, NULL, 0, "stopped");
    if (!found)
        return arne_fail(
            error, ARNE_VALUE, NULL, 0,
            "no motion keeps the limits; are they wide enough to hold the robot's weight?");
    d->result.log_det = -best;
    return ARNE_OK;
}

// ---- the result

static char *copy_text(arne_identify *s, const char *text)
{
    char *copy = study_take(s, strlen(text) + 1, 1);
    if (copy) strcpy(copy, text);
    return copy;
}

static int design_fill_base(arne_design *d, const double *deviation)
{
    const model *m = &d->study->m;
    d->base = study_take(d->study, (size_t)m->count, sizeof *d->base);
    for (int c = 0; d->base && c < m->count; c++) {
        char name[300], text[4000];
        model_name(d->study, c, name, sizeof name);
        model_grouping(d->study, c, text, sizeof text);
        d->base[c] = (arne_identified){.name = copy_text(d->study, name),
                                       .unit = model_unit(d->study, c),
                                       .grouping = copy_text(d->study, text),
                                       .value = m->prior[c],
                                       .prior = m->prior[c],
                                       .deviation = deviation[c],
                                       .seen = 1};
        if (!d->base[c].name || !d->base[c].grouping) return 0;
    }
    return d->base != NULL;
}

static arne_status judge(arne_design *d, arne_error *error)
{
    static const char *const limits[] = {
        "", "position", "velocity", "acceleration", "torque", "height above the floor"};
    excitation  *e = &d->e;
    const double part = 1 - (d->options.margin > 0 ? d->options.margin : 0.05);
    int          which = 0, joint = 0;
    double      *deviation = malloc((size_t)e->study->m.count * sizeof *deviation);
    if (!deviation) return arne_fail_memory(error);
    // Limits between samples, on a grid ten times as fine: the motion is scaled down if it exceeds
    // them.
    double used = excitation_worst(e, d->x, 10 * e->samples, &which, &joint);
    for (int i = 0; i < 50 && used * part > 1; i++) {
        for (int k = 0; k < e->count; k++)
            if (k % e->per_joint) d->x[k] *= 0.99;
        used = excitation_worst(e, d->x, 10 * e->samples, &which, &joint);
    }
    const char *name = which == 5 ? arne_robot_frame(e->robot, e->frames[joint]).name
                                  : arne_robot_joint(e->robot, joint).name;
    snprintf(d->worst_limit, sizeof d->worst_limit, "%s of %.200s", limits[which], name);
    d->result.condition = excitation_condition(e, d->x, deviation);
    d->result.period = e->period;
    d->result.base_count = e->study->m.count;
    d->result.worst = used * part;
    d->result.worst_limit = d->worst_limit;
    const int fine = design_fill_base(d, deviation) && !e->no_memory;
    d->result.base = d->base;
    free(deviation);
    return fine ? ARNE_OK : arne_fail_memory(error);
}

static arne_status design_make(arne_design *d, const arne_robot *robot, arne_error *error)
{
    const arne_design_options  *o = &d->options;
    const arne_identify_options model_options = {.size = sizeof model_options,
                                                 .friction = o->friction,
                                                 .no_rotor = o->no_rotor,
                                                 .stop = o->stop,
                                                 .stop_context = o->stop_context};
    arne_status                 status = arne_identify_new(robot, &model_options, &d->study, error);
    if (status) return status;
    if (d->study->m.is_shaped)
        return arne_fail(
            error, ARNE_UNSUPPORTED, NULL, 0,
            "motions are designed for friction that is viscous, Coulomb's and an offset");
    const int n = d->study->m.n;
    double   *limits = study_take(d->study, 6 * (size_t)n, sizeof *limits);
    d->e = (excitation){.study = d->study,
                        .robot = robot,
                        .n = n,
                        .harmonics = o->harmonics > 1 ? o->harmonics : 5,
                        .period = o->period > 0 ? o->period : 10,
                        .frames = d->frames,
                        .frame_count = d->options.frame_count,
                        .floor = o->floor};
    d->e.samples = 24 * d->e.harmonics;
    if (!limits) return arne_fail_memory(error);
    d->e.low = limits;
    d->e.high = limits + n;
    d->e.speed = limits + (ptrdiff_t)2 * n;
    d->e.rate = limits + (ptrdiff_t)3 * n;
    d->e.effort = limits + (ptrdiff_t)4 * n;
    d->e.noise = limits + (ptrdiff_t)5 * n;
    design_set_limits(d);
    if (!excitation_new(&d->e)) return arne_fail_memory(error);
    d->x = study_take(d->study, (size_t)d->e.count, sizeof *d->x);
    if (!d->x) return arne_fail_memory(error);
    status = design_search(d, error);
    return status ? status : judge(d, error);
}

arne_status arne_design_new(const arne_robot *robot, const arne_design_options *options,
                            arne_design **out, arne_error *error)
{
    arne_error_clear(error);
    if (!robot || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    *out = NULL;
    arne_design *d = calloc(1, sizeof *d);
    if (!d) return arne_fail_memory(error);
    arne_status status = ARNE_OK;
    if (options &&
        !options_take(&d->options, sizeof d->options, OPTIONS_FIRST(arne_design_options), options))
        status = options_refuse(error);
    const size_t frames = (size_t)(d->options.frame_count > 0 ? d->options.frame_count : 0);
    d->frames = calloc(frames + 1, sizeof *d->frames);
    if (!status && !d->frames) status = arne_fail_memory(error);
    if (!status && frames) memcpy(d->frames, d->options.frames, frames * sizeof *d->frames);
    if (!status) status = design_make(d, robot, error);
    if (status)
        arne_design_free(d);
    else
        *out = d;
    return status;
}

void arne_design_free(arne_design *d)
{
    if (!d) return;
    excitation_free(&d->e);
    arne_identify_free(d->study);
    free(d->frames);
    free(d);
}

const arne_design_result *arne_design_get(const arne_design *d) { return d ? &d->result : NULL; }

void arne_design_motion(const arne_design *d, double time, double *q, double *qd, double *qdd)
{
    const int    n = d->e.n;
    const double part = time / d->e.period;
    double       state[3 * 64], *own = n <= 64 ? state : malloc(3 * (size_t)n * sizeof *own);
    double      *out[3] = {q, qd, qdd};
    if (!own) return;
    excitation_state(&d->e, d->x, part - floor(part), own);
    for (int k = 0; k < 3; k++)
        if (out[k]) memcpy(out[k], own + (ptrdiff_t)k * n, (size_t)n * sizeof *own);
    if (own != state) free(own);
}

// ---- the folder

static void design_put_header(const arne_design *d, FILE *out, int parts)
{
    static const char *const names[] = {"q", "qd", "qdd", "tau"};
    fprintf(out, "time [s]");
    for (int p = 0; p < parts; p++)
        for (int j = 0; j < d->e.n; j++) {
            const arne_joint_info joint = arne_robot_joint(d->e.robot, j);
            fputc(',', out);
            arne_csv_column(out, names[p], joint.name,
                            arne_joint_unit(&joint, 0, p == 3 ? ARNE_UNIT_TAU : p));
        }
    fputc('\n', out);
}

static arne_status write_motion(const arne_design *d, const run_folder *folder, const char *name,
                                double rate, int parts, arne_error *error)
{
    whole_file  file;
    const int   n = d->e.n;
    const long  rows = lround(rate * d->e.period);
    char       *path = arne_run_folder_path(folder, name);
    double     *x = malloc(4 * (size_t)n * sizeof *x);
    arne_status status = path && x ? ARNE_OK : arne_fail_memory(error);
    if (!status) status = arne_whole_file_open(&file, path, error);
    if (!status) {
        design_put_header(d, file.stream, parts);
        for (long i = 0; i <= rows; i++) {
            const double t = (double)i / rate;
            arne_design_motion(d, i == rows ? 0 : t, x, x + n, x + (ptrdiff_t)2 * n);
            arne_inverse_dynamics(d->e.robot, d->e.work, x, x + n, x + (ptrdiff_t)2 * n, NULL,
                                  x + (ptrdiff_t)3 * n);
            plain_write(file.stream, "%.12g", t);
            for (int k = 0; k < parts * n; k++)
                plain_write(file.stream, ",%.12g", x[k]);
            fputc('\n', file.stream);
        }
        status = arne_whole_file_close(&file, error);
    }
    free(path);
    free(x);
    return status;
}

static void design_put_limits(const arne_design *d, json *j)
{
    static const char *const names[] = {"q", "qd", "tau"};
    json_put_open(j, "limits", '{');
    for (int n = 0; n < d->e.n; n++) {
        const arne_joint_info i = arne_robot_joint(d->e.robot, n);
        const double          pair[3][2] = {
                     {i.lower, i.upper}, {-i.velocity, i.velocity}, {-i.effort, i.effort}};
        for (int k = 0; k < 3; k++) {
            char text[330];
            if (!isfinite(pair[k][0]) && !isfinite(pair[k][1])) continue;
            snprintf(text, sizeof text, "%s.%.300s", names[k], i.name);
            json_put_numbers(j, text, pair[k], 2);
        }
    }
    json_put_close(j, '}');
}

static void design_fill_summary(const arne_design *d, FILE *out)
{
    const arne_design_result *r = &d->result;
    char                      text[400];
    snprintf(text, sizeof text, "%.300s: a motion to record", arne_robot_name(d->e.robot));
    json j = json_run(out, "design", text, "inputs/robot.yaml", NULL);
    json_put_number(&j, "period", r->period);
    json_put_number(&j, "harmonics", d->e.harmonics);
    json_put_text(&j, "motion", d->e.spline ? "splines" : "fourier");
    json_put_number(&j, "condition", r->condition);
    json_put_number(&j, "condition_random", r->random_condition);
    json_put_number(&j, "condition_sinusoidal", r->sinusoid_condition);
    json_put_number(&j, "log_det", r->log_det);
    json_put_number(&j, "base_parameters", r->base_count);
    json_put_number(&j, "largest_part_of_a_limit", r->worst);
    json_put_text(&j, "nearest_limit", r->worst_limit);
    design_put_limits(d, &j);
    json_put_number(&j, "snapshots", 8);
    json_put_close(&j, '}');
}

static arne_status write_texts(const arne_design *d, const run_folder *folder, arne_error *error)
{
    whole_file  file;
    char       *summary = arne_run_folder_path(folder, "summary.json");
    char       *parameters = arne_run_folder_path(folder, "parameters.csv");
    arne_status status = summary && parameters ? ARNE_OK : arne_fail_memory(error);
    if (!status) status = arne_whole_file_open(&file, summary, error);
    if (!status) {
        design_fill_summary(d, file.stream);
        status = arne_whole_file_close(&file, error);
    }
    if (!status) status = arne_whole_file_open(&file, parameters, error);
    if (!status) {
        fprintf(file.stream, "parameter,prior,standard_deviation,unit,grouping\n");
        for (int i = 0; i < d->result.base_count; i++) {
            const arne_identified *p = &d->base[i];
            arne_csv_quoted(file.stream, p->name);
            plain_write(file.stream, ",%.17g,%.17g,%s,", p->prior, p->deviation, p->unit);
            arne_csv_quoted(file.stream, p->grouping);
            fputc('\n', file.stream);
        }
        status = arne_whole_file_close(&file, error);
    }
    free(summary);
    free(parameters);
    return status;
}

arne_status arne_design_write(const arne_design *d, double rate, const char *dir,
                              const arne_report_options *page, arne_error *error)
{
    arne_error_clear(error);
    if (!d || !dir || !(rate > 0))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    run_folder  folder = {0};
    arne_status status = arne_run_folder_begin(&folder, dir, error);
    char       *robot = status ? NULL : arne_run_folder_path(&folder, "inputs/robot.yaml");
    if (!status) status = arne_run_folder_check(&folder, error);
    if (!status)
        status = robot ? arne_robot_write(d->e.robot, robot, NULL, NULL, error)
                       : arne_fail_memory(error);
    if (!status) status = write_motion(d, &folder, "motion.csv", rate, 3, error);
    if (!status) status = write_motion(d, &folder, "result.csv", fmin(rate, 50), 4, error);
    if (!status) status = write_texts(d, &folder, error);
    if (!status) status = arne_run_folder_finish(&folder, page, error);
    arne_run_folder_drop(&folder);
    free(robot);
    return status;
}

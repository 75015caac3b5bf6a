// The first pass over the logs: mistakes in them, and the filters that they need.
//
// The cut-off follows from the motion of the logs that are fitted (filter_choice.h). Differences of
// order 8 of a recording are noise alone: if accelerations would have less than a hundred
// thousandth of it in every log, nothing is filtered.
#include "base/error.h"
#include "base/plain.h"
#include "identify/filter_choice.h"
#include "identify/study.h"
#include "math/dense.h"
#include "motion/butterworth.h"
#include "robot/joint.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_KEPT = 8192, STRETCH = 16384, LEAST_ROWS = 50, NOISE_ORDER = 8, SPAN = 16 };

// Rows are left out of the spectrum down to this step [s]: robots move below 50 Hz.
static const double LONGEST_STEP = 0.01;

// Cut-offs above these parts of half the sampling rate leave noise as it is, or cannot be made.
static const double MOST_CHOSEN = 0.6, MOST_GIVEN = 0.9;

// A joint rests where it is slower than this part of its top speed.
static const double REST_PART = 0.005;

typedef struct scan {
    arne_identify *study;
    int            n, step_count, stretch_count;
    double        *steps;   // the first of time
    double        *stretch; // times, q, qd, qdd: every so many rows of the log
    double        *ring;    // the last rows
    double        *noise;   // square, of accelerations, by joint
    long           every;
    double        *low, *high;   // of all columns
    double        *square;       // of torques
    double         last, uneven; // uneven: how far times are from equal steps
    int            backward;
    int            is_noisy; // some log is
    filter_choice  filter;   // of logs that are fitted
} scan;

static arne_status note_at(scan *c, const log_entry *e, int line, const char *text)
{
    const finding f = {.code = ARNE_VALUE, .line = line};
    return findings_add(&c->study->found, &f, e->path, text) ? ARNE_OK : ARNE_NO_MEMORY;
}

static arne_status scan_time(scan *c, log_entry *e, double t, int line)
{
    char text[200];
    if (!e->rows) {
        e->start = t;
    } else if (!(t > c->last)) {
        if (c->backward++ >= 3) return ARNE_OK; // a few say enough
        plain_print(text, sizeof text,
                    "time %s from %.9g to %.9g s; sort the rows, or cut the log in two here",
                    t < c->last ? "runs backward" : "stands still", c->last, t);
        return note_at(c, e, line, text);
    } else if (c->step_count < STEPS_KEPT) {
        c->steps[c->step_count++] = t - c->last;
    }
    return ARNE_OK;
}

// Rows for the spectrum: where there is no room, every second one goes; where rows would be too far
// apart then, those that follow.
static void keep_row(scan *c, const log_entry *e, const double *row)
{
    const size_t size = 1 + 3 * (size_t)c->n;
    if (c->stretch_count == STRETCH) {
        if (2 * (row[0] - c->stretch[0]) > STRETCH * LONGEST_STEP) return;
        for (size_t i = 0; i < STRETCH / 2; i++)
            memcpy(c->stretch + i * size, c->stretch + 2 * i * size, size * sizeof *row);
        c->stretch_count /= 2;
        c->every *= 2;
    }
    if (e->rows % c->every == 0)
        memcpy(c->stretch + (size_t)c->stretch_count++ * size, row, size * sizeof *row);
}

// Speeds over a few rows, and the noise of what accelerations come from.
static void watch(scan *c, const log_entry *e, const double *row)
{
    static const double choose[NOISE_ORDER + 1] = {1, -8, 28, -56, 70, -56, 28, -8, 1};
    const size_t        size = log_row_size(c->n), part = e->has_qdd ? 2 : e->has_qd ? 1 : 0;
    memcpy(c->ring + (size_t)(e->rows % SPAN) * size, row, size * sizeof *row);
    if (e->rows < SPAN) return;
    const double *old = c->ring + (size_t)((e->rows + 1) % SPAN) * size;
    for (size_t k = 0; k < (size_t)c->n; k++) {
        const double speed = fabs(row[1 + k] - old[1 + k]) / (row[0] - old[0]);
        if (row[0] > old[0]) c->study->top_speed[k] = fmax(c->study->top_speed[k], speed);
        double sum = 0;
        for (long i = 0; i <= NOISE_ORDER; i++)
            sum += choose[i] *
                   c->ring[(size_t)((e->rows - i) % SPAN) * size + 1 + part * (size_t)c->n + k];
        c->noise[k] += sum * sum / 12870;
    }
}

static arne_status scan_row(void *context, const log_entry *entry, const double *row, int line)
{
    scan        *c = context;
    log_entry   *e = (log_entry *)entry;
    const size_t size = log_row_size(c->n);
    if (study_stops(c->study)) return ARNE_STOPPED;
    if (!row) {
        e->missing++;
        return ARNE_OK;
    }
    const arne_status status = scan_time(c, e, row[0], line);
    for (size_t i = 0; i < size; i++) {
        c->low[i] = e->rows ? fmin(c->low[i], row[i]) : row[i];
        c->high[i] = e->rows ? fmax(c->high[i], row[i]) : row[i];
    }
    for (int k = 0; k < c->n; k++)
        c->square[k] += row[1 + 3 * c->n + k] * row[1 + 3 * c->n + k];
    keep_row(c, e, row);
    watch(c, e, row);
    c->last = row[0];
    e->end = row[0];
    e->rows++;
    return status;
}

// ---- what is wrong

static arne_status judge_joint(scan *c, const log_entry *e, int k)
{
    const arne_joint_info j = arne_robot_joint(c->study->robot, k);
    const double          range = c->high[1 + k] - c->low[1 + k];
    const double          torque = c->high[1 + 3 * c->n + k] - c->low[1 + 3 * c->n + k];
    const int             turns = !joint_is_slide(j.kind);
    char                  text[600];
    arne_status           status = ARNE_OK;
    if (range < (turns ? 1e-3 : 1e-5)) {
        plain_print(text, sizeof text,
                    "joint '%.200s' does not move (%.2g %s in all); record a motion in which every "
                    "joint moves",
                    j.name, range, turns ? "rad" : "m");
        status = note_at(c, e, 1, text);
    }
    if (!status && !(torque > 0)) {
        plain_print(text, sizeof text,
                    "the torque of joint '%.200s' is constant (%.4g); is the channel connected?",
                    j.name, c->low[1 + 3 * c->n + k]);
        status = note_at(c, e, 1, text);
    }
    return status;
}

// Units by ratios: velocities against positions and times, positions against what joints can do.
static arne_status judge_units(scan *c, const log_entry *e)
{
    double      from_q = 0, from_qd = 0, turned = 0, beyond = 0;
    arne_status status = ARNE_OK;
    char        text[400];
    const int   n = c->n;
    for (int k = 0; k < n; k++) {
        const arne_joint_info j = arne_robot_joint(c->study->robot, k);
        const double          far = fmax(fabs(c->low[1 + k]), fabs(c->high[1 + k]));
        const double          most = fmax(fabs(j.lower), fabs(j.upper));
        if (!joint_is_slide(j.kind)) turned = fmax(turned, far);
        if (!joint_is_slide(j.kind) && isfinite(most) && far > 6.3)
            beyond = fmax(beyond, far / fmax(most, 0.1));
        from_q = fmax(from_q, c->study->top_speed[k]);
        from_qd = fmax(from_qd, fmax(fabs(c->low[1 + n + k]), fabs(c->high[1 + n + k])));
    }
    if (turned > 40 || beyond > 4) {
        plain_print(
            text, sizeof text,
            "joints turn as far as %.4g rad: are positions in degrees? Write q.JOINT [deg] in the "
            "header, or give a unit in the column map",
            turned);
        status = note_at(c, e, 1, text);
    }
    const double ratio = from_q > 0 ? from_qd / from_q : 1;
    if (!status && e->has_qd && (ratio > 20 || ratio < 0.05)) {
        plain_print(
            text, sizeof text,
            "velocities are %.3g times as large as the change of positions: one of them, or "
            "the time, is in another unit (57.3 would be degrees, 1000 milliseconds)",
            ratio);
        status = note_at(c, e, 1, text);
    }
    return status;
}

// Torques against those of the prior, which a wrong unit misses by far.
static void judge_torques(const scan *c, const log_entry *e)
{
    const arne_identify *s = c->study;
    for (int k = 0; k < c->n && !e->is_current; k++) {
        const double          rms = sqrt(c->square[k] / (double)(e->rows ? e->rows : 1));
        const arne_joint_info j = arne_robot_joint(s->robot, k);
        if (isfinite(j.effort) && j.effort > 0 && rms > 3 * j.effort)
            study_warn(s, "units", e->path, 1,
                       "torques of joint '%s' are %.3g times its limit: are they in N mm, or of "
                       "the motor?",
                       j.name, rms / j.effort);
    }
}

static arne_status judge_entry(scan *c, log_entry *e)
{
    char        text[200];
    arne_status status = ARNE_OK;
    if (e->rows < LEAST_ROWS) {
        snprintf(
            text, sizeof text,
            "the log is too short: %ld rows of numbers, %d are the least; record a motion of some "
            "seconds",
            e->rows, LEAST_ROWS);
        return note_at(c, e, 1, text);
    }
    for (int k = 0; k < c->n && !status; k++)
        status = judge_joint(c, e, k);
    if (!status) status = judge_units(c, e);
    if (!status) judge_torques(c, e);
    return status;
}

// ---- steps and filters

static arne_status check_even(void *context, const log_entry *e, const double *row, int line)
{
    scan *c = context;
    (void)line;
    if (!row) return ARNE_OK;
    c->uneven = fmax(c->uneven, fabs(row[0] - (e->start + (double)c->step_count * e->step)));
    c->step_count++;
    return ARNE_OK;
}

// Equal steps of the mean length, where times keep to them to within rounding; else steps of the
// median length.
static arne_status log_scan_find_step(scan *c, log_entry *e, arne_error *error)
{
    qsort(c->steps, (size_t)c->step_count, sizeof *c->steps, dense_rising);
    const double median = c->steps[c->step_count / 2];
    e->step = (e->end - e->start) / (double)(e->rows - 1);
    c->step_count = 0;
    c->uneven = 0;
    const arne_status status = log_each(c->study, e, check_even, c, error);
    e->is_even = c->uneven < 0.02 * e->step && !e->missing;
    if (!e->is_even) e->step = median;
    return status;
}

// Whether accelerations are clean as they are: beside speeds that change within a second.
static int is_clean(const scan *c, const log_entry *e)
{
    const double per = e->has_qdd ? 1 : e->has_qd ? 1.2 / e->step : 4 / (e->step * e->step);
    for (int k = 0; k < c->n; k++)
        if (!(sqrt(c->noise[k] / (double)e->rows) * per < 1e-5 * c->study->top_speed[k])) return 0;
    return e->is_even;
}

static arne_status scan_entry(scan *c, log_entry *e, arne_error *error)
{
    const int before = c->study->found.errors;
    c->step_count = c->stretch_count = c->backward = 0;
    c->every = 1;
    memset(c->noise, 0, (size_t)c->n * sizeof *c->noise);
    memset(c->square, 0, (size_t)c->n * sizeof *c->square);
    e->rows = e->missing = 0;
    arne_status status = log_each(c->study, e, scan_row, c, error);
    if (status == ARNE_NO_MEMORY || status == ARNE_STOPPED) return status;
    if (status && c->study->found.errors == before) { // of the reader
        const finding f = {.code = status, .line = error ? error->line : 0};
        if (!findings_add(&c->study->found, &f, e->path, error ? error->text : "cannot be read"))
            return ARNE_NO_MEMORY;
    }
    if (c->study->found.errors > before) return ARNE_OK;
    status = judge_entry(c, e);
    if (status || c->study->found.errors > before) return status;
    status = log_scan_find_step(c, e, error);
    c->is_noisy |= !is_clean(c, e);
    if (status || c->study->options.cutoff != 0 || e->role == ARNE_LOG_VALIDATE) return status;
    return filter_choice_add(&c->filter, e, c->n, c->stretch, c->stretch_count, c->every)
               ? ARNE_OK
               : ARNE_NO_MEMORY;
}

// A cut-off that was given, where filters can be made.
static double given_cutoff(const arne_identify *s, const char *what, double cutoff, double top)
{
    if (cutoff <= MOST_GIVEN * top) return cutoff;
    study_warn(s, "cutoff", s->entry[0].path, 1,
               "the cut-off of %s, %.4g Hz, is too high for %.4g samples in a second; %.4g Hz is "
               "used",
               what, cutoff, 2 * top, MOST_GIVEN * top);
    return MOST_GIVEN * top;
}

static double chosen_cutoff(const scan *c, double top)
{
    const arne_identify *s = c->study;
    if (!c->is_noisy) return 0;
    const double cutoff = filter_choice_cutoff(&c->filter, s->order);
    if (cutoff > 0) return fmin(cutoff, MOST_CHOSEN * top);
    study_warn(s, "cutoff", s->entry[0].path, 1,
               "no motion stands out of the noise of positions; record larger or faster motions, "
               "or give a cut-off (--cutoff)");
    return MOST_CHOSEN * top;
}

// Rows that an end of a window is felt, to a part of 1e-8; as many as the longest log has, at most.
static int find_reach(const arne_identify *s)
{
    const double a = s->cutoff > 0 ? s->cutoff : INFINITY,
                 b = s->torque_cutoff > 0 ? s->torque_cutoff : INFINITY, lowest = fmin(a, b);
    long rows = 8;
    for (int i = 0; i < s->entry_count; i++)
        rows = s->entry[i].rows > rows ? s->entry[i].rows : rows;
    if (rows > INT_MAX / 64) rows = INT_MAX / 64;
    const int reach = isfinite(lowest) ? butterworth_reach(s->order, lowest, s->step) : 4;
    return reach > rows / 2 ? (int)rows : 2 * reach;
}

// A filter that lets through less than one period in a log leaves no motion.
static arne_status check_cutoff(const arne_identify *s, double cutoff, arne_error *error)
{
    double longest = 0;
    for (int i = 0; i < s->entry_count; i++)
        longest = fmax(longest, s->entry[i].end - s->entry[i].start);
    if (cutoff == 0 || cutoff * longest >= 1) return ARNE_OK;
    return arne_fail(error, ARNE_VALUE, s->entry[0].path, 1,
                     "a cut-off of %.4g Hz leaves nothing of a log of %.4g s; give %.2g Hz or more",
                     cutoff, longest, 1 / longest);
}

// Rows for each number that a joint is fitted with: so many are left at least, also where the
// filter makes them dependent.
enum { ROWS_PER_NUMBER = 5 };

// The largest decimation that leaves enough rows of the logs of every role that is fitted.
static long most_decimation(const arne_identify *s)
{
    long most = LONG_MAX, numbers = 1;
    for (int j = 0; j < s->m.n; j++)
        numbers = s->m.used_count[j] > numbers ? s->m.used_count[j] : numbers;
    for (int role = ARNE_LOG_FIT; role <= ARNE_LOG_LOADED; role++) {
        double rows = 0;
        for (int i = 0; i < s->entry_count; i++)
            if ((int)s->entry[i].role == role) rows += (double)s->entry[i].rows;
        if (role == ARNE_LOG_FIT) rows *= 1 - s->options.hold_back;
        if (role == ARNE_LOG_VALIDATE || rows == 0) continue;
        const long own = (long)(rows / (double)(ROWS_PER_NUMBER * numbers));
        most = own < most ? own : most;
    }
    return most > 1 ? most : 1;
}

// So many that rows are independent after the filter of torques.
static int chosen_decimation(const arne_identify *s, double top)
{
    if (!(s->torque_cutoff > 0)) return 1;
    const double own = fmax(1, floor(top / (1.25 * s->torque_cutoff)));
    return (int)fmin(own, (double)most_decimation(s));
}

static arne_status choose_filters(const scan *c, arne_error *error)
{
    arne_identify               *s = c->study;
    const arne_identify_options *o = &s->options;
    double                       longest = 0;
    for (int i = 0; i < s->entry_count; i++)
        longest = fmax(longest, s->entry[i].step);
    for (int i = 0; i < s->entry_count; i++)
        if (fabs(s->entry[i].step - longest) > 0.05 * longest)
            return arne_fail(error, ARNE_VALUE, s->entry[i].path, 1,
                             "is sampled at %.6g Hz, another log at %.6g Hz; give logs of one rate",
                             1 / s->entry[i].step, 1 / longest);
    const double top = 0.5 / longest;
    s->step = longest;
    s->order = o->order > 0 ? o->order : 4;
    s->cutoff = o->cutoff > 0   ? given_cutoff(s, "positions", o->cutoff, top)
                : o->cutoff < 0 ? 0
                                : chosen_cutoff(c, top);
    s->torque_cutoff = o->torque_cutoff > 0   ? given_cutoff(s, "torques", o->torque_cutoff, top)
                       : o->torque_cutoff < 0 ? 0
                                              : s->cutoff;
    arne_status status = check_cutoff(s, s->cutoff, error);
    if (!status) status = check_cutoff(s, s->torque_cutoff, error);
    if (status) return status;
    s->decimate = o->decimate > 0 ? o->decimate : chosen_decimation(s, top);
    s->reach = find_reach(s);
    return ARNE_OK;
}

arne_status study_scan(arne_identify *s, arne_error *error)
{
    const size_t n = (size_t)study_n(s), size = log_row_size((int)n);
    scan         c = {.study = s, .n = (int)n};
    arne_error   own;
    c.steps = malloc(STEPS_KEPT * sizeof(double));
    c.stretch = malloc(STRETCH * (3 * n + 1) * sizeof(double));
    c.low = calloc((2 + SPAN) * size + 2 * n + 1, sizeof(double));
    arne_status status = c.steps && c.stretch && c.low ? ARNE_OK : ARNE_NO_MEMORY;
    c.high = c.low + size;
    c.ring = c.high + size;
    c.square = c.ring + SPAN * size;
    c.noise = c.square + n;
    if (!status) status = gears_side(s);
    for (int i = 0; i < s->entry_count && !status; i++) {
        arne_error_clear(&own);
        status = scan_entry(&c, &s->entry[i], &own);
    }
    free(c.steps);
    free(c.stretch);
    free(c.low);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(error);
    if (status == ARNE_STOPPED) return arne_fail(error, status, NULL, 0, "stopped");
    findings_sort(&s->found);
    const listeners to = {.fail = s->options.fail, .fail_context = s->options.fail_context};
    findings_tell(&s->found, &to);
    if (s->found.errors) return findings_first(&s->found, error);
    for (size_t k = 0; k < n; k++)
        s->rest_speed[k] =
            s->options.rest_speed != 0 ? s->options.rest_speed : REST_PART * s->top_speed[k];
    return choose_filters(&c, error);
}

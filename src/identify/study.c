// An identification from beginning to end: options, recordings, the order of passes, and messages.
#include "identify/study.h"
#include "base/error.h"
#include "base/options.h"
#include "base/plain.h"
#include "base/text.h"
#include "identify/least_squares.h"
#include "identify/pseudo_inertia.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- memory and messages

void *study_take(arne_identify *s, size_t count, size_t size)
{
    void **owned = realloc(s->owned, ((size_t)s->owned_count + 1) * sizeof *owned);
    if (!owned) return NULL;
    s->owned = owned;
    void *memory = calloc(count ? count : 1, size);
    if (memory) owned[s->owned_count++] = memory;
    return memory;
}

static void *copied(arne_identify *s, const void *from, size_t count, size_t size)
{
    void *to = from ? study_take(s, count, size) : NULL;
    if (to) memcpy(to, from, count * size);
    return to;
}

static char *copied_text(arne_identify *s, const char *text)
{
    return copied(s, text, text ? strlen(text) + 1 : 0, 1);
}

int study_n(const arne_identify *s) { return s->m.n; }

int study_stops(const arne_identify *s)
{
    return s->options.stop && s->options.stop(s->options.stop_context);
}

void study_warn(const arne_identify *s, const char *rule, const char *file, int line,
                const char *format, ...)
{
    char    text[512];
    va_list list;
    if (!s->options.warn) return;
    va_start(list, format);
    text_line_list(text, sizeof text, format, list);
    va_end(list);
    const arne_warning w = {.rule = rule, .file = file ? file : "", .line = line, .text = text};
    s->options.warn(s->options.warn_context, &w);
}

// ---- making one

static int copy_options(arne_identify *s, size_t n)
{
    arne_identify_options *o = &s->options;
    const int gains = o->gains != NULL, coupling = o->coupling != NULL, offset = o->offset != NULL,
              regions = o->regions != NULL && o->region_count > 0;
    arne_column_alias *columns = copied(s, o->columns, (size_t)o->column_count, sizeof *o->columns);
    o->gains = copied(s, o->gains, n, sizeof *o->gains);
    o->coupling = copied(s, o->coupling, n * n, sizeof *o->coupling);
    o->offset = copied(s, o->offset, n, sizeof *o->offset);
    o->regions = copied(s, o->regions, (size_t)o->region_count, sizeof *o->regions);
    int fine = (!gains || o->gains) && (!coupling || o->coupling) && (!offset || o->offset) &&
               (!regions || o->regions) && (!o->columns || columns);
    for (int i = 0; fine && columns && i < o->column_count; i++) {
        columns[i].name = copied_text(s, columns[i].name);
        const int given = columns[i].in_file != NULL;
        columns[i].in_file = copied_text(s, columns[i].in_file);
        fine = columns[i].name && (!given || columns[i].in_file);
    }
    o->columns = columns;
    return fine;
}

static int take_arrays(arne_identify *s)
{
    const size_t n = (size_t)s->m.n, count = (size_t)s->m.count;
    s->gain = study_take(s, n, sizeof(double));
    s->gain_deviation = study_take(s, n, sizeof(double));
    s->weight = study_take(s, n, sizeof(double));
    s->variation = study_take(s, n, sizeof(double));
    s->correlation = study_take(s, n, sizeof(double));
    s->top_speed = study_take(s, n, sizeof(double));
    s->fastest = study_take(s, 2 * n, sizeof(double));
    s->rest_speed = study_take(s, n, sizeof(double));
    s->lag = study_take(s, n * (CORRELATION_LAGS + 1), sizeof(double));
    s->bin = study_take(s, n * FRICTION_BINS * 2, sizeof(double));
    s->seen = study_take(s, count, 1);
    s->essential = study_take(s, count, 1);
    s->covariance = study_take(s, count * count, sizeof(double));
    s->qr = study_take(s, n, sizeof *s->qr);
    int fine = s->gain && s->gain_deviation && s->weight && s->variation && s->correlation &&
               s->top_speed && s->fastest && s->rest_speed && s->lag && s->bin && s->seen &&
               s->essential && s->covariance && s->qr;
    for (int e = 0; e < ESTIMATES && fine; e++) {
        s->estimate[e].beta = e == ESTIMATE_FREE ? NULL : study_take(s, count, sizeof(double));
        s->estimate[e].deviation = study_take(s, count, sizeof(double));
        s->estimate[e].pi = study_take(s, (size_t)s->m.parameters, sizeof(double));
        fine = (e == ESTIMATE_FREE || s->estimate[e].beta) && s->estimate[e].deviation &&
               s->estimate[e].pi;
    }
    for (int j = 0; j < s->m.n && fine; j++) {
        s->weight[j] = s->correlation[j] = 1;
        s->gain[j] = s->options.gains && s->options.gains[j] != 0 ? s->options.gains[j] : 1;
        s->unknown_gains |= !s->options.gains || s->options.gains[j] == 0;
        fine = block_qr_new(&s->qr[j], s->m.used_count[j] + 1);
    }
    return fine;
}

arne_status arne_identify_new(const arne_robot *robot, const arne_identify_options *options,
                              arne_identify **out, arne_error *error)
{
    arne_error_clear(error);
    if (!robot || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    *out = NULL;
    arne_identify *s = calloc(1, sizeof *s);
    if (!s) return arne_fail_memory(error);
    s->robot = robot;
    arne_status status = ARNE_OK;
    if (options && !options_take(&s->options, sizeof s->options,
                                 OPTIONS_FIRST(arne_identify_options), options))
        status = options_refuse(error);
    s->friction =
        s->options.friction ? s->options.friction : ARNE_FRICTION_VISCOUS | ARNE_FRICTION_COULOMB;
    if (!status && !copy_options(s, (size_t)arne_robot_sizes(robot).v_count))
        status = arne_fail_memory(error);
    if (!status) status = model_make(s, error);
    if (!status && !take_arrays(s)) status = arne_fail_memory(error);
    if (status)
        arne_identify_free(s);
    else
        *out = s;
    return status;
}

void arne_identify_free(arne_identify *s)
{
    if (!s) return;
    for (int j = 0; s->qr && j < s->m.n; j++)
        block_qr_free(&s->qr[j]);
    for (int i = 0; i < s->owned_count; i++)
        free(s->owned[i]);
    arne_base_set_free(s->m.base);
    findings_free(&s->found);
    free(s->owned);
    free(s->entry);
    free(s);
}

static log_entry *study_add_entry(arne_identify *s, arne_log_role role)
{
    log_entry *entry = realloc(s->entry, ((size_t)s->entry_count + 1) * sizeof *entry);
    if (!entry) return NULL;
    s->entry = entry;
    entry[s->entry_count] = (log_entry){.role = role};
    return &entry[s->entry_count++];
}

arne_status arne_identify_add_file(arne_identify *s, const char *path, arne_log_role role,
                                   arne_error *error)
{
    if (!s || !path)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    char      *own = copied_text(s, path);
    log_entry *e = own ? study_add_entry(s, role) : NULL;
    if (!e) return arne_fail_memory(error);
    e->path = own;
    return ARNE_OK;
}

arne_status arne_identify_add_log(arne_identify *s, const arne_log *log, arne_log_role role,
                                  arne_error *error)
{
    if (!s || !log || !log->time || !log->q || !log->tau)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    log_entry *e = study_add_entry(s, role);
    if (!e) return arne_fail_memory(error);
    e->log = *log;
    return ARNE_OK;
}

// ---- gains that are not known

// A gain is doubtful where it is known no better than this, or where what it rests on, the prior's
// torque beyond friction, is a smaller part of the current.
static const double DOUBTFUL_DEVIATION = 0.05, DOUBTFUL_PART = 0.1;

static void doubt_gain(const arne_identify *s, int j, double part)
{
    const double deviation = s->gain_deviation[j] / s->gain[j];
    if (deviation < DOUBTFUL_DEVIATION && part > DOUBTFUL_PART) return;
    study_warn(s, "gain", s->entry[0].path, 1,
               "the gain of the drive of joint '%s' is doubtful: %.4g N m/A with a deviation of "
               "%.2g %% at least, from the %.0f %% of its current that are not friction; all "
               "torques of the joint scale with it, so give it (--gains)",
               arne_robot_joint(s->robot, j).name, s->gain[j], 100 * deviation, 100 * part);
}

// The current is friction and the prior's torque over the gain: the prior sets the scale. In the
// joint's triangle; the prior's torque comes last, so that its pivot is what friction leaves of it.
static arne_status find_gain(arne_identify *s, int j, arne_error *error)
{
    const model *m = &s->m;
    block_qr    *qr = &s->qr[j];
    const size_t n = (size_t)qr->columns;
    const int   *used = m->used + (size_t)j * (size_t)m->count;
    double      *A = calloc(n * n + 2 * n, sizeof *A), *b = A ? A + n * n : NULL, *x = b + n;
    size_t       last = 0;
    double       all = 0, left = 0;
    if (!A) return arne_fail_memory(error);
    for (size_t c = 0; c + 1 < n; c++)
        if (used[c] >= m->base->rank) memcpy(A + n * last++, qr->R + c * n, n * sizeof *A);
    for (size_t i = 0; i < n; i++) {
        b[i] = qr->R[(n - 1) * n + i];
        all += b[i] * b[i];
        for (size_t c = 0; c + 1 < n; c++)
            if (used[c] < m->base->rank) A[n * last + i] += qr->R[c * n + i] * m->prior[used[c]];
    }
    const int    fine = least_squares((int)n, (int)last + 1, A, b, x);
    const double gain = fine && x[last] > 0 ? 1 / x[last] : 0, pivot = fabs(A[n * last + last]);
    const double seen = pivot * x[last];
    for (size_t i = last + 1; i < n; i++)
        left += b[i] * b[i];
    free(A);
    if (!(gain > 0) || !isfinite(gain))
        return arne_fail(
            error, ARNE_VALUE, s->entry[0].path, 1,
            "the gain of the drive of joint '%s' cannot be told from this robot and this "
            "current; give it (--gains)",
            arne_robot_joint(s->robot, j).name);
    s->gain[j] = gain;
    s->gain_deviation[j] = gain * gain * sqrt(left / (double)qr->rows) / pivot;
    doubt_gain(s, j, sqrt(seen * seen / all));
    for (size_t i = 0; i < n; i++)
        qr->R[(n - 1) * n + i] *= gain;
    return ARNE_OK;
}

static arne_status find_gains(arne_identify *s, arne_error *error)
{
    arne_status status = ARNE_OK;
    int         is_current = 0;
    for (int i = 0; i < s->entry_count; i++)
        is_current |= s->entry[i].is_current;
    if (is_current) s->result.gains = s->gain;
    if (is_current) s->result.gain_deviations = s->gain_deviation;
    if (!is_current || !s->unknown_gains) return ARNE_OK;
    if (s->of_motors && s->m.coupling)
        return arne_fail(error, ARNE_VALUE, s->entry[0].path, 1,
                         "currents of coupled motors need the gains of all drives (--gains)");
    for (int j = 0; j < s->m.n && !status; j++)
        if (!s->options.gains || s->options.gains[j] == 0) status = find_gain(s, j, error);
    return status;
}

// ---- units of torques

// rms of the recorded torque over that of the prior, from the triangle of a joint; 0: unknown.
static double scale_of_torque(const arne_identify *s, int j)
{
    const block_qr *qr = &s->qr[j];
    const size_t    n = (size_t)qr->columns;
    const int      *used = s->m.used + (size_t)j * (size_t)s->m.count;
    double          prior = 0, recorded = 0;
    for (size_t i = 0; i < n; i++) {
        double own = 0;
        for (size_t c = 0; c + 1 < n; c++)
            own += qr->R[c * n + i] * s->m.prior[used[c]];
        prior += own * own;
        recorded += qr->R[(n - 1) * n + i] * qr->R[(n - 1) * n + i];
    }
    return prior > 0 ? sqrt(recorded / prior) : 0;
}

// Another unit is wrong by the same factor in all joints; another robot is not.
static void doubt_torques(const arne_identify *s)
{
    double least = INFINITY, most = 0;
    for (int j = 0; j < s->m.n; j++) {
        const double scale = scale_of_torque(s, j);
        if (scale == 0) continue;
        least = fmin(least, scale);
        most = fmax(most, scale);
    }
    if (most > 0 && (least > 50 || most < 0.02))
        study_warn(s, "units", s->entry[0].path, 1,
                   "torques are %.2g to %.2g times those of the robot as it is, in every joint: "
                   "are they in N mm, or of the motor? Give a unit or a factor in the column map",
                   least, most);
}

// ---- warnings about residuals

// Residuals above this part of the torque, and variance factors this many times that of white
// noise, get a warning; the latter unless residuals are too small to matter.
static const double LARGE_PERCENT = 50, NOT_WHITE = 4, SMALL_PERCENT = 2;

typedef double (*joint_fn)(const arne_identify *s, int joint);

static double percent_left(const arne_identify *s, int joint)
{
    return s->sums[SET_FIT][ESTIMATE_FOUND].percent[joint];
}

static double colour_left(const arne_identify *s, int joint)
{
    const int is_small = percent_left(s, joint) < SMALL_PERCENT;
    return is_small ? 0 : s->correlation[joint] / study_filter_factor(s);
}

// The joints with more than `most`, and how much; returns their number.
static int list_joints(const arne_identify *s, joint_fn value, double most, char *text, size_t size)
{
    int    count = 0;
    size_t at = 0;
    for (int j = 0; j < s->m.n; j++) {
        if (!(value(s, j) > most)) continue;
        if (at + 1 < size)
            plain_print(text + at, size - at, "%s'%.100s' (%.3g)", count ? ", " : "",
                        arne_robot_joint(s->robot, j).name, value(s, j));
        at += strlen(text + at);
        count++;
    }
    return count;
}

static void doubt_residuals(const arne_identify *s)
{
    char joints[260];
    if (list_joints(s, percent_left, LARGE_PERCENT, joints, sizeof joints))
        study_warn(s, "residuals", s->entry[0].path, 1,
                   "the model does not explain more than half of the torque of joints %s [%%]: "
                   "check filter, units and gains, and add friction terms",
                   joints);
    if (list_joints(s, colour_left, NOT_WHITE, joints, sizeof joints))
        study_warn(s, "residuals", s->entry[0].path, 1,
                   "residuals are not white, by the factor of their variance, in joints %s: the "
                   "model misses something (friction, elasticity, couplings), and deviations do "
                   "not cover that",
                   joints);
}

// ---- all passes

static int has_role(const arne_identify *s, arne_log_role role)
{
    for (int i = 0; i < s->entry_count; i++)
        if (s->entry[i].role == role) return 1;
    return 0;
}

static arne_status again(arne_identify *s, arne_error *error)
{
    const arne_status status = study_reduce(s, ARNE_LOG_FIT, s->qr, error);
    return status ? status : estimate_free(s, 0, error);
}

static arne_status fit_free(arne_identify *s, arne_error *error)
{
    arne_status status = study_reduce(s, ARNE_LOG_FIT, s->qr, error);
    if (!status) status = find_gains(s, error);
    if (!status && !s->result.gains) doubt_torques(s);
    s->estimate[ESTIMATE_FREE].beta = study_take(s, (size_t)s->m.count, sizeof(double));
    if (!s->estimate[ESTIMATE_FREE].beta) return arne_fail_memory(error);
    if (!status) status = estimate_free(s, 0, error);
    for (int i = 0; i < 3 && s->m.is_shaped && !status; i++) {
        status = study_correlate(s, error);
        if (!status) status = study_shape(s, error);
        if (!status) status = again(s, error);
    }
    for (int i = 0; i < 6 && s->options.huber > 0 && !status; i++)
        status = again(s, error);
    if (!status) status = study_correlate(s, error);
    return status ? status : estimate_free(s, 1, error);
}

static void set_fit(arne_identify_fit *to, const fit_sums *from)
{
    *to = (arne_identify_fit){from->rows, from->rms, from->percent, from->size};
}

static int study_fill_base(arne_identify *s)
{
    arne_identified *base = study_take(s, (size_t)s->m.count, sizeof *base);
    for (int c = 0; base && c < s->m.count; c++) {
        char name[300], text[4000];
        model_name(s, c, name, sizeof name);
        model_grouping(s, c, text, sizeof text);
        base[c] = (arne_identified){.name = copied_text(s, name),
                                    .unit = model_unit(s, c),
                                    .grouping = copied_text(s, text),
                                    .value = s->estimate[ESTIMATE_FOUND].beta[c],
                                    .deviation = s->estimate[ESTIMATE_FOUND].deviation[c],
                                    .prior = s->m.prior[c],
                                    .essential = s->essential[c],
                                    .seen = s->seen[c]};
        if (!base[c].name || !base[c].grouping) return 0;
    }
    s->result.base = base;
    s->result.base_count = s->m.count;
    return base != NULL;
}

static int find_inconsistent(arne_identify *s)
{
    int *list = study_take(s, (size_t)s->m.n, sizeof *list);
    s->result.inconsistent_count = s->result.free_inconsistent_count = 0;
    for (int j = 0; list && j < s->m.n; j++) {
        if (!link_is_consistent(s->estimate[ESTIMATE_FOUND].pi + 10 * (ptrdiff_t)j))
            list[s->result.inconsistent_count++] = j;
        s->result.free_inconsistent_count +=
            !link_is_consistent(s->estimate[ESTIMATE_FREE].pi + 10 * (ptrdiff_t)j);
    }
    s->result.inconsistent = list;
    s->result.is_consistent = s->result.inconsistent_count == 0;
    return list != NULL;
}

static arne_status study_fill_result(arne_identify *s, arne_error *error)
{
    arne_identify_result *r = &s->result;
    if (!study_fill_base(s) || !find_inconsistent(s)) return arne_fail_memory(error);
    r->joint_count = s->m.n;
    r->free = s->estimate[ESTIMATE_FREE].beta;
    set_fit(&r->fit, &s->sums[SET_FIT][ESTIMATE_FOUND]);
    set_fit(&r->validate, &s->sums[SET_HELD][ESTIMATE_FOUND]);
    set_fit(&r->fit_free, &s->sums[SET_FIT][ESTIMATE_FREE]);
    set_fit(&r->validate_free, &s->sums[SET_HELD][ESTIMATE_FREE]);
    set_fit(&r->fit_prior, &s->sums[SET_FIT][ESTIMATE_PRIOR]);
    set_fit(&r->validate_prior, &s->sums[SET_HELD][ESTIMATE_PRIOR]);
    r->cutoff = s->cutoff;
    r->torque_cutoff = s->torque_cutoff;
    r->rate = 1 / s->step;
    r->decimate = s->decimate;
    r->correlation = s->correlation;
    r->parameters = s->estimate[ESTIMATE_FOUND].pi;
    return ARNE_OK;
}

arne_status arne_identify_fit_robot(arne_identify *s, arne_error *error)
{
    if (!s)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_error_clear(error);
    if (!has_role(s, ARNE_LOG_FIT))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no recording to fit");
    s->options.hold_back = has_role(s, ARNE_LOG_VALIDATE) || s->options.hold_back < 0 ? 0
                           : s->options.hold_back > 0 ? s->options.hold_back
                                                      : 0.2;
    arne_parameters(s->robot, s->estimate[ESTIMATE_PRIOR].pi);
    memcpy(s->estimate[ESTIMATE_PRIOR].beta, s->m.prior, (size_t)s->m.count * sizeof(double));
    arne_status status = study_scan(s, error);
    if (!status) status = fit_free(s, error);
    if (!status) status = find_free_parameters(s, error);
    if (!status && s->options.estimator == ARNE_ESTIMATOR_CONSISTENT) {
        status = estimate_consistent(s, error);
        if (!status) spread_friction(s, &s->estimate[ESTIMATE_FOUND]);
    } else if (!status) {
        estimate *to = &s->estimate[ESTIMATE_FOUND], *from = &s->estimate[ESTIMATE_FREE];
        memcpy(to->beta, from->beta, (size_t)s->m.count * sizeof(double));
        memcpy(to->deviation, from->deviation, (size_t)s->m.count * sizeof(double));
        memcpy(to->pi, from->pi, (size_t)s->m.parameters * sizeof(double));
    }
    if (!status) status = study_judge(s, error);
    if (!status) status = study_fill_result(s, error);
    if (!status) doubt_residuals(s);
    s->is_done = !status;
    return status;
}

const arne_identify_result *arne_identify_get(const arne_identify *s)
{
    return s && s->is_done ? &s->result : NULL;
}

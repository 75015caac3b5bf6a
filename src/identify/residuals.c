// Residuals: their size on fitted and on held-back rows, their autocorrelation, and curves for the
// page.
#include "base/error.h"
#include "identify/study.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A copy of an estimate with its base parameters set to 0: friction, springs and motors. Free it.
static double *beyond_bodies(const arne_identify *s, const double *beta)
{
    const size_t rank = (size_t)s->m.base->rank, count = (size_t)s->m.count;
    double      *part = calloc(count + 1, sizeof *part);
    if (part) memcpy(part + rank, beta + rank, (count - rank) * sizeof *part);
    return part;
}

static void fill_bin(arne_identify *s, const row_block *b, int i, double friction)
{
    const double top = s->top_speed[b->joint];
    const int    bin = (int)floor((b->speed[i] / top + 1) / 2 * FRICTION_BINS);
    if (bin < 0 || bin >= FRICTION_BINS) return;
    double *at = s->bin + 2 * ((size_t)b->joint * FRICTION_BINS + (size_t)bin);
    at[0] += 1;
    at[1] += friction;
}

// ---- correlation

enum {
    CORRELATED_ROWS = 200000,
    PAST = 16 * CORRELATION_LAGS
}; // rows of each joint that are used; size of the buffer

typedef struct correlator {
    arne_identify *study;
    double        *past; // n x PAST: the last residuals, the newest first, from `head` on
    int           *known, *head;
    long          *next, *rows;
} correlator;

static void correlate_row(correlator *c, const row_block *b, int i, double left)
{
    const int j = b->joint;
    double   *all = c->past + (size_t)j * PAST, *past = all + c->head[j],
           *lag = c->study->lag + (size_t)j * (CORRELATION_LAGS + 1);
    if (b->first + i != c->next[j]) c->known[j] = 0;
    c->next[j] = b->first + i + 1;
    for (int k = 0; k < c->known[j]; k++)
        lag[k + 1] += left * past[k];
    lag[0] += left * left;
    if (c->known[j] < CORRELATION_LAGS) c->known[j]++;
    if (c->head[j] == 0) { // the buffer is full: move the newest residuals to its end
        memcpy(all + PAST - CORRELATION_LAGS, all, CORRELATION_LAGS * sizeof *all);
        c->head[j] = PAST - CORRELATION_LAGS;
    }
    all[--c->head[j]] = left;
    c->rows[j]++;
}

static arne_status correlate_block(void *context, const row_block *b)
{
    correlator    *c = context;
    arne_identify *s = c->study;
    for (int i = 0; i < b->rows; i++) {
        const double *y = b->y + i * b->stride; // prediction; its part beyond bodies; torque
        if (b->set[i] != SET_FIT) continue;
        const double left = y[2] - y[0];
        fill_bin(s, b, i, left + y[1]);
        if (c->rows[b->joint] < CORRELATED_ROWS) correlate_row(c, b, i, left);
    }
    return b->joint == s->m.n - 1 && !s->m.is_shaped && c->rows[b->joint] >= CORRELATED_ROWS
               ? ARNE_STOPPED
               : ARNE_OK;
}

// One plus twice the sum of autocorrelations, all of them up to the lag from which on they are
// noise, then fewer and fewer (the flat-top window of Politis 2003). It is that of the filter at
// least: noise of accelerations, which has little power at low frequencies, and the noise of the
// autocorrelations would make it smaller.
static double variance_factor(const arne_identify *s, const double *lag, long rows)
{
    const double noise = 2 * sqrt(log10((double)rows + 10) / (double)rows);
    int          last = 0;
    double       sum = 1;
    for (int k = 1; k <= CORRELATION_LAGS / 2; k++) {
        int quiet = 1;
        for (int i = k; i < k + 4; i++)
            quiet &= fabs(lag[i]) < noise;
        if (quiet) break;
        last = k;
    }
    for (int k = 1; k <= 2 * last && k <= CORRELATION_LAGS; k++)
        sum += 2 * lag[k] * (k <= last ? 1 : 2 - (double)k / last);
    return fmax(sum, study_filter_factor(s));
}

arne_status study_correlate(arne_identify *s, arne_error *error)
{
    const size_t n = (size_t)s->m.n;
    correlator   c = {.study = s};
    c.past = calloc(n * PAST, sizeof *c.past);
    c.known = calloc(2 * n, sizeof *c.known);
    c.head = c.known ? c.known + n : NULL;
    c.next = calloc(2 * n, sizeof *c.next);
    c.rows = c.next ? c.next + n : NULL;
    memset(s->lag, 0, n * (CORRELATION_LAGS + 1) * sizeof *s->lag);
    memset(s->bin, 0, n * FRICTION_BINS * 2 * sizeof *s->bin);
    double        *beyond = beyond_bodies(s, s->estimate[ESTIMATE_FREE].beta);
    const row_sums sums = {2, {s->estimate[ESTIMATE_FREE].beta, beyond}};
    arne_status    status = c.past && c.known && c.next && beyond
                                ? study_rows(s, ARNE_LOG_FIT, &sums, correlate_block, &c, error)
                                : arne_fail_memory(error);
    free(beyond);
    if (status == ARNE_STOPPED && !study_stops(s)) status = ARNE_OK; // enough was seen
    for (size_t j = 0; j < n && !status; j++) {
        double *lag = s->lag + j * (CORRELATION_LAGS + 1);
        for (int k = CORRELATION_LAGS; k >= 0; k--)
            lag[k] = lag[0] > 0 ? lag[k] / lag[0] : k == 0;
        s->correlation[j] = variance_factor(s, lag, c.rows[j] > 0 ? c.rows[j] : 1);
    }
    free(c.past);
    free(c.known);
    free(c.next);
    return status;
}

// ---- sizes of residuals

static void show_row(arne_identify *s, const row_block *b, int i, const double values[SHOWN_PARTS])
{
    const int   held_role = b->entry->role == ARNE_LOG_VALIDATE;
    shown_rows *shown = &s->shown[held_role];
    const long  seen = shown->seen[b->joint]++;
    if (seen % shown->every || seen / shown->every >= CURVE_POINTS) return;
    const int at = (int)(seen / shown->every);
    double   *row = shown->row + (size_t)at * (2 + SHOWN_PARTS * (size_t)s->m.n);
    memcpy(row + 2 + SHOWN_PARTS * (size_t)b->joint, values, SHOWN_PARTS * sizeof *values);
    if (b->joint) return; // time and set are the same for all joints
    row[0] = b->time[i];
    row[1] = b->set[i];
    shown->count = at + 1;
}

static arne_status judge_block(void *context, const row_block *b)
{
    arne_identify *s = context;
    for (int i = 0; i < b->rows; i++) {
        const double *by =
            b->y + i * b->stride; // predictions of estimates; the part beyond bodies; torque
        const double tau = by[ESTIMATES + 1];
        const double values[SHOWN_PARTS] = {b->place[i], tau, by[ESTIMATE_FOUND],
                                            by[ESTIMATE_PRIOR]};
        show_row(s, b, i, values);
        if (b->set[i] == SET_OUT) continue;
        for (int e = 0; e < ESTIMATES; e++) {
            fit_sums *sums = &s->sums[b->set[i]][e];
            if (b->joint == 0) sums->rows++; // counted once, for joint 0
            sums->square[b->joint] += (tau - by[e]) * (tau - by[e]);
            sums->measured[b->joint] += tau * tau;
            sums->size[b->joint] += 1;
        }
        fill_bin(s, b, i, tau - by[ESTIMATE_FOUND] + by[ESTIMATES]);
    }
    return ARNE_OK;
}

static int make_sums(arne_identify *s)
{
    const size_t n = (size_t)s->m.n;
    for (int set = 0; set < SETS; set++) {
        long rows = 0;
        for (int e = 0; e < ESTIMATES; e++) {
            fit_sums *sums = &s->sums[set][e];
            sums->square = study_take(s, 5 * n, sizeof(double));
            if (!sums->square) return 0;
            sums->measured = sums->square + n;
            sums->rms = sums->measured + n;
            sums->percent = sums->rms + n;
            sums->size = sums->percent + n;
            sums->rows = 0;
        }
        for (int i = 0; i < s->entry_count; i++)
            if ((s->entry[i].role == ARNE_LOG_VALIDATE) == (set == 1))
                rows +=
                    (long)((s->entry[i].end - s->entry[i].start) / s->entry[i].step) / s->decimate +
                    2;
        s->shown[set].every = rows / CURVE_POINTS + 1;
        s->shown[set].seen = study_take(s, n, sizeof(long));
        s->shown[set].row = study_take(s, CURVE_POINTS * (2 + SHOWN_PARTS * n), sizeof(double));
        if (!s->shown[set].seen || !s->shown[set].row) return 0;
    }
    return 1;
}

arne_status study_judge(arne_identify *s, arne_error *error)
{
    const size_t n = (size_t)s->m.n;
    if (!make_sums(s)) return arne_fail_memory(error);
    memset(s->bin, 0, n * FRICTION_BINS * 2 * sizeof *s->bin);
    double  *beyond = beyond_bodies(s, s->estimate[ESTIMATE_FOUND].beta);
    row_sums of = {.count = ESTIMATES + 1};
    for (int e = 0; e < ESTIMATES; e++)
        of.beta[e] = s->estimate[e].beta;
    of.beta[ESTIMATES] = beyond;
    arne_status status =
        beyond ? study_rows(s, ARNE_LOG_FIT, &of, judge_block, s, error) : arne_fail_memory(error);
    if (!status) status = study_rows(s, ARNE_LOG_VALIDATE, &of, judge_block, s, error);
    free(beyond);
    for (int set = 0; set < SETS; set++)
        for (int e = 0; e < ESTIMATES; e++) {
            fit_sums *sums = &s->sums[set][e];
            for (size_t j = 0; j < n; j++) {
                const double rows = fmax(sums->size[j], 1);
                sums->rms[j] = sqrt(sums->square[j] / rows);
                sums->percent[j] =
                    sums->measured[j] > 0 ? 100 * sqrt(sums->square[j] / sums->measured[j]) : 0;
                sums->size[j] =
                    sqrt(sums->measured[j] / rows); // from here on: the rms of the torque
            }
        }
    return status;
}

double friction_at(const arne_identify *s, const double *beta, int joint, double speed)
{
    const model *m = &s->m;
    const double sign = speed > 0 ? 1 : speed < 0 ? -1 : 0;
    double       sum = 0;
    for (int c = m->base->rank; c < m->count; c++) {
        const model_column *k = &m->column[c];
        if (k->joint != joint) continue;
        switch (k->kind) {
        case COLUMN_VISCOUS:
        case COLUMN_MOTOR_VISCOUS:
            sum += beta[c] * speed;
            break;
        case COLUMN_POSITIVE:
            sum += beta[c] * (speed > 0);
            break;
        case COLUMN_NEGATIVE:
            sum -= beta[c] * (speed < 0);
            break;
        case COLUMN_BOTH:
        case COLUMN_MOTOR_COULOMB:
            sum += beta[c] * sign;
            break;
        case COLUMN_OFFSET:
            sum += beta[c];
            break;
        case COLUMN_STRIBECK:
            sum += beta[c] * sign * exp(-speed * speed / (k->shape[0] * k->shape[0]));
            break;
        case COLUMN_SIGMOID:
            sum += beta[c] * (1 / (1 + exp(-k->shape[0] * (speed + k->shape[1]))) -
                              1 / (1 + exp(-k->shape[0] * k->shape[1])));
            break;
        default:
            break;
        }
    }
    return sum;
}

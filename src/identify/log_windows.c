// A log at equal steps, filtered and differentiated, in overlapping windows: constant memory for
// any length.
//
// Jittering times are resampled to equal steps by cubics through four rows; a gap of more than five
// steps begins a new section (a "stretch"). Filters run both ways in a window, which is extended
// point-symmetrically at its ends; only rows beyond the reach of the ends are used. Rates are
// central differences of order 8.
#include "base/error.h"
#include "identify/study.h"
#include "motion/butterworth.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, LEAST_STRETCH = 32, LEAST_WINDOW = 4096, LARGE_WINDOW = 16384 };

typedef struct stream {
    arne_identify   *study;
    const log_entry *entry;
    window_fn        take;
    void            *context;
    int              n, raw_count, room, count, lead;
    size_t           size;   // of a row
    double          *raw;    // 4 rows, and one that is made of them
    double          *rows;   // room x size
    double          *padded; // (room + 2 reach) x 3 n
    double          *time, *part[4];
    double           origin; // of the stretch
    long             next;   // step of the stretch
    long             first;  // of row 0 of the window
} stream;

// ---- filters and rates of one window

// Filters t->count rows of `channels` numbers at x, extended by `pad` rows at both ends.
static void log_windows_filter_rows(stream *t, const butterworth *f, int pad, int channels,
                                    double *x)
{
    const size_t width = (size_t)channels;
    if (pad > t->count - 1) pad = t->count - 1;
    double       *p = t->padded + (size_t)pad * width;
    const double *last = x + (size_t)(t->count - 1) * width;
    memcpy(p, x, (size_t)t->count * width * sizeof *x);
    for (int i = 1; i <= pad; i++)
        for (size_t c = 0; c < width; c++) {
            t->padded[(size_t)(pad - i) * width + c] = 2 * x[c] - x[(size_t)i * width + c];
            t->padded[(size_t)(pad + t->count - 1 + i) * width + c] =
                2 * last[c] - x[(size_t)(t->count - 1 - i) * width + c];
        }
    butterworth_both_ways(t->study->robot, f, t->count + 2 * pad, channels, channels, t->padded);
    memcpy(x, p, (size_t)t->count * width * sizeof *x);
}

static void differentiate(const stream *t, const double *x, double *out)
{
    static const double c[SIDE] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const size_t        n = (size_t)t->n;
    for (int i = SIDE; i < t->count - SIDE; i++)
        for (size_t k = 0; k < n; k++) {
            const double *at = x + (size_t)i * n + k;
            double        sum = 0;
            for (int s = 1; s <= SIDE; s++)
                sum += c[s - 1] * (at[(size_t)s * n] - *(at - (size_t)s * n));
            out[(size_t)i * n + k] = sum / t->entry->step;
        }
}

static void differentiate_twice(const stream *t, const double *x, double *out)
{
    static const double c[SIDE + 1] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    const size_t        n = (size_t)t->n;
    for (int i = SIDE; i < t->count - SIDE; i++)
        for (size_t k = 0; k < n; k++) {
            const double *at = x + (size_t)i * n + k;
            double        sum = c[0] * *at;
            for (int s = 1; s <= SIDE; s++)
                sum += c[s] * (at[(size_t)s * n] + *(at - (size_t)s * n));
            out[(size_t)i * n + k] = sum / (t->entry->step * t->entry->step);
        }
}

static void split_rows(stream *t)
{
    const size_t n = (size_t)t->n;
    for (int i = 0; i < t->count; i++) {
        const double *row = t->rows + (size_t)i * t->size;
        t->time[i] = row[0];
        for (int p = 0; p < 4; p++)
            memcpy(t->part[p] + (size_t)i * n, row + 1 + (size_t)p * n, n * sizeof *row);
    }
}

static arne_status do_window(stream *t, int is_last)
{
    const arne_identify *s = t->study;
    const log_entry     *e = t->entry;
    if (t->count < LEAST_STRETCH) return ARNE_OK;
    split_rows(t);
    if (s->cutoff > 0) {
        const butterworth f = butterworth_make(s->order, s->cutoff, e->step);
        const int         reach = butterworth_reach(s->order, s->cutoff, e->step);
        const int         pad = reach < s->reach ? reach : s->reach;
        for (int p = 0; p < 3; p++)
            if (p == 0 || (p == 1 && e->has_qd) || (p == 2 && e->has_qdd))
                log_windows_filter_rows(t, &f, pad, t->n, t->part[p]);
    }
    if (!e->has_qd) differentiate(t, t->part[0], t->part[1]);
    if (!e->has_qdd && e->has_qd) differentiate(t, t->part[1], t->part[2]);
    if (!e->has_qdd && !e->has_qd) differentiate_twice(t, t->part[0], t->part[2]);
    const int edge = e->has_qd && e->has_qdd ? 0 : SIDE;
    window    w = {.entry = e,
                   .first = t->first,
                   .count = t->count,
                   .from = t->lead ? t->lead : edge,
                   .to = is_last ? t->count - edge : t->count - s->reach,
                   .time = t->time,
                   .q = t->part[0],
                   .qd = t->part[1],
                   .qdd = t->part[2],
                   .tau = t->part[3]};
    return w.from < w.to ? t->take(t->context, &w) : ARNE_OK;
}

// ---- rows of equal steps

static arne_status add_even(stream *t, const double *row)
{
    const int   reach = t->study->reach;
    arne_status status = ARNE_OK;
    if (t->count == t->room) {
        status = do_window(t, 0);
        const int keep = 2 * reach, gone = t->count - keep;
        memmove(t->rows, t->rows + (size_t)gone * t->size,
                (size_t)keep * t->size * sizeof *t->rows);
        t->count = keep;
        t->lead = reach;
        t->first += gone;
    }
    memcpy(t->rows + (size_t)t->count++ * t->size, row, t->size * sizeof *row);
    return status;
}

static arne_status end_stretch(stream *t)
{
    const arne_status status = do_window(t, 1);
    t->raw_count = t->count = t->lead = 0;
    t->next = t->first = 0;
    return status;
}

// The cubic through the four rows at time x (Neville), or the line through fewer.
static void interpolate(const stream *t, double x, double *out)
{
    const double *r[4];
    double        p[4];
    for (int i = 0; i < 4; i++)
        r[i] = t->raw + (size_t)i * t->size;
    out[0] = x;
    for (size_t c = 1; c < t->size; c++) {
        for (int i = 0; i < 4; i++)
            p[i] = r[i][c];
        for (int level = 1; level < 4; level++)
            for (int i = 0; i + level < 4; i++)
                p[i] = ((x - r[i + level][0]) * p[i] + (r[i][0] - x) * p[i + 1]) /
                       (r[i][0] - r[i + level][0]);
        out[c] = p[0];
    }
}

// Makes the equal steps up to the time `until`, by the four rows that are kept.
static arne_status log_windows_make_even(stream *t, double until)
{
    arne_status status = ARNE_OK;
    double     *row = t->raw + 4 * t->size;
    for (; !status; t->next++) {
        const double x = t->origin + (double)t->next * t->entry->step;
        if (x > until) break;
        interpolate(t, x, row);
        status = add_even(t, row);
    }
    return status;
}

static arne_status log_windows_take_row(void *context, const log_entry *e, const double *row,
                                        int line)
{
    stream     *t = context;
    arne_status status = ARNE_OK;
    (void)line;
    if (!row) return ARNE_OK;
    if (study_stops(t->study)) return ARNE_STOPPED;
    if (e->is_even) return add_even(t, row);
    const double before = t->raw_count ? t->raw[(size_t)(t->raw_count - 1) * t->size] : row[0];
    if (row[0] - before > 5 * e->step) {
        if (t->raw_count == 4) status = log_windows_make_even(t, before);
        if (!status) status = end_stretch(t);
    }
    if (t->raw_count == 4) {
        memmove(t->raw, t->raw + t->size, 3 * t->size * sizeof *t->raw);
        t->raw_count = 3;
    }
    memcpy(t->raw + (size_t)t->raw_count++ * t->size, row, t->size * sizeof *row);
    if (t->raw_count == 1) t->origin = row[0];
    if (t->raw_count == 4 && !status) status = log_windows_make_even(t, t->raw[2 * t->size]);
    return status;
}

static void stream_free(stream *t)
{
    free(t->raw);
    free(t->rows);
    free(t->padded);
    free(t->time);
    free(t->part[0]);
}

static int stream_new(stream *t, arne_identify *s)
{
    const size_t n = (size_t)study_n(s), reach = (size_t)s->reach;
    t->n = (int)n;
    t->size = log_row_size(t->n);
    // Overlaps are computed twice, so longer windows cost less, as long as they fit into the cache.
    const size_t wanted = 16 * reach > LARGE_WINDOW ? LARGE_WINDOW : 16 * reach;
    const size_t least = 4 * reach < LEAST_WINDOW ? LEAST_WINDOW : 4 * reach;
    t->room = (int)(wanted > least ? wanted : least);
    const size_t room = (size_t)t->room;
    t->raw = malloc(5 * t->size * sizeof(double));
    t->rows = malloc(room * t->size * sizeof(double));
    t->padded = malloc((room + 2 * reach + 2) * (n + t->size) * sizeof(double));
    t->time = malloc(room * sizeof(double));
    t->part[0] = calloc(4 * room * n + 1, sizeof(double));
    for (int p = 1; p < 4 && t->part[0]; p++)
        t->part[p] = t->part[0] + (size_t)p * room * n;
    return t->raw && t->rows && t->padded && t->time && t->part[0];
}

arne_status log_windows(arne_identify *s, log_entry *e, window_fn take, void *context,
                        arne_error *error)
{
    stream      t = {.study = s, .entry = e, .take = take, .context = context};
    arne_status status = stream_new(&t, s) ? log_each(s, e, log_windows_take_row, &t, error)
                                           : arne_fail_memory(error);
    if (!status && !e->is_even && t.raw_count == 4)
        status = log_windows_make_even(&t, t.raw[3 * t.size]);
    if (!status) status = end_stretch(&t);
    stream_free(&t);
    if (status == ARNE_STOPPED) return arne_fail(error, status, NULL, 0, "stopped");
    return status;
}

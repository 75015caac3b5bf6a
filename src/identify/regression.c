// From windows to rows of the regression: the regressor of every state; regressor and torque
// through the same filter, which leaves the equation as it is (Gautier 1996); of the rows as many
// as the filter leaves independent.
#include "base/error.h"
#include "identify/study.h"
#include "motion/butterworth.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOLD_BLOCKS = 10 };

// A joint rests where it is slower than this part of its top speed.
static const double REST_PART = 0.005;

typedef struct regression {
    arne_identify *study;
    block_fn       take;
    void          *context;
    arne_work     *work;
    int            room, width;        // of y: rows of all joints behind each other
    int           *start;              // of a joint in a row
    double        *Y, *row, *load;     // of one state
    double        *y, *padded, *state; // room x width
    double        *thin, *time, *place, *speed;
    unsigned char *set;
} regression;

static void widths(regression *r)
{
    const model *m = &r->study->m;
    r->width = 0;
    for (int j = 0; j < m->n; j++) {
        r->start[j] = r->width;
        r->width += m->used_count[j] + 1;
    }
}

static void regression_free(regression *r)
{
    arne_work_free(r->work);
    free(r->start);
    free(r->Y);
    free(r->y);
    free(r->padded);
    free(r->state);
    free(r->set);
}

static int regression_new(regression *r)
{
    const arne_identify *s = r->study;
    const model         *m = &s->m;
    const size_t         n = (size_t)m->n, count = (size_t)m->count;
    r->start = malloc(n * sizeof *r->start);
    r->Y = malloc((n * (size_t)m->parameters + n * count + 2 * n + 1) * sizeof(double));
    if (!r->start || !r->Y) return 0;
    r->row = r->Y + n * (size_t)m->parameters;
    r->load = r->row + n * count;
    widths(r);
    r->state = malloc((2 * (size_t)r->width + 2) * sizeof(double));
    return r->state && arne_work_new(s->robot, &r->work) == ARNE_OK;
}

static int make_room(regression *r, int count)
{
    if (count <= r->room) return 1;
    const size_t rows = (size_t)count, width = (size_t)r->width;
    free(r->y);
    free(r->padded);
    free(r->set);
    r->y = malloc((2 * rows * width + 3 * rows + 1) * sizeof(double));
    r->padded = malloc((rows + 2 * (size_t)r->study->reach + 2) * width * sizeof(double));
    r->set = malloc(rows);
    r->room = count;
    if (!r->y || !r->padded || !r->set) return 0;
    r->thin = r->y + rows * width;
    r->time = r->thin + rows * width;
    r->place = r->time + rows;
    r->speed = r->place + rows;
    return 1;
}

// What the joints carry without friction: by the estimate so far, or the prior.
static void find_load(regression *r, const double *q, const double *qd, const double *qdd)
{
    const arne_identify *s = r->study;
    const model         *m = &s->m;
    const double        *beta =
        s->estimate[ESTIMATE_FREE].beta ? s->estimate[ESTIMATE_FREE].beta : m->prior;
    arne_regressor(s->robot, r->work, q, qd, qdd, r->Y);
    for (int j = 0; j < m->n; j++) {
        r->load[j] = 0;
        for (int c = 0; c < m->base->rank; c++)
            r->load[j] +=
                r->Y[(size_t)j * (size_t)m->parameters + (size_t)m->base->kept[c]] * beta[c];
    }
}

static void fill_row(regression *r, const window *w, int i)
{
    const model  *m = &r->study->m;
    const size_t  n = (size_t)m->n, at = (size_t)i * n;
    const double *q = w->q + at, *qd = w->qd + at, *qdd = w->qdd + at;
    double       *tau = r->load + n, *out = r->y + (size_t)i * (size_t)r->width;
    memcpy(tau, w->tau + at, n * sizeof *tau);
    if (m->needs_load) find_load(r, q, qd, qdd);
    model_rows(r->study, r->work, r->Y, q, qd, qdd, r->load, r->row, tau);
    for (int j = 0; j < m->n; j++) {
        const int *used = m->used + (size_t)j * (size_t)m->count;
        double    *to = out + r->start[j];
        for (int c = 0; c < m->used_count[j]; c++)
            to[c] = r->row[(size_t)j * (size_t)m->count + (size_t)used[c]];
        to[m->used_count[j]] = tau[j];
    }
}

// All of a window, continued point-symmetrically at its ends.
static void filter_rows(regression *r, double step, int from, int to)
{
    const arne_identify *s = r->study;
    const butterworth    f = butterworth_make(s->order, s->torque_cutoff, step);
    const size_t         width = (size_t)r->width;
    const int            count = to - from;
    int                  pad = butterworth_reach(s->order, s->torque_cutoff, step);
    if (pad > count - 1) pad = count - 1;
    double *y = r->y + (size_t)from * width, *last = y + (size_t)(count - 1) * width;
    double *p = r->padded + (size_t)pad * width;
    memcpy(p, y, (size_t)count * width * sizeof *y);
    for (int i = 1; i <= pad; i++)
        for (size_t c = 0; c < width; c++) {
            r->padded[(size_t)(pad - i) * width + c] = 2 * y[c] - y[(size_t)i * width + c];
            r->padded[(size_t)(pad + count - 1 + i) * width + c] =
                2 * last[c] - y[(size_t)(count - 1 - i) * width + c];
        }
    butterworth_both_ways(&f, count + 2 * pad, r->width, r->padded, r->state);
    memcpy(y, p, (size_t)count * width * sizeof *y);
}

// ---- which rows count for what

// Where nothing else is there to validate, a tenth after tenth of every log is held back, as far
// apart as they can be.
static int is_held_back(const arne_identify *s, const log_entry *e, double time)
{
    double part = s->options.hold_back;
    if (e->role == ARNE_LOG_VALIDATE) return 1;
    if (e->role == ARNE_LOG_LOADED || part <= 0) return 0;
    const double place = (time - e->start) / (e->end - e->start) * HOLD_BLOCKS;
    const int    block = (int)fmin(fmax(place, 0), HOLD_BLOCKS - 1);
    const int    held = (int)lround(fmin(part, 0.9) * HOLD_BLOCKS);
    // Of blocks 0 ... 9 those where the sum of parts steps over a whole number.
    return (block + 1) * held / HOLD_BLOCKS > block * held / HOLD_BLOCKS;
}

static int is_left_out(const arne_identify *s, const window *w, int i, int joint)
{
    const double *qd = w->qd + (size_t)i * (size_t)s->m.n;
    if (fabs(qd[joint]) < s->options.crossing_speed) return 1;
    if (s->options.rest_speed < 0) return 0;
    for (int k = 0; k < s->m.n; k++)
        if (fabs(qd[k]) >
            (s->options.rest_speed > 0 ? s->options.rest_speed : REST_PART * s->top_speed[k]))
            return 0;
    return 1;
}

static arne_status hand_on(regression *r, const window *w, int joint)
{
    const arne_identify *s = r->study;
    const int            every = s->decimate, size = s->m.used_count[joint] + 1;
    int                  count = 0;
    long                 first = -1;
    for (int i = w->from; i < w->to; i++) {
        if ((w->first + i) % every) continue;
        if (first < 0) first = (w->first + i) / every;
        memcpy(r->thin + (size_t)count * (size_t)size,
               r->y + (size_t)i * (size_t)r->width + r->start[joint], (size_t)size * sizeof *r->y);
        r->time[count] = w->time[i];
        r->place[count] = w->q[(size_t)i * (size_t)s->m.n + (size_t)joint];
        r->speed[count] = w->qd[(size_t)i * (size_t)s->m.n + (size_t)joint];
        r->set[count] = (unsigned char)(is_left_out(s, w, i, joint)             ? SET_OUT
                                        : is_held_back(s, w->entry, w->time[i]) ? SET_HELD
                                                                                : SET_FIT);
        count++;
    }
    const row_block b = {.entry = w->entry,
                         .joint = joint,
                         .rows = count,
                         .stride = size,
                         .y = r->thin,
                         .time = r->time,
                         .place = r->place,
                         .speed = r->speed,
                         .set = r->set,
                         .first = first};
    return count ? r->take(r->context, &b) : ARNE_OK;
}

static arne_status take_window(void *context, const window *w)
{
    regression *r = context;
    const int   filters = r->study->torque_cutoff > 0;
    const int   edge = w->entry->has_qd && w->entry->has_qdd ? 0 : 4;
    const int   from = filters ? edge : w->from, to = filters ? w->count - edge : w->to;
    if (!make_room(r, w->count)) return ARNE_NO_MEMORY;
    for (int i = from; i < to; i++)
        fill_row(r, w, i);
    if (filters) filter_rows(r, w->entry->step, from, to);
    arne_status status = study_stops(r->study) ? ARNE_STOPPED : ARNE_OK;
    for (int j = 0; j < r->study->m.n && !status; j++)
        status = hand_on(r, w, j);
    return status;
}

arne_status study_rows(arne_identify *s, arne_log_role role, block_fn take, void *context,
                       arne_error *error)
{
    regression  r = {.study = s, .take = take, .context = context};
    arne_status status = regression_new(&r) ? ARNE_OK : ARNE_NO_MEMORY;
    for (int i = 0; i < s->entry_count && !status; i++)
        if (s->entry[i].role == role) status = log_windows(s, &s->entry[i], take_window, &r, error);
    regression_free(&r);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(error);
    return status;
}

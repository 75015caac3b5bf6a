// From windows to rows of the regression. Regressor and torque of every state pass through the same
// filter, so the equation between them stays valid (Gautier 1996). Then rows are decimated to as
// many as are independent after the filter.
//
// Regressors are computed in chunks of states, by SIMD lanes. Threads take chunks, then joints, so
// the result for a joint does not depend on the number of threads.
#include "base/error.h"
#include "base/pool.h"
#include "identify/study.h"
#include "motion/butterworth.h"
#include <arne/batch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOLD_BLOCKS = 10, INPUTS = ARNE_INPUT_COUNT, CHUNK = 128, ROWS_FOR_THREADS = 20000 };

// The data of one thread.
typedef struct worker {
    arne_batch    *batch;
    double        *Y, *own, *load, *sum; // of a chunk
    model_entry   *entry;
    double        *time, *place, *speed; // of rows that are handed on
    unsigned char *set;
    arne_status    status;
} worker;

typedef struct regression {
    arne_identify  *study;
    const row_sums *sums;
    block_fn        take;
    void           *context;
    pool           *threads;
    int             worker_count;
    worker         *worker;
    int             room, pad; // rows of a window, and those that continue it at each end
    int             width;     // of the rows of all joints together
    int            *start;     // of a joint in them
    arne_status    *status;    // of joints
    double         *tau;       // room x n
    double         *y;         // joint after joint: (room + 2 pad) x its width
    const window   *w;
    int             from, to; // rows of it that are computed
} regression;

static int regression_columns_of(const regression *r, int joint)
{
    return r->sums->count ? r->sums->count : r->study->m.used_count[joint];
}

// The width of a row, a multiple of 4 for SIMD; the rest are zeros.
static int regression_width_of(const regression *r, int joint)
{
    return (regression_columns_of(r, joint) + 4) / 4 * 4;
}

static void widths(regression *r)
{
    r->width = 0;
    for (int j = 0; j < r->study->m.n; j++) {
        r->start[j] = r->width;
        r->width += regression_width_of(r, j);
    }
}

// A row of a joint.
static double *regression_row_of(const regression *r, int joint, int i)
{
    const ptrdiff_t rows = r->room + 2 * (ptrdiff_t)r->pad;
    return r->y + rows * r->start[joint] + (r->pad + i) * (ptrdiff_t)regression_width_of(r, joint);
}

static void regression_free(regression *r)
{
    pool_free(r->threads);
    for (int i = 0; r->worker && i < r->worker_count; i++) {
        worker *w = &r->worker[i];
        arne_batch_free(w->batch);
        free(w->Y);
        free(w->entry);
        free(w->time);
        free(w->set);
    }
    free(r->worker);
    free(r->start);
    free(r->status);
    free(r->y);
}

static int worker_new(const regression *r, worker *w)
{
    const model             *m = &r->study->m;
    const arne_batch_options alone = {.threads = 1};
    const size_t             n = (size_t)m->n, count = (size_t)m->count;
    const size_t             own = count - (size_t)m->base->rank;
    w->Y =
        malloc((n * (size_t)m->parameters + own + n + MOST_SUMS * n + 1) * CHUNK * sizeof(double));
    w->entry = malloc((count + MOST_SUMS + 1) * sizeof *w->entry);
    if (!w->Y || !w->entry) return 0;
    w->own = w->Y + n * (size_t)m->parameters * CHUNK;
    w->load = w->own + own * CHUNK;
    w->sum = w->load + n * CHUNK;
    return arne_batch_new(r->study->robot, &alone, &w->batch, NULL) == ARNE_OK;
}

static int threads_for(const arne_identify *s)
{
    long rows = 0;
    for (int i = 0; i < s->entry_count; i++)
        rows += s->entry[i].rows;
    if (rows < ROWS_FOR_THREADS) return 1;
    return s->options.threads > 0 ? s->options.threads : pool_processors();
}

static int regression_new(regression *r)
{
    const arne_identify *s = r->study;
    const size_t         n = (size_t)s->m.n;
    r->worker_count = threads_for(s);
    r->worker = calloc((size_t)r->worker_count, sizeof *r->worker);
    r->start = malloc(n * sizeof *r->start);
    r->status = malloc(n * sizeof *r->status);
    if (!r->worker || !r->start || !r->status) return 0;
    widths(r);
    for (int i = 0; i < r->worker_count; i++)
        if (!worker_new(r, &r->worker[i])) return 0;
    return pool_new(r->worker_count, &r->threads) == ARNE_OK;
}

static int regression_make_room(regression *r, int count)
{
    if (count <= r->room) return 1;
    const arne_identify *s = r->study;
    const size_t         rows = (size_t)count;
    free(r->y);
    // The steps of logs differ by 5 % at most.
    r->pad = s->torque_cutoff > 0
                 ? butterworth_reach(s->order, s->torque_cutoff, 0.94 * s->step) + 1
                 : 0;
    if (r->pad > count) r->pad = count;
    r->y = calloc((rows + 2 * (size_t)r->pad) * (size_t)r->width + rows * (size_t)s->m.n + 1,
                  sizeof(double));
    r->tau = r->y + (rows + 2 * (size_t)r->pad) * (size_t)r->width;
    r->room = count;
    for (int i = 0; r->y && i < r->worker_count; i++) {
        worker *w = &r->worker[i];
        free(w->time);
        free(w->set);
        w->time = malloc(3 * rows * sizeof(double));
        w->set = malloc(rows);
        if (!w->time || !w->set) return 0;
        w->place = w->time + rows;
        w->speed = w->place + rows;
    }
    return r->y != NULL;
}

// ---- rows of a chunk

// Torques without friction, by the estimate so far or the prior.
static void regression_find_load(const regression *r, worker *w, int count)
{
    const arne_identify *s = r->study;
    const model         *m = &s->m;
    const double        *beta =
        s->estimate[ESTIMATE_FREE].beta ? s->estimate[ESTIMATE_FREE].beta : m->prior;
    memset(w->load, 0, (size_t)m->n * (size_t)count * sizeof *w->load);
    for (int j = 0; j < m->n; j++)
        for (int c = 0; c < m->base->rank; c++)
            columns_add(s->robot, count, beta[c], model_entry_of(s, j, c, count, w->Y, w->own).at,
                        w->load + (size_t)j * (size_t)count);
}

// The columns of a joint, or the sums of them that are asked for.
static int find_entries(const regression *r, worker *w, int joint, int count)
{
    const arne_identify *s = r->study;
    const model         *m = &s->m;
    const int           *used = m->used + (size_t)joint * (size_t)m->count;
    if (!r->sums->count) {
        for (int c = 0; c < m->used_count[joint]; c++)
            w->entry[c] = model_entry_of(s, joint, used[c], count, w->Y, w->own);
        return m->used_count[joint];
    }
    for (int k = 0; k < r->sums->count; k++) {
        double *sum = w->sum + (size_t)k * CHUNK;
        memset(sum, 0, (size_t)count * sizeof *sum);
        for (int c = 0; c < m->used_count[joint]; c++) {
            const model_entry e = model_entry_of(s, joint, used[c], count, w->Y, w->own);
            const double      factor = e.factor * r->sums->beta[k][used[c]];
            if (factor != 0) columns_add(s->robot, count, factor, e.at, sum);
        }
        w->entry[k] = (model_entry){sum, 1};
    }
    return r->sums->count;
}

static void fill_chunk(void *context, int number, size_t piece)
{
    regression              *r = context;
    const arne_identify     *s = r->study;
    const model             *m = &s->m;
    worker                  *w = &r->worker[number];
    const int                n = m->n, first = r->from + (int)piece * CHUNK;
    const int                count = r->to - first < CHUNK ? r->to - first : CHUNK;
    const size_t             at = (size_t)first * (size_t)n;
    const double            *q = r->w->q + at, *qd = r->w->qd + at, *qdd = r->w->qdd + at;
    double                  *tau = r->tau + at;
    arne_batch_layout        layout[INPUTS];
    const arne_batch_outputs out = {.Y = w->Y};
    for (int i = 0; i < INPUTS; i++)
        layout[i] = (arne_batch_layout){1, n};
    const arne_batch_inputs in = {
        .q = q, .qd = qd, .qdd = qdd, .stride = (size_t)count, .input_layouts = layout};
    if (arne_batch_run(w->batch, ARNE_ALGORITHM_REGRESSOR, &in, &out, (size_t)count, NULL))
        w->status = ARNE_NO_MEMORY; // the only way in which it can fail
    if (m->needs_load) regression_find_load(r, w, count);
    model_columns(s, count, q, qd, qdd, w->load, w->own);
    memcpy(tau, r->w->tau + at, (size_t)(count * n) * sizeof *tau);
    model_take_known(s, count, w->Y, q, qd, tau);
    for (int j = 0; j < n; j++) {
        const int columns = find_entries(r, w, j, count);
        double   *y = regression_row_of(r, j, first);
        columns_to_rows(s->robot, count, columns, w->entry, regression_width_of(r, j), y);
        for (int i = 0; i < count; i++)
            y[(size_t)i * (size_t)regression_width_of(r, j) + (size_t)columns] = tau[i * n + j];
    }
}

// The rows of a joint, continued point-symmetrically at their ends, in place.
static void regression_filter_rows(const regression *r, int joint)
{
    const arne_identify *s = r->study;
    const double         step = r->w->entry->step;
    const butterworth    f = butterworth_make(s->order, s->torque_cutoff, step);
    const size_t         width = (size_t)regression_width_of(r, joint);
    const int            count = r->to - r->from;
    int                  pad = butterworth_reach(s->order, s->torque_cutoff, step);
    if (pad > count - 1) pad = count - 1;
    if (pad > r->pad) pad = r->pad;
    double *y = regression_row_of(r, joint, r->from),
           *last = regression_row_of(r, joint, r->to - 1);
    for (int i = 1; i <= pad; i++)
        for (size_t c = 0; c < width; c++) {
            const size_t at = (size_t)i * width;
            *(y + c - at) = 2 * y[c] - y[at + c];
            last[at + c] = 2 * last[c] - *(last + c - at);
        }
    butterworth_both_ways(s->robot, &f, count + 2 * pad, (int)width, (ptrdiff_t)width,
                          y - (ptrdiff_t)pad * (ptrdiff_t)width);
}

// ---- which rows count for what

// Without a validation log, some tenths of every log are held back, spread evenly.
static int is_held_back(const arne_identify *s, const log_entry *e, double time)
{
    double part = s->options.hold_back;
    if (e->role == ARNE_LOG_VALIDATE) return 1;
    if (e->role == ARNE_LOG_LOADED || part <= 0) return 0;
    const double place = (time - e->start) / (e->end - e->start) * HOLD_BLOCKS;
    const int    block = (int)fmin(fmax(place, 0), HOLD_BLOCKS - 1);
    const int    held = (int)lround(fmin(part, 0.9) * HOLD_BLOCKS);
    // Block k is held back if floor((k + 1) part) > floor(k part).
    return (block + 1) * held / HOLD_BLOCKS > block * held / HOLD_BLOCKS;
}

static int is_left_out(const arne_identify *s, const window *w, int i, int joint)
{
    const double *qd = w->qd + (size_t)i * (size_t)s->m.n;
    if (fabs(qd[joint]) < s->options.crossing_speed) return 1;
    for (int k = 0; k < s->m.n; k++)
        if (fabs(qd[k]) > s->rest_speed[k]) return 0;
    return 1;
}

static arne_status regression_hand_on(const regression *r, worker *own, int joint)
{
    const arne_identify *s = r->study;
    const window        *w = r->w;
    const int            every = s->decimate, n = s->m.n;
    const int            skip = (int)((every - (w->first + w->from) % every) % every);
    const int            first = w->from + skip;
    int                  count = 0;
    for (int i = first; i < w->to; i += every, count++) {
        own->time[count] = w->time[i];
        own->place[count] = w->q[(size_t)i * (size_t)n + (size_t)joint];
        own->speed[count] = w->qd[(size_t)i * (size_t)n + (size_t)joint];
        own->set[count] = (unsigned char)(is_left_out(s, w, i, joint)             ? SET_OUT
                                          : is_held_back(s, w->entry, w->time[i]) ? SET_HELD
                                                                                  : SET_FIT);
    }
    const row_block b = {.entry = w->entry,
                         .joint = joint,
                         .rows = count,
                         .columns = regression_columns_of(r, joint),
                         .stride = (ptrdiff_t)every * regression_width_of(r, joint),
                         .y = regression_row_of(r, joint, first),
                         .time = own->time,
                         .place = own->place,
                         .speed = own->speed,
                         .set = own->set,
                         .first = (w->first + first) / every};
    return count ? r->take(r->context, &b) : ARNE_OK;
}

static void do_joint(void *context, int number, size_t joint)
{
    regression *r = context;
    if (r->study->torque_cutoff > 0) regression_filter_rows(r, (int)joint);
    r->status[joint] = regression_hand_on(r, &r->worker[number], (int)joint);
}

static arne_status take_window(void *context, const window *w)
{
    regression *r = context;
    const int   n = r->study->m.n, filters = r->study->torque_cutoff > 0;
    const int   edge = w->entry->has_qd && w->entry->has_qdd ? 0 : 4;
    if (!regression_make_room(r, w->count)) return ARNE_NO_MEMORY;
    r->w = w;
    r->from = filters ? edge : w->from;
    r->to = filters ? w->count - edge : w->to;
    pool_run(r->threads, (size_t)(r->to - r->from + CHUNK - 1) / CHUNK, fill_chunk, r);
    for (int i = 0; i < r->worker_count; i++)
        if (r->worker[i].status) return r->worker[i].status;
    if (study_stops(r->study)) return ARNE_STOPPED;
    pool_run(r->threads, (size_t)n, do_joint, r);
    for (int j = 0; j < n; j++)
        if (r->status[j]) return r->status[j];
    return ARNE_OK;
}

arne_status study_rows(arne_identify *s, arne_log_role role, const row_sums *sums, block_fn take,
                       void *context, arne_error *error)
{
    static const row_sums none = {0};
    regression  r = {.study = s, .sums = sums ? sums : &none, .take = take, .context = context};
    arne_status status = regression_new(&r) ? ARNE_OK : ARNE_NO_MEMORY;
    for (int i = 0; i < s->entry_count && !status; i++)
        if (s->entry[i].role == role) status = log_windows(s, &s->entry[i], take_window, &r, error);
    regression_free(&r);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(error);
    return status;
}

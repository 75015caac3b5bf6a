#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): close
#include "sweep/sweep_drive.h"
#include "base/clock.h"
#include "base/options.h"
#include "base/plain.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- places: the order in which rows are handed out

typedef struct place {
    long row;
    int  depth;
} place;

static int by_depth(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

// Searches that start from their neighbours': level by level, the neighbours first.
static int find_order(drive *d)
{
    const long rows = d->s->rows;
    place     *all = calloc((size_t)rows + 1, sizeof *all);
    d->order = calloc((size_t)rows + 1, sizeof *d->order);
    d->level_ends = calloc((size_t)rows + 1, sizeof *d->level_ends);
    if (!all || !d->order || !d->level_ends) {
        free(all);
        return 0;
    }
    for (long r = 0; r < rows; r++)
        all[r] = (place){r, sweep_warm_depth(d->s, r)};
    qsort(all, (size_t)rows, sizeof *all, by_depth);
    for (long p = 0; p < rows; p++) {
        d->order[p] = all[p].row;
        if (p + 1 == rows || all[p + 1].depth != all[p].depth)
            d->level_ends[d->level_count++] = p + 1;
    }
    free(all);
    return 1;
}

static long sweep_drive_row_at(const drive *d, long at) { return d->order ? d->order[at] : at; }

// Places from ... to that are not done yet, as ranges.
static int add_places(drive *d, long from, long to, long *count)
{
    for (long p = from; p < to;) {
        long end = p;
        while (end < to && !store_has(&d->store, sweep_drive_row_at(d, end)) &&
               (!d->order || end == p))
            end++;
        if (end == p) {
            p++;
            continue;
        }
        *count += end - p;
        if (!row_pool_add(&d->pool, (chunk){p, end - p})) return 0;
        p = end;
    }
    return 1;
}

// The next level that has anything to do; after the last there is the end.
static void next_level(drive *d)
{
    while (d->level < d->level_count && d->level_left == 0) {
        const long from = d->level ? d->level_ends[d->level - 1] : 0;
        if (!add_places(d, from, d->level_ends[d->level], &d->level_left)) drive_stop(d, ENOMEM);
        d->level++;
    }
    if (d->level == d->level_count) d->ended = 1;
}

static int fill_pool(drive *d)
{
    d->left = d->s->rows - d->store.done;
    if (d->order) {
        next_level(d);
        return 1;
    }
    long count = 0;
    d->ended = 1; // a request to an empty pool ends a worker
    return add_places(d, 0, d->s->rows, &count);
}

// ---- what is done, and the end

void drive_done(drive *d, const chunk_done *done)
{
    pace_add(&d->pace, done->what.count, done->seconds);
    if (d->rank != 0) {
        const message m = {.kind = MESSAGE_DONE, .done = *done};
        if (done->what.count) drive_send(d, d->parent, &m);
        return;
    }
    const int bad = store_done(&d->store, done, d->order);
    if (bad) drive_stop(d, bad);
    if (d->order && done->what.count) {
        d->level_left -= done->what.count;
        next_level(d);
    }
}

void drive_stop(drive *d, int number)
{
    const message m = {.kind = MESSAGE_STOP, .number = number};
    if (number && !d->number) d->number = number;
    if (d->stopping) return;
    d->stopping = 1;
    d->stopped_at = clock_seconds();
    for (int i = 0; i < d->worker_count; i++)
        if (d->workers[i].shared) d->workers[i].shared->stop = 1;
    for (int i = 0; i < d->child_count; i++)
        if (!d->children[i].gone) drive_send(d, d->children[i].rank, &m);
    if (d->rank != 0) drive_send(d, d->parent, &m);
}

static int children_gone(const drive *d)
{
    for (int i = 0; i < d->child_count; i++)
        if (!d->children[i].gone) return 0;
    return 1;
}

static int is_over(const drive *d)
{
    const double waited = d->stopping ? clock_seconds() - d->stopped_at : 0;
    if (d->stopping) return (drive_workers_idle(d) && children_gone(d)) || waited > 0.6;
    if (d->rank == 0) return d->store.done >= d->s->rows && children_gone(d);
    return d->ended && !d->pool.rows && drive_workers_idle(d) && children_gone(d);
}

static void sweep_drive_tell(drive *d)
{
    const double        now = clock_seconds();
    arne_sweep_progress p = {.rows = d->s->rows,
                             .done = d->store.done,
                             .failed = d->store.failed,
                             .resumed = d->store.resumed,
                             .elapsed = now - d->began,
                             .ranks = d->ranks,
                             .jobs = d->all_workers};
    if (d->rank != 0 || !d->how->progress || now - d->told_at < 0.2) return;
    d->told_at = now;
    p.rate = p.elapsed > 0 ? (double)(p.done - p.resumed) / p.elapsed : 0;
    d->how->progress(d->how->context, &p);
}

static void sync_now_and_then(drive *d)
{
    const double now = clock_seconds();
    if (d->rank != 0 || !d->store.lines.size || now - d->synced_at < 0.1) return;
    const int bad = store_sync(&d->store);
    d->synced_at = now;
    if (bad) drive_stop(d, bad);
}

static void loop(drive *d)
{
    int busy = 1;
    while (!is_over(d)) {
        if (!d->stopping && d->how->stop && d->how->stop(d->how->stop_context)) drive_stop(d, 0);
        busy |= drive_feed(d);
        drive_answer(d);
        drive_ask(d);
        const int wait = busy ? 0 : d->mpi ? 1 : d->stopping ? 20 : 100;
        busy = drive_hear_workers(d, wait);
        busy |= drive_hear_ranks(d);
        sync_now_and_then(d);
        sweep_drive_tell(d);
    }
    if (d->rank == 0) {
        const int bad = store_sync(&d->store);
        if (bad && !d->number) d->number = bad;
    } else {
        const message bye = {.kind = MESSAGE_BYE};
        drive_send(d, d->parent, &bye);
    }
}

// ---- the start

static int find_family(drive *d)
{
    int group = d->how->group ? d->how->group : d->ranks > 256 ? sweep_group_size() : 1;
    if (group < 2 || group >= d->ranks) group = 1;
    d->children = calloc((size_t)d->ranks, sizeof *d->children);
    if (!d->children) return 0;
    for (int r = 1; r < d->ranks; r++) {
        const int parent = group > 1 && r % group ? r - r % group : 0;
        if (r == d->rank) d->parent = parent;
        if (parent == d->rank) d->children[d->child_count++] = (child){.rank = r};
    }
    d->all_workers = d->worker_count;
    return 1;
}

static arne_status start_workers(drive *d, int jobs, arne_error *error)
{
    d->workers = calloc((size_t)jobs, sizeof *d->workers);
    if (!d->workers) return arne_fail_memory(error);
    for (int i = 0; i < jobs; i++)
        d->workers[i] = (worker){.pid = -1, .socket = -1};
    for (; d->worker_count < jobs; d->worker_count++)
        if (worker_start(&d->workers[d->worker_count], &d->plan, d->worker_count, d->workers,
                         d->worker_count) != 0)
            return errno == ENOMEM
                       ? arne_fail_memory(error)
                       : arne_fail(error, ARNE_FILE, NULL, 0, "a process cannot be started: %s",
                                   plain_reason(errno));
    return ARNE_OK;
}

static int job_count(const arne_sweep_options *how, const char *launched)
{
    if (how->jobs > 0) return how->jobs;
    return launched ? 1 : sweep_processors();
}

// mpirun binds a rank to one core unless told otherwise: several processes of it would share that.
static void warn_of_binding(const drive *d)
{
    const int          most = sweep_processors();
    char               text[300];
    const arne_warning w = {.rule = "binding", .file = d->s->path, .text = text};
    if (!d->mpi || d->rank != 0 || d->worker_count <= most || !d->how->warn) return;
    snprintf(text, sizeof text,
             "%d processes of a rank share %d processor%s: give a rank more of them (mpirun "
             "--bind-to none, srun --cpus-per-task=%d), or let --jobs be smaller",
             d->worker_count, most, most == 1 ? "" : "s", d->worker_count);
    d->how->warn(d->how->warn_context, &w);
}

// Processes first: a fork after MPI has started is not for every network.
static arne_status sweep_drive_begin(drive *d, const char *dir, arne_error *error)
{
    const char *launched = d->how->alone ? NULL : sweep_launched_by();
    if (!store_name(&d->store, d->s, dir)) return arne_fail_memory(error);
    if (d->s->warm && !find_order(d)) return arne_fail_memory(error);
    d->plan = (worker_plan){d->s,          d->store.shards,
                            d->store.runs, d->s->warm ? d->store.warm : NULL,
                            d->order,      !getenv("ARNE_TEST_SWEEP_NO_SYNC"),
                            &d->store.lock};
    arne_status status = launched ? sweep_mpi_open(launched, &d->mpi, error) : ARNE_OK;
    if (!status) status = start_workers(d, job_count(d->how, launched), error);
    if (!status && d->mpi && d->mpi->start(&d->rank, &d->ranks) != 0) {
        d->mpi = NULL;
        status = arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "MPI cannot be started");
    }
    if (!status && !find_family(d)) status = arne_fail_memory(error);
    if (!status) warn_of_binding(d);
    return status;
}

static void end(drive *d)
{
    for (int i = 0; i < d->worker_count; i++)
        worker_end(&d->workers[i], d->stopping);
    if (d->mpi) d->mpi->finish();
    if (d->own >= 0) close(d->own);
    free(d->workers);
    free(d->children);
    free(d->order);
    free(d->level_ends);
    row_pool_free(&d->pool);
    store_free(&d->store);
}

static arne_status sweep_drive_run(drive *d, arne_sweep_summary *sum, arne_error *error)
{
    arne_status status = d->rank == 0 ? store_begin(&d->store, d->how, error) : ARNE_OK;
    d->began = d->synced_at = clock_seconds();
    if (!status && d->rank == 0 && !fill_pool(d)) status = arne_fail_memory(error);
    if (status) drive_stop(d, 0);
    loop(d);
    *sum = (arne_sweep_summary){.rows = d->s->rows,
                                .done = d->store.done,
                                .failed = d->store.failed,
                                .resumed = d->store.resumed,
                                .elapsed = clock_seconds() - d->began,
                                .rank = d->rank,
                                .ranks = d->ranks,
                                .jobs = d->all_workers,
                                .stopped = d->stopping};
    if (status || d->rank != 0) return status;
    if (d->number == ENOMEM)
        return arne_fail(error, ARNE_NO_MEMORY, d->store.work, 0,
                         "out of memory; what is done is kept, --resume goes on");
    if (d->number)
        return arne_fail(error, ARNE_FILE, d->store.work, 0,
                         "cannot be written: %s; what is done is kept, --resume goes on",
                         plain_reason(d->number));
    if (d->stopping)
        return arne_fail(error, ARNE_STOPPED, d->store.work, 0,
                         "stopped with %ld of %ld rows done; --resume goes on", d->store.done,
                         d->s->rows);
    return store_finish(&d->store, sum, error);
}

arne_status arne_sweep_run(arne_sweep *sweep, const char *dir, const arne_sweep_options *options,
                           arne_sweep_summary *summary, arne_error *error)
{
    const arne_sweep_options usual = {0};
    arne_sweep_options       own_options;
    arne_sweep_summary       own;
    if (options &&
        !options_take(&own_options, sizeof own_options, OPTIONS_FIRST(arne_sweep_options), options))
        return options_refuse(error);
    if (!sweep || !dir)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    if (!summary) summary = &own;
    *summary = (arne_sweep_summary){.rows = sweep->rows, .ranks = 1};
    drive d = {.s = sweep, .how = options ? &own_options : &usual, .ranks = 1, .own = -1};
    d.store.lock.handle = d.store.manifest = -1;
    arne_status status = sweep_drive_begin(&d, dir, error);
    if (!status)
        status = sweep_drive_run(&d, summary, error);
    else
        summary->rank = d.rank;
    end(&d);
    return status;
}

// The processes of a rank: handing them chunks, hearing of what is done, and what happens where one
// of them dies.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): strsignal
#include "base/plain.h"
#include "sweep/sweep_drive.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int drive_workers_idle(const drive *d)
{
    for (int i = 0; i < d->worker_count; i++)
        if (d->workers[i].queued) return 0;
    return 1;
}

int drive_workers_full(const drive *d)
{
    for (int i = 0; i < d->worker_count; i++)
        if (d->workers[i].queued < WORKER_QUEUE) return 0;
    return 1;
}

// ---- handing out

// Rank 0 alone decides how much at once: what it gives to a rank is a chunk for each of its
// processes. Smaller ones would only be brought to disk more often.
long drive_share(const drive *d, long last)
{
    if (d->order) return 1;
    if (d->how->chunk) return d->how->chunk;
    if (d->rank != 0) return d->share;
    return handout_size(&d->pace, last, d->left, d->all_workers);
}

static int give(drive *d, worker *w)
{
    const chunk c = row_pool_take(&d->pool, drive_share(d, w->last));
    if (!c.count) return 0;
    d->left -= c.count;
    w->last = c.count;
    w->queue[w->queued++] = c;
    if (send(w->socket, &c, sizeof c, MSG_NOSIGNAL) == (ssize_t)sizeof c) return 1;
    return 1; // it has died: its end is noticed elsewhere
}

// Every process has a chunk before any has two; two, so that none waits for the next.
int drive_feed(drive *d)
{
    int fed = 0;
    if (d->stopping) return 0;
    for (int deep = 0; deep < WORKER_QUEUE; deep++)
        for (int i = 0; i < d->worker_count; i++)
            if (d->workers[i].queued == deep) fed |= give(d, &d->workers[i]);
    return fed;
}

// ---- a process that has died

static int found_rows(void *context, const extent *e)
{
    *(extent *)context = *e;
    return 1; // the first ones: the rest is of later chunks
}

// Rows of its chunk that it has written before.
static long rescue(drive *d, worker *w, chunk c)
{
    extent     e = {0};
    shard_scan scan;
    char      *path = w->shard[0] ? arne_join(d->plan.shards, "/", w->shard) : NULL;
    const long row = d->order ? d->order[c.start] : c.start;
    chunk_done done = {.what = {c.start, 0}};
    if (path && shard_scan_file(path, w->end, found_rows, &e, &scan) >= 0 && e.count &&
        e.start == row) {
        done.what.count = e.count < c.count ? e.count : c.count;
        done.failed = e.failed;
        done.offset = e.offset;
        done.bytes = e.bytes;
        memcpy(done.shard, w->shard, sizeof done.shard);
        drive_done(d, &done);
    }
    free(path);
    return done.what.count;
}

static void write_failure(drive *d, long place, const char *reason)
{
    arne_sweep *s = d->s;
    double     *figures = calloc((size_t)s->figure_count + 1, sizeof *figures);
    buffer      line = {0};
    chunk_done  done = {.what = {place, 1}, .failed = 1, .offset = d->own_at};
    for (int i = 0; figures && i < s->figure_count; i++)
        figures[i] = NAN;
    if (figures) sweep_put_line(&line, s, d->order ? d->order[place] : place, figures, reason);
    shard_seal(&line);
    if (d->own < 0) d->own = shard_open(d->plan.shards, 999, d->own_shard);
    int bad = !figures || line.failed ? ENOMEM : d->own < 0 ? errno : 0;
    if (!bad) bad = shard_append(d->own, line.text, line.size);
    if (!bad && d->plan.syncs && fdatasync(d->own) != 0) bad = errno;
    done.bytes = (long)line.size;
    d->own_at += bad ? 0 : done.bytes;
    memcpy(done.shard, d->own_shard, sizeof done.shard);
    if (bad)
        drive_stop(d, bad);
    else
        drive_done(d, &done);
    buffer_free(&line);
    free(figures);
}

static void put_back(drive *d, chunk c)
{
    d->left += c.count;
    if (!row_pool_add_front(&d->pool, c)) drive_stop(d, ENOMEM);
}

// Whether a process has died at this place before. Somebody may have killed it: a row gets a second
// chance.
static int died_before(drive *d, long place)
{
    enum { MOST = sizeof d->suspects / sizeof *d->suspects };
    for (int i = 0; i < d->suspect_count && i < MOST; i++)
        if (d->suspects[i] == place) return 1;
    d->suspects[d->suspect_count++ % MOST] = place;
    return 0;
}

// The row that it was at is one that failed, the second time; what it had not begun goes to others,
// and a new process takes its place.
static void bury(drive *d, int index)
{
    worker      *w = &d->workers[index];
    const worker dead = *w;
    char         reason[SWEEP_REASON];
    int          how = 0;
    const int    was_at = dead.shared && dead.shared->row >= 0;
    while (waitpid(dead.pid, &how, 0) < 0 && errno == EINTR) {
    }
    if (dead.killed)
        plain_print(reason, sizeof reason, "time limit of %.6g s", d->s->time_limit);
    else if (WIFSIGNALED(how))
        snprintf(reason, sizeof reason, "the process that computed it was ended by signal %d (%s)",
                 WTERMSIG(how), strsignal(WTERMSIG(how)));
    else
        snprintf(reason, sizeof reason, "the process that computed it ended");
    close(w->socket);
    w->pid = w->socket = -1;
    for (int i = dead.queued - 1; i >= 0 && !d->stopping; i--) {
        chunk c = dead.queue[i];
        if (i == 0) {
            const long saved = rescue(d, w, c);
            c.start += saved;
            c.count -= saved;
        }
        if (i == 0 && c.count && was_at && (dead.killed || died_before(d, c.start))) {
            write_failure(d, c.start, reason);
            c.start++;
            c.count--;
        }
        put_back(d, c);
    }
    worker_end(w, 0);
    if (!d->stopping && worker_start(w, &d->plan, index, d->workers, d->worker_count) != 0)
        drive_stop(d, errno);
}

// A run that does not ask whether it should stop.
static void check_time(drive *d)
{
    const double limit = d->s->time_limit, now = sweep_clock();
    for (int i = 0; limit > 0 && i < d->worker_count; i++) {
        worker *w = &d->workers[i];
        if (w->pid > 0 && !w->killed && w->shared->row >= 0 &&
            now - w->shared->started > limit + 2) {
            w->killed = 1;
            kill(w->pid, SIGKILL);
        }
    }
}

// ---- hearing

static void take_done(drive *d, worker *w, const chunk_done *done)
{
    const chunk asked = w->queue[0];
    memmove(&w->queue[0], &w->queue[1], (WORKER_QUEUE - 1) * sizeof w->queue[0]);
    w->queued--;
    memcpy(w->shard, done->shard, sizeof w->shard);
    w->end = done->offset + done->bytes;
    drive_done(d, done);
    if (done->number) drive_stop(d, done->number);
    if (done->what.count < asked.count && !d->stopping)
        put_back(d, (chunk){asked.start + done->what.count, asked.count - done->what.count});
}

static void hear(drive *d, int index)
{
    worker       *w = &d->workers[index];
    chunk_done    done;
    const ssize_t got = recv(w->socket, &done, sizeof done, MSG_DONTWAIT);
    if (got == (ssize_t)sizeof done && w->queued)
        take_done(d, w, &done);
    else if (got >= 0 || (errno != EAGAIN && errno != EINTR))
        bury(d, index);
}

int drive_hear_workers(drive *d, int milliseconds)
{
    struct pollfd *all = calloc((size_t)d->worker_count + 1, sizeof *all);
    int            heard = 0;
    if (!all) return 0;
    for (int i = 0; i < d->worker_count; i++)
        all[i] = (struct pollfd){.fd = d->workers[i].socket, .events = POLLIN};
    if (poll(all, (nfds_t)d->worker_count, milliseconds) > 0)
        for (int i = 0; i < d->worker_count; i++)
            if (all[i].fd >= 0 && (all[i].revents & (POLLIN | POLLHUP | POLLERR))) {
                hear(d, i);
                heard = 1;
            }
    free(all);
    check_time(d);
    return heard;
}

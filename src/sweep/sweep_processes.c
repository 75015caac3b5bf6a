// The processes of a rank: handing them chunks, hearing of what is done, and what happens where one
// of them dies.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): strsignal
#include "base/clock.h"
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
        if (d->workers[i].queued < WORKER_QUEUE && !d->workers[i].alone) return 0;
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
    if (w->alone) return 0;
    const chunk c = row_pool_take(&d->pool, drive_share(d, w->last));
    if (!c.count) return 0;
    d->left -= c.count;
    w->last = c.count;
    w->queue[w->queued++] = c;
    if (send(w->socket, &c, sizeof c, MSG_NOSIGNAL) == (ssize_t)sizeof c) return 1;
    return 1; // it has died: its end is noticed elsewhere
}

static void give_alone(worker *w, chunk c, int deaths)
{
    w->alone = 1;
    w->deaths = deaths;
    w->queue[w->queued++] = c;
    (void)!send(w->socket, &c, sizeof c, MSG_NOSIGNAL); // if it has died, that is noticed elsewhere
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

static long sweep_processes_row_of(const drive *d, long place)
{
    return d->order ? d->order[place] : place;
}

// Rows of a chunk that the next lines of a shard hold, one behind the other.
static chunk_done read_done(const drive *d, FILE *file, long offset, chunk c, buffer *line)
{
    chunk_done done = {.what = {c.start, 0}, .offset = offset};
    while (done.what.count < c.count) {
        int        whole;
        long       row;
        size_t     end;
        const long size = shard_read_line(file, line, &whole);
        if (size < 0 || !whole || !line->text || !shard_check(line->text, (size_t)size, &row, &end))
            break;
        if (row != sweep_processes_row_of(d, c.start + done.what.count)) break;
        done.what.count++;
        done.failed += !shard_is_ok(line->text, end);
        done.bytes += size + 1;
    }
    return done;
}

// What it has written before it died counts, though it could not say so. The rest stays in its
// queue.
static void rescue(drive *d, worker *dead)
{
    char  *path = arne_join(d->plan.shards, "/", dead->shared->shard);
    FILE  *file = path && dead->shared->shard[0] ? fopen(path, "rb") : NULL;
    buffer line = {0};
    long   offset = dead->end;
    int    goes_on = file && fseek(file, offset, SEEK_SET) == 0;
    for (int i = 0; i < dead->queued && goes_on; i++) {
        chunk     *c = &dead->queue[i];
        chunk_done done = read_done(d, file, offset, *c, &line);
        memcpy(done.shard, dead->shared->shard, sizeof done.shard);
        if (done.what.count) drive_done(d, &done);
        goes_on = done.what.count == c->count;
        offset += done.bytes;
        c->start += done.what.count;
        c->count -= done.what.count;
    }
    buffer_free(&line);
    if (file) fclose(file);
    free(path);
}

static void write_failure(drive *d, long place, const char *reason)
{
    arne_sweep *s = d->s;
    double     *figures = calloc((size_t)s->figure_count + 1, sizeof *figures);
    buffer      line = {0};
    chunk_done  done = {.what = {place, 1}, .failed = 1, .offset = d->own_at};
    for (int i = 0; figures && i < s->figure_count; i++)
        figures[i] = NAN;
    if (figures) sweep_put_line(&line, s, sweep_processes_row_of(d, place), figures, reason);
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

static void sweep_processes_put_back(drive *d, chunk c)
{
    if (!c.count) return;
    d->left += c.count;
    if (!row_pool_add_front(&d->pool, c)) drive_stop(d, ENOMEM);
}

// Puts back what a dead process had not begun. Returns the place of the row that it was at; -1: it
// was at none.
static long take_queue(drive *d, const worker *dead)
{
    const long row = dead->shared->row;
    long       at = -1;
    for (int i = dead->queued - 1; i >= 0; i--) {
        const chunk c = dead->queue[i];
        long        place = c.start;
        while (place < c.start + c.count && sweep_processes_row_of(d, place) != row)
            place++;
        if (dead->alone) place = c.start; // also where it had not come to its row yet
        if (place < c.start + c.count) at = place;
        sweep_processes_put_back(
            d, (chunk){place + 1, place < c.start + c.count ? c.start + c.count - place - 1 : 0});
        sweep_processes_put_back(d, (chunk){c.start, place - c.start});
    }
    return at;
}

static void describe_end(const drive *d, const worker *dead, int how, char reason[SWEEP_REASON])
{
    if (dead->killed)
        plain_print(reason, SWEEP_REASON, "time limit of %.6g s", d->s->time_limit);
    else if (WIFSIGNALED(how))
        snprintf(reason, SWEEP_REASON, "the process that computed it was ended by signal %d (%s)",
                 WTERMSIG(how), strsignal(WTERMSIG(how)));
    else
        snprintf(reason, SWEEP_REASON, "the process that computed it ended");
}

// Processes may die that never begin a row: of too little memory to start, for example.
static int is_barren(drive *d, const worker *dead)
{
    d->barren = dead->shared->begun ? 0 : d->barren + 1;
    return d->barren > 2 * d->worker_count + 8;
}

// A process may die of its row, or somebody has killed it. The row that it was at is tried again in
// a process of its own, the new one in its place; a row fails if that dies, too. Of SIGKILL, which
// comes from outside (an operator, the kernel where memory is short), it may die three times.
static void bury(drive *d, int index)
{
    worker *w = &d->workers[index];
    worker  dead = *w;
    char    reason[SWEEP_REASON];
    int     how = 0;
    while (waitpid(dead.pid, &how, 0) < 0 && errno == EINTR) {
    }
    close(w->socket);
    w->pid = w->socket = -1;
    describe_end(d, &dead, how, reason);
    rescue(d, &dead);
    const int  most = WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL ? 3 : 1;
    const int  began = dead.shared->row >= 0, barren = is_barren(d, &dead);
    const long at = d->stopping ? -1 : take_queue(d, &dead);
    int        again = at >= 0;
    if (again && (dead.killed || (dead.alone && began && dead.deaths >= most))) {
        write_failure(d, at, reason);
        again = 0;
    }
    worker_end(w, 0);
    if (barren) drive_stop(d, ENOMEM);
    if (d->stopping) return;
    if (worker_start(w, &d->plan, index, d->workers, d->worker_count) != 0)
        drive_stop(d, errno);
    else if (again)
        give_alone(w, (chunk){at, 1}, dead.deaths + began);
}

// A run that does not ask whether it should stop.
static void check_time(drive *d)
{
    const double limit = d->s->time_limit, now = clock_seconds();
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
    w->alone = w->deaths = 0;
    w->end = done->offset + done->bytes;
    drive_done(d, done);
    if (done->number) drive_stop(d, done->number);
    if (done->what.count < asked.count && !d->stopping)
        sweep_processes_put_back(
            d, (chunk){asked.start + done->what.count, asked.count - done->what.count});
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

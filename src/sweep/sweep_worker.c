#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): MAP_ANONYMOUS, prctl
#include "sweep/sweep_worker.h"
#include "base/clock.h"
#include "base/plain.h"
#include "io/folder.h"
#include "sweep/shard.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// ---- shards

int shard_open(const char *folder, int index, char name[SHARD_NAME])
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    for (int i = 0; i < 100; i++) {
        snprintf(name, SHARD_NAME, "%08x-%ld-%d-%d.csv", (unsigned)shard_sum(host, strlen(host)),
                 (long)getpid(), index, i);
        char *path = arne_join(folder, "/", name);
        if (!path) {
            errno = ENOMEM;
            return -1;
        }
        const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
        free(path);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

int shard_append(int file, const char *bytes, size_t size)
{
    while (size) {
        const ssize_t wrote = write(file, bytes, size);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return errno;
        bytes += wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

// ---- in the process

typedef struct working {
    const worker_plan *plan;
    worker_shared     *shared;
    int                socket, index, file; // file: the shard; -1: not yet
    char               shard[SHARD_NAME];
    long               at;
    double            *figures;
    buffer             line;
    // Another thread writes finished chunks to disk while this one computes the next.
    pthread_t       syncs;
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    chunk_done      waiting[WORKER_QUEUE]; // computed, not yet on disk
    int             waiting_count, ended;
} working;

static int must_stop(void *context)
{
    const working *w = context;
    const double   limit = w->plan->sweep->time_limit;
    return w->shared->stop || (limit > 0 && clock_seconds() - w->shared->started > limit);
}

// One row and its line; ECANCELED where the sweep is being stopped.
static int compute(working *w, long row, long *failed)
{
    arne_sweep     *s = w->plan->sweep;
    char            reason[SWEEP_REASON];
    const sweep_job job = {.sweep = s,
                           .folder = s->keep ? w->plan->runs : NULL,
                           .warm = w->plan->warm,
                           .stop = must_stop,
                           .stop_context = w};
    w->shared->started = clock_seconds();
    w->shared->begun++;
    w->shared->row = row;
    const arne_status status = sweep_evaluate(&job, row, w->figures, reason);
    if (status && w->shared->stop) return ECANCELED;
    if (status == ARNE_NO_MEMORY) return ENOMEM; // says nothing about the row
    if (status == ARNE_STOPPED)
        plain_print(reason, sizeof reason, "time limit of %.6g s", s->time_limit);
    else if (status)
        snprintf(reason, sizeof reason, "%s", arne_status_text(status));
    *failed += strcmp(reason, "ok") != 0;
    w->line.size = 0;
    sweep_put_line(&w->line, s, row, w->figures, reason);
    shard_seal(&w->line);
    w->shared->row = -1;
    if (w->line.failed) return ENOMEM;
    return shard_append(w->file, w->line.text, w->line.size);
}

static chunk_done compute_chunk(working *w, chunk c)
{
    chunk_done   done = {.what = {c.start, 0}};
    const double begin = clock_seconds();
    if (w->file < 0) w->file = shard_open(w->plan->shards, w->index, w->shard);
    if (w->file < 0) done.number = errno;
    memcpy(w->shared->shard, w->shard, sizeof w->shared->shard);
    done.offset = w->at;
    while (!done.number && done.what.count < c.count && !w->shared->stop) {
        const long place = c.start + done.what.count;
        done.number = compute(w, w->plan->order ? w->plan->order[place] : place, &done.failed);
        if (done.number) break;
        done.what.count++;
        w->at += (long)w->line.size;
    }
    if (done.number == ECANCELED) done.number = 0;
    done.bytes = w->at - done.offset;
    done.seconds = clock_seconds() - begin;
    memcpy(done.shard, w->shard, sizeof done.shard);
    return done;
}

// One fdatasync makes everything durable that was written before it; then the master is told.
static void deliver(const working *w, int file, chunk_done *done, int count)
{
    const int bad = w->plan->syncs && file >= 0 && fdatasync(file) != 0 ? errno : 0;
    for (int i = 0; i < count; i++) {
        if (bad) done[i].number = bad;
        if (bad) done[i].what.count = 0;
        (void)!send(w->socket, &done[i], sizeof done[i], MSG_NOSIGNAL);
    }
}

static void *bring_to_disk(void *context)
{
    working *w = context;
    pthread_mutex_lock(&w->lock);
    while (!w->ended || w->waiting_count) {
        if (!w->waiting_count) {
            pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        chunk_done now[WORKER_QUEUE];
        const int  count = w->waiting_count, file = w->file;
        memcpy(now, w->waiting, (size_t)count * sizeof *now);
        w->waiting_count = 0;
        pthread_cond_broadcast(&w->changed);
        pthread_mutex_unlock(&w->lock);
        deliver(w, file, now, count);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void hand_over(working *w, const chunk_done *done)
{
    pthread_mutex_lock(&w->lock);
    while (w->waiting_count == WORKER_QUEUE)
        pthread_cond_wait(&w->changed, &w->lock);
    w->waiting[w->waiting_count++] = *done;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static void work(working *w)
{
    chunk c;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    // Where no thread can be started, each chunk waits until the one before is on disk.
    const int apart = pthread_create(&w->syncs, NULL, bring_to_disk, w) == 0;
    for (;;) {
        const ssize_t got = recv(w->socket, &c, sizeof c, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got != (ssize_t)sizeof c || c.count == 0) break;
        chunk_done done = compute_chunk(w, c);
        if (apart)
            hand_over(w, &done);
        else
            deliver(w, w->file, &done, 1);
    }
    if (!apart) return;
    pthread_mutex_lock(&w->lock);
    w->ended = 1;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->syncs, NULL);
}

// The master handles signals and tells workers what to do; a worker ends when its master dies.
static void sweep_worker_prepare(pid_t master)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != master) _exit(1);
}

// ---- in the master

int worker_start(worker *w, const worker_plan *plan, int index, const worker *others,
                 int other_count)
{
    int         ends[2];
    const pid_t master = getpid();
    *w = (worker){.pid = -1, .socket = -1};
    w->shared =
        mmap(NULL, sizeof *w->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (w->shared == MAP_FAILED) {
        w->shared = NULL;
        return -1;
    }
    w->shared->row = -1;
    double *figures = calloc((size_t)plan->sweep->figure_count + 1, sizeof *figures);
    if (!figures || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        free(figures);
        return -1;
    }
    w->pid = fork();
    if (w->pid == 0) {
        working own = {.plan = plan,
                       .shared = w->shared,
                       .socket = ends[1],
                       .index = index,
                       .file = -1,
                       .figures = figures};
        sweep_worker_prepare(master);
        close(ends[0]);
        if (plan->lock->handle >= 0) close(plan->lock->handle);
        for (int i = 0; i < other_count; i++)
            if (others[i].socket >= 0) close(others[i].socket);
        work(&own);
        _exit(0);
    }
    free(figures);
    close(ends[1]);
    if (w->pid < 0) {
        close(ends[0]);
        return -1;
    }
    w->socket = ends[0];
    return 0;
}

void worker_end(worker *w, int at_once)
{
    if (w->socket >= 0) close(w->socket);
    if (w->pid > 0) {
        if (at_once) kill(w->pid, SIGKILL);
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (w->shared) munmap(w->shared, sizeof *w->shared);
    *w = (worker){.pid = -1, .socket = -1};
}

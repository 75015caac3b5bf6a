// One lock guards everything. Pieces are large, so that it is seldom taken.
#ifdef __linux__
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): sched_getaffinity
#else
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#endif
#include "base/pool.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct helper {
    pool     *owner;
    int       number;
    pthread_t thread;
} helper;

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t  start, done;
    size_t          next, pieces; // the next one to take, and how many there are
    int             active;       // pieces that helpers are at
    int             stop;
    pool_task       task;
    void           *context;
    int             helper_count;
    helper          helpers[];
};

int pool_processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

static void *help(void *argument)
{
    const helper *me = argument;
    pool         *p = me->owner;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->stop && p->next >= p->pieces)
            pthread_cond_wait(&p->start, &p->lock);
        if (p->stop) break;
        const size_t piece = p->next++;
        p->active++;
        pthread_mutex_unlock(&p->lock);
        p->task(p->context, me->number, piece);
        pthread_mutex_lock(&p->lock);
        if (--p->active == 0 && p->next >= p->pieces) pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static int init(pool *p)
{
    if (pthread_mutex_init(&p->lock, NULL)) return 0;
    if (pthread_cond_init(&p->start, NULL)) {
        pthread_mutex_destroy(&p->lock);
        return 0;
    }
    if (pthread_cond_init(&p->done, NULL)) {
        pthread_cond_destroy(&p->start);
        pthread_mutex_destroy(&p->lock);
        return 0;
    }
    return 1;
}

arne_status pool_new(int threads, pool **out)
{
    const size_t helpers = threads > 1 ? (size_t)threads - 1 : 0;
    pool        *p = calloc(1, sizeof *p + helpers * sizeof p->helpers[0]);
    *out = NULL;
    if (!p || !init(p)) {
        free(p);
        return ARNE_NO_MEMORY;
    }
    for (int i = 0; i < (int)helpers; i++) {
        helper *h = &p->helpers[i];
        h->owner = p;
        h->number = i + 1;
        if (pthread_create(&h->thread, NULL, help, h)) {
            pool_free(p);
            return ARNE_NO_MEMORY;
        }
        p->helper_count++;
    }
    *out = p;
    return ARNE_OK;
}

void pool_free(pool *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->stop = 1;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->helper_count; i++)
        pthread_join(p->helpers[i].thread, NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->start);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void pool_run(pool *p, size_t pieces, pool_task task, void *context)
{
    pthread_mutex_lock(&p->lock);
    p->task = task;
    p->context = context;
    p->next = 0;
    p->pieces = pieces;
    if (pieces > 1) pthread_cond_broadcast(&p->start);
    while (p->next < p->pieces) {
        const size_t piece = p->next++;
        pthread_mutex_unlock(&p->lock);
        task(context, 0, piece);
        pthread_mutex_lock(&p->lock);
    }
    while (p->active)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

// Threads that evaluate the points of a program, each with memory of its own. The result of a point
// does not depend on the thread, and sums over points are formed in their order, so the number of
// threads changes no digit.
#include "base/pool.h"
#include "plan/problem/plan_muscle.h"
#include <stdlib.h>
#include <string.h>

// ---- making them

static int make_works(plan_program *p, plan_worker *w)
{
    const int    first = w == p->workers; // it has those of the plan
    const size_t count = (size_t)p->phase_count;
    w->works = calloc(count + 1, sizeof *w->works);
    if (!w->works) return 0;
    arne_work **plain = &w->works[count]; // of the robot that carries nothing
    if (!first && arne_work_new(p->problem->robot, plain) != ARNE_OK) return 0;
    if (first) *plain = p->problem->work;
    for (size_t k = 0; k < count; k++) {
        const plan_phase *f = &p->phases[k];
        if (!f->loaded)
            w->works[k] = *plain;
        else if (first)
            w->works[k] = f->work;
        else if (arne_work_new(f->loaded, &w->works[k]) != ARNE_OK)
            return 0;
    }
    return 1;
}

static void drop_works(const plan_program *p, plan_worker *w)
{
    for (int k = 0; w->works && w != p->workers && k <= p->phase_count; k++)
        if (k == p->phase_count || p->phases[k].loaded) arne_work_free(w->works[k]);
    free(w->works);
}

static double *workers_numbers(size_t count) { return malloc((count + 1) * sizeof(double)); }

static int make_worker(plan_program *p, plan_worker *w)
{
    const size_t all = PLAN_ORDERS * (size_t)p->n, v = (size_t)p->v_count;
    size_t       rows = 1, own = 0;
    for (int i = 0; i < p->problem->quantity_count; i++) {
        rows += (size_t)p->problem->quantities[i].rows;
        if ((size_t)p->problem->quantities[i].scratch > own)
            own = (size_t)p->problem->quantities[i].scratch;
    }
    w->H = calloc(all * all, sizeof(double));
    w->lambda_tau = workers_numbers(v);
    w->second = workers_numbers(4 * v * v + 5 * all);
    w->row = workers_numbers(rows * PLAN_ORDERS * v);
    w->matrices = workers_numbers(6 * v * v + 33 * v);
    w->by_T = workers_numbers(2 * all);
    w->muscles = workers_numbers(plan_muscle_numbers(p->problem));
    w->own = workers_numbers(own);
    w->lambda_of = calloc((size_t)p->problem->quantity_count + 1, sizeof(double *));
    return w->H && w->lambda_tau && w->second && w->row && w->matrices && w->by_T && w->own &&
           w->muscles && w->lambda_of && make_works(p, w) &&
           plan_state_new(p->problem, w, &w->moved, NULL) == ARNE_OK;
}

// One thread only where a map (path, loops) or a function of the caller has memory of its own.
static int thread_count(const plan_program *p)
{
    int count = p->threads > 1 && !p->problem->map.n ? p->threads : 1;
    for (int i = 0; i < p->problem->quantity_count; i++)
        if (p->problem->quantities[i].alone) count = 1;
    return count < p->point_count ? count : p->point_count > 0 ? p->point_count : 1;
}

int plan_make_workers(plan_program *p)
{
    const int count = thread_count(p);
    p->workers = calloc((size_t)count, sizeof *p->workers);
    if (!p->workers) return 0;
    for (p->worker_count = 0; p->worker_count < count; p->worker_count++)
        if (!make_worker(p, &p->workers[p->worker_count])) {
            p->worker_count++;
            return 0;
        }
    for (int i = 0; i < count; i++)
        plan_take(&p->workers[i].moved, &p->workers[i]);
    return count == 1 || pool_new(count, &p->pool) == ARNE_OK;
}

void plan_drop_workers(plan_program *p)
{
    pool_free(p->pool);
    p->pool = NULL;
    for (int i = 0; i < p->worker_count; i++) {
        plan_worker *w = &p->workers[i];
        free(w->H), free(w->lambda_tau), free(w->second), free(w->row), free(w->matrices);
        free(w->by_T), free(w->own), free(w->muscles), free(w->lambda_of);
        drop_works(p, w);
        plan_state_free(&w->moved);
    }
    free(p->workers);
    p->workers = NULL;
    p->worker_count = 0;
}

// ---- at work

void plan_take(plan_state *s, plan_worker *worker)
{
    const plan_phase *f = &s->problem->phases[s->phase];
    s->at = worker;
    s->robot = f->loaded ? f->loaded : s->problem->robot;
    s->work = worker ? worker->works[s->phase] : f->loaded ? f->work : s->problem->work;
}

typedef struct sharing {
    plan_program *p;
    plan_piece    piece;
    void         *context;
} sharing;

static void do_piece(void *context, int worker, size_t piece)
{
    const sharing *s = context;
    s->piece(s->p, &s->p->workers[worker], (int)piece, s->context);
}

void plan_share(plan_program *p, int count, plan_piece piece, void *context)
{
    sharing s = {p, piece, context};
    if (p->pool && count > 1)
        pool_run(p->pool, (size_t)count, do_piece, &s);
    else
        for (int i = 0; i < count; i++)
            piece(p, &p->workers[0], i, context);
}

static void know_point(plan_program *p, plan_worker *worker, int point, void *context)
{
    const int   what = *(const int *)context;
    plan_state *s = &p->states[point];
    plan_take(s, worker);
    p->bad[point] = 0;
    for (int i = 0; i < p->problem->quantity_count && !p->bad[point]; i++)
        if (s->value[i])
            p->bad[point] = what == KNOWN_GRADIENTS ? !plan_gradient(s, i) : !plan_values(s, i);
}

int plan_know(plan_program *p, int what)
{
    if (p->known >= what) return 0;
    plan_share(p, p->point_count, know_point, &what);
    if (memchr(p->bad, 1, (size_t)p->point_count)) return 1;
    p->known = what;
    return 0;
}

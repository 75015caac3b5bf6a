// Paths of muscles in many states, on several threads.
#include "base/pool.h"
#include "muscle/path.h"
#include "robot/robot.h"
#include <stdlib.h>

enum { PIECE = 16 }; // states that a thread takes at once

typedef struct path_rows {
    const arne_robot *robot;
    arne_work       **works; // one for each thread
    size_t            states;
    const double     *q, *qd;
    double           *lengths, *velocities, *arms;
} path_rows;

static double *row_of(double *rows, size_t row, size_t size)
{
    return rows ? rows + row * size : NULL;
}

static void path_rows_run(void *context, int worker, size_t piece)
{
    const path_rows *c = context;
    const size_t     count = (size_t)c->robot->muscle_count, n = (size_t)c->robot->v_count;
    const size_t     end = (piece + 1) * PIECE < c->states ? (piece + 1) * PIECE : c->states;
    for (size_t i = piece * PIECE; i < end; i++)
        muscle_paths(c->robot, c->works[worker], c->q + i * (size_t)c->robot->q_count,
                     c->qd ? c->qd + i * n : NULL, row_of(c->lengths, i, count),
                     row_of(c->velocities, i, count), row_of(c->arms, i, count * n));
}

arne_status arne_muscle_paths(const arne_robot *robot, int states, const double *q,
                              const double *qd, int threads, double *lengths, double *velocities,
                              double *arms)
{
    if (!robot || (states > 0 && !q) || (velocities && !qd)) return ARNE_NULL_ARGUMENT;
    if (states < 0 || threads < 0) return ARNE_VALUE;
    const size_t pieces = ((size_t)states + PIECE - 1) / PIECE;
    pool        *p = NULL;
    if (!threads) threads = pool_processors();
    if ((size_t)threads > pieces) threads = pieces ? (int)pieces : 1;
    path_rows   c = {robot,
                     calloc((size_t)threads, sizeof(arne_work *)),
                     (size_t)states,
                     q,
                     qd,
                     lengths,
                     velocities,
                     arms};
    arne_status status = c.works ? pool_new(threads, &p) : ARNE_NO_MEMORY;
    for (int i = 0; i < threads && !status; i++)
        status = arne_work_new(robot, &c.works[i]);
    if (!status) pool_run(p, pieces, path_rows_run, &c);
    for (int i = 0; i < threads && c.works; i++)
        arne_work_free(c.works[i]);
    free(c.works);
    pool_free(p);
    return status;
}

// What the library itself takes, for `python -m arne.bench`: the same calls as a program in C has
// them, in the same run.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): clock_gettime
#include "facts.h"
#include "lanes.h"
#include <stdlib.h>
#include <time.h>

enum { CALLS = 2000 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Inverse dynamics of `count` states, entry by entry in rows, as lanes like them best; of one, by
// the function for one.
typedef struct job {
    const arne_robot *robot;
    arne_work        *work;
    lanes            *lanes;
    size_t            count;
    double           *q, *qd, *qdd, *tau;
} job;

static arne_status run(const job *j, arne_error *error)
{
    if (j->count == 1) {
        for (int i = 0; i < CALLS; i++)
            arne_inverse_dynamics(j->robot, j->work, j->q, j->qd, j->qdd, NULL, j->tau);
        return ARNE_OK;
    }
    const arne_batch_inputs  in = {.q = j->q, .qd = j->qd, .qdd = j->qdd};
    const arne_batch_outputs out = {.tau = j->tau};
    return arne_batch_run(j->lanes->batch, ARNE_ALGORITHM_INVERSE_DYNAMICS, &in, &out, j->count,
                          error);
}

// Random states, all within limits.
static void fill(const job *j, size_t q_count, size_t v_count)
{
    uint64_t seed = 1;
    double  *q = malloc((q_count + 1) * sizeof *q);
    for (size_t s = 0; q && s < j->count; s++) {
        arne_random_configuration(j->robot, &seed, q);
        for (size_t i = 0; i < q_count; i++)
            j->q[i * j->count + s] = q[i];
        for (size_t i = 0; i < v_count; i++) {
            j->qd[i * j->count + s] = 0.1 * (double)(i + 1);
            j->qdd[i * j->count + s] = 0.2 * (double)(i + 1);
        }
    }
    free(q);
}

PyObject *robot_bench(PyObject *object, PyObject *args)
{
    robot_object *self = (robot_object *)object;
    Py_ssize_t    count;
    int           repeats;
    double        best = 1e9;
    arne_error    error = {0};
    if (!PyArg_ParseTuple(args, "ni", &count, &repeats)) return NULL;
    if (count < 1 || repeats < 1)
        return PyErr_Format(PyExc_ValueError, "count, repeats: at least 1");
    const size_t n = (size_t)self->size.v_count, m = (size_t)self->size.q_count;
    job          j = {.robot = self->robot, .count = (size_t)count};
    arne_status  status = ARNE_OK;
    Py_BEGIN_ALLOW_THREADS;
    double *memory = calloc((m + 3 * n) * j.count + 1, sizeof *memory);
    status = memory ? arne_work_new(self->robot, &j.work) : ARNE_NO_MEMORY;
    if (!status && count > 1) status = lanes_take(self, &j.lanes, &error);
    if (!status) {
        j.q = memory;
        j.qd = j.q + m * j.count;
        j.qdd = j.qd + n * j.count;
        j.tau = j.qdd + n * j.count;
        fill(&j, m, n);
    }
    for (int i = 0; i < repeats && !status; i++) {
        const double start = seconds();
        status = run(&j, &error);
        const double took = (seconds() - start) / (count == 1 ? CALLS : (double)count);
        best = took < best ? took : best;
    }
    if (j.lanes) lanes_give(self, j.lanes);
    arne_work_free(j.work);
    free(memory);
    Py_END_ALLOW_THREADS;
    if (status) return raise_error(status, &error);
    return PyFloat_FromDouble(best);
}

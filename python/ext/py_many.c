// Many states: in lanes and on threads where the algorithm has a batch form, else one after the
// other. The GIL is released.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): clock_gettime
#include "many.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- shapes ----

// Leading shapes are broadcast as NumPy does it.
static int find_states(const request *r, states *all)
{
    *all = (states){.count = 1};
    for (int i = 0; r->has >> i; i++) {
        if (!(r->has >> i & 1)) continue;
        const int rank = view_leading(&r->in[i], &r->in_item[i]);
        if (rank > all->rank) {
            memmove(all->shape + rank - all->rank, all->shape,
                    sizeof *all->shape * (size_t)all->rank);
            for (int k = 0; k < rank - all->rank; k++)
                all->shape[k] = 1;
            all->rank = rank;
        }
        for (int k = 0; k < rank; k++) {
            Py_ssize_t      *have = &all->shape[all->rank - rank + k];
            const Py_ssize_t own = r->in[i].buffer.shape[k];
            if (*have == 1) *have = own;
            if (own == *have || own == 1) continue;
            PyErr_Format(PyExc_ValueError, "%s: %zd states in dimension %d, where others have %zd",
                         r->in[i].name, own, k, *have);
            return -1;
        }
    }
    for (int k = 0; k < all->rank; k++)
        all->count *= all->shape[k];
    return 0;
}

// ---- results ----

// Where all inputs have their states next to each other, so have the results: rows of entries, as
// lanes like them.
static int by_entries(const request *r, const states *all)
{
    for (int i = 0; r->has >> i; i++) {
        ptrdiff_t entry, state;
        if (!(r->has >> i & 1)) continue;
        if (!view_strides(&r->in[i], &r->in_item[i], all->rank, all->shape, &entry, &state))
            return 0;
        if (state != 1 || entry < all->count) return 0;
    }
    return all->count > 1;
}

static PyObject *new_array(const request *r, const states *all, const item *shape, int entries)
{
    const int  rank = all->rank + shape->rank;
    Py_ssize_t first = entries ? shape->rank : 0;
    PyObject  *sizes = PyTuple_New(rank), *axes = PyTuple_New(rank), *result = NULL;
    for (int i = 0; i < rank && sizes && axes; i++) { // i: the dimension as the user sees it
        const int at = i < all->rank ? (int)first + i : entries ? i - all->rank : i;
        PyTuple_SetItem(
            sizes, at,
            PyLong_FromSsize_t(i < all->rank ? all->shape[i] : shape->shape[i - all->rank]));
        PyTuple_SetItem(axes, i, PyLong_FromLong(at));
    }
    if (sizes && axes) result = PyObject_CallFunctionObjArgs(r->state->empty, sizes, NULL);
    if (result && entries) Py_SETREF(result, PyObject_CallMethod(result, "transpose", "O", axes));
    Py_XDECREF(sizes);
    Py_XDECREF(axes);
    return result;
}

static int check_outputs(const request *r, const states *all)
{
    for (int i = 0; i < r->m->output_count; i++) {
        int good = view_leading(&r->out[i], &r->out_item[i]) == all->rank;
        for (int k = 0; k < all->rank && good; k++)
            good = r->out[i].buffer.shape[k] == all->shape[k];
        if (good) continue;
        PyErr_SetString(PyExc_ValueError, "out: the leading shape is not that of the inputs");
        return -1;
    }
    return 0;
}

static int find_outputs(request *r, const states *all)
{
    if (r->argument[ARGUMENT_out])
        return outputs_take(r, r->argument[ARGUMENT_out]) || check_outputs(r, all) ? -1 : 0;
    const int entries = by_entries(r, all);
    for (int i = 0; i < r->m->output_count; i++) {
        r->result[i] = new_array(r, all, &r->out_item[i], entries);
        if (!r->result[i] || view_open_output(r->result[i], "out", &r->out[i])) return -1;
        r->out_open++;
    }
    return 0;
}

// ---- arrays as the library takes them ----

static int place(const view *v, const item *shape, const states *all, int copies, int reads,
                 array *out)
{
    *out = (array){v->buffer.buf, NULL, 1, shape->count};
    if (!copies && view_strides(v, shape, all->rank, all->shape, &out->entry, &out->state))
        return 0;
    const size_t size = (size_t)(shape->count * all->count);
    out->at = out->copy = malloc((size + 1) * sizeof(double));
    out->entry = 1;
    out->state = shape->count;
    if (!out->copy) return -1;
    if (reads) view_read(v, shape, all->rank, all->shape, out->copy);
    return 0;
}

static int place_all(run *u)
{
    request *r = u->r;
    int      failed = 0;
    for (int i = 0; i < VIEW_COUNT; i++) {
        u->in[i] = (array){NULL, NULL, 0, 0};
        if (r->has >> i & 1)
            failed |= place(&r->in[i], &r->in_item[i], u->all, 0, 1, &u->in[i]);
        else if (r->m->zeros >> i & 1)
            u->in[i].at = u->zeros;
    }
    const int beside = r->argument[ARGUMENT_out] && request_overlaps(r);
    for (int i = 0; i < r->m->output_count; i++)
        failed |= place(&r->out[i], &r->out_item[i], u->all, beside, 0, &u->out[i]);
    return failed;
}

static void finish(run *u, int good)
{
    request *r = u->r;
    for (int i = 0; i < VIEW_COUNT; i++)
        free(u->in[i].copy);
    for (int i = 0; i < r->m->output_count; i++) {
        if (good && u->out[i].copy)
            view_write(&r->out[i], &r->out_item[i], u->all->rank, u->all->shape, u->out[i].copy);
        free(u->out[i].copy);
    }
}

// ---- one after the other ----

// A state in memory of its own, whatever the strides.
static void gather(const array *a, Py_ssize_t count, Py_ssize_t s, double *to)
{
    for (Py_ssize_t i = 0; i < count; i++)
        to[i] = a->at[i * a->entry + s * a->state];
}

static size_t state_size(const run *u)
{
    size_t size = 1;
    for (int i = 0; i < VIEW_COUNT; i++)
        if (u->r->has >> i & 1) size += (size_t)u->r->in_item[i].count;
    for (int i = 0; i < u->r->m->output_count; i++)
        size += (size_t)u->r->out_item[i].count;
    return size;
}

static arne_status run_state(run *u, Py_ssize_t s, double *scratch, arne_work *work,
                             arne_loop_work *loop, arne_error *error)
{
    request  *r = u->r;
    one_state at;
    for (int i = 0; i < VIEW_COUNT; i++) {
        at.in[i] = u->in[i].at; // zeros, or NULL
        if (!(r->has >> i & 1)) continue;
        gather(&u->in[i], r->in_item[i].count, s, scratch);
        at.in[i] = scratch;
        scratch += r->in_item[i].count;
    }
    for (int i = 0; i < r->m->output_count; i++) {
        at.out[i] = scratch;
        scratch += r->out_item[i].count;
    }
    const arne_status status = single_run(r->self, r->m, &r->what, work, loop, &at, error);
    for (int i = 0; i < r->m->output_count && !status; i++)
        for (Py_ssize_t k = 0; k < r->out_item[i].count; k++)
            u->out[i].at[k * u->out[i].entry + s * u->out[i].state] = at.out[i][k];
    return status;
}

static void name_state(Py_ssize_t s, arne_error *error)
{
    char text[sizeof error->text];
    memcpy(text, error->text, sizeof text);
    snprintf(error->text, sizeof error->text, "state %zd: %.400s", s, text);
}

// ---- the run ----

// One after the other: robots with loops, and what lanes cannot do.
typedef struct alone {
    arne_work      *work;
    arne_loop_work *loop;
    double         *scratch;
} alone;

static arne_status alone_new(const run *u, alone *a)
{
    const robot_object *self = u->r->self;
    const asked        *what = &u->r->what;
    a->scratch = malloc(state_size(u) * sizeof *a->scratch);
    arne_status status = a->scratch ? arne_work_new(self->robot, &a->work) : ARNE_NO_MEMORY;
    if (!status && self->closed) status = arne_loop_work_new(self->robot, &a->loop);
    if (!status && what->base_moves) {
        arne_work_set_base(self->robot, a->work, &what->base, &what->base_velocity,
                           &what->base_acceleration);
        arne_work_set_base_jerk(self->robot, a->work, &what->base_jerk);
    }
    return status;
}

static void alone_free(alone *a)
{
    arne_loop_work_free(a->loop);
    arne_work_free(a->work);
    free(a->scratch);
}

static arne_status run_each(run *u, alone *a, Py_ssize_t first, Py_ssize_t count, arne_error *error)
{
    arne_status status = ARNE_OK;
    for (Py_ssize_t s = first; s < first + count && !status; s++) {
        status = run_state(u, s, a->scratch, a->work, a->loop, error);
        if (status) name_state(s, error);
    }
    return status;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// In portions that take a twentieth of a second, so that Ctrl-C is heard between them. Holds the
// GIL only there.
static arne_status run_portions(run *u, arne_error *error)
{
    const Py_ssize_t all = u->all->count;
    const int        by_lanes = lanes_can(u->r);
    lanes           *l = NULL;
    alone            a = {NULL, NULL, NULL};
    arne_status      status = ARNE_OK;
    Py_ssize_t       portion = by_lanes ? 4096 : 64;
    PyThreadState   *thread = PyEval_SaveThread();
    status = by_lanes ? lanes_take(u->r->self, &l, error) : alone_new(u, &a);
    for (Py_ssize_t first = 0; first < all && !status;) {
        const Py_ssize_t count = all - first < portion ? all - first : portion;
        const double     start = seconds();
        status =
            by_lanes ? lanes_run(u, l, first, count, error) : run_each(u, &a, first, count, error);
        first += count;
        const double took = seconds() - start;
        const double wanted = 0.05 / (took > 1e-6 ? took : 1e-6) * (double)count;
        portion = wanted < 16 ? 16 : wanted > 1e9 ? 1000000000 : (Py_ssize_t)wanted;
        if (first == all || status) break;
        PyEval_RestoreThread(thread);
        u->interrupted = PyErr_CheckSignals() != 0;
        thread = PyEval_SaveThread();
        if (u->interrupted) break;
    }
    if (l) lanes_give(u->r->self, l);
    alone_free(&a);
    PyEval_RestoreThread(thread);
    return status;
}

int many_run(request *r)
{
    states      all;
    run         u = {.r = r, .all = &all};
    arne_error  error = {0};
    arne_status status = ARNE_OK;
    if (find_states(r, &all) || find_outputs(r, &all)) return -1;
    if (all.count == 0) return 0;
    int placed = 0;
    Py_BEGIN_ALLOW_THREADS;
    u.zeros = calloc((size_t)r->self->size.v_count + 1, sizeof *u.zeros);
    placed = u.zeros && !place_all(&u);
    Py_END_ALLOW_THREADS;
    status = placed ? run_portions(&u, &error) : ARNE_NO_MEMORY;
    Py_BEGIN_ALLOW_THREADS;
    finish(&u, !status && !u.interrupted);
    free(u.zeros);
    Py_END_ALLOW_THREADS;
    if (u.interrupted) return -1;
    if (!status) return 0;
    raise_error(status, &error);
    return -1;
}

// Many states, one after the other on one thread. The GIL is released.
#include "call.h"
#include "lanes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- batches that are lent ----

static atomic_int wanted_threads;

void lanes_set_threads(int threads) { atomic_store(&wanted_threads, threads); }
int  lanes_threads(void) { return atomic_load(&wanted_threads); }

void lanes_free(lanes *l)
{
    if (!l) return;
    if (l->process == getpid())
        arne_batch_free(l->batch); // else its threads are not there to be ended
    free(l);
}

arne_status lanes_take(robot_object *self, lanes **out, arne_error *error)
{
    const int threads = lanes_threads();
    lanes    *l = atomic_exchange(&self->lanes, NULL);
    if (l && l->process == getpid() && l->threads == threads) {
        *out = l;
        return ARNE_OK;
    }
    lanes_free(l);
    const arne_batch_options options = {.threads = threads};
    *out = l = calloc(1, sizeof *l);
    if (!l) return ARNE_NO_MEMORY;
    l->process = getpid();
    l->threads = threads;
    const arne_status status = arne_batch_new(self->robot, &options, &l->batch, error);
    if (status) {
        free(l);
        *out = NULL;
    }
    return status;
}

void lanes_give(robot_object *self, lanes *l) { lanes_free(atomic_exchange(&self->lanes, l)); }

// ---- shapes ----

typedef struct states {
    int        rank;
    Py_ssize_t shape[MOST_DIMENSIONS];
    Py_ssize_t count;
} states;

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

// Where all inputs have their states next to each other, so have the results: rows of entries, as lanes like them.
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

typedef struct array {
    double   *at;
    double   *copy; // to be freed, or NULL
    ptrdiff_t entry, state;
} array;

typedef struct run {
    request      *r;
    const states *all;
    array         in[VIEW_COUNT], out[METHOD_OUTPUTS];
    double       *zeros;
} run;

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

static arne_status run_each(run *u, arne_error *error)
{
    const robot_object *self = u->r->self;
    arne_work          *work = NULL;
    arne_loop_work     *loop = NULL;
    double             *scratch = malloc(state_size(u) * sizeof *scratch);
    arne_status         status = scratch ? arne_work_new(self->robot, &work) : ARNE_NO_MEMORY;
    if (!status && self->size.loop_count) status = arne_loop_work_new(self->robot, &loop);
    if (!status && u->r->what.base_moves) {
        arne_work_set_base(self->robot, work, &u->r->what.base, &u->r->what.base_velocity,
                           &u->r->what.base_acceleration);
        arne_work_set_base_jerk(self->robot, work, &u->r->what.base_jerk);
    }
    for (Py_ssize_t s = 0; s < u->all->count && !status; s++) {
        status = run_state(u, s, scratch, work, loop, error);
        if (status) name_state(s, error);
    }
    arne_loop_work_free(loop);
    arne_work_free(work);
    free(scratch);
    return status;
}

// ---- the run ----

static arne_status run_all(run *u, arne_error *error) { return run_each(u, error); }

int many_run(request *r)
{
    states      all;
    run         u = {.r = r, .all = &all};
    arne_error  error = {0};
    arne_status status = ARNE_OK;
    if (find_states(r, &all) || find_outputs(r, &all)) return -1;
    if (all.count == 0) return 0;
    Py_BEGIN_ALLOW_THREADS u.zeros = calloc((size_t)r->self->size.v_count + 1, sizeof *u.zeros);
    if (!u.zeros || place_all(&u))
        status = ARNE_NO_MEMORY;
    else
        status = run_all(&u, &error);
    finish(&u, !status);
    free(u.zeros);
    Py_END_ALLOW_THREADS if (!status) return 0;
    raise_error(status, &error);
    return -1;
}

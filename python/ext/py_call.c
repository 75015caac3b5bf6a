// What every method does: opens its arguments, runs one state or many, and hands back what was
// made.
//
// The way of one state is short: buffers of doubles go to the library as they are. Everything else
// (other types and strides, many states, GPUs) leaves it early.
#include "call.h"
#include <stdlib.h>
#include <string.h>

enum { SCRATCH = 512 }; // doubles on the stack, for a state that must be copied

// ---- inputs ----

static item input_item(const robot_object *self, int i)
{
    if (i == IN_position) return (item){1, {3}, 3};
    if (i == IN_quaternion) return (item){1, {4}, 4};
    return self->items[i];
}

static PyObject *input_argument(const request *r, int i)
{
    if (i == IN_position) return r->argument[ARGUMENT_position];
    if (i == IN_quaternion) return r->argument[ARGUMENT_quaternion];
    if (i == ARNE_ARRAY_f_ext && r->f_ext) return r->f_ext;
    return r->argument[i];
}

static unsigned inputs_of(const method *m)
{
    const unsigned targets = arne_catalogue_algorithm(m->algorithm)->takes & ARNE_TAKES_TARGETS
                                 ? 1u << IN_position | 1u << IN_quaternion
                                 : 0;
    return m->inputs | targets;
}

static int open_inputs(request *r)
{
    const unsigned takes = inputs_of(r->m);
    for (int i = 0; takes >> i; i++) {
        if (!(takes >> i & 1)) continue;
        PyObject *given = input_argument(r, i);
        if (!given) continue;
        const char *name = i < INPUT_COUNT    ? argument_name(i)
                           : i == IN_position ? "position"
                                              : "quaternion";
        r->in_item[i] = input_item(r->self, i);
        if (view_open(r->state, given, name, &r->in[i])) return -1;
        r->has |= 1u << i;
        if (!view_fits(&r->in[i], &r->in_item[i])) return -1;
    }
    return 0;
}

static void close_all(request *r)
{
    for (int i = 0; r->has >> i; i++)
        if (r->has >> i & 1) view_close(&r->in[i]);
    for (int i = 0; i < r->out_open; i++)
        view_close(&r->out[i]);
    for (int i = 0; i < r->m->output_count; i++)
        Py_CLEAR(r->result[i]);
    Py_CLEAR(r->f_ext);
    asked_free(&r->what);
}

// ---- outputs ----

// The array of one output among those that are given: the array itself, an entry of a tuple, a
// field of a result.
static PyObject *given_output(const request *r, PyObject *out, int i)
{
    const char *name = arne_catalogue_array(r->m->outputs[i])->name;
    if (r->m->outputs[i] == ARNE_ARRAY_pose && PyObject_HasAttrString(out, "numbers"))
        return PyObject_GetAttrString(out, "numbers");
    if (r->m->output_count == 1) return Py_NewRef(out);
    if (PyTuple_Check(out) || PyList_Check(out)) {
        if (PySequence_Size(out) == r->m->output_count) return PySequence_GetItem(out, i);
        PyErr_Format(PyExc_ValueError, "out: %d arrays expected", r->m->output_count);
        return NULL;
    }
    PyObject *field = PyObject_GetAttrString(out, name);
    if (!field && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError,
                     "out: a tuple of %d arrays, or what the method returned before, expected",
                     r->m->output_count);
    }
    return field;
}

int outputs_take(request *r, PyObject *out)
{
    for (int i = 0; i < r->m->output_count; i++) {
        r->result[i] = given_output(r, out, i);
        if (!r->result[i] || view_open_output(r->result[i], "out", &r->out[i])) return -1;
        r->out_open++;
        if (!view_fits(&r->out[i], &r->out_item[i])) return -1;
    }
    return 0;
}

// Of each held frame: its wrench, or the derivatives of that.
static void find_held_item(const request *r, arne_array array, item *shape)
{
    const Py_ssize_t count = r->what.held_count, n = r->self->size.v_count;
    if (array == ARNE_ARRAY_contacts) *shape = (item){2, {count, 6}, 6 * count};
    if (array == ARNE_ARRAY_dcontacts_dq || array == ARNE_ARRAY_dcontacts_dqd ||
        array == ARNE_ARRAY_dcontacts_dtau)
        *shape = (item){3, {count, 6, n}, 6 * count * n};
}

static void find_items(request *r)
{
    for (int i = 0; i < r->m->output_count; i++) {
        item *shape = &r->out_item[i];
        *shape = output_item(r->self, r->m, i);
        find_held_item(r, r->m->outputs[i], shape);
        if (!r->what.each_torque) continue;
        memmove(shape->shape + 1, shape->shape, sizeof *shape->shape * (ITEM_DIMENSIONS - 1));
        shape->shape[0] = r->self->size.v_count;
        shape->count *= shape->shape[0];
        shape->rank++;
    }
}

int request_overlaps(const request *r)
{
    for (int o = 0; o < r->m->output_count; o++) {
        const char *from, *to, *other_from, *other_to;
        view_range(&r->out[o], &from, &to);
        for (int i = 0; r->has >> i; i++) {
            if (!(r->has >> i & 1)) continue;
            view_range(&r->in[i], &other_from, &other_to);
            if (from < other_to && other_from < to) return 1;
        }
        for (int i = 0; i < o; i++) {
            view_range(&r->out[i], &other_from, &other_to);
            if (from < other_to && other_from < to) return 1;
        }
    }
    return 0;
}

// What makes the result of this method: a class of arne._results, asked for once.
static PyObject *result_class(request *r)
{
    PyObject **kept = &r->state->results[r->m->algorithm];
    if (*kept) return *kept;
    PyObject *module = PyImport_ImportModule("arne._results");
    PyObject *all = module ? PyObject_GetAttrString(module, "CLASSES") : NULL;
    PyObject *found = all ? PyMapping_GetItemString(all, r->m->name) : NULL;
    Py_XDECREF(all);
    Py_XDECREF(module);
    *kept = found;
    return found;
}

// A number and not an array without dimensions.
static PyObject *unwrapped(request *r, int i)
{
    if (r->out_item[i].rank || r->out[i].buffer.ndim) return Py_NewRef(r->result[i]);
    return PyObject_GetItem(r->result[i], r->state->nothing);
}

PyObject *request_record(request *r, PyObject *arrays)
{
    if (r->m->output_count == 1 && r->m->outputs[0] != ARNE_ARRAY_pose)
        return Py_NewRef(PyList_GetItem(arrays, 0));
    PyObject *class = result_class(r), *fields = class ? PyList_AsTuple(arrays) : NULL;
    PyObject *result = fields ? PyObject_Call(class, fields, NULL) : NULL;
    Py_XDECREF(fields);
    return result;
}

PyObject *request_result(request *r)
{
    PyObject *out = r->argument[ARGUMENT_out];
    const int n = r->m->output_count;
    if (out) return Py_NewRef(out);
    if (n == 1 && r->m->outputs[0] != ARNE_ARRAY_pose) return unwrapped(r, 0);
    PyObject *class = result_class(r), *fields = class ? PyTuple_New(n) : NULL;
    for (int i = 0; i < n && fields; i++) {
        PyObject *field = unwrapped(r, i);
        if (!field || PyTuple_SetItem(fields, i, field)) Py_CLEAR(fields);
    }
    PyObject *result = fields ? PyObject_Call(class, fields, NULL) : NULL;
    Py_XDECREF(fields);
    return result;
}

// ---- one state ----

static void point_in(request *r, one_state *at, double *scratch, const double *zeros)
{
    for (int i = 0; i < VIEW_COUNT; i++) {
        at->in[i] = NULL;
        if (!(r->has >> i & 1)) {
            if (r->m->zeros >> i & 1) at->in[i] = zeros;
            continue;
        }
        if (view_is_plain(&r->in[i], &r->in_item[i])) {
            at->in[i] = r->in[i].buffer.buf;
            continue;
        }
        view_read(&r->in[i], &r->in_item[i], 0, NULL, scratch);
        at->in[i] = scratch;
        scratch += r->in_item[i].count;
    }
}

// Returns where results are made beside the arrays that are given, as these overlap or are no plain
// doubles.
static int point_out(request *r, one_state *at, double *scratch)
{
    int beside = r->argument[ARGUMENT_out] && request_overlaps(r);
    for (int i = 0; i < r->m->output_count; i++)
        beside |= !view_is_plain(&r->out[i], &r->out_item[i]);
    for (int i = 0; i < r->m->output_count; i++) {
        at->out[i] = beside ? scratch : r->out[i].buffer.buf;
        scratch += r->out_item[i].count;
    }
    return beside;
}

static size_t scratch_size(const request *r)
{
    size_t size = (size_t)(r->self->size.v_count + 1);
    for (int i = 0; i < VIEW_COUNT; i++)
        if (r->has >> i & 1) size += (size_t)r->in_item[i].count;
    for (int i = 0; i < r->m->output_count; i++)
        size += (size_t)r->out_item[i].count;
    return size;
}

static int run_one(request *r, double *scratch)
{
    const size_t n = (size_t)r->self->size.v_count + 1;
    one_state    at;
    arne_error   error = {0};
    if (r->m->zeros) memset(scratch, 0, n * sizeof *scratch);
    const int beside = point_out(r, &at, scratch + n);
    size_t    used = n;
    for (int i = 0; i < r->m->output_count; i++)
        used += (size_t)r->out_item[i].count;
    point_in(r, &at, scratch + used, scratch);
    if (at.in[IN_quaternion] && !quaternion_is_unit("quaternion", at.in[IN_quaternion])) return -1;
    arne_work      *work = work_take(r->self);
    arne_loop_work *loop = work && r->self->closed ? loop_take(r->self) : NULL;
    if (!work || (r->self->closed && !loop)) {
        if (work) work_give(r->self, work);
        return -1;
    }
    if (r->what.base_moves) {
        arne_work_set_base(r->self->robot, work, &r->what.base, &r->what.base_velocity,
                           &r->what.base_acceleration);
        arne_work_set_base_jerk(r->self->robot, work, &r->what.base_jerk);
    }
    const arne_status status = single_run(r->self, r->m, &r->what, work, loop, &at, &error);
    if (r->what.base_moves) arne_work_set_base(r->self->robot, work, NULL, NULL, NULL);
    if (loop) loop_give(r->self, loop);
    work_give(r->self, work);
    if (status) {
        raise_error(status, &error);
        return -1;
    }
    for (int i = 0; i < r->m->output_count && beside; i++)
        view_write(&r->out[i], &r->out_item[i], 0, NULL, at.out[i]);
    return 0;
}

static int make_outputs(request *r)
{
    for (int i = 0; i < r->m->output_count; i++) {
        PyObject   *shape = r->self->shapes[r->m->outputs[i]];
        const item *usual = &r->self->items[r->m->outputs[i]];
        if (usual->rank == r->out_item[i].rank && usual->count == r->out_item[i].count)
            r->result[i] = PyObject_Call(r->state->empty, shape, NULL);
        else {
            PyObject *own = PyTuple_New(r->out_item[i].rank);
            for (int k = 0; k < r->out_item[i].rank && own; k++)
                PyTuple_SetItem(own, k, PyLong_FromSsize_t(r->out_item[i].shape[k]));
            r->result[i] = own ? PyObject_CallFunctionObjArgs(r->state->empty, own, NULL) : NULL;
            Py_XDECREF(own);
        }
        if (!r->result[i] || view_open_output(r->result[i], "out", &r->out[i])) return -1;
        r->out_open++;
    }
    return 0;
}

static int one_run(request *r)
{
    double    stack[SCRATCH], *scratch = stack;
    PyObject *out = r->argument[ARGUMENT_out];
    if (out ? outputs_take(r, out) : make_outputs(r)) return -1;
    for (int i = 0; i < r->m->output_count; i++)
        if (view_leading(&r->out[i], &r->out_item[i])) {
            PyErr_SetString(PyExc_ValueError,
                            "out: the inputs are of one state, this array has room for many");
            return -1;
        }
    const size_t size = scratch_size(r);
    if (size > SCRATCH) scratch = malloc(size * sizeof *scratch);
    if (!scratch) return PyErr_NoMemory() ? 0 : -1;
    const int failed = run_one(r, scratch);
    if (scratch != stack) free(scratch);
    return failed;
}

// ---- the call ----

static int is_one(const request *r)
{
    for (int i = 0; r->has >> i; i++)
        if (r->has >> i & 1 && view_leading(&r->in[i], &r->in_item[i])) return 0;
    return 1;
}

static PyObject *general_call(const method *m, PyObject *self, PyObject *const *args,
                              Py_ssize_t given, PyObject *keywords)
{
    request r;
    r.self = (robot_object *)self;
    r.state = r.self->state;
    r.m = m;
    r.has = 0;
    r.out_open = 0;
    r.f_ext = NULL;
    memset(&r.what, 0, sizeof r.what);
    for (int i = 0; i < m->output_count; i++)
        r.result[i] = NULL;
    PyObject *result = NULL;
    if (arguments_take(&r, args, given, keywords)) return NULL;
    PyObject *q = r.argument[ARNE_ARRAY_q];
    if ((PyObject *)Py_TYPE(q) != r.state->ndarray && gpu_is_array(q))
        result = asked_take(&r) ? NULL : gpu_run(&r);
    else if (asked_take(&r) == 0 && world_refuse(&r) == 0 && open_inputs(&r) == 0) {
        find_items(&r);
        if ((is_one(&r) ? one_run(&r) : many_run(&r)) == 0) result = request_result(&r);
    }
    close_all(&r);
    return result;
}

PyObject *method_call(const method *m, PyObject *self, PyObject *const *args, Py_ssize_t given,
                      PyObject *keywords)
{
    PyObject *quick = quick_call(m, self, args, given, keywords);
    if (quick || PyErr_Occurred()) return quick;
    return general_call(m, self, args, given, keywords);
}

// Arrays in the memory of a CUDA device: seen through __cuda_array_interface__ or DLPack by
// arne/_gpu.py, which knows the libraries they come from; here they go to the kernels as they lie,
// without a copy.
#include "call.h"
#include <stdlib.h>
#include <string.h>

// ---- recognising them ----

enum { DLPACK_CUDA = 2, DLPACK_MANAGED = 13 };

static int is_dlpack_cuda(PyObject *object)
{
    PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
    long      kind = 0;
    if (device && PyTuple_Check(device) && PyTuple_Size(device) == 2)
        kind = PyLong_AsLong(PyTuple_GetItem(device, 0));
    Py_XDECREF(device);
    PyErr_Clear();
    return kind == DLPACK_CUDA || kind == DLPACK_MANAGED;
}

int gpu_is_array(PyObject *object)
{
    if (PyList_Check(object) || PyTuple_Check(object) || PyUnicode_Check(object)) return 0;
    if (PyObject_HasAttrString(object, "__cuda_array_interface__")) return 1;
    return PyObject_HasAttrString(object, "__dlpack_device__") && is_dlpack_cuda(object);
}

// ---- DLPack ----

// As github.com/dmlc/dlpack has them, before version 1.
typedef struct dl_tensor {
    void    *data;
    int32_t  device_type, device_id, ndim;
    uint8_t  code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_tensor;

// (address, shape, strides in entries or None, code, bits) of a capsule that stays alive
PyObject *dlpack_facts(PyObject *module, PyObject *capsule)
{
    const dl_tensor *t = PyCapsule_GetPointer(capsule, "dltensor");
    (void)module;
    if (!t) return NULL;
    PyObject *shape = PyTuple_New(t->ndim);
    PyObject *strides = t->strides ? PyTuple_New(t->ndim) : Py_NewRef(Py_None);
    for (int i = 0; i < t->ndim && shape && strides; i++) {
        PyTuple_SetItem(shape, i, PyLong_FromLongLong(t->shape[i]));
        if (t->strides) PyTuple_SetItem(strides, i, PyLong_FromLongLong(t->strides[i]));
    }
    PyObject *at = PyLong_FromVoidPtr((char *)t->data + t->byte_offset);
    if (!shape || !strides || !at) return NULL;
    return Py_BuildValue("(NNNii)", at, shape, strides, t->lanes == 1 ? t->code : -1, t->bits);
}

// ---- objects on the device that are lent to calls ----

struct lent_gpu {
    arne_gpu      *gpu;
    arne_precision precision;
    void          *stream; // of its last run
};

void gpu_free(lent_gpu *l)
{
    if (!l) return;
    arne_gpu_free(l->gpu);
    free(l);
}

// Its memory is that of one run at a time: on another stream it waits for the run before.
static arne_status gpu_take(robot_object *self, arne_precision precision, void *stream,
                            lent_gpu **out, arne_error *error)
{
    lent_gpu   *l = atomic_exchange(&self->gpu, NULL);
    arne_status status = ARNE_OK;
    if (l && l->precision != precision) {
        gpu_free(l);
        l = NULL;
    }
    if (l && l->stream != stream) status = arne_gpu_wait(l->gpu, l->stream, error);
    if (!l) {
        l = calloc(1, sizeof *l);
        const arne_gpu_options options = {.size = sizeof options, .precision = precision};
        status = l ? arne_gpu_new(self->robot, &options, &l->gpu, error) : ARNE_NO_MEMORY;
    }
    if (status) {
        gpu_free(l);
        return status;
    }
    l->precision = precision;
    l->stream = stream;
    *out = l;
    return ARNE_OK;
}

// ---- the call ----

static int refuse(const request *r, const char *why)
{
    PyErr_Format(PyExc_NotImplementedError, "%s: %s", r->m->name, why);
    return -1;
}

static int check(const request *r)
{
    if (!(arne_catalogue_algorithm(r->m->algorithm)->has & ARNE_HAS_GPU))
        return refuse(r, "does not run on a GPU");
    if (r->m->outputs[0] == ARNE_ARRAY_Jdot) // no kernel makes what is made on request only
        return refuse(r, "does not run on a GPU");
    if (r->self->closed) return refuse(r, "robots with loops do not run on a GPU");
    const int pushed = r->m->inputs >> ARNE_ARRAY_f_ext & 1 && r->argument[ARNE_ARRAY_f_ext];
    if (r->what.base_moves || r->what.load_count || r->f_ext || pushed)
        return refuse(r, "wrenches and a moving base are not there on a GPU");
    if (r->what.matrix || r->what.each_torque || r->what.holding ||
        r->what.kind != ARNE_ACCELERATION_CLASSICAL)
        return refuse(r, "not in this form on a GPU");
    return 0;
}

static PyObject *shape_of(const item *shape)
{
    PyObject *tuple = PyTuple_New(shape->rank);
    for (int i = 0; i < shape->rank && tuple; i++)
        PyTuple_SetItem(tuple, i, PyLong_FromSsize_t(shape->shape[i]));
    return tuple;
}

// Whether an input goes to the kernel: it is given, or zero where it is not.
static int goes_in(const request *r, int i)
{
    return r->m->inputs >> i & 1 && (r->argument[i] || r->m->zeros >> i & 1);
}

// Others have no policy and no heights among their arguments.
static int takes_steps(const request *r)
{
    return (arne_catalogue_algorithm(r->m->algorithm)->takes & ARNE_TAKES_STEPS) != 0;
}

// One more, whose shape is taken over; NULL with an exception set.
static PyObject *list_more(PyObject *list, const char *name, PyObject *array, PyObject *shape)
{
    PyObject *tuple = shape ? PySequence_Tuple(shape) : NULL;
    PyObject *entry = tuple ? Py_BuildValue("(sOO)", name, array, tuple) : NULL;
    if (!entry || PyList_Append(list, entry)) Py_CLEAR(list);
    Py_XDECREF(entry);
    Py_XDECREF(tuple);
    Py_XDECREF(shape);
    return list;
}

// [(name, array or None for zeros, shape of one state), ...]
static PyObject *list_inputs(const request *r)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; i < INPUT_COUNT && list; i++) {
        if (!goes_in(r, i)) continue;
        PyObject *entry =
            Py_BuildValue("(sON)", argument_name(i), r->argument[i] ? r->argument[i] : Py_None,
                          shape_of(&r->self->items[i]));
        if (!entry || PyList_Append(list, entry)) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    if (!takes_steps(r)) return list;
    if (list && r->argument[ARGUMENT_policy])
        list = list_more(list, "policy", r->argument[ARGUMENT_policy],
                         Py_BuildValue("(n)", world_weights(r)));
    if (list && r->argument[ARGUMENT_heights])
        list = list_more(list, "heights", r->argument[ARGUMENT_heights],
                         PyObject_GetAttrString(r->argument[ARGUMENT_heights], "shape"));
    return list;
}

static PyObject *list_outputs(const request *r)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; i < r->m->output_count && list; i++) {
        const item shape = output_item(r->self, r->m, i);
        PyObject  *entry =
            Py_BuildValue("(sN)", arne_catalogue_array(r->m->outputs[i])->name, shape_of(&shape));
        if (!entry || PyList_Append(list, entry)) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

// What arne/_gpu.py makes of them: (is_float, count, stream, waits, inputs, outputs, results,
// keep), with (address, entry, state) for each array.
static PyObject *prepare(const request *r)
{
    PyObject *module = PyImport_ImportModule("arne._gpu");
    PyObject *in = list_inputs(r), *out = list_outputs(r), *result = NULL;
    if (module && in && out)
        result =
            PyObject_CallMethod(module, "prepare", "OOO", in, out,
                                r->argument[ARGUMENT_out] ? r->argument[ARGUMENT_out] : Py_None);
    Py_XDECREF(in);
    Py_XDECREF(out);
    Py_XDECREF(module);
    return result;
}

static int take_place(PyObject *list, Py_ssize_t i, void **at, arne_batch_layout *layout)
{
    unsigned long long address;
    Py_ssize_t         entry, state;
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "Knn", &address, &entry, &state)) return -1;
    *at = (void *)(uintptr_t)address;
    *layout = (arne_batch_layout){entry, state};
    return 0;
}

typedef struct places {
    arne_gpu_inputs   in;
    arne_gpu_outputs  out;
    arne_batch_layout in_layout[ARNE_INPUT_COUNT], out_layout[ARNE_ARRAY_COUNT];
    arne_gpu_policy   policy;
    arne_gpu_field    field;
} places;

// A policy and a height field, behind the inputs in the list.
static int take_shared(const request *r, PyObject *in, Py_ssize_t n, places *p)
{
    arne_batch_layout layout;
    void             *at;
    if (r->argument[ARGUMENT_policy]) {
        if (take_place(in, n++, &at, &p->policy.layout)) return -1;
        p->policy.weights = at;
        p->policy.hidden = r->what.hidden;
        p->policy.holds = r->what.holds;
        p->policy.most = r->what.torque_limits;
        p->in.policy = &p->policy;
    }
    if (!r->argument[ARGUMENT_heights]) return 0;
    if (take_place(in, n, &at, &layout)) return -1;
    if (layout.entry != 1) {
        PyErr_SetString(PyExc_ValueError, "heights: rows that lie one behind the other expected");
        return -1;
    }
    p->field.heights = at;
    PyObject *extents = PyObject_GetAttrString(r->argument[ARGUMENT_heights], "shape");
    PyObject *tuple = extents ? PySequence_Tuple(extents) : NULL;
    const int fine = tuple && PyArg_ParseTuple(tuple, "ii;heights: two dimensions expected",
                                               &p->field.rows, &p->field.columns);
    Py_XDECREF(extents);
    Py_XDECREF(tuple);
    memcpy(p->field.corner, r->what.corner, sizeof p->field.corner);
    memcpy(p->field.spacing, r->what.spacing, sizeof p->field.spacing);
    p->in.field = &p->field;
    return fine ? 0 : -1;
}

static int take_places(const request *r, PyObject *in, PyObject *out, places *p)
{
    Py_ssize_t n = 0;
    void      *at;
    memset(p, 0, sizeof *p);
    p->in.on_device = 1;
    p->in.frame = r->what.frame;
    p->in.axes = r->what.axes;
    p->in.steps = r->what.steps;
    p->in.dt = r->what.dt;
    p->in.method = r->what.integrator;
    p->in.kp = r->what.kp;
    p->in.kd = r->what.kd;
    p->in.sweeps = r->what.sweeps;
    p->in.left_out = r->what.left_out;
    p->in.limit_stiffness = r->what.limit_stiffness;
    p->in.limit_damping = r->what.limit_damping;
    p->in.input_layouts = p->in_layout;
    p->in.output_layouts = p->out_layout;
    for (int i = 0; i < INPUT_COUNT; i++) {
        if (!goes_in(r, i)) continue;
        if (take_place(in, n++, &at, &p->in_layout[i])) return -1;
        arne_gpu_set_input(&p->in, (arne_array)i, at);
    }
    if (takes_steps(r) && take_shared(r, in, n, p)) return -1;
    for (int i = 0; i < r->m->output_count; i++) {
        if (take_place(out, i, &at, &p->out_layout[r->m->outputs[i]])) return -1;
        arne_gpu_set_output(&p->out, r->m->outputs[i], at);
    }
    return 0;
}

static arne_status run(const request *r, const places *p, arne_precision precision, size_t count,
                       void *stream, int waits, arne_error *error)
{
    lent_gpu   *l = NULL;
    arne_status status = gpu_take(r->self, precision, stream, &l, error);
    if (status) return status;
    status = arne_gpu_run(l->gpu, r->m->algorithm, &p->in, &p->out, count, stream, error);
    if (!status && waits) status = arne_gpu_wait(l->gpu, stream, error);
    gpu_free(atomic_exchange(&r->self->gpu, l));
    return status;
}

static int compute(const request *r, PyObject *prepared, PyObject **results)
{
    int                is_float, waits;
    Py_ssize_t         count;
    unsigned long long stream;
    PyObject          *in, *out, *keep;
    arne_error         error = {0};
    arne_status        status = ARNE_OK;
    places             p;
    if (!PyArg_ParseTuple(prepared, "pnKpO!O!O!O", &is_float, &count, &stream, &waits, &PyList_Type,
                          &in, &PyList_Type, &out, &PyList_Type, results, &keep) ||
        take_places(r, in, out, &p))
        return -1;
    if (count == 0) return 0;
    Py_BEGIN_ALLOW_THREADS;
    status = run(r, &p, is_float ? ARNE_PRECISION_FLOAT : ARNE_PRECISION_DOUBLE, (size_t)count,
                 (void *)(uintptr_t)stream, waits, &error);
    Py_END_ALLOW_THREADS;
    if (status) raise_error(status, &error);
    return status ? -1 : 0;
}

PyObject *gpu_run(request *r)
{
    PyObject *results = NULL, *result = NULL;
    PyObject *prepared = check(r) ? NULL : prepare(r);
    if (prepared && compute(r, prepared, &results) == 0) {
        PyObject *out = r->argument[ARGUMENT_out];
        result = out ? Py_NewRef(out) : request_record(r, results);
    }
    Py_XDECREF(prepared);
    return result;
}

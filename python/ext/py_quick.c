// One state, plain arrays: the shortest way. Whatever is not as it should be is left to the general
// way, which also says what is wrong; so nothing is checked less here.
#include "call.h"

enum { QUICK_INPUTS = 6 };

// Arrays in, one array out, nothing else that must be given.
static int is_quick(const method *m, const robot_object *self)
{
    if (!m->quick || self->closed) return 0;
    return 1;
}

void quick_mark(method *m)
{
    m->quick = m->output_count == 1 && m->outputs[0] != ARNE_ARRAY_pose && !m->zeros &&
               m->required <= QUICK_INPUTS;
    for (int i = 0; i < m->required; i++)
        if (m->arguments[i] >= INPUT_COUNT) m->quick = 0;
}

// Whether it is of doubles, of this shape, one after the other.
static int is_plain(const Py_buffer *b, const item *shape)
{
    const char *format = b->format;
    if (!format || format[0] != 'd' || format[1] || b->ndim != shape->rank ||
        (size_t)b->buf % sizeof(double))
        return 0;
    Py_ssize_t step = sizeof(double);
    for (int i = shape->rank - 1; i >= 0; i--) {
        if (b->shape[i] != shape->shape[i] || (b->strides[i] != step && b->shape[i] != 1)) return 0;
        step *= b->shape[i];
    }
    return 1;
}

static int open_plain(PyObject *object, const item *shape, int flags, Py_buffer *out)
{
    if (!PyObject_CheckBuffer(object)) return 0;
    if (PyObject_GetBuffer(object, out, PyBUF_FORMAT | PyBUF_STRIDES | flags)) {
        PyErr_Clear();
        return 0;
    }
    if (is_plain(out, shape)) return 1;
    PyBuffer_Release(out);
    return 0;
}

static int apart(const Py_buffer *out, const Py_buffer *in, int count)
{
    const char *from = out->buf, *to = from + out->len;
    for (int i = 0; i < count; i++) {
        const char *other = in[i].buf;
        if (from < other + in[i].len && other < to) return 0;
    }
    return 1;
}

static PyObject *run(robot_object *self, const method *m, const Py_buffer *in, const Py_buffer *out,
                     PyObject *result)
{
    static const asked nothing = {0};
    one_state          at;
    arne_error         error;
    for (int i = 0; i < VIEW_COUNT; i++)
        at.in[i] = NULL;
    for (int i = 0; i < m->required; i++)
        at.in[m->arguments[i]] = in[i].buf;
    at.out[0] = out->buf;
    arne_work *work = work_take(self);
    if (!work) return NULL;
    error.text[0] = error.file[0] = 0;
    error.line = error.column = 0;
    const arne_status status = single_run(self, m, &nothing, work, NULL, &at, &error);
    work_give(self, work);
    return status ? raise_error(status, &error) : Py_NewRef(result);
}

PyObject *quick_call(const method *m, PyObject *object, PyObject *const *args, Py_ssize_t given,
                     PyObject *keywords)
{
    robot_object *self = (robot_object *)object;
    PyObject     *target = NULL, *result = NULL;
    Py_buffer     in[QUICK_INPUTS], out;
    int           opened = 0;
    if (!is_quick(m, self) || given != m->required) return NULL;
    if (keywords) {
        if (PyTuple_Size(keywords) != 1 ||
            PyTuple_GetItem(keywords, 0) != self->state->keywords[ARGUMENT_out])
            return NULL;
        if (args[given] != Py_None) target = args[given];
    }
    const item shape = self->items[m->outputs[0]];
    if (shape.rank == 0) return NULL;
    while (opened < m->required &&
           open_plain(args[opened], &self->items[m->arguments[opened]], 0, &in[opened]))
        opened++;
    if (opened == m->required) {
        PyObject *made =
            target ? NULL : PyObject_Call(self->state->empty, self->shapes[m->outputs[0]], NULL);
        if ((target || made) && open_plain(target ? target : made, &shape, PyBUF_WRITABLE, &out)) {
            if (made || apart(&out, in, opened))
                result = run(self, m, in, &out, target ? target : made);
            PyBuffer_Release(&out);
        }
        Py_XDECREF(made);
    }
    while (opened > 0)
        PyBuffer_Release(&in[--opened]);
    return result;
}

// Arrays by the buffer protocol: opened, checked, and copied where they must be.
#include "array.h"
#include <string.h>

// ---- opening ----

// The type of a buffer: 'd' or 'f' as they are, 'i' where NumPy must convert, 0 where there are no
// real numbers.
static char type_of(const Py_buffer *b)
{
    const char *format = b->format ? b->format : "B";
    int         foreign = 0;
    if (*format == '>' || *format == '!') foreign = PY_LITTLE_ENDIAN;
    if (*format == '<') foreign = PY_BIG_ENDIAN;
    if (strchr("@=<>!", *format) && *format) format++;
    if (!format[0] || format[1]) return 0;
    if (strchr("bBhHiIlLqQnNeg", *format)) return 'i';
    if (*format != 'd' && *format != 'f') return 0;
    return (char)(foreign ? 'i' : *format);
}

static int refuse(const char *name, PyObject *object)
{
    PyObject *type = PyType_GetName(Py_TYPE(object));
    if (type)
        PyErr_Format(PyExc_TypeError, "%s: an array of real numbers expected, not %U", name, type);
    Py_XDECREF(type);
    return -1;
}

// What is no array: by DLPack, else by numpy.asarray. A failure names the argument.
static PyObject *make_array(const module_state *state, PyObject *object, const char *name)
{
    PyObject *made = NULL;
    if (object == Py_None || PyUnicode_Check(object) || PyBytes_Check(object)) {
        refuse(name, object);
        return NULL;
    }
    if (!PyList_Check(object) && !PyTuple_Check(object) &&
        PyObject_HasAttrString(object, "__dlpack__")) {
        made = PyObject_CallFunctionObjArgs(state->from_dlpack, object, NULL);
        if (made) return made;
        PyErr_Clear(); // such as a tensor that wants its gradient kept
    }
    made = PyObject_CallFunctionObjArgs(state->asarray, object, NULL);
    if (made) return made;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyErr_Format(PyErr_GivenExceptionMatches(type, PyExc_ValueError) ? PyExc_ValueError
                                                                     : PyExc_TypeError,
                 "%s: %S", name, value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return NULL;
}

static int open_buffer(PyObject *object, const char *name, int flags, view *out)
{
    if (PyObject_GetBuffer(object, &out->buffer, flags)) return -1;
    if (out->buffer.ndim > MOST_DIMENSIONS) {
        PyBuffer_Release(&out->buffer);
        PyErr_Format(PyExc_ValueError, "%s: an array of %d dimensions", name, out->buffer.ndim);
        return -1;
    }
    out->open = 1;
    out->type = type_of(&out->buffer);
    return 0;
}

// Integers and foreign byte orders, and lists: an array of doubles is made of them.
static int open_made(const module_state *state, PyObject *object, const char *name, view *out)
{
    out->made = PyObject_CheckBuffer(object) ? Py_NewRef(object) : make_array(state, object, name);
    if (!out->made) return -1;
    if (open_buffer(out->made, name, PyBUF_FORMAT | PyBUF_STRIDES, out)) return -1;
    if (out->type == 'd' || out->type == 'f') return 0;
    if (!out->type) return refuse(name, object);
    PyBuffer_Release(&out->buffer);
    out->open = 0;
    PyObject *doubles =
        PyObject_CallFunctionObjArgs(state->asarray, out->made, state->float64, NULL);
    Py_SETREF(out->made, doubles);
    if (!doubles) return -1;
    return open_buffer(doubles, name, PyBUF_FORMAT | PyBUF_STRIDES, out);
}

int view_open(const module_state *state, PyObject *object, const char *name, view *out)
{
    out->name = name;
    out->made = NULL;
    out->open = 0;
    if (PyObject_CheckBuffer(object) && !PyBytes_Check(object) && !PyByteArray_Check(object)) {
        if (open_buffer(object, name, PyBUF_FORMAT | PyBUF_STRIDES, out)) {
            if (!PyErr_ExceptionMatches(PyExc_ValueError) && // such as dates, which have no format
                !PyErr_ExceptionMatches(PyExc_BufferError))
                return -1;
            PyErr_Clear();
            return refuse(name, object);
        }
        if (out->type == 'd' || out->type == 'f') return 0;
        PyBuffer_Release(&out->buffer);
        out->open = 0;
    }
    if (PyBytes_Check(object) || PyByteArray_Check(object)) return refuse(name, object);
    if (open_made(state, object, name, out)) {
        view_close(out);
        return -1;
    }
    return 0;
}

int view_open_output(PyObject *object, const char *name, view *out)
{
    out->name = name;
    out->made = NULL;
    out->open = 0;
    if (!PyObject_CheckBuffer(object)) return refuse(name, object);
    if (open_buffer(object, name, PyBUF_FORMAT | PyBUF_STRIDES | PyBUF_WRITABLE, out)) {
        if (PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_BufferError)) {
            PyErr_Clear();
            PyErr_Format(PyExc_ValueError, "%s: a writable array expected", name);
        }
        return -1;
    }
    if (out->type == 'd' || out->type == 'f') return 0;
    view_close(out);
    PyErr_Format(PyExc_TypeError, "%s: an array of float64 or float32 expected", name);
    return -1;
}

void view_close(view *v)
{
    if (v->open) PyBuffer_Release(&v->buffer);
    Py_CLEAR(v->made);
    v->open = 0;
}

// ---- shapes ----

int view_is_plain(const view *v, const item *shape)
{
    const Py_buffer *b = &v->buffer;
    if (v->type != 'd' || b->ndim != shape->rank || (size_t)b->buf % sizeof(double)) return 0;
    Py_ssize_t step = sizeof(double);
    for (int i = shape->rank - 1; i >= 0; i--) {
        if (b->shape[i] != shape->shape[i]) return 0;
        if (b->shape[i] != 1 && b->strides[i] != step) return 0;
        step *= b->shape[i];
    }
    return 1;
}

static PyObject *shape_text(int rank, const Py_ssize_t *shape, const char *before)
{
    PyObject *text = PyUnicode_FromFormat("(%s", before);
    for (int i = 0; i < rank && text; i++) {
        PyObject *longer =
            PyUnicode_FromFormat("%U%s%zd", text, i || *before ? ", " : "", shape[i]);
        Py_SETREF(text, longer);
    }
    if (text) {
        PyObject *whole = PyUnicode_FromFormat(rank == 1 && !*before ? "%U,)" : "%U)", text);
        Py_SETREF(text, whole);
    }
    return text;
}

int view_fits(const view *v, const item *shape)
{
    const Py_buffer *b = &v->buffer;
    const int        leading = view_leading(v, shape);
    int              good = leading >= 0;
    for (int i = 0; i < shape->rank && good; i++)
        good = b->shape[leading + i] == shape->shape[i];
    if (good) return 1;
    PyObject *wanted = shape_text(shape->rank, shape->shape, "...");
    PyObject *given = shape_text(b->ndim, b->shape, "");
    if (wanted && given)
        PyErr_Format(PyExc_ValueError, "%s: shape %U expected, %U given", v->name, wanted, given);
    Py_XDECREF(wanted);
    Py_XDECREF(given);
    return 0;
}

void view_range(const view *v, const char **from, const char **to)
{
    const Py_buffer *b = &v->buffer;
    const char      *low = b->buf, *high = low + b->itemsize;
    for (int i = 0; i < b->ndim; i++) {
        const Py_ssize_t reach = b->shape[i] > 0 ? (b->shape[i] - 1) * b->strides[i] : 0;
        if (reach > 0)
            high += reach;
        else
            low += reach;
        if (b->shape[i] == 0) high = low;
    }
    *from = low;
    *to = high;
}

// ---- strides ----

// Bytes from one state to the next along dimension i of `leading` (rank of them): 0 where the array
// is broadcast.
static Py_ssize_t leading_stride(const view *v, const item *shape, int rank, int i)
{
    const int own = i - rank + view_leading(v, shape);
    if (own < 0 || v->buffer.shape[own] == 1) return 0;
    return v->buffer.strides[own];
}

// One stride that stands for those of several dimensions, or 0 where there is none.
static int flatten(int rank, const Py_ssize_t *shape, const Py_ssize_t *strides, Py_ssize_t *out)
{
    Py_ssize_t step = 0, inner = 1;
    int        found = 0;
    for (int i = rank - 1; i >= 0; i--) {
        if (shape[i] == 1) continue;
        if (!found)
            step = strides[i];
        else if (strides[i] != step * inner)
            return 0;
        found = 1;
        inner *= shape[i];
    }
    *out = step;
    return 1;
}

int view_strides(const view *v, const item *shape, int rank, const Py_ssize_t *leading,
                 ptrdiff_t *entry, ptrdiff_t *state)
{
    Py_ssize_t strides[MOST_DIMENSIONS], in_item, between;
    if (v->type != 'd' || (size_t)v->buffer.buf % sizeof(double)) return 0;
    for (int i = 0; i < rank; i++)
        strides[i] = leading_stride(v, shape, rank, i);
    if (!flatten(shape->rank, shape->shape, v->buffer.strides + view_leading(v, shape), &in_item) ||
        !flatten(rank, leading, strides, &between))
        return 0;
    if (in_item % (Py_ssize_t)sizeof(double) || between % (Py_ssize_t)sizeof(double)) return 0;
    *entry = in_item / (Py_ssize_t)sizeof(double);
    *state = between / (Py_ssize_t)sizeof(double);
    return 1;
}

// ---- copying ----

// Walks over all dimensions, the last one fastest; `at` are bytes of the view, `own` doubles one
// after the other.
typedef struct walk {
    int        rank, writes;
    char       type;
    Py_ssize_t shape[MOST_DIMENSIONS + ITEM_DIMENSIONS], strides[MOST_DIMENSIONS + ITEM_DIMENSIONS];
} walk;

static void move_number(const walk *w, char *at, double *own)
{
    float single;
    if (w->type == 'd' && w->writes)
        memcpy(at, own, sizeof *own);
    else if (w->type == 'd')
        memcpy(own, at, sizeof *own);
    else if (w->writes) {
        single = (float)*own;
        memcpy(at, &single, sizeof single);
    } else {
        memcpy(&single, at, sizeof single);
        *own = single;
    }
}

static double *walk_on(const walk *w, int dimension, char *at, double *own)
{
    if (dimension == w->rank) {
        move_number(w, at, own);
        return own + 1;
    }
    for (Py_ssize_t i = 0; i < w->shape[dimension]; i++, at += w->strides[dimension]) {
        if (dimension + 1 < w->rank)
            own = walk_on(w, dimension + 1, at, own);
        else
            move_number(w, at, own++);
    }
    return own;
}

static void move(const view *v, const item *shape, int rank, const Py_ssize_t *leading, int writes,
                 double *own)
{
    walk      w = {.rank = rank + shape->rank, .writes = writes, .type = v->type};
    const int first = view_leading(v, shape);
    for (int i = 0; i < rank; i++) {
        w.shape[i] = leading[i];
        w.strides[i] = leading_stride(v, shape, rank, i);
    }
    for (int i = 0; i < shape->rank; i++) {
        w.shape[rank + i] = shape->shape[i];
        w.strides[rank + i] = v->buffer.strides[first + i];
    }
    walk_on(&w, 0, v->buffer.buf, own);
}

void view_read(const view *v, const item *shape, int rank, const Py_ssize_t *leading, double *to)
{
    move(v, shape, rank, leading, 0, to);
}

void view_write(const view *v, const item *shape, int rank, const Py_ssize_t *leading,
                const double *from)
{
    move(v, shape, rank, leading, 1, (double *)(uintptr_t)from); // only read where writes is set
}

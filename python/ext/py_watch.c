// Runs that take long, and callbacks into Python from them.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): clock_gettime
#include "array.h"
#include "watch.h"
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void watch_begin(watch *w, PyObject *tick)
{
    *w = (watch){.tick = tick == Py_None ? NULL : tick, .caller = PyThread_get_thread_ident()};
    w->thread = PyEval_SaveThread();
}

void watch_end(watch *w)
{
    PyEval_RestoreThread(w->thread);
    w->thread = NULL;
}

void watch_enter(watch *w)
{
    w->inside = w->thread != NULL; // else the caller has not let go of the GIL yet
    if (w->inside) PyEval_RestoreThread(w->thread);
}

int watch_leave(watch *w)
{
    const int raised = PyErr_Occurred() != NULL;
    if (raised && !w->type)
        PyErr_Fetch(&w->type, &w->value, &w->trace);
    else if (raised)
        PyErr_Clear();
    w->stopped |= raised;
    if (w->inside) w->thread = PyEval_SaveThread();
    return raised;
}

int watch_stop(void *context)
{
    watch *w = context;
    if (w->stopped || PyThread_get_thread_ident() != w->caller) return w->stopped;
    const double now = seconds();
    if (now - w->last < 0.05) return 0;
    w->last = now;
    watch_enter(w);
    if (PyErr_CheckSignals() == 0 && w->tick) {
        PyObject *answer = w->before ? PyObject_CallFunction(w->tick, "O", w->before)
                                     : PyObject_CallFunction(w->tick, "d", w->part);
        Py_XDECREF(answer);
    }
    watch_leave(w);
    return w->stopped;
}

int watch_raise(watch *w)
{
    Py_CLEAR(w->before);
    if (!w->type) return 0;
    PyErr_Restore(w->type, w->value, w->trace);
    w->type = w->value = w->trace = NULL;
    return 1;
}

PyObject *take_exception(void)
{
    PyObject *type, *value, *trace;
    if (!PyErr_Occurred()) return Py_NewRef(Py_None);
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace) PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
}

// ---- numbers ----

PyObject *array_of(const module_state *state, const double *x, Py_ssize_t count, Py_ssize_t columns)
{
    PyObject *array = columns
                          ? PyObject_CallFunction(state->empty, "((nn))", count / columns, columns)
                          : PyObject_CallFunction(state->empty, "n", count);
    Py_buffer b;
    if (!array) return NULL;
    if (PyObject_GetBuffer(array, &b, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)) {
        Py_DECREF(array);
        return NULL;
    }
    memcpy(b.buf, x, (size_t)count * sizeof *x);
    PyBuffer_Release(&b);
    return array;
}

int numbers_of(const module_state *state, PyObject *given, const char *name, Py_ssize_t count,
               double *out)
{
    view       v;
    Py_ssize_t size = 1;
    if (view_open(state, given, name, &v)) return -1;
    for (int i = 0; i < v.buffer.ndim; i++)
        size *= v.buffer.shape[i];
    const int fits = size == count && v.buffer.ndim <= ITEM_DIMENSIONS;
    if (fits) {
        item shape = {.rank = v.buffer.ndim, .count = size};
        for (int i = 0; i < v.buffer.ndim; i++)
            shape.shape[i] = v.buffer.shape[i];
        view_read(&v, &shape, 0, NULL, out);
    } else {
        PyErr_Format(PyExc_ValueError, "%s: %zd numbers expected, %zd given", name, count, size);
    }
    view_close(&v);
    return fits ? 0 : -1;
}

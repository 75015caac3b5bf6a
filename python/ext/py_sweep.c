// Sweeps: all rows into a folder, or some of them here, for an executor of somebody else's.
#include "watch.h"

#include <arne/sweep.h>
#include <stdlib.h>
#include <string.h>

static void on_progress(void *context, const arne_sweep_progress *p)
{
    ((watch *)context)->part = p->rows ? (double)p->done / (double)p->rows : 1;
}

// The sweep of a file; NULL with an exception set.
static arne_sweep *read_sweep(PyObject *path)
{
    PyObject          *warnings = PyList_New(0), *mistakes = PyList_New(0);
    arne_build_options build = {.warn = keep_warning,
                                .warn_context = warnings,
                                .fail = keep_mistake,
                                .fail_context = mistakes};
    arne_sweep        *sweep = NULL;
    arne_error         error = {0};
    const arne_status  status = warnings && mistakes
                                    ? arne_sweep_read(PyBytes_AsString(path), &build, &sweep, &error)
                                    : ARNE_NO_MEMORY;
    if (status) raise_mistakes(status, &error, mistakes);
    if (!status && tell_warnings(warnings, 0)) {
        arne_sweep_free(sweep);
        sweep = NULL;
    }
    Py_XDECREF(warnings);
    Py_XDECREF(mistakes);
    return sweep;
}

// sweep(path, out, jobs, tick, resume, retry)
PyObject *run_sweep(PyObject *module, PyObject *args)
{
    PyObject  *path = NULL, *out = NULL, *tick, *result = NULL;
    int        jobs, resume, retry;
    arne_error error = {0};
    watch      w;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O&iOpp", PyUnicode_FSConverter, &path, PyUnicode_FSConverter,
                          &out, &jobs, &tick, &resume, &retry)) {
        Py_XDECREF(path);
        return NULL;
    }
    arne_sweep *sweep = read_sweep(path);
    if (sweep) {
        watch_begin(&w, tick);
        const arne_sweep_options how = {.jobs = jobs,
                                        .alone = 1,
                                        .resume = resume,
                                        .retry = retry,
                                        .progress = on_progress,
                                        .context = &w,
                                        .stop = watch_stop,
                                        .stop_context = &w,
                                        .page = 1};
        const arne_status status = arne_sweep_run(sweep, PyBytes_AsString(out), &how, NULL, &error);
        watch_end(&w);
        if (!watch_raise(&w) && status) raise_error(status, &error);
        if (!PyErr_Occurred()) result = Py_NewRef(Py_None);
    }
    arne_sweep_free(sweep);
    Py_DECREF(path);
    Py_DECREF(out);
    return result;
}

static PyObject *strings(const arne_sweep *sweep, const char *(*text)(const arne_sweep *, int))
{
    const int count = arne_sweep_parameters(sweep) + arne_sweep_figures(sweep);
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        PyObject *one = PyUnicode_FromString(text(sweep, i));
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

// sweep_facts(path): rows, parameters, names, units
PyObject *sweep_facts(PyObject *module, PyObject *path)
{
    PyObject *bytes = NULL, *result = NULL;
    (void)module;
    if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
    arne_sweep *sweep = read_sweep(bytes);
    PyObject   *names = sweep ? strings(sweep, arne_sweep_name) : NULL;
    PyObject   *units = names ? strings(sweep, arne_sweep_unit) : NULL;
    if (units)
        result = Py_BuildValue("liOO", arne_sweep_rows(sweep), arne_sweep_parameters(sweep), names,
                               units);
    Py_XDECREF(names);
    Py_XDECREF(units);
    arne_sweep_free(sweep);
    Py_DECREF(bytes);
    return result;
}

// sweep_rows(path, start, stop): lines of the table
PyObject *sweep_rows(PyObject *module, PyObject *args)
{
    PyObject  *path = NULL, *lines = NULL;
    long       start, stop;
    arne_error error = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O&ll", PyUnicode_FSConverter, &path, &start, &stop)) return NULL;
    arne_sweep *sweep = read_sweep(path);
    if (sweep) lines = PyList_New(0);
    for (long row = start; lines && row < stop; row++) {
        char       *line = NULL;
        arne_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = arne_sweep_row(sweep, row, NULL, &line, &error);
        Py_END_ALLOW_THREADS;
        PyObject *text =
            status ? NULL : PyUnicode_DecodeUTF8(line, (Py_ssize_t)strlen(line), "replace");
        if (status) raise_error(status, &error);
        if (!text || PyList_Append(lines, text) != 0 || PyErr_CheckSignals() != 0) Py_CLEAR(lines);
        Py_XDECREF(text);
        free(line);
    }
    arne_sweep_free(sweep);
    Py_DECREF(path);
    return lines;
}

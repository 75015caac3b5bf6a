// Recorded motions: coordinates from markers, torques with measured forces.
#include "facts.h"
#include "watch.h"
#include <arne/capture.h>
#include <stdlib.h>

// A path, or NULL for None; 0 after an exception.
static int capture_path(PyObject *given, PyObject **bytes, const char **path)
{
    *bytes = NULL;
    *path = NULL;
    if (given == Py_None) return 1;
    if (!PyUnicode_FSConverter(given, bytes)) return 0;
    *path = PyBytes_AsString(*bytes);
    return 1;
}

// Names and weights of a dict; 0 after an exception.
static int capture_weights(PyObject *given, const char **names, double *weights)
{
    PyObject  *key, *value;
    Py_ssize_t at = 0;
    for (int i = 0; PyDict_Next(given, &at, &key, &value); i++) {
        names[i] = PyUnicode_AsUTF8AndSize(key, NULL);
        weights[i] = PyFloat_AsDouble(value);
        if (!names[i] || PyErr_Occurred()) return 0;
    }
    return 1;
}

static PyObject *capture_track(const robot_object *self, const char *file,
                               const arne_tracking_options *options)
{
    arne_table *markers = NULL, *coordinates = NULL, *errors = NULL;
    arne_error  error = {0};
    arne_status status;
    PyObject   *result = NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = arne_table_read_csv(file, &markers, &error);
    if (!status) status = arne_track(self->robot, markers, options, &coordinates, &errors, &error);
    Py_END_ALLOW_THREADS;
    if (status) raise_error(status, &error);
    PyObject *q = status ? NULL : table_facts(self->state, coordinates);
    PyObject *e = status ? NULL : table_facts(self->state, errors);
    if (q && e) result = PyTuple_Pack(2, q, e);
    Py_XDECREF(q);
    Py_XDECREF(e);
    arne_table_free(markers);
    arne_table_free(coordinates);
    arne_table_free(errors);
    return result;
}

// _track(markers, tasks, weights): weights is a dict
PyObject *robot_track(PyObject *object, PyObject *args)
{
    PyObject   *file = NULL, *tasks = NULL, *given, *weights, *result = NULL;
    const char *path = NULL;
    if (!PyArg_ParseTuple(args, "O&OO!", PyUnicode_FSConverter, &file, &given, &PyDict_Type,
                          &weights))
        return NULL;
    const size_t          count = (size_t)PyDict_Size(weights);
    const char          **names = malloc((count + 1) * sizeof *names);
    double               *numbers = malloc((count + 1) * sizeof *numbers);
    arne_tracking_options how = {.count = (int)count, .names = names, .weights = numbers};
    if (!names || !numbers)
        PyErr_NoMemory();
    else if (capture_path(given, &tasks, &path) && capture_weights(weights, names, numbers)) {
        how.tasks = path;
        result = capture_track((robot_object *)object, PyBytes_AsString(file), &how);
    }
    free(names);
    free(numbers);
    Py_XDECREF(tasks);
    Py_DECREF(file);
    return result;
}

// (time, q, qd, qdd, tau) of a recording
static PyObject *capture_arrays(const robot_object *self, const arne_recording *r,
                                const double *tau)
{
    const Py_ssize_t all = (Py_ssize_t)r->rows * r->columns;
    return Py_BuildValue("(NNNNN)", array_of(self->state, r->time, r->rows, 0),
                         array_of(self->state, r->x, all, r->columns),
                         array_of(self->state, r->rate, all, r->columns),
                         array_of(self->state, r->second, all, r->columns),
                         array_of(self->state, tau, all, r->columns));
}

// _recorded(motion, loads, cutoff)
PyObject *robot_recorded(PyObject *object, PyObject *args)
{
    const robot_object *self = (robot_object *)object;
    PyObject           *file = NULL, *bytes = NULL, *given, *result = NULL;
    const char         *path = NULL;
    double              cutoff, *tau = NULL;
    arne_recording      r = {0};
    arne_loads         *loads = NULL;
    arne_error          error = {0};
    arne_status         status = ARNE_OK;
    if (!PyArg_ParseTuple(args, "O&Od", PyUnicode_FSConverter, &file, &given, &cutoff)) return NULL;
    if (capture_path(given, &bytes, &path)) {
        Py_BEGIN_ALLOW_THREADS;
        if (path) status = arne_loads_read(self->robot, path, &loads, &error);
        if (!status)
            status =
                arne_recording_read(self->robot, PyBytes_AsString(file), cutoff, &r, NULL, &error);
        if (!status) tau = malloc(((size_t)r.rows * (size_t)r.columns + 1) * sizeof *tau);
        if (tau) status = arne_recording_dynamics(self->robot, &r, loads, tau, &error);
        Py_END_ALLOW_THREADS;
        if (status)
            raise_error(status, &error);
        else
            result = tau ? capture_arrays(self, &r, tau) : PyErr_NoMemory();
    }
    free(tau);
    arne_loads_free(loads);
    arne_recording_free(&r);
    Py_XDECREF(bytes);
    Py_DECREF(file);
    return result;
}

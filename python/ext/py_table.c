// Tables and pages of runs.
#include "facts.h"
#include "watch.h"
#include <stdlib.h>
#include <string.h>

PyObject *table_facts(const module_state *state, const arne_table *table)
{
    const int columns = arne_table_columns(table), rows = arne_table_rows(table);
    PyObject *names = PyList_New(columns), *units = PyList_New(columns), *array = NULL;
    double   *all = malloc(((size_t)rows * (size_t)columns + 1) * sizeof *all);
    for (int i = 0; i < columns && names && units; i++) {
        const char *name = arne_table_name(table, i), *unit = arne_table_unit(table, i);
        PyList_SetItem(names, i, PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace"));
        PyList_SetItem(units, i, PyUnicode_DecodeUTF8(unit, (Py_ssize_t)strlen(unit), "replace"));
    }
    for (int i = 0; i < rows && all; i++)
        memcpy(all + (size_t)i * (size_t)columns, arne_table_row(table, i),
               (size_t)columns * sizeof *all);
    if (all && columns)
        array = array_of(state, all, (Py_ssize_t)rows * columns, columns);
    else if (!all)
        PyErr_NoMemory();
    free(all);
    PyObject *result = names && units && array ? PyTuple_Pack(3, names, units, array) : NULL;
    Py_XDECREF(names);
    Py_XDECREF(units);
    Py_XDECREF(array);
    return result;
}

PyObject *read_table(PyObject *module, PyObject *given)
{
    PyObject   *path = NULL, *result = NULL;
    arne_table *table = NULL;
    arne_error  error = {0};
    if (!PyUnicode_FSConverter(given, &path)) return NULL;
    const arne_status status = arne_table_read_csv(PyBytes_AsString(path), &table, &error);
    if (status)
        raise_error(status, &error);
    else
        result = table_facts(PyModule_GetState(module), table);
    arne_table_free(table);
    Py_DECREF(path);
    return result;
}

PyObject *write_report(PyObject *module, PyObject *given)
{
    PyObject   *path = NULL;
    arne_error  error = {0};
    arne_status status;
    (void)module;
    if (!PyUnicode_FSConverter(given, &path)) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = arne_report_write(PyBytes_AsString(path), NULL, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    if (status) return raise_error(status, &error);
    Py_RETURN_NONE;
}

// _write_page(path, looks): looks is the robot's file, or None
PyObject *robot_write_page(PyObject *object, PyObject *args)
{
    PyObject       *path = NULL, *looks = NULL, *given;
    Py_buffer       q = {0};
    arne_robot_page page = {0};
    arne_error      error = {0};
    arne_status     status = ARNE_OK;
    if (!PyArg_ParseTuple(args, "O&Oz*", PyUnicode_FSConverter, &path, &given, &q)) return NULL;
    const robot_object *self = (robot_object *)object;
    page.q = q.buf;
    if (q.buf && q.len != self->size.q_count * (Py_ssize_t)sizeof(double)) {
        PyErr_Format(PyExc_ValueError, "q: shape (%d,) expected", self->size.q_count);
    } else if (given == Py_None || PyUnicode_FSConverter(given, &looks)) {
        page.looks = looks ? PyBytes_AsString(looks) : NULL;
        status = arne_report_robot(PyBytes_AsString(path), self->robot, &page, &error);
    }
    if (q.obj) PyBuffer_Release(&q);
    Py_XDECREF(looks);
    Py_DECREF(path);
    if (PyErr_Occurred()) return NULL;
    if (status) return raise_error(status, &error);
    Py_RETURN_NONE;
}

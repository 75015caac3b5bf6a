// What went wrong, as Python says it. The classes are in arne/_errors.py.
#include "ext.h"

static PyObject *class_of(const char *name)
{
    PyObject *module = PyImport_ImportModule("arne._errors");
    PyObject *found = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return found;
}

static const char *code_name(arne_status status)
{
    static const char *const names[] = {
#define NAME(name, text) #name,
        ARNE_STATUS_LIST(NAME)
#undef NAME
    };
    const size_t count = sizeof names / sizeof names[0];
    return (size_t)status < count ? names[status] : "UNKNOWN";
}

PyObject *raise_error(arne_status status, const arne_error *error)
{
    if (status == ARNE_NO_MEMORY) return PyErr_NoMemory();
    const char *text = error && error->text[0] ? error->text : arne_status_text(status);
    const char *file = error ? error->file : "";
    PyObject   *type = class_of("Error");
    PyObject   *value =
        type ? PyObject_CallFunction(type, "ssNii", code_name(status), text,
                                       PyUnicode_DecodeFSDefault(file), error ? error->line : 0,
                                     error ? error->column : 0)
               : NULL;
    if (value) PyErr_SetObject(type, value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    return NULL;
}

void keep_warning(void *context, const arne_warning *w)
{
    if (w->accepted) return; // the file's own business
    PyObject *kept = Py_BuildValue(
        "(sNis)", w->rule, PyUnicode_DecodeFSDefault(w->file ? w->file : ""), w->line, w->text);
    if (!kept || PyList_Append(context, kept)) PyErr_Clear(); // a warning less; memory is short
    Py_XDECREF(kept);
}

int tell_warnings(PyObject *list, int touches)
{
    PyObject *module = PyImport_ImportModule("arne._errors");
    PyObject *done = module && list ? PyObject_CallMethod(module, "tell", "OO", list,
                                                          touches ? Py_True : Py_False)
                                    : NULL;
    Py_XDECREF(module);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

void keep_mistake(void *context, const arne_error *e)
{
    PyObject *file = PyUnicode_DecodeFSDefault(e->file);
    PyObject *kept = !file ? NULL
                     : e->column
                         ? PyUnicode_FromFormat("%U:%d:%d: %s", file, e->line, e->column, e->text)
                     : e->line ? PyUnicode_FromFormat("%U:%d: %s", file, e->line, e->text)
                               : PyUnicode_FromFormat("%U: %s", file, e->text);
    if (!kept || PyList_Append(context, kept))
        PyErr_Clear(); // the first is in the error in any case
    Py_XDECREF(kept);
    Py_XDECREF(file);
}

PyObject *raise_mistakes(arne_status status, const arne_error *error, PyObject *mistakes)
{
    PyObject *type, *value, *trace;
    raise_error(status, error);
    if (!mistakes || PyList_Size(mistakes) < 1) return NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *all = PyList_AsTuple(mistakes);
    if (!all || PyObject_SetAttrString(value, "mistakes", all)) PyErr_Clear();
    Py_XDECREF(all);
    PyErr_Restore(type, value, trace);
    return NULL;
}

// Arrays in the memory of a CUDA device.
#include "call.h"

int gpu_is_array(PyObject *object)
{
    return !PyList_Check(object) && PyObject_HasAttrString(object, "__cuda_array_interface__");
}

PyObject *gpu_run(request *r)
{
    PyErr_Format(PyExc_NotImplementedError, "%s: not on a GPU", r->m->name);
    return NULL;
}

// Algorithms as methods: what the catalogue says of them, as Python calls them.
#ifndef ARNE_PYTHON_METHOD_H
#define ARNE_PYTHON_METHOD_H

#include "array.h"

enum { METHOD_ARGUMENTS = 40, METHOD_OUTPUTS = 8 };

// One method. There is one for each algorithm, and a few more for outputs that are made on request.
typedef struct method {
    char           name[64];
    arne_algorithm algorithm;
    int            argument_count, required, positional;
    int            arguments[METHOD_ARGUMENTS]; // input arrays by their numbers, then ARGUMENT_...
    int            output_count;
    arne_array     outputs[METHOD_OUTPUTS];
    unsigned       inputs; // of the catalogue, that it takes
    unsigned       zeros;  // of these, that are zero where they are not given
    int            holds;  // frames, that are given
    const char    *text;   // what it does
    int            quick;  // takes and gives nothing but arrays: see py_quick.c
    char          *doc;
} method;

// The shape of an array that belongs to one state.
item array_item(const arne_robot *robot, arne_array array);
// Likewise, as this method has it.
item output_item(const robot_object *self, const method *m, int output);

// The definitions of all methods, with those in front; made once. NULL with an exception set.
PyMethodDef *method_definitions(const PyMethodDef *others);
// A list of dicts: what each method takes and gives, for those who write stubs and documents.
PyObject *method_list(void);
// The names of classes of results that have several parts: a tuple.
PyObject   *method_records(void);
const char *argument_name(int argument);

// py_call.c: what all of them do.
PyObject *method_call(const method *m, PyObject *self, PyObject *const *args, Py_ssize_t given,
                      PyObject *keywords);

int robot_prepare(void);

#endif

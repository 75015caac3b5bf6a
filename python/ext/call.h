// A call of a method: its arguments, opened and checked.
#ifndef ARNE_PYTHON_CALL_H
#define ARNE_PYTHON_CALL_H

#include "single.h"

typedef struct request {
    module_state *state;
    robot_object *self;
    const method *m;
    PyObject     *argument[ARGUMENT_COUNT]; // borrowed; NULL: not given
    PyObject     *f_ext;                    // made of `wrench`, or NULL
    view          in[VIEW_COUNT];           // where `has` says so
    unsigned      has;                      // bits of the inputs that are given
    item          in_item[VIEW_COUNT];
    item          out_item[METHOD_OUTPUTS];
    PyObject     *result[METHOD_OUTPUTS]; // arrays, one for each output
    view          out[METHOD_OUTPUTS];
    int           out_open;
    asked         what;
} request;

// py_argument.c: arguments by place or by name; -1 with an exception set.
int arguments_take(request *r, PyObject *const *args, Py_ssize_t given, PyObject *keywords);
// What is the same for all states; asked_free afterwards in any case.
int  asked_take(request *r);
void asked_free(asked *what);

// `count` numbers from an argument; -1 with an exception set.
int argument_numbers(const request *r, int argument, int count, double *out);
// py_world.c: what a rollout has besides: ground, limits, a policy.
int world_take(request *r);
// Whether it runs on the processor; else a NotImplementedError names what does not.
int world_refuse(const request *r);
// How many weights the policy has.
Py_ssize_t world_weights(const request *r);

// Whether x, y, z, w is of unit length; else a ValueError is set.
int quaternion_is_unit(const char *name, const double *h);
// Opens the arrays of `out`.
int outputs_take(request *r, PyObject *out);
// Whether something on the way in lies where something goes out.
int request_overlaps(const request *r);
// The results as Python has them, from r->result; or from a list of arrays.
PyObject *request_result(request *r);
PyObject *request_record(request *r, PyObject *arrays);

// py_quick.c: the call where it is as plain as most are; NULL without an exception where it is not.
PyObject *quick_call(const method *m, PyObject *self, PyObject *const *args, Py_ssize_t given,
                     PyObject *keywords);
void      quick_mark(method *m);

// py_many.c: arrays of states. Allocates the results where they are not given.
int many_run(request *r);

// py_gpu.c: whether an argument lies in the memory of a CUDA device, and the call for such.
int       gpu_is_array(PyObject *object);
PyObject *gpu_run(request *r);
PyObject *dlpack_facts(PyObject *module, PyObject *capsule);

#endif

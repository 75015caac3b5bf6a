// What a rollout has besides torques and a controller: ground, limits, a policy. Most of it is for
// arrays on a GPU.
#include "call.h"
#include <math.h>
#include <stdlib.h>

static int take_number(const request *r, int argument, double *out)
{
    if (!r->argument[argument]) return 0;
    *out = PyFloat_AsDouble(r->argument[argument]);
    return PyErr_Occurred() ? -1 : 0;
}

static int take_whole(const request *r, int argument, long least, long most, int *out)
{
    if (!r->argument[argument]) return 0;
    const long x = PyLong_AsLong(r->argument[argument]);
    if (PyErr_Occurred()) return -1;
    if (x < least || x > most) {
        PyErr_Format(PyExc_ValueError, "%s: from %ld to %ld expected", argument_name(argument),
                     least, most);
        return -1;
    }
    *out = (int)x;
    return 0;
}

// A contact shape by its name or number; -1 with an exception set.
static long shape_index(const request *r, PyObject *given)
{
    const int count = r->self->size.contact_count;
    if (!PyUnicode_Check(given)) {
        const long i = PyLong_AsLong(given);
        if (!PyErr_Occurred() && (i < 0 || i >= count || i >= 64))
            PyErr_Format(PyExc_ValueError, "left_out: there is no contact shape %ld", i);
        return PyErr_Occurred() ? -1 : i;
    }
    for (int i = 0; i < count && i < 64; i++)
        if (PyUnicode_CompareWithASCIIString(given, arne_robot_contact(r->self->robot, i).name) ==
            0)
            return i;
    PyErr_Format(PyExc_ValueError, "left_out: there is no contact shape '%U'", given);
    return -1;
}

static int take_left_out(request *r)
{
    if (!r->argument[ARGUMENT_left_out]) return 0;
    PyObject *list = PySequence_List(r->argument[ARGUMENT_left_out]);
    int       failed = !list;
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(list); i++) {
        const long shape = shape_index(r, PyList_GetItem(list, i));
        failed = shape < 0;
        if (!failed) r->what.left_out |= 1ull << shape;
    }
    Py_XDECREF(list);
    return failed ? -1 : 0;
}

static int take_policy(request *r)
{
    const int n = r->self->size.v_count;
    r->what.holds = 1;
    if (take_whole(r, ARGUMENT_hidden, 0, 1024, &r->what.hidden) ||
        take_whole(r, ARGUMENT_holds, 1, 1000000, &r->what.holds))
        return -1;
    if (!r->argument[ARGUMENT_policy]) return 0;
    if (!r->argument[ARGUMENT_torque_limits]) {
        PyErr_SetString(PyExc_ValueError, "policy: needs torque_limits");
        return -1;
    }
    r->what.torque_limits = malloc(((size_t)n + 1) * sizeof(double));
    if (!r->what.torque_limits) return PyErr_NoMemory() ? 0 : -1;
    return argument_numbers(r, ARGUMENT_torque_limits, n, r->what.torque_limits);
}

static int take_field(request *r)
{
    r->what.spacing[0] = r->what.spacing[1] = 1;
    if (r->argument[ARGUMENT_corner] && argument_numbers(r, ARGUMENT_corner, 2, r->what.corner))
        return -1;
    return r->argument[ARGUMENT_spacing] ? argument_numbers(r, ARGUMENT_spacing, 2, r->what.spacing)
                                         : 0;
}

int world_take(request *r)
{
    const char *wrong = NULL;
    if (take_whole(r, ARGUMENT_sweeps, 0, 1000000, &r->what.sweeps) ||
        take_number(r, ARGUMENT_limit_stiffness, &r->what.limit_stiffness) ||
        take_number(r, ARGUMENT_limit_damping, &r->what.limit_damping) || take_left_out(r) ||
        take_field(r) || take_policy(r))
        return -1;
    if (!r->argument[ARNE_ARRAY_restart] != !r->argument[ARNE_ARRAY_q_start] ||
        !r->argument[ARNE_ARRAY_restart] != !r->argument[ARNE_ARRAY_qd_start])
        wrong = "restart: goes with q_start and qd_start";
    else if (!r->argument[ARNE_ARRAY_ground] &&
             (r->what.sweeps || r->argument[ARGUMENT_heights] || r->what.left_out))
        wrong = "ground: sweeps, heights and left_out need it";
    if (wrong) PyErr_SetString(PyExc_ValueError, wrong);
    return wrong ? -1 : 0;
}

int world_refuse(const request *r)
{
    const int   only[] = {ARGUMENT_policy, ARGUMENT_heights, ARNE_ARRAY_mass_factor};
    const char *name = NULL;
    if (!(arne_catalogue_algorithm(r->m->algorithm)->takes & ARNE_TAKES_STEPS)) return 0;
    for (int i = 0; i < 3; i++)
        if (r->argument[only[i]]) name = argument_name(only[i]);
    if (r->what.sweeps) name = "sweeps";
    if (r->what.left_out) name = "left_out";
    if (r->what.limit_stiffness != 0 || r->what.limit_damping != 0) name = "limit_stiffness";
    if (name)
        PyErr_Format(PyExc_NotImplementedError, "%s: %s is for arrays on a GPU", r->m->name, name);
    return name ? -1 : 0;
}

Py_ssize_t world_weights(const request *r)
{
    const Py_ssize_t n = r->self->size.v_count, h = r->what.hidden;
    return h ? h * (2 * n + 1) + n * (h + 1) : n * (2 * n + 1);
}

// What a robot says about itself: its parts, its table, its parameters.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): open_memstream
#include "facts.h"
#include "info.h" // of the program: the table is its own
#include <stdlib.h>
#include <string.h>

// ---- parts ----

static PyObject *vector(arne_vec3 v) { return Py_BuildValue("(ddd)", v.x, v.y, v.z); }

static PyObject *pose_numbers(const arne_pose *X)
{
    return Py_BuildValue("((ddd)(ddd)(ddd)(ddd))", X->R.x.x, X->R.y.x, X->R.z.x, X->R.x.y, X->R.y.y,
                         X->R.z.y, X->R.x.z, X->R.y.z, X->R.z.z, X->p.x, X->p.y, X->p.z);
}

static PyObject *six(const double *x)
{
    return Py_BuildValue("(dddddd)", x[0], x[1], x[2], x[3], x[4], x[5]);
}

static PyObject *facts_of_joint(const arne_robot *r, int i)
{
    const arne_joint_info j = arne_robot_joint(r, i);
    return Py_BuildValue(
        "{s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:N,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:i,s:d,s:d,s:i,"
        "s:N}",
        "name", j.name, "kind", arne_joint_kind_name(j.kind), "parent", j.parent, "child", j.child,
        "q_start", j.q_start, "q_count", j.q_count, "v_start", j.v_start, "v_count", j.v_count,
        "axis", vector(j.axis), "pitch", j.pitch, "lower", j.lower, "upper", j.upper, "velocity",
        j.velocity, "effort", j.effort, "viscous", j.viscous, "coulomb_positive",
        j.coulomb_positive, "coulomb_negative", j.coulomb_negative, "rotor_inertia",
        j.rotor_inertia, "mimic", j.mimic, "mimic_ratio", j.mimic_ratio, "mimic_offset",
        j.mimic_offset, "function_count", j.function_count, "passive", PyBool_FromLong(j.passive));
}

static PyObject *facts_of_frame(const arne_robot *r, int i)
{
    const arne_frame_info f = arne_robot_frame(r, i);
    return Py_BuildValue("{s:s,s:N,s:i,s:i,s:N,s:d,s:N,s:N}", "name", f.name, "is_link",
                         PyBool_FromLong(f.is_link), "body", f.body, "parent", f.parent, "pose",
                         pose_numbers(&f.pose), "mass", f.mass, "com", vector(f.com), "inertia",
                         six(f.inertia));
}

static PyObject *facts_of_motor(const arne_robot *r, int i)
{
    const arne_motor_info m = arne_robot_motor(r, i);
    return Py_BuildValue("{s:s,s:i,s:i,s:N,s:N,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:i,s:i}", "name",
                         m.name, "joint", m.joint, "link", m.link, "axis", vector(m.axis),
                         "position", vector(m.position), "gear", m.gear, "inertia", m.inertia,
                         "transverse", m.transverse, "mass", m.mass, "stiffness", m.stiffness,
                         "damping", m.damping, "effort", m.effort, "effort_rate", m.effort_rate,
                         "q_index", m.q_index, "v_index", m.v_index);
}

static PyObject *facts_of_spring(const arne_robot *r, int i)
{
    const arne_spring_info s = arne_robot_spring(r, i);
    return Py_BuildValue("{s:i,s:d,s:d,s:d,s:(dd),s:(dd),s:N}", "joint", s.joint, "stiffness",
                         s.stiffness, "damping", s.damping, "rest", s.rest, "stiffness_more",
                         s.stiffness_more[0], s.stiffness_more[1], "damping_more",
                         s.damping_more[0], s.damping_more[1], "passive",
                         PyBool_FromLong(s.passive));
}

static PyObject *facts_of_loop(const arne_robot *r, int i)
{
    const arne_loop_info l = arne_robot_loop(r, i);
    return Py_BuildValue("{s:s,s:s,s:(ii),s:(NN),s:i,s:i}", "name", l.name, "kind",
                         arne_loop_kind_name(l.kind), "frames", l.frame[0], l.frame[1], "points",
                         vector(l.at[0].p), vector(l.at[1].p), "row_start", l.row_start,
                         "row_count", l.row_count);
}

static PyObject *facts_of_all(const arne_robot *r, int count,
                              PyObject *(*one)(const arne_robot *, int))
{
    PyObject *list = PyList_New(count);
    for (int i = 0; i < count && list; i++) {
        PyObject *entry = one(r, i);
        if (!entry || PyList_SetItem(list, i, entry)) Py_CLEAR(list);
    }
    return list;
}

PyObject *robot_facts(PyObject *object, PyObject *unused)
{
    const robot_object *self = (robot_object *)object;
    const arne_robot   *r = self->robot;
    (void)unused;
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N}", "joints",
                         facts_of_all(r, self->size.joint_count, facts_of_joint), "frames",
                         facts_of_all(r, self->size.frame_count, facts_of_frame), "motors",
                         facts_of_all(r, self->size.motor_count, facts_of_motor), "springs",
                         facts_of_all(r, self->size.spring_count, facts_of_spring), "loops",
                         facts_of_all(r, self->size.loop_count, facts_of_loop));
}

// ---- the table ----

PyObject *robot_table(PyObject *object, PyObject *unused)
{
    const robot_object *self = (robot_object *)object;
    const note_list     none = {0};
    char               *text = NULL;
    size_t              size = 0;
    (void)unused;
    PyObject *path =
        self->path == Py_None ? PyBytes_FromString("") : PyUnicode_EncodeFSDefault(self->path);
    FILE *stream = path ? open_memstream(&text, &size) : NULL;
    if (!stream) {
        Py_XDECREF(path);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    info_table(&(facts){PyBytes_AsString(path), self->robot, &none}, stream);
    Py_DECREF(path);
    PyObject *result =
        fclose(stream) ? PyErr_NoMemory() : PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
    free(text);
    return result;
}

// ---- parameters ----

static PyObject *list_of_numbers(const double *x, int count)
{
    PyObject *list = PyList_New(count);
    for (int i = 0; i < count && list; i++)
        if (PyList_SetItem(list, i, PyFloat_FromDouble(x[i]))) Py_CLEAR(list);
    return list;
}

PyObject *robot_parameters(PyObject *object, PyObject *unused)
{
    const arne_robot *r = ((robot_object *)object)->robot;
    const int         count = arne_parameter_count(r);
    double           *pi = malloc(((size_t)count + 1) * sizeof *pi);
    (void)unused;
    if (!pi) return PyErr_NoMemory();
    arne_parameters(r, pi);
    PyObject *list = list_of_numbers(pi, count);
    free(pi);
    return list;
}

PyObject *robot_parameter_names(PyObject *object, PyObject *unused)
{
    const arne_robot *r = ((robot_object *)object)->robot;
    const int         count = arne_parameter_count(r);
    PyObject         *list = PyList_New(count);
    (void)unused;
    for (int i = 0; i < count && list; i++) {
        char      small[256];
        const int length = arne_parameter_name(r, i, small, sizeof small);
        char     *name = (size_t)length < sizeof small ? small : malloc((size_t)length + 1);
        if (name && name != small) arne_parameter_name(r, i, name, (size_t)length + 1);
        PyObject *text = name ? PyUnicode_DecodeUTF8(name, length, "replace") : PyErr_NoMemory();
        if (name != small) free(name);
        if (!text || PyList_SetItem(list, i, text)) Py_CLEAR(list);
    }
    return list;
}

// (rank, kept, grouping row by row)
PyObject *robot_base_set(PyObject *object, PyObject *args)
{
    robot_object      *self = (robot_object *)object;
    int                kinds;
    unsigned long long seed;
    arne_base_set     *set = NULL;
    arne_error         error = {0};
    if (!PyArg_ParseTuple(args, "iK", &kinds, &seed)) return NULL;
    arne_work *work = work_take(self);
    if (!work) return NULL;
    const arne_status status = arne_base_set_new(self->robot, work, kinds, seed, &set, &error);
    work_give(self, work);
    if (status) return raise_error(status, &error);
    PyObject *kept = PyList_New(set->rank);
    for (int i = 0; i < set->rank && kept; i++)
        PyList_SetItem(kept, i, PyLong_FromLong(set->kept[i]));
    PyObject *grouping = list_of_numbers(set->grouping, set->rank * set->parameter_count);
    PyObject *result = Py_BuildValue("(iNN)", set->rank, kept, grouping);
    arne_base_set_free(set);
    return result;
}

// ---- loops ----

PyObject *robot_active(PyObject *object, PyObject *unused)
{
    const robot_object *self = (robot_object *)object;
    unsigned char      *flags = malloc((size_t)self->size.v_count + 1);
    (void)unused;
    if (!flags) return PyErr_NoMemory();
    arne_active(self->robot, flags);
    PyObject *list = PyList_New(self->size.v_count);
    for (int i = 0; i < self->size.v_count && list; i++)
        PyList_SetItem(list, i, PyBool_FromLong(flags[i]));
    free(flags);
    return list;
}

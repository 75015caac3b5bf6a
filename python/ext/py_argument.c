// Arguments of a method: by place or by name, and what they say.
#include "call.h"
#include <arne/muscle.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- by place or by name ----

static int wrong_name(const method *m, PyObject *key)
{
    PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'", m->name, key);
    return -1;
}

static int find_keyword(const request *r, PyObject *key)
{
    const method *m = r->m;
    for (int i = 0; i < m->argument_count; i++) // names in calls are interned
        if (r->state->keywords[m->arguments[i]] == key) return m->arguments[i];
    for (int i = 0; i < m->argument_count; i++)
        if (PyUnicode_CompareWithASCIIString(key, argument_name(m->arguments[i])) == 0)
            return m->arguments[i];
    return wrong_name(m, key);
}

int arguments_take(request *r, PyObject *const *args, Py_ssize_t given, PyObject *keywords)
{
    const method *m = r->m;
    for (int i = 0; i < m->argument_count; i++)
        r->argument[m->arguments[i]] = NULL;
    if (given > m->positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes %d arguments by place, %zd given", m->name,
                     m->positional, given);
        return -1;
    }
    for (Py_ssize_t i = 0; i < given; i++)
        r->argument[m->arguments[i]] = args[i];
    const Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t k = 0; k < named; k++) {
        PyObject *key = PyTuple_GetItem(keywords, k);
        const int argument = find_keyword(r, key);
        if (argument < 0) return -1;
        if (r->argument[argument]) {
            PyErr_Format(PyExc_TypeError, "%s() got '%U' twice", m->name, key);
            return -1;
        }
        r->argument[argument] = args[given + k];
    }
    for (int i = 0; i < m->argument_count; i++) {
        PyObject **value = &r->argument[m->arguments[i]];
        if (i < m->required) {
            if (*value) continue;
            PyErr_Format(PyExc_TypeError, "%s() misses '%s'", m->name,
                         argument_name(m->arguments[i]));
            return -1;
        }
        if (*value == Py_None) *value = NULL;
    }
    return 0;
}

// ---- words ----

// The number of a word among some; -1 with an exception set.
static int word(PyObject *given, const char *name, const char *const *words, int count)
{
    for (int i = 0; i < count && PyUnicode_Check(given); i++)
        if (words[i] && PyUnicode_CompareWithASCIIString(given, words[i]) == 0) return i;
    PyObject *all = PyUnicode_FromString("");
    for (int i = 0, n = 0; i < count && all; i++)
        if (words[i])
            Py_SETREF(all, PyUnicode_FromFormat("%U%s'%s'", all, n++ ? ", " : "", words[i]));
    if (all)
        PyErr_Format(PyUnicode_Check(given) ? PyExc_ValueError : PyExc_TypeError,
                     "%s: one of %U expected, not %R", name, all, given);
    Py_XDECREF(all);
    return -1;
}

static int take_axes(request *r)
{
    static const char *const words[] = {
        [ARNE_AXES_BODY] = "body", [ARNE_AXES_WORLD] = "world", [ARNE_AXES_ALIGNED] = "aligned"};
    const unsigned takes = arne_catalogue_algorithm(r->m->algorithm)->takes;
    r->what.axes = ARNE_AXES_ALIGNED;
    if (!r->argument[ARGUMENT_axes]) return 0;
    const int axes = word(r->argument[ARGUMENT_axes], "axes", words, 3);
    if (axes < 0) return -1;
    if (axes == ARNE_AXES_WORLD && takes & ARNE_TAKES_NO_WORLD_AXES) {
        PyErr_Format(PyExc_ValueError, "axes: %s() knows 'body' and 'aligned'", r->m->name);
        return -1;
    }
    r->what.axes = (arne_axes)axes;
    return 0;
}

static int take_method(request *r)
{
    static const char *const words[] = {"recursive", "matrix"};
    if (!r->argument[ARGUMENT_method]) return 0;
    r->what.matrix = word(r->argument[ARGUMENT_method], "method", words, 2);
    return r->what.matrix < 0 ? -1 : 0;
}

// ---- numbers and names ----

static arne_vec3 vec3_of(const double *x) { return (arne_vec3){x[0], x[1], x[2]}; }

static arne_motion motion_of(const double *x) { return (arne_motion){vec3_of(x), vec3_of(x + 3)}; }

arne_pose pose_of(const double *p, const double *h)
{
    static const double identity[4] = {0, 0, 0, 1};
    if (!h) h = identity;
    const double x = h[0], y = h[1], z = h[2], w = h[3];
    return (arne_pose){{{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
                        {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
                        {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}},
                       {p[0], p[1], p[2]}};
}

int quaternion_is_unit(const char *name, const double *h)
{
    const double length = sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3]);
    if (fabs(length - 1) <= 1e-6) return 1;
    PyErr_Format(PyExc_ValueError, "%s: the quaternion x, y, z, w is not of unit length", name);
    return 0;
}

static int take_base(request *r)
{
    double x[7];
    r->what.base = pose_of((double[3]){0, 0, 0}, NULL);
    if (r->argument[ARGUMENT_base_pose]) {
        if (numbers(r->state, r->argument[ARGUMENT_base_pose], "base_pose", 7, x)) return -1;
        if (!quaternion_is_unit("base_pose", x + 3)) return -1;
        r->what.base = pose_of(x, x + 3);
        r->what.base_moves = 1;
    }
    arne_motion *const rates[] = {&r->what.base_velocity, &r->what.base_acceleration,
                                  &r->what.base_jerk};
    for (int i = 0; i < 3; i++) {
        const int argument = ARGUMENT_base_velocity + i;
        if (!r->argument[argument]) continue;
        if (numbers(r->state, r->argument[argument], argument_name(argument), 6, x)) return -1;
        *rates[i] = motion_of(x);
        r->what.base_moves = 1;
    }
    if (r->what.base_moves && arne_robot_base(r->self->robot) == ARNE_BASE_FREE) {
        PyErr_SetString(PyExc_ValueError, "base_pose: the base is free, its motion is in q and qd");
        return -1;
    }
    return 0;
}

static int take_plane(request *r)
{
    double x[3] = {0, 0, 0}, n[3] = {0, 0, 1};
    if (r->argument[ARGUMENT_point] &&
        numbers(r->state, r->argument[ARGUMENT_point], "point", 3, x))
        return -1;
    if (r->argument[ARGUMENT_normal] &&
        numbers(r->state, r->argument[ARGUMENT_normal], "normal", 3, n))
        return -1;
    if (fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) > 1e-6) {
        PyErr_SetString(PyExc_ValueError, "normal: a vector of unit length expected");
        return -1;
    }
    r->what.point = vec3_of(x);
    r->what.normal = vec3_of(n);
    return 0;
}

static int take_steps(request *r)
{
    const long steps = PyLong_AsLong(r->argument[ARGUMENT_steps]);
    r->what.dt = PyFloat_AsDouble(r->argument[ARGUMENT_dt]);
    if (PyErr_Occurred()) return -1;
    if (steps < 1 || steps > 1000000000) {
        PyErr_SetString(PyExc_ValueError, "steps: at least one expected, at most 1e9");
        return -1;
    }
    if (!(r->what.dt > 0 && isfinite(r->what.dt))) {
        PyErr_SetString(PyExc_ValueError, "dt: a positive number expected");
        return -1;
    }
    r->what.steps = (int)steps;
    return 0;
}

static int take_integrator(request *r)
{
    static const char *const words[] = {[ARNE_METHOD_EULER] = "euler", [ARNE_METHOD_RK4] = "rk4"};
    r->what.integrator = ARNE_METHOD_EULER;
    if (!r->argument[ARGUMENT_integrator]) return 0;
    const int which = word(r->argument[ARGUMENT_integrator], "integrator", words, 2);
    r->what.integrator = (arne_method)which;
    return which < 0 ? -1 : 0;
}

static int take_factors(request *r, int argument, double **out)
{
    const int n = r->self->size.v_count;
    if (!r->argument[argument]) return 0;
    *out = malloc(((size_t)n + 1) * sizeof **out);
    if (!*out) return PyErr_NoMemory() ? 0 : -1;
    return numbers(r->state, r->argument[argument], argument_name(argument), n, *out);
}

// Of the controller: what it would follow needs its factors, and the other way round.
static int take_controller(request *r)
{
    if (take_factors(r, ARGUMENT_kp, &r->what.kp) || take_factors(r, ARGUMENT_kd, &r->what.kd))
        return -1;
    const char *wrong = NULL;
    const int   sees = r->argument[ARGUMENT_policy] != NULL;
    const int   pulls = r->what.kp || r->argument[ARNE_ARRAY_stiffness];
    const int   damps = r->what.kd || r->argument[ARNE_ARRAY_damping];
    if ((r->what.kp || r->what.kd) &&
        (r->argument[ARNE_ARRAY_stiffness] || r->argument[ARNE_ARRAY_damping]))
        wrong = "stiffness and damping: give these or kp and kd, not both";
    else if ((pulls || sees) && !r->argument[ARNE_ARRAY_q_ref])
        wrong = sees         ? "policy: needs q_ref, from which it sees the error"
                : r->what.kp ? "kp: needs q_ref, which it pulls to"
                             : "stiffness: needs q_ref, which it pulls to";
    else if (!pulls && !sees && r->argument[ARNE_ARRAY_q_ref])
        wrong = "q_ref: needs kp, which pulls to it";
    else if (!damps && !sees && r->argument[ARNE_ARRAY_qd_ref])
        wrong = "qd_ref: needs kd, which pulls to it";
    if (wrong) PyErr_SetString(PyExc_ValueError, wrong);
    return wrong ? -1 : 0;
}

int argument_numbers(const request *r, int argument, int count, double *out)
{
    return numbers(r->state, r->argument[argument], argument_name(argument), count, out);
}

static int take_rollout(request *r)
{
    return take_steps(r) || take_integrator(r) || take_controller(r) || world_take(r) ? -1 : 0;
}

// ---- joints whose acceleration is given ----

static int mark_joint(request *r, PyObject *name)
{
    const int joint = joint_index(r->self, name);
    if (joint < 0) return -1;
    const arne_joint_info info = arne_robot_joint(r->self->robot, joint);
    if (info.v_count == 0) {
        PyErr_Format(PyExc_ValueError,
                     "given: joint '%s' follows others and has no entry of its own", info.name);
        return -1;
    }
    memset(r->what.given + info.v_start, 1, (size_t)info.v_count);
    return 0;
}

static int take_given(request *r, int argument)
{
    PyObject        *given = r->argument[argument];
    const Py_ssize_t n = r->self->size.v_count;
    r->what.given = calloc((size_t)n + 1, 1);
    if (!r->what.given) return PyErr_NoMemory() ? 0 : -1;
    if (PyUnicode_Check(given)) return mark_joint(r, given);
    PyObject *items = PySequence_List(given);
    int       failed = !items, names = 0;
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(items); i++)
        names += PyUnicode_Check(PyList_GetItem(items, i));
    if (!failed && !names && PyList_Size(items) && PyList_Size(items) != n) {
        PyErr_Format(PyExc_ValueError, "%s: names of joints or %zd flags expected",
                     argument_name(argument), n);
        failed = 1;
    }
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(items); i++) {
        PyObject *one = PyList_GetItem(items, i);
        if (names)
            failed = mark_joint(r, one);
        else {
            const int flag = PyObject_IsTrue(one);
            failed = flag < 0;
            r->what.given[i] = (unsigned char)(flag > 0);
        }
    }
    Py_XDECREF(items);
    return failed ? -1 : 0;
}

// ---- activations of muscles ----

static int take_activations(request *r)
{
    PyObject  *given = r->argument[ARGUMENT_activation], *key, *value;
    Py_ssize_t at = 0;
    if (!PyDict_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "activation: a dict of muscles and numbers expected");
        return -1;
    }
    r->what.activation = calloc((size_t)arne_muscle_count(r->self->robot) + 1, sizeof(double));
    if (!r->what.activation) return PyErr_NoMemory() ? 0 : -1;
    while (PyDict_Next(given, &at, &key, &value)) {
        PyObject    *text = PyUnicode_Check(key) ? PyUnicode_AsUTF8String(key) : NULL;
        const int    muscle = text ? arne_find_muscle(r->self->robot, PyBytes_AsString(text)) : -1;
        const double a = PyFloat_AsDouble(value);
        Py_XDECREF(text);
        if (PyErr_Occurred()) return -1;
        if (muscle < 0 || !(a >= 0 && a <= 1)) {
            PyErr_Format(PyExc_ValueError,
                         muscle < 0 ? "activation: the robot has no muscle %R"
                                    : "activation: that of %R must be from 0 to 1",
                         key);
            return -1;
        }
        r->what.activation[muscle] = a;
    }
    return 0;
}

// ---- frames that are held ----

// A frame, and 'point' or 'foot' or nothing.
static int take_held(const request *r, PyObject *frame, PyObject *how, arne_held *held)
{
    static const char *const words[] = {"point", "foot"};
    const int                full = how ? word(how, "contact", words, 2) : 0;
    held->frame = full < 0 ? -1 : frame_index(r->self, frame);
    held->full = full;
    return held->frame < 0 ? -1 : 0;
}

// {frame: word}, or frames, as a list of pairs; or of frames alone.
static PyObject *held_items(PyObject *given, int *pairs)
{
    *pairs = PyDict_Check(given);
    if (*pairs) return PyDict_Items(given);
    if (!PyUnicode_Check(given) && !PyLong_Check(given)) return PySequence_List(given);
    PyObject *list = PyList_New(0);
    if (list && PyList_Append(list, given)) Py_CLEAR(list);
    return list;
}

static int hold(request *r, const arne_held *held, Py_ssize_t count)
{
    arne_error error = {0};
    for (Py_ssize_t i = 0; i < count; i++)
        for (Py_ssize_t k = 0; k < i; k++)
            if (held[k].frame == held[i].frame) {
                PyErr_Format(PyExc_ValueError, "contact: '%s' is there twice",
                             arne_robot_frame(r->self->robot, held[i].frame).name);
                return -1;
            }
    r->what.held = calloc((size_t)count, sizeof *r->what.held);
    if (!r->what.held) return PyErr_NoMemory() ? 0 : -1;
    r->what.held_count = (int)count;
    const arne_status status =
        arne_holding_new(r->self->robot, held, (int)count, &r->what.holding, &error);
    if (status) raise_error(status, &error);
    return status ? -1 : 0;
}

static int take_contacts(request *r)
{
    PyObject *const rub = r->argument[ARGUMENT_friction];
    PyObject *const push = r->argument[ARGUMENT_unilateral];
    const double    friction = rub ? PyFloat_AsDouble(rub) : -1;
    const int       unilateral = push ? PyObject_IsTrue(push) : 0;
    int             pairs = 0;
    if (PyErr_Occurred()) return -1;
    if (rub && !(friction >= 0 && isfinite(friction))) {
        PyErr_SetString(PyExc_ValueError, "friction: a number that is not negative expected");
        return -1;
    }
    PyObject        *items = held_items(r->argument[ARGUMENT_contact], &pairs);
    const Py_ssize_t count = items ? PyList_Size(items) : 0;
    arne_held       *held = calloc((size_t)count + 1, sizeof *held);
    int              failed = !items || !held;
    if (items && !held) PyErr_NoMemory();
    if (!failed && count == 0) {
        PyErr_SetString(PyExc_ValueError, "contact: at least one frame expected");
        failed = 1;
    }
    for (Py_ssize_t i = 0; i < count && !failed; i++) {
        PyObject *one = PyList_GetItem(items, i);
        held[i].unilateral = unilateral || friction >= 0;
        held[i].friction = friction;
        failed = pairs ? take_held(r, PyTuple_GetItem(one, 0), PyTuple_GetItem(one, 1), &held[i])
                       : take_held(r, one, NULL, &held[i]);
    }
    failed = failed || hold(r, held, count);
    Py_XDECREF(items);
    free(held);
    return failed ? -1 : 0;
}

// ---- wrenches ----

static int find_load(const request *r, int frame)
{
    for (int i = 0; i < r->what.load_count; i++)
        if (r->what.loads[i].frame == frame) return i;
    return -1;
}

// {link: six numbers}: the wrenches, or their rates, of loads.
static int take_loads(request *r, PyObject *given, const char *name, int in_world, int rate)
{
    PyObject *items = PyMapping_Items(given);
    if (!items) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: {link: six numbers} expected", name);
        return -1;
    }
    const Py_ssize_t count = PyList_Size(items);
    const size_t     room = (size_t)(r->what.load_count + count + 1);
    arne_load       *loads = realloc(r->what.loads, room * sizeof *loads);
    int              failed = !loads;
    if (loads)
        r->what.loads = loads;
    else
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && !failed; i++) {
        PyObject *pair = PyList_GetItem(items, i);
        const int frame = frame_index(r->self, PyTuple_GetItem(pair, 0));
        double    x[6];
        failed = frame < 0 || numbers(r->state, PyTuple_GetItem(pair, 1), name, 6, x);
        if (failed) break;
        int at = find_load(r, frame);
        if (at < 0) {
            at = r->what.load_count++;
            loads[at] = (arne_load){.frame = frame, .in_world = in_world};
        }
        const arne_wrench f = {vec3_of(x), vec3_of(x + 3)};
        if (rate)
            loads[at].rate = f;
        else
            loads[at].wrench = f;
    }
    Py_DECREF(items);
    return failed ? -1 : 0;
}

static int take_wrenches(request *r, unsigned takes)
{
    static const char *const words[] = {"link", "world"};
    int                      in_world = 0;
    PyObject                *wrench = r->argument[ARGUMENT_wrench];
    if (!(takes & ARNE_TAKES_LOADS)) {
        if (!wrench) return 0;
        if (r->argument[ARNE_ARRAY_f_ext]) {
            PyErr_SetString(PyExc_TypeError, "wrench: give this or f_ext, not both");
            return -1;
        }
        r->f_ext = PyObject_CallMethod((PyObject *)r->self, "body_wrenches", "O", wrench);
        return r->f_ext ? 0 : -1;
    }
    if (r->argument[ARGUMENT_wrench_fixed_in])
        in_world = word(r->argument[ARGUMENT_wrench_fixed_in], "wrench_fixed_in", words, 2);
    if (in_world < 0) return -1;
    if (wrench && take_loads(r, wrench, "wrench", in_world, 0)) return -1;
    if (takes & ARNE_TAKES_LOAD_RATES && r->argument[ARGUMENT_wrench_rate])
        return take_loads(r, r->argument[ARGUMENT_wrench_rate], "wrench_rate", in_world, 1);
    return 0;
}

// ---- all of it ----

int asked_take(request *r)
{
    const unsigned takes = arne_catalogue_algorithm(r->m->algorithm)->takes;
    if (takes & (ARNE_TAKES_FRAME | ARNE_TAKES_TARGETS)) {
        r->what.frame = frame_index(r->self, r->argument[ARGUMENT_frame]);
        if (r->what.frame < 0) return -1;
    }
    if (takes & ARNE_TAKES_JOINT) {
        r->what.joint = joint_index(r->self, r->argument[ARGUMENT_joint]);
        if (r->what.joint < 0) return -1;
    }
    if (takes & ARNE_TAKES_SPATIAL && r->argument[ARGUMENT_spatial]) {
        const int spatial = PyObject_IsTrue(r->argument[ARGUMENT_spatial]);
        if (spatial < 0) return -1;
        r->what.kind = spatial ? ARNE_ACCELERATION_SPATIAL : ARNE_ACCELERATION_CLASSICAL;
    }
    if (takes & ARNE_TAKES_AXES && take_axes(r)) return -1;
    if (takes & ARNE_TAKES_METHOD && take_method(r)) return -1;
    if (takes & ARNE_TAKES_PLANE && take_plane(r)) return -1;
    if (takes & ARNE_TAKES_STEPS && take_rollout(r)) return -1;
    if (takes & ARNE_TAKES_GIVEN && take_given(r, ARGUMENT_given)) return -1;
    if (takes & ARNE_TAKES_HELD && r->argument[ARGUMENT_held] && take_given(r, ARGUMENT_held))
        return -1;
    if (takes & ARNE_TAKES_ACTIVATION && r->argument[ARGUMENT_activation] && take_activations(r))
        return -1;
    if (r->m->holds && take_contacts(r)) return -1;
    r->what.each_torque =
        r->m->algorithm == ARNE_ALGORITHM_SECOND_DERIVATIVES && !r->argument[ARNE_ARRAY_multiplier];
    const int wrenches = takes & ARNE_TAKES_LOADS || r->m->inputs >> ARNE_ARRAY_f_ext & 1;
    if (wrenches && take_wrenches(r, takes)) return -1;
    return take_base(r);
}

void asked_free(asked *what)
{
    free(what->given);
    free(what->activation);
    free(what->kp);
    free(what->kd);
    free(what->torque_limits);
    free(what->loads);
    arne_holding_free(what->holding);
    free(what->held);
}

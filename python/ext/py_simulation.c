// Simulations that Python holds and steps: one, or many worlds, in a capsule.
// arne/_simulation.py has the classes.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): clock_gettime
#include "array.h"
#include "watch.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char CAPSULE[] = "arne.Simulation";

// One simulation, or many worlds: the other is NULL.
typedef struct held {
    const module_state *state;
    arne_scenario      *scenario;
    arne_simulation    *one;
    arne_simulations   *many;
    Py_ssize_t          count; // of worlds
    Py_ssize_t          nq, nv, contacts, state_size;
    double             *room; // two arrays of arguments
    arne_touch         *touches;
    int                 touch_room;
    int                 busy; // a call is on its way, without the GIL
} held;

static void held_free(held *h)
{
    if (!h) return;
    arne_simulation_free(h->one);
    arne_simulations_free(h->many);
    arne_scenario_free(h->scenario);
    free(h->room);
    free(h->touches);
    free(h);
}

static void held_release(PyObject *capsule) { held_free(PyCapsule_GetPointer(capsule, CAPSULE)); }

// One caller at a time.
static held *held_enter(PyObject *capsule)
{
    held *h = PyCapsule_GetPointer(capsule, CAPSULE);
    if (!h || !h->busy) return h;
    PyErr_SetString(PyExc_RuntimeError, "another call of this simulation has not returned yet");
    return NULL;
}

// ---- arguments ----

// Rows of `width` numbers, one for each world or the same for all: where they lie, or copied to
// `room`. NULL for None, or with an exception set.
static const double *rows_open(const held *h, PyObject *given, const char *name, Py_ssize_t width,
                               double *room, view *v)
{
    const item row = {1, {width}, width}, all = {2, {h->count, width}, h->count * width};
    *v = (view){0};
    if (given == Py_None || view_open(h->state, given, name, v)) return NULL;
    const int rank = v->buffer.ndim, fits = view_fits(v, &row);
    if (fits && h->many && rank == 2 && view_is_plain(v, &all)) return v->buffer.buf;
    if (fits && (rank == 1 || (rank == 2 && h->many && v->buffer.shape[0] == h->count))) {
        view_read(v, &row, h->many ? 1 : 0, &h->count, room);
        return room;
    }
    if (!PyErr_Occurred() && h->many)
        PyErr_Format(PyExc_ValueError, "%s: shape (%zd, %zd) expected", name, h->count, width);
    else if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "%s: shape (%zd,) expected", name, width);
    return NULL;
}

static void rows_close(view *v)
{
    if (v->open) view_close(v);
}

// ---- making ----

static int held_read(held *h, const char *path)
{
    PyObject          *warnings = PyList_New(0), *mistakes = PyList_New(0);
    arne_build_options build = {.warn = keep_warning,
                                .warn_context = warnings,
                                .fail = keep_mistake,
                                .fail_context = mistakes};
    arne_error         error = {0};
    const arne_status  status = warnings && mistakes
                                    ? arne_scenario_read(path, &build, &h->scenario, &error)
                                    : ARNE_NO_MEMORY;
    int                failed = status != ARNE_OK;
    if (failed)
        raise_mistakes(status, &error, mistakes);
    else
        failed = tell_warnings(warnings, has_ground(h->scenario));
    Py_XDECREF(warnings);
    Py_XDECREF(mistakes);
    return failed;
}

// A capsule around what was read; on failure everything is freed.
static held *held_new(module_state *state, PyObject *path, Py_ssize_t count)
{
    held *h = calloc(1, sizeof *h);
    if (!h) {
        PyErr_NoMemory();
        return NULL;
    }
    h->state = state;
    h->count = count;
    if (held_read(h, PyBytes_AsString(path))) {
        held_free(h);
        return NULL;
    }
    const arne_sizes n = arne_robot_sizes(arne_scenario_simulation(h->scenario)->robot);
    h->nq = n.q_count;
    h->nv = n.v_count;
    h->contacts = n.contact_count;
    h->room = calloc((size_t)(count * (h->nq + h->nv)) + 1, sizeof *h->room);
    if (h->room) return h;
    PyErr_NoMemory();
    held_free(h);
    return NULL;
}

static PyObject *held_finish(held *h, arne_status status, const arne_error *error)
{
    PyObject *capsule = NULL;
    if (status)
        raise_error(status, error);
    else
        capsule = PyCapsule_New(h, CAPSULE, held_release);
    if (!capsule) held_free(h);
    return capsule;
}

PyObject *simulation_new(PyObject *module, PyObject *args)
{
    PyObject  *path = NULL, *q, *qd;
    double     step;
    arne_error error = {0};
    view       views[2] = {{0}, {0}};
    if (!PyArg_ParseTuple(args, "O&dOO", PyUnicode_FSConverter, &path, &step, &q, &qd)) return NULL;
    held *h = held_new(PyModule_GetState(module), path, 1);
    Py_DECREF(path);
    if (!h) return NULL;
    arne_simulation_spec spec = *arne_scenario_simulation(h->scenario);
    if (q != Py_None) spec.qd = NULL;
    const double *at = rows_open(h, q, "q", h->nq, h->room, &views[0]);
    const double *rate =
        PyErr_Occurred() ? NULL : rows_open(h, qd, "qd", h->nv, h->room + h->nq, &views[1]);
    if (at) spec.q = at;
    if (rate) spec.qd = rate;
    const arne_simulation_options options = {.size = sizeof options, .step = step, .spec = &spec};
    arne_status                   status = ARNE_VALUE;
    if (!PyErr_Occurred()) status = arne_simulation_new(spec.robot, &options, &h->one, &error);
    rows_close(&views[0]);
    rows_close(&views[1]);
    if (PyErr_Occurred()) {
        held_free(h);
        return NULL;
    }
    if (!status) h->state_size = (Py_ssize_t)arne_simulation_state_size(h->one);
    return held_finish(h, status, &error);
}

// Rows of a world each, which Python has made of doubles, one after the other; NULL for None.
static const void *whole(PyObject *array, Py_ssize_t numbers, Py_buffer *b)
{
    if (array == Py_None || PyErr_Occurred()) return NULL;
    if (PyObject_GetBuffer(array, b, PyBUF_C_CONTIGUOUS)) return NULL;
    if (b->len == numbers * (Py_ssize_t)sizeof(double)) return b->buf;
    PyErr_SetString(PyExc_ValueError, "an array of worlds has not the right size");
    return NULL;
}

// simulations_new(path, count, threads, step, [q, qd, kp, kd, friction, gravity, payload], frame)
PyObject *simulations_new(PyObject *module, PyObject *args)
{
    PyObject  *path = NULL, *given;
    Py_ssize_t count;
    int        threads, frame;
    double     step;
    arne_error error = {0};
    Py_buffer  b[7] = {{0}};
    if (!PyArg_ParseTuple(args, "O&nidO!i", PyUnicode_FSConverter, &path, &count, &threads, &step,
                          &PyTuple_Type, &given, &frame))
        return NULL;
    held *h =
        count > 0 && count < 1 << 24 ? held_new(PyModule_GetState(module), path, count) : NULL;
    if (!h && !PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "n: %zd worlds cannot be made", count);
    Py_DECREF(path);
    if (!h) return NULL;
    const arne_simulation_spec *spec = arne_scenario_simulation(h->scenario);
    const Py_ssize_t            sizes[7] = {
                   h->nq, h->nv, h->nv, h->nv, 1, 3, (Py_ssize_t)(sizeof(arne_payload) / sizeof(double))};
    const void *rows[7] = {0};
    for (int i = 0; i < 7; i++)
        rows[i] = whole(PyTuple_GetItem(given, i), count * sizes[i], &b[i]);
    arne_status status = ARNE_VALUE;
    if (!PyErr_Occurred()) {
        const arne_simulations_options o = {.size = sizeof o,
                                            .step = step,
                                            .threads = threads,
                                            .spec = spec,
                                            .q = rows[0],
                                            .qd = rows[1],
                                            .kp = rows[2],
                                            .kd = rows[3],
                                            .friction = rows[4],
                                            .gravity = rows[5],
                                            .payload = rows[6],
                                            .payload_frame = frame};
        status = arne_simulations_new(spec->robot, (int)count, &o, &h->many, &error);
    }
    for (int i = 0; i < 7; i++)
        if (b[i].obj) PyBuffer_Release(&b[i]);
    if (PyErr_Occurred()) {
        held_free(h);
        return NULL;
    }
    if (!status)
        h->state_size = (Py_ssize_t)arne_simulation_state_size(arne_simulations_world(h->many, 0));
    return held_finish(h, status, &error);
}

// The robot, as Robot._from_pack takes it, and the time of a step.
PyObject *simulation_facts(PyObject *module, PyObject *capsule)
{
    const held *h = PyCapsule_GetPointer(capsule, CAPSULE);
    (void)module;
    if (!h) return NULL;
    const arne_robot *robot = arne_scenario_simulation(h->scenario)->robot;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)arne_robot_packed_size(robot));
    if (!bytes) return NULL;
    arne_robot_pack(robot, PyBytes_AsString(bytes));
    const arne_simulation *first = h->one ? h->one : arne_simulations_world(h->many, 0);
    return Py_BuildValue("(Ndnn)", bytes, arne_simulation_step_time(first), h->contacts,
                         h->state_size);
}

// ---- steps ----

PyObject *simulation_step(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 3) return PyErr_Format(PyExc_TypeError, "3 arguments expected, %zd given", count);
    held      *h = held_enter(args[0]);
    const long steps = PyLong_AsLong(args[2]);
    if (!h || (steps == -1 && PyErr_Occurred())) return NULL;
    if (steps < 0 || steps > 2000000000)
        return PyErr_Format(PyExc_ValueError, "n: %ld steps cannot be taken", steps);
    arne_error    error;
    view          v;
    const double *tau = rows_open(h, args[1], "tau", h->nv, h->room, &v);
    arne_status   status = ARNE_OK;
    if (!tau && args[1] != Py_None) {
        rows_close(&v);
        return NULL;
    }
    h->busy = 1;
    Py_BEGIN_ALLOW_THREADS;
    status = h->one ? arne_simulation_step(h->one, tau, (int)steps, &error)
                    : arne_simulations_step(h->many, tau, (int)steps, &error);
    Py_END_ALLOW_THREADS;
    h->busy = 0;
    rows_close(&v);
    if (status) return raise_error(status, &error);
    Py_RETURN_NONE;
}

enum { WRITE_RESET, WRITE_TARGET, WRITE_STATE };

static arne_status held_write(const held *h, int what, const unsigned char *mask, const double *a,
                              const double *b, arne_error *error)
{
    switch (what) {
    case WRITE_RESET:
        return h->one ? arne_simulation_reset(h->one, a, b, error)
                      : arne_simulations_reset(h->many, mask, a, b, error);
    case WRITE_TARGET:
        return h->one ? arne_simulation_set_target(h->one, a, b, error)
                      : arne_simulations_set_target(h->many, mask, a, b, error);
    default:
        return h->one ? arne_simulation_set_state(h->one, a, error)
                      : arne_simulations_set_state(h->many, a, error);
    }
}

// simulation_write(simulation, what, mask, a, b): mask is bytes, or None
PyObject *simulation_write(PyObject *module, PyObject *args)
{
    PyObject  *capsule, *a, *b;
    Py_buffer  mask = {0};
    int        what;
    arne_error error;
    view       va = {0}, vb = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "Oiz*OO", &capsule, &what, &mask, &a, &b)) return NULL;
    held         *h = held_enter(capsule);
    double       *room = NULL;
    const double *first = NULL, *second = NULL;
    if (h && mask.buf && mask.len != h->count)
        PyErr_Format(PyExc_ValueError, "mask: shape (%zd,) expected", h->count);
    if (h && !PyErr_Occurred() && what == WRITE_STATE) {
        room = malloc((size_t)(h->count * h->state_size) * sizeof *room);
        if (!room) PyErr_NoMemory();
        if (room) first = rows_open(h, a, "state", h->state_size, room, &va);
    } else if (h && !PyErr_Occurred()) {
        first = rows_open(h, a, "q", h->nq, h->room, &va);
        if (!PyErr_Occurred())
            second = rows_open(h, b, "qd", h->nv, h->room + h->count * h->nq, &vb);
    }
    arne_status status = ARNE_OK;
    if (h && !PyErr_Occurred()) {
        h->busy = 1;
        Py_BEGIN_ALLOW_THREADS;
        status = held_write(h, what, mask.buf, first, second, &error);
        Py_END_ALLOW_THREADS;
        h->busy = 0;
        if (status) raise_error(status, &error);
    }
    rows_close(&va);
    rows_close(&vb);
    if (mask.obj) PyBuffer_Release(&mask);
    free(room);
    if (!h || PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

// ---- looking ----

// simulation_read(simulation, what): "q", "qd", "tau", "forces", "state" or "time", of one world
PyObject *simulation_read(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "2 arguments expected, %zd given", count);
    held      *h = held_enter(args[0]);
    const long what = PyLong_AsLong(args[1]);
    if (!h || PyErr_Occurred()) return NULL;
    if (!h->one) return PyErr_Format(PyExc_TypeError, "one simulation expected");
    if (what == 0) return array_of(h->state, arne_simulation_q(h->one), h->nq, 0);
    if (what == 1) return array_of(h->state, arne_simulation_qd(h->one), h->nv, 0);
    if (what == 2) return array_of(h->state, arne_simulation_tau(h->one), h->nv, 0);
    if (what == 3) return PyFloat_FromDouble(arne_simulation_time(h->one));
    double kinetic, potential, work;
    arne_simulation_energy(h->one, &kinetic, &potential, &work);
    return Py_BuildValue("(ddd)", kinetic, potential, work);
}

// simulation_fill(simulation, what, out): forces (0) or states (1) of all worlds, or of one
PyObject *simulation_fill(PyObject *module, PyObject *args)
{
    PyObject *capsule, *out;
    Py_buffer b;
    int       what;
    (void)module;
    if (!PyArg_ParseTuple(args, "OiO", &capsule, &what, &out)) return NULL;
    held *h = held_enter(capsule);
    if (!h || PyObject_GetBuffer(out, &b, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)) return NULL;
    const Py_ssize_t width = what ? h->state_size : 3 * h->contacts;
    const int        fits = b.len == h->count * width * (Py_ssize_t)sizeof(double);
    if (fits && !what && h->one) arne_simulation_contact_forces(h->one, b.buf);
    if (fits && !what && h->many) arne_simulations_forces(h->many, b.buf);
    if (fits && what && h->one) arne_simulation_state(h->one, b.buf);
    if (fits && what && h->many) arne_simulations_state(h->many, b.buf);
    PyBuffer_Release(&b);
    if (!fits) return PyErr_Format(PyExc_ValueError, "out: (%zd, %zd) expected", h->count, width);
    Py_RETURN_NONE;
}

static PyObject *touch_tuple(const arne_robot *robot, const arne_touch *t)
{
    const char *link = arne_robot_contact(robot, t->contact).name;
    const char *other = t->other < 0 ? NULL : arne_robot_contact(robot, t->other).name;
    return Py_BuildValue("(szi(ddd)(ddd)d(ddd))", link, other, t->surface, t->point.x, t->point.y,
                         t->point.z, t->normal.x, t->normal.y, t->normal.z, t->gap, t->force.x,
                         t->force.y, t->force.z);
}

// simulation_contacts(simulation, world): a list of (name, other, surface, point, normal, gap,
// force)
PyObject *simulation_contacts(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    int       world;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oi", &capsule, &world)) return NULL;
    held *h = held_enter(capsule);
    if (!h) return NULL;
    if (world < 0 || world >= h->count)
        return PyErr_Format(PyExc_IndexError, "there is no world %d", world);
    arne_simulation *s = h->one ? h->one : arne_simulations_world(h->many, world);
    int              count = arne_simulation_contacts(s, h->touches, h->touch_room);
    if (count > h->touch_room) {
        free(h->touches);
        h->touches = malloc((size_t)count * sizeof *h->touches);
        h->touch_room = h->touches ? count : 0;
        if (!h->touches) return PyErr_NoMemory();
        count = arne_simulation_contacts(s, h->touches, h->touch_room);
    }
    PyObject *list = PyList_New(0);
    for (int i = 0; i < count && list; i++) {
        PyObject *one = touch_tuple(arne_simulation_robot(s), &h->touches[i]);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

// Where q, qd and times of all worlds lie, for arrays without copies.
PyObject *simulations_addresses(PyObject *module, PyObject *capsule)
{
    const held *h = PyCapsule_GetPointer(capsule, CAPSULE);
    (void)module;
    if (!h) return NULL;
    if (!h->many) return PyErr_Format(PyExc_TypeError, "many worlds expected");
    return Py_BuildValue("(KKK)", (unsigned long long)(uintptr_t)arne_simulations_q(h->many),
                         (unsigned long long)(uintptr_t)arne_simulations_qd(h->many),
                         (unsigned long long)(uintptr_t)arne_simulations_time(h->many));
}

// The worlds in which the last call failed.
PyObject *simulations_failed(PyObject *module, PyObject *capsule)
{
    const held *h = PyCapsule_GetPointer(capsule, CAPSULE);
    PyObject   *list = h ? PyList_New(0) : NULL;
    (void)module;
    for (int i = 0; list && h->many && i < h->count; i++) {
        if (arne_simulations_status(h->many, i) == ARNE_OK) continue;
        PyObject *number = PyLong_FromLong(i);
        if (!number || PyList_Append(list, number)) Py_CLEAR(list);
        Py_XDECREF(number);
    }
    return list;
}

// What the library's call takes by itself, for `python -m arne.bench`: seconds of a step.
PyObject *simulation_bench(PyObject *module, PyObject *args)
{
    PyObject       *capsule, *given;
    int             steps;
    struct timespec from, to;
    arne_error      error;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOi", &capsule, &given, &steps)) return NULL;
    held *h = held_enter(capsule);
    if (!h || numbers(h->state, given, "tau", (int)h->nv, h->room)) return NULL;
    arne_status status = h->one ? ARNE_OK : ARNE_VALUE;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < steps && !status; i++)
        status = arne_simulation_step(h->one, h->room, 1, &error);
    clock_gettime(CLOCK_MONOTONIC, &to);
    if (status) return raise_error(status, h->one ? &error : NULL);
    return PyFloat_FromDouble(
        ((double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec)) / steps);
}

// Optimal control: a solver in a capsule, with the arrays of its terms, and functions in Python
// where there are any. arne/_optimal_control.py checks arguments and keeps the arrays' shapes.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): clock_gettime
#include "array.h"
#include "watch.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char CAPSULE[] = "arne.OptimalControl";

typedef struct oc_function {
    struct oc_object *owner;
    PyObject         *function;
    int               rows;
} oc_function;

typedef struct oc_object {
    arne_oc       *oc;
    module_state  *state;
    PyObject      *robot, *terms; // kept: arrays of terms are read where they lie
    int            nq, n, nu, knots;
    arne_oc_term  *given;
    arne_oc_phase *phases;
    int            phase_count;
    double         contact_damping;
    oc_function   *functions;
    Py_buffer     *buffers;
    int            buffer_count;
    int            busy; // a call is on its way, without the GIL
    double        *room; // q, qd, u
    watch          watch;
} oc_object;

static void oc_release(PyObject *capsule)
{
    oc_object *o = PyCapsule_GetPointer(capsule, CAPSULE);
    if (!o) return;
    arne_oc_free(o->oc);
    for (int i = 0; i < o->buffer_count; i++)
        PyBuffer_Release(&o->buffers[i]);
    free(o->given);
    free(o->functions);
    free(o->buffers);
    free(o->room);
    Py_XDECREF(o->robot);
    Py_XDECREF(o->terms);
    free(o);
}

// ---- functions in Python ----

static PyObject *knot_arguments(const oc_object *o, const arne_oc_knot *at)
{
    PyObject *q = array_of(o->state, at->q, o->nq, 0), *qd = array_of(o->state, at->qd, o->n, 0);
    PyObject *u = at->u ? array_of(o->state, at->u, o->nu, 0) : Py_NewRef(Py_None);
    if (q && qd && u) return Py_BuildValue("(iNNN)", at->knot, q, qd, u);
    Py_XDECREF(q);
    Py_XDECREF(qd);
    Py_XDECREF(u);
    return NULL;
}

// Calls the function, which gives a tuple of `count` arrays, and copies those that are wanted.
static int ask(const oc_function *f, const arne_oc_knot *at, int count, double *const *out,
               const Py_ssize_t *sizes)
{
    oc_object *o = f->owner;
    if (o->watch.stopped) return 1;
    watch_enter(&o->watch);
    PyObject *arguments = knot_arguments(o, at);
    PyObject *answer = arguments ? PyObject_CallObject(f->function, arguments) : NULL;
    Py_XDECREF(arguments);
    if (answer && (!PyTuple_Check(answer) || PyTuple_Size(answer) != count))
        PyErr_Format(PyExc_TypeError, "function: it does not return a tuple of %d", count);
    for (int i = 0; i < count && answer && !PyErr_Occurred(); i++)
        if (out[i]) numbers_of(o->state, PyTuple_GetItem(answer, i), "function", sizes[i], out[i]);
    Py_XDECREF(answer);
    return watch_leave(&o->watch);
}

static int residual_in_python(void *context, const arne_oc_knot *at, double *r, double *J)
{
    const oc_function *f = context;
    const Py_ssize_t width = 2 * f->owner->n + f->owner->nu, sizes[2] = {f->rows, f->rows * width};
    double *const    out[2] = {r, J};
    return ask(f, at, 2, out, sizes);
}

static int cost_in_python(void *context, const arne_oc_knot *at, double *value, double *gradient,
                          double *hessian)
{
    const oc_function *f = context;
    const Py_ssize_t   width = 2 * f->owner->n + f->owner->nu;
    const Py_ssize_t   sizes[3] = {1, width, width * width};
    double *const      out[3] = {value, gradient, hessian};
    return ask(f, at, 3, out, sizes);
}

// ---- making ----

// The numbers of an array of doubles that stays where it is; NULL for None, or with an exception.
static const double *keep(oc_object *o, PyObject *array)
{
    if (array == Py_None) return NULL;
    Py_buffer *b = &o->buffers[o->buffer_count];
    if (PyObject_GetBuffer(array, b, PyBUF_C_CONTIGUOUS)) return NULL;
    o->buffer_count++;
    return b->buf;
}

static int take_term(oc_object *o, PyObject *entry, arne_oc_term *t, oc_function *f)
{
    PyObject  *weights, *reference, *lower, *upper, *function;
    Py_ssize_t ws, rs, bs;
    int        quantity;
    if (!PyArg_ParseTuple(entry, "iiiiiidOnOnOOniO", &quantity, &t->index, &t->at_end, &t->first,
                          &t->last, &t->wrap, &t->weight, &weights, &ws, &reference, &rs, &lower,
                          &upper, &bs, &t->rows, &function))
        return -1;
    t->quantity = (arne_oc_quantity)quantity;
    t->weights_stride = ws;
    t->reference_stride = rs;
    t->bounds_stride = bs;
    t->weights = keep(o, weights);
    t->reference = keep(o, reference);
    t->lower = keep(o, lower);
    t->upper = keep(o, upper);
    if (function != Py_None) {
        *f = (oc_function){o, function, t->rows};
        t->residual = residual_in_python;
        t->cost = cost_in_python;
        t->context = f;
    }
    return PyErr_Occurred() ? -1 : 0;
}

static int take_terms(oc_object *o, PyObject *terms)
{
    const Py_ssize_t count = PyList_Size(terms);
    o->given = calloc((size_t)count + 1, sizeof *o->given);
    o->functions = calloc((size_t)count + 1, sizeof *o->functions);
    o->buffers = calloc(4 * (size_t)count + 3, sizeof *o->buffers);
    if (!o->given || !o->functions || !o->buffers) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (take_term(o, PyList_GetItem(terms, i), &o->given[i], &o->functions[i])) return -1;
    return 0;
}

// (first, impact, [(frame, full), ...]) of each phase; the solver copies them.
static int take_phases(oc_object *o, PyObject *phases)
{
    const Py_ssize_t count = PyList_Size(phases);
    o->phases = calloc((size_t)count + 1, sizeof *o->phases);
    for (Py_ssize_t i = 0; i < count && o->phases; i++) {
        arne_oc_phase *p = &o->phases[o->phase_count++];
        PyObject      *list;
        if (!PyArg_ParseTuple(PyList_GetItem(phases, i), "iiO!", &p->first, &p->impact,
                              &PyList_Type, &list))
            return -1;
        p->contact_count = (int)PyList_Size(list);
        arne_oc_contact *contacts = calloc((size_t)p->contact_count + 1, sizeof *contacts);
        p->contacts = contacts;
        for (int k = 0; k < p->contact_count && contacts; k++)
            if (!PyArg_ParseTuple(PyList_GetItem(list, k), "ii", &contacts[k].frame,
                                  &contacts[k].full))
                return -1;
        if (!contacts) PyErr_NoMemory();
    }
    if (!o->phases) PyErr_NoMemory();
    return PyErr_Occurred() ? -1 : 0;
}

static void free_phases(oc_object *o)
{
    for (int i = 0; i < o->phase_count; i++)
        free((void *)(uintptr_t)o->phases[i].contacts);
    free(o->phases);
    o->phases = NULL;
    o->phase_count = 0;
}

static int oc_make(oc_object *o, PyObject *const *arrays, int integrator, int kind, int threads,
                   double step)
{
    const robot_object *robot = (const robot_object *)o->robot;
    arne_oc_problem     p = {.size = sizeof p,
                             .robot = robot->robot,
                             .knots = o->knots,
                             .step = step,
                             .integrator = (arne_oc_integrator)integrator,
                             .control_count = o->nu,
                             .control_kind = (arne_oc_control_kind)kind,
                             .threads = threads};
    arne_error          error;
    if (take_terms(o, o->terms)) return -1;
    p.actuation = keep(o, arrays[0]);
    p.control_lower = keep(o, arrays[1]);
    p.control_upper = keep(o, arrays[2]);
    if (PyErr_Occurred()) return -1;
    p.terms = o->given;
    p.term_count = (int)PyList_Size(o->terms);
    p.phases = o->phases;
    p.phase_count = o->phase_count;
    p.contact_damping = o->contact_damping;
    const arne_status status = arne_oc_new(&p, &o->oc, &error);
    if (status) {
        raise_error(status, &error);
        return -1;
    }
    o->nu = arne_oc_control_count(o->oc);
    o->room = calloc((size_t)(o->nq + o->n + o->nu), sizeof *o->room);
    if (!o->room) PyErr_NoMemory();
    return o->room ? 0 : -1;
}

PyObject *oc_new(PyObject *module, PyObject *args)
{
    module_state *state = PyModule_GetState(module);
    PyObject     *robot, *terms, *phases, *arrays[3];
    int           knots, integrator, kind, controls, threads;
    double        step, damping;
    if (!PyArg_ParseTuple(args, "O!idiiOiOOO!O!di", state->robot_type, &robot, &knots, &step,
                          &integrator, &kind, &arrays[0], &controls, &arrays[1], &arrays[2],
                          &PyList_Type, &terms, &PyList_Type, &phases, &damping, &threads))
        return NULL;
    oc_object *o = calloc(1, sizeof *o);
    if (!o) return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(o, CAPSULE, oc_release);
    if (!capsule) {
        free(o);
        return NULL;
    }
    const arne_sizes sizes = ((robot_object *)robot)->size;
    *o = (oc_object){.state = state,
                     .robot = Py_NewRef(robot),
                     .terms = Py_NewRef(terms),
                     .nq = sizes.q_count,
                     .n = sizes.v_count,
                     .nu = controls,
                     .knots = knots};
    o->contact_damping = damping;
    const int failed =
        take_phases(o, phases) || oc_make(o, arrays, integrator, kind, threads, step);
    free_phases(o);
    if (!failed) return capsule;
    Py_DECREF(capsule);
    return NULL;
}

PyObject *oc_counts(PyObject *module, PyObject *capsule)
{
    const oc_object *o = PyCapsule_GetPointer(capsule, CAPSULE);
    (void)module;
    return o ? Py_BuildValue("(ii)", o->nu, arne_oc_state_count(o->oc)) : NULL;
}

// ---- running ----

static double seconds(void *context)
{
    struct timespec t;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// One caller at a time; takes q and qd.
static oc_object *oc_enter(PyObject *capsule, PyObject *q, PyObject *qd)
{
    oc_object *o = PyCapsule_GetPointer(capsule, CAPSULE);
    if (!o || numbers(o->state, q, "q", o->nq, o->room) ||
        numbers(o->state, qd, "qd", o->n, o->room + o->nq))
        return NULL;
    if (!o->busy) return o;
    PyErr_SetString(PyExc_RuntimeError, "another call of this solver has not returned yet");
    return NULL;
}

static PyObject *facts(const oc_object *o, arne_status status, const arne_oc_result *r)
{
    const Py_ssize_t N = o->knots, nu = o->nu, nx = arne_oc_state_count(o->oc);
    PyObject        *states =
        array_of(o->state, arne_oc_states(o->oc), (N + 1) * (o->nq + o->n), o->nq + o->n);
    PyObject *controls = array_of(o->state, arne_oc_controls(o->oc), N * nu, nu);
    PyObject *gains = array_of(o->state, arne_oc_gains(o->oc), N * nu * nx, nx);
    return Py_BuildValue("(isiiidddddddddddNNN)", status == ARNE_OK,
                         arne_oc_outcome_name(r->outcome), r->iterations, r->rejected, r->exact,
                         r->cost, r->gradient, r->gap, r->violation, r->expected, r->step,
                         r->regularisation, r->penalty, r->derivative_time, r->riccati_time,
                         r->search_time, states, controls, gains);
}

static arne_oc_options options_of(oc_object *o, int iterations, int hessian, double tolerance,
                                  double deadline)
{
    return (arne_oc_options){.size = sizeof(arne_oc_options),
                             .iterations = iterations,
                             .hessian = (arne_oc_hessian)hessian,
                             .tolerance = tolerance,
                             .clock = seconds,
                             .deadline = deadline > 0 ? seconds(NULL) + deadline : 0,
                             .stop = watch_stop,
                             .stop_context = &o->watch};
}

// What ended a run: nothing, a function's exception, or an error that is none of the outcomes.
static int oc_failed(oc_object *o, arne_status status, const arne_error *error)
{
    if (watch_raise(&o->watch)) return 1;
    if (status == ARNE_OK || status == ARNE_NOT_CONVERGED || status == ARNE_STOPPED) return 0;
    raise_error(status, error);
    return 1;
}

PyObject *oc_solve(PyObject *module, PyObject *args)
{
    PyObject      *capsule, *q, *qd, *states, *controls;
    int            iterations, hessian;
    double         tolerance, deadline;
    arne_error     error;
    arne_oc_result r = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOiidd", &capsule, &q, &qd, &states, &controls, &iterations,
                          &hessian, &tolerance, &deadline))
        return NULL;
    oc_object *o = oc_enter(capsule, q, qd);
    if (!o) return NULL;
    arne_status status = ARNE_OK;
    if (states != Py_None || controls != Py_None) {
        Py_buffer b[2] = {{0}, {0}};
        const int bad =
            (states != Py_None && PyObject_GetBuffer(states, &b[0], PyBUF_C_CONTIGUOUS)) ||
            (controls != Py_None && PyObject_GetBuffer(controls, &b[1], PyBUF_C_CONTIGUOUS));
        if (!bad) status = arne_oc_start(o->oc, b[0].buf, b[1].buf, &error);
        for (int i = 0; i < 2; i++)
            if (b[i].obj) PyBuffer_Release(&b[i]);
        if (bad) return NULL;
        if (status) return raise_error(status, &error);
    }
    const arne_oc_options options = options_of(o, iterations, hessian, tolerance, deadline);
    o->busy = 1;
    watch_begin(&o->watch, NULL);
    status = arne_oc_solve(o->oc, o->room, o->room + o->nq, &options, &r, &error);
    watch_end(&o->watch);
    o->busy = 0;
    return oc_failed(o, status, &error) ? NULL : facts(o, status, &r);
}

PyObject *oc_schedule(PyObject *module, PyObject *args)
{
    PyObject *capsule, *given;
    int       before, *phases;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!i", &capsule, &PyList_Type, &given, &before)) return NULL;
    oc_object *o = PyCapsule_GetPointer(capsule, CAPSULE);
    if (!o) return NULL;
    const Py_ssize_t count = PyList_Size(given);
    if (count != o->knots)
        return PyErr_Format(PyExc_ValueError, "%zd phases for %d knots", count, o->knots);
    phases = calloc((size_t)count + 1, sizeof *phases);
    if (!phases) return PyErr_NoMemory();
    for (Py_ssize_t k = 0; k < count; k++)
        phases[k] = (int)PyLong_AsLong(PyList_GetItem(given, k));
    arne_error        error;
    const arne_status status =
        PyErr_Occurred() ? ARNE_OK : arne_oc_schedule(o->oc, phases, before, &error);
    free(phases);
    if (PyErr_Occurred() || oc_failed(o, status, &error)) return NULL;
    Py_RETURN_NONE;
}

PyObject *oc_torques(PyObject *module, PyObject *args)
{
    PyObject *capsule, *given[3];
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOO", &capsule, &given[0], &given[1], &given[2])) return NULL;
    oc_object *o = oc_enter(capsule, given[0], given[1]);
    double    *u = o ? o->room + o->nq + o->n : NULL;
    PyObject  *out = NULL;
    double    *tau = o ? calloc((size_t)o->n + 1, sizeof *tau) : NULL;
    if (tau && !numbers(o->state, given[2], "control", o->nu, u)) {
        arne_oc_torques(o->oc, o->room, o->room + o->nq, u, tau);
        out = array_of(o->state, tau, o->n, 0);
    } else if (o && !tau)
        PyErr_NoMemory();
    free(tau);
    return out;
}

PyObject *oc_step(PyObject *module, PyObject *args)
{
    PyObject      *capsule, *q, *qd;
    int            iterations, hessian;
    double         elapsed, deadline;
    arne_error     error;
    arne_oc_result r = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOdiid", &capsule, &q, &qd, &elapsed, &iterations, &hessian,
                          &deadline))
        return NULL;
    oc_object *o = oc_enter(capsule, q, qd);
    if (!o) return NULL;
    const arne_oc_options options = options_of(o, iterations, hessian, 0, deadline);
    double *const         u = o->room + o->nq + o->n;
    o->busy = 1;
    watch_begin(&o->watch, NULL);
    const arne_status status =
        arne_oc_step(o->oc, o->room, o->room + o->nq, elapsed, &options, u, NULL, &r, &error);
    watch_end(&o->watch);
    o->busy = 0;
    if (oc_failed(o, status, &error)) return NULL;
    const Py_ssize_t nx = arne_oc_state_count(o->oc);
    return Py_BuildValue("(sidNN)", arne_oc_outcome_name(r.outcome), r.iterations, r.cost,
                         array_of(o->state, u, o->nu, 0),
                         array_of(o->state, arne_oc_gains(o->oc), o->nu * nx, nx));
}

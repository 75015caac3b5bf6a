// The module: its state, its types and functions.
#include "call.h"
#include "lanes.h"
#include "method.h"
#include "watch.h"

static PyObject *set_threads(PyObject *module, PyObject *given)
{
    const long threads = PyLong_AsLong(given);
    (void)module;
    if (threads == -1 && PyErr_Occurred()) return NULL;
    if (threads < 0 || threads > 1024) {
        PyErr_Format(PyExc_ValueError, "threads: %ld is not from 0 to 1024", threads);
        return NULL;
    }
    lanes_set_threads((int)threads);
    Py_RETURN_NONE;
}

static PyObject *get_threads(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromLong(lanes_threads());
}

static PyObject *list_methods(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return method_list();
}

// A function of METH_FASTCALL, as the table has it.
#define FAST(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef functions[] = {
    {"set_threads", set_threads, METH_O,
     "set_threads($module, threads, /)\n--\n\n"
     "How many threads batches use from now on; 0: one for each processor."},
    {"get_threads", get_threads, METH_NOARGS,
     "get_threads($module, /)\n--\n\nWhat set_threads was given; 0 unless told."},
    {"methods", list_methods, METH_NOARGS,
     "methods($module, /)\n--\n\nWhat each method of a robot takes and gives, from the catalogue."},
    {"simulate", run_simulate, METH_VARARGS,
     "simulate($module, path, out, controller, sample_time, tick, resume, page, /)\n--\n\n"
     "Runs a scenario into a folder; the exception that ended it, or None."},
    {"plan", run_plan, METH_VARARGS,
     "plan($module, path, out, quantities, constraints, objectives, tick, refine, "
     "feasibility_first, warm, resume, log, converge, starts, seed, threads, normal, "
     "check_derivatives, plots, /)\n--\n\n"
     "Solves a problem into a folder; the exception that ended it, or None."},
    {"oc_new", oc_new, METH_VARARGS,
     "oc_new($module, robot, knots, step, integrator, kind, actuation, controls, lower, upper, "
     "terms, "
     "phases, contact_damping, threads, /)\n--\n\nA solver of optimal control."},
    {"oc_counts", oc_counts, METH_O,
     "oc_counts($module, solver, /)\n--\n\nIts numbers of controls and of columns of a gain."},
    {"oc_solve", oc_solve, METH_VARARGS,
     "oc_solve($module, solver, q, qd, states, controls, iterations, hessian, tolerance, deadline, "
     "/)\n--\n\nSolves from a state."},
    {"oc_torques", oc_torques, METH_VARARGS,
     "oc_torques($module, solver, q, qd, control, /)\n--\n\nTorques of controls."},
    {"oc_schedule", oc_schedule, METH_VARARGS,
     "oc_schedule($module, solver, phases, before, /)\n--\n\nThe phase of every knot."},
    {"oc_step", oc_step, METH_VARARGS,
     "oc_step($module, solver, q, qd, elapsed, iterations, hessian, deadline, /)\n--\n\n"
     "One tick of receding horizon control."},
    {"simulation_new", simulation_new, METH_VARARGS,
     "simulation_new($module, path, step, q, qd, /)\n--\n\nA simulation of a scenario file."},
    {"simulation_facts", simulation_facts, METH_O,
     "simulation_facts($module, simulation, /)\n--\n\n"
     "Its robot as bytes, the time of a step, the numbers of contacts and of a state."},
    {"simulation_step", FAST(simulation_step), METH_FASTCALL,
     "simulation_step($module, simulation, tau, n, /)\n--\n\nSteps, in all worlds."},
    {"simulation_write", simulation_write, METH_VARARGS,
     "simulation_write($module, simulation, what, mask, a, b, /)\n--\n\n"
     "0: a reset to q and qd; 1: a target; 2: a state."},
    {"simulation_read", FAST(simulation_read), METH_FASTCALL,
     "simulation_read($module, simulation, what, /)\n--\n\n"
     "0: q, 1: qd, 2: tau, 3: time, 4: energies and work."},
    {"simulation_fill", simulation_fill, METH_VARARGS,
     "simulation_fill($module, simulation, what, out, /)\n--\n\n"
     "0: forces on contacts; 1: states as numbers."},
    {"simulation_contacts", simulation_contacts, METH_VARARGS,
     "simulation_contacts($module, simulation, world, /)\n--\n\nWhat touches."},
    {"simulation_bench", simulation_bench, METH_VARARGS,
     "simulation_bench($module, simulation, tau, steps, /)\n--\n\n"
     "Seconds of a step, called from C."},
    {"simulations_new", simulations_new, METH_VARARGS,
     "simulations_new($module, path, count, threads, step, rows, frame, /)\n--\n\n"
     "Many worlds of a scenario file."},
    {"simulations_addresses", simulations_addresses, METH_O,
     "simulations_addresses($module, worlds, /)\n--\n\nWhere q, qd and times lie."},
    {"simulations_failed", simulations_failed, METH_O,
     "simulations_failed($module, worlds, /)\n--\n\nWorlds in which the last call failed."},
    {"dlpack_facts", dlpack_facts, METH_O,
     "dlpack_facts($module, capsule, /)\n--\n\n"
     "Address, shape, strides, type code and bits of a tensor."},
    {"sweep", run_sweep, METH_VARARGS,
     "sweep($module, path, out, jobs, tick, resume, retry, /)\n--\n\nRuns a sweep into a folder."},
    {"sweep_facts", sweep_facts, METH_O,
     "sweep_facts($module, path, /)\n--\n\nRows and parameters of a sweep, names and units of its "
     "columns."},
    {"sweep_rows", sweep_rows, METH_VARARGS,
     "sweep_rows($module, path, start, stop, /)\n--\n\nLines of a sweep's table, computed here."},
    {"read_table", read_table, METH_O,
     "read_table($module, path, /)\n--\n\nNames, units and rows of a CSV file."},
    {"write_report", write_report, METH_O,
     "write_report($module, path, /)\n--\n\nThe page of a run's folder."},
    {0}};

static int keep_numpy(module_state *state)
{
    static const char *const names[] = {"empty", "asarray", "float64", "from_dlpack", "ndarray"};
    PyObject **const kept[] = {&state->empty, &state->asarray, &state->float64, &state->from_dlpack,
                               &state->ndarray};
    PyObject        *numpy = PyImport_ImportModule("numpy");
    int              failed = !numpy;
    for (int i = 0; i < 5 && !failed; i++) {
        *kept[i] = PyObject_GetAttrString(numpy, names[i]);
        failed = !*kept[i];
    }
    Py_XDECREF(numpy);
    return failed;
}

static int module_exec(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    if (keep_numpy(state) || robot_prepare()) return -1;
    for (int i = 0; i < ARGUMENT_COUNT; i++) {
        state->keywords[i] = PyUnicode_InternFromString(argument_name(i));
        if (!state->keywords[i]) return -1;
    }
    state->nothing = PyTuple_New(0);
    state->robot_type = PyType_FromModuleAndSpec(module, &robot_spec, NULL);
    if (!state->nothing || !state->robot_type) return -1;
    if (PyModule_AddType(module, (PyTypeObject *)state->robot_type)) return -1;
    PyObject *records = method_records();
    const int failed = !records || PyModule_AddObjectRef(module, "RECORDS", records);
    Py_XDECREF(records);
    if (failed) return -1;
    return PyModule_AddStringConstant(module, "__version__", arne_version());
}

// What the state holds: each visited, or let go.
static int each(module_state *state, int (*one)(PyObject **, void *), void *context)
{
    PyObject **const single[] = {&state->empty,       &state->asarray,    &state->float64,
                                 &state->from_dlpack, &state->robot_type, &state->nothing,
                                 &state->ndarray};
    int              result = 0;
    for (size_t i = 0; i < sizeof single / sizeof single[0] && !result; i++)
        result = one(single[i], context);
    for (int i = 0; i < ARGUMENT_COUNT && !result; i++)
        result = one(&state->keywords[i], context);
    for (int i = 0; i < ARNE_ALGORITHM_COUNT && !result; i++)
        result = one(&state->results[i], context);
    return result;
}

typedef struct visit {
    visitproc visit;
    void     *arg;
} visit;

static int visit_one(PyObject **object, void *context)
{
    const visit *v = context;
    return *object ? v->visit(*object, v->arg) : 0;
}

static int clear_one(PyObject **object, void *context)
{
    (void)context;
    Py_CLEAR(*object);
    return 0;
}

static int module_traverse(PyObject *module, visitproc visit_object, void *arg)
{
    visit v = {visit_object, arg};
    return each(PyModule_GetState(module), visit_one, &v);
}

static int module_clear(PyObject *module)
{
    return each(PyModule_GetState(module), clear_one, NULL);
}

static void module_free(void *module) { module_clear(module); }

static PyModuleDef_Slot   slots[] = {{Py_mod_exec, module_exec}, {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_arne",      NULL,
                                        sizeof(module_state),  functions,    slots,
                                        module_traverse,       module_clear, module_free};

PyMODINIT_FUNC PyInit__arne(void);
PyMODINIT_FUNC PyInit__arne(void) { return PyModuleDef_Init(&definition); }

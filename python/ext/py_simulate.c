// Scenarios: run into a folder as the program does it, with a controller in Python where there is
// one.
#include "watch.h"

#include <math.h>

// A controller in Python: called as function(t, q, qd, references), and returns the torques.
typedef struct law {
    watch              *watch;
    const module_state *state;
    PyObject           *function;
    const arne_robot   *robot;
    arne_sizes          size;
    int                 free_base;
} law;

static PyObject *reference(const law *l, const arne_control_input *input)
{
    const double *const all[] = {input->q_ref, input->qd_ref, input->qdd_ref, input->qddd_ref,
                                 input->qdddd_ref};
    PyObject           *parts = PyTuple_New(5);
    for (int i = 0; i < 5 && parts; i++) {
        PyObject *part = all[i]
                             ? array_of(l->state, all[i], i ? l->size.v_count : l->size.q_count, 0)
                             : Py_NewRef(Py_None);
        if (!part || PyTuple_SetItem(parts, i, part)) Py_CLEAR(parts);
    }
    return parts;
}

static int check_torques(const law *l, double time, const double *tau)
{
    for (int i = 0; i < l->size.v_count; i++) {
        const char *name = "the base";
        for (int k = 0; k < l->size.joint_count && !isfinite(tau[i]); k++) {
            const arne_joint_info j = arne_robot_joint(l->robot, k);
            if (i >= j.v_start && i < j.v_start + j.v_count) name = j.name;
        }
        if (isfinite(tau[i])) continue;
        char *when = PyOS_double_to_string(time, 'g', 9, 0, NULL); // in every locale
        if (!when) return -1;
        PyErr_Format(PyExc_ValueError,
                     "controller: it returned %s for '%s' (torque %d of %d) at t = %s s",
                     isnan(tau[i]) ? "nan" : "infinity", name, i, l->size.v_count, when);
        PyMem_Free(when);
        return -1;
    }
    return 0;
}

// Of a free base the six torques, which are zero, may be left off.
static int put_torques(const law *l, PyObject *answer, double *tau)
{
    const Py_ssize_t n = l->size.v_count;
    if (l->free_base && PyObject_Size(answer) == n - 6) {
        for (int i = 0; i < 6; i++)
            tau[i] = 0;
        return numbers_of(l->state, answer, "controller", n - 6, tau + 6);
    }
    PyErr_Clear(); // of a size that was asked for in vain
    return numbers_of(l->state, answer, "controller", n, tau);
}

static arne_status ask(void *context, const arne_control_input *input, double *tau)
{
    const law *l = context;
    watch_enter(l->watch);
    PyObject *q = array_of(l->state, input->q, l->size.q_count, 0);
    PyObject *qd = array_of(l->state, input->qd, l->size.v_count, 0);
    PyObject *parts = reference(l, input), *answer = NULL;
    if (q && qd && parts)
        answer = PyObject_CallFunction(l->function, "dOOO", input->t, q, qd, parts);
    if (answer && put_torques(l, answer, tau) == 0) check_torques(l, input->t, tau);
    Py_XDECREF(answer);
    Py_XDECREF(parts);
    Py_XDECREF(qd);
    Py_XDECREF(q);
    return watch_leave(l->watch) ? ARNE_STOPPED : ARNE_OK;
}

static arne_status set_law(arne_scenario *scenario, law *l, double sample_time, arne_error *error)
{
    const arne_robot *robot = arne_scenario_simulation(scenario)->robot;
    arne_controller  *controller = NULL;
    l->robot = robot;
    l->size = arne_robot_sizes(robot);
    l->free_base = arne_robot_base(robot) == ARNE_BASE_FREE;
    const arne_status status = arne_controller_callback(robot, ask, l, &controller, error);
    return status ? status : arne_scenario_set_controller(scenario, controller, sample_time, error);
}

int has_ground(const arne_scenario *scenario)
{
    const arne_simulation_spec *sim = arne_scenario_simulation(scenario);
    for (int i = 0; i < sim->surrounding_count; i++)
        if (sim->surroundings[i].kind == ARNE_SURROUNDING_GROUND) return 1;
    return 0;
}

static int on_progress(void *context, double part)
{
    ((watch *)context)->part = part;
    return 0;
}

// simulate(path, out, controller, sample_time, tick, resume, page): the exception that ended the
// run, or None
PyObject *run_simulate(PyObject *module, PyObject *args)
{
    PyObject  *path = NULL, *out = NULL, *function, *tick, *result = NULL;
    double     sample_time;
    int        resume, paged;
    arne_error error = {0};
    watch      w;
    if (!PyArg_ParseTuple(args, "O&O&OdOpp", PyUnicode_FSConverter, &path, PyUnicode_FSConverter,
                          &out, &function, &sample_time, &tick, &resume, &paged)) {
        Py_XDECREF(path);
        return NULL;
    }
    PyObject          *warnings = PyList_New(0), *mistakes = PyList_New(0);
    arne_build_options build = {.warn = keep_warning,
                                .warn_context = warnings,
                                .fail = keep_mistake,
                                .fail_context = mistakes};
    arne_scenario     *scenario = NULL;
    law                l = {.watch = &w, .state = PyModule_GetState(module), .function = function};
    arne_status        status = warnings && mistakes
                                    ? arne_scenario_read(PyBytes_AsString(path), &build, &scenario, &error)
                                    : ARNE_NO_MEMORY;
    int                told = status ? 0 : tell_warnings(warnings, has_ground(scenario));
    if (!status && !told && function != Py_None)
        status = set_law(scenario, &l, sample_time, &error);
    if (!status && !told) {
        watch_begin(&w, tick);
        const arne_report_options   page = {0};
        const arne_scenario_options how = {.progress = on_progress,
                                           .context = &w,
                                           .stop = watch_stop,
                                           .stop_context = &w,
                                           .resume = resume,
                                           .page = paged ? &page : NULL};
        status = arne_scenario_run(scenario, PyBytes_AsString(out), &how, NULL, &error);
        watch_end(&w);
        if (!watch_raise(&w) && status) raise_error(status, &error);
        result = take_exception();
    } else if (!told) {
        raise_mistakes(status, &error, mistakes);
    }
    arne_scenario_free(scenario);
    Py_XDECREF(warnings);
    Py_XDECREF(mistakes);
    Py_DECREF(path);
    Py_DECREF(out);
    return result;
}

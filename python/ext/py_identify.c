// From recordings to a robot: designed motions, fits and loads, into a folder as the program does
// it.
#include "facts.h"
#include "watch.h"

#include <arne/identify.h>
#include <arne/report.h>
#include <stdlib.h>
#include <string.h>

// What all three have: options from files, somebody who listens, and arrays that are held.
typedef struct job {
    robot_object           *robot;
    watch                   w;
    PyObject               *warnings, *mistakes;
    arne_identify_settings *settings[2];
    arne_identify_options   options;
    arne_identify          *study;
    Py_buffer              *buffer; // of logs in memory
    int                     buffer_count;
    arne_error              error;
} job;

// ---- listeners: called without the GIL

static void on_warning(void *context, const arne_warning *warning)
{
    job *j = context;
    watch_enter(&j->w);
    keep_warning(j->warnings, warning);
    watch_leave(&j->w);
}

static void on_mistake(void *context, const arne_error *mistake)
{
    job *j = context;
    watch_enter(&j->w);
    keep_mistake(j->mistakes, mistake);
    watch_leave(&j->w);
}

// ---- options

static int job_begin(job *j, PyObject *robot, PyObject *tick)
{
    *j = (job){.warnings = PyList_New(0), .mistakes = PyList_New(0)};
    j->w = (watch){.tick = tick == Py_None ? NULL : tick, .caller = PyThread_get_thread_ident()};
    j->robot = (robot_object *)robot;
    return j->warnings && j->mistakes ? 0 : -1;
}

// Every file says more than the one before.
static arne_status read_settings(job *j, PyObject *paths)
{
    arne_status status = ARNE_OK;
    j->options = (arne_identify_options){.size = sizeof j->options};
    for (Py_ssize_t i = 0; i < PyList_Size(paths) && i < 2 && !status; i++) {
        PyObject *path = NULL;
        if (!PyUnicode_FSConverter(PyList_GetItem(paths, i), &path)) return ARNE_STOPPED;
        j->options.fail = on_mistake;
        j->options.fail_context = j;
        status = arne_identify_settings_read(PyBytes_AsString(path), j->robot->robot, &j->options,
                                             &j->settings[i], &j->error);
        if (!status) j->options = *arne_identify_settings_options(j->settings[i]);
        Py_DECREF(path);
    }
    j->options.size = sizeof j->options;
    j->options.warn = on_warning;
    j->options.warn_context = j;
    j->options.fail = on_mistake;
    j->options.fail_context = j;
    j->options.stop = watch_stop;
    j->options.stop_context = &j->w;
    return status;
}

// ---- logs

// The numbers of an array of float64 in C order, held until the job ends; NULL for None.
static const double *hold(job *j, PyObject *array)
{
    if (array == Py_None) return NULL;
    Py_buffer *more = realloc(j->buffer, ((size_t)j->buffer_count + 1) * sizeof *more);
    if (!more) {
        PyErr_NoMemory();
        return NULL;
    }
    j->buffer = more;
    if (PyObject_GetBuffer(array, &more[j->buffer_count], PyBUF_C_CONTIGUOUS)) return NULL;
    return more[j->buffer_count++].buf;
}

static arne_status add_numbers(job *j, PyObject *given, arne_log_role role)
{
    PyObject *part[5];
    arne_log  log = {0};
    if (!PyArg_ParseTuple(given, "OOOOOii", &part[0], &part[1], &part[2], &part[3], &part[4],
                          &log.is_current, &log.rows))
        return ARNE_STOPPED;
    const double **const to[5] = {&log.time, &log.q, &log.qd, &log.qdd, &log.tau};
    for (int i = 0; i < 5 && !PyErr_Occurred(); i++)
        *to[i] = hold(j, part[i]);
    if (PyErr_Occurred()) return ARNE_STOPPED;
    return arne_identify_add_log(j->study, &log, role, &j->error);
}

// A log is a path, or a tuple: time, q, qd, qdd, tau (each float64 in C order, or None), whether
// these are currents, and how many rows.
static arne_status add_logs(job *j, PyObject *logs, arne_log_role role)
{
    arne_status status = ARNE_OK;
    for (Py_ssize_t i = 0; i < PyList_Size(logs) && !status; i++) {
        PyObject *given = PyList_GetItem(logs, i), *path = NULL;
        if (PyTuple_Check(given)) {
            status = add_numbers(j, given, role);
        } else if (PyUnicode_FSConverter(given, &path)) {
            status = arne_identify_add_file(j->study, PyBytes_AsString(path), role, &j->error);
            Py_DECREF(path);
        } else {
            status = ARNE_STOPPED;
        }
    }
    return status;
}

// ---- the end

// Takes `result` where nothing has gone wrong; else the exception.
static PyObject *job_end(job *j, arne_status status, PyObject *result)
{
    arne_identify_free(j->study);
    arne_identify_settings_free(j->settings[0]);
    arne_identify_settings_free(j->settings[1]);
    for (int i = 0; i < j->buffer_count; i++)
        PyBuffer_Release(&j->buffer[i]);
    free(j->buffer);
    if (!watch_raise(&j->w) && !PyErr_Occurred()) {
        // What was doubtful may be why it failed.
        if (tell_warnings(j->warnings, 0) == 0 && status)
            raise_mistakes(status, &j->error, j->mistakes);
    }
    Py_XDECREF(j->warnings);
    Py_XDECREF(j->mistakes);
    if (!PyErr_Occurred()) return result;
    Py_XDECREF(result);
    return NULL;
}

// How far it is nobody knows: what is under way is told instead.
static void let_go(job *j, const char *what)
{
    PyObject *tick = j->w.tick, *words = PyUnicode_FromString(what);
    if (!words) PyErr_Clear();
    watch_begin(&j->w, tick ? tick : Py_None);
    j->w.before = words;
}

// _identify_fit(logs, validate, settings, out, tick)
PyObject *robot_identify_fit(PyObject *robot, PyObject *args)
{
    PyObject *logs, *validate, *settings, *out = NULL, *tick;
    job       j;
    if (!PyArg_ParseTuple(args, "O!O!O!O&O", &PyList_Type, &logs, &PyList_Type, &validate,
                          &PyList_Type, &settings, PyUnicode_FSConverter, &out, &tick))
        return NULL;
    arne_status status = job_begin(&j, robot, tick) ? ARNE_NO_MEMORY : read_settings(&j, settings);
    if (!status) status = arne_run_check_place(PyBytes_AsString(out), &j.error);
    if (!status) status = arne_identify_new(j.robot->robot, &j.options, &j.study, &j.error);
    if (!status) status = add_logs(&j, logs, ARNE_LOG_FIT);
    if (!status) status = add_logs(&j, validate, ARNE_LOG_VALIDATE);
    if (!status) {
        const arne_report_options page = {0};
        let_go(&j, "fitting what was recorded");
        status = arne_identify_fit_robot(j.study, &j.error);
        if (!status) status = arne_identify_write(j.study, PyBytes_AsString(out), &page, &j.error);
        watch_end(&j.w);
    }
    Py_DECREF(out);
    return job_end(&j, status, Py_NewRef(Py_None));
}

static PyObject *load_facts(const job *j, int frame, const arne_load_found *l)
{
    const arne_payload *p = &l->load;
    return Py_BuildValue(
        "{s:s,s:d,s:d,s:(ddd),s:(ddd),s:(dddddd),s:(dddddddddd),s:d,s:d,s:d,s:O}", "frame",
        arne_robot_frame(j->robot->robot, frame).name, "mass", p->mass, "mass_deviation",
        l->mass_deviation, "com", p->com.x, p->com.y, p->com.z, "com_deviation", l->com_deviation.x,
        l->com_deviation.y, l->com_deviation.z, "inertia", p->inertia[0], p->inertia[1],
        p->inertia[2], p->inertia[3], p->inertia[4], p->inertia[5], "deviation", l->deviation[0],
        l->deviation[1], l->deviation[2], l->deviation[3], l->deviation[4], l->deviation[5],
        l->deviation[6], l->deviation[7], l->deviation[8], l->deviation[9], "percent", l->percent,
        "cutoff", l->cutoff, "torque_cutoff", l->torque_cutoff, "rests_on_robot",
        l->rests_on_robot ? Py_True : Py_False);
}

// _identify_payload(logs, unloaded, settings, frame, tick): what was found, as a dict
PyObject *robot_identify_payload(PyObject *robot, PyObject *args)
{
    PyObject       *logs, *unloaded, *settings, *given, *tick, *result = NULL;
    arne_load_found found = {0};
    job             j;
    if (!PyArg_ParseTuple(args, "O!O!O!OO", &PyList_Type, &logs, &PyList_Type, &unloaded,
                          &PyList_Type, &settings, &given, &tick))
        return NULL;
    const int frame = frame_index((robot_object *)robot, given);
    if (frame < 0) return NULL;
    arne_status status = job_begin(&j, robot, tick) ? ARNE_NO_MEMORY : read_settings(&j, settings);
    if (!status) status = arne_identify_new(j.robot->robot, &j.options, &j.study, &j.error);
    if (!status) status = add_logs(&j, logs, ARNE_LOG_LOADED);
    if (!status) status = add_logs(&j, unloaded, ARNE_LOG_FIT);
    if (!status) {
        let_go(&j, "weighing the load");
        status = arne_identify_payload(j.study, frame, &found, &j.error);
        watch_end(&j.w);
        if (!status) result = load_facts(&j, frame, &found);
    }
    return job_end(&j, status, result);
}

// ---- designed motions

// Numbers of a list, to be freed; NULL for None, or with an exception set.
static double *list_numbers(PyObject *list)
{
    if (list == Py_None) return NULL;
    const Py_ssize_t count = PyList_Size(list);
    double          *x = malloc(((size_t)count + 1) * sizeof *x);
    if (!x) PyErr_NoMemory();
    for (Py_ssize_t i = 0; x && i < count; i++)
        x[i] = PyFloat_AsDouble(PyList_GetItem(list, i));
    return x;
}

static int *list_frames(const robot_object *robot, PyObject *list)
{
    const Py_ssize_t count = PyList_Size(list);
    int             *frames = malloc(((size_t)count + 1) * sizeof *frames);
    if (!frames) PyErr_NoMemory();
    for (Py_ssize_t i = 0; frames && i < count && !PyErr_Occurred(); i++)
        frames[i] = frame_index(robot, PyList_GetItem(list, i));
    return frames;
}

// _identify_design(settings, out, rate, (splines, period, harmonics, starts, seed, margin,
// iterations, floor), accelerations, noises, frames, tick)
PyObject *robot_identify_design(PyObject *robot, PyObject *args)
{
    PyObject *settings, *out = NULL, *rates, *noises, *frames, *tick;
    double    rate, period, margin, floor;
    int       splines, harmonics, starts, iterations;
    long long seed;
    job       j;
    if (!PyArg_ParseTuple(args, "O!O&d(idiiLdid)OOO!O", &PyList_Type, &settings,
                          PyUnicode_FSConverter, &out, &rate, &splines, &period, &harmonics,
                          &starts, &seed, &margin, &iterations, &floor, &rates, &noises,
                          &PyList_Type, &frames, &tick))
        return NULL;
    arne_design *d = NULL;
    arne_status  status = job_begin(&j, robot, tick) ? ARNE_NO_MEMORY : read_settings(&j, settings);
    double *limit = list_numbers(rates), *noise = PyErr_Occurred() ? NULL : list_numbers(noises);
    int    *above = PyErr_Occurred() ? NULL : list_frames(j.robot, frames);
    if (PyErr_Occurred()) status = ARNE_STOPPED;
    if (!status) status = arne_run_check_place(PyBytes_AsString(out), &j.error);
    if (!status) {
        const arne_design_options o = {.size = sizeof o,
                                       .period = period,
                                       .harmonics = harmonics,
                                       .starts = starts,
                                       .seed = (uint64_t)seed,
                                       .margin = margin,
                                       .accelerations = limit,
                                       .noises = noise,
                                       .friction = j.options.friction,
                                       .no_rotor = j.options.no_rotor,
                                       .frames = above,
                                       .frame_count = (int)PyList_Size(frames),
                                       .floor = floor,
                                       .iterations = iterations,
                                       .motion =
                                           splines ? ARNE_DESIGN_SPLINES : ARNE_DESIGN_FOURIER,
                                       .stop = watch_stop,
                                       .stop_context = &j.w};
        const arne_report_options page = {0};
        let_go(&j, "searching for a motion");
        status = arne_design_new(j.robot->robot, &o, &d, &j.error);
        if (!status) status = arne_design_write(d, rate, PyBytes_AsString(out), &page, &j.error);
        arne_design_free(d);
        watch_end(&j.w);
    }
    free(limit);
    free(noise);
    free(above);
    Py_DECREF(out);
    return job_end(&j, status, Py_NewRef(Py_None));
}

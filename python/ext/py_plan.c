// Plans: solved and written to a folder as the program does it, with quantities in Python where
// there are any.
#include "plan_starts.h"
#include "watch.h"
#include <arne/horizon.h>
#include <arne/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- quantities in Python ----

typedef struct quantity {
    watch              *watch;
    const module_state *state;
    PyObject           *function, *gradient; // borrowed; gradient: NULL where there is none
    int                 rows, v_count, number;
} quantity;

static int call(const quantity *q, PyObject *function, const char *name, double u, const double *z,
                Py_ssize_t count, double *out)
{
    PyObject *parts[4] = {NULL}, *answer = NULL;
    int       good = 1;
    for (int i = 0; i < 4 && good; i++) {
        parts[i] = array_of(q->state, z + i * q->v_count, q->v_count, 0);
        good = parts[i] != NULL;
    }
    if (good)
        answer =
            PyObject_CallFunction(function, "dOOOO", u, parts[0], parts[1], parts[2], parts[3]);
    good = answer && numbers_of(q->state, answer, name, count, out) == 0;
    Py_XDECREF(answer);
    for (int i = 0; i < 4; i++)
        Py_XDECREF(parts[i]);
    return good;
}

static int evaluate(void *context, double u, const double *z, double *value, double *gradient)
{
    const quantity *q = context;
    if (q->watch->stopped) return 1;
    if (gradient && !q->gradient) return -1;
    watch_enter(q->watch);
    int good = 1;
    if (value && !gradient) good = call(q, q->function, "value", u, z, q->rows, value);
    if (good && gradient)
        call(q, q->gradient, "gradient", u, z, (Py_ssize_t)q->rows * 4 * q->v_count, gradient);
    return watch_leave(q->watch);
}

static arne_status add_quantities(arne_plan *plan, PyObject *list, quantity *all, arne_error *error)
{
    arne_status status = ARNE_OK;
    for (Py_ssize_t i = 0; i < PyList_Size(list) && !status; i++) {
        quantity   *q = &all[i];
        const char *name;
        PyObject   *gradient;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "siOO", &name, &q->rows, &q->function,
                              &gradient))
            return ARNE_STOPPED;
        q->gradient = gradient == Py_None ? NULL : gradient;
        q->v_count = arne_robot_sizes(arne_plan_robot(plan)).v_count;
        status = arne_plan_add_callback(plan, name, q->rows, evaluate, q, &q->number, error);
    }
    return status;
}

// (name, quantity, lower, upper, from, to) and (name, quantity, weights, shape, smooth, at)
static arne_status add_term(arne_plan *plan, PyObject *entry, int objective, const quantity *all,
                            const module_state *state, arne_error *error)
{
    const char *name;
    int         which, shape = 0;
    double      a, b;
    PyObject   *first, *second = NULL;
    const int   good =
        objective ? PyArg_ParseTuple(entry, "siOidd", &name, &which, &first, &shape, &a, &b)
                    : PyArg_ParseTuple(entry, "siOOdd", &name, &which, &first, &second, &a, &b);
    if (!good) return ARNE_STOPPED;
    const quantity *q = &all[which];
    double         *x = malloc((size_t)(2 * q->rows + 1) * sizeof *x), *y = x ? x + q->rows : NULL;
    arne_status     status = x ? ARNE_OK : ARNE_NO_MEMORY;
    if (x && numbers_of(state, first, objective ? "weight" : "lower", q->rows, x))
        status = ARNE_STOPPED;
    if (!status && second && numbers_of(state, second, "upper", q->rows, y)) status = ARNE_STOPPED;
    if (!status && objective) {
        const arne_objective o = {.name = name,
                                  .quantity = q->number,
                                  .row_count = q->rows,
                                  .weights = x,
                                  .shape = (arne_objective_shape)shape,
                                  .smooth = a,
                                  .at = b};
        status = arne_plan_add_objective(plan, &o, error);
    } else if (!status) {
        const arne_constraint c = {.name = name,
                                   .quantity = q->number,
                                   .row_count = q->rows,
                                   .lower = x,
                                   .upper = y,
                                   .from = a,
                                   .to = b,
                                   .other = -1,
                                   .other_at = -1};
        status = arne_plan_add_constraint(plan, &c, error);
    }
    free(x);
    return status;
}

static arne_status add_terms(arne_plan *plan, PyObject *list, int objective, const quantity *all,
                             const module_state *state, arne_error *error)
{
    arne_status status = ARNE_OK;
    for (Py_ssize_t i = 0; i < PyList_Size(list) && !status; i++)
        status = add_term(plan, PyList_GetItem(list, i), objective, all, state, error);
    return status;
}

// ---- the search ----

static int on_progress(void *context, const arne_plan_progress *p)
{
    watch *w = context;
    if (w->stopped) return 1;
    watch_enter(w);
    Py_XDECREF(w->before);
    w->before =
        Py_BuildValue("(iiddd)", p->iteration, p->phase, p->objective, p->violation, p->dual);
    return watch_leave(w);
}

typedef struct plan_args {
    PyObject     *path, *out, *quantities, *constraints, *objectives, *tick;
    PyObject     *warm, *log, *normal; // bytes, or NULL
    int           refine, feasibility_first, resume, starts, threads, check, plots;
    double        converge; // negative: as the file says
    unsigned long seed;
} plan_args;

static const char *text_or_null(PyObject *bytes) { return bytes ? PyBytes_AsString(bytes) : NULL; }

static arne_solve_options solve_options(const arne_plan *plan, const plan_args *a, watch *w)
{
    arne_solve_options how = arne_plan_solver(plan);
    if (a->refine >= 0) how.refine = a->refine > 0 ? a->refine : -1;
    if (a->converge >= 0) how.converge = a->converge;
    if (a->threads > 0) how.threads = a->threads;
    how.feasibility_first |= a->feasibility_first;
    how.log = text_or_null(a->log);
    how.warm |= a->warm != NULL;
    how.progress = on_progress;
    how.context = how.stop_context = w;
    how.stop = watch_stop;
    return how;
}

// The problem as it was read, with what Python adds to it.
static arne_status make_plan(const plan_args *a, const arne_build_options *build, quantity *all,
                             const module_state *state, arne_plan **plan, arne_error *error)
{
    arne_status status = arne_plan_read(PyBytes_AsString(a->path), build, plan, error);
    if (!status) status = add_quantities(*plan, a->quantities, all, error);
    if (!status) status = add_terms(*plan, a->constraints, 0, all, state, error);
    if (!status) status = add_terms(*plan, a->objectives, 1, all, state, error);
    if (!status && a->normal) status = arne_plan_compare(*plan, text_or_null(a->normal), error);
    if (!status && a->warm) status = arne_plan_start_from(*plan, text_or_null(a->warm), error);
    return status;
}

// Searches from several starts, one after the other, each with a plan of its own: the first as the
// problem has it, the others at random. Then `plan` is at the start of the best, as
// `arne plan --starts` leaves it.
static arne_status search_starts(arne_plan *plan, const arne_solve_options *how, const plan_args *a,
                                 quantity *all, const module_state *state, arne_error *error)
{
    arne_plan_found *found = calloc((size_t)a->starts, sizeof *found);
    int              best = 0;
    arne_status      status = found ? ARNE_OK : ARNE_NO_MEMORY;
    for (int i = 0; i < a->starts && !status; i++) {
        arne_plan_result result = {0};
        arne_plan       *one = NULL;
        found[i].seed = i ? a->seed + (unsigned long)i - 1 : 0;
        status = make_plan(a, NULL, all, state, &one, error);
        if (!status && i) arne_plan_scatter(one, found[i].seed, STARTS_PART);
        if (!status) status = arne_plan_solve(one, how, &result, error);
        if (status == ARNE_NOT_CONVERGED) status = ARNE_OK;
        found[i].status = result.status;
        found[i].objective = result.objective;
        found[i].T = result.T;
        found[i].iterations = result.iterations;
        if (plan_found_is_better(&found[i], &found[best])) best = i;
        arne_plan_free(one);
    }
    if (!status && best) arne_plan_scatter(plan, found[best].seed, STARTS_PART);
    if (!status) status = arne_plan_keep_found(plan, found, a->starts, error);
    free(found);
    return status;
}

// An error where derivatives are off, by as much as `arne plan --check-derivatives` fails with.
static arne_status check_derivatives(arne_plan *plan, arne_error *error)
{
    char              figure[ARNE_NUMBER_SIZE];
    double            worst = 0;
    const arne_status status = arne_plan_check_derivatives(plan, NULL, NULL, &worst, error);
    if (status || worst < ARNE_PLAN_DERIVATIVES_OFF) return status;
    arne_print_number(worst, figure);
    snprintf(error->text, sizeof error->text, "derivatives are off by %s", figure);
    return ARNE_VALUE;
}

static PyObject *search(arne_plan *plan, const plan_args *a, quantity *all,
                        const module_state *state, watch *w)
{
    arne_plan_result          result;
    arne_error                error = {0}, writing = {0};
    arne_status               status = ARNE_OK, written = ARNE_OK;
    const arne_solve_options  how = solve_options(plan, a, w);
    const arne_report_options page = {.plots = a->plots};
    watch_begin(w, a->tick);
    if (a->check) status = check_derivatives(plan, &error);
    if (!status && a->starts > 1) status = search_starts(plan, &how, a, all, state, &error);
    if (!status) status = arne_plan_solve(plan, &how, &result, &error);
    if (!status || status == ARNE_NOT_CONVERGED)
        written = arne_plan_write(plan, &result, PyBytes_AsString(a->out), &page, &writing);
    watch_end(w);
    if (!watch_raise(w)) {
        if (status)
            raise_error(status, &error);
        else if (written)
            raise_error(written, &writing);
    }
    return take_exception();
}

static PyObject *plan_file(PyObject *module, const plan_args *a)
{
    PyObject          *warnings = PyList_New(0), *mistakes = PyList_New(0), *result = NULL;
    arne_build_options build = {.warn = keep_warning,
                                .warn_context = warnings,
                                .fail = keep_mistake,
                                .fail_context = mistakes};
    arne_plan         *plan = NULL;
    arne_error         error = {0};
    watch              w = {0};
    const size_t       count = (size_t)PyList_Size(a->quantities);
    quantity          *all = calloc(count + 1, sizeof *all);
    arne_status        status = ARNE_NO_MEMORY;
    module_state      *state = PyModule_GetState(module);
    const char        *out = PyBytes_AsString(a->out);
    for (size_t i = 0; all && i < count; i++)
        all[i] = (quantity){.watch = &w, .state = state};
    if (warnings && mistakes && all) status = make_plan(a, &build, all, state, &plan, &error);
    if (status && !PyErr_Occurred())
        raise_mistakes(status, &error, mistakes);
    else if (!status && tell_warnings(warnings, 0) == 0) {
        status =
            a->resume ? arne_plan_resume(plan, out, &error) : arne_plan_reserve(plan, out, &error);
        if (!status)
            result = search(plan, a, all, state, &w);
        else
            raise_error(status, &error);
    }
    arne_plan_free(plan);
    free(all);
    Py_XDECREF(warnings);
    Py_XDECREF(mistakes);
    return result;
}

// ---- method: riccati ----

// Arguments that this method has no meaning for.
static const char *horizon_refused(const plan_args *a)
{
    return PyList_Size(a->quantities) > 0 ? "functions"
           : a->refine >= 0               ? "refine"
           : a->feasibility_first         ? "feasibility_first"
           : a->warm                      ? "warm"
           : a->resume                    ? "resume"
           : a->converge >= 0             ? "converge"
           : a->starts > 1                ? "starts"
           : a->normal                    ? "normal"
           : a->log                       ? "log"
           : a->check                     ? "check_derivatives"
                                          : NULL;
}

static PyObject *horizon_search(arne_horizon *h, const plan_args *a, watch *w)
{
    const arne_oc_options     how = {.stop = watch_stop, .stop_context = w};
    const arne_report_options page = {.plots = a->plots};
    arne_oc_result            result;
    arne_error                error = {0}, writing = {0};
    arne_status               written = ARNE_OK;
    watch_begin(w, NULL);
    const arne_status status = arne_horizon_solve(h, &how, &result, &error);
    if (!status || status == ARNE_NOT_CONVERGED || status == ARNE_STOPPED)
        written = arne_horizon_write(h, &result, PyBytes_AsString(a->out), &page, &writing);
    watch_end(w);
    if (!watch_raise(w)) {
        if (status)
            raise_error(status, &error);
        else if (written)
            raise_error(written, &writing);
    }
    return take_exception();
}

static PyObject *horizon_file(const plan_args *a)
{
    PyObject                *warnings = PyList_New(0), *mistakes = PyList_New(0), *result = NULL;
    const arne_build_options build = {.warn = keep_warning,
                                      .warn_context = warnings,
                                      .fail = keep_mistake,
                                      .fail_context = mistakes};
    arne_horizon            *h = NULL;
    arne_error               error = {0};
    watch                    w = {0};
    const char              *refused = horizon_refused(a);
    if (refused)
        PyErr_Format(PyExc_ValueError, "%s: has no meaning with method: riccati", refused);
    else if (warnings && mistakes) {
        const arne_status status = arne_horizon_read(PyBytes_AsString(a->path), &build, &h, &error);
        if (status)
            raise_mistakes(status, &error, mistakes);
        else if (tell_warnings(warnings, 0) == 0)
            result = horizon_search(h, a, &w);
    }
    arne_horizon_free(h);
    Py_XDECREF(warnings);
    Py_XDECREF(mistakes);
    return result;
}

static int bytes_or_none(PyObject *given, void *out)
{
    if (given == Py_None) return 1;
    return PyUnicode_FSConverter(given, out);
}

// plan(path, out, quantities, constraints, objectives, tick, refine, feasibility_first, warm,
// resume, log, converge, starts, seed, threads, normal, check_derivatives, plots): the exception
// that ended the search, or None
PyObject *run_plan(PyObject *module, PyObject *args)
{
    plan_args a = {0};
    PyObject *result = NULL;
    if (PyArg_ParseTuple(args, "O&O&O!O!O!OipO&pO&dikiO&pp", PyUnicode_FSConverter, &a.path,
                         PyUnicode_FSConverter, &a.out, &PyList_Type, &a.quantities, &PyList_Type,
                         &a.constraints, &PyList_Type, &a.objectives, &a.tick, &a.refine,
                         &a.feasibility_first, bytes_or_none, &a.warm, &a.resume, bytes_or_none,
                         &a.log, &a.converge, &a.starts, &a.seed, &a.threads, bytes_or_none,
                         &a.normal, &a.check, &a.plots))
        result =
            arne_horizon_is(PyBytes_AsString(a.path)) ? horizon_file(&a) : plan_file(module, &a);
    Py_XDECREF(a.path);
    Py_XDECREF(a.out);
    Py_XDECREF(a.warm);
    Py_XDECREF(a.log);
    Py_XDECREF(a.normal);
    return result;
}

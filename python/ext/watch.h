// Runs that take long: without the GIL, and yet Ctrl-C is heard and somebody is told how far they
// are.
#ifndef ARNE_PYTHON_WATCH_H
#define ARNE_PYTHON_WATCH_H

#include "ext.h"

typedef struct watch {
    PyThreadState *thread; // of the caller, while the run goes on
    unsigned long  caller;
    PyObject      *tick; // called with how far it is, ten times a second; borrowed, or NULL
    PyObject *before;    // what tick is called with where a part of the whole is not known; or NULL
    double    part, last;
    int       inside, stopped;
    PyObject *type, *value, *trace; // the exception that stopped it
} watch;

// Lets go of the GIL, and takes it again. What a callback has raised is then in the watch.
void watch_begin(watch *w, PyObject *tick);
void watch_end(watch *w);
// For callbacks on the caller's thread: takes the GIL; lets go of it and keeps what was raised.
// Returns whether there was anything.
void watch_enter(watch *w);
int  watch_leave(watch *w);
// An arne_stop_fn: listens for signals and tells tick, twenty times a second.
int watch_stop(void *context);
// Sets the exception that stopped the run; 0 where there was none.
int watch_raise(watch *w);

// What a run left: the exception that ended it, or None. Takes what is set.
PyObject *take_exception(void);

// py_array.c beside: `count` numbers as an array of NumPy's, in rows where `columns` is not 0.
PyObject *array_of(const module_state *state, const double *x, Py_ssize_t count,
                   Py_ssize_t columns);
// The numbers of an object that a callback has returned; -1 with an exception set.
int numbers_of(const module_state *state, PyObject *given, const char *name, Py_ssize_t count,
               double *out);

// --- py_simulate.c, py_simulation.c, py_plan.c, py_optimal.c, py_table.c: functions of the module
PyObject *run_simulate(PyObject *module, PyObject *args);
PyObject *simulation_new(PyObject *module, PyObject *args);
PyObject *simulation_facts(PyObject *module, PyObject *capsule);
PyObject *simulation_step(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *simulation_write(PyObject *module, PyObject *args);
PyObject *simulation_read(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *simulation_fill(PyObject *module, PyObject *args);
PyObject *simulation_contacts(PyObject *module, PyObject *args);
PyObject *simulation_bench(PyObject *module, PyObject *args);
PyObject *simulations_new(PyObject *module, PyObject *args);
PyObject *simulations_addresses(PyObject *module, PyObject *capsule);
PyObject *simulations_failed(PyObject *module, PyObject *capsule);
PyObject *run_plan(PyObject *module, PyObject *args);
PyObject *run_sweep(PyObject *module, PyObject *args);
PyObject *sweep_facts(PyObject *module, PyObject *path);
PyObject *sweep_rows(PyObject *module, PyObject *args);
PyObject *oc_new(PyObject *module, PyObject *args);
PyObject *oc_counts(PyObject *module, PyObject *capsule);
PyObject *oc_solve(PyObject *module, PyObject *args);
PyObject *oc_schedule(PyObject *module, PyObject *args);
PyObject *oc_torques(PyObject *module, PyObject *args);
PyObject *oc_step(PyObject *module, PyObject *args);
PyObject *read_table(PyObject *module, PyObject *path);
PyObject *write_report(PyObject *module, PyObject *path);

#endif

// What a robot says about itself.
#ifndef ARNE_PYTHON_FACTS_H
#define ARNE_PYTHON_FACTS_H

#include "ext.h"

// Methods of a robot, without arguments or with one.
PyObject *robot_facts(PyObject *object, PyObject *unused);
PyObject *robot_table(PyObject *object, PyObject *unused);
PyObject *robot_parameters(PyObject *object, PyObject *unused);
PyObject *robot_parameter_names(PyObject *object, PyObject *unused);
PyObject *robot_base_set(PyObject *object, PyObject *args);
PyObject *robot_active(PyObject *object, PyObject *unused);

// py_configure.c
PyObject *robot_configure(PyObject *object, PyObject *args);
PyObject *robot_complete(PyObject *object, PyObject *args);
PyObject *robot_complete_jerk(PyObject *object, PyObject *args);
PyObject *robot_follow_platform(PyObject *object, PyObject *args);
PyObject *robot_effort_limits(PyObject *object, PyObject *unused);
PyObject *robot_payload_capacity(PyObject *object, PyObject *args);

// py_capture.c: coordinates from markers, torques of a recorded motion
PyObject *robot_track(PyObject *object, PyObject *args);
PyObject *robot_recorded(PyObject *object, PyObject *args);

// py_muscle.c: forces of muscles, and static optimisation along a recorded motion
PyObject *robot_muscle_forces(PyObject *object, PyObject *args);
PyObject *robot_static_optimisation(PyObject *object, PyObject *args);

// py_table.c: (names, units, array of rows x columns) of a table; the page of the viewer
PyObject *table_facts(const module_state *state, const arne_table *table);
PyObject *robot_write_page(PyObject *object, PyObject *args);

// py_identify.c: recordings into a folder, and a load
PyObject *robot_identify_fit(PyObject *object, PyObject *args);
PyObject *robot_identify_payload(PyObject *object, PyObject *args);
PyObject *robot_identify_design(PyObject *object, PyObject *args);

// py_bench.c: seconds that the library's own inverse dynamics takes for a state, among `count`; the
// best of some runs.
PyObject *robot_bench(PyObject *object, PyObject *args);

#endif

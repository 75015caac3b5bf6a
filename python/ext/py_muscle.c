// Muscles: forces of states, and static optimisation along a recorded motion.
#include "facts.h"
#include "watch.h"
#include <arne/capture.h>
#include <stdlib.h>

enum { RESULT_NUMBERS = sizeof(arne_muscle_result) / sizeof(double) };

// _muscle_forces(activation, length, velocity, state, tendon, no_passive): buffers of doubles, as
// many in each; a row of arne_muscle_result for each of them
PyObject *robot_muscle_forces(PyObject *object, PyObject *args)
{
    const robot_object *self = (robot_object *)object;
    Py_buffer           a = {0}, length = {0}, velocity = {0}, state = {0};
    int                 tendon, no_passive;
    PyObject           *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*y*y*ip", &a, &length, &velocity, &state, &tendon, &no_passive))
        return NULL;
    const Py_ssize_t          count = a.len / (Py_ssize_t)sizeof(double);
    const int                 n = arne_muscle_count(self->robot);
    const arne_muscle_options how = {.size = sizeof how,
                                     .tendon = (arne_tendon)tendon,
                                     .state = state.buf,
                                     .no_passive = no_passive};
    arne_muscle_result       *found = calloc((size_t)count + 1, sizeof *found);
    double                   *forces = malloc(((size_t)count + 1) * sizeof *forces);
    arne_status               status = found && forces ? ARNE_OK : ARNE_NO_MEMORY;
    if (n == 0 || count % n || length.len != a.len || velocity.len != a.len || state.len != a.len)
        status = ARNE_VALUE;
    Py_BEGIN_ALLOW_THREADS;
    if (!status)
        status = arne_muscle_forces(self->robot, (int)(count / n), a.buf, length.buf, velocity.buf,
                                    &how, forces, found);
    Py_END_ALLOW_THREADS;
    if (status)
        raise_error(status, &(arne_error){0});
    else
        result = array_of(self->state, &found->force, count * RESULT_NUMBERS, RESULT_NUMBERS);
    free(found);
    free(forces);
    PyBuffer_Release(&a);
    PyBuffer_Release(&length);
    PyBuffer_Release(&velocity);
    PyBuffer_Release(&state);
    return result;
}

// The two tables of a recording; *missed: frames whose torques are out of reach.
static arne_status muscle_tables(const arne_robot *robot, const char *motion, const char *path,
                                 double cutoff, const arne_static_options *how, arne_table **table,
                                 arne_table **reactions, int *missed, arne_error *error)
{
    arne_recording r = {0};
    arne_loads    *loads = NULL;
    arne_status    status = path ? arne_loads_read(robot, path, &loads, error) : ARNE_OK;
    if (!status) status = arne_recording_read(robot, motion, cutoff, &r, NULL, error);
    if (!status)
        status = arne_recording_muscles(robot, &r, loads, how, table, reactions, missed, error);
    arne_loads_free(loads);
    arne_recording_free(&r);
    return status;
}

// _static_optimisation(motion, loads, cutoff, power, reserves, passive, compliant, opensim):
// reserves is a buffer of v_count doubles; (muscles, reactions, missed)
PyObject *robot_static_optimisation(PyObject *object, PyObject *args)
{
    const robot_object *self = (robot_object *)object;
    PyObject           *file = NULL, *bytes = NULL, *given, *result = NULL;
    Py_buffer           reserves = {0};
    arne_static_options how = {.size = sizeof how};
    arne_table         *table = NULL, *reactions = NULL;
    arne_error          error = {0};
    arne_status         status;
    double              cutoff;
    int                 missed = 0;
    if (!PyArg_ParseTuple(args, "O&Oddy*ppp", PyUnicode_FSConverter, &file, &given, &cutoff,
                          &how.power, &reserves, &how.passive, &how.compliant, &how.opensim))
        return NULL;
    if (given == Py_None || PyUnicode_FSConverter(given, &bytes)) {
        const char *path = bytes ? PyBytes_AsString(bytes) : NULL;
        how.reserves = reserves.buf;
        Py_BEGIN_ALLOW_THREADS;
        status = muscle_tables(self->robot, PyBytes_AsString(file), path, cutoff, &how, &table,
                               &reactions, &missed, &error);
        Py_END_ALLOW_THREADS;
        if (status)
            raise_error(status, &error);
        else
            result = Py_BuildValue("(NNi)", table_facts(self->state, table),
                                   table_facts(self->state, reactions), missed);
    }
    arne_table_free(table);
    arne_table_free(reactions);
    PyBuffer_Release(&reserves);
    Py_XDECREF(bytes);
    Py_DECREF(file);
    return result;
}

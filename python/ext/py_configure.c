// Configurations: random ones, steps between them, and what closes loops.
#include "facts.h"
#include "watch.h"
#include <arne/effort.h>
#include <stdlib.h>
#include <string.h>

// What is done with a state: sizes of a, b and out are told by the letters Q, V, P for MuJoCo's
// qpos, L for the poses of all links, X and Y for velocity and acceleration one after the other, of
// MuJoCo and of Arne; or none.
typedef struct configure {
    const char *name, *shapes;
} configure;
static const configure configurations[] = {{"neutral", "--Q"},     {"random", "--Q"},
                                           {"integrate", "QVQ"},   {"difference", "QQV"},
                                           {"interpolate", "QQQ"}, {"normalize", "Q-Q"},
                                           {"rate", "QVQ"},        {"start", "--Q"},
                                           {"from_mujoco", "P-Q"}, {"from_mujoco_rates", "PXY"},
                                           {"to_mujoco", "Q-P"},   {"to_mujoco_rates", "QYX"},
                                           {"poses", "Q-L"}};
enum {
    NEUTRAL,
    RANDOM,
    INTEGRATE,
    DIFFERENCE,
    INTERPOLATE,
    NORMALIZE,
    RATE,
    START,
    FROM_MUJOCO,
    FROM_MUJOCO_RATES,
    TO_MUJOCO,
    TO_MUJOCO_RATES,
    POSES,
    CONFIGURATIONS
};

// Velocities and accelerations, with positions that are thrown away; 0: no memory.
static int mujoco_rates(const arne_robot *r, int from, const double *a, const double *b,
                        double *out)
{
    int nq, nv;
    arne_mujoco_counts(r, &nq, &nv);
    const int own = arne_robot_sizes(r).v_count;
    double   *q = calloc((size_t)(nq + arne_robot_sizes(r).q_count) + 1, sizeof *q);
    if (!q) return 0;
    if (from)
        arne_from_mujoco(r, a, b, b + nv, q, out, out + own);
    else
        arne_to_mujoco(r, a, b, b + own, q, out, out + nv);
    free(q);
    return 1;
}

// The poses of all links, each as the columns of R, then p; 0: no memory.
static int link_poses(const arne_robot *r, const double *q, double *out)
{
    arne_work *w = NULL;
    if (arne_work_new(r, &w) != ARNE_OK) return 0;
    arne_kinematics(r, w, q, NULL, NULL);
    for (int i = 0; i < arne_robot_sizes(r).link_count; i++) {
        const arne_pose X = arne_frame_pose(r, w, i);
        memcpy(out + (size_t)12 * (size_t)i, &X, sizeof X);
    }
    arne_work_free(w);
    return 1;
}

static void configure_one(const arne_robot *r, int what, const double *a, const double *b, double u,
                          uint64_t *seed, double *out)
{
    if (what == NEUTRAL) arne_neutral(r, out);
    if (what == RANDOM) arne_random_configuration(r, seed, out);
    if (what == INTEGRATE) arne_integrate(r, a, b, out);
    if (what == DIFFERENCE) arne_difference(r, a, b, out);
    if (what == INTERPOLATE) arne_interpolate(r, a, b, u, out);
    if (what == RATE) arne_coordinate_rate(r, a, b, out);
    if (what == START) arne_start_configuration(r, out);
    if (what == FROM_MUJOCO) arne_from_mujoco(r, a, NULL, NULL, out, NULL, NULL);
    if (what == TO_MUJOCO) arne_to_mujoco(r, a, NULL, NULL, out, NULL, NULL);
    if ((what == FROM_MUJOCO_RATES || what == TO_MUJOCO_RATES) &&
        !mujoco_rates(r, what == FROM_MUJOCO_RATES, a, b, out))
        PyErr_NoMemory();
    if (what == POSES && !link_poses(r, a, out)) PyErr_NoMemory();
    if (what == NORMALIZE) {
        memcpy(out, a, (size_t)arne_robot_sizes(r).q_count * sizeof *out);
        arne_normalize(r, out);
    }
}

static Py_ssize_t letter_size(const robot_object *self, char letter)
{
    int nq, nv;
    arne_mujoco_counts(self->robot, &nq, &nv);
    switch (letter) {
    case 'Q':
        return self->size.q_count;
    case 'V':
        return self->size.v_count;
    case 'P':
        return nq;
    case 'L':
        return (Py_ssize_t)12 * self->size.link_count;
    case 'X':
        return 2 * nv;
    case 'Y':
        return 2 * self->size.v_count;
    default:
        return 0;
    }
}

// All arrays are of doubles, state by state, as Python has made them: a, b may be None.
PyObject *robot_configure(PyObject *object, PyObject *args)
{
    robot_object      *self = (robot_object *)object;
    const char        *name;
    PyObject          *given[3];
    double             u;
    unsigned long long seed;
    Py_buffer          array[3];
    int                opened = 0, what = 0;
    if (!PyArg_ParseTuple(args, "sOOdKO", &name, &given[0], &given[1], &u, &seed, &given[2]))
        return NULL;
    while (what < CONFIGURATIONS && strcmp(configurations[what].name, name) != 0)
        what++;
    if (what == CONFIGURATIONS) return PyErr_Format(PyExc_ValueError, "what: %s", name);
    const char *shapes = configurations[what].shapes;
    Py_ssize_t  count = -1;
    for (; opened < 3; opened++) {
        const Py_ssize_t size = letter_size(self, shapes[opened]);
        array[opened].buf = NULL;
        array[opened].obj = NULL;
        if (shapes[opened] == '-') continue;
        if (PyObject_GetBuffer(given[opened], &array[opened],
                               opened == 2 ? PyBUF_CONTIG : PyBUF_CONTIG_RO))
            break;
        const Py_ssize_t own = size ? array[opened].len / (size * (Py_ssize_t)sizeof(double)) : 0;
        if (count >= 0 && own != count) PyErr_SetString(PyExc_ValueError, "sizes differ");
        count = own;
    }
    uint64_t next = seed;
    for (Py_ssize_t s = 0; s < count && !PyErr_Occurred(); s++)
        configure_one(self->robot, what, (double *)array[0].buf + s * letter_size(self, shapes[0]),
                      (double *)array[1].buf + s * letter_size(self, shapes[1]), u, &next,
                      (double *)array[2].buf + s * letter_size(self, shapes[2]));
    for (int i = 0; i < opened; i++)
        if (array[i].obj) PyBuffer_Release(&array[i]);
    if (PyErr_Occurred()) return NULL;
    return PyLong_FromUnsignedLongLong(next);
}

// ---- loops ----

static int open_states(PyObject *object, Py_ssize_t size, Py_ssize_t *count, Py_buffer *out)
{
    if (PyObject_GetBuffer(object, out, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)) return -1;
    const Py_ssize_t states = out->len / (size * (Py_ssize_t)sizeof(double));
    if (*count < 0) *count = states;
    if (states == *count && out->len == states * size * (Py_ssize_t)sizeof(double)) return 0;
    PyBuffer_Release(out);
    PyErr_SetString(PyExc_ValueError, "arrays of different numbers of states");
    return -1;
}

// What completes a state: velocities of passive joints from those of active ones, or all of the
// legs from the platform.
typedef arne_status (*complete_fn)(const arne_robot *robot, arne_work *work, arne_loop_work *loop,
                                   double *q, double *const rates[3], arne_error *error);

static arne_status from_active(const arne_robot *robot, arne_work *work, arne_loop_work *loop,
                               double *q, double *const rates[3], arne_error *error)
{
    return arne_loop_complete(robot, work, loop, q, rates[0], rates[1], error);
}

static arne_status jerk_from_active(const arne_robot *robot, arne_work *work, arne_loop_work *loop,
                                    double *q, double *const rates[3], arne_error *error)
{
    return arne_loop_complete_jerk(robot, work, loop, q, rates[0], rates[1], rates[2], error);
}

static arne_status from_platform(const arne_robot *robot, arne_work *work, arne_loop_work *loop,
                                 double *q, double *const rates[3], arne_error *error)
{
    const arne_status status = arne_parallel_inverse_kinematics(robot, work, loop, q, error);
    return status ? status : arne_parallel_complete(robot, work, q, rates[0], rates[1], error);
}

// Of q, qd, qdd and, where there are `arrays` = 4, qddd; in place, state by state.
static PyObject *complete_states(robot_object *self, PyObject *args, int arrays,
                                 complete_fn complete)
{
    PyObject        *given[4];
    Py_buffer        array[4];
    Py_ssize_t       count = -1;
    const Py_ssize_t n = self->size.v_count;
    int              opened = 0;
    arne_error       error = {0};
    arne_status      status = ARNE_OK;
    if (!PyArg_ParseTuple(args, arrays == 4 ? "OOOO" : "OOO", &given[0], &given[1], &given[2],
                          &given[3]))
        return NULL;
    if (self->size.loop_count == 0)
        return PyErr_Format(PyExc_ValueError, "a robot with loops is needed, this one has none");
    while (opened < arrays &&
           !open_states(given[opened], opened ? n : self->size.q_count, &count, &array[opened]))
        opened++;
    arne_work      *work = opened == arrays ? work_take(self) : NULL;
    arne_loop_work *loop = work ? loop_take(self) : NULL;
    for (Py_ssize_t s = 0; s < count && loop && !status; s++) {
        double *rates[3] = {NULL, NULL, NULL};
        for (int i = 1; i < arrays; i++)
            rates[i - 1] = (double *)array[i].buf + s * n;
        status = complete(self->robot, work, loop, (double *)array[0].buf + s * self->size.q_count,
                          rates, &error);
    }
    if (loop) loop_give(self, loop);
    if (work) work_give(self, work);
    while (opened > 0)
        PyBuffer_Release(&array[--opened]);
    if (status) return raise_error(status, &error);
    if (!loop) return NULL;
    Py_RETURN_NONE;
}

PyObject *robot_complete(PyObject *object, PyObject *args)
{
    return complete_states((robot_object *)object, args, 3, from_active);
}

PyObject *robot_complete_jerk(PyObject *object, PyObject *args)
{
    return complete_states((robot_object *)object, args, 4, jerk_from_active);
}

PyObject *robot_follow_platform(PyObject *object, PyObject *args)
{
    return complete_states((robot_object *)object, args, 3, from_platform);
}

// ---- limits of effort ----

PyObject *robot_effort_limits(PyObject *object, PyObject *unused)
{
    const robot_object *self = (robot_object *)object;
    const size_t        n = (size_t)self->size.v_count;
    double             *limit = malloc((n + 1) * sizeof *limit);
    (void)unused;
    if (!limit) return PyErr_NoMemory();
    arne_effort_limits(self->robot, limit);
    PyObject *array = array_of(self->state, limit, (Py_ssize_t)n, 0);
    free(limit);
    return array;
}

// _payload_capacity(frame, q, qd, qdd, mass, limiting): state by state, into the last two
PyObject *robot_payload_capacity(PyObject *object, PyObject *args)
{
    robot_object    *self = (robot_object *)object;
    PyObject        *given[5], *name;
    Py_buffer        array[5];
    const Py_ssize_t sizes[5] = {self->size.q_count, self->size.v_count, self->size.v_count, 1, 1};
    Py_ssize_t       count = -1;
    int              opened = 0;
    arne_error       error = {0};
    arne_status      status = ARNE_OK;
    if (!PyArg_ParseTuple(args, "OOOOOO", &name, &given[0], &given[1], &given[2], &given[3],
                          &given[4]))
        return NULL;
    const int frame = frame_index(self, name);
    if (frame < 0) return NULL;
    while (opened < 5 && !open_states(given[opened], sizes[opened], &count, &array[opened]))
        opened++;
    arne_work      *work = opened == 5 ? work_take(self) : NULL;
    arne_loop_work *loop = work && self->closed ? loop_take(self) : NULL;
    for (Py_ssize_t s = 0; s < count && work && (loop || !self->closed) && !status; s++) {
        const double *x[3];
        int           limiting = -1;
        for (int i = 0; i < 3; i++)
            x[i] = (const double *)array[i].buf + s * sizes[i];
        status = arne_payload_capacity(self->robot, work, loop, frame, x[0], x[1], x[2], NULL,
                                       (double *)array[3].buf + s, &limiting, &error);
        ((double *)array[4].buf)[s] = limiting;
    }
    if (loop) loop_give(self, loop);
    if (work) work_give(self, work);
    while (opened > 0)
        PyBuffer_Release(&array[--opened]);
    if (status) return raise_error(status, &error);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

// What the files of the extension share: the module's state, the robot object, errors.
//
// One binary serves every Python from 3.11 on: only the limited API is used. NumPy is met as any
// Python object is, by calls and by the buffer protocol, so that nothing here depends on its
// version.
#ifndef ARNE_PYTHON_EXT_H
#define ARNE_PYTHON_EXT_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>
#include <arne/arne.h>
#include <stdatomic.h>
#include <sys/types.h>

// Another object in the place of one that is let go. The macro of this name is not in the limited
// API of 3.11.
#undef Py_SETREF
#define Py_SETREF(place, object)                                                                   \
    do {                                                                                           \
        PyObject *before_ = (PyObject *)(place);                                                   \
        (place) = (object);                                                                        \
        Py_XDECREF(before_);                                                                       \
    } while (0)

// Arguments of methods: the inputs of the catalogue by their numbers, then these.
#define EXT_ARGUMENTS(ARGUMENT)                                                                    \
    ARGUMENT(position)                                                                             \
    ARGUMENT(quaternion)                                                                           \
    ARGUMENT(frame)                                                                                \
    ARGUMENT(joint)                                                                                \
    ARGUMENT(given)                                                                                \
    ARGUMENT(held)                                                                                 \
    ARGUMENT(activation)                                                                           \
    ARGUMENT(contact)                                                                              \
    ARGUMENT(steps)                                                                                \
    ARGUMENT(dt)                                                                                   \
    ARGUMENT(axes)                                                                                 \
    ARGUMENT(spatial)                                                                              \
    ARGUMENT(method)                                                                               \
    ARGUMENT(integrator)                                                                           \
    ARGUMENT(kp)                                                                                   \
    ARGUMENT(kd)                                                                                   \
    ARGUMENT(sweeps)                                                                               \
    ARGUMENT(left_out)                                                                             \
    ARGUMENT(heights)                                                                              \
    ARGUMENT(corner)                                                                               \
    ARGUMENT(spacing)                                                                              \
    ARGUMENT(limit_stiffness)                                                                      \
    ARGUMENT(limit_damping)                                                                        \
    ARGUMENT(policy)                                                                               \
    ARGUMENT(hidden)                                                                               \
    ARGUMENT(holds)                                                                                \
    ARGUMENT(torque_limits)                                                                        \
    ARGUMENT(point)                                                                                \
    ARGUMENT(normal)                                                                               \
    ARGUMENT(unilateral)                                                                           \
    ARGUMENT(friction)                                                                             \
    ARGUMENT(wrench)                                                                               \
    ARGUMENT(wrench_rate)                                                                          \
    ARGUMENT(wrench_fixed_in)                                                                      \
    ARGUMENT(base_pose)                                                                            \
    ARGUMENT(base_velocity)                                                                        \
    ARGUMENT(base_acceleration)                                                                    \
    ARGUMENT(base_jerk)                                                                            \
    ARGUMENT(out)

enum {
    INPUT_COUNT = ARNE_INPUT_COUNT, // the catalogue has inputs first
    ARGUMENT_before = INPUT_COUNT - 1,
#define ARGUMENT(name) ARGUMENT_##name,
    EXT_ARGUMENTS(ARGUMENT)
#undef ARGUMENT
        ARGUMENT_COUNT,
    VIEW_COUNT = INPUT_COUNT + 2 // arrays that go in for each state: inputs, position, quaternion
};

// What the module holds on to.
typedef struct module_state {
    PyObject *empty, *asarray, *float64, *from_dlpack, *ndarray; // of numpy
    PyObject *robot_type;
    PyObject *nothing;                       // ()
    PyObject *keywords[ARGUMENT_COUNT];      // names of arguments, interned
    PyObject *results[ARNE_ALGORITHM_COUNT]; // what makes the result; NULL: not asked for yet
} module_state;

typedef struct lanes    lanes;
typedef struct lent_gpu lent_gpu; // memory on a device: py_gpu.c

enum { MOST_DIMENSIONS = 32, ITEM_DIMENSIONS = 3 };

// The shape of what belongs to one state: q is (7,), a mass matrix (7, 7).
typedef struct item {
    int        rank;
    Py_ssize_t shape[ITEM_DIMENSIONS];
    Py_ssize_t count; // of its numbers
} item;

// A robot that Python holds. It never changes; workspaces are lent to calls and come back.
typedef struct robot_object {
    PyObject_HEAD arne_robot *robot;
    module_state             *state; // of the module that the type lives in
    arne_sizes                size;
    PyObject                 *path;   // of its file, or None
    int                       open;   // loops are cut: what is computed is the tree's
    int                       closed; // it has loops that are not cut
    _Atomic(arne_work *)      work;   // that no call uses now
    _Atomic(arne_loop_work *) loop;
    _Atomic(lanes *)          lanes;
    _Atomic(lent_gpu *)       gpu;
    item                      items[ARNE_ARRAY_COUNT];
    PyObject                 *shapes[ARNE_ARRAY_COUNT]; // what numpy.empty takes for one state
} robot_object;

// --- py_error.c

// Sets arne.Error (MemoryError where that is what happened) and returns NULL.
PyObject *raise_error(arne_status status, const arne_error *error);
// A warning_fn that keeps what it is told in a list of (rule, file, line, text); context is the
// list.
void keep_warning(void *context, const arne_warning *warning);
// An arne_error_fn that keeps all mistakes of a file as texts, and what raises them: Error.mistakes
// has the list.
void      keep_mistake(void *context, const arne_error *mistake);
PyObject *raise_mistakes(arne_status status, const arne_error *error, PyObject *mistakes);
// Tells Python's warnings of them; those about shapes that cannot touch only where something
// touches. Returns -1 where one became an exception.
int tell_warnings(PyObject *list, int touches);
// Whether a scenario has ground, so that shapes touch; py_simulate.c.
int has_ground(const arne_scenario *scenario);

// --- py_gpu.c

void gpu_free(lent_gpu *gpu);

// --- py_robot.c

extern PyType_Spec robot_spec;
// Takes the robot over, also where it fails. path may be NULL. open: loops are cut.
PyObject *robot_wrap(PyTypeObject *type, module_state *state, arne_robot *robot, PyObject *path,
                     int open);
// A workspace for one call; NULL with an exception set. Its base is at rest at the origin.
arne_work      *work_take(robot_object *self);
void            work_give(robot_object *self, arne_work *work);
arne_loop_work *loop_take(robot_object *self);
void            loop_give(robot_object *self, arne_loop_work *loop);
// The index of a frame or joint that is given by name or number; -1 with an exception set.
int frame_index(const robot_object *self, PyObject *given);
int joint_index(const robot_object *self, PyObject *given);
// `count` numbers of a sequence or array; -1 with an exception set.
int numbers(const module_state *state, PyObject *given, const char *name, int count, double *out);

#endif

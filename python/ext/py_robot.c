// The robot as a Python object: how it is made, what it knows about itself, how it travels to
// another process.
#include "array.h"
#include "facts.h"
#include "lanes.h"
#include "method.h"
#include <stdlib.h>
#include <string.h>

// ---- workspaces ----

arne_work *work_take(robot_object *self)
{
    arne_work *work = atomic_exchange(&self->work, NULL);
    if (!work && arne_work_new(self->robot, &work) != ARNE_OK) PyErr_NoMemory();
    return work;
}

void work_give(robot_object *self, arne_work *work)
{
    arne_work_free(atomic_exchange(&self->work, work)); // of another thread, if there is one
}

arne_loop_work *loop_take(robot_object *self)
{
    arne_loop_work *loop = atomic_exchange(&self->loop, NULL);
    if (!loop && arne_loop_work_new(self->robot, &loop) != ARNE_OK) PyErr_NoMemory();
    return loop;
}

void loop_give(robot_object *self, arne_loop_work *loop)
{
    arne_loop_work_free(atomic_exchange(&self->loop, loop));
}

// ---- making ----

PyObject *robot_wrap(PyTypeObject *type, module_state *state, arne_robot *robot, PyObject *path,
                     int open)
{
    allocfunc     alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    robot_object *self = (robot_object *)alloc(type, 0);
    if (!self) {
        arne_robot_free(robot);
        return NULL;
    }
    self->robot = robot;
    self->state = state;
    self->size = arne_robot_sizes(robot);
    self->path = Py_NewRef(path ? path : Py_None);
    self->open = open;
    self->closed = self->size.loop_count > 0 && !open;
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        const item shape = self->items[i] = array_item(robot, (arne_array)i);
        PyObject  *inner = PyTuple_New(shape.rank);
        for (int k = 0; k < shape.rank && inner; k++)
            PyTuple_SetItem(inner, k, PyLong_FromSsize_t(shape.shape[k]));
        self->shapes[i] = inner ? PyTuple_Pack(1, inner) : NULL;
        Py_XDECREF(inner);
        if (!self->shapes[i]) {
            Py_DECREF(self);
            return NULL;
        }
    }
    return (PyObject *)self;
}

static void robot_dealloc(PyObject *object)
{
    robot_object *self = (robot_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    arne_work_free(atomic_load(&self->work));
    arne_loop_work_free(atomic_load(&self->loop));
    lanes_free(atomic_load(&self->lanes));
    gpu_free(atomic_load(&self->gpu));
    arne_robot_free(self->robot);
    Py_XDECREF(self->path);
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        Py_XDECREF(self->shapes[i]);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type); // an instance of a heap type holds its type
}

// A type that Python derives does not know the module: it is asked for by name. It outlives the
// call, as its types do.
static module_state *state_of_module(void)
{
    PyObject     *module = PyImport_ImportModule("arne._arne");
    module_state *state = module ? PyModule_GetState(module) : NULL;
    Py_XDECREF(module);
    return state;
}

static int base_of(PyObject *given, arne_base *out)
{
    static const char *const names[] = {NULL, "fixed", "prescribed", "free"};
    *out = ARNE_BASE_DEFAULT;
    if (!given || given == Py_None) return 0;
    if (!PyUnicode_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "base: 'fixed', 'prescribed' or 'free' expected");
        return -1;
    }
    for (int i = 1; i < 4; i++)
        if (PyUnicode_CompareWithASCIIString(given, names[i]) == 0) {
            *out = (arne_base)i;
            return 0;
        }
    PyErr_Format(PyExc_ValueError, "base: 'fixed', 'prescribed' or 'free' expected, not %R", given);
    return -1;
}

// What a robot is read from: a file, or a text with the name that stands for a file in messages.
typedef struct source {
    const char *path;
    const char *text;
    Py_ssize_t  size;
} source;

static arne_status read_source(const source *from, const arne_build_options *options,
                               arne_robot **robot, arne_error *error)
{
    if (!from->text) return arne_robot_read(from->path, options, robot, error);
    arne_builder *builder = NULL;
    arne_status   status = arne_builder_new(&builder);
    if (!status)
        status = arne_read_text(builder, from->text, (size_t)from->size, from->path, error);
    // The builder tells all findings, also those of the text.
    if (!status || status != ARNE_NO_MEMORY)
        status = arne_builder_finish(builder, options, robot, error);
    arne_builder_free(builder);
    return status;
}

// Robot(path, *, base=None, friction=True, rotor=True, gravity=None, strict=False, text=None,
// open=False)
static PyObject *robot_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"path",   "base", "friction", "rotor", "gravity",
                            "strict", "text", "open",     NULL};
    PyObject    *path = NULL, *base = NULL, *gravity = NULL, *warnings = NULL, *mistakes = NULL,
             *result = NULL;
    int    friction = 1, rotor = 1, strict = 0, open = 0;
    source from = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&|$OppOpz#p:Robot", names,
                                     PyUnicode_FSConverter, &path, &base, &friction, &rotor,
                                     &gravity, &strict, &from.text, &from.size, &open))
        return NULL;
    from.path = PyBytes_AsString(path);
    module_state      *state = state_of_module();
    double             g[3];
    arne_vec3          down;
    arne_error         error = {0};
    arne_robot        *robot = NULL;
    arne_build_options options = {.no_friction = !friction,
                                  .no_rotor = !rotor,
                                  .strict = strict,
                                  .warn = keep_warning,
                                  .fail = keep_mistake};
    int                failed = !state || base_of(base, &options.base);
    if (!failed && gravity && gravity != Py_None) {
        failed = numbers(state, gravity, "gravity", 3, g);
        down = (arne_vec3){g[0], g[1], g[2]};
        options.gravity = &down;
    }
    options.warn_context = warnings = failed ? NULL : PyList_New(0);
    options.fail_context = mistakes = failed ? NULL : PyList_New(0);
    if (warnings && mistakes) {
        const arne_status status = read_source(&from, &options, &robot, &error);
        if (status)
            raise_mistakes(status, &error, mistakes);
        else if (tell_warnings(warnings, 0))
            arne_robot_free(robot);
        else {
            PyObject *shown = PyUnicode_DecodeFSDefault(from.path);
            result = shown ? robot_wrap(type, state, robot, shown, open) : NULL;
            if (!shown) arne_robot_free(robot);
            Py_XDECREF(shown);
        }
    }
    Py_XDECREF(warnings);
    Py_XDECREF(mistakes);
    Py_DECREF(path);
    return result;
}

// ---- names ----

static const char *frame_name(const void *robot, int index)
{
    return arne_robot_frame(robot, index).name;
}

static const char *joint_name(const void *robot, int index)
{
    return arne_robot_joint(robot, index).name;
}

static int find(PyObject *given, int count, const char *what,
                int (*by_name)(const arne_robot *, const char *), const arne_robot *robot)
{
    char near[400];
    if (PyUnicode_Check(given)) {
        const char *name = PyUnicode_AsUTF8AndSize(given, NULL);
        const int   found = name ? by_name(robot, name) : -1;
        if (name && found < 0)
            PyErr_Format(PyExc_ValueError, "%s: there is no '%s' in this robot%s", what, name,
                         arne_near_matches(name,
                                           by_name == arne_find_joint ? joint_name : frame_name,
                                           robot, count, near, sizeof near));
        return found;
    }
    PyObject *number = PyNumber_Index(given);
    if (!number) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: a name or a number expected", what);
        return -1;
    }
    const long index = PyLong_AsLong(number);
    Py_DECREF(number);
    if (index == -1 && PyErr_Occurred()) return -1;
    if (index >= 0 && index < count) return (int)index;
    PyErr_Format(PyExc_ValueError, "%s: %ld is not from 0 to %d", what, index, count - 1);
    return -1;
}

int frame_index(const robot_object *self, PyObject *given)
{
    return find(given, self->size.frame_count, "frame", arne_find_frame, self->robot);
}

int joint_index(const robot_object *self, PyObject *given)
{
    return find(given, self->size.joint_count, "joint", arne_find_joint, self->robot);
}

int numbers(const module_state *state, PyObject *given, const char *name, int count, double *out)
{
    const item shape = {1, {count}, count};
    view       v;
    if (view_open(state, given, name, &v)) return -1;
    int failed = v.buffer.ndim != 1 || !view_fits(&v, &shape);
    if (failed && !PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "%s: %d numbers expected", name, count);
    if (!failed) view_read(&v, &shape, 0, NULL, out);
    view_close(&v);
    return failed ? -1 : 0;
}

// ---- what it says about itself ----

static PyObject *vector(arne_vec3 v) { return Py_BuildValue("(ddd)", v.x, v.y, v.z); }

#define COUNT(field)                                                                               \
    static PyObject *get_##field(PyObject *object, void *unused)                                   \
    {                                                                                              \
        (void)unused;                                                                              \
        return PyLong_FromLong(((robot_object *)object)->size.field);                              \
    }
COUNT(q_count)
COUNT(v_count)
COUNT(body_count)
COUNT(joint_count)
COUNT(frame_count)
COUNT(link_count)
COUNT(motor_count)
COUNT(loop_count)
COUNT(loop_row_count)
COUNT(theta_count)
#undef COUNT

static PyObject *get_open(PyObject *object, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((robot_object *)object)->open);
}

static PyObject *get_name(PyObject *object, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(arne_robot_name(((robot_object *)object)->robot));
}

static PyObject *get_path(PyObject *object, void *unused)
{
    (void)unused;
    return Py_NewRef(((robot_object *)object)->path);
}

static PyObject *get_base(PyObject *object, void *unused)
{
    static const char *const names[] = {"fixed", "fixed", "prescribed", "free"};
    (void)unused;
    return PyUnicode_FromString(names[arne_robot_base(((robot_object *)object)->robot)]);
}

static PyObject *get_gravity(PyObject *object, void *unused)
{
    (void)unused;
    return vector(arne_robot_gravity(((robot_object *)object)->robot));
}

static PyObject *get_mass(PyObject *object, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(arne_total_mass(((robot_object *)object)->robot));
}

// ---- other robots and processes ----

static PyObject *robot_pack(PyObject *object, PyObject *unused)
{
    const arne_robot *r = ((robot_object *)object)->robot;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)arne_robot_packed_size(r));
    (void)unused;
    if (bytes) arne_robot_pack(r, PyBytes_AsString(bytes));
    return bytes;
}

static PyObject *robot_from_pack(PyObject *type, PyObject *args)
{
    const char *bytes;
    Py_ssize_t  size;
    PyObject   *path;
    int         open = 0;
    arne_robot *robot = NULL;
    arne_error  error = {0};
    if (!PyArg_ParseTuple(args, "y#O|p", &bytes, &size, &path, &open)) return NULL;
    const arne_status status = arne_robot_unpack(bytes, (size_t)size, &robot, &error);
    if (status) return raise_error(status, &error);
    module_state *state = state_of_module();
    if (!state) {
        arne_robot_free(robot);
        return NULL;
    }
    return robot_wrap((PyTypeObject *)type, state, robot, path, open);
}

static PyObject *robot_attach(PyObject *object, PyObject *args)
{
    robot_object *self = (robot_object *)object;
    PyObject     *frame, *com, *inertia;
    double        c[3], six[6];
    arne_payload  payload = {0};
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    if (!PyArg_ParseTuple(args, "OdOO", &frame, &payload.mass, &com, &inertia)) return NULL;
    const int index = frame_index(self, frame);
    if (index < 0 || numbers(self->state, com, "com", 3, c) ||
        numbers(self->state, inertia, "inertia", 6, six))
        return NULL;
    payload.com = (arne_vec3){c[0], c[1], c[2]};
    memcpy(payload.inertia, six, sizeof six);
    const arne_status status = arne_robot_attach(self->robot, index, &payload, &robot, &error);
    if (status) return raise_error(status, &error);
    return robot_wrap(Py_TYPE(object), self->state, robot, self->path, self->open);
}

// Lists of names and of values.
static PyObject *robot_reduce(PyObject *object, PyObject *args)
{
    robot_object *self = (robot_object *)object;
    PyObject     *joints, *given, *result = NULL;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &joints, &PyList_Type, &given)) return NULL;
    const Py_ssize_t count = PyList_Size(joints);
    const char     **names = calloc((size_t)count + 1, sizeof *names);
    double          *values = calloc((size_t)count + 1, sizeof *values);
    if (!names || !values) PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++) {
        names[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(joints, i), NULL);
        values[i] = PyFloat_AsDouble(PyList_GetItem(given, i));
    }
    if (!PyErr_Occurred()) {
        const arne_status status =
            arne_robot_reduce(self->robot, (int)count, names, values, &robot, &error);
        result = status ? raise_error(status, &error)
                        : robot_wrap(Py_TYPE(object), self->state, robot, self->path, self->open);
    }
    free(names);
    free(values);
    return result;
}

// What a format cannot hold is told as a flaw.
static PyObject *robot_save(PyObject *object, PyObject *given)
{
    PyObject   *path = NULL, *lost = PyList_New(0);
    arne_error  error = {0};
    arne_status status = ARNE_OK;
    if (lost && PyUnicode_FSConverter(given, &path))
        status = arne_robot_write(((robot_object *)object)->robot, PyBytes_AsString(path),
                                  keep_warning, lost, &error);
    if (status) raise_error(status, &error);
    const int failed = PyErr_Occurred() || tell_warnings(lost, 0);
    Py_XDECREF(path);
    Py_XDECREF(lost);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

static PyObject *robot_frame_index(PyObject *object, PyObject *name)
{
    const int index = frame_index((robot_object *)object, name);
    return index < 0 ? NULL : PyLong_FromLong(index);
}

static PyObject *robot_joint_index(PyObject *object, PyObject *name)
{
    const int index = joint_index((robot_object *)object, name);
    return index < 0 ? NULL : PyLong_FromLong(index);
}

// ---- the type ----

static PyGetSetDef robot_getset[] = {
    {"name", get_name, NULL, "The robot's name.", NULL},
    {"path", get_path, NULL, "The file it was read from; None where there is none.", NULL},
    {"base", get_base, NULL, "How the base moves: 'fixed', 'prescribed' or 'free'.", NULL},
    {"gravity_vector", get_gravity, NULL, "Acceleration of free fall, (3,) [m/s^2].", NULL},
    {"total_mass", get_mass, NULL, "Mass of all that moves [kg].", NULL},
    {"q_count", get_q_count, NULL, "Q: entries of q.", NULL},
    {"v_count", get_v_count, NULL, "V: entries of qd, qdd and tau.", NULL},
    {"body_count", get_body_count, NULL, "Moving bodies and the base, which is body 0.", NULL},
    {"joint_count", get_joint_count, NULL, "Joints that move; that of a free base comes first.",
     NULL},
    {"frame_count", get_frame_count, NULL, "Links, then other named frames.", NULL},
    {"link_count", get_link_count, NULL, "Links.", NULL},
    {"motor_count", get_motor_count, NULL, "Motors, in the order of their joints.", NULL},
    {"theta_count", get_theta_count, NULL,
     "Coordinates of motors behind springs, at the tail of q.", NULL},
    {"open", get_open, NULL, "Whether loops are cut: all that is computed is the tree's.", NULL},
    {"loop_count", get_loop_count, NULL, "Joints that close loops.", NULL},
    {"loop_row_count", get_loop_row_count, NULL, "Scalar constraints that all loops are.", NULL},
    {0}};

#define METHOD(name, function, flags, text)                                                        \
    {                                                                                              \
        name, (PyCFunction)(void (*)(void))(function), flags, text                                 \
    }
static const PyMethodDef own_methods[] = {
    METHOD("_facts", robot_facts, METH_NOARGS,
           "_facts($self, /)\n--\n\nAs dicts of plain numbers."),
    METHOD("_table", robot_table, METH_NOARGS, "_table($self, /)\n--\n\nThe table of `arne info`."),
    METHOD("_pack", robot_pack, METH_NOARGS, "_pack($self, /)\n--\n\nThe robot as bytes."),
    METHOD("_from_pack", robot_from_pack, METH_VARARGS | METH_CLASS,
           "_from_pack($type, block, path, open=False, /)\n--\n\nA robot from bytes."),
    METHOD("_reduce", robot_reduce, METH_VARARGS,
           "_reduce($self, joints, values, /)\n--\n\nThe robot with joints that are held."),
    METHOD("_attach", robot_attach, METH_VARARGS,
           "_attach($self, frame, mass, com, inertia, /)\n--\n\nA robot with a payload."),
    METHOD("save", robot_save, METH_O,
           "save($self, path, /)\n--\n\nWrites the robot to a .yaml or .urdf file, whole or not at "
           "all. What a "
           "format cannot hold is told as FlawWarning."),
    METHOD("_configure", robot_configure, METH_VARARGS,
           "_configure($self, what, a, b, u, seed, out, /)\n--\n\nConfigurations, state by state."),
    METHOD("_complete", robot_complete, METH_VARARGS,
           "_complete($self, q, qd, qdd, /)\n--\n\nVelocities and accelerations of passive "
           "joints, in place, state by state."),
    METHOD("_complete_jerk", robot_complete_jerk, METH_VARARGS,
           "_complete_jerk($self, q, qd, qdd, qddd, /)\n--\n\nJerks of passive joints, in place, "
           "state by state."),
    METHOD(
        "_follow_platform", robot_follow_platform, METH_VARARGS,
        "_follow_platform($self, q, qd, qdd, /)\n--\n\nLegs from the platform, in place, state by "
        "state."),
    METHOD("_effort_limits", robot_effort_limits, METH_NOARGS,
           "_effort_limits($self, /)\n--\n\nAs an array; infinite where there is none."),
    METHOD("_payload_capacity", robot_payload_capacity, METH_VARARGS,
           "_payload_capacity($self, frame, q, qd, qdd, mass, limiting, /)\n--\n\nInto the last "
           "two, state by state."),
    METHOD("_base_set", robot_base_set, METH_VARARGS,
           "_base_set($self, kinds, seed, /)\n--\n\nBase parameters."),
    METHOD("_parameters", robot_parameters, METH_NOARGS, "_parameters($self, /)\n--\n\nAs a list."),
    METHOD("_parameter_names", robot_parameter_names, METH_NOARGS,
           "_parameter_names($self, /)\n--\n\nAs a list."),
    METHOD("_active", robot_active, METH_NOARGS, "_active($self, /)\n--\n\nFlags of coordinates."),
    METHOD("_write_page", robot_write_page, METH_VARARGS,
           "_write_page($self, path, looks, q, /)\n--\n\nThe page of the viewer."),
    METHOD("_track", robot_track, METH_VARARGS,
           "_track($self, markers, tasks, weights, /)\n--\n\nCoordinates from markers."),
    METHOD("_recorded", robot_recorded, METH_VARARGS,
           "_recorded($self, motion, loads, cutoff, /)\n--\n\nA recorded motion and its "
           "torques."),
    METHOD("_muscle_forces", robot_muscle_forces, METH_VARARGS,
           "_muscle_forces($self, activation, length, velocity, state, tendon, no_passive, "
           "/)\n--\n\nForces of muscles and what goes with them."),
    METHOD(
        "_static_optimisation", robot_static_optimisation, METH_VARARGS,
        "_static_optimisation($self, motion, loads, cutoff, power, reserves, passive, compliant, "
        "opensim, /)\n--\n\nMuscles along a recorded motion."),
    METHOD("_identify_fit", robot_identify_fit, METH_VARARGS,
           "_identify_fit($self, logs, validate, settings, out, tick, /)\n--\n\nA fit into a "
           "folder."),
    METHOD("_identify_payload", robot_identify_payload, METH_VARARGS,
           "_identify_payload($self, logs, unloaded, settings, frame, tick, /)\n--\n\nA load, as "
           "a dict."),
    METHOD("_identify_design", robot_identify_design, METH_VARARGS,
           "_identify_design($self, settings, out, rate, numbers, accelerations, noises, frames, "
           "tick, /)\n--\n\nA designed motion into a folder."),
    METHOD("_bench", robot_bench, METH_VARARGS,
           "_bench($self, count, repeats, /)\n--\n\nSeconds [s] that the library's own inverse "
           "dynamics takes for one of so many states."),
    METHOD("frame_index", robot_frame_index, METH_O,
           "frame_index($self, name, /)\n--\n\nThe number of a link or frame."),
    METHOD("joint_index", robot_joint_index, METH_O,
           "joint_index($self, name, /)\n--\n\nThe number of a joint."),
    {0}};
#undef METHOD

static PyType_Slot robot_slots[] = {{Py_tp_new, robot_new},
                                    {Py_tp_dealloc, robot_dealloc},
                                    {Py_tp_methods, NULL}, // py_method.c fills them in
                                    {Py_tp_getset, robot_getset},
                                    {Py_tp_doc, "A robot: read-only, shared by threads."},
                                    {0}};
PyType_Spec        robot_spec = {"arne._arne.Robot", sizeof(robot_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, robot_slots};

int robot_prepare(void)
{
    PyMethodDef *methods = method_definitions(own_methods);
    if (!methods) return -1;
    robot_slots[2].pfunc = methods;
    return 0;
}

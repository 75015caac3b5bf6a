// The methods of a robot, made from the catalogue: arguments, results and docstrings of every
// algorithm.
#include "call.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the methods ----

// One for each algorithm, by its number, then those for outputs that are made on request.
enum { METHOD_jacobian_rate = ARNE_ALGORITHM_COUNT, METHOD_contact_inverse_dynamics, METHOD_COUNT };
static method methods[METHOD_COUNT];

#define INPUT_BIT(name) (1u << ARNE_ARRAY_##name)

static void add(method *m, int argument) { m->arguments[m->argument_count++] = argument; }

static void add_inputs(method *m, unsigned which)
{
    for (int i = 0; i < INPUT_COUNT; i++)
        if (which >> i & 1) add(m, i);
    m->inputs |= which;
}

// What must be given: inputs, then what else the algorithm cannot do without.
static void add_required(method *m, const arne_algorithm_info *a, unsigned inputs)
{
    add_inputs(m, inputs);
    if (a->takes & (ARNE_TAKES_FRAME | ARNE_TAKES_TARGETS)) add(m, ARGUMENT_frame);
    if (a->takes & ARNE_TAKES_TARGETS) add(m, ARGUMENT_position);
    if (a->takes & ARNE_TAKES_JOINT) add(m, ARGUMENT_joint);
    if (a->takes & ARNE_TAKES_GIVEN) add(m, ARGUMENT_given);
    if (m->holds) add(m, ARGUMENT_contact);
    if (a->takes & ARNE_TAKES_STEPS) {
        add(m, ARGUMENT_steps);
        add(m, ARGUMENT_dt);
    }
    m->required = m->argument_count;
}

static void add_optional(method *m, const arne_algorithm_info *a, unsigned inputs)
{
    add_inputs(m, inputs & ~(unsigned)INPUT_BIT(f_ext));
    m->positional = m->argument_count;
    if (a->takes & ARNE_TAKES_TARGETS) add(m, ARGUMENT_quaternion);
    if (a->takes & ARNE_TAKES_HELD) add(m, ARGUMENT_held);
    if (a->takes & ARNE_TAKES_ACTIVATION) add(m, ARGUMENT_activation);
    if (a->takes & ARNE_TAKES_AXES) add(m, ARGUMENT_axes);
    if (a->takes & ARNE_TAKES_SPATIAL) add(m, ARGUMENT_spatial);
    if (a->takes & ARNE_TAKES_METHOD) add(m, ARGUMENT_method);
    if (a->takes & ARNE_TAKES_STEPS) {
        add(m, ARGUMENT_integrator);
        add(m, ARGUMENT_kp);
        for (int i = ARGUMENT_kd; i <= ARGUMENT_torque_limits; i++)
            add(m, i);
    }
    if (a->takes & ARNE_TAKES_PLANE) {
        add(m, ARGUMENT_point);
        add(m, ARGUMENT_normal);
    }
    if (m->holds) {
        add(m, ARGUMENT_unilateral);
        add(m, ARGUMENT_friction);
    }
    if (inputs & INPUT_BIT(f_ext)) add_inputs(m, INPUT_BIT(f_ext));
    if (inputs & INPUT_BIT(f_ext) || a->takes & ARNE_TAKES_LOADS) add(m, ARGUMENT_wrench);
    if (a->takes & ARNE_TAKES_LOAD_RATES) add(m, ARGUMENT_wrench_rate);
    if (a->takes & ARNE_TAKES_LOADS) add(m, ARGUMENT_wrench_fixed_in);
    for (int i = ARGUMENT_base_pose; i <= ARGUMENT_out; i++)
        add(m, i);
}

static void name_method(method *m, const char *name)
{
    snprintf(m->name, sizeof m->name, "%s", name);
    for (char *c = m->name; *c; c++)
        if (*c == '-') *c = '_';
}

static void make_method(method *m, arne_algorithm algorithm)
{
    const arne_algorithm_info *a = arne_catalogue_algorithm(algorithm);
    unsigned                   needs = a->needs, may = a->may;
    m->algorithm = algorithm;
    m->holds = algorithm == ARNE_ALGORITHM_CONTACT_DYNAMICS ||
               algorithm == ARNE_ALGORITHM_CONTACT_DYNAMICS_DERIVATIVES;
    m->text = a->text;
    name_method(m, a->name);
    for (int i = 0; i < a->output_count; i++) {
        if (a->outputs[i].on_request) continue;
        m->outputs[m->output_count++] = a->outputs[i].array;
        m->zeros |= a->outputs[i].needs & ~needs;
    }
    if (algorithm == ARNE_ALGORITHM_SECOND_DERIVATIVES) { // without it: those of every torque
        needs &= ~(unsigned)INPUT_BIT(multiplier);
        may |= INPUT_BIT(multiplier);
    }
    add_required(m, a, needs);
    add_optional(m, a, may | m->zeros);
}

static void make_jacobian_rate(void)
{
    method                    *m = &methods[METHOD_jacobian_rate];
    const arne_algorithm_info *a = arne_catalogue_algorithm(ARNE_ALGORITHM_JACOBIAN);
    m->algorithm = ARNE_ALGORITHM_JACOBIAN;
    m->text = a->text;
    name_method(m, "jacobian_rate");
    m->outputs[m->output_count++] = ARNE_ARRAY_Jdot;
    add_required(m, a, INPUT_BIT(q) | INPUT_BIT(qd));
    add_optional(m, a, 0);
}

// What `arne compute inverse-dynamics --contact` is: a method of its own, as in C.
static void make_contact_inverse_dynamics(void)
{
    method                    *m = &methods[METHOD_contact_inverse_dynamics];
    const arne_algorithm_info *a = arne_catalogue_algorithm(ARNE_ALGORITHM_INVERSE_DYNAMICS);
    m->algorithm = ARNE_ALGORITHM_INVERSE_DYNAMICS;
    m->holds = 1;
    m->text = "torques of a motion, and forces of the least sum of squares where frames are held";
    name_method(m, "contact_inverse_dynamics");
    m->outputs[m->output_count++] = ARNE_ARRAY_tau;
    m->outputs[m->output_count++] = ARNE_ARRAY_contacts;
    add_required(m, a, a->needs);
    add_optional(m, a, a->may);
}

// ---- shapes ----

item array_item(const arne_robot *robot, arne_array array)
{
    const arne_array_info *info = arne_catalogue_array(array);
    item                   shape = {.count = 1};
    for (int i = 0; i < ARNE_SHAPE; i++) {
        const arne_extent e = info->shape[i];
        if (e == ARNE_EXTENT_1 || e == ARNE_EXTENT_FRAME || e == ARNE_EXTENT_JOINT ||
            e == ARNE_EXTENT_TORQUE)
            continue;
        shape.shape[shape.rank] = (Py_ssize_t)arne_extent_size(robot, e);
        shape.count *= shape.shape[shape.rank++];
    }
    return shape;
}

// Motors behind springs have torques and accelerations of their own: those of joints are fewer
// then.
static int is_driven(const method *m, arne_array array)
{
    return (m->algorithm == ARNE_ALGORITHM_ELASTIC_INVERSE_DYNAMICS ||
            m->algorithm == ARNE_ALGORITHM_ELASTIC_FORWARD_DYNAMICS) &&
           (array == ARNE_ARRAY_tau || array == ARNE_ARRAY_qdd);
}

item output_item(const robot_object *self, const method *m, int output)
{
    item shape = self->items[m->outputs[output]];
    if (is_driven(m, m->outputs[output]))
        shape.count = shape.shape[0] = self->size.v_count - self->size.theta_count;
    return shape;
}

static PyObject *shape_text(const arne_array_info *info, const char *before)
{
    PyObject *text = PyUnicode_FromString(before);
    int       dimensions = 0;
    for (int i = 0; i < ARNE_SHAPE && text; i++) {
        const arne_extent e = info->shape[i];
        if (e == ARNE_EXTENT_1 || e == ARNE_EXTENT_FRAME || e == ARNE_EXTENT_JOINT ||
            e == ARNE_EXTENT_TORQUE)
            continue;
        Py_SETREF(text, PyUnicode_FromFormat("%U%s%s", text, dimensions++ ? ", " : "",
                                             arne_catalogue_extent(e)));
    }
    return text;
}

// ---- what each argument is ----

static const char *const argument_names[] = {
#define ARGUMENT(name) #name,
    EXT_ARGUMENTS(ARGUMENT)
#undef ARGUMENT
};

const char *argument_name(int argument)
{
    return argument < INPUT_COUNT ? arne_catalogue_array((arne_array)argument)->name
                                  : argument_names[argument - INPUT_COUNT];
}

typedef struct argument_text {
    int         argument;
    const char *type, *preset, *text;
} argument_text;

static const argument_text argument_texts[] = {
    {ARGUMENT_position, "Array", NULL, "(..., 3) [m] where the frame is to go"},
    {ARGUMENT_quaternion, "Array | None", "None",
     "(..., 4) [1] x, y, z, w: how it is to be turned; None: any way"},
    {ARGUMENT_frame, "str | int", NULL, "a link or frame, by name or number"},
    {ARGUMENT_joint, "str | int", NULL, "a joint, by name or number"},
    {ARGUMENT_given, "Given", NULL,
     "joints that move with qdd, by name, or (V,) flags; the others follow tau"},
    {ARGUMENT_held, "Given | None", "None",
     "joints that do not move, by name, or (V,) flags; modes are fewer then, and the rest is nan"},
    {ARGUMENT_activation, "Mapping[str, float] | None", "None",
     "{muscle: number} from 0 to 1 [1]: muscles, cables and chambers that pull; None: none does"},
    {ARGUMENT_contact, "Held", NULL,
     "links or frames that are held, K of them: a name, several, or {name: 'point' or 'foot'}; a "
     "point is held at its origin, a foot does not turn either"},
    {ARGUMENT_steps, "int", NULL, "how many steps"},
    {ARGUMENT_dt, "float", NULL, "[s] the length of a step"},
    {ARGUMENT_axes, "Axes", "'aligned'", "'body', 'world' or 'aligned': axes and point of motions"},
    {ARGUMENT_spatial, "bool", "False", "acceleration as a spatial vector, not classical"},
    {ARGUMENT_method, "Method", "'recursive'", "'recursive' or 'matrix'"},
    {ARGUMENT_integrator, "Integrator", "'euler'", "'euler' (semi-implicit) or 'rk4'"},
    {ARGUMENT_kp, "Vector | None", "None",
     "(V,) [N m/rad, N/m] of a controller that adds kp (q_ref (-) q) to tau; needs q_ref"},
    {ARGUMENT_kd, "Vector | None", "None",
     "(V,) [N m s/rad, N s/m] likewise, kd (qd_ref - qd); without qd_ref it damps"},
    {ARGUMENT_sweeps, "int", "0",
     "0: ground is compliant; else rigid, by so many sweeps of each step; on a GPU"},
    {ARGUMENT_left_out, "Sequence[str | int]", "()",
     "contact shapes, by name or number, that touch nothing; on a GPU"},
    {ARGUMENT_heights, "ArrayLike | None", "None",
     "(rows, columns) [m] of a height field instead of the plane of ground; on a GPU"},
    {ARGUMENT_corner, "Vector", "(0.0, 0.0)", "(2,) [m] where the first of heights is"},
    {ARGUMENT_spacing, "Vector", "(1.0, 1.0)", "(2,) [m] between columns, and between rows"},
    {ARGUMENT_limit_stiffness, "float", "0.0",
     "[N m/rad, N/m] of joints that push back beyond their limits; on a GPU"},
    {ARGUMENT_limit_damping, "float", "0.0", "[N m s/rad, N s/m] likewise"},
    {ARGUMENT_policy, "ArrayLike | None", "None",
     "(..., W) [N m, N, 1] weights of torques from the error e = (q_ref (-) q, qd_ref - qd): W1 "
     "(hidden, 2 V), "
     "b1, W2 (V, hidden), b2 of W2 tanh(W1 e + b1) + b2, flat; without hidden units W (V, 2 V), b; "
     "on a GPU"},
    {ARGUMENT_hidden, "int", "0", "hidden units of the policy"},
    {ARGUMENT_holds, "int", "1", "steps that the torques of the policy are held"},
    {ARGUMENT_torque_limits, "Vector | None", "None",
     "(V,) [N m, N] the largest torques of the policy; 0: none"},
    {ARGUMENT_point, "Vector", "(0.0, 0.0, 0.0)", "(3,) [m] of the plane, in the world"},
    {ARGUMENT_normal, "Vector", "(0.0, 0.0, 1.0)", "(3,) [1] of the plane, of unit length"},
    {ARGUMENT_unilateral, "bool", "False",
     "whether contacts push along z of the world and do not pull"},
    {ARGUMENT_friction, "float | None", "None",
     "[1] their forces stay in the cone of this coefficient, and do not pull; None: no cone"},
    {ARGUMENT_wrench, "Wrenches", "None",
     "{link: (6,)} [N, N m] force, then moment of the environment on links, at their origins, in "
     "their axes"},
    {ARGUMENT_wrench_rate, "Wrenches", "None", "{link: (6,)} [N/s, N m/s] how these change"},
    {ARGUMENT_wrench_fixed_in, "FixedIn", "'link'",
     "'link' or 'world': where wrenches stay as they are while the robot moves; for equilibrium "
     "also whose axes they are in"},
    {ARGUMENT_base_pose, "Vector | None", "None",
     "(7,) [m, 1] x, y, z, qx, qy, qz, qw of the base"},
    {ARGUMENT_base_velocity, "Vector | None", "None",
     "(6,) [m/s, rad/s] its twist, in its own axes"},
    {ARGUMENT_base_acceleration, "Vector | None", "None",
     "(6,) [m/s^2, rad/s^2] the time derivative of these numbers"},
    {ARGUMENT_base_jerk, "Vector | None", "None", "(6,) [m/s^3, rad/s^3] and of these"},
    {ARGUMENT_out, NULL, "None",
     "where results are written: what the method returns, from an earlier call"},
};

static const argument_text *text_of(int argument)
{
    for (size_t i = 0; i < sizeof argument_texts / sizeof argument_texts[0]; i++)
        if (argument_texts[i].argument == argument) return &argument_texts[i];
    return NULL;
}

// ---- docstrings ----

// Of ASCII, whatever the locale: in Turkish an i has another capital.
static char capital(char c) { return (char)(c >= 'a' && c <= 'z' ? c - 32 : c); }

typedef struct text {
    char  *at;
    size_t size, room;
} text;

static int append(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int more = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (t->size + (size_t)more + 1 > t->room) {
        const size_t room = 2 * (t->size + (size_t)more + 1);
        char        *longer = realloc(t->at, room);
        if (!longer) return -1;
        t->at = longer;
        t->room = room;
    }
    va_start(args, format);
    vsnprintf(t->at + t->size, t->room - t->size, format, args);
    va_end(args);
    t->size += (size_t)more;
    return 0;
}

static int append_array(text *t, const arne_array_info *a)
{
    PyObject   *shape = shape_text(a, "");
    const char *words = shape ? PyUnicode_AsUTF8AndSize(shape, NULL) : NULL;
    const int   failed =
        !words || append(t, "    %s: (...%s%s) [%s] %s\n", a->name, *words ? ", " : "", words,
                         *a->unit ? a->unit : "1", a->text);
    Py_XDECREF(shape);
    return failed;
}

static int append_signature(text *t, const method *m)
{
    int failed = append(t, "%s($self, /", m->name);
    for (int i = 0; i < m->argument_count && !failed; i++) {
        const int            argument = m->arguments[i];
        const argument_text *what = text_of(argument);
        if (i == m->positional) failed = append(t, ", *");
        if (!failed && i < m->required)
            failed = append(t, ", %s", argument_name(argument));
        else if (!failed)
            failed = append(t, ", %s=%s", argument_name(argument), what ? what->preset : "None");
    }
    return failed || append(t, ")\n--\n\n");
}

static int make_doc(method *m)
{
    text t = {NULL, 0, 0};
    int  failed =
        append_signature(&t, m) || append(&t, "%c%s.\n\nTakes\n", capital(m->text[0]), m->text + 1);
    for (int i = 0; i < m->argument_count && !failed; i++) {
        const int argument = m->arguments[i];
        if (argument < INPUT_COUNT)
            failed = append_array(&t, arne_catalogue_array((arne_array)argument));
        else
            failed = append(&t, "    %s: %s\n", argument_name(argument), text_of(argument)->text);
    }
    failed = failed || append(&t, "Gives\n");
    for (int i = 0; i < m->output_count && !failed; i++)
        failed = append_array(&t, arne_catalogue_array(m->outputs[i]));
    failed = failed || append(&t, "Q, V: q_count and v_count of the robot; ... any leading shape, "
                                  "the same or broadcast.\n");
    m->doc = t.at;
    return failed;
}

// ---- definitions ----

#define ARNE_ALGORITHM(identifier, ...)                                                            \
    static PyObject *call_##identifier(PyObject *self, PyObject *const *args, Py_ssize_t given,    \
                                       PyObject *keywords)                                         \
    {                                                                                              \
        return method_call(&methods[ARNE_ALGORITHM_##identifier], self, args, given, keywords);    \
    }
#define ARNE_PROCEDURE ARNE_ALGORITHM
#include <arne/catalogue.def>

static PyObject *call_jacobian_rate(PyObject *self, PyObject *const *args, Py_ssize_t given,
                                    PyObject *keywords)
{
    return method_call(&methods[METHOD_jacobian_rate], self, args, given, keywords);
}

static PyObject *call_contact_inverse_dynamics(PyObject *self, PyObject *const *args,
                                               Py_ssize_t given, PyObject *keywords)
{
    return method_call(&methods[METHOD_contact_inverse_dynamics], self, args, given, keywords);
}

typedef PyObject *(*method_function)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
static const method_function functions[METHOD_COUNT] = {
#define ARNE_ALGORITHM(identifier, ...) [ARNE_ALGORITHM_##identifier] = call_##identifier,
#define ARNE_PROCEDURE ARNE_ALGORITHM
#include <arne/catalogue.def>
    [METHOD_jacobian_rate] = call_jacobian_rate,
    [METHOD_contact_inverse_dynamics] = call_contact_inverse_dynamics};

enum { OTHER_METHODS = 32 };

PyMethodDef *method_definitions(const PyMethodDef *others)
{
    static PyMethodDef definitions[METHOD_COUNT + OTHER_METHODS + 1];
    int                count = 0;
    if (definitions[0].ml_name) return definitions; // another interpreter was here
    for (int i = 0; i < METHOD_COUNT; i++) {
        if (i < ARNE_ALGORITHM_COUNT && !single_knows((arne_algorithm)i)) continue;
        if (i == METHOD_jacobian_rate)
            make_jacobian_rate();
        else if (i == METHOD_contact_inverse_dynamics)
            make_contact_inverse_dynamics();
        else
            make_method(&methods[i], (arne_algorithm)i);
        quick_mark(&methods[i]);
        if (make_doc(&methods[i])) {
            PyErr_NoMemory();
            return NULL;
        }
    }
    for (; others->ml_name; others++)
        definitions[count++] = *others;
    for (int i = 0; i < METHOD_COUNT; i++)
        if (methods[i].doc)
            definitions[count++] =
                (PyMethodDef){methods[i].name, (PyCFunction)(void (*)(void))functions[i],
                              METH_FASTCALL | METH_KEYWORDS, methods[i].doc};
    return definitions;
}

// ---- for those who write stubs ----

static PyObject *argument_facts(const method *m, int i)
{
    const int            argument = m->arguments[i];
    const argument_text *what = text_of(argument);
    return Py_BuildValue("{s:s,s:z,s:z,s:N,s:N}", "name", argument_name(argument), "type",
                         what ? what->type : "Array", "preset", what ? what->preset : "None",
                         "required", PyBool_FromLong(i < m->required), "keyword",
                         PyBool_FromLong(i >= m->positional));
}

static PyObject *output_facts(const method *m, int i)
{
    const arne_array_info *a = arne_catalogue_array(m->outputs[i]);
    return Py_BuildValue("{s:s,s:s,s:s,s:N}", "name", a->name, "unit", a->unit, "text", a->text,
                         "shape", shape_text(a, ""));
}

static PyObject *list_of(const method *m, int count, PyObject *(*one)(const method *, int))
{
    PyObject *list = PyList_New(0);
    for (int i = 0; i < count && list; i++) {
        PyObject *facts = one(m, i);
        if (!facts || PyList_Append(list, facts)) Py_CLEAR(list);
        Py_XDECREF(facts);
    }
    return list;
}

// The class of a result of several parts: InverseDynamicsDerivatives; NULL where it has one part.
static const char *name_record(const method *m, char *out)
{
    char *at = out;
    if (m->output_count < 2) return NULL;
    for (const char *c = m->name; *c; c++)
        if (*c != '_') *at++ = c == m->name || c[-1] == '_' ? capital(*c) : *c;
    *at = 0;
    return out;
}

PyObject *method_records(void)
{
    PyObject *list = PyList_New(0), *all = NULL;
    for (int i = 0; i < METHOD_COUNT && list; i++) {
        char        record[sizeof methods[i].name];
        const char *name = methods[i].doc ? name_record(&methods[i], record) : NULL;
        PyObject   *own = name ? PyUnicode_FromString(name) : NULL;
        if (name && (!own || PyList_Append(list, own))) Py_CLEAR(list);
        Py_XDECREF(own);
    }
    if (list) all = PyList_AsTuple(list);
    Py_XDECREF(list);
    return all;
}

PyObject *method_list(void)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; i < METHOD_COUNT && list; i++) {
        const method *m = &methods[i];
        if (!m->doc) continue;
        char      record[sizeof m->name];
        PyObject *facts = Py_BuildValue("{s:s,s:s,s:z,s:N,s:N}", "name", m->name, "text", m->text,
                                        "record", name_record(m, record), "arguments",
                                        list_of(m, m->argument_count, argument_facts), "outputs",
                                        list_of(m, m->output_count, output_facts));
        if (!facts || PyList_Append(list, facts)) Py_CLEAR(list);
        Py_XDECREF(facts);
    }
    return list;
}

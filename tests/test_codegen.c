// Generated code: what is recorded computes what the library does, and nothing in a robot's file
// gets into the texts but as plain words. Whether the texts compile and run is for tests/codegen.
#include "codegen/functions.h"
#include "codegen/names.h"
#include "codegen/screw_form.h"
#include "testing.h"

#include "closed.h"

#include <arne/identify.h>

#include <stdlib.h>

// ---- memory: the program is linked with --wrap, see CMakeLists.txt ----

static int refuse_at; // counts down to the allocation that is refused; 0: none

static int refused(void) { return refuse_at > 0 && --refuse_at == 0; }

// NOLINTBEGIN(bugprone-reserved-identifier): the names that --wrap wants
#define WRAP(result, name, parameters, arguments)                                                  \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters { return refused() ? NULL : __real_##name arguments; }
WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, realloc, (void *block, size_t size), (block, size))
WRAP(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
int __real_posix_memalign(void **block, size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    return refused() ? 12 : __real_posix_memalign(block, alignment, size);
}
// NOLINTEND(bugprone-reserved-identifier)

// ---- the recording ----

static double operate(const tape_node *n, const double *x, const double *inputs)
{
    const double a = n->a >= 0 && n->what != OP_VARIABLE ? x[n->a] : 0, b = n->b >= 0 ? x[n->b] : 0;
    switch (n->what) {
    case OP_VARIABLE:
        return inputs[n->a];
    case OP_CONSTANT:
        return n->value;
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_DIV:
        return a / b;
    case OP_SQRT:
        return sqrt(a);
    case OP_SIGN:
        return (double)((a > 0) - (a < 0));
    case OP_SINE:
        return sin(a);
    case OP_COSINE:
        return cos(a);
    default:
        return a; // an angle, of which sine and cosine are taken
    }
}

static void run_tape(const tape *t, const double *inputs, const tape_ref *results, int count,
                     double *out)
{
    double *x = malloc(sizeof *x * ((size_t)t->count + 1));
    assert_non_null(x);
    for (int i = 0; i < t->count; i++) {
        assert_true(t->nodes[i].what == OP_VARIABLE || (t->nodes[i].a < i && t->nodes[i].b < i));
        x[i] = operate(&t->nodes[i], x, inputs);
    }
    for (int i = 0; i < count; i++)
        out[i] = results[i] & 1 ? -x[results[i] / 2] : x[results[i] / 2];
    free(x);
}

// Accelerations are compared as torques.
static void weigh(const arne_robot *robot, arne_work *work, const double *q, int columns,
                  double *qdd)
{
    const int n = arne_robot_sizes(robot).v_count;
    double    M[MAX_V * MAX_V], tau[MAX_V * MAX_V] = {0};
    arne_mass_matrix(robot, work, q, M);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < columns; c++)
            for (int k = 0; k < n; k++)
                tau[i * columns + c] += M[i * n + k] * qdd[k * columns + c];
    memcpy(qdd, tau, sizeof *qdd * (size_t)(n * columns));
}

static int is_generated(arne_algorithm f)
{
    return (function_info(f)->has & ARNE_HAS_GENERATED) != 0;
}

static int gather_inputs(const request *ask, const state *s, arne_algorithm f, double *out)
{
    static const double ground[10] = {0.1, -0.2, 0.3, 0.48, 0.6, 0.64, 0.7, 900, 0.4, 0.05};
    array_info          in[MOST_INPUTS];
    const int           count = function_inputs(ask, f, in);
    for (int i = 0; i < count; out += in[i++].count) {
        const double *from = in[i].array == ARNE_ARRAY_q        ? s->q
                             : in[i].array == ARNE_ARRAY_qd     ? s->qd
                             : in[i].array == ARNE_ARRAY_qdd    ? s->qdd
                             : in[i].array == ARNE_ARRAY_ground ? ground
                                                                : s->tau; // jerks: any numbers
        memcpy(out, from, sizeof *out * (size_t)in[i].count);
    }
    return total_count(in, count);
}

static void check_recording_closed(const request *ask, arne_work *work, arne_loop_work *loop,
                                   const state *s, arne_algorithm f, double tolerance)
{
    array_info in[MOST_INPUTS], out[MOST_OUTPUTS];
    const int  count = total_count(out, function_outputs(ask, f, out));
    double     inputs[MAX_Q + 3 * MAX_V];
    double    *got = calloc((size_t)count + 1, sizeof *got),
           *wanted = calloc((size_t)count + 1, sizeof *wanted);
    tape     *t = NULL;
    tape_ref *results = NULL;
    assert_true(got && wanted);
    assert_int_equal(gather_inputs(ask, s, f, inputs),
                     total_count(in, function_inputs(ask, f, in)));
    assert_ok(record_function(ask, f, &t, &results));
    run_tape(t, inputs, results, count, got);
    assert_ok(loop ? check_closed_function(ask, f, work, loop, inputs, wanted, NULL)
                   : check_function(ask, f, inputs, wanted, NULL));
    const int n = arne_robot_sizes(ask->robot).v_count;
    for (int i = 0, at = 0, outputs = function_outputs(ask, f, out);
         n && i < outputs && gives_accelerations(f); at += out[i++].count) {
        if (arne_catalogue_array(out[i].array)->shape[0] != ARNE_EXTENT_V) continue;
        weigh(ask->robot, work, s->q, out[i].count / n, got + at);
        weigh(ask->robot, work, s->q, out[i].count / n, wanted + at);
    }
    double scale = gives_accelerations(f) && count > n ? 100 : 1;
    for (int i = 0; i < count; i++)
        scale = fmax(scale, fabs(wanted[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(got[i] - wanted[i]) <= tolerance * scale))
            fail_msg("%s of %s: entry %d is %.17g, not %.17g", function_info(f)->name,
                     arne_robot_name(ask->robot), i, got[i], wanted[i]);
    tape_free(t);
    free(results);
    free(got);
    free(wanted);
}

static void check_recording(const request *ask, arne_work *work, const state *s, arne_algorithm f,
                            double tolerance)
{
    check_recording_closed(ask, work, NULL, s, f, tolerance);
}

// Closed mechanisms of every kind, with mimic joints, springs, motors behind springs and free
// bases.
static void recordings_of_closed_mechanisms(void **unused)
{
    (void)unused;
    int checked = 0;
    for (uint64_t seed = 0; seed < (TEST_PART > 1 ? 12 : 40); seed++) {
        closed                      c = closed_random(seed);
        const arne_generate_options o = {.frame = 0, .axes = ARNE_AXES_BODY};
        unsigned char               active[MAX_V];
        int                         order[MAX_V], at = 0;
        const int n = c.size.v_count, dependent = n - arne_active(c.robot, active);
        state     s;
        for (int turn = 0; turn < 2; turn++)
            for (int k = 0; k < n; k++)
                if (active[k] == turn) order[at++] = k;
        const request ask = {.robot = c.robot,
                             .options = &o,
                             .form = c.robot,
                             .order = order,
                             .dependent = dependent};
        if (arne_robot_base(c.robot) != ARNE_BASE_PRESCRIBED && closed_state(&c, 2, &s)) {
            for (int f = 0; f < FUNCTION_COUNT; f++)
                if (is_generated((arne_algorithm)f) &&
                    (function_info((arne_algorithm)f)->has & ARNE_HAS_CLOSED))
                    check_recording_closed(&ask, c.work, c.loop, &s, (arne_algorithm)f, 1e-8);
            checked++;
        }
        closed_free(&c);
    }
    assert_true(checked > (TEST_PART > 1 ? 6 : 20));
}

static void recordings_agree_with_the_library(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 100) {
        if (arne_robot_base(robot) == ARNE_BASE_PRESCRIBED) continue;
        for (int axes = ARNE_AXES_BODY; axes <= ARNE_AXES_ALIGNED; axes++) {
            const arne_generate_options o = {.frame = arne_robot_sizes(robot).frame_count - 1,
                                             .axes = (arne_axes)axes};
            arne_robot                 *screws = NULL;
            assert_ok(screw_form(robot, &screws));
            const request ask = {.robot = robot, .options = &o, .form = robot, .screws = screws};
            const state   s = random_state(robot, 3);
            check_recording(&ask, work, &s, ARNE_ALGORITHM_JACOBIAN, 1e-12);
            for (int f = 0; axes == ARNE_AXES_BODY && f < FUNCTION_COUNT; f++)
                if (is_generated((arne_algorithm)f))
                    check_recording(&ask, work, &s, (arne_algorithm)f, 1e-12);
            arne_robot_free(screws);
        }
    }
}

// At most what the best published symbolic reduction of this arm needs, with all of its parameters,
// friction and rotors.
static void puma_takes_few_operations(void **unused)
{
    const char *const           names[] = {"inverse-dynamics"};
    const arne_generate_options o = {.functions = names, .function_count = 1, .frame = -1};
    arne_robot                 *robot = read_robot("puma560", NULL);
    arne_generated             *made = NULL;
    (void)unused;
    assert_ok(arne_generate(robot, &o, &made, NULL));
    print_message("puma560: %d multiplications, %d additions\n", made->counts[0].mul,
                  made->counts[0].add);
    assert_true(made->counts[0].mul <= 300 && made->counts[0].add <= 280);
    arne_generated_free(made);
    arne_robot_free(robot);
}

// ---- base parameters ----

static void base_forms_agree_with_the_robot(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 40) {
        if (arne_robot_base(robot) == ARNE_BASE_PRESCRIBED) continue;
        arne_robot *form = NULL;
        if (arne_robot_base_form(robot, &form, NULL) == ARNE_UNSUPPORTED)
            continue; // splines of joints that follow
        assert_non_null(form);
        const arne_generate_options o = {.frame = 0, .axes = ARNE_AXES_BODY, .base_parameters = 1};
        const request               ask = {.robot = robot, .options = &o, .form = form};
        const state                 s = random_state(robot, 4);
        for (int f = 0; f < FUNCTION_COUNT; f++)
            if (is_generated((arne_algorithm)f) &&
                function_info((arne_algorithm)f)->has & ARNE_HAS_BASE_FORM)
                check_recording(&ask, work, &s, (arne_algorithm)f, 1e-10);
        arne_robot_free(form);
    }
}

static arne_operation_counts count_inverse_dynamics(const arne_robot *robot, int base_parameters)
{
    const char *const           names[] = {"inverse-dynamics"};
    const arne_generate_options o = {
        .functions = names, .function_count = 1, .frame = -1, .base_parameters = base_parameters};
    arne_generated *made = NULL;
    assert_ok(arne_generate(robot, &o, &made, NULL));
    const arne_operation_counts c = made->counts[0];
    assert_true(!strstr(made->file[0].text, "base parameters") == !base_parameters);
    arne_generated_free(made);
    return c;
}

static void base_parameters_take_fewer_operations(void **unused)
{
    static const char *const robots[] = {"puma560", "arm6", "stanford", "arm7"};
    const arne_build_options rigid = {.no_friction = 1, .no_rotor = 1};
    (void)unused;
    for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
        arne_robot                 *robot = read_robot(robots[i], &rigid);
        const arne_operation_counts all = count_inverse_dynamics(robot, 0),
                                    base = count_inverse_dynamics(robot, 1);
        print_message("%s: %d multiplications, %d additions; in base parameters %d and %d\n",
                      robots[i], all.mul, all.add, base.mul, base.add);
        assert_true(base.mul < all.mul && base.add < all.add);
        assert_true(i > 0 || (base.mul <= 300 && base.add <= 280));
        arne_robot_free(robot);
    }
}

static void base_parameters_keep_torques_only(void **unused)
{
    arne_robot *robot = read_robot("arm6", NULL);
    (void)unused;
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (!is_generated((arne_algorithm)i)) continue;
        const char *const           name = function_info((arne_algorithm)i)->name;
        const arne_generate_options o = {
            .functions = &name, .function_count = 1, .frame = 0, .base_parameters = 1};
        const int         fine = (function_info((arne_algorithm)i)->has & ARNE_HAS_BASE_FORM) != 0;
        arne_generated   *made = NULL;
        arne_error        error;
        const arne_status status = arne_generate(robot, &o, &made, &error);
        assert_int_equal(status, fine ? ARNE_OK : ARNE_VALUE);
        assert_true(fine || (strstr(error.text, name) && strstr(error.text, "base parameters")));
        assert_true((made != NULL) == fine);
        arne_generated_free(made);
    }
    arne_robot_free(robot);
}

// ---- names ----

static arne_robot *robot_named(const char *name, const char *joint_name)
{
    arne_builder   *builder = NULL;
    arne_body_spec  base = arne_body_spec_default(), link = arne_body_spec_default();
    arne_joint_spec joint = arne_joint_spec_default();
    assert_ok(arne_builder_new(&builder));
    assert_ok(arne_builder_set_name(builder, name));
    base.name = "base";
    link.name = joint_name;
    link.mass = 1;
    link.com.x = 0.5;
    link.inertia[0] = link.inertia[1] = link.inertia[2] = 0.1;
    joint.name = joint_name;
    joint.kind = ARNE_JOINT_CONTINUOUS;
    joint.parent = "base";
    joint.child = joint_name;
    joint.axis.y = 1;
    joint.axis.x = joint.axis.z = 0;
    assert_ok(arne_builder_add_body(builder, &base, NULL));
    assert_ok(arne_builder_add_body(builder, &link, NULL));
    assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

static void nothing_of_a_file_becomes_code(void **unused)
{
    static const char *const    evil[] = {"x*/ int boom; /*",
                                          "x\\ int boom;",
                                          ("x?"
                                           "?/ int boom;"),
                                          "\"; int boom; //",
                                          "$(boom)",
                                          "%s%n"}; // names with line breaks are refused
    const char *const           names[] = {"pose", "gravity"};
    const arne_generate_options o = {.functions = names, .function_count = 2, .frame = -1};
    (void)unused;
    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++) {
        arne_robot     *robot = robot_named(evil[i], evil[i]);
        arne_generated *made = NULL;
        assert_ok(arne_generate(robot, &o, &made, NULL));
        assert_true(is_prefix(made->prefix, sizeof made->prefix));
        for (int k = 0; k < made->file_count; k++) {
            const char *text = made->file[k].text;
            assert_int_equal(strlen(text), made->file[k].size);
            assert_null(strstr(text, "\nint boom"));
            assert_null(strstr(text, "*/"));
            assert_null(strstr(text, "??"));
            assert_null(strchr(text, '\\'));
            assert_null(strstr(text, "$(boom)"));
            assert_null(strchr(made->file[k].name, '/'));
        }
        arne_generated_free(made);
        arne_robot_free(robot);
    }
}

static void names_become_identifiers(void **unused)
{
    static const char *const pairs[][2] = {{"arm6", "arm6"},       {"my arm-7", "my_arm_7"},
                                           {"7dof", "robot_7dof"}, {"_x", "robot__x"},
                                           {"", "robot"},          {"int", "int_robot"},
                                           {"Math", "Math_robot"}, {"class", "class_robot"},
                                           {"../x", "robot____x"}};
    char                     out[ARNE_GENERATED_PREFIX], longest[200];
    (void)unused;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        make_prefix(pairs[i][0], out, sizeof out);
        assert_string_equal(out, pairs[i][1]);
        assert_true(is_prefix(out, sizeof out));
    }
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = 0;
    make_prefix(longest, out, sizeof out);
    assert_true(is_prefix(out, sizeof out) && !is_prefix(longest, sizeof out));
    assert_false(is_prefix("a b", 40) || is_prefix("", 40) || is_prefix("1a", 40) ||
                 is_prefix("while", 40) || is_prefix("_a", 40));
}

// ---- what can go wrong ----

static void bad_requests_are_told(void **unused)
{
    const char *const twice[] = {"gravity", "gravity"}, *const none[] = {"gravitas"},
                      *const jacobian[] = {"jacobian"}, *const one[] = {"gravity"};
    const arne_build_options prescribed = {.base = ARNE_BASE_PRESCRIBED};
    arne_robot     *arm = read_robot("arm6", NULL), *carried = read_robot("arm6", &prescribed);
    arne_generated *made = NULL;
    arne_error      error;
    const struct {
        const arne_robot     *robot;
        arne_generate_options o;
        arne_status           wanted;
    } all[] = {
        {arm, {.functions = twice, .function_count = 2, .frame = -1}, ARNE_VALUE},
        {arm, {.functions = none, .function_count = 1, .frame = -1}, ARNE_NOT_FOUND},
        {arm, {.functions = jacobian, .function_count = 1, .frame = -1}, ARNE_VALUE},
        {arm, {.functions = one, .function_count = 1, .frame = 99}, ARNE_VALUE},
        {arm, {.functions = one, .function_count = 0, .frame = -1}, ARNE_VALUE},
        {arm, {.functions = one, .function_count = 1, .frame = -1, .prefix = "a b"}, ARNE_VALUE},
        {arm, {.functions = NULL, .function_count = 1, .frame = -1}, ARNE_NULL_ARGUMENT},
        {NULL, {.functions = one, .function_count = 1, .frame = -1}, ARNE_NULL_ARGUMENT},
        {carried, {.functions = one, .function_count = 1, .frame = -1}, ARNE_UNSUPPORTED},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_int_equal(arne_generate(all[i].robot, &all[i].o, &made, &error), all[i].wanted);
        assert_null(made);
        assert_true(error.code == all[i].wanted && error.text[0]);
    }
    assert_int_equal(arne_generate(arm, &all[0].o, NULL, NULL), ARNE_NULL_ARGUMENT);
    arne_generated_free(NULL);
    arne_robot_free(arm);
    arne_robot_free(carried);
}

static void try_with_little_memory(int base_parameters)
{
    const char *const names[] = {"pose", "inverse-dynamics", "forward-dynamics", "torque-rate"};
    const arne_generate_options o = {.functions = names,
                                     .function_count = 4,
                                     .frame = -1,
                                     .sincos = ARNE_SINCOS_POLYNOMIAL,
                                     .base_parameters = base_parameters};
    arne_robot                 *robot = read_robot("planar_2r", NULL);
    arne_generated             *made = NULL;
    int                         tried = 0;
    for (arne_status status = ARNE_NO_MEMORY; status; tried++) {
        arne_error error;
        refuse_at = tried + 1;
        status = arne_generate(robot, &o, &made, &error);
        refuse_at = 0;
        assert_true(status == ARNE_NO_MEMORY || status == ARNE_OK);
        assert_true((status == ARNE_OK) == (made != NULL));
        assert_true(status == ARNE_OK || error.code == ARNE_NO_MEMORY);
    }
    assert_true(tried > 30);
    arne_generated_free(made);
    arne_robot_free(robot);
}

static void too_little_memory_is_told(void **unused)
{
    (void)unused;
    try_with_little_memory(0);
    try_with_little_memory(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_agree_with_the_library),
        cmocka_unit_test(recordings_of_closed_mechanisms),
        cmocka_unit_test(puma_takes_few_operations),
        cmocka_unit_test(base_forms_agree_with_the_robot),
        cmocka_unit_test(base_parameters_take_fewer_operations),
        cmocka_unit_test(base_parameters_keep_torques_only),
        cmocka_unit_test(nothing_of_a_file_becomes_code),
        cmocka_unit_test(names_become_identifiers),
        cmocka_unit_test(bad_requests_are_told),
        cmocka_unit_test(too_little_memory_is_told),
    };
    return cmocka_run_group_tests_name("generated code", tests, NULL, NULL);
}

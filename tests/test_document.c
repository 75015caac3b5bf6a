// Documents as values: positions, edits by path, what a schema says about every mistake, and
// schemas themselves.
#include "reading.h"

#include "io/schema.h"
#include "io/yaml_robot.h"
#include "problem/read_problem.h"
#include "simulate/scenario.h"
#include <arne/document.h>

typedef struct opened {
    reader     r;
    findings   found;
    arne_error error;
    document   doc;
} opened;

static void open_text(opened *o, const char *text)
{
    memset(o, 0, sizeof *o);
    o->r = (reader){.file = "file", .found = &o->found, .error = &o->error, .document = &o->doc};
    assert_int_equal(document_parse(&o->r, text, strlen(text), &o->doc), ARNE_OK);
}

static void close_text(opened *o)
{
    document_free(&o->doc);
    findings_free(&o->found);
}

static const char *text_at(const opened *o, const char *path)
{
    const doc_node *node = document_at(&o->doc, path);
    assert_non_null(node);
    assert_int_equal(node->kind, DOC_TEXT);
    return node->text;
}

static void positions(void **unused)
{
    (void)unused;
    opened o;
    open_text(&o, "a: 1\nbodies:\n  - {name: x, mass: 2}\n");
    const doc_node *mass = document_at(&o.doc, "bodies.x.mass");
    assert_int_equal(mass->line, 3);
    assert_int_equal(mass->column, 21);
    assert_int_equal(doc_find_item(o.doc.root, "bodies")->line, 2);
    close_text(&o);
}

static arne_status edit(opened *o, const char *path, const char *value)
{
    const doc_edit change = {path, value};
    return document_edit(&o->r, &o->doc, &change);
}

static void edits_by_path(void **unused)
{
    (void)unused;
    opened o;
    open_text(&o, "controller: {kp: 1}\nlist: [1, 2]\nbodies:\n- {name: link6, mass: 1}\n"
                  "motors: [{joint: j, gear: 2}]\nq.x: 3\nword: w\n");
    assert_int_equal(edit(&o, "controller.kp", "[1, 2]"), ARNE_OK);
    assert_string_equal(text_at(&o, "controller.kp.1"), "2");
    assert_int_equal(edit(&o, "bodies.link6.mass", "7"), ARNE_OK);
    assert_string_equal(text_at(&o, "bodies.link6.mass"), "7");
    assert_int_equal(edit(&o, "motors.j.gear", "9"), ARNE_OK);
    assert_string_equal(text_at(&o, "motors.0.gear"), "9");
    assert_int_equal(edit(&o, "list.1", "5"), ARNE_OK);
    assert_string_equal(text_at(&o, "list.1"), "5");
    assert_int_equal(edit(&o, "q.x", "4"), ARNE_OK);
    assert_string_equal(text_at(&o, "q.x"), "4");
    // What is missing is made.
    assert_int_equal(edit(&o, "bodies.link7.com", "[0, 0, 1]"), ARNE_OK);
    assert_string_equal(text_at(&o, "bodies.link7.name"), "link7");
    assert_string_equal(text_at(&o, "bodies.link7.com.2"), "1");
    assert_int_equal(edit(&o, "integrator.step", "1e-3"), ARNE_OK);
    assert_string_equal(text_at(&o, "integrator.step"), "1e-3");
    // What makes no sense is refused and leaves everything as it was.
    assert_int_equal(edit(&o, "word.more", "1"), ARNE_VALUE);
    assert_int_equal(edit(&o, "list.7", "1"), ARNE_VALUE);
    assert_int_equal(edit(&o, "", "1"), ARNE_VALUE);
    assert_int_equal(edit(&o, "controller.kp", "[1"), ARNE_SYNTAX);
    assert_string_equal(text_at(&o, "controller.kp.1"), "2");
    close_text(&o);
}

static void edits_do_not_reach_aliases(void **unused)
{
    (void)unused;
    opened o;
    open_text(&o, "a: &x {k: 1, deep: {m: 1}}\nb: *x\n");
    assert_int_equal(edit(&o, "b.deep.m", "2"), ARNE_OK);
    assert_string_equal(text_at(&o, "a.deep.m"), "1");
    assert_string_equal(text_at(&o, "b.deep.m"), "2");
    assert_string_equal(text_at(&o, "b.k"), "1");
    close_text(&o);
}

static void written_documents_read_back(void **unused)
{
    (void)unused;
    opened o, again;
    buffer out = {0};
    open_text(&o, "a: 'x \"y\" \\ z'\nb: [1, {c: ''}]\n\"d\\te\": \"\\x01\"\n");
    document_put(&out, o.doc.root);
    open_text(&again, out.text);
    buffer second = {0};
    document_put(&second, again.doc.root);
    assert_string_equal(out.text, second.text);
    assert_string_equal(text_at(&again, "a"), "x \"y\" \\ z");
    buffer_free(&out);
    buffer_free(&second);
    close_text(&o);
    close_text(&again);
}

// Every character that a text may have comes back, and what is written is one line.
static void characters_read_back(void **unused)
{
    (void)unused;
    for (int c = 1; c < 0x80; c++) {
        opened o, again;
        buffer out = {0};
        char   said[32], wanted[4] = {'a', (char)c, 'b', 0};
        snprintf(said, sizeof said, "t: \"a\\u%04xb\"", c);
        open_text(&o, said);
        assert_string_equal(text_at(&o, "t"), wanted);
        document_put(&out, o.doc.root);
        assert_null(strchr(out.text, '\n'));
        open_text(&again, out.text);
        assert_string_equal(text_at(&again, "t"), wanted);
        buffer_free(&out);
        close_text(&again);
        close_text(&o);
    }
}

// ---- one boolean grammar

static void flags(void **unused)
{
    (void)unused;
    static const char *const yes[] = {"true", "True", "TRUE", "yes", "YES", "on", "On"};
    static const char *const no[] = {"false", "False", "no", "No", "off", "OFF"};
    static const char *const neither[] = {"1", "0", "y", "", "truely", "[true]", "none"};
    opened                   o;
    for (size_t i = 0; i < COUNT(yes) + COUNT(no) + COUNT(neither); i++) {
        const size_t k = i - COUNT(yes), m = k - COUNT(no);
        const char  *word = i < COUNT(yes) ? yes[i] : k < COUNT(no) ? no[k] : neither[m];
        char         text[64];
        int          flag = -1;
        snprintf(text, sizeof text, "a:\n  flag: %s\n", word);
        open_text(&o, text);
        const doc_slot    slot = {&o.r, "a", "flag", document_at(&o.doc, "a.flag")};
        const arne_status status = doc_flag(&slot, &flag);
        assert_int_equal(status, i < COUNT(yes) + COUNT(no) ? ARNE_OK : ARNE_VALUE);
        assert_int_equal(flag, i < COUNT(yes) ? 1 : k < COUNT(no) ? 0 : -1);
        if (status) {
            assert_int_equal(o.found.item[0].line, 2);
            if (*word) assert_int_equal(o.found.item[0].column, 9);
        }
        close_text(&o);
    }
}

// ---- all mistakes in one go

typedef struct heard {
    int  count, lines[64], columns[64];
    char texts[8192];
} heard;

static void hear(void *context, const arne_error *error)
{
    heard *h = context;
    h->lines[h->count] = error->line;
    h->columns[h->count++] = error->column;
    const size_t used = strlen(h->texts);
    snprintf(h->texts + used, sizeof h->texts - used, "%d: %s\n", error->line, error->text);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void ten_mistakes_are_ten_messages(void **unused)
{
    (void)unused;
    static const char text[] = "name: ten\n"
                               "bodies:\n"
                               "- {name: base}\n"
                               "- {name: one, mass: -1}\n"                     // 4
                               "- {name: two, mass: heavy, inertia: [1, 1]}\n" // 5, 5
                               "- {name: two}\n"                               // 6
                               "joints:\n"
                               "- {name: a, kind: hinge, parent: base, child: one}\n" // 8
                               "- {name: b, kind: fixed, parent: one, child: none}\n" // 9
                               "- {name: c, kind: revolute, parent: one, child: two,\n"
                               "   passive: maybe,\n"                                // 11
                               "   limits: {lower: 1, upper: 0}, axis: [0, 0, 0]}\n" // 10, 10
                               "- {name: d, kind: revolute, child: two}\n"           // 13
                               "motors:\n"
                               "- {joint: nobody, gear: 0}\n" // 15, 15
                               "friction:\n"
                               "  x: {viscous: 1}\n" // 17
                               "loops:\n"
                               "- {name: l, kind: knot, predecessor: one, successor: two}\n"; // 19
    static const int expected[] = {4, 5, 5, 6, 8, 9, 10, 10, 11, 13, 15, 15, 17, 19};
    const char      *path = "build/test_document_ten.yaml";
    heard            h = {0};
    arne_robot      *robot = NULL;
    arne_error       error;
    write_file(path, text);
    const arne_build_options options = {.fail = hear, .fail_context = &h};
    assert_int_equal(arne_robot_read(path, &options, &robot, &error), ARNE_VALUE);
    assert_null(robot);
    if (h.count != (int)COUNT(expected)) fail_msg("%d messages:\n%s", h.count, h.texts);
    for (int i = 0; i < h.count; i++)
        if (h.lines[i] != expected[i]) fail_msg("message %d of:\n%s", i, h.texts);
    assert_int_equal(error.count, h.count);
    assert_int_equal(error.line, 4);
    assert_int_equal(error.column, 21);
    remove(path);
}

static void scenarios_and_problems_say_all(void **unused)
{
    (void)unused;
    heard                    h = {0};
    const arne_build_options options = {.fail = hear, .fail_context = &h};
    arne_scenario           *scenario = NULL;
    arne_plan               *plan = NULL;
    arne_error               error;
    static const char        bad_scenario[] =
        "robot: robots/planar_2r.yaml\n"
        "duration: -1\n"
        "drive: hard\n"
        "initial: {q: {elbow: 1}, qd: [1, 2, 3]}\n"
        "controller: {type: pd, kp: much, frame: tip}\n"
        "surroundings: [{type: tether, frame: nose, only_pulls: maybe}]\n"
        "record: {columns: [q, speed]}\n"
        "figure: []\n";
    assert_int_equal(arne_scenario_read_yaml(bad_scenario, strlen(bad_scenario), "scenario.yaml",
                                             &options, &scenario, &error),
                     ARNE_VALUE);
    assert_null(scenario);
    if (h.count != 11) fail_msg("%d messages:\n%s", h.count, h.texts);
    assert_says(h.texts, "3: drive 'hard' is not one of: torques, reference");
    assert_says(h.texts, "5: controller: kd is missing");
    assert_says(h.texts, "5: controller: 'frame' is nothing for type 'pd'");
    assert_says(h.texts, "8: unknown key 'figure' (near matches: figures)");

    static const char bad_problem[] = "robot: robots/planar_2r.yaml\n"
                                      "spline: {degree: 2.5}\n"
                                      "time: soon\n"
                                      "objective: [{quantity: torq}]\n"
                                      "constraints:\n"
                                      "- {quantity: position, limits: perhaps}\n"
                                      "- {quantity: torque, bound: 1}\n"
                                      "solver: {refine: -1, smooth_first: 2}\n";
    memset(&h, 0, sizeof h);
    assert_int_equal(arne_plan_read_yaml(bad_problem, strlen(bad_problem), "problem.yaml", &options,
                                         &plan, &error),
                     ARNE_VALUE);
    if (h.count != 7) fail_msg("%d messages:\n%s", h.count, h.texts);
    assert_says(h.texts, "4: objective[0]: quantity 'torq' is not one of");
    assert_says(h.texts, "(near matches: torque");
}

// ---- problem files: what was wrong once

static arne_status plan_of(const char *robot, const char *rest, arne_plan **out, arne_error *error)
{
    char text[1024];
    snprintf(text, sizeof text, "robot: %s\n%s", robot, rest);
    *out = NULL;
    return arne_plan_read_yaml(text, strlen(text), "problem.yaml", NULL, out, error);
}

static void empty_problems_are_refused(void **unused)
{
    (void)unused;
    static const char *const empty[] = {"", "# nothing\n", "---\n", "[]\n", "robot\n"};
    for (size_t i = 0; i < COUNT(empty); i++) {
        arne_plan        *plan = NULL;
        arne_error        error;
        const arne_status status =
            arne_plan_read_yaml(empty[i], strlen(empty[i]), "problem.yaml", NULL, &plan, &error);
        assert_int_equal(status, ARNE_SYNTAX);
        assert_null(plan);
        assert_says(error.text, "no problem");
    }
}

static double bound_of(const char *rest, int *count)
{
    arne_plan *plan = NULL;
    arne_error error;
    if (plan_of("robots/planar_2r.yaml", rest, &plan, &error)) fail_msg("%s", error.text);
    *count = plan->problem.constraint_count;
    const double upper = *count ? plan->problem.constraints[0].upper[0] : NAN;
    arne_plan_free(plan);
    return upper;
}

static void limits_take_every_boolean(void **unused)
{
    (void)unused;
    static const char *const yes[] = {"true", "True", "on", "yes"};
    int                      count = 0;
    const double plain = bound_of("constraints: [{quantity: torque, limits: true}]\n", &count);
    assert_true(isfinite(plain));
    for (size_t i = 0; i < COUNT(yes); i++) {
        char text[128];
        snprintf(text, sizeof text, "constraints: [{quantity: torque, limits: %s}]\n", yes[i]);
        assert_true(bound_of(text, &count) == plain);
        assert_int_equal(count, 1);
    }
    arne_plan *plan = NULL;
    arne_error error;
    assert_int_equal(plan_of("robots/planar_2r.yaml",
                             "constraints: [{quantity: torque, limits: maybe}]\n", &plan, &error),
                     ARNE_VALUE);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 42);
}

// A rate limit is that of a motor; the limit of the torque itself is none.
static void rate_limits_are_no_effort_limits(void **unused)
{
    (void)unused;
    static const char rates[] = "constraints: [{quantity: torque_rate, limits: true}]\n";
    static const char robot[] =
        "bodies: [{name: base}, {name: l, mass: 1, inertia: [1, 1, 1]}]\n"
        "joints: [{name: j, kind: revolute, parent: base, child: l, limits: {effort: 50}}]\n"
        "motors: [{joint: j, limits: {effort: 40, effort_rate: 7}}]\n";
    const char *path = "build/test_document_motor.yaml";
    arne_plan  *plan = NULL;
    arne_error  error;
    assert_int_equal(plan_of("robots/planar_2r.yaml", rates, &plan, &error), ARNE_VALUE);
    assert_says(error.text, "effort_rate");
    write_file(path, robot);
    assert_int_equal(plan_of(path, rates, &plan, &error), ARNE_OK);
    assert_true(plan->problem.constraints[0].upper[0] == 7 &&
                plan->problem.constraints[0].lower[0] == -7);
    arne_plan_free(plan);
    assert_int_equal(
        plan_of(path, "constraints: [{quantity: torque, limits: yes}]\n", &plan, &error), ARNE_OK);
    assert_true(plan->problem.constraints[0].upper[0] == 40);
    arne_plan_free(plan);
    remove(path);
}

// ---- scenarios: edits, and ropes

static void ropes_take_every_boolean(void **unused)
{
    (void)unused;
    static const char *const words[] = {"true", "yes", "True", "on", "no", "FALSE"};
    for (int i = 0; i < 6; i++) {
        char           text[256];
        arne_scenario *s = NULL;
        arne_error     error;
        snprintf(text, sizeof text,
                 "robot: robots/planar_2r.yaml\nduration: 1\n"
                 "surroundings: [{type: tether, frame: tip, stiffness: 1, only_pulls: %s}]\n",
                 words[i]);
        if (arne_scenario_read_yaml(text, strlen(text), "s.yaml", NULL, &s, &error))
            fail_msg("%s", error.text);
        assert_int_equal(arne_scenario_simulation(s)->surroundings[0].only_pulls, i < 4);
        arne_scenario_free(s);
    }
}

static void edited(const char *robot, const char *path, const char *value, double mass)
{
    char           text[256];
    const doc_edit edits[] = {{path, value}, {"duration", "3"}};
    snprintf(text, sizeof text, "robot: %s\nduration: 1\n", robot);
    const scenario_source source = {
        .path = "s.yaml", .text = text, .size = strlen(text), .edits = edits, .edit_count = 2};
    arne_scenario *s = NULL;
    arne_error     error;
    if (scenario_read(&source, NULL, &s, &error)) fail_msg("%s: %s", path, error.text);
    const arne_simulation_spec *sim = arne_scenario_simulation(s);
    assert_true(sim->duration == 3);
    double sum = 0;
    for (int i = 0; i < arne_robot_sizes(sim->robot).link_count; i++)
        sum += arne_robot_frame(sim->robot, i).mass;
    if (fabs(sum - mass) > 1e-9) fail_msg("%s: %g kg, not %g", path, sum, mass);
    arne_scenario_free(s);
}

static void scenarios_can_be_edited(void **unused)
{
    (void)unused;
    edited("robots/quadruped.yaml", "robot.bodies.body.mass", "13.3", 8.252 - 3.3 + 13.3);
    edited("robots/quadruped.urdf", "robot.bodies.body.mass", "13.3", 8.252 - 3.3 + 13.3);
    edited("robots/stanford.yaml", "robot.dh.rows.joint1.mass", "19.29", 20.77 + 10);
}

// ---- schemas

static void defaults_are_those_of_the_library(void **unused)
{
    (void)unused;
    arne_body_spec  body = arne_body_spec_default(), body_again = body;
    arne_joint_spec joint = arne_joint_spec_default(), joint_again = joint;
    assert_int_equal(doc_defaults(arne_yaml_body_schema.keys, &body_again), ARNE_OK);
    assert_int_equal(doc_defaults(arne_yaml_joint_schema.keys, &joint_again), ARNE_OK);
    assert_memory_equal(&body, &body_again, sizeof body);
    assert_memory_equal(&joint, &joint_again, sizeof joint);
    const ask a = problem_ask();
    ask       again = a;
    assert_int_equal(doc_defaults(problem_constraint_schema.keys, &again), ARNE_OK);
    assert_memory_equal(&a, &again, sizeof a);
}

static void schemas_are_documents(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < ARNE_DOCUMENT_COUNT; kind++) {
        const size_t size = arne_document_schema((arne_document)kind, NULL, 0);
        char        *text = malloc(size + 1);
        opened       o;
        assert_true(size > 1000);
        assert_non_null(text);
        assert_int_equal(arne_document_schema((arne_document)kind, text, size + 1), size);
        open_text(&o, text);
        assert_string_equal(text_at(&o, "document"), arne_document_name((arne_document)kind));
        close_text(&o);
        free(text);
    }
    char         text[16];
    opened       o;
    const size_t size = arne_document_schema(ARNE_DOCUMENT_SCENARIO, NULL, 0);
    char        *whole = malloc(size + 1);
    assert_int_equal(arne_document_schema(ARNE_DOCUMENT_SCENARIO, text, sizeof text), size);
    assert_int_equal(strlen(text), 15);
    arne_document_schema(ARNE_DOCUMENT_SCENARIO, whole, size + 1);
    open_text(&o, whole);
    assert_string_equal(text_at(&o, "keys.duration.unit"), "s");
    assert_string_equal(text_at(&o, "keys.controller.choices.pd.kp.needed"), "true");
    close_text(&o);
    free(whole);
}

static void files_are_told_apart(void **unused)
{
    (void)unused;
    static const struct {
        const char   *path;
        arne_document kind;
    } files[] = {{"robots/arm6.yaml", ARNE_DOCUMENT_ROBOT},
                 {"robots/arm7.urdf", ARNE_DOCUMENT_ROBOT},
                 {"examples/space_robot/satellite.yaml", ARNE_DOCUMENT_ROBOT},
                 {"examples/swimmer/scenario.yaml", ARNE_DOCUMENT_SCENARIO},
                 {"examples/gait/problem.yaml", ARNE_DOCUMENT_PROBLEM},
                 {"examples/pick_and_place/problem.yaml", ARNE_DOCUMENT_PROBLEM}};
    for (size_t i = 0; i < COUNT(files); i++) {
        arne_document kind;
        arne_error    error;
        assert_int_equal(arne_document_kind(files[i].path, &kind, &error), ARNE_OK);
        if (kind != files[i].kind) fail_msg("%s is a %s", files[i].path, arne_document_name(kind));
    }
}

int main(void)
{
    if (!READERS_ARE_BUILT) return print_readers_missing();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions),
        cmocka_unit_test(edits_by_path),
        cmocka_unit_test(edits_do_not_reach_aliases),
        cmocka_unit_test(written_documents_read_back),
        cmocka_unit_test(characters_read_back),
        cmocka_unit_test(flags),
        cmocka_unit_test(ten_mistakes_are_ten_messages),
        cmocka_unit_test(scenarios_and_problems_say_all),
        cmocka_unit_test(empty_problems_are_refused),
        cmocka_unit_test(limits_take_every_boolean),
        cmocka_unit_test(rate_limits_are_no_effort_limits),
        cmocka_unit_test(ropes_take_every_boolean),
        cmocka_unit_test(scenarios_can_be_edited),
        cmocka_unit_test(defaults_are_those_of_the_library),
        cmocka_unit_test(schemas_are_documents),
        cmocka_unit_test(files_are_told_apart),
    };
    return cmocka_run_group_tests_name("document", tests, NULL, NULL);
}

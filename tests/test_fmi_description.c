// modelDescription.xml against the rules of the standards' text (FMI 3.0 section 2.4, FMI 2.0
// section 2.2), names that XML does not allow, the layout of the archive, and the functions of
// FMI 2.0.
#include "importer.h"

#include <arne/fmi.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// ---- rules ----

static int one_of(const char *word, const char *const *words)
{
    while (word && *words && strcmp(word, *words) != 0)
        words++;
    return word && *words;
}

static const char *need_attribute(const xml_node *node, const char *name)
{
    const char *value = xml_node_get(node, name);
    if (!value) fail_msg("<%s>, line %d, has no %s", node->tag, node->line, name);
    return value;
}

// Attributes that are not of the standard would be refused by its schema.
static void only_attributes(const xml_node *node, const char *const *known)
{
    for (int i = 0; i < node->attribute_count; i++)
        if (!one_of(node->attributes[i].name, known))
            fail_msg("<%s> may not have %s", node->tag, node->attributes[i].name);
}

// Children in this order; each of them may be missing.
static void only_children(const xml_node *node, const char *const *order)
{
    for (const xml_node *c = node->first; c; c = c->next) {
        while (*order && strcmp(*order, c->tag) != 0)
            order++;
        if (!*order) fail_msg("<%s> may not stand there in <%s>", c->tag, node->tag);
    }
}

static void check_unit_of(const xml_node *root, const char *unit)
{
    const xml_node *units = xml_node_child(root, "UnitDefinitions");
    for (const xml_node *u = units ? units->first : NULL; u; u = u->next)
        if (!strcmp(xml_node_get(u, "name"), unit)) return;
    fail_msg("the unit %s is not defined", unit);
}

static const char *const CAUSALITIES[] = {
    "parameter",   "calculatedParameter", "input", "output", "local",
    "independent", "structuralParameter", NULL};
static const char *const VARIABILITIES[] = {"constant", "fixed",      "tunable",
                                            "discrete", "continuous", NULL};

// The table of causality, variability and initial, and who needs a start.
static void check_roles(const xml_node *v, const char *start)
{
    const char *causality = need_attribute(v, "causality"),
               *variability = need_attribute(v, "variability"),
               *initial = xml_node_get(v, "initial");
    assert_true(one_of(causality, CAUSALITIES) && one_of(variability, VARIABILITIES));
    const int exact = !strcmp(causality, "parameter") || (initial && !strcmp(initial, "exact"));
    const int input = !strcmp(causality, "input"), time = !strcmp(causality, "independent");
    if (!strcmp(causality, "parameter")) assert_string_equal(variability, "fixed");
    if (input || time) assert_null(initial);
    if (time) assert_string_equal(variability, "continuous");
    if ((exact || input) != (start != NULL))
        fail_msg("%s: a start is %s", xml_node_get(v, "name"), start ? "given" : "missing");
    if (start) {
        char *end;
        assert_true(isfinite(strtod(start, &end)) && !*end);
    }
}

// References and names are unique; there is one independent variable.
static int check_unique(const xml_node *variables)
{
    int times = 0, count = 0;
    for (const xml_node *v = variables->first; v; v = v->next, count++) {
        times += !strcmp(xml_node_get(v, "causality"), "independent");
        assert_int_equal(v == variables->first, !strcmp(xml_node_get(v, "valueReference"), "0"));
        for (const xml_node *w = v->next; w; w = w->next) {
            assert_string_not_equal(xml_node_get(v, "name"), xml_node_get(w, "name"));
            assert_string_not_equal(xml_node_get(v, "valueReference"),
                                    xml_node_get(w, "valueReference"));
        }
        assert_true(*need_attribute(v, "name"));
    }
    assert_int_equal(times, 1);
    return count;
}

static const xml_node *variable_at(const xml_node *variables, int place)
{
    const xml_node *v = variables->first;
    while (v && place-- > 0)
        v = v->next;
    assert_non_null(v);
    return v;
}

static int count_children(const xml_node *node, const char *tag)
{
    int count = 0;
    for (const xml_node *c = node ? node->first : NULL; c; c = c->next)
        count += !strcmp(c->tag, tag);
    return count;
}

// ---- FMI 3.0 ----

static void check_structure_3(const xml_node *root, const xml_node *variables, int exchange)
{
    static const char *const order[] = {"Output",         "ContinuousStateDerivative",
                                        "ClockedState",   "InitialUnknown",
                                        "EventIndicator", NULL};
    const xml_node          *structure = xml_node_child(root, "ModelStructure");
    int                      outputs = 0, unknowns = 0, rates = 0;
    only_children(structure, order);
    for (const xml_node *s = structure->first; s; s = s->next) {
        const xml_node *v = variable_at(variables, atoi(need_attribute(s, "valueReference")));
        const int       calculated = !xml_node_get(v, "start");
        if (!strcmp(s->tag, "Output")) assert_string_equal(xml_node_get(v, "causality"), "output");
        if (!strcmp(s->tag, "InitialUnknown")) assert_true(calculated);
        if (!strcmp(s->tag, "ContinuousStateDerivative")) {
            const xml_node *of = variable_at(variables, atoi(need_attribute(v, "derivative")));
            assert_string_equal(xml_node_get(of, "initial"), "exact");
        }
    }
    for (const xml_node *v = variables->first; v; v = v->next) {
        const int output = !strcmp(xml_node_get(v, "causality"), "output");
        outputs += output;
        rates += xml_node_get(v, "derivative") != NULL;
        unknowns += (output || xml_node_get(v, "derivative")) && !xml_node_get(v, "start");
    }
    assert_int_equal(count_children(structure, "Output"), outputs);
    assert_int_equal(count_children(structure, "InitialUnknown"), unknowns);
    assert_int_equal(count_children(structure, "ContinuousStateDerivative"), rates);
    assert_int_equal(rates > 0, exchange);
}

static void check_3(const importer *m)
{
    static const char *const order[] = {"ModelExchange",
                                        "CoSimulation",
                                        "ScheduledExecution",
                                        "UnitDefinitions",
                                        "TypeDefinitions",
                                        "LogCategories",
                                        "DefaultExperiment",
                                        "ModelVariables",
                                        "ModelStructure",
                                        "Annotations",
                                        NULL};
    static const char *const of_root[] = {"fmiVersion",
                                          "modelName",
                                          "instantiationToken",
                                          "description",
                                          "author",
                                          "version",
                                          "copyright",
                                          "license",
                                          "generationTool",
                                          "generationDateAndTime",
                                          "variableNamingConvention",
                                          NULL};
    static const char *const of_interface[] = {"modelIdentifier",
                                               "needsExecutionTool",
                                               "canBeInstantiatedOnlyOncePerProcess",
                                               "canGetAndSetFMUState",
                                               "canSerializeFMUState",
                                               "providesDirectionalDerivatives",
                                               "providesAdjointDerivatives",
                                               "providesPerElementDependencies",
                                               "needsCompletedIntegratorStep",
                                               "providesEvaluateDiscreteStates",
                                               "canHandleVariableCommunicationStepSize",
                                               NULL};
    static const char *const of_variable[] = {"name",        "valueReference", "causality",
                                              "variability", "initial",        "unit",
                                              "start",       "derivative",     NULL};
    const xml_node *root = m->tree.root, *variables = xml_node_child(root, "ModelVariables");
    assert_string_equal(root->tag, "fmiModelDescription");
    assert_string_equal(need_attribute(root, "fmiVersion"), "3.0");
    need_attribute(root, "modelName");
    need_attribute(root, "instantiationToken");
    only_attributes(root, of_root);
    only_children(root, order);
    const xml_node *exchange = xml_node_child(root, "ModelExchange");
    if (exchange) only_attributes(exchange, of_interface);
    only_attributes(xml_node_child(root, "CoSimulation"), of_interface);
    check_unique(variables);
    for (const xml_node *v = variables->first; v; v = v->next) {
        assert_string_equal(v->tag, "Float64");
        only_attributes(v, of_variable);
        check_roles(v, xml_node_get(v, "start"));
        if (xml_node_get(v, "unit")) check_unit_of(root, xml_node_get(v, "unit"));
    }
    check_structure_3(root, variables, exchange != NULL);
}

// ---- FMI 2.0 ----

static void check_2(const importer *m)
{
    static const char *const order[] = {"ModelExchange",     "CoSimulation",
                                        "UnitDefinitions",   "TypeDefinitions",
                                        "LogCategories",     "DefaultExperiment",
                                        "VendorAnnotations", "ModelVariables",
                                        "ModelStructure",    NULL};
    static const char *const lists[] = {"Outputs", "Derivatives", "InitialUnknowns", NULL};
    static const char *const of_interface[] = {"modelIdentifier",
                                               "needsExecutionTool",
                                               "completedIntegratorStepNotNeeded",
                                               "canBeInstantiatedOnlyOncePerProcess",
                                               "canNotUseMemoryManagementFunctions",
                                               "canGetAndSetFMUstate",
                                               "canSerializeFMUstate",
                                               "providesDirectionalDerivative",
                                               "canHandleVariableCommunicationStepSize",
                                               NULL};
    const xml_node *root = m->tree.root, *variables = xml_node_child(root, "ModelVariables"),
                   *structure = xml_node_child(root, "ModelStructure");
    assert_string_equal(need_attribute(root, "fmiVersion"), "2.0");
    need_attribute(root, "guid");
    only_children(root, order);
    only_children(structure, lists);
    only_attributes(xml_node_child(root, "CoSimulation"), of_interface);
    if (xml_node_child(root, "ModelExchange"))
        only_attributes(xml_node_child(root, "ModelExchange"), of_interface);
    check_unique(variables);
    int outputs = 0;
    for (const xml_node *v = variables->first; v; v = v->next) {
        const xml_node *type = xml_node_child(v, "Real");
        assert_string_equal(v->tag, "ScalarVariable");
        check_roles(v, xml_node_get(type, "start"));
        outputs += !strcmp(xml_node_get(v, "causality"), "output");
        const char *of = xml_node_get(type, "derivative");
        if (of)
            assert_string_equal(xml_node_get(variable_at(variables, atoi(of) - 1), "initial"),
                                "exact");
    }
    assert_int_equal(count_children(xml_node_child(structure, "Outputs"), "Unknown"), outputs);
    for (const xml_node *list = structure->first; list; list = list->next)
        for (const xml_node *u = list->first; u; u = u->next) // places from 1 on
            variable_at(variables, atoi(need_attribute(u, "index")) - 1);
}

// ---- files ----

static const char *const SCENARIOS[] = {
    ARNE_ROBOTS_DIR "/../examples/quadruped_push/scenario.yaml",
    ARNE_ROBOTS_DIR "/../examples/space_robot/scenario.yaml",
    ARNE_ROBOTS_DIR "/../examples/gough_stewart/scenario.yaml",
    ARNE_ROBOTS_DIR "/../examples/quadrotor/scenario.yaml",
    ARNE_ROBOTS_DIR "/../examples/mixed_elastic_arm/scenario.yaml",
};

static void test_descriptions(void **unused)
{
    (void)unused;
    for (int version = 2; version <= 3; version++) {
        for (size_t i = 0; i < sizeof SCENARIOS / sizeof *SCENARIOS; i++) {
            importer *m = importer_of_scenario(SCENARIOS[i], NULL, version);
            (version == 2 ? check_2 : check_3)(m);
            importer_free(m);
        }
        EACH_ROBOT_OF (robot, work, 2) {
            (void)work;
            if (arne_robot_base(robot) == ARNE_BASE_PRESCRIBED) continue;
            importer *m = importer_of_robot(robot, version);
            (version == 2 ? check_2 : check_3)(m);
            importer_free(m);
        }
    }
}

// Everything that the scenario names is in the archive, and nothing else.
static void test_layout(void **unused)
{
    (void)unused;
    importer *m = importer_of_scenario(SCENARIOS[0], NULL, 3);
    char      binary[160];
#ifdef __aarch64__
    snprintf(binary, sizeof binary, "binaries/aarch64-linux/%s.so", m->identifier);
#else
    snprintf(binary, sizeof binary, "binaries/x86_64-linux/%s.so", m->identifier);
#endif
    assert_int_equal(m->file_count, 5);
    assert_string_equal(m->files[0], "modelDescription.xml");
    assert_string_equal(m->files[1], "resources/scenario.yaml");
    assert_string_equal(m->files[2], "resources/robot.yaml");
    assert_string_equal(m->files[3], "resources/table1.csv");
    assert_string_equal(m->files[4], binary);
    importer_free(m);
}

// Names with marks of XML and of C, other letters, and names that are alike.
static void test_names(void **unused)
{
    (void)unused;
    static const char text[] =
        "name: \"a <b> & 'c' \\\"d\\\"\"\nbodies:\n  - {name: world}\n"
        "  - {name: \"größe <1>\", mass: 1, inertia: [1, 1, 1]}\n"
        "  - {name: \"x.mass\", mass: 2, inertia: [1, 1, 1]}\n"
        "  - {name: x, mass: 3, inertia: [1, 1, 1]}\n"
        "joints:\n"
        "  - {name: \"hip & knee\", kind: revolute, parent: world, child: \"größe <1>\"}\n"
        "  - {name: \"\\\"two\\\"\", kind: ball, parent: \"größe <1>\", child: \"x.mass\"}\n"
        "  - {name: \"time\", kind: revolute, parent: \"x.mass\", child: x}\n";
    arne_builder *builder;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    assert_ok_or(arne_read_yaml(builder, text, strlen(text), "odd.yaml", &error), &error);
    assert_ok_or(arne_builder_finish(builder, NULL, &robot, &error), &error);
    arne_builder_free(builder);
    importer *m = importer_of_robot(robot, 3);
    check_3(m);
    assert_string_equal(xml_node_get(m->tree.root, "modelName"), "a <b> & 'c' \"d\"");
    assert_string_equal(m->identifier, "a__b_____c___d_");
    assert_true(importer_find(m, "q.hip & knee") > 0);
    assert_true(importer_find(m, "q.\"two\".3") > 0);
    assert_true(importer_find(m, "robot.bodies.größe <1>.mass") > 0);
    void *one = importer_begin(m, 1);
    assert_true(importer_get(m, one, "q.\"two\".3") == 1);
    m->call.release(one);
    // A mass by its name, where others look like it.
    one = importer_start(m, 0);
    assert_int_equal(importer_set(m, one, "robot.bodies.größe <1>.mass", 7), FMI_OK);
    assert_int_equal(importer_set(m, one, "robot.bodies.x.mass", 4), FMI_OK);
    assert_int_equal(m->call.enter_initialization(one, 0, 0, 0, 0, 0), FMI_OK);
    if (m->call.exit_initialization(one)) fail_msg("%s", importer_message());
    m->call.release(one);
    importer_free(m);
    arne_robot_free(robot);
}

// ---- FMI 2.0 by its functions ----

typedef struct callbacks {
    void *logger, *allocate, *release, *step_finished, *environment;
} callbacks;

#define TAKE(name, type, ...)                                                                      \
    type (*name)(__VA_ARGS__);                                                                     \
    do {                                                                                           \
        void *found_ = dlsym(m->library, #name);                                                   \
        if (!found_) fail_msg("%s is missing", #name);                                             \
        memcpy(&name, &found_, sizeof found_);                                                     \
    } while (0)

static void test_fmi2(void **unused)
{
    (void)unused;
    static const char text[] = "robot: " ARNE_ROBOTS_DIR "/arm6.yaml\nduration: 5\n"
                               "initial: {qd: {joint1: 2}}\nlimits: stop\n";
    importer         *m = importer_of_scenario("stops", text, 2);
    const callbacks   none = {0};
    char              uri[160];
    TAKE(fmi2GetVersion, const char *, void);
    TAKE(fmi2GetTypesPlatform, const char *, void);
    TAKE(fmi2Instantiate, void *, const char *, int, const char *, const char *, const callbacks *,
         int, int);
    TAKE(fmi2FreeInstance, void, void *);
    TAKE(fmi2SetupExperiment, int, void *, int, double, double, int, double);
    TAKE(fmi2EnterInitializationMode, int, void *);
    TAKE(fmi2ExitInitializationMode, int, void *);
    TAKE(fmi2GetReal, int, void *, const unsigned *, size_t, double *);
    TAKE(fmi2DoStep, int, void *, double, double, int);
    TAKE(fmi2GetBooleanStatus, int, void *, int, int *);
    TAKE(fmi2GetRealStatus, int, void *, int, double *);
    TAKE(fmi2GetDerivatives, int, void *, double *, size_t);
    TAKE(fmi2NewDiscreteStates, int, void *, void *);
    assert_string_equal(fmi2GetVersion(), "2.0");
    assert_string_equal(fmi2GetTypesPlatform(), "default");
    snprintf(uri, sizeof uri, "file://%s/resources", m->folder);
    assert_null(fmi2Instantiate("one", 1, "{other}", uri, &none, 0, 0));
    void    *one = fmi2Instantiate("one", 1, m->token, uri, &none, 0, 0);
    unsigned q = (unsigned)importer_find(m, "q.joint1");
    double   value = 0, last = 0, rates[12];
    int      terminated = 0;
    assert_non_null(one);
    assert_int_equal(fmi2EnterInitializationMode(one), FMI_ERROR); // the experiment comes first
    assert_int_equal(fmi2SetupExperiment(one, 0, 0, 10, 0, 0), FMI_OK);
    assert_int_equal(fmi2EnterInitializationMode(one), FMI_OK);
    assert_int_equal(fmi2ExitInitializationMode(one), FMI_OK);
    assert_int_equal(fmi2DoStep(one, 10, 0.1, 1), FMI_OK);
    assert_int_equal(fmi2GetReal(one, &q, 1, &value), FMI_OK);
    assert_true(value > 0.1);
    // A limit ends the run within a step.
    assert_int_equal(fmi2DoStep(one, 10.1, 5, 1), FMI_DISCARD);
    assert_int_equal(fmi2GetBooleanStatus(one, 3, &terminated), FMI_OK);
    assert_int_equal(fmi2GetRealStatus(one, 2, &last), FMI_OK);
    assert_true(terminated && last > 10.1 && last < 15);
    fmi2FreeInstance(one);
    one = fmi2Instantiate("two", 0, m->token, uri, &none, 0, 0);
    struct {
        int    flags[5];
        double next;
    } info;
    assert_int_equal(fmi2SetupExperiment(one, 0, 0, 0, 0, 0), FMI_OK);
    assert_int_equal(fmi2EnterInitializationMode(one), FMI_OK);
    assert_int_equal(fmi2ExitInitializationMode(one), FMI_OK);
    assert_int_equal(fmi2NewDiscreteStates(one, &info), FMI_OK);
    assert_false(info.flags[0] || info.flags[1] || info.flags[4]);
    assert_int_equal(fmi2GetDerivatives(one, rates, 12), FMI_OK);
    assert_true(rates[0] == 2);
    fmi2FreeInstance(one);
    importer_free(m);
}

// ---- what is refused ----

static void test_refused(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("arm6", NULL);
    arne_error       error = {0};
    arne_fmu_options how = {.version = 1};
    assert_int_equal(arne_fmu_write_robot(robot, "/tmp/x.fmu", &how, &error), ARNE_VALUE);
    how = (arne_fmu_options){.name = "1 2"};
    assert_int_equal(arne_fmu_write_robot(robot, "/tmp/x.fmu", &how, &error), ARNE_VALUE);
    assert_int_equal(arne_fmu_write_robot(robot, "/nowhere/x.fmu", NULL, &error), ARNE_FILE);
    assert_int_equal(arne_fmu_write_robot(NULL, "/tmp/x.fmu", NULL, &error), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_fmu_write(NULL, "/tmp/x.fmu", NULL, &error), ARNE_NULL_ARGUMENT);
    arne_robot_free(robot);
    // A controller whose problem names files of its own.
    arne_scenario *scenario = NULL;
    assert_ok_or(arne_scenario_read(ARNE_ROBOTS_DIR "/../examples/mpc_arm/scenario.yaml", NULL,
                                    &scenario, &error),
                 &error);
    assert_int_equal(arne_fmu_write(scenario, "/tmp/x.fmu", NULL, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "mpc"));
    arne_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptions), cmocka_unit_test(test_layout),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_fmi2),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

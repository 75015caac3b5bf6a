// modelDescription.xml, by FMI 3.0 (section 2.4) or FMI 2.0 (section 2.2). Dependencies are not
// listed, which says that everything may depend on everything.
#include "export/fmu_model.h"

#include <arne/version.h>
#include <string.h>

// Texts in attributes. What XML cannot hold although a name can (U+FFFE and U+FFFF) is written out.
static void put_xml(buffer *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (strncmp(c, "\xef\xbf\xbe", 3) == 0 || strncmp(c, "\xef\xbf\xbf", 3) == 0) {
            put(out, "\\uFFF%c", c[2] == '\xbe' ? 'E' : 'F');
            c += 2;
        } else if (*c == '&')
            put(out, "&amp;");
        else if (*c == '<')
            put(out, "&lt;");
        else if (*c == '>')
            put(out, "&gt;");
        else if (*c == '"')
            put(out, "&quot;");
        else
            put_bytes(out, c, 1);
    }
}

static void put_attribute(buffer *out, const char *name, const char *text)
{
    put(out, " %s=\"", name);
    put_xml(out, text);
    put(out, "\"");
}

static void put_value(buffer *out, const char *name, double value)
{
    put(out, " %s=\"", name);
    put_shortest(out, value);
    put(out, "\"");
}

// ---- units ----

// Exponents of the SI base units in what the columns of results are measured in.
static const struct unit_row {
    const char *name;
    int         kg, m, s, rad;
} UNITS[] = {
    {"s", 0, 0, 1, 0},    {"rad", 0, 0, 0, 1},      {"m", 0, 1, 0, 0},      {"rad/s", 0, 0, -1, 1},
    {"m/s", 0, 1, -1, 0}, {"rad/s^2", 0, 0, -2, 1}, {"m/s^2", 0, 1, -2, 0}, {"N", 1, 1, -2, 0},
    {"N m", 1, 2, -2, 0}, {"N/s", 1, 1, -3, 0},     {"N m/s", 1, 2, -3, 0}, {"J", 1, 2, -2, 0},
    {"N s", 1, 1, -1, 0}, {"N m s", 1, 2, -1, 0},
};

static int unit_first_use(const fmu_model *m, int variable)
{
    for (int i = 0; i < variable; i++)
        if (strcmp(m->variables[i].unit, m->variables[variable].unit) == 0) return 0;
    return m->variables[variable].unit[0] != 0;
}

static void put_exponent(buffer *out, const char *unit, int exponent)
{
    if (exponent) put(out, " %s=\"%d\"", unit, exponent);
}

static void put_units(const fmu_model *m, buffer *out)
{
    put(out, "  <UnitDefinitions>\n");
    for (int i = 0; i < m->count; i++) {
        if (!unit_first_use(m, i)) continue;
        put(out, "    <Unit");
        put_attribute(out, "name", m->variables[i].unit);
        size_t k = 0;
        while (k < sizeof UNITS / sizeof *UNITS && strcmp(UNITS[k].name, m->variables[i].unit) != 0)
            k++;
        if (k < sizeof UNITS / sizeof *UNITS) {
            put(out, "><BaseUnit");
            put_exponent(out, "kg", UNITS[k].kg);
            put_exponent(out, "m", UNITS[k].m);
            put_exponent(out, "s", UNITS[k].s);
            put_exponent(out, "rad", UNITS[k].rad);
            put(out, "/></Unit>\n");
        } else {
            put(out, "/>\n");
        }
    }
    put(out, "  </UnitDefinitions>\n");
}

// ---- variables ----

static const struct {
    const char *causality, *variability;
} ROLES[] = {[FMU_TIME] = {"independent", "continuous"}, [FMU_PARAMETER] = {"parameter", "fixed"},
             [FMU_INPUT] = {"input", "continuous"},      [FMU_OUTPUT] = {"output", "continuous"},
             [FMU_RATE] = {"local", "continuous"},       [FMU_INDICATOR] = {"local", "continuous"}};

// Whether there is a number to start from: of states it may be set before initialisation.
static int has_start(const fmu_variable *v)
{
    return v->role == FMU_PARAMETER || v->role == FMU_INPUT || v->state >= 0;
}

static void put_roles(const fmu_variable *v, buffer *out)
{
    put(out, " causality=\"%s\" variability=\"%s\"", ROLES[v->role].causality,
        ROLES[v->role].variability);
    if (v->state >= 0) put(out, " initial=\"exact\"");
}

static void put_variable_3(const fmu_model *m, int i, buffer *out)
{
    const fmu_variable *v = &m->variables[i];
    put(out, "    <Float64");
    put_attribute(out, "name", v->name);
    put(out, " valueReference=\"%d\"", i);
    put_roles(v, out);
    if (v->unit[0]) put_attribute(out, "unit", v->unit);
    if (has_start(v)) put_value(out, "start", v->start);
    if (v->role == FMU_RATE) put(out, " derivative=\"%d\"", m->first[FMU_OUTPUT] + v->index);
    put(out, "/>\n");
}

// Here variables are referred to by their number in the list, from 1.
static void put_variable_2(const fmu_model *m, int i, buffer *out)
{
    const fmu_variable *v = &m->variables[i];
    put(out, "    <ScalarVariable");
    put_attribute(out, "name", v->name);
    put(out, " valueReference=\"%d\"", i);
    put_roles(v, out);
    put(out, "><Real");
    if (v->unit[0]) put_attribute(out, "unit", v->unit);
    if (has_start(v)) put_value(out, "start", v->start);
    if (v->role == FMU_RATE) put(out, " derivative=\"%d\"", m->first[FMU_OUTPUT] + v->index + 1);
    put(out, "/></ScalarVariable>\n");
}

// FMI 2.0 has no variables for indicators.
static int variable_end(const fmu_model *m, int version)
{
    return version == 2 ? m->first[FMU_INDICATOR] : m->count;
}

// ---- structure ----

static void put_structure_3(const fmu_model *m, buffer *out)
{
    put(out, "  <ModelStructure>\n");
    for (int i = m->first[FMU_OUTPUT]; i < m->first[FMU_RATE]; i++)
        put(out, "    <Output valueReference=\"%d\"/>\n", i);
    for (int i = m->first[FMU_RATE]; i < m->first[FMU_INDICATOR]; i++)
        put(out, "    <ContinuousStateDerivative valueReference=\"%d\"/>\n", i);
    for (int i = m->first[FMU_OUTPUT]; i < m->first[FMU_INDICATOR]; i++)
        if (m->variables[i].state < 0) put(out, "    <InitialUnknown valueReference=\"%d\"/>\n", i);
    for (int i = m->first[FMU_INDICATOR]; i < m->count; i++)
        put(out, "    <EventIndicator valueReference=\"%d\"/>\n", i);
    put(out, "  </ModelStructure>\n");
}

static void put_unknowns_2(const fmu_model *m, buffer *out, const char *name, int from, int end,
                           int calculated)
{
    int count = 0;
    for (int i = from; i < end; i++)
        count += !calculated || m->variables[i].state < 0;
    if (!count) return;
    put(out, "    <%s>\n", name);
    for (int i = from; i < end; i++)
        if (!calculated || m->variables[i].state < 0)
            put(out, "      <Unknown index=\"%d\"/>\n", i + 1);
    put(out, "    </%s>\n", name);
}

static void put_structure_2(const fmu_model *m, buffer *out)
{
    const int outputs = m->first[FMU_OUTPUT], rates = m->first[FMU_RATE],
              end = m->first[FMU_INDICATOR];
    put(out, "  <ModelStructure>\n");
    put_unknowns_2(m, out, "Outputs", outputs, rates, 0);
    put_unknowns_2(m, out, "Derivatives", rates, end, 0);
    put_unknowns_2(m, out, "InitialUnknowns", outputs, end, 1);
    put(out, "  </ModelStructure>\n");
}

// ---- the file ----

// Names of attributes differ by the standard: State and state, Derivatives and Derivative.
static void put_interfaces(const fmu_model *m, int version, const char *identifier, buffer *out)
{
    const char  s = version == 2 ? 's' : 'S';
    const char *of_2 = version == 2 ? " canNotUseMemoryManagementFunctions=\"true\"" : "";
    if (m->exchange)
        put(out,
            "  <ModelExchange modelIdentifier=\"%s\" canGetAndSetFMU%ctate=\"true\" "
            "canSerializeFMU%ctate=\"true\"%s providesDirectionalDerivative%s=\"%s\"%s/>\n",
            identifier, s, s, of_2, version == 2 ? "" : "s", m->derivatives ? "true" : "false",
            version == 2 ? " completedIntegratorStepNotNeeded=\"true\""
                         : " needsCompletedIntegratorStep=\"false\"");
    put(out,
        "  <CoSimulation modelIdentifier=\"%s\" canHandleVariableCommunicationStepSize=\"true\" "
        "canGetAndSetFMU%ctate=\"true\" canSerializeFMU%ctate=\"true\"%s/>\n",
        identifier, s, s, of_2);
}

static void put_experiment(const fmu_model *m, buffer *out)
{
    const arne_integrator_options *o = &m->spec.integrator;
    const double every = m->spec.record_every > 0 ? m->spec.record_every : m->spec.duration / 200;
    put(out, "  <DefaultExperiment startTime=\"0\"");
    put_value(out, "stopTime", m->spec.duration);
    if (o->method >= ARNE_METHOD_DORMAND_PRINCE && o->relative > 0)
        put_value(out, "tolerance", o->relative);
    put_value(out, "stepSize", every);
    put(out, "/>\n");
}

void fmu_describe(const fmu_model *m, int version, const char *identifier, buffer *out)
{
    const char *title = m->scenario->title;
    put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"",
        version == 2 ? "2.0" : "3.0");
    put_attribute(out, "modelName", *title ? title : arne_robot_name(m->spec.robot));
    put_attribute(out, version == 2 ? "guid" : "instantiationToken", m->token);
    if (*m->scenario->text) put_attribute(out, "description", m->scenario->text);
    put(out, " generationTool=\"Arne %s\" variableNamingConvention=\"flat\"", ARNE_VERSION_STRING);
    if (version == 2) put(out, " numberOfEventIndicators=\"%d\"", fmu_model_many(m, FMU_INDICATOR));
    put(out, ">\n");
    put_interfaces(m, version, identifier, out);
    put_units(m, out);
    put(out, "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n");
    put_experiment(m, out);
    put(out, "  <ModelVariables>\n");
    for (int i = 0; i < variable_end(m, version); i++)
        if (version == 2)
            put_variable_2(m, i, out);
        else
            put_variable_3(m, i, out);
    put(out, "  </ModelVariables>\n");
    if (version == 2)
        put_structure_2(m, out);
    else
        put_structure_3(m, out);
    put(out, "</fmiModelDescription>\n");
}

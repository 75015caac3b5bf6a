#define _GNU_SOURCE
#include "importer.h"

#include <arne/fmi.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- the archive ----

static unsigned number_at(const unsigned char *b, int bytes)
{
    unsigned value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | b[i];
    return value;
}

// The remainder of each byte is worked out bit by bit, so that nothing is shared with the writer.
static unsigned crc_of(const unsigned char *bytes, size_t size)
{
    unsigned remainder[256], sum = 0xffffffffu;
    for (unsigned byte = 0; byte < 256; byte++) {
        remainder[byte] = byte;
        for (int k = 0; k < 8; k++)
            remainder[byte] = remainder[byte] >> 1 ^ (remainder[byte] & 1 ? 0xedb88320u : 0);
    }
    for (size_t i = 0; i < size; i++)
        sum = sum >> 8 ^ remainder[(sum ^ bytes[i]) & 255];
    return ~sum;
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
}

static void unpack_file(importer *m, const char *name, const unsigned char *bytes, size_t size)
{
    char path[320];
    assert_true(m->file_count < 16);
    snprintf(path, sizeof path, "%s/%s", m->folder, name);
    snprintf(m->files[m->file_count++], sizeof m->files[0], "%s", name);
    make_folders(path);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_true(fwrite(bytes, 1, size, out) == size);
    fclose(out);
}

// Goes by the directory at the end, and checks that the headers before the files say the same.
static void unpack(importer *m, const unsigned char *all, size_t size)
{
    assert_true(size > 22);
    const unsigned char *end = all + size - 22;
    assert_int_equal(number_at(end, 4), 0x06054b50);
    const unsigned       count = number_at(end + 10, 2);
    const unsigned char *entry = all + number_at(end + 16, 4);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(number_at(entry, 4), 0x02014b50);
        assert_int_equal(number_at(entry + 10, 2), 0); // stored
        const unsigned       length = number_at(entry + 28, 2), bytes = number_at(entry + 24, 4);
        const unsigned char *local = all + number_at(entry + 42, 4);
        char                 name[160];
        snprintf(name, sizeof name, "%.*s", (int)length, (const char *)entry + 46);
        assert_int_equal(number_at(local, 4), 0x04034b50);
        assert_memory_equal(local + 4, entry + 6, 26); // version to length of the name
        assert_memory_equal(local + 30, name, length);
        const unsigned char *data = local + 30 + length + number_at(local + 28, 2);
        assert_int_equal(number_at(entry + 16, 4), crc_of(data, bytes));
        if (i == 0) assert_string_equal(name, "modelDescription.xml");
        unpack_file(m, name, data, bytes);
        entry += 46 + length + number_at(entry + 30, 2) + number_at(entry + 32, 2);
    }
    assert_true(entry == end);
}

// ---- the binary ----

static void *symbol(const importer *m, const char *name)
{
    void *found = dlsym(m->library, name);
    if (!found) fail_msg("%s is missing", name);
    return found;
}

static void load_binary(importer *m, const char *platform)
{
    char path[320];
    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", m->folder, platform, m->identifier);
    m->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!m->library) fail_msg("%s", dlerror());
    static const struct {
        const char *name;
        size_t      at;
    } functions[] = {
#define ENTRY(field, name) {"fmi3" name, offsetof(fmi3, field)}
        ENTRY(co_simulation, "InstantiateCoSimulation"),
        ENTRY(model_exchange, "InstantiateModelExchange"),
        ENTRY(release, "FreeInstance"),
        ENTRY(enter_initialization, "EnterInitializationMode"),
        ENTRY(exit_initialization, "ExitInitializationMode"),
        ENTRY(terminate, "Terminate"),
        ENTRY(reset, "Reset"),
        ENTRY(get, "GetFloat64"),
        ENTRY(set, "SetFloat64"),
        ENTRY(get_state, "GetFMUState"),
        ENTRY(set_state, "SetFMUState"),
        ENTRY(free_state, "FreeFMUState"),
        ENTRY(state_size, "SerializedFMUStateSize"),
        ENTRY(serialize, "SerializeFMUState"),
        ENTRY(deserialize, "DeserializeFMUState"),
        ENTRY(directional, "GetDirectionalDerivative"),
        ENTRY(enter_event, "EnterEventMode"),
        ENTRY(update, "UpdateDiscreteStates"),
        ENTRY(enter_continuous, "EnterContinuousTimeMode"),
        ENTRY(completed_step, "CompletedIntegratorStep"),
        ENTRY(set_time, "SetTime"),
        ENTRY(set_states, "SetContinuousStates"),
        ENTRY(get_states, "GetContinuousStates"),
        ENTRY(rates, "GetContinuousStateDerivatives"),
        ENTRY(indicators, "GetEventIndicators"),
        ENTRY(nominals, "GetNominalsOfContinuousStates"),
        ENTRY(indicator_count, "GetNumberOfEventIndicators"),
        ENTRY(state_count, "GetNumberOfContinuousStates"),
        ENTRY(step, "DoStep"),
        ENTRY(version, "GetVersion"),
#undef ENTRY
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = symbol(m, functions[i].name);
        memcpy((char *)&m->call + functions[i].at, &found, sizeof found);
    }
}

// ---- an FMU ----

static void read_description(importer *m, const char *text, size_t size, int version)
{
    arne_error error = {0};
    reader     r = {.file = "modelDescription.xml", .error = &error};
    assert_ok_or(xml_tree_parse(&r, text, size, &m->tree), &error);
    const xml_node *root = m->tree.root;
    snprintf(m->token, sizeof m->token, "%s",
             xml_node_get(root, version == 2 ? "guid" : "instantiationToken"));
    snprintf(m->identifier, sizeof m->identifier, "%s",
             xml_node_get(xml_node_child(root, "CoSimulation"), "modelIdentifier"));
    snprintf(m->resources, sizeof m->resources, "%s/resources/", m->folder);
}

static void read_archive(importer *m, const char *path, int version)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    const size_t   size = (size_t)ftell(in);
    unsigned char *all = malloc(size + 1);
    rewind(in);
    assert_true(fread(all, 1, size, in) == size);
    fclose(in);
    unpack(m, all, size);
    // The first file's bytes lie behind its header.
    const unsigned length = number_at(all + 26, 2), bytes = number_at(all + 22, 4);
    read_description(m, (const char *)all + 30 + length, bytes, version);
    free(all);
#ifdef __aarch64__
    load_binary(m, "aarch64-linux");
#else
    load_binary(m, version == 2 ? "linux64" : "x86_64-linux");
#endif
}

static importer *importer_new(char path[96])
{
    importer *m = calloc(1, sizeof *m);
    snprintf(m->folder, sizeof m->folder, "/tmp/arne_fmu_XXXXXX");
    assert_non_null(mkdtemp(m->folder));
    snprintf(path, 96, "%s/packed.fmu", m->folder);
    return m;
}

importer *importer_of_scenario(const char *name, const char *text, int version)
{
    char                   path[96];
    arne_scenario         *scenario = NULL;
    arne_error             error = {0};
    const arne_fmu_options how = {.version = version};
    importer              *m = importer_new(path);
    assert_ok_or(text ? arne_scenario_read_yaml(text, strlen(text), name, NULL, &scenario, &error)
                      : arne_scenario_read(name, NULL, &scenario, &error),
                 &error);
    assert_ok_or(arne_fmu_write(scenario, path, &how, &error), &error);
    arne_scenario_free(scenario);
    read_archive(m, path, version);
    return m;
}

importer *importer_of_robot(const arne_robot *robot, int version)
{
    char                   path[96];
    arne_error             error = {0};
    const arne_fmu_options how = {.version = version};
    importer              *m = importer_new(path);
    assert_ok_or(arne_fmu_write_robot(robot, path, &how, &error), &error);
    read_archive(m, path, version);
    return m;
}

void importer_free(importer *m)
{
    char command[128];
    dlclose(m->library);
    xml_tree_free(&m->tree);
    snprintf(command, sizeof command, "rm -r %s", m->folder);
    assert_int_equal(system(command), 0);
    free(m);
}

// ---- instances ----

static char said[600];

const char *importer_message(void) { return said; }

static void listen(void *environment, int status, const char *category, const char *message)
{
    (void)environment;
    assert_int_equal(status, FMI_ERROR);
    assert_string_equal(category, "logStatusError");
    snprintf(said, sizeof said, "%s", message);
}

void *importer_start(const importer *m, int exchange)
{
    void (*log)(void *, int, const char *, const char *) = listen;
    void *pointer;
    memcpy(&pointer, &log, sizeof pointer);
    said[0] = 0;
    void *instance =
        exchange ? m->call.model_exchange("one", m->token, m->resources, 0, 1, NULL, pointer)
                 : m->call.co_simulation("one", m->token, m->resources, 0, 1, 0, 0, NULL, 0, NULL,
                                         pointer, NULL);
    return instance;
}

void *importer_begin(const importer *m, int exchange)
{
    void *instance = importer_start(m, exchange);
    if (!instance) fail_msg("%s", said);
    if (m->call.enter_initialization(instance, 0, 0, 0, 0, 0) ||
        m->call.exit_initialization(instance))
        fail_msg("%s", said);
    return instance;
}

// ---- variables ----

static const xml_node *variables(const importer *m)
{
    return xml_node_child(m->tree.root, "ModelVariables")->first;
}

int importer_find(const importer *m, const char *name)
{
    for (const xml_node *v = variables(m); v; v = v->next)
        if (!strcmp(xml_node_get(v, "name"), name)) return atoi(xml_node_get(v, "valueReference"));
    return -1;
}

int importer_next(const importer *m, const char *causality, int after)
{
    for (const xml_node *v = variables(m); v; v = v->next) {
        const int reference = atoi(xml_node_get(v, "valueReference"));
        if (reference > after && !strcmp(xml_node_get(v, "causality"), causality)) return reference;
    }
    return -1;
}

double importer_get(const importer *m, void *instance, const char *name)
{
    const int      found = importer_find(m, name);
    const uint32_t reference = (uint32_t)found;
    double         value = NAN;
    if (found < 0) fail_msg("there is no %s", name);
    if (m->call.get(instance, &reference, 1, &value, 1)) fail_msg("%s", said);
    return value;
}

int importer_set(const importer *m, void *instance, const char *name, double value)
{
    const int      found = importer_find(m, name);
    const uint32_t reference = (uint32_t)found;
    if (found < 0) fail_msg("there is no %s", name);
    return m->call.set(instance, &reference, 1, &value, 1);
}

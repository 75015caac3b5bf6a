// An FMU is a zip archive: modelDescription.xml, resources/ with the scenario and its files, and
// binaries/PLATFORM/NAME.so. The binary is the same for all FMUs (src/modules/fmi): it reads the
// scenario from resources/ when it is instantiated, so no compiler is needed to make one.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): dladdr
#include <arne/fmi.h>

#include "base/module.h"
#include "base/options.h"
#include "base/plain.h"
#include "codegen/names.h"
#include "export/fmu_model.h"
#include "export/zip.h"
#include "io/whole_file.h"
#include "simulate/stiff_solver.h"
#include <arne/io.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __x86_64__
#define FMU_PROCESSOR "x86_64"
#elif defined __aarch64__
#define FMU_PROCESSOR "aarch64"
#else
#define FMU_PROCESSOR "unknown"
#endif

enum { FILE_SIZE = 320 };

// FMI 2.0 names platforms by their bits.
static const char *platform(int version)
{
    return version == 2 && !strcmp(FMU_PROCESSOR, "x86_64") ? "linux64" : FMU_PROCESSOR "-linux";
}

// ---- resources ----

// The name of a table in resources/.
static void table_name(const arne_scenario *s, int file, char out[FILE_SIZE])
{
    const char *dot = strrchr(s->files[file].path, '.'), *slash = strrchr(s->files[file].path, '/');
    if (dot && slash && dot < slash) dot = NULL;
    snprintf(out, FILE_SIZE, "table%d%.16s", file, dot ? dot : "");
}

// A copy of the document in which files have the names of their copies.
static arne_status rename_files(const arne_scenario *s, const doc_node *from, doc_node *to,
                                document *memory)
{
    for (int i = 0; i < s->file_count; i++) {
        if (s->files[i].node != from) continue;
        char *name = document_take(memory, FILE_SIZE);
        if (!name) return ARNE_NO_MEMORY;
        if (i == 0)
            strcpy(name, FMU_ROBOT);
        else
            table_name(s, i, name);
        to->text = name;
    }
    arne_status status = ARNE_OK;
    doc_item   *copy = to->first;
    for (const doc_item *i = from->first; i && copy && !status; i = i->next, copy = copy->next)
        status = rename_files(s, i->value, copy->value, memory);
    return status;
}

static arne_status scenario_text(const arne_scenario *s, buffer *out, arne_error *error)
{
    document    copy = {0};
    arne_status status = document_copy(&s->doc, &copy);
    if (!status) status = rename_files(s, s->doc.root, copy.root, &copy);
    if (!status) document_put(out, copy.root);
    document_free(&copy);
    return status || out->failed ? arne_fail_memory(error) : ARNE_OK;
}

// A whole file, also a large one.
static arne_status fmu_load(const char *path, buffer *out, arne_error *error)
{
    char   chunk[16384];
    size_t got;
    FILE  *in = fopen(path, "rb");
    while (in && (got = fread(chunk, 1, sizeof chunk, in)) > 0)
        put_bytes(out, chunk, got);
    const int bad = !in || ferror(in);
    const int why = errno;
    if (in) fclose(in);
    if (bad) return arne_fail(error, ARNE_FILE, path, 0, "cannot be read: %s", plain_reason(why));
    return out->failed ? arne_fail_memory(error) : ARNE_OK;
}

static arne_status add_file(zip *z, const char *from, const char *as, int executable,
                            arne_error *error)
{
    buffer            text = {0};
    const arne_status status = fmu_load(from, &text, error);
    if (!status) zip_add(z, as, text.text ? text.text : "", text.size, executable);
    buffer_free(&text);
    return status;
}

static arne_status add_tables(zip *z, const arne_scenario *s, arne_error *error)
{
    arne_status status = ARNE_OK;
    for (int i = 1; i < s->file_count && !status; i++) {
        char name[FILE_SIZE], as[FILE_SIZE + 16];
        table_name(s, i, name);
        snprintf(as, sizeof as, "resources/%s", name);
        status = add_file(z, s->files[i].path, as, 0, error);
    }
    return status;
}

// ---- binaries ----

static arne_status add_binaries(zip *z, const fmu_model *m, int version, const char *identifier,
                                arne_error *error)
{
    static const module_need fmi = {"fmi", "an FMU", "the FMU's binary", "arne", sizeof(fmu_model)};
    char                     path[MODULE_PATH], as[FILE_SIZE];
    arne_status              status = module_find(&fmi, path, error);
    snprintf(as, sizeof as, "binaries/%s/%s.so", platform(version), identifier);
    if (!status) status = add_file(z, path, as, 1, error);
    if (status || m->spec.integrator.method < ARNE_METHOD_CVODE) return status;
    // The binary looks for modules beside itself.
    status = module_find(&stiff_solver_module, path, error);
    snprintf(as, sizeof as, "binaries/%s/libarne_sundials.so", platform(version));
    return status ? status : add_file(z, path, as, 1, error);
}

// ---- the archive ----

static arne_status fmu_save(zip *z, const char *path, arne_error *error)
{
    whole_file file;
    zip_end(z);
    if (z->files.failed) return arne_fail_memory(error);
    if (z->too_large) return arne_fail(error, ARNE_TOO_LARGE, path, 0, "an FMU has at most 2 GiB");
    const arne_status status = arne_whole_file_open(&file, path, error);
    if (status) return status;
    fwrite(z->files.text, 1, z->files.size, file.stream);
    return arne_whole_file_close(&file, error);
}

// modelDescription.xml comes first: then a glance at the file tells who made it.
static arne_status fmu_pack(const fmu_model *m, const arne_fmu_options *how, const buffer *scenario,
                            const buffer *robot, const char *path, arne_error *error)
{
    const int            version = how->version ? how->version : 3;
    const arne_scenario *s = m->scenario;
    zip                  z = {0};
    buffer               description = {0};
    char                 identifier[ARNE_FMU_NAME];
    make_prefix(how->name   ? how->name
                : *s->title ? s->title
                            : arne_robot_name(s->robot),
                identifier, sizeof identifier);
    fmu_describe(m, version, identifier, &description);
    arne_status status = description.failed ? arne_fail_memory(error) : ARNE_OK;
    if (!status) {
        zip_add(&z, "modelDescription.xml", description.text, description.size, 0);
        zip_add(&z, "resources/" FMU_SCENARIO, scenario->text, scenario->size, 0);
        zip_add(&z, "resources/" FMU_ROBOT, robot->text, robot->size, 0);
        status = add_tables(&z, s, error);
    }
    if (!status) status = add_binaries(&z, m, version, identifier, error);
    if (!status) status = fmu_save(&z, path, error);
    buffer_free(&description);
    zip_free(&z);
    return status;
}

static arne_status fmu_write(arne_scenario *s, const buffer *robot, const arne_fmu_options *how,
                             const char *path, arne_error *error)
{
    const reader r = {.file = FMU_ROBOT, .error = error};
    document     tree = {0};
    buffer       scenario = {0};
    fmu_model   *m = NULL;
    arne_status  status = document_parse(&r, robot->text, robot->size, &tree);
    if (!status) status = fmu_model_of(s, tree.root, &m, error);
    if (!status) status = scenario_text(s, &scenario, error);
    if (!status) {
        fmu_token(scenario.text, scenario.size, robot->text, robot->size, m->token);
        status = fmu_pack(m, how, &scenario, robot, path, error);
    }
    fmu_model_free(m);
    buffer_free(&scenario);
    document_free(&tree);
    return status;
}

// ---- what is asked for ----

void arne_fmu_name(const char *text, char out[ARNE_FMU_NAME])
{
    make_prefix(text, out, ARNE_FMU_NAME);
}

static arne_status fmu_options(const arne_fmu_options *given, arne_fmu_options *own,
                               arne_error *error)
{
    *own = (arne_fmu_options){0};
    if (given && !options_take(own, sizeof *own, OPTIONS_FIRST(arne_fmu_options), given))
        return options_refuse(error);
    if (own->version != 0 && own->version != 2 && own->version != 3)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "FMI %d is not known: take 2 or 3",
                         own->version);
    if (own->name && !is_prefix(own->name, ARNE_FMU_NAME))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "'%.60s' cannot be the name of an FMU: take a letter, then letters, "
                         "digits and _",
                         own->name);
    return ARNE_OK;
}

// The robot's file with everything that belongs to it.
static arne_status robot_text(const arne_robot *robot, buffer *out, arne_error *error)
{
    char             *text = NULL;
    size_t            size = 0;
    const arne_status status =
        arne_robot_text(robot, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, error);
    if (!status) put_bytes(out, text, size);
    free(text);
    return !status && out->failed ? arne_fail_memory(error) : status;
}

// Files that name others, and what only the robot's own file has, are not in resources/.
static arne_status fmu_check(const arne_scenario *s, arne_error *error)
{
    const doc_node *controller = doc_find(s->doc.root, "controller");
    const doc_node *type = controller ? doc_find(controller, "type") : NULL;
    for (int i = 1; i < s->file_count; i++)
        if (!s->tables[i])
            return arne_fail(error, ARNE_UNSUPPORTED, s->path, s->files[i].line,
                             "an FMU cannot have the problem '%.100s': controllers of type mpc are "
                             "not for FMUs",
                             s->files[i].said);
    if (type && type->kind == DOC_TEXT && !strcmp(type->text, "actuators"))
        return arne_fail(error, ARNE_UNSUPPORTED, s->path, type->line,
                         "an FMU does not have the gains of an MJCF file: write them as "
                         "controller: {type: pd, kp: ..., kd: ...}");
    return ARNE_OK;
}

arne_status arne_fmu_write(const arne_scenario *scenario, const char *path,
                           const arne_fmu_options *options, arne_error *error)
{
    arne_fmu_options own;
    arne_robot      *robot = NULL;
    buffer           text = {0};
    if (!scenario || !path) return arne_fail_null(error);
    arne_status status = fmu_options(options, &own, error);
    if (!status) status = fmu_check(scenario, error);
    if (!status) status = arne_robot_read(scenario->files[0].path, NULL, &robot, error);
    if (!status) status = robot_text(robot, &text, error);
    // Making the model takes the controller for a moment, and changes nothing else.
    if (!status) status = fmu_write((arne_scenario *)(size_t)scenario, &text, &own, path, error);
    buffer_free(&text);
    arne_robot_free(robot);
    return status;
}

// The scenario of a robot alone.
static const char ALONE[] = "robot: " FMU_ROBOT "\nduration: 1\n"
                            "record: {every: 0.001}\n";

arne_status arne_fmu_write_robot(const arne_robot *robot, const char *path,
                                 const arne_fmu_options *options, arne_error *error)
{
    arne_fmu_options own;
    arne_scenario   *scenario = NULL;
    buffer           text = {0};
    document         tree = {0};
    if (!robot || !path) return arne_fail_null(error);
    const reader r = {.file = FMU_ROBOT, .error = error};
    arne_status  status = fmu_options(options, &own, error);
    if (!status) status = robot_text(robot, &text, error);
    if (!status) status = document_parse(&r, text.text, text.size, &tree);
    const doc_given       given = {.robot = &tree};
    const scenario_source source = {
        .path = FMU_SCENARIO, .text = ALONE, .size = sizeof ALONE - 1, .given = &given};
    if (!status) status = scenario_read(&source, NULL, &scenario, error);
    if (!status) status = fmu_write(scenario, &text, &own, path, error);
    arne_scenario_free(scenario);
    document_free(&tree);
    buffer_free(&text);
    return status;
}

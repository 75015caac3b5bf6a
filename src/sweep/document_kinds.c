// The kind of a file, and the schemas of all kinds. Only this file depends on all readers.
#include "identify/settings.h"
#include "io/formats/formats.h"
#include "io/yaml_robot.h"
#include "problem/read_problem.h"
#include "simulate/scenario.h"
#include "sweep/sweep.h"
#include <arne/document.h>
#include <arne/horizon.h>
#include <arne/identify.h>
#include <arne/io.h>
#include <arne/plan.h>
#include <arne/simulate.h>
#include <arne/sweep.h>
#include <stdlib.h>
#include <string.h>

typedef arne_status (*kind_check)(const char *path, const arne_build_options *options,
                                  arne_error *error);

static arne_status document_kinds_check_robot(const char *path, const arne_build_options *options,
                                              arne_error *error)
{
    arne_robot       *robot = NULL;
    const arne_status status = arne_robot_read(path, options, &robot, error);
    arne_robot_free(robot);
    return status;
}

static arne_status check_scenario(const char *path, const arne_build_options *options,
                                  arne_error *error)
{
    arne_scenario    *scenario = NULL;
    const arne_status status = arne_scenario_read(path, options, &scenario, error);
    arne_scenario_free(scenario);
    return status;
}

static arne_status document_kinds_check_problem(const char *path, const arne_build_options *options,
                                                arne_error *error)
{
    arne_plan    *plan = NULL;
    arne_horizon *horizon = NULL;
    arne_status   status = arne_horizon_is(path) ? arne_horizon_read(path, options, &horizon, error)
                                                 : arne_plan_read(path, options, &plan, error);
    arne_plan_free(plan);
    arne_horizon_free(horizon);
    return status;
}

static arne_status check_identification(const char *path, const arne_build_options *options,
                                        arne_error *error)
{
    arne_identify_options   tell = {0};
    arne_identify_settings *settings = NULL;
    if (options) tell.fail = options->fail;
    if (options) tell.fail_context = options->fail_context;
    const arne_status status = arne_identify_settings_read(path, NULL, &tell, &settings, error);
    arne_identify_settings_free(settings);
    return status;
}

static arne_status check_sweep(const char *path, const arne_build_options *options,
                               arne_error *error)
{
    arne_sweep       *sweep = NULL;
    const arne_status status = arne_sweep_read(path, options, &sweep, error);
    arne_sweep_free(sweep);
    return status;
}

static const struct {
    const char       *name;
    const doc_schema *schema;
    kind_check        check;
} kinds[ARNE_DOCUMENT_COUNT] = {
    [ARNE_DOCUMENT_ROBOT] = {"robot", &arne_yaml_robot_schema, document_kinds_check_robot},
    [ARNE_DOCUMENT_SCENARIO] = {"scenario", &scenario_schema, check_scenario},
    [ARNE_DOCUMENT_PROBLEM] = {"problem", &problem_schema, document_kinds_check_problem},
    [ARNE_DOCUMENT_IDENTIFICATION] = {"identification", &identify_settings_schema,
                                      check_identification},
    [ARNE_DOCUMENT_SWEEP] = {"sweep", &sweep_schema, check_sweep},
};

static int document_kinds_is_kind(arne_document kind)
{
    return (int)kind >= 0 && kind < ARNE_DOCUMENT_COUNT;
}

const char *arne_document_name(arne_document kind)
{
    return document_kinds_is_kind(kind) ? kinds[kind].name : NULL;
}

static int known_keys(const doc_node *root, const doc_schema *schema)
{
    int count = 0;
    for (const doc_key *k = schema->keys; k->key; k++)
        count += doc_find(root, k->key) != NULL;
    return count;
}

// The kind whose schema matches most keys wins; on a tie the first, unless the file has `robot:`.
static arne_document document_kinds_kind_of(const doc_node *root)
{
    int best = doc_find(root, "robot") ? ARNE_DOCUMENT_SCENARIO : ARNE_DOCUMENT_ROBOT;
    for (int i = best + 1; i < ARNE_DOCUMENT_COUNT; i++)
        if (known_keys(root, kinds[i].schema) > known_keys(root, kinds[best].schema)) best = i;
    return (arne_document)best;
}

// The kind of a file, and whether it may be of the wanted one as well.
static arne_status look(const char *path, arne_document *out, arne_document wanted, int *fits,
                        arne_error *error)
{
    char    *text = NULL;
    size_t   size = 0;
    document doc = {0};
    if (!path || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_error   own;
    findings     found = {0};
    const reader r = {.file = path, .error = &own, .found = &found};
    arne_error_clear(error);
    *out = ARNE_DOCUMENT_ROBOT;
    *fits = wanted == ARNE_DOCUMENT_ROBOT;
    arne_status status = arne_reader_load(&r, &text, &size);
    if (!status && robot_format_of(path, text, size)->is_tree) {
        status = document_parse(&r, text, size, &doc);
        *fits = 1; // the reader of the kind reports what is not a mapping
        if (doc.root && doc.root->kind == DOC_MAP) {
            *out = document_kinds_kind_of(doc.root);
            *fits = known_keys(doc.root, kinds[wanted].schema) >=
                    known_keys(doc.root, kinds[*out].schema);
        }
        if (status == ARNE_VALUE) status = ARNE_OK; // the reader of the kind reports it
    }
    document_free(&doc);
    free(text);
    status = arne_reader_end(&r, status, error);
    findings_free(&found);
    return status;
}

arne_status arne_document_kind(const char *path, arne_document *out, arne_error *error)
{
    int fits;
    return look(path, out, ARNE_DOCUMENT_ROBOT, &fits, error);
}

arne_status arne_document_fits(const char *path, arne_document kind, int *fits, arne_error *error)
{
    arne_document found;
    if (!fits || !document_kinds_is_kind(kind))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    return look(path, &found, kind, fits, error);
}

arne_status arne_document_check(const char *path, arne_document kind,
                                const arne_build_options *options, arne_error *error)
{
    if (!path || !document_kinds_is_kind(kind))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    return kinds[kind].check(path, options, error);
}

size_t arne_document_schema(arne_document kind, char *text, size_t size)
{
    buffer all = {0};
    if (text && size) text[0] = 0;
    if (!document_kinds_is_kind(kind)) return 0;
    doc_schema_put(&all, kinds[kind].schema);
    const size_t length = all.failed ? 0 : all.size;
    const size_t fits = length < size ? length : size ? size - 1 : 0;
    if (text && size && length) {
        memcpy(text, all.text, fits);
        text[fits] = 0;
    }
    buffer_free(&all);
    return length;
}

// arne check FILE...: every rule, with file and line; the exit status says whether all are kept.
#include "check_parts.h"
#include "info.h"
#include "load_scenario.h"
#include "message.h"
#include "output.h"
#include "print_json.h"
#include "print_schema.h"
#include "standard_input.h"
#include "verbs.h"

#include <arne/document.h>
#include <math.h>
#include <string.h>

typedef struct check_args {
    robot_args  robot;
    int         json, schema;
    const char *output;
} check_args;

#define AT(field) offsetof(check_args, field)
static const option options[] = {
    ROBOT_OPTIONS,
    FLAG("--json", json, "the findings as JSON on stdout"),
    CHOICE("--schema", "robot|scenario|problem|identification|sweep", schema,
           "print what such a file may say, as JSON, and check nothing"),
    OPTION_OUTPUT,
    OPTION_END,
};

static const command check = {
    "check",
    "FILE...",
    "Checks robot, scenario, problem, identification and sweep files against every rule. All "
    "warnings and errors "
    "of a\n"
    "file go to stderr with file, line and rule; what is said of several links or joints is said\n"
    "once. Flaws that a file accepts by name are shown as accepted. Exit status 1 where there are\n"
    "errors, with --strict also where there are warnings.",
    0,
    1000,
    options,
    NULL};

// --- for people --------------------------------------------------------------------------------

static const char *cmd_check_plural(int count) { return count == 1 ? "" : "s"; }

// Bodies as the file has them, before any is merged; the joints are those that move.
static void print_ok(const char *path, const arne_robot *robot, int accepted, int warnings,
                     int lines, FILE *out)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    const double     mass = link_mass(robot), moving = arne_total_mass(robot);
    const int        joints = own_joints(robot);
    fprintf(out, "%s: ok (%d bod%s, %d joint%s, %.6g kg", shown_path(path), sizes.link_count,
            sizes.link_count == 1 ? "y" : "ies", joints, cmd_check_plural(joints), mass);
    if (fabs(mass - moving) > 1e-9 * (1 + mass)) fprintf(out, " of which %.6g kg move", moving);
    if (accepted) fprintf(out, ", %d accepted flaw%s", accepted, cmd_check_plural(accepted));
    if (warnings) fprintf(out, ", %d warning%s", warnings, cmd_check_plural(warnings));
    if (lines < warnings) fprintf(out, " in %d line%s", lines, cmd_check_plural(lines));
    fprintf(out, ")\n");
}

static void print_fine(const char *path, arne_document kind, int warnings, FILE *out)
{
    fprintf(out, "%s: ok (%s", shown_path(path), arne_document_name(kind));
    if (warnings) fprintf(out, ", %d warning%s", warnings, cmd_check_plural(warnings));
    fprintf(out, ")\n");
}

// --- for programs ------------------------------------------------------------------------------

static void cmd_check_write_json(json *j, const char *path, arne_document kind, int fine,
                                 const note_list *notes)
{
    json_line(j, 1);
    json_open(j, NULL, '{');
    json_text(j, "file", path);
    json_text(j, "kind", arne_document_name(kind));
    json_boolean(j, "ok", fine);
    json_open(j, "findings", '[');
    for (int i = 0; i < notes->count; i++) {
        const note *n = &notes->item[i];
        json_open(j, NULL, '{');
        json_text(j, "severity", n->error ? "error" : n->accepted ? "accepted" : "warning");
        json_text(j, "rule", n->error ? NULL : n->rule);
        json_text(j, "file", n->file[0] ? n->file : path);
        json_integer(j, "line", n->line);
        json_integer(j, "column", n->column);
        json_text(j, "text", n->text);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

// --- both --------------------------------------------------------------------------------------

// What reading a scenario, problem or other study finds. Shapes that cannot touch matter where
// there is ground: problems name what touches.
static arne_status read_study(const char *path, arne_document kind, note_list *notes,
                              const arne_build_options *how, arne_error *error)
{
    arne_scenario *scenario = NULL;
    const int      is_scenario = kind == ARNE_DOCUMENT_SCENARIO;
    arne_status    status = is_scenario ? arne_scenario_read(path, how, &scenario, error)
                                        : arne_document_check(path, kind, how, error);
    if (!scenario || !has_ground(scenario)) notes_hide(notes, "contact");
    arne_scenario_free(scenario);
    return status;
}

// What reading a file of a kind finds. Of a robot: that its loops can be closed and leave some
// motion, too.
static arne_status read_any(const char *path, arne_document kind, const robot_args *args,
                            note_list *notes, arne_robot **robot, arne_error *error)
{
    arne_build_options how_to = {0};
    notes_listen(notes, &how_to);
    if (kind != ARNE_DOCUMENT_ROBOT) return read_study(path, kind, notes, &how_to, error);
    robot_args how = *args;
    how.strict = 0; // warnings are told apart, and counted below
    arne_status status = read_robot(path, &how, notes, robot, error);
    if (status == ARNE_OK) status = check_robot_parts(path, &how_to);
    if (status != ARNE_OK || !arne_robot_sizes(*robot).loop_count) return status;
    loop_facts found;
    loop_facts_find(*robot, &found);
    *error = found.error;
    return found.status;
}

static int check_one(const char *path, const check_args *args, FILE *out, json *j)
{
    note_list     notes = {0};
    arne_robot   *robot = NULL;
    arne_error    error;
    arne_document kind;
    arne_status   status = arne_document_kind(path, &kind, &error);
    if (status == ARNE_OK || status == ARNE_SYNTAX || status == ARNE_FILE) {
        memset(&error, 0, sizeof error); // reading says it again, with all there is to say
        status = read_any(path, kind, &args->robot, &notes, &robot, &error);
    }
    if (status != ARNE_OK && !notes.errors) { // the call's own
        arne_build_options how_to;
        notes_listen(&notes, &how_to);
        if (!error.code) error.code = status;
        how_to.fail(how_to.fail_context, &error);
    }

    int accepted = 0, warnings = 0, lines = 0;
    for (int i = 0; i < notes.count; i++) {
        accepted += notes.item[i].accepted != 0;
        warnings += !notes.item[i].accepted && !notes.item[i].error;
    }
    const int fine = status == ARNE_OK && !(args->robot.strict && warnings);
    notes_group(&notes);
    for (int i = 0; i < notes.count; i++)
        lines += !notes.item[i].accepted && !notes.item[i].error;
    notes_say(&notes, path,
              NOTES_ACCEPTED | (args->robot.quiet ? NOTES_QUIET : 0) |
                  (args->robot.strict ? NOTES_STRICT : 0));
    if (args->json)
        cmd_check_write_json(j, path, kind, fine, &notes);
    else if (fine && robot)
        print_ok(path, robot, accepted, warnings, lines, out);
    else if (fine)
        print_fine(path, kind, warnings, out);
    arne_robot_free(robot);
    notes_free(&notes);
    return fine ? EXIT_FINE : EXIT_DATA;
}

int cmd_check(int argc, char **argv)
{
    check_args args = {0};
    text_list  operands = {0};
    output     out;
    int        code = options_parse(&check, argc, argv, &args, &operands), verdict = EXIT_FINE;
    if (code != OPTIONS_GO) return code;

    if (!args.schema && !operands.count) {
        options_free(&check, &args, &operands);
        return fail_usage("usage: arne check FILE... [options]");
    }
    code = output_open(&out, args.output);
    if (code == EXIT_FINE && args.schema) {
        write_schema((arne_document)(args.schema - 1), out.stream);
        code = output_deliver(&out);
    } else if (code == EXIT_FINE) {
        json j = json_begin(out.stream);
        if (args.json) json_open(&j, NULL, '[');
        for (int i = 0; i < operands.count; i++)
            if (check_one(operands.text[i], &args, out.stream, &j) != EXIT_FINE)
                verdict = EXIT_DATA;
        if (args.json) fputs("\n]\n", out.stream);
        code = output_deliver(&out);
    }
    options_free(&check, &args, &operands);
    return code != EXIT_FINE ? code : verdict;
}

// arne check ROBOT...: every rule, with file and line; the exit status says whether all are kept.
#include "info.h"
#include "json.h"
#include "message.h"
#include "output.h"
#include "verbs.h"

typedef struct check_args {
    robot_args  robot;
    int         json;
    const char *output;
} check_args;

static const option options[] = {
    ROBOT_OPTIONS(check_args),
    {"--json", NULL, OPTION_FLAG, NULL, "the findings as JSON on stdout",
     offsetof(check_args, json), 0},
    OPTION_OUTPUT(check_args),
    OPTION_END,
};

static const command check = {"check",
                              "ROBOT...",
                              "Checks robot files against every rule. Warnings and errors go to "
                              "stderr with file, line and rule;\n"
                              "flaws that a file accepts by name are shown as accepted. Exit "
                              "status 1 where anything else is found.",
                              1,
                              1000,
                              options,
                              NULL};

// --- for people --------------------------------------------------------------------------------

static const char *plural(int count) { return count == 1 ? "" : "s"; }

// Bodies as the file has them, before any is merged; the joints are those that move.
static void print_ok(const char *path, const arne_robot *robot, int accepted, FILE *out)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    const double     mass = link_mass(robot);
    const int        joints = own_joints(robot);
    fprintf(out, "%s: ok (%d bod%s, %d joint%s, %.6g kg", path, sizes.link_count,
            sizes.link_count == 1 ? "y" : "ies", joints, plural(joints), mass);
    if (accepted) fprintf(out, ", %d accepted flaw%s", accepted, plural(accepted));
    fprintf(out, ")\n");
}

static void say_notes(const char *path, const note_list *notes, const robot_args *args)
{
    for (int i = 0; i < notes->count && !args->quiet; i++) {
        char text[1024];
        note_format(&notes->item[i], path, text, sizeof text);
        say("%s: %s",
            notes->item[i].accepted ? "accepted"
            : args->strict          ? "error"
                                    : "warning",
            text);
    }
}

// --- for programs ------------------------------------------------------------------------------

static void finding(json *j, const char *severity, const char *rule, const char *file, int line,
                    const char *text)
{
    json_open(j, NULL, '{');
    json_text(j, "severity", severity);
    json_text(j, "rule", rule);
    json_text(j, "file", file);
    json_integer(j, "line", line);
    json_text(j, "text", text);
    json_close(j, '}');
}

static void write_json(json *j, const char *path, int fine, const note_list *notes,
                       arne_status status, const arne_error *error)
{
    json_line(j, 1);
    json_open(j, NULL, '{');
    json_text(j, "file", path);
    json_boolean(j, "ok", fine);
    json_open(j, "findings", '[');
    for (int i = 0; i < notes->count; i++) {
        const note *n = &notes->item[i];
        finding(j, n->accepted ? "accepted" : "warning", n->rule, n->file[0] ? n->file : path,
                n->line, n->text);
    }
    if (status != ARNE_OK)
        finding(j, "error", NULL, error->file[0] ? error->file : path, error->line,
                error->text[0] ? error->text : arne_status_text(status));
    json_close(j, ']');
    json_close(j, '}');
}

// --- both --------------------------------------------------------------------------------------

static int check_one(const char *path, const check_args *args, FILE *out, json *j)
{
    robot_args  how = args->robot;
    note_list   notes = {0};
    arne_robot *robot = NULL;
    arne_error  error;
    how.strict = 0; // all the flaws are wanted, not the first alone
    arne_status status = read_robot(path, &how, &notes, &robot, &error);
    if (status == ARNE_OK && arne_robot_sizes(robot).loop_count) {
        loop_facts found; // that the loops can be closed and leave some motion
        loop_facts_find(robot, &found);
        status = found.status;
        error = found.error;
    }

    int accepted = 0;
    for (int i = 0; i < notes.count; i++)
        accepted += notes.item[i].accepted != 0;
    const int fine = status == ARNE_OK && accepted == notes.count;
    say_notes(path, &notes, &args->robot);
    if (status != ARNE_OK) fail_error(path, status, &error);
    if (args->json)
        write_json(j, path, fine, &notes, status, &error);
    else if (fine)
        print_ok(path, robot, accepted, out);
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

    code = output_open(&out, args.output);
    if (code == EXIT_FINE) {
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

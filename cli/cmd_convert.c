// arne convert ROBOT: a robot file as YAML or URDF.
#include "check_parts.h"
#include "load.h"
#include "message.h"
#include "output.h"
#include "verbs.h"

#include <arne/io.h>
#include <stdlib.h>
#include <string.h>

typedef struct convert_args {
    robot_args  robot;
    text_list   payloads;
    int         format; // 1 + arne_format
    const char *output;
} convert_args;

static const option options[] = {
    ROBOT_OPTIONS(convert_args),
    {"--payload", NULL, OPTION_TEXTS, "LINK=m,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]",
     "a load that becomes part of the link; may be repeated", offsetof(convert_args, payloads), 0},
    {"--format", NULL, OPTION_CHOICE, "yaml|urdf",
     "format on stdout (default: yaml); for a file, its ending decides", //
     offsetof(convert_args, format), 0},
    OPTION_OUTPUT(convert_args),
    OPTION_END,
};

static const command convert = {
    "convert",
    "ROBOT",
    "Writes a robot file again, with everything that it extends, as YAML or URDF. YAML reads\n"
    "back to the last bit, sections for plans included. What a URDF cannot say is listed on "
    "stderr.",
    1,
    1,
    options,
    NULL};

static void on_lost(void *context, const arne_warning *warning)
{
    (void)context;
    say("warning: not in the URDF: %s", warning->text);
}

static int to_stdout(const arne_robot *robot, const convert_args *args, arne_status *status,
                     arne_error *error)
{
    char             *text = NULL;
    size_t            size = 0;
    const arne_format format = args->format == 2 ? ARNE_FORMAT_URDF : ARNE_FORMAT_YAML;
    *status = arne_robot_text(robot, format, args->robot.quiet ? NULL : on_lost, NULL, &text, &size,
                              error);
    if (*status == ARNE_OK) fwrite(text, 1, size, stdout); // main looks whether stdout took it
    free(text);
    return *status == ARNE_OK ? EXIT_FINE : EXIT_DATA;
}

static int ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length > size && strcmp(text + length - size, end) == 0;
}

static int is_urdf(const convert_args *args)
{
    return args->output ? ends_with(args->output, ".urdf") || ends_with(args->output, ".xml")
                        : args->format == 2;
}

static void say_parts(const char *path)
{
    static const char *const names[] = {"fatigue", "strength", "walker"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (robot_has_section(path, names[i]))
            say("warning: not in the URDF: the section '%s', which only plans read", names[i]);
}

// Sections that only plans read are no part of a robot in memory: they follow it.
static int write_parts(const char *path, const convert_args *args)
{
    char       *text = NULL;
    size_t      size = 0;
    arne_error  error;
    arne_status status = arne_robot_parts_text(path, &text, &size, &error);
    FILE       *out = status || !size ? NULL : args->output ? fopen(args->output, "a") : stdout;
    int         bad = !status && size && !out;
    if (out) bad = fwrite(text, 1, size, out) != size && args->output;
    if (out && args->output) bad |= fclose(out) != 0;
    free(text);
    if (status) return fail_error(path, status, &error);
    if (bad) return fail_data("%s: cannot be written", args->output);
    return EXIT_FINE;
}

int cmd_convert(int argc, char **argv)
{
    convert_args args = {0};
    text_list    operands = {0};
    arne_robot  *robot = NULL;
    arne_error   error = {0};
    arne_status  status = ARNE_OK;
    int          code = options_parse(&convert, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;
    const char *path = operands.text[0];
    if (args.output && args.format) {
        options_free(&convert, &args, &operands);
        return fail_usage("--format is for stdout; the ending of FILE decides its format");
    }
    code = load_robot(path, &args.robot, NULL, &robot);
    if (code == EXIT_FINE) code = attach_payloads(path, &args.payloads, &robot);
    if (code == EXIT_FINE) {
        if (args.output)
            status = arne_robot_write(robot, args.output, args.robot.quiet ? NULL : on_lost, NULL,
                                      &error);
        else
            code = to_stdout(robot, &args, &status, &error);
        if (status != ARNE_OK) code = fail_error(args.output ? args.output : path, status, &error);
    }
    if (code == EXIT_FINE && !is_urdf(&args)) code = write_parts(path, &args);
    if (code == EXIT_FINE && is_urdf(&args) && !args.robot.quiet) say_parts(path);
    arne_robot_free(robot);
    options_free(&convert, &args, &operands);
    return code;
}

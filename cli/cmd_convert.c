// arne convert ROBOT: a robot file as YAML, URDF or MJCF.
#include "check_parts.h"
#include "load.h"
#include "message.h"
#include "output.h"
#include "verbs.h"

#include <arne/io.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct convert_args {
    robot_args  robot;
    text_list   payloads;
    int         format; // 1 + arne_format
    const char *output;
} convert_args;

#define AT(field) offsetof(convert_args, field)
static const option options[] = {
    ROBOT_OPTIONS,
    TEXTS("--payload", "LINK=m,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]", payloads,
          "a load that becomes part of the link; may be repeated"),
    CHOICE("--format", "yaml|urdf|mjcf", format,
           "format on stdout (default: yaml); for a file, its ending decides"),
    OPTION_OUTPUT,
    OPTION_END,
};

static const command convert = {
    "convert",
    "ROBOT",
    "Writes a robot file again, with everything that it extends, as YAML, URDF or MJCF. YAML\n"
    "reads back to the last bit, sections for plans included. What the others cannot say is listed "
    "on "
    "stderr.",
    1,
    1,
    options,
    NULL};

// By its ending, of a file.
static arne_format format_of(const convert_args *args)
{
    arne_format format = ARNE_FORMAT_YAML;
    if (args->format) format = (arne_format)(args->format - 1);
    if (args->output) arne_format_of(args->output, &format);
    return format;
}

// The name in capitals, as sentences have it.
typedef struct shown_name {
    char text[16];
} shown_name;
static shown_name shown_format(arne_format format)
{
    const char *name = arne_format_name(format);
    shown_name  out = {""};
    for (size_t i = 0; name[i] && i + 1 < sizeof out.text; i++)
        out.text[i] = (char)toupper((unsigned char)name[i]);
    return out;
}

static void on_lost(void *context, const arne_warning *warning)
{
    warn("lost", "not in the %s: %s", shown_format(*(const arne_format *)context).text,
         warning->text);
}

static int to_stdout(const arne_robot *robot, const convert_args *args, arne_status *status,
                     arne_error *error)
{
    char       *text = NULL;
    size_t      size = 0;
    arne_format format = format_of(args);
    *status = arne_robot_text(robot, format, args->robot.quiet ? NULL : on_lost, &format, &text,
                              &size, error);
    if (*status == ARNE_OK) fwrite(text, 1, size, stdout); // main looks whether stdout took it
    free(text);
    return *status == ARNE_OK ? EXIT_FINE : EXIT_DATA;
}

static void say_parts(const char *path, arne_format format)
{
    static const char *const names[] = {"fatigue", "strength", "walker"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (robot_has_section(path, names[i]))
            warn("lost", "not in the %s: the section '%s', which only plans read",
                 shown_format(format).text, names[i]);
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

// A xacro file as a URDF is what xacro prints, also where that is no good robot.
static int is_xacro(const char *path)
{
    const char *end = strstr(path, ".xacro");
    return end && (end[6] == 0 || end[6] == ' ');
}

static int print_xacro(const char *path, const convert_args *args)
{
    char             *text = NULL;
    size_t            size = 0;
    arne_error        error = {0};
    output            out;
    const arne_status status = arne_xacro_text(path, NULL, &text, &size, &error);
    if (status) return fail_error(path, status, &error);
    int code = output_open(&out, args->output);
    if (code == EXIT_FINE) {
        fwrite(text, 1, size, out.stream);
        code = output_deliver(&out);
    }
    free(text);
    return code;
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
    arne_format format = format_of(&args);
    if (format == ARNE_FORMAT_URDF && is_xacro(path) && !args.payloads.count) {
        code = print_xacro(path, &args);
        options_free(&convert, &args, &operands);
        return code;
    }
    code = load_robot(path, &args.robot, NULL, &robot);
    if (code == EXIT_FINE) code = attach_payloads(path, &args.payloads, &robot);
    if (code == EXIT_FINE) {
        if (args.output)
            status = arne_robot_write(robot, args.output, args.robot.quiet ? NULL : on_lost,
                                      &format, &error);
        else
            code = to_stdout(robot, &args, &status, &error);
        if (status != ARNE_OK) code = fail_error(args.output ? args.output : path, status, &error);
    }
    if (code == EXIT_FINE && format == ARNE_FORMAT_YAML) code = write_parts(path, &args);
    if (code == EXIT_FINE && format != ARNE_FORMAT_YAML && !args.robot.quiet)
        say_parts(path, format);
    arne_robot_free(robot);
    options_free(&convert, &args, &operands);
    return code;
}

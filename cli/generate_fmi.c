#include "generate_fmi.h"

#include "load_scenario.h"
#include "message.h"

#include <arne/document.h>
#include <arne/fmi.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// An FMU begins with its description, which names who made it.
static int is_our_fmu(const char *path)
{
    char         head[4096];
    FILE        *in = fopen(path, "rb");
    const size_t size = in ? fread(head, 1, sizeof head - 1, in) : 0;
    if (in) fclose(in);
    head[size] = 0;
    for (size_t i = 0; i < size; i++)
        if (!head[i]) head[i] = ' ';
    return strstr(head, "modelDescription.xml") && strstr(head, "generationTool=\"Arne ");
}

// FILE.fmu, or DIR/NAME.fmu in a folder that is made.
static int fmu_path(const char *to, const char *name, char **path)
{
    const size_t length = strlen(to), size = length + strlen(name) + sizeof "/.fmu";
    struct stat  info;
    *path = need(size, 1);
    if (length > 4 && strcmp(to + length - 4, ".fmu") == 0) {
        strcpy(*path, to);
    } else {
        if (mkdir(to, 0777) != 0 && errno != EEXIST)
            return fail_data("%s: cannot be made: %s", to, strerror(errno));
        snprintf(*path, size, "%s/%s.fmu", to, name);
    }
    if (stat(*path, &info) == 0 && (S_ISDIR(info.st_mode) || !is_our_fmu(*path)))
        return fail_data("%s: cannot be written: it was not generated; move it away, or choose "
                         "another place",
                         *path);
    return EXIT_FINE;
}

// "push" of "push.yaml", "swimmer" of "examples/swimmer/scenario.yaml".
static void scenario_name(const char *path, char name[ARNE_FMU_NAME])
{
    const char *end = strrchr(path, '/'), *from = end ? end + 1 : path;
    char        text[256];
    size_t      length = strcspn(from, ".");
    if (end && end > path && length == 8 && strncmp(from, "scenario", 8) == 0) {
        for (from = end; from > path && from[-1] != '/';)
            from--;
        length = (size_t)(end - from);
    }
    snprintf(text, sizeof text, "%.*s", (int)length, from);
    arne_fmu_name(text, name);
}

static int write_fmu(const char *path, const fmi_request *request, const arne_robot *robot,
                     const arne_scenario *scenario)
{
    arne_error             error = {0};
    char                   made[ARNE_FMU_NAME], *out = NULL;
    const char            *name = request->name ? request->name : made;
    const arne_fmu_options how = {.version = request->version, .name = name};
    if (robot)
        arne_fmu_name(arne_robot_name(robot), made);
    else
        scenario_name(path, made);
    int code = fmu_path(request->output, name, &out);
    if (code == EXIT_FINE) {
        const arne_status status = scenario ? arne_fmu_write(scenario, out, &how, &error)
                                            : arne_fmu_write_robot(robot, out, &how, &error);
        if (status == ARNE_VALUE && request->name)
            code = fail_usage("--name: %s", error.text);
        else if (status)
            code = fail_error(path, status, &error);
    }
    if (code == EXIT_FINE && !request->robot->quiet) printf("%s\n", out);
    free(out);
    return code;
}

int generate_fmi(const char *path, const fmi_request *request)
{
    arne_error     ignored;
    arne_document  kind = ARNE_DOCUMENT_ROBOT;
    arne_robot    *robot = NULL;
    arne_scenario *scenario = NULL;
    const int      is_scenario = !named_robot(path) &&
                            arne_document_kind(path, &kind, &ignored) == ARNE_OK &&
                            kind == ARNE_DOCUMENT_SCENARIO;
    int code = is_scenario ? load_scenario(path, request->robot->quiet, &scenario)
                           : load_robot(path, request->robot, NULL, &robot);
    if (code == EXIT_FINE && robot) code = attach_payloads(path, request->payload, &robot);
    if (code == EXIT_FINE) code = write_fmu(path, request, robot, scenario);
    arne_scenario_free(scenario);
    arne_robot_free(robot);
    return code;
}

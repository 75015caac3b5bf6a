// What a robot's file says for plans alone, its sections `fatigue` and `strength`: read as the plan
// of a problem that says nothing but the robot.
#include "check_parts.h"
#include <arne/plan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PROBLEM[] = "(problem)";

typedef struct listener {
    const arne_build_options *to;
    arne_status               first;
} listener;

// Passes on mistakes of the robot's files. Those of the made-up problem are dropped, and so is that
// the robot cannot be planned: the file itself is right.
static void hear(void *context, const arne_error *error)
{
    listener    *l = context;
    const size_t length = strlen(error->file), own = sizeof PROBLEM - 1;
    const int    of_problem = length >= own && strcmp(error->file + length - own, PROBLEM) == 0;
    if (!length || of_problem || error->code == ARNE_UNSUPPORTED) return;
    if (!l->first) l->first = error->code;
    l->to->fail(l->to->fail_context, error);
}

int robot_has_section(const char *path, const char *name)
{
    const size_t length = strlen(name);
    FILE        *file = fopen(path, "r");
    char         line[256];
    int          any = 0;
    while (file && !any && fgets(line, sizeof line, file))
        any = strncmp(line, name, length) == 0 && line[length] == ':';
    if (file) fclose(file);
    return any;
}

arne_status check_robot_parts(const char *path, const arne_build_options *how_to)
{
    const char  *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t folder = (size_t)(base - path), size = strlen(path) + 64;
    if (!robot_has_section(path, "fatigue") && !robot_has_section(path, "strength")) return ARNE_OK;
    if (strpbrk(base, "\"\\")) return ARNE_OK;
    char *text = malloc(size), *name = malloc(size);
    if (!text || !name) {
        free(text);
        free(name);
        return ARNE_NO_MEMORY;
    }
    snprintf(text, size, "robot: \"%s\"\n", base);
    snprintf(name, size, "%.*s%s", (int)folder, path, PROBLEM);
    listener                 l = {how_to, ARNE_OK};
    const arne_build_options quiet = {.fail = hear, .fail_context = &l};
    arne_plan               *plan = NULL;
    arne_error               error;
    if (arne_plan_read_yaml(text, strlen(text), name, &quiet, &plan, &error) == ARNE_NO_MEMORY)
        l.first = ARNE_NO_MEMORY;
    arne_plan_free(plan);
    free(text);
    free(name);
    return l.first;
}

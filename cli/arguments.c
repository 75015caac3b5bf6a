#include "arguments.h"

#include "message.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What becomes the name of a robot lasts to the end of the program.
static char *joined;

// NAME:=VALUE
static int is_value(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || strchr("_:-", text[n] ? text[n] : ' '))
        n++;
    return n > 1 && text[n] == '=' && text[n - 1] == ':';
}

static int arguments_ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), n = strlen(end);
    return size > n && strcmp(text + size - n, end) == 0;
}

// The operand that takes arguments: a xacro or SDF file, else the first that is no option.
static int find_file(int argc, char **argv)
{
    static const char *const endings[] = {".xacro", ".sdf", ".world"};
    int                      first = 0;
    for (int i = 1; i < argc; i++) {
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
            if (arguments_ends_with(argv[i], endings[k])) return i;
        if (!first && argv[i][0] != '-' && !is_value(argv[i])) first = i;
    }
    return first;
}

static void arguments_append(const char *format, const char *name, const char *value)
{
    const size_t before = strlen(joined),
                 room = before + strlen(name) + strlen(value) + strlen(format) + 1;
    joined = need_more(joined, room, 1);
    snprintf(joined + before, room - before, format, name, value);
}

int arguments_join(int *argc, char **argv)
{
    const int file = find_file(*argc, argv);
    int       kept = 1;
    free(joined); // of a command before, where one process runs several
    joined = file ? need_copy(argv[file], strlen(argv[file])) : NULL;
    for (int i = 1; i < *argc; i++) {
        const int with_next = i + 1 < *argc;
        if (is_value(argv[i])) {
            if (!joined) return fail_usage("'%s' needs a robot file before it", argv[i]), 0;
            arguments_append(" %s%s", argv[i], "");
        } else if (with_next && joined && strcmp(argv[i], "--model") == 0) {
            arguments_append(" model:=%s%s", argv[++i], "");
        } else {
            argv[kept++] = i == file ? NULL : argv[i]; // that of the file may still move
        }
    }
    for (int i = 1; i < kept; i++)
        if (!argv[i]) argv[i] = joined;
    *argc = kept;
    argv[kept] = NULL;
    return 1;
}

#include "message.h"

#include "standard_input.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Control characters: those of ASCII, and those that are two bytes of UTF-8, which terminals obey
// as well.
static void hide_controls(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c < 0x20 || *c == 0x7f) *c = '?';
        if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = '?';
    }
}

// A mark that changes the direction in which text is shown (UAX #9): its code, or 0.
static unsigned direction_mark(const unsigned char *c)
{
    if (c[0] == 0xd8 && c[1] == 0x9c) return 0x61c;
    if (c[0] != 0xe2 || (c[1] != 0x80 && c[1] != 0x81) || (c[2] & 0xc0) != 0x80) return 0;
    const unsigned code = 0x2000u | (c[1] & 1u) << 6 | (c[2] & 0x3fu);
    return code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                   (code >= 0x2066 && code <= 0x2069)
               ? code
               : 0;
}

const char *shown(const char *text, char *buffer, size_t size)
{
    size_t used = 0;
    while (*text && used + 1 < size) {
        const unsigned code = direction_mark((const unsigned char *)text);
        if (code && used + 7 > size) break;
        used += code ? (size_t)snprintf(buffer + used, size - used, "\\u%04x", code) : 1;
        if (!code) buffer[used - 1] = *text;
        text += code == 0 ? 1 : code < 0x800 ? 2 : 3;
    }
    buffer[used] = 0;
    hide_controls(buffer);
    return buffer;
}

static void say_list(const char *format, va_list list) PRINTF_LIKE(1, 0);

static void say_list(const char *format, va_list list)
{
    char text[2048], clean[2048];
    vsnprintf(text, sizeof text, format, list);
    fflush(stdout);
    fprintf(stderr, "arne: %s\n", shown(text, clean, sizeof clean));
}

void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_list(format, list);
    va_end(list);
}

// --- warnings by kind --------------------------------------------------------------------------

// All that the library and the program warn about; tests/cli/quiet.sh looks for others.
static const char *const kinds[] = {
    "anchor",  "axis",    "base",        "beyond",   "binding",  "contact",   "cutoff", "damaged",
    "degrees", "effect",  "equilibrium", "friction", "gain",     "inertia",   "limit",  "lost",
    "mesh",    "mimic",   "mjcf",        "name",     "negative", "residuals", "scale",  "section",
    "side",    "size",    "stand",       "torn",     "triangle", "twice",     "units",  "unknown",
    "unused",  "version", "visual",      "wrap",     "xacro",    "xml"};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };
static unsigned char silent[KIND_COUNT];

static const char *kind_name(const void *unused, int index)
{
    (void)unused;
    return kinds[index];
}

int quiet_kinds(const char *list)
{
    while (*list) {
        const size_t length = strcspn(list, ",");
        int          i = 0;
        while (i < KIND_COUNT &&
               (strlen(kinds[i]) != length || strncmp(kinds[i], list, length) != 0))
            i++;
        if (i == KIND_COUNT) {
            char near[200], *said = need_copy(list, length);
            near_matches(said, kind_name, NULL, KIND_COUNT, near, sizeof near);
            fail_usage("--quiet: '%s' is no kind of warning%s; a warning has its kind in brackets "
                       "at its end",
                       said, near);
            free(said);
            return EXIT_USAGE;
        }
        silent[i] = 1;
        list += length + (list[length] == ',');
    }
    return EXIT_FINE;
}

int is_quiet(const char *kind)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (silent[i] && strcmp(kinds[i], kind) == 0) return 1;
    return 0;
}

void warn(const char *kind, const char *format, ...)
{
    char    text[2048];
    va_list list;
    if (is_quiet(kind)) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    say("warning: %s%s%s%s", text, *kind ? " [" : "", kind, *kind ? "]" : "");
}

int fail_data(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_list(format, list);
    va_end(list);
    return EXIT_DATA;
}

int fail_usage(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_list(format, list);
    va_end(list);
    return EXIT_USAGE;
}

int fail_error(const char *path, arne_status status, const arne_error *error)
{
    const char *file = shown_path(error->file[0] ? error->file : path);
    const char *text = error->text[0] ? error->text : arne_status_text(status);
    if (error->line > 0 && error->column > 0)
        return fail_data("%s:%d:%d: %s", file, error->line, error->column, text);
    if (error->line > 0) return fail_data("%s:%d: %s", file, error->line, text);
    return fail_data("%s: %s", file, text);
}

static void out_of_memory(void)
{
    fputs("arne: out of memory\n", stderr);
    exit(EXIT_DATA);
}

void *need(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) out_of_memory();
    return memory;
}

void *need_more(void *memory, size_t count, size_t size)
{
    if (size && count > (size_t)-1 / size) out_of_memory();
    memory = realloc(memory, count && size ? count * size : 1);
    if (!memory) out_of_memory();
    return memory;
}

char *need_copy(const char *text, size_t length)
{
    char *copy = need(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

char *path_in(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char        *path = need(size, 1);
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

#include "message.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Control characters: those of ASCII, and those that are two bytes of UTF-8, which terminals obey as well.
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
    const char *file = error->file[0] ? error->file : path;
    const char *text = error->text[0] ? error->text : arne_status_text(status);
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

// Levenshtein's distance without regard to case; texts longer than a name is are never near.
enum { NAME_MOST = 127 };

static int edit_distance(const char *a, const char *b)
{
    const size_t rows = strlen(a), columns = strlen(b);
    int          row[NAME_MOST + 1];
    if (rows > NAME_MOST || columns > NAME_MOST) return NAME_MOST;
    for (size_t j = 0; j <= columns; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= rows; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= columns; j++) {
            const int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int       best = diagonal + !same;
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[columns];
}

// How far a candidate is from what was typed; beyond `limit` it does not resemble it. A candidate
// that begins with the text (or the other way round) is near, however long the rest.
static int unlikeness(const char *typed, const char *candidate, int limit)
{
    const size_t length = strlen(typed), other = strlen(candidate);
    const size_t shorter = length < other ? length : other;
    const int    distance = edit_distance(typed, candidate);
    if (distance > limit && shorter >= 3 && strncmp(typed, candidate, shorter) == 0) return limit;
    return distance;
}

const char *near_matches(const char *text, candidate_fn candidate, const void *context, int count,
                         char *buffer, size_t size)
{
    const int length = (int)strlen(text);
    const int limit = length < 6 ? 2 : length / 3 + 1;
    int       found = 0;
    size_t    used = 0;
    buffer[0] = '\0';
    for (int distance = 0; distance <= limit; distance++) {
        for (int i = 0; i < count && found < 5; i++) {
            const char *name = candidate(context, i);
            if (unlikeness(text, name, limit) != distance || distance >= length + 1) continue;
            const int wrote = snprintf(buffer + used, size - used, "%s%s",
                                       found ? ", " : " (near matches: ", name);
            if (wrote < 0 || used + (size_t)wrote + 2 > size) {
                buffer[used] = '\0';
                break;
            }
            used += (size_t)wrote;
            found++;
        }
    }
    if (found) snprintf(buffer + used, size - used, ")");
    return buffer;
}

#include "csv_names.h"

#include "message.h"

#include <arne/io.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int column_alias(const char *text, char **ours, const char **theirs)
{
    const char *is = strchr(text, '=');
    *ours = NULL;
    if (!is || is == text || !is[1]) return fail_usage("--column: '%s' is not NAME=OTHER", text);
    *ours = need_copy(text, (size_t)(is - text));
    *theirs = is + 1;
    return EXIT_FINE;
}

int names_table(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".csv") == 0;
}

int column_aliases_check(const text_list *aliases)
{
    int code = EXIT_FINE;
    for (int i = 0; i < aliases->count && code == EXIT_FINE; i++) {
        char       *ours;
        const char *theirs;
        code = column_alias(aliases->text[i], &ours, &theirs);
        free(ours);
    }
    return code;
}

const char *column_called(const text_list *aliases, const char *name, char **made)
{
    *made = NULL;
    for (int i = 0; aliases && i < aliases->count; i++) {
        const char *is = strchr(aliases->text[i], '=');
        if (is && strcmp(is + 1, name) == 0)
            return *made = need_copy(aliases->text[i], (size_t)(is - aliases->text[i]));
    }
    return name;
}

int column_aliases_found(const text_list *aliases, const spare_columns *renamed, const char *file,
                         int line)
{
    for (int i = 0; aliases && i < aliases->count; i++) {
        const char *theirs = strchr(aliases->text[i], '=') + 1;
        int         k = 0;
        while (k < renamed->count && strcmp(renamed->name[k], theirs) != 0)
            k++;
        if (k == renamed->count)
            return fail_data("%s:%d: there is no column '%s' (--column %s)", file, line, theirs,
                             aliases->text[i]);
    }
    return EXIT_FINE;
}

// --- columns that are left over ----------------------------------------------------------------

void spare_add(spare_columns *spare, const char *name)
{
    spare->name = need_more(spare->name, (size_t)spare->count + 1, sizeof *spare->name);
    spare->name[spare->count++] = need_copy(name, strlen(name));
}

void spare_free(spare_columns *spare)
{
    for (int i = 0; i < spare->count; i++)
        free(spare->name[i]);
    free(spare->name);
    *spare = (spare_columns){0};
}

int spare_are_numbers(const spare_columns *spare)
{
    double value;
    for (int i = 0; i < spare->count; i++)
        if (arne_parse_number(spare->name[i], &value) != ARNE_OK) return 0;
    return spare->count > 0;
}

static const char *spare_name(const void *spare, int index)
{
    return ((const spare_columns *)spare)->name[index];
}

// Whether a text has a word somewhere, in any case.
static int has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
            i++;
        if (i == length) return 1;
    }
    return 0;
}

const char *spare_like(const spare_columns *spare, const char *wanted, const char *word,
                       char *buffer, size_t size)
{
    const char *found = NULL;
    char        near[256];
    for (int i = 0; i < spare->count && !found; i++) {
        const spare_columns one = {&spare->name[i], 1};
        if (!has_word(spare->name[i], word) &&
            !*near_matches(word, spare_name, &one, 1, near, sizeof near) &&
            !*near_matches(wanted, spare_name, &one, 1, near, sizeof near))
            continue;
        found = spare->name[i];
    }
    *buffer = 0;
    if (found)
        snprintf(buffer, size, "; is it '%.100s'? --column '%.100s=%.100s' says so", found, wanted,
                 found);
    return buffer;
}

const char *spare_about_loads(const spare_columns *spare, const arne_robot *robot)
{
    for (int i = 0; i < spare->count; i++) {
        char        link[256] = "";
        const char *name = spare->name[i], *dot = strrchr(name, '.');
        if (strncmp(name, "wrench.", 7) != 0 || dot < name + 7) continue;
        snprintf(link, sizeof link, "%.*s", (int)(dot - name) - 7, name + 7);
        if (arne_find_frame(robot, link) >= 0 && arne_find_joint(robot, link) < 0)
            return "; a load on a link is load.LINK.fx to .mz";
    }
    return "";
}

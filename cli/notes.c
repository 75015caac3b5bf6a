#include "notes.h"

#include "message.h"
#include "standard_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text)
{
    return need_copy(text ? text : "", text ? strlen(text) : 0);
}

static note *new_note(note_list *notes)
{
    notes->item = need_more(notes->item, (size_t)notes->count + 1, sizeof *notes->item);
    return &notes->item[notes->count++];
}

static void keep_warning(void *context, const arne_warning *w)
{
    *new_note(context) = (note){.rule = copy_text(w->rule),
                                .file = copy_text(w->file),
                                .text = copy_text(w->text),
                                .line = w->line,
                                .column = w->column,
                                .accepted = w->accepted,
                                .same = 1};
}

static void keep_error(void *context, const arne_error *e)
{
    ((note_list *)context)->errors++;
    *new_note(context) = (note){.rule = copy_text(NULL),
                                .file = copy_text(e->file),
                                .text = copy_text(e->text),
                                .line = e->line,
                                .column = e->column,
                                .error = e->code,
                                .same = 1};
}

void notes_listen(note_list *notes, arne_build_options *options)
{
    options->warn = keep_warning;
    options->fail = keep_error;
    options->warn_context = options->fail_context = notes;
}

static void free_note(note *n)
{
    free(n->rule);
    free(n->file);
    free(n->text);
}

void notes_free(note_list *notes)
{
    for (int i = 0; i < notes->count; i++)
        free_note(&notes->item[i]);
    free(notes->item);
    *notes = (note_list){0};
}

void note_format(const note *n, const char *path, char *buffer, size_t size)
{
    const char *file = shown_path(n->file[0] ? n->file : path);
    char        place[64] = "";
    if (n->line > 0 && n->column > 0)
        snprintf(place, sizeof place, ":%d:%d", n->line, n->column);
    else if (n->line > 0)
        snprintf(place, sizeof place, ":%d", n->line);
    snprintf(buffer, size, "%s%s: %s%s%s%s", file, place, n->text, n->rule[0] ? " [" : "", n->rule,
             n->rule[0] ? "]" : "");
}

// --- notes that say the same of several ----------------------------------------------------------

enum { GROUP_LEAST = 3 }; // fewer are printed one by one

// The first name in quotes: where it starts and ends. 0 where there is none.
static int find_name(const char *text, size_t *start, size_t *end)
{
    const char *open = strchr(text, '\''), *close = open ? strchr(open + 1, '\'') : NULL;
    if (!close) return 0;
    *start = (size_t)(open - text);
    *end = (size_t)(close - text) + 1;
    return 1;
}

static int starts_number(char c) { return c && strchr("0123456789.+-", c); }

static const char *skip_number(const char *at) { return at + strspn(at, "0123456789.+-e"); }

static const char *skip_name(const char *at)
{
    const char *close = strchr(at + 1, '\'');
    return close ? close + 1 : at + 1;
}

// How many names in quotes differ, where the words are the same; numbers may differ as well where
// `numbers` says so. -1: they say something else.
static int count_differing(const char *a, const char *b, int numbers)
{
    int names = 0;
    while (*a || *b) {
        if (*a == '\'' && *b == '\'') {
            const char *end_a = skip_name(a), *end_b = skip_name(b);
            names += end_a - a != end_b - b || strncmp(a, b, (size_t)(end_a - a)) != 0;
            a = end_a;
            b = end_b;
        } else if (*a == *b) {
            a++;
            b++;
        } else if (numbers && (starts_number(*a) || starts_number(*b))) {
            a = skip_number(a);
            b = skip_number(b);
        } else {
            return -1;
        }
    }
    return names;
}

// The same words: of a mistake about one other name, of a warning about any others.
static int says_the_same(const note *a, const note *b)
{
    if (a->error != b->error || a->accepted != b->accepted || strcmp(a->rule, b->rule) != 0 ||
        strcmp(a->file, b->file) != 0 || !strchr(a->text, '\''))
        return 0;
    const int names = count_differing(a->text, b->text, !a->error);
    return names >= 0 && (!a->error || names <= 1);
}

// The same words behind the first name.
static int ends_alike(const note *a, const note *b)
{
    size_t start = 0, end_a = 0, end_b = 0;
    return find_name(a->text, &start, &end_a) && find_name(b->text, &start, &end_b) &&
           strcmp(a->text + end_a, b->text + end_b) == 0;
}

static int starts_alike(const note *a, const note *b)
{
    size_t start = 0, end_a = 0, end_b = 0;
    return find_name(a->text, &start, &end_a) && find_name(b->text, &start, &end_b) &&
           end_a == end_b && strncmp(a->text, b->text, end_a) == 0;
}

// The word before the first name says what it is: joints, links.
static const char *notes_kind_of(const char *text, size_t name, size_t *length)
{
    static const char *const words[] = {"joints", "links",   "motors",   "loops",
                                        "frames", "springs", "couplings"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *length = strlen(words[i]) - 1;
        if (name > *length && strncmp(text + name - *length - 1, words[i], *length) == 0)
            return words[i];
    }
    return NULL;
}

// "joint 'a': ..." of seven is "7 joints: ... (the first is 'a')", where they differ in names only.
static void say_of_all(note *n)
{
    size_t start = 0, end = 0, length = 0;
    find_name(n->text, &start, &end);
    const size_t size = strlen(n->text) + 120;
    char        *text = need(size, 1);
    const char  *word = n->mixed ? NULL : notes_kind_of(n->text, start, &length);
    if (n->alike && word && start == length + 1 && n->text[end] == ':')
        snprintf(text, size, "%d %s:%s (the first is %.*s)", n->same, word, n->text + end + 1,
                 (int)(end - start), n->text + start);
    else
        snprintf(text, size, "%s; likewise %d more%s%s", n->text, n->same - 1, word ? " " : "",
                 word ? word : "");
    free(n->text);
    n->text = text;
}

void notes_group(note_list *notes)
{
    int kept = 0;
    for (int i = 0; i < notes->count; i++) {
        int same = 0, alike = 1;
        for (int k = i; k < notes->count && notes->item[i].same; k++)
            same += notes->item[k].same && says_the_same(&notes->item[i], &notes->item[k]);
        if (same < GROUP_LEAST) continue;
        for (int k = i + 1; k < notes->count; k++)
            if (says_the_same(&notes->item[i], &notes->item[k])) {
                notes->item[k].same = 0;
                alike &= ends_alike(&notes->item[i], &notes->item[k]);
                notes->item[i].mixed |= starts_alike(&notes->item[i], &notes->item[k]);
            }
        notes->item[i].same = same;
        notes->item[i].alike = alike;
    }
    for (int i = 0; i < notes->count; i++) {
        if (notes->item[i].same == 0) {
            free_note(&notes->item[i]);
            continue;
        }
        if (notes->item[i].same > 1) say_of_all(&notes->item[i]);
        notes->item[kept++] = notes->item[i];
    }
    notes->count = kept;
}

void notes_hide(note_list *notes, const char *rule)
{
    int kept = 0;
    for (int i = 0; i < notes->count; i++)
        if (notes->item[i].error || strcmp(notes->item[i].rule, rule) != 0)
            notes->item[kept++] = notes->item[i];
        else
            free_note(&notes->item[i]);
    notes->count = kept;
}

// --- saying them -------------------------------------------------------------------------------

// Files that several others name are read again for each of them.
static int said_before(const char *text)
{
    static char **said;
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(said[i], text) == 0) return 1;
    said = need_more(said, count + 1, sizeof *said);
    said[count++] = need_copy(text, strlen(text));
    return 0;
}

void notes_say(const note_list *notes, const char *path, int how)
{
    for (int i = 0; i < notes->count; i++) {
        const note *n = &notes->item[i];
        char        text[1200];
        note_format(n, path, text, sizeof text);
        if (n->error)
            say("%s", text);
        else if (!(how & NOTES_QUIET) && (!n->accepted || (how & NOTES_ACCEPTED)) &&
                 !is_quiet(n->rule) && !said_before(text))
            say("%s: %s",
                n->accepted          ? "accepted"
                : how & NOTES_STRICT ? "error"
                                     : "warning",
                text);
    }
}

int notes_fail(const note_list *notes, const char *path, arne_status status,
               const arne_error *error)
{
    note_list errors = {0};
    if (!notes->errors) return fail_error(path, status, error);
    for (int i = 0; i < notes->count; i++)
        if (notes->item[i].error) *new_note(&errors) = notes->item[i];
    notes_say(&errors, path, 0);
    free(errors.item); // the texts are not its own
    return EXIT_DATA;
}

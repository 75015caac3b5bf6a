#include "base/findings.h"
#include "base/error.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>

static int findings_make_room(findings *list)
{
    if (list->count < list->room) return 1;
    const int more = list->room ? 2 * list->room : 8;
    finding  *bigger = realloc(list->item, (size_t)more * sizeof *bigger);
    if (!bigger) return 0;
    list->item = bigger;
    list->room = more;
    return 1;
}

// A mistake that two readers find is kept once. Without a column equal texts may be two flaws of
// one line.
static int findings_is_known(const findings *list, const finding *f, const char *file,
                             const char *text)
{
    enum { LAST = 64 };
    for (int i = list->count - 1; f->column > 0 && i >= 0 && i >= list->count - LAST; i--) {
        const finding *other = &list->item[i];
        if (other->line == f->line && other->column == f->column && other->code == f->code &&
            strcmp(other->text, text) == 0 && strcmp(other->file, file) == 0)
            return 1;
    }
    return 0;
}

int findings_add(findings *list, const finding *f, const char *file, const char *text)
{
    if (!file) file = "";
    if (findings_is_known(list, f, file, text)) return 1;
    list->errors += f->code != ARNE_OK;
    if (list->count == FINDINGS_MOST) return 1;
    const size_t file_size = strlen(file) + 1, text_size = strlen(text) + 1;
    char        *texts = malloc(file_size + text_size);
    if (!texts || !findings_make_room(list)) {
        free(texts);
        return 0;
    }
    finding *own = &list->item[list->count];
    *own = *f;
    own->file = memcpy(texts, file, file_size);
    own->text = memcpy(texts + file_size, text, text_size);
    own->order = list->count++;
    return 1;
}

// Files are numbered by their first finding: `order` becomes that while lists are sorted.
static int findings_compare(const void *a, const void *b)
{
    const finding *x = a, *y = b;
    if (x->order != y->order) return x->order - y->order;
    if (x->line != y->line) return x->line - y->line;
    return x->column - y->column;
}

// Insertion keeps the order of equals, and findings come nearly in the order of their file.
static void insert_sorted(findings *list)
{
    for (int i = 1; i < list->count; i++) {
        const finding f = list->item[i];
        int           k = i;
        while (k > 0 && findings_compare(&f, &list->item[k - 1]) < 0) {
            list->item[k] = list->item[k - 1];
            k--;
        }
        list->item[k] = f;
    }
}

void findings_sort(findings *list)
{
    for (int i = 0; i < list->count; i++) {
        int first = 0;
        while (strcmp(list->item[first].file, list->item[i].file) != 0)
            first++;
        list->item[i].order = list->item[first].order;
    }
    insert_sorted(list);
    for (int i = 0; i < list->count; i++)
        list->item[i].order = i;
}

void findings_error(const finding *f, arne_error *error)
{
    if (!error) return;
    arne_error_clear(error);
    error->code = f->code;
    error->line = f->line;
    error->column = f->column;
    error->count = 1;
    text_line(error->file, sizeof error->file, "%s", f->file);
    text_line(error->text, sizeof error->text, "%s", f->text);
}

arne_status findings_first(const findings *list, arne_error *error)
{
    for (int i = 0; i < list->count; i++) {
        const finding *f = &list->item[i];
        if (f->code == ARNE_OK) continue;
        findings_error(f, error);
        if (error) error->count = list->errors;
        return f->code;
    }
    return ARNE_OK;
}

void findings_tell(const findings *list, const listeners *to)
{
    for (int i = 0; i < list->count; i++) {
        const finding *f = &list->item[i];
        arne_error     error;
        findings_error(f, &error); // with clean texts
        const arne_warning warning = {f->rule,    error.file,  f->line,
                                      error.text, f->accepted, f->column};
        if (f->code && to->fail) to->fail(to->fail_context, &error);
        if (!f->code && to->warn) to->warn(to->warn_context, &warning);
    }
}

// Where there is no memory for a text, what it is about fails too.
static void hear_error(void *context, const arne_error *error)
{
    const finding f = {.code = error->code, .line = error->line, .column = error->column};
    (void)!findings_add(context, &f, error->file, error->text);
}

static void hear_warning(void *context, const arne_warning *w)
{
    const finding f = {
        .rule = w->rule, .line = w->line, .column = w->column, .accepted = w->accepted};
    (void)!findings_add(context, &f, w->file, w->text);
}

listeners findings_listeners(findings *list)
{
    return (listeners){hear_warning, list, hear_error, list};
}

void findings_free(findings *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->item[i].file);
    free(list->item);
    memset(list, 0, sizeof *list);
}

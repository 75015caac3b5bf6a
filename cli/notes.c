// Warnings of the library, kept to be shown.
#include "load.h"

#include <stdio.h>
#include <stdlib.h>

void notes_free(note_list *notes)
{
    for (int i = 0; i < notes->count; i++) {
        free(notes->item[i].rule);
        free(notes->item[i].file);
        free(notes->item[i].text);
    }
    free(notes->item);
    *notes = (note_list){0};
}

void note_format(const note *n, const char *path, char *buffer, size_t size)
{
    const char *file = n->file[0] ? n->file : path;
    if (n->line > 0)
        snprintf(buffer, size, "%s:%d: %s [%s]", file, n->line, n->text, n->rule);
    else
        snprintf(buffer, size, "%s: %s [%s]", file, n->text, n->rule);
}

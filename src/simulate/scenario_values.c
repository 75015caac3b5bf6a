// Pieces that the sections of a scenario share: files and memory.
#include "io/kept_files.h"
#include "io/run_folder.h"
#include "simulate/scenario.h"
#include <stdio.h>
#include <stdlib.h>

arne_scenario *scenario_of(const doc_slot *slot) { return slot->reader->context; }

double *scenario_doubles(arne_scenario *s, int count)
{
    return document_take(&s->doc, (size_t)(count + 1) * sizeof(double));
}

arne_status scenario_add_file(const doc_slot *slot, const char **path)
{
    arne_scenario *s = scenario_of(slot);
    const char    *said = NULL;
    arne_status    status = doc_text(slot, &said);
    if (status) return status;
    const size_t   count = (size_t)s->file_count + 1;
    scenario_file *files = realloc(s->files, count * sizeof *files);
    if (files) s->files = files;
    arne_table **tables = files ? realloc(s->tables, count * sizeof *tables) : NULL;
    if (tables) s->tables = tables;
    char *full = tables ? arne_path_beside(s->path, said) : NULL;
    if (!full) return arne_fail_memory(slot->reader->error);
    tables[s->file_count] = NULL;
    files[s->file_count++] =
        (scenario_file){said, full, slot->value->line, (doc_node *)(size_t)slot->value};
    *path = full;
    return ARNE_OK;
}

arne_status scenario_table(const doc_slot *slot, const arne_table **out)
{
    arne_scenario *s = scenario_of(slot);
    const char    *path = NULL;
    arne_status    status = scenario_add_file(slot, &path);
    if (status) return status;
    status = kept_files_table(s->given ? s->given->files : NULL, path,
                              &s->tables[s->file_count - 1], slot->reader->error);
    *out = s->tables[s->file_count - 1];
    return doc_check(slot, status);
}

arne_status scenario_of_table(const doc_slot *slot, arne_status status)
{
    const arne_scenario *s = scenario_of(slot);
    arne_error          *error = slot->reader->error;
    if (status && error->line && !error->file[0])
        snprintf(error->file, sizeof error->file, "%s", s->files[s->file_count - 1].path);
    return doc_check(slot, status);
}

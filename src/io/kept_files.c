#include "io/kept_files.h"
#include "io/named_file.h"
#include "io/table.h"
#include <stdlib.h>
#include <string.h>

// A sweep over thousands of files keeps this many of them and reads the others each time.
enum { MOST_KEPT = 200 };

static kept_file *kept_files_find(const kept_files *files, const char *path)
{
    for (kept_file *f = files->first; f; f = f->next)
        if (strcmp(f->path, path) == 0) return f;
    return NULL;
}

// The entry of a path, a new one where there is none; NULL: there is no room or no memory.
static kept_file *kept_files_entry(kept_files *files, const char *path)
{
    kept_file *f = kept_files_find(files, path);
    if (f || files->count == MOST_KEPT) return f;
    f = calloc(1, sizeof *f);
    char *name = f ? malloc(strlen(path) + 1) : NULL;
    if (!name) {
        free(f);
        return NULL;
    }
    f->path = strcpy(name, path);
    f->next = files->first;
    files->first = f;
    files->count++;
    return f;
}

static char *copy_bytes(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy && size) memcpy(copy, text, size);
    if (copy) copy[size] = 0;
    return copy;
}

arne_status kept_files_load(kept_files *files, const reader *r, char **text, size_t *size)
{
    const kept_file *known = kept_files_find(files, r->file);
    if (known && known->text) {
        *size = known->size;
        *text = copy_bytes(known->text, known->size);
        return *text ? ARNE_OK : arne_fail_memory(r->error);
    }
    reader from_disk = *r;
    from_disk.files = NULL;
    const arne_status status = arne_reader_load(&from_disk, text, size);
    kept_file        *f = status ? NULL : kept_files_entry(files, r->file);
    if (f && (f->text = copy_bytes(*text, *size))) f->size = *size;
    return status;
}

arne_status kept_files_table(kept_files *files, const char *path, arne_table **out,
                             arne_error *error)
{
    *out = NULL;
    const arne_status allowed = named_file_check(path, error);
    if (allowed) return allowed;
    if (!files) return arne_table_read_csv(path, out, error);
    const kept_file *known = kept_files_find(files, path);
    if (known && known->table)
        return table_copy(known->table, out) ? arne_fail_memory(error) : ARNE_OK;
    const arne_status status = arne_table_read_csv(path, out, error);
    kept_file        *f = status ? NULL : kept_files_entry(files, path);
    if (f && table_copy(*out, &f->table)) f->table = NULL; // it is read again next time
    return status;
}

void kept_files_free(kept_files *files)
{
    while (files->first) {
        kept_file *f = files->first;
        files->first = f->next;
        arne_table_free(f->table);
        free(f->text);
        free(f->path);
        free(f);
    }
    files->count = 0;
}

// Files that many runs of one program read: each is read from disk once.
#ifndef ARNE_IO_KEPT_FILES_H
#define ARNE_IO_KEPT_FILES_H

#include "io/reader.h"
#include <arne/table.h>

typedef struct kept_file {
    char             *path;
    char             *text; // the bytes of a document, or NULL
    size_t            size;
    arne_table       *table; // the rows of a CSV, or NULL
    struct kept_file *next;
} kept_file;

typedef struct kept_files {
    kept_file *first;
    int        count;
} kept_files;

// The bytes of r->file. The caller frees *text, also after a failure. A file that cannot be read is
// not kept.
ARNE_CHECKED arne_status kept_files_load(kept_files *files, const reader *r, char **text,
                                         size_t *size);
// A table that a file names or that is in the folder of a run, of its own for the caller. files may
// be NULL: then the file is read.
ARNE_CHECKED arne_status kept_files_table(kept_files *files, const char *path, arne_table **out,
                                          arne_error *error);
void                     kept_files_free(kept_files *files);

#endif

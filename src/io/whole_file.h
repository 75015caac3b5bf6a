// A file that is there whole or not at all: written beside its place, then renamed.
#ifndef ARNE_IO_WHOLE_FILE_H
#define ARNE_IO_WHOLE_FILE_H

#include <arne/status.h>
#include <stdio.h>

typedef struct whole_file {
    FILE       *stream;
    const char *path;     // as the caller named it
    char       *target;   // the file itself, links followed
    char       *beside;   // NULL: a device or pipe, which is written where it is
    int         nameless; // it has no name yet
} whole_file;

ARNE_CHECKED arne_status arne_whole_file_open(whole_file *file, const char *path,
                                              arne_error *error);
// Puts the file in its place. Whatever happens, the stream is closed and nothing is left beside.
ARNE_CHECKED arne_status arne_whole_file_close(whole_file *file, arne_error *error);
// Gives up: what was there before stays.
void arne_whole_file_drop(whole_file *file);

#endif

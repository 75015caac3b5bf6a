// A run folder: inputs/, result.csv, summary.json and what reports add. It is filled beside its place, in DIR.partial,
// and renamed when whole, so that DIR is either complete or not there.
#ifndef ARNE_IO_RUN_FOLDER_H
#define ARNE_IO_RUN_FOLDER_H

#include <arne/status.h>
#include <stdio.h>

typedef struct run_folder {
    char *dir, *partial;
} run_folder;

// A path that a copied file says and that means something else where the copy lies.
typedef struct run_path {
    int         line;
    const char *said, *now;
} run_path;

// Makes DIR.partial and its inputs/. Where DIR is there already it must be empty or a run folder: it is replaced at the end.
ARNE_CHECKED arne_status arne_run_folder_begin(run_folder *folder, const char *dir,
                                               arne_error *error);
// "DIR.partial/name", to be freed; NULL where there is no memory.
char *arne_run_folder_path(const run_folder *folder, const char *name);
// Copies a file to inputs/ under a name that is free there, with paths in it changed. *name: as relative to DIR, to be freed.
ARNE_CHECKED arne_status arne_run_folder_copy(const run_folder *folder, const char *path,
                                              const run_path *paths, int path_count, char **name,
                                              arne_error *error);
// The same for a robot and all files that it extends.
ARNE_CHECKED arne_status arne_run_folder_copy_robot(const run_folder *folder, const char *path,
                                                    char **name, arne_error *error);
// Puts the folder in its place.
ARNE_CHECKED arne_status arne_run_folder_finish(run_folder *folder, arne_error *error);
// Gives up: nothing is left, and what was there before stays. Also after finish, where it only frees memory.
void arne_run_folder_drop(run_folder *folder);

// A text in quotes, as JSON has it.
void arne_json_text(FILE *out, const char *text);
// A number as JSON has it: null where it is not finite.
void arne_json_number(FILE *out, double value);

// "dir of base"/name, or name itself where it is absolute; to be freed.
char *arne_path_beside(const char *base, const char *name);

#endif

// A run folder: inputs/, result.csv, summary.json and what reports add. It is filled beside its
// place, in a temporary folder DIR.partial-XXXXXXXX that is locked, and put in its place when it is
// whole and on disk: DIR is exchanged for it in one step. What was in DIR is removed then, if a run
// wrote it (run_list.h); anything else in DIR is a refusal.
#ifndef ARNE_IO_RUN_FOLDER_H
#define ARNE_IO_RUN_FOLDER_H

#include "io/folder.h"
#include <arne/report.h>
#include <stdio.h>

typedef struct run_folder {
    char       *dir, *partial;
    folder_lock lock; // of the temporary folder, while it is being filled
} run_folder;

// A path that a copied file says and that means something else where the copy lies.
typedef struct run_path {
    int         line;
    const char *said, *now;
} run_path;

// Makes the temporary folder and its inputs/, and removes those of killed runs. Fails where another
// run into DIR is under way.
ARNE_CHECKED arne_status arne_run_folder_begin(run_folder *folder, const char *dir,
                                               arne_error *error);
// To be asked when inputs/ is filled, before anything takes long: may DIR, and DIR.incomplete, be
// replaced?
ARNE_CHECKED arne_status arne_run_folder_check(const run_folder *folder, arne_error *error);
// "DIR.partial-XXXXXXXX/name", to be freed; NULL where there is no memory.
char *arne_run_folder_path(const run_folder *folder, const char *name);
// Copies a file to inputs/ under a name that is free there, with paths in it changed. *name: as
// relative to DIR, to be freed.
ARNE_CHECKED arne_status arne_run_folder_copy(const run_folder *folder, const char *path,
                                              const run_path *paths, int path_count, char **name,
                                              arne_error *error);
// The same for a robot and all files that it extends.
ARNE_CHECKED arne_status arne_run_folder_copy_robot(const run_folder *folder, const char *path,
                                                    char **name, arne_error *error);
// The meshes that the robot in a file looks by, where they are found, to where its copy in inputs/
// finds them.
ARNE_CHECKED arne_status arne_run_folder_copy_meshes(const run_folder *folder, const char *robot,
                                                     arne_error *error);
// Adds the page (NULL: none), lists what is in the folder, brings it to disk and puts it in its
// place: DIR or, of a run that is not complete, DIR.incomplete. A page that cannot be written does
// not cost the run: it is in its place, `partial` is NULL, and the status says what failed.
ARNE_CHECKED arne_status arne_run_folder_finish(run_folder *folder, const arne_report_options *page,
                                                arne_error *error);
ARNE_CHECKED arne_status arne_run_folder_keep(run_folder *folder, const arne_report_options *page,
                                              arne_error *error);
// DIR.incomplete, to be freed, where it is of a run with the same inputs as this one has; for going
// on with it.
ARNE_CHECKED arne_status arne_run_folder_resume(const run_folder *folder, char **from,
                                                arne_error *error);
// Removes DIR.incomplete: the run that it was kept for is complete.
void arne_run_folder_resumed(const run_folder *folder);
// Gives up: nothing is left, and what was there before stays. Also after finish, where it only
// frees memory.
void arne_run_folder_drop(run_folder *folder);

// Folder `from` comes to `to`, and what was there to `from`; in two steps where exchange fails with
// ENOSYS. 0 or -1, errno.
typedef int (*arne_exchange_fn)(const char *a, const char *b);
int arne_run_folder_swap(const char *from, const char *to, arne_exchange_fn exchange);

// A text in quotes, as JSON has it.
struct buffer;
void arne_json_put(struct buffer *out, const char *text);
void arne_json_text(FILE *out, const char *text);
// A number as JSON has it: null where it is not finite.
void arne_json_number(FILE *out, double value);

// "dir of base"/name, or name itself where it is absolute; to be freed.
char *arne_path_beside(const char *base, const char *name);

#endif

// Whose files are in a folder? The summary of a run lists what the run wrote: "files": {name:
// SHA-256}. (Of summary.json itself, what is around the list.) An empty hash is of a file that is
// just being written. Everything else belongs to the user, and so does a listed file that has
// changed since.
#ifndef ARNE_IO_RUN_LIST_H
#define ARNE_IO_RUN_LIST_H

#include "io/document.h"
#include "io/folder.h"

typedef enum run_state {
    RUN_NONE,    // no summary of a run
    RUN_PARTIAL, // of a run that is under way, or was killed
    RUN_LISTED
} run_state;

typedef struct run_list {
    run_state       state;
    char           *text; // of the summary
    size_t          size;
    document        tree;
    const doc_node *files; // NULL unless listed
    int             said;  // the summary says what kind of run it is of
} run_list;

// Reads whatever there is; fails only for lack of memory.
ARNE_CHECKED arne_status run_list_load(run_list *list, const char *dir, arne_error *error);
void                     run_list_free(run_list *list);

// Whether the summary says that the run ended before its time.
int run_list_is_incomplete(const run_list *list);

// Whether all that is listed is there, but for files that are just being written.
int run_list_is_whole(const run_list *list, const char *dir);

// Whether a run wrote the item, by its name.
int run_list_has(const run_list *list, const folder_item *item);

// Whether a listed file is no longer what the run wrote. It is no loss where `fresh` (may be NULL)
// has the same one.
int run_list_changed(const run_list *list, const folder_item *item, const char *fresh);

// The folder is not there, is empty, or holds only what a run wrote: it may be replaced. Fails with
// the name of what belongs to the user. fresh: as above.
ARNE_CHECKED arne_status run_list_check(const char *dir, const char *fresh, arne_error *error);

// Removes what a run wrote, and the folder where nothing else is in it. unfinished: as a run leaves
// it that was killed, at whatever point.
void run_list_remove(const char *dir, int unfinished);
// Whether that would remove all of an unfinished folder.
int run_list_knows(const char *dir);

// Lists everything that is in the folder in its summary.json.
ARNE_CHECKED arne_status run_list_write(const char *dir, arne_error *error);

// Files that are added to a run: names, then run_claim_begin, then the files, then run_claim_end.
typedef struct run_claim {
    char       *dir; // behind links
    folder_lock lock;
    run_list    list;
    char      **names;
    int         count;
    arne_error *error;
    arne_status status; // the first failure
} run_claim;

ARNE_CHECKED arne_status run_claim_open(run_claim *claim, const char *dir, arne_error *error);
ARNE_CHECKED arne_status run_claim_name(run_claim *claim, const char *name);
// Fails with the name of a file that is there and belongs to the user.
ARNE_CHECKED arne_status run_claim_begin(run_claim *claim);
ARNE_CHECKED arne_status run_claim_end(run_claim *claim);
void                     run_claim_free(run_claim *claim);

#endif

// DIR.incomplete, where a sweep lives until it is complete: shards/, the manifest, runs/ that are
// kept. Only rank 0 has one.
//
// The manifest says what the sweep is and, a line each, which rows are on disk. Whatever happens to
// the processes, what it says is there; rows that are whole in a shard count also where it does not
// say so yet.
#ifndef ARNE_SWEEP_SWEEP_STORE_H
#define ARNE_SWEEP_SWEEP_STORE_H

#include "io/folder.h"
#include "sweep/row_handout.h"
#include "sweep/shard.h"

typedef struct sweep_store {
    arne_sweep               *sweep;
    const arne_sweep_options *how;
    char                     *dir, *work, *shards, *runs, *warm, *manifest_path;
    folder_lock               lock;
    int                       manifest; // handle; -1: none
    char                     *key;      // of the sweep: what its files and columns are
    extent                   *extents;
    int                       extent_count, extent_room;
    char                    **names; // of shards
    int                       name_count, name_room;
    unsigned char            *is_done; // a bit for each row
    long                      done, failed, resumed, damaged, claimed;
    long                      unsynced; // rows in the manifest, not yet known to be on disk
    buffer                    lines;    // of the manifest, to be written
    int                       scanned;  // the shard that is being looked at
    int                       finished; // DIR has the whole sweep already
} sweep_store;

// Names only; 0: no memory.
int  store_name(sweep_store *st, arne_sweep *s, const char *dir);
void store_free(sweep_store *st);

ARNE_CHECKED arne_status store_begin(sweep_store *st, const arne_sweep_options *how,
                                     arne_error *error);
static inline int        store_has(const sweep_store *st, long row)
{
    return st->is_done[row / 8] >> (row % 8) & 1;
}
// Rows that are on disk. order: of places; NULL: rows are places. 0, or errno.
int store_done(sweep_store *st, const chunk_done *done, const long *order);
// Brings the manifest to disk. 0, or errno.
int store_sync(sweep_store *st);
// The table and all else, in DIR; DIR.incomplete goes.
ARNE_CHECKED arne_status store_finish(sweep_store *st, arne_sweep_summary *summary,
                                      arne_error *error);

// Runs that were on their way into DIR come back to DIR.incomplete/runs (kept_runs.c).
void store_take_back_runs(const sweep_store *st);
// Runs of a complete sweep go to DIR.incomplete/runs, likewise.
void store_fetch_runs(const sweep_store *st);
// For retries (retry_rows.c): drops rows that failed from all shards; makes a shard of the table of
// a complete sweep, without rows that failed.
ARNE_CHECKED arne_status store_forget_failed(const sweep_store *st, arne_error *error);
ARNE_CHECKED arne_status store_reopen(const sweep_store *st, arne_error *error);
// Of runs only those of rows that are done stay.
void store_clear_runs(const sweep_store *st);
// DIR.incomplete goes, with all that a sweep leaves there.
void store_remove_work(sweep_store *st);
// For arne_folder_walk, with the folder's path as context: removes an item, of folders empty ones.
int sweep_remove_item(void *context, const folder_item *item);

// For store_finish (sweep_table.c): all rows in their order. And HDF5 beside it, where there is a
// module.
ARNE_CHECKED arne_status sweep_write_table(sweep_store *st, const char *path, arne_error *error);
ARNE_CHECKED arne_status sweep_write_hdf5(const sweep_store *st, const char *table,
                                          const char *path, const char *summary, int *is_there,
                                          arne_error *error);
int                      extent_order(const void *a, const void *b);
void store_warn(const sweep_store *st, const char *rule, const char *file, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif

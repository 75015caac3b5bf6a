// A rank at work: its processes, the ranks that it serves, and the one that serves it.
//
//     rank 0 has all rows and the manifest; it answers those who want rows and hears of those that
//     are done. Where there are very many
//     ranks, the first of each group stands between: it asks for rows in the name of its group and
//     hands them on.
#ifndef ARNE_SWEEP_SWEEP_DRIVE_H
#define ARNE_SWEEP_SWEEP_DRIVE_H

#include "sweep/sweep_mpi.h"
#include "sweep/sweep_store.h"

typedef enum message_kind {
    MESSAGE_WANT, // up: rows, for so many processes
    MESSAGE_ROWS, // down: here they are
    MESSAGE_END,  // down: there are no more
    MESSAGE_DONE, // up: a chunk is on disk
    MESSAGE_BYE,  // up: a rank has nothing left to do
    MESSAGE_STOP  // both ways: stop, all of you
} message_kind;

typedef struct message {
    message_kind kind;
    int          workers, number; // number: errno, where a disk is full
    chunk_done   done;            // what: also the rows that are handed out
} message;

// A rank that asks this one for rows.
typedef struct child {
    int  rank, workers, wants, gone, told;
    long last;
} child;

typedef struct drive {
    arne_sweep               *s;
    const arne_sweep_options *how;
    sweep_store               store; // of other ranks: names alone
    worker_plan               plan;
    const mpi_module         *mpi; // NULL: alone
    int                       rank, ranks, parent;
    worker                   *workers;
    int                       worker_count, all_workers; // all: of the ranks below, too
    child                    *children;
    int                       child_count;
    row_pool                  pool;
    pace                      pace;
    long                     *order;      // of rows; NULL: as they are
    long                     *level_ends; // of places, where searches start from their neighbours'
    int                       level, level_count;
    long                      level_left; // rows of the level that are not done
    long   left;  // rows that are not handed out, of all (rank 0) or of what was got
    long   share; // of the rows that a rank got last, those for one process
    int    asked, ended, stopping, number; // ended: there will be no more rows
    double stopped_at, began, told_at, synced_at;
    int    own; // the master's own shard, for rows whose process has died
    char   own_shard[SHARD_NAME];
    long   own_at;
    int    barren; // processes that died one after the other before they began a row
} drive;

// sweep_drive.c
void drive_done(drive *d, const chunk_done *done);
void drive_stop(drive *d, int number);
int  drive_feed(drive *d);
// sweep_processes.c: what the processes of this rank say. Whether anything came.
int drive_hear_workers(drive *d, int milliseconds);
int drive_workers_idle(const drive *d);
int drive_workers_full(const drive *d); // none would take another chunk
// Rows for one process that had `last` before.
long drive_share(const drive *d, long last);
// sweep_messages.c: what other ranks say. Whether anything came.
int  drive_hear_ranks(drive *d);
void drive_answer(drive *d);
void drive_ask(drive *d);
void drive_send(drive *d, int to, const message *m);

#endif

// A process that computes rows: it takes chunks from a socket, appends to a shard of its own,
// brings that to disk, and says so.
#ifndef ARNE_SWEEP_SWEEP_WORKER_H
#define ARNE_SWEEP_SWEEP_WORKER_H

#include "io/folder.h"
#include "sweep/sweep.h"
#include <sys/types.h>

enum { SHARD_NAME = 64, WORKER_QUEUE = 3 };

typedef struct chunk {
    long start, count; // places in the order of rows; count 0: the end
} chunk;

typedef struct chunk_done {
    chunk  what; // rows that are on disk; fewer than were asked for where it was stopped
    long   failed, offset, bytes;
    double seconds;
    int    number; // errno where the shard cannot be written
    char   shard[SHARD_NAME];
} chunk_done;

// What a process and its master see at the same time.
typedef struct worker_shared {
    volatile int    stop;
    volatile long   row;               // that is being computed; -1: none
    volatile double started;           // of the clock; s
    volatile long   begun;             // rows, since the process was started
    char            shard[SHARD_NAME]; // its file; "": none yet
} worker_shared;

typedef struct worker {
    pid_t          pid;
    int            socket;
    worker_shared *shared;
    chunk          queue[WORKER_QUEUE]; // handed out and not yet done
    int            queued, killed;      // killed: for its time limit
    int            alone, deaths; // it has one row alone, at which so many processes died before
    long           last;          // rows of the last chunk that was handed out
    long           end;           // of what is known of the shard
} worker;

typedef struct worker_plan {
    arne_sweep        *sweep;
    const char        *shards, *runs, *warm; // folders
    const long        *order;                // of rows; NULL: as they are numbered
    int                syncs;                // 0: for measurements
    const folder_lock *lock;                 // of the master, which ends with the master
} worker_plan;

// Starts it; 0, or -1 with errno.
int worker_start(worker *w, const worker_plan *plan, int index, const worker *others,
                 int other_count);
// Ends it and frees what belongs to it.
void worker_end(worker *w, int at_once);

// Appends a whole line to a shard. 0, or errno.
int shard_append(int file, const char *bytes, size_t size);
// A shard that does not exist yet; its handle, or -1 with errno.
int shard_open(const char *folder, int index, char name[SHARD_NAME]);

#endif

// Threads that wait for work: numbered pieces, taken by any free thread, the caller included.
#ifndef ARNE_BASE_POOL_H
#define ARNE_BASE_POOL_H

#include <arne/status.h>
#include <stddef.h>

typedef struct pool pool;
// Worker 0 is the caller.
typedef void (*pool_task)(void *context, int worker, size_t piece);

// The number of processors this process may use.
int pool_processors(void);
// `threads` with the caller's; no others are started for 1.
arne_status pool_new(int threads, pool **out);
void        pool_free(pool *p);
// Returns when all pieces are done. What they wrote can be read then.
void pool_run(pool *p, size_t pieces, pool_task task, void *context);

#endif

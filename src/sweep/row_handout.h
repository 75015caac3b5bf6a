// Rows that wait to be computed, and how many are handed out at once.
#ifndef ARNE_SWEEP_ROW_HANDOUT_H
#define ARNE_SWEEP_ROW_HANDOUT_H

#include "sweep/sweep_worker.h"

typedef struct row_pool {
    chunk *ranges; // those from `first` on
    int    first, count, room;
    long   rows;
} row_pool;

// 0: no memory
int row_pool_add(row_pool *p, chunk c);
int row_pool_add_front(row_pool *p, chunk c);
// At most so many rows, in one range; count 0 where there are none.
chunk row_pool_take(row_pool *p, long most);
void  row_pool_free(row_pool *p);

// How long rows take, the latest ones more than those long ago.
typedef struct pace {
    double seconds; // a row; 0: not known yet
    double weight;
} pace;
void pace_add(pace *p, long rows, double seconds);

// Rows for one process: those of about a third of a second, no more than four times as many as it
// had last, and at the end no more than leave work for all.
long handout_size(const pace *p, long last, long left, int workers);

#endif

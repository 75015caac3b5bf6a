// An entry of `objective` or `constraints`, for the two files that read them.
#ifndef ARNE_HORIZON_ENTRY_H
#define ARNE_HORIZON_ENTRY_H

#include "horizon/horizon.h"

// What a word of a file is: a quantity of a solver, its rows, and the size of its reference.
enum { BY_COORDINATE = -1, BY_CONTROL = -2 };
typedef struct term_kind {
    arne_oc_quantity quantity;
    int              rows, reference; // BY_...: those of coordinates
    int              velocity;        // the second half of a state
    int              on_state;        // it is known at the end, and given at the start
    const char      *columns[3];      // of a table with the reference
} term_kind;

typedef struct entry {
    const doc_word *quantity;
    const char     *frame, *joint;
    const doc_node *joints, *reference, *weights, *lower, *upper, *equal, *at;
    int             limits, has_pose;
    double          weight, from, to;
    arne_pose       pose;
} entry;

// The rows of a quantity; the row of a coordinate, -1 where it has none.
int entry_rows(const arne_horizon *h, const term_kind *k);
int entry_row(const arne_horizon *h, const term_kind *k, int coordinate);
// Numbers for the rows: one for all, a list, or by joint, of which only the marked ones count. out
// has a number of every row.
ARNE_CHECKED arne_status entry_numbers(const arne_horizon *h, const doc_slot *slot,
                                       const term_kind *k, const unsigned char *marked,
                                       double *out);
// Term, its rows (marked coordinates), place and reference.
ARNE_CHECKED arne_status entry_begin(arne_horizon *h, const doc_slot *map, const entry *e,
                                     arne_oc_term *t, unsigned char *marked);

#endif

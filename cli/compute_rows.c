// States are taken in pieces, by any free thread; the texts of the pieces are joined in their
// order, so that what is written does not depend on the number of threads.
#include "compute_rows.h"

#include "message.h"

#include <arne/batch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { PIECE = 2048, WORKERS_MOST = 64 };

typedef struct shared_rows {
    const rows_request *rows;
    int                 piece_count;
    row_text           *text; // of each piece
    atomic_int          next, failed, no_memory;
} shared_rows;

static void make_piece(shared_rows *s, int piece, result *found)
{
    const rows_request *r = s->rows;
    const int           first = piece * PIECE, left = r->count - first;
    const int           count = left < PIECE ? left : PIECE;
    arne_status         status;
    many *m = many_make(r->what, r->ask, r->states + first, count, r->base, &status, NULL);
    if (!m || !many_is_finite(m)) atomic_store(&s->failed, 1);
    if (status == ARNE_NO_MEMORY) atomic_store(&s->no_memory, 1);
    for (int i = 0; m && i < count && !atomic_load(&s->failed); i++) {
        result_reset(found);
        time_field(&r->states[first + i], found);
        many_fields(m, i, found);
        result_csv_row(found, &s->text[piece]);
    }
    many_free(m);
}

static void *make_pieces(void *context)
{
    shared_rows *s = context;
    result       found = {.order = s->rows->ask->order};
    for (;;) {
        const int piece = atomic_fetch_add(&s->next, 1);
        if (piece >= s->piece_count || atomic_load(&s->failed)) break;
        make_piece(s, piece, &found);
    }
    result_free(&found);
    return NULL;
}

// As many as a batch would take by itself.
static int worker_count(const rows_request *r, int pieces)
{
    arne_batch *batch;
    if (pieces < 2 || arne_batch_new(r->ask->robot, NULL, &batch, NULL)) return 1;
    int count = arne_batch_threads(batch);
    arne_batch_free(batch);
    if (count > WORKERS_MOST) count = WORKERS_MOST;
    return count < pieces ? count : pieces;
}

// The caller is one of the workers; those that cannot be had are done without.
static void run_workers(shared_rows *s)
{
    pthread_t thread[WORKERS_MOST];
    const int wanted = worker_count(s->rows, s->piece_count);
    int       started = 0;
    while (started + 1 < wanted && pthread_create(&thread[started], NULL, make_pieces, s) == 0)
        started++;
    make_pieces(s);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}

static int write_header(const rows_request *r, FILE *out)
{
    result      found = {.order = r->ask->order};
    arne_status status;
    many       *m = many_make(r->what, r->ask, r->states, 1, r->base, &status, NULL);
    if (!m) return 0;
    time_field(r->states, &found);
    many_fields(m, 0, &found);
    result_csv_header(&found, out);
    result_free(&found);
    many_free(m);
    return 1;
}

rows_outcome many_rows(const rows_request *rows, FILE *out)
{
    shared_rows s = {.rows = rows, .piece_count = (rows->count + PIECE - 1) / PIECE};
    s.text = need((size_t)s.piece_count, sizeof *s.text);
    run_workers(&s);
    int fine = !atomic_load(&s.failed);
    if (fine && !write_header(rows, out)) { // what was computed for all rows can be for one
        fine = 0;
        atomic_store(&s.no_memory, 1);
    }
    for (int i = 0; i < s.piece_count; i++) {
        if (fine) fwrite(s.text[i].text, 1, s.text[i].length, out);
        free(s.text[i].text);
    }
    free(s.text);
    return atomic_load(&s.no_memory) ? ROWS_NO_MEMORY : fine ? ROWS_WRITTEN : ROWS_NONE;
}

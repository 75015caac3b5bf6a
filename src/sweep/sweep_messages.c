// What ranks say to each other. Nobody waits for an answer: wants are remembered until there are
// rows.
#include "sweep/sweep_drive.h"
#include <string.h>

void drive_send(drive *d, int to, const message *m)
{
    if (d->mpi && d->mpi->send(to, m, sizeof *m) != 0) d->stopping = d->stopping ? d->stopping : 1;
}

static child *find_child(drive *d, int rank)
{
    for (int i = 0; i < d->child_count; i++)
        if (d->children[i].rank == rank) return &d->children[i];
    return NULL;
}

static void count_workers(drive *d)
{
    d->all_workers = d->worker_count;
    for (int i = 0; i < d->child_count; i++)
        d->all_workers += d->children[i].workers;
}

static void on_message(drive *d, int from, const message *m)
{
    child *c = find_child(d, from);
    switch (m->kind) {
    case MESSAGE_WANT:
        if (!c) return;
        c->workers = m->workers;
        c->wants = 1;
        count_workers(d);
        return;
    case MESSAGE_ROWS:
        d->asked = 0;
        d->left += m->done.what.count;
        d->share = m->done.what.count / (d->all_workers > 0 ? d->all_workers : 1);
        if (d->share < 1) d->share = 1;
        if (!row_pool_add(&d->pool, m->done.what)) drive_stop(d, 12);
        return;
    case MESSAGE_END:
        d->asked = 0;
        d->ended = 1;
        return;
    case MESSAGE_DONE:
        drive_done(d, &m->done);
        return;
    case MESSAGE_BYE:
        if (c) c->gone = 1;
        return;
    case MESSAGE_STOP:
        if (c && m->number) c->gone = 0;
        drive_stop(d, m->number);
        return;
    }
}

int drive_hear_ranks(drive *d)
{
    message m;
    int     from, heard = 0;
    while (d->mpi && heard < 1000 && d->mpi->receive(&from, &m, sizeof m) == 1) {
        on_message(d, from, &m);
        heard++;
    }
    return heard;
}

// Rows for those who want them; the end for those who want more than there are.
void drive_answer(drive *d)
{
    for (int i = 0; i < d->child_count && !d->stopping; i++) {
        child *c = &d->children[i];
        if (!c->wants || c->gone) continue;
        message m = {.kind = MESSAGE_ROWS};
        m.done.what = row_pool_take(&d->pool, drive_share(d, c->last) * c->workers);
        if (m.done.what.count) {
            d->left -= m.done.what.count;
            c->last = m.done.what.count / (c->workers > 0 ? c->workers : 1) + 1;
            c->wants = 0;
            drive_send(d, c->rank, &m);
        } else if (d->ended && !c->told) {
            m.kind = MESSAGE_END;
            c->wants = 0;
            c->told = 1;
            drive_send(d, c->rank, &m);
        }
    }
}

static int child_wants(const drive *d)
{
    for (int i = 0; i < d->child_count; i++)
        if (d->children[i].wants && !d->children[i].gone) return 1;
    return 0;
}

// A rank asks for more when a process of it, or a rank below, would take it: processes have chunks
// waiting, so no process idles, and at the end the rows are shared out evenly.
void drive_ask(drive *d)
{
    const message m = {.kind = MESSAGE_WANT, .workers = d->all_workers};
    if (d->rank == 0 || d->asked || d->ended || d->stopping || d->pool.rows) return;
    if (drive_workers_full(d) && !child_wants(d)) return;
    d->asked = 1;
    drive_send(d, d->parent, &m);
}

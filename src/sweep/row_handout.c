#include "sweep/row_handout.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int row_pool_add(row_pool *p, chunk c)
{
    if (c.count <= 0) return 1;
    p->rows += c.count;
    if (p->count > p->first) {
        chunk *last = &p->ranges[p->count - 1];
        if (last->start + last->count == c.start) {
            last->count += c.count;
            return 1;
        }
    }
    if (p->first > 64 && 2 * p->first > p->count) {
        memmove(p->ranges, p->ranges + p->first, (size_t)(p->count - p->first) * sizeof *p->ranges);
        p->count -= p->first;
        p->first = 0;
    }
    if (p->count == p->room) {
        const int room = 2 * p->room + 64;
        chunk    *ranges = realloc(p->ranges, (size_t)room * sizeof *ranges);
        if (!ranges) return 0;
        p->ranges = ranges;
        p->room = room;
    }
    p->ranges[p->count++] = c;
    return 1;
}

int row_pool_add_front(row_pool *p, chunk c)
{
    if (c.count <= 0) return 1;
    if (p->first == 0) return row_pool_add(p, c);
    p->ranges[--p->first] = c;
    p->rows += c.count;
    return 1;
}

chunk row_pool_take(row_pool *p, long most)
{
    chunk none = {0, 0};
    if (p->first == p->count || most < 1) return none;
    chunk *head = &p->ranges[p->first];
    chunk  taken = {head->start, head->count < most ? head->count : most};
    head->start += taken.count;
    head->count -= taken.count;
    if (!head->count) p->first++;
    p->rows -= taken.count;
    return taken;
}

void row_pool_free(row_pool *p)
{
    free(p->ranges);
    *p = (row_pool){0};
}

void pace_add(pace *p, long rows, double seconds)
{
    const double keep = 0.9;
    if (rows <= 0) return;
    p->seconds = (p->seconds * p->weight * keep + seconds) / (p->weight * keep + (double)rows);
    p->weight = p->weight * keep + (double)rows;
}

long handout_size(const pace *p, long last, long left, int workers)
{
    const double target = 0.3;
    const long   most = 1000000, fair = left / (3L * (workers > 0 ? workers : 1));
    double       rows = p->seconds > 0 ? target / p->seconds : 1;
    if (rows > 4 * (double)last + 1) rows = 4 * (double)last + 1;
    if (rows > (double)most) rows = (double)most;
    if (rows > (double)fair) rows = (double)fair;
    return rows < 1 ? 1 : (long)rows;
}

// Which slacks and rows are taken out, and where entries of the matrix go: see condense.h.
#include "plan/solve/condense.h"
#include "robot/isa.h"
#include <stdlib.h>
#include <string.h>

enum { HEAD = 8, NOBODY = -1 };

int condense_keep(int n, int entries) { return HEAD + 5 * n + 2 * entries; }

int condense_room(int n) { return 5 * n; }

// Its arrays, one after the other; sizes as in the head.
static condensed condense_lay_out(int *keep)
{
    condensed c = {.isa = isa_index(ARNE_ISA_BEST),
                   .n = keep[0],
                   .entries = keep[1],
                   .rest = keep[2],
                   .pairs = keep[3],
                   .groups = keep[4],
                   .numbers = keep[5],
                   .widest = keep[6]};
    c.target = keep + HEAD;
    c.slack = c.target + c.entries;
    c.row = c.slack + c.pairs;
    c.variable = c.row + c.pairs;
    c.first_pair = c.variable + c.rest;
    c.first_column = c.first_pair + c.groups + 1;
    c.column = c.first_column + c.groups + 1;
    return c;
}

condensed condense_open(int *keep) { return condense_lay_out(keep); }

long condense_numbers(const condensed *c)
{
    return c->numbers + (long)CONDENSE_PANEL * c->rest + c->rest + c->pairs + 4L * c->widest;
}

int condense_whole(const condensed *c) { return c->rest + 1; }

// ---- pairs

typedef struct matrix {
    int        n, entries;
    const int *row, *column; // from 1 on
} matrix;

// mate[i]: the other one of a pair; NOBODY: it stays.
static void find_mates(const matrix *m, int *mate, int *count)
{
    memset(count, 0, (size_t)m->n * sizeof *count);
    for (int k = 0; k < m->entries; k++) {
        const int i = m->row[k] - 1, j = m->column[k] - 1;
        if (i == j) continue;
        count[i]++, count[j]++;
        mate[i] = j, mate[j] = i;
    }
    for (int i = 0; i < m->n; i++)
        if (count[i] != 1 || mate[i] < i) mate[i] = NOBODY;
    for (int i = 0; i < m->n; i++) // those that slacks have chosen; each once
        if (mate[i] > i) {
            if (mate[mate[i]] == NOBODY)
                mate[mate[i]] = i;
            else
                mate[i] = NOBODY;
        }
    for (int k = 0; k < m->entries; k++) { // rows of two pairs do not meet
        const int i = m->row[k] - 1, j = m->column[k] - 1;
        if (i == j || mate[i] == NOBODY || mate[j] == NOBODY || mate[i] == j) continue;
        mate[mate[i]] = NOBODY;
        mate[i] = NOBODY;
    }
}

static int is_row(const int *mate, int i) { return mate[i] != NOBODY && mate[i] < i; }

// The row of a pair and the other end, where an entry belongs to one and is not in its pivot.
static int row_entry(const matrix *m, const int *mate, int k, int *row, int *other)
{
    const int i = m->row[k] - 1, j = m->column[k] - 1;
    if (i == j || mate[i] == j) return 0;
    *row = is_row(mate, i) ? i : j;
    *other = *row == i ? j : i;
    return is_row(mate, *row);
}

// ---- rows

static int condense_by_size(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int sorted_once(int *list, int count)
{
    int out = 0;
    for (int i = 1; i < count && list[i] > list[i - 1]; i++)
        if (i == count - 1) return count; // it is so mostly
    qsort(list, (size_t)count, sizeof *list, condense_by_size);
    for (int i = 0; i < count; i++)
        if (!out || list[out - 1] != list[i]) list[out++] = list[i];
    return out;
}

// Columns of every row, in order and once; begin[p] to end[p] in list.
static void condense_list_columns(const matrix *m, const int *mate, const int *place, int pairs,
                                  int *list, int *begin, int *end)
{
    int row, other, sum = 0;
    memset(end, 0, (size_t)pairs * sizeof *end);
    for (int k = 0; k < m->entries; k++)
        if (row_entry(m, mate, k, &row, &other)) end[place[row]]++;
    for (int p = 0; p < pairs; p++) {
        begin[p] = sum;
        sum += end[p];
        end[p] = begin[p];
    }
    for (int k = 0; k < m->entries; k++)
        if (row_entry(m, mate, k, &row, &other)) list[end[place[row]]++] = place[other];
    for (int p = 0; p < pairs; p++)
        end[p] = begin[p] + sorted_once(list + begin[p], end[p] - begin[p]);
}

static int condense_same(const int *list, const int *begin, const int *end, int a, int b)
{
    const int size = end[a] - begin[a];
    return size == end[b] - begin[b] &&
           !memcmp(list + begin[a], list + begin[b], (size_t)size * sizeof *list);
}

// first[p]: the first row with the same columns. The table has 2 pairs + 1 places.
static void find_same(const int *list, const int *begin, const int *end, int pairs, int *table,
                      int *first)
{
    const unsigned size = 2 * (unsigned)pairs + 1;
    memset(table, -1, size * sizeof *table);
    for (int p = 0; p < pairs; p++) {
        unsigned hash = 1;
        for (int k = begin[p]; k < end[p]; k++)
            hash = (hash ^ (unsigned)list[k]) * 2654435761u;
        unsigned at = hash % size;
        while (table[at] >= 0 && !condense_same(list, begin, end, table[at], p))
            at = (at + 1) % size;
        if (table[at] < 0) table[at] = p;
        first[p] = table[at];
    }
}

// ---- all together

typedef struct analysis {
    int *mate, *place;        // place: in the rest, or the number of the pair by its row
    int *begin, *end, *first; // by that number, see above
    int *ordered, *group_of;  // later in the place of begin and end: by groups
} analysis;

// Pairs in the order of their groups.
static void order_pairs(condensed *c, const analysis *a, int *list)
{
    int pair = 0, group = 0, used = 0;
    c->widest = 8;
    c->numbers = condense_stride(c->rest) * c->rest + 3 * c->pairs;
    for (int p = 0; p < c->pairs; p++) {
        if (a->first[p] != p) continue;
        const int columns = a->end[p] - a->begin[p];
        c->first_pair[group] = pair;
        c->first_column[group] = used;
        memmove(list + used, list + a->begin[p], (size_t)columns * sizeof *list);
        used += columns;
        for (int q = p; q < c->pairs; q++)
            if (a->first[q] == p) {
                a->ordered[q] = pair++;
                a->group_of[q] = group;
                c->numbers += condense_rounded(columns);
            }
        if (condense_rounded(columns) > c->widest) c->widest = condense_rounded(columns);
        group++;
    }
    c->first_pair[group] = pair;
    c->first_column[group] = used;
    for (int i = 0; i < c->n; i++) {
        if (!is_row(a->mate, i)) continue;
        const int p = a->place[i];
        c->row[a->ordered[p]] = i;
        c->slack[a->ordered[p]] = a->mate[i];
    }
}

static int condense_find(const int *list, int count, int what)
{
    int low = 0, high = count - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (list[middle] < what)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Where the entries of a group's rows begin; those of its pairs follow, in whole vectors.
static void begin_groups(const condensed *c, int *begin)
{
    int at = condense_stride(c->rest) * c->rest + 3 * c->pairs;
    for (int g = 0; g < c->groups; g++) {
        begin[g] = at;
        at += (c->first_pair[g + 1] - c->first_pair[g]) *
              condense_rounded(c->first_column[g + 1] - c->first_column[g]);
    }
}

static int condense_target_of(const condensed *c, const matrix *m, const analysis *a,
                              const int *begin, int k)
{
    const int i = m->row[k] - 1, j = m->column[k] - 1, pivots = condense_stride(c->rest) * c->rest;
    int       row, other;
    if (a->mate[i] == NOBODY && a->mate[j] == NOBODY) {
        const int x = a->place[i], y = a->place[j];
        return (x > y ? y : x) * condense_stride(c->rest) + (x > y ? x : y);
    }
    if (row_entry(m, a->mate, k, &row, &other)) {
        const int p = a->place[row], pair = a->ordered[p], g = a->group_of[p],
                  from = c->first_column[g], count = c->first_column[g + 1] - from;
        return begin[g] + (pair - c->first_pair[g]) * condense_rounded(count) +
               condense_find(c->column + from, count, a->place[other]);
    }
    row = is_row(a->mate, i) ? i : is_row(a->mate, j) ? j : a->mate[i];
    const int which = i != j ? 1 : i == row ? 2 : 0; // of the slack, between both, of the row
    return pivots + 3 * a->ordered[a->place[row]] + which;
}

void condense_pattern(int n, int entries, const int *row, const int *column, int *keep, int *room)
{
    const matrix m = {n, entries, row, column};
    analysis     a = {.mate = room, .place = room + n};
    int          rest = 0, pairs = 0, groups = 0;
    find_mates(&m, a.mate, a.place);
    for (int i = 0; i < n; i++)
        a.place[i] = a.mate[i] == NOBODY ? rest++ : is_row(a.mate, i) ? pairs++ : NOBODY;
    a.begin = a.ordered = room + 2 * n;
    a.end = a.group_of = a.begin + pairs;
    a.first = a.end + pairs;
    int *table = a.first + pairs; // 5 pairs + 1 beside 2 n: pairs are at most n / 2
    int *list = keep + HEAD;      // the place of the targets until they are known
    condense_list_columns(&m, a.mate, a.place, pairs, list, a.begin, a.end);
    find_same(list, a.begin, a.end, pairs, table, a.first);
    for (int p = 0; p < pairs; p++)
        groups += a.first[p] == p;
    const int head[HEAD] = {n, entries, rest, pairs, groups};
    memcpy(keep, head, sizeof head);
    condensed c = condense_lay_out(keep);
    order_pairs(&c, &a, list);
    memcpy(c.column, list, (size_t)c.first_column[groups] * sizeof *list);
    keep[5] = c.numbers;
    keep[6] = c.widest;
    for (int i = 0; i < n; i++)
        if (a.mate[i] == NOBODY) c.variable[a.place[i]] = i;
    begin_groups(&c, table);
    for (int k = 0; k < entries; k++)
        c.target[k] = condense_target_of(&c, &m, &a, table, k);
}

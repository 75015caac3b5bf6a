// A column of many rows is sent as the lowest and the highest of as many stretches as a screen can
// show, so that no peak is lost; one of few rows as it is.
#include "report/plot_block.h"

#include "report/data_block.h"
#include <math.h>
#include <stdlib.h>

enum { NUMBERS = 50000, POINTS_MOST = 1000, POINTS_LEAST = 200 };

typedef struct column_set {
    samples *item;
    int     *counts;
    int      count, room;
} column_set;

static int plot_block_find_column(column_set *set, samples s, int count)
{
    for (int i = 0; i < set->count; i++)
        if (set->item[i].first == s.first && set->counts[i] == count) return i;
    if (set->count == set->room) return -1;
    set->item[set->count] = s;
    set->counts[set->count] = count;
    return set->count++;
}

// First and last of a stretch stay in their order: whichever of low and high came first is first.
static size_t reduce(samples s, int count, int points, float *out)
{
    size_t n = 0;
    if (count <= points) {
        for (int i = 0; i < count; i++)
            out[n++] = (float)sample(s, i);
        return n;
    }
    const int stretches = points / 2;
    for (int k = 0; k < stretches; k++) {
        const int from = (int)((long)count * k / stretches);
        const int to = (int)((long)count * (k + 1) / stretches);
        int       low = from, high = from;
        for (int i = from; i < to; i++) {
            if (sample(s, i) < sample(s, low)) low = i;
            if (sample(s, i) > sample(s, high)) high = i;
        }
        out[n++] = (float)sample(s, low < high ? low : high);
        out[n++] = (float)sample(s, low < high ? high : low);
    }
    return n;
}

static void plot_block_put_line(buffer *b, const plot_line *l, int column)
{
    put(b, "{\"name\":");
    block_text(b, l->name);
    put(b, ",\"column\":%d,\"colour\":%d,\"reference\":%s,\"low\":", column, l->colour,
        l->reference ? "true" : "false");
    block_number(b, l->has_limits ? l->low : NAN, 9);
    put(b, ",\"high\":");
    block_number(b, l->has_limits ? l->high : NAN, 9);
    put(b, "}");
}

static void put_flag(buffer *b, const char *key, int value)
{
    put(b, ",\"%s\":%s", key, value ? "true" : "false");
}

static void plot_block_put_plot(buffer *b, const plot *p, column_set *set)
{
    put(b, "{\"title\":");
    block_text(b, p->title);
    put(b, ",\"xLabel\":");
    block_text(b, p->x_label);
    put(b, ",\"yLabel\":");
    block_text(b, p->y_label);
    put(b, ",\"kind\":");
    block_text(b, p->kind);
    put(b, ",\"x\":%d", plot_block_find_column(set, p->x, p->count));
    put_flag(b, "time", p->is_time);
    put_flag(b, "small", p->is_small);
    put(b, ",\"lines\":[");
    for (int k = 0; k < p->line_count; k++) {
        put(b, "%s", k ? "," : "");
        plot_block_put_line(b, &p->line[k], plot_block_find_column(set, p->line[k].y, p->count));
    }
    put(b, "]");
    if (p->band_low.first) {
        put(b,
            ",\"band\":[%d,%d],\"bandName\":", plot_block_find_column(set, p->band_low, p->count),
            plot_block_find_column(set, p->band_high, p->count));
        block_text(b, p->band_name);
    }
    put(b, "}");
}

static void plot_block_put_columns(buffer *b, const column_set *set)
{
    int points = set->count ? NUMBERS / set->count : 0;
    if (points > POINTS_MOST) points = POINTS_MOST;
    if (points < POINTS_LEAST) points = POINTS_LEAST;
    float *values = malloc((size_t)points * sizeof *values);
    put(b, "\"columns\":[");
    for (int i = 0; i < set->count && values; i++) {
        const size_t n = reduce(set->item[i], set->counts[i], points, values);
        put(b, "%s", i ? ",\n" : "");
        block_floats(b, values, n);
    }
    put(b, "]");
    b->failed = b->failed || !values;
    free(values);
}

void plot_block_put(buffer *b, const plot_list *list)
{
    column_set set = {.room = list->count * (PLOT_LINES + 3) + 1};
    set.item = malloc((size_t)set.room * sizeof *set.item);
    set.counts = malloc((size_t)set.room * sizeof *set.counts);
    if (!set.item || !set.counts) {
        b->failed = 1;
    } else {
        put(b, "\"plots\":[");
        for (int i = 0; i < list->count; i++) {
            put(b, "%s", i ? ",\n" : "");
            if (is_live(&list->item[i].plot))
                plot_block_put_plot(b, &list->item[i].plot, &set);
            else
                put(b, "null");
        }
        put(b, "],\n");
        plot_block_put_columns(b, &set);
    }
    free(set.item);
    free(set.counts);
}

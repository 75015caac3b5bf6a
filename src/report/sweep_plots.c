// Histograms, scatter plots and heat maps, as SVG in the page's style.
#include "report/axis_scale.h"
#include "report/markup.h"
#include "report/sweep_data.h"
#include <math.h>
#include <stdlib.h>

enum { WIDTH = 360, HEIGHT = 220, LEFT = 52, RIGHT = 12, TOP = 12, BOTTOM = 42 };

static void sweep_plots_put_frame(buffer *b, const scale *x, const scale *y)
{
    for (int i = 0; i < scale_ticks(x); i++) {
        const double at = scale_place(x, scale_tick(x, i));
        put(b, "<line class=\"g\" x1=\"");
        put_place(b, at);
        put(b, "\" x2=\"");
        put_place(b, at);
        put(b, "\" y1=\"%d\" y2=\"%d\"/><text text-anchor=\"middle\" x=\"", TOP, HEIGHT - BOTTOM);
        put_place(b, at);
        put(b, "\" y=\"%d\">", HEIGHT - BOTTOM + 15);
        scale_label(b, x, i);
        put(b, "</text>");
    }
    for (int i = 0; i < scale_ticks(y); i++) {
        const double at = scale_place(y, scale_tick(y, i));
        put(b, "<line class=\"g\" x1=\"%d\" x2=\"%d\" y1=\"", LEFT, WIDTH - RIGHT);
        put_place(b, at);
        put(b, "\" y2=\"");
        put_place(b, at);
        put(b, "\"/><text text-anchor=\"end\" x=\"%d\" y=\"", LEFT - 5);
        put_place(b, at + 4);
        put(b, "\">");
        scale_label(b, y, i);
        put(b, "</text>");
    }
    put(b, "<rect class=\"f\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", LEFT, TOP,
        WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
}

static void put_label(buffer *b, const sweep_column *c, int most)
{
    put_text_short(b, c->name, most);
    if (!*c->unit) return;
    put(b, " [");
    put_text_short(b, c->unit, 12);
    put(b, "]");
}

static void put_x_label(buffer *b, const sweep_column *c, const scale *x)
{
    put(b, "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">", (LEFT + WIDTH - RIGHT) / 2,
        HEIGHT - 8);
    put_label(b, c, 38);
    put(b, " ");
    if (x) scale_unit(b, x);
    put(b, "</text>");
}

// From low to high, told apart in grey and by the colour-blind.
static const char *const colours[] = {"#46327e", "#365c8d", "#277f8e", "#1fa187",
                                      "#4ac16d", "#a0da39", "#fde725"};
enum { COLOURS = sizeof colours / sizeof colours[0], DOT_COLOURS = COLOURS - 1 };

static int colour_of(const sweep_column *c, double value, int count)
{
    const double half = c->high / 2 - c->low / 2; // a range may be larger than any number
    const int    k = half > 0 ? (int)((value / 2 - c->low / 2) / half * count) : 0;
    return k < count ? k : count - 1;
}

// What the colours mean, above a plot.
static void put_key(buffer *b, const sweep_column *c, int count)
{
    put(b, "<figcaption>");
    put_label(b, c, 60);
    put(b, ": ");
    put_value(b, c->low, 3);
    for (int k = 0; k < count; k++)
        put(b, "%s<span class=\"key\" style=\"margin:0;border-radius:0;background:%s\"></span>",
            k ? "" : " ", colours[k]);
    put(b, " ");
    put_value(b, c->high, 3);
    put(b, "</figcaption>");
}

static void open_svg(buffer *b, const char *what)
{
    put(b, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">", WIDTH, HEIGHT, what);
}

void sweep_histogram(buffer *b, const sweep_column *c)
{
    long most = 1;
    for (int i = 0; i < SWEEP_BINS; i++)
        most = c->bins[i] > most ? c->bins[i] : most;
    const double low = c->count ? c->low : 0, high = c->count ? c->high : 1;
    const range  across = {low, high > low ? high : low + (fabs(low) > 0 ? fabs(low) : 1)},
                up = {0, (double)most};
    const scale x = scale_make(across, 0, 5, LEFT, WIDTH - RIGHT),
                y = scale_make(up, 0.05, 4, HEIGHT - BOTTOM, TOP);
    open_svg(b, "histogram");
    sweep_plots_put_frame(b, &x, &y);
    for (int i = 0; i < SWEEP_BINS; i++) {
        if (!c->bins[i]) continue;
        const double width = (across.high - across.low) / SWEEP_BINS;
        const double from = scale_place(&x, low + width * i),
                     to = scale_place(&x, low + width * (i + 1)),
                     top = scale_place(&y, (double)c->bins[i]);
        put(b, "<rect fill=\"var(--c0)\" x=\"");
        put_place(b, from + 0.4);
        put(b, "\" y=\"");
        put_place(b, top);
        put(b, "\" width=\"");
        put_place(b, to - from - 0.8);
        put(b, "\" height=\"");
        put_place(b, scale_place(&y, 0) - top);
        put(b, "\"><title>");
        put_value(b, low + width * i, 4);
        put(b, " to ");
        put_value(b, low + width * (i + 1), 4);
        put(b, ": %ld rows</title></rect>", c->bins[i]);
    }
    const double mean = scale_place(&x, c->count ? c->mean : low);
    put(b, "<path class=\"m\" d=\"M");
    put_place(b, mean);
    put(b, " %dV%d\"/><text text-anchor=\"%s\" x=\"", TOP, HEIGHT - BOTTOM,
        mean > WIDTH / 2.0 ? "end" : "start");
    put_place(b, mean + (mean > WIDTH / 2.0 ? -4 : 4));
    put(b, "\" y=\"%d\">mean ", TOP + 12);
    put_value(b, c->count ? c->mean : low, 3);
    put(b,
        "</text><text text-anchor=\"middle\" transform=\"translate(12 %d)rotate(-90)\">rows"
        "</text>",
        (TOP + HEIGHT - BOTTOM) / 2);
    put_x_label(b, c, &x);
    put(b, "</svg>\n");
}

static int is_seen(const sweep_column *x, const sweep_column *y, const sweep_column *colour, int i)
{
    return isfinite(x->points[i]) && isfinite(y->points[i]) &&
           (!colour || isfinite(colour->points[i]));
}

// A dot is a line of no length with round ends, which is the shortest way to say it.
void sweep_scatter(buffer *b, const sweep_column *x, const sweep_column *y,
                   const sweep_column *colour, int count)
{
    range rx = range_none(), ry = range_none();
    for (int i = 0; i < count; i++)
        if (is_seen(x, y, colour, i)) {
            range_take(&rx, x->points[i]);
            range_take(&ry, y->points[i]);
        }
    const scale sx = scale_make(rx, 0.04, 5, LEFT, WIDTH - RIGHT),
                sy = scale_make(ry, 0.06, 4, HEIGHT - BOTTOM, TOP);
    put(b, "<figure class=\"plot\">");
    open_svg(b, "scatter plot");
    sweep_plots_put_frame(b, &sx, &sy);
    for (int k = 0; k < (colour ? DOT_COLOURS : 1); k++) {
        int dots = 0;
        for (int i = 0; i < count; i++) {
            if (!is_seen(x, y, colour, i) ||
                (colour && colour_of(colour, colour->points[i], DOT_COLOURS) != k))
                continue;
            if (!dots++) {
                put(b, "<path class=\"dots%s\"", count < 300 ? " few" : "");
                if (colour) put(b, " style=\"stroke:%s\"", colours[k]);
                put(b, " d=\"");
            }
            put(b, "M");
            put_place(b, scale_place(&sx, x->points[i]));
            put(b, ",");
            put_place(b, scale_place(&sy, y->points[i]));
            put(b, "h0");
        }
        put(b, "%s", dots ? "\"/>" : "");
    }
    put(b, "<text x=\"%d\" y=\"%d\">", LEFT + 6, TOP + 14);
    scale_unit(b, &sy);
    put(b, "</text>");
    put_x_label(b, x, &sx);
    put(b, "</svg>");
    if (colour) put_key(b, colour, DOT_COLOURS);
    put(b, "</figure>\n");
}

// --- heat maps

typedef struct values {
    double item[SWEEP_POINTS];
    int    count;
} values;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The values that a parameter takes, sorted.
static values values_of(const sweep_column *c, int count)
{
    values v = {.count = 0};
    for (int i = 0; i < count; i++)
        v.item[i] = c->points[i];
    qsort(v.item, (size_t)count, sizeof v.item[0], by_value);
    for (int i = 0; i < count; i++)
        if (!i || v.item[i] != v.item[v.count - 1]) v.item[v.count++] = v.item[i];
    return v;
}

static int value_index(const values *v, double value)
{
    const double *at = bsearch(&value, v->item, (size_t)v->count, sizeof value, by_value);
    return at ? (int)(at - v->item) : 0;
}

// Values beside the cells, as many as there is room for.
static void put_values(buffer *b, const values *v, int across, double cell)
{
    const int every = (int)ceil((across ? 34 : 15) / cell);
    for (int i = 0; i<v->count; i += every> 0 ? every : 1) {
        put(b, "<text text-anchor=\"%s\" x=\"", across ? "middle" : "end");
        put_place(b, across ? LEFT + cell * (i + 0.5) : LEFT - 5);
        put(b, "\" y=\"");
        put_place(b, across ? HEIGHT - BOTTOM + 15 : HEIGHT - BOTTOM - cell * (i + 0.5) + 4);
        put(b, "\">");
        put_value(b, v->item[i], 3);
        put(b, "</text>");
    }
}

void sweep_heat_map(buffer *b, const sweep_column *x, const sweep_column *y, const sweep_column *f,
                    int count)
{
    if (x->count < count || y->count < count) return;
    const values across = values_of(x, count), up = values_of(y, count);
    if ((long)across.count * up.count != count) return;
    const double width = (double)(WIDTH - LEFT - RIGHT) / across.count,
                 height = (double)(HEIGHT - TOP - BOTTOM) / up.count;
    put(b, "<figure class=\"plot\">");
    open_svg(b, "heat map");
    for (int i = 0; i < count; i++) {
        if (!isfinite(f->points[i])) continue; // a row that failed leaves a gap
        put(b, "<rect fill=\"%s\" x=\"", colours[colour_of(f, f->points[i], COLOURS)]);
        put_place(b, LEFT + width * value_index(&across, x->points[i]));
        put(b, "\" y=\"");
        put_place(b, HEIGHT - BOTTOM - height * (value_index(&up, y->points[i]) + 1));
        put(b, "\" width=\"");
        put_place(b, width + 0.3);
        put(b, "\" height=\"");
        put_place(b, height + 0.3);
        put(b, "\"><title>");
        put_value(b, f->points[i], 5);
        put(b, "</title></rect>");
    }
    put_values(b, &across, 1, width);
    put_values(b, &up, 0, height);
    put(b, "<text text-anchor=\"middle\" transform=\"translate(11 %d)rotate(-90)\">",
        (TOP + HEIGHT - BOTTOM) / 2);
    put_label(b, y, 24);
    put(b, "</text>");
    put_x_label(b, x, NULL);
    put(b, "</svg>");
    put_key(b, f, COLOURS);
    put(b, "</figure>\n");
}

double sweep_correlation(const sweep_column *x, const sweep_column *y, int count)
{
    double n = 0, mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < count; i++)
        if (isfinite(x->points[i]) && isfinite(y->points[i])) {
            n++;
            mx += x->points[i];
            my += y->points[i];
        }
    for (int i = 0; i < count && n > 0; i++)
        if (isfinite(x->points[i]) && isfinite(y->points[i])) {
            const double a = x->points[i] - mx / n, c = y->points[i] - my / n;
            xx += a * a;
            yy += c * c;
            xy += a * c;
        }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

// Histograms and scatter plots, as SVG in the page's style.
#include "report/axis_scale.h"
#include "report/markup.h"
#include "report/sweep_data.h"
#include <math.h>

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

static void put_x_label(buffer *b, const sweep_column *c, const scale *x)
{
    put(b, "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">", (LEFT + WIDTH - RIGHT) / 2,
        HEIGHT - 8);
    put_text_short(b, c->name, 38);
    if (*c->unit) {
        put(b, " [");
        put_text_short(b, c->unit, 12);
        put(b, "]");
    }
    put(b, " ");
    scale_unit(b, x);
    put(b, "</text>");
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
        put(b, "\"><title>%ld</title></rect>", c->bins[i]);
    }
    put_x_label(b, c, &x);
    put(b, "</svg>\n");
}

// A dot is a line of no length with round ends, which is the shortest way to say it.
void sweep_scatter(buffer *b, const sweep_column *x, const sweep_column *y, int count)
{
    range rx = range_none(), ry = range_none();
    for (int i = 0; i < count; i++)
        if (isfinite(x->points[i]) && isfinite(y->points[i])) {
            range_take(&rx, x->points[i]);
            range_take(&ry, y->points[i]);
        }
    const scale sx = scale_make(rx, 0.04, 5, LEFT, WIDTH - RIGHT),
                sy = scale_make(ry, 0.06, 4, HEIGHT - BOTTOM, TOP);
    put(b, "<figure class=\"plot\">");
    open_svg(b, "scatter plot");
    sweep_plots_put_frame(b, &sx, &sy);
    put(b, "<path class=\"dots%s\" d=\"", count < 300 ? " few" : "");
    for (int i = 0; i < count; i++)
        if (isfinite(x->points[i]) && isfinite(y->points[i])) {
            put(b, "M");
            put_place(b, scale_place(&sx, x->points[i]));
            put(b, ",");
            put_place(b, scale_place(&sy, y->points[i]));
            put(b, "h0");
        }
    put(b, "\"/><text x=\"%d\" y=\"%d\">", LEFT + 6, TOP + 14);
    scale_unit(b, &sy);
    put(b, "</text>");
    put_x_label(b, x, &sx);
    put(b, "</svg></figure>\n");
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

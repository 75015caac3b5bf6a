#include "plot.h"

#include <math.h>

// In pixels. A panel has its title above it, numbers to its left and a legend to its right.
enum { WIDTH = 900, LEFT = 70, RIGHT = 190, TOP = 50, PANEL = 300, GAP = 60, BOTTOM = 55 };

// Colours that also those tell apart who see few, and dashes for those who print in black.
static const char *const colour[PLOT_LINES] = {"#0072b2", "#d55e00", "#009e73",
                                               "#cc79a7", "#e69f00", "#56b4e9"};
static const char *const dash[PLOT_LINES] = {"none", "none", "none", "7 3", "2 3", "9 3 2 3"};

// Numbers on a side of a panel: from low to high, pixels from start to end.
typedef struct scale {
    double low, high, step, start, end;
} scale;

static double place(const scale *s, double value)
{
    return s->start + (value - s->low) / (s->high - s->low) * (s->end - s->start);
}

// About so many intervals, of 1, 2 or 5 times a power of ten.
static double nice_step(double range, int intervals)
{
    const double rough = range / intervals, power = pow(10, floor(log10(rough)));
    const double digit = rough / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static scale scale_of(double low, double high, int intervals, double start, double end)
{
    if (!(high > low)) high = low + 1;
    const double step = nice_step(high - low, intervals);
    return (scale){floor(low / step) * step, ceil(high / step) * step, step, start, end};
}

static scale value_scale(const panel *p, int count, double bottom)
{
    double low = 0, high = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < PLOT_LINES; k++) {
            low = fmin(low, p->factor[k] * p->value[i][k]);
            high = fmax(high, p->factor[k] * p->value[i][k]);
        }
    return scale_of(low, high, 6, bottom, bottom - PANEL);
}

static int tick_count(const scale *s) { return (int)lround((s->high - s->low) / s->step) + 1; }

// The numbers that ticks show are k * step: no rounding of sums, and no negative zero.
static double tick(const scale *s, int k)
{
    return ((double)lround(s->low / s->step) + k) * s->step;
}

static void draw_axes(const scale *x, const scale *y, int numbers_below, FILE *out)
{
    for (int k = 0; k < tick_count(y); k++) {
        const double v = tick(y, k), at = place(y, v);
        fprintf(out, "<line x1='%g' y1='%.1f' x2='%g' y2='%.1f' stroke='%s'/>\n", x->start, at,
                x->end, at, v == 0 ? "#888" : "#ddd");
        fprintf(out, "<text x='%g' y='%.1f' text-anchor='end'>%g</text>\n", x->start - 8, at + 4,
                v);
    }
    for (int k = 0; k < tick_count(x); k++) {
        const double v = tick(x, k), at = place(x, v);
        fprintf(out, "<line x1='%.1f' y1='%g' x2='%.1f' y2='%g' stroke='#ddd'/>\n", at, y->start,
                at, y->end);
        if (numbers_below)
            fprintf(out, "<text x='%.1f' y='%g' text-anchor='middle'>%g</text>\n", at,
                    y->start + 18, v);
    }
    fprintf(out, "<rect x='%g' y='%g' width='%g' height='%g' fill='none' stroke='#444'/>\n",
            x->start, y->end, x->end - x->start, y->start - y->end);
}

static void draw_line(const panel *p, int k, const double *time, int count, const scale *x,
                      const scale *y, FILE *out)
{
    const double beside = x->end + 14, legend = y->end + 14 + 22 * k;
    fprintf(out,
            "<g fill='none' stroke='%s' stroke-width='1.8' stroke-dasharray='%s'>\n"
            "<line x1='%g' y1='%g' x2='%g' y2='%g'/>\n<polyline points='",
            colour[k], dash[k], beside, legend, beside + 30, legend);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%.1f,%.1f", i ? " " : "", place(x, time[i]),
                place(y, p->factor[k] * p->value[i][k]));
    fprintf(out, "'/>\n</g>\n<text x='%g' y='%g'>%s", beside + 38, legend + 4, p->line[k]);
    if (p->factor[k] != 1) fprintf(out, " &#215; %g", p->factor[k]);
    fprintf(out, "</text>\n");
}

void plot_svg(const char *title, const char *x_title, const double *x, int count,
              const panel *panels, int panel_count, FILE *out)
{
    const int   height = TOP + panel_count * PANEL + (panel_count - 1) * GAP + BOTTOM + 24;
    const scale time = scale_of(x[0], x[count - 1], 10, LEFT, WIDTH - RIGHT);
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
            "font-family='sans-serif' font-size='13'>\n<title>%s</title>\n"
            "<rect width='100%%' height='100%%' fill='white'/>\n"
            "<text x='%d' y='26' font-size='17'>%s</text>\n",
            WIDTH, height, WIDTH, height, title, LEFT, title);
    for (int i = 0; i < panel_count; i++) {
        const double bottom = TOP + 24 + (i + 1) * PANEL + i * GAP;
        const scale  y = value_scale(&panels[i], count, bottom);
        fprintf(out, "<text x='%d' y='%g' font-weight='bold'>%s</text>\n", LEFT, y.end - 9,
                panels[i].title);
        draw_axes(&time, &y, i == panel_count - 1, out);
        for (int k = 0; k < PLOT_LINES; k++)
            draw_line(&panels[i], k, x, count, &time, &y, out);
    }
    fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n</svg>\n",
            LEFT + (WIDTH - RIGHT - LEFT) / 2, height - 14, x_title);
}

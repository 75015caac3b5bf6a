// A plot is a frame with ticks, a band, limits, lines, and a legend at its right. All of it is
// classes; what they look like is the page's style or, in a file of its own, paper_style.
//
// In pages the viewer draws plots over time. This draws what it does not: SVG and PNG files for
// papers and READMEs, paths and sweeps in pages, and all plots of builds without the viewer.
#include "report/plot.h"

#include "report/axis_scale.h"
#include "report/curve.h"
#include "report/markup.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// In pixels.
enum { WIDTH = 720, HEIGHT = 320, LEFT = 66, TOP = 34, BOTTOM = 48, KEY = 19 };
enum {
    NAME_MOST = 20
}; // characters of a name in the legend; the whole is shown when it is pointed at

static const double tolerance = 0.04;      // of a line, in pixels
static const double character_width = 6.8; // of the legend's font, about

static const char paper_style[] =
    "text{font:12px Helvetica,Arial,'Liberation Sans',sans-serif;fill:#222}"
    ".g{stroke:#e2e2e2}.z{stroke:#999}.f{fill:none;stroke:#555}.l{fill:none;stroke-width:1.6;"
    "stroke-linejoin:round}.r{stroke-dasharray:1.5 3;stroke-linecap:round}"
    ".m{fill:none;stroke:#555;stroke-dasharray:6 4;stroke-width:1.1}.b{fill:#999;opacity:.28}"
    ".c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#009e73}.c3{stroke:#cc79a7}"
    ".c4{stroke:#e69f00}.c5{stroke:#56b4e9}.c6{stroke:#222}.c7{stroke:#8c6d31}";

typedef struct axes {
    scale x, y;
    int   by_itself;
    int   has_references, limit_count, hidden_limits;
} axes;

// --- how large -----------------------------------------------------------------------------------

static range range_of(samples s, int count, range r)
{
    for (int i = 0; s.first && i < count; i++)
        range_take(&r, sample(s, i));
    return r;
}

// A limit far beyond the data is left out, rather than have the lines made flat by it.
static int is_near(double limit, range data)
{
    const double size = fmax(data.high - data.low, 0.1 * fmax(fabs(data.low), fabs(data.high)));
    return isfinite(limit) && limit <= data.high + 1.2 * size && limit >= data.low - 1.2 * size;
}

static range values_of(const plot *p, axes *a)
{
    range data = range_of(p->band_high, p->count, range_of(p->band_low, p->count, range_none()));
    for (int k = 0; k < p->line_count; k++)
        data = range_of(p->line[k].y, p->count, data);
    range all = data;
    for (int k = 0; k < p->line_count; k++) {
        const plot_line *l = &p->line[k];
        const double     limit[] = {l->low, l->high};
        a->has_references = a->has_references || l->reference;
        for (int i = 0; i < 2 && l->has_limits; i++) {
            if (is_near(limit[i], data)) {
                range_take(&all, limit[i]);
                a->limit_count++;
            } else if (isfinite(limit[i])) {
                a->hidden_limits++;
            }
        }
    }
    return all;
}

static double legend_width(const plot *p, const axes *a)
{
    int most = a->hidden_limits && !a->limit_count ? 16 : a->has_references ? 9 : 4;
    if (p->band_low.first && text_width(p->band_name) > most) most = text_width(p->band_name);
    for (int k = 0; k < p->line_count; k++) {
        const int width = text_width(p->line[k].name);
        if (!p->line[k].reference && width > most) most = width;
    }
    return 46 + character_width * (most < NAME_MOST ? most : NAME_MOST);
}

static axes make_axes(const plot *p, int by_itself)
{
    axes         a = {.by_itself = by_itself};
    const range  y = values_of(p, &a), x = range_of(p->x, p->count, range_none());
    const double top = by_itself ? 14 : TOP, margin = p->is_path ? 0.05 : 0;
    a.x = scale_make(x, margin, 8, LEFT, WIDTH - legend_width(p, &a));
    a.y = scale_make(y, 0.05, 5, HEIGHT - BOTTOM, top);
    if (p->is_equal) scale_equal(&a.x, &a.y);
    return a;
}

// --- the frame -----------------------------------------------------------------------------------

static void plot_put_line(buffer *b, const char *what, double x1, double y1, double x2, double y2)
{
    put(b, "<path class=\"%s\" d=\"M", what);
    const double value[] = {x1, y1, x2, y2};
    for (int i = 0; i < 4; i++) {
        if (i) put(b, "%s", i == 2 ? "L" : " ");
        put_place(b, value[i]);
    }
    put(b, "\"/>");
}

static void open_text(buffer *b, double x, double y, const char *more)
{
    put(b, "<text x=\"");
    put_place(b, x);
    put(b, "\" y=\"");
    put_place(b, y);
    put(b, "\"%s>", more);
}

static void put_ticks(buffer *b, const axes *a)
{
    for (int k = 0; k < scale_ticks(&a->y); k++) {
        const double value = scale_tick(&a->y, k), at = scale_place(&a->y, value);
        plot_put_line(b, value == 0 ? "z" : "g", a->x.start, at, a->x.end, at);
        open_text(b, a->x.start - 8, at + 4, " text-anchor=\"end\"");
        scale_label(b, &a->y, k);
        put(b, "</text>");
    }
    for (int k = 0; k < scale_ticks(&a->x); k++) {
        const double at = scale_place(&a->x, scale_tick(&a->x, k));
        plot_put_line(b, "g", at, a->y.start, at, a->y.end);
        open_text(b, at, a->y.start + 18, " text-anchor=\"middle\"");
        scale_label(b, &a->x, k);
        put(b, "</text>");
    }
    put(b, "\n");
}

static void put_label(buffer *b, const char *text, const scale *s)
{
    put_text(b, text);
    if (s->exponent) put(b, " ");
    scale_unit(b, s);
    put(b, "</text>");
}

static void plot_put_frame(buffer *b, const plot *p, const axes *a)
{
    const double height = a->y.start - a->y.end, middle = a->y.end + height / 2;
    put_ticks(b, a);
    put(b, "<rect class=\"f\" x=\"%d\" y=\"", LEFT);
    put_place(b, a->y.end);
    put(b, "\" width=\"");
    put_place(b, a->x.end - a->x.start);
    put(b, "\" height=\"");
    put_place(b, height);
    put(b, "\"/>");
    if (!a->by_itself) {
        open_text(b, LEFT, 20, " class=\"t\"");
        put_text_short(b, p->title, 80);
        put(b, "</text>");
    }
    open_text(b, (a->x.start + a->x.end) / 2, HEIGHT - 9, " text-anchor=\"middle\"");
    put_label(b, p->x_label, &a->x);
    put(b, "<text transform=\"translate(15 ");
    put_place(b, middle);
    put(b, ") rotate(-90)\" text-anchor=\"middle\">");
    put_label(b, p->y_label, &a->y);
    put(b, "\n");
}

// --- lines ---------------------------------------------------------------------------------------

// Points that are hardly apart add nothing to a path but bytes.
static int thin_out(point *p, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const point last = p[kept ? kept - 1 : 0];
        if (!kept || i == count - 1 || hypot(p[i].x - last.x, p[i].y - last.y) > 0.3)
            p[kept++] = p[i];
    }
    return kept;
}

// The points of a line on the drawing, as few as will do; NULL (and b->failed) without memory.
static point *make_points(buffer *b, const plot *p, samples y, const axes *a, int *count)
{
    point *at = malloc(((size_t)p->count + 1) * sizeof *at);
    int    n = 0;
    for (int i = 0; at && i < p->count; i++) {
        const double u = sample(p->x, i), v = sample(y, i);
        if (isfinite(u) && isfinite(v))
            at[n++] = (point){scale_place(&a->x, u), scale_place(&a->y, v)};
    }
    if (at)
        n = curve_simplify(at, p->is_path ? thin_out(at, n) : curve_extremes(at, n, 2), tolerance);
    if (!at || n < 0) {
        b->failed = 1;
        free(at);
        return NULL;
    }
    *count = n;
    return at;
}

static void put_points(buffer *b, const point *p, int count, int backward, const char *first)
{
    for (int i = 0; i < count; i++) {
        const point at = p[backward ? count - 1 - i : i];
        put(b, "%s", i == 0 ? first : i == 1 ? "L" : " ");
        put_place(b, at.x);
        put(b, " ");
        put_place(b, at.y);
    }
}

static void put_curve(buffer *b, const plot *p, const plot_line *l, const axes *a)
{
    int    count = 0;
    point *at = make_points(b, p, l->y, a, &count);
    put(b, "<path class=\"l c%d%s\" d=\"", l->colour, l->reference ? " r" : "");
    put_points(b, at, count, 0, "M");
    put(b, "\"/>\n");
    free(at);
}

static void put_band(buffer *b, const plot *p, const axes *a)
{
    int    low_count = 0, high_count = 0;
    point *low = make_points(b, p, p->band_low, a, &low_count);
    point *high = make_points(b, p, p->band_high, a, &high_count);
    put(b, "<path class=\"b\" d=\"");
    put_points(b, low, low_count, 0, "M");
    put_points(b, high, high_count, 1, "L");
    put(b, "z\"/>\n");
    free(low);
    free(high);
}

// How many lines have a limit here; where it is more than one, none of their colours would be
// right.
static int sharers(const plot *p, double limit)
{
    int count = 0;
    for (int k = 0; k < p->line_count; k++)
        count += p->line[k].has_limits && (p->line[k].low == limit || p->line[k].high == limit);
    return count;
}

static void plot_put_limits(buffer *b, const plot *p, const axes *a)
{
    for (int k = 0; k < p->line_count; k++) {
        const plot_line *l = &p->line[k];
        const double     limit[] = {l->low, l->high};
        char             what[] = "m c0";
        what[3] = (char)('0' + l->colour);
        for (int i = 0; i < 2 && l->has_limits; i++) {
            if (!(limit[i] >= a->y.low && limit[i] <= a->y.high)) continue;
            const double at = scale_place(&a->y, limit[i]);
            plot_put_line(b, sharers(p, limit[i]) > 1 ? "m" : what, a->x.start, at, a->x.end, at);
        }
    }
}

// --- legend --------------------------------------------------------------------------------------

static void plot_put_key(buffer *b, const axes *a, int row, const char *what, const char *name,
                         const char *mark)
{
    const double x = a->x.end + 14, y = a->y.end + 9 + KEY * row;
    put(b, "<g class=\"k\"><title>");
    put_text(b, name);
    put(b, "</title>");
    if (what) plot_put_line(b, what, x, y, x + 18, y);
    open_text(b, x + 25, y + 4, mark);
    put_text_short(b, name, NAME_MOST);
    put(b, "</text></g>");
}

static void put_legend(buffer *b, const plot *p, const axes *a)
{
    int row = 0;
    for (int k = 0; k < p->line_count; k++) {
        char what[] = "l c0";
        what[3] = (char)('0' + p->line[k].colour);
        if (!p->line[k].reference) plot_put_key(b, a, row++, what, p->line[k].name, " class=\"n\"");
    }
    if (a->has_references) plot_put_key(b, a, row++, "l r c6", "reference", "");
    if (a->limit_count)
        plot_put_key(b, a, row++, "m", "limit", "");
    else if (a->hidden_limits)
        plot_put_key(b, a, row++, "m", "limits: off scale", "");
    if (p->band_low.first) {
        const double x = a->x.end + 14, y = a->y.end + 3 + KEY * row;
        put(b, "<rect class=\"b\" width=\"18\" height=\"12\" x=\"");
        put_place(b, x);
        put(b, "\" y=\"");
        put_place(b, y);
        put(b, "\"/>");
        plot_put_key(b, a, row, NULL, p->band_name, "");
    }
    put(b, "\n");
}

// What the page's script needs to read values: pixels and numbers of both axes.
static void put_scales(buffer *b, const plot *p, const axes *a)
{
    const double value[] = {a->x.start, a->x.end, a->x.low, a->x.high,
                            a->y.start, a->y.end, a->y.low, a->y.high};
    put(b, " data-x=\"");
    put_text(b, p->x_label);
    put(b, "\" data-kind=\"%s\" data-scales=\"",
        p->is_path   ? "path"
        : p->is_time ? "time"
                     : "plain");
    for (int i = 0; i < 8; i++) {
        if (i) put(b, " ");
        put_digits(b, value[i], 9);
    }
    put(b, "\"");
}

void plot_svg(buffer *b, const plot *p, int by_itself)
{
    const axes a = make_axes(p, by_itself);
    put(b, "<svg viewBox=\"0 0 %d %d\"", WIDTH, HEIGHT);
    if (by_itself)
        put(b, " xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"", WIDTH, HEIGHT);
    else
        put_scales(b, p, &a);
    put(b, " role=\"img\" aria-label=\"");
    put_text(b, p->title);
    put(b, "\">\n");
    if (by_itself)
        put(b, "<style>%s</style><rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            paper_style);
    plot_put_frame(b, p, &a);
    if (p->band_low.first) put_band(b, p, &a);
    plot_put_limits(b, p, &a);
    for (int k = 0; k < p->line_count; k++)
        put_curve(b, p, &p->line[k], &a);
    put_legend(b, p, &a);
    put(b, "</svg>\n");
}

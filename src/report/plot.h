// Plots as SVG: lines over a common x, limits dashed, references dotted, a band, a legend.
#ifndef ARNE_REPORT_PLOT_H
#define ARNE_REPORT_PLOT_H

#include "base/buffer.h"
#include <stddef.h>

// Colours that also those tell apart who see few. More lines than this become another plot.
enum { PLOT_COLOURS = 8, PLOT_LINES = 2 * PLOT_COLOURS };

// Every stride-th number, as in a column of a table.
typedef struct samples {
    const double *first; // NULL: none
    size_t        stride;
} samples;

typedef struct plot_line {
    const char *name; // for the legend
    samples     y;
    int         colour;
    int         reference; // dotted, and in no legend of its own
    int         has_limits;
    double      low, high; // infinite: none on that side
} plot_line;

typedef struct plot {
    char      title[128], x_label[128], y_label[128];
    char      group[64]; // of plots that stand together, under this heading
    char      kind[32];  // what its columns' names start with
    int       is_small;  // one of many that are alike
    int       count;     // of samples
    samples   x;
    int       is_time;  // x is the time of the run
    int       is_path;  // x does not only increase
    int       is_equal; // both axes have the same scale
    samples   band_low, band_high;
    char      band_name[64];
    plot_line line[PLOT_LINES];
    int       line_count;
} plot;

static inline double sample(samples s, int i) { return s.first[(size_t)i * s.stride]; }

// In a page, whose style colours it and whose script reads values off it; or by itself, for a
// paper.
void plot_svg(buffer *b, const plot *p, int by_itself);

#endif

// A small plot of lines over time, drawn as SVG without any library.
#ifndef PLOT_H
#define PLOT_H

#include <stdio.h>

enum { PLOT_LINES = 6 };

typedef struct panel {
    const char *title;              // what the vertical axis shows, with its units
    const char *line[PLOT_LINES];   // names for the legend
    double      factor[PLOT_LINES]; // small lines are magnified; the legend says so
    const double (*value)[PLOT_LINES];
} panel;

// Panels one above the other with a common horizontal axis.
void plot_svg(const char *title, const char *x_title, const double *x, int count,
              const panel *panels, int panel_count, FILE *out);

#endif

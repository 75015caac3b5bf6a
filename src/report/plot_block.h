// Plots as numbers for the page's script: columns of float32, each once, and which plot draws
// which.
#ifndef ARNE_REPORT_PLOT_BLOCK_H
#define ARNE_REPORT_PLOT_BLOCK_H

#include "report/plots.h"

// Whether the script draws it. A path that turns back stays a drawing.
static inline int is_live(const plot *p) { return !p->is_path && p->count > 1; }

// "columns":[...],"plots":[...]
void plot_block_put(buffer *b, const plot_list *list);

#endif

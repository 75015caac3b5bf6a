// The data block of a run's page: its robot and motion, the reference, a second run, arrows and
// plots.
#ifndef ARNE_REPORT_RUN_BLOCK_H
#define ARNE_REPORT_RUN_BLOCK_H

#include "report/looks.h"
#include "report/motion.h"
#include "report/plots.h"

// Figures without frames and a second run without a robot are not there.
typedef struct run_block {
    const run       *run;
    const figure    *figure, *ghost;
    const run       *other;
    const figure    *other_figure;
    const plot_list *plots;
    const looks     *looks, *other_looks;
    const float     *activations; // of muscles in each frame (activations.h); NULL: not known
} run_block;

void run_block_put(buffer *b, const run_block *r);

#endif

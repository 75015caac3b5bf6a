// Arrows and points of a run over the times of its figure: what joints transmit, what drives and
// the ground do.
#ifndef ARNE_REPORT_TRACES_H
#define ARNE_REPORT_TRACES_H

#include "base/buffer.h"
#include "report/motion.h"

// [{"name","group","kind","body","values"}, ...]. Of a body: vectors in its axes at its origin; of
// the world (-1): a place and a vector there.
void traces_put(buffer *b, const run *r, const figure *f);

#endif

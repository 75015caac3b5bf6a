// Arrows and points of a run over the times of its figure: what joints transmit, what drives and
// the ground do.
#ifndef ARNE_REPORT_TRACES_H
#define ARNE_REPORT_TRACES_H

#include "base/buffer.h"
#include "report/motion.h"

// Arrows are only looked at: one frame of so many is enough.
enum { TRACE_EVERY = 3 };

typedef struct tracing {
    buffer       *out;
    const run    *run;
    const figure *figure;
    float        *values; // room for six of each frame
    int           count;  // traces written
    int           samples;
} tracing;

// [{"name","group","kind","body","every","values"}, ...]. Of a body: vectors in its axes at its
// origin; of the world (-1): a place and a vector there. Of a polygon: places that are not finite
// where there are fewer corners.
void traces_put(buffer *b, const run *r, const figure *f);

// Forces at contacts, the polygon of those that press, and the centre of their pressure.
void traces_contacts(tracing *t);
// Pushes of the scenario, from where they act.
void traces_pushes(tracing *t);

// For those who add traces: the frame of the figure and the row of the result at a sample, the
// direction against gravity, and what is in t->values, so many numbers for each sample.
int           tracing_frame(const tracing *t, int index);
const double *tracing_row(const tracing *t, int index);
arne_vec3     tracing_up(const tracing *t);
// A vector turned by a quaternion x, y, z, w.
arne_vec3 tracing_turn(const float *quaternion, arne_vec3 v);
void      tracing_put(tracing *t, const char *name, const char *group, const char *kind, int index,
                      size_t numbers);

#endif

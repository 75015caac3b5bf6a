// Still drawings of a robot: side by side in a page, for those who print it and where there is no
// viewer, and one for an index.
#ifndef ARNE_REPORT_STILL_H
#define ARNE_REPORT_STILL_H

#include "report/scene.h"

// The robot at `count` times side by side.
void page_snapshots(buffer *b, const scene *s, int count);
// The robot on its ground at its last time, and at a few earlier ones, fainter.
void page_thumbnail(buffer *b, const scene *s);

#endif

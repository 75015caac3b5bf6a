// Left and right in names: left_foot, R_hand, FL_hip, wheel_r.
#ifndef ARNE_REPORT_LEFT_RIGHT_H
#define ARNE_REPORT_LEFT_RIGHT_H

#include <stddef.h>

// 1 left, -1 right, 0 neither.
int name_side(const char *name);
// The name without its word for the side.
void name_without_side(const char *name, char *out, size_t size);
// Whether two names differ in their sides alone.
int name_mirrors(const char *a, const char *b);

#endif

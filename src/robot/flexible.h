// Where the joints of a beam are; see flexible.c.
#ifndef ARNE_ROBOT_FLEXIBLE_H
#define ARNE_ROBOT_FLEXIBLE_H

#include <arne/builder.h>

// Joint k from the root, in metres; before the first (k = -1) the root, after the last the tip.
// Piece k is from joint k to the next, and its frame is at joint k.
double flexible_place(const arne_flexible_spec *f, int k);

#endif

// Frames that are held, and the memory to compute with them.
#ifndef ARNE_WORLD_HELD_FRAMES_H
#define ARNE_WORLD_HELD_FRAMES_H

#include "world/rigid.h"

#define HELD_NO_CONE 1e12 // a coefficient of friction that no force reaches

struct arne_holding {
    arne_world    *world;
    arne_held     *held;
    int            count, rows, undriven; // rows: 3 or 6 for each; coordinates that nothing drives
    unsigned char *free_v;                // which
    double        *A, *AAT, *b, *f, *z, *y, *zero;
    double        *derivatives; // memory of those; NULL until they are asked for
};

#endif

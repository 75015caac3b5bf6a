// Few conditions, in their own space: see rigid_dense.c.
#ifndef ARNE_WORLD_RIGID_SMALL_H
#define ARNE_WORLD_RIGID_SMALL_H

#include "world/rigid.h"

typedef struct small {
    rigid  *r;
    int     m; // rows
    double *K; // J M^-1 J^T, m x m
    double *u; // velocities of the rows, with what the impulses do
    double *x, *d, *e, *trial;
    int     newton_failed;      // how often: each time takes long
    int     at[RIGID_FEW_ROWS]; // of each block
} small;

// An impulse more along a row.
void small_add(const small *s, int row, double dp);
// All that sticks and slides, each of the kind that it is (rigid_newton.c). Returns 0, and leaves
// all as it was, where that is not right.
int small_newton(small *s, const unsigned *held, double tolerance);

#endif

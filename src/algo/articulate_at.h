// common_articulate from q on, and a look at what it left. For kernels, in doubles.
#ifndef ARNE_ALGO_ARTICULATE_AT_H
#define ARNE_ALGO_ARTICULATE_AT_H

#include "algo/articulated_solve.k.h"
#include "algo/singular.h"

// Articulated bodies cost about as much for each column, factors of the mass matrix in proportion
// to the columns that carry it: up to so many of them, itself counted, they cost less.
enum { FEW_COLUMNS = 5 };
ARNE_FN int factors_pay(const arne_robot *r)
{
    return r->pair_count <= FEW_COLUMNS * r->tree_v_count;
}

// Whether M can be solved with so: not where coordinates are shared, and not where it looks
// singular, which the matrix itself has to say.
ARNE_TEXT int articulate_at(const arne_robot *r, work *w, const double *q)
{
    if (r->shares_coordinates) return 0;
    joint_places(r, w, q);
    common_frame(r, w);
    common_axes(r, w);
    common_inertias(r, w);
    common_articulate(r, w);
    return plainly_regular(r->v_count, 1, w->D, robot_least(r));
}

#endif

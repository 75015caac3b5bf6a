// Walker and Orin 1982: M and bias from nothing but inverse dynamics. Slow, short, and hard to get
// wrong.
#ifndef TEST_WALKER_ORIN_H
#define TEST_WALKER_ORIN_H

#include "random.h"

// Column j of M is ID(q, 0, e_j) - ID(q, 0, 0), with the base at rest.
void walker_orin_mass_matrix(const state *s, arne_work *work, double *M);
// The bias is ID(q, qd, 0).
void walker_orin_bias(const state *s, arne_work *work, const arne_wrench *f_ext, double *bias);

#endif

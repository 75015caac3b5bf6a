// Quantities of terms, for the files that have them and the one that weighs and bounds them.
#ifndef ARNE_CONTROL_OC_TERMS_H
#define ARNE_CONTROL_OC_TERMS_H

#include "control/oc.h"

// The columns that a quantity depends on.
enum { ON_Q = 1, ON_V = 2, ON_U = 4, ON_P = 8 };

typedef struct at_knot {
    int           k;
    const double *x, *u, *p; // p: the control before
} at_knot;

int quantity_depends(arne_oc_quantity quantity);
// The rows of a term: r, and J where it is not NULL (rows of ldz). Nonzero: they do not exist here.
// Several terms at one state share poses, the Jacobian of a frame, and contact forces, until
// quantity_forget.
int  quantity_rows(arne_oc *oc, const oc_term *t, const at_knot *at, double *r, double *J);
void quantity_forget(arne_oc *oc);

// An array of a term at knot k; NULL where it has none.
const double *quantity_at(const double *array, ptrdiff_t stride, int k);
// The normal of a friction cone.
const double *quantity_normal(const double *ref);
void          quantity_subtract(int n, const double *from, const double *ref, double *r);

// ---- oc_forces.c: J is zero before ----

int  force_wrench(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref, double *r,
                  double *J);
void force_torque(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref, double *r,
                  double *J);
// Adds the second derivatives of g . r to the lower triangle of Q. Nonzero: they do not exist.
int force_torque_curvature(arne_oc *oc, const oc_term *t, const at_knot *at, const double *g,
                           double *Q);
int force_rows(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref, double *r,
               double *J);
// Three rows w that lie in the cone |w_t| <= w_n of the normal if the force is in its own cone.
int force_friction(arne_oc *oc, const oc_term *t, const at_knot *at, const double *ref, double *r,
                   double *J);

#endif

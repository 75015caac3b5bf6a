// Inertial parameters as bodies: the pseudo-inertia matrix of a link (Wensing, Kim and Slotine
// 2018),
//     P = (Sigma, h; h^T, m),  Sigma = tr(I)/2 1 - I,
// is positive definite exactly where the link has mass, a positive definite inertia about its
// centre, and principal moments that satisfy the triangle inequality: where it can be made of
// points with mass. P is linear in the parameters.
#ifndef ARNE_IDENTIFY_PSEUDO_INERTIA_H
#define ARNE_IDENTIFY_PSEUDO_INERTIA_H

enum { BODY_PARAMETERS = 10 };

// P of m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the origin; and the other way. 4 x
// 4.
void pseudo_inertia(const double *pi, double P[16]);
void from_pseudo_inertia(const double P[16], double *pi);
// L L^T = P, lower. 0 where P is not positive definite to within rounding.
int pseudo_factor(const double P[16], double L[16]);
// P^-1 from L, and log det P.
void   pseudo_inverse(const double L[16], double out[16]);
double pseudo_log_det(const double L[16]);
// Whether the parameters are those of a physically possible body.
int link_is_consistent(const double *pi);
// Makes a link physically possible: second moments grow until P is positive definite. A link
// without mass becomes a ball of the mass `typical`.
void link_made_consistent(const double *pi, double typical, double *out);

#endif

// Polynomials of degree 5 that join two states: position, velocity and acceleration.
#ifndef ARNE_MOTION_QUINTIC_H
#define ARNE_MOTION_QUINTIC_H

// Coefficients over u = 0 ... 1, from p to q, a time h later.
void quintic_join(const double p[3], const double q[3], double h, double c[6]);
// Its derivative of some order by time.
double quintic_at(const double c[6], double h, int order, double u);

#endif

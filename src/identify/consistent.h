// The consistent estimate as a problem: minimise
//     1/2 |A M x - b|^2 + lambda sum over links of d(P, P0) + barriers,
//     d(P, P0) = tr(P0^-1 P) - log det P  (entropic distance, but for a constant: Lee, Wensing and
//     Park 2020)
// over x: the parameters of all links, rotors, and the model's other columns. A M x - b is linear,
// d is convex: so is all of it.
#ifndef ARNE_IDENTIFY_CONSISTENT_H
#define ARNE_IDENTIFY_CONSISTENT_H

#include "identify/bodies.h"
#include "identify/study.h"

typedef struct body_region { // of a centre of mass
    int    link, is_ellipsoid;
    double centre[3], half[3];
} body_region;

typedef struct body_problem {
    int            links, rotors, others, count; // of x: 10 links + rotors + others
    double         prior, barrier;               // weights
    int            rows;
    double        *F, *b;         // rows x count by columns: the data are |F x - b|^2 / 2
    double        *start;         // count
    double        *inverse_prior; // links x 16: P0^-1
    double        *rotor_prior;   // rotors
    unsigned char *is_positive;   // others: that must be
    int           *pair;          // others: the one that its sum with must be positive, -1: none
    body_region   *regions;
    int            region_count;
} body_problem;

// The value, and where they are not NULL gradient (count) and Hessian (count x count). INFINITY
// outside.
double body_value(const body_problem *p, const double *x, double *gradient, double *hessian);
// Of that all but the data and the links' distances to the prior; added to what is there.
double body_others(const body_problem *p, const double *x, double *gradient, double *hessian);
// F x - b in a row.
double body_residual(const body_problem *p, const double *x, int row);
// From x on, by Newton's method: ARNE_OK, ARNE_NOT_CONVERGED or ARNE_NO_MEMORY.
arne_status body_newton(const body_problem *p, double *x);
// Half the square of the length of Newton's step from x, in deviations: how far from the end it is.
// INFINITY outside.
double body_decrement(const body_problem *p, const double *x);
// The same in log-Cholesky parameters of links and logarithms of rotors, by Ipopt.
ARNE_CHECKED arne_status body_ipopt(const body_problem *p, double *x, arne_error *error);

#endif

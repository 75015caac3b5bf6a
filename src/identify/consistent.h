// The consistent estimate as a problem: minimise
//     1/2 |F x - b|^2 + sum over links of (trace tr(P0^-1 P) - log_det log det P) + barriers
// over x: the parameters of all links, rotors, and the model's other columns (friction, ...). With
// trace = log_det = lambda the sum is lambda times the entropic distance to the prior, but for a
// constant (Lee, Wensing and Park 2020). All terms are convex.
#ifndef ARNE_IDENTIFY_CONSISTENT_H
#define ARNE_IDENTIFY_CONSISTENT_H

#include "identify/pseudo_inertia.h"
#include "identify/study.h"

typedef struct body_region { // of a centre of mass
    int    link, is_ellipsoid;
    double centre[3], half[3];
} body_region;

typedef struct body_problem {
    int            links, rotors, others, count; // of x: 10 links + rotors + others
    double         trace, log_det; // weights; a rotor u has trace u / u0 - log_det log u
    double         barrier;        // weight of -log u of all other numbers u that are positive
    int            rows;
    double        *F, *b;         // rows x count by columns: the data are |F x - b|^2 / 2
    double        *start;         // count
    double        *inverse_prior; // links x 16: P0^-1
    double        *rotor_prior;   // rotors
    unsigned char *is_positive;   // others: that must be
    unsigned char *is_held;       // others: that keep their start, because no data determine them
    int           *pair;          // others: the one that its sum with must be positive, -1: none
    body_region   *regions;
    int            region_count;
} body_problem;

// The objective; INFINITY outside of its domain.
double body_value(const body_problem *p, const double *x);
// The part of the objective without data and distances of links. Adds its gradient (count) and
// Hessian (count x count) to what is there, unless they are NULL.
double body_others(const body_problem *p, const double *x, double *gradient, double *hessian);
// F x - b in a row.
double body_residual(const body_problem *p, const double *x, int row);
// From x on, by Newton's method: ARNE_OK, ARNE_NOT_CONVERGED or ARNE_NO_MEMORY.
arne_status body_newton(const body_problem *p, double *x);
// Half the square of the length of Newton's step from x, in deviations: how far from the end it is.
// INFINITY outside.
double body_decrement(const body_problem *p, const double *x);

#endif

// Motions over time. B-splines first: the clamped basis that splines, tables and planned motions are made of.
#ifndef ARNE_MOTION_H
#define ARNE_MOTION_H

#include <arne/status.h>

// q(t) = sum over j of N_j(t / T) c_j with control points c_j and a final time T. The knots lie on [0, 1] and are repeated at
// both ends (clamped), so that the motion starts at the first control point and ends at the last. Knots are part of
// the basis, T and the control points are the caller's: what is planned changes them without a new basis.
typedef struct arne_bspline arne_bspline;

enum { ARNE_BSPLINE_MAX_DEGREE = 63 };

ARNE_BEGIN

// A basis of `count` functions of this degree (count > degree >= 0).
//
// breaks  where the polynomial pieces meet: count - degree + 1 numbers from 0 to 1 that do not fall; a number that is
//         there m times takes m - 1 off the degree - 1 continuous derivatives (m <= degree). NULL: evenly spaced
ARNE_API ARNE_CHECKED arne_status arne_bspline_new(int degree, int count, const double *breaks,
                                                   arne_bspline **out, arne_error *error);
ARNE_API void                     arne_bspline_free(arne_bspline *basis);

ARNE_API int arne_bspline_degree(const arne_bspline *basis);
ARNE_API int arne_bspline_count(const arne_bspline *basis);
// The breaks as above: count - degree + 1 numbers.
ARNE_API const double *arne_bspline_breaks(const arne_bspline *basis);
// Where on [0, 1] control point j pulls most: the mean of `degree` knots (Greville). Control points at these places on a line are a
// motion along that line at constant speed. Also good times for collocation.
ARNE_API double arne_bspline_place(const arne_bspline *basis, int j);

// The basis functions that are not zero at time t, and their time derivatives. These are the derivatives of the motion with
// respect to control points.
//
// orders  how many derivative orders: 5 for q, qd, qdd, qddd, qdddd
// values  orders x (degree + 1): values[k (degree + 1) + i] is the k-th time derivative of function first + i
// returns first, the index of the first control point that counts at t
// t outside [0, T] is taken as the nearer end; at a break the later piece counts. Allocates nothing; O(orders degree +
// degree^2).
ARNE_API int arne_bspline_basis(const arne_bspline *basis, double T, double t, int orders,
                                double *values);

// The motion: out (orders x width) from control points (count x width, row by row).
ARNE_API void arne_bspline_evaluate(const arne_bspline *basis, double T, double t, int width,
                                    const double *control, int orders, double *out);
// Its derivative with respect to T, while t / T stays: of the k-th time derivative it is -k / T times that. out: orders x width.
ARNE_API void arne_bspline_final_time_at_place(const arne_bspline *basis, double T, double t,
                                               int width, const double *control, int orders,
                                               double *out);
// The same while t stays: -(k q^(k) + t q^(k+1)) / T.
ARNE_API void arne_bspline_final_time_at_time(const arne_bspline *basis, double T, double t,
                                              int width, const double *control, int orders,
                                              double *out);

// Control points (count x width) such that the motion takes given values.
//
// at      count conditions, by rising time and, at the same time, rising order: times and derivative orders (see
//         below); values is count x width
// ARNE_SINGULAR where the conditions do not determine the motion: between two neighbouring conditions there must be
// the support of a basis function (Schoenberg and Whitney).
typedef struct arne_bspline_condition {
    double t;
    int    order; // of the derivative that is given: 0 for a position
} arne_bspline_condition;
ARNE_API ARNE_CHECKED arne_status arne_bspline_fit(const arne_bspline *basis, double T,
                                                   const arne_bspline_condition *at,
                                                   const double *values, int width, double *control,
                                                   arne_error *error);

ARNE_END

#endif

// Smooth functions of one coordinate, by which joints follow others.
#ifndef ARNE_FUNCTION_H
#define ARNE_FUNCTION_H

#include <arne/status.h>
#include <arne/types.h>

typedef enum arne_function_kind {
    ARNE_FUNCTION_POLYNOMIAL, // y[0] + y[1] q + y[2] q^2 + ...; one is constant, two are a line
    ARNE_FUNCTION_SINE,       // y[0] sin(y[1] q + y[2]) + y[3]
    ARNE_FUNCTION_SPLINE,     // cubic, twice differentiable, through the points x, y
    ARNE_FUNCTION_PRODUCT,    // q times the coordinate of another joint
    ARNE_FUNCTION_KIND_COUNT
} arne_function_kind;

// What fixes a spline at its ends. Outside of its points it goes on straight, with the slope of its
// end (where the second derivative is not 0, it jumps there); a periodic one repeats itself.
typedef enum arne_spline_ends {
    ARNE_ENDS_NATURAL,  // second derivatives 0
    ARNE_ENDS_CLAMPED,  // the slopes are given
    ARNE_ENDS_PERIODIC, // the first and the last y are the same
    ARNE_ENDS_SIMM,     // third derivatives as the cubics through the four points there have them
                        // (Forsythe, Malcolm and Moler 1977): OpenSim's SimmSpline
    ARNE_ENDS_STRAIGHT, // no cubic: straight from point to point, with kinks there
    ARNE_ENDS_COUNT
} arne_spline_ends;

typedef struct arne_function {
    arne_function_kind kind;
    double             factor; // times all of it
    int                count;  // of y, and of x where it is a spline
    const double      *x, *y;
    arne_spline_ends   ends;
    double             slopes[2]; // clamped: at the first and at the last point
} arne_function;

ARNE_BEGIN

// A function of these numbers times 1; the other fields are zero.
ARNE_API arne_function arne_function_make(arne_function_kind kind, int count, const double *x,
                                          const double *y);
// The value and the first four derivatives at q, into d[5]. ARNE_VALUE where the function is none
// (see arne_builder_add_function), ARNE_UNSUPPORTED for a product.
ARNE_API ARNE_CHECKED arne_status arne_function_at(const arne_function *function, double q,
                                                   double *d, arne_error *error);
// "polynomial", "natural" and so on; NULL if there is no such kind.
ARNE_API const char *arne_function_kind_name(arne_function_kind kind);
ARNE_API const char *arne_spline_ends_name(arne_spline_ends ends);

ARNE_END

#endif

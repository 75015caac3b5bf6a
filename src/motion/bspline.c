// Clamped B-splines (de Boor 1972; Cox 1972).
//
//     N_i,0 = 1 in [u_i, u_i+1), else 0
//     N_i,d = (u - u_i) / (u_i+d - u_i) N_i,d-1 + (u_i+d+1 - u) / (u_i+d+1 - u_i+1) N_i+1,d-1
//     N_i,d' = d (N_i,d-1 / (u_i+d - u_i) - N_i+1,d-1 / (u_i+d+1 - u_i+1))
//
// Of degree d, d + 1 functions are alive in a piece. The k-th derivative takes those of degree p -
// k and lifts them k times by the last line, in place: it is linear, so it holds for derivatives
// too.
#include "motion/bspline.h"

#include "base/error.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static arne_status check_basis(int degree, int count, const double *breaks, arne_error *error)
{
    if (degree < 0 || degree > ARNE_BSPLINE_MAX_DEGREE)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "a B-spline of degree %d: it must be 0 to %d",
                         degree, ARNE_BSPLINE_MAX_DEGREE);
    if (count <= degree || count > 1 << 24)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a B-spline of degree %d needs at least %d control points, %d are given",
                         degree, degree + 1, count);
    const int pieces = count - degree;
    if (!breaks) return ARNE_OK;
    if (breaks[0] != 0 || breaks[pieces] != 1)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "breaks must go from 0 to 1");
    for (int i = 0; i < pieces; i++)
        if (!(breaks[i] <= breaks[i + 1]))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "break %d is before break %d", i + 2,
                             i + 1);
    // No function may vanish, and the ends have their full number of knots already.
    const int most = degree > 0 ? degree : 1;
    for (int i = 1; i + most < pieces; i++)
        if (breaks[i + most] <= breaks[i])
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "a break comes more than %d times: the motion would jump", most);
    if (pieces > 1 && (breaks[1] <= 0 || breaks[pieces - 1] >= 1))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "a break is at an end");
    return ARNE_OK;
}

arne_status arne_bspline_new(int degree, int count, const double *breaks, arne_bspline **out,
                             arne_error *error)
{
    arne_error_clear(error);
    if (!out) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "out is NULL");
    *out = NULL;
    const arne_status status = check_basis(degree, count, breaks, error);
    if (status) return status;
    const int     pieces = count - degree, knots = count + degree + 1;
    arne_bspline *b = malloc(sizeof *b + sizeof(double) * (size_t)knots);
    if (!b) return arne_fail_memory(error);
    *b = (arne_bspline){.degree = degree, .count = count, .even = !breaks};
    for (int i = 0; i < knots; i++) {
        const int piece = i < degree ? 0 : i > count ? pieces : i - degree;
        b->knots[i] = breaks ? breaks[piece] : (double)piece / pieces;
    }
    *out = b;
    return ARNE_OK;
}

void arne_bspline_free(arne_bspline *basis) { free(basis); }

int arne_bspline_degree(const arne_bspline *basis) { return basis->degree; }

int arne_bspline_count(const arne_bspline *basis) { return basis->count; }

const double *arne_bspline_breaks(const arne_bspline *basis)
{
    return basis->knots + basis->degree;
}

double arne_bspline_place(const arne_bspline *b, int j)
{
    double sum = 0;
    if (b->degree == 0) return 0.5 * (b->knots[j] + b->knots[j + 1]);
    for (int i = 1; i <= b->degree; i++)
        sum += b->knots[j + i];
    return sum / b->degree;
}

// The index s of the piece [u_s, u_s+1) that u lies in; the last piece has its end too.
static int find_piece(const arne_bspline *b, double u)
{
    const double *knot = b->knots;
    int           low = b->degree, high = b->count; // knot[low] <= u < knot[high], but at the end
    if (u >= 1) return b->count - 1;
    if (b->even) { // rounding may put it one beside
        int s = b->degree + (int)(u * (b->count - b->degree));
        while (u < knot[s])
            s--;
        while (u >= knot[s + 1])
            s++;
        return s;
    }
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (u < knot[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

// From the d functions of degree d - 1 that are alive in piece s to the d + 1 of degree d, in
// place.
static void raise_degree(const double *knot, int s, double u, int d, double *N)
{
    double carry = 0;
    for (int i = 0; i < d; i++) {
        const double right = knot[s + 1 + i], left = knot[s + 1 + i - d];
        const double part = N[i] / (right - left);
        N[i] = carry + (right - u) * part;
        carry = (u - left) * part;
    }
    N[d] = carry;
}

// From derivatives of order k - 1 of the functions of degree d - 1 to those of order k of degree d.
static void raise_order(const double *knot, int s, int d, double *N)
{
    double carry = 0;
    for (int i = 0; i < d; i++) {
        const double part = d * N[i] / (knot[s + 1 + i] - knot[s + 1 + i - d]);
        N[i] = carry - part;
        carry = part;
    }
    N[d] = carry;
}

int arne_bspline_basis(const arne_bspline *b, double T, double t, int orders, double *values)
{
    const int    p = b->degree, width = p + 1;
    const double u = fmin(fmax(t / T, 0), 1);
    const int    s = find_piece(b, u);
    double       N[ARNE_BSPLINE_MAX_DEGREE + 1] = {1};
    double       scale = 1;
    for (int k = p + 1; k < orders; k++)
        memset(values + k * width, 0, sizeof(double) * (size_t)width);
    for (int d = 0; d <= p; d++) {
        if (d > 0) raise_degree(b->knots, s, u, d, N);
        const int k = p - d;
        if (k < orders) memcpy(values + k * width, N, sizeof(double) * (size_t)(d + 1));
    }
    for (int k = 1; k < orders && k <= p; k++) {
        double *row = values + k * width;
        for (int d = p - k + 1; d <= p; d++)
            raise_order(b->knots, s, d, row);
        scale /= T;
        for (int i = 0; i < width; i++)
            row[i] *= scale;
    }
    return s - p;
}

// One derivative order of the motion from the basis.
static void combine(const double *N, int alive, int width, const double *control, double *out)
{
    for (int c = 0; c < width; c++) {
        double sum = 0;
        for (int i = 0; i < alive; i++)
            sum += N[i] * control[i * width + c];
        out[c] = sum;
    }
}

// The basis is found a few orders at a time, on the stack.
enum { ORDERS_AT_ONCE = 6 };

void arne_bspline_evaluate(const arne_bspline *b, double T, double t, int width,
                           const double *control, int orders, double *out)
{
    const int alive = b->degree + 1;
    double    values[ORDERS_AT_ONCE * (ARNE_BSPLINE_MAX_DEGREE + 1)];
    const int some = orders < ORDERS_AT_ONCE ? orders : ORDERS_AT_ONCE;
    const int first = arne_bspline_basis(b, T, t, some, values);
    for (int k = 0; k < some; k++)
        combine(values + k * alive, alive, width, control + (size_t)first * (size_t)width,
                out + k * width);
    if (orders <= some) return;
    // Rare: further ones of the derivative, by their own row.
    double row[ARNE_BSPLINE_MAX_DEGREE + 1];
    for (int k = some; k < orders; k++) {
        bspline_row(b, T, t, k, row);
        combine(row, alive, width, control + (size_t)first * (size_t)width, out + k * width);
    }
}

int bspline_row(const arne_bspline *b, double T, double t, int order, double *row)
{
    const int    p = b->degree;
    const double u = fmin(fmax(t / T, 0), 1);
    const int    s = find_piece(b, u);
    memset(row, 0, sizeof(double) * (size_t)(p + 1));
    if (order > p) return s - p;
    row[0] = 1;
    for (int d = 1; d <= p - order; d++)
        raise_degree(b->knots, s, u, d, row);
    for (int d = p - order + 1; d <= p; d++)
        raise_order(b->knots, s, d, row);
    for (int i = 0; i <= p && order > 0; i++)
        row[i] *= pow(T, -order);
    return s - p;
}

void arne_bspline_final_time_at_place(const arne_bspline *b, double T, double t, int width,
                                      const double *control, int orders, double *out)
{
    arne_bspline_evaluate(b, T, t, width, control, orders, out);
    for (int k = 0; k < orders; k++)
        for (int c = 0; c < width; c++)
            out[k * width + c] *= -k / T;
}

void arne_bspline_final_time_at_time(const arne_bspline *b, double T, double t, int width,
                                     const double *control, int orders, double *out)
{
    double       row[ARNE_BSPLINE_MAX_DEGREE + 1];
    const double u = fmin(fmax(t / T, 0), 1);
    arne_bspline_final_time_at_place(b, T, t, width, control, orders, out);
    for (int k = 0; k < orders; k++) {
        const int first = bspline_row(b, T, t, k + 1, row);
        for (int c = 0; c < width; c++) {
            double sum = 0;
            for (int i = 0; i <= b->degree; i++)
                sum += row[i] * control[(size_t)(first + i) * (size_t)width + (size_t)c];
            out[k * width + c] -= u * sum;
        }
    }
}

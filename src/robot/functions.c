// Functions of one coordinate: their names and rules, and splines as pieces.
//
// With h_i the widths, s_i the slopes between points and m_i the second derivatives at them, a
// cubic spline has
//     h_i-1 m_i-1 + 2 (h_i-1 + h_i) m_i + h_i m_i+1 = 6 (s_i - s_i-1)
// between its points, and one more condition at each end.
#include "robot/functions.h"
#include "base/error.h"
#include "robot/functions.k.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int         least, most; // numbers y
} kinds[ARNE_FUNCTION_KIND_COUNT] = {
    [ARNE_FUNCTION_POLYNOMIAL] = {"polynomial", 1, 64},
    [ARNE_FUNCTION_SINE] = {"sine", 4, 4},
    [ARNE_FUNCTION_SPLINE] = {"spline", 2, 100000},
    [ARNE_FUNCTION_PRODUCT] = {"product", 0, 0},
};

static const char *const ends_names[ARNE_ENDS_COUNT] = {"natural", "clamped", "periodic", "simm",
                                                        "straight"};

const char *arne_function_kind_name(arne_function_kind kind)
{
    return kind >= 0 && kind < ARNE_FUNCTION_KIND_COUNT ? kinds[kind].name : NULL;
}

const char *arne_spline_ends_name(arne_spline_ends ends)
{
    return ends >= 0 && ends < ARNE_ENDS_COUNT ? ends_names[ends] : NULL;
}

arne_function arne_function_make(arne_function_kind kind, int count, const double *x,
                                 const double *y)
{
    return (arne_function){.kind = kind, .factor = 1, .count = count, .x = x, .y = y};
}

// ---- rules ----

static int spline_flaw(const arne_function *f, char why[128])
{
    if (!f->x) return snprintf(why, 128, "it has no x"), 1;
    if (!arne_spline_ends_name(f->ends)) return snprintf(why, 128, "there are no such ends"), 1;
    for (int i = 0; i < f->count; i++)
        if (!isfinite(f->x[i]) || (i && !(f->x[i] > f->x[i - 1])))
            return snprintf(why, 128, "its x must increase, and number %d does not", i + 1), 1;
    if (f->ends == ARNE_ENDS_CLAMPED && !(isfinite(f->slopes[0]) && isfinite(f->slopes[1])))
        return snprintf(why, 128, "a slope is not finite"), 1;
    if (f->ends != ARNE_ENDS_PERIODIC) return 0;
    if (f->count < 3) return snprintf(why, 128, "a periodic spline has at least 3 points"), 1;
    if (f->y[0] != f->y[f->count - 1])
        return snprintf(why, 128, "the first and the last y of a periodic spline are the same"), 1;
    return 0;
}

int function_flaw(const arne_function *f, char why[128])
{
    if (!arne_function_kind_name(f->kind))
        return snprintf(why, 128, "there is no such kind of function"), 1;
    if (f->count < kinds[f->kind].least || f->count > kinds[f->kind].most)
        return snprintf(why, 128, "a %s has %d to %d numbers, not %d", kinds[f->kind].name,
                        kinds[f->kind].least, kinds[f->kind].most, f->count),
               1;
    if (!isfinite(f->factor)) return snprintf(why, 128, "its factor is not finite"), 1;
    for (int i = 0; i < f->count; i++)
        if (!f->y || !isfinite(f->y[i]))
            return snprintf(why, 128, "number %d is not finite", i + 1), 1;
    return f->kind == ARNE_FUNCTION_SPLINE ? spline_flaw(f, why) : 0;
}

// ---- splines ----

typedef struct spline_rows { // of three entries each: below, on and above the diagonal
    int     n;
    double *h, *s, *low, *on, *up, *m;
} spline_rows;

// In place; without exchange of rows, as they are dominated by their diagonal.
static void tridiagonal(const spline_rows *r, double *on, double *x)
{
    for (int i = 1; i < r->n; i++) {
        const double t = r->low[i] / on[i - 1];
        on[i] -= t * r->up[i - 1];
        x[i] -= t * x[i - 1];
    }
    for (int i = r->n - 1; i >= 0; i--)
        x[i] = (x[i] - (i + 1 < r->n ? r->up[i] * x[i + 1] : 0)) / on[i];
}

// The third difference of four points from i on.
static double third_difference(const arne_function *f, const spline_rows *r, int i)
{
    const double *x = f->x;
    const double  a = (r->s[i + 1] - r->s[i]) / (x[i + 2] - x[i]);
    const double  b = (r->s[i + 2] - r->s[i + 1]) / (x[i + 3] - x[i + 1]);
    return (b - a) / (x[i + 3] - x[i]);
}

static void end_rows(const arne_function *f, const spline_rows *r)
{
    const int n = r->n, last = n - 1;
    r->on[0] = r->on[last] = 1; // natural
    if (f->ends == ARNE_ENDS_CLAMPED) {
        r->on[0] = 2 * r->h[0];
        r->up[0] = r->h[0];
        r->m[0] = 6 * (r->s[0] - f->slopes[0]);
        r->on[last] = 2 * r->h[last - 1];
        r->low[last] = r->h[last - 1];
        r->m[last] = 6 * (f->slopes[1] - r->s[last - 1]);
    }
    if (f->ends == ARNE_ENDS_SIMM && n > 2) {
        r->on[0] = r->on[last] = -1;
        r->up[0] = r->low[last] = 1;
        r->m[0] = n > 3 ? 6 * r->h[0] * third_difference(f, r, 0) : 0;
        r->m[last] = n > 3 ? -6 * r->h[last - 1] * third_difference(f, r, n - 4) : 0;
    }
}

// Second derivatives of a periodic spline: rows 0 to n - 2 in a ring, solved as a line and a
// correction of rank one (Sherman and Morrison).
static void periodic_rows(spline_rows *r, double *on, double *z)
{
    const int    n = r->n - 1;
    const double corner = r->h[n - 1], gamma = -2 * (r->h[n - 1] + r->h[0]);
    r->n = n;
    for (int i = 0; i < n; i++) {
        const double before = r->h[i ? i - 1 : n - 1];
        r->low[i] = before;
        r->up[i] = r->h[i];
        r->on[i] = 2 * (before + r->h[i]);
        r->m[i] = 6 * (r->s[i] - r->s[i ? i - 1 : n - 1]);
        z[i] = 0;
    }
    r->on[0] -= gamma;
    r->on[n - 1] -= corner * corner / gamma;
    z[0] = gamma;
    z[n - 1] += corner;
    memcpy(on, r->on, (size_t)n * sizeof *on);
    tridiagonal(r, on, r->m);
    memcpy(on, r->on, (size_t)n * sizeof *on);
    tridiagonal(r, on, z);
    const double part =
        (r->m[0] + corner * r->m[n - 1] / gamma) / (1 + z[0] + corner * z[n - 1] / gamma);
    for (int i = 0; i < n; i++)
        r->m[i] -= part * z[i];
    r->m[n] = r->m[0];
    r->n = n + 1;
}

static double *put_piece(double *at, double base, double c0, double c1, double c2, double c3)
{
    const double piece[PIECE_SIZE] = {base, c0, c1, c2, c3};
    memcpy(at, piece, sizeof piece);
    return at + PIECE_SIZE;
}

static void put_pieces(const arne_function *f, const spline_rows *r, double *at)
{
    const int     n = f->count, periodic = f->ends == ARNE_ENDS_PERIODIC;
    const double *x = f->x, *y = f->y, *h = r->h, *s = r->s, *m = r->m;
    const double  first = s[0] - h[0] * (2 * m[0] + m[1]) / 6;
    const double  last = s[n - 2] + h[n - 2] * (m[n - 2] + 2 * m[n - 1]) / 6;
    if (!periodic) at = put_piece(at, x[0], y[0], first, 0, 0);
    for (int i = 0; i + 1 < n; i++)
        at = put_piece(at, x[i], y[i], s[i] - h[i] * (2 * m[i] + m[i + 1]) / 6, 0.5 * m[i],
                       (m[i + 1] - m[i]) / (6 * h[i]));
    if (periodic)
        put_piece(at, x[n - 1], y[0], first, 0.5 * m[0], (m[1] - m[0]) / (6 * h[0]));
    else
        put_piece(at, x[n - 1], y[n - 1], last, 0, 0);
}

static int spline_fill(const arne_function *f, double *numbers)
{
    const int    n = f->count, periodic = f->ends == ARNE_ENDS_PERIODIC;
    const size_t size = (size_t)n + 1;
    double      *room = calloc(8 * size, sizeof *room);
    if (!room) return 0;
    spline_rows r = {
        n, room, room + size, room + 2 * size, room + 3 * size, room + 4 * size, room + 5 * size};
    for (int i = 0; i + 1 < n; i++) {
        r.h[i] = f->x[i + 1] - f->x[i];
        r.s[i] = (f->y[i + 1] - f->y[i]) / r.h[i];
    }
    if (f->ends == ARNE_ENDS_STRAIGHT) {
        // second derivatives 0
    } else if (periodic) {
        periodic_rows(&r, room + 6 * size, room + 7 * size);
    } else {
        for (int i = 1; i + 1 < n; i++) {
            r.low[i] = r.h[i - 1];
            r.on[i] = 2 * (r.h[i - 1] + r.h[i]);
            r.up[i] = r.h[i];
            r.m[i] = 6 * (r.s[i] - r.s[i - 1]);
        }
        end_rows(f, &r);
        tridiagonal(&r, r.on, r.m);
    }
    numbers[0] = periodic ? f->x[n - 1] - f->x[0] : 0;
    numbers[1] = f->x[0];
    put_pieces(f, &r, numbers + PIECES_HEAD);
    free(room);
    return 1;
}

// ---- as kernels have them ----

function_form function_form_of(const arne_function *f)
{
    return f->kind == ARNE_FUNCTION_SINE     ? FORM_SINE
           : f->kind == ARNE_FUNCTION_SPLINE ? FORM_PIECES
                                             : FORM_POLYNOMIAL;
}

int function_parts(const arne_function *f)
{
    if (f->kind != ARNE_FUNCTION_SPLINE) return f->count;
    return f->ends == ARNE_ENDS_PERIODIC ? f->count : f->count + 1;
}

int function_numbers(const arne_function *f)
{
    const int parts = function_parts(f);
    if (f->kind != ARNE_FUNCTION_SPLINE) return parts;
    return PIECES_HEAD + PIECE_SIZE * parts + knot_room(parts);
}

int function_fill(const arne_function *f, double *numbers)
{
    if (f->kind == ARNE_FUNCTION_SPLINE) {
        if (!spline_fill(f, numbers)) return 0;
        const int count = function_parts(f);
        double   *pieces = numbers + PIECES_HEAD, *knots = pieces + PIECE_SIZE * count;
        for (int i = 0; i < PIECE_SIZE * count; i++)
            if (i % PIECE_SIZE) pieces[i] *= f->factor;
        for (int i = 0; i < knot_room(count); i++)
            knots[i] = i + 1 < count ? pieces[(i + 1) * PIECE_SIZE] : INFINITY;
        knots[count - 2] = nextafter(knots[count - 2], INFINITY);
        return 1;
    }
    for (int i = 0; i < f->count; i++)
        numbers[i] =
            f->y[i] * (f->kind == ARNE_FUNCTION_SINE && (i == 1 || i == 2) ? 1 : f->factor);
    return 1;
}

int function_is_line(const arne_function *f, double *ratio, double *offset)
{
    int count = f->count;
    if (f->kind != ARNE_FUNCTION_POLYNOMIAL) return 0;
    while (count > 2 && f->y[count - 1] == 0)
        count--;
    if (count > 2) return 0;
    *offset = f->factor * f->y[0];
    *ratio = count > 1 ? f->factor * f->y[1] : 0;
    return 1;
}

arne_status arne_function_at(const arne_function *function, double q, double *d, arne_error *error)
{
    char why[128];
    if (!function || !d)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    if (function_flaw(function, why))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the function is none: %s", why);
    if (function->kind == ARNE_FUNCTION_PRODUCT)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "a product takes two coordinates");
    const int count = function_parts(function);
    double   *numbers = malloc((size_t)function_numbers(function) * sizeof *numbers);
    if (!numbers || !function_fill(function, numbers)) {
        free(numbers);
        return arne_fail_memory(error);
    }
    real out[FUNCTION_ORDERS];
    numbers_at((int)function_form_of(function), numbers, count, q, out);
    for (int k = 0; k < FUNCTION_ORDERS; k++)
        d[k] = out[k];
    free(numbers);
    return ARNE_OK;
}

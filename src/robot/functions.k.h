// Functions of one coordinate: value and derivatives up to the fourth, over any arithmetic.
//
//     polynomial   c0 + c1 x + c2 x^2 + ...
//     sine         a sin(w x + p) + o
//     pieces       a cubic c0 + c1 t + c2 t^2 + c3 t^3 in t = x - base, another between each two
//                  knots. Every kind of spline is this (functions.c); outside of its points stand
//                  straight lines, or its period repeats.
// A function of a function follows the chain rule (Faa di Bruno). At a knot the piece to the right
// counts, at the last one the piece to the left.
#ifndef ARNE_ROBOT_FUNCTIONS_K_H
#define ARNE_ROBOT_FUNCTIONS_K_H

#include "math/dense_row.h"
#include "robot/robot.h"

enum { FUNCTION_ORDERS = 5 }; // the value and four derivatives

// By Horner's rule for all orders at once: each is the sum of what it was times x and of the order
// before. What comes out are coefficients of a series, which become derivatives.
ARNE_TEXT void polynomial_at(const double *c, int count, real x, real d[FUNCTION_ORDERS])
{
    real y = r_num(0), y1 = y, y2 = y, y3 = y, y4 = y;
    for (int i = count - 1; i >= 0; i--) {
        y4 = r_add_mul(y3, y4, x);
        y3 = r_add_mul(y2, y3, x);
        y2 = r_add_mul(y1, y2, x);
        y1 = r_add_mul(y, y1, x);
        y = r_add_mul(r_num(c[i]), y, x);
    }
    d[0] = y;
    d[1] = y1;
    d[2] = r_mul(r_num(2), y2);
    d[3] = r_mul(r_num(6), y3);
    d[4] = r_mul(r_num(24), y4);
}

ARNE_TEXT void sine_at(const double *c, real x, real d[FUNCTION_ORDERS])
{
    const double a = c[0], w = c[1];
    const real   angle = r_add_mul(r_num(c[2]), r_num(w), x);
    real         s, e;
    r_sincos_many(1, &angle, &s, &e);
    d[0] = r_add_mul(r_num(c[3]), r_num(a), s);
    d[1] = r_mul(r_num(a * w), e);
    d[2] = r_mul(r_num(-a * w * w), s);
    d[3] = r_mul(r_num(-a * w * w * w), e);
    d[4] = r_mul(r_num(a * w * w * w * w), s);
}

// ---- pieces ----

// The pieces follow two numbers: the period (0: none) and where it starts. Each has its base, where
// it begins, and four coefficients. What lies before the second base belongs to the first piece.
// After the pieces stand the knots where the others begin, once more, as many as fill fours: the
// last piece begins beyond its knot.
enum { PIECE_SIZE = 5, PIECES_HEAD = 2 };
ARNE_FN int knot_room(int pieces) { return (pieces + 2) / 4 * 4; }

#if defined ARNE_COMPLEX || defined ARNE_JET || defined ARNE_RECORD

// 1 where x >= 0, else 0.
ARNE_FN real r_reached(real x)
{
    const real side = r_sign(r_add(r_sign(x), r_num(0.5)));
    return r_mul(r_num(0.5), r_add(r_num(1), side));
}

// The numbers of the piece that x is on, in `out` or where they stand. Here it is the sum of all
// pieces' numbers, of which one counts: exact, as the others are times 0.
ARNE_TEXT const real *piece_numbers(const double *pieces, int count, real x, real out[PIECE_SIZE])
{
    real before = r_num(1);
    for (int k = 0; k < PIECE_SIZE; k++)
        out[k] = r_num(0);
    for (int i = 0; i < count; i++) {
        real reached = r_num(0);
        if (i + 2 == count)
            reached = r_sub(r_num(1), r_reached(r_sub(r_num(pieces[(i + 1) * PIECE_SIZE]), x)));
        else if (i + 1 < count)
            reached = r_reached(r_sub(x, r_num(pieces[(i + 1) * PIECE_SIZE])));
        const real here = r_sub(before, reached);
        for (int k = 0; k < PIECE_SIZE; k++)
            out[k] = r_add_mul(out[k], here, r_num(pieces[i * PIECE_SIZE + k]));
        before = reached;
    }
    return out;
}

#else

enum { FEW_PIECES = 24 };

// All are looked at, so that a processor has nothing to guess.
ARNE_FN int knots_passed(int count, const double *knots, double x)
{
#ifdef ARNE_WIDE
    bits passed = {0};
    for (int i = 0; i < count; i += 4)
        passed -= *(const row4 *)(const void *)(knots + i) <= x;
    return (int)(passed[0] + passed[1] + passed[2] + passed[3]);
#else
    int passed = 0;
    for (int i = 0; i < count; i++)
        passed += knots[i] <= x;
    return passed;
#endif
}

ARNE_FN const double *piece_of(const double *pieces, int count, double x)
{
    int low = 0, high = count - 2; // the piece is one of these, or between
    if (count <= FEW_PIECES)
        return pieces + PIECE_SIZE * knots_passed(count - 1, pieces + PIECE_SIZE * count, x);
    if (x > pieces[(count - 1) * PIECE_SIZE]) return pieces + (count - 1) * PIECE_SIZE;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (x >= pieces[middle * PIECE_SIZE])
            low = middle;
        else
            high = middle - 1;
    }
    return pieces + low * PIECE_SIZE;
}

ARNE_TEXT const real *piece_numbers(const double *pieces, int count, real x, real out[PIECE_SIZE])
{
#ifdef ARNE_LANES
    for (int i = 0; i < ARNE_LANES; i++) {
        const double *p = piece_of(pieces, count, x[i]);
        for (int k = 0; k < PIECE_SIZE; k++)
            out[k][i] = p[k];
    }
    return out;
#else
    (void)out;
    return piece_of(pieces, count, x);
#endif
}

#endif

// x less whole periods. Recorded code has no such operation: generate.c refuses the robot.
ARNE_FN real period_start(real x, double period, double start)
{
#ifdef ARNE_RECORD
    (void)period;
    (void)start;
    return x;
#else
    return r_sub_mul(x, r_num(period), r_floor(r_mul(r_num(1 / period), r_sub(x, r_num(start)))));
#endif
}

ARNE_TEXT void pieces_at(const double *c, int count, real x, real d[FUNCTION_ORDERS])
{
    real room[PIECE_SIZE];
    if (c[0] > 0) x = period_start(x, c[0], c[1]);
    const real *p = piece_numbers(c + PIECES_HEAD, count, x, room);
    const real  t = r_sub(x, p[0]), bow = r_mul(r_num(3), p[4]), c2 = r_add(p[3], p[3]);
    d[0] = r_add_mul(p[1], t, r_add_mul(p[2], t, r_add_mul(p[3], t, p[4])));
    d[1] = r_add_mul(p[2], t, r_add_mul(c2, t, bow));
    d[3] = r_add(bow, bow);
    d[2] = r_add_mul(c2, t, d[3]);
    d[4] = r_num(0);
}

// ---- any ----

ARNE_TEXT void numbers_at(int form, const double *c, int count, real x, real d[FUNCTION_ORDERS])
{
    if (form == FORM_POLYNOMIAL)
        polynomial_at(c, count, x, d);
    else if (form == FORM_SINE)
        sine_at(c, x, d);
    else
        pieces_at(c, count, x, d);
}
ARNE_TEXT void stage_at(const arne_robot *r, const stage_record *s, real x, real d[FUNCTION_ORDERS])
{
    numbers_at(s->form, robot_curve_numbers(r) + s->at, s->count, x, d);
}

// d becomes the derivatives of f(e(x)), from those of e and, at e(x), of f.
ARNE_TEXT void chain_rule(const real f[FUNCTION_ORDERS], real d[FUNCTION_ORDERS])
{
    const real e1 = d[1], e2 = d[2], e3 = d[3], square = r_mul(e1, e1);
    d[0] = f[0];
    d[1] = r_mul(f[1], e1);
    d[2] = r_add_mul(r_mul(f[2], square), f[1], e2);
    d[3] = r_add(r_mul(r_mul(f[3], square), e1),
                 r_add_mul(r_mul(r_num(3), r_mul(f[2], r_mul(e1, e2))), f[1], e3));
    const real second = r_add_mul(r_mul(r_num(3), r_mul(e2, e2)), r_num(4), r_mul(e1, e3));
    d[4] = r_add(r_mul(r_mul(f[4], square), square),
                 r_add(r_mul(r_num(6), r_mul(f[3], r_mul(square, e2))),
                       r_add_mul(r_mul(f[2], second), f[1], d[4])));
}

// factor f(...f(x)) and its derivatives.
ARNE_TEXT void bend_at(const arne_robot *r, const bend_record *b, real x, real d[FUNCTION_ORDERS])
{
    const stage_record *s = robot_stages(r) + b->stage;
    stage_at(r, s, x, d);
    for (int i = 1; i < b->stage_count; i++) {
        real f[FUNCTION_ORDERS];
        stage_at(r, s + i, d[0], f);
        chain_rule(f, d);
    }
    if (b->factor == 1) return;
    for (int k = 0; k < FUNCTION_ORDERS; k++)
        d[k] = r_mul(r_num(b->factor), d[k]);
}

#endif

// Curves of the laws of muscles, over double numbers or (ARNE_COMPLEX, in tests) complex ones:
// value, first and second derivative.
//
//     Millard    chains of quintic Bezier segments (robot/millard.c), straight outside
//     Thelen     Thelen 2003, with OpenSim's continuation of the force-velocity curve
//     De Groote  De Groote et al. 2016, with OpenSim's constants, for which the curves pass through
//                (1, 1), (-1, 0), (0, 1) and (1, 0)
// Lengths and velocities are those of arne_muscle_law: parts of fibre_length, slack_length and
// max_velocity. A branch looks at the real part only.
#ifndef ARNE_MUSCLE_FORCE_LAWS_H
#define ARNE_MUSCLE_FORCE_LAWS_H

#include "math/real.h"
#include "robot/muscles.h"

#if defined    ARNE_COMPLEX
ARNE_FN double l_value(real x) { return creal(x); }
ARNE_FN real   l_exp(real x) { return cexp(x); }
ARNE_FN real   l_asinh(real x) { return casinh(x); }
#else
ARNE_FN double l_value(real x) { return x; }
ARNE_FN real   l_exp(real x) { return exp(x); }
ARNE_FN real   l_asinh(real x) { return asinh(x); }
#endif

typedef struct force_law {
    const arne_muscle_law *p;
    const double          *bezier; // Millard's segments
} force_law;

typedef struct curve {
    real y, d, dd;
} curve;

// The factor of velocity, and its derivatives by velocity and by activation.
typedef struct velocity_curve {
    real y, d, by_activation;
} velocity_curve;

// A Newton step to the zero of an increasing function within a bracket, or its middle where that
// step leaves it. Returns 0 where x is as near as it gets.
typedef struct bracket {
    double low, high;
    int    left; // of the steps
} bracket;
static const double BRACKET_TOLERANCE = 1e-15; // of x and of the function
ARNE_FN int         bracket_step(bracket *b, double *x, double off, double slope)
{
    const double next = *x - off / slope, last = *x;
    if (fabs(off) <= BRACKET_TOLERANCE || b->left-- == 0) return 0;
    if (off > 0)
        b->high = last;
    else
        b->low = last;
    *x = next > b->low && next < b->high ? next : 0.5 * (b->low + b->high);
    return fabs(*x - last) > BRACKET_TOLERANCE * fabs(last);
}
enum { BRACKET_STEPS = 100 };

// ---- Millard ----

// Value and two derivatives by u of a segment with P0, A, A, B, B, P1.
ARNE_FN curve bezier_at(const double *p, real u)
{
    const real   s = 1 - u, u2 = u * u, s2 = s * s, us = u * s;
    const double a = p[1] - p[0], b = p[2] - p[1], c = p[3] - p[2];
    // from the nearer end, so that nothing cancels there
    curve out;
    out.y = p[0] + a * (1 - s2 * s2 * s) + b * (u2 * u * (10 - u * (15 - 6 * u))) + c * u2 * u2 * u;
    out.d = 5 * (a * s2 * s2 + 6 * b * us * us + c * u2 * u2);
    out.dd = 20 * (-a * s2 * s + 3 * b * us * (s - u) + c * u2 * u);
    return out;
}

// Where on the segment x is: Newton within a bracket.
ARNE_TEXT real bezier_find(const double *p, real x)
{
    const double goal = l_value(x), size = p[3] - p[0];
    bracket      b = {0, 1, BRACKET_STEPS};
    double       u = (goal - p[0]) / size;
    curve        c;
    do
        c = bezier_at(p, u);
    while (bracket_step(&b, &u, (l_value(c.y) - goal) / size, l_value(c.d) / size));
    const curve at = bezier_at(p, u); // once more, for the imaginary part
    return u + (x - at.y) / at.d;
}

ARNE_TEXT curve bezier_chain_at(const double *p, int count, real x)
{
    const double *last = p + BEZIER_SIZE * (count - 1);
    const double  at = l_value(x);
    if (at <= p[0] || at >= last[3]) {
        const int     end = at > p[0];
        const double *e = end ? last + 2 : p;
        const double  d = (e[5] - e[4]) / (e[1] - e[0]);
        const curve   line = {(end ? e[5] : e[4]) + d * (x - (end ? e[1] : e[0])), d, 0};
        return line;
    }
    while (at > p[3])
        p += BEZIER_SIZE;
    const real  u = bezier_find(p, x);
    const curve fx = bezier_at(p, u), fy = bezier_at(p + 4, u);
    const real  d = fy.d / fx.d;
    const curve out = {fy.y, d, (fy.dd - d * fx.dd) / (fx.d * fx.d)};
    return out;
}

static curve millard_active(const force_law *l, real x)
{
    return bezier_chain_at(l->bezier + BEZIER_SIZE * MILLARD_ACTIVE, 5, x);
}

static curve millard_passive(const force_law *l, real x)
{
    return bezier_chain_at(l->bezier + BEZIER_SIZE * MILLARD_PASSIVE, 2, x);
}

static curve millard_tendon(const force_law *l, real x)
{
    return bezier_chain_at(l->bezier + BEZIER_SIZE * MILLARD_TENDON, 2, x);
}

static velocity_curve millard_velocity(const force_law *l, real v, real activation)
{
    const curve          c = bezier_chain_at(l->bezier + BEZIER_SIZE * MILLARD_VELOCITY, 4, v);
    const velocity_curve out = {c.y, c.d, 0};
    (void)activation;
    return out;
}

// ---- Thelen ----

static curve thelen_active(const force_law *l, real x)
{
    const double k = -2 / l->p->active_shape;
    const real   y = l_exp(0.5 * k * (x - 1) * (x - 1));
    const curve  out = {y, k * (x - 1) * y, k * (1 + k * (x - 1) * (x - 1)) * y};
    return out;
}

static curve thelen_passive(const force_law *l, real x)
{
    const double k = l->p->passive_shape / l->p->passive_strain;
    const double part = 1 / expm1(l->p->passive_shape);
    const curve  none = {0, 0, 0};
    if (l_value(x) <= 1) return none;
    const real  e = part * l_exp(k * (x - 1));
    const curve out = {e - part, k * e, k * k * e};
    return out;
}

static curve thelen_tendon(const force_law *l, real x)
{
    const double e0 = l->p->tendon_strain, E = exp(3), toe = 99 * e0 * E / (166 * E - 67);
    const double k = 3 / toe, slope = 0.67 / (e0 - toe);
    const curve  none = {0, 0, 0}, line = {0.33 + slope * (x - 1 - toe), slope, 0};
    if (l_value(x) <= 1) return none;
    if (l_value(x) > 1 + toe) return line;
    const real  e = 0.33 / (E - 1) * l_exp(k * (x - 1));
    const curve out = {e - 0.33 / (E - 1), k * e, k * k * e};
    return out;
}

// From the inverse v = (0.25 + 0.75 a) (f - 1) / b(f) of the paper; straight below f = 0 and above
// 0.95 of lengthening_force.
static velocity_curve thelen_velocity(const force_law *l, real v, real activation)
{
    const double   A = 1 / l->p->velocity_shape, F = l->p->lengthening_force;
    const double   c = (2 + 2 * A) / (F - 1), top = fmax((0.95 * F - 1) / (0.05 * F * c), 0);
    const real     speed = 0.25 + 0.75 * activation, w = v / speed;
    const double   at = l_value(w);
    velocity_curve out;
    if (at < -1) {
        out.d = 1 / (1 + A);
        out.y = (w + 1) * out.d;
    } else if (at <= 0) {
        const real b = 1 - A * w;
        out.y = (1 + w) / b;
        out.d = (1 + A) / (b * b);
    } else {
        const real b = at < top ? 1 + c * w : 1 + c * (real)top;
        out.d = c * (F - 1) / (b * b);
        out.y = at < top ? (1 + c * F * w) / b : (1 + c * F * top) / b + out.d * (w - top);
    }
    out.by_activation = -0.75 * out.d * w / speed;
    out.d = out.d / speed;
    return out;
}

// ---- De Groote ----

static curve degroote_active(const force_law *l, real x)
{
    static const double b[3][4] = {
        {0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465},
        {0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188},
        {0.1, 1, 0.353553390593274, 0}};
    const double width = l->p->active_width;
    const real   s = (x - 1) / width + 1;
    curve        out = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        // b1 exp(-r^2 / 2) with r = (s - b2) / (b3 + b4 s)
        const real e = b[i][2] + b[i][3] * s, r = (s - b[i][1]) / e;
        const real dr = (b[i][2] + b[i][1] * b[i][3]) / (e * e), ddr = -2 * b[i][3] * dr / e;
        const real y = b[i][0] * l_exp(-0.5 * r * r);
        out.y += y;
        out.d -= y * r * dr / width;
        out.dd += y * ((r * r - 1) * dr * dr - r * ddr) / (width * width);
    }
    return out;
}

static curve degroote_passive(const force_law *l, real x)
{
    const double shape = 4, least = 0.2, k = shape / l->p->passive_strain;
    const double offset = exp(k * (least - 1)), part = 1 / (exp(shape) - offset);
    const real   e = part * l_exp(k * (x - 1));
    const curve  out = {e - part * offset, k * e, k * k * e};
    return out;
}

static curve degroote_tendon(const force_law *l, real x)
{
    const double c = 0.2, k = log((1 + c) / c) / l->p->tendon_strain;
    const real   e = c * l_exp(k * (x - 1));
    const curve  out = {e - c, k * e, k * k * e};
    return out;
}

static velocity_curve degroote_velocity(const force_law *l, real v, real activation)
{
    const double d1 = -0.3211346127989808, d2 = -8.149, d3 = -0.374, d4 = 0.8825327733249912;
    const real   w = d2 * v + d3;
    const velocity_curve out = {d1 * l_asinh(w) + d4, d1 * d2 / r_sqrt(w * w + 1), 0};
    (void)l;
    (void)activation;
    return out;
}

// ---- all ----

typedef struct law_curves {
    curve (*active)(const force_law *, real length);
    curve (*passive)(const force_law *, real length);
    curve (*tendon)(const force_law *, real length);
    velocity_curve (*velocity)(const force_law *, real velocity, real activation);
} law_curves;

// By kind; ligaments and springs have no fibre.
static const law_curves muscle_laws[ARNE_MUSCLE_LIGAMENT] = {
    {millard_active, millard_passive, millard_tendon, millard_velocity},
    {thelen_active, thelen_passive, thelen_tendon, thelen_velocity},
    {degroote_active, degroote_passive, degroote_tendon, degroote_velocity}};

#endif

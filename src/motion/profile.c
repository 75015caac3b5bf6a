// Trapezoids and S-curves from rest to rest are symmetric: the second half is the first one
// backwards. In the first half the acceleration rises with the limit of jerk for a time t_jerk,
// stays for t_acceleration, falls for t_jerk, and then the speed stays.
//
//     a = j t_jerk,   v = a (t_jerk + t_acceleration),
//     distance = v (2 t_jerk + t_acceleration + t_speed)
//
// The least time uses as much jerk as there is, then as much acceleration, then as much speed:
// whichever of the limits is met first shortens the phase before it.
#include "motion/profile.h"

#include <math.h>
#include <string.h>

profile profile_polynomial(arne_profile kind, double distance, double duration)
{
    return (profile){.kind = kind, .distance = distance, .duration = duration, .stretch = 1};
}

static void fastest_trapezoid(profile *p, double v, double a)
{
    p->a = a;
    p->v = fmin(v, sqrt(p->distance * a));
    p->t_acceleration = p->v / a;
    p->t_speed = p->distance / p->v - p->t_acceleration;
}

static void fastest_s_curve(profile *p, double v, double a, double j)
{
    const double D = p->distance;
    p->j = j;
    p->t_jerk = fmin(a / j, sqrt(v / j));
    p->a = fmin(a, j * p->t_jerk);
    p->v = v;
    p->t_acceleration = fmax(v / p->a - p->t_jerk, 0);
    if (isfinite(v) && v * (2 * p->t_jerk + p->t_acceleration) <= D) {
        p->t_speed = D / v - (2 * p->t_jerk + p->t_acceleration);
        return;
    }
    // The speed is not reached: D = a (tj + ta) (2 tj + ta), or not even the acceleration: D = 2 j
    // tj^3.
    p->t_jerk = a / j;
    p->a = a;
    p->t_acceleration =
        isfinite(a) ? 0.5 * (sqrt(p->t_jerk * p->t_jerk + 4 * D / a) - 3 * p->t_jerk) : -1;
    if (p->t_acceleration < 0) {
        p->t_jerk = cbrt(D / (2 * j));
        p->t_acceleration = 0;
        p->a = fmin(a, j * p->t_jerk);
    }
    p->v = fmin(v, p->a * (p->t_jerk + p->t_acceleration));
    p->t_speed = 0;
}

profile profile_fastest(arne_profile kind, double distance, double v, double a, double j)
{
    profile p = {.kind = kind, .distance = distance, .stretch = 1};
    if (!(distance > 0)) return p;
    if (kind == ARNE_PROFILE_TRAPEZOIDAL)
        fastest_trapezoid(&p, v, a);
    else
        fastest_s_curve(&p, v, a, j);
    p.t_speed = fmax(p.t_speed, 0);
    p.duration = 2 * (2 * p.t_jerk + p.t_acceleration) + p.t_speed;
    return p;
}

void profile_stretch(profile *p, double duration)
{
    if (p->duration > 0 && duration > p->duration) p->stretch = duration / p->duration;
}

// The first half, to the middle of the phase of steady speed.
static void half_at(const profile *p, double t, double out[ORDERS])
{
    const double tj = p->t_jerk, ta = p->t_acceleration, a = p->a, j = p->j;
    if (t < tj) {
        out[0] = j * t * t * t / 6;
        out[1] = 0.5 * j * t * t;
        out[2] = j * t;
        out[3] = j;
    } else if (t < tj + ta) {
        const double u = t - tj;
        out[0] = a * (tj * tj / 6 + u * (0.5 * tj + 0.5 * u));
        out[1] = a * (0.5 * tj + u);
        out[2] = a;
    } else if (t < 2 * tj + ta) { // backwards from the end of the phase
        const double u = 2 * tj + ta - t, end = 0.5 * p->v * (2 * tj + ta);
        out[0] = end - p->v * u + j * u * u * u / 6;
        out[1] = p->v - 0.5 * j * u * u;
        out[2] = j * u;
        out[3] = -j;
    } else {
        out[0] = p->v * (t - 0.5 * (2 * tj + ta));
        out[1] = p->v;
    }
    // Rounding must not break a limit.
    out[1] = fmin(out[1], p->v);
    out[2] = fmin(out[2], p->a);
}

static void phases_at(const profile *p, double t, double out[ORDERS])
{
    if (t < 0.5 * p->duration) {
        half_at(p, t, out);
        return;
    }
    half_at(p, p->duration - t, out);
    out[0] = p->distance - out[0];
    out[2] = -out[2];
}

// In u = t / duration, of a way of 1: Bernstein's polynomials, half of them at 0 and half at 1.
static void polynomial_at(arne_profile kind, double u, double out[ORDERS])
{
    static const double C[4][8] = {
        {0, 1}, {0, 0, 3, -2}, {0, 0, 0, 10, -15, 6}, {0, 0, 0, 0, 35, -84, 70, -20}};
    const int    late = u > 0.5; // s(u) = 1 - s(1 - u): both ends are exact
    const double x = late ? 1 - u : u, *c = C[kind];
    double       factor[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (int k = 0; k < ORDERS; k++) {
        double sum = 0;
        for (int d = 7; d >= k; d--)
            sum = sum * x + factor[d] * c[d];
        out[k] = late && k % 2 == 0 ? -sum : sum;
        for (int d = 0; d < 8; d++)
            factor[d] *= d - k;
    }
    if (late) out[0] += 1;
}

void profile_at(const profile *p, double t, double out[ORDERS])
{
    const double end = p->duration * p->stretch;
    double       scale = 1;
    memset(out, 0, ORDERS * sizeof *out);
    if (!(p->duration > 0) || t < 0 || t > end) { // no duration: no distance either
        out[0] = t < 0 ? 0 : p->distance;
        return;
    }
    if (p->kind < ARNE_PROFILE_TRAPEZOIDAL) {
        polynomial_at(p->kind, t / end, out);
        for (int k = 0; k < ORDERS; k++, scale /= end)
            out[k] *= scale * p->distance;
        return;
    }
    phases_at(p, fmin(t / p->stretch, p->duration), out);
    for (int k = 0; k < ORDERS; k++, scale /= p->stretch)
        out[k] *= scale;
}

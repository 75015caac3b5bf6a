// One contact by itself: open, sticking or sliding, in this order.
//
// Sliding: with the direction e of friction, p_n = -u_n / (K_nn + mu K_nt . e) and p_t = mu p_n e,
// so that the velocity across is a function of an angle; it must be along -e. Its root is found by
// Newton from the guess and, where that fails, by a look around the circle. Where friction holds
// the normal impulse (K_nn + mu K_nt . e <= 0, Painleve) such an angle does not count.
#include "world/cone.h"
#include <math.h>

typedef struct slide {
    const double *K, *u;
    double        mu, p_n; // p_n < 0: it follows from the angle
} slide;

// The normal impulse at a direction; 0 where there is none.
static double normal_at(const slide *s, double x, double y)
{
    if (s->p_n >= 0) return s->p_n;
    const double d = s->K[0] + s->mu * (s->K[1] * x + s->K[2] * y);
    return d > 1e-3 * s->K[0] ? -s->u[0] / d : 0;
}

// e x v_t and -e . v_t (the speed of sliding) at an angle.
static double across_at(const slide *s, double angle, double *speed)
{
    const double *K = s->K, x = cos(angle), y = sin(angle), p = normal_at(s, x, y), t = s->mu * p;
    const double  vx = s->u[1] + K[3] * p + t * (K[4] * x + K[5] * y);
    const double  vy = s->u[2] + K[6] * p + t * (K[7] * x + K[8] * y);
    *speed = -(x * vx + y * vy);
    return x * vy - y * vx;
}

// Secant steps from a guess. Returns whether they came to a root that slides the right way.
static int follow_root(const slide *s, double *angle, double scale)
{
    double speed, a = *angle, fa = across_at(s, a, &speed);
    double b = a + 1e-4, fb = across_at(s, b, &speed);
    for (int i = 0; i < 12; i++) {
        if (fabs(fb) <= 1e-16 * scale) break;
        const double slope = fb - fa;
        if (slope == 0) break;
        double step = -fb * (b - a) / slope;
        if (!(fabs(step) < 0.5)) return 0;
        a = b;
        fa = fb;
        b += step;
        fb = across_at(s, b, &speed);
    }
    *angle = b;
    return fabs(fb) <= 1e-13 * scale && speed >= -1e-13 * scale;
}

// Around the circle: the crossing with the largest speed of sliding, halved down.
static double search_root(const slide *s)
{
    enum { PARTS = 24 };
    const double part = 2 * 3.14159265358979323846 / PARTS;
    double       best = 0, best_speed = -INFINITY, speed, before = across_at(s, 0, &speed);
    for (int i = 1; i <= PARTS; i++) {
        const double after = across_at(s, i * part, &speed);
        if ((before > 0) != (after > 0)) {
            double low = (i - 1) * part, high = i * part, f = before, slides;
            for (int k = 0; k < 60; k++) {
                const double middle = 0.5 * (low + high), g = across_at(s, middle, &slides);
                if ((g > 0) == (f > 0))
                    low = middle;
                else
                    high = middle;
            }
            across_at(s, 0.5 * (low + high), &slides);
            if (slides > best_speed) {
                best_speed = slides;
                best = 0.5 * (low + high);
            }
        }
        before = after;
    }
    return best;
}

static void slide_solve(const slide *s, double p[3])
{
    const double scale = fabs(s->u[0]) + fabs(s->u[1]) + fabs(s->u[2]) + 1e-300;
    const int    guessed = p[1] != 0 || p[2] != 0;
    double       angle = guessed ? atan2(p[2], p[1]) : atan2(-s->u[2], -s->u[1]);
    if (!follow_root(s, &angle, scale)) angle = search_root(s);
    const double x = cos(angle), y = sin(angle), n = normal_at(s, x, y);
    p[0] = n;
    p[1] = s->mu * n * x;
    p[2] = s->mu * n * y;
}

// p_n given: across, within the circle of radius mu p_n.
static void across_solve(const double K[9], const double u[3], double mu, double n, double p[3])
{
    const double bx = u[1] + K[3] * n, by = u[2] + K[6] * n, det = K[4] * K[8] - K[5] * K[7];
    const double x = -(K[8] * bx - K[5] * by) / det, y = -(K[4] * by - K[7] * bx) / det;
    const double most = mu * n;
    p[0] = n;
    if (x * x + y * y <= most * most) {
        p[1] = x;
        p[2] = y;
        return;
    }
    const slide s = {K, u, mu, n};
    slide_solve(&s, p);
}

void cone_solve(const double K[9], const double u[3], double mu, double least, double p[3])
{
    if (!(K[0] > 0)) { // nothing moves that could be stopped
        p[0] = p[1] = p[2] = 0;
        return;
    }
    // As little as there may be, where that keeps it open.
    double open[3] = {least, 0, 0};
    if (least > 0 && mu > 0) across_solve(K, u, mu, least, open);
    if (u[0] + K[0] * open[0] + K[1] * open[1] + K[2] * open[2] >= 0) {
        p[0] = open[0];
        p[1] = open[1];
        p[2] = open[2];
        return;
    }
    if (mu == 0) {
        p[0] = -u[0] / K[0];
        p[1] = p[2] = 0;
        return;
    }
    // Sticking: all of v is zero.
    const double c0 = K[4] * K[8] - K[5] * K[7], c1 = K[5] * K[6] - K[3] * K[8],
                 c2 = K[3] * K[7] - K[4] * K[6], det = K[0] * c0 + K[1] * c1 + K[2] * c2;
    if (det > 1e-12 * K[0] * K[4] * K[8]) {
        const double n =
            -(c0 * u[0] + (K[2] * K[7] - K[1] * K[8]) * u[1] + (K[1] * K[5] - K[2] * K[4]) * u[2]) /
            det;
        const double x =
            -(c1 * u[0] + (K[0] * K[8] - K[2] * K[6]) * u[1] + (K[2] * K[3] - K[0] * K[5]) * u[2]) /
            det;
        const double y =
            -(c2 * u[0] + (K[1] * K[6] - K[0] * K[7]) * u[1] + (K[0] * K[4] - K[1] * K[3]) * u[2]) /
            det;
        if (n >= least && x * x + y * y <= mu * mu * n * n) {
            p[0] = n;
            p[1] = x;
            p[2] = y;
            return;
        }
    }
    const slide s = {K, u, mu, -1};
    slide_solve(&s, p);
    if (p[0] < least) across_solve(K, u, mu, least, p);
}

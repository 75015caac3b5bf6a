// Curves of Millard's muscle as chains of quintic Bezier segments (Millard, Uchida, Seth and Delp
// 2013).
//
// A segment from (x0, y0) with slope d0 to (x1, y1) with slope d1 has the control points P0, A, A,
// B, B, P1. With C where the two tangents meet, A = P0 + c (C - P0) and B = P1 + c (C - P1), c =
// 0.1 + 0.8 curviness. Outside of its segments a curve goes on straight.
#include "robot/muscles.h"
#include <math.h>

typedef struct bezier_node {
    double x, y, slope;
} bezier_node;

static double *bezier_chain(double *at, int count, const bezier_node *n, const double *curviness)
{
    for (int i = 0; i + 1 < count; i++, at += BEZIER_SIZE) {
        const bezier_node a = n[i], b = n[i + 1];
        const double      c = 0.1 + 0.8 * curviness[i];
        const double      x = (b.y - a.y - b.slope * b.x + a.slope * a.x) / (a.slope - b.slope);
        const double      y = a.y + a.slope * (x - a.x);
        at[0] = a.x;
        at[1] = a.x + c * (x - a.x);
        at[2] = b.x + c * (x - b.x);
        at[3] = b.x;
        at[4] = a.y;
        at[5] = a.y + c * (y - a.y);
        at[6] = b.y + c * (y - b.y);
        at[7] = b.y;
    }
    return at;
}

static double *active_chain(double *at, const double *p)
{
    const double      one[] = {1, 1, 1, 1, 1};
    const double      x0 = p[0], x1 = p[1], x3 = p[2], slope = p[3], least = p[4];
    const double      d = 0.05, xs = 1 - d, y1 = 1 - slope * (xs - x1);
    const bezier_node nodes[] = {{x0, least, 0},
                                 {0.5 * (x0 + x1), 0.5 * y1, 1.25 * y1 / (x1 - x0)},
                                 {0.5 * (x1 + xs), 0.5 * (1 + y1), slope},
                                 {1, 1, 0},
                                 {0.5 * (1 + d + x3), 0.5, -1 / ((x3 - d) - (1 + d))},
                                 {x3, least, 0}};
    return bezier_chain(at, 6, nodes, one);
}

static double *velocity_chain(double *at, const double *p)
{
    const double      curviness[] = {p[6], p[6], p[7], p[7]};
    const bezier_node nodes[] = {{-1, 0, p[0]},
                                 {-0.9, 0.05 * (p[1] + p[0]), p[1]},
                                 {0, 1, p[2]},
                                 {0.9, p[5] - 0.05 * (p[4] + p[3]), p[4]},
                                 {1, p[5], p[3]}};
    return bezier_chain(at, 5, nodes, curviness);
}

static double *passive_chain(double *at, double strain, const double *p)
{
    const double      curviness[] = {p[3], p[3]};
    const double      stiff = p[2] > 0 ? p[2] : 2 / (strain - p[0]), start = 1 + p[0];
    const double      d = fmin(0.1 / stiff, 0.1 * (strain - p[0]));
    const bezier_node nodes[] = {
        {start, 0, 0}, {start + d, 0.5 * p[1] * d, p[1]}, {1 + strain, 1, stiff}};
    return bezier_chain(at, 3, nodes, curviness);
}

static double *tendon_chain(double *at, double strain, const double *p)
{
    const double      curviness[] = {p[2], p[2]};
    const double      k = p[0] > 0 ? p[0] : 1.375 / strain, toe = (p[1] - 1) / k + 1 + strain;
    const double      foot = 1 + (toe - 1) / 10, middle = (p[1] / 2 - 1) / k + 1 + strain;
    const double      slope = p[1] / 2 / (middle - foot), x = 0.5 * (foot + middle);
    const bezier_node nodes[] = {{1, 0, 0}, {x, slope * (x - foot), slope}, {toe, p[1], k}};
    return bezier_chain(at, 3, nodes, curviness);
}

void millard_fill(const arne_muscle_law *law, double *numbers)
{
    double *at = active_chain(numbers, law->active);
    at = velocity_chain(at, law->velocity);
    at = passive_chain(at, law->passive_strain, law->passive);
    tendon_chain(at, law->tendon_strain, law->tendon);
}

#include "motion/quintic.h"

void quintic_join(const double p[3], const double q[3], double h, double c[6])
{
    c[0] = p[0];
    c[1] = h * p[1];
    c[2] = h * h * p[2] / 2;
    // What is left to the other state of value, slope and curvature.
    const double s = q[0] - c[0] - c[1] - c[2], v = h * q[1] - c[1] - 2 * c[2];
    const double w = h * h * q[2] - 2 * c[2];
    c[3] = 10 * s - 4 * v + w / 2;
    c[4] = -15 * s + 7 * v - w;
    c[5] = 6 * s - 3 * v + w / 2;
}

double quintic_at(const double c[6], double h, int order, double u)
{
    double sum = 0;
    for (int k = 5; k >= order; k--) {
        double factor = 1;
        for (int i = 0; i < order; i++)
            factor *= (k - i) / h;
        sum = sum * u + factor * c[k];
    }
    return sum;
}

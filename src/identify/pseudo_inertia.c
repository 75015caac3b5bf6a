#include "identify/pseudo_inertia.h"
#include "math/dense.h"
#include <math.h>
#include <string.h>

// Where parameters 4 ... 9 stand in I.
static const int row_of[6] = {0, 0, 1, 0, 1, 2}, column_of[6] = {0, 1, 1, 2, 2, 2};

void pseudo_inertia(const double *pi, double P[16])
{
    const double half = (pi[4] + pi[6] + pi[9]) / 2;
    memset(P, 0, 16 * sizeof *P);
    for (int k = 0; k < 6; k++) {
        const int i = row_of[k], c = column_of[k];
        P[4 * i + c] = P[4 * c + i] = (i == c ? half : 0) - pi[4 + k];
    }
    for (int i = 0; i < 3; i++)
        P[4 * i + 3] = P[12 + i] = pi[1 + i];
    P[15] = pi[0];
}

void from_pseudo_inertia(const double P[16], double *pi)
{
    const double trace = P[0] + P[5] + P[10];
    for (int k = 0; k < 6; k++) {
        const int i = row_of[k], c = column_of[k];
        pi[4 + k] = (i == c ? trace : 0) - P[4 * i + c];
    }
    for (int i = 0; i < 3; i++)
        pi[1 + i] = P[12 + i];
    pi[0] = P[15];
}

int pseudo_factor(const double P[16], double L[16])
{
    memset(L, 0, 16 * sizeof *L);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k <= i; k++) {
            double sum = P[4 * i + k];
            for (int c = 0; c < k; c++)
                sum -= L[4 * i + c] * L[4 * k + c];
            if (i == k && !(sum > 1e-14 * fabs(P[5 * i]))) return 0;
            L[4 * i + k] = i == k ? sqrt(sum) : sum / L[5 * k];
        }
    return 1;
}

void pseudo_inverse(const double L[16], double out[16])
{
    for (int c = 0; c < 4; c++) {
        double x[4] = {0};
        x[c] = 1;
        dense_solve(4, L, x);
        for (int i = 0; i < 4; i++)
            out[4 * i + c] = x[i];
    }
}

double pseudo_log_det(const double L[16])
{
    return 2 * (log(L[0]) + log(L[5]) + log(L[10]) + log(L[15]));
}

int link_is_consistent(const double *pi)
{
    double P[16], L[16];
    pseudo_inertia(pi, P);
    return pi[0] > 0 && pseudo_factor(P, L);
}

// The square of a body's thickness, as a part of that of its size.
static const double LEAST_THICKNESS = 1e-4;

void link_made_consistent(const double *pi, double typical, double *out)
{
    static const double radius = 0.03;
    double              P[16], L[16];
    memcpy(out, pi, BODY_PARAMETERS * sizeof *out);
    if (!(out[0] > 0)) { // a ball about the origin
        memset(out, 0, BODY_PARAMETERS * sizeof *out);
        out[0] = typical;
        out[4] = out[6] = out[9] = 2 * typical * radius * radius;
        return;
    }
    for (double more = 1e-6; more < 1e6; more *= 4) {
        pseudo_inertia(out, P);
        const double size =
            P[0] + P[5] + P[10] - (P[3] * P[3] + P[7] * P[7] + P[11] * P[11]) / P[15];
        for (int i = 0; i < 3;
             i++) // a plate without thickness is as far away as one that cannot be
            P[5 * i] -= LEAST_THICKNESS * size;
        if (pseudo_factor(P, L)) return;
        for (int i = 0; i < 3; i++)
            P[5 * i] += LEAST_THICKNESS * size;
        for (int i = 0; i < 3; i++)
            P[5 * i] += more * out[0] * radius * radius;
        from_pseudo_inertia(P, out);
    }
}

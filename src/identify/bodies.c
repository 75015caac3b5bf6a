#include "identify/bodies.h"
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

void pseudo_basis(int k, double E[16])
{
    double pi[BODY_PARAMETERS] = {0};
    pi[k] = 1;
    pseudo_inertia(pi, E);
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

// ---- log-Cholesky parameters

// Where d, s and t stand in U.
static const int at[BODY_PARAMETERS] = {15, 0, 5, 10, 1, 6, 2, 3, 7, 11};

static void make_U(const double theta[10], double U[16])
{
    const double a = exp(theta[0]);
    memset(U, 0, 16 * sizeof *U);
    for (int k = 1; k < BODY_PARAMETERS; k++)
        U[at[k]] = a * (k < 4 ? exp(theta[k]) : theta[k]);
    U[15] = a;
}

void log_cholesky(const double *pi, double theta[10])
{
    // Upper: the Cholesky factor of P with its rows and columns in reverse.
    double P[16], R[16], L[16], U[16];
    pseudo_inertia(pi, P);
    for (int i = 0; i < 16; i++)
        R[i] = P[15 - i];
    if (!pseudo_factor(R, L)) return;
    for (int i = 0; i < 16; i++)
        U[i] = L[15 - i];
    theta[0] = log(U[15]);
    for (int k = 1; k < BODY_PARAMETERS; k++)
        theta[k] = k < 4 ? log(U[at[k]] / U[15]) : U[at[k]] / U[15];
}

// A B^T + B A^T, or A A^T where they are one.
static void add_products(const double A[16], const double B[16], double out[16])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 4; c++)
                out[4 * i + k] += A[4 * i + c] * B[4 * k + c] + B[4 * i + c] * A[4 * k + c];
}

void from_log_cholesky(const double theta[10], double *pi)
{
    double U[16], P[16] = {0};
    make_U(theta, U);
    add_products(U, U, P);
    for (int i = 0; i < 16; i++)
        P[i] /= 2;
    from_pseudo_inertia(P, pi);
}

// dU / dtheta_k.
static void first_of_U(const double theta[10], const double U[16], int k, double out[16])
{
    if (k == 0) {
        memcpy(out, U, 16 * sizeof *out);
        return;
    }
    memset(out, 0, 16 * sizeof *out);
    out[at[k]] = k < 4 ? U[at[k]] : exp(theta[0]);
}

// d2U / dtheta_k dtheta_l.
static void second_of_U(const double theta[10], const double U[16], int k, int l, double out[16])
{
    if (k == 0 || l == 0) {
        first_of_U(theta, U, k + l, out);
        return;
    }
    memset(out, 0, 16 * sizeof *out);
    if (k == l && k < 4) out[at[k]] = U[at[k]];
}

void log_cholesky_first(const double theta[10], double J[100])
{
    double U[16], D[16], column[BODY_PARAMETERS];
    make_U(theta, U);
    for (int k = 0; k < BODY_PARAMETERS; k++) {
        double P[16] = {0};
        first_of_U(theta, U, k, D);
        add_products(D, U, P);
        from_pseudo_inertia(P, column);
        for (int i = 0; i < BODY_PARAMETERS; i++)
            J[10 * i + k] = column[i];
    }
}

void log_cholesky_second(const double theta[10], const double *w, double H[100])
{
    double U[16], D[16], E[16], column[BODY_PARAMETERS];
    make_U(theta, U);
    for (int k = 0; k < BODY_PARAMETERS; k++)
        for (int l = 0; l <= k; l++) {
            double P[16] = {0}, sum = 0;
            second_of_U(theta, U, k, l, D);
            add_products(D, U, P);
            first_of_U(theta, U, k, D);
            first_of_U(theta, U, l, E);
            add_products(D, E, P);
            from_pseudo_inertia(P, column);
            for (int i = 0; i < BODY_PARAMETERS; i++)
                sum += w[i] * column[i];
            H[10 * k + l] = H[10 * l + k] = sum;
        }
}

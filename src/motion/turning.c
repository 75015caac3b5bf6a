// For a frame that turns with w (in its own axes), the numbers of a vector x in this frame change
// by
//
//     (R^T x)' = R^T x' - w x (R^T x)
//
// so that with Z_j,k the k-th derivative of R^T x^(j), Leibniz gives Z_j,k+1 = Z_j+1,k - sum over i
// of (k over i) w^(i) x Z_j,k-i. A further turn E = exp(b d) leaves the angular velocity E^T w + b'
// d: the same rule with the velocity b' d.
//
// A quaternion x of any length stands for h = f x with f = (x.x)^-1/2, and w = 2 h* h'. The
// derivatives of f follow from 2 (x.x) f' = -(x.x)' f.
#include "motion/turning.h"

#include "math/rotation.h"
#include <string.h>

turning turning_at(const double *h)
{
    turning r;
    memcpy(r.h, h, sizeof r.h);
    for (int k = 0; k < RATES; k++)
        r.w[k] = v3_zero();
    return r;
}

// (k over i)
static const double BINOMIAL[ORDERS][ORDERS] = {
    {1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};

// Z[j] is R^T x^(j) on entry; out[k] is the k-th derivative of R^T x.
static void derive(vec3 Z[RATES], const vec3 w[RATES], vec3 out[RATES])
{
    vec3 level[RATES][RATES]; // level[k][j] is Z_j,k
    memcpy(level[0], Z, sizeof level[0]);
    for (int k = 0; k + 1 < RATES; k++)
        for (int j = 0; j + k + 1 < RATES; j++) {
            vec3 sum = level[k][j + 1];
            for (int i = 0; i <= k; i++)
                sum = sub_scaled(sum, cross(w[i], level[k - i][j]), BINOMIAL[k][i]);
            level[k + 1][j] = sum;
        }
    for (int k = 0; k < RATES; k++)
        out[k] = level[k][0];
}

void turning_add(turning *r, vec3 d, const double b[ORDERS])
{
    double e[4], back[4];
    vec3   own[RATES], Z[RATES];
    quaternion_exp(scale(d, b[0]), e);
    for (int i = 0; i < 4; i++)
        back[i] = i < 3 ? -e[i] : e[i];
    for (int k = 0; k < RATES; k++) {
        own[k] = scale(d, b[k + 1]);
        Z[k] = quaternion_turn(back, r->w[k]);
    }
    quaternion_mul(r->h, e, r->h);
    derive(Z, own, r->w);
    for (int k = 0; k < RATES; k++)
        r->w[k] = add(r->w[k], own[k]);
}

void turning_into(const turning *r, const vec3 x[RATES], vec3 out[RATES])
{
    const double back[4] = {-r->h[0], -r->h[1], -r->h[2], r->h[3]};
    vec3         Z[RATES];
    for (int k = 0; k < RATES; k++)
        Z[k] = quaternion_turn(back, x[k]);
    derive(Z, r->w, out);
}

// f and its derivatives.
static void shrink(const double x[ORDERS][4], double f[ORDERS])
{
    double N[ORDERS] = {0};
    for (int k = 0; k < ORDERS; k++)
        for (int i = 0; i <= k; i++)
            for (int c = 0; c < 4; c++)
                N[k] += BINOMIAL[k][i] * x[i][c] * x[k - i][c];
    f[0] = 1 / sqrt(N[0]);
    for (int k = 0; k + 1 < ORDERS; k++) {
        double sum = -N[k + 1] * f[0];
        for (int i = 0; i < k; i++)
            sum -= BINOMIAL[k][i] * N[i + 1] * f[k - i];
        for (int i = 1; i <= k; i++)
            sum -= 2 * BINOMIAL[k][i] * N[i] * f[k + 1 - i];
        f[k + 1] = sum / (2 * N[0]);
    }
}

turning turning_of(const double x[ORDERS][4])
{
    double  f[ORDERS], h[ORDERS][4] = {{0}};
    turning r;
    shrink(x, f);
    for (int k = 0; k < ORDERS; k++)
        for (int i = 0; i <= k; i++)
            for (int c = 0; c < 4; c++)
                h[k][c] += BINOMIAL[k][i] * f[i] * x[k - i][c];
    memcpy(r.h, h[0], sizeof r.h);
    for (int k = 0; k < RATES; k++) {
        r.w[k] = v3_zero();
        for (int i = 0; i <= k; i++) {
            const double back[4] = {-h[i][0], -h[i][1], -h[i][2], h[i][3]};
            double       product[4];
            quaternion_mul(back, h[k - i + 1], product);
            r.w[k] = add_scaled(r.w[k], v3(product[0], product[1], product[2]), 2 * BINOMIAL[k][i]);
        }
    }
    return r;
}

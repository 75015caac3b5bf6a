// The modes of a rod's strains, and its rest: see rod.c.
//
// Modes of a strain are orthogonal with the section's stiffness k(s) as weight: Legendre's
// polynomials over a piece where the rod is uniform. So the integral of phi_i k phi_j is diagonal.
// Natural modes of the straight clamped rod are sums of these that are orthogonal with its mass
// too: with theta_i the integral of phi_i from the root, u_i that of theta_i (of a bend; else
// theta_i),
//     M_ij = integral of rho A u_i u_j + rho I theta_i theta_j,   K = diag(k_i),   M x = K x / w^2
// Quadrature makes M = B^T B, and 1/w are the singular values of B K^-1/2: the lowest frequencies
// are the most accurate ones.
#include "math/rank.h"
#include "robot/rod.h"
#include <math.h>
#include <string.h>

enum { RULE = 40 }; // points of Gauss's rule, exact up to the 79th power

static double legendre(int n, double z, double *slope)
{
    double p = 1, before = 0, d = 0, d_before = 0;
    for (int i = 1; i <= n; i++) {
        const double next = ((2 * i - 1) * z * p - (i - 1) * before) / i;
        const double d_next = ((2 * i - 1) * (p + z * d) - (i - 1) * d_before) / i;
        before = p;
        p = next;
        d_before = d;
        d = d_next;
    }
    if (slope) *slope = d;
    return p;
}

void rod_gauss_point(int n, int i, double *x, double *weight)
{
    double z = -cos(acos(-1) * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int k = 0; k < 100; k++) {
        const double step = legendre(n, z, &slope) / slope;
        z -= step;
        if (fabs(step) < 1e-15) break;
    }
    legendre(n, z, &slope);
    *x = 0.5 * (1 + z);
    *weight = 1 / ((1 - z * z) * slope * slope);
}

double rod_size(const arne_flexible_spec *f, double x)
{
    const double(*t)[2] = f->sizes, s = x * f->length;
    const int last = f->size_count - 1;
    int       k = 0;
    if (last < 0) return 1 + (f->taper - 1) * x;
    while (k < last && t[k + 1][0] < s)
        k++;
    if (s <= t[0][0] || k == last) return t[k][1];
    return t[k][1] + (s - t[k][0]) / (t[k + 1][0] - t[k][0]) * (t[k + 1][1] - t[k][1]);
}

double rod_taper(const arne_flexible_spec *f, int strain, double x)
{
    const double size = rod_size(f, x);
    return strain < 3 ? pow(size, 4) : size * size;
}

int rod_pieces(const arne_flexible_spec *f) { return f->pieces > 1 ? f->pieces : 1; }

int rod_mode_count(const arne_flexible_spec *f, int strain)
{
    return f->natural[strain] ? f->natural[strain] : rod_pieces(f) * f->modes[strain];
}

// A mode of a piece, at part y of the piece.
static double mode_in_piece(const rod *r, int strain, int mode, double y)
{
    double sum = 0;
    for (int j = 0; j < r->body->flexible.modes[strain]; j++)
        sum += r->shape[strain][mode][j] * legendre(j, 2 * y - 1, NULL);
    return sum;
}

double rod_mode_at(const rod *r, int strain, int mode, double x)
{
    const arne_flexible_spec *f = &r->body->flexible;
    const int                 piece = f->natural[strain] ? 0 : mode / f->modes[strain];
    const double              y = x * rod_pieces(f) - piece;
    return y < 0 || y > 1 ? 0 : mode_in_piece(r, strain, mode, y);
}

// The integral of the stiffness times two modes of a piece, over that at the root and the length.
static double modes_together(const rod *r, int strain, int piece, int i, int j)
{
    const arne_flexible_spec *f = &r->body->flexible;
    const int                 pieces = rod_pieces(f);
    double                    sum = 0, from = 0;
    for (int row = 0; row <= f->size_count; row++) { // from kink to kink of the table of sizes
        const double end = row < f->size_count ? f->sizes[row][0] / f->length * pieces - piece : 1;
        const double h = fmin(end, 1) - from;
        for (int k = 0; k < RULE && h > 0; k++) {
            double z, weight;
            rod_gauss_point(RULE, k, &z, &weight);
            const double y = from + h * z;
            sum += h * weight / pieces * rod_taper(f, strain, (piece + y) / pieces) *
                   mode_in_piece(r, strain, i, y) * mode_in_piece(r, strain, j, y);
        }
        if (h > 0) from += h;
    }
    return sum;
}

// Gram and Schmidt in one piece, with the taper as weight; 1 at its end.
static void shape_piece(rod *r, int strain, int piece)
{
    const arne_flexible_spec *f = &r->body->flexible;
    const int                 count = f->modes[strain], first = piece * count;
    const double              whole = f->length * r->stiffness[strain];
    for (int i = first; i < first + count; i++) {
        double *shape = r->shape[strain][i];
        memset(shape, 0, sizeof r->shape[strain][i]);
        shape[i - first] = 1;
        r->mode_stiffness[strain][i] = whole / rod_pieces(f) / (2 * (i - first) + 1);
        if (f->taper == 1 && !f->size_count) continue;
        for (int j = first; j < i; j++) {
            const double part =
                modes_together(r, strain, piece, i, j) / modes_together(r, strain, piece, j, j);
            for (int k = 0; k < count; k++)
                shape[k] -= part * r->shape[strain][j][k];
        }
        const double end = mode_in_piece(r, strain, i, 1);
        for (int k = 0; k < count; k++)
            shape[k] /= end;
        r->mode_stiffness[strain][i] = whole * modes_together(r, strain, piece, i, i);
    }
}

// sqrt(mass) times the displacement and, of a bend, the turn of a mode at part x of the rod.
static void mode_moves(const rod *r, int strain, int mode, double x, double weight, double out[2])
{
    const arne_flexible_spec *f = &r->body->flexible;
    const int                 bends = strain == ARNE_STRAIN_BEND_Y || strain == ARNE_STRAIN_BEND_Z;
    double                    turn = 0, shift = 0;
    for (int k = 0; k < RULE; k++) {
        double y, w;
        rod_gauss_point(RULE, k, &y, &w);
        const double part = f->length * x * w * mode_in_piece(r, strain, mode, x * y);
        turn += part;
        shift += f->length * x * (1 - y) * part;
    }
    const double area = r->line[0] * rod_taper(f, ARNE_STRAIN_STRETCH, x);
    const double rotary = r->line[strain < 3 ? 1 + strain : 0] * rod_taper(f, ARNE_STRAIN_TWIST, x);
    const double moved = strain < 3 ? rotary : area;
    out[0] = sqrt(weight * f->length * moved) * turn;
    out[1] = bends ? sqrt(weight * f->length * area) * shift : 0;
}

// The lowest natural modes in place of the polynomials, 1 at the root.
static void shape_natural(rod *r, int strain)
{
    const arne_flexible_spec *f = &r->body->flexible;
    const int                 m = f->modes[strain];
    double B[ROD_MODES * 2 * RULE], V[ROD_MODES * ROD_MODES], values[ROD_MODES], K[ROD_MODES];
    double shape[ROD_MODES][ROD_MODES];
    for (int i = 0; i < m; i++) {
        K[i] = r->mode_stiffness[strain][i];
        memcpy(shape[i], r->shape[strain][i], sizeof shape[i]);
        for (int k = 0; k < RULE; k++) {
            double x, weight, *at = B + (i * RULE + k) * 2;
            rod_gauss_point(RULE, k, &x, &weight);
            mode_moves(r, strain, i, x, weight / K[i], at);
        }
    }
    dense_singular(2 * RULE, m, B, values, V);
    for (int n = 0; n < f->natural[strain]; n++) {
        double *to = r->shape[strain][n], root = 0, stiff = 0;
        int     best = 0;
        for (int i = 0; i < m; i++)
            if (values[i] > values[best]) best = i;
        values[best] = -1;
        memset(to, 0, sizeof r->shape[strain][n]);
        for (int i = 0; i < m; i++)
            for (int k = 0; k < m; k++)
                to[k] += V[best * m + i] / sqrt(K[i]) * shape[i][k];
        root = mode_in_piece(r, strain, n, 0);
        for (int k = 0; k < m; k++)
            to[k] /= root;
        for (int i = 0; i < m; i++)
            stiff += V[best * m + i] * V[best * m + i] / (root * root);
        r->mode_stiffness[strain][n] = stiff;
    }
}

void rod_shape_modes(rod *r)
{
    const arne_flexible_spec *f = &r->body->flexible;
    for (int k = 0; k < ARNE_STRAIN_COUNT; k++) {
        for (int piece = 0; piece < rod_pieces(f); piece++)
            shape_piece(r, k, piece);
        if (f->natural[k]) shape_natural(r, k);
    }
}

void rod_rest(const arne_flexible_spec *f, double s, double out[3])
{
    const double(*t)[4] = f->table;
    int k = 0;
    while (k + 2 < f->table_count && t[k + 1][0] < s)
        k++;
    for (int i = 0; i < 3; i++) {
        out[i] = f->curvature[i];
        if (f->table_count == 0) continue;
        if (f->table_count == 1 || s <= t[0][0])
            out[i] += t[0][1 + i];
        else if (s >= t[f->table_count - 1][0])
            out[i] += t[f->table_count - 1][1 + i];
        else
            out[i] += t[k][1 + i] +
                      (s - t[k][0]) / (t[k + 1][0] - t[k][0]) * (t[k + 1][1 + i] - t[k][1 + i]);
    }
}

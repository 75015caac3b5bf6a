// Sticking and sliding contacts at once, by Newton (why not by sweeps alone: rigid_dense.c). A
// sliding contact has two unknowns, its normal impulse n and the angle of its friction direction e,
// and two equations,
//     v_n = 0,   e x v_t = 0      with p = n (normal + mu e)
// A row that is held has one unknown and one equation, v = 0. Which contacts stick and which slide
// is given; the caller checks afterwards whether the result agrees with it.
#include "math/dense.h"
#include "world/rigid_small.h"
#include <string.h>

typedef struct unknown {
    int    block, row;                 // row: -1 and -2 for n and the angle of one that slides
    double force[3], equation[3], own; // along the rows of its block
} unknown;

static int list_unknowns(const small *s, const unsigned *held, unknown *out)
{
    int count = 0;
    for (int i = 0; i < s->r->block_count; i++) {
        const row_block *b = &s->r->blocks[i];
        const double    *u = s->u + s->at[i];
        for (int k = 0; k < b->rows.rows && held[i] < 8; k++) {
            if (!(held[i] >> k & 1)) continue;
            unknown *x = &out[count++];
            *x = (unknown){.block = i, .row = k, .own = b->soft[k]};
            x->force[k] = x->equation[k] = 1;
        }
        if (held[i] != 8) continue;
        const double t = sqrt(b->p[1] * b->p[1] + b->p[2] * b->p[2]),
                     e[2] = {b->p[1] / t, b->p[2] / t};
        const double w[2] = {u[1] + b->soft[1] * b->p[1], u[2] + b->soft[2] * b->p[2]};
        out[count++] = (unknown){i, -1, {1, b->mu * e[0], b->mu * e[1]}, {1, 0, 0}, 0};
        out[count++] = (unknown){
            i, -2, {0, -t * e[1], t * e[0]}, {0, -e[1], e[0]}, -(e[0] * w[0] + e[1] * w[1])};
    }
    return count;
}

static double softened(const small *s, const unknown *x)
{
    const row_block *b = &s->r->blocks[x->block];
    double           sum = 0;
    for (int k = 0; k < b->rows.rows; k++)
        sum += x->equation[k] * (s->u[s->at[x->block] + k] + b->soft[k] * b->p[k]);
    return sum;
}

// A (n x n, a trace of a diagonal on top, as rows may depend on each other) and the right-hand
// side.
static void rigid_newton_fill(const small *s, const unknown *x, int n, double *A, double *b)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        const row_block *at = &s->r->blocks[x[i].block];
        b[i] = -softened(s, &x[i]);
        for (int j = 0; j < n; j++) {
            const row_block *by = &s->r->blocks[x[j].block];
            double           sum = 0;
            for (int k = 0; k < at->rows.rows; k++) {
                const double *K = s->K + (s->at[x[i].block] + k) * s->m + s->at[x[j].block];
                if (x[i].equation[k] == 0) continue;
                for (int l = 0; l < by->rows.rows; l++)
                    sum += x[i].equation[k] * K[l] * x[j].force[l];
                if (x[i].block == x[j].block && x[i].row < 0) // soft rows of what slides
                    sum += x[i].equation[k] * at->soft[k] * x[j].force[k];
            }
            A[i * n + j] = sum + (i == j ? x[i].own : 0);
        }
        largest = fmax(largest, fabs(A[i * n + i]));
    }
    for (int i = 0; i < n; i++)
        A[i * n + i] += 1e-11 * largest;
}

// The impulses after a step y of the unknowns. Returns how much velocity that changes.
static double rigid_newton_take(const small *s, const unknown *x, int n, const double *y)
{
    double change = 0;
    for (int i = 0; i < n; i++) {
        row_block *b = &s->r->blocks[x[i].block];
        double     p[3] = {b->p[0], b->p[1], b->p[2]};
        if (x[i].row >= 0) {
            p[x[i].row] += y[i];
        } else if (x[i].row == -1) { // its angle comes next
            const double t = sqrt(p[1] * p[1] + p[2] * p[2]),
                         turn = fmax(-0.5, fmin(0.5, y[i + 1]));
            const double c = cos(turn), d = sin(turn), e[2] = {p[1] / t, p[2] / t};
            p[0] += y[i];
            p[1] = b->mu * p[0] * (c * e[0] - d * e[1]);
            p[2] = b->mu * p[0] * (d * e[0] + c * e[1]);
        } else {
            continue;
        }
        for (int k = 0; k < b->rows.rows; k++) {
            const double dp = p[k] - b->p[k];
            change = fmax(change, fabs(dp) * s->K[(s->at[x[i].block] + k) * (s->m + 1)]);
            small_add(s, s->at[x[i].block] + k, dp);
            b->p[k] = p[k];
        }
    }
    return change;
}

// Whether what was found is of the kinds that were assumed.
static int is_right(const small *s, const unsigned *held)
{
    for (int i = 0; i < s->r->block_count; i++) {
        const row_block *b = &s->r->blocks[i];
        const double    *u = s->u + s->at[i];
        if (held[i] && held[i] < 8 && !block_may(b, b->p)) return 0;
        if (held[i] != 8) continue;
        if (!(b->p[0] > b->least)) return 0;
        const double w[2] = {u[1] + b->soft[1] * b->p[1], u[2] + b->soft[2] * b->p[2]};
        if (!(b->p[1] * w[0] + b->p[2] * w[1] <= 0)) return 0;
    }
    return 1;
}

int small_newton(small *s, const unsigned *held, double tolerance)
{
    enum { MOST = 8 };
    unknown      x[RIGID_FEW_ROWS];
    double      *A = s->trial + s->m, *b = A + RIGID_FEW_ROWS * RIGID_FEW_ROWS;
    double      *u = b + RIGID_FEW_ROWS, p[RIGID_FEW_ROWS][3], change = INFINITY;
    const size_t bytes = (size_t)s->m * sizeof *u;
    memcpy(u, s->u, bytes);
    for (int i = 0; i < s->r->block_count; i++)
        memcpy(p[i], s->r->blocks[i].p, sizeof p[i]);
    int fine = 1;
    for (int turn = 0; turn < MOST && fine && change > tolerance; turn++) {
        const int n = list_unknowns(s, held, x);
        rigid_newton_fill(s, x, n, A, b);
        fine = dense_eliminate(n, A, 1, b, 0);
        if (fine) change = rigid_newton_take(s, x, n, b);
        fine &= isfinite(change);
        for (int i = 0; i < s->r->block_count && fine; i++)
            fine = held[i] != 8 || s->r->blocks[i].p[0] > 0;
    }
    if (fine && is_right(s, held)) return 1;
    memcpy(s->u, u, bytes);
    for (int i = 0; i < s->r->block_count; i++)
        memcpy(s->r->blocks[i].p, p[i], sizeof p[i]);
    return 0;
}

// All conditions together, by block Gauss-Seidel over contacts: each contact in turn is solved
// exactly in Coulomb's cone with the others as they are (Jean 1999; Moreau and Jean 1992). Impulses
// act on velocities through Y = M^-1 J^T, so that a sweep costs what the contacts can move and J
// M^-1 J^T is never put together.
//
// What sticks converges slowly where many points hold few coordinates. So once no contact changes
// its kind (open, sticking, sliding), conjugate gradients solve for the sticking ones alone; where
// the cones hold for the result it is taken. Few conditions are solved in their own space:
// rigid_dense.c.
#include "world/cone.h"
#include "world/rigid.h"
#include <arne/configuration.h>
#include <arne/integrate.h>
#include <string.h>

enum { MOST_SWEEPS = 200 };
static const double TOLERANCE = 1e-13; // m/s, of the largest velocity where that is more than 1

double block_velocity(const rigid *r, const row_block *b, const double *v)
{
    return row_dot(r->J + b->rows.at, v + b->rows.first, b->rows.count);
}

void block_velocities(const rigid *r, const row_block *b, const double *v, double out[3])
{
    for (int k = 0; k < b->rows.rows; k++)
        out[k] = row_dot(r->J + b->rows.at + (size_t)(k * b->rows.count), v + b->rows.first,
                         b->rows.count);
}

void block_add(const rigid *r, const row_block *b, const double dp[3], double *v)
{
    for (int k = 0; k < b->rows.rows; k++) {
        const double *y = r->Y + b->rows.at + (size_t)(k * b->rows.count), s = dp[k];
        if (s == 0) continue;
        row_add(v + b->rows.first, y, s, b->rows.count);
    }
}

// x = K^-1 u
static void three_solve(const double K[9], const double u[3], double x[3])
{
    const double c0 = K[4] * K[8] - K[5] * K[7], c1 = K[5] * K[6] - K[3] * K[8],
                 c2 = K[3] * K[7] - K[4] * K[6], det = K[0] * c0 + K[1] * c1 + K[2] * c2;
    x[0] =
        (c0 * u[0] + (K[2] * K[7] - K[1] * K[8]) * u[1] + (K[1] * K[5] - K[2] * K[4]) * u[2]) / det;
    x[1] =
        (c1 * u[0] + (K[0] * K[8] - K[2] * K[6]) * u[1] + (K[2] * K[3] - K[0] * K[5]) * u[2]) / det;
    x[2] =
        (c2 * u[0] + (K[1] * K[6] - K[0] * K[7]) * u[1] + (K[0] * K[4] - K[1] * K[3]) * u[2]) / det;
}

double block_solve(row_block *b, const double at[3])
{
    const double old[3] = {b->p[0], b->p[1], b->p[2]}, *K = b->K;
    if (b->kind == ROW_HELD) {
        double minus[3];
        three_solve(K, at, minus);
        for (int k = 0; k < 3; k++)
            b->p[k] -= minus[k];
    } else if (b->kind == ROW_CONTACT) {
        double soft[9], u[3];
        for (int k = 0; k < 3; k++)
            u[k] = at[k] - (K[3 * k] * old[0] + K[3 * k + 1] * old[1] + K[3 * k + 2] * old[2]);
        memcpy(soft, K, sizeof soft);
        soft[4] += b->soft[1];
        soft[8] += b->soft[2];
        cone_solve(soft, u, b->mu, b->least, b->p);
    } else {
        const double p = old[0] - (K[0] > 0 ? at[0] / K[0] : 0);
        b->p[0] = p < b->low ? b->low : p > b->high ? b->high : p;
    }
    double change = 0;
    for (int k = 0; k < b->rows.rows; k++) {
        const double size = fabs(b->p[k] - old[k]) * K[4 * k * (b->rows.rows == 3)];
        change = size > change ? size : change;
    }
    return change;
}

// One block with all others as they are; returns how much that changes its velocity.
static double solve_block(const rigid *r, row_block *b, double *v)
{
    const double old[3] = {b->p[0], b->p[1], b->p[2]};
    double       u[3] = {0}, dp[3] = {0};
    block_velocities(r, b, v, u);
    for (int k = 0; k < b->rows.rows; k++)
        u[k] += b->bias[k];
    const double change = block_solve(b, u);
    for (int k = 0; k < b->rows.rows; k++)
        dp[k] = b->p[k] - old[k];
    block_add(r, b, dp, v);
    return change;
}

// ---- what sticks, at once ----

// Which of its rows a block holds at zero: bits.
static unsigned held_rows(const row_block *b)
{
    if (b->kind == ROW_HELD) return 7;
    if (b->kind != ROW_CONTACT) return b->p[0] > b->low && b->p[0] < b->high;
    if (!(b->p[0] > b->least)) return 0;
    const double most = b->mu * b->p[0];
    if (b->mu == 0) return 1;
    return b->p[1] * b->p[1] + b->p[2] * b->p[2] < most * most * (1 - 1e-9) ? 7 : 8;
}

int block_may(const row_block *b, const double p[3])
{
    if (b->kind == ROW_HELD) return 1;
    if (b->kind != ROW_CONTACT) return p[0] >= b->low && p[0] <= b->high;
    const double most = b->mu * p[0];
    return p[0] >= b->least && p[1] * p[1] + p[2] * p[2] <= most * most;
}

// Conjugate gradients on J M^-1 J^T dp = -J v over the held rows. Scratch: x, d (impulses), r
// (velocities), Ad.
static void solve_held(rigid *r, double *v, const unsigned *held, double *scratch)
{
    const int n = r->block_count;
    double   *x = scratch, *d = x + 3 * n, *e = d + 3 * n, *trial = e + 3 * n, *dv = trial + 3 * n;
    const int nv = (int)(r->v_next - r->v_free);
    double    rr = 0, first;
    memset(x, 0, (size_t)(3 * n) * sizeof *x);
    for (int i = 0; i < n; i++) {
        double u[3] = {0};
        block_velocities(r, &r->blocks[i], v, u);
        for (int k = 0; k < 3; k++) {
            const row_block *b = &r->blocks[i];
            e[3 * i + k] = held[i] >> k & 1 ? -u[k] - b->bias[k] - b->soft[k] * b->p[k] : 0;
            d[3 * i + k] = e[3 * i + k];
            rr += e[3 * i + k] * e[3 * i + k];
        }
    }
    first = rr;
    for (int turn = 0; turn < 3 * n && rr > 1e-32 && rr > 1e-28 * first; turn++) {
        double dAd = 0, next = 0;
        memset(dv, 0, (size_t)nv * sizeof *dv);
        for (int i = 0; i < n; i++)
            if (held[i]) block_add(r, &r->blocks[i], d + 3 * i, dv);
        for (int i = 0; i < n; i++) {
            double u[3] = {0};
            if (held[i]) block_velocities(r, &r->blocks[i], dv, u);
            for (int k = 0; k < 3; k++) {
                trial[3 * i + k] =
                    held[i] >> k & 1 ? u[k] + r->blocks[i].soft[k] * d[3 * i + k] : 0;
                dAd += trial[3 * i + k] * d[3 * i + k];
            }
        }
        if (!(dAd > 0)) break;
        const double a = rr / dAd;
        for (int i = 0; i < 3 * n; i++) {
            x[i] += a * d[i];
            e[i] -= a * trial[i];
            next += e[i] * e[i];
        }
        for (int i = 0; i < 3 * n; i++)
            d[i] = e[i] + next / rr * d[i];
        rr = next;
    }
    for (int i = 0; i < n; i++) {
        const row_block *b = &r->blocks[i];
        const double p[3] = {b->p[0] + x[3 * i], b->p[1] + x[3 * i + 1], b->p[2] + x[3 * i + 2]};
        if (held[i] && !block_may(b, p)) return;
    }
    for (int i = 0; i < n; i++)
        if (held[i]) {
            for (int k = 0; k < 3; k++)
                r->blocks[i].p[k] += x[3 * i + k];
            block_add(r, &r->blocks[i], x + 3 * i, v);
        }
}

static double rigid_solve_sweep(rigid *r, double *v)
{
    double change = 0;
    for (int i = 0; i < r->block_count; i++)
        change = fmax(change, solve_block(r, &r->blocks[i], v));
    r->sweeps++;
    return change;
}

int blocks_same(const rigid *r, unsigned *held)
{
    int same = 1;
    for (int i = 0; i < r->block_count; i++) {
        const unsigned now = held_rows(&r->blocks[i]);
        same &= now == held[i];
        held[i] = now;
    }
    return same;
}

double rigid_solve(const arne_world *w, double *v)
{
    rigid    *r = w->rigid;
    const int nv = (int)(r->v_next - r->v_free);
    double    scale = 1;
    for (int i = 0; i < nv; i++)
        scale = fmax(scale, fabs(v[i]));
    if (!r->block_count || r->factors || rigid_is_small(r)) {
        r->residual = r->block_count ? rigid_solve_small(w, v, TOLERANCE * scale, MOST_SWEEPS) : 0;
        r->solutions++;
        r->residual_largest = fmax(r->residual_largest, r->residual);
        return r->residual;
    }
    for (int i = 0; i < r->block_count; i++)
        block_add(r, &r->blocks[i], r->blocks[i].p, v);
    double residual = INFINITY;
    int    steady = 0, tried = 0;
    for (int i = 0; i < r->block_count; i++)
        r->held[i] = ~0u;
    for (int i = 0; i < MOST_SWEEPS && residual > TOLERANCE * scale; i++) {
        residual = rigid_solve_sweep(r, v);
        steady = blocks_same(r, r->held) ? steady + 1 : 0;
        if (residual <= TOLERANCE * scale || steady < 2 || tried >= 8) continue;
        for (int k = 0; k < r->block_count; k++) // what slides waits
            if (r->held[k] == 8) r->held[k] = 0;
        solve_held(r, v, r->held, r->scratch);
        blocks_same(r, r->held);
        tried++;
        steady = 0;
    }
    r->solutions++;
    r->residual = residual;
    r->residual_largest = fmax(r->residual_largest, r->residual);
    return r->residual;
}

// The row of a limit is its coordinate; a gap opens along it or against it.
static double side_of(const rigid *r, const row_block *b)
{
    return b->kind == ROW_LIMIT ? r->limits[b->touch].side : 1;
}

// How a block's first row moves under the pushes: `moved` has the velocities of all rows, or of all
// coordinates.
static double pushed(const rigid *r, const row_block *b, const double *moved)
{
    return r->factors ? moved[b->row] : block_velocity(r, b, moved);
}

static void push_more(const rigid *r, const row_block *b, int m, double more, double *moved)
{
    if (r->factors)
        row_add(moved, r->dense + b->row * m, more, m);
    else
        row_add(moved + b->rows.first, r->Y + b->rows.at, more, b->rows.count);
}

static void push_blocks(rigid *r, int m, double part, double deepest, double *moved)
{
    double change = INFINITY;
    for (int turn = 0; turn < 20 && change >= 1e-3 * deepest; turn++) {
        change = 0;
        for (int i = 0; i < r->block_count; i++) {
            row_block *b = &r->blocks[i];
            if (b->kind == ROW_DRY || !(b->K[0] > 0) || b->gap > 0) continue;
            const double side = side_of(r, b);
            const double open = side * pushed(r, b, moved) + part * b->gap;
            const double push = fmax(0, b->p[1] - open / b->K[0]), more = push - b->p[1];
            b->p[1] = push;
            change = fmax(change, fabs(more) * b->K[0]);
            push_more(r, b, m, side * more, moved);
        }
    }
}

// The step of all coordinates that the pushes make, from the impulses along the rows.
static void step_of_pushes(const arne_world *w, double *step)
{
    const rigid *r = w->rigid;
    double       p[RIGID_FEW_ROWS + 8] = {0};
    for (int i = 0; i < r->block_count; i++)
        p[r->blocks[i].row] = side_of(r, &r->blocks[i]) * r->blocks[i].p[1];
    rigid_add_small(w, p, 0, step);
}

void rigid_push_out(arne_world *w, const double *v, double later, double *q)
{
    rigid    *r = w->rigid;
    const int nv = w->robot->v_count;
    double    deepest = 0, *step = r->qdd, moved[RIGID_FEW_ROWS] = {0};
    int       m = 0;
    for (int i = 0; i < r->block_count; i++) {
        row_block *b = &r->blocks[i];
        b->p[1] = 0; // the push of this block
        m += b->rows.rows;
        if (b->kind == ROW_DRY) continue;
        b->gap +=
            later * side_of(r, b) * (block_velocity(r, b, v) + b->bias[0] - 0.5 * b->curve[0]);
        deepest = fmax(deepest, -b->gap);
    }
    r->deepest = fmax(r->deepest, deepest);
    if (!(deepest > 1e-3 * rigid_touch(w))) return;
    const double part = deepest > 10 * rigid_touch(w) ? 0.2 : 1;
    memset(step, 0, (size_t)nv * sizeof *step);
    push_blocks(r, m, part, deepest, r->factors ? moved : step);
    if (r->factors) step_of_pushes(w, step);
    arne_integrate(w->robot, q, step, q);
}

// Few conditions: J M^-1 J^T is computed once, and the sweeps, the conjugate gradients for sticking
// contacts and Newton for sliding ones (rigid_newton.c) work in the small space of impulses.
//
// Why this exists beside rigid_solve.c: feet that slide converge slowly by sweeps. A quadruped that
// slides on four feet with mu = 0.02 takes half the time this way and reaches the tolerance, where
// sweeps alone end at their limit, off by 1e-3 of the way after 10 s.
#include "world/rigid_small.h"
#include <string.h>

enum { FEW_ROWS = RIGID_FEW_ROWS, MOST_TRIES = 60 };

// Whether there are few rows, and they have to do with each other: of blocks that move nothing in
// common a matrix would be mostly zeros. Contacts with more rows than velocities depend on each
// other, and are found sooner by turns.
int rigid_is_small(const rigid *r)
{
    const int nv = (int)(r->v_next - r->v_free);
    int       rows = 0, entries = 0, touching = 0;
    for (int i = 0; i < r->block_count && rows <= FEW_ROWS; i++) {
        const row_block *b = &r->blocks[i];
        rows += b->rows.rows;
        entries += b->rows.rows * b->rows.count;
        touching += b->kind == ROW_CONTACT ? b->rows.rows : 0;
    }
    return rows > 0 && rows <= FEW_ROWS && rows * rows <= 4 * entries && touching <= nv;
}

// Row a of block i against row b of block j, over what both can move.
static double rigid_dense_entry(const rigid *r, const contact_rows *i, int a, const contact_rows *j,
                                int b)
{
    const int from = i->first > j->first ? i->first : j->first;
    const int i_end = i->first + i->count, j_end = j->first + j->count;
    const int end = i_end < j_end ? i_end : j_end;
    if (end <= from) return 0;
    return row_dot(r->J + i->at + (size_t)(a * i->count + from - i->first),
                   r->Y + j->at + (size_t)(b * j->count + from - j->first), end - from);
}

static void put_together(small *s)
{
    const rigid *r = s->r;
    for (int i = 0; i < r->block_count; i++)
        for (int j = 0; j <= i; j++)
            for (int a = 0; a < r->blocks[i].rows.rows; a++)
                for (int b = 0; b < r->blocks[j].rows.rows; b++) {
                    const int    row = s->at[i] + a, column = s->at[j] + b;
                    const double k =
                        rigid_dense_entry(r, &r->blocks[i].rows, a, &r->blocks[j].rows, b);
                    s->K[row * s->m + column] = k;
                    s->K[column * s->m + row] = k;
                }
}

void small_add(const small *s, int row, double dp)
{
    const double *k = s->K + row * s->m; // symmetric
    if (dp == 0) return;
    row_add(s->u, k, dp, s->m);
}

static double rigid_dense_sweep(const small *s)
{
    double change = 0;
    for (int i = 0; i < s->r->block_count; i++) {
        row_block   *b = &s->r->blocks[i];
        const double old[3] = {b->p[0], b->p[1], b->p[2]};
        const double one = block_solve(b, s->u + s->at[i]);
        change = one > change ? one : change;
        for (int k = 0; k < b->rows.rows; k++)
            small_add(s, s->at[i] + k, b->p[k] - old[k]);
    }
    s->r->sweeps++;
    return change;
}

// Which rows are held at zero, one number each.
static int mark_held(const small *s, const unsigned *held, double *mask)
{
    int count = 0;
    for (int i = 0; i < s->r->block_count; i++)
        for (int k = 0; k < s->r->blocks[i].rows.rows; k++)
            count += (mask[s->at[i] + k] = held[i] < 8 && held[i] >> k & 1) > 0;
    return count;
}

static double softness(const small *s, int i, int k) { return s->r->blocks[i].soft[k]; }

// A = U^T D U by rows, U above the diagonal and 1 / D on it. A row that depends on those before it,
// to within `part` of its diagonal, is left out if it may be (1 / D is 0 then); otherwise returns
// 0.
static int factor_rows(int n, double *A, double part, const char *may_go)
{
    double whole[FEW_ROWS], row[FEW_ROWS];
    for (int i = 0; i < n; i++)
        whole[i] = A[i * n + i];
    for (int j = 0; j < n; j++) {
        double *above = A + j * n;
        if (!(above[j] > part * whole[j])) {
            if (!may_go[j]) return 0;
            memset(above + j, 0, (size_t)(n - j) * sizeof *above);
            continue;
        }
        above[j] = 1 / above[j];
        for (int i = j + 1; i < n; i++)
            row[i] = above[i] * above[j];
        for (int i = j + 1; i < n; i++)
            row_add(A + i * n + i, above + i, -row[i], n - i);
        memcpy(above + j + 1, row + j + 1, (size_t)(n - j - 1) * sizeof *row);
    }
    return 1;
}

// The first half; of a row that was left out it gives what the others leave of its equation.
static void rigid_dense_solve_forward(int n, const double *A, double *x)
{
    for (int i = 0; i < n; i++)
        row_add(x + i + 1, A + i * n + i + 1, -x[i], n - i - 1);
}

// The second half, with the impulses of rows that were left out.
static void rigid_dense_solve_back(int n, const double *A, double *x)
{
    for (int i = n - 1; i >= 0; i--)
        if (A[i * n + i] > 0)
            x[i] = x[i] * A[i * n + i] - row_dot(A + i * n + i + 1, x + i + 1, n - i - 1);
}

// Impulses x of the held rows that stop them all, where they do not depend on each other. Joint
// friction may depend on contacts that stick: with feet that hold, joints that stick hold twice.
// Then its other rows stop it, too; or, where they cannot, as it contradicts them, nothing stops
// its impulse until one of those that balance it has no more to give.
static int stop_directly(small *s, const double *mask, double tolerance)
{
    const rigid *r = s->r;
    double      *A = s->trial + s->m, *b = A + FEW_ROWS * FEW_ROWS;
    int          held[FEW_ROWS], block[FEW_ROWS], n = 0;
    char         may_go[FEW_ROWS];
    for (int i = 0; i < r->block_count; i++)
        for (int k = 0; k < r->blocks[i].rows.rows; k++) {
            const int at = s->at[i] + k;
            if (mask[at] == 0) continue;
            may_go[n] = r->blocks[i].kind == ROW_DRY;
            block[n] = i;
            s->d[n] = softness(s, i, k);
            b[n] = -(s->u[at] + s->d[n] * r->blocks[i].p[k]);
            held[n++] = at;
        }
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++)
            A[i * n + j] = s->K[held[i] * s->m + held[j]];
        A[i * n + i] += s->d[i];
    }
    if (!factor_rows(n, A, 1e-9, may_go)) return 0;
    rigid_dense_solve_forward(n, A, b);
    for (int i = 0; i < n; i++) {
        const row_block *dry = &r->blocks[block[i]];
        if (A[i * n + i] > 0) continue;
        b[i] = fabs(b[i]) <= tolerance ? 0 : (b[i] > 0 ? dry->high : dry->low) - dry->p[0];
    }
    rigid_dense_solve_back(n, A, b);
    memset(s->x, 0, (size_t)s->m * sizeof *s->x);
    for (int i = 0; i < n; i++)
        s->x[held[i]] = b[i];
    return 1;
}

// The same by conjugate gradients, which need not know whether they do.
static void stop_by_turns(small *s, const double *mask)
{
    const rigid *r = s->r;
    const int    m = s->m;
    double       rr = 0, first;
    memset(s->x, 0, (size_t)m * sizeof *s->x);
    for (int i = 0; i < r->block_count; i++)
        for (int k = 0; k < r->blocks[i].rows.rows; k++) {
            const int at = s->at[i] + k;
            s->e[at] = -mask[at] * (s->u[at] + softness(s, i, k) * r->blocks[i].p[k]);
            s->d[at] = s->e[at];
            rr += s->e[at] * s->e[at];
        }
    first = rr;
    for (int turn = 0; turn < 3 * m && rr > 1e-32 && rr > 1e-28 * first; turn++) {
        double dAd = 0, next = 0;
        for (int i = 0; i < r->block_count; i++)
            for (int k = 0; k < r->blocks[i].rows.rows; k++) {
                const int at = s->at[i] + k;
                s->trial[at] = mask[at] > 0
                                   ? row_dot(s->K + at * m, s->d, m) + softness(s, i, k) * s->d[at]
                                   : 0;
                dAd += s->trial[at] * s->d[at];
            }
        if (!(dAd > 0)) break;
        const double a = rr / dAd;
        for (int i = 0; i < m; i++) {
            s->x[i] += a * s->d[i];
            s->e[i] -= a * s->trial[i];
            next += s->e[i] * s->e[i];
        }
        for (int i = 0; i < m; i++)
            s->d[i] = s->e[i] + next / rr * s->d[i];
        rr = next;
    }
}

static void take_held(const small *s)
{
    for (int i = 0; i < s->r->block_count; i++)
        for (int k = 0; k < s->r->blocks[i].rows.rows; k++) {
            s->r->blocks[i].p[k] += s->x[s->at[i] + k];
            small_add(s, s->at[i] + k, s->x[s->at[i] + k]);
        }
}

// How much of the step x a block may take.
static double rigid_dense_part_of(const small *s, int i)
{
    const row_block *b = &s->r->blocks[i];
    double           low = 0, high = 1;
    if (b->kind == ROW_DRY) {
        const double x = s->x[s->at[i]], room = (x > 0 ? b->high : b->low) - b->p[0];
        return fabs(x) > fabs(room) ? room / x : 1;
    }
    for (int turn = 0; turn < 40; turn++) {
        const double part = turn ? 0.5 * (low + high) : 1;
        double       p[3] = {0};
        for (int k = 0; k < b->rows.rows; k++)
            p[k] = b->p[k] + part * s->x[s->at[i] + k];
        if (!block_may(b, p))
            high = part;
        else if (!turn)
            return 1;
        else
            low = part;
    }
    return low;
}

// Goes as far as the first block that may not follow; that one is of another kind then. all: or not
// at all, where rows that depend on each other may have led anywhere. Returns whether joint
// friction was the first that had no more to give.
static int go_along(const small *s, const unsigned *held, int all)
{
    double part = 1;
    int    first = -1;
    for (int i = 0; i < s->r->block_count; i++) {
        const double own = held[i] && held[i] < 8 ? rigid_dense_part_of(s, i) : 1;
        if (!(own < part)) continue;
        part = own;
        first = i;
    }
    if (all && part < 1) return 0;
    for (int i = 0; i < s->m; i++)
        s->x[i] *= part;
    take_held(s);
    return first >= 0 && s->r->blocks[first].kind == ROW_DRY;
}

static int any_slides(const rigid *r)
{
    for (int i = 0; i < r->block_count; i++)
        if (r->held[i] == 8) return 1;
    return 0;
}

// All of their kinds at once. Returns what that counts for: rows that depend on each other take
// long.
static int improve(small *s, double tolerance)
{
    double    mask[FEW_ROWS];
    unsigned *held = s->r->held;
    if (s->newton_failed < 2 && any_slides(s->r)) {
        if (small_newton(s, held, tolerance)) return 1;
        s->newton_failed++;
    }
    int more = 1, depend = 0;
    for (int turn = 0; turn < s->r->dry_count + 1 && more; turn++) {
        if (!mark_held(s, held, mask)) return 1;
        depend = !stop_directly(s, mask, tolerance);
        if (depend) stop_by_turns(s, mask);
        more = go_along(s, held, depend);
        blocks_same(s->r, held);
    }
    return depend ? MOST_TRIES / 8 : 1;
}

void rigid_add_small(const arne_world *w, double *p, double acting, double *v)
{
    const rigid     *r = w->rigid;
    const row_block *last = &r->blocks[r->block_count - 1];
    const int        m = last->row + last->rows.rows, stride = contact_stride(m);
    p[m] = acting;
    for (int i = m + 1; i < stride; i++)
        p[i] = 0;
    contact_impulses(w->robot, r->factors, r->Y, stride, p, v);
}

static void add_all(const arne_world *w, double *v)
{
    const rigid *r = w->rigid;
    double       p[FEW_ROWS + 8];
    for (int i = 0; i < r->block_count; i++) {
        const row_block *b = &r->blocks[i];
        if (!r->factors) block_add(r, b, b->p, v);
        for (int k = 0; k < b->rows.rows; k++)
            p[b->row + k] = b->p[k];
    }
    if (r->factors) rigid_add_small(w, p, r->acting, v);
}

double rigid_solve_small(const arne_world *w, double *v, double tolerance, int most)
{
    rigid *r = w->rigid;
    small  s = {.r = r, .K = r->dense};
    double residual = INFINITY;
    for (int i = 0; i < r->block_count; s.m += r->blocks[i++].rows.rows)
        s.at[i] = s.m;
    s.u = s.K + s.m * s.m;
    s.x = s.u + s.m;
    s.d = s.x + s.m;
    s.e = s.d + s.m;
    s.trial = s.e + s.m;
    if (!r->factors) put_together(&s);
    for (int i = 0; i < r->block_count; i++) {
        double u[3] = {0};
        block_velocities(r, &r->blocks[i], v, u);
        for (int k = 0; k < r->blocks[i].rows.rows; k++)
            s.u[s.at[i] + k] = u[k] + r->blocks[i].bias[k];
        for (int k = 0; r->acting > 0 && k < r->blocks[i].rows.rows; k++)
            s.u[s.at[i] + k] += r->acting * r->rates[s.at[i] + k];
    }
    for (int i = 0; i < r->block_count; i++)
        for (int k = 0; k < r->blocks[i].rows.rows; k++)
            small_add(&s, s.at[i] + k, r->blocks[i].p[k]);
    blocks_same(r, r->held); // as the impulses are that it starts from
    int tried = improve(&s, tolerance);
    for (int i = 0; i < most && residual > tolerance; i++) {
        residual = rigid_dense_sweep(&s);
        if (!blocks_same(r, r->held) || residual <= tolerance || tried >= MOST_TRIES) continue;
        tried += improve(&s, tolerance);
    }
    add_all(w, v);
    return residual;
}

// J M^-1 J^T by what arrives on the way inward alone. With M = L^T D L along the tree (Featherstone
// 2008, section 6.5),
//     J M^-1 J^T = (D y)^T y,   y = D^-1 L^-T J^T
// and y of a point is zero but on the way from its body to the root:
//     y_k = S_k . f / D_k,  f -= U_k y_k        from the force f = J^T at the body inward
// Two points have in common only what carries both. The way outward is gone once, for the sum of
// all impulses: contact_impulses. Rows lie side by side, so that three are worked on at once.
#include "algo/contact_mobility.h"
#include "algo/articulate_at.h"
#include "algo/contact_point.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <string.h>

enum { WIDE = 4, POINT_ROWS = 3 };
typedef double four __attribute__((vector_size(32)));
typedef double four_anywhere __attribute__((vector_size(32), aligned(8), may_alias));

ARNE_FN four load_four(const double *x) { return *(const four_anywhere *)(const void *)x; }
ARNE_FN void add_four(double *x, four a) { *(four_anywhere *)(void *)x += a; }

// Forces of up to four rows.
typedef struct fours {
    four fx, fy, fz, nx, ny, nz;
} fours;

ARNE_FN four along_fours(const motion *S, const fours *f)
{
    const four lin = vx(S->lin) * f->fx + vy(S->lin) * f->fy + vz(S->lin) * f->fz;
    return lin + vx(S->ang) * f->nx + vy(S->ang) * f->ny + vz(S->ang) * f->nz;
}

ARNE_FN void sub_fours(fours *f, const force *U, four y)
{
    f->fx -= vx(U->lin) * y;
    f->fy -= vy(U->lin) * y;
    f->fz -= vz(U->lin) * y;
    f->nx -= vx(U->ang) * y;
    f->ny -= vy(U->ang) * y;
    f->nz -= vz(U->ang) * y;
}

static fours point_forces(const arne_robot *r, const work *w, const contact_rows *c, int side)
{
    const double sign = side ? -1 : 1;
    fours        f = {{0}, {0}, {0}, {0}, {0}, {0}};
    for (int j = 0; j < c->rows; j++) {
        const force one = unit_force(r, w, c->body[side], c->point, c->axis[j], c->turns);
        f.fx[j] = sign * vx(one.lin);
        f.fy[j] = sign * vy(one.lin);
        f.fz[j] = sign * vz(one.lin);
        f.nx[j] = sign * vx(one.ang);
        f.ny[j] = sign * vy(one.ang);
        f.nz[j] = sign * vz(one.ang);
    }
    return f;
}

// J of the rows of a point, and their way inward; y: the first of its rows.
static void point_inward(const arne_robot *r, const work *w, const contact_rows *c, int side,
                         double *J, double *y, int stride)
{
    const body *bodies = robot_bodies(r);
    const fours f = point_forces(r, w, c, side);
    fours       left = f;
    for (int i = c->body[side]; i > 0; i = bodies[i].parent)
        for (int k = bodies[i].v_start + bodies[i].v_count - 1; k >= bodies[i].v_start; k--) {
            const four along = along_fours(&w->S[k], &f);
            const four own = along_fours(&w->S[k], &left) * w->D_inverse[k];
            sub_fours(&left, &w->U_k[k], own);
            add_four(y + k * stride, own); // the rows after are not touched: zeros
            for (int j = 0; j < c->rows; j++)
                J[c->at + (size_t)(j * c->count + k - c->first)] += along[j];
        }
}

// A unit torque of one coordinate.
static void torque_inward(const arne_robot *r, const work *w, const contact_rows *c, double *J,
                          double *y, int stride)
{
    const body *bodies = robot_bodies(r);
    force       kept = force_zero();
    int         i = robot_dofs(r)[c->coordinate].body, k = c->coordinate;
    J[c->at + (size_t)(k - c->first)] = 1;
    for (; i > 0; i = bodies[i].parent, k = bodies[i].v_start + bodies[i].v_count - 1)
        for (; k >= bodies[i].v_start; k--) {
            const double own = ((k == c->coordinate) - power(w->S[k], kept)) * w->D_inverse[k];
            y[k * stride] = own;
            kept = force_add_scaled(kept, w->U_k[k], own);
        }
}

// Rows `row` to `row + n` of K, in four columns from `column` on: sums over the bodies on the ways
// of a and b to the root.
ARNE_FN void four_columns(const arne_robot *r, const work *w, int a, int b, int n, int row,
                          int column, const double *y, int stride, four *sum)
{
    const body *bodies = robot_bodies(r);
    for (int j = 0; j < n; j++)
        sum[j] = (four){0, 0, 0, 0};
    while (a > 0 || b > 0) {
        const int i = a > b ? a : b;
        for (int k = bodies[i].v_start; k < bodies[i].v_start + bodies[i].v_count; k++) {
            const double *at = y + k * stride;
            const four    other = load_four(at + column) * w->D[k];
            for (int j = 0; j < n; j++)
                sum[j] += at[row + j] * other;
        }
        if (a == i) a = bodies[i].parent;
        if (b == i) b = bodies[i].parent;
    }
}

static void block_mobility(const arne_robot *r, const work *w, const contact_rows *c, int row,
                           const double *y, int stride, int m, double *K)
{
    const int one = c->coordinate >= 0, a = one ? robot_dofs(r)[c->coordinate].body : c->body[0];
    const int b = one ? 0 : c->body[1];
    four      sum[POINT_ROWS];
    for (int column = 0; column < row + c->rows; column += WIDE) {
        if (c->rows == POINT_ROWS)
            four_columns(r, w, a, b, POINT_ROWS, row, column, y, stride, sum); // unrolls
        else
            four_columns(r, w, a, b, c->rows, row, column, y, stride, sum);
        for (int j = 0; j < c->rows; j++)
            for (int l = 0; l < WIDE && column + l <= row + j; l++)
                K[(row + j) * m + column + l] = K[(column + l) * m + row + j] = sum[j][l];
    }
}

// Torques of all coordinates.
static void torques_inward(const arne_robot *r, work *w, const double *torques, double *y,
                           int stride)
{
    const body *bodies = robot_bodies(r);
    force       f = force_zero(); // of the body after, if this is its parent
    for (int i = 1; i < r->body_count; i++)
        if (bodies[i].forks) w->virtual_h[i] = force_zero();
    for (int i = r->body_count - 1; i > 0; i--) {
        const body *b = &bodies[i];
        if (b->forks) f = force_add(f, w->virtual_h[i]);
        for (int k = b->v_start + b->v_count - 1; k >= b->v_start; k--) {
            const double own = (torques[k] - power(w->S[k], f)) * w->D_inverse[k];
            y[k * stride] = own;
            f = force_add_scaled(f, w->U_k[k], own);
        }
        const int p = b->parent;
        if (p == i - 1) continue;
        if (p > 0) w->virtual_h[p] = force_add(w->virtual_h[p], f);
        f = force_zero();
    }
}

// J M^-1 torques of a block's rows; m: the row of the torques.
static void block_rates(const arne_robot *r, const work *w, const contact_rows *c, int row,
                        const double *y, int stride, int m, double *rates)
{
    const body *bodies = robot_bodies(r);
    const int   one = c->coordinate >= 0;
    int         a = one ? robot_dofs(r)[c->coordinate].body : c->body[0], b = one ? 0 : c->body[1];
    four        sum = {0, 0, 0, 0};
    while (a > 0 || b > 0) {
        const int i = a > b ? a : b;
        for (int k = bodies[i].v_start; k < bodies[i].v_start + bodies[i].v_count; k++)
            sum += load_four(y + k * stride + row) * (w->D[k] * y[k * stride + m]);
        if (a == i) a = bodies[i].parent;
        if (b == i) b = bodies[i].parent;
    }
    for (int j = 0; j < c->rows; j++)
        rates[row + j] = sum[j];
}

KERNEL(int, contact_mobility,
       (const arne_robot *robot, arne_work *w, const double *q, const contact_rows *rows, int count,
        const double *torques, double *J, double *inward, double *K, double *rates),
       (robot, w, q, rows, count, torques, J, inward, K, rates))
{
    int m = 0;
    if (work_differs(robot, w) || !articulate_at(robot, w, q)) return 0;
    for (int i = 0; i < count; i++) {
        memset(J + rows[i].at, 0, (size_t)(rows[i].rows * rows[i].count) * sizeof *J);
        m += rows[i].rows;
    }
    const int stride = contact_stride(m);
    memset(inward, 0, (size_t)(robot->v_count * stride) * sizeof *inward);
    for (int i = 0, row = 0; i < count; row += rows[i++].rows) {
        const contact_rows *c = &rows[i];
        if (c->coordinate >= 0) torque_inward(robot, w, c, J, inward + row, stride);
        for (int side = 0; side < 2 && c->coordinate < 0; side++)
            if (c->body[side] > 0) point_inward(robot, w, c, side, J, inward + row, stride);
    }
    for (int i = 0, row = 0; i < count; row += rows[i++].rows)
        block_mobility(robot, w, &rows[i], row, inward, stride, m, K);
    if (torques) torques_inward(robot, w, torques, inward + m, stride);
    for (int i = 0, row = 0; torques && i < count; row += rows[i++].rows)
        block_rates(robot, w, &rows[i], row, inward, stride, m, rates);
    return 1;
}

static double contact_mobility_wide_dot(const double *a, const double *b, int count)
{
    four sum = {0, 0, 0, 0};
    for (int i = 0; i < count; i += WIDE)
        sum += load_four(a + i) * load_four(b + i);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

KERNEL(void, contact_impulses,
       (const arne_robot *robot, arne_work *w, const double *inward, int stride, const double *p,
        double *v),
       (robot, w, inward, stride, p, v))
{
    const body *bodies = robot_bodies(robot);
    motion      a = motion_zero();
    for (int i = 1; i < robot->body_count; i++) {
        const body *b = &bodies[i];
        if (b->parent != i - 1) a = b->parent ? w->virtual_v[b->parent] : motion_zero();
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            const double x = contact_mobility_wide_dot(inward + k * stride, p, stride) -
                             power(a, w->U_k[k]) * w->D_inverse[k];
            v[k] += x;
            a = motion_add_scaled(a, w->S[k], x);
        }
        if (b->forks) w->virtual_v[i] = a;
    }
}

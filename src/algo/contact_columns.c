// J M^-1 J^T by articulated bodies, point by point: the Delassus operator (Featherstone 2008,
// section 6.5).
//
// An impulse at a point is felt inward only by the bodies that carry it, and outward by those of
// its tree:
//     inward   y_k = (J_k - S_k . f) / D_k,  f += U_k y_k        along the way to the root
//     outward  x_k = y_k - (U_k . a) / D_k,  a += S_k x_k        over the bodies of the tree
// as articulated_solve.k.h has it, without what is zero.
#include "algo/contact_columns.h"
#include "algo/articulate_at.h"
#include "algo/contact_point.h"
#include "algo/factor_checked.h"
#include "algo/mass_matrix.k.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <string.h>

// sign J of one body, added to a row over all coordinates of the tree.
static void path_row(const arne_robot *r, const work *w, int i, force f, double sign, double *row)
{
    const body *bodies = robot_bodies(r);
    for (; i > 0; i = bodies[i].parent)
        for (int k = bodies[i].v_start; k < bodies[i].v_start + bodies[i].v_count; k++)
            row[k] += sign * power(w->S[k], f);
}

static void unit_inward(const arne_robot *r, const work *w, int coordinate, int first, double *y)
{
    const body *bodies = robot_bodies(r);
    force       kept = force_zero();
    int         k = coordinate;
    for (int i = robot_dofs(r)[coordinate].body; i > 0; i = bodies[i].parent) {
        if (k < 0) k = bodies[i].v_start + bodies[i].v_count - 1;
        for (; k >= bodies[i].v_start; k--) {
            const double own = ((k == coordinate) - power(w->S[k], kept)) * w->D_inverse[k];
            y[k - first] = own;
            kept = force_add_scaled(kept, w->U_k[k], own);
        }
        k = -1;
    }
}

enum { SIDE_BY_SIDE = 3 }; // rows of a point: what one waits for, another does meanwhile

ARNE_FN void outward(const arne_robot *r, work *w, const contact_rows *c, int rows,
                     double *const x[])
{
    const body   *bodies = robot_bodies(r);
    motion *const kept[SIDE_BY_SIDE] = {w->virtual_v, w->v_c, w->a_c};
    motion        a[SIDE_BY_SIDE]; // of the body before, which is the parent in a chain
    for (int i = c->body_first; i < c->body_end; i++) {
        const body *b = &bodies[i];
        if (b->v_start < c->first || b->v_start >= c->first + c->count) continue;
        if (b->parent != i - 1 || i == c->body_first)
            for (int j = 0; j < rows; j++)
                a[j] = b->parent >= c->body_first ? kept[j][b->parent] : motion_zero();
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            const force  U = w->U_k[k];
            const motion S = w->S[k];
            const double D = w->D_inverse[k];
            for (int j = 0; j < rows; j++) {
                double *one = &x[j][k - c->first];
                *one -= power(a[j], U) * D;
                a[j] = motion_add_scaled(a[j], S, *one);
            }
        }
        for (int j = 0; j < rows; j++)
            kept[j][i] = a[j];
    }
}

// J of all rows of a point of body i, and their way inward.
ARNE_FN void paths_inward(const arne_robot *r, const work *w, const contact_rows *c, int side,
                          int rows, double *const row[], double *const y[])
{
    const body  *bodies = robot_bodies(r);
    const double sign = side ? -1 : 1;
    force        f[SIDE_BY_SIDE], kept[SIDE_BY_SIDE];
    for (int j = 0; j < rows; j++) {
        f[j] = unit_force(r, w, c->body[side], c->point, c->axis[j], c->turns);
        kept[j] = force_zero();
    }
    for (int i = c->body[side]; i > 0; i = bodies[i].parent)
        for (int k = bodies[i].v_start + bodies[i].v_count - 1; k >= bodies[i].v_start; k--) {
            const force  U = w->U_k[k];
            const motion S = w->S[k];
            const double D = w->D_inverse[k];
            for (int j = 0; j < rows; j++) {
                const double along = sign * power(S, f[j]), own = (along - power(S, kept[j])) * D;
                row[j][k - c->first] += along;
                y[j][k - c->first] += own;
                kept[j] = force_add_scaled(kept[j], U, own);
            }
        }
}

static void point_rows(const arne_robot *r, work *w, const contact_rows *c, double *J, double *Y)
{
    double *row[SIDE_BY_SIDE], *y[SIDE_BY_SIDE];
    memset(J + c->at, 0, (size_t)(c->rows * c->count) * sizeof *J);
    memset(Y + c->at, 0, (size_t)(c->rows * c->count) * sizeof *Y);
    for (int k = 0; k < c->rows; k++) {
        row[k] = J + c->at + (size_t)(k * c->count);
        y[k] = Y + c->at + (size_t)(k * c->count);
    }
    if (c->coordinate >= 0) {
        row[0][c->coordinate - c->first] = 1;
        unit_inward(r, w, c->coordinate, c->first, y[0]);
    }
    for (int side = 0; side < 2 && c->coordinate < 0; side++)
        if (c->body[side] > 0 && c->rows == SIDE_BY_SIDE)
            paths_inward(r, w, c, side, SIDE_BY_SIDE, row, y); // whose loops unroll
        else if (c->body[side] > 0)
            paths_inward(r, w, c, side, c->rows, row, y);
    if (c->rows == SIDE_BY_SIDE)
        outward(r, w, c, SIDE_BY_SIDE, y);
    else
        outward(r, w, c, c->rows, y);
}

// By the factors of the mass matrix, where coordinates are shared: rows over all coordinates.
static void matrix_rows(const arne_robot *r, work *w, const contact_rows *c, double *J, double *Y)
{
    const int n = r->v_count;
    for (int k = 0; k < c->rows; k++) {
        double *row = J + c->at + (size_t)(k * c->count), *y = Y + c->at + (size_t)(k * c->count);
        memset(w->rows, 0, (size_t)r->tree_v_count * sizeof *w->rows);
        memset(row, 0, (size_t)n * sizeof *row);
        if (c->coordinate >= 0) row[c->coordinate] = 1;
        for (int side = 0; side < 2 && c->coordinate < 0; side++)
            if (c->body[side] > 0)
                path_row(r, w, c->body[side],
                         unit_force(r, w, c->body[side], c->point, c->axis[k], c->turns),
                         side ? -1 : 1, w->rows);
        if (c->coordinate < 0) deliver(r, w, 1, w->rows, row);
        memcpy(y, row, (size_t)n * sizeof *y);
        factor_solve(n, robot_factor_parents(r), w->matrix, y);
    }
}

KERNEL(arne_status, contact_columns,
       (const arne_robot *robot, arne_work *w, const double *q, const contact_rows *rows, int count,
        double *J, double *Y, arne_error *error),
       (robot, w, q, rows, count, J, Y, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    const int whole = count == 0 || rows[0].count == robot->v_count;
    if (articulate_at(robot, w, q)) {
        for (int i = 0; i < count; i++)
            point_rows(robot, w, &rows[i], J, Y);
        return ARNE_OK;
    }
    if (!whole)
        return arne_fail(error, ARNE_SINGULAR, NULL, 0, "%s", arne_status_text(ARNE_SINGULAR));
    mass_matrix(robot, w, q, w->matrix);
    const arne_status status = factor_checked(robot, w->matrix, error);
    if (status) return status;
    joint_poses(robot, w, tree_q(robot, w, q));
    common_frame(robot, w);
    common_axes(robot, w);
    for (int i = 0; i < count; i++)
        matrix_rows(robot, w, &rows[i], J, Y);
    return ARNE_OK;
}

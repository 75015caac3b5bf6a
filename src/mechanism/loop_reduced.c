// The dynamics of a tree with loops in its independent coordinates: matrices of the size of the
// mobility, and what is mapped with them. With J G = 0 and x = G x_independent,
//     A_c = G^T M G,   C_c = G^T (C G + M dG/dt),   tau_independent = A_c qdd_independent + H_c
//     G A_c^-1 G^T: accelerations of all coordinates by torques of all, the upper left block of the
//     inverse of [M J^T; J 0]
#include "algo/singular.h"
#include "base/error.h"
#include "math/dense.h"
#include "mechanism/loop_work.h"
#include "robot/work_layout.h"
#include "robot/work_parts.h"
#include <arne/kinematics.h>
#include <string.h>

// out = left^T M right, with left and right of n x columns.
static void between(const arne_loop_work *loop, int columns, const double *left, const double *M,
                    const double *right, double *half, double *out)
{
    const int n = loop->n;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < columns; c++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += M[i * n + k] * right[k * columns + c];
            half[i * columns + c] = sum;
        }
    for (int a = 0; a < columns; a++)
        for (int c = 0; c < columns; c++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += left[k * columns + a] * half[k * columns + c];
            out[a * columns + c] = sum;
        }
}

void loop_reduce_matrix(arne_loop_work *loop, const double *M, double *out)
{
    between(loop, loop->n - loop->factor.rank, loop->G, M, loop->G, loop->A, out);
}

arne_status loop_factor_inertia(const arne_robot *r, arne_loop_work *loop, const double *M,
                                arne_error *error)
{
    const int mobility = loop->n - loop->factor.rank;
    between(loop, mobility, loop->G, M, loop->G, loop->V, loop->A);
    if (dense_factor(mobility, loop->A, ARNE_SINGULAR_PART)) return ARNE_OK;
    return arne_fail(error, ARNE_SINGULAR, NULL, 0,
                     "the reduced mass matrix of '%s' is singular: a motion that the loops allow "
                     "has no inertia",
                     arne_robot_name(r));
}

void loop_fill_mobility(arne_loop_work *loop, double *out)
{
    const int n = loop->n, mobility = n - loop->factor.rank;
    for (int j = 0; j < n; j++) {
        double *z = loop->reduced;
        memcpy(z, loop->G + j * mobility, (size_t)mobility * sizeof *z);
        dense_solve(mobility, loop->A, z);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int c = 0; c < mobility; c++)
                sum += loop->G[i * mobility + c] * z[c];
            out[i * n + j] = sum;
        }
    }
}

arne_status arne_loop_reduced(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                              const double *q, const double *qd, const arne_wrench *f_ext,
                              double *A, double *H, arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || (H && !qd)) return arne_fail_null(error);
    const arne_status status =
        loop_factor(robot, w, loop, q, qd ? qd : work_zero(robot, w), 1, error);
    if (status) return status;
    memset(loop->qdd, 0, (size_t)loop->n * sizeof *loop->qdd);
    loop_solve(loop, loop->bias, loop->qdd);
    loop_fill_G(loop);
    if (A) {
        arne_mass_matrix(robot, w, q, loop->M);
        loop_reduce_matrix(loop, loop->M, A);
    }
    if (H) {
        arne_inverse_dynamics(robot, w, q, qd, loop->qdd, f_ext, loop->tau);
        loop_reduce(loop, loop->tau, H, loop->step);
    }
    return ARNE_OK;
}

// The factors of J and of A_c, with all coordinates alike.
static arne_status factor_both(const arne_robot *r, arne_work *w, arne_loop_work *loop,
                               const double *q, arne_error *error)
{
    const arne_status status = loop_factor(r, w, loop, q, NULL, 0, error);
    if (status) return status;
    loop_fill_G(loop);
    arne_mass_matrix(r, w, q, loop->M);
    return loop_factor_inertia(r, loop, loop->M, error);
}

arne_status arne_loop_inverse_mass_matrix(const arne_robot *robot, arne_work *w,
                                          arne_loop_work *loop, const double *q, double *Minv,
                                          arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !Minv) return arne_fail_null(error);
    const arne_status status = factor_both(robot, w, loop, q, error);
    if (!status) loop_fill_mobility(loop, Minv);
    return status;
}

arne_status arne_loop_operational_inertia(const arne_robot *robot, arne_work *w,
                                          arne_loop_work *loop, const double *q, int frame,
                                          arne_axes axes, double *Lambda, arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !Lambda) return arne_fail_null(error);
    const arne_status status = factor_both(robot, w, loop, q, error);
    if (status) return status;
    const int n = loop->n;
    double    mobility[36], *J = loop->D, *X = loop->D + 6 * n; // J G A_c^-1 G^T J^T
    arne_jacobian(robot, w, q, frame, axes, J);
    loop_fill_mobility(loop, loop->M);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < n; k++) {
            X[i * n + k] = 0;
            for (int l = 0; l < n; l++)
                X[i * n + k] += J[i * n + l] * loop->M[l * n + k];
        }
    for (int i = 0; i < 36; i++) {
        mobility[i] = 0;
        for (int k = 0; k < n; k++)
            mobility[i] += X[i / 6 * n + k] * J[i % 6 * n + k];
    }
    if (!dense_factor(6, mobility, 1e-12))
        return arne_fail(error, ARNE_SINGULAR, NULL, 0,
                         "frame '%s' cannot move in all six directions here, so its operational "
                         "inertia does not exist",
                         arne_robot_frame(robot, frame).name);
    for (int k = 0; k < 6; k++) {
        double unit[6] = {0};
        unit[k] = 1;
        dense_solve(6, mobility, unit);
        for (int i = 0; i < 6; i++)
            Lambda[i * 6 + k] = unit[i];
    }
    return ARNE_OK;
}

arne_status arne_loop_coriolis_matrix(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                                      const double *q, const double *qd, double *C,
                                      arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd || !C) return arne_fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 1, error);
    if (status) return status;
    const int    n = loop->n, mobility = n - loop->factor.rank;
    const size_t square = (size_t)n * (size_t)n;
    double      *inertial = loop->D + square, *G_rate = loop->D + 2 * square;
    loop_fill_G(loop);
    loop_complex_along(robot, loop->complex_work, q, qd, work_zero(robot, w), qd, NULL, NULL,
                       loop->dJ, loop->drate);
    loop_fill_G_rate(loop, loop->dJ, G_rate);
    arne_coriolis_matrix(robot, w, q, qd, loop->M);
    loop_reduce_matrix(loop, loop->M, C);
    arne_mass_matrix(robot, w, q, loop->M);
    between(loop, mobility, loop->G, loop->M, G_rate, loop->A, inertial);
    for (int i = 0; i < mobility * mobility; i++)
        C[i] += inertial[i];
    return ARNE_OK;
}

// What the functions of arne/loop.h share: the memory, and the constraint matrix with its factors.
#ifndef ARNE_MECHANISM_LOOP_WORK_H
#define ARNE_MECHANISM_LOOP_WORK_H

#include "math/rank.h"
#include "mechanism/loop_constraints.k.h"
#include <arne/configuration.h>
#include <arne/loop.h>

// Type, name, number of entries. m: rows, n: velocities of the user, t: those of the tree, s: the
// larger of m and n.
#define LOOP_WORK_FIELDS(FIELD)                                                                    \
    FIELD(double, J, m *n)      /* constraint matrix, in the user's coordinates */                 \
    FIELD(double, tree_J, m *t) /* and in the tree's */                                            \
    FIELD(double, row_scale, m) /* of J, with lengths in the robot's unit: 1 unless it is small */ \
    FIELD(double, column_scale, n)                                                                 \
    FIELD(double, error, m)    /* of closure; angles, not sines */                                 \
    FIELD(double, velocity, m) /* J qd */                                                          \
    FIELD(double, bias, m)     /* J qdd + bias is the rate of that */                              \
    FIELD(double, lambda, m)                                                                       \
    FIELD(double, row, s)                                                                          \
    FIELD(double, step, s)                                                                         \
    FIELD(double, qr, s *n)                                                                        \
    FIELD(double, qr_scale, n)                                                                     \
    FIELD(double, qr_diagonal, n)                                                                  \
    FIELD(int, pivot, n)                                                                           \
    FIELD(double, G, n *n)                                                                         \
    FIELD(double, values, s)                                                                       \
    FIELD(double, A, s *s)                                                                         \
    FIELD(double, V, s *s)                                                                         \
    FIELD(double, part_A, m *n) /* of the singular values of loops that share coordinates */       \
    FIELD(double, part_V, n *n)                                                                    \
    FIELD(double, part_values, n)                                                                  \
    FIELD(int, part_rows, m)                                                                       \
    FIELD(int, part_columns, n)                                                                    \
    FIELD(int, part_of, m) /* row: one that it is tied to, itself for the last */                  \
    FIELD(double, M, n *n)                                                                         \
    FIELD(double, K, m *m)                                                                         \
    FIELD(int, K_pivot, m)                                                                         \
    FIELD(double, u, m *t)                                                                         \
    FIELD(double, qd, n)                                                                           \
    FIELD(double, qdd, n)                                                                          \
    FIELD(double, tau, n)                                                                          \
    FIELD(double, dJ, m *n)                                                                        \
    FIELD(double, drate, m)                                                                        \
    FIELD(double, dqd, n)                                                                          \
    FIELD(double, dqdd, n)                                                                         \
    FIELD(double, acceleration, n)                                                                 \
    FIELD(double, D, 3 * n * n + 12 * n)                                                           \
    FIELD(double, reduced, n)                                                                      \
    FIELD(double, q_try, r->q_count)                                                               \
    FIELD(double, q_best, r->q_count)                                                              \
    FIELD(double, q_seed, r->q_count)                                                              \
    FIELD(arne_wrench, f_ext, r->body_count)                                                       \
    FIELD(struct loop_tie, ties, r->loop_count)                                                    \
    FIELD(unsigned char, live, m) /* rows that are not zero for whatever configuration */          \
    FIELD(unsigned char, active, n)                                                                \
    FIELD(unsigned char, fixed, n)

struct arne_loop_work {
#define FIELD(type, name, count) type *name;
    LOOP_WORK_FIELDS(FIELD)
#undef FIELD
    void    *complex_work; // of loop_complex.c
    int      m, n;
    int      active_count;
    int      generic_rank; // -1: not known yet
    int      generic_hold; // the rank of the passive columns
    int      live_count;
    dense_qr factor;
};

// As arne_loop_work_size and arne_loop_work_place, of a robot that has kernels here.
size_t          loop_work_size(const arne_robot *robot);
arne_loop_work *loop_work_place(const arne_robot *robot, void *memory);

// Kinematics at q (and qd, NULL: none); J, error, and with qd velocity and bias. Returns the
// closure error; worst (may be NULL) is the loop that has it.
double loop_constraints(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q,
                        const double *qd, int *worst);
// J and its error with lengths in the robot's unit, so that the rank of a small robot is judged as
// that of a large one: entry (i, k) of J.
static inline double loop_scaled(const arne_loop_work *loop, int i, int k)
{
    return loop->row_scale[i] * loop->J[i * loop->n + k] * loop->column_scale[k];
}
// J P = Q R of the scaled J, with R for unscaled columns: only the rows stay scaled. Columns that
// `late` marks (NULL: none) come last.
void loop_factor_scaled(arne_loop_work *loop, const unsigned char *late);
// The closure error alone, with loop->error and loop->ties, after the kinematics.
double loop_errors(const arne_robot *r, const arne_work *w, arne_loop_work *loop, int *worst);

// The rank nearby, once: q is closed. Uses everything in the workspaces.
void loop_prepare(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q);

// loop_constraints, and J P = Q R: where `determined` with passive columns first, and 1 fails where
// the active joints do not determine the motion, here or at all, 2 only where they do elsewhere but
// not here; 0: with the best columns first. Fails where the loops are open or singular.
arne_status loop_factor(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q,
                        const double *qd, int determined, arne_error *error);
// From the factors: G, n x mobility.
void loop_fill_G(arne_loop_work *loop);
// The rate of G, n x mobility, from that of J, with the same coordinates independent; loop->G must
// be filled.
void loop_fill_G_rate(arne_loop_work *loop, const double *J_rate, double *G_rate);
// The dependent entries of x with J x = -rhs, of the others in x. rhs (m) may be NULL; it is
// overwritten.
void loop_solve(const arne_loop_work *loop, double *rhs, double *x);
// out = G^T x, one entry for each independent coordinate; scratch has n entries.
void loop_reduce(const arne_loop_work *loop, const double *x, double *out, double *scratch);

// loop->lambda: the smallest multipliers that balance x on the dependent coordinates.
void loop_balance(arne_loop_work *loop, const double *x);
// sum -= A^T y, for A of m x n.
void loop_sub_transposed(const arne_loop_work *loop, const double *A, const double *y, double *sum);
// out = G^T M G; loop->G must be filled. Uses loop->A.
void loop_reduce_matrix(arne_loop_work *loop, const double *M, double *out);
// loop->A: the factor of G^T M G; loop->G must be filled. Fails where there is no inertia to move.
arne_status loop_factor_inertia(const arne_robot *r, arne_loop_work *loop, const double *M,
                                arne_error *error);
// out = G (G^T M G)^-1 G^T, n x n, after that.
void loop_fill_mobility(arne_loop_work *loop, double *out);
// Torques of the active joints (those of the others are zero) from G^T tau_tree of the independent
// ones; where there are more active joints than mobility, those of least sum of weight tau^2.
// loop->G must be filled then. Where rate is not NULL, their rate too, from that of G^T tau_tree
// and of G.
arne_status loop_share_torques(const arne_robot *r, arne_loop_work *loop, const double *weights,
                               const double *reduced, const double *reduced_rate,
                               const double *G_rate, double *tau, double *rate, arne_error *error);
// The wrenches of loads, on the bodies.
void loop_put_loads(const arne_robot *r, const arne_load *loads, int count, arne_wrench *f_ext);

arne_status loop_fail_none(arne_error *error); // there are no loops
arne_status loop_fail_rigid(const arne_robot *r, const arne_loop_work *loop, arne_error *error);
arne_status loop_fail_undetermined(const arne_robot *r, arne_loop_work *loop, arne_error *error);
arne_status loop_fail_singular(const arne_robot *r, arne_loop_work *loop, arne_error *error);
arne_status loop_fail_open(const arne_robot *r, arne_status code, double closure, int worst,
                           int starts, arne_error *error);

// The complex part of the workspace (loop_complex.c): its size, its start, and the derivative of
// the constraints along a direction: dJ (m x n) and drate (m), of J and of J qdd + bias. dq, dqd,
// dqdd may be NULL: zero.
size_t loop_complex_size(const arne_robot *r);
void   loop_complex_start(const arne_robot *r, void *memory);
void   loop_complex_along(const arne_robot *r, void *memory, const double *q, const double *qd,
                          const double *qdd, const double *dq, const double *dqd, const double *dqdd,
                          double *dJ, double *drate);

#endif

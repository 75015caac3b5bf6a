// What the functions of arne/loop.h share: the memory, and the constraint matrix with its factors.
#ifndef ARNE_MECHANISM_LOOP_WORK_H
#define ARNE_MECHANISM_LOOP_WORK_H

#include "math/rank.h"
#include "mechanism/loop_constraints.k.h"
#include <arne/configuration.h>
#include <arne/loop.h>

// Type, name, number of entries. m: rows, n: velocities of the user, t: those of the tree, s: the larger of m and n.
#define LOOP_WORK_FIELDS(FIELD)                                                                    \
    FIELD(double, J, m *n)      /* constraint matrix, in the user's coordinates */                 \
    FIELD(double, tree_J, m *t) /* and in the tree's */                                            \
    FIELD(double, error, m)     /* of closure; angles, not sines */                                \
    FIELD(double, velocity, m)  /* J qd */                                                         \
    FIELD(double, bias, m)      /* J qdd + bias is the rate of that */                             \
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
    FIELD(double, D, 3 * n * n)                                                                    \
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

// Kinematics at q (and qd, NULL: none); J, error, and with qd velocity and bias. Returns the closure error; worst (may be
// NULL) is the loop that has it.
double loop_constraints(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q,
                        const double *qd, int *worst);
// The closure error alone, with loop->error and loop->ties, after the kinematics.
double loop_errors(const arne_robot *r, const arne_work *w, arne_loop_work *loop, int *worst);

// The rank nearby, once: q is closed. Uses everything in the workspaces.
void loop_prepare(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q);

// loop_constraints, and J P = Q R: where `determined` with passive columns first, and it fails where the active joints do not
// determine the motion, here or at all; else with the best columns first. Fails where the loops are open or singular.
arne_status loop_factor(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q,
                        const double *qd, int determined, arne_error *error);
// From the factors: G, n x mobility.
void loop_fill_G(arne_loop_work *loop);
// The dependent entries of x with J x = -rhs, of the others in x. rhs (m) may be NULL; it is overwritten.
void loop_solve(const arne_loop_work *loop, double *rhs, double *x);
// out = G^T x, one entry for each independent coordinate; scratch has n entries.
void loop_reduce(const arne_loop_work *loop, const double *x, double *out, double *scratch);

arne_status loop_fail_open(const arne_robot *r, arne_status code, double closure, int worst,
                           int starts, arne_error *error);

// The complex part of the workspace (loop_complex.c): its size, its start, and the derivative of the constraints along a
// direction: dJ (m x n) and drate (m), of J and of J qdd + bias. dq, dqd, dqdd may be NULL: zero.
size_t loop_complex_size(const arne_robot *r);
void   loop_complex_start(const arne_robot *r, void *memory);
void   loop_complex_along(const arne_robot *r, void *memory, const double *q, const double *qd,
                          const double *qdd, const double *dq, const double *dqd, const double *dqdd,
                          double *dJ, double *drate);

#endif

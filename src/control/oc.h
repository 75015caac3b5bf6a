// The solver of arne/optimal_control.h from inside: its block of memory, and what its files offer
// each other.
//
// Tangents of a knot are in one order: z = (dq, dqd, dp, du). p is the control before, where a term
// has ARNE_OC_RATE; else there is none. x are the first `nx` of z. Rows of matrices are padded to
// multiples of MATRIX_PAD, with zeros.
#ifndef ARNE_CONTROL_OC_H
#define ARNE_CONTROL_OC_H

#include "base/pool.h"
#include "batch/lanes.h"
#include "control/tangent.h"
#include <arne/derivatives.h>
#include <arne/optimal_control.h>
#include <arne/work.h>

enum { MATRIX_PAD = 8 };

static inline int matrix_padded(int n) { return (n + MATRIX_PAD - 1) / MATRIX_PAD * MATRIX_PAD; }

// A term and what follows from it.
typedef struct oc_term {
    arne_oc_term given;
    int          rows, first, last;  // knots, both included
    double      *multipliers;        // NULL: no bounds
    double       penalty_first;      // rho at the beginning of a search
    double       penalty, violation; // rho, and the largest violation when it was last changed;
                                     // 0: bounds do not count yet
    double spread;       // sum of log S over its bounded rows, of which there are spread_count:
    int    spread_count; // oc_penalty.c
} oc_term;

// What stands in a phase, and whether it begins with an impact.
typedef struct oc_stand {
    const arne_oc_contact *contacts;
    int                    count, rows, impact;
} oc_stand;

// Memory for the dynamics of contacts; rows: the most of any phase.
typedef struct contact_room {
    double    *J, *JM, *S, *f, *column; // rows x n; rows x rows; rows; rows + 2 n
    double    *fq, *fv, *ft;            // derivatives of f: rows x n
    double    *Minv, *Dq, *Dv;          // n x n
    double    *frame;                   // 24 x n
    double    *a_q, *a_v, *a_t, *x;     // of a term or an impact: n x n; a state
    arne_load *loads;
} contact_room;

// Sums over the horizon at a recursion.
typedef struct oc_descent {
    double slope, curvature; // of the cost along the step, without what gaps add
    double gradient;         // the largest entry of the projected gradient
    double pull;             // the largest entry of V_x
} oc_descent;

struct arne_oc {
    const arne_robot *robot;
    int               nq, n, nu, nx, nz, N;
    int               sx;                         // numbers of a state, q and qd
    int               ldx, ldz, ldu;              // of rows of x, of z, and of the factor of Q_uu
    int               rate, bounded, constrained; // terms or bounds of this kind are there
    int               euler;
    int               by_acceleration; // controls are accelerations
    int               plain;           // coordinates of all joints add
    int               recursive;       // arne_second_derivatives has this robot
    int               started;         // states were given or found
    int               penalised;       // penalties of bounds have their first values
    int               open_loop;       // trials without gains
    int               feasible;        // there are no gaps
    int               squares;         // all costs are: none is negative
    int               impacts;         // a phase begins with one
    int               weighs_forces;   // a term weighs or bounds contact forces
    double            h, reg;
    double            last_cost; // of the last tick
    const int        *drive;     // the coordinate of each control; NULL: by B
    const int        *driven;    // coordinates: those of arne_oc_drives, then the others
    int               driven_count;
    const double     *B; // n x nu
    const double     *lower, *upper, *zeros;
    curved           *bends; // joints whose coordinates do not add
    int               bend_count;
    int              *turning; // velocities of continuous joints
    int               turning_count;
    int               circles; // these are circles: a term wraps their differences
    oc_term          *terms;
    int               term_count;
    size_t            multiplier_count, row_count; // of all knots; of all terms
    double           *multipliers;

    oc_stand    *phases;
    int          phase_count, most_rows, most_contacts;
    int         *schedule, before; // the phase of each knot, and of the step before the first
    double       contact_damping;
    contact_room contact;

    arne_work          *work;
    const batch_kernel *lanes;
    void               *lanes_block;

    double *previous, *x0;       // the control before the first; the state that was given
    double *states, *controls;   // the iterate
    double *trial_x, *trial_u;   // of the line search
    double *gaps;                // N + 1 rows of nx
    double *tau;                 // N rows of n
    double *a, *a_q, *a_v, *a_t; // accelerations and their derivatives: N rows of n, n x n
    double *forces;       // of contacts at each knot: f, fq, fv, ft; NULL: no term needs them
    int     forces_known; // those of the iterate
    double *K, *k, *Vf;   // gains, steps; V_xx times gap
    double *spread;       // Q_uu^-1 of each knot and room for oc_penalty.c; NULL: no bounds
    int     spreading;    // the recursion keeps them
    // of one knot
    double        *Q, *z, *own;         // Hessian and gradient; gradient of the terms alone
    double        *V, *Vx, *costate;    // of the next knot, then of this one
    double        *PGP, *Vv;            // rows P, G, P of the product; V_vv
    double        *bend_room;           // 18 rows of x
    double        *R, *U, *y, *H, *box; // rows of free controls, factor, right side; the box's
    unsigned char *is_free;
    double        *F, *L;              // derivatives of a step; its stages
    double        *J, *hJ, *r, *g;     // of a term; g: of all
    double        *Jb;                 // the body Jacobian of a frame
    int            posed, jacobian_of; // the workspace has all poses; Jb is that of a frame, or -1
    int            forced;             // contact.f is of this state: 1, with derivatives: 2
    double        *t, *stage, *user;   // room
    void          *allocated;          // by arne_oc_new

    // Of the derivatives of knots: threads, and what those beside the caller work in, which share
    // all but the memory of one knot.
    int             threads, failed; // failed: of the last derivatives of this thread
    struct arne_oc *helpers;         // threads - 1
    pool           *pool;            // NULL: the caller does it all
    double         *dense;           // F of each knot whose step has no structure: N of nx + 3 rows
};

// The rows of inverse dynamics of what nothing drives, which are zero: a term that is added to
// those of the caller where controls are accelerations.
enum { OC_UNDRIVEN = ARNE_OC_QUANTITY_COUNT };

// tau = B u, and an entry of B. Of accelerations: what they are.
static inline double oc_drive(const arne_oc *oc, int row, int column)
{
    return oc->drive ? oc->drive[column] == row : oc->B[row * oc->nu + column];
}
static inline void oc_torques(const arne_oc *oc, const double *u, double *tau)
{
    for (int i = 0; i < oc->n; i++) {
        tau[i] = 0;
        for (int j = 0; j < oc->nu && !oc->drive; j++)
            tau[i] += oc->B[i * oc->nu + j] * u[j];
    }
    for (int j = 0; j < oc->nu && oc->drive; j++)
        tau[oc->drive[j]] = u[j];
}

// The control before knot k of the iterate.
static inline const double *oc_before(const arne_oc *oc, int k)
{
    return k > 0 ? oc->controls + (ptrdiff_t)(k - 1) * oc->nu : oc->previous;
}

// Wraps the entries of continuous joints in a difference of positions to (-pi, pi].
void oc_wrap(const arne_oc *oc, double *d);
// The number of rows of a term.
int oc_term_rows(const arne_oc *oc, const arne_oc_term *t);

// ---- oc_check.c ----

// Whether a problem is as it should be; oc has its sizes.
ARNE_CHECKED arne_status oc_check(const arne_oc *oc, const arne_oc_problem *p, arne_error *error);

// ---- oc_terms.c ----

// Adds the costs of knot k at (x, u) with the penalties of its bounds to *cost, without them to
// *plain, and finds the largest violation. Nonzero: they do not exist here.
int terms_value(arne_oc *oc, int k, const double *x, const double *u, const double *p,
                double *merit, double *plain, double *violation);
// Adds their gradient to z and the lower triangle of their Hessian to Q.
int terms_expand(arne_oc *oc, int k, const double *x, const double *u, const double *p, int exact,
                 double *z, double *Q);
// All penalties, times h where terms run, as their costs; forgets how far bounds were violated.
void terms_set_penalty(arne_oc *oc, double penalty);
// New multipliers at the iterate. Where a term's violation has not fallen enough since the last
// time, and `harder`, its penalty grows. Returns the largest penalty, or -1 where a term fails.
double terms_update_multipliers(arne_oc *oc, int harder);

// ---- oc_dynamics.c ----

// next = f(x, u) at knot k. Nonzero: the dynamics are singular or not finite.
int dynamics_step(arne_oc *oc, int k, const double *x, const double *u, double *next);
// Derivatives at all knots of the iterate: a, a_q, a_v, a_t for Euler's steps, else F of the knots.
// Nonzero as above.
int dynamics_derive(arne_oc *oc);
// F (nx x nz, rows of ldz): derivatives of the step at (x, u), of any integrator, also with impact.
// Needs no dynamics_derive.
int dynamics_dense(arne_oc *oc, int k, const double *x, const double *u, double *F);
// Accelerations at (x, tau) without contact, and their derivatives. Nonzero as above.
int dynamics_accelerations(arne_oc *oc, const double *x, const double *tau, double *a, double *a_q,
                           double *a_v, double *a_t);
// Adds the second derivatives of multiplier . f at knot k to the lower triangle of Q.
int dynamics_curvature(arne_oc *oc, int k, const double *multiplier, double *Q);

// ---- oc_contact.c ----

// What stands at knot k; NULL: nothing.
const oc_stand *contact_at(const arne_oc *oc, int k);
// Whether knot k begins with an impact of what stands.
int contact_begins(const arne_oc *oc, int k);
// An impact is part of the step of its knot, which then has no structure.
static inline int oc_is_structured(const arne_oc *oc, int k)
{
    return oc->euler && !contact_begins(oc, k);
}
static inline double *oc_dense(const arne_oc *oc, int k)
{
    return oc->dense + (ptrdiff_t)k * (oc->nx + 3) * oc->ldz;
}
// a: in, of forward dynamics; out: with contact. Minv: the inverse of M, or NULL. Leaves the forces
// in contact.f. Nonzero: contacts are redundant.
int contact_acceleration(arne_oc *oc, const oc_stand *s, const double *x, const double *Minv,
                         double *a);
// The same with derivatives. a, a_t: in, those of forward dynamics. Leaves those of the forces in
// contact.fq, fv, ft.
int contact_derivatives(arne_oc *oc, const oc_stand *s, const double *x, double *a, double *a_q,
                        double *a_v, double *a_t);
// The forces of knot k of the iterate with their derivatives, as dynamics_derive left them: put
// from the room of contacts, or taken back into it.
void contact_put(arne_oc *oc, int k);
void contact_take(arne_oc *oc, int k);
// The state after an impact of what stands, and derivatives of its velocities (n x n).
int contact_impact(arne_oc *oc, const oc_stand *s, const double *x, double *after);
int contact_impact_derivatives(arne_oc *oc, const oc_stand *s, const double *x, double *after,
                               double *v_q, double *v_v);

// ---- oc_penalty.c ----

// Keeps Q_uu^-1 of the free controls of knot k from its factor.
void penalty_keep(arne_oc *oc, int k, int count);

// ---- riccati.c ----

enum { RICCATI_OK, RICCATI_INDEFINITE, RICCATI_FAILED };
// The recursion over the horizon at the iterate: K, k, Vf. INDEFINITE: Q_uu is not positive
// definite; FAILED: a term or the dynamics fail.
int riccati_run(const arne_robot *robot, arne_oc *oc, int exact, oc_descent *out);

// The control of knot k in a trial: a step of this length, and feedback of dx.
void riccati_control(const arne_robot *robot, const arne_oc *oc, int k, double length,
                     const double *dx, double *u);

// ---- matrix.c ----

// C += sign A^T B: C m x n, A k x m, B k x n, in padded rows; `lower`: at least the lower triangle.
void matrix_add_product(const arne_robot *robot, int m, int n, int k, const double *A, int lda,
                        const double *B, int ldb, double *C, int ldc, double sign, int lower);

// Without padding. C (m x n) += s A B with A m x k; C += A^T B with A k x m.
void matrix_add_plain(const arne_robot *robot, int m, int n, int k, double s, const double *A,
                      const double *B, double *C);
void matrix_add_turned(const arne_robot *robot, int m, int n, int k, const double *A,
                       const double *B, double *C);
// C = A B^T where that is symmetric: A, B m x k.
void matrix_gram(const arne_robot *robot, int m, int k, const double *A, const double *B,
                 double *C);
// X (m x n) <- (L L^T)^-1 X, with L of dense_factor.
void matrix_solve_rows(const arne_robot *robot, int m, int n, const double *L, double *X);

#endif

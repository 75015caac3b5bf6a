// Optimal control over a horizon of N knots, for control loops: multiple shooting, a Riccati
// recursion, one block of memory.
//
//     minimise   sum over k < N of h l_k(x_k, u_k) + l_N(x_N)
//     where      x_k+1 = f(x_k, u_k),  x = (q, qd),  x_0 is measured
//                lower <= u_k <= upper, and bounds on quantities of any knot
//
// Symplectic Euler: qd+ = qd + h a, q+ = q (+) h qd+, with a = M^-1 (B u - c), or a = u where
// accelerations are the controls: torques are then quantities. RK4: the classical
// tableau with q (+) step for positions; for ball, planar and free joints its order is 2.
// Costs l are halves of weighted squares of quantities, or functions of the caller.
//
// Method: feasibility-driven differential dynamic programming (Mastalli et al. 2020). States may
// start anywhere; gaps f(x_k, u_k) (-) x_k+1 close with the steps of the line search. Bounds of
// controls: a box-constrained quadratic program at each knot (Tassa et al. 2014). All other bounds:
// an augmented Lagrangian. docs/theory/optimal-control.md has the equations.
//
// The dynamics are those of the robot, with friction and rotors unless it is built without. Coulomb
// friction jumps at rest, where derivatives do not see it: searches stall there. Build the robot
// with no_friction, or with viscous friction only.
//
// A solver belongs to one thread, and may start others (`threads`); two solvers are independent.
// Nothing is allocated after arne_oc_new; arne_oc_place does not allocate at all.
#ifndef ARNE_OPTIMAL_CONTROL_H
#define ARNE_OPTIMAL_CONTROL_H

#include <arne/robot.h>
#include <stddef.h>

typedef enum arne_oc_integrator {
    ARNE_OC_EULER,
    ARNE_OC_RK4,
    ARNE_OC_INTEGRATOR_COUNT
} arne_oc_integrator;

// What a term weighs or bounds. n = v_count; (-) is arne_difference.
typedef enum arne_oc_quantity {
    ARNE_OC_STATE,    // q (-) reference, qd - reference: 2 n rows; reference: q, qd
    ARNE_OC_CONTROL,  // u - reference: control_count rows
    ARNE_OC_RATE,     // (u_k - u_k-1) / h - reference: control_count rows; running only
    ARNE_OC_POSE,     // log of (reference pose)^-1 times the pose of a frame: 6 rows, linear first;
                      // reference: 12 numbers, the columns of R, then p
    ARNE_OC_POSITION, // R^T (position of a frame - p): 3 rows; reference: 12 numbers, as above
    ARNE_OC_VELOCITY, // twist of a frame in the world's axes at its origin - reference: 6 rows
    ARNE_OC_COM,      // centre of mass - reference: 3 rows
    ARNE_OC_MOMENTUM, // momentum - reference: 6 rows, linear, angular about the centre of mass
    ARNE_OC_WRENCH,   // wrench of a joint - reference: 6 rows; running only
    ARNE_OC_FORCE,    // force on a frame that stands, in the world's axes, - reference: 3 rows;
                      // zero where it does not stand; running only
    ARNE_OC_FRICTION, // mu f_n - |f_t| of such a frame, as a bound only: at least `lower`, one
                      // number. Its multipliers have 3 rows; reference: mu and the normal, NULL: 1
                      // and (0, 0, 1); running only
    ARNE_OC_RESIDUAL, // rows of a function of the caller
    ARNE_OC_COST,     // a function of the caller with gradient and Hessian; no bounds
    ARNE_OC_TORQUE,   // torques of the coordinates of arne_oc_drives - reference, a row for each;
                      // running only
    ARNE_OC_QUANTITY_COUNT
} arne_oc_quantity;

// A knot as a function of the caller sees it. u is NULL at the end.
typedef struct arne_oc_knot {
    int           knot;
    const double *q, *qd, *u;
} arne_oc_knot;

// Residuals of ARNE_OC_RESIDUAL. J: rows x (2 v_count + control_count), row-major, derivatives
// along q, qd and u; it is zero before the call, and NULL where only values are wanted.
// Nonzero: the residuals do not exist here; the step is shortened.
typedef int (*arne_oc_residual_fn)(void *context, const arne_oc_knot *at, double *r, double *J);
// The cost of ARNE_OC_COST with its gradient (2 v_count + control_count) and Hessian (square,
// row-major, both triangles); both zero before the call, and NULL where only the value is wanted.
typedef int (*arne_oc_cost_fn)(void *context, const arne_oc_knot *at, double *value,
                               double *gradient, double *hessian);

// A cost 1/2 weight sum of weights_i r_i^2, or bounds lower_i <= r_i <= upper_i, or both.
// Arrays stay the caller's: they are read during arne_oc_solve and arne_oc_step, so that a target
// that moves is written there between steps. Strides count numbers from one knot to the next; 0:
// the same for all knots. The array of a running term starts with knot 0.
typedef struct arne_oc_term {
    arne_oc_quantity quantity;
    int              index;       // of the frame or joint
    int              at_end;      // 1: at knot N, not times h; 0: at knots before, times h
    int              first, last; // running: the first and the last knot; 0, 0: all
    int              wrap;    // STATE: differences of continuous joints are wrapped to (-pi, pi]
    double           weight;  // 0: no cost (COST: 0 means 1)
    const double    *weights; // per row; NULL: ones
    ptrdiff_t        weights_stride;
    const double    *reference; // NULL: zeros, the neutral configuration, the identity
    ptrdiff_t        reference_stride;
    const double    *lower, *upper; // per row, infinite where there is none; NULL: none. Equal: an
                                    // equality
    ptrdiff_t           bounds_stride;
    int                 rows; // of RESIDUAL
    arne_oc_residual_fn residual;
    arne_oc_cost_fn     cost;
    void               *context;
} arne_oc_term;

// A frame that stands: its origin does not move; full: nor does it turn.
typedef struct arne_oc_contact {
    int frame;
    int full;
} arne_oc_contact;

// Which frames stand from a knot on, until the next phase. impact: those of this phase touch the
// ground at its beginning, without bouncing: their velocity is zero from then on. arne_oc_schedule
// gives the knots other phases.
typedef struct arne_oc_phase {
    int                    first;
    int                    impact;
    const arne_oc_contact *contacts;
    int                    contact_count;
} arne_oc_phase;

// What u is. Accelerations make the step linear for joints whose coordinates add: the dynamics are
// then torques M a + c, which costs weigh and bounds limit, and zero torques of what nothing
// drives, a bound that is added. v_count controls; without `actuation` and contacts.
typedef enum arne_oc_control_kind {
    ARNE_OC_BY_TORQUE,
    ARNE_OC_BY_ACCELERATION,
    ARNE_OC_CONTROL_KIND_COUNT
} arne_oc_control_kind;

typedef struct arne_oc_problem {
    size_t             size;  // of this struct, or 0: see arne/types.h
    const arne_robot  *robot; // must outlive the solver
    int                knots; // N
    double             step;  // h, s
    arne_oc_integrator integrator;
    // B: tau = B u, v_count x control_count, row-major. NULL: a control for each coordinate that is
    // driven: not those of a free base, of passive joints, and of joints behind springs, whose
    // motors are driven.
    const double       *actuation;
    int                 control_count;                 // columns of B
    const double       *control_lower, *control_upper; // NULL: none
    const arne_oc_term *terms;
    int                 term_count;
    // Contacts, in phases with rising first knots, of which the first is 0; those from knot N on
    // wait for arne_oc_schedule. None: no contact. What
    // stands is accelerated by -contact_damping times its velocity (1/s), so that it does not
    // drift.
    const arne_oc_phase *phases;
    int                  phase_count;
    double               contact_damping;
    arne_oc_control_kind control_kind;
    // Derivatives of knots are found by so many threads, which arne_oc_new starts; arne_oc_place
    // starts none. 0: 1. No number depends on it.
    int threads;
} arne_oc_problem;

// The Hessian of the Lagrangian in the Riccati recursion.
typedef enum arne_oc_hessian {
    ARNE_OC_AUTO,         // Gauss-Newton, and exact near the optimum
    ARNE_OC_GAUSS_NEWTON, // squares of first derivatives
    ARNE_OC_EXACT         // with second derivatives of dynamics and quantities
} arne_oc_hessian;

// Seconds, from any start.
typedef double (*arne_oc_clock)(void *context);

typedef struct arne_oc_options {
    size_t          size;       // of this struct, or 0: see arne/types.h
    int             iterations; // 0: 500 for arne_oc_solve, 1 for arne_oc_step
    arne_oc_hessian hessian;
    // Converged: the largest entry of the projected gradient of the Lagrangian with respect to
    // controls, the largest gap, the largest violated bound, and the decrease of the cost that the
    // next step promises, as a part of the cost. 0: 1e-9, 1e-9, 1e-8, 1e-10.
    double tolerance, gap_tolerance, bound_tolerance, cost_tolerance;
    // Added to the diagonals of Q_uu and V_xx: at first, at least and at most. 0: 1e-9, 1e-9, 1e9.
    double regularisation, least_regularisation, most_regularisation;
    double penalty; // of the augmented Lagrangian at first, times h where terms run; 0: of each
                    // term by how far costs and dynamics let its quantity move
    // Not called if NULL. Where it is given and `deadline` is positive: arne_oc_solve and
    // arne_oc_step end before the clock shows `deadline`, as far as they can tell: the longest
    // iteration so far must still fit.
    arne_oc_clock clock;
    void         *clock_context;
    double        deadline;
    arne_stop_fn  stop; // asked once an iteration; NULL: never stopped
    void         *stop_context;
    // Of the line search of an iteration, at most, each with half the step of the one before; 0: 10
    // for arne_oc_solve, 5 for arne_oc_step, whose next tick tries again.
    int trials;
} arne_oc_options;

typedef enum arne_oc_outcome {
    ARNE_OC_CONVERGED,
    ARNE_OC_ITERATIONS, // the number of iterations is used up
    ARNE_OC_STALLED,    // no step decreases the merit function at the largest regularisation
    ARNE_OC_DEADLINE,   // the time is up
    ARNE_OC_STOPPED,    // stopped by the caller
    ARNE_OC_OUTCOME_COUNT
} arne_oc_outcome;

typedef struct arne_oc_result {
    arne_oc_outcome outcome;
    int             iterations; // Riccati recursions with their line search
    int             rejected;   // those of which no step was taken
    int             exact;      // iterations with the exact Hessian
    int             trials;     // of the line search
    double          cost;       // without penalties
    double          gradient;   // largest entry of the projected gradient, at the last recursion
    double          gap;        // largest entry
    double          violation;  // of bounds that are not those of controls
    double          expected;   // decrease that the last recursion promised for a whole step
    double          step;       // length of the last step, 0: none was taken
    double          regularisation, penalty;
    double          derivative_time, riccati_time, search_time; // s; 0 without a clock
} arne_oc_result;

typedef struct arne_oc arne_oc;

ARNE_BEGIN

// The bytes of a solver, 0 if the problem is wrong (error says why); a solver in such a block,
// which must be aligned to 64 bytes. Terms and bounds of controls are copied, arrays of terms are
// not.
ARNE_API size_t                   arne_oc_size(const arne_oc_problem *problem, arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_oc_place(const arne_oc_problem *problem, void *memory,
                                                arne_oc **out, arne_error *error);
// Allocates and frees such a block.
ARNE_API ARNE_CHECKED arne_status arne_oc_new(const arne_oc_problem *problem, arne_oc **out,
                                              arne_error *error);
ARNE_API void                     arne_oc_free(arne_oc *oc);

// The coordinates that the controls of a problem without `actuation` act on: their number. out may
// be NULL.
ARNE_API int arne_oc_drives(const arne_robot *robot, int *out);

// tau (v_count) of controls at a state: B u, or inverse dynamics at the accelerations u.
ARNE_API void arne_oc_torques(arne_oc *oc, const double *q, const double *qd, const double *control,
                              double *tau);

// The number of controls, and that of the columns of a gain: tangents of q and qd and, with
// ARNE_OC_RATE, the control before.
ARNE_API int arne_oc_control_count(const arne_oc *oc);
ARNE_API int arne_oc_state_count(const arne_oc *oc);

// Where the search starts: states (N + 1 rows of q, qd) and controls (N rows). NULL: at each solve
// all states are the measured one; controls are zero. Multipliers of bounds become zero.
ARNE_API ARNE_CHECKED arne_status arne_oc_start(arne_oc *oc, const double *states,
                                                const double *controls, arne_error *error);
// The control before the first, for ARNE_OC_RATE. Zero at first; arne_oc_step keeps what it gave.
ARNE_API void arne_oc_set_previous(arne_oc *oc, const double *control);

// Which phase each knot is in from now on: N indices of phases; `before`: that of the step before
// knot 0, -1: none. A knot whose phase is another than that of the step before begins with its
// impact. For receding horizons, whose phases come nearer. Nothing happens without phases.
ARNE_API ARNE_CHECKED arne_status arne_oc_schedule(arne_oc *oc, const int *phase_of_knot,
                                                   int before, arne_error *error);

// Solves from the state q, qd. The next solve starts where this one ended.
//
// options, result  may be NULL
// Returns ARNE_OK if converged; ARNE_NOT_CONVERGED if iterations are used up or no step helps;
// ARNE_STOPPED if time is up or the caller stopped it. In all these cases the best iterate is kept.
// ARNE_VALUE: a number of the state or of a reference is not finite; nothing has changed.
ARNE_API ARNE_CHECKED arne_status arne_oc_solve(arne_oc *oc, const double *q, const double *qd,
                                                const arne_oc_options *options,
                                                arne_oc_result *result, arne_error *error);

// One tick of receding horizon control: shifts the solution by `elapsed` seconds (at most one
// knot), rolls it out from the measured state, and improves it by a fixed number of iterations.
//
// control  u_0 (control_count); gain (may be NULL): K, control_count x state_count, row-major: near
//          the measured state the optimal control is control + K (x (-) measured x)
// Returns ARNE_OK also if not converged; ARNE_STOPPED if the deadline came first: control is then
// that of the best iterate.
ARNE_API ARNE_CHECKED arne_status arne_oc_step(arne_oc *oc, const double *q, const double *qd,
                                               double elapsed, const arne_oc_options *options,
                                               double *control, double *gain,
                                               arne_oc_result *result, arne_error *error);

// The solution; the arrays belong to the solver. states: N + 1 rows of q, qd. controls: N rows.
// gains: N matrices, control_count x state_count.
ARNE_API const double *arne_oc_states(const arne_oc *oc);
ARNE_API const double *arne_oc_controls(const arne_oc *oc);
ARNE_API const double *arne_oc_gains(const arne_oc *oc);
// Multipliers of the bounds of a term: a row for each of its knots; NULL if it has no bounds.
ARNE_API const double *arne_oc_multipliers(const arne_oc *oc, int term);

// "converged", "iterations", "stalled", "deadline", "stopped".
ARNE_API const char *arne_oc_outcome_name(arne_oc_outcome outcome);

ARNE_END

#endif

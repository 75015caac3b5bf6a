// What a plan is made of.
//
// The variables x are the control points, coordinate after coordinate, and T last where it is
// free. At an instant u = t/T they give z = (y, dy/dt, d2y/dt2, d3y/dt3) of the planned
// coordinates y, PLAN_ORDERS * n numbers: column k n + j is the k-th derivative of coordinate j.
// Quantities are functions of z alone (and of u); assemble.c knows how z depends on x. With a map
// (path.c) the robot's coordinates q are functions of fewer planned ones; quantities speak of the
// robot's, and plan_state.c carries their gradients over.
//
// A motion may have several phases, each with splines and a duration of its own; u is then the
// part of the phase. Contacts (plan_contact.c) add planned coordinates after the robot's: the
// components of their forces, whose splines are two degrees lower, as accelerations are.
// Activations of muscles that drive (plan_muscle.c) come next, with the same splines. So n =
// v_count + force_count, and quantities of the robot keep columns of v_count.
//
// To add a quantity from elsewhere: fill a plan_quantity with functions of your own, give it to
// plan_add, and use the index in constraints and objectives as any other. Everything it computes
// once for several of its rows belongs in one quantity with many rows.
#ifndef ARNE_PLAN_PROBLEM_PLAN_H
#define ARNE_PLAN_PROBLEM_PLAN_H

#include "plan/problem/pieces.h"
#include <arne/derivatives.h>
#include <arne/fatigue.h>
#include <arne/motion.h>
#include <arne/plan.h>
#include <stddef.h>
#include <stdio.h>

enum { PLAN_ORDERS = 4 };

typedef struct plan_quantity plan_quantity;
typedef struct plan_worker   plan_worker;
typedef struct plan_problem  plan_problem;

// What is true of all quantities of a kind.
enum {
    KIND_LINEAR = 1,        // in coordinates: no second derivatives
    KIND_COORDINATE = 2,    // a derivative of the coordinates themselves
    KIND_BY_COORDINATE = 4, // its rows are coordinates of the robot, once or twice
    KIND_OF_FRAME = 8,      // it needs a frame
    KIND_OF_DRIVES = 16,    // it depends on what drives the robot: with loops that is less
    KIND_ONCE = 32,         // all of the kind are the same quantity
    KIND_ONCE_A_JOINT = 64, // all of the kind with the same joint or contact are
    KIND_HAS_LIMITS = 128   // joints have limits of it
};

// A kind of quantity: a row of the table in plan_quantities.c.
typedef struct plan_kind {
    const char *name;
    int         rows;   // 0: one for each coordinate
    unsigned    orders; // bit k: it depends on k-th derivatives
    unsigned    flags;  // KIND_...
    int         order;  // of a derivative of coordinates: k
    int         unit;   // of its rows, for arne_joint_unit, where joints have limits of it
    int (*gradient)(const plan_quantity *, plan_state *, double *);
    void (*hessian)(const plan_quantity *, plan_state *, const double *);
    void (*by_forces)(const plan_quantity *, plan_state *, double *);
} plan_kind;
// NULL: there is no such kind.
const plan_kind *plan_kind_of(int kind);

struct plan_quantity {
    char             name[64];
    const plan_kind *kind; // NULL: of none of the kinds
    int              rows;
    unsigned         orders;  // bit k: it depends on k-th derivatives
    int              linear;  // no second derivatives
    int              planned; // the gradient is by planned coordinates already (matters with a map)
    int              built_in; // values.k.h knows it in complex numbers too
    arne_quantity    what;     // its arrays belong to the plan
    void            *data;     // of the others
    int              scratch;  // numbers that it wants in s->at->own
    int              alone;    // it cannot be asked by two threads at a time
    int tied; // its rows are velocities that are to be zero: those of joints are its size
    void (*release)(void *data); // NULL: data is not ours
    // Returns 0, or nonzero where there is no such number (the step is then shortened).
    int (*values)(const plan_quantity *, plan_state *, double *out);
    // rows x PLAN_ORDERS v_count in the robot's coordinates, zero on entry. Called after `values`
    // at the same state.
    int (*gradient)(const plan_quantity *, plan_state *, double *out);
    // With contacts: adds the columns of forces, in rows of PLAN_ORDERS n. NULL: there are none.
    void (*by_forces)(const plan_quantity *, plan_state *, double *out);
    // Adds the sum of lambda_i times the gradient of row i to out (PLAN_ORDERS v_count), where that
    // is cheaper than all gradients; NULL: by `gradient`. Called without `values` before.
    int (*against)(const plan_quantity *, plan_state *, const double *lambda, double *out);
    // Adds the sum of lambda_i times the second derivatives of row i to the state's Hessian, by
    // plan_curve and plan_curve_torque. NULL: differences of the gradient.
    void (*hessian)(const plan_quantity *, plan_state *, const double *lambda);
    // rows x PLAN_ORDERS v_count flags, zero on entry: what can be nonzero. NULL: all columns of
    // `orders`.
    void (*pattern)(const plan_quantity *, const plan_problem *, unsigned char *out);
};

// What is known at one instant, by one thread at a time; filled when first asked for, forgotten
// when x changes.
struct plan_state {
    const plan_problem *problem;
    int                 phase;
    const arne_robot   *robot;               // with what it carries in this phase
    arne_work          *work;                // of that robot
    plan_worker        *at;                  // memory of the thread that looks at it
    double              u, T;                // of the phase
    double             *z;                   // of the planned coordinates
    double             *q, *qd, *qdd, *qddd; // of the robot; z itself where there is no map
    double  *carry; // with a map: how these depend on z, PLAN_ORDERS v_count x PLAN_ORDERS n
    double  *tau, *tau_q, *tau_v, *M; // torques and how they depend on q, qd, qdd (see plan_own)
    double  *tau_f;                   // on forces: v_count x force_count
    double **value,
        **gradient;       // of each quantity that is needed here, else NULL; in planned coordinates
    unsigned char *fresh; // of each quantity: FRESH_VALUE, FRESH_GRADIENT
    unsigned       have;  // HAVE_...
    double        *block;
    arne_wrench   *f_ext; // of wrenches that are fixed in frames; NULL: there are no wrenches
    arne_load     *loads; // the same, load_count of them
    int            load_count;
};
enum { FRESH_VALUE = 1, FRESH_GRADIENT = 2 };
enum { KNOWN_NOTHING, KNOWN_VALUES, KNOWN_GRADIENTS };
enum { HAVE_TORQUES = 1, HAVE_TORQUE_DERIVATIVES = 2, HAVE_CARRY = 4, HAVE_CARRY_RATES = 8 };

// What a thread needs while it looks at states.
struct plan_worker {
    arne_work **works;                     // of the robot of each phase
    double     *H, *lambda_tau;            // second derivatives by z, and of which torques
    double     *second, *row, *by_T, *own; // scratch
    double     *matrices;                  // scratch of quantities: 6 v_count^2 + 33 v_count
    double     *muscles;                   // scratch of plan_muscle.c
    double    **lambda_of;                 // the multipliers of each quantity at one point
    plan_state  moved;                     // for differences
};

// What is planned. Const once it is complete: plan_complete adds what phases and contacts ask for.
struct plan_problem {
    const arne_robot *robot;
    arne_robot       *own_robot;   // the same, where the plan read it
    arne_robot       *shown_robot; // as the file has it, for results
    arne_work        *work;
    int               v_count, n;   // coordinates of the robot, and planned ones
    plan_map          map;          // n = 0: none
    int              *planned_from; // with loops: the robot's coordinate of each planned one
    int               degree, free_time;
    plan_phase       *phases;
    int               phase_count, wrench_count;
    plan_touch       *touches;
    // Planned coordinates after the robot's: three for each contact that is not compliant
    // (held_count), one for each muscle that drives.
    int               touch_count, held_count, muscle_count, force_count;
    plan_wrench      *wrenches;
    unsigned char    *follows;   // of each frame: see geometry_mark_following
    plan_strength   **strengths; // of each coordinate; NULL: none
    int               complete;
    arne_plan_options options;
    double            time_weight;

    plan_quantity   *quantities;
    plan_constraint *constraints;
    plan_objective  *objectives;
    int              quantity_count, constraint_count, objective_count;
    int              quantity_room, constraint_room, objective_room;
    plan_prescribed *prescribed;                          // of each planned coordinate
    double          *coordinate_lower, *coordinate_upper; // of its control points

    // As the problem file says:
    char              *title, *path, *robot_path;
    char              *robot_said; // the robot's file as the problem file names it
    int                robot_line;
    arne_solve_options solver;
    int                snapshots, samples;
    plan_published     published;
    double             scale[2]; // of the robot's lengths and masses; 0 or 1: as its file says
    plan_module        module;
    arne_fatigue      *fatigue;    // rates of every coordinate; NULL: none
    int                repeat;     // how often the task is done
    double             rest;       // between, s
    int                look_first; // check limits against postures before the first search
};

// A problem on a grid, as solvers want it: variables x with bounds, rows with bounds, sparsity
// patterns. Const after plan_program_new, but for the memory with which it is evaluated.
typedef struct plan_program {
    const plan_problem *problem;
    int                 n, v_count, degree, phase_count, force_count, free_time; // as there
    double              time; // T, where it is no variable
    int                 m;    // control points of a coordinate, of all phases
    plan_phase         *phases;
    plan_constraint    *constraints; // copies with their places on this grid
    plan_objective     *objectives;
    int                 x_count, row_count;
    double             *x_lower, *x_upper, *row_lower, *row_upper, *row_scale;
    plan_point         *points;
    int                 point_count, point_room;
    unsigned char     **patterns; // of each quantity, rows x PLAN_ORDERS n
    int                 jacobian_count, hessian_count;
    int                *jacobian_start; // of each constraint at each of its points, in that order
    unsigned char      *still;          // of each variable: it is fixed, and has no entries
    int                *hessian_at; // n x n x m x (2 degree + 1): position of an entry, -1: none
    int                *hessian_T;  // x_count: position of the entries of T's row
    unsigned char      *coupled;    // n x n
    int (*pairs)[2]; // of coordinates that are coupled, the second not beyond the first
    int  pair_count, order_count; // derivatives that anything depends on
    int  block_size, block_count;
    int *quantity_start; // of each quantity's rows in the multipliers of a point

    // Evaluation:
    int            threads; // that were wanted
    plan_state    *states;  // one for each point
    plan_state     between; // for instants that are no points
    plan_worker   *workers; // of each thread; the first is the caller's
    int            worker_count;
    int            known; // of all points: KNOWN_...
    struct pool   *pool;
    unsigned char *bad;    // of each point: there is no such number
    double        *blocks; // what points add to the Hessian
    double        *lambda; // multipliers of all rows of all quantities at all points
} plan_program;

// A motion, and the program that it is a motion of.
typedef struct plan_solution {
    plan_grid        grid;
    plan_program    *program;     // NULL: not made yet
    double          *x;           // n m control points, and the duration of each phase
    double          *multipliers; // of rows, of lower and of upper bounds of x; NULL: none
    int              multiplier_count;
    arne_plan_status status;
} plan_solution;

struct arne_plan {
    plan_problem       problem;
    plan_solution      now;   // where a search starts, then what it found
    arne_plan_found   *found; // from several starts
    int                found_count;
    arne_plan_step     steps[12]; // of a search that doubles spans
    int                step_count, forbidden_count;
    plan_excess        forbidden[PLAN_FORBIDDEN]; // limits that no motion was found within
    struct arne_table *log;                       // of iterations
    struct run_folder *place;      // of its results, where arne_plan_reserve has taken one
    int                resumes;    // what is beside it
    char              *robot_copy; // the robot's file in that folder
};

// ---- plan.c

// Takes the quantity over, with its data.
ARNE_CHECKED arne_status plan_add(plan_problem *p, const plan_quantity *quantity, int *out,
                                  arne_error *error);
ARNE_CHECKED arne_status plan_add_quantity(plan_problem *p, const arne_quantity *quantity, int *out,
                                           arne_error *error);
ARNE_CHECKED arne_status plan_add_constraint(plan_problem *p, const arne_constraint *c,
                                             arne_error *error);
ARNE_CHECKED arne_status plan_add_objective(plan_problem *p, const arne_objective *o,
                                            arne_error *error);
// The problem changes: a program of it is no longer one. Returns it.
plan_problem *plan_change(arne_plan *plan);
// The name of a planned coordinate: of its joint, theta.JOINT of a motor, or `path`.
void plan_coordinate_name(const plan_problem *p, int coordinate, char *out, size_t size);

// Phases and contacts of a new plan.
typedef struct plan_parts {
    const arne_plan_phase   *phases;
    const arne_plan_contact *contacts;
    int                      phase_count, contact_count;
} plan_parts;
ARNE_CHECKED arne_status plan_new_parts(const arne_robot *robot, const arne_plan_options *options,
                                        const plan_map *map, const plan_parts *parts,
                                        arne_plan **out, arne_error *error);
// Contacts, copied and checked; the plan has its phases.
ARNE_CHECKED arne_status plan_new_touches(plan_problem *p, const plan_parts *parts,
                                          arne_error *error);

ARNE_CHECKED arne_status plan_new_mapped(const arne_robot *robot, const arne_plan_options *options,
                                         const plan_map *map, arne_plan **out, arne_error *error);

// ---- plan_run.c

void plan_release(arne_plan *p); // the place that was taken for its results

// ---- plan_grid.c

ARNE_CHECKED arne_status plan_grid_copy(const plan_problem *p, const plan_grid *from,
                                        plan_grid *out, arne_error *error);
void                     plan_grid_free(plan_grid *grid);
// Spans halved. All of them together not beyond GRID_CONTROL_POINTS.
int plan_grid_can_halve(const plan_problem *p, const plan_grid *grid, const unsigned char *which);
// which: of each span, phase after phase, whether it is halved; NULL: all.
ARNE_CHECKED arne_status plan_grid_halve(const plan_problem *p, const plan_grid *from,
                                         const unsigned char *which, plan_grid *out,
                                         arne_error *error);
// The grid that the options and the phases of the problem say.
ARNE_CHECKED arne_status plan_grid_first(const plan_problem *p, plan_grid *out, arne_error *error);
// Where the polynomials of a phase meet, from 0 to 1: one more than it has spans.
const double *plan_grid_breaks(const plan_problem *p, const plan_grid *grid, int phase);
// The part of its phase at which control point i acts most: the mean of its inner knots.
double plan_grid_place(int degree, int spans, const double *breaks, int i);
// The same as a part of the whole motion, of control point i of all phases. T: their durations.
double plan_control_place(const plan_problem *p, const plan_grid *grid, const double *T, int i);

// ---- plan_solution.c

// Variables of a motion on a grid: control points, and durations of phases.
static inline size_t plan_x_size(const plan_problem *p, const plan_grid *grid)
{
    return (size_t)p->n * (size_t)grid->m + (size_t)p->phase_count;
}
// Durations of the phases of a motion.
static inline double *plan_durations(const plan_problem *p, const plan_solution *s)
{
    return s->x + (size_t)p->n * (size_t)s->grid.m;
}
void plan_solution_free(plan_solution *s);
// The same motion, without multipliers; on a program of its own, which is made when asked for.
ARNE_CHECKED arne_status plan_solution_copy(const plan_problem *p, const plan_solution *from,
                                            plan_solution *out, arne_error *error);
// The same motion, which has a program, on a finer grid, which the solution takes over.
ARNE_CHECKED arne_status plan_solution_finer(const plan_problem *p, const plan_solution *from,
                                             plan_grid *grid, int threads, plan_solution *out,
                                             arne_error *error);
// Variables that are fixed take their values; multipliers of another program go.
void plan_solution_settle(plan_solution *s);
// Makes its program where it has none. threads: to evaluate with; -1: as it is.
ARNE_CHECKED arne_status plan_solution_ready(const plan_problem *p, plan_solution *s, int threads,
                                             arne_error *error);
// The plan's own, with a problem that is complete.
ARNE_CHECKED arne_status plan_ready(arne_plan *plan, int threads, arne_error *error);

// ---- plan_program.c and bases.c

ARNE_CHECKED arne_status plan_program_new(const plan_problem *problem, const plan_grid *grid,
                                          int threads, plan_program **out, arne_error *error);
void                     plan_program_free(plan_program *p);
// Fills first, basis and force of a point whose phase and u are known.
void plan_bases(const plan_program *p, plan_point *at);
// Where a collocated equality is held between the ends: how many places, and t/T of each.
int                      plan_inner_points(const plan_program *p, const plan_constraint *c);
double                   plan_inner_point(const plan_program *p, const plan_constraint *c, int i);
ARNE_CHECKED arne_status plan_state_new(const plan_problem *p, plan_worker *at, plan_state *s,
                                        const unsigned char *needed);
void                     plan_state_free(plan_state *s);

// ---- workers.c

// Threads and their memory; 0 where there is none.
int  plan_make_workers(plan_program *p);
void plan_drop_workers(plan_program *p);
// A state that a worker looks at from now on.
void plan_take(plan_state *s, plan_worker *worker);
// Does something to every one of `count` pieces, by all threads. Who does it leaves no trace.
typedef void (*plan_piece)(plan_program *p, plan_worker *worker, int piece, void *context);
void plan_share(plan_program *p, int count, plan_piece piece, void *context);
// Values, or gradients too, of all quantities at all points where they are needed. Nonzero: one
// has no such number.
int plan_know(plan_program *p, int what);

// ---- patterns.c: 0 where there is no memory

int plan_make_patterns(plan_program *p);
int plan_make_hessian(plan_program *p);

// ---- plan_state.c

// z of all points from x; what the states knew is forgotten.
void plan_set(plan_program *p, const double *x);
// A state at any instant.
void plan_place(plan_program *p, plan_state *s, int phase, double u, const double *x);
// With T the durations of phases: that of the whole motion; the phase, and the part of it, at the
// part u of the whole (at a border the later one counts); the part of the whole.
double plan_time(const plan_problem *p, const double *T);
int    plan_phase_at(const plan_problem *p, const double *T, double u, double *part);
double plan_part(const plan_problem *p, const double *T, int phase, double u);
// Puts z itself, for differences.
void plan_put(plan_state *s, int phase, double u, double T, const double *z);
// Values and gradients (in planned coordinates) of a quantity; NULL where there is no such number.
const double *plan_values(plan_state *s, int quantity);
const double *plan_gradient(plan_state *s, int quantity);
// Adds the sum of lambda_i times the gradient of row i to out (PLAN_ORDERS n). Nonzero: no such
// number.
int    plan_against(plan_state *s, int quantity, const double *lambda, double *out);
double plan_prescribed_at(const plan_prescribed *f, double t, int derivative);
// For quantities: torques and their derivatives in the state, computed once.
void plan_torques(plan_state *s);
void plan_torque_derivatives(plan_state *s);
// Columns of a row of a gradient of drives, PLAN_ORDERS times as many: with loops it is by planned
// coordinates.
static inline int plan_own(const plan_problem *p) { return p->planned_from ? p->n : p->v_count; }
// row += factor times the gradient of torque k, or of a derivative of coordinate k, after
// plan_torque_derivatives.
void plan_add_torque(const plan_state *s, int k, double factor, double *row);
void plan_add_coordinate(const plan_state *s, int order, int k, double factor, double *row);

// ---- hessian.c

// No second derivatives, also by what is planned.
int plan_is_linear(const plan_problem *p, const plan_quantity *q);

// The sum over quantities of multipliers times second derivatives at a state, into s->at->H
// (PLAN_ORDERS n square, symmetric). lambda[quantity] is NULL or has its rows.
int  plan_hessian(const plan_program *p, plan_state *s, double *const *lambda);
void plan_curve_torque(plan_state *s, int coordinate, double lambda);
// The second derivatives of lambda . tau alone, by columns of planned coordinates, into H
// (PLAN_ORDERS n square). scratch: v_count + 4 v_count^2 + 5 PLAN_ORDERS n.
void plan_torque_curve(plan_state *s, const double *lambda, double *H, double *scratch);
// Those of lambda . inverse dynamics under loads, as arne_second_derivatives gives them; of any
// robot. Uses s->at->matrices from 4 v_count^2 on.
void plan_second_derivatives(plan_state *s, const arne_load *loads, int load_count,
                             const double *lambda, double *qq, double *qv, double *vv, double *qa);
// Adds to H, on both sides of the diagonal: by columns of all planned coordinates, or of the
// robot's.
static inline void plan_curve_planned(plan_state *s, int column, int other, double value)
{
    const int all = PLAN_ORDERS * s->problem->n;
    s->at->H[column * all + other] += value;
    s->at->H[other * all + column] += value;
}

static inline void plan_curve(plan_state *s, int column, int other, double value)
{
    const int n = s->problem->n, v = s->problem->v_count;
    if (s->problem->force_count)
        plan_curve_planned(s, column / v * n + column % v, other / v * n + other % v, value);
    else
        plan_curve_planned(s, column, other, value);
}

// ---- plan_contact.c

// Forces of contacts in torques and their derivatives: s->tau and s->tau_q less J^T f, s->tau_f =
// -J^T.
void plan_contact_torques(plan_state *s);
void plan_contact_derivatives(plan_state *s);
// Second derivatives of the sum of s->at->lambda_tau times torques, as far as forces of contacts
// enter.
void plan_contact_curve(plan_state *s);
// Bounds of the control points of forces, as phases and contacts say.
void plan_contact_bounds(plan_program *p);
// What contacts and phases ask for: points that stay, forces inside cones, continuity. Once,
// before the first program is made.
ARNE_CHECKED arne_status plan_complete(plan_problem *p, int m, arne_error *error);
// Where a search starts: contacts that touch share the weight.
void plan_guess_forces(const plan_problem *p, plan_solution *s);
// The force of a contact as a quantity.
void plan_contact_quantity(const plan_problem *p, const arne_quantity *what, plan_quantity *out);
// The force of a contact in the world at the state; zero where it does not touch.
arne_vec3 plan_contact_force(plan_state *s, int contact);

// ---- plan_loads.c

// What a wrench is at a state: in the axes of the world, or of its frame.
arne_wrench plan_wrench_at(const plan_state *s, int wrench);
// How it changes with time, in the same axes.
arne_wrench plan_wrench_rate(const plan_state *s, int wrench);
// Fills the loads of a state; then its torques, their derivatives and second derivatives, as far
// as wrenches in the world enter.
void plan_wrench_loads(plan_state *s);
void plan_wrench_torques(plan_state *s);
void plan_wrench_derivatives(plan_state *s);
void plan_wrench_curve(plan_state *s);
// With which wrenches a quantity is not known, `changes`: of those over t/T. NULL: with all.
const char *plan_forbids_wrench(const plan_problem *p, arne_quantity_kind kind, int changes);
void        plan_free_loads(plan_problem *p);

// ---- plan_pushed.c: what contacts and wrenches add to the wrench of a joint

int plan_is_pushed(const plan_problem *p);
// out (6) += the wrench itself.
void plan_pushed_wrench(plan_state *s, int joint, double *out);
// out (6 rows of PLAN_ORDERS v_count) += its derivatives by q.
void plan_pushed_gradient(plan_state *s, int joint, double *out);
// out (6 rows of PLAN_ORDERS n) = its derivatives by forces.
void plan_pushed_by_forces(plan_state *s, int joint, double *out);

// ---- assemble.c: objective, constraints and derivatives of all x, as solvers want them. Nonzero:
// no such number.

// Where an absolute value is asked for without its smoothing: this part of the largest size in the
// motion as it stands. Returns how many such objectives there are.
int  plan_set_smoothing(plan_program *p, const double *x, double part);
int  plan_objective_value(plan_program *p, double *out);
int  plan_objective_gradient(plan_program *p, double *out);
int  plan_rows(plan_program *p, double *out);
void plan_jacobian_structure(plan_program *p, int *row, int *column);
int  plan_jacobian(plan_program *p, double *out);
void plan_hessian_structure(plan_program *p, int *row, int *column);
int  plan_lagrangian(plan_program *p, double factor, const double *multipliers, double *out);

// Whether a flag is true of the quantity's kind.
static inline int plan_quantity_is(const plan_quantity *q, unsigned flag)
{
    return q->kind && q->kind->flags & flag;
}
// The planned coordinate that is the robot's coordinate j, -1: none.
int plan_planned(const plan_problem *p, int j);

// ---- contradictions.c

// The least time that a problem file means where it says none, s.
#define PLAN_LEAST_TIME 1e-3
// Whether the time is free and is to be least, and nothing limits how fast the motion is.
int plan_is_unlimited(const plan_problem *p);
// Fails where two bounds cannot both hold.
ARNE_CHECKED arne_status plan_contradiction(const plan_problem *p, arne_error *error);

// ---- plan_quantities.c

ARNE_CHECKED arne_status plan_built_in(plan_problem *p, const arne_quantity *what,
                                       plan_quantity *out, arne_error *error);

// ---- values.c and complex.c: the same text

// The rows of a built-in quantity, from the robot's coordinates alone.
void plan_quantity_rows(const arne_robot *robot, const plan_state *s, const arne_quantity *what,
                        double *out);

#endif

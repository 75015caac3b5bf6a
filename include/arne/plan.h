// Planning: the motion of a robot with the least time, effort or another objective, within limits.
//
// A motion is a clamped B-spline in t/T for every coordinate; its control points, and the final
// time T if it is free, are the variables. Constraints are imposed at grid points; dynamics are
// included through inverse dynamics with exact derivatives. A plan consists of
//     quantities    numbers at one instant: positions, torques, the position of a frame, ...
//     constraints   bounds on a quantity, or on the difference of two, at some instants
//     objectives    weighted integrals of quantities, and time
// A plan needs a robot whose joints have one coordinate each: arne_planning_robot converts any
// robot.
#ifndef ARNE_PLAN_H
#define ARNE_PLAN_H

#include <arne/builder.h>
#include <arne/kinematics.h>
#include <arne/report.h>
#include <stddef.h>

typedef struct arne_plan arne_plan;

typedef struct arne_plan_options {
    size_t size;           // of this struct, or 0: see arne/types.h
    int    degree;         // of the splines, at least 2; 0: 3, or 4 if nothing drives a joint
    int    control_points; // of each coordinate, more than the degree; 0: 12
    double time;           // T, or its initial value if it is free
    double time_least, time_most; // both 0: T is fixed
    int    grid_points;           // evenly over the motion; 0: by per_span
    int    per_span;              // grid intervals between neighbouring knots; 0: 3
    int trapezoid; // integrals by the trapezoid rule on the grid; else by Gauss' rule, three points
                   // a span
    int all_driven; // torques may act on passive joints, and on joints that hang on the spring of a
                    // motor, too
    const unsigned char
        *driven; // v_count flags: torques may act there all the same; NULL: nowhere else
    // Muscles drive the robot (tendons are rigid): the torque of a coordinate that they move is
    // what they pull, and all torques below are what they leave to motors. reserves: v_count flags
    // of coordinates that have a motor besides; NULL: none.
    int                  muscles;
    const unsigned char *reserves;
} arne_plan_options;

typedef enum arne_quantity_kind {
    ARNE_QUANTITY_POSITION,     // of every coordinate (v_count rows)
    ARNE_QUANTITY_VELOCITY,     // likewise
    ARNE_QUANTITY_ACCELERATION, //
    ARNE_QUANTITY_JERK,         //
    ARNE_QUANTITY_TORQUE,       // of every coordinate
    ARNE_QUANTITY_TORQUE_RATE,  // their time derivatives
    ARNE_QUANTITY_POWER,        // tau qd of every coordinate
    ARNE_QUANTITY_WRENCH, // of a joint: fx fy fz mx my mz, |f|, |m| (8 rows), as arne_joint_wrench
    ARNE_QUANTITY_FRAME_POSITION, // of a point on a frame, in the world (3 rows)
    ARNE_QUANTITY_FRAME_ROTATION, // 2 tan(a/2) along the axis that turns target.R into the frame (3
                                  // rows)
    ARNE_QUANTITY_FRAME_VELOCITY, // of a point on a frame, and of the frame's turn, in the world (6
                                  // rows)
    ARNE_QUANTITY_HEIGHT,         // of a point on a frame above the plane (1 row)
    ARNE_QUANTITY_DISTANCE,       // between points on two frames (1 row)
    ARNE_QUANTITY_COM,            // the centre of mass in the world (3 rows)
    ARNE_QUANTITY_ZMP,            // the zero-moment point on the plane (3 rows)
    ARNE_QUANTITY_ZMP_INSIDE,     // how far it is inside each edge of a convex polygon (a row each)
    ARNE_QUANTITY_DEVIATION,      // position minus a reference (v_count rows)
    ARNE_QUANTITY_CONTACT_FORCE,  // on a contact, in the world (3 rows); `joint` is its number
    ARNE_QUANTITY_COM_VELOCITY,   // of the centre of mass in the world (3 rows)
    ARNE_QUANTITY_MOMENTUM, // linear, and angular about the centre of mass, in the world (6 rows)
    ARNE_QUANTITY_MECHANICAL_POWER, // the sum of tau qd over all coordinates (1 row)
    ARNE_QUANTITY_UTILISATION,      // torque divided by its limit: the strength at this angle and
                                    // velocity, or the limit of the robot (v_count rows)
    ARNE_QUANTITY_MARGIN,     // of every coordinate: how far its torque is below what is possible
                              // upwards, then downwards, over the largest that it can be (2 v_count
                              // rows)
    ARNE_QUANTITY_ACTIVATION, // of every muscle, where muscles drive the robot
    ARNE_QUANTITY_METABOLIC_POWER, // of all muscles together (1 row): arne_metabolic_rates with
                                   // excitations as activations and a smoothing of 0.05
    ARNE_QUANTITY_TORQUE_VECTOR,   // torques, but of three revolute joints in a row whose axes meet
                                   // at right angles the third counts across the first two: the
                                   // components of the moment between their bodies (v_count rows)
    ARNE_QUANTITY_KIND_COUNT
} arne_quantity_kind;

// A part of the motion with its own splines. Positions and velocities are continuous between
// phases.
typedef struct arne_plan_phase {
    const char *name;
    int         control_points;        // 0: as the options say
    double      time;                  // its duration, or the initial value if it is free
    double      time_least, time_most; // both 0: it is fixed
    int impact; // velocities jump where it begins, by impulses at the points that touch then
} arne_plan_phase;

// A point on a frame that touches a plane in some phases: it does not move while it touches, and
// the contact force is a spline inside the friction cone, which never pulls. Or (holds) it holds a
// point of another frame or of the world, with forces in any direction.
typedef struct arne_plan_contact {
    const char *name;
    int         frame;
    arne_vec3   point;
    arne_vec3   plane_point, plane_normal; // a normal of length 0: against gravity
    double      friction;
    int         holds;
    int         other_frame; // of what it holds; -1: the world
    arne_vec3   other_point;
    int continues;     // it touched before the motion begins: its height and rest there follow from
                       // elsewhere
    int        passes; // it may be behind the surface where it does not touch: there is another one
    int        smooth; // its force begins and ends at zero, and is continuous between phases
    const int *phases; // in which it touches; NULL: all
    int        phase_count;
    // Which coordinates are held in each of these phases: the sum of 1 for x, 2 for y, 4 for z.
    // NULL: all. Several points of a rigid foot need fewer conditions than three each.
    const unsigned char *stays;
    // Positive: the contact is compliant. It holds nothing and stays nowhere; its force is a
    // function of the motion (docs/problem-file.md has the law), always and in all phases.
    double    stiffness;      // N/m^1.5
    double    dissipation;    // s/m
    double    slip_velocity;  // at which friction reaches 71 % of its limit, m/s; 0: 0.05
    double    smoothing;      // over which depth the force begins, m; 0: 0.001
    arne_vec3 plane_velocity; // of the surface that a compliant contact touches, m/s
} arne_plan_contact;

// An external wrench on a frame, at a point of it: force and moment in the axes of the world, or of
// the frame. The table has `count` rows of seven numbers: t/T (increasing), fx fy fz mx my mz;
// values between rows are linear, and a single row is a constant.
typedef struct arne_plan_wrench {
    const char   *name;
    int           frame;
    arne_vec3     point;
    int           in_frame;
    const double *table;
    int           count;
    const int    *phases; // in which it acts; NULL: all
    int           phase_count;
    int           of_phase; // t/T is the part of each of these phases, not of the whole motion
} arne_plan_wrench;

// The greatest torque of a joint as a function of its angle and velocity. Tables have a row for
// each angle and a column for each velocity; with a count of 0 the torque does not depend on it. Or
// the torque-speed line of a motor: stall (1 - |qd|/no_load) while the torque drives, more while it
// brakes.
typedef struct arne_strength {
    const double *angles, *velocities; // rising
    int           angle_count, velocity_count;
    const double *torques;        // in the positive direction, not negative
    const double *opposite;       // in the negative one; NULL: torques at -qd
    int           cubic;          // between the points of the tables; else linear
    double        stall, no_load; // both 0: the tables
} arne_strength;

// Only the fields that the kind needs are read. Frame -1 is the world.
typedef struct arne_quantity {
    arne_quantity_kind kind;
    int                joint;
    int                frame, other_frame;
    arne_vec3          point, other_point; // in their frames
    arne_pose          target;
    arne_vec3          plane_point, plane_normal; // of the ground; a normal of length 0: (0, 0, 1)
    const arne_vec3   *corners; // of the polygon, in the plane, counter-clockwise seen from above
    int                corner_count;
    const double      *reference; // reference_count rows of v_count positions, evenly spaced in t/T
    int                reference_count;
} arne_quantity;

// A quantity of the caller: computes its rows at an instant u = t/T. z has positions, velocities,
// accelerations and jerks, v_count each. gradient (NULL: not needed) is rows x 4 v_count, zero on
// entry. Returns 0, or nonzero if the value does not exist; -1 for a call with a gradient means
// that there is no gradient, and differences are used.
typedef int (*arne_quantity_fn)(void *context, double u, const double *z, double *value,
                                double *gradient);

// Bounds lower <= left - factor right <= upper for every row of the constraint. Arrays have
// row_count entries.
typedef struct arne_constraint {
    const char   *name;
    arne_place    place;    // where it was asked for, for messages
    int           quantity; // as arne_plan_add_quantity gave it
    int           row_count;
    const int    *rows; // NULL: 0, 1, 2, ...
    const double *lower, *upper;
    double        from,
        to; // the grid points in this part of t/T; from > to: none. from = to: that instant
    int           other; // another quantity, or -1
    const int    *other_rows;
    const double *factors;  // NULL: 1
    double        other_at; // its instant t/T; negative: the same
    int phase, other_phase; // 1, 2, ...: instants are parts of that phase; 0: of the whole motion
} arne_constraint;

typedef enum arne_objective_shape {
    ARNE_OBJECTIVE_SQUARE,
    ARNE_OBJECTIVE_PLAIN,
    ARNE_OBJECTIVE_ABSOLUTE,
    ARNE_OBJECTIVE_POWER // |x|^power
} arne_objective_shape;

// The integral over time of the sum of weights[i] shape(row rows[i]); or that sum at one instant.
// ABSOLUTE is sqrt(x^2 + smooth^2) - smooth; smooth 0: a hundredth of the largest row, then smaller
// and smaller until the objective no longer changes.
typedef struct arne_objective {
    const char          *name;
    arne_place           place;
    int                  quantity;
    int                  row_count;
    const int           *rows; // NULL: 0, 1, 2, ...
    const double        *weights;
    arne_objective_shape shape;
    double               smooth;
    double               at;    // the instant t/T; negative: the integral
    int                  phase; // 1, 2, ...: of that phase only; 0: of the whole motion
    double               power; // of ARNE_OBJECTIVE_POWER, at least 2
    int                  mean;  // the integral over the motion is divided by its duration
} arne_objective;

// The current iteration. A callback that returns nonzero stops the search; the best motion so far
// is kept.
typedef struct arne_plan_progress {
    int         iteration, phase; // phase 1: feasibility, 2: the objective
    double      objective, violation, dual, barrier, step;
    const char *worst; // the name of the most violated constraint; NULL: none, or not known
} arne_plan_progress;
typedef int (*arne_plan_progress_fn)(void *context, const arne_plan_progress *progress);

typedef struct arne_solve_options {
    size_t size;              // of this struct, or 0: see arne/types.h
    double tolerance;         // of optimality, scaled; 0: 1e-8
    double violation;         // of constraints, in their units; 0: 1e-8
    int    iterations;        // at most, in each phase; 0: 500
    int    feasibility_first; // two phases: first any motion that satisfies all constraints
    int    smooth_first;      // likewise, but first the one of least acceleration
    int    warm;     // the start is near the optimum: multipliers of the last search, or of
                     // arne_plan_start_from, count
    int refine;      // at most so many rounds of refinement; 0: 8, negative: none. Spans are halved
                     // where an equality is missed, up to 400 control points of a coordinate
    double between;  // largest violation between grid points, relative to the bound; 0: 0.01
    double converge; // spans are doubled until the objective changes by less than this part; 0:
                     // not; negative: by less than its size, while there are at most 2000 variables
    const char           *log;      // a file for the output of Ipopt; NULL: none
    arne_plan_progress_fn progress; // NULL: none
    void                 *context;
    arne_stop_fn stop; // called before every evaluation; nonzero stops the search. NULL: none
    void        *stop_context;
    int threads; // that evaluate grid points; 0: one. Results do not depend on it. Plans along
                 // paths, of robots with loops and with callbacks use one
} arne_solve_options;

typedef enum arne_plan_status {
    ARNE_PLAN_UNSOLVED,
    ARNE_PLAN_OPTIMAL,
    ARNE_PLAN_ACCEPTABLE, // feasible, optimal to a looser tolerance
    ARNE_PLAN_INFEASIBLE, // no motion near the last one satisfies the constraints
    ARNE_PLAN_ITERATIONS, // the limit was reached
    ARNE_PLAN_INTERRUPTED,
    ARNE_PLAN_FAILED,
    ARNE_PLAN_STALLED, // all constraints are satisfied, but the search made no more progress
    ARNE_PLAN_BETWEEN  // satisfied at grid points, but violated between them after refinement
} arne_plan_status;

// Whether the motion satisfies all constraints: optimal, acceptable, or stalled.
static inline int arne_plan_is_complete(arne_plan_status status)
{
    return status == ARNE_PLAN_OPTIMAL || status == ARNE_PLAN_ACCEPTABLE ||
           status == ARNE_PLAN_STALLED;
}

typedef struct arne_plan_result {
    arne_plan_status status;
    double           T, objective;
    int              iterations; // of all phases and refinements
    double           violation;  // the largest, at grid points, in the constraint's unit
    double violation_between; // likewise between them, on ten points of each interval and at knots
    double part_between;      // the largest one over its bound: see arne_solve_options.between
    int    worst, worst_between;           // constraints, -1: none is violated
    double worst_time, worst_between_time; // s
    double solve_time;                     // s, wall clock
    int    variables, constraints, grid_points, refinements;
    double function_time,
        derivative_time; // s, of solve_time: in values, in derivatives; the rest is the solver's
    int converged; // 1: the objective changed by less than asked for when spans were doubled; 0:
                   // not asked; -1: no
    double change; // the last relative change
    int    jacobian_entries, hessian_entries; // that may be nonzero, of variables that are free
} arne_plan_result;

// One row of the table of a search with `converge`.
typedef struct arne_plan_step {
    int    control_points, iterations;
    double objective, solve_time;
} arne_plan_step;

ARNE_BEGIN

// The same robot with every ball, planar, universal and free joint as a chain of joints with one
// coordinate each: JOINT.x, .y, .z slide along the axes of the joint's frame, then JOINT.rz, .ry,
// .rx turn about z, y, x (R = Rz Ry Rx; of a universal joint .rx, then .ry; of a planar one .x, .y,
// .rz). A free or prescribed base is connected with the world in the same way.
ARNE_API ARNE_CHECKED arne_status arne_planning_robot(const arne_builder       *builder,
                                                      const arne_build_options *options,
                                                      arne_robot **out, arne_error *error);

// The robot must live as long as the plan. ARNE_UNSUPPORTED if a joint has several coordinates.
ARNE_API ARNE_CHECKED arne_status arne_plan_new(const arne_robot        *robot,
                                                const arne_plan_options *options, arne_plan **out,
                                                arne_error *error);
// A motion along a path: the curve through `count` points (v_count numbers each), from rest to
// rest, of degree 5 if there are enough points. Only the speed along the curve is planned;
// constraints and objectives are as in any plan.
ARNE_API ARNE_CHECKED arne_status arne_plan_new_on_path(const arne_robot        *robot,
                                                        const arne_plan_options *options, int count,
                                                        const double *points, arne_plan **out,
                                                        arne_error *error);
// A motion in phases, with contacts. With contacts, splines need degree 3 or more. Robots with
// loops can have neither phases nor contacts.
ARNE_API ARNE_CHECKED arne_status arne_plan_new_in_phases(
    const arne_robot *robot, const arne_plan_options *options, const arne_plan_phase *phases,
    int phase_count, const arne_plan_contact *contacts, int contact_count, arne_plan **out,
    arne_error *error);
// A problem file (docs/problem-file.md); its robot is read too, and belongs to the plan.
// options->fail is called for all mistakes; error has the first.
ARNE_API ARNE_CHECKED arne_status arne_plan_read(const char               *path,
                                                 const arne_build_options *options, arne_plan **out,
                                                 arne_error *error);
// The same from memory; name is used as the file name in messages, and other files are found
// relative to its folder.
ARNE_API ARNE_CHECKED arne_status arne_plan_read_yaml(const char *text, size_t size,
                                                      const char               *name,
                                                      const arne_build_options *options,
                                                      arne_plan **out, arne_error *error);
ARNE_API void                     arne_plan_free(arne_plan *plan);
ARNE_API const arne_robot        *arne_plan_robot(const arne_plan *plan);

// Adds a quantity of the library, or a function of the caller: *out is its number, which
// constraints and objectives refer to.
ARNE_API ARNE_CHECKED arne_status arne_plan_add_quantity(arne_plan           *plan,
                                                         const arne_quantity *quantity, int *out,
                                                         arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_plan_add_callback(arne_plan *plan, const char *name,
                                                         int rows, arne_quantity_fn fn,
                                                         void *context, int *out,
                                                         arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_plan_add_constraint(arne_plan             *plan,
                                                           const arne_constraint *constraint,
                                                           arne_error            *error);
ARNE_API ARNE_CHECKED arne_status arne_plan_add_objective(arne_plan            *plan,
                                                          const arne_objective *objective,
                                                          arne_error           *error);
// The name of a constraint, by its number in an arne_plan_result; "" if there is none.
ARNE_API const char *arne_plan_constraint_name(const arne_plan *plan, int constraint);
// Adds an external wrench. ARNE_UNSUPPORTED with quantities that do not include it: the zero-moment
// point, and torque rates along a path or if the wrench varies over a free time.
ARNE_API ARNE_CHECKED arne_status arne_plan_add_wrench(arne_plan              *plan,
                                                       const arne_plan_wrench *wrench,
                                                       arne_error             *error);
// A mass on a frame in some phases (0, 1, ...): it is picked up when they begin and set down when
// they end. It takes on the velocity of the frame without a jump. ARNE_UNSUPPORTED for robots with
// loops: use arne_robot_attach, which adds it for the whole motion.
ARNE_API ARNE_CHECKED arne_status arne_plan_add_payload(arne_plan *plan, int frame,
                                                        const arne_payload *payload,
                                                        const int *phases, int phase_count,
                                                        arne_error *error);
// Sets the strength of the joint of a coordinate, for ARNE_QUANTITY_UTILISATION and
// ARNE_QUANTITY_MARGIN.
ARNE_API ARNE_CHECKED arne_status arne_plan_set_strength(arne_plan *plan, int coordinate,
                                                         const arne_strength *strength,
                                                         arne_error          *error);
// For every coordinate (v_count numbers): the greatest ratio of torque to its limit (strength or
// limit of the drive) along the current motion, and when it occurs [s]. 0 if there is no limit.
ARNE_API ARNE_CHECKED arne_status arne_plan_utilisation(arne_plan *plan, double *most, double *time,
                                                        arne_error *error);
// Adds the objective weight T.
ARNE_API void arne_plan_add_time(arne_plan *plan, double weight);
// The force on a contact at t/T = u, in the world; contacts have the order in which they were
// given.
ARNE_API arne_vec3 arne_plan_contact_force(arne_plan *plan, double u, int contact);
// Makes a coordinate a given function of time: the sum of polynomial[i] t^i, i < count, and
// amplitude sin(frequency t + phase).
ARNE_API ARNE_CHECKED arne_status arne_plan_prescribe(arne_plan *plan, int coordinate,
                                                      const double *polynomial, int count,
                                                      double amplitude, double frequency,
                                                      double phase, arne_error *error);
// Sets bounds on all control points of a coordinate.
ARNE_API void arne_plan_bound(arne_plan *plan, int coordinate, double lower, double upper);
// Sets the start of the search: control points (one coordinate after the other), or a straight
// line.
ARNE_API void arne_plan_start(arne_plan *plan, const double *control_points, double T);
ARNE_API void arne_plan_start_line(arne_plan *plan, int coordinate, double from, double to);

// Whether there is a solver: ARNE_UNSUPPORTED, with a text that says what to install, if the module
// libarne_ipopt.so cannot be loaded.
ARNE_API ARNE_CHECKED arne_status arne_plan_available(arne_error *error);

// Searches for the best motion. ARNE_UNSUPPORTED if there is no solver, ARNE_NO_MEMORY also if the
// solver runs out of memory, ARNE_NOT_CONVERGED if no motion satisfies the constraints: error then
// says which are violated and by how much. The best motion found stays in the plan in any case.
ARNE_API ARNE_CHECKED arne_status arne_plan_solve(arne_plan                *plan,
                                                  const arne_solve_options *options,
                                                  arne_plan_result *result, arne_error *error);

// How the objective changed with the number of spans. Returns the number of steps and writes at
// most `count` of them.
ARNE_API int arne_plan_steps(const arne_plan *plan, arne_plan_step *out, int count);
// Moves the start at random, by a fraction of the ranges of coordinates (for joints without limits:
// of pi or 1 m). Equal seeds give equal starts.
ARNE_API void arne_plan_scatter(arne_plan *plan, unsigned long seed, double part);

// The result of a search from one of several starts.
typedef struct arne_plan_found {
    unsigned long    seed; // 0: the start of the problem
    arne_plan_status status;
    double           objective, T;
    int              iterations;
} arne_plan_found;
// Stores the results of several starts for the summary. ARNE_NO_MEMORY if there is no memory for
// them.
ARNE_API ARNE_CHECKED arne_status arne_plan_keep_found(arne_plan             *plan,
                                                       const arne_plan_found *found, int count,
                                                       arne_error *error);

// Evaluates the current motion at t/T = u. Any output may be NULL; v_count numbers each.
ARNE_API void   arne_plan_evaluate(arne_plan *plan, double u, double *q, double *qd, double *qdd,
                                   double *qddd, double *tau);
ARNE_API void   arne_plan_control_points(const arne_plan *plan,
                                         double          *out); // coordinates x control_points
ARNE_API double arne_plan_time(const arne_plan *plan);

// The solver options of the problem file.
ARNE_API arne_solve_options arne_plan_solver(const arne_plan *plan);
// Starts from the control points in the folder of an earlier run (control_points.csv), matched by
// the names of coordinates. T is the last time of its result.csv; multipliers are used for a warm
// start if the problem has the same size. A different number of control points is interpolated.
ARNE_API ARNE_CHECKED arne_status arne_plan_start_from(arne_plan *plan, const char *dir,
                                                       arne_error *error);
// Sets measured gait to compare the results of a walking problem with: a table with a column pct
// (percent of the stride), angles in degrees and forces in body weights (docs/gait.md).
ARNE_API ARNE_CHECKED arne_status arne_plan_compare(arne_plan *plan, const char *path,
                                                    arne_error *error);
// Reserves the folder of a run before a long search: fails if another run is writing to it, or if
// it contains files that no run wrote. Without this call, arne_plan_write does it.
ARNE_API ARNE_CHECKED arne_status arne_plan_reserve(arne_plan *plan, const char *dir,
                                                    arne_error *error);
// The same, and starts from the best motion of an interrupted search of the same problem, in
// DIR.incomplete, which is removed when the folder is written.
ARNE_API ARNE_CHECKED arne_status arne_plan_resume(arne_plan *plan, const char *dir,
                                                   arne_error *error);
// Writes the folder of a run: inputs/, result.csv, control_points.csv, iterations.csv and
// summary.json, completely or not at all, like arne_scenario_run. If the search was interrupted or
// constraints are violated, it is DIR.incomplete. page: how its report.html is written; NULL: none.
ARNE_API ARNE_CHECKED arne_status arne_plan_write(arne_plan *plan, const arne_plan_result *result,
                                                  const char *dir, const arne_report_options *page,
                                                  arne_error *error);

// Compares every derivative of the plan, at a random point near the start, with the complex step
// (callbacks: central differences). `say` is called with the largest error of each quantity,
// relative to max(1, largest entry); NULL: never. Beyond ARNE_PLAN_DERIVATIVES_OFF one is wrong.
#define ARNE_PLAN_DERIVATIVES_OFF 1e-4
typedef void (*arne_plan_check_fn)(void *context, const char *quantity, const char *against,
                                   double first, double second);
ARNE_API ARNE_CHECKED arne_status arne_plan_check_derivatives(arne_plan         *plan,
                                                              arne_plan_check_fn say, void *context,
                                                              double *worst, arne_error *error);

ARNE_END

#endif

// The best motion of a robot: which one takes the least time, effort or whatever is asked for,
// within limits.
//
// A motion is a clamped B-spline in t/T for every coordinate; its control points, and the final
// time T if it is free, are the variables. Constraints hold at grid points, where dynamics enter by
// inverse dynamics with exact derivatives. Made of three things, which may be added in any number:
//     quantities    numbers at one instant: positions, torques, a frame's place, ...
//     constraints   bounds on a quantity, or on the difference of two, at some instants
//     objectives    weighted integrals of quantities, and time
// A plan needs a robot whose joints have one coordinate each: arne_planning_robot makes one of any
// robot.
#ifndef ARNE_PLAN_H
#define ARNE_PLAN_H

#include <arne/builder.h>
#include <arne/kinematics.h>
#include <stddef.h>

typedef struct arne_plan arne_plan;

typedef struct arne_plan_options {
    size_t size;                  // of this struct, or 0: see arne/types.h
    int    degree;                // of the splines, at least 2; 0: 3
    int    control_points;        // of each coordinate, more than the degree; 0: 12
    double time;                  // T, or where the search for it starts
    double time_least, time_most; // both 0: T is fixed
    int    grid_points;           // evenly over the motion; 0: by per_span
    int    per_span;              // grid intervals between neighbouring knots; 0: 3
    int trapezoid; // integrals by the trapezoid rule on the grid; else by Gauss' rule, three points
                   // a span
    int all_driven; // torques may act on passive joints, and on joints that hang on the spring of a
                    // motor, too
    const unsigned char
        *driven; // v_count flags: torques may act there all the same; NULL: nowhere else
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
    ARNE_QUANTITY_DEVIATION,      // position less a reference (v_count rows)
    ARNE_QUANTITY_CONTACT_FORCE,  // on a contact, in the world (3 rows); `joint` is its number
    ARNE_QUANTITY_COM_VELOCITY,   // of the centre of mass in the world (3 rows)
    ARNE_QUANTITY_MOMENTUM, // linear, and angular about the centre of mass, in the world (6 rows)
    ARNE_QUANTITY_MECHANICAL_POWER, // the sum of tau qd over all coordinates (1 row)
    ARNE_QUANTITY_UTILISATION,      // torque over what is possible: strength at this angle and
                                    // velocity, or the limit of the robot (v_count rows)
    ARNE_QUANTITY_MARGIN, // of every coordinate: how far its torque is below what is possible
                          // upwards, then downwards, over the largest that it can be (2 v_count
                          // rows)
    ARNE_QUANTITY_KIND_COUNT
} arne_quantity_kind;

// A stretch of the motion with splines of its own. Where phases meet, positions and velocities are
// continuous.
typedef struct arne_plan_phase {
    const char *name;
    int         control_points;        // 0: as the options say
    double      time;                  // its duration, or where the search for it starts
    double      time_least, time_most; // both 0: it is fixed
    int impact; // velocities jump where it begins, by impulses at the points that touch then
} arne_plan_phase;

// A point on a frame that touches a plane in some phases: it stays where it came down, and the
// plane's force on it is a spline of its own, inside the friction cone and never pulling. Or
// (holds) it holds on to a point of another frame, or to where it is in the world, with any force.
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
    int        smooth; // its force begins and ends with zero, and does not jump where phases meet
    const int *phases; // in which it touches; NULL: all
    int        phase_count;
    // Which coordinates stay, in each of these phases: 1 x, 2 y, 4 z, added. NULL: all. Of several
    // points of a rigid foot some say what others do.
    const unsigned char *stays;
} arne_plan_contact;

// What the surroundings do to a frame, at a point of it: force and moment in the axes of the world,
// or of the frame. The table has `count` rows of seven numbers: t/T (rising), fx fy fz mx my mz;
// straight lines lie between them, and one row is a constant.
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

// The greatest torque of a joint, by its angle and velocity. Tables have a row for each angle and a
// column for each velocity; what is not given (a count of 0) does not matter. Or a line, as motors
// have: stall (1 - |qd|/no_load) where the torque drives, more where it brakes.
typedef struct arne_strength {
    const double *angles, *velocities; // rising
    int           angle_count, velocity_count;
    const double *torques;        // in the positive direction, not negative
    const double *opposite;       // in the negative one; NULL: torques at -qd
    int           cubic;          // between the points of the tables; else linear
    double        stall, no_load; // both 0: the tables
} arne_strength;

// What a kind needs is read, the rest is not. Frame -1 is the world.
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

// The rows of a quantity of one's own at an instant u = t/T. z holds positions, velocities,
// accelerations and jerks, v_count each. gradient (NULL: not wanted) is rows x 4 v_count, zero on
// entry. Returns 0, nonzero where there is no such number; -1 of a call with a gradient says "I
// have none": differences are taken then.
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
        to; // the grid points in this part of t/T; from > to: nowhere. from = to: that instant
    int           other; // another quantity, or -1
    const int    *other_rows;
    const double *factors;  // NULL: 1
    double        other_at; // its instant t/T; negative: the same
    int phase, other_phase; // 1, 2, ...: instants are parts of that phase; 0: of the whole motion
} arne_constraint;

typedef enum arne_objective_shape {
    ARNE_OBJECTIVE_SQUARE,
    ARNE_OBJECTIVE_PLAIN,
    ARNE_OBJECTIVE_ABSOLUTE
} arne_objective_shape;

// The integral over time of the sum of weights[i] shape(row rows[i]); or that sum at one instant.
// ABSOLUTE is sqrt(x^2 + smooth^2) - smooth; smooth 0: a hundredth of the largest row, then
// less and less, until the objective stays.
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
} arne_objective;

// The iteration so far. Nonzero stops the search; the best motion so far is kept.
typedef struct arne_plan_progress {
    int         iteration, phase; // phase 1: feasibility, 2: the objective
    double      objective, violation, dual, barrier, step;
    const char *worst; // the constraint that is missed most, by name; NULL: none is, or not known
} arne_plan_progress;
typedef int (*arne_plan_progress_fn)(void *context, const arne_plan_progress *progress);

typedef struct arne_solve_options {
    size_t size;              // of this struct, or 0: see arne/types.h
    double tolerance;         // of optimality, scaled; 0: 1e-8
    double violation;         // of constraints, in their units; 0: 1e-8
    int    iterations;        // at most, in each phase; 0: 500
    int    feasibility_first; // two phases: first any motion that keeps all constraints
    int    smooth_first;      // likewise, but first the one of least acceleration
    int    warm;     // the start is near the optimum: multipliers of the last search, or of
                     // arne_plan_start_from, count
    int    refine;   // at most so many rounds of refinement; 0: 8, negative: none
    double between;  // what may be missed between grid points, relative to the bound; 0: 0.01
    double converge; // spans are doubled until the objective changes by less than this part; 0:
                     // not; negative: by less than its size, while there are at most 2000 variables
    const char           *log;      // a file for what Ipopt says; NULL: none
    arne_plan_progress_fn progress; // NULL: none
    void                 *context;
    arne_stop_fn stop; // asked before every evaluation; as nonzero from progress. NULL: none
    void        *stop_context;
    int threads; // that look at grid points; 0: one. It leaves no trace in the plan. Plans along
                 // paths, of robots with loops and with callbacks have one
} arne_solve_options;

typedef enum arne_plan_status {
    ARNE_PLAN_UNSOLVED,
    ARNE_PLAN_OPTIMAL,
    ARNE_PLAN_ACCEPTABLE, // feasible, optimal to a looser tolerance
    ARNE_PLAN_INFEASIBLE, // constraints cannot be met, at least not from here
    ARNE_PLAN_ITERATIONS, // the limit was reached
    ARNE_PLAN_INTERRUPTED,
    ARNE_PLAN_FAILED,
    ARNE_PLAN_STALLED, // all constraints are met, but the search got no further
    ARNE_PLAN_BETWEEN  // met at grid points, but missed between them, also after refinement
} arne_plan_status;

// Whether the motion is what was asked for: optimal, acceptable, or stalled with all constraints
// met.
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
    int    worst, worst_between;           // constraints, -1: none is missed
    double worst_time, worst_between_time; // s
    double solve_time;                     // s, wall clock
    int    variables, constraints, grid_points, refinements;
    double function_time,
        derivative_time; // s, of solve_time: in values, in derivatives; the rest is the solver's
    int converged; // 1: the objective changed by less than asked for when spans were doubled; 0:
                   // not asked; -1: no
    double change; // by which part it changed the last time
    int    jacobian_entries, hessian_entries; // that may be nonzero, of variables that are free
} arne_plan_result;

// One row of the table that a search with `converge` leaves.
typedef struct arne_plan_step {
    int    control_points, iterations;
    double objective, solve_time;
} arne_plan_step;

ARNE_BEGIN

// The same robot with every ball, planar, universal and free joint as a chain of joints with one
// coordinate each: JOINT.x, .y, .z slide along the axes of the joint's frame, then JOINT.rz, .ry,
// .rx turn about z, y, x (R = Rz Ry Rx; of a universal joint .rx, then .ry; of a planar one .x, .y,
// .rz). A free or prescribed base hangs on the world so.
ARNE_API ARNE_CHECKED arne_status arne_planning_robot(const arne_builder       *builder,
                                                      const arne_build_options *options,
                                                      arne_robot **out, arne_error *error);

// The robot must live as long as the plan. ARNE_UNSUPPORTED where a joint has several coordinates.
ARNE_API ARNE_CHECKED arne_status arne_plan_new(const arne_robot        *robot,
                                                const arne_plan_options *options, arne_plan **out,
                                                arne_error *error);
// A motion along a path: the curve through `count` points (v_count numbers each), from rest to
// rest, of degree 5 where there are so many points. How fast it goes is all that is planned;
// constraints and objectives are as in any plan.
ARNE_API ARNE_CHECKED arne_status arne_plan_new_on_path(const arne_robot        *robot,
                                                        const arne_plan_options *options, int count,
                                                        const double *points, arne_plan **out,
                                                        arne_error *error);
// A motion in phases, with contacts. Splines need degree 3 or more where there are contacts. Robots
// with loops have neither.
ARNE_API ARNE_CHECKED arne_status arne_plan_new_in_phases(
    const arne_robot *robot, const arne_plan_options *options, const arne_plan_phase *phases,
    int phase_count, const arne_plan_contact *contacts, int contact_count, arne_plan **out,
    arne_error *error);
// A problem file (docs/problem-file.md); the robot it names is read too, and lives in the plan.
// options->fail hears of all mistakes, error has the first.
ARNE_API ARNE_CHECKED arne_status arne_plan_read(const char               *path,
                                                 const arne_build_options *options, arne_plan **out,
                                                 arne_error *error);
// The same from memory; name stands for the file in messages, and other files are found from its
// folder.
ARNE_API ARNE_CHECKED arne_status arne_plan_read_yaml(const char *text, size_t size,
                                                      const char               *name,
                                                      const arne_build_options *options,
                                                      arne_plan **out, arne_error *error);
ARNE_API void                     arne_plan_free(arne_plan *plan);
ARNE_API const arne_robot        *arne_plan_robot(const arne_plan *plan);

// What is looked at (the library's quantities, or a function of yours): *out is its number, which
// constraints and objectives name.
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
// The name of a constraint, by its number in an arne_plan_result; "" where there is none.
ARNE_API const char *arne_plan_constraint_name(const arne_plan *plan, int constraint);
// What acts on the robot besides. ARNE_UNSUPPORTED with quantities that do not know it: the
// zero-moment point, and torque rates along a path or where it changes over a free time.
ARNE_API ARNE_CHECKED arne_status arne_plan_add_wrench(arne_plan              *plan,
                                                       const arne_plan_wrench *wrench,
                                                       arne_error             *error);
// A mass on a frame in some phases (0, 1, ...): picked up where they begin and set down where they
// end. Velocities do not jump there: it moves as the frame does. ARNE_UNSUPPORTED of robots with
// loops: arne_robot_attach puts it on these for all of the motion.
ARNE_API ARNE_CHECKED arne_status arne_plan_add_payload(arne_plan *plan, int frame,
                                                        const arne_payload *payload,
                                                        const int *phases, int phase_count,
                                                        arne_error *error);
// What the joint of a coordinate can do, for ARNE_QUANTITY_UTILISATION and ARNE_QUANTITY_MARGIN.
ARNE_API ARNE_CHECKED arne_status arne_plan_set_strength(arne_plan *plan, int coordinate,
                                                         const arne_strength *strength,
                                                         arne_error          *error);
// Of every coordinate (v_count numbers) the greatest torque over what is possible, its strength or
// the limit of its drive, along the motion as it stands, and when [s]. 0 where nothing limits it.
ARNE_API ARNE_CHECKED arne_status arne_plan_utilisation(arne_plan *plan, double *most, double *time,
                                                        arne_error *error);
// weight T
ARNE_API void arne_plan_add_time(arne_plan *plan, double weight);
// The force on a contact at t/T = u, in the world; contacts are counted as they were given.
ARNE_API arne_vec3 arne_plan_contact_force(arne_plan *plan, double u, int contact);
// A coordinate that is no variable: the sum of polynomial[i] t^i, i < count, and amplitude
// sin(frequency t + phase).
ARNE_API ARNE_CHECKED arne_status arne_plan_prescribe(arne_plan *plan, int coordinate,
                                                      const double *polynomial, int count,
                                                      double amplitude, double frequency,
                                                      double phase, arne_error *error);
// Bounds on all control points of a coordinate.
ARNE_API void arne_plan_bound(arne_plan *plan, int coordinate, double lower, double upper);
// Where the search starts: control points (of each coordinate, one coordinate after the other), or
// a straight line.
ARNE_API void arne_plan_start(arne_plan *plan, const double *control_points, double T);
ARNE_API void arne_plan_start_line(arne_plan *plan, int coordinate, double from, double to);

// Whether there is a solver: ARNE_UNSUPPORTED, with a text that says what to install, where the
// module libarne_ipopt.so cannot be loaded.
ARNE_API ARNE_CHECKED arne_status arne_plan_available(arne_error *error);

// ARNE_UNSUPPORTED where there is no solver, ARNE_NO_MEMORY also where it is the solver that has
// none, ARNE_NOT_CONVERGED where no motion keeps the constraints: error then says which are missed
// and by how much. The best motion found stays in the plan in any case.
ARNE_API ARNE_CHECKED arne_status arne_plan_solve(arne_plan                *plan,
                                                  const arne_solve_options *options,
                                                  arne_plan_result *result, arne_error *error);

// How the objective changed with the spans; returns the number of steps, of which at most `count`
// are put into out.
ARNE_API int arne_plan_steps(const arne_plan *plan, arne_plan_step *out, int count);
// Moves the start at random, by a part of the ranges of coordinates (of joints without limits: of
// pi or 1 m); the same for the same seed.
ARNE_API void arne_plan_scatter(arne_plan *plan, unsigned long seed, double part);

// What a search from one of several starts came to.
typedef struct arne_plan_found {
    unsigned long    seed; // 0: the start as the problem has it
    arne_plan_status status;
    double           objective, T;
    int              iterations;
} arne_plan_found;
// For the summary: the optima that were found from several starts. ARNE_NO_MEMORY where they cannot
// be kept.
ARNE_API ARNE_CHECKED arne_status arne_plan_keep_found(arne_plan             *plan,
                                                       const arne_plan_found *found, int count,
                                                       arne_error *error);

// The motion as it stands, at t/T = u. Any output may be NULL; v_count numbers each.
ARNE_API void   arne_plan_evaluate(arne_plan *plan, double u, double *q, double *qd, double *qdd,
                                   double *qddd, double *tau);
ARNE_API void   arne_plan_control_points(const arne_plan *plan,
                                         double          *out); // coordinates x control_points
ARNE_API double arne_plan_time(const arne_plan *plan);

// What the problem file says about the search.
ARNE_API arne_solve_options arne_plan_solver(const arne_plan *plan);
// The control points of an earlier run's folder (control_points.csv) as the start, by the names of
// coordinates; T is the last time of its result.csv, and multipliers for a warm start where the
// problem has the same size. Other numbers of control points are interpolated.
ARNE_API ARNE_CHECKED arne_status arne_plan_start_from(arne_plan *plan, const char *dir,
                                                       arne_error *error);
// Measured gait for the results of a walking problem to be compared with: a table with a column pct
// (percent of the stride), angles in degrees and forces in body weights (docs/gait.md).
ARNE_API ARNE_CHECKED arne_status arne_plan_compare(arne_plan *plan, const char *path,
                                                    arne_error *error);
// Takes a place for the folder of a run, before a long search: fails where another run is under way
// into it, or where it holds anything that no run wrote. arne_plan_write without this does so
// itself.
ARNE_API ARNE_CHECKED arne_status arne_plan_reserve(arne_plan *plan, const char *dir,
                                                    arne_error *error);
// The same, and the start is the best motion of a search that was interrupted, in DIR.incomplete.
// Its problem must have been the same. DIR.incomplete is removed when the folder is written.
ARNE_API ARNE_CHECKED arne_status arne_plan_resume(arne_plan *plan, const char *dir,
                                                   arne_error *error);
// The folder of a run: inputs/, result.csv, control_points.csv, iterations.csv and summary.json,
// all of it or nothing; as arne_scenario_run writes it. Of a search that was interrupted, or that
// missed something, it is DIR.incomplete.
ARNE_API ARNE_CHECKED arne_status arne_plan_write(arne_plan *plan, const arne_plan_result *result,
                                                  const char *dir, arne_error *error);

// Every derivative of the plan at the start, moved a little at random, against the complex step
// (callbacks: central differences). The largest error relative to max(1, largest entry) of each
// quantity is reported through `say`.
typedef void (*arne_plan_check_fn)(void *context, const char *quantity, const char *against,
                                   double first, double second);
ARNE_API ARNE_CHECKED arne_status arne_plan_check_derivatives(arne_plan         *plan,
                                                              arne_plan_check_fn say, void *context,
                                                              double *worst, arne_error *error);

ARNE_END

#endif

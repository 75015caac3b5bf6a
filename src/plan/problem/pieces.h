// The pieces of a plan: instants, constraints, objectives, phases, contacts, wrenches, modules.
#ifndef ARNE_PLAN_PROBLEM_PIECES_H
#define ARNE_PLAN_PROBLEM_PIECES_H

#include <arne/motion.h>
#include <arne/plan.h>

struct json; // io/json.h

typedef struct plan_state plan_state;

// An instant at which quantities are evaluated.
typedef struct plan_point {
    double u, weight; // of the phase; of the integral over u, 0: none
    int    phase;
    int    on_grid;
    int    impact; // the start of its phase with the impulses of an impact as forces
    int control;   // 1 + the control point of forces that it stands for, which is no instant; 0: an
                   // instant
    int     first; // the first control point that is alive
    double *basis; // PLAN_ORDERS x (degree + 1): derivatives by u
    double *force; // the same of forces, which have two functions less: these are zero
} plan_point;

// How finely a motion is described: a value, of which a program is made.
typedef struct plan_grid {
    int    *counts;      // control points of each phase
    double *breaks;      // of each phase: where its polynomials meet, from 0 to 1
    int     m;           // their sum
    int     grid_points; // of each phase, evenly; 0: by per_span of the options
    double *extra;       // further ones: the number of the phase plus the part of it
    int     extra_count;
} plan_grid;

// At which points a constraint is held.
typedef enum plan_holding {
    HOLD_GRID,
    HOLD_COLLOCATION, // an equality that no spline keeps everywhere: as often as there are unknowns
    HOLD_PLACES,   // where control points pull, but for the first two: the start is told otherwise
    HOLD_CONTROLS, // control points of forces: then it holds everywhere
    HOLD_IMPACT    // where a phase begins with an impact
} plan_holding;

// Bounds on rows of a quantity, or on the difference of two quantities, at some instants.
typedef struct plan_constraint {
    char         name[96];
    char         file[256];
    int          line;
    int          quantity, other, row_count;
    int         *rows, *other_rows;
    double      *lower, *upper, *factors, *scale;
    double       from, to, other_at;
    int          phase, other_phase; // -1: of the whole motion
    plan_holding hold;
    int          but_last; // of places: the end of the motion is given, with its velocity
    // Of the copy in a program:
    int *points, *other_points;               // at which it is held: point_count of them
    int  point_count, first_row, first_place; // its rows; its places in jacobian_start
    int  held;                                // by bounds on variables: it has no rows
    int  at_ends;    // of a collocated one: bits of the ends at which it is held too
    int  collocated; // an equality that no spline keeps everywhere: held once in every span
} plan_constraint;

typedef struct plan_objective {
    char                 name[96];
    int                  quantity, row_count;
    int                 *rows;
    double              *weights;
    arne_objective_shape shape;
    double               smooth, at, power;
    int                  phase;      // -1: all
    int                  own_smooth; // none was given: it follows from the motion
    int                  point;      // of the copy in a program, where `at` is not negative
    int                  mean;       // without the duration as a factor
} plan_objective;

typedef struct plan_prescribed { // a coordinate that is a function of time
    int     on, count;
    double *polynomial, amplitude, frequency, phase;
} plan_prescribed;

// A stretch of the motion with splines of its own.
typedef struct plan_phase {
    char name[64];
    int  impact; // velocities jump where it begins
    // The robot with the payload of this phase: as it is planned, and as its file has it. NULL: as
    // in the whole motion.
    arne_robot *loaded, *shown;
    arne_work  *work;
    double      time, least, most;
    double      weight; // of its duration, besides that of the whole motion's
    int         m;      // control points of each coordinate: of the first grid, or of a program's
    // Of the copy in a program:
    arne_bspline *spline, *force; // over its own 0 to 1; of coordinates, of forces
    int           first, point;   // its first control point; one of its points
} plan_phase;

enum { PLAN_TOUCHES = 8 };
// A point on a frame that touches the ground, or holds another frame, in some phases.
typedef struct plan_touch {
    char           name[64];
    int            frame, other_frame; // -1: the world
    arne_vec3      point, other_point;
    arne_vec3      axes[3]; // of its force: two tangents and the normal, in the world
    arne_vec3      plane_point;
    double         friction;  // negative: it holds, with any force
    int            continues; // it touched before the motion begins
    unsigned char *on; // in each phase: 0, or PLAN_TOUCHES and the coordinates that stay (1, 2, 4)
    int            smooth;
    int            passes; // it may be behind the surface where it does not touch
    // Of a compliant one, whose force is not planned (plan_press.c): its stiffness is not 0.
    double    stiffness, dissipation, slip_velocity, smoothing;
    arne_vec3 plane_velocity;
    int       column; // among planned forces: the first of its three
} plan_touch;

// A wrench of the surroundings on a frame.
typedef struct plan_wrench {
    char           name[64];
    int            frame, in_frame, of_phase, count;
    arne_vec3      point;
    unsigned char *on;    // in each phase
    double        *table; // rows of t/T, force, moment
} plan_wrench;
typedef struct plan_strength plan_strength;

// The robot's coordinates as functions of the planned ones.
typedef struct plan_map {
    int   n;    // planned coordinates
    int   same; // which are the robot's own, one by one
    void *data;
    void (*release)(void *data);
    // Fills q, qd, qdd, qddd from z, and, where carry is not NULL, their derivatives.
    int (*apply)(const struct plan_map *, plan_state *, double *carry);
    const double *home; // of loops: a closed configuration, where the search may start
} plan_map;

// What a module adds to the results of a plan: loads of the environment, columns, tables, figures.
struct motion_row;
struct run_folder;
typedef struct plan_module {
    void *data;
    void (*release)(void *data);
    // Wrenches on the bodies at t/T = u (f_ext of arne_inverse_dynamics), and values of the further
    // columns.
    void (*loads)(void *data, struct motion_row *m, double u, arne_wrench *f_ext, double *columns);
    const char *const (*columns)[2]; // names and units of further columns of result.csv
    int column_count;
    arne_status (*tables)(void *data, const struct run_folder *run, struct motion_row *m,
                          arne_error *error);
    void (*summary)(void *data, struct json *out,
                    struct motion_row *m); // keys, each with a comma before it
} plan_module;

// Published results for the same problem, from the problem file; 0: none.
typedef struct plan_published {
    double T, objective, solve_time;
} plan_published;

enum { PLAN_FORBIDDEN = 5 };
// A limit that the nearest motion exceeds: by how much at most, in its unit and relative to its
// size.
typedef struct plan_excess {
    int    constraint, row;
    double u, amount, part;
} plan_excess;

#endif

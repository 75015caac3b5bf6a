// Simulation: a robot with a controller and its surroundings over time; and scenario files, which
// describe all of it.
//
// The state is integrated by arne/integrate.h. The controller (arne/control.h) is evaluated at its
// own sample times and its torques are held in between, independent of the steps of the integrator;
// with a sample time of 0 it is evaluated at every evaluation of the accelerations.
#ifndef ARNE_SIMULATE_H
#define ARNE_SIMULATE_H

#include <arne/builder.h>
#include <arne/contact.h>
#include <arne/control.h>
#include <arne/integrate.h>
#include <arne/motion.h>
#include <arne/report.h>
#include <arne/table.h>

// ---- what acts on the robot ----

typedef enum arne_surrounding_kind {
    ARNE_SURROUNDING_DRAG, // of a still medium: at the frame's origin, in its axes, each component
                           // by itself
    ARNE_SURROUNDING_TETHER,    // a spring and damper between a point of a frame and a point of the
                                // world
    ARNE_SURROUNDING_PUSH,      // a wrench at the frame's origin, by a table over time or constant
    ARNE_SURROUNDING_GROUND,    // a surface that the robot's contacts touch
    ARNE_SURROUNDING_PROPELLER, // a link that a joint of one coordinate turns: thrust and drag
                                // torque
    ARNE_SURROUNDING_THRUSTER,  // a force along an axis, for a time
    ARNE_SURROUNDING_WING,      // a flat plate in air or water
    ARNE_SURROUNDING_BUOYANCY,  // of a body that is under water as a whole
    ARNE_SURROUNDING_ADDED_MASS, // water that a body moves along: inertia without weight
    ARNE_SURROUNDING_FLUID       // drag of a link as of a box of its inertia: MuJoCo's medium
} arne_surrounding_kind;

typedef struct arne_surrounding {
    arne_surrounding_kind kind;
    int                   frame;
    // Drag: -(linear v + quadratic |v| v) of each component v of the frame's twist, linear part
    // first.
    double linear[6], quadratic[6];
    // Tether: stiffness (l - length) + damping dl/dt along the line between the points, l apart.
    arne_vec3 point, anchor;
    double    stiffness, damping, length;
    int       only_pulls; // a rope: no force where it is slack
    // Push: columns time and any of fx, fy, fz, mx, my, mz, linear between rows, zero outside.
    // NULL: the wrench `push`, from start for this duration (see below).
    const arne_table *table;
    arne_wrench       push;
    int               in_world; // the world's axes, else the frame's
    // Ground: has no frame.
    arne_surface surface;
    // Propeller: thrust w |w| along the axis of the joint, at its speed w (the other way where it
    // is left-handed), and -drag_torque w |w| about it.
    double thrust, drag_torque;
    int    left_handed;
    // Thruster: a force at point along normal, from start for this duration (infinite: to the end).
    arne_vec3 normal;
    double    force, start, duration;
    // Wing: a plate with this area, its centre at point and this normal, in a medium that moves
    // with the wind (in the world).
    double    area, density;
    arne_vec3 wind;
    double    viscosity; // fluid: with density and wind
    double    volume;    // buoyancy: of what is displaced, its centre at point
    double    added[36]; // added mass: by the frame's twist in its own axes, row by row; symmetric
} arne_surrounding;

// How Coulomb friction behaves when a joint stands still; see docs/scenario.md.
typedef enum arne_stiction {
    ARNE_STICTION_STICK,  // joints stick and slide: changes are events. Not for robots with loops,
                          // nor CVODE.
    ARNE_STICTION_SMOOTH, // sign(v) becomes tanh(v / velocity): joints creep under load
    ARNE_STICTION_NONE    // neither Coulomb nor viscous friction (the robot must be built without)
} arne_stiction;

typedef enum arne_drive {
    ARNE_DRIVE_TORQUES,  // the controller's
    ARNE_DRIVE_REFERENCE // joints follow the reference exactly, and a free base reacts to their
                         // motion
} arne_drive;

// The columns of the result, besides the time.
enum {
    ARNE_RECORD_Q = 1 << 0,   // q, and theta of elastic joints
    ARNE_RECORD_QD = 1 << 1,  // qd, thetad
    ARNE_RECORD_QDD = 1 << 2, // qdd
    ARNE_RECORD_TAU = 1 << 3,
    // Exact with ARNE_DRIVE_REFERENCE, otherwise the difference between rows.
    ARNE_RECORD_TAU_RATE = 1 << 4,
    ARNE_RECORD_REFERENCE = 1 << 5, // q_ref, qd_ref
    ARNE_RECORD_ERROR = 1 << 6,     // q_ref (-) q
    ARNE_RECORD_ENERGY = 1 << 7,
    ARNE_RECORD_MOMENTUM = 1 << 8, // linear, and angular about the centre of mass
    ARNE_RECORD_BASE = 1 << 9,     // position of the base, and of the centre of mass
    ARNE_RECORD_WRENCH = 1 << 10,  // joint wrenches
    // The exact torque rate minus the difference between rows.
    ARNE_RECORD_TAU_RATE_LAG = 1 << 11,
    // The force on each contact, in the world's axes; of rigid contact the mean since the row
    // before, impacts included.
    ARNE_RECORD_CONTACT = 1 << 12,
    ARNE_RECORD_DEFAULT = ARNE_RECORD_Q | ARNE_RECORD_QD | ARNE_RECORD_TAU | ARNE_RECORD_REFERENCE |
                          ARNE_RECORD_ERROR | ARNE_RECORD_ENERGY | ARNE_RECORD_CONTACT
};

// What happens when a joint reaches a limit of its position: the event is reported and the joint
// goes on; the run ends; or the joint stops as at a hard stop (without bouncing; the run then uses
// the fixed steps of rigid contact, and ground must use that model).
typedef enum arne_at_limits {
    ARNE_LIMITS_REPORT,
    ARNE_LIMITS_STOP,
    ARNE_LIMITS_HOLD
} arne_at_limits;

// The first time that a joint reached its lower or its upper limit.
typedef struct arne_limit_event {
    int    joint, upper;
    double time;
} arne_limit_event;
enum { ARNE_LIMIT_EVENTS = 8 };

typedef struct arne_simulation_spec {
    const arne_robot      *robot;
    arne_drive             drive;
    arne_controller       *controller;  // NULL: no torques
    double                 sample_time; // 0: the controller is evaluated at every evaluation
    const arne_trajectory *reference;   // NULL: the initial configuration, at rest
    // With loops and ARNE_DRIVE_REFERENCE: v_count flags of the coordinates that follow it, as many
    // as the mechanism has degrees of freedom; the loops determine all others. NULL: the active
    // joints.
    const unsigned char *followed;
    // Motion of a prescribed base: that of a robot of one body with a free base. NULL: at rest.
    const arne_trajectory  *base;
    const arne_surrounding *surroundings;
    int                     surrounding_count;
    arne_stiction           stiction;
    double                  stiction_velocity; // ARNE_STICTION_SMOOTH: 0: 1e-3 rad/s or m/s
    arne_integrator_options integrator;
    double                  duration, record_every; // 0: 200 rows
    unsigned                record;                 // ARNE_RECORD_..., 0: the usual ones
    int                     stop_at_limits;         // an arne_at_limits
    const double           *q,
        *qd; // at the start; q alone: at rest; NULL: of the reference, else neutral and at rest
    arne_stop_fn stop; // called before every step; NULL: never stopped
    void        *stop_context;
    // To continue a run that was stopped: its *checkpoint and its rows. Everything else must be
    // unchanged. With Euler and RK4, a resumed run gives the same numbers, bit for bit, as one that
    // was not stopped.
    const arne_table *resume, *resume_rows; // NULL: from the start
    arne_table      **checkpoint; // receives the state of a run that is stopped; NULL: not needed
    // Receives the impacts of rigid contact (to be freed; NULL without rigid ground): a row for
    // each of the first 100 000, with its time and the impulse on every contact in the world's
    // axes, impulse.NAME.x, y, z. NULL: not needed.
    arne_table **impacts;
} arne_simulation_spec;

typedef struct arne_simulation_summary {
    double rms_error, peak_error; // of q_ref (-) q over all rows and joints
    // The largest |E - E(0) - work done| over the largest kinetic energy, or over that of the
    // robot's mass at 1 mm/s where it hardly moves.
    double energy_residual;
    double closure_error; // of loops; 0 where there are none
    // Rigid contact: the largest residual of its conditions [m/s], and the deepest penetration [m];
    // 0 where there is none.
    double contact_residual, penetration;
    long   limits_hit;                 // times a position limit was reached or a torque was limited
    long   steps, rates;               // of the integrator
    double time;                       // that was reached
    double solve_time, realtime_ratio; // wall-clock seconds, simulated over wall-clock
    int    complete;                   // the whole duration
    int    stopped;                    // by stop or progress
    char   ended[200];                 // why it ended early, "" if it did not
    double kinetic_largest;            // J
    int    beyond;      // a joint that followed by a spline beyond its points; -1: none
    double beyond_time; // when first, of all rows
    // Which joints reached which limits, and when: the first ones of them.
    long             limit_event_count;
    arne_limit_event limit_events[ARNE_LIMIT_EVENTS];
} arne_simulation_summary;

// Called now and then with the progress of a run (0 to 1); stops it by returning nonzero.
typedef int (*arne_progress_fn)(void *context, double part);

ARNE_BEGIN

// Runs a simulation to its end, or until it is stopped or fails. The rows so far are in *out (to be
// freed), also after a failure; NULL if there are none. The last row is the last good state.
//
// progress  may be NULL
// ARNE_VALUE if the simulation is not valid; ARNE_DIVERGED, ARNE_SINGULAR or the status of a
// controller if the run fails.
ARNE_API ARNE_CHECKED arne_status arne_simulate(const arne_simulation_spec *simulation,
                                                arne_progress_fn progress, void *context,
                                                arne_table **out, arne_simulation_summary *summary,
                                                arne_error *error);

// Gains of the servos of a robot's file, v_count each, 0 where a joint has none: of position and
// velocity actuators of MJCF, at the joint; a ratio of damping counts with the joint's inertia
// where it starts. The robot must be that of the file. ARNE_NOT_FOUND if the file has none.
ARNE_API ARNE_CHECKED arne_status arne_read_servo_gains(const char *path, const arne_robot *robot,
                                                        double *kp, double *kd, arne_error *error);

// ---- flight ----

// Gains of arne_controller_flight: from errors of position [1/s^2] and velocity [1/s] to
// accelerations, from errors of attitude [1/s^2] and angular velocity [1/s] to angular
// accelerations; and the time constant of the motors.
typedef struct arne_flight_gains {
    double position[2], attitude[2], time_constant;
} arne_flight_gains;

// Flies a robot with a free base by the propellers among its surroundings (four or more, which lift
// along z of the base): the base follows the position and the yaw of the reference. The motors of
// the propellers are first-order systems.
ARNE_API ARNE_CHECKED arne_status arne_controller_flight(const arne_robot       *robot,
                                                         const arne_surrounding *surroundings,
                                                         int count, const arne_flight_gains *gains,
                                                         arne_controller **out, arne_error *error);

// ---- robots on their feet ----

// Computed torque of a robot with a free base that stands on the grounds among its surroundings.
// With a = qdd_ref + kd (qd_ref - qd) + kp (q_ref (-) q) of all coordinates, the base included,
//
//     tau = M a + bias - J^T f
//
// with forces f on the points that touch now, each inside a pyramid of four edges in its friction
// cone. They make rows without a drive (the base, passive joints) nearest to zero, and torques
// within their limits where that is possible: the least sum of r_i^2 / M_ii over those rows and
// over what limits take away, plus force_weight / (the robot's mass) times the squares of the
// forces along the edges. Where nothing touches it is arne_controller_computed_torque. A point
// touches up to 1 mm above a surface (a hundredth of the reach of a robot below 0.1 m); the first
// 64 points count. Heights of the surroundings are not copied.
//
// force_weight  above 0; 1e-6 is usual
// ARNE_VALUE if the base is not free, the robot has no contacts or there is no ground;
// ARNE_UNSUPPORTED for loops, elastic joints, joints with a spring and no motor, and tyres.
ARNE_API ARNE_CHECKED arne_status arne_controller_whole_body(
    const arne_robot *robot, const arne_surrounding *surroundings, int count, const double *kp,
    const double *kd, double force_weight, arne_controller **out, arne_error *error);

// ---- scenario files ----

typedef struct arne_scenario arne_scenario;

// Reads a scenario (docs/scenario.md) with the robot and the tables it names, and checks that it
// can be run. Mistakes have file, line and column: options->fail is called for all of them; error
// has the first. Base, gravity and friction of the scenario take precedence over those of the
// options. NULL: default options.
ARNE_API ARNE_CHECKED arne_status arne_scenario_read(const char               *path,
                                                     const arne_build_options *options,
                                                     arne_scenario **out, arne_error *error);
// The same from memory; name is used as the file name in messages, and other files are found
// relative to its folder.
ARNE_API ARNE_CHECKED arne_status arne_scenario_read_yaml(const char *text, size_t size,
                                                          const char               *name,
                                                          const arne_build_options *options,
                                                          arne_scenario **out, arne_error *error);
ARNE_API void                     arne_scenario_free(arne_scenario *scenario);
// The simulation that it describes; everything in it belongs to the scenario.
ARNE_API const arne_simulation_spec *arne_scenario_simulation(const arne_scenario *scenario);
// Replaces the controller of the file by one of the caller, which is evaluated every sample_time
// seconds (0: at every evaluation). It must be made for the scenario's robot, and belongs to the
// scenario from now on, even if the call fails. ARNE_VALUE if the reference drives the joints, or
// the sample time is negative.
ARNE_API ARNE_CHECKED arne_status arne_scenario_set_controller(arne_scenario   *scenario,
                                                               arne_controller *controller,
                                                               double           sample_time,
                                                               arne_error      *error);
ARNE_API const char              *arne_scenario_title(const arne_scenario *scenario);
// The introduction of the scenario, a sentence or two; "" if there is none.
ARNE_API const char *arne_scenario_text(const arne_scenario *scenario);

// A figure of the scenario, beside a published or known value; after arne_scenario_run.
typedef struct arne_figure {
    const char *name, *unit;
    double      value, published; // NAN: nothing to compare with
    // The allowed difference, as a fraction of the published value (of 1 if that is 0).
    double within;
} arne_figure;
ARNE_API int         arne_scenario_figure_count(const arne_scenario *scenario);
ARNE_API arne_figure arne_scenario_figure(const arne_scenario *scenario, int index);
// Whether it is within its tolerance of the published number; always true if there is none.
ARNE_API int arne_figure_good(const arne_figure *figure);

typedef struct arne_scenario_options {
    size_t           size;     // of this struct, or 0: see arne/types.h
    arne_progress_fn progress; // NULL: none
    void            *context;
    arne_stop_fn     stop; // NULL: none
    void            *stop_context;
    int resume; // goes on with the run in DIR.incomplete, which must have the same inputs
    const arne_report_options *page; // the folder comes with its report; NULL: without
} arne_scenario_options;

// Runs a scenario and writes a run folder: inputs/, result.csv, and summary.json with a list of the
// files. The folder is first written under a temporary name, flushed to disk, and then exchanged
// for an existing one. An existing folder must be empty or contain only files that a run wrote;
// otherwise the call fails before it computes anything, and names the file. A link to a folder is
// followed. A run that is stopped, diverges or fails writes its results so far to DIR.incomplete,
// marked as not complete in summary.json. options may be NULL.
ARNE_API ARNE_CHECKED arne_status arne_scenario_run(arne_scenario *scenario, const char *dir,
                                                    const arne_scenario_options *options,
                                                    arne_simulation_summary     *summary,
                                                    arne_error                  *error);

ARNE_END

#endif

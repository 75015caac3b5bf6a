// Simulation: a robot under a controller, in its surroundings, over time; and scenario files that
// say all of it.
//
// The state is integrated by arne/integrate.h. The controller (arne/control.h) is asked at its own
// sample times and its torques are held in between, whatever the steps of the integrator; or, with
// a sample time of 0, at every evaluation.
#ifndef ARNE_SIMULATE_H
#define ARNE_SIMULATE_H

#include <arne/builder.h>
#include <arne/contact.h>
#include <arne/control.h>
#include <arne/integrate.h>
#include <arne/motion.h>
#include <arne/table.h>

// ---- what acts on the robot ----

typedef enum arne_surrounding_kind {
    ARNE_SURROUNDING_DRAG, // of a still medium: at the frame's origin, in its axes, each component
                           // by itself
    ARNE_SURROUNDING_TETHER,    // a spring and damper between a point of a frame and a point of the
                                // world
    ARNE_SURROUNDING_PUSH,      // a wrench at the frame's origin, by a table over time
    ARNE_SURROUNDING_GROUND,    // a surface that the robot's contacts touch
    ARNE_SURROUNDING_PROPELLER, // a link that a joint of one coordinate turns: thrust and drag
                                // torque
    ARNE_SURROUNDING_THRUSTER,  // a force along an axis, for a time
    ARNE_SURROUNDING_WING,      // a flat plate in air or water
    ARNE_SURROUNDING_BUOYANCY,  // of a body that is under water as a whole
    ARNE_SURROUNDING_ADDED_MASS // water that a body moves along: inertia without weight
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
    // Push: columns time, fx, fy, fz, mx, my, mz (any of them), linear between rows, zero outside.
    const arne_table *table;
    int               in_world; // the world's axes, else the frame's
    // Ground: has no frame.
    arne_surface surface;
    // Propeller: thrust w |w| along the axis of the joint, at its speed w (the other way where it
    // is left-handed), and -drag_torque w |w| about it.
    double thrust, drag_torque;
    int    left_handed;
    // Thruster: a force at point along normal, from start for so long.
    arne_vec3 normal;
    double    force, start, duration;
    // Wing: a plate of an area with its centre at point and this normal, in a medium that moves
    // with the wind (in the world).
    double    area, density;
    arne_vec3 wind;
    double    volume;    // buoyancy: of what is displaced, its centre at point
    double    added[36]; // added mass: by the frame's twist in its own axes, row by row; symmetric
} arne_surrounding;

// How Coulomb friction behaves where a joint stands still; docs/scenario.md says more.
typedef enum arne_stiction {
    ARNE_STICTION_STICK,  // joints stick and slide: changes are events. Not for robots with loops,
                          // nor CVODE.
    ARNE_STICTION_SMOOTH, // sign(v) becomes tanh(v / velocity): joints creep under load
    ARNE_STICTION_NONE    // neither Coulomb nor viscous friction (the robot must be built without)
} arne_stiction;

typedef enum arne_drive {
    ARNE_DRIVE_TORQUES,  // the controller's
    ARNE_DRIVE_REFERENCE // joints follow the reference exactly, and a free base goes where they
                         // send it
} arne_drive;

// What a row of the result holds, besides the time.
enum {
    ARNE_RECORD_Q = 1 << 0,   // q, and theta of elastic joints
    ARNE_RECORD_QD = 1 << 1,  // qd, thetad
    ARNE_RECORD_QDD = 1 << 2, // qdd
    ARNE_RECORD_TAU = 1 << 3,
    ARNE_RECORD_TAU_RATE =
        1 << 4, // of the reference's motion with ARNE_DRIVE_REFERENCE, else between rows
    ARNE_RECORD_REFERENCE = 1 << 5, // q_ref, qd_ref
    ARNE_RECORD_ERROR = 1 << 6,     // q_ref (-) q
    ARNE_RECORD_ENERGY = 1 << 7,
    ARNE_RECORD_MOMENTUM = 1 << 8, // linear, and angular about the centre of mass
    ARNE_RECORD_BASE = 1 << 9,     // position of the base, and of the centre of mass
    ARNE_RECORD_WRENCH = 1 << 10,  // joint wrenches
    ARNE_RECORD_TAU_RATE_LAG =
        1 << 11,                   // the exact torque rate less the change since the row before
    ARNE_RECORD_CONTACT = 1 << 12, // the force on each contact, in the world's axes
    ARNE_RECORD_DEFAULT = ARNE_RECORD_Q | ARNE_RECORD_QD | ARNE_RECORD_TAU | ARNE_RECORD_REFERENCE |
                          ARNE_RECORD_ERROR | ARNE_RECORD_ENERGY | ARNE_RECORD_CONTACT
};

// What happens where a joint reaches a limit of its position: it is counted and the joint goes on,
// the run ends there, or the joint stops as at a rigid stop (without bouncing; the run then goes in
// the fixed steps of rigid contact, and ground must be of that model).
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

typedef struct arne_simulation {
    const arne_robot      *robot;
    arne_drive             drive;
    arne_controller       *controller;  // NULL: no torques
    double                 sample_time; // 0: the controller is asked at every evaluation
    const arne_trajectory *reference;   // NULL: the initial configuration, at rest
    // With loops and ARNE_DRIVE_REFERENCE: v_count flags of the coordinates that follow it, as many
    // as the loops leave free; the loops say how all others move. NULL: the active joints.
    const unsigned char *followed;
    const arne_trajectory
        *base; // of a prescribed base: of a robot that is one body with a free base. NULL: at rest
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
    arne_stop_fn stop; // asked before every step; NULL: nothing stops the run
    void        *stop_context;
    // To go on where an earlier run was stopped: what it has put to *checkpoint, and its rows.
    // Everything else must be as it was. Runs of Euler and RK4 that were stopped give the same
    // numbers, bit by bit, as those that were not.
    const arne_table *resume, *resume_rows; // NULL: from the start
    arne_table **checkpoint; // where a run that is stopped says how to go on; NULL: it need not
} arne_simulation;

typedef struct arne_simulation_summary {
    double rms_error, peak_error; // of q_ref (-) q over all rows and joints
    // The largest |E - E(0) - work done| over the largest kinetic energy, or over that of the
    // robot's mass at 1 mm/s where it hardly moves.
    double energy_residual;
    double closure_error; // of loops; 0 where there are none
    // Rigid contact: the largest residual of its conditions [m/s], and the deepest penetration [m];
    // 0 where there is none.
    double contact_residual, penetration;
    long   limits_hit;                 // times a position limit was reached or a torque was cut
    long   steps, rates;               // of the integrator
    double time;                       // that was reached
    double solve_time, realtime_ratio; // wall-clock seconds, simulated over wall-clock
    int    complete;                   // the whole duration
    int    stopped;                    // by stop or progress
    char   ended[200];                 // why it ended before, "" where it did not
    double kinetic_largest;            // J
    // Which joints reached which limits, and when: the first ones of them.
    long             limit_event_count;
    arne_limit_event limit_events[ARNE_LIMIT_EVENTS];
} arne_simulation_summary;

// Told how far a run is (0 to 1), now and then; stops it by returning something other than 0.
typedef int (*arne_progress_fn)(void *context, double part);

ARNE_BEGIN

// Runs to the end, or to where it is stopped or fails. The rows up to there are in *out (to be
// freed), also after a failure; NULL where there are none. The last one is the last good state.
//
// progress  may be NULL
// ARNE_VALUE where a request is bad, ARNE_DIVERGED, ARNE_SINGULAR and what a controller returns
// where the run fails.
ARNE_API ARNE_CHECKED arne_status arne_simulate(const arne_simulation *simulation,
                                                arne_progress_fn progress, void *context,
                                                arne_table **out, arne_simulation_summary *summary,
                                                arne_error *error);

// ---- flight ----

// Gains of arne_controller_flight: accelerations by errors of position [1/s^2] and velocity [1/s],
// angular ones by errors of attitude [1/s^2] and angular velocity [1/s]; and the time constant of
// the motors.
typedef struct arne_flight_gains {
    double position[2], attitude[2], time_constant;
} arne_flight_gains;

// Flies a robot with a free base on the propellers among its surroundings (four or more, which lift
// along z of the base): the base follows the reference's position and turn about z. Propellers are
// driven as motors of first order.
ARNE_API ARNE_CHECKED arne_status arne_controller_flight(const arne_robot       *robot,
                                                         const arne_surrounding *surroundings,
                                                         int count, const arne_flight_gains *gains,
                                                         arne_controller **out, arne_error *error);

// ---- scenario files ----

typedef struct arne_scenario arne_scenario;

// Reads a scenario (docs/scenario.md) with the robot and the tables it names, and checks that it
// can be run. Mistakes have file, line and column: options->fail hears of all of them, error has
// the first. Of the options the base, gravity and friction are what the scenario says where it
// does. NULL: the usual ones.
ARNE_API ARNE_CHECKED arne_status arne_scenario_read(const char               *path,
                                                     const arne_build_options *options,
                                                     arne_scenario **out, arne_error *error);
// The same from memory; name stands for the file in messages, and other files are found from its
// folder.
ARNE_API ARNE_CHECKED arne_status arne_scenario_read_yaml(const char *text, size_t size,
                                                          const char               *name,
                                                          const arne_build_options *options,
                                                          arne_scenario **out, arne_error *error);
ARNE_API void                     arne_scenario_free(arne_scenario *scenario);
// What it says, to be run or changed; everything in it belongs to the scenario.
ARNE_API const arne_simulation *arne_scenario_simulation(const arne_scenario *scenario);
// A controller of the caller's in the place of the one that the file names: asked every sample_time
// seconds (0: at every evaluation). It is made for the scenario's robot, and belongs to the
// scenario from now on, also where the call fails. ARNE_VALUE where the reference drives the
// joints, or the sample time is negative.
ARNE_API ARNE_CHECKED arne_status arne_scenario_set_controller(arne_scenario   *scenario,
                                                               arne_controller *controller,
                                                               double           sample_time,
                                                               arne_error      *error);
ARNE_API const char              *arne_scenario_title(const arne_scenario *scenario);
// What the scenario says about itself in a sentence or two; "" where nothing.
ARNE_API const char *arne_scenario_text(const arne_scenario *scenario);

// A number that the scenario asks for, and what was published or is known; after arne_scenario_run.
typedef struct arne_figure {
    const char *name, *unit;
    double      value, published; // NAN: nothing to compare with
    double
        within; // how far apart they may be, as a part of the published one (of 1 where that is 0)
} arne_figure;
ARNE_API int         arne_scenario_figure_count(const arne_scenario *scenario);
ARNE_API arne_figure arne_scenario_figure(const arne_scenario *scenario, int index);
// Whether it is as far from the published number as it may be; one without is good.
ARNE_API int arne_figure_good(const arne_figure *figure);

typedef struct arne_scenario_options {
    size_t           size;     // of this struct, or 0: see arne/types.h
    arne_progress_fn progress; // NULL: none
    void            *context;
    arne_stop_fn     stop; // NULL: none
    void            *stop_context;
    int resume; // goes on with the run in DIR.incomplete, which must have the same inputs
} arne_scenario_options;

// Runs a scenario and leaves a run folder: inputs/, result.csv, summary.json with a list of what it
// wrote. The folder is written beside its place, brought to disk, and exchanged for the one that
// was there; that one must be empty or hold only what a run wrote, else the call fails before it
// computes anything and names the file. A link to a folder is followed. A run that is stopped,
// diverges or fails leaves what it has in DIR.incomplete, marked as not complete in summary.json.
// options may be NULL.
ARNE_API ARNE_CHECKED arne_status arne_scenario_run(arne_scenario *scenario, const char *dir,
                                                    const arne_scenario_options *options,
                                                    arne_simulation_summary     *summary,
                                                    arne_error                  *error);

ARNE_END

#endif

// The parameters that torques depend on: the regressor and the base parameters. Then:
// identification from recordings.
//
// Torques are linear in the parameters pi of a robot: tau = Y(q, qd, qdd) pi, plus the torques of
// springs and their dampers. The parameters are, in this order,
//     10 for the link that each joint moves (with all links that are fixed to it): m, m cx, m cy, m
//        cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz, about the link's origin and in its axes, as the file has
//        them [kg, kg m, kg m^2]
//     3 for the friction of each joint: viscous, Coulomb in the positive and in the negative
//     direction
//     1 for the rotor of each joint: its inertia, as the joint feels it
//     4 for each motor whose rotor is a body of its own (full, or on an elastic joint): the rotor's
//        inertia about its axis; and, behind a spring, its friction. Those of other motors are
//        zero: they are their joint's
// with the joints in the order of arne_robot_joint. Joints with several coordinates have the same
// friction and rotor in each. A fixed or prescribed base has no parameters; a free base comes
// first.
#ifndef ARNE_IDENTIFY_H
#define ARNE_IDENTIFY_H

#include <arne/report.h>
#include <arne/work.h>
#include <stddef.h>
#include <stdint.h>

// Kinds of parameters, which can be combined.
enum {
    ARNE_PARAMETERS_INERTIAL = 1,
    ARNE_PARAMETERS_FRICTION = 2,
    ARNE_PARAMETERS_ROTOR = 4,
    ARNE_PARAMETERS_ALL = 7
};

// The base parameters beta: the smallest set of numbers that determines all torques. Each is one of
// the parameters plus multiples of others that have no independent effect: beta = grouping pi, and
// tau is the product of the columns `kept` of Y with beta.
typedef struct arne_base_set {
    int     rank, parameter_count;
    int    *kept;     // rank parameters, in ascending order
    double *grouping; // rank x parameter_count, row-major; 1 at the parameter that is kept
} arne_base_set;

ARNE_BEGIN

// The number of parameters of all bodies and joints: the columns of the regressor.
ARNE_API int arne_parameter_count(const arne_robot *robot);
// pi of this robot.
ARNE_API void arne_parameters(const arne_robot *robot, double *pi);
// "forearm.Ixx", "elbow.viscous": as much of it as fits in size. Returns the length of the whole
// name.
ARNE_API int arne_parameter_name(const arne_robot *robot, int parameter, char *name, size_t size);

// Y: v_count x parameter_count, row-major. O(n d), d the depth of the tree; allocates nothing;
// cannot fail.
ARNE_API void arne_regressor(const arne_robot *robot, arne_work *work, const double *q,
                             const double *qd, const double *qdd, double *Y);

// The base parameters among those of `kinds`, by the numerical rank of regressors at random states.
// Of parameters that form a group, the one nearest to the base is kept; of one link, its mass and
// the parameters along its joint's axis are dropped first (as in Gautier and Khalil 1990). Equal
// seeds give equal results; different seeds agree up to rounding.
//
// work    has the pose of a fixed base; a prescribed base is moved at random, and restored
ARNE_API ARNE_CHECKED arne_status arne_base_set_new(const arne_robot *robot, arne_work *work,
                                                    int kinds, uint64_t seed, arne_base_set **out,
                                                    arne_error *error);
ARNE_API void                     arne_base_set_free(arne_base_set *set);
// beta = grouping pi
ARNE_API void arne_base_values(const arne_base_set *set, const double *pi, double *beta);

// A robot with the same torques and as many zeros among its inertial parameters as possible, for
// generated code, which omits products with zero. Inverse and forward dynamics, the mass matrix,
// gravity, bias and their derivatives are those of the given robot (a fixed base standing upright,
// as it does by default); its masses, centres of mass, energies, momenta and joint wrenches have no
// meaning. Rotors are moved into links where they can be. ARNE_UNSUPPORTED if a joint follows by a
// function.
ARNE_API ARNE_CHECKED arne_status arne_robot_base_form(const arne_robot *robot, arne_robot **out,
                                                       arne_error *error);

ARNE_END

// ---- from recordings to a robot: docs/identify.md
//
// For robots with a fixed base and joints of one coordinate, without loops, springs on motors and
// joints that follow others.

// Terms of friction, which can be combined. Files use the same names.
enum {
    ARNE_FRICTION_VISCOUS = 1,
    ARNE_FRICTION_COULOMB = 2,  // one number for each direction, unless there is an offset
    ARNE_FRICTION_OFFSET = 4,   // and Coulomb friction is the same in both directions
    ARNE_FRICTION_STRIBECK = 8, // additional at low speed, by exp(-(qd / v)^2): v is estimated
    // Instead of Coulomb friction: f / (1 + exp(-a (qd + v))) minus its value at rest; a and v are
    // estimated.
    ARNE_FRICTION_SIGMOID = 16,
    ARNE_FRICTION_LOAD = 32, // proportional to the torque without friction
    ARNE_FRICTION_NONE = 64  // none at all
};

typedef enum arne_estimator {
    ARNE_ESTIMATOR_CONSISTENT, // every link is physically possible
    ARNE_ESTIMATOR_FREE        // weighted least squares: any numbers
} arne_estimator;

// The side of the gears on which a log was recorded.
typedef enum arne_log_side {
    ARNE_SIDE_SEEN, // detected from the positions: joints, unless only motors can have them
    ARNE_SIDE_JOINTS,
    ARNE_SIDE_MOTORS // by the gears and couplings of the robot
} arne_log_side;

// A column of a file under another name or in another unit; see arne_identify_options.columns.
typedef struct arne_column_alias {
    const char *name;    // ours: time, q.JOINT, qd.JOINT, qdd.JOINT, tau.JOINT, current.JOINT
    const char *in_file; // its name there, or its number from 1; NULL: the same
    double      factor;  // to SI; 0: 1
} arne_column_alias;

// A box in a link's axes, in which its centre of mass lies; or the ellipsoid that touches its six
// sides.
typedef struct arne_com_region {
    int       frame; // the link
    arne_vec3 low, high;
    int       is_ellipsoid;
} arne_com_region;

typedef struct arne_identify_options {
    size_t         size; // of this struct, or 0: see arne/types.h
    arne_estimator estimator;
    int            friction; // ARNE_FRICTION_..., added up; 0: viscous and Coulomb
    int            no_rotor; // rotor inertias stay as they are
    int            springs;  // joints have springs: a stiffness and a torque at q = 0
    int            order;    // of the filters; 0: 4
    double         cutoff;   // of positions [Hz]; 0: from the spectrum; negative: none
    double torque_cutoff; // of torques and regressors alike [Hz]; 0: as positions; negative: none
    int    decimate;      // use every n-th row; 0: as the filter allows; 1: all
    double hold_back;     // the part used for validation if no log is given for that; 0: 0.2
    double rest_speed; // rows where no joint is faster [rad/s, m/s] are left out; 0: than 0.5 % of
                       // its top speed; negative: none
    double        crossing_speed; // rows of a joint that is slower are left out; 0: none are
    double        huber; // residuals beyond this many deviations get less weight; 0: equal weights
    double        ridge; // weight of the prior in the free estimate; 0: none
    double        prior; // weight of the entropic distance to the prior; 0: 0.01
    const double *gains; // of drives, torque per current [N m/A]; 0: unknown. NULL: all unknown
    arne_log_side side;
    // q of motors = coupling x q of joints, v_count x v_count row by row; torques of joints = its
    // transpose x those of motors: the recording is then one of motors, and this matrix replaces
    // the robot's gears and couplings. NULL: those of the robot.
    const double            *coupling;
    const double            *offset; // added to the recorded positions of joints; NULL: none
    const arne_column_alias *columns;
    int                      column_count;
    int                      no_header;           // the file starts with numbers
    long                     first_row, last_row; // of files to fit, from 1; 0: all
    long                     validate_first_row, validate_last_row;
    const arne_com_region   *regions;
    int                      region_count;
    int                      threads; // 0: one for each processor; results are the same
    arne_warning_fn          warn;
    void                    *warn_context;
    arne_error_fn            fail; // told of every mistake in the files; error has the first
    void                    *fail_context;
    arne_stop_fn             stop;
    void                    *stop_context;
} arne_identify_options;

// How well torques are predicted. Arrays are by joint.
typedef struct arne_identify_fit {
    long          rows;
    const double *rms;      // of the residual [N m, N]
    const double *percent;  // the same in percent of the rms of the torque
    const double *measured; // the rms of the torque
} arne_identify_fit;

typedef struct arne_identified {
    const char *name; // of a parameter that is kept: "link2.Ixx", "elbow.viscous"
    const char *unit;
    const char *grouping; // "link2.Ixx + link3.m ...", the combination that has this value
    double      value, deviation, prior;
    int         essential; // it has a significant effect on the recorded torques
    int         seen;      // 0: the data do not determine it; it has the value of the prior
} arne_identified;

typedef struct arne_identify_result {
    int                    is_consistent; // of the robot that was found
    int                    base_count, joint_count;
    const arne_identified *base; // what data can determine: base parameters, friction, ...
    const double          *free; // the same of the free estimate, by weighted least squares
    arne_identify_fit      fit, validate; // of the robot that was found; rows 0: no such data
    arne_identify_fit      fit_free, validate_free;   // of the free estimate
    arne_identify_fit      fit_prior, validate_prior; // of the robot that was given
    double                 condition; // of the regressor, columns scaled to length 1
    double                 cutoff, torque_cutoff, rate; // what was used [Hz]; 0: no filter
    int                    decimate;
    const double          *gains;           // what was used; NULL: torques were recorded
    const double          *gain_deviations; // of those that were found; 0: given
    const double *correlation; // by joint: factor on variances from the correlation of residuals
    const double *parameters;  // as arne_parameters has them, of the robot that was found
    int           inconsistent_count;
    const int    *inconsistent;            // joints whose links are physically impossible
    int           free_inconsistent_count; // of the free estimate: in how many links
} arne_identify_result;

// The mass, centre and inertia of a load.
typedef struct arne_load_found {
    arne_payload load; // in the frame
    double       deviation
        [10]; // of m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the frame's origin
    double    mass_deviation;
    arne_vec3 com_deviation;
    double    percent;               // residual of the torque, of all joints together
    double    cutoff, torque_cutoff; // what was used [Hz]; 0: no filter
    int       rests_on_robot; // no log without the load: deviations hold only if the links of
                              // the robot are as its file has them
} arne_load_found;

typedef struct arne_identify arne_identify;

typedef enum arne_log_role { ARNE_LOG_FIT, ARNE_LOG_VALIDATE, ARNE_LOG_LOADED } arne_log_role;

// A recording in memory: rows x v_count each, row by row. qd and qdd may be NULL: they are computed
// from q.
typedef struct arne_log {
    int           rows;
    const double *time, *q, *qd, *qdd;
    const double *tau; // torques, or currents
    int           is_current;
} arne_log;

ARNE_BEGIN

// The robot is the prior, and must outlive the result. options may be NULL; what they point to is
// copied.
ARNE_API ARNE_CHECKED arne_status arne_identify_new(const arne_robot            *robot,
                                                    const arne_identify_options *options,
                                                    arne_identify **out, arne_error *error);
// NULL is fine.
ARNE_API void arne_identify_free(arne_identify *identify);
// Adds a file, which is read row by row when it is needed.
ARNE_API ARNE_CHECKED arne_status arne_identify_add_file(arne_identify *identify, const char *path,
                                                         arne_log_role role, arne_error *error);
// Adds a recording in memory, which must outlive the fit.
ARNE_API ARNE_CHECKED arne_status arne_identify_add_log(arne_identify  *identify,
                                                        const arne_log *log, arne_log_role role,
                                                        arne_error *error);
// Does all passes over the recordings: checks, fit, validation.
ARNE_API ARNE_CHECKED arne_status arne_identify_fit_robot(arne_identify *identify,
                                                          arne_error    *error);
// After a fit; lives as long as identify.
ARNE_API const arne_identify_result *arne_identify_get(const arne_identify *identify);
// The identified robot, to be freed. ARNE_MODEL if a free estimate is not a possible robot.
ARNE_API ARNE_CHECKED arne_status arne_identify_robot(const arne_identify *identify,
                                                      arne_robot **out, arne_error *error);
// The folder: robot.yaml, robot.urdf, parameters.csv, summary.json, residuals.csv and friction.csv.
// All of it or nothing. page: how its report.html is written; NULL: none.
ARNE_API ARNE_CHECKED arne_status arne_identify_write(const arne_identify       *identify,
                                                      const char                *dir,
                                                      const arne_report_options *page,
                                                      arne_error                *error);

// A load on a link or frame, from a log with it (ARNE_LOG_LOADED) and one without (ARNE_LOG_FIT),
// or from the former alone; then the robot's links are taken as they are, and its friction is
// estimated. With the consistent estimator the load is physically possible.
ARNE_API ARNE_CHECKED arne_status arne_identify_payload(arne_identify *identify, int frame,
                                                        arne_load_found *out, arne_error *error);

// Options from a file: docs/identify.md.
typedef struct arne_identify_settings arne_identify_settings;

// robot may be NULL if the file is only to be checked. options may be NULL; otherwise they are the
// defaults for what the file does not set (what they point to must outlive the settings), and their
// `fail` is told of every mistake.
ARNE_API ARNE_CHECKED arne_status arne_identify_settings_read(const char                  *path,
                                                              const arne_robot            *robot,
                                                              const arne_identify_options *options,
                                                              arne_identify_settings     **out,
                                                              arne_error                  *error);
ARNE_API void                     arne_identify_settings_free(arne_identify_settings *settings);
// The options of the file; arrays live as long as the settings.
ARNE_API const arne_identify_options *
arne_identify_settings_options(const arne_identify_settings *settings);

// The form of an exciting motion, for each joint.
typedef enum arne_design_motion_kind {
    ARNE_DESIGN_FOURIER, // a Fourier series
    ARNE_DESIGN_SPLINES  // a spline of degree 5 with as many parameters
} arne_design_motion_kind;

// An exciting motion: q(t) starts and ends at rest in the same place.
typedef struct arne_design_options {
    size_t        size;      // of this struct, or 0: see arne/types.h
    double        period;    // [s]; 0: 10
    int           harmonics; // 0: 5. A joint has 2 harmonics - 1 parameters
    int           starts;    // searches from random motions; 0: 4
    uint64_t      seed;
    double        margin;        // part of every limit that is left; 0: 0.05
    double        acceleration;  // limit of all joints; 0: twice the limits of velocity, in 1/s
    const double *accelerations; // by joint, instead; NULL: one for all
    double        noise;         // of torques, as a part of the limits of effort; 0: 0.01
    const double *noises;        // by joint [N m]; NULL: by that part
    int           friction;      // of the model, as in arne_identify_options
    int           no_rotor;
    const int    *frames; // that stay above the floor; NULL: none
    int           frame_count;
    double        floor;      // [m]
    int           iterations; // of a search; 0: 150
    arne_design_motion_kind motion;
    arne_stop_fn            stop;
    void                   *stop_context;
} arne_design_options;

typedef struct arne_design arne_design;

typedef struct arne_design_result {
    double period;
    int    base_count;
    double log_det;   // of the weighted information of the base parameters
    double condition; // of the regressor, its columns scaled to length 1 over the motion
    double random_condition, sinusoid_condition; // of other motions within the same limits
    const arne_identified *base;                 // value: the robot's; deviation: the expected one
    double                 worst; // the largest part of a limit that is used, between samples too
    const char            *worst_limit;
} arne_design_result;

// Searches for a motion, which takes seconds. The robot must outlive the design; options may be
// NULL. ARNE_VALUE if no motion stays within the limits.
ARNE_API ARNE_CHECKED arne_status arne_design_new(const arne_robot          *robot,
                                                  const arne_design_options *options,
                                                  arne_design **out, arne_error *error);
ARNE_API void                     arne_design_free(arne_design *design);
// Lives as long as the design.
ARNE_API const arne_design_result *arne_design_get(const arne_design *design);
// q, qd, qdd at a time; each v_count, each may be NULL.
ARNE_API void arne_design_motion(const arne_design *design, double time, double *q, double *qd,
                                 double *qdd);
// The folder: motion.csv at a sample rate [Hz], result.csv, summary.json and parameters.csv. page:
// as of arne_identify_write.
ARNE_API ARNE_CHECKED arne_status arne_design_write(const arne_design *design, double rate,
                                                    const char                *dir,
                                                    const arne_report_options *page,
                                                    arne_error                *error);

ARNE_END

#endif

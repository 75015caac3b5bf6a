// Muscles: paths over bodies and wrapping surfaces, and laws of force. Path springs and ligaments
// are the same paths with another law; of a limit the coordinate of a joint stands for the length.
//
// A path goes straight from point to point, over the surfaces that it wraps; it has a length L(q)
// and moment arms -dL/dq, the generalised forces of unit tension. OpenSim's words are given where
// they differ.
#ifndef ARNE_MUSCLE_H
#define ARNE_MUSCLE_H

#include <arne/builder.h>
#include <arne/work.h>

// A point of a path. Each component of a moving point may follow a joint by a function; the joint
// is taken within its limits (OpenSim: the range of the coordinate).
typedef struct arne_path_point {
    const char   *link;         // a link or named frame
    arne_vec3     position;     // in it
    const char   *joint;        // conditional: the point counts only while lower <= q <= upper of
    double        lower, upper; // this joint of one coordinate (with 1e-5 to spare); NULL: always
    const char   *follows[3];   // moving: x, y, z are functions of these joints; NULL: constant
    arne_function functions[3];
    // The path comes here from the point before inside of the rod that carries both: its place in
    // the section goes straight from the one to the other, or with `turns` (not 0) around the axis
    // by so many turns while its distance goes straight. Of exponential joints the two points are
    // in the sections at the joint's two ends.
    int    along;
    double turns;
} arne_path_point;

typedef enum arne_wrap_shape {
    ARNE_WRAP_CYLINDER,  // radius, length; its axis is z
    ARNE_WRAP_SPHERE,    // radius
    ARNE_WRAP_ELLIPSOID, // half axes along x, y, z
    ARNE_WRAP_TORUS,     // radius of the tube, and of the ring that is its middle line, about z
    ARNE_WRAP_SHAPE_COUNT
} arne_wrap_shape;

// On which side of the surface a path passes: the shorter one, or always that of this half axis.
typedef enum arne_wrap_side {
    ARNE_WRAP_ALL,
    ARNE_WRAP_X,
    ARNE_WRAP_MINUS_X,
    ARNE_WRAP_Y,
    ARNE_WRAP_MINUS_Y,
    ARNE_WRAP_Z,
    ARNE_WRAP_MINUS_Z,
    ARNE_WRAP_SITE, // of a cylinder or sphere: as MuJoCo passes a side site on the x axis
    ARNE_WRAP_SIDE_COUNT
} arne_wrap_side;

typedef struct arne_wrap_spec {
    const char     *name, *link;
    arne_pose       origin; // in the link
    arne_wrap_shape shape;
    double          size[3];
    arne_wrap_side  side; // OpenSim: quadrant
    arne_place      place;
} arne_wrap_spec;

// A surface that a path may wrap, between two of its points.
typedef struct arne_path_wrap {
    const char *wrap;
    int         first, last; // points, from 0; last -1: the last one
} arne_path_wrap;

typedef enum arne_muscle_kind {
    ARNE_MUSCLE_MILLARD,  // Millard et al. 2013: Bezier curves, damped fibre
    ARNE_MUSCLE_THELEN,   // Thelen 2003
    ARNE_MUSCLE_DEGROOTE, // De Groote et al. 2016: smooth curves, damped fibre
    ARNE_MUSCLE_LIGAMENT, // max_force times a function of L / slack_length, where that is > 1
    ARNE_MUSCLE_SPRING,   // stiffness (L - slack_length) (1 + dissipation Ldot), where L is longer
    ARNE_MUSCLE_LIMIT,    // holds a joint back beyond its limits (OpenSim: coordinate limit force)
    ARNE_MUSCLE_TENDON,   // MuJoCo's: a spring that also pushes, with a damper
    ARNE_MUSCLE_CABLE,    // pulls with activation times max_force: a tendon of a soft robot
    ARNE_MUSCLE_CHAMBER,  // pushes so: max_force is its largest pressure times its area
    ARNE_MUSCLE_KIND_COUNT
} arne_muscle_kind;

// What stands for the length of a path of the law `tendon`.
typedef enum arne_path_measure {
    ARNE_MEASURE_LENGTH,
    ARNE_MEASURE_X, // where the second of two points is, along an axis of the first one's frame [m]
    ARNE_MEASURE_Y,
    ARNE_MEASURE_Z,
    ARNE_MEASURE_TURN_X, // how the second one's frame is turned in the first one's: body-fixed angles
    ARNE_MEASURE_TURN_Y, // about x, y, z [rad], with those about y within a quarter turn
    ARNE_MEASURE_TURN_Z,
    ARNE_MEASURE_COUNT
} arne_path_measure;

// The numbers of a law. Lengths of fibres are divided by fibre_length, their velocities by
// max_velocity fibre_length, lengths of tendons by slack_length, forces by max_force.
typedef struct arne_muscle_law {
    arne_muscle_kind kind;
    double           max_force;    // N, isometric; of a ligament: of its function 1
    double           fibre_length; // m, the optimal one
    double           slack_length; // m, of the tendon; of ligaments and springs: at rest
    double           pennation;    // rad, at the optimal fibre length
    double           max_velocity; // 1/s, fibre lengths per second
    double           damping;      // of the fibre: force at max_velocity
    double           activation_time, deactivation_time; // s
    double           minimum_activation;
    int              rigid_tendon;   // it does not stretch
    int              no_passive;     // the fibre alone pulls nothing
    double           tendon_strain;  // of a tendon that pulls with max_force
    double           passive_strain; // of a passive fibre that does
    // Thelen
    double active_shape, passive_shape; // KshapeActive, KshapePassive
    double velocity_shape;              // Af
    double lengthening_force;           // Flen
    // De Groote
    double active_width; // the factor of the width of the active curve
    // Millard, the parameters of four curves
    double active[5]; // the least, the transition and the largest length, slope, minimum
    double
        velocity[8];   // slopes at -1, near it, at 0, at 1 and near it; force at 1; two curvinesses
    double passive[4]; // strain of no force, low stiffness, stiffness (0: 2 / strain), curviness
    double tendon[3];  // stiffness (0: 1.375 / strain), force where the toe ends, curviness
    // springs
    double stiffness;   // N/m
    double dissipation; // s/m
    // limits: beyond them stiffness (q - limit) + damping qd, both growing smoothly over transition
    double limits[2], limit_stiffness[2]; // lower, upper; rad or m, N m/rad or N/m
    double transition;                    // rad or m
    // tendons: x (elastic[0] + elastic[1] x + elastic[2] x^2), x how far L is outside of `slack`,
    // plus v (viscous[0] + viscous[1] |v| + viscous[2] v^2), v = dL/dt.
    double slack[2];   // m, the shortest and longest length without force
    double elastic[3]; // N/m, N/m^2, N/m^3
    double viscous[3]; // N s/m, N s^2/m^2, N s^3/m^3
} arne_muscle_law;

typedef struct arne_muscle_spec {
    const char            *name;
    arne_muscle_law        law;
    arne_function          curve;   // of a ligament: its force at L / slack_length
    const char            *joint;   // of a limit, which has no points: a joint of one coordinate
    arne_path_measure      measure; // of a tendon; OpenSim: six make a bushing
    int                    point_count, wrap_count;
    const arne_path_point *points;
    const arne_path_wrap  *wraps;
    arne_place             place;
} arne_muscle_spec;

ARNE_BEGIN

// The usual numbers of a law, without force and lengths; a sphere of no size at the link's origin.
ARNE_API arne_muscle_spec arne_muscle_spec_default(arne_muscle_kind kind);
ARNE_API arne_wrap_spec   arne_wrap_spec_default(void);
// "millard", "cylinder", "-x" and so on; NULL if there is no such kind, shape, side or measure.
ARNE_API const char *arne_muscle_kind_name(arne_muscle_kind kind);
ARNE_API const char *arne_wrap_shape_name(arne_wrap_shape shape);
ARNE_API const char *arne_wrap_side_name(arne_wrap_side side);
ARNE_API const char *arne_path_measure_name(arne_path_measure measure); // "length", "turn_x"
// The number of entries of `size` for a shape.
ARNE_API int arne_wrap_size_count(arne_wrap_shape shape);

// Adds a muscle or a surface, with copies of all that it points to; names are resolved by
// arne_builder_finish. clear removes all muscles and surfaces.
ARNE_API ARNE_CHECKED arne_status arne_builder_add_muscle(arne_builder           *builder,
                                                          const arne_muscle_spec *spec,
                                                          arne_error             *error);
ARNE_API ARNE_CHECKED arne_status arne_builder_add_wrap(arne_builder         *builder,
                                                        const arne_wrap_spec *spec,
                                                        arne_error           *error);
ARNE_API void                     arne_builder_clear_muscles(arne_builder *builder);

// How many muscles and surfaces a robot has.
ARNE_API int arne_muscle_count(const arne_robot *robot);
ARNE_API int arne_wrap_count(const arne_robot *robot);
// A muscle or surface as it was given, with the robot's own names; points and wraps of the muscle
// are NULL, for the two functions below. Indices must be in range.
ARNE_API arne_muscle_spec arne_robot_muscle(const arne_robot *robot, int muscle);
ARNE_API arne_wrap_spec   arne_robot_wrap(const arne_robot *robot, int wrap);
ARNE_API arne_path_point  arne_muscle_point(const arne_robot *robot, int muscle, int point);
ARNE_API arne_path_wrap   arne_muscle_wrap(const arne_robot *robot, int muscle, int index);
// By name, -1 if there is none.
ARNE_API int arne_find_muscle(const arne_robot *robot, const char *name);

// ---- paths ----

// The length of every path at q and, with qd, the speed at which it lengthens [m, m/s]; of a limit
// q and qd of its joint; of a tendon what it measures.
//
// Wrapped surfaces: the path is straight up to a surface and the shortest on it. It wraps a surface
// that a straight piece goes through; with a side, also a cylinder that a piece passes on the wrong
// side. No piece wraps a surface that one of its ends is inside of. Of an ellipsoid whose side is
// given, the shortest path on that side is taken if there is one, else the shortest. A torus is
// wrapped through its hole, on a cylinder that touches the tube (OpenSim); its side is that of the
// hole where the path passes, and the path wraps nothing else. Several
// surfaces are wrapped so that the whole path is the shortest; OpenSim stops before that.
//
// qd, velocities   NULL: not wanted; or lengths
// work             afterwards holds the poses of bodies, with velocities their twists too
// cost             O(bodies + points); allocates nothing. Fails for NULL, and for a workspace of
//                  another robot
ARNE_API ARNE_CHECKED arne_status arne_muscle_lengths(const arne_robot *robot, arne_work *work,
                                                      const double *q, const double *qd,
                                                      double *lengths, double *velocities);
// arms[i v_count + k] = -dL_i/dq_k, exact, also over surfaces and through couplings: the torque of
// the coordinate k by a unit tension of the muscle i. So tau = arms^T tension, and the velocities
// of paths are -arms qd.
ARNE_API ARNE_CHECKED arne_status arne_muscle_moment_arms(const arne_robot *robot, arne_work *work,
                                                          const double *q, double *arms);
// out[(i v_count + k) v_count + l] = d2L_i/dq_k dq_l: exact for paths of straight pieces between
// points that are fixed in their links; else from moment arms nearby, to about 1e-10 of the length.
// scratch: v_count + muscle_count (v_count + 1) numbers. ARNE_UNSUPPORTED for joints whose
// velocities are no rates of coordinates.
ARNE_API ARNE_CHECKED arne_status arne_muscle_second_derivatives(const arne_robot *robot,
                                                                 arne_work *work, const double *q,
                                                                 double *scratch, double *out);
// Adds to f_ext (body_count) what the paths pull on the bodies with these tensions: forces at
// points and surfaces. So J^T f_ext is arms^T tensions; where a point moves in its link, without
// the part of its motion in the link. For joint wrenches with muscles in them:
// arne_inverse_dynamics with f_ext, then arne_joint_wrench (OpenSim: joint reactions). Those of a
// limit turn or push the two bodies of its joint. ARNE_UNSUPPORTED where a path with tension runs
// along a rod, or a limit is that of a strain: they act on strains, not on single bodies.
ARNE_API ARNE_CHECKED arne_status arne_muscle_wrenches(const arne_robot *robot, arne_work *work,
                                                       const double *q, const double *tensions,
                                                       arne_wrench *f_ext);
// All of it in many states: rows of q and qd give rows of lengths, velocities (muscle_count each)
// and arms (muscle_count x v_count). qd and outputs may be NULL. threads 0: as many as processors.
// Makes workspaces of its own.
ARNE_API ARNE_CHECKED arne_status arne_muscle_paths(const arne_robot *robot, int states,
                                                    const double *q, const double *qd, int threads,
                                                    double *lengths, double *velocities,
                                                    double *arms);

ARNE_END

#endif

// The robot: read-only, one block of memory, shareable between threads.
//
// Links connected by fixed joints are merged into one body; body 0 is the base. Every link keeps
// its name and its own frame: it is a frame on the body that contains it.
//
// A motor that drives its joint through a spring has a coordinate of its own, theta. The
// coordinates theta of all such motors are at the end of q, qd, qdd and tau, after those of the
// joints, in the order of the motors. Springs and dampers are part of the dynamics, so every
// algorithm treats an elastic robot like any other.
#ifndef ARNE_ROBOT_H
#define ARNE_ROBOT_H

#include <arne/function.h>
#include <arne/status.h>
#include <arne/types.h>

typedef enum arne_joint_kind {
    ARNE_JOINT_FIXED,
    ARNE_JOINT_REVOLUTE,
    ARNE_JOINT_CONTINUOUS,
    ARNE_JOINT_PRISMATIC,
    ARNE_JOINT_HELICAL,
    ARNE_JOINT_BALL,
    ARNE_JOINT_UNIVERSAL,
    ARNE_JOINT_PLANAR,
    ARNE_JOINT_FREE,
    ARNE_JOINT_STRAIN,      // a coordinate that moves nothing by itself: others take it up
    ARNE_JOINT_EXPONENTIAL, // the exponential of a twist, which strains make up
    ARNE_JOINT_KIND_COUNT
} arne_joint_kind;

// The parts of the twist of an exponential joint: of a rod along x, how it is bent, twisted and
// stretched. Turns are about the axes, the last three are along them.
typedef enum arne_strain {
    ARNE_STRAIN_TWIST,
    ARNE_STRAIN_BEND_Y,
    ARNE_STRAIN_BEND_Z,
    ARNE_STRAIN_STRETCH,
    ARNE_STRAIN_SHEAR_Y,
    ARNE_STRAIN_SHEAR_Z,
    ARNE_STRAIN_COUNT
} arne_strain;

// The kind of a coordinate of a joint, which also determines the units of its rate, acceleration
// and torque.
typedef enum arne_coordinate {
    ARNE_COORDINATE_ANGLE,
    ARNE_COORDINATE_LENGTH,
    ARNE_COORDINATE_QUATERNION, // a part of one; no unit, no limits
    ARNE_COORDINATE_STRAIN      // a plain number
} arne_coordinate;

// Facts about a kind of joint.
typedef struct arne_joint_kind_info {
    const char     *name;
    int             q_count, v_count;
    int             body_count;    // that it becomes: 0, its links are one body
    arne_joint_kind body_kind;     // the kind of these bodies
    int             quaternion;    // where its quaternion starts in q; -1: it has none
    int             has_axis;      // the file gives one
    int             has_pitch;     // and a pitch
    int             has_body_axes; // velocities are in body axes: qd is not the rate of q
    int             is_periodic;   // q and q + 2 pi are the same configuration
    arne_coordinate limits; // what its limits are; of several coordinates, those of the first
    arne_coordinate q[7], v[6];
    const char     *q_name[7], *v_name[6];
} arne_joint_kind_info;

// How a loop constrains the two frames that it connects. Axes are those of the frames: z is the
// axis.
typedef enum arne_loop_kind {
    ARNE_LOOP_FIXED,     // the frames coincide
    ARNE_LOOP_REVOLUTE,  // the second turns about z of the first
    ARNE_LOOP_PRISMATIC, // the second slides along z of the first
    ARNE_LOOP_UNIVERSAL, // origins coincide; y of the second stays perpendicular to x of the first
    ARNE_LOOP_BALL,      // origins coincide
    ARNE_LOOP_PLANAR_POINT, // origins coincide except along z of the first: a pin of a planar
                            // mechanism
    ARNE_LOOP_ROD,          // origins are at a constant distance
    // Constraints on velocities only (nonholonomic): positions are free.
    ARNE_LOOP_ROLLING, // a disc about z of the second rolls without slip on the plane across z of
                       // the first
    ARNE_LOOP_KNIFE_EDGE, // the second's origin does not move across its own x, in the plane across
                          // z of the first
    ARNE_LOOP_KIND_COUNT
} arne_loop_kind;

// The joints of a leg of a parallel robot from the base to the platform: U universal, P prismatic,
// S ball, R revolute.
typedef enum arne_leg_kind {
    ARNE_LEG_NONE,  // a loop that is no leg
    ARNE_LEG_CHAIN, // joints of any kind
    ARNE_LEG_UPS,
    ARNE_LEG_SPS, // like UPS, without the rotation of the leg about itself
    ARNE_LEG_RUS,
    ARNE_LEG_PUS,
    ARNE_LEG_RRR,
    ARNE_LEG_UPU,
    ARNE_LEG_KIND_COUNT
} arne_leg_kind;

// Data for the inverse kinematics of a leg, in addition to its joints.
typedef struct arne_leg {
    arne_leg_kind kind;
    arne_pose     base;  // the leg's frame in the link that carries it
    double        crank; // RUS, RRR: of the first link
    double        rod;   // RUS, PUS, RRR: of the last
    arne_vec3     slide; // PUS: unit vector in the leg's frame
} arne_leg;

// Contact shapes of links. Lengths are in metres; capsules, cylinders and discs lie along z of the
// shape's frame.
typedef enum arne_shape {
    ARNE_SHAPE_POINT,
    ARNE_SHAPE_SPHERE,   // radius
    ARNE_SHAPE_CAPSULE,  // radius, length of its straight part
    ARNE_SHAPE_BOX,      // whole lengths along x, y, z; its corners touch
    ARNE_SHAPE_CYLINDER, // radius, length; its rims touch
    ARNE_SHAPE_DISC,     // radius; its rim touches: a wheel
    ARNE_SHAPE_COUNT
} arne_shape;

typedef struct arne_contact_info {
    const char *name; // that of the link if the file gives none
    int         link; // frame
    arne_shape  shape;
    double      size[3];
    arne_pose   pose;     // in the link's frame
    double      friction; // its own coefficient; negative: that of the surface
    double      tyre[2];  // slip stiffness along and across a wheel [N, N/rad]; 0: not a tyre
} arne_contact_info;

typedef struct arne_robot arne_robot;

typedef struct arne_sizes {
    int q_count;     // entries of q
    int v_count;     // entries of qd, qdd, tau
    int body_count;  // moving bodies and the base, which is body 0
    int joint_count; // all joints of the file but fixed ones; the joint of a free base comes first
    int frame_count; // links first (in the file's order), then other named frames
    int link_count;
    int motor_count;    // in the order of the joints they drive
    int spring_count;   // springs on joints; those of motors are not among them
    int theta_count;    // entries of motors at the end of q and of qd
    int loop_count;     // joints that close loops, besides those of the tree
    int loop_row_count; // scalar constraints of all loops
    int contact_count;  // shapes that touch
} arne_sizes;

typedef struct arne_joint_info {
    const char     *name;
    arne_joint_kind kind;
    int             parent, child;    // frames (links); the parent of a free base's joint is -1
    int             q_start, q_count; // its entries of q; a mimic joint has none
    int             v_start, v_count;
    arne_vec3       axis; // in the child link's axes
    double          pitch;
    double          lower, upper, velocity, effort; // infinite where there is no limit
    int             soft; // lower and upper are the usual range: marker kinematics may leave it
    double          viscous, coulomb_positive, coulomb_negative, rotor_inertia;
    int    mimic; // the joint it follows, or -1; where it follows several, see arne_joint_terms
    double mimic_ratio, mimic_offset;
    int    function_count; // it follows by that many functions, see arne_joint_functions: then the
                           // three before are its share in proportion, if it has any
    int    passive;        // nothing drives it: see arne/loop.h
    double start;          // where the search for an assembly starts: joints of one coordinate
    double starts[7];      // likewise of several; a quaternion of zeros: the neutral one
} arne_joint_info;

// One of the functions that a joint follows.
typedef struct arne_follow {
    int           with;  // the joint whose coordinate it takes
    int           times; // of a product: the other joint; else -1
    arne_function function;
} arne_follow;

// What a strain of an exponential joint takes up: see arne_strain_spec.
typedef struct arne_strain_info {
    int         with; // the joint whose coordinate it is
    arne_strain strain;
    double      weight[2];
} arne_strain_info;

typedef struct arne_frame_info {
    const char *name;
    int         is_link;
    int         body; // the body that carries it
    int parent; // link it was attached to by a joint of any kind, or the link of a named frame; -1:
                // root
    arne_pose pose;       // in the body's own frame
    double    mass;       // as the file says, also of links that are merged
    arne_vec3 com;        // in the link's frame
    double    inertia[6]; // xx, yy, zz, xy, xz, yz about the centre of mass, in the link's axes
    double    gravity_compensation; // the fraction of its weight that a force at its centre holds
} arne_frame_info;

typedef struct arne_motor_info {
    const char *name;
    int         joint;          // it drives
    int         link;           // frame of the link that carries it
    arne_vec3   axis, position; // in that link's frame
    double      gear, inertia, transverse, mass;
    int         mass_included, inertia_included, reflected;
    double      stiffness, damping; // infinite stiffness: rigid
    double      viscous, coulomb_positive, coulomb_negative;
    double      effort, effort_rate; // infinite where there is no limit
    int         q_index, v_index; // of theta; -1: the joint's own coordinate, which moves with it
} arne_motor_info;

// A joint and a ratio: something moves by ratio times the motion of this joint.
typedef struct arne_term {
    int    joint; // one with a coordinate of its own
    double ratio;
} arne_term;

// With x = q - rest its torque is
//     -stiffness x - stiffness_more[0] x^2 - stiffness_more[1] x^3
//     - damping qd - damping_more[0] qd |qd| - damping_more[1] qd^3.
typedef struct arne_spring_info {
    int    joint;
    double stiffness, damping, rest;
    double stiffness_more[2], damping_more[2];
    int    passive; // no motor drives the joint, nor does it follow: the spring alone holds it
} arne_spring_info;

// A joint that closes a loop: the tree is cut there.
typedef struct arne_loop_info {
    const char    *name;
    arne_loop_kind kind;
    int            frame[2];  // links or frames of the predecessor and the successor
    arne_pose      at[2];     // the tied frames in those
    double         length;    // of a rod; the radius of a disc that rolls
    int            row_start; // its first scalar constraint
    int            row_count;
    arne_leg       leg; // where the loop ends a leg of a parallel robot: see arne/parallel.h
} arne_loop_info;

// How the root is connected with the world. DEFAULT is only for options: as in the file, or else
// fixed.
typedef enum arne_base {
    ARNE_BASE_DEFAULT,
    ARNE_BASE_FIXED,
    ARNE_BASE_PRESCRIBED,
    ARNE_BASE_FREE
} arne_base;

typedef struct arne_payload {
    double    mass;
    arne_vec3 com;        // in the frame it is attached to
    double    inertia[6]; // xx, yy, zz, xy, xz, yz about its centre of mass, in the frame's axes
} arne_payload;

ARNE_BEGIN

// Takes NULL.
ARNE_API void arne_robot_free(arne_robot *robot);

// The numbers of coordinates, bodies, joints and frames; the name; the acceleration of free fall.
ARNE_API arne_sizes  arne_robot_sizes(const arne_robot *robot);
ARNE_API const char *arne_robot_name(const arne_robot *robot);
ARNE_API arne_vec3   arne_robot_gravity(const arne_robot *robot);
// Never ARNE_BASE_DEFAULT.
ARNE_API arne_base arne_robot_base(const arne_robot *robot);

// The index must be in range.
ARNE_API arne_joint_info   arne_robot_joint(const arne_robot *robot, int joint);
ARNE_API arne_frame_info   arne_robot_frame(const arne_robot *robot, int frame);
ARNE_API arne_motor_info   arne_robot_motor(const arne_robot *robot, int motor);
ARNE_API arne_spring_info  arne_robot_spring(const arne_robot *robot, int index);
ARNE_API double            arne_spring_torque(const arne_spring_info *spring, double q, double qd);
ARNE_API arne_loop_info    arne_robot_loop(const arne_robot *robot, int loop);
ARNE_API arne_contact_info arne_robot_contact(const arne_robot *robot, int contact);
// "point", "sphere", "capsule", "box", "cylinder", "disc"; NULL if there is no such shape.
ARNE_API const char *arne_shape_name(arne_shape shape);
// The number of entries of `size` for a shape.
ARNE_API int arne_shape_size_count(arne_shape shape);
// The motor that drives a joint, -1 where there is none.
ARNE_API int arne_joint_motor(const arne_robot *robot, int joint);

// The joints that a joint follows: q = sum of ratio q(joint) + mimic_offset. Returns the number of
// terms, 0 if it has a coordinate of its own; writes the first `room` of them.
ARNE_API int arne_joint_terms(const arne_robot *robot, int joint, arne_term *terms, int room);
// "twist", "bend_y" and so on; NULL if there is no such strain.
ARNE_API const char *arne_strain_name(arne_strain strain);
// What the strains of an exponential joint take up. Returns their number, 0 for other joints;
// writes the first `room` of them.
ARNE_API int arne_joint_strains(const arne_robot *robot, int joint, arne_strain_info *strains,
                                int room);
// The functions by which a joint follows others: q = their sum, and nothing else. Returns their
// number, 0 where it follows in proportion or not at all; writes the first `room` of them. Arrays
// belong to the robot.
ARNE_API int arne_joint_functions(const arne_robot *robot, int joint, arne_follow *functions,
                                  int room);
// The joints that the rotor of a motor turns with, on the joint's side of the gear: its own joint
// first. The rotor of an elastic joint turns with its own coordinate theta, and has no terms.
ARNE_API int arne_motor_terms(const arne_robot *robot, int motor, arne_term *terms, int room);
// The matrix between motors and joints, motor_count x v_count: rotors turn by C qd, gears included,
// and the torques tau_m at their shafts are C^T tau_m at the joints.
ARNE_API void arne_coupling_matrix(const arne_robot *robot, double *C);

// The index of a joint or frame by name, -1 if there is none.
ARNE_API int arne_find_joint(const arne_robot *robot, const char *name);
ARNE_API int arne_find_frame(const arne_robot *robot, const char *name);

// NULL if there is no such kind.
ARNE_API const arne_joint_kind_info *arne_joint_kind_facts(arne_joint_kind kind);
ARNE_API const char                 *arne_joint_kind_name(arne_joint_kind kind);
ARNE_API const char                 *arne_loop_kind_name(arne_loop_kind kind);
ARNE_API const char                 *arne_leg_kind_name(arne_leg_kind kind);
// The number of coordinates and of velocities of a joint of this kind (mimic joints have none of
// their own).
ARNE_API int arne_joint_kind_q_count(arne_joint_kind kind);
ARNE_API int arne_joint_kind_v_count(arne_joint_kind kind);

// The unit of entry k of a joint's q (order 0), qd, qdd, ... (orders 1 to 4), tau or its rate:
// "rad", "m/s", "N m"; "" for a quaternion.
enum { ARNE_UNIT_TAU = -1, ARNE_UNIT_TAU_RATE = -2 };
ARNE_API const char *arne_joint_unit(const arne_joint_info *joint, int k, int order);

// Makes a copy of the robot with a tool or payload fixed to a frame. The given robot does not
// change: to remove the payload, free the copy. No file is read.
ARNE_API ARNE_CHECKED arne_status arne_robot_attach(const arne_robot *robot, int frame,
                                                    const arne_payload *payload, arne_robot **out,
                                                    arne_error *error);

// Makes a robot with fewer joints: each of these is held at its value, as arne_builder_lock does.
// The given robot does not change.
ARNE_API ARNE_CHECKED arne_status arne_robot_reduce(const arne_robot *robot, int count,
                                                    const char *const *joints, const double *values,
                                                    arne_robot **out, arne_error *error);

ARNE_END

#endif

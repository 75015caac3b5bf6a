// The robot as the algorithms see it: one block, arrays found by offsets, so that it can be copied
// anywhere.
#ifndef ARNE_ROBOT_ROBOT_H
#define ARNE_ROBOT_ROBOT_H

#include "math/spatial.h"
#include <arne/builder.h>
#include <arne/muscle.h>
#include <arne/robot.h>
#include <stddef.h>
#include <stdint.h>

// Directions of velocity, in the axes of the body that moves. Every joint's velocities are along
// some of these; a helical joint turns about z and advances along it, and a rotor spins about z
// with its gear's ratio.
typedef enum axis {
    AXIS_LX,
    AXIS_LY,
    AXIS_LZ,
    AXIS_AX,
    AXIS_AY,
    AXIS_AZ,
    AXIS_SCREW,
    AXIS_SPIN,
    AXIS_STILL // moves nothing
} axis;

// A kind that only bodies have: the rotor of a motor. Mass and transverse inertia are counted with
// the link that carries it, so that what is left is its inertia about its own axis, and a frame
// that does not turn with it will do.
enum { ARNE_JOINT_ROTOR = ARNE_JOINT_KIND_COUNT };

// A body and the joint that carries it. Its frame is the joint's moving frame, with the joint's
// axis along z. Here kind is one of revolute, prismatic, helical, ball, planar, free, rotor: a
// universal joint is two revolute ones with a massless body between them, and fixed joints are
// merged.
typedef struct body {
    int              parent;
    int              kind;  // arne_joint_kind or ARNE_JOINT_ROTOR
    int              joint; // the file's joint this belongs to; of a rotor: what it drives
    int              q_start, v_start; // in the coordinates of the tree
    int              v_count;
    int              root;      // the first moving body on the way to it
    int              run;       // the first of the bodies that lead to it one after the other
    int              forks;     // it carries bodies besides the next one
    double           pitch;     // of a rotor: its gear's ratio
    constant_pose    placement; // of the joint's frame in the parent body's frame
    constant_inertia inertia;
} body;

// Of a body what gravity compensation holds: the sum of its links' masses times their fractions,
// and the first moment of that. It acts as a force against gravity, at the masses' centres.
typedef struct held_weight {
    double    m;
    constant3 h;
} held_weight;

enum { WAY_BITS = 64 };

// One velocity coordinate of the tree.
typedef struct dof {
    int    axis, body;
    int    above; // the coordinate before it on the way to the base, or -1
    int    run;   // the first of the coordinates that lead to it one after the other
    int    last;  // the last of the coordinates that it carries, itself if none
    int    depth; // how many carry it, itself counted
    double pitch;
    double rotor, viscous;
    double coulomb, coulomb_skew; // half the sum and half the difference of both directions
    uint64_t
        way; // the coordinates that lead to it, itself counted: a bit each, of the first WAY_BITS
} dof;

// What pulls two coordinates of the tree together, or one to where it rests: the torque on the
// first is -stiffness (q - q_other - rest) - damping (qd - qd_other).
typedef struct spring {
    int    q, v, other_q, other_v; // other_v -1: the ground
    double stiffness, damping, rest, stiffness_more[2], damping_more[2];
    int    curved; // there is more
} spring;

enum { SPRING_ORDERS = 4 }; // slopes and bends of one, see springs.k.h

// A coordinate of the tree from the user's: ratio * user[from] + offset. Only robots with mimic
// joints or with rotors that turn with their joint have these.
typedef struct source {
    int    from;
    double ratio, offset;
} source;

// Coordinates of the tree that are the user's own as they stand: four of them at a time, and then
// single ones. Of the others, those that are not made by functions alone are listed as odd.
typedef struct source_copy {
    int at, from;
} source_copy;

// What a coordinate of the tree takes up of the user's besides its source: ratio * user[from]. Of
// joints and rotors (the other is -1) that are coupled with several joints.
typedef struct term {
    int    q, v; // of the tree
    int    from_q, from_v;
    int    joint, motor, with; // with: the joint whose coordinate it is
    double ratio;
} term;

// A function of one coordinate as kernels have it (functions.k.h): numbers of the robot from `at`
// on.
typedef enum function_form { FORM_POLYNOMIAL, FORM_SINE, FORM_PIECES } function_form;
typedef struct stage_record {
    int form, at, count; // a function_form; how many coefficients or pieces
} stage_record;

// What a coordinate of the tree takes up besides, and not in proportion: a factor times functions,
// one of the other, of a coordinate of the user, or times a product of two.
typedef struct bend_record {
    int    q;               // of the tree
    int    from_q, other_q; // of the user; other_q -1: functions of the first
    int    stage, stage_count;
    int    slope;  // the first of its slopes; a product has two
    int    starts; // what it gives is all that the coordinate is, or the first part of it
    double factor;
} bend_record;

// An entry of G that varies: row v, column from_v. It depends on the user's coordinate of with_v
// alone.
typedef struct slope_record {
    int v, from_v, with_v;
    int starts; // it is the first of its coordinate, which has no other sources
} slope_record;

// A body whose pose is the exponential of a twist: see exponential.k.h. Its entries of the tree are
// those of a free joint.
typedef struct exponent_record {
    int      q, v;         // of the tree
    int      joint;        // of the robot
    int      start, count; // its columns
    int      is_even;      // strains are alike at both points
    unsigned strains;      // that some coordinate has: a bit each
    double   length, bracket;
    double   turn; // the largest that it is for [rad]
    double   rest[2][6];
} exponent_record;

// What a coordinate of the user adds to a strain at both points.
typedef struct exponent_column {
    int    from_q, from_v, strain;
    int    with; // the joint whose coordinate it is
    double weight[2];
} exponent_column;

// A function as it was given, to be told: see arne_function.
typedef struct follow_record {
    int           joint, with, times;
    size_t        points; // where its x and y stand in the robot's points; x only of splines
    arne_function function;
} follow_record;

// A coordinate that moves several bodies of the tree, seen from one body that carries some of them:
// a handle. It is carried from body to body towards the base, as far as the first body that carries
// them all.
typedef struct handle {
    int coordinate; // of the user
    int up;         // where it goes on in the parent's handles; -1: it ends here
} handle;

// A link's only column that its parent takes up, as it turns a rotor that is not further out: to be
// eliminated there, where the rotor is too, or as a handle. A rotor of the first kind is marked
// likewise.
typedef enum late_kind { LATE_NOT, LATE_COLUMN, LATE_HANDLE } late_kind;

typedef struct handle_span { // the handles of one body
    int user;                // the user's coordinate of its first column
    int start, count;
    int ended; // the first of them, that go no further
    int pairs; // where its count x count numbers start
    int cross; // where its columns' numbers start, count of each
    int late;  // a late_kind
    int slot;  // of a late column that becomes a handle: which of the parent's
} handle_span;

typedef struct joint_record {
    size_t          name;
    int             body;        // the body it moves
    arne_pose       origin, tip; // as the spec has them, and the axis: to make a spec again
    arne_vec3       axis;
    arne_joint_info info;
} joint_record;

typedef struct motor_record {
    size_t name;
    int    body;     // its rotor; 0: none
    int    own_side; // its friction is at the rotor's own speed, theta's or that of several joints;
                     // else the joint's
    arne_vec3       axis; // as the spec has it, of any length
    arne_motor_info info;
} motor_record;

typedef struct frame_record {
    size_t          name;
    size_t          fixed_joint; // the name of the fixed joint that carries a link; 0: none
    arne_pose       origin, tip; // of that joint; the pose of a named frame in its link
    unsigned        accept;      // flaws of a link that its file accepts
    arne_frame_info info;
} frame_record;

// A shape on a body that touches, as kernels read it.
typedef struct contact_shape {
    int       body, shape;
    arne_pose at; // in the body
    double    size[3], friction, tyre[2];
} contact_shape;

typedef struct contact_record {
    size_t            name;
    arne_contact_info info;
} contact_record;

// Two frames on two bodies, tied as the kind says.
typedef struct loop_record {
    size_t         name;
    int            body[2];
    int            meet;      // the last body that carries both
    arne_pose      at[2];     // in the bodies
    arne_mat3      turn;      // of the loop's axes, which have its axis along z, in A's own axes
    arne_pose      origin[2]; // as the spec has them, and its axis
    arne_vec3      axis;
    arne_pose      leg;       // the frame of the leg it ends, in the body where both sides meet
    int            leg_frame; // the link that carries the leg; -1: none
    arne_loop_info info;
} loop_record;

// A function of a path: a component of a moving point, or the curve of a ligament.
typedef struct path_curve {
    int           joint, q, v;  // whose coordinate, of the tree, it takes; joint -1: any number
    double        lower, upper; // limits of that joint
    stage_record  stage;        // in path_numbers
    int           given;        // where its x and y stand there
    arne_function function;     // as it was given, without addresses
} path_curve;

typedef struct point_record {
    int       frame, body;
    int       joint, q;     // conditional: the joint and its coordinate of the tree; -1: always
    int       curve[3];     // moving: functions of x, y, z; -1: constant
    int       moves;        // any of these
    double    lower, upper; // of the condition
    arne_vec3 position, at; // in the frame, in the body
    // Along a rod: the exponential joint that the path comes through (-1: it comes straight),
    // turns, the place in the section at its two points of Gauss, and how it changes per length.
    int       exponent;
    double    turns;
    arne_vec3 offset[2], slope[2];
} point_record;

typedef struct wrap_record {
    size_t         name;
    int            frame, body;
    arne_pose      at;   // in the body
    arne_wrap_spec spec; // without names
} wrap_record;

typedef struct wrap_use {
    int wrap, first, last;
} wrap_use;

// A place where a path bends, as src/muscle finds it at a configuration.
typedef struct path_node {
    int       body;
    int       point, use; // which of the muscle's points; which of its surfaces; -1: none
    arne_vec3 at;         // in the world
    double    slope[3];   // of a moving point, along the axes of its frame
    double    arc;        // the length on a surface to the next node; 0: the way is straight
} path_node;

typedef struct muscle_record {
    size_t            name;
    int               point, point_count, use, use_count;
    int               curve;       // of a ligament; -1: none
    int               bezier;      // where the curves of Millard's law stand in path_numbers
    int               joint, q, v; // of a limit, in the tree; joint -1: none
    arne_muscle_law   law;
    arne_path_measure measure;
} muscle_record;

// Every array of the block, once: type, name, number of entries. Handles come last: they are found
// when the rest stands.
#define ARNE_ROBOT_ARRAYS(ARRAY)                                                                   \
    ARRAY(body, bodies, r->body_count)                                                             \
    ARRAY(dof, dofs, r->tree_v_count)                                                              \
    ARRAY(held_weight, held_weights, r->holds_weight ? r->body_count : 0)                          \
    ARRAY(double, least, r->v_count)                                                               \
    ARRAY(source, q_sources, r->shares_coordinates ? r->tree_q_count : 0)                          \
    ARRAY(source, v_sources, r->shares_coordinates ? r->tree_v_count : 0)                          \
    ARRAY(source_copy, q_copies, r->shares_coordinates ? r->tree_q_count : 0)                      \
    ARRAY(source_copy, v_copies, r->shares_coordinates ? r->tree_v_count : 0)                      \
    ARRAY(int, q_odds, r->shares_coordinates ? r->tree_q_count : 0)                                \
    ARRAY(int, v_odds, r->shares_coordinates ? r->tree_v_count : 0)                                \
    ARRAY(term, terms, r->term_count)                                                              \
    ARRAY(bend_record, bends, r->bend_count)                                                       \
    ARRAY(slope_record, slopes, r->slope_count)                                                    \
    ARRAY(stage_record, stages, r->stage_count)                                                    \
    ARRAY(exponent_record, exponents, r->exponent_count)                                           \
    ARRAY(exponent_column, exponent_columns, r->exponent_column_count)                             \
    ARRAY(double, curve_numbers, r->curve_number_count)                                            \
    ARRAY(int, factor_parents, r->v_count)                                                         \
    ARRAY(contact_shape, shapes, r->contact_count)                                                 \
    ARRAY(joint_record, joints, r->joint_count)                                                    \
    ARRAY(loop_record, loops, r->loop_count)                                                       \
    ARRAY(frame_record, frames, r->frame_count)                                                    \
    ARRAY(contact_record, contacts, r->contact_count)                                              \
    ARRAY(motor_record, motors, r->motor_count)                                                    \
    ARRAY(spring, springs, r->spring_count)                                                        \
    ARRAY(arne_spring_info, joint_springs, r->joint_spring_count)                                  \
    ARRAY(follow_record, follows, r->follow_count)                                                 \
    ARRAY(double, points, r->point_count)                                                          \
    ARRAY(muscle_record, muscles, r->muscle_count)                                                 \
    ARRAY(point_record, path_points, r->path_point_count)                                          \
    ARRAY(wrap_record, wraps, r->wrap_count)                                                       \
    ARRAY(wrap_use, wrap_uses, r->wrap_use_count)                                                  \
    ARRAY(path_curve, path_curves, r->path_curve_count)                                            \
    ARRAY(double, path_numbers, r->path_number_count)                                              \
    ARRAY(char, names, r->names_size)                                                              \
    ARRAY(handle_span, handle_spans, r->has_handles ? r->body_count : 0)                           \
    ARRAY(handle, handles, r->handle_count)

struct arne_robot {
    size_t   size;   // of the whole block
    uint64_t layout; // equal where workspaces fit, see robot_mark_layout
    int      q_count, v_count;
    int      tree_q_count, tree_v_count; // with an entry for mimic joints too
    int      q_four_count, q_copy_count, v_four_count, v_copy_count, q_odd_count, v_odd_count;
    int      body_count, joint_count, frame_count, link_count, names_size;
    int      motor_count, theta_count, spring_count, joint_spring_count;
    int      term_count; // of coordinates that take up several of the user's
    int      bend_count, slope_count, stage_count, curve_number_count; // couplings by functions
    int      follow_count, point_count;                                // as they were given
    int      exponent_count, exponent_column_count;
    int      is_curved;    // G varies: there are slopes or exponents
    int      still_start;  // bodies from here to the rotors are coordinates that move nothing
    int      rotor_start;  // bodies from here on are rotors
    int      moving_count; // bodies that recursions must visit: without still ones that come last
    int      angle_start, angle_end; // coordinates of the tree that may be angles
    int      has_handles, handle_count, handle_pairs, handle_cross;
    int      loop_count, loop_row_count;
    int      contact_count;
    int      muscle_count, wrap_count, path_point_count, wrap_use_count;
    int      path_curve_count, path_number_count;
    int      path_room; // the most nodes of a path: its points, and two for each surface
    int      base, root_frame;
    int      isa;           // which kernels are its own: see robot/kernel.h
    int shares_coordinates; // one of the user's moves several bodies: mimic joints, rotors that
                            // turn with their joint
    int       has_friction, has_rotor, is_chain;
    int       holds_weight; // a link has gravity compensation
    int       is_nested;    // coordinates are numbered branch by branch, each together
    int64_t   pair_count;   // of coordinates and those that carry them: the sum of depths
    int       is_base_form; // bodies have base parameters, which no link has
    arne_vec3 gravity;
    double    length; // m, the unit of tolerances: 1, or ten times the reach of a robot below 0.1 m
    size_t    name;
#define ARRAY(type, array, count) size_t array##_at;
    ARNE_ROBOT_ARRAYS(ARRAY)
#undef ARRAY
};

#define ARRAY(type, array, count)                                                                  \
    ARNE_FN const type *robot_##array(const arne_robot *r)                                         \
    {                                                                                              \
        return (const type *)(const void *)((const char *)r + r->array##_at);                      \
    }
ARNE_ROBOT_ARRAYS(ARRAY)
#undef ARRAY

// For those who make robots: sets the offsets and the size from the counts.
void robot_lay_out(arne_robot *r);
// When it is complete: marks all that a workspace depends on.
void robot_mark_layout(arne_robot *r);
// When its masses have changed: `least`, by coordinate of the user. Where no more than that is left
// to move, it is rounding of what lies on the axis of the joint.
void robot_find_least(arne_robot *r);
// When all of it is in its place: `length`.
void robot_find_length(arne_robot *r);
// Writable arrays of a block that is still being made.
#define ROBOT_ARRAY(r, type, array) ((type *)(void *)((char *)(r) + (r)->array##_at))

// Adds to a body what stands at X in its frame: a mass, and an inertia (xx, yy, zz, xy, xz, yz)
// about its centre.
void body_add_mass(body *b, arne_pose X, double mass, arne_vec3 com, const double about_com[6]);
// The other way: a body's mass, its centre, and its inertia about that, in its own frame.
void body_mass(const body *b, double *mass, arne_vec3 *com, double about_com[6]);

#endif

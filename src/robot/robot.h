// The robot as the algorithms see it: one block, arrays found by offsets, so that it can be copied anywhere.
#ifndef ARNE_ROBOT_ROBOT_H
#define ARNE_ROBOT_ROBOT_H

#include "math/spatial.h"
#include <arne/builder.h>
#include <arne/robot.h>
#include <stddef.h>

// Directions of velocity, in the axes of the body that moves. Every joint's velocities are along some of these; a
// helical joint turns about z and advances along it.
typedef enum axis { AXIS_LX, AXIS_LY, AXIS_LZ, AXIS_AX, AXIS_AY, AXIS_AZ, AXIS_SCREW } axis;

// A body and the joint that carries it. Its frame is the joint's moving frame, with the joint's axis along z. Here kind
// is one of revolute, prismatic, helical, ball, planar, free: a universal joint is two revolute ones with a massless
// body between them, and fixed joints are merged.
typedef struct body {
    int              parent;
    arne_joint_kind  kind;
    int              joint;            // the file's joint this belongs to
    int              q_start, v_start; // in the coordinates of the tree
    int              v_count;
    double           pitch;
    constant_pose    placement; // of the joint's frame in the parent body's frame
    constant_inertia inertia;
} body;

// One velocity coordinate of the tree.
typedef struct dof {
    int    axis, body;
    int    above; // the coordinate before it on the way to the base, or -1
    double pitch;
    double rotor, viscous;
    double coulomb, coulomb_skew; // half the sum and half the difference of both directions
} dof;

// A coordinate of the tree from the user's: ratio * user[from] + offset. Only robots with mimic joints have these.
typedef struct source {
    int    from;
    double ratio, offset;
} source;

typedef struct joint_record {
    size_t          name;
    int             body; // the body it moves
    arne_joint_info info;
} joint_record;

typedef struct frame_record {
    size_t          name;
    arne_frame_info info;
} frame_record;

// Every array of the block, once: type, name, number of entries.
#define ARNE_ROBOT_ARRAYS(ARRAY)                                                                   \
    ARRAY(body, bodies, r->body_count)                                                             \
    ARRAY(dof, dofs, r->tree_v_count)                                                              \
    ARRAY(source, q_sources, r->has_mimic ? r->tree_q_count : 0)                                   \
    ARRAY(source, v_sources, r->has_mimic ? r->tree_v_count : 0)                                   \
    ARRAY(int, factor_parents, r->v_count)                                                         \
    ARRAY(joint_record, joints, r->joint_count)                                                    \
    ARRAY(frame_record, frames, r->frame_count)                                                    \
    ARRAY(char, names, r->names_size)

struct arne_robot {
    size_t    size; // of the whole block
    int       q_count, v_count;
    int       tree_q_count, tree_v_count; // with an entry for mimic joints too
    int       body_count, joint_count, frame_count, link_count, names_size;
    int       base, root_frame;
    int       has_mimic, has_friction, has_rotor, is_chain;
    arne_vec3 gravity;
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
// Writable arrays of a block that is still being made.
#define ROBOT_ARRAY(r, type, array) ((type *)(void *)((char *)(r) + (r)->array##_at))

// Adds to a body what stands at X in its frame: a mass, and an inertia (xx, yy, zz, xy, xz, yz) about its centre.
void body_add_mass(body *b, arne_pose X, double mass, arne_vec3 com, const double about_com[6]);

#endif

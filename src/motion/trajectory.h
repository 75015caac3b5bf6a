// What a trajectory is made of: the joints of the robot, and a way of moving that gives every plain
// coordinate and every rotation as a function of time.
#ifndef ARNE_MOTION_TRAJECTORY_H
#define ARNE_MOTION_TRAJECTORY_H

#include "motion/turning.h"

#include <stddef.h>

// Entries of q and v that belong together: one plain coordinate, or a planar, ball or free joint.
typedef struct part {
    arne_joint_kind kind;                    // any kind of one coordinate stands for a plain one
    int             q_start, v_start, joint; // joint -1: a coordinate that is no joint's
} part;

// What is the same for all parts at one time.
typedef struct moment {
    double t;
    int    first;
    double values[ORDERS * (ARNE_BSPLINE_MAX_DEGREE + 1)];
} moment;

typedef struct way {
    void (*begin)(const arne_trajectory *path, moment *m);
    // Entry q of the configuration, which is no part of a quaternion, and its derivatives.
    void (*coordinate)(const arne_trajectory *path, const moment *m, int part, int q,
                       double out[ORDERS]);
    // The rotation of a ball or free joint.
    turning (*rotation)(const arne_trajectory *path, const moment *m, int part);
} way;

// How the place on a trajectory goes on from a sample: x and its derivatives to order 4, of which
// the last is steady.
typedef struct pace {
    double x[ORDERS];
} pace;

// A pace a time later.
pace pace_after(const pace *p, double time);

struct arne_trajectory {
    const way *way;
    int        q_count, v_count, part_count;
    part      *parts;
    double     start, duration;
    // Of the way.
    double       *from;     // configuration at the start, or the offset of sinusoids
    double       *numbers;  // see the ways
    profile      *profiles; // two for each part: plain coordinates, rotation
    arne_bspline *basis;
    int           count; // of harmonics, or of rows
    // Where it is scaled: the place at every sample, and when it is at the end. paces NULL: the
    // place is the time.
    pace  *paces;
    int    pace_count;
    double pace_time, pace_end;
};

// A trajectory without a way, with room for `numbers`; parts and `from` are there.
ARNE_CHECKED arne_status trajectory_new(const arne_robot *robot, const way *way, const double *from,
                                        size_t numbers, arne_trajectory **out, arne_error *error);

// Where the quaternion of a part is in its q, -1: none; and how many entries of q come before it,
// or in all.
static inline int part_quaternion(const part *p)
{
    return arne_joint_kind_facts(p->kind)->quaternion;
}
static inline int part_is_planar(const part *p)
{
    const arne_joint_kind_info *kind = arne_joint_kind_facts(p->kind);
    return kind->has_body_axes && kind->quaternion < 0;
}
static inline int part_plain(const part *p)
{
    const arne_joint_kind_info *kind = arne_joint_kind_facts(p->kind);
    if (kind->quaternion >= 0) return kind->quaternion;
    return kind->has_body_axes ? kind->q_count : 1; // others are one part for each coordinate
}

// ARNE_VALUE where a configuration has a number that is not finite or a quaternion off unit length;
// `which` names it.
ARNE_CHECKED arne_status trajectory_check_point(const arne_robot *robot, const double *q,
                                                const char *which, arne_error *error);

#endif

// A robot among surfaces: what the two models of contact share.
#ifndef ARNE_WORLD_WORLD_H
#define ARNE_WORLD_WORLD_H

#include "robot/robot.h"
#include <arne/contact.h>
#include <math.h>

// ---- vectors ----

static inline arne_vec3 vec_of(double x, double y, double z) { return (arne_vec3){x, y, z}; }
static inline double vec_dot(arne_vec3 a, arne_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline arne_vec3 vec_cross(arne_vec3 a, arne_vec3 b)
{
    return vec_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
// a + s b
static inline arne_vec3 vec_add(arne_vec3 a, arne_vec3 b, double s)
{
    return vec_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline arne_vec3 vec_scale(arne_vec3 a, double s)
{
    return vec_of(s * a.x, s * a.y, s * a.z);
}
static inline double vec_length(arne_vec3 a) { return sqrt(vec_dot(a, a)); }
// Two unit vectors across the unit vector n, and across each other.
static inline void vec_across(arne_vec3 n, arne_vec3 *a, arne_vec3 *b)
{
    const arne_vec3 start = fabs(n.x) < 0.7 ? vec_of(1, 0, 0) : vec_of(0, 1, 0);
    *a = vec_add(start, n, -vec_dot(start, n));
    *a = vec_scale(*a, 1 / vec_length(*a));
    *b = vec_cross(n, *a);
}
static inline arne_vec3 mat_mul(const arne_mat3 *R, arne_vec3 a)
{
    return vec_add(vec_add(vec_scale(R->x, a.x), R->y, a.y), R->z, a.z);
}
static inline arne_vec3 mat_mul_back(const arne_mat3 *R, arne_vec3 a)
{
    return vec_of(vec_dot(R->x, a), vec_dot(R->y, a), vec_dot(R->z, a));
}
static inline arne_vec3 pose_point(const arne_pose *X, arne_vec3 a)
{
    return vec_add(mat_mul(&X->R, a), X->p, 1);
}

// ---- the world ----

// Two shapes of different links that may touch.
typedef struct shape_pair {
    int a, b;
} shape_pair;

struct arne_world {
    const arne_robot *robot;
    arne_surface     *surfaces;
    int               surface_count;
    arne_pose        *placed; // of each contact's shape in the world
    arne_vec3        *centre; // of the ball around it
    double           *reach;  // its radius
    shape_pair       *pairs;
    int               pair_count, pair_room;
    int               looked; // pairs that are deep in each other at the start are left out
    arne_touch       *touches;
    int               touch_count, touch_room;
    double            stiffness; // that a surface has which does not say
    struct rigid     *rigid;     // what steps of the rigid model need; NULL until then
};

// The contact's link, a frame.
int world_link(const arne_world *w, int contact);

// The coefficient of friction at a touch: the contact's own, or that of the surface.
double world_friction(const arne_world *w, const arne_touch *t);

// Where the same point of a shape touches a surface now, along the same normal. The work has the
// kinematics.
arne_vec3 world_touch_point(const arne_world *w, const arne_work *work, const arne_touch *t);
// Puts the forces of touches on the bodies; returns their power. The work has the kinematics.
double world_load(const arne_world *w, const arne_work *work, const arne_touch *touches, int count,
                  arne_wrench *f_ext);

// Adds the forces of all touches to the three numbers of each contact.
void world_sum_forces(const arne_world *w, double *out);

// ---- surfaces (surface.c) ----

// How far a point is above a surface, and which way that is; 0 where there is no surface.
int surface_gap(const arne_surface *s, arne_vec3 p, double *gap, arne_vec3 *normal);

// ---- pairs of links (link_contacts.c) ----

// Sphere and capsule shapes of links that no joint ties. Counts only where out is NULL.
int  pairs_collect(const arne_robot *robot, shape_pair *out);
void pairs_leave_out(arne_world *w);
int  pair_touch(const arne_world *w, const shape_pair *pair, arne_touch *out);

#endif

// A force at a point that touches, as the recursions over contacts take it.
#ifndef ARNE_ALGO_CONTACT_POINT_H
#define ARNE_ALGO_CONTACT_POINT_H

#include "algo/common.k.h"

// A unit force along an axis at a point of body i, in the common frame of its tree.
static inline force unit_force(const arne_robot *r, const work *w, int i, arne_vec3 point,
                               arne_vec3 along, int turns)
{
    const vec3 p = sub(into(&w->X_w[0], sub(lift(point), w->X_w[0].p)), common_origin(r, w, i));
    const vec3 a = into(&w->X_w[0], lift(along));
    return turns ? fo(v3_zero(), a) : fo(a, cross(p, a));
}

#endif

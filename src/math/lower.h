// Between the types of the texts, in double, and those of the public headers and of the robot's
// block.
#ifndef ARNE_MATH_LOWER_H
#define ARNE_MATH_LOWER_H

#include "math/spatial.h"

ARNE_FN arne_vec3 lower(vec3 a)
{
    const arne_vec3 b = {vx(a), vy(a), vz(a)};
    return b;
}
ARNE_FN arne_pose lower_pose(const pose *X)
{
    const arne_pose Y = {{lower(X->R.x), lower(X->R.y), lower(X->R.z)}, lower(X->p)};
    return Y;
}
ARNE_FN arne_motion lower_motion(motion v)
{
    const arne_motion m = {lower(v.lin), lower(v.ang)};
    return m;
}
ARNE_FN arne_wrench lower_force(force f)
{
    const arne_wrench w = {lower(f.lin), lower(f.ang)};
    return w;
}
ARNE_FN constant3 constant_from(vec3 a)
{
    const constant3 c = {vx(a), vy(a), vz(a), 0};
    return c;
}
ARNE_FN constant_pose constant_pose_from(const pose *X)
{
    const constant_pose c = {constant_from(X->R.x), constant_from(X->R.y), constant_from(X->R.z),
                             constant_from(X->p)};
    return c;
}
ARNE_FN constant_inertia constant_inertia_from(const inertia *I)
{
    const mat3       J = sym_full(I->J);
    const double     half = 0.5 * (vx(J.x) + vy(J.y) + vz(J.z));
    constant_inertia c;
    c.m = I->m;
    c.h = constant_from(I->h);
    c.J.x = constant_from(J.x);
    c.J.y = constant_from(J.y);
    c.J.z = constant_from(J.z);
    c.second.x = constant_from(add_x(neg(J.x), half));
    c.second.y = constant_from(add_y(neg(J.y), half));
    c.second.z = constant_from(add_z(neg(J.z), half));
    return c;
}

#endif

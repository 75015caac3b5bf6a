// Three-vectors, rotations and poses of the tests' own, so that a slip in the library's cannot
// hide.
#ifndef TEST_VEC_H
#define TEST_VEC_H

#include <arne/types.h>
#include <math.h>

static inline arne_vec3 v3(double x, double y, double z)
{
    const arne_vec3 v = {x, y, z};
    return v;
}

static inline arne_vec3 v3_add(arne_vec3 a, arne_vec3 b)
{
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline arne_vec3 v3_sub(arne_vec3 a, arne_vec3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline arne_vec3 v3_scale(double s, arne_vec3 a) { return v3(s * a.x, s * a.y, s * a.z); }

static inline double v3_dot(arne_vec3 a, arne_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline arne_vec3 v3_cross(arne_vec3 a, arne_vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double v3_length(arne_vec3 a) { return sqrt(v3_dot(a, a)); }

// R a, R^T a, R S.
static inline arne_vec3 m3_apply(arne_mat3 R, arne_vec3 a)
{
    return v3_add(v3_scale(a.x, R.x), v3_add(v3_scale(a.y, R.y), v3_scale(a.z, R.z)));
}

static inline arne_vec3 m3_apply_t(arne_mat3 R, arne_vec3 a)
{
    return v3(v3_dot(R.x, a), v3_dot(R.y, a), v3_dot(R.z, a));
}

static inline arne_mat3 m3_mul(arne_mat3 R, arne_mat3 S)
{
    const arne_mat3 out = {m3_apply(R, S.x), m3_apply(R, S.y), m3_apply(R, S.z)};
    return out;
}

static inline arne_mat3 m3_transpose(arne_mat3 R)
{
    const arne_mat3 out = {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
    return out;
}

static inline arne_mat3 m3_identity(void)
{
    const arne_mat3 out = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return out;
}

// Turns by an angle about a unit axis.
static inline arne_mat3 m3_turn(arne_vec3 axis, double angle)
{
    const double    s = sin(angle), c = cos(angle);
    const arne_vec3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    arne_vec3       col[3];

    for (int i = 0; i < 3; i++)
        col[i] = v3_add(v3_scale(c, e[i]), v3_add(v3_scale(s, v3_cross(axis, e[i])),
                                                  v3_scale((1 - c) * v3_dot(axis, e[i]), axis)));
    const arne_mat3 out = {col[0], col[1], col[2]};
    return out;
}

// The rotation of a unit quaternion x, y, z, w.
static inline arne_mat3 m3_quaternion(const double *k)
{
    const double    x = k[0], y = k[1], z = k[2], w = k[3];
    const arne_mat3 out = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                           {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                           {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    return out;
}

// The unit quaternion of a rotation, by its largest component.
static inline void m3_to_quaternion(arne_mat3 R, double *k)
{
    const double t[4] = {1 + R.x.x - R.y.y - R.z.z, 1 - R.x.x + R.y.y - R.z.z,
                         1 - R.x.x - R.y.y + R.z.z, 1 + R.x.x + R.y.y + R.z.z};
    int          big = 0;
    for (int i = 1; i < 4; i++)
        big = t[i] > t[big] ? i : big;

    const double rows[4][4] = {{t[0], R.x.y + R.y.x, R.x.z + R.z.x, R.y.z - R.z.y},
                               {R.x.y + R.y.x, t[1], R.y.z + R.z.y, R.z.x - R.x.z},
                               {R.x.z + R.z.x, R.y.z + R.z.y, t[2], R.x.y - R.y.x},
                               {R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x, t[3]}};
    for (int i = 0; i < 4; i++)
        k[i] = rows[big][i] / (2 * sqrt(t[big]));
}

static inline arne_pose pose_identity(void)
{
    const arne_pose out = {m3_identity(), {0, 0, 0}};
    return out;
}

static inline arne_pose pose_mul(arne_pose a, arne_pose b)
{
    const arne_pose out = {m3_mul(a.R, b.R), v3_add(a.p, m3_apply(a.R, b.p))};
    return out;
}

static inline arne_pose pose_inverse(arne_pose a)
{
    const arne_pose out = {m3_transpose(a.R), v3_scale(-1, m3_apply_t(a.R, a.p))};
    return out;
}

// Along and about one axis at once: what every joint with one coordinate does.
static inline arne_pose pose_screw(arne_vec3 axis, double angle, double shift)
{
    const arne_pose out = {m3_turn(axis, angle), v3_scale(shift, axis)};
    return out;
}

#endif

// Poses of files: composition and inverse, as plain structs of the public interface.
#ifndef ARNE_IO_POSE_MATH_H
#define ARNE_IO_POSE_MATH_H

#include <arne/types.h>
#include <math.h>

static inline arne_vec3 vec_add(arne_vec3 a, arne_vec3 b)
{
    return (arne_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline arne_vec3 vec_scale(double s, arne_vec3 a)
{
    return (arne_vec3){s * a.x, s * a.y, s * a.z};
}

static inline double vec_dot(arne_vec3 a, arne_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline arne_vec3 vec_cross(arne_vec3 a, arne_vec3 b)
{
    return (arne_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec_norm(arne_vec3 a) { return sqrt(vec_dot(a, a)); }

static inline arne_mat3 rotation_identity(void)
{
    return (arne_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}

static inline arne_pose pose_identity(void)
{
    return (arne_pose){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
}

// R a
static inline arne_vec3 rotate(const arne_mat3 *R, arne_vec3 a)
{
    return vec_add(vec_scale(a.x, R->x), vec_add(vec_scale(a.y, R->y), vec_scale(a.z, R->z)));
}

// R^T a
static inline arne_vec3 rotate_back(const arne_mat3 *R, arne_vec3 a)
{
    return (arne_vec3){vec_dot(R->x, a), vec_dot(R->y, a), vec_dot(R->z, a)};
}

static inline arne_mat3 rotation_times(const arne_mat3 *A, const arne_mat3 *B)
{
    return (arne_mat3){rotate(A, B->x), rotate(A, B->y), rotate(A, B->z)};
}

static inline arne_pose pose_times(const arne_pose *A, const arne_pose *B)
{
    return (arne_pose){rotation_times(&A->R, &B->R), vec_add(A->p, rotate(&A->R, B->p))};
}

static inline arne_mat3 rotation_transpose(const arne_mat3 *R)
{
    return (arne_mat3){
        {R->x.x, R->y.x, R->z.x}, {R->x.y, R->y.y, R->z.y}, {R->x.z, R->y.z, R->z.z}};
}

static inline arne_pose pose_inverse(const arne_pose *X)
{
    return (arne_pose){rotation_transpose(&X->R), vec_scale(-1, rotate_back(&X->R, X->p))};
}

static inline arne_pose pose_move(arne_vec3 p) { return (arne_pose){rotation_identity(), p}; }

// A turn by an angle about an axis of any length but 0.
static inline arne_mat3 rotation_about(arne_vec3 axis, double angle)
{
    const double    n = vec_norm(axis), s = sin(angle), c = cos(angle), t = 1 - c;
    const arne_vec3 u = vec_scale(1 / n, axis);
    return (arne_mat3){
        .x = {c + t * u.x * u.x, t * u.x * u.y + s * u.z, t * u.x * u.z - s * u.y},
        .y = {t * u.x * u.y - s * u.z, c + t * u.y * u.y, t * u.y * u.z + s * u.x},
        .z = {t * u.x * u.z + s * u.y, t * u.y * u.z - s * u.x, c + t * u.z * u.z},
    };
}

// The smallest turn that takes z along v, which is not 0.
static inline arne_mat3 rotation_of_z(arne_vec3 v)
{
    const arne_vec3 z = {0, 0, 1}, axis = vec_cross(z, vec_scale(1 / vec_norm(v), v));
    const double    s = vec_norm(axis);
    if (s < 1e-10)
        return (arne_mat3){{1, 0, 0}, {0, v.z < 0 ? -1 : 1, 0}, {0, 0, v.z < 0 ? -1 : 1}};
    return rotation_about(axis, atan2(s, v.z / vec_norm(v)));
}

// Of a quaternion w, x, y, z of any length but 0.
static inline arne_mat3 rotation_wxyz(const double h[4])
{
    const double n = sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3]);
    const double w = h[0] / n, x = h[1] / n, y = h[2] / n, z = h[3] / n;
    return (arne_mat3){
        .x = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
        .y = {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
        .z = {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)},
    };
}

// The largest of the four is found first: no difference of close numbers is divided by.
static inline void rotation_to_wxyz(const arne_mat3 *R, double h[4])
{
    const double d[4] = {R->x.x + R->y.y + R->z.z, R->x.x - R->y.y - R->z.z,
                         R->y.y - R->x.x - R->z.z, R->z.z - R->x.x - R->y.y};
    const double x[4][4] = {
        {1 + d[0], R->y.z - R->z.y, R->z.x - R->x.z, R->x.y - R->y.x},
        {R->y.z - R->z.y, 1 + d[1], R->x.y + R->y.x, R->x.z + R->z.x},
        {R->z.x - R->x.z, R->x.y + R->y.x, 1 + d[2], R->y.z + R->z.y},
        {R->x.y - R->y.x, R->x.z + R->z.x, R->y.z + R->z.y, 1 + d[3]},
    };
    int most = 0;
    for (int i = 1; i < 4; i++)
        if (d[i] > d[most]) most = i;
    const double n = sqrt(x[most][0] * x[most][0] + x[most][1] * x[most][1] +
                          x[most][2] * x[most][2] + x[most][3] * x[most][3]);
    for (int i = 0; i < 4; i++)
        h[i] = x[most][i] / n;
}

#endif

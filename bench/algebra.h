// The little algebra that the conversions need, on the public types. Clarity before speed: nothing
// here is timed.
#ifndef ARNE_BENCH_ALGEBRA_H
#define ARNE_BENCH_ALGEBRA_H

#include <arne/types.h>
#include <cmath>

namespace peers
{

inline arne_vec3 add(arne_vec3 a, arne_vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline arne_vec3 sub(arne_vec3 a, arne_vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline arne_vec3 scale(double s, arne_vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline double    dot(arne_vec3 a, arne_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double    length(arne_vec3 a) { return std::sqrt(dot(a, a)); }
inline arne_vec3 cross(arne_vec3 a, arne_vec3 b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double coordinate(arne_vec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

inline arne_vec3 mul(const arne_mat3 &R, arne_vec3 a)
{
    return add(add(scale(a.x, R.x), scale(a.y, R.y)), scale(a.z, R.z));
}
inline arne_vec3 mul_transposed(const arne_mat3 &R, arne_vec3 a)
{
    return {dot(R.x, a), dot(R.y, a), dot(R.z, a)};
}
inline arne_mat3 mul(const arne_mat3 &A, const arne_mat3 &B)
{
    return {mul(A, B.x), mul(A, B.y), mul(A, B.z)};
}
inline arne_mat3 transposed(const arne_mat3 &R)
{
    return {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
}
inline double element(const arne_mat3 &R, int row, int column)
{
    return coordinate(column == 0 ? R.x : column == 1 ? R.y : R.z, row);
}
inline arne_mat3 identity() { return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; }

// X_ac = X_ab X_bc, and X_ba of X_ab.
inline arne_pose mul(const arne_pose &A, const arne_pose &B)
{
    return {mul(A.R, B.R), add(A.p, mul(A.R, B.p))};
}
inline arne_pose inverse(const arne_pose &X)
{
    return {transposed(X.R), scale(-1, mul_transposed(X.R, X.p))};
}

// Quaternions are x, y, z, w.
inline arne_mat3 rotation(const double *q)
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    return {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
            {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
            {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
}

// The axes of a symmetric matrix (xx, yy, zz, xy, xz, yz) turned by R: R I R^T, and the inertia of
// a point mass at r about the origin; both accumulate into out.
inline void add_turned(const arne_mat3 &R, const double *I, double *out)
{
    const arne_mat3 S = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
    const arne_mat3 T = mul(mul(R, S), transposed(R));
    const double    turned[6] = {T.x.x, T.y.y, T.z.z, T.y.x, T.z.x, T.z.y};
    for (int i = 0; i < 6; i++)
        out[i] += turned[i];
}
inline void add_point_mass(double m, arne_vec3 r, double *out)
{
    const double s = dot(r, r);
    out[0] += m * (s - r.x * r.x);
    out[1] += m * (s - r.y * r.y);
    out[2] += m * (s - r.z * r.z);
    out[3] -= m * r.x * r.y;
    out[4] -= m * r.x * r.z;
    out[5] -= m * r.y * r.z;
}

} // namespace peers

#endif

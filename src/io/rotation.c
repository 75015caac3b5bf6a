#include "io/read_rotation.h"
#include <math.h>

// pi/2 with 16 digits has a cosine of 6e-17, not 0. Nobody writes an angle that small on purpose,
// and a zero that is a zero keeps axes and inertias clean.
static double snap(double x) { return fabs(x) < 1e-15 ? 0 : x; }

arne_mat3 arne_rotation_rpy(const double rpy[3])
{
    const double sr = snap(sin(rpy[0])), cr = snap(cos(rpy[0]));
    const double sp = snap(sin(rpy[1])), cp = snap(cos(rpy[1]));
    const double sy = snap(sin(rpy[2])), cy = snap(cos(rpy[2]));
    return (arne_mat3){
        .x = {cy * cp, sy * cp, -sp},
        .y = {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr},
        .z = {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr},
    };
}

int arne_rotation_quaternion(const double xyzw[4], arne_mat3 *out, double *length)
{
    const double norm =
        sqrt(xyzw[0] * xyzw[0] + xyzw[1] * xyzw[1] + xyzw[2] * xyzw[2] + xyzw[3] * xyzw[3]);
    *length = norm;
    if (!(fabs(norm - 1) <= 1e-6)) return 0;
    const double x = xyzw[0] / norm, y = xyzw[1] / norm, z = xyzw[2] / norm, w = xyzw[3] / norm;
    *out = (arne_mat3){
        .x = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
        .y = {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
        .z = {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)},
    };
    return 1;
}

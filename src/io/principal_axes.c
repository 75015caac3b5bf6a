#include "io/principal_axes.h"
#include "io/pose_math.h"
#include <math.h>

// One turn of Jacobi's method: takes the largest entry off the diagonal of V^T J V to 0. Returns 0
// where the entry is below `least`, or the cosine of the turn is within `still` of 1.
static int principal_turn(const arne_mat3 *J, double least, double still, arne_mat3 *V)
{
    const arne_mat3 back = rotation_transpose(V), left = rotation_times(&back, J);
    const arne_mat3 D = rotation_times(&left, V);
    const double    off[3] = {D.z.y, D.z.x, D.y.x}, diagonal[3] = {D.x.x, D.y.y, D.z.z};
    const int       about = fabs(off[2]) > fabs(off[1]) && fabs(off[2]) > fabs(off[0]) ? 2
                            : fabs(off[1]) > fabs(off[0])                              ? 1
                                                                                       : 0;
    const int       first = about == 0, second = about == 2 ? 1 : 2; // the axes that turn
    if (fabs(off[about]) <= least) return 0;
    const double t0 = (diagonal[second] - diagonal[first]) / (2 * off[about]);
    const double t = (t0 < 0 ? -1 : 1) / (fabs(t0) + sqrt(1 + t0 * t0)), c = 1 / sqrt(1 + t * t);
    if (1 - c < still) return 0;
    const arne_vec3 axis = {about == 0, about == 1, about == 2};
    const arne_mat3 turn = rotation_about(axis, about == 1 ? atan(t) : -atan(t));
    *V = rotation_times(V, &turn);
    return 1;
}

void principal_axes(const arne_mat3 *J, double least, double still, arne_mat3 *V)
{
    *V = rotation_identity();
    for (int i = 0; i < 500 && principal_turn(J, least, still, V); i++) {
    }
}

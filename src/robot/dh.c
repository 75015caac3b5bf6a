// Denavit-Hartenberg rows as joints about z.
#include "robot/joint.h"
#include <arne/builder.h>
#include <math.h>

// sin and cos that are exact at multiples of a right angle, which is what tables are made of.
static void clean_sincos(double angle, double *s, double *c)
{
    *s = sin(angle);
    *c = cos(angle);
    if (fabs(*s) < 1e-15) *s = 0;
    if (fabs(*c) < 1e-15) *c = 0;
}

// X followed by a screw of angle and length about its own z, or its own x.
static arne_pose screw_z(arne_pose X, double angle, double length)
{
    double s, c;
    clean_sincos(angle, &s, &c);
    const arne_vec3 x = X.R.x, y = X.R.y, z = X.R.z;
    X.R.x = (arne_vec3){c * x.x + s * y.x, c * x.y + s * y.y, c * x.z + s * y.z};
    X.R.y = (arne_vec3){c * y.x - s * x.x, c * y.y - s * x.y, c * y.z - s * x.z};
    X.p = (arne_vec3){X.p.x + length * z.x, X.p.y + length * z.y, X.p.z + length * z.z};
    return X;
}

static arne_pose screw_x(arne_pose X, double angle, double length)
{
    double s, c;
    clean_sincos(angle, &s, &c);
    const arne_vec3 x = X.R.x, y = X.R.y, z = X.R.z;
    X.R.y = (arne_vec3){c * y.x + s * z.x, c * y.y + s * z.y, c * y.z + s * z.z};
    X.R.z = (arne_vec3){c * z.x - s * y.x, c * z.y - s * y.y, c * z.z - s * y.z};
    X.p = (arne_vec3){X.p.x + length * x.x, X.p.y + length * x.y, X.p.z + length * x.z};
    return X;
}

void arne_dh_standard(arne_joint_spec *spec, double theta, double d, double a, double alpha)
{
    const arne_pose one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    const int       slides = joint_is_slide(spec->kind);
    // The constant part of the joint's own screw may stand on either side of it: the joint's frame
    // is at the near end, where the proximal force of the literature acts, and turns by theta
    // before it moves.
    spec->axis = (arne_vec3){0, 0, 1};
    spec->origin = screw_z(one, theta, slides ? d : 0);
    spec->tip = screw_x(screw_z(one, 0, slides ? 0 : d), alpha, a);
}

void arne_dh_modified(arne_joint_spec *spec, double gamma, double b, double alpha, double d,
                      double theta, double r)
{
    const arne_pose one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    spec->axis = (arne_vec3){0, 0, 1};
    spec->origin = screw_z(screw_x(screw_z(one, gamma, b), alpha, d), theta, r);
    spec->tip = one;
}

// Inertias of files: about the centre of mass or the origin, in the body's axes or others.
#include "robot/inertia.h"
#include "math/dense.h"
#include "math/lower.h"
#include "robot/robot.h"
#include <math.h>
#include <stdlib.h>

// What a point mass at c adds to the inertia about the origin.
static void point_inertia(double mass, arne_vec3 c, double out[6])
{
    out[0] = mass * (c.y * c.y + c.z * c.z);
    out[1] = mass * (c.x * c.x + c.z * c.z);
    out[2] = mass * (c.x * c.x + c.y * c.y);
    out[3] = -mass * c.x * c.y;
    out[4] = -mass * c.x * c.z;
    out[5] = -mass * c.y * c.z;
}

static constant_sym inertia_symmetric(const double i[6])
{
    const constant_sym s = {{i[0], i[3], i[4], 0}, {i[3], i[1], i[5], 0}, {i[4], i[5], i[2], 0}};
    return s;
}

void body_add_mass(body *b, arne_pose X, double mass, arne_vec3 com, const double about_com[6])
{
    double point[6], about_origin[6];
    point_inertia(mass, com, point);
    for (int k = 0; k < 6; k++)
        about_origin[k] = about_com[k] + point[k];
    const constant_sym J = inertia_symmetric(about_origin);
    const pose         at = pose_lift(X);
    const inertia      own = {mass, scale(lift(com), mass), sym_lift(&J)};
    const inertia      seen = inertia_in(at.R, at.p, own);
    inertia            sum = inertia_lift(&b->inertia);
    inertia_accumulate(&sum, &seen);
    b->inertia = constant_inertia_from(&sum);
}

void body_mass(const body *b, double *mass, arne_vec3 *com, double about_com[6])
{
    const constant_inertia *I = &b->inertia;
    const double            m = I->m, per = m > 0 ? 1 / m : 0;
    double                  point[6];
    *mass = m;
    *com = (arne_vec3){I->h.x * per, I->h.y * per, I->h.z * per};
    point_inertia(m, *com, point);
    const double full[6] = {I->J.x.x, I->J.y.y, I->J.z.z, I->J.x.y, I->J.x.z, I->J.y.z};
    for (int k = 0; k < 6; k++)
        about_com[k] = full[k] - point[k];
}

static void principal_moments(const double J[6], double principal[3])
{
    double a[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}}, axes[3][3];
    dense_diagonalise3(a, axes);
    for (int i = 0; i < 3; i++)
        principal[i] = a[i][i];
    qsort(principal, 3, sizeof *principal, dense_rising);
}

void inertia_about_com(const arne_body_spec *spec, double about_com[6], double principal[3])
{
    const constant_sym given = inertia_symmetric(spec->inertia);
    const mat3         R =
        m3(lift(spec->inertia_axes.x), lift(spec->inertia_axes.y), lift(spec->inertia_axes.z));
    sym3   J = sym_lift(&given);
    double point[6] = {0};
    if (dot(R.x, R.x) + dot(R.y, R.y) + dot(R.z, R.z) > 0) J = sym_rotate(R, J);
    if (spec->about_origin) point_inertia(spec->mass, spec->com, point);
    const mat3   F = sym_full(J);
    const double full[6] = {vx(F.x), vy(F.y), vz(F.z), vy(F.x), vz(F.x), vz(F.y)};
    for (int k = 0; k < 6; k++)
        about_com[k] = full[k] - point[k];
    principal_moments(about_com, principal);
}

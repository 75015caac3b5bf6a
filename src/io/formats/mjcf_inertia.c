// Sums of inertias, and the settings of the compiler that change principal moments.
#include "io/formats/mjcf.h"
#include "io/principal_axes.h"
#include <string.h>

static arne_mat3 inertia_matrix(const double J[6])
{
    return (arne_mat3){{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
}

void mjcf_mass_add(mjcf_mass *sum, double m, const arne_pose *X, const double I[6])
{
    const arne_mat3 own = inertia_matrix(I), back = rotation_transpose(&X->R);
    const arne_mat3 left = rotation_times(&X->R, &own), J = rotation_times(&left, &back);
    const arne_vec3 p = X->p;
    const double    pp = vec_dot(p, p);
    const double    all[6] = {J.x.x + m * (pp - p.x * p.x), J.y.y + m * (pp - p.y * p.y),
                              J.z.z + m * (pp - p.z * p.z), J.x.y - m * p.x * p.y,
                              J.x.z - m * p.x * p.z,        J.y.z - m * p.y * p.z};
    sum->count++;
    sum->last = *X;
    memcpy(sum->last_inertia, I, sizeof sum->last_inertia);
    sum->mass += m;
    sum->first = vec_add(sum->first, vec_scale(m, p));
    for (int i = 0; i < 6; i++)
        sum->inertia[i] += all[i];
}

void mjcf_mass_to_spec(const mjcf_mass *sum, arne_body_spec *spec)
{
    const double m = sum->mass;
    if (m <= 0) return;
    if (sum->count == 1) { // as it is, without a sum to round
        spec->mass = m;
        spec->com = sum->last.p;
        spec->inertia_axes = sum->last.R;
        memcpy(spec->inertia, sum->last_inertia, sizeof spec->inertia);
        return;
    }
    const arne_vec3 c = vec_scale(1 / m, sum->first);
    const double    cc = vec_dot(c, c);
    const double    shift[6] = {m * (cc - c.x * c.x), m * (cc - c.y * c.y), m * (cc - c.z * c.z),
                                -m * c.x * c.y,       -m * c.x * c.z,       -m * c.y * c.z};
    spec->mass = m;
    spec->com = c;
    spec->inertia_axes = rotation_identity();
    for (int i = 0; i < 6; i++)
        spec->inertia[i] = sum->inertia[i] - shift[i];
}

// To principal axes. MuJoCo keeps moments and axes, and drops what its search leaves off the
// diagonal (up to 1e-9 of the moments): so do we, for the same numbers.
static void inertia_to_principal(arne_body_spec *spec)
{
    const arne_mat3 J = inertia_matrix(spec->inertia);
    arne_mat3       V;
    principal_axes(&J, 1e-12, 1e-12, &V);
    const arne_vec3 a = rotate(&J, V.x), b = rotate(&J, V.y), c = rotate(&J, V.z);
    const double    moments[6] = {vec_dot(V.x, a), vec_dot(V.y, b), vec_dot(V.z, c), 0, 0, 0};
    spec->inertia_axes = rotation_times(&spec->inertia_axes, &V);
    memcpy(spec->inertia, moments, sizeof moments);
}

void mjcf_bound(const mjcf_compiler *c, const arne_pose *X, arne_body_spec *spec)
{
    static const arne_mat3 none = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double                *I = spec->inertia;
    if (spec->mass == 0 && I[0] == 0 &&
        c->bound_mass > 0) { // MuJoCo puts it at the body's own pose
        spec->com = X->p;
        spec->inertia_axes = X->R;
    }
    if (memcmp(&spec->inertia_axes, &none, sizeof none) == 0)
        spec->inertia_axes = rotation_identity();
    if (I[3] != 0 || I[4] != 0 || I[5] != 0) inertia_to_principal(spec);
    if (spec->mass < c->bound_mass) spec->mass = c->bound_mass;
    for (int i = 0; i < 3; i++)
        if (I[i] < c->bound_inertia) I[i] = c->bound_inertia;
    const double sum = I[0] + I[1] + I[2], most = fmax(I[0], fmax(I[1], I[2]));
    for (int i = 0; i < 3 && c->balance && 2 * most > sum; i++)
        I[i] = sum / 3;
}

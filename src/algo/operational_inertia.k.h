// Lambda = (J M^-1 J^T)^-1: the inertia that a force on the frame meets (Khatib 1987).
#ifndef ARNE_ALGO_OPERATIONAL_INERTIA_K_H
#define ARNE_ALGO_OPERATIONAL_INERTIA_K_H

#include "algo/articulated_solve.k.h"
#include "algo/call.k.h"
#include "algo/factor.k.h"
#include "algo/jacobian.k.h"
#include "algo/mass_matrix.k.h"

// A dense matrix is that of a chain: every column has the one before as ancestor.
ARNE_FN void chain_of_six(int above[6])
{
    for (int k = 0; k < 6; k++)
        above[k] = k - 1;
}

// J M^-1 J^T, with the factor of M in w->matrix, and its own factor in its place.
ARNE_TEXT void factored_mobility(const arne_robot *r, work *w, const real *q, int frame,
                                 arne_axes axes, real *mobility)
{
    const int n = r->v_count;
    real     *J = w->task, *x = w->scratch;
    int       above[6];
    jacobian(r, w, q, frame, axes, J);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < n; i++)
            x[i] = J[k * n + i];
        factor_solve(n, robot_factor_parents(r), w->matrix, x);
        for (int l = 0; l < 6; l++) {
            real sum = r_num(0);
            for (int i = 0; i < n; i++)
                sum = r_add_mul(sum, J[l * n + i], x[i]);
            mobility[l * 6 + k] = sum;
        }
    }
    chain_of_six(above);
    factor(6, above, mobility);
}

// J M^-1 J^T again, without M: V is the mobility of a body, that of its parent as the joint hands
// it on, and what the joint adds (Kreutz-Delgado, Jain and Rodriguez 1992). With L = 1 - S U^T / D,
//     V = L V_parent L^T + S S^T / D
// from the base outward, in the common frame; needs common_articulate.
ARNE_TEXT void recursive_mobility(const arne_robot *r, work *w, int i, motion V[6])
{
    for (int j = 0; j < 6; j++)
        V[j] = motion_zero();
    for (int c = way_to(r, w, i) - 1; c >= 0; c--) {
        const body *last = robot_bodies(r) + w->way[c], *first = robot_bodies(r) + last->run;
        for (int k = first->v_start; k < last->v_start + last->v_count; k++) {
            const motion S = w->S[k];
            const real   d = w->D_inverse[k], half = r_num(0.5);
            real         u[SIX_ROOM], s[SIX_ROOM], z[SIX_ROOM];
            motion       y = motion_zero();
            put_six(u, w->U_k[k].lin, w->U_k[k].ang);
            for (int j = 0; j < 6; j++)
                y = motion_add_scaled(y, V[j], u[j]);
            // V + S z^T + z S^T
            const real   own = r_mul(half, r_add_mul(d, r_mul(d, d), power(y, w->U_k[k])));
            const motion Z =
                motion_add_scaled(mo(scale(S.lin, own), scale(S.ang, own)), y, r_neg(d));
            put_six(s, S.lin, S.ang);
            put_six(z, Z.lin, Z.ang);
            for (int j = 0; j < 6; j++)
                V[j] = motion_add_scaled(motion_add_scaled(V[j], S, z[j]), Z, s[j]);
        }
    }
}

// A motion of the frame, from the common frame's axes and origin into those that are asked for.
ARNE_FN motion asked_motion(const arne_robot *r, const work *w, const arne_frame_info *f,
                            arne_axes axes, motion v)
{
    const int  i = f->body;
    const pose link = pose_lift(f->pose), *base = &w->base_pose;
    const pose X = pose_from(m3_mul(w->R[i], link.R), add(w->place[i], rot(w->R[i], link.p)));
    if (axes == ARNE_AXES_BODY) return to_child(&X, v);
    if (axes == ARNE_AXES_ALIGNED) {
        const vec3 lin = add(v.lin, cross(v.ang, X.p));
        return mo(out_of(base, lin), out_of(base, v.ang));
    }
    const pose origin = pose_from(base->R, add(base->p, out_of(base, common_origin(r, w, i))));
    return motion_to_parent(&origin, v);
}

// T V T^T with T of asked_motion, 6 x 6, and its own factor in its place.
ARNE_TEXT void frame_mobility(const arne_robot *r, work *w, int frame, arne_axes axes,
                              real *mobility)
{
    const arne_frame_info *f = &robot_frames(r)[frame].info;
    motion                 V[6];
    int                    above[6];
    recursive_mobility(r, w, f->body, V);
    for (int k = 0; k < 36; k++)
        mobility[k] = r_num(0);
    for (int pass = 0; pass < 2 && f->body > 0; pass++) {
        for (int j = 0; j < 6; j++) // of a symmetric matrix a row is a column: T (T V)^T
            put_column(mobility, 6, j, asked_motion(r, w, f, axes, V[j]));
        for (int j = 0; j < 6; j++) {
            const real *x = mobility + 6 * j;
            V[j] = mo(v3(x[0], x[1], x[2]), v3(x[3], x[4], x[5]));
        }
    }
    chain_of_six(above);
    factor(6, above, mobility);
}

ARNE_TEXT void invert_mobility(const real *mobility, real *Lambda)
{
    int above[6];
    chain_of_six(above);
    factor_invert(6, above, mobility, Lambda);
}

CALL(OPERATIONAL_INERTIA)
{
    const call_settings *s = c->settings;
    real                 mobility[36];
    const unsigned       bad = factored_mass_matrix(c->r, c->w, IN(q));
    factored_mobility(c->r, c->w, IN(q), s->frame, s->axes, mobility);
    invert_mobility(mobility, OUT(Lambda));
    return bad | suspicious(6, mobility, 7, NULL);
}

#endif

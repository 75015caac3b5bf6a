// The exponential of a twist, and what its rates do, as fixed polynomials.
//
// A pose exp(O) with O = (u, w), a translation and a turn, moves with the twist v = T dO/dt in the
// axes of what it moves, and T = 1 - b ad + c ad^2, where ad m = O x m, b = (1 - cos x)/x^2, c = (x
// - sin x)/x^3. This is the formula of rotations over dual numbers: x^2 = O . O has a real part w .
// w and a dual part 2 w . u, and b and c are functions of both (Kotelnikov's transference). So b
// and c, and all their derivatives with respect to x^2, are sums of Stumpff's functions
//     C_k(s) = 1/k! - s/(k+2)! + s^2/(k+4)! - ...,   s = w . w
//     dC_k/ds = (k C_{k+2} - C_{k+1})/2,   C_k = 1/k! - s C_{k+2}
// of which the last two are polynomials, and the others follow without a division: nothing is lost
// where the turn is small or zero. EXPONENTIAL_TERMS are enough for turns of EXPONENTIAL_MOST.
#ifndef ARNE_MATH_EXPONENTIAL_H
#define ARNE_MATH_EXPONENTIAL_H

#include "math/spatial.h"

enum { EXPONENTIAL_TERMS = 12, STUMPFF_FIRST = 2, STUMPFF_COUNT = 8 };
#define EXPONENTIAL_MOST 3.0 // rad

typedef struct dual {
    real v, d;
} dual;

ARNE_FN dual dual_from(real v, real d)
{
    dual a;
    a.v = v;
    a.d = d;
    return a;
}
ARNE_FN dual dual_add(dual a, dual b) { return dual_from(r_add(a.v, b.v), r_add(a.d, b.d)); }
ARNE_FN dual dual_mul(dual a, dual b)
{
    return dual_from(r_mul(a.v, b.v), r_add_mul(r_mul(a.v, b.d), a.d, b.v));
}
// Twists as dual vectors: their scalar product, and one times a number.
ARNE_FN dual dual_dot(motion a, motion b)
{
    return dual_from(dot(a.ang, b.ang), r_add(dot(a.ang, b.lin), dot(a.lin, b.ang)));
}
ARNE_FN motion dual_scale(motion a, dual s)
{
    return mo(add_scaled(scale(a.lin, s.v), a.ang, s.d), scale(a.ang, s.v));
}

// 1/n!
static const double INVERSE_FACTORIAL[] = {
    1,
    1,
    0.5,
    0.16666666666666666,
    0.041666666666666664,
    0.0083333333333333332,
    0.0013888888888888889,
    0.00019841269841269841,
    2.4801587301587302e-05,
    2.7557319223985893e-06,
    2.7557319223985888e-07,
    2.505210838544172e-08,
    2.08767569878681e-09,
    1.6059043836821613e-10,
    1.1470745597729725e-11,
    7.6471637318198164e-13,
    4.7794773323873853e-14,
    2.8114572543455206e-15,
    1.5619206968586225e-16,
    8.2206352466243295e-18,
    4.1103176233121648e-19,
    1.9572941063391263e-20,
    8.8967913924505741e-22,
    3.8681701706306841e-23,
    1.6117375710961184e-24,
    6.4469502843844736e-26,
    2.4795962632247976e-27,
    9.183689863795546e-29,
    3.2798892370698378e-30,
    1.1309962886447716e-31,
    3.7699876288159054e-33,
    1.2161250415535179e-34,
    3.8003907548547434e-36,
    1.1516335620771951e-37,
};

// C_k(-m) as a polynomial.
ARNE_FN real stumpff(int k, real m)
{
    real sum = r_num(INVERSE_FACTORIAL[k + 2 * (EXPONENTIAL_TERMS - 1)]);
    for (int i = EXPONENTIAL_TERMS - 2; i >= 0; i--)
        sum = r_add_mul(r_num(INVERSE_FACTORIAL[k + 2 * i]), sum, m);
    return sum;
}

// O, its rates, and C_2 to C_9 of its turn.
typedef struct exponential {
    motion O[3];
    real   C[STUMPFF_COUNT];
    dual   b[3], c[3]; // and their rates
    mat3   T, T_dual;  // see exponential_matrix
} exponential;

// T over dual vectors: 1 - b [O] + c [O]^2 = (1 - c O.O) 1 - b [O] + c O O^T.
ARNE_FN void exponential_matrix(exponential *e)
{
    const vec3 w = e->O[0].ang, u = e->O[0].lin;
    const dual b = e->b[0], c = e->c[0], cs = dual_mul(c, dual_dot(e->O[0], e->O[0]));
    const real a = r_sub(r_num(1), cs.v), d = r_neg(cs.d);
    const vec3 p = scale(w, b.v), g = add_scaled(scale(w, b.d), u, b.v);
    const vec3 h = scale(w, c.v), k = add_scaled(scale(w, c.d), u, c.v);
    e->T = m3(add_scaled(v3(a, r_neg(vz(p)), vy(p)), w, vx(h)),
              add_scaled(v3(vz(p), a, r_neg(vx(p))), w, vy(h)),
              add_scaled(v3(r_neg(vy(p)), vx(p), a), w, vz(h)));
    e->T_dual = m3(add_scaled(add_scaled(v3(d, r_neg(vz(g)), vy(g)), w, vx(k)), u, vx(h)),
                   add_scaled(add_scaled(v3(vz(g), d, r_neg(vx(g))), w, vy(k)), u, vy(h)),
                   add_scaled(add_scaled(v3(r_neg(vy(g)), vx(g), d), w, vz(k)), u, vz(h)));
}

ARNE_FN void exponential_set(exponential *e, motion O)
{
    const real m = r_neg(dot(O.ang, O.ang));
    e->O[0] = O;
    e->C[7] = stumpff(9, m);
    e->C[6] = stumpff(8, m);
    for (int i = 5; i >= 0; i--)
        e->C[i] = r_add_mul(r_num(INVERSE_FACTORIAL[i + STUMPFF_FIRST]), m, e->C[i + 2]);
    const real d = r_mul(r_num(2), dot(O.ang, O.lin)), half = r_num(0.5);
    // dC_2/ds = C_4 - C_3/2, dC_3/ds = (3 C_5 - C_4)/2
    e->b[0] = dual_from(e->C[0], r_mul(d, r_sub(e->C[2], r_mul(half, e->C[1]))));
    e->c[0] = dual_from(e->C[1], r_mul(d, r_mul(half, r_sub(r_mul(r_num(3), e->C[3]), e->C[2]))));
    exponential_matrix(e);
}

// The quaternion x, y, z, w of the turn, and the translation.
ARNE_FN void exponential_pose(const exponential *e, real *p, real *h)
{
    const motion O = e->O[0];
    const real   quarter = r_mul(r_num(-0.25), dot(O.ang, O.ang));
    const vec3   t = cross(O.ang, O.lin), v = scale(O.ang, r_mul(r_num(0.5), stumpff(1, quarter)));
    const vec3   place = add_scaled(add_scaled(O.lin, t, e->b[0].v), cross(O.ang, t), e->c[0].v);
    p[0] = vx(place);
    p[1] = vy(place);
    p[2] = vz(place);
    h[0] = vx(v);
    h[1] = vy(v);
    h[2] = vz(v);
    h[3] = stumpff(0, quarter);
}

// The rates of b and c, once O[1] and, for the second ones, O[2] are set.
ARNE_FN void exponential_rates(exponential *e, int orders)
{
    real       f[4][STUMPFF_COUNT]; // derivatives of C_k with respect to s
    const dual two = dual_from(r_num(2), r_num(0));
    const real d = dual_dot(e->O[0], e->O[0]).d;
    for (int i = 0; i < STUMPFF_COUNT; i++)
        f[0][i] = e->C[i];
    for (int n = 1; n <= orders + 1; n++)
        for (int i = 0; i + 2 * n < STUMPFF_COUNT; i++)
            f[n][i] = r_mul(r_num(0.5), r_sub(r_mul(r_num(i + STUMPFF_FIRST), f[n - 1][i + 2]),
                                              f[n - 1][i + 1]));
    const dual rate = dual_mul(two, dual_dot(e->O[0], e->O[1]));
    for (int i = 0; i < 2; i++) {
        dual      *to = i ? e->c : e->b;
        const dual first = dual_from(f[1][i], r_mul(d, f[2][i]));
        to[1] = dual_mul(first, rate);
        if (orders < 2) continue;
        const dual second = dual_from(f[2][i], r_mul(d, f[3][i]));
        const dual more = dual_add(dual_dot(e->O[1], e->O[1]), dual_dot(e->O[0], e->O[2]));
        to[2] =
            dual_add(dual_mul(second, dual_mul(rate, rate)), dual_mul(first, dual_mul(two, more)));
    }
}

// T m, and m by the first and second rate of T.
ARNE_FN motion exponential_map(const exponential *e, motion m)
{
    return mo(add(rot(e->T, m.lin), rot(e->T_dual, m.ang)), rot(e->T, m.ang));
}
// T^T f
ARNE_FN force exponential_map_back(const exponential *e, force f)
{
    return fo(rot_inv(e->T, f.lin), add(rot_inv(e->T_dual, f.lin), rot_inv(e->T, f.ang)));
}
// T times a unit twist: about x, y, z (0 to 2), or along them (3 to 5).
ARNE_FN motion exponential_column(const exponential *e, int k)
{
    const vec3 turn = k % 3 == 0 ? e->T.x : k % 3 == 1 ? e->T.y : e->T.z;
    const vec3 slide = k == 0 ? e->T_dual.x : k == 1 ? e->T_dual.y : e->T_dual.z;
    return k < 3 ? mo(slide, turn) : mo(turn, v3_zero());
}
// O's rate by the first rate of T, where O' x O' is 0.
ARNE_FN motion exponential_turned(const exponential *e)
{
    const motion one = cross_motion(e->O[0], e->O[1]);
    return motion_sub(motion_add(dual_scale(cross_motion(e->O[0], one), e->c[1]),
                                 dual_scale(cross_motion(e->O[1], one), e->c[0])),
                      dual_scale(one, e->b[1]));
}
ARNE_FN motion exponential_map_rate(const exponential *e, motion m)
{
    const motion one = cross_motion(e->O[0], m), moved = cross_motion(e->O[1], m);
    const motion pairs = motion_add(cross_motion(e->O[1], one), cross_motion(e->O[0], moved));
    return motion_sub(
        motion_add(dual_scale(cross_motion(e->O[0], one), e->c[1]), dual_scale(pairs, e->c[0])),
        motion_add(dual_scale(one, e->b[1]), dual_scale(moved, e->b[0])));
}
ARNE_FN motion exponential_map_second(const exponential *e, motion m)
{
    const motion *O = e->O;
    const dual    two = dual_from(r_num(2), r_num(0));
    const motion  one = cross_motion(O[0], m), moved = cross_motion(O[1], m),
                 again = cross_motion(O[2], m), pair = cross_motion(O[1], moved);
    const motion first = motion_add(cross_motion(O[1], one), cross_motion(O[0], moved));
    const motion second = motion_add(motion_add(cross_motion(O[2], one), cross_motion(O[0], again)),
                                     motion_add(pair, pair));
    const motion by_c = motion_add(
        dual_scale(cross_motion(O[0], one), e->c[2]),
        motion_add(dual_scale(first, dual_mul(two, e->c[1])), dual_scale(second, e->c[0])));
    const motion by_b =
        motion_add(dual_scale(one, e->b[2]), motion_add(dual_scale(moved, dual_mul(two, e->b[1])),
                                                        dual_scale(again, e->b[0])));
    return motion_sub(by_c, by_b);
}

#endif

// Wrapping of a torus: a path goes through the hole, around the tube, as OpenSim has it: around the
// cylinder that touches the tube along its middle line at an angle phi, on the side of the hole.
//
// The hole is inside of all these cylinders, so the one counts that makes the path longest. There
// the length does not change with phi: the pieces before and behind the tube have the same moment
// about the axis (Clairaut's law), and so moment arms are those of a cylinder that stays. On a
// torus itself the path would be as long, but for the square of how far it goes along the tube over
// the radius of the ring.
#include "math/lower.h"
#include "robot/wrap.h"
#include <math.h>

enum { ANGLES = 48, ZERO_STEPS = 80 };
static const double SLOPE_MOST = 1e-9; // of the radius of the ring

typedef struct torus {
    const arne_wrap_spec *spec;
    vec3                  a, b;
    double                straight;
    // at an angle
    wrap_outcome outcome;
    wrap_arc     arc;
    double       longer, slope; // than the straight line; by the angle
} torus;

static double torus_distance(vec3 a, vec3 b)
{
    const vec3 d = sub(b, a);
    return sqrt(dot(d, d));
}

// x of the cylinder points to the axis of the torus, z along the tube.
static int torus_at(torus *t, double phi)
{
    const arne_wrap_spec cylinder = {
        .shape = ARNE_WRAP_CYLINDER, .size = {t->spec->size[0], INFINITY}, .side = ARNE_WRAP_X};
    const vec3 out = v3(cos(phi), sin(phi), 0), along = v3(-sin(phi), cos(phi), 0);
    const vec3 middle = scale(out, t->spec->size[1]);
    const mat3 R = m3(neg(out), v3(0, 0, -1), neg(along));
    wrap_arc   arc;
    t->outcome = wrap_line(&cylinder, lower(rot_inv(R, sub(t->a, middle))),
                           lower(rot_inv(R, sub(t->b, middle))), &arc);
    if (t->outcome == WRAP_NONE) return 0;
    const vec3   from = add(middle, rot(R, lift(arc.from))), to = add(middle, rot(R, lift(arc.to)));
    const double first = torus_distance(t->a, from), last = torus_distance(to, t->b);
    t->arc = (wrap_arc){lower(from), lower(to), arc.length};
    t->longer = first + arc.length + last - t->straight;
    t->slope = vz(cross(from, scale(sub(from, t->a), 1 / first))) -
               vz(cross(to, scale(sub(t->b, to), 1 / last)));
    return 1;
}

wrap_outcome wrap_torus(const arne_wrap_spec *spec, arne_vec3 a, arne_vec3 b, wrap_arc *arc)
{
    torus        t = {.spec = spec, .a = lift(a), .b = lift(b)};
    const double step = 2 * PI / ANGLES;
    double       best = -INFINITY, middle = 0;
    const vec3   side = lift(wrap_axis(spec->side));
    const int    sided = vx(side) != 0 || vy(side) != 0;
    t.straight = torus_distance(t.a, t.b);
    for (int i = 0; i < ANGLES; i++) {
        const double phi = i * step;
        if (sided && !(cos(phi) * vx(side) + sin(phi) * vy(side) > 0)) continue;
        if (!torus_at(&t, phi) || t.longer <= best) continue;
        best = t.longer;
        middle = phi;
    }
    if (!isfinite(best)) return WRAP_NONE;
    double low = middle - step, high = middle + step, phi = middle;
    for (int i = 0; i < ZERO_STEPS && high - low > 1e-15; i++) {
        const int wraps = torus_at(&t, phi);
        if (wraps ? t.slope > 0 : phi < middle)
            low = phi;
        else
            high = phi;
        phi = 0.5 * (low + high);
    }
    // no such angle: an end of the path is too near the tube
    if (!torus_at(&t, phi) || !(fabs(t.slope) < SLOPE_MOST * spec->size[1])) return WRAP_NONE;
    *arc = t.arc;
    return t.outcome;
}

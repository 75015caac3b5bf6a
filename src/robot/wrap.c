// Wrapping of cylinders and spheres: tangents to a circle, and the arc between them.
//
// In the plane of the circle (for a cylinder: across its axis; for a sphere: through its centre) a
// point at the distance d sees the circle of radius r under tangents of length sqrt(d^2 - r^2) that
// touch it at an angle of acos(r / d) beside the point. A path from a to b sweeps the angle between
// them, or goes the other way round; what is left of that between the tangents is the arc. A piece
// whose arc is negative misses the circle. On an unrolled cylinder the whole path is straight, so z
// grows in proportion to its length across the axis.
//
// Sides are OpenSim's quadrants: the path passes the axis or centre on the side of the half axis.
// A cylinder that is missed is wrapped if the piece is on the wrong side; a sphere is not.
#include "robot/wrap.h"
#include "math/lower.h"
#include <math.h>

typedef struct circle {
    double radius, sweep;     // the angle from a to b, 0 to pi
    double turn[2], reach[2]; // of the tangents: angle and length
    vec3   e1, e2;            // towards a, and across it towards b
} circle;

// `normal` is a unit vector, about which the sweep is positive. Returns 0 if a point is inside.
static int circle_start(circle *c, double radius, vec3 a, vec3 b, vec3 normal)
{
    const double d[2] = {sqrt(dot(a, a)), sqrt(dot(b, b))};
    for (int k = 0; k < 2; k++) {
        if (!(d[k] >= radius)) return 0;
        c->reach[k] = sqrt((d[k] - radius) * (d[k] + radius));
        c->turn[k] = atan2(c->reach[k], radius);
    }
    c->radius = radius;
    c->sweep = atan2(dot(normal, cross(a, b)), dot(a, b));
    c->e1 = scale(a, 1 / d[0]);
    c->e2 = cross(normal, c->e1);
    return 1;
}

// The angle on the circle, the short way or the other way round.
static double circle_arc(const circle *c, int round)
{
    return (round ? 2 * PI - c->sweep : c->sweep) - c->turn[0] - c->turn[1];
}

static vec3 circle_at(const circle *c, double angle)
{
    return add(scale(c->e1, c->radius * cos(angle)), scale(c->e2, c->radius * sin(angle)));
}

static void circle_tangents(const circle *c, int round, vec3 *from, vec3 *to)
{
    *from = circle_at(c, round ? -c->turn[0] : c->turn[0]);
    *to = circle_at(c, round ? c->sweep + c->turn[1] : c->sweep - c->turn[1]);
}

// Where the line through a and b is nearest to the origin.
static vec3 nearest_to_origin(vec3 a, vec3 b)
{
    const vec3   along = sub(b, a);
    const double square = dot(along, along);
    return square > 0 ? sub_scaled(a, along, dot(a, along) / square) : a;
}

static vec3 nearest_between(vec3 a, vec3 b)
{
    const vec3   along = sub(b, a);
    const double square = dot(along, along), at = square > 0 ? -dot(a, along) / square : 0;
    return add_scaled(a, along, fmin(1, fmax(0, at)));
}

// Whether the pieces from a to p and from b to q, all in a plane with this normal, cross.
static int pieces_cross(vec3 a, vec3 p, vec3 b, vec3 q, vec3 normal)
{
    const vec3   u = sub(p, a), v = sub(q, b), w = sub(b, a);
    const double det = dot(normal, cross(u, v));
    if (fabs(det) < 1e-15) return 0; // as MuJoCo: parallel
    const double s = dot(normal, cross(w, v)) / det, t = dot(normal, cross(w, u)) / det;
    return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

// MuJoCo's rule of side sites: a piece that goes through the circle or passes it on the other side
// takes the way round whose middle is nearer to the side, unless its tangents cross. Returns that
// way, -1 for none.
static int circle_way(const circle *c, vec3 a, vec3 b, vec3 side)
{
    double best = -INFINITY;
    int    way = -1;
    if (circle_arc(c, 0) <= 0 && dot(nearest_between(a, b), side) >= 0) return -1;
    for (int round = 0; round < 2; round++) {
        vec3 from, to;
        circle_tangents(c, round, &from, &to);
        const vec3   middle = add(from, to);
        const double good = dot(middle, side) / sqrt(dot(middle, middle));
        if (good <= best || pieces_cross(a, from, b, to, cross(c->e1, c->e2))) continue;
        best = good;
        way = round;
    }
    return way;
}

static wrap_outcome wrap_cylinder(const arne_wrap_spec *spec, vec3 a, vec3 b, wrap_arc *arc)
{
    const vec3   flat_a = v3(vx(a), vy(a), 0), flat_b = v3(vx(b), vy(b), 0);
    const vec3   side = lift(wrap_axis(spec->side));
    const int    sided = vx(side) != 0 || vy(side) != 0;
    const double across = vz(cross(flat_a, flat_b));
    circle       c;
    int          round = 0;
    if (!circle_start(&c, spec->size[0], flat_a, flat_b, v3(0, 0, across < 0 ? -1 : 1)))
        return WRAP_NONE;
    const int by_site = spec->side == ARNE_WRAP_SITE, touches = circle_arc(&c, 0) > 0 || by_site;
    if (by_site) {
        round = circle_way(&c, flat_a, flat_b, side);
        if (round < 0) return WRAP_NONE;
    } else if (sided) {
        const int right = (dot(a, side) > 0) + (dot(b, side) > 0);
        round = !right || (right == 1 && dot(nearest_to_origin(flat_a, flat_b), side) < 0);
    }
    const double angle = circle_arc(&c, round);
    if (!(angle > 0)) return WRAP_NONE;

    vec3 from, to;
    circle_tangents(&c, round, &from, &to);
    const double over = c.radius * angle,
                 slope = (vz(b) - vz(a)) / (c.reach[0] + over + c.reach[1]);
    from = add_z(from, vz(a) + slope * c.reach[0]);
    to = add_z(to, vz(b) - slope * c.reach[1]);
    if (2 * fabs(vz(from)) > spec->size[1] && 2 * fabs(vz(to)) > spec->size[1]) return WRAP_NONE;
    *arc = (wrap_arc){lower(from), lower(to), over * sqrt(1 + slope * slope)};
    return touches ? WRAP_CERTAIN : WRAP_POSSIBLE;
}

// A unit vector across a and b, also where these are parallel: then towards the half axis.
static vec3 wrap_normal(vec3 a, vec3 b, vec3 side)
{
    vec3         n = cross(a, b);
    const double small = 1e-24 * dot(a, a) * dot(b, b);
    if (dot(n, n) <= small) n = cross(a, side);
    if (dot(n, n) <= 1e-24 * dot(a, a)) n = cross(a, v3(0, 0, 1));
    if (dot(n, n) <= 1e-24 * dot(a, a)) n = cross(a, v3(1, 0, 0));
    return scale(n, 1 / sqrt(dot(n, n)));
}

static wrap_outcome wrap_sphere(const arne_wrap_spec *spec, vec3 a, vec3 b, wrap_arc *arc)
{
    const vec3 side = lift(wrap_axis(spec->side));
    circle     c;
    vec3       from, to;
    if (!circle_start(&c, spec->size[0], a, b, wrap_normal(a, b, side))) return WRAP_NONE;
    int round = (dot(a, side) < 0 || dot(b, side) < 0) && dot(nearest_to_origin(a, b), side) < 0;
    if (spec->side == ARNE_WRAP_SITE)
        round = circle_way(&c, a, b, side);
    else if (!(circle_arc(&c, 0) > 0))
        round = -1;
    if (round < 0) return WRAP_NONE;
    circle_tangents(&c, round, &from, &to);
    *arc = (wrap_arc){lower(from), lower(to), c.radius * circle_arc(&c, round)};
    return WRAP_CERTAIN;
}

wrap_outcome wrap_line(const arne_wrap_spec *spec, arne_vec3 a, arne_vec3 b, wrap_arc *arc)
{
    switch (spec->shape) {
    case ARNE_WRAP_CYLINDER:
        return wrap_cylinder(spec, lift(a), lift(b), arc);
    case ARNE_WRAP_SPHERE:
        return wrap_sphere(spec, lift(a), lift(b), arc);
    case ARNE_WRAP_TORUS:
        return wrap_torus(spec, a, b, arc);
    default:
        return wrap_ellipsoid(spec, a, b, arc);
    }
}

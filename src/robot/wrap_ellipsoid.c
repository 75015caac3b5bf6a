// Shortest paths over an ellipsoid.
//
// On the surface f(x) = x H x - 1 = 0, with H = diag(1/a^2), a path of unit speed t that bends only
// along the normal g = H x obeys
//     x' = t,   t' = -(t H t / g g) g,
// a geodesic. Its neighbours lie j beside it, where j'' + K j = 0 with Gauss's curvature K =
// 1 / (a b c g g)^2. A tangent from the point p touches the surface on a plane curve, its contour:
// with y = x / a (each component), y y_p = 1 on the unit sphere. So a path from p over the surface
// is known by the angle on the contour of p and by its length s on the surface. It ends in a
// straight line to the second point q if e = q - x(s) is along t: two equations for two unknowns,
// solved by Newton's method. All neighbours come from one point p, so j' = j / |x(0) - p| at the
// start.
//
// The first guesses lie in planes through p and q: these cut the unit sphere of y in circles. The
// length of such a plane path over the angle of its half plane has one minimum, sometimes two, and
// near each of them is a geodesic.
#include "math/lower.h"
#include "robot/wrap.h"
#include <math.h>
#include <string.h>

enum {
    STATE = 8,         // x, t, j, j'
    LEVELS = 8,        // of extrapolation
    MOST_STEPS = 2000, // of integration
    HALF_PLANES = 24,  // that are looked at
    NEWTON_STEPS = 40
};
static const double STEP_ERROR = 1e-14, NEWTON_ERROR = 1e-13;

// All lengths in units of the longest half axis.
typedef struct ellipsoid {
    vec3   a, H, p, q;
    double K;              // 1 / (a b c)^2
    vec3   middle, e1, e2; // of the contour of p, in y; e1 and e2 have its radius
} ellipsoid;

static vec3 over3(vec3 x, vec3 a) { return v3(vx(x) / vx(a), vy(x) / vy(a), vz(x) / vz(a)); }
static vec3 unit3(vec3 x) { return scale(x, 1 / sqrt(dot(x, x))); }

// A unit vector across a unit vector.
static vec3 across3(vec3 d)
{
    const vec3 least = fabs(vx(d)) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    return unit3(cross(d, least));
}

// ---- geodesics ----

static void geodesic_rate(const ellipsoid *e, const double *y, double *rate)
{
    const vec3   x = v3(y[0], y[1], y[2]), t = v3(y[3], y[4], y[5]), g = mul3(e->H, x);
    const double gg = dot(g, g), bend = -dot(t, mul3(e->H, t)) / gg;
    put_three(rate, t);
    put_three(rate + 3, scale(g, bend));
    rate[6] = y[7];
    rate[7] = -e->K / (gg * gg) * y[6];
}

// The modified midpoint rule.
static void geodesic_midpoint(const ellipsoid *e, const double *start, double step, int parts,
                              double *out)
{
    const double h = step / parts;
    double       before[STATE], now[STATE], rate[STATE];
    geodesic_rate(e, start, rate);
    for (int k = 0; k < STATE; k++) {
        before[k] = start[k];
        now[k] = start[k] + h * rate[k];
    }
    for (int i = 1; i < parts; i++) {
        geodesic_rate(e, now, rate);
        for (int k = 0; k < STATE; k++) {
            const double next = before[k] + 2 * h * rate[k];
            before[k] = now[k];
            now[k] = next;
        }
    }
    geodesic_rate(e, now, rate);
    for (int k = 0; k < STATE; k++)
        out[k] = 0.5 * (before[k] + now[k] + h * rate[k]);
}

// One step by extrapolation (Gragg, Bulirsch and Stoer). Returns the level that was good enough; 0:
// none.
static int geodesic_extrapolate(const ellipsoid *e, double *y, double step)
{
    double row[LEVELS][STATE]; // of the level before
    for (int i = 0; i < LEVELS; i++) {
        double error = 0, next[STATE];
        geodesic_midpoint(e, y, step, 2 * (i + 1), next);
        for (int column = 1; column <= i; column++) {
            const double ratio = (double)(i + 1) / (double)(i + 1 - column);
            for (int k = 0; k < STATE; k++) {
                const double change = (next[k] - row[column - 1][k]) / (ratio * ratio - 1);
                if (column == i) error = fmax(error, fabs(change));
                row[column - 1][k] = next[k];
                next[k] += change;
            }
        }
        memcpy(row[i], next, sizeof next);
        if (i > 1 && error < STEP_ERROR * (1 + fabs(y[6]) + fabs(y[7]))) {
            memcpy(y, next, sizeof next);
            return i;
        }
    }
    return 0;
}

// On to the arc length s, with x kept on the surface.
static int geodesic_follow(const ellipsoid *e, double *y, double s)
{
    double step = fmin(s, 0.5);
    for (int i = 0; i < MOST_STEPS && s > 0; i++) {
        step = fmin(step, s);
        const int level = geodesic_extrapolate(e, y, step);
        if (!level) {
            step *= 0.5;
            continue;
        }
        vec3 x = v3(y[0], y[1], y[2]), t = v3(y[3], y[4], y[5]);
        x = scale(x, 1 / sqrt(dot(x, mul3(e->H, x))));
        const vec3 N = unit3(mul3(e->H, x));
        t = unit3(sub_scaled(t, N, dot(N, t)));
        const double beside = y[6];
        put_three(y, x);
        put_three(y + 3, t); // which may write one number more
        y[6] = beside;
        s -= step;
        if (level < LEVELS - 2) step *= 1.5;
    }
    return !(s > 0);
}

// ---- from p to q ----

// A path by its two unknowns, and what is left to solve: e along N and B at its end, with the
// derivatives by s and by the angle.
typedef struct shot {
    double angle, s;
    vec3   from, to;
    double miss[2], by_s[2], by_angle[2];
} shot;

static int shot_fire(const ellipsoid *e, shot *o)
{
    const double sine = sin(o->angle), cosine = cos(o->angle);
    const vec3   x = mul3(e->a, add(e->middle, add(scale(e->e1, cosine), scale(e->e2, sine))));
    const vec3   moved = mul3(e->a, sub(scale(e->e2, cosine), scale(e->e1, sine)));
    const vec3   line = sub(x, e->p);
    const double reach = sqrt(dot(line, line));
    const vec3   start = scale(line, 1 / reach);
    const double beside = dot(moved, cross(unit3(mul3(e->H, x)), start)), ahead = dot(moved, start);
    double       y[STATE];
    put_three(y, x);
    put_three(y + 3, start);
    y[6] = beside;
    y[7] = beside / reach;
    o->from = x;
    if (!(reach > 0) || !geodesic_follow(e, y, o->s)) return 0;

    o->to = v3(y[0], y[1], y[2]);
    const vec3   t = v3(y[3], y[4], y[5]), g = mul3(e->H, o->to);
    const double size = sqrt(dot(g, g));
    const vec3   N = scale(g, 1 / size), B = cross(N, t), rest = sub(e->q, o->to);
    // How N changes along t, and as the end moves with the angle.
    const vec3 shift = add_scaled(scale(t, ahead), B, y[6]);
    vec3       along = scale(mul3(e->H, t), 1 / size), aside = scale(mul3(e->H, shift), 1 / size);
    along = sub_scaled(along, N, dot(N, along));
    aside = sub_scaled(aside, N, dot(N, aside));
    o->miss[0] = dot(N, rest);
    o->miss[1] = dot(B, rest);
    o->by_s[0] = dot(along, rest);
    o->by_s[1] = dot(cross(along, t), rest);
    o->by_angle[0] = dot(aside, rest);
    o->by_angle[1] = dot(cross(aside, t), rest) - y[7] * dot(t, rest) - y[6];
    return 1;
}

static double shot_error(const shot *o) { return fmax(fabs(o->miss[0]), fabs(o->miss[1])); }

// Newton's method with shorter steps where a whole one does not help.
static int shot_solve(const ellipsoid *e, shot *o)
{
    if (!shot_fire(e, o)) return 0;
    for (int i = 0; i < NEWTON_STEPS && shot_error(o) > NEWTON_ERROR; i++) {
        const double det = o->by_s[0] * o->by_angle[1] - o->by_s[1] * o->by_angle[0];
        double       ds = -(o->miss[0] * o->by_angle[1] - o->miss[1] * o->by_angle[0]) / det;
        double       da = -(o->by_s[0] * o->miss[1] - o->by_s[1] * o->miss[0]) / det;
        shot         next = *o;
        double       size = fmin(1, 0.3 / fmax(fabs(ds), fabs(da)));
        int          better = 0;
        if (!isfinite(ds) || !isfinite(da)) break;
        for (int k = 0; k < 12 && !better; k++, size *= 0.5) {
            next.s = fmax(0, o->s + size * ds);
            next.angle = o->angle + size * da;
            better = shot_fire(e, &next) && shot_error(&next) < shot_error(o);
        }
        if (!better) break;
        *o = next;
    }
    return shot_error(o) < 1e3 * NEWTON_ERROR;
}

// ---- first guesses ----

typedef struct plane_path {
    double length;  // of all, about
    double s;       // of the arc
    vec3   from;    // in y
    vec3   highest; // the middle of the arc
} plane_path;

// In the half plane that leaves the line from p to q towards h, across d; all in y.
static plane_path plane_path_over(const ellipsoid *e, vec3 p, vec3 q, vec3 d, vec3 h)
{
    static const double node[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                   0.9602898564975363},
                        weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                     0.1012285362903763};
    const vec3   normal = cross(d, h), c = scale(normal, dot(normal, p));
    const double radius = sqrt(fmax(0, 1 - dot(c, c)));
    const vec3   cp = sub(p, c), cq = sub(q, c);
    const double start = atan2(dot(d, cp), dot(h, cp)) + acos(radius / sqrt(dot(cp, cp)));
    const double end = atan2(dot(d, cq), dot(h, cq)) - acos(radius / sqrt(dot(cq, cq)));
    const double half = 0.5 * (end - start), middle = 0.5 * (end + start);
    plane_path   out = {
          .from = add(c, add(scale(h, radius * cos(start)), scale(d, radius * sin(start))))};
    const vec3 to = add(c, add(scale(h, radius * cos(end)), scale(d, radius * sin(end))));
    const vec3 first = mul3(e->a, sub(out.from, p)), last = mul3(e->a, sub(q, to));
    out.highest = add(c, add(scale(h, radius * cos(middle)), scale(d, radius * sin(middle))));
    for (int k = 0; k < 8; k++) {
        const double at = middle + half * (k < 4 ? node[k] : -node[k - 4]);
        const vec3   rate = mul3(e->a, sub(scale(d, cos(at)), scale(h, sin(at))));
        out.s += half * radius * weight[k % 4] * sqrt(dot(rate, rate));
    }
    out.length = out.s + sqrt(dot(first, first)) + sqrt(dot(last, last));
    return out;
}

// Whether a path is shorter than its neighbours; of several that are as long, the first is.
static int plane_path_is_short(const plane_path *paths, int i)
{
    const double length = paths[i].length;
    int          shortest = 0;
    for (int k = 1; k < HALF_PLANES; k++)
        if (paths[k].length < paths[shortest].length) shortest = k;
    return i == shortest || (length < paths[(i + 1) % HALF_PLANES].length &&
                             length <= paths[(i + HALF_PLANES - 1) % HALF_PLANES].length);
}

// The half axis, if any short path passes on its side.
static vec3 plane_path_side(const plane_path *paths, arne_wrap_side side)
{
    const vec3 axis = lift(wrap_axis(side));
    for (int i = 0; i < HALF_PLANES; i++)
        if (plane_path_is_short(paths, i) && dot(paths[i].highest, axis) > 0) return axis;
    return v3_zero();
}

// The shortest of the geodesics near short plane paths.
static int ellipsoid_shortest(const ellipsoid *e, vec3 p, vec3 q, arne_wrap_side side, shot *best)
{
    const vec3 d = unit3(sub(q, p)), u = across3(d), v = cross(d, u);
    plane_path paths[HALF_PLANES];
    double     least = INFINITY;
    for (int i = 0; i < HALF_PLANES; i++) {
        const double angle = 2 * PI * i / HALF_PLANES;
        paths[i] = plane_path_over(e, p, q, d, add(scale(u, cos(angle)), scale(v, sin(angle))));
    }
    const vec3 axis = plane_path_side(paths, side);
    for (int i = 0; i < HALF_PLANES; i++) {
        if (!plane_path_is_short(paths, i) || dot(paths[i].highest, axis) < 0) continue;
        const vec3 off = sub(paths[i].from, e->middle);
        shot       o = {.angle = atan2(dot(off, e->e2), dot(off, e->e1)), .s = paths[i].s};
        if (!shot_solve(e, &o)) continue;
        const vec3   first = sub(o.from, e->p), last = sub(e->q, o.to);
        const double length = sqrt(dot(first, first)) + o.s + sqrt(dot(last, last));
        if (length < least) {
            *best = o;
            least = length;
        }
    }
    return isfinite(least);
}

// Whether the line from p to q goes through the unit sphere; neither is inside.
static int line_enters(vec3 p, vec3 q)
{
    const vec3   along = sub(q, p);
    const double square = dot(along, along), at = -dot(p, along);
    const vec3   nearest = add_scaled(p, along, at / square);
    return dot(p, p) > 1 && dot(q, q) > 1 && at > 0 && at < square && dot(nearest, nearest) < 1;
}

wrap_outcome wrap_ellipsoid(const arne_wrap_spec *spec, arne_vec3 a, arne_vec3 b, wrap_arc *arc)
{
    const double unit = fmax(spec->size[0], fmax(spec->size[1], spec->size[2]));
    ellipsoid    e = {.a = v3(spec->size[0] / unit, spec->size[1] / unit, spec->size[2] / unit),
                      .p = scale(lift(a), 1 / unit),
                      .q = scale(lift(b), 1 / unit)};
    const double product = vx(e.a) * vy(e.a) * vz(e.a);
    const vec3   p = over3(e.p, e.a), q = over3(e.q, e.a);
    shot         best = {0};
    if (!line_enters(p, q)) return WRAP_NONE;
    e.H = over3(over3(v3(1, 1, 1), e.a), e.a);
    e.K = 1 / (product * product);
    const double pp = dot(p, p);
    const vec3   to_p = unit3(p), e1 = across3(to_p);
    e.middle = scale(p, 1 / pp);
    e.e1 = scale(e1, sqrt(1 - 1 / pp));
    e.e2 = scale(cross(to_p, e1), sqrt(1 - 1 / pp));
    if (!ellipsoid_shortest(&e, p, q, spec->side, &best)) return WRAP_NONE;
    *arc = (wrap_arc){lower(scale(best.from, unit)), lower(scale(best.to, unit)), best.s * unit};
    return WRAP_CERTAIN;
}

// Paths of muscles: wrapped surfaces, lengths, speeds and moment arms, by laws and by reference
// numbers of a public model of OpenSim.
#include "json.h"
#include "rates.h"
#include "reference.h"
#include "robot/wrap.h"
#include "testing.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_MUSCLES = 32 };

static double distance(arne_vec3 a, arne_vec3 b) { return v3_length(v3_sub(a, b)); }

// ---- one surface

static arne_wrap_spec random_surface(rng *r, arne_wrap_shape shape)
{
    arne_wrap_spec s = arne_wrap_spec_default();
    s.shape = shape;
    for (int k = 0; k < 3; k++)
        s.size[k] = rng_uniform(r, 0.2, 1);
    if (shape == ARNE_WRAP_CYLINDER) s.size[1] = 100;
    return s;
}

static double over_surface(const arne_wrap_spec *s, arne_vec3 a, arne_vec3 b, wrap_arc *arc)
{
    if (wrap_line(s, a, b, arc) == WRAP_NONE) return -1;
    return distance(a, arc->from) + arc->length + distance(arc->to, b);
}

// The gradient of f = 1 on a surface.
static arne_vec3 surface_gradient(const arne_wrap_spec *s, arne_vec3 p)
{
    const double *a = s->size;
    if (s->shape == ARNE_WRAP_ELLIPSOID)
        return (arne_vec3){p.x / (a[0] * a[0]), p.y / (a[1] * a[1]), p.z / (a[2] * a[2])};
    return (arne_vec3){p.x / (a[0] * a[0]), p.y / (a[0] * a[0]),
                       s->shape == ARNE_WRAP_SPHERE ? p.z / (a[0] * a[0]) : 0};
}

// The length grows with the distance of an end along the tangent and does not change across it:
// |grad L| = 1 with the direction of the straight piece. Only shortest paths do this.
static void assert_gradient(const arne_wrap_spec *s, arne_vec3 a, arne_vec3 b, const wrap_arc *arc)
{
    static const double c[3] = {45. / 60, -9. / 60, 1. / 60}; // differences of sixth order
    const double        reach = distance(a, arc->from), h = 2e-3;
    for (int k = 0; k < 3; k++) {
        double rate = 0;
        for (int i = 0; i < 3; i++) {
            arne_vec3 more = a, less = a;
            wrap_arc  other;
            (&more.x)[k] += (i + 1) * h;
            (&less.x)[k] -= (i + 1) * h;
            const double up = over_surface(s, more, b, &other),
                         down = over_surface(s, less, b, &other);
            if (up < 0 || down < 0) return; // near where it lifts off
            rate += c[i] * (up - down) / h;
        }
        const double want = ((&a.x)[k] - (&arc->from.x)[k]) / reach;
        if (fabs(rate - want) > 1e-7) fail_msg("%.10g instead of %.10g", rate, want);
    }
}

static void surfaces_are_wrapped_the_shortest_way(void **unused)
{
    (void)unused;
    for (int shape = 0; shape <= ARNE_WRAP_ELLIPSOID; shape++) {
        rng r = rng_seed(100 + (uint64_t)shape);
        int wrapped = 0;
        for (int i = 0; i < 300; i++) {
            const arne_wrap_spec s = random_surface(&r, (arne_wrap_shape)shape);
            const arne_vec3      a = rng_vec3(&r, 2), b = rng_vec3(&r, 2);
            wrap_arc             arc, back;
            const double         length = over_surface(&s, a, b, &arc);
            if (length < 0) continue;
            wrapped++;
            assert_true(length > distance(a, b) && arc.length >= distance(arc.from, arc.to));
            const arne_vec3 n[2] = {surface_gradient(&s, arc.from), surface_gradient(&s, arc.to)};
            assert_true(fabs(v3_dot(n[0], arc.from) - 1) < 1e-12);
            assert_true(fabs(v3_dot(n[1], arc.to) - 1) < 1e-12);
            assert_true(fabs(v3_dot(n[0], a) - 1) < 1e-11); // the pieces are tangents
            assert_true(fabs(v3_dot(n[1], b) - 1) < 1e-11);
            // The other way it is as long.
            assert_true(fabs(over_surface(&s, b, a, &back) - length) < 1e-12);
            if (distance(a, arc.from) > 0.3) assert_gradient(&s, a, b, &arc);
        }
        assert_true(wrapped > 30);
    }
}

static arne_vec3 unit(arne_vec3 a) { return v3_scale(1 / v3_length(a), a); }

static arne_vec3 combined(arne_vec3 a, double x, arne_vec3 b, double y)
{
    return v3_add(v3_scale(x, a), v3_scale(y, b));
}

// Each component times its half axis, or divided by it.
static arne_vec3 scaled(const arne_wrap_spec *s, arne_vec3 a, int power)
{
    const double *e = s->size;
    return power > 0 ? v3(a.x * e[0], a.y * e[1], a.z * e[2])
                     : v3(a.x / e[0], a.y / e[1], a.z / e[2]);
}

// No path in a plane is shorter, and an ellipsoid with equal half axes is a sphere.
static double plane_length(const arne_wrap_spec *s, arne_vec3 a, arne_vec3 b, double angle)
{
    // In coordinates in which the ellipsoid is the unit sphere: points of the half plane's circle
    // that a and b see, and the arc between them by many chords.
    enum { CHORDS = 4000 };
    const arne_vec3 p = scaled(s, a, -1), q = scaled(s, b, -1);
    const arne_vec3 d = unit(v3_sub(q, p)), any = fabs(d.x) < 0.5 ? v3(1, 0, 0) : v3(0, 1, 0);
    const arne_vec3 u = unit(v3_cross(d, any)), v = v3_cross(d, u);
    const arne_vec3 h = combined(u, cos(angle), v, sin(angle)), n = v3_cross(d, h);
    const arne_vec3 o = v3_scale(v3_dot(n, p), n), op = v3_sub(p, o), oq = v3_sub(q, o);
    const double    radius = sqrt(1 - v3_dot(o, o));
    const double    from = atan2(v3_dot(op, d), v3_dot(op, h)) + acos(radius / v3_length(op));
    const double    to = atan2(v3_dot(oq, d), v3_dot(oq, h)) - acos(radius / v3_length(oq));
    double          length = 0;
    arne_vec3       last = p;
    for (int i = 0; i <= CHORDS + 1; i++) {
        const double    at = from + (to - from) * i / CHORDS;
        const arne_vec3 on = v3_add(o, combined(h, radius * cos(at), d, radius * sin(at)));
        const arne_vec3 now = i > CHORDS ? q : on;
        length += v3_length(scaled(s, v3_sub(now, last), 1));
        last = now;
    }
    return length;
}

static void ellipsoids_are_wrapped_the_shortest_way(void **unused)
{
    rng r = rng_seed(7);
    int wrapped = 0;
    (void)unused;
    for (int i = 0; i < 600; i++) {
        arne_wrap_spec  s = random_surface(&r, ARNE_WRAP_ELLIPSOID), ball = s;
        const arne_vec3 a = rng_vec3(&r, 2), b = v3_sub(rng_vec3(&r, 1), a);
        wrap_arc        arc, other;
        const double    length = over_surface(&s, a, b, &arc);
        if (length > 0) {
            wrapped++;
            for (int k = 0; k < 16; k++)
                assert_true(plane_length(&s, a, b, 0.4 * k) > length - 1e-7);
        }
        s.size[1] = s.size[2] = s.size[0];
        ball.shape = ARNE_WRAP_SPHERE;
        ball.size[0] = s.size[0];
        const double round = over_surface(&s, a, b, &arc),
                     sphere = over_surface(&ball, a, b, &other);
        if (!(fabs(round - sphere) < 1e-12)) fail_msg("%.17g %.17g", round, sphere);
        if (round > 0) assert_true(distance(arc.from, other.from) < 1e-11);
    }
    assert_true(wrapped > 300);
}

// Flat, long and far: the search still ends, and no path is shorter than the straight line.
static void odd_ellipsoids_are_wrapped(void **unused)
{
    rng r = rng_seed(8);
    int wrapped = 0;
    (void)unused;
    for (int i = 0; i < 300; i++) {
        arne_wrap_spec s = arne_wrap_spec_default();
        s.shape = ARNE_WRAP_ELLIPSOID;
        for (int k = 0; k < 3; k++)
            s.size[k] = 0.02 * pow(10, rng_uniform(&r, -1, 0.3));
        const arne_vec3 a = rng_vec3(&r, 0.08), b = v3_sub(rng_vec3(&r, 0.01), a);
        const double   *e = s.size;
        wrap_arc        arc;
        const arne_vec3 p = scaled(&s, a, -1), q = scaled(&s, b, -1), d = v3_sub(q, p);
        const double    at = -v3_dot(p, d) / v3_dot(d, d);
        const int       through = at > 0 && at < 1 && v3_length(combined(p, 1, d, at)) < 1 &&
                            v3_length(p) > 1 && v3_length(q) > 1;
        const double length = over_surface(&s, a, b, &arc);
        if (through != (length > 0))
            fail_msg("%d: axes %.17g %.17g %.17g, from %.17g %.17g %.17g to %.17g %.17g %.17g", i,
                     e[0], e[1], e[2], a.x, a.y, a.z, b.x, b.y, b.z);
        wrapped += through;
    }
    assert_true(wrapped > 100);
}

// A cylinder's sides: over the half axis, also where the straight line is on the other side.
static void cylinders_have_sides(void **unused)
{
    const double    R = 0.5, pi = acos(-1);
    arne_wrap_spec  s = arne_wrap_spec_default();
    const arne_vec3 up = {0.3, 2, 0}, down = {0.3, -2, 0}, left_up = {-0.8, 2, 0},
                    left_down = {-0.8, -2, 0};
    wrap_arc arc;
    (void)unused;
    s.shape = ARNE_WRAP_CYLINDER;
    s.size[0] = R;
    s.size[1] = 1;
    const double reach = sqrt(0.09 + 4 - R * R), turn = acos(R / sqrt(0.09 + 4));
    const double at = atan2(2, 0.3), sweep = 2 * at;
    // By the side of x, and without sides, the short way; by that of -x the other way round.
    s.side = ARNE_WRAP_X;
    assert_int_equal(wrap_line(&s, up, down, &arc), WRAP_CERTAIN);
    assert_true(fabs(over_surface(&s, up, down, &arc) - (2 * reach + R * (sweep - 2 * turn))) <
                1e-14);
    assert_true(arc.from.x > 0);
    s.side = ARNE_WRAP_MINUS_X;
    assert_int_equal(wrap_line(&s, up, down, &arc), WRAP_CERTAIN);
    assert_true(fabs(over_surface(&s, up, down, &arc) -
                     (2 * reach + R * (2 * pi - sweep - 2 * turn))) < 1e-14);
    // A line beside the cylinder is free on its own side only.
    assert_int_equal(wrap_line(&s, left_up, left_down, &arc), WRAP_NONE);
    s.side = ARNE_WRAP_X;
    assert_int_equal(wrap_line(&s, left_up, left_down, &arc), WRAP_POSSIBLE);
    assert_true(arc.from.x > 0 && arc.to.x > 0);
    // Inside of the radius, and beyond both ends, nothing is wrapped.
    assert_int_equal(wrap_line(&s, (arne_vec3){0.1, 0.1, 3}, down, &arc), WRAP_NONE);
    assert_int_equal(wrap_line(&s, (arne_vec3){0.3, 2, 2}, (arne_vec3){0.3, -2, 2}, &arc),
                     WRAP_NONE);
}

// In a plane through its axis a torus is wrapped as its circle is. Elsewhere lengths change with
// the ends as those of a taut string do, and no cylinder that touches the tube asks for a longer
// path.
static void a_torus_is_wrapped_through_its_hole(void **unused)
{
    rng r = rng_seed(31);
    int wrapped = 0;
    (void)unused;
    for (int i = 0; i < 200; i++) {
        arne_wrap_spec s = arne_wrap_spec_default(), tube = s;
        const double   turn = rng_uniform(&r, -3, 3), c = cos(turn), n = sin(turn);
        s.shape = ARNE_WRAP_TORUS;
        s.size[0] = rng_uniform(&r, 0.05, 0.2);
        s.size[1] = rng_uniform(&r, 0.4, 1);
        const double x[2] = {rng_uniform(&r, 0.3, 2), rng_uniform(&r, 0.3, 2)},
                     z[2] = {rng_uniform(&r, 0.3, 2), rng_uniform(&r, -2, -0.3)};
        const double    y[2] = {rng_uniform(&r, -0.4, 0.4), rng_uniform(&r, -0.4, 0.4)};
        const arne_vec3 flat[2] = {v3(c * x[0], n * x[0], z[0]), v3(c * x[1], n * x[1], z[1])};
        const arne_vec3 ends[2] = {v3(c * x[0] - n * y[0], n * x[0] + c * y[0], z[0]),
                                   v3(c * x[1] - n * y[1], n * x[1] + c * y[1], z[1])};
        wrap_arc        arc, other;
        tube.shape = ARNE_WRAP_CYLINDER; // across the plane, seen along it
        tube.size[0] = s.size[0];
        tube.size[1] = 100;
        tube.side = ARNE_WRAP_MINUS_X;
        const double wanted = over_surface(&tube, v3(x[0] - s.size[1], z[0], 0),
                                           v3(x[1] - s.size[1], z[1], 0), &other);
        const double found = over_surface(&s, flat[0], flat[1], &arc);
        if (fabs(found - wanted) > 1e-12) fail_msg("%d: %.15g, not %.15g", i, found, wanted);
        const double length = over_surface(&s, ends[0], ends[1], &arc);
        if (length < 0) continue;
        wrapped++;
        assert_true(fabs(over_surface(&s, ends[1], ends[0], &other) - length) < 1e-12);
        if (distance(ends[0], arc.from) > 0.3) assert_gradient(&s, ends[0], ends[1], &arc);
        // Clairaut's law: both pieces have the same moment about the axis
        const arne_vec3 u = unit(v3_sub(arc.from, ends[0])), v = unit(v3_sub(ends[1], arc.to));
        assert_true(fabs(v3_cross(ends[0], u).z - v3_cross(ends[1], v).z) < 1e-11);
        s.side = c > 0 ? ARNE_WRAP_MINUS_X : ARNE_WRAP_X; // the other half of the hole
        if (fabs(c) > 0.9) assert_true(over_surface(&s, ends[0], ends[1], &other) != length);
    }
    assert_true(wrapped > 100);
}

// Where a path touches a surface its length and direction change without a jump.
static void paths_lift_off_without_a_jump(void **unused)
{
    rng r = rng_seed(9);
    (void)unused;
    for (int i = 0; i < 60; i++) {
        const arne_wrap_spec s = random_surface(&r, (arne_wrap_shape)(i % 3));
        const arne_vec3      a = rng_vec3(&r, 2), inner = v3_scale(-1, a),
                        outer = v3_add(inner, v3(4, 4, 4));
        wrap_arc arc;
        double   low = 0, high = 1; // wrapped, not wrapped
        if (over_surface(&s, a, inner, &arc) < 0 || over_surface(&s, a, outer, &arc) > 0) continue;
        while (high - low > 1e-9) {
            const double middle = 0.5 * (low + high);
            *(over_surface(&s, a, combined(inner, 1 - middle, outer, middle), &arc) < 0 ? &high
                                                                                        : &low) =
                middle;
        }
        const arne_vec3 b = combined(inner, 1 - low, outer, low);
        const double    length = over_surface(&s, a, b, &arc);
        if (v3_dot(surface_gradient(&s, b), b) < 1.001) continue; // it went inside
        assert_true(fabs(length - distance(a, b)) < 1e-12 && arc.length < 1e-3);
        assert_true(v3_length(v3_cross(unit(v3_sub(arc.from, a)), unit(v3_sub(b, a)))) < 1e-4);
    }
}

// ---- robots

// A chain of all shapes on its links, with muscles over several of them.
static arne_robot *wrapped_robot(uint64_t seed)
{
    arne_builder *b = random_tree(seed);
    arne_error    error = {0};
    rng           mine = rng_seed(seed + 1000), other = rng_seed(seed + 2000);
    add_random_functions(b, seed);
    arne_robot *plain = finish(b, NULL);
    const int   links = arne_robot_sizes(plain).link_count;
    char        names[8][24];
    for (int i = 0; i < 7; i++) {
        arne_wrap_spec s = arne_wrap_spec_default();
        rng           *r = i < 6 ? &mine : &other;
        s.shape = i < 6 ? (arne_wrap_shape)(i % 3) : ARNE_WRAP_TORUS;
        s.origin = rng_pose(r, 0.1);
        for (int k = 0; k < 3; k++)
            s.size[k] = rng_uniform(r, 0.05, 0.25);
        s.size[1] = s.shape == ARNE_WRAP_CYLINDER ? 100 : s.size[1];
        if (s.shape == ARNE_WRAP_TORUS) s.size[1] += s.size[0];
        s.side = rng_chance(r, 0.2) ? ARNE_WRAP_X : ARNE_WRAP_ALL;
        snprintf(names[i], sizeof names[i], "surface%d", i);
        s.name = names[i];
        s.link = arne_robot_frame(plain, rng_below(r, links)).name;
        assert_ok_or(arne_builder_add_wrap(b, &s, &error), &error);
    }
    const char *joint = NULL;
    for (int i = 0; i < arne_robot_sizes(plain).joint_count && !joint; i++) {
        const arne_joint_info info = arne_robot_joint(plain, i);
        if (info.q_count == 1 && info.v_count == 1) joint = info.name;
    }
    for (int i = 0; i < 6; i++) {
        char                name[24];
        static const double numbers[] = {0.1, 0.2, -0.1};
        arne_path_point     points[4] = {0};
        arne_path_wrap      wraps[3];
        arne_muscle_spec    m = arne_muscle_spec_default(ARNE_MUSCLE_SPRING);
        snprintf(name, sizeof name, "muscle%d", i);
        m.name = name;
        m.law.stiffness = m.law.slack_length = 1;
        m.point_count = 2 + i % 3;
        m.wrap_count = i ? 1 + i % 3 : 0;
        m.points = points;
        m.wraps = wraps;
        for (int k = 0; k < m.point_count; k++) {
            points[k].link = arne_robot_frame(plain, rng_below(&mine, links)).name;
            points[k].position = rng_vec3(&mine, 0.5);
        }
        if (joint && i % 2) {
            points[0].follows[1] = joint;
            points[0].functions[1] =
                (arne_function){.kind = ARNE_FUNCTION_POLYNOMIAL, .y = numbers, .count = 3};
        }
        for (int k = 0; k < m.wrap_count; k++)
            wraps[k] = (arne_path_wrap){names[(i + k) % 6], 0, -1};
        if (i == 3) wraps[0].wrap = names[6]; // a torus alone
        assert_ok_or(arne_builder_add_muscle(b, &m, &error), &error);
    }
    arne_robot_free(plain);
    arne_robot *robot = finish(b, NULL);
    arne_builder_free(b);
    return robot;
}

static void lengths_of(const arne_robot *robot, arne_work *work, const double *q, const double *qd,
                       const void *unused, double *out)
{
    (void)qd;
    (void)unused;
    assert_ok(arne_muscle_lengths(robot, work, q, NULL, out, NULL));
}

// The rate of one length by very close differences.
static double length_rate(const state *s, arne_work *work, int muscle)
{
    double length[2][8], q[MAX_Q], step[MAX_V];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < s->size.v_count; k++)
            step[k] = (i ? 1e-6 : -1e-6) * s->qd[k];
        arne_integrate(s->robot, s->q, step, q);
        assert_ok(arne_muscle_lengths(s->robot, work, q, NULL, length[i], NULL));
    }
    return (length[1][muscle] - length[0][muscle]) / 2e-6;
}

// The rate of lengths by differences, the velocities and -arms qd are the same, but where a path
// touches or leaves a surface within the differences.
static void speeds_and_arms_are_rates_of_lengths(void **unused)
{
    int compared = 0, apart = 0;
    (void)unused;
    for (uint64_t seed = 0; seed < 60; seed++) {
        arne_robot *robot = wrapped_robot(seed);
        arne_work  *work = NULL;
        const int   n = arne_robot_sizes(robot).v_count, count = arne_muscle_count(robot);
        assert_ok(arne_work_new(robot, &work));
        for (uint64_t k = 0; k < 5; k++) {
            state  s = random_state(robot, 10 * seed + k);
            double length[8], speed[8], rate[8], arms[8 * MAX_V];
            state_stop_base(&s, work);
            for (int i = 0; i < n; i++)
                s.qd[i] *= 0.2;
            rate_along(&s, work, lengths_of, NULL, count, rate);
            assert_ok(arne_muscle_lengths(robot, work, s.q, s.qd, length, speed));
            assert_ok(arne_muscle_moment_arms(robot, work, s.q, arms));
            for (int m = 0; m < count; m++) {
                double by_arms = 0;
                for (int i = 0; i < n; i++)
                    by_arms -= arms[m * n + i] * s.qd[i];
                assert_true(fabs(by_arms - speed[m]) < 1e-11 * (1 + fabs(speed[m])));
                compared++;
                if (fabs(rate[m] - speed[m]) < 1e-7 * (1 + fabs(speed[m]))) continue;
                // A path touches or leaves a surface within the differences: closer ones agree.
                apart++;
                const double near = length_rate(&s, work, m);
                if (!(fabs(near - speed[m]) < 1e-4))
                    fail_msg("seed %d, state %d, muscle %d: %g, %g", (int)seed, (int)k, m, near,
                             speed[m]);
            }
        }
        arne_work_free(work);
        arne_robot_free(robot);
    }
    assert_true(apart < compared / 100);
}

// Wrenches of tensions do on the joints what the moment arms say. Odd muscles have a point that
// moves in its link.
static void wrenches_are_moment_arms(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < 30; seed++) {
        arne_robot *robot = wrapped_robot(seed);
        arne_work  *work = NULL;
        const int   n = arne_robot_sizes(robot).v_count;
        double      arms[8 * MAX_V], tau[MAX_V], with[MAX_V];
        assert_ok(arne_work_new(robot, &work));
        state        s = random_state(robot, seed);
        arne_wrench  f_ext[MAX_BODIES] = {0};
        const double tension[8] = {100, 0, 30, 0, 50, 0};
        state_set_base(&s, work);
        assert_ok(arne_muscle_moment_arms(robot, work, s.q, arms));
        assert_ok(arne_muscle_wrenches(robot, work, s.q, tension, f_ext));
        arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, NULL, tau);
        arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, f_ext, with);
        for (int i = 0; i < n; i++) {
            double by_arms = 0;
            for (int m = 0; m < 6; m++)
                by_arms += arms[m * n + i] * tension[m];
            assert_true(fabs(tau[i] - with[i] - by_arms) <
                        1e-9 * (1 + fabs(tau[i]) + fabs(by_arms)));
        }
        arne_work_free(work);
        arne_robot_free(robot);
    }
}

// Rows of many states, on any number of threads, are those of one state each.
static void many_states_are_as_one_each(void **unused)
{
    enum { STATES = 50 };
    arne_robot      *robot = wrapped_robot(3);
    arne_work       *work = NULL;
    const arne_sizes size = arne_robot_sizes(robot);
    const int        count = arne_muscle_count(robot), n = size.v_count;
    static double    q[STATES * MAX_Q], qd[STATES * MAX_V], all[2][STATES][8],
        arms[STATES * 8 * MAX_V];
    (void)unused;
    assert_int_equal(count, 6);
    assert_ok(arne_work_new(robot, &work));
    for (int i = 0; i < STATES; i++) {
        const state s = random_state(robot, (uint64_t)i);
        memcpy(q + i * size.q_count, s.q, (size_t)size.q_count * sizeof *q);
        memcpy(qd + i * n, s.qd, (size_t)n * sizeof *qd);
    }
    for (int threads = 0; threads < 4; threads++) {
        assert_ok(arne_muscle_paths(robot, STATES, q, qd, threads, all[0][0], all[1][0], arms));
        for (int i = 0; i < STATES; i++) {
            double length[8], speed[8], own[8 * MAX_V];
            assert_ok(
                arne_muscle_lengths(robot, work, q + i * size.q_count, qd + i * n, length, speed));
            assert_ok(arne_muscle_moment_arms(robot, work, q + i * size.q_count, own));
            assert_memory_equal(length, all[0][0] + i * count, (size_t)count * sizeof *length);
            assert_memory_equal(speed, all[1][0] + i * count, (size_t)count * sizeof *speed);
            assert_memory_equal(own, arms + i * count * n, (size_t)(count * n) * sizeof *own);
        }
    }
    arne_work_free(work);
    arne_robot_free(robot);
}

// ---- reference numbers

static arne_robot *reference_model(const char *name)
{
    char        path[1000];
    arne_error  error = {0};
    arne_robot *robot = NULL;
    if (!reference_path(name, path, sizeof path)) return NULL;
    assert_ok_or(arne_robot_read(path, NULL, &robot, &error), &error);
    return robot;
}

static int coordinate(const arne_robot *robot, const char *name)
{
    const int joint = arne_find_joint(robot, name);
    assert_true(joint >= 0);
    return arne_robot_joint(robot, joint).q_start;
}

// Lengths, speeds and moment arms of an independent evaluation.
static void geometry_is_that_of_the_reference(void **version)
{
    char model[200], path[1000], file[200];
    snprintf(model, sizeof model, "opensim/models/gait10dof18musc_subject01_%s.osim",
             (const char *)*version);
    snprintf(file, sizeof file, "opensim/numbers/muscle_geometry_%s.json", (const char *)*version);
    arne_robot *robot = reference_model(model);
    if (!robot) return;
    assert_true(reference_path(file, path, sizeof path));
    json       *all = json_read(path);
    const json *coords = json_get(all, "coords"), *frames = json_get(all, "frames");
    arne_work  *work = NULL;
    const int   n = arne_robot_sizes(robot).v_count, count = arne_muscle_count(robot);
    int         at[16];
    double      worst[3] = {0};
    assert_ok(arne_work_new(robot, &work));
    assert_int_equal(count, 18);
    for (int i = 0; i < n; i++)
        at[i] = coordinate(robot, json_text(json_at(coords, i)));
    for (int f = 0; f < json_count(frames); f++) {
        const json *frame = json_at(frames, f), *muscles = json_get(frame, "muscles");
        double      q[16], qd[16], given[16], lengths[MOST_MUSCLES], speeds[MOST_MUSCLES],
            arms[16 * MOST_MUSCLES];
        json_numbers(json_get(frame, "q"), given, n);
        for (int i = 0; i < n; i++)
            q[at[i]] = given[i];
        json_numbers(json_get(frame, "qd"), given, n);
        for (int i = 0; i < n; i++)
            qd[at[i]] = given[i];
        assert_ok(arne_muscle_lengths(robot, work, q, qd, lengths, speeds));
        assert_ok(arne_muscle_moment_arms(robot, work, q, arms));
        for (int m = 0; m < count; m++) {
            const json  *want = json_get(muscles, arne_robot_muscle(robot, m).name);
            const double e[2] = {fabs(lengths[m] - json_number(json_get(want, "length"))),
                                 fabs(speeds[m] - json_number(json_get(want, "speed")))};
            json_numbers(json_get(want, "moment_arm"), given, n);
            worst[0] = fmax(worst[0], e[0]);
            worst[1] = fmax(worst[1], e[1]);
            for (int i = 0; i < n; i++)
                worst[2] = fmax(worst[2], fabs(arms[m * n + at[i]] - given[i]));
        }
    }
    print_message("%s: length %.1e, speed %.1e, moment arm %.1e\n", (const char *)*version,
                  worst[0], worst[1], worst[2]);
    assert_true(worst[0] < 1e-12 && worst[1] < 1e-9 && worst[2] < 1e-12);
    json_free(all);
    arne_work_free(work);
    arne_robot_free(robot);
}

static arne_table *reference_table(const char *name)
{
    char        path[1000];
    arne_table *table = NULL;
    arne_error  error = {0};
    assert_true(reference_path(name, path, sizeof path));
    assert_ok_or(arne_table_read_csv(path, &table, &error), &error);
    return table;
}

// OpenSim's own path lengths: its joint offsets have six digits.
static void lengths_are_those_of_opensim(void **unused)
{
    arne_robot  *robot = reference_model("opensim/models/gait10dof18musc_subject01_v30000.osim");
    const double degree = acos(-1) / 180;
    double       worst = 0;
    (void)unused;
    if (!robot) return;
    arne_table *motion_table = reference_table("opensim/data/muscle_lengths_coordinates.mot");
    arne_table *lengths_table = reference_table("opensim/data/muscle_lengths.sto");
    arne_work  *work = NULL;
    assert_ok(arne_work_new(robot, &work));
    for (int row = 0; row < arne_table_rows(lengths_table); row++) {
        const double *given = arne_table_row(motion_table, row),
                     *want = arne_table_row(lengths_table, row);
        double q[16] = {0}, lengths[MOST_MUSCLES];
        for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
            const arne_joint_info info = arne_robot_joint(robot, j);
            const int             column = arne_table_find(motion_table, info.name);
            if (column >= 0)
                q[info.q_start] = given[column] * (info.kind == ARNE_JOINT_PRISMATIC ? 1 : degree);
        }
        assert_ok(arne_muscle_lengths(robot, work, q, NULL, lengths, NULL));
        for (int m = 0; m < arne_muscle_count(robot); m++) {
            char name[100];
            snprintf(name, sizeof name, "/forceset/%s|length", arne_robot_muscle(robot, m).name);
            const int column = arne_table_find(lengths_table, name);
            assert_true(column >= 0);
            worst = fmax(worst, fabs(lengths[m] - want[column]));
        }
    }
    print_message("OpenSim's lengths: %.1e m\n", worst);
    assert_true(worst < 2e-7);
    arne_table_free(motion_table);
    arne_table_free(lengths_table);
    arne_work_free(work);
    arne_robot_free(robot);
}

// Its lengthening speeds.
static void speeds_are_those_of_opensim(void **unused)
{
    arne_robot  *robot = reference_model("opensim/models/gait10dof18musc_subject01_v40000.osim");
    const double degree = acos(-1) / 180;
    double       worst = 0;
    (void)unused;
    if (!robot) return;
    arne_table *table = reference_table("opensim/data/cmc_subset.csv");
    arne_work  *work = NULL;
    assert_ok(arne_work_new(robot, &work));
    for (int row = 0; row < arne_table_rows(table); row++) {
        const double *given = arne_table_row(table, row);
        double        q[16] = {0}, qd[16] = {0}, lengths[MOST_MUSCLES], speeds[MOST_MUSCLES];
        for (int c = 0; c < arne_table_columns(table); c++) {
            char name[200];
            snprintf(name, sizeof name, "%s", arne_table_name(table, c));
            const int rate = name[0] == 'u', turns = strstr(name, "_deg") != NULL;
            char     *unit =
                strstr(name, "_deg") ? strstr(name, "_deg") : strstr(name, rate ? "_m_s" : "_m");
            if ((name[0] != 'q' && name[0] != 'u') || name[1] != '_' || !unit) continue;
            *unit = 0;
            (rate ? qd : q)[coordinate(robot, name + 2)] = given[c] * (turns ? degree : 1);
        }
        assert_ok(arne_muscle_lengths(robot, work, q, qd, lengths, speeds));
        for (int m = 0; m < arne_muscle_count(robot); m++) {
            char name[100];
            snprintf(name, sizeof name, "speed_%s_m_s", arne_robot_muscle(robot, m).name);
            const int column = arne_table_find(table, name);
            assert_true(column >= 0);
            worst = fmax(worst, fabs(speeds[m] - given[column]));
        }
    }
    print_message("OpenSim's speeds: %.1e m/s\n", worst);
    assert_true(worst < 4e-7);
    arne_table_free(table);
    arne_work_free(work);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_are_wrapped_the_shortest_way),
        cmocka_unit_test(ellipsoids_are_wrapped_the_shortest_way),
        cmocka_unit_test(odd_ellipsoids_are_wrapped),
        cmocka_unit_test(cylinders_have_sides),
        cmocka_unit_test(a_torus_is_wrapped_through_its_hole),
        cmocka_unit_test(paths_lift_off_without_a_jump),
        cmocka_unit_test(speeds_and_arms_are_rates_of_lengths),
        cmocka_unit_test(wrenches_are_moment_arms),
        cmocka_unit_test(many_states_are_as_one_each),
        cmocka_unit_test_prestate(geometry_is_that_of_the_reference, (void *)(uintptr_t) "v30000"),
        cmocka_unit_test_prestate(geometry_is_that_of_the_reference, (void *)(uintptr_t) "v40000"),
        cmocka_unit_test(lengths_are_those_of_opensim),
        cmocka_unit_test(speeds_are_those_of_opensim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Assembling: all ways of four-bars, slider-cranks and five-bars, what cannot be closed, singular
// and redundant loops.
#include "testing.h"

#include "closed.h"

#include <stdio.h>

enum { ROOM = 16 };

static int modes_of(closed *c, const double *q, double *modes, int *complete)
{
    int        count = 0;
    arne_error error = {0};
    assert_ok_or(arne_assembly_modes(c->robot, c->work, c->loop, NULL, q, ROOM, modes, &count,
                                     complete, &error),
                 &error);
    for (int i = 0; i < count; i++)
        assert_true(arne_loop_closure(c->robot, c->work, c->loop, modes + i * c->size.q_count,
                                      NULL) <= 1e-12);
    return count;
}

// Wherever a mechanism can be assembled at all it can in two ways, on either side of its
// singularity.
static void two_ways(const char *name, int motors, const int *motor)
{
    closed c = closed_file(name);
    rng    r = rng_seed(5);
    int    found = 0;
    for (int i = 0; i < 40; i++) {
        double        q[8], modes[ROOM * 8];
        arne_assembly first, second;
        int           complete = 0;
        memcpy(q, c.home, sizeof q);
        for (int k = 0; k < motors; k++)
            q[motor[k]] += rng_uniform(&r, -3, 3);
        memcpy(modes, q, sizeof q);
        if (arne_assemble(c.robot, c.work, c.loop, NULL, modes, &first, NULL)) continue;
        const int n = c.size.q_count;
        assert_int_equal(modes_of(&c, q, modes, &complete), 2);
        assert_true(complete);
        assert_ok(arne_assemble(c.robot, c.work, c.loop, NULL, modes, &first, NULL));
        assert_ok(arne_assemble(c.robot, c.work, c.loop, NULL, modes + n, &second, NULL));
        assert_int_equal(first.branch * second.branch, -1);
        found++;
    }
    assert_true(found >= 10);
    closed_free(&c);
}

static void all_modes(void **unused)
{
    static const int first[] = {0}, both[] = {0, 2};
    (void)unused;
    two_ways("four_bar", 1, first);
    two_ways("slider_crank", 1, first);
    two_ways("five_bar", 2, both);
}

// The circles of both couplers of the five-bar meet in the pin: its ways in closed form.
static void modes_are_where_circles_meet(void **unused)
{
    (void)unused;
    closed       c = closed_file("five_bar");
    const double a = 1.8, b = 1.0, l = 0.35;
    double       q[4] = {a, 0, b, 0}, modes[ROOM * 4];
    assert_int_equal(modes_of(&c, q, modes, NULL), 2);
    const arne_vec3 p = v3(0.25 * cos(a), 0.25 * sin(a), 0);
    const arne_vec3 s = v3(0.3 + 0.25 * cos(b), 0.25 * sin(b), 0);
    const arne_vec3 d = v3_sub(s, p);
    const double    half = v3_length(d) / 2, up = sqrt(l * l - half * half);
    for (int i = 0; i < 2; i++) {
        arne_kinematics(c.robot, c.work, modes + 4 * i, NULL, NULL);
        const arne_vec3 pin = arne_frame_pose(c.robot, c.work, arne_find_frame(c.robot, "tool")).p;
        const double    side = v3_cross(d, v3_sub(pin, p)).z > 0 ? up : -up;
        const double    x = p.x + d.x / 2 - side * d.y / (2 * half);
        const double    y = p.y + d.y / 2 + side * d.x / (2 * half);
        assert_true(fabs(pin.x - x) < 1e-12 && fabs(pin.y - y) < 1e-12);
    }
    closed_free(&c);
}

static void no_assembly(void **unused)
{
    (void)unused;
    closed c = closed_file("five_bar");
    double q[4] = {3.14159265358979, 0, 0, 0}; // cranks apart: 0.8 m between pins, couplers 0.7 m
    arne_assembly found;
    arne_error    error = {0};
    assert_status(arne_assemble(c.robot, c.work, c.loop, NULL, q, &found, &error),
                  ARNE_NOT_CONVERGED);
    assert_true(fabs(found.closure - 0.1) < 1e-6);
    assert_non_null(strstr(error.text, "'pin'"));
    assert_non_null(strstr(error.text, "0.1"));
    closed_free(&c);
}

// ---- four bars of any length ----

static closed four_bars(double crank, double coupler, double rocker, double ground)
{
    static const char *const links[] = {"base", "crank", "coupler", "rocker"};
    static const char *const joints[] = {"motor", "wrist", "pivot"};
    static const int         parent[] = {0, 1, 0};
    const double             x[] = {0, crank, ground};
    arne_builder            *builder = NULL;
    arne_loop_spec           pin = arne_loop_spec_default();
    assert_ok(arne_builder_new(&builder));
    for (int i = 0; i < 4; i++) {
        arne_body_spec body = arne_body_spec_default();
        body.name = links[i];
        body.mass = 1;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.01;
        assert_ok(arne_builder_add_body(builder, &body, NULL));
    }
    for (int i = 0; i < 3; i++) {
        arne_joint_spec j = arne_joint_spec_default();
        j.name = joints[i];
        j.parent = links[parent[i]];
        j.child = links[i + 1];
        j.origin.p = v3(x[i], 0, 0);
        j.actuation = i == 0 ? ARNE_ACTUATION_ACTIVE : ARNE_ACTUATION_PASSIVE;
        assert_ok(arne_builder_add_joint(builder, &j, NULL));
    }
    pin.name = "pin";
    pin.predecessor = "coupler";
    pin.successor = "rocker";
    pin.predecessor_origin.p = v3(coupler, 0, 0);
    pin.successor_origin.p = v3(rocker, 0, 0);
    assert_ok(arne_builder_add_loop(builder, &pin, NULL));
    closed c = closed_make(finish(builder, NULL));
    arne_builder_free(builder);
    return c;
}

// A parallelogram: three of five constraints are redundant everywhere; folded flat one more is, and
// only there.
static void redundant_is_not_singular(void **unused)
{
    (void)unused;
    closed           c = four_bars(0.2, 0.5, 0.2, 0.5);
    arne_loop_report report;
    arne_error       error = {0};
    double           direction[3], G[9], tau[3];
    const double     open[3] = {1.1, -1.1, 1.1}, flat[3] = {0, 0, 0}, rest[3] = {0};
    assert_ok(arne_loop_analyse(c.robot, c.work, c.loop, open, &report, NULL, NULL));
    assert_int_equal(report.rank, 2);
    assert_int_equal(report.generic_rank, 2);
    assert_int_equal(report.redundant, 3);
    assert_int_equal(report.mobility, 1);
    assert_int_equal(report.singular, 0);
    assert_true(report.condition < 100);

    for (int fresh = 0; fresh < 2; fresh++) { // also where the first call is at the singular place
        closed d = four_bars(0.2, 0.5, 0.2, 0.5), *at = fresh ? &d : &c;
        assert_ok(arne_loop_analyse(at->robot, at->work, at->loop, flat, &report, direction, NULL));
        assert_int_equal(report.rank, 1);
        assert_int_equal(report.generic_rank, 2);
        assert_int_equal(report.singular, 1);
        assert_true(isinf(report.condition));
        assert_true(fabs(direction[0]) < 1e-9);
        assert_true(fabs(direction[1] * 0.5 + direction[2] * -0.2) < 1e-9);
        assert_status(
            arne_loop_jacobian(at->robot, at->work, at->loop, flat, G, NULL, NULL, NULL, &error),
            ARNE_LOOP_SINGULAR);
        assert_non_null(strstr(error.text, "condition"));
        assert_status(arne_loop_inverse_dynamics(at->robot, at->work, at->loop, flat, rest, rest,
                                                 NULL, NULL, tau, NULL),
                      ARNE_LOOP_SINGULAR);
        assert_status(arne_loop_forward_dynamics(at->robot, at->work, at->loop, flat, rest, rest,
                                                 NULL, NULL, tau, NULL),
                      ARNE_LOOP_SINGULAR);
        closed_free(&d);
    }
    closed_free(&c);
}

static void open_loops_are_refused(void **unused)
{
    (void)unused;
    closed       c = closed_file("four_bar");
    const double q[3] = {0.3, 0.3, 0.3}, rest[3] = {0};
    double       out[9];
    assert_status(
        arne_loop_inverse_dynamics(c.robot, c.work, c.loop, q, rest, rest, NULL, NULL, out, NULL),
        ARNE_LOOP_OPEN);
    assert_status(
        arne_loop_forward_dynamics(c.robot, c.work, c.loop, q, rest, rest, NULL, NULL, out, NULL),
        ARNE_LOOP_OPEN);
    closed_free(&c);
}

// Sixty four-bars in a row, and a joint before them: loops that share no coordinate count each for
// itself.
static void many_independent_loops(void **unused)
{
    (void)unused;
    enum { LOOPS = 60 };
    arne_builder *builder = NULL;
    char          prev[16] = "turret", name[3][16], joint[3][16], tie[16];
    assert_ok(arne_builder_new(&builder));
    arne_body_spec body = arne_body_spec_default();
    body.name = "base";
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    body.name = prev;
    body.mass = 1;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.01;
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    arne_joint_spec j = arne_joint_spec_default();
    j.name = "yaw";
    j.parent = "base";
    j.child = prev;
    j.actuation = ARNE_ACTUATION_ACTIVE;
    assert_ok(arne_builder_add_joint(builder, &j, NULL));
    for (int i = 0; i < LOOPS; i++) {
        static const double origin[3] = {0.1, 0.2, 0.6}, start[3] = {1.2, -0.8, 1.5};
        for (int k = 0; k < 3; k++) {
            snprintf(name[k], sizeof name[k], "%c%d", "abc"[k], i);
            snprintf(joint[k], sizeof joint[k], "j%c%d", "abc"[k], i);
            body.name = name[k];
            assert_ok(arne_builder_add_body(builder, &body, NULL));
            j = arne_joint_spec_default();
            j.name = joint[k];
            j.parent = k == 1 ? name[0] : prev;
            j.child = name[k];
            j.origin.p = v3(origin[k], 0, 0);
            j.actuation = k == 0 ? ARNE_ACTUATION_ACTIVE : ARNE_ACTUATION_PASSIVE;
            j.start = start[k];
            assert_ok(arne_builder_add_joint(builder, &j, NULL));
        }
        snprintf(tie, sizeof tie, "t%d", i);
        arne_loop_spec loop = arne_loop_spec_default();
        loop.name = tie;
        loop.predecessor = name[1];
        loop.successor = name[2];
        loop.predecessor_origin.p = v3(0.5, 0, 0);
        loop.successor_origin.p = v3(0.4, 0, 0);
        assert_ok(arne_builder_add_loop(builder, &loop, NULL));
        snprintf(prev, sizeof prev, "%s", name[2]);
    }
    arne_robot *robot = NULL;
    assert_ok(arne_builder_finish(builder, NULL, &robot, NULL));
    arne_builder_free(builder);
    arne_work       *work = new_work(robot);
    arne_loop_work  *loop = NULL;
    arne_loop_report report;
    double           q[3 * LOOPS + 1], direction[3 * LOOPS + 1], length = 0;
    assert_ok(arne_loop_work_new(robot, &loop));
    arne_start_configuration(robot, q);
    assert_ok(arne_assemble(robot, work, loop, NULL, q, NULL, NULL));
    assert_ok(arne_loop_analyse(robot, work, loop, q, &report, direction, NULL));
    assert_int_equal(report.rows, 5 * LOOPS);
    assert_int_equal(report.rank, 2 * LOOPS);
    assert_int_equal(report.mobility, LOOPS + 1);
    assert_int_equal(report.redundant, 3 * LOOPS);
    assert_int_equal(report.undetermined, 0);
    assert_false(report.singular);
    for (int k = 0; k < 3 * LOOPS + 1; k++)
        length += direction[k] * direction[k];
    assert_true(fabs(length - 1) < 1e-12 && report.condition > 1 && report.condition < 100);
    arne_loop_work_free(loop);
    arne_work_free(work);
    arne_robot_free(robot);
}

// A seed from which no step can be seen: what is found is closed, and is where it says.
static void seeds_far_away(void **unused)
{
    (void)unused;
    closed        c = closed_file("five_bar");
    const double  seeds[] = {-1e300, 1e17, -1e8, 4000};
    arne_assembly found;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        double q[4] = {1.8, seeds[i], 1.1, 1};
        assert_ok(arne_assemble(c.robot, c.work, c.loop, NULL, q, &found, NULL));
        const double closure = arne_loop_closure(c.robot, c.work, c.loop, q, NULL);
        assert_true(closure <= 1e-12 && found.closure <= 1e-12);
    }
    closed_free(&c);
}

// Of a robot without loops there is direct dynamics, that of the tree, and nothing else.
static void trees_have_no_loops(void **unused)
{
    (void)unused;
    arne_robot     *robot = read_robot("arm6", NULL);
    arne_work      *work = new_work(robot);
    arne_loop_work *loop = NULL;
    state           s = random_state(robot, 4);
    double          tree[6], qdd[6];
    assert_ok(arne_loop_work_new(robot, &loop));
    assert_ok(arne_forward_dynamics(robot, work, s.q, s.qd, s.tau, s.f_ext, tree, NULL));
    assert_ok(
        arne_loop_forward_dynamics(robot, work, loop, s.q, s.qd, s.tau, s.f_ext, NULL, qdd, NULL));
    assert_close(&s, "direct dynamics of a tree", qdd, tree, 6, 0);
    assert_status(
        arne_loop_inverse_dynamics(robot, work, loop, s.q, s.qd, s.qdd, NULL, NULL, qdd, NULL),
        ARNE_UNSUPPORTED);
    arne_loop_work_free(loop);
    arne_work_free(work);
    arne_robot_free(robot);
}

static void no_memory_no_robot(void **unused)
{
    (void)unused;
    arne_robot     *robot = read_robot("five_bar", NULL);
    arne_loop_work *loop = NULL;
    double          block[8];
    assert_null(arne_loop_work_place(NULL, block));
    assert_null(arne_loop_work_place(robot, NULL));
    assert_int_equal(arne_loop_work_size(NULL), 0);
    assert_status(arne_loop_work_new(NULL, &loop), ARNE_NULL_ARGUMENT);
    assert_status(arne_loop_work_new(robot, NULL), ARNE_NULL_ARGUMENT);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_modes),
        cmocka_unit_test(modes_are_where_circles_meet),
        cmocka_unit_test(no_assembly),
        cmocka_unit_test(redundant_is_not_singular),
        cmocka_unit_test(open_loops_are_refused),
        cmocka_unit_test(many_independent_loops),
        cmocka_unit_test(seeds_far_away),
        cmocka_unit_test(trees_have_no_loops),
        cmocka_unit_test(no_memory_no_robot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

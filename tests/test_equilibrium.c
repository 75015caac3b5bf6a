// Where robots with springs and loops stand still: shapes that are known, and the law that what is
// left does no work in any motion that the loops allow.
#include "rods.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24 };

static void tie(arne_builder *b, arne_loop_kind kind, const char *from, const char *to,
                const arne_pose *at)
{
    arne_loop_spec loop = arne_loop_spec_default();
    loop.name = "tie";
    loop.kind = kind;
    loop.predecessor = from;
    loop.successor = to;
    loop.axis = (arne_vec3){0, 1, 0};
    if (at) loop.predecessor_origin = *at;
    assert_ok(arne_builder_add_loop(b, &loop, NULL));
}

// A rod whose tip is held where a quarter of a circle ends is that quarter, and its bend spring
// alone is strained; it starts straight and open.
static void a_quarter_of_a_circle(void **unused)
{
    const double    pi = acos(-1), r = 2 / pi;
    const arne_pose end = {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {r, r, 0}};
    arne_body_spec  rod = rod_unit(8);
    arne_builder   *b = rod_builder();
    double          q[5] = {0};
    arne_error      error = {0};
    (void)unused;
    rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 4;
    rod.flexible.modes[ARNE_STRAIN_BEND_Y] = 1;
    assert_ok(arne_builder_set_gravity(b, (arne_vec3){0, 0, 0}));
    assert_ok(arne_builder_add_body(b, &rod, NULL));
    rod_clamp(b, "world", "rod", 0);
    tie(b, ARNE_LOOP_FIXED, "world", "rod", &end);
    held_rod s = rod_finish(b);
    if (arne_equilibrium(s.robot, s.work, NULL, q, &error)) fail_msg("%s", error.text);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(q[i] - (i == 1 ? pi / 2 : 0)) < 1e-9);
    assert_true(rod_distance(rod_tip(&s, q), &end.p.x) < 1e-12);
    rod_release(&s);
}

// Two equal rods that are tied at their tips bear twice the load of one. Half of the rows of the
// loop are redundant, as the rods bend in a plane.
static void two_rods_bear_twice(void **unused)
{
    double q[2][8] = {{0}};
    (void)unused;
    for (int both = 0; both < 2; both++) {
        arne_body_spec                 rod = rod_unit(12);
        arne_load                      load = {.in_world = 1, .wrench = {{0, 4.0 * (1 + both), 0}}};
        const arne_equilibrium_options ask = {.loads = &load, .load_count = 1};
        arne_builder                  *b = rod_builder();
        arne_error                     error = {0};
        rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 4;
        assert_ok(arne_builder_add_body(b, &rod, NULL));
        rod_clamp(b, "world", "rod", 0);
        rod.name = "other";
        if (both) {
            assert_ok(arne_builder_add_body(b, &rod, NULL));
            rod_clamp(b, "world", "other", 0);
            tie(b, ARNE_LOOP_FIXED, "rod", "other", NULL);
        }
        held_rod s = rod_finish(b);
        load.frame = s.tip;
        assert_int_equal(s.n, both ? 8 : 4);
        if (arne_equilibrium(s.robot, s.work, &ask, q[both], &error)) fail_msg("%s", error.text);
        rod_release(&s);
    }
    for (int i = 0; i < 8; i++)
        assert_true(fabs(q[1][i] - q[0][i % 4]) < 1e-10);
    assert_true(q[0][0] > 1);
}

// A four-bar with springs, under weight: redundant rows, a joint that is held or none.
static void nothing_is_left_that_moves_it(void **unused)
{
    static const char *const names[] = {"a", "b", "c"};
    const double             starts[] = {0.3, -1.2, 0.9}, lengths[] = {0.5, 0.8, 0.6};
    arne_builder            *b = rod_builder();
    (void)unused;
    for (int i = 0; i < 3; i++) {
        arne_body_spec   bar = arne_body_spec_default();
        arne_joint_spec  joint = arne_joint_spec_default();
        arne_spring_spec spring = arne_spring_spec_default();
        bar.name = joint.name = joint.child = spring.joint = names[i];
        bar.mass = 1;
        bar.com.x = lengths[i] / 2;
        joint.parent = i == 1 ? "a" : "world";
        joint.axis = (arne_vec3){0, 1, 0};
        joint.origin.p.x = i == 1 ? lengths[0] : i == 2 ? 0.7 : 0;
        joint.actuation = i ? ARNE_ACTUATION_PASSIVE : ARNE_ACTUATION_ACTIVE;
        spring.stiffness = 20 + i;
        spring.rest = starts[i];
        assert_ok(arne_builder_add_body(b, &bar, NULL));
        assert_ok(arne_builder_add_joint(b, &joint, NULL));
        assert_ok(arne_builder_add_spring(b, &spring, NULL));
    }
    const arne_pose end = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {lengths[1], 0, 0}};
    arne_loop_spec  loop = arne_loop_spec_default();
    loop.name = "pin";
    loop.predecessor = "b";
    loop.successor = "c";
    loop.axis = (arne_vec3){0, 1, 0};
    loop.predecessor_origin = end;
    loop.successor_origin.p.x = lengths[2];
    assert_ok(arne_builder_add_loop(b, &loop, NULL));
    held_rod        s = rod_finish(b);
    arne_loop_work *work = NULL;
    assert_ok(arne_loop_work_new(s.robot, &work));
    for (int held = 0; held < 2; held++) {
        const unsigned char            holds[3] = {1, 0, 0};
        const arne_equilibrium_options ask = {.held = held ? holds : NULL};
        double                         q[3], tau[3], zero[3] = {0}, G[3], left = 0;
        int                            free_one[3], mobility = 0;
        arne_error                     error = {0};
        memcpy(q, starts, sizeof q);
        if (arne_equilibrium(s.robot, s.work, &ask, q, &error)) fail_msg("%s", error.text);
        assert_true(arne_loop_closure(s.robot, s.work, work, q, NULL) < 1e-12);
        if (held) assert_true(q[0] == starts[0]);
        assert_ok(arne_loop_jacobian(s.robot, s.work, work, q, G, free_one, &mobility, NULL, NULL));
        assert_int_equal(mobility, 1);
        arne_inverse_dynamics(s.robot, s.work, q, zero, zero, NULL, tau);
        for (int k = 0; k < 3; k++)
            left += G[k] * tau[k];
        assert_true(held ? fabs(left) > 1e-3 : fabs(left) < 1e-10);
    }
    arne_loop_work_free(work);
    rod_release(&s);
}

static void wheels_are_refused(void **unused)
{
    arne_body_spec rod = rod_unit(4);
    arne_builder  *b = rod_builder();
    double         q[1] = {0};
    arne_error     error = {0};
    (void)unused;
    rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 1;
    assert_ok(arne_builder_add_body(b, &rod, NULL));
    rod_clamp(b, "world", "rod", 0);
    tie(b, ARNE_LOOP_KNIFE_EDGE, "world", "rod", NULL);
    held_rod s = rod_finish(b);
    assert_int_equal(arne_equilibrium(s.robot, s.work, NULL, q, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "'tie'"));
    rod_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quarter_of_a_circle),
        cmocka_unit_test(two_rods_bear_twice),
        cmocka_unit_test(nothing_is_left_that_moves_it),
        cmocka_unit_test(wheels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

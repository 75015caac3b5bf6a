// Ground and other features together: compliant ground as a text, height fields, springs, joints
// that follow others, links that bend.
#include "contact.h"
#include "random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const arne_vec3 DOWN = {0, 0, -9.81};

// All shapes, on links that move; the wheel has a tyre.
static const char *const SHAPES =
    "base: free\n"
    "bodies:\n"
    "  - {name: body, mass: 3, com: [0.1, 0, 0], inertia: [0.1, 0.2, 0.3]}\n"
    "  - {name: arm, mass: 1, com: [0, 0, 0.1], inertia: [0.01, 0.02, 0.01]}\n"
    "joints: [{name: j, kind: revolute, parent: body, child: arm, axis: [0, 1, 0],\n"
    "          origin: {xyz: [0.2, 0.1, 0]}}]\n"
    "contacts:\n"
    "  - {link: body, box: [0.2, 0.3, 0.1], origin: [0, 0, 0.05]}\n"
    "  - {link: arm, sphere: 0.1, origin: [0, 0, 0.2]}\n"
    "  - {link: body, disc: 0.3, axis: [0, 1, 0.1], tyre: {longitudinal: 40, lateral: 30}}\n"
    "  - {link: arm, capsule: [0.1, 0.4], axis: [1, 0, 0], friction: 0.2}\n"
    "  - {link: body, point: [0.3, 0.2, -0.1]}\n"
    "  - {link: body, cylinder: [0.1, 0.2], origin: {xyz: [0, 0, 0.2], rpy: [0.4, 0.1, 0]}}\n";

// Accelerations by the text are those of the world's forces, shape by shape.
static void ground_dynamics_is_the_compliant_world(void **unused)
{
    (void)unused;
    const arne_surface surface = {.model = ARNE_CONTACT_COMPLIANT,
                                  .point = {0.1, 0, -0.05},
                                  .normal = {0.1, -0.2, 1},
                                  .friction = 0.7,
                                  .stiffness = 3e3,
                                  .dissipation = 0.3,
                                  .slip_velocity = 0.02,
                                  .no_pairs = 1};
    arne_robot        *robot = contact_robot(SHAPES, DOWN);
    arne_world        *world;
    arne_work         *work;
    arne_error         error;
    double             ground[10];
    int                touched = 0;
    assert_ok(arne_work_new(robot, &work));
    assert_ok_or(arne_world_new(robot, &surface, 1, &world, &error), &error);
    assert_ok_or(arne_surface_ground(robot, &surface, ground, &error), &error);
    for (int trial = 0; trial < 50; trial++) {
        state        s = random_state(robot, (uint64_t)trial + 1);
        arne_wrench  f_ext[8] = {{{0, 0, 0}, {0, 0, 0}}};
        double       qdd[16], wanted[16], forces[18], sum[18] = {0};
        const double far = 0.4 * sin(trial);
        s.q[0] = s.q[1] = 0.1;
        s.q[2] = far;
        assert_ok_or(
            arne_ground_dynamics(robot, work, s.q, s.qd, s.tau, ground, NULL, qdd, forces, &error),
            &error);
        arne_kinematics(robot, work, s.q, s.qd, NULL);
        arne_world_press(world, work, f_ext);
        for (int i = 0; i < arne_world_touch_count(world); i++) {
            const arne_touch t = arne_world_touch(world, i);
            sum[3 * t.contact] += t.force.x;
            sum[3 * t.contact + 1] += t.force.y;
            sum[3 * t.contact + 2] += t.force.z;
            touched |= 1 << t.contact;
        }
        assert_ok(arne_forward_dynamics(robot, work, s.q, s.qd, s.tau, f_ext, wanted, NULL));
        double largest = 1;
        for (int i = 0; i < 18; i++)
            largest = fmax(largest, fabs(sum[i]));
        for (int i = 0; i < 18; i++)
            assert_true(fabs(forces[i] - sum[i]) < 1e-9 * largest);
        for (int i = 0; i < 7; i++)
            largest = fmax(largest, fabs(wanted[i]));
        for (int i = 0; i < 7; i++)
            assert_true(fabs(qdd[i] - wanted[i]) < 1e-9 * largest);
    }
    assert_int_equal(touched, 63); // all shapes
    const arne_surface rigid = {.model = ARNE_CONTACT_RIGID};
    assert_status(arne_surface_ground(robot, &rigid, ground, &error), ARNE_UNSUPPORTED);
    arne_world_free(world);
    arne_work_free(work);
    arne_robot_free(robot);
}

// ---- height fields ----

static arne_table *roll(const arne_robot *robot, const arne_surface *surface, double duration,
                        const double *q, arne_method method)
{
    const arne_surrounding     ground = {.kind = ARNE_SURROUNDING_GROUND, .surface = *surface};
    const arne_simulation_spec sim = {
        .robot = robot,
        .surroundings = &ground,
        .surrounding_count = 1,
        .integrator = {.method = method, .step = method == ARNE_METHOD_RK4 ? 2e-4 : 1e-3},
        .duration = duration,
        .record_every = 0.1,
        .record = ARNE_RECORD_Q | ARNE_RECORD_CONTACT,
        .q = q};
    arne_simulation_summary s;
    arne_table             *table;
    arne_error              error;
    assert_ok_or(arne_simulate(&sim, NULL, NULL, &table, &s, &error), &error);
    return table;
}

// A field of a sloping plane is that plane, in both models; beside it there is nothing.
static void height_field_of_a_plane(void **unused)
{
    (void)unused;
    double       heights[6 * 5];
    const double slope = 0.3, up = sqrt(1 + slope * slope);
    arne_robot  *robot = contact_robot(CONTACT_BALL, DOWN);
    for (int i = 0; i < 30; i++)
        heights[i] = -slope * (-1 + 0.7 * (i % 5));
    for (int model = 0; model < 2; model++) {
        const arne_method  method = model ? ARNE_METHOD_RK4 : ARNE_METHOD_EULER;
        const arne_surface plane = {.model = (arne_contact_model)model,
                                    .normal = {slope, 0, 1},
                                    .friction = 0.5,
                                    .stiffness = 1e5};
        arne_surface       field = plane;
        field.heights = heights;
        field.rows = 6;
        field.columns = 5;
        field.corner[0] = -1;
        field.corner[1] = -1;
        field.spacing[0] = 0.7;
        field.spacing[1] = 0.5;
        const double q[7] = {0, 0, 0.1 * up, 0, 0, 0, 1};
        arne_table  *a = roll(robot, &plane, 1, q, method), *b = roll(robot, &field, 1, q, method);
        for (int i = 0; i < arne_table_rows(a); i++) {
            assert_true(fabs(contact_value(a, i, "q.base.0") - contact_value(b, i, "q.base.0")) <
                        (model ? 1e-6 : 1e-12));
            assert_true(fabs(contact_value(a, i, "q.base.2") - contact_value(b, i, "q.base.2")) <
                        (model ? 1e-6 : 1e-12));
        }
        assert_true(contact_value(b, -1, "q.base.0") > 0.8); // it rolls: 5/7 g sin a t^2 / 2
        arne_table_free(a);
        arne_table_free(b);
        const double beside[7] = {-1.2, 0, 1, 0, 0, 0, 1};
        b = roll(robot, &field, 1, beside, method);
        assert_true(contact_value(b, -1, "q.base.2") < -3);
        arne_table_free(b);
    }
    arne_robot_free(robot);
}

// In a valley a point mass comes to rest at the bottom.
static void height_field_of_a_valley(void **unused)
{
    (void)unused;
    const char        *mass = "base: free\n"
                              "bodies: [{name: ball, mass: 1, inertia: [0.004, 0.004, 0.004]}]\n"
                              "contacts: [{link: ball, sphere: 0.1}]\n";
    const double       heights[6] = {0.5, 0, 0.5, 0.5, 0, 0.5}, q[7] = {0.4, 0.5, 0.6, 0, 0, 0, 1};
    arne_robot        *robot = contact_robot(mass, DOWN);
    const arne_surface field = {.friction = 0.4,
                                .heights = heights,
                                .rows = 2,
                                .columns = 3,
                                .corner = {-1, 0},
                                .spacing = {1, 1}};
    arne_table        *t = roll(robot, &field, 8, q, ARNE_METHOD_EULER);
    assert_true(fabs(contact_value(t, -1, "q.base.0")) < 0.05);
    arne_table_free(t);
    arne_robot_free(robot);
}

// ---- with other features ----

static double force_at_rest(const char *yaml, const double *q, double duration, double step,
                            const char *column)
{
    const on_ground on = {
        .friction = 0.5, .duration = duration, .step = step, .q = q, .every = duration / 10};
    arne_robot             *robot = contact_robot(yaml, DOWN);
    arne_simulation_summary s;
    arne_table             *t = contact_run(robot, &on, &s);
    const double            force = contact_value(t, -1, column);
    arne_table_free(t);
    arne_robot_free(robot);
    return force;
}

// A spring of the joint carries its part of the weight.
static void with_springs(void **unused)
{
    (void)unused;
    const char  *yaml = "bodies: [{name: base}, {name: lift, mass: 1}]\n"
                        "joints: [{name: z, kind: prismatic, parent: base, child: lift, axis: "
                        "[0, 0, 1]}]\n"
                        "elastic: [{joint: z, stiffness: 100, damping: 2, rest: 0.15}]\n"
                        "contacts: [{link: lift, sphere: 0.1}]\n";
    const double q[1] = {0.12};
    assert_true(fabs(force_at_rest(yaml, q, 2, 1e-3, "contact.lift.fz") - (9.81 - 100 * 0.05)) <
                1e-8);
}

// One coordinate lifts one body by q and another by 2 q: the ground carries half of the first.
static void with_joints_that_follow(void **unused)
{
    (void)unused;
    const char  *yaml = "bodies: [{name: base}, {name: first, mass: 3}, {name: second, mass: 1}]\n"
                        "joints:\n"
                        "  - {name: a, kind: prismatic, parent: base, child: first, axis: [0, 0, "
                        "1], origin: {xyz: [0, 0, 1]}}\n"
                        "  - {name: b, kind: prismatic, parent: base, child: second, axis: [0, 0, "
                        "1], mimic: {joint: a, ratio: 2}, origin: {xyz: [1, 0, 0]}}\n"
                        "contacts: [{link: second, sphere: 0.1}]\n";
    const double q[1] = {0.06};
    assert_true(
        fabs(force_at_rest(yaml, q, 2, 1e-3, "contact.second.fz") - (3 + 2 * 1) * 9.81 / 2) < 1e-8);
}

// A beam that is clamped, and rests on the ground with its tip: three eighths of its weight.
static void with_links_that_bend(void **unused)
{
    (void)unused;
    const char *yaml =
        "bodies:\n"
        "  - {name: base}\n"
        "  - {name: beam, flexible: {length: 1, axis: x, E: 70e9, rectangle: [0.02, 0.01], "
        "density: "
        "2700, segments: 4, bends: z, damping: 0.01}}\n"
        "joints: [{name: clamp, kind: fixed, parent: base, child: beam}]\n"
        "contacts: [{link: beam_tip, sphere: 0.0001, name: tip, origin: [0, 0, 0.0001]}]\n";
    const double weight = 2700 * 0.02 * 0.01 * 9.81;
    double       q[32] = {0};
    const double force = force_at_rest(yaml, q, 1.5, 1e-4, "contact.tip.fz");
    print_message("a propped beam: %.5f of its weight at the tip (3/8)\n", force / weight);
    assert_true(fabs(force / weight - 0.375) < 2e-3);
}

// A wheel that is locked and has a tyre: its slip is 1, so the force is the tyre's stiffness, or
// the friction limit where that is less. Both models.
static void with_tyres(void **unused)
{
    (void)unused;
    const char *yaml =
        "bodies: [{name: base}, {name: slide, mass: 0}, {name: wheel, mass: 2}]\n"
        "joints:\n"
        "  - {name: x, kind: prismatic, parent: base, child: slide, axis: [1, 0, 0]}\n"
        "  - {name: z, kind: prismatic, parent: slide, child: wheel, axis: [0, 0, 1]}\n"
        "contacts: [{link: wheel, disc: 0.3, axis: [0, 1, 0], tyre: {longitudinal: %g, lateral: "
        "5}}]\n";
    for (int i = 0; i < 4; i++) {
        const double            stiff = i % 2 ? 1e3 : 3, most = 0.2 * 2 * 9.81;
        const double            a = fmin(stiff, most) / 2, q[2] = {0, 0.3}, qd[2] = {3, 0};
        char                    text[600];
        const on_ground         on = {.friction = 0.2,
                                      .duration = 1,
                                      .q = q,
                                      .qd = qd,
                                      .every = 1,
                                      .model = i < 2 ? ARNE_CONTACT_RIGID : ARNE_CONTACT_COMPLIANT,
                                      .method = i < 2 ? ARNE_METHOD_EULER : ARNE_METHOD_RK4,
                                      .step = i < 2 ? 1e-3 : 2e-4};
        arne_simulation_summary s;
        snprintf(text, sizeof text, yaml, stiff);
        arne_robot *robot = contact_robot(text, DOWN);
        arne_table *t = contact_run(robot, &on, &s);
        // A step is of first order; compliant ground gives way at first, and its force swings.
        assert_true(fabs(contact_value(t, -1, "qd.x") - (3 - a)) < (i < 2 ? 2e-3 : 0.05));
        assert_true(fabs(contact_value(t, -1, "q.x") - (3 - 0.5 * a)) < (i < 2 ? 2e-3 : 0.05));
        arne_table_free(t);
        arne_robot_free(robot);
    }
}

// A rod on a pin, once by a joint and once by a loop that ties a rod which is free in its plane: on
// the ground both do the same, with impacts and after.
static void with_loops(void **unused)
{
    (void)unused;
    const char *pinned =
        "bodies: [{name: base}, {name: rod, mass: 1, com: [0.5, 0, 0], inertia: [0, 0.08, 0.08]}]\n"
        "joints: [{name: turn, kind: revolute, parent: base, child: rod, axis: [0, 1, 0], origin: "
        "{xyz: [0, 0, 0.5]}}]\n"
        "contacts: [{link: rod, sphere: 0.05, origin: [1, 0, 0], name: tip}]\n";
    const char *tied =
        "bodies: [{name: base}, {name: sx, mass: 0}, {name: sz, mass: 0},\n"
        "         {name: rod, mass: 1, com: [0.5, 0, 0], inertia: [0, 0.08, 0.08]}]\n"
        "joints:\n"
        "  - {name: x, kind: prismatic, parent: base, child: sx, axis: [1, 0, 0], passive: yes}\n"
        "  - {name: z, kind: prismatic, parent: sx, child: sz, axis: [0, 0, 1], passive: yes}\n"
        "  - {name: turn, kind: revolute, parent: sz, child: rod, axis: [0, 1, 0]}\n"
        "loops: [{name: pin, kind: planar_point, axis: [0, 1, 0], predecessor: {link: base, "
        "origin: "
        "{xyz: [0, 0, 0.5]}}, successor: rod}]\n"
        "contacts: [{link: rod, sphere: 0.05, origin: [1, 0, 0], name: tip}]\n";
    const double            q1[1] = {-0.4}, q3[3] = {0, 0.5, -0.4};
    on_ground               on = {.restitution = 0.5, .duration = 1.5, .every = 0.05};
    arne_simulation_summary s;
    arne_robot             *a = contact_robot(pinned, DOWN), *b = contact_robot(tied, DOWN);
    on.q = q1;
    arne_table *first = contact_run(a, &on, &s);
    on.q = q3;
    arne_table *second = contact_run(b, &on, &s);
    double      apart = 0;
    for (int i = 0; i < arne_table_rows(first); i++)
        apart = fmax(apart,
                     fabs(contact_value(first, i, "q.turn") - contact_value(second, i, "q.turn")));
    print_message("a rod on a pin, by a joint and by a loop: %.1e rad apart\n", apart);
    assert_true(apart < 1e-6);
    assert_true(fabs(contact_value(first, -1, "contact.tip.fz") -
                     contact_value(second, -1, "contact.tip.fz")) < 1e-5);
    assert_true(s.closure_error < 1e-8);
    arne_table_free(first);
    arne_table_free(second);
    arne_robot_free(a);
    arne_robot_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ground_dynamics_is_the_compliant_world),
        cmocka_unit_test(height_field_of_a_plane),
        cmocka_unit_test(height_field_of_a_valley),
        cmocka_unit_test(with_springs),
        cmocka_unit_test(with_joints_that_follow),
        cmocka_unit_test(with_links_that_bend),
        cmocka_unit_test(with_tyres),
        cmocka_unit_test(with_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

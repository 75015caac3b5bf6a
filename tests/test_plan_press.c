// Compliant contacts of plans: their forces beside those of simulations, derivatives, and a fall
// beside its differential equation.
#include "planning.h"
#include "testing.h"

#include <arne/contact.h>

#include <stdio.h>

// A quadruped whose feet press on a tilted, moving surface; one point is far above it.
static const char pressed[] =
    "robot: quadruped.yaml\n"
    "spline: {degree: 4, control_points: 6}\n"
    "time: {start: 0.4, least: 0.2, most: 0.8}\n"
    "contacts:\n"
    "  - {name: first, frame: front_left_foot, friction: 0.7, stiffness: 2e4, dissipation: 0.6,\n"
    "     slip_velocity: 0.2, smoothing: 0.02, plane_normal: [0.2, 0.1, 1],\n"
    "     plane_point: [0, 0, 0.1], plane_velocity: [-0.4, 0.2, 0.1]}\n"
    "  - {name: second, frame: rear_right_foot, point: [0.02, 0.03, 0], friction: 0.4,\n"
    "     stiffness: 3e4, smoothing: 0.01, plane_point: [0, 0, 0.05]}\n"
    "  - {name: third, frame: rear_left_foot, friction: 0.4, stiffness: 3e4,\n"
    "     plane_point: [0, 0, -0.5]}\n"
    "%s"
    "guess: {base.x: [0, 0.3], base.z: [0.3, 0.25], base.ry: [0.1, -0.2], base.rx: [0, 0.3],\n"
    "        front_left_swing: -0.8, front_left_knee: [1.6, 0.4],\n"
    "        rear_right_swing: [-0.8, -0.5], rear_right_knee: [1.6, 1.2]}\n"
    "objective:\n"
    "  - {quantity: mechanical_power, mean: true}\n"
    "  - {quantity: contact_force, contact: first, weight: 0.01}\n"
    "  - {quantity: acceleration, shape: power, power: 3, weight: 0.01, mean: true}\n"
    "constraints:\n"
    "  - {quantity: torque, joints: front_left_knee, upper: 100}\n"
    "  - {quantity: power, joints: rear_right_knee, upper: 100}\n"
    "  - {quantity: contact_force, contact: second, component: z, upper: 1e4}\n";

// On a leg with joints that follow others, and on one with a rod; with a wrench, in two phases.
static const char following[] =
    "robot: ../tests/data/%s.yaml\n"
    "spline: {degree: 4, control_points: 7}\n"
    "phases: [{name: one, time: 0.4}, {name: two, time: {start: 0.5, least: 0.1, most: 1}}]\n"
    "contacts:\n"
    "  - {name: pad, frame: foot, point: [0.05, 0.01, -0.02], friction: 0.7, stiffness: 2e4,\n"
    "     dissipation: 0.5, slip_velocity: 0.3, smoothing: 0.05, plane_point: [0, 0, 0.3],\n"
    "     plane_normal: [0.1, 0.2, 1]}\n"
    "wrenches: [{frame: foot, point: [0.1, 0.2, 0], force: [10, -20, 5], phases: one}]\n"
    "guess: {slide: [0.1, 0.2], %s: [0.2, -0.5], ankle: [0.4, 0.9]}\n"
    "constraints:\n"
    "  - {quantity: torque, upper: 1000}\n"
    "  - {quantity: power, upper: 1000}\n"
    "  - {quantity: contact_force, contact: pad, upper: 1e4}\n"
    "objective: [{quantity: torque}]\n";

static void derivatives(void **unused)
{
    static const char also_held[] =
        "  - {name: held, frame: rear_left_foot, friction: 0.5, plane_point: [0, 0, -0.1]}\n";
    (void)unused;
    for (int held = 0; held < 2; held++) {
        char text[4096];
        snprintf(text, sizeof text, pressed, held ? also_held : "");
        arne_plan *plan = plan_of_text(text);
        plan_check_derivatives(plan, held ? "with a rigid contact" : "compliant");
        arne_plan_free(plan);
        snprintf(text, sizeof text, following, held ? "soft_leg" : "coupled_leg",
                 held ? "swing" : "hip");
        plan = plan_of_text(text);
        plan_check_derivatives(plan, held ? "behind a rod" : "behind joints that follow");
        arne_plan_free(plan);
    }
}

// A ball on three slides.
static const char ball_file[] =
    "name: ball\n"
    "bodies: [{name: o}, {name: a}, {name: b}, {name: c, mass: 2, inertia: [0.1, 0.1, 0.1, 0, 0, "
    "0]}]\n"
    "joints:\n"
    "  - {name: x, kind: prismatic, parent: o, child: a, axis: [1, 0, 0], passive: true}\n"
    "  - {name: y, kind: prismatic, parent: a, child: b, axis: [0, 1, 0], passive: true}\n"
    "  - {name: z, kind: prismatic, parent: b, child: c, axis: [0, 0, 1], passive: true}\n"
    "contacts: [{link: c, point: [0, 0, 0]}]\n";

static arne_robot *ball(void)
{
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read_yaml(builder, ball_file, strlen(ball_file), "ball", &error), &error);
    assert_ok_or(arne_builder_finish(builder, NULL, &robot, &error), &error);
    arne_builder_free(builder);
    return robot;
}

static const arne_plan_contact soft = {.name = "foot",
                                       .friction = 0.5,
                                       .stiffness = 2e4,
                                       .dissipation = 0.8,
                                       .slip_velocity = 0.1,
                                       .smoothing = 1e-4};

static arne_plan *ball_plan(const arne_robot *robot, int control_points, double time)
{
    const arne_plan_options options = {.degree = 4, .control_points = control_points, .time = time};
    arne_plan_contact       contact = soft;
    arne_plan              *plan = NULL;
    arne_error              error = {0};
    contact.frame = arne_find_frame(robot, "c");
    assert_ok_or(arne_plan_new_in_phases(robot, &options, NULL, 0, &contact, 1, &plan, &error),
                 &error);
    return plan;
}

// Where a point is deeper than the smoothing by far, the force is that of simulations but for the
// smoothing of what damps: a part of 0.01/(4 y^2).
static void simulations_have_this_law(void **unused)
{
    const arne_surface surface = {.model = ARNE_CONTACT_COMPLIANT,
                                  .friction = soft.friction,
                                  .stiffness = soft.stiffness,
                                  .dissipation = soft.dissipation,
                                  .slip_velocity = soft.slip_velocity};
    arne_robot        *robot = ball();
    arne_plan         *plan = ball_plan(robot, 6, 1);
    arne_work         *work = NULL;
    arne_world        *world = NULL;
    rng                r = rng_seed(7);
    (void)unused;
    assert_ok(arne_work_new(robot, &work));
    assert_ok(arne_world_new(robot, &surface, 1, &world, NULL));
    for (int trial = 0; trial < 50; trial++) {
        double      q[3], qd[3];
        arne_wrench f_ext[8] = {{{0, 0, 0}, {0, 0, 0}}};
        for (int k = 0; k < 3; k++) {
            const double depth = rng_uniform(&r, 0.01, 0.05), to = rng_uniform(&r, -0.5, 0.5);
            arne_plan_start_line(plan, k, k == 2 ? -depth : 0, to);
        }
        arne_plan_evaluate(plan, 0, q, qd, NULL, NULL, NULL);
        const arne_vec3 f = arne_plan_contact_force(plan, 0, 0);
        arne_kinematics(robot, work, q, qd, NULL);
        arne_world_press(world, work, f_ext);
        const arne_vec3 wanted = arne_world_touch(world, 0).force;
        const double    y = 1 - 1.5 * soft.dissipation * qd[2];
        const double    size = (0.0026 / (y * y) + 1e-4) * fabs(wanted.z);
        if (fabs(f.x - wanted.x) > size || fabs(f.y - wanted.y) > size ||
            fabs(f.z - wanted.z) > size || !(f.z > 0))
            fail_msg("%g %g %g, not %g %g %g", f.x, f.y, f.z, wanted.x, wanted.y, wanted.z);
    }
    arne_world_free(world);
    arne_work_free(work);
    arne_plan_free(plan);
    arne_robot_free(robot);
}

// The rate of (x, z, their velocities) of the ball.
static void ball_rate(const double *at, double *out)
{
    const double h = at[1], y = 1 - 1.5 * soft.dissipation * at[3];
    const double d = 0.5 * (sqrt(h * h + 1e-8) - h);
    const double f = soft.stiffness * pow(d, 1.5) * 0.5 * (y + sqrt(y * y + 0.01));
    out[0] = at[2];
    out[1] = at[3];
    out[2] = -soft.friction * f * at[2] / sqrt(at[2] * at[2] + 0.01) / 2;
    out[3] = f / 2 - 9.81;
}

static void ball_step(double *at, double h)
{
    static const double parts[4] = {0, 0.5, 0.5, 1}, weights[4] = {1, 2, 2, 1};
    double              k[4] = {0}, sum[4] = {0};
    for (int s = 0; s < 4; s++) {
        double moved[4];
        for (int c = 0; c < 4; c++)
            moved[c] = at[c] + parts[s] * h * k[c];
        ball_rate(moved, k);
        for (int c = 0; c < 4; c++)
            sum[c] += weights[s] * k[c];
    }
    for (int c = 0; c < 4; c++)
        at[c] += h / 6 * sum[c];
}

// A ball that is thrown slides and bounces in a plan without any choice as its differential
// equation says (Runge and Kutta, steps of 1e-5 s); the finer the spline, the nearer.
static void fall(void **unused)
{
    static const double start[3] = {0, 0, 0.02}, speed[3] = {0.8, 0, 0}, ones[3] = {1, 1, 1};
    double              at[4] = {0, 0.02, 0.8, 0}, off[2] = {0, 0};
    (void)unused;
    for (int i = 0; i < 12000; i++)
        ball_step(at, 1e-5);
    for (int fine = 0; fine < 2; fine++) {
        arne_robot              *robot = ball();
        arne_plan               *plan = ball_plan(robot, fine ? 40 : 16, 0.12);
        const arne_solve_options once = {.refine = -1};
        const arne_objective calm = {.quantity = plan_quantity_of(plan, ARNE_QUANTITY_ACCELERATION),
                                     .row_count = 3,
                                     .weights = ones,
                                     .at = -1};
        arne_plan_result     result;
        double               q[3], qd[3];
        plan_hold(plan, "start", ARNE_QUANTITY_POSITION, 0, 0, start, start);
        plan_hold(plan, "speed", ARNE_QUANTITY_VELOCITY, 0, 0, speed, speed);
        assert_ok(arne_plan_add_objective(plan, &calm, NULL));
        if (plan_solved(plan, &once, &result)) {
            arne_plan_evaluate(plan, 1, q, qd, NULL, NULL, NULL);
            off[fine] = fmax(fabs(q[0] - at[0]), fabs(q[2] - at[1]));
        }
        arne_plan_free(plan);
        arne_robot_free(robot);
    }
    if (!(off[0] < 1e-3 && off[1] < 0.1 * off[0])) fail_msg("off by %g, %g", off[0], off[1]);
}

// What compliant contacts do not know is refused by name.
static void refusals(void **unused)
{
    const arne_plan_options options = {.time = 1, .degree = 3};
    const arne_plan_phase   phases[2] = {{.name = "fly", .time = 1},
                                         {.name = "land", .time = 1, .impact = 1}};
    const arne_quantity     rate = {.kind = ARNE_QUANTITY_TORQUE_RATE},
                        wrench = {.kind = ARNE_QUANTITY_WRENCH};
    arne_robot       *robot = ball();
    arne_plan        *plan = ball_plan(robot, 6, 1);
    arne_plan_contact contact = soft;
    arne_error        error;
    int               out;
    (void)unused;
    assert_status(arne_plan_add_quantity(plan, &rate, &out, &error), ARNE_UNSUPPORTED);
    assert_status(arne_plan_add_quantity(plan, &wrench, &out, &error), ARNE_UNSUPPORTED);
    arne_plan_free(plan);
    contact.frame = arne_find_frame(robot, "c");
    assert_status(arne_plan_new_in_phases(robot, &options, phases, 2, &contact, 1, &plan, &error),
                  ARNE_UNSUPPORTED);
    contact.holds = 1, contact.other_frame = -1;
    assert_status(arne_plan_new_in_phases(robot, &options, phases, 1, &contact, 1, &plan, &error),
                  ARNE_VALUE);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives),
        cmocka_unit_test(simulations_have_this_law),
        cmocka_unit_test(fall),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Plans with phases and contacts. Laws: in flight the centre of mass follows its parabola and
// angular momentum stays; forces of contacts are inside their cones; the six equations of a free
// base hold; points that touch stay.
#include "testing.h"

#include "planning.h"
#include <stdio.h>

#define EXAMPLE ARNE_ROBOTS_DIR "/../examples/jump/problem.yaml"

typedef struct motion {
    arne_plan       *plan;
    arne_work       *work;
    arne_plan_result result;
    double           T;
} motion;

static motion solve(const char *path)
{
    motion     m = {0};
    arne_error error;
    assert_ok_or(arne_plan_read(path, NULL, &m.plan, &error), &error);
    assert_ok(arne_work_new(arne_plan_robot(m.plan), &m.work));
    const arne_solve_options options = arne_plan_solver(m.plan);
    assert_ok_or(arne_plan_solve(m.plan, &options, &m.result, &error), &error);
    m.T = arne_plan_time(m.plan);
    return m;
}

static void end(motion *m)
{
    arne_work_free(m->work);
    arne_plan_free(m->plan);
}

// The centre of mass, and angular momentum about it.
static void state_at(motion *m, double u, arne_vec3 *com, arne_vec3 *velocity,
                     arne_wrench *momentum)
{
    double q[MAX_V], qd[MAX_V];
    arne_plan_evaluate(m->plan, u, q, qd, NULL, NULL, NULL);
    arne_center_of_mass(arne_plan_robot(m->plan), m->work, q, qd, com, velocity);
    arne_momentum(arne_plan_robot(m->plan), m->work, q, qd, momentum);
}

static double length(arne_vec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

// Flight: where no foot is loaded. The motion there is that of a thrown stone, within the error of
// splines.
static void the_centre_of_mass_flies_on_a_parabola(motion *m)
{
    const double g = 9.81, off_ground = 0.401 / 1.2; // phases take 0.4 s each
    arne_vec3    c0, v0;
    arne_wrench  h0;
    double       worst = 0, turned = 0;
    assert_true(fabs(m->T - 1.2) < 1e-6);
    state_at(m, off_ground, &c0, &v0, &h0);
    for (int i = 0; i <= 40; i++) {
        const double u = off_ground + (2.0 / 3 - 0.002 - off_ground) * i / 40,
                     t = (u - off_ground) * m->T;
        arne_vec3   c, v;
        arne_wrench h;
        state_at(m, u, &c, &v, &h);
        worst = fmax(worst, fabs(c.x - c0.x - v0.x * t));
        worst = fmax(worst, fabs(c.y - c0.y - v0.y * t));
        worst = fmax(worst, fabs(c.z - c0.z - v0.z * t + 0.5 * g * t * t));
        turned = fmax(turned, fabs(h.ang.x - h0.ang.x));
        turned = fmax(turned, fabs(h.ang.y - h0.ang.y));
        turned = fmax(turned, fabs(h.ang.z - h0.ang.z));
        for (int foot = 0; foot < 4; foot++)
            assert_true(length(arne_plan_contact_force(m->plan, u, foot)) < 1e-12);
    }
    if (worst > 1e-6 || turned > 1e-6)
        fail_msg("off the parabola by %g m, angular momentum by %g N m s", worst, turned);
}

static void forces_are_inside_their_cones(motion *m)
{
    double least = 0, used = 0, all = 0;
    for (int i = 0; i <= 600; i++) {
        double sum = 0;
        for (int foot = 0; foot < 4; foot++) {
            const arne_vec3 f = arne_plan_contact_force(m->plan, i / 600.0, foot);
            least = fmin(least, f.z);
            sum += f.z;
            used = fmax(used, hypot(f.x, f.y) - 0.7 * f.z);
        }
        all += sum * m->T / 601;
    }
    assert_true(least >= -1e-9);
    assert_true(used <= 1e-6);
    // From rest to rest the ground gives the impulse of the weight.
    const double weight = 9.81 * arne_total_mass(arne_plan_robot(m->plan));
    assert_true(fabs(all - weight * m->T) < 0.01 * weight * m->T);
}

static void a_quadruped_jumps(void **unused)
{
    (void)unused;
    motion m = solve(EXAMPLE);
    assert_int_equal(m.result.status, ARNE_PLAN_OPTIMAL);
    assert_true(m.result.part_between < 0.01);
    the_centre_of_mass_flies_on_a_parabola(&m);
    forces_are_inside_their_cones(&m);
    end(&m);
}

static void say(void *context, const char *quantity, const char *against, double first,
                double second)
{
    (void)context, (void)quantity, (void)against;
    assert_true(first < 1e-9);
    assert_true(second < 1e-7);
}

static void derivatives_are_exact(void **unused)
{
    arne_plan *plan = NULL;
    arne_error error;
    double     worst = 1;
    (void)unused;
    assert_ok_or(arne_plan_read(EXAMPLE, NULL, &plan, &error), &error);
    assert_ok_or(arne_plan_check_derivatives(plan, say, NULL, &worst, &error), &error);
    assert_true(worst < 1e-7);
    arne_plan_free(plan);
}

// A mass that stands on a surface without friction stands with its weight; let go above it, it
// falls as a stone does.
static const char mass[] = "bodies:\n"
                           "  - {name: ground}\n"
                           "  - {name: mass, mass: 2, com: [0, 0, 0]}\n"
                           "joints:\n"
                           "  - {name: up, kind: prismatic, parent: ground, child: mass, axis: [0, "
                           "0, 1], passive: true}\n";

static arne_robot *one_mass(void)
{
    arne_builder *builder = NULL;
    arne_error    error;
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read_yaml(builder, mass, strlen(mass), "mass.yaml", &error), &error);
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

static void hold(arne_plan *plan, arne_quantity_kind kind, double value, double at)
{
    arne_error            error;
    const arne_constraint c = {.name = "given",
                               .quantity = plan_quantity_of(plan, kind),
                               .row_count = 1,
                               .lower = &value,
                               .upper = &value,
                               .from = at,
                               .to = at,
                               .other = -1};
    assert_ok_or(arne_plan_add_constraint(plan, &c, &error), &error);
}

// touches: in how many phases it stands.
static arne_plan *stand(const arne_robot *robot, const arne_plan_phase *phases, int touches)
{
    static const int        all[2] = {0, 1};
    const arne_plan_options options = {.control_points = 6};
    const arne_plan_contact floor = {.name = "floor",
                                     .frame = arne_find_frame(robot, "mass"),
                                     .other_frame = -1,
                                     .phases = all,
                                     .phase_count = touches};
    arne_plan              *plan = NULL;
    arne_error              error;
    assert_ok_or(arne_plan_new_in_phases(robot, &options, phases, 2, &floor, 1, &plan, &error),
                 &error);
    return plan;
}

static void a_mass_falls_and_stands(void **unused)
{
    const arne_plan_phase phases[2] = {
        {.name = "one", .time = 0.3, .time_least = 0.1, .time_most = 2},
        {.name = "two", .time = 0.2}};
    arne_robot      *robot = one_mass();
    arne_plan       *falls = stand(robot, phases, 0), *stands = stand(robot, phases, 2);
    arne_plan_result result;
    arne_error       error;
    (void)unused;
    hold(falls, ARNE_QUANTITY_POSITION, 1, 0);
    hold(falls, ARNE_QUANTITY_VELOCITY, 0, 0);
    hold(falls, ARNE_QUANTITY_POSITION, 0, 1);
    assert_ok_or(arne_plan_solve(falls, NULL, &result, &error), &error);
    assert_true(fabs(result.T - sqrt(2 / 9.81)) < 1e-7);
    assert_ok_or(arne_plan_solve(stands, NULL, &result, &error), &error);
    for (int i = 0; i <= 10; i++)
        assert_true(fabs(arne_plan_contact_force(stands, 0.1 * i, 0).z - 2 * 9.81) < 1e-6);
    arne_plan_free(falls);
    arne_plan_free(stands);
    arne_robot_free(robot);
}

// A hand of two links below its shoulder, and the place on the box that it holds.
static double off_its_place(const double *q, double shoulder, int first, double grip)
{
    const double a = q[first], b = a + q[first + 1], turn = q[6];
    const double x = shoulder - 0.5 * sin(a) - 0.4 * sin(b), z = 1 - 0.5 * cos(a) - 0.4 * cos(b);
    return hypot(x - q[4] - grip * cos(turn), z - q[5] + grip * sin(turn));
}

// Two arms pick a box up, carry it and set it down: a closed chain in one of three phases. Both
// hands stay on the box, and what it pushes them with is its weight: it rests before and after.
static void two_arms_carry_a_box(void **unused)
{
    enum { LEFT = 2, RIGHT, STEPS = 400 };
    double impulse[2] = {0, 0};
    (void)unused;
    motion m = solve(ARNE_ROBOTS_DIR "/../tests/data/two_arms/problem.yaml");
    assert_true(m.result.part_between < 0.01);
    for (int i = 0; i <= STEPS; i++) {
        const double    u = 0.3 + 0.4 * (i + 1e-6) / (STEPS + 2e-6), t = 0.8 / STEPS / 3;
        const double    weight = t * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2);
        const arne_vec3 left = arne_plan_contact_force(m.plan, u, LEFT),
                        right = arne_plan_contact_force(m.plan, u, RIGHT);
        double q[MAX_V];
        arne_plan_evaluate(m.plan, u, q, NULL, NULL, NULL, NULL);
        assert_true(off_its_place(q, -0.3, 0, -0.15) < 1e-3);
        assert_true(off_its_place(q, 0.3, 2, 0.15) < 1e-3);
        impulse[0] += weight * (left.x + right.x);
        impulse[1] += weight * (left.z + right.z);
    }
    assert_true(fabs(impulse[0]) < 1e-2 && fabs(impulse[1] + 3 * 9.81 * 0.8) < 1e-2);
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quadruped_jumps),
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(a_mass_falls_and_stands),
        cmocka_unit_test(two_arms_carry_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

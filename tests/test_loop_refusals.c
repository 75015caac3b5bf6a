// What loops say of themselves: how far they are open, where they are absent or singular, and what
// cannot be had of them.
#include "robots.h"
#include "testing.h"
#include <arne/arne.h>
#include <math.h>
#include <string.h>

static arne_error e;

static void says(arne_status status, arne_status wanted, const char *text)
{
    if (status != wanted || !strstr(e.text, text))
        fail_msg("'%s' is not said: %s (%s)", text, e.text, arne_status_text(status));
}

static arne_builder *links_of(int count)
{
    static const char *const names[] = {"base", "one", "two", "three"};
    arne_builder            *b = NULL;
    assert_ok(arne_builder_new(&b));
    for (int i = 0; i < count; i++) {
        arne_body_spec body = arne_body_spec_default();
        body.name = names[i];
        body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = i > 0;
        assert_ok_or(arne_builder_add_body(b, &body, &e), &e);
    }
    return b;
}

static void tie(arne_builder *b, const char *name, arne_loop_kind kind, const char *to)
{
    arne_loop_spec l = arne_loop_spec_default();
    l.name = name;
    l.kind = kind;
    l.predecessor = "base";
    l.successor = to;
    l.axis = (arne_vec3){0, 0, 1};
    assert_ok_or(arne_builder_add_loop(b, &l, &e), &e);
}

// Two links turn about x and y of the base, each tied to it where it turns: each loop is open by
// the angle, whether that is small or half a turn, and the largest one counts.
static void closure_is_the_angle(void **unused)
{
    static const arne_loop_kind kinds[] = {ARNE_LOOP_REVOLUTE, ARNE_LOOP_PRISMATIC,
                                           ARNE_LOOP_FIXED};
    static const double         angles[] = {0, 1e-4, -0.02, 0.3, -1, 1.5, -2, 3, 3.14159265358979};
    static const arne_vec3      axes[2] = {{1, 0, 0}, {0, 1, 0}};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        arne_builder   *b = links_of(3);
        arne_robot     *robot = NULL;
        arne_work      *work = NULL;
        arne_loop_work *loop = NULL;
        for (int i = 0; i < 2; i++) {
            arne_joint_spec j = arne_joint_spec_default();
            j.name = i ? "second" : "first";
            j.parent = "base";
            j.child = i ? "two" : "one";
            j.axis = axes[i];
            j.kind = ARNE_JOINT_CONTINUOUS;
            j.actuation = ARNE_ACTUATION_ACTIVE;
            assert_ok_or(arne_builder_add_joint(b, &j, &e), &e);
            tie(b, i ? "tie2" : "tie1", kinds[k], i ? "two" : "one");
        }
        assert_ok_or(arne_builder_finish(b, NULL, &robot, &e), &e);
        assert_ok(arne_work_new(robot, &work));
        assert_ok(arne_loop_work_new(robot, &loop));
        for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
            for (int which = 0; which < 2; which++) {
                const double q[2] = {which ? 0.5 * angles[i] : angles[i],
                                     which ? angles[i] : 0.5 * angles[i]};
                const double open = arne_loop_closure(robot, work, loop, q, NULL);
                if (!(fabs(open - fabs(angles[i])) <
                      1e-9 + 1e-6 * fabs(angles[i]) * (fabs(angles[i]) < 0.1)))
                    fail_msg("kind %d, loop %d: %g, not %g", k, which, open, angles[i]);
            }
        // Nothing can move without opening them.
        arne_loop_report report;
        const double     q[2] = {0, 0};
        says(arne_loop_analyse(robot, work, loop, (double[2]){0.3, 0}, &report, NULL, &e),
             ARNE_LOOP_OPEN, "tie1");
        says(arne_loop_analyse(robot, work, loop, (double[2]){0, 0.3}, &report, NULL, &e),
             ARNE_LOOP_OPEN, "tie2");
        says(arne_loop_analyse(robot, work, loop, q, &report, NULL, &e), ARNE_MODEL,
             "leave no mobility: 2 independent constraints on 2 coordinates");
        arne_loop_work_free(loop);
        arne_work_free(work);
        arne_builder_free(b);
        arne_robot_free(robot);
    }
}

static void what_cannot_be_had(void **unused)
{
    (void)unused;
    arne_robot      *tree = read_robot("planar_2r", NULL), *bar = read_robot("four_bar", NULL);
    arne_work       *work = NULL, *own = NULL;
    arne_loop_work  *loop = NULL, *none = NULL;
    arne_loop_report report;
    arne_assembly    way;
    arne_modules    *modules = NULL;
    double           q[8] = {0}, qd[8] = {0}, tau[8] = {0}, shapes[64];
    int              count;
    assert_ok(arne_work_new(tree, &work));
    assert_ok(arne_work_new(bar, &own));
    assert_ok(arne_loop_work_new(tree, &none));
    assert_ok(arne_loop_work_new(bar, &loop));
    says(arne_loop_analyse(tree, work, none, q, &report, NULL, &e), ARNE_UNSUPPORTED,
         "the robot has no loops");
    says(arne_parallel_inverse_kinematics(tree, work, none, q, &e), ARNE_MODEL,
         "is not a parallel robot");
    says(arne_parallel_complete(tree, work, q, qd, NULL, &e), ARNE_MODEL,
         "is not a parallel robot");
    says(arne_modules_new(bar, &modules, &e), ARNE_MODEL, "does not consist of parallel modules");
    says(arne_modes(bar, own, NULL, q, &count, qd, shapes, &e), ARNE_UNSUPPORTED,
         "modes of a robot with loops");
    // A four-bar has one drive; four of them would share. Weights must be positive.
    q[0] = 0.5;
    assert_ok_or(arne_assemble(bar, own, loop, NULL, q, &way, &e), &e);
    const arne_status equal =
        arne_loop_inverse_dynamics(bar, own, loop, q, qd, qd, NULL, NULL, tau, &e);
    assert_ok_or(equal, &e);
    arne_loop_work_free(loop);
    arne_loop_work_free(none);
    arne_work_free(own);
    arne_work_free(work);
    arne_robot_free(bar);
    arne_robot_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closure_is_the_angle),
                                       cmocka_unit_test(what_cannot_be_had)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// What holds between callers and the library: workspaces know their robot, and options can grow.
#include "robots.h"
#include "testing.h"
#include <arne/arne.h>
#include <string.h>

// A workspace of a small robot given with a larger one: every function that returns a status says
// so, and nothing is written beyond its end (which the sanitisers would see).
static void a_workspace_knows_its_robot(void **unused)
{
    (void)unused;
    enum { N = 64 };
    arne_robot *small = read_robot("planar_2r", NULL), *large = read_robot("humanoid", NULL);
    arne_work  *work = NULL;
    arne_error  error;
    double      q[N] = {0}, x[N] = {0}, out[N * N];
    assert_true(arne_robot_sizes(large).q_count < N);
    arne_neutral(large, q);
    assert_ok(arne_work_new(small, &work));
    assert_status(arne_forward_dynamics(large, work, q, x, x, NULL, out, &error), ARNE_WORKSPACE);
    assert_string_equal(error.text, "the workspace was made for another robot");
    assert_status(arne_forward_dynamics_matrix(large, work, q, x, x, NULL, out, &error),
                  ARNE_WORKSPACE);
    assert_status(arne_inverse_mass_matrix(large, work, q, out, NULL), ARNE_WORKSPACE);
    const arne_target target = {.frame = 1};
    assert_status(arne_inverse_kinematics(large, work, &target, 1, NULL, q, NULL), ARNE_WORKSPACE);
    arne_work_free(work);
    arne_robot_free(small);
    arne_robot_free(large);
}

// Two arms of equal sizes differ where their joints stand, and so do robots under other gravity:
// constants of both are in the workspace.
static void sizes_alone_are_not_enough(void **unused)
{
    (void)unused;
    const arne_vec3          moon = {0, 0, -1.62};
    const arne_build_options there = {.gravity = &moon};
    arne_robot              *puma = read_robot("puma560", NULL), *arm = read_robot("arm6", NULL),
               *light = read_robot("puma560", &there);
    arne_work *work = NULL;
    double     q[6] = {0}, qdd[6];
    assert_int_equal(arne_robot_sizes(puma).v_count, arne_robot_sizes(arm).v_count);
    assert_ok(arne_work_new(puma, &work));
    assert_status(arne_forward_dynamics(arm, work, q, q, q, NULL, qdd, NULL), ARNE_WORKSPACE);
    assert_status(arne_forward_dynamics(light, work, q, q, q, NULL, qdd, NULL), ARNE_WORKSPACE);
    arne_work_free(work);
    arne_robot_free(light);
    arne_robot_free(puma);
    arne_robot_free(arm);
}

// A payload changes no layout, and reading a file twice gives the same one.
static void copies_share_a_workspace(void **unused)
{
    (void)unused;
    const arne_payload tool = {.mass = 2, .inertia = {0.1, 0.1, 0.1, 0, 0, 0}};
    arne_robot        *robot = read_robot("puma560", NULL), *again = read_robot("puma560", NULL);
    arne_robot        *loaded = NULL;
    arne_work         *work = NULL;
    arne_error         error;
    double             q[6] = {0}, qdd[6];
    assert_ok_or(
        arne_robot_attach(robot, arne_robot_sizes(robot).frame_count - 1, &tool, &loaded, &error),
        &error);
    assert_ok(arne_work_new(robot, &work));
    assert_ok(arne_forward_dynamics(loaded, work, q, q, q, NULL, qdd, &error));
    assert_ok(arne_forward_dynamics(again, work, q, q, q, NULL, qdd, &error));
    arne_work_free(work);
    arne_robot_free(loaded);
    arne_robot_free(again);
    arne_robot_free(robot);
}

// A caller that was compiled with more or with fewer options than this library knows.
static void options_can_grow(void **unused)
{
    (void)unused;
    struct later {
        arne_batch_options known;
        long               unknown;
    } later = {{.size = sizeof later, .width = 1, .threads = 1}, 0};
    struct earlier { // what follows belongs to somebody else
        size_t size;
        int    width, other;
    } earlier = {offsetof(struct earlier, other), 1, -7};
    arne_robot *robot = read_robot("planar_2r", NULL);
    arne_batch *batch = NULL;
    arne_error  error;
    assert_ok_or(arne_batch_new(robot, &later.known, &batch, &error), &error);
    arne_batch_free(batch);
    later.unknown = 1;
    assert_status(arne_batch_new(robot, &later.known, &batch, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "later release"));
    assert_null(batch);
    assert_ok_or(
        arne_batch_new(robot, (const arne_batch_options *)(const void *)&earlier, &batch, &error),
        &error); // -7 threads would be an error
    assert_int_equal(arne_batch_width(batch), 1);
    arne_batch_free(batch);
    arne_robot_free(robot);
}

static void the_base_is_an_enumerator(void **unused)
{
    (void)unused;
    arne_robot     *robot = read_robot("quadruped", NULL);
    const arne_base base = arne_robot_base(robot);
    assert_int_equal(base, ARNE_BASE_FREE);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_workspace_knows_its_robot), cmocka_unit_test(sizes_alone_are_not_enough),
        cmocka_unit_test(copies_share_a_workspace),    cmocka_unit_test(options_can_grow),
        cmocka_unit_test(the_base_is_an_enumerator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

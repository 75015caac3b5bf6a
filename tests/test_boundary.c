// What holds between callers and the library: workspaces know their robot, and options can grow.
#include "robots.h"
#include "testing.h"
#include <arne/arne.h>
#include <stdlib.h>
#include <string.h>

// Every function that takes a workspace and returns a status, with what it needs at least. q may be
// NULL, x is neither read nor written where something is amiss.
typedef struct given {
    const arne_robot *r;
    arne_work        *w;
    arne_loop_work   *l;
    double           *q, *x, *out;
    arne_error       *e;
} given;

// clang-format off
#define EACH_CALL(CALL)                                                                            \
    CALL(arne_forward_dynamics(g.r, g.w, g.q, g.x, g.x, NULL, g.out, g.e))                         \
    CALL(arne_forward_dynamics_matrix(g.r, g.w, g.q, g.x, g.x, NULL, g.out, g.e))                  \
    CALL(arne_hybrid_dynamics(g.r, g.w, g.q, g.x, none, NULL, g.x, g.out, g.e))                    \
    CALL(arne_base_acceleration(g.r, g.w, g.q, g.x, NULL, g.x, g.out, g.e))                        \
    CALL(arne_inverse_mass_matrix(g.r, g.w, g.q, g.out, g.e))                                      \
    CALL(arne_operational_inertia(g.r, g.w, g.q, 1, ARNE_AXES_BODY, g.out, g.e))                   \
    CALL(arne_forward_dynamics_derivatives(g.r, g.w, g.q, g.x, g.x, NULL, 0, g.x, g.out, NULL,     \
                                           NULL, g.e))                                             \
    CALL(arne_second_derivatives(g.r, g.w, g.q, g.x, g.x, NULL, 0, g.x, g.out, NULL, NULL, NULL,   \
                                 g.e))                                                             \
    CALL(arne_assemble(g.r, g.w, g.l, NULL, g.q, NULL, g.e))                                       \
    CALL(arne_loop_project(g.r, g.w, g.l, g.q, g.x, g.e))                                          \
    CALL(arne_loop_jacobian(g.r, g.w, g.l, g.q, g.out, NULL, NULL, NULL, g.e))                     \
    CALL(arne_loop_complete(g.r, g.w, g.l, g.q, g.x, g.x, g.e))                                    \
    CALL(arne_loop_inverse_dynamics(g.r, g.w, g.l, g.q, g.x, g.x, NULL, NULL, g.out, g.e))         \
    CALL(arne_loop_gravity(g.r, g.w, g.l, g.q, NULL, g.out, g.e))                                  \
    CALL(arne_loop_bias(g.r, g.w, g.l, g.q, g.x, NULL, NULL, g.out, g.e))                          \
    CALL(arne_loop_forward_dynamics(g.r, g.w, g.l, g.q, g.x, g.x, NULL, NULL, g.out, g.e))         \
    CALL(arne_loop_torque_rate(g.r, g.w, g.l, g.q, g.x, g.x, g.x, NULL, 0, NULL, g.out, g.x, g.e)) \
    CALL(arne_loop_regressor(g.r, g.w, g.l, g.q, g.x, g.x, NULL, g.out, g.e))                      \
    CALL(arne_loop_reduced(g.r, g.w, g.l, g.q, g.x, NULL, g.out, g.x, g.e))                        \
    CALL(arne_loop_inverse_mass_matrix(g.r, g.w, g.l, g.q, g.out, g.e))                            \
    CALL(arne_loop_coriolis_matrix(g.r, g.w, g.l, g.q, g.x, g.out, g.e))                           \
    CALL(arne_loop_operational_inertia(g.r, g.w, g.l, g.q, 1, ARNE_AXES_BODY, g.out, g.e))         \
    CALL(arne_loop_inverse_dynamics_derivatives(g.r, g.w, g.l, g.q, g.x, g.x, NULL, 0, g.out,      \
                                                NULL, NULL, g.e))                                  \
    CALL(arne_loop_forward_dynamics_derivatives(g.r, g.w, g.l, g.q, g.x, g.x, NULL, 0, g.x, g.out, \
                                                NULL, NULL, g.e))                                  \
    CALL(arne_elastic_inverse_dynamics(g.r, g.w, g.q, g.x, NULL, g.x, g.out, NULL, g.e))           \
    CALL(arne_elastic_forward_dynamics(g.r, g.w, g.q, g.x, g.x, NULL, g.out, NULL, g.e))           \
    CALL(arne_elastic_forward_dynamics_matrix(g.r, g.w, g.q, g.x, g.x, NULL, g.out, NULL, g.e))    \
    CALL(arne_parallel_inverse_kinematics(g.r, g.w, g.l, g.q, g.e))                                \
    CALL(arne_parallel_forward_kinematics(g.r, g.w, g.l, g.q, g.e))                                \
    CALL(arne_parallel_complete(g.r, g.w, g.q, g.x, g.x, g.e))                                     \
    CALL(arne_parallel_inverse_dynamics(g.r, g.w, g.l, g.q, g.x, g.x, NULL, g.out, g.e))
// clang-format on

static void all_say(given g, arne_status wanted)
{
    static const unsigned char none[64] = {0};
#define CALL(call)                                                                                 \
    if ((call) != wanted) fail_msg("not \"%s\": " #call, arne_status_text(wanted));
    EACH_CALL(CALL)
#undef CALL
}

// A workspace of a small robot given with a larger one: every function that returns a status says
// so, and nothing is written beyond its end (which the sanitisers would see). Likewise NULL.
static void a_workspace_knows_its_robot(void **unused)
{
    (void)unused;
    enum { N = 64 };
    arne_robot *small = read_robot("planar_2r", NULL), *large = read_robot("gough_stewart", NULL);
    arne_work  *work = NULL, *own = NULL;
    arne_loop_work *loop = NULL;
    arne_error      error;
    double         *q = malloc(N * sizeof *q), *x = malloc(N * sizeof *x),
           *out = malloc((size_t)N * N * 12 * sizeof *out);
    memset(x, 0, N * sizeof *x);
    assert_true(arne_robot_sizes(large).q_count < N);
    arne_neutral(large, q);
    assert_ok(arne_work_new(small, &work));
    assert_ok(arne_work_new(large, &own));
    assert_ok(arne_loop_work_new(large, &loop));
    all_say((given){large, work, loop, q, x, out, &error}, ARNE_WORKSPACE);
    assert_string_equal(error.text, "the workspace was made for another robot");
    all_say((given){large, work, loop, q, x, out, NULL}, ARNE_WORKSPACE);
    all_say((given){NULL, own, loop, q, x, out, &error}, ARNE_NULL_ARGUMENT);
    all_say((given){large, NULL, loop, q, x, out, &error}, ARNE_NULL_ARGUMENT);
    all_say((given){large, own, loop, NULL, x, out, &error}, ARNE_NULL_ARGUMENT);
    const arne_target target = {.frame = 1};
    assert_status(arne_inverse_kinematics(large, work, &target, 1, NULL, q, NULL), ARNE_WORKSPACE);
    arne_loop_work_free(loop);
    arne_work_free(work);
    arne_work_free(own);
    arne_robot_free(small);
    arne_robot_free(large);
    free(q);
    free(x);
    free(out);
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

// Every struct of options can grow: a caller of a later release is refused where it sets what this
// one does not know, and taken where it does not.
#include "robots.h"
#include "testing.h"
#include <arne/arne.h>
#include <stdlib.h>
#include <string.h>

enum { MORE = 16 };

static arne_error e;

// Options as a later release has them: MORE bytes behind, the last of which is `tail`.
static void *later(size_t size, int tail)
{
    unsigned char *bytes = calloc(1, size + MORE);
    const size_t   all = size + MORE;
    assert_non_null(bytes);
    memcpy(bytes, &all, sizeof all);
    bytes[all - 1] = (unsigned char)tail;
    return bytes;
}

// The call with `o` as its options of this type: refused with a tail, and not for it without.
#define GROWS(type, call)                                                                          \
    for (int tail = 0; tail < 2; tail++) {                                                         \
        type *o = later(sizeof(type), tail);                                                       \
        memset(&e, 0, sizeof e);                                                                   \
        const arne_status said = (call);                                                           \
        const int refused = said == ARNE_UNSUPPORTED && strstr(e.text, "later release") != NULL;   \
        if (refused != tail) fail_msg("%s, with a tail of %d: %s", #call, tail, e.text);           \
        free(o);                                                                                   \
    }

static void options_grow(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("four_bar", NULL), *made = NULL;
    arne_builder    *b = NULL;
    arne_work       *work = NULL;
    arne_loop_work  *loop = NULL;
    arne_assembly    way;
    arne_identify   *identify = NULL;
    arne_design     *design = NULL;
    arne_plan       *plan = NULL;
    arne_generated  *code = NULL;
    arne_integrator *it = NULL;
    arne_scaling    *scaling = NULL;
    arne_system      system = {.robot = robot};
    arne_plan_result result;
    double           q[8] = {0}, modes[80], path[6] = {0, 0, 0, 1, 1, 1};
    int              count, complete;
    assert_ok(arne_builder_new(&b));
    assert_ok(arne_work_new(robot, &work));
    assert_ok(arne_loop_work_new(robot, &loop));
    GROWS(arne_build_options, arne_builder_finish(b, o, &made, &e))
    GROWS(arne_assembly_options, arne_assemble(robot, work, loop, o, q, &way, &e))
    GROWS(arne_assembly_options,
          arne_assembly_modes(robot, work, loop, o, q, 10, modes, &count, &complete, &e))
    GROWS(arne_identify_options,
          (arne_identify_free(identify), arne_identify_new(robot, o, &identify, &e)))
    GROWS(arne_design_options, (arne_design_free(design), arne_design_new(robot, o, &design, &e)))
    GROWS(arne_plan_options, arne_plan_new(robot, o, &plan, &e))
    GROWS(arne_plan_options, arne_plan_new_on_path(robot, o, 2, path, &plan, &e))
    GROWS(arne_generate_options, arne_generate(robot, o, &code, &e))
    GROWS(arne_integrator_options,
          (arne_integrator_free(it), arne_integrator_new(&system, o, &it, &e)))
    GROWS(arne_scaling_options, arne_scaling_new(robot, NULL, o, &scaling, &e))
    GROWS(arne_scaling_options, arne_trajectory_scaled(robot, NULL, o, NULL, &e))
    GROWS(arne_scenario_options, arne_scenario_run(NULL, NULL, o, NULL, &e))
    GROWS(arne_report_options, arne_report_write("no/such/folder", o, &e))
    GROWS(arne_sweep_options, arne_sweep_run(NULL, NULL, o, NULL, &e))
    const arne_plan_options small = {.degree = 3, .control_points = 4, .time = 1};
    assert_ok_or(arne_plan_new(robot, &small, &plan, &e), &e);
    GROWS(arne_solve_options, arne_plan_solve(plan, o, &result, &e))
    // Inverse kinematics has no texts.
    for (int tail = 0; tail < 2; tail++) {
        arne_ik_options  *o = later(sizeof *o, tail);
        const arne_status said = arne_inverse_kinematics(robot, work, NULL, 0, o, q, NULL);
        assert_int_equal(said == ARNE_UNSUPPORTED, tail);
        free(o);
    }
    arne_identify_free(identify);
    arne_design_free(design);
    arne_plan_free(plan);
    arne_generated_free(code);
    arne_integrator_free(it);
    arne_loop_work_free(loop);
    arne_work_free(work);
    arne_builder_free(b);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The catalogue is whole: every row has what it promises, names are one, and shapes are those of
// the robot.
#include "testing.h"

#include <arne/catalogue.h>
#include <string.h>

static void names_are_one(void **unused)
{
    (void)unused;
    for (int i = 0; i < ARNE_ALGORITHM_COUNT; i++) {
        const arne_algorithm_info *a = arne_catalogue_algorithm((arne_algorithm)i);
        assert_int_equal(arne_catalogue_find_algorithm(a->name), i);
        assert_true(strlen(a->identifier) > 0 && strlen(a->text) > 0 && a->output_count > 0);
    }
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        const arne_array_info *q = arne_catalogue_array((arne_array)i);
        assert_int_equal(arne_catalogue_find_array(q->name), i);
        assert_true(strlen(q->text) > 0);
    }
    assert_int_equal(arne_catalogue_find_algorithm("no such"), ARNE_ALGORITHM_COUNT);
    assert_int_equal(arne_catalogue_find_array("no such"), ARNE_ARRAY_COUNT);
    assert_null(arne_catalogue_algorithm(ARNE_ALGORITHM_COUNT));
    assert_null(arne_catalogue_array((arne_array)-1));
    assert_null(arne_catalogue_extent(ARNE_EXTENT_COUNT));
    assert_null(arne_catalogue_takes(-1));
    assert_string_equal(arne_catalogue_takes(0), "frame");
    assert_string_equal(arne_catalogue_has(2), "batch");
}

// What goes in is an input, what comes out an output, and of a batch all of it is batched.
static void rows_agree_with_arrays(void **unused)
{
    (void)unused;
    for (int i = 0; i < ARNE_ALGORITHM_COUNT; i++) {
        const arne_algorithm_info *a = arne_catalogue_algorithm((arne_algorithm)i);
        unsigned                   reads = a->needs | a->may;
        assert_false(a->needs & a->may);
        for (int k = 0; k < a->output_count; k++) {
            const arne_array_info *made = arne_catalogue_array(a->outputs[k].array);
            reads |= a->outputs[k].needs;
            if (a->has & ARNE_HAS_BATCH) assert_true(made->is_output && made->is_batched);
            for (int l = 0; l < k; l++)
                assert_int_not_equal(a->outputs[k].array, a->outputs[l].array);
        }
        for (int k = 0; k < 32; k++)
            if (reads >> k & 1) {
                assert_true(k < ARNE_ARRAY_COUNT);
                assert_true(arne_catalogue_array((arne_array)k)->is_input);
            }
    }
}

static void shapes_are_the_robots(void **unused)
{
    (void)unused;
    EACH_FILE_ROBOT (robot, work) {
        const arne_sizes size = arne_robot_sizes(robot);
        const size_t     n = (size_t)size.v_count;
        assert_int_equal(arne_array_size(robot, ARNE_ARRAY_q), size.q_count);
        assert_int_equal(arne_array_size(robot, ARNE_ARRAY_M), n * n);
        assert_int_equal(arne_array_size(robot, ARNE_ARRAY_d2tau_dq2), n * n);
        assert_int_equal(arne_array_size(robot, ARNE_ARRAY_pose), 12);
        assert_int_equal(arne_array_size(robot, ARNE_ARRAY_J), 6 * n);
        assert_int_equal(arne_array_size(robot, ARNE_ARRAY_f_ext), 6 * (size_t)size.body_count);
        assert_int_equal(arne_array_size(robot, ARNE_ARRAY_joint_wrenches),
                         6 * (size_t)size.joint_count);
        assert_int_equal(arne_array_size(robot, ARNE_ARRAY_mass), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_one),
        cmocka_unit_test(rows_agree_with_arrays),
        cmocka_unit_test(shapes_are_the_robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

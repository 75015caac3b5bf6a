// Robots as bytes: the same robot comes back, and damaged bytes never do.
#include "testing.h"
#include <stdlib.h>

static void same_after_the_way(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work) {
        const size_t size = arne_robot_packed_size(robot);
        char        *bytes = malloc(size), *again = malloc(size);
        arne_robot  *copy = NULL;
        assert_true(bytes && again);
        arne_robot_pack(robot, bytes);
        assert_ok(arne_robot_unpack(bytes, size, &copy, NULL));
        assert_int_equal(arne_robot_packed_size(copy), size);
        arne_robot_pack(copy, again);
        assert_memory_equal(bytes, again, size);
        arne_robot_free(copy);
        free(bytes);
        free(again);
    }
}

static void damage_is_found(void **unused)
{
    (void)unused;
    arne_robot  *robot = read_robot("arm7", NULL), *out = NULL;
    const size_t size = arne_robot_packed_size(robot);
    char        *bytes = malloc(size);
    assert_true(bytes != NULL);
    arne_robot_pack(robot, bytes);
    for (size_t cut = 0; cut < size; cut += 61) {
        assert_int_not_equal(arne_robot_unpack(bytes, cut, &out, NULL), ARNE_OK);
        assert_null(out);
    }
    for (size_t at = 0; at < size; at += 61) {
        bytes[at] = (char)(bytes[at] ^ 4);
        assert_int_not_equal(arne_robot_unpack(bytes, size, &out, NULL), ARNE_OK);
        assert_null(out);
        bytes[at] = (char)(bytes[at] ^ 4);
    }
    assert_int_equal(arne_robot_unpack(NULL, 0, &out, NULL), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_robot_unpack(bytes, size, NULL, NULL), ARNE_NULL_ARGUMENT);
    free(bytes);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_after_the_way),
                                       cmocka_unit_test(damage_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

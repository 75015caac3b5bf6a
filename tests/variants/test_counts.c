// How many operations straight-line code for a robot needs; the table of all robots is printed.
#define ARNE_RECORD
#include "math/real.h"
#include "testing.h"
#include "variant.h"

#include <stdio.h>

static int same_counts(operation_counts a, operation_counts b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static operation_counts counts(int mul, int add, int div, int root, int sincos, int sign)
{
    const operation_counts c = {mul, add, div, root, sincos, sign};
    return c;
}

static void assert_counts(const struct tape *t, real result, operation_counts wanted)
{
    assert_true(same_counts(tape_count(t, &result, 1), wanted));
}

// ---- the arithmetic ----

static void operations_are_counted(void **unused)
{
    struct tape *t = tape_new();
    const real   x = tape_variable(t, 2), y = tape_variable(t, 3), two = r_num(2);
    real         s, c;
    (void)unused;

    assert_counts(t, r_mul(x, y), counts(1, 0, 0, 0, 0, 0));
    assert_counts(t, r_sub(r_add_mul(x, y, two), y), counts(1, 2, 0, 0, 0, 0));
    assert_counts(t, r_div(two, r_sqrt(x)), counts(0, 0, 1, 1, 0, 0));
    assert_counts(t, r_neg(r_sign(x)), counts(0, 0, 0, 0, 0, 1));
    r_sincos_many(1, &x, &s, &c);
    assert_counts(t, s, counts(0, 0, 0, 0, 1, 0));
    assert_counts(t, c, counts(0, 0, 0, 0, 1, 0));
    assert_counts(t, r_mul(s, c), counts(1, 0, 0, 0, 1, 0));
    assert_true(r_sign(r_neg(x)).value == -1 && r_sub_mul(x, y, two).value == -4);
    tape_free(t);
}

static void constants_vanish(void **unused)
{
    struct tape *t = tape_new();
    const real   x = tape_variable(t, 2), zero_now = tape_variable(t, 0);
    const real   o = r_num(0), one = r_num(1), two = r_num(2), four = r_mul(two, two);
    (void)unused;

    assert_true(four.value == 4 && !four.tape);
    assert_true(!r_mul(o, x).tape && !r_div(o, x).tape && !r_sqrt(two).tape);
    assert_true(r_mul(one, x).node == x.node && r_add(x, o).node == x.node);
    assert_true(r_sub(x, o).node == x.node && r_div(x, one).node == x.node);
    assert_counts(t, r_sub(r_mul(x, r_num(-1)), o), counts(0, 0, 0, 0, 0, 0));
    // A variable that is zero at the moment is a variable all the same.
    assert_counts(t, r_mul(zero_now, x), counts(1, 0, 0, 0, 0, 0));
    tape_free(t);
}

static void what_nobody_needs_is_not_counted(void **unused)
{
    struct tape *t = tape_new();
    const real   x = tape_variable(t, 2), y = r_mul(x, x);
    (void)unused;
    (void)r_div(y, x);
    assert_counts(t, r_add(y, x), counts(1, 1, 0, 0, 0, 0));
    tape_free(t);
}

// ---- robots ----

// Counts belong to the robot, not to the state it was asked at.
static void states_do_not_matter(void **unused)
{
    request   all[MAX_REQUESTS];
    const int count = all_requests(all);
    (void)unused;
    EACH_ROBOT_OF (robot, work, 50) {
        const state one = random_state(robot, 1);
        state       other = random_state(robot, 2);
        memset(other.qd, 0, sizeof other.qd);
        memset(other.qdd, 0, sizeof other.qdd);
        for (int i = 0; i < count; i++)
            if (request_applies(&all[i], robot))
                assert_true(same_counts(variant_count(robot, &all[i], &one),
                                        variant_count(robot, &all[i], &other)));
    }
}

#define COUNT_OF(name, algorithm, array)                                                           \
    count_of(name, request_for(ARNE_ALGORITHM_##algorithm, ARNE_ARRAY_##array))

static operation_counts count_of(const char *name, request ask)
{
    arne_robot            *robot = read_robot(name, NULL);
    const state            s = random_state(robot, 1);
    const operation_counts c = variant_count(robot, &ask, &s);
    arne_robot_free(robot);
    return c;
}

// Numbers that follow from the mechanism alone.
static void counts_make_sense(void **unused)
{
    (void)unused;
    // How the arm as a whole is turned in its plane changes nothing.
    assert_int_equal(COUNT_OF("planar_2r", INVERSE_DYNAMICS, tau).sincos, 1);
    assert_int_equal(COUNT_OF("planar_2r", POSE, pose).sincos, 2);
    assert_int_equal(COUNT_OF("gantry", POSE, pose).sincos, 3); // three joints slide
    // There is no gravity in its file.
    assert_true(same_counts(COUNT_OF("planar_2r", GRAVITY, tau), counts(0, 0, 0, 0, 0, 0)));
    // One for each joint but the last, which carries a body that does not change.
    assert_int_equal(COUNT_OF("arm6", FORWARD_DYNAMICS, qdd).div, 5);
    assert_int_equal(COUNT_OF("arm7", FORWARD_DYNAMICS, qdd).div, 6);

    const request gravity = request_for(ARNE_ALGORITHM_GRAVITY, ARNE_ARRAY_tau),
                  bias = request_for(ARNE_ALGORITHM_BIAS, ARNE_ARRAY_tau),
                  plain = request_for(ARNE_ALGORITHM_INVERSE_DYNAMICS, ARNE_ARRAY_tau);
    request loaded = plain;
    loaded.loaded = 1;
    EACH_FILE_ROBOT (robot, work) {
        const state            s = random_state(robot, 1);
        const operation_counts g = variant_count(robot, &gravity, &s),
                               b = variant_count(robot, &bias, &s),
                               i = variant_count(robot, &plain, &s),
                               f = variant_count(robot, &loaded, &s);
        assert_true(g.mul <= b.mul && b.mul <= i.mul && i.mul <= f.mul);
        assert_true(g.add <= b.add && b.add <= i.add && i.add <= f.add);
        assert_true(i.div == 0 && i.sqrt == 0 && i.sincos <= s.size.q_count);
    }
}

static void print_table(void **unused)
{
    request   all[MAX_REQUESTS];
    const int count = all_requests(all);
    (void)unused;
    print_message("%-14s %-44s %7s %7s %5s %5s %7s %5s\n", "robot", "algorithm", "mul", "add",
                  "div", "sqrt", "sincos", "sign");
    EACH_FILE_ROBOT (robot, work) {
        const state s = random_state(robot, 1);
        for (int i = 0; i < count; i++) {
            if (!request_applies(&all[i], robot)) continue;
            const operation_counts c = variant_count(robot, &all[i], &s);
            print_message("%-14s %-44s %7d %7d %5d %5d %7d %5d\n", arne_robot_name(robot),
                          request_name(&all[i]), c.mul, c.add, c.div, c.sqrt, c.sincos, c.sign);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_counted),
        cmocka_unit_test(constants_vanish),
        cmocka_unit_test(what_nobody_needs_is_not_counted),
        cmocka_unit_test(states_do_not_matter),
        cmocka_unit_test(counts_make_sense),
        cmocka_unit_test(print_table),
    };
    return cmocka_run_group_tests_name("operation counts", tests, NULL, NULL);
}

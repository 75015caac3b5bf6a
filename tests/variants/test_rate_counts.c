// What the torques of a chain and their rates cost, in operations of straight-line code.
//
// The chain is a general one of revolute joints, by modified Denavit-Hartenberg parameters without
// a special angle, with full inertias, on a base at rest with gravity along z. Guarino Lo Bianco
// 2009 counts 309 N - 162 multiplications and 268 N - 138 additions for torques and rates of N
// joints.
#include "testing.h"
#include "variant.h"

#include <stdio.h>

enum { LONGEST = 10 };

static void add_link(arne_builder *builder, int index, rng *r)
{
    arne_body_spec body = arne_body_spec_default();
    char           link[16], parent[16], name[16];
    snprintf(link, sizeof link, "link%d", index);
    snprintf(parent, sizeof parent, "link%d", index - 1);
    snprintf(name, sizeof name, "joint%d", index);
    body.name = link;
    random_inertia(r, &body);
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    if (index == 0) return;

    arne_joint_spec joint = arne_joint_spec_default();
    joint.name = name;
    joint.parent = parent;
    joint.child = link;
    joint.kind = ARNE_JOINT_REVOLUTE;
    arne_dh_modified(&joint, 0, 0, rng_uniform(r, 0.4, 1.1), rng_uniform(r, 0.1, 0.5), 0,
                     rng_uniform(r, 0.1, 0.5));
    assert_ok(arne_builder_add_joint(builder, &joint, NULL));
}

static operation_counts count_of_chain(int joints, const request *ask)
{
    arne_builder *builder = NULL;
    rng           r = rng_seed((uint64_t)joints);
    assert_ok(arne_builder_new(&builder));
    for (int i = 0; i <= joints; i++)
        add_link(builder, i, &r);
    arne_robot            *robot = finish(builder, NULL);
    const state            s = random_state(robot, 1);
    const operation_counts c = variant_count(robot, ask, &s);
    arne_robot_free(robot);
    arne_builder_free(builder);
    return c;
}

// The counts grow by the same number with every joint from the third on: a N - b.
static void print_line(const char *what, const request *ask)
{
    const operation_counts c = count_of_chain(LONGEST - 1, ask), d = count_of_chain(LONGEST, ask);
    const int              mul = d.mul - c.mul, add = d.add - c.add;
    print_message("%-12s %d N - %d multiplications, %d N - %d additions\n", what, mul,
                  LONGEST * mul - d.mul, add, LONGEST * add - d.add);
    for (int n = 3; n <= LONGEST; n++) {
        const operation_counts e = count_of_chain(n, ask);
        assert_int_equal(e.mul, d.mul - (LONGEST - n) * mul);
        assert_int_equal(e.add, d.add - (LONGEST - n) * add);
    }
}

static void rates_cost_at_most_what_the_paper_says(void **unused)
{
    const request torque = request_for(ARNE_ALGORITHM_INVERSE_DYNAMICS, ARNE_ARRAY_tau),
                  rate = request_for(ARNE_ALGORITHM_TORQUE_RATE, ARNE_ARRAY_COUNT);
    (void)unused;
    print_line("torque", &torque);
    print_line("torque, rate", &rate);
    for (int n = 2; n <= LONGEST; n++) {
        const operation_counts c = count_of_chain(n, &rate);
        print_message("%2d joints: %4d multiplications, %4d additions\n", n, c.mul, c.add);
        assert_true(c.mul <= 309 * n - 162);
        assert_true(c.add <= 268 * n - 138);
        assert_true(c.div == 0 && c.sqrt == 0 && c.sincos <= n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates_cost_at_most_what_the_paper_says)};
    return cmocka_run_group_tests_name("operations of torque rates", tests, NULL, NULL);
}

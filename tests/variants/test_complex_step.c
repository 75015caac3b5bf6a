// The complex step against laws that derivatives obey, and against differences of plain doubles.
#include "testing.h"
#include "variant.h"
#include <arne/integrate.h>

#include <stdio.h>
#include <stdlib.h>

enum { TREES = TEST_PART > 1 ? 10 : 50, TREES_OF_DIFFERENCES = TEST_PART > 1 ? 3 : 15 };

static double *numbers(int count)
{
    double *x = malloc(sizeof *x * (size_t)(count + 1));
    assert_non_null(x);
    return x;
}

// d out_i / d input_k as an entry of row i, for all coordinates of an input.
static double *derivative(const state *s, const request *ask, variant_input input)
{
    const int rows = request_outputs(ask, s->robot);
    const int columns = variant_input_count(s->robot, input);
    double   *D = numbers(rows * columns), *column = numbers(rows);
    for (int k = 0; k < columns; k++) {
        variant_complex_step(s->robot, ask, s, input, k, column);
        for (int i = 0; i < rows; i++)
            D[i * columns + k] = column[i];
    }
    free(column);
    return D;
}

static double *value(const state *s, const request *ask)
{
    double *out = numbers(request_outputs(ask, s->robot));
    variant_double.run(s->robot, ask, s, out);
    return out;
}

// The derivative of an algorithm's output is that of another.
static void assert_derivative(const state *s, request of, variant_input input, request wanted)
{
    double   *D = derivative(s, &of, input), *W = value(s, &wanted);
    const int count = request_outputs(&wanted, s->robot);
    if (request_is_direct(&wanted)) {
        const request mass = request_for(ARNE_ALGORITHM_MASS_MATRIX, ARNE_ARRAY_M);
        double       *M = value(s, &mass);
        assert_direct_close(s, request_name(&wanted), D, W, count, 1e-11, M);
        free(M);
    } else
        assert_close(s, request_name(&wanted), D, W, count, 1e-11);
    free(D);
    free(W);
}

#define MADE(algorithm, array) request_for(ARNE_ALGORITHM_##algorithm, ARNE_ARRAY_##array)

// Two states of every robot.
static void on_every_robot(void (*law)(const state *s))
{
    EACH_ROBOT_OF (robot, work, TREES)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            const state s = random_state(robot, seed);
            law(&s);
        }
}

static void mass_law(const state *s)
{
    assert_derivative(s, MADE(INVERSE_DYNAMICS, tau), INPUT_QDD, MADE(MASS_MATRIX, M));
    assert_derivative(s, MADE(FORWARD_DYNAMICS, qdd), INPUT_TAU, MADE(INVERSE_MASS_MATRIX, Minv));
}

// Also along ball, free and planar joints, so a step in q is along the velocity coordinates.
static void weight_law(const state *s)
{
    assert_derivative(s, MADE(ENERGY, potential), INPUT_Q, MADE(GRAVITY, tau));
}

static void centre_law(const state *s)
{
    assert_derivative(s, MADE(CENTER_OF_MASS, com), INPUT_Q, MADE(COM_JACOBIAN, com_jacobian));
    assert_derivative(s, MADE(CENTER_OF_MASS, com_velocity), INPUT_QD,
                      MADE(COM_JACOBIAN, com_jacobian));
    assert_derivative(s, MADE(MOMENTUM, momentum), INPUT_QD, MADE(CENTROIDAL_MATRIX, A));
}

static void torque_over_acceleration_is_mass(void **unused)
{
    (void)unused;
    on_every_robot(mass_law);
}

static void potential_over_position_is_weight(void **unused)
{
    (void)unused;
    on_every_robot(weight_law);
}

static void centre_over_position_is_its_jacobian(void **unused)
{
    (void)unused;
    on_every_robot(centre_law);
}

// The state a small step further along one coordinate of an input.
static state stepped(const state *s, variant_input input, int k, double h)
{
    state  t = *s;
    double along[MAX_V] = {0};
    if (input == INPUT_Q) {
        along[k] = h;
        arne_integrate(s->robot, s->q, along, t.q);
    }
    if (input == INPUT_QD) t.qd[k] += h;
    if (input == INPUT_QDD) t.qdd[k] += h;
    if (input == INPUT_TAU) t.tau[k] += h;
    if (input == INPUT_F_EXT) {
        arne_wrench *f = &t.f_ext[k / 6];
        double      *part[6] = {&f->lin.x, &f->lin.y, &f->lin.z, &f->ang.x, &f->ang.y, &f->ang.z};
        *part[k % 6] += h;
    }
    return t;
}

static void compare_differences(const state *s, const request *ask, variant_input input, int k)
{
    const double h = 1e-5;
    const state  ahead = stepped(s, input, k, h), behind = stepped(s, input, k, -h);
    const int    count = request_outputs(ask, s->robot);
    double      *high = value(&ahead, ask), *low = value(&behind, ask), *here = value(s, ask);
    double      *exact = numbers(count), size = 1;
    char         what[160];

    variant_complex_step(s->robot, ask, s, input, k, exact);
    for (int i = 0; i < count; i++) {
        high[i] = (high[i] - low[i]) / (2 * h);
        size = fmax(size, fabs(here[i]));
    }
    for (int i = 0; i < count;
         i++) { // differences lose digits of the outputs, not of the derivative
        high[i] /= size;
        exact[i] /= size;
    }
    snprintf(what, sizeof what, "%s, input %d, coordinate %d", request_name(ask), (int)input, k);
    assert_close(s, what, exact, high, count, 1e-6);
    free(high);
    free(low);
    free(here);
    free(exact);
}

static void differences_agree(void **unused)
{
    request   all[MAX_REQUESTS];
    const int count = all_requests(all);
    (void)unused;
    for (int tree = 0; tree < TREES_OF_DIFFERENCES; tree++) {
        const uint64_t           seed = (uint64_t)tree;
        const arne_build_options options = {.base = random_tree_base(seed)};
        arne_builder            *builder = random_tree(seed);
        arne_robot              *robot = finish(builder, &options);
        const state              s = random_state(robot, 1);
        for (int i = 0; i < count; i++)
            for (int input = 0; request_applies(&all[i], robot) && input < INPUT_COUNT; input++)
                for (int k = 0; k < variant_input_count(robot, (variant_input)input); k++)
                    compare_differences(&s, &all[i], (variant_input)input, k);
        arne_robot_free(robot);
        arne_builder_free(builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torque_over_acceleration_is_mass),
        cmocka_unit_test(potential_over_position_is_weight),
        cmocka_unit_test(centre_over_position_is_its_jacobian),
        cmocka_unit_test(differences_agree),
    };
    return cmocka_run_group_tests_name("complex step", tests, NULL, NULL);
}

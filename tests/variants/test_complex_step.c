// The complex step against laws that derivatives obey, and against differences of plain doubles.
#include "testing.h"
#include "variant.h"
#include <arne/integrate.h>

#include <stdio.h>
#include <stdlib.h>

enum { TREES = 50, TREES_OF_DIFFERENCES = 15 };

static double *numbers(int count)
{
    double *x = malloc(sizeof *x * (size_t)(count + 1));
    assert_non_null(x);
    return x;
}

// d out_i / d input_k as an entry of row i, for all coordinates of an input.
static double *derivative(const state *s, algorithm a, variant_input input)
{
    const int rows = algorithm_outputs(s->robot, a);
    const int columns = variant_input_count(s->robot, input);
    double   *D = numbers(rows * columns), *column = numbers(rows);
    for (int k = 0; k < columns; k++) {
        variant_complex_step(s->robot, a, s, input, k, column);
        for (int i = 0; i < rows; i++)
            D[i * columns + k] = column[i];
    }
    free(column);
    return D;
}

static double *value(const state *s, algorithm a)
{
    double *out = numbers(algorithm_outputs(s->robot, a));
    variant_double.run(s->robot, a, s, out);
    return out;
}

// The derivative of an algorithm is another algorithm.
static void assert_derivative(const state *s, algorithm a, variant_input input, algorithm wanted)
{
    double   *D = derivative(s, a, input), *W = value(s, wanted);
    const int count = algorithm_outputs(s->robot, wanted);
    if (algorithm_is_direct(wanted)) {
        double *M = value(s, ALGORITHM_mass_matrix);
        assert_direct_close(s, algorithm_name(wanted), D, W, count, 1e-11, M);
        free(M);
    } else
        assert_close(s, algorithm_name(wanted), D, W, count, 1e-11);
    free(D);
    free(W);
}

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
    assert_derivative(s, ALGORITHM_inverse_dynamics, INPUT_QDD, ALGORITHM_mass_matrix);
    assert_derivative(s, ALGORITHM_forward_dynamics, INPUT_TAU, ALGORITHM_inverse_mass_matrix);
}

// Also along ball, free and planar joints, so a step in q is along the velocity coordinates.
static void weight_law(const state *s)
{
    assert_derivative(s, ALGORITHM_potential_energy, INPUT_Q, ALGORITHM_gravity);
}

static void centre_law(const state *s)
{
    assert_derivative(s, ALGORITHM_center_of_mass, INPUT_Q, ALGORITHM_com_jacobian);
    assert_derivative(s, ALGORITHM_com_velocity, INPUT_QD, ALGORITHM_com_jacobian);
    assert_derivative(s, ALGORITHM_momentum, INPUT_QD, ALGORITHM_centroidal_matrix);
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

static void compare_differences(const state *s, algorithm a, variant_input input, int k)
{
    const double h = 1e-5;
    const state  ahead = stepped(s, input, k, h), behind = stepped(s, input, k, -h);
    const int    count = algorithm_outputs(s->robot, a);
    double      *high = value(&ahead, a), *low = value(&behind, a), *here = value(s, a);
    double      *exact = numbers(count), size = 1;
    char         what[64];

    variant_complex_step(s->robot, a, s, input, k, exact);
    for (int i = 0; i < count; i++) {
        high[i] = (high[i] - low[i]) / (2 * h);
        size = fmax(size, fabs(here[i]));
    }
    for (int i = 0; i < count;
         i++) { // differences lose digits of the outputs, not of the derivative
        high[i] /= size;
        exact[i] /= size;
    }
    snprintf(what, sizeof what, "%s, input %d, coordinate %d", algorithm_name(a), (int)input, k);
    assert_close(s, what, exact, high, count, 1e-6);
    free(high);
    free(low);
    free(here);
    free(exact);
}

static void differences_agree(void **unused)
{
    (void)unused;
    for (int tree = 0; tree < TREES_OF_DIFFERENCES; tree++) {
        const uint64_t           seed = (uint64_t)tree;
        const arne_build_options options = {.base = random_tree_base(seed)};
        arne_builder            *builder = random_tree(seed);
        arne_robot              *robot = finish(builder, &options);
        const state              s = random_state(robot, 1);
        for (int a = 0; a < ALGORITHM_COUNT; a++)
            for (int input = 0; input < INPUT_COUNT; input++)
                for (int k = 0; k < variant_input_count(robot, (variant_input)input); k++)
                    compare_differences(&s, (algorithm)a, (variant_input)input, k);
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

// Parallel modules in series: by module, and by the general form of loops.
#define _POSIX_C_SOURCE 200809L
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static arne_robot *stack_of(int modules)
{
    char          text[3000];
    arne_builder *builder;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    snprintf(
        text, sizeof text,
        "parallel:\n  modules: %d\n"
        "  platform: {mass: 3, com: [0.01, -0.02, 0.03], inertia: [0.05, 0.06, 0.08], home: {xyz: "
        "[0, 0, 0.5]}}\n"
        "  base_points:     [[0.30, -0.05, 0.02], [0.30, 0.05, 0.02], [-0.1, 0.28, 0.02], [-0.2, "
        "0.23, 0.02], [-0.2, -0.23, 0.02], [-0.1, -0.28, 0.02]]\n"
        "  platform_points: [[0.15, -0.2, -0.02], [0.15, 0.2, -0.02], [0.1, 0.23, -0.02], [-0.25, "
        "0.04, -0.02], [-0.25, -0.04, -0.02], [0.1, -0.23, -0.02]]\n"
        "  legs:\n    kind: UPS\n    joints:\n"
        "      - {name: turn, mass: 0.05, inertia: [1e-4, 1e-4, 1e-4]}\n"
        "      - {name: tilt, mass: 0.5, com: [0.01, 0, 0.12], inertia: [0.004, 0.004, 0.0002]}\n"
        "      - {name: slide, mass: 0.3, com: [0, 0.01, -0.1], inertia: [0.002, 0.002, 0.0001], "
        "friction: {viscous: 2}}\n",
        modules);
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    arne_status status = arne_read_yaml(builder, text, strlen(text), "stack.yaml", &error);
    if (!status) status = arne_builder_finish(builder, NULL, &robot, &error);
    arne_builder_free(builder);
    if (!robot) fail_msg("%s", error.text);
    return robot;
}

typedef struct subject {
    arne_robot     *robot;
    arne_modules   *modules;
    arne_work      *work;
    arne_loop_work *loop;
    arne_sizes      size;
    double         *q, *qd, *qdd, *tau, *other;
} subject;

static double *numbers(int count) { return calloc((size_t)count + 1, sizeof(double)); }

// A closed configuration away from home, and a motion that the loops allow.
static subject make(int count)
{
    subject    s = {.robot = stack_of(count)};
    arne_error error = {0};
    s.size = arne_robot_sizes(s.robot);
    if (arne_modules_new(s.robot, &s.modules, &error)) fail_msg("%s", error.text);
    assert_int_equal(arne_modules_count(s.modules), count);
    assert_int_equal(arne_work_new(s.robot, &s.work), ARNE_OK);
    assert_int_equal(arne_loop_work_new(s.robot, &s.loop), ARNE_OK);
    s.q = numbers(s.size.q_count);
    s.qd = numbers(s.size.v_count);
    s.qdd = numbers(s.size.v_count);
    s.tau = numbers(s.size.v_count);
    s.other = numbers(s.size.v_count);
    arne_start_configuration(s.robot, s.q);
    rng r = rng_seed(7);
    for (int i = 0; i < s.size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(s.robot, i);
        if (strstr(j.name, "slide")) s.q[j.q_start] += rng_uniform(&r, -0.01, 0.01);
    }
    if (arne_assemble(s.robot, s.work, s.loop, NULL, s.q, NULL, &error)) fail_msg("%s", error.text);
    for (int i = 0; i < s.size.v_count; i++) {
        s.qd[i] = rng_uniform(&r, -1, 1);
        s.qdd[i] = rng_uniform(&r, -1, 1);
    }
    if (arne_modules_complete(s.modules, s.q, s.qd, s.qdd, &error)) fail_msg("%s", error.text);
    return s;
}

static void drop(subject *s)
{
    arne_modules_free(s->modules);
    arne_loop_work_free(s->loop);
    arne_work_free(s->work);
    arne_robot_free(s->robot);
    free(s->q);
    free(s->qd);
    free(s->qdd);
    free(s->tau);
    free(s->other);
}

static void assert_equal_to(const double *a, const double *b, int count, double within)
{
    double size = 1;
    for (int i = 0; i < count; i++)
        size = fmax(size, fabs(b[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= within * size))
            fail_msg("%d: %.15g, wanted %.15g", i, a[i], b[i]);
}

static void modules_agree_with_loops(void **unused)
{
    (void)unused;
    for (int count = 1; count <= 4; count++) {
        subject    s = make(count);
        arne_error error = {0};
        const int  nv = s.size.v_count;
        if (arne_modules_inverse_dynamics(s.modules, s.q, s.qd, s.qdd, s.tau, &error))
            fail_msg("%s", error.text);
        if (arne_loop_inverse_dynamics(s.robot, s.work, s.loop, s.q, s.qd, s.qdd, NULL, NULL,
                                       s.other, &error))
            fail_msg("%s", error.text);
        assert_equal_to(s.tau, s.other, nv, 1e-9);
        if (arne_modules_forward_dynamics(s.modules, s.q, s.qd, s.tau, s.other, &error))
            fail_msg("%s", error.text);
        assert_equal_to(s.other, s.qdd, nv, 1e-8);
        for (int i = 0; i < nv; i++) // other torques
            s.tau[i] *= 1.1;
        if (arne_loop_forward_dynamics(s.robot, s.work, s.loop, s.q, s.qd, s.tau, NULL, NULL, s.qdd,
                                       &error))
            fail_msg("%s", error.text);
        if (arne_modules_forward_dynamics(s.modules, s.q, s.qd, s.tau, s.other, &error))
            fail_msg("%s", error.text);
        assert_equal_to(s.other, s.qdd, nv, 1e-7);
        drop(&s);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Twice as many modules take about twice the time: the best of several runs, with a wide margin.
static void cost_is_linear(void **unused)
{
    double took[2][2] = {{INFINITY, INFINITY}, {INFINITY, INFINITY}};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        subject s = make(k ? 8 : 2);
        for (int again = 0; again < 20; again++) {
            const double start = seconds();
            assert_int_equal(
                arne_modules_inverse_dynamics(s.modules, s.q, s.qd, s.qdd, s.tau, NULL), ARNE_OK);
            const double middle = seconds();
            assert_int_equal(
                arne_modules_forward_dynamics(s.modules, s.q, s.qd, s.tau, s.other, NULL), ARNE_OK);
            took[k][0] = fmin(took[k][0], middle - start);
            took[k][1] = fmin(took[k][1], seconds() - middle);
        }
        drop(&s);
    }
    for (int i = 0; i < 2; i++) {
        print_message("8 modules take %.2f times as long as 2: %.1f us\n", took[1][i] / took[0][i],
                      1e6 * took[1][i]);
        assert_true(took[1][i] < 10 * took[0][i]); // linear: 4, squares: 16
    }
}

static void others_are_refused(void **unused)
{
    arne_robot   *robot = NULL;
    arne_modules *modules = NULL;
    arne_error    error = {0};
    (void)unused;
    assert_int_equal(arne_robot_read(ARNE_ROBOTS_DIR "/four_bar.yaml", NULL, &robot, NULL),
                     ARNE_OK);
    assert_int_equal(arne_modules_new(robot, &modules, &error), ARNE_MODEL);
    assert_null(modules);
    arne_robot_free(robot);
    assert_int_equal(arne_robot_read(ARNE_ROBOTS_DIR "/gough_stewart.yaml", NULL, &robot, NULL),
                     ARNE_OK);
    assert_int_equal(arne_modules_new(robot, &modules, &error), ARNE_OK);
    assert_int_equal(arne_modules_count(modules), 1);
    arne_modules_free(modules);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_agree_with_loops),
        cmocka_unit_test(cost_is_linear),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

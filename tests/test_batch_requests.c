// Requests to arne_batch that cannot be met: refused before anything is written, and by name.
#include "testing.h"

#include "many.h"

static void second_derivatives_refuse_ball_joints(void **unused)
{
    arne_robot              *robot = read_robot("quadruped", NULL);
    arne_batch              *batch = new_batch(robot, 1, 1);
    problem                  p = new_problem(robot, 3, 3);
    const arne_batch_outputs o = outputs_of(&p, ARNE_ALGORITHM_SECOND_DERIVATIVES);
    arne_error               error = {0};
    (void)unused;
    assert_status(arne_batch_run(batch, ARNE_ALGORITHM_SECOND_DERIVATIVES, &p.in, &o, 3, &error),
                  ARNE_UNSUPPORTED);
    assert_int_not_equal(error.text[0], 0);
    free_problem(&p);
    arne_batch_free(batch);
    arne_robot_free(robot);
}

typedef struct desk {
    arne_batch        *batch;
    arne_batch_inputs  in;
    arne_batch_outputs out;
    size_t             count;
} desk;

static void refuse(const desk *d, arne_algorithm a, arne_status wanted, const char *text)
{
    arne_error        error = {0};
    const arne_status status = arne_batch_run(d->batch, a, &d->in, &d->out, d->count, &error);
    if (status != wanted || error.code != wanted || !strstr(error.text, text))
        fail_msg("wanted %s with '%s', got %s with '%s'", arne_status_text(wanted), text,
                 arne_status_text(status), error.text);
    assert_status(arne_batch_run(d->batch, a, &d->in, &d->out, d->count, NULL), wanted);
}

static void bad_requests_are_refused(void **unused)
{
    const arne_algorithm id = ARNE_ALGORITHM_INVERSE_DYNAMICS;
    arne_robot          *robot = read_robot("arm6", NULL);
    problem              p = new_problem(robot, 8, 8);
    const arne_load      lost = {.frame = p.size.frame_count};
    desk                 good = {new_batch(robot, 1, 1), p.in, {.tau = p.out.tau}, 8}, d;
    (void)unused;

#define TRY(change, algorithm, status, text)                                                       \
    d = good;                                                                                      \
    change;                                                                                        \
    refuse(&d, algorithm, status, text)
    TRY(d.count = 0, id, ARNE_VALUE, "count is 0");
    TRY(d.in.stride = 7, id, ARNE_VALUE, "stride 7");
    TRY(d.count = d.in.stride = SIZE_MAX / 2, id, ARNE_TOO_LARGE, "q");
    TRY(d.in.qdd = NULL, id, ARNE_NULL_ARGUMENT, "qdd");
    TRY(d.out.tau = NULL, id, ARNE_NULL_ARGUMENT, "all outputs");
    TRY(d.out.qdd = p.out.qdd, id, ARNE_VALUE, "qdd");
    TRY(d.in.q = (const double *)(const void *)((const char *)p.in.q + 4), id, ARNE_VALUE,
        "q is not aligned");
    TRY(d.out.tau = (double *)(void *)((char *)p.out.tau + 1), id, ARNE_VALUE,
        "tau is not aligned");
    TRY(d.out.tau = (double *)(uintptr_t)p.in.qd, id, ARNE_VALUE, "tau overlaps qd");
    TRY(d.out.tau = p.memory_in + 1, id, ARNE_VALUE, "tau overlaps q");
    TRY(d.out.joint_wrenches = p.out.tau + 47, id, ARNE_VALUE, "joint_wrenches overlaps tau");
    TRY(d.in.frame = p.size.frame_count; d.out = outputs_of(&p, ARNE_ALGORITHM_ACCELERATION),
                                         ARNE_ALGORITHM_ACCELERATION, ARNE_VALUE, "no frame");
    TRY(d.in.frame = -1; d.out = outputs_of(&p, ARNE_ALGORITHM_JACOBIAN), ARNE_ALGORITHM_JACOBIAN,
                         ARNE_VALUE, "no frame -1");
    TRY(d.in.joint = -1; d.out = outputs_of(&p, ARNE_ALGORITHM_WRENCH_DERIVATIVES),
                         ARNE_ALGORITHM_WRENCH_DERIVATIVES, ARNE_VALUE, "no joint -1");
    TRY(d.in.axes = ARNE_AXES_WORLD;
        d.out = outputs_of(&p, ARNE_ALGORITHM_FRAME_MOTION_DERIVATIVES),
        ARNE_ALGORITHM_FRAME_MOTION_DERIVATIVES, ARNE_VALUE, "axes");
    TRY(d.in.load_count = -1, ARNE_ALGORITHM_TORQUE_RATE, ARNE_VALUE, "load_count");
    TRY(d.in.loads = NULL, ARNE_ALGORITHM_TORQUE_RATE, ARNE_NULL_ARGUMENT, "loads");
    TRY(d.in.loads = &lost, ARNE_ALGORITHM_TORQUE_RATE, ARNE_VALUE, "load 0");
    TRY(, ARNE_ALGORITHM_COUNT, ARNE_VALUE, "no algorithm");
    TRY(, ARNE_ALGORITHM_INVERSE_KINEMATICS, ARNE_UNSUPPORTED, "no batch form");
    TRY(d.batch = NULL, id, ARNE_NULL_ARGUMENT, "batch");
#undef TRY
    assert_status(arne_batch_run(good.batch, id, NULL, &good.out, 8, NULL), ARNE_NULL_ARGUMENT);
    assert_status(arne_batch_run(good.batch, id, &good.in, NULL, 8, NULL), ARNE_NULL_ARGUMENT);
    assert_ok(arne_batch_run(good.batch, id, &good.in, &good.out, 8, NULL)); // nothing stuck
    arne_batch_free(good.batch);
    free_problem(&p);
    arne_robot_free(robot);
}

static void bad_options_are_refused(void **unused)
{
    arne_robot              *robot = read_robot("arm6", NULL);
    arne_batch              *batch = (arne_batch *)(void *)robot;
    const arne_batch_options odd = {.width = 3, .threads = 1}, crowd = {.threads = 1000000},
                             negative = {.threads = -1};
    arne_error error = {0};
    (void)unused;
    assert_status(arne_batch_new(robot, &odd, &batch, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "3"));
    assert_null(batch);
    assert_status(arne_batch_new(robot, &crowd, &batch, &error), ARNE_VALUE);
    assert_status(arne_batch_new(robot, &negative, &batch, &error), ARNE_VALUE);
    assert_status(arne_batch_new(NULL, NULL, &batch, &error), ARNE_NULL_ARGUMENT);
    assert_status(arne_batch_new(robot, NULL, NULL, &error), ARNE_NULL_ARGUMENT);
    assert_ok(arne_batch_new(robot, NULL, &batch, &error));
    assert_true(arne_batch_threads(batch) >= 1 && arne_batch_has_width(arne_batch_width(batch)));
    arne_batch_free(batch);
    arne_batch_free(NULL);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_derivatives_refuse_ball_joints),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests_name("batch requests", tests, NULL, NULL);
}

// The GPU without one: the status on machines that have none, and requests that cannot be met.
#include "testing.h"

#include "gpu/gpu_job.h"
#include "many.h"
#include <stdlib.h>

// ---- status ----

static void status_is_clear_without_a_device(void **unused)
{
    arne_robot       *robot = read_robot("arm6", NULL);
    arne_error        error = {0};
    arne_gpu         *gpu = NULL;
    const arne_status status = arne_gpu_available(&error);
    (void)unused;
    const arne_gpu_options options = {.precision = ARNE_PRECISION_FLOAT, .cache = ""};
    assert_status(arne_gpu_new(robot, &options, &gpu, NULL), status);
    if (status == ARNE_OK) {
        assert_non_null(gpu);
    } else {
        assert_status(status, ARNE_UNSUPPORTED);
        assert_int_equal(error.code, ARNE_UNSUPPORTED);
        assert_non_null(strstr(error.text, "CUDA"));
        assert_null(gpu);
        assert_status(arne_gpu_available(NULL), ARNE_UNSUPPORTED);
    }
    arne_gpu_free(gpu);
    arne_gpu_free(NULL);
    arne_robot_free(robot);
}

static void bad_arguments_are_refused(void **unused)
{
    arne_robot            *robot = read_robot("arm6", NULL);
    const arne_gpu_inputs  in = {0};
    const arne_gpu_outputs out = {0};
    arne_error             error = {0};
    arne_gpu              *gpu = (arne_gpu *)(void *)robot;
    (void)unused;
    arne_gpu_options options = {.precision = ARNE_PRECISION_FLOAT};
    assert_status(arne_gpu_new(NULL, &options, &gpu, &error), ARNE_NULL_ARGUMENT);
    assert_null(gpu);
    assert_status(arne_gpu_new(robot, &options, NULL, &error), ARNE_NULL_ARGUMENT);
    options.precision = (arne_precision)7;
    assert_status(arne_gpu_new(robot, &options, &gpu, &error), ARNE_VALUE);
    assert_status(arne_gpu_prepare(NULL, ARNE_ALGORITHM_POSE, &in, &out, NULL, &error),
                  ARNE_NULL_ARGUMENT);
    assert_status(arne_gpu_copy(NULL, gpu, robot, 1, &error), ARNE_NULL_ARGUMENT);
    assert_status(arne_gpu_run(NULL, ARNE_ALGORITHM_POSE, &in, &out, 1, NULL, &error),
                  ARNE_NULL_ARGUMENT);
    assert_non_null(strstr(error.text, "gpu"));
    arne_robot_free(robot);
}

// ---- requests ----

enum { COUNT = 6, MOST_ROWS = 6 * 6 };

typedef struct desk {
    arne_gpu_inputs  in;
    arne_gpu_outputs out;
    arne_algorithm   algorithm;
    size_t           count;
} desk;

static void refuse(const arne_robot *robot, const desk *d, arne_status wanted, const char *text)
{
    arne_error        error = {0};
    gpu_job           job;
    const arne_status status = gpu_job_make(robot, ARNE_PRECISION_DOUBLE, d->algorithm, &d->in,
                                            &d->out, d->count, &job, &error);
    if (status != wanted || !strstr(error.text, text))
        fail_msg("wanted %s with '%s', got %s with '%s'", arne_status_text(wanted), text,
                 arne_status_text(status), error.text);
}

static void bad_requests_are_refused(void **unused)
{
    arne_robot *robot = read_robot("arm6", NULL);
    double     *x = zeroed(8 * COUNT * MOST_ROWS, sizeof *x);
    (void)unused;
    double    *part[8];
    gpu_job    job;
    desk       good, d;
    arne_error error = {0};
    for (int i = 0; i < 8; i++)
        part[i] = x + i * COUNT * MOST_ROWS;
    good = (desk){.in = {.q = part[0], .qd = part[1], .qdd = part[2]},
                  .out = {.tau = part[3]},
                  .algorithm = ARNE_ALGORITHM_INVERSE_DYNAMICS,
                  .count = COUNT};
    assert_status(gpu_job_make(robot, ARNE_PRECISION_DOUBLE, good.algorithm, &good.in, &good.out,
                               COUNT, &job, &error),
                  ARNE_OK);
#define TRY(change, status, text)                                                                  \
    d = good;                                                                                      \
    change;                                                                                        \
    refuse(robot, &d, status, text)
    TRY(d.count = 0, ARNE_VALUE, "count is 0");
    TRY(d.count = SIZE_MAX / 16, ARNE_VALUE, "too many");
    TRY(d.algorithm = ARNE_ALGORITHM_COUNT, ARNE_VALUE, "algorithm");
    TRY(d.algorithm = ARNE_ALGORITHM_HYBRID_DYNAMICS, ARNE_UNSUPPORTED, "hybrid-dynamics");
    TRY(d.in.every_step = 1u << ARNE_INPUT_q, ARNE_VALUE, "every_step");
    TRY(d.in.qdd = NULL, ARNE_NULL_ARGUMENT, "qdd");
    TRY(d.out.tau = NULL, ARNE_NULL_ARGUMENT, "all outputs");
    TRY(d.out.pose = part[4], ARNE_VALUE, "pose is not made");
    TRY(d.in.q = (const char *)part[0] + 4, ARNE_VALUE, "q is not aligned");
    TRY(d.out.tau = part[1] + COUNT, ARNE_VALUE, "tau overlaps qd");
    good.algorithm = ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES;
    good.out.tau = NULL;
    good.out.dtau_dq = part[3];
    TRY(d.out.dtau_dqd = part[3] + 1, ARNE_VALUE, "dtau_dqd overlaps dtau_dq");
    good = (desk){.in = {.q = part[0]},
                  .out = {.pose = part[1]},
                  .algorithm = ARNE_ALGORITHM_POSE,
                  .count = COUNT};
    TRY(d.in.frame = -1, ARNE_VALUE, "no frame -1");
    TRY(d.in.frame = 1000, ARNE_VALUE, "no frame 1000");
    good = (desk){.in = {.q = part[0], .qd = part[1], .tau = part[2], .steps = 1, .dt = 0.1},
                  .out = {.q_end = part[3]},
                  .algorithm = ARNE_ALGORITHM_ROLLOUT,
                  .count = 1};
    TRY(d.in.steps = 0, ARNE_VALUE, "steps");
    TRY(d.in.dt = NAN, ARNE_VALUE, "dt");
    TRY(d.in.method = ARNE_METHOD_CVODE, ARNE_VALUE, "method");
    TRY(d.in.every_step = 1u << ARNE_INPUT_q, ARNE_VALUE, "every step");
    TRY(d.in.kp = part[4], ARNE_NULL_ARGUMENT, "q_ref");
    part[4][2] = NAN;
    TRY(d.in.kd = part[4], ARNE_VALUE, "kd[2]");
#undef TRY
    free(x);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_is_clear_without_a_device),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The GPU without one: the status on machines that have none, requests that cannot be met, and what
// a thread of the device does with its state, here in double and on the processor.
#include "testing.h"

#include "gpu_text.h"
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

static void a_robot_too_large_is_refused(void **unused)
{
    arne_robot *robot = read_robot("arm6", NULL);
    arne_robot *large = gpu_text_large_robot(robot);
    arne_error  error = {0};
    gpu_job     job = {.algorithm = ARNE_ALGORITHM_POSE};
    (void)unused;
    assert_non_null(large);
    assert_status(gpu_job_general(large, &job, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "constant memory"));
    free(large);
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
    arne_robot *robot = read_robot("arm6", NULL), *dog = read_robot("quadruped", NULL);
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
    // What only compiled kernels do.
    assert_status(gpu_job_make(dog, ARNE_PRECISION_DOUBLE, good.algorithm, &good.in, &good.out, 1,
                               &job, &error),
                  ARNE_OK);
    assert_status(gpu_job_general(dog, &job, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "one coordinate"));
    job.algorithm = ARNE_ALGORITHM_GRAVITY;
    assert_status(gpu_job_general(robot, &job, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "gravity"));
    free(x);
    arne_robot_free(robot);
    arne_robot_free(dog);
}

// ---- one state ----

// Results of all states by the text that the device runs; the caller frees them. Inputs are those
// of `given`.
static double *run_states(const arne_robot *robot, const gpu_job *given, int output)
{
    gpu_job job = *given;
    double *out = zeroed(job.out_rows[output] * job.count, sizeof *out);
    job.out[output] = out;
    assert_true(gpu_text_run(robot, &job));
    return out;
}

// One output beside the same of arne_batch.
static void compare(const arne_robot *robot, const problem *p, arne_algorithm algorithm,
                    arne_array output, const double *wanted)
{
    gpu_job               job;
    arne_error            error = {0};
    double                place = 0; // replaced by run_states
    const arne_gpu_inputs in = {.q = p->in.q,
                                .qd = p->in.qd,
                                .qdd = p->in.qdd,
                                .tau = p->in.tau,
                                .ground = p->in.ground,
                                .frame = p->in.frame};
    arne_gpu_outputs      out = {0};
    assert_true(arne_gpu_set_output(&out, output, &place));
    assert_status(
        gpu_job_make(robot, ARNE_PRECISION_DOUBLE, algorithm, &in, &out, COUNT, &job, &error),
        ARNE_OK);
    double      *x = run_states(robot, &job, (int)output);
    const size_t entries = job.out_rows[output] * COUNT;
    double       largest = 1;
    for (size_t i = 0; i < entries; i++)
        largest = fmax(largest, fabs(wanted[i]));
    for (size_t i = 0; i < entries; i++)
        if (!(fabs(x[i] - wanted[i]) <= 1e-10 * largest))
            fail_msg("%s, %s, entry %zu: %.17g is not %.17g", arne_robot_name(robot),
                     arne_catalogue_array(output)->name, i, x[i], wanted[i]);
    free(x);
}

// Robots with mimic joints, with rotors that share their joint's coordinate and with springs among
// them.
static void states_agree_with_the_batch(void **unused)
{
    static const char *const names[] = {"arm6", "arm7_gripper", "gantry", "quadruped", "hua_arm"};
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        arne_robot *robot = read_robot(names[i], NULL);
        arne_batch *batch = new_batch(robot, 1, 1);
        problem     p = new_problem(robot, COUNT, COUNT);
        p.in.f_ext = NULL;
        p.in.load_count = 0;
        for (int a = 0; a < ARNE_ALGORITHM_COUNT; a++) {
            const arne_algorithm_info *info = arne_catalogue_algorithm((arne_algorithm)a);
            const unsigned             both = ARNE_HAS_GENERAL | ARNE_HAS_BATCH;
            for (int k = 0; (info->has & both) == both && k < info->output_count; k++) {
                const arne_array   array = info->outputs[k].array;
                arne_batch_outputs o = {0};
                if (info->outputs[k].on_request) continue;
                assert_true(arne_batch_set_output(&o, array, p.out_at[array]));
                assert_ok(arne_batch_run(batch, (arne_algorithm)a, &p.in, &o, COUNT, NULL));
                compare(robot, &p, (arne_algorithm)a, array, p.out_at[array]);
            }
        }
        free_problem(&p);
        arne_batch_free(batch);
        arne_robot_free(robot);
    }
}

static void rollouts_take_euler_steps(void **unused)
{
    enum { STEPS = 5 };
    const double dt = 1e-3;
    arne_robot  *robot = read_robot("arm7_gripper", NULL); // it has mimic joints
    arne_work   *w = new_work(robot);
    problem      p = new_problem(robot, COUNT, COUNT);
    const size_t n = (size_t)p.size.v_count;
    double       place = 0;
    gpu_job      job;
    (void)unused;
    const arne_gpu_inputs in = {
        .q = p.in.q, .qd = p.in.qd, .tau = p.in.tau, .steps = STEPS, .dt = dt};
    const arne_gpu_outputs out = {.q_end = &place};
    assert_status(gpu_job_make(robot, ARNE_PRECISION_DOUBLE, ARNE_ALGORITHM_ROLLOUT, &in, &out,
                               COUNT, &job, NULL),
                  ARNE_OK);
    double *end = run_states(robot, &job, ARNE_ARRAY_q_end);
    for (size_t s = 0; s < COUNT; s++) {
        state  x = p.states[s];
        double largest = 1;
        for (int step = 0; step < STEPS; step++) {
            assert_status(arne_forward_dynamics(robot, w, x.q, x.qd, x.tau, NULL, x.qdd, NULL),
                          ARNE_OK);
            for (size_t k = 0; k < n; k++)
                x.q[k] += dt * (x.qd[k] += dt * x.qdd[k]);
        }
        for (size_t k = 0; k < n; k++)
            largest = fmax(largest, fabs(x.q[k]));
        for (size_t k = 0; k < n; k++)
            assert_true(fabs(end[k * COUNT + s] - x.q[k]) <= 1e-9 * largest);
        assert_true(fabs(x.q[0] - p.states[s].q[0]) > 1e-9); // it has moved
    }
    free(end);
    free_problem(&p);
    arne_work_free(w);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_is_clear_without_a_device),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(a_robot_too_large_is_refused),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(states_agree_with_the_batch),
        cmocka_unit_test(rollouts_take_euler_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

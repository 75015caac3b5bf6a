// The GPU without one: the status on machines that have none, requests that cannot be met, and what a thread of the device
// does with its state, here in double and on the processor.
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
    assert_status(arne_gpu_new(robot, ARNE_PRECISION_FLOAT, &gpu, NULL), status);
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
    arne_robot     *robot = read_robot("arm6", NULL);
    arne_gpu_arrays arrays = {0};
    arne_error      error = {0};
    arne_gpu       *gpu = (arne_gpu *)(void *)robot;
    (void)unused;
    assert_status(arne_gpu_new(NULL, ARNE_PRECISION_FLOAT, &gpu, &error), ARNE_NULL_ARGUMENT);
    assert_null(gpu);
    assert_status(arne_gpu_new(robot, ARNE_PRECISION_FLOAT, NULL, &error), ARNE_NULL_ARGUMENT);
    assert_status(arne_gpu_new(robot, (arne_precision)7, &gpu, &error), ARNE_VALUE);
    assert_status(arne_gpu_run(NULL, ARNE_GPU_POSE, &arrays, 1, NULL, &error), ARNE_NULL_ARGUMENT);
    assert_non_null(strstr(error.text, "gpu"));
    arne_robot_free(robot);
}

static void a_robot_too_large_is_refused(void **unused)
{
    arne_robot *robot = read_robot("arm6", NULL);
    arne_robot *large = gpu_text_large_robot(robot);
    arne_error  error = {0};
    arne_gpu   *gpu;
    (void)unused;
    assert_non_null(large);
    assert_status(arne_gpu_new(large, ARNE_PRECISION_DOUBLE, &gpu, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "constant memory"));
    free(large);
    arne_robot_free(robot);
}

// ---- requests ----

enum { COUNT = 6, MOST_ROWS = 6 * 6 };

typedef struct desk {
    arne_gpu_arrays    a;
    arne_gpu_algorithm algorithm;
    size_t             count;
} desk;

static void refuse(const arne_robot *robot, const desk *d, arne_status wanted, const char *text)
{
    arne_error        error = {0};
    gpu_job           job;
    const arne_status status =
        gpu_job_make(robot, ARNE_PRECISION_DOUBLE, d->algorithm, &d->a, d->count, &job, &error);
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
    good = (desk){.a = {.q = part[0], .qd = part[1], .qdd = part[2], .torque = part[3]},
                  .algorithm = ARNE_GPU_INVERSE_DYNAMICS,
                  .count = COUNT};
    assert_status(
        gpu_job_make(robot, ARNE_PRECISION_DOUBLE, good.algorithm, &good.a, COUNT, &job, &error),
        ARNE_OK);
#define TRY(change, status, text)                                                                  \
    d = good;                                                                                      \
    change;                                                                                        \
    refuse(robot, &d, status, text)
    TRY(d.count = 0, ARNE_VALUE, "count is 0");
    TRY(d.count = SIZE_MAX / 16, ARNE_VALUE, "too many");
    TRY(d.algorithm = ARNE_GPU_ALGORITHM_COUNT, ARNE_VALUE, "algorithm");
    TRY(d.a.qdd = NULL, ARNE_NULL_ARGUMENT, "qdd");
    TRY(d.a.torque = NULL, ARNE_NULL_ARGUMENT, "all outputs");
    TRY(d.a.pose = part[4], ARNE_VALUE, "pose is not made");
    TRY(d.a.q = (const char *)part[0] + 4, ARNE_VALUE, "q is not aligned");
    TRY(d.a.torque = part[1] + COUNT, ARNE_VALUE, "torque overlaps qd");
    good.algorithm = ARNE_GPU_INVERSE_DYNAMICS_DERIVATIVES;
    good.a.torque = NULL;
    good.a.dtau_dq = part[3];
    TRY(d.a.dtau_dqd = part[3] + 1, ARNE_VALUE, "dtau_dqd overlaps dtau_dq");
    good = (desk){.a = {.q = part[0], .pose = part[1]}, .algorithm = ARNE_GPU_POSE, .count = COUNT};
    TRY(d.a.frame = -1, ARNE_VALUE, "no frame -1");
    TRY(d.a.frame = 1000, ARNE_VALUE, "no frame 1000");
    good = (desk){
        .a = {.q = part[0], .qd = part[1], .tau = part[2], .end_q = part[3], .steps = 1, .dt = 0.1},
        .algorithm = ARNE_GPU_ROLLOUT,
        .count = 1};
    TRY(d.a.steps = 0, ARNE_VALUE, "steps");
    TRY(d.a.dt = NAN, ARNE_VALUE, "dt");
    refuse(dog, &good, ARNE_UNSUPPORTED, "one coordinate");
#undef TRY
    free(x);
    arne_robot_free(robot);
    arne_robot_free(dog);
}

// ---- one state ----

// Results of all states by the text that the device runs; the caller frees them. Inputs are those of `given`.
static double *run_states(const arne_robot *robot, const gpu_job *given, int output)
{
    gpu_job job = *given;
    double *out = zeroed(job.out_rows[output] * job.count, sizeof *out);
    job.out[output] = out;
    assert_true(gpu_text_run(robot, &job));
    return out;
}

// One output beside the same of arne_batch.
static void compare(const arne_robot *robot, const problem *p, arne_gpu_algorithm algorithm,
                    int output, const double *wanted)
{
    gpu_job         job;
    arne_error      error = {0};
    double          place = 0;
    arne_gpu_arrays a = {.q = p->in.q, .qd = p->in.qd, .qdd = p->in.qdd, .tau = p->in.tau};
    void          **to[] = {&a.pose,    &a.torque,   &a.acceleration, &a.mass_matrix,
                            &a.dtau_dq, &a.dtau_dqd, &a.dtau_dqdd};
    *to[output] = &place; // replaced by run_states
    a.frame = p->in.frame;
    assert_status(gpu_job_make(robot, ARNE_PRECISION_DOUBLE, algorithm, &a, COUNT, &job, &error),
                  ARNE_OK);
    double      *x = run_states(robot, &job, output);
    const size_t entries = job.out_rows[output] * COUNT;
    double       largest = 1;
    for (size_t i = 0; i < entries; i++)
        largest = fmax(largest, fabs(wanted[i]));
    for (size_t i = 0; i < entries; i++)
        if (!(fabs(x[i] - wanted[i]) <= 1e-10 * largest))
            fail_msg("%s, output %d, entry %zu: %.17g is not %.17g", arne_robot_name(robot), output,
                     i, x[i], wanted[i]);
    free(x);
}

static void states_agree_with_the_batch(void **unused)
{
    static const char *const names[] = {"arm6", "arm7_gripper", "gantry", "quadruped"};
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        arne_robot *robot = read_robot(names[i], NULL);
        arne_batch *batch = new_batch(robot, 1, 1);
        problem     p = new_problem(robot, COUNT, COUNT);
        p.in.f_ext = NULL;
        p.in.load_count = 0;
#define COMPARE(algorithm, in_batch, gpu_out, batch_out)                                           \
    {                                                                                              \
        const arne_batch_outputs o = {.batch_out = p.out.batch_out};                               \
        assert_status(arne_batch_run(batch, ARNE_BATCH_##in_batch, &p.in, &o, COUNT, NULL),        \
                      ARNE_OK);                                                                    \
        compare(robot, &p, ARNE_GPU_##algorithm, GPU_OUT_##gpu_out, p.out.batch_out);              \
    }
        COMPARE(POSE, KINEMATICS, pose, pose)
        COMPARE(INVERSE_DYNAMICS, INVERSE_DYNAMICS, torque, tau)
        COMPARE(FORWARD_DYNAMICS, FORWARD_DYNAMICS, acceleration, qdd)
        COMPARE(MASS_MATRIX, MASS_MATRIX, mass_matrix, mass_matrix)
#define COMPARE_DERIVATIVE(name)                                                                   \
    COMPARE(INVERSE_DYNAMICS_DERIVATIVES, INVERSE_DYNAMICS_DERIVATIVES, name, name)
        COMPARE_DERIVATIVE(dtau_dq)
        COMPARE_DERIVATIVE(dtau_dqd)
        COMPARE_DERIVATIVE(dtau_dqdd)
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
    const arne_gpu_arrays a = {
        .q = p.in.q, .qd = p.in.qd, .tau = p.in.tau, .end_q = &place, .steps = STEPS, .dt = dt};
    assert_status(
        gpu_job_make(robot, ARNE_PRECISION_DOUBLE, ARNE_GPU_ROLLOUT, &a, COUNT, &job, NULL),
        ARNE_OK);
    double *end = run_states(robot, &job, GPU_OUT_end_q);
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

// Kernels that are compiled for the robot, on a double of the driver and of NVRTC that works on the
// processor (tests/fake_gpu): their text, how they are called, and the folder they are kept in.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): mkdtemp, setenv
#include "testing.h"

#include "many.h"
#include <arne/gpu.h>
#include <arne/integrate.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 130, STEPS = 7 }; // more than a block has threads
static const double DT = 1e-3;

static arne_gpu *new_gpu(const arne_robot *robot, arne_precision precision, const char *cache)
{
    const arne_gpu_options options = {
        .size = sizeof options, .precision = precision, .cache = cache};
    arne_gpu  *gpu = NULL;
    arne_error error = {0};
    if (arne_gpu_new(robot, &options, &gpu, &error)) fail_msg("%s", error.text);
    return gpu;
}

static void expect_close(const char *what, const double *x, const double *wanted, size_t count,
                         double tolerance)
{
    double largest = 1;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(wanted[i]));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(x[i] - wanted[i]) <= tolerance * largest))
            fail_msg("%s, entry %zu: %.17g is not %.17g", what, i, x[i], wanted[i]);
}

// ---- functions ----

static arne_gpu_inputs inputs_of(const problem *p)
{
    return (arne_gpu_inputs){.q = p->in.q,
                             .qd = p->in.qd,
                             .qdd = p->in.qdd,
                             .qddd = p->in.qddd,
                             .tau = p->in.tau,
                             .frame = p->in.frame,
                             .axes = p->in.axes};
}

static void run_gpu(arne_gpu *gpu, arne_algorithm a, const arne_gpu_inputs *in,
                    const arne_gpu_outputs *out)
{
    arne_gpu_kernel facts;
    arne_error      error = {0};
    if (arne_gpu_prepare(gpu, a, in, out, &facts, &error) ||
        arne_gpu_run(gpu, a, in, out, COUNT, NULL, &error))
        fail_msg("%s: %s", arne_catalogue_algorithm(a)->name, error.text);
    assert_true(facts.seconds > 0);
}

// Every output of an algorithm beside the batch's.
static void compare(arne_gpu *gpu, arne_batch *batch, problem *p, arne_algorithm a)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(a);
    const arne_gpu_inputs      in = inputs_of(p);
    double                    *found[ARNE_ARRAY_COUNT] = {NULL};
    arne_gpu_outputs           out = {0};
    arne_batch_outputs         wanted = {0};
    for (int k = 0; k < info->output_count; k++) {
        const arne_array array = info->outputs[k].array;
        if (info->outputs[k].on_request) continue;
        found[array] = zeroed(arne_array_size(p->robot, array) * COUNT + 1, sizeof(double));
        arne_gpu_set_output(&out, array, found[array]);
        arne_batch_set_output(&wanted, array, p->out_at[array]);
    }
    assert_ok(arne_batch_run(batch, a, &p->in, &wanted, COUNT, NULL));
    run_gpu(gpu, a, &in, &out);
    for (int k = 0; k < ARNE_ARRAY_COUNT; k++) {
        if (found[k])
            expect_close(info->name, found[k], p->out_at[k],
                         arne_array_size(p->robot, (arne_array)k) * COUNT, 1e-9);
        free(found[k]);
    }
}

static void compare_all(const char *name, const arne_algorithm *list, int count)
{
    arne_robot *robot = read_robot(name, NULL);
    arne_batch *batch = new_batch(robot, 1, 1);
    arne_gpu   *gpu = new_gpu(robot, ARNE_PRECISION_DOUBLE, "");
    problem     p = new_problem(robot, COUNT, COUNT);
    p.in.f_ext = NULL;
    p.in.load_count = 0;
    for (int i = 0; i < count; i++)
        compare(gpu, batch, &p, list[i]);
    free_problem(&p);
    arne_gpu_free(gpu);
    arne_batch_free(batch);
    arne_robot_free(robot);
}

static void functions_agree_with_the_batch(void **unused)
{
    static const arne_algorithm some[] = {
        ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES, ARNE_ALGORITHM_FORWARD_DYNAMICS,
        ARNE_ALGORITHM_JACOBIAN, ARNE_ALGORITHM_CENTER_OF_MASS, ARNE_ALGORITHM_TORQUE_RATE};
    (void)unused;
    compare_all("planar_pr", some, 5);
    compare_all("quadruped", some + 1, 1); // a free base
    compare_all("arm7_gripper", some + 1, 1);
}

// Only one of three outputs, in float, from and to rows of states.
static void layouts_and_precision(void **unused)
{
    arne_robot       *robot = read_robot("planar_pr", NULL);
    arne_gpu         *gpu = new_gpu(robot, ARNE_PRECISION_FLOAT, "");
    arne_work        *w = new_work(robot);
    float             x[3][COUNT * 2], to[COUNT * 4];
    arne_gpu_inputs   in = {.q = x[0], .qd = x[1], .qdd = x[2], .on_device = 1};
    arne_gpu_outputs  out = {.dtau_dqd = to};
    arne_batch_layout in_layout[ARNE_INPUT_COUNT], out_layout[ARNE_ARRAY_COUNT];
    (void)unused;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        in_layout[i] = (arne_batch_layout){1, 2};
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        out_layout[i] = (arne_batch_layout){1, 4};
    in.input_layouts = in_layout;
    in.output_layouts = out_layout;
    for (int i = 0; i < 3 * COUNT * 2; i++)
        x[i / (COUNT * 2)][i % (COUNT * 2)] = (float)sin(i);
    assert_status(arne_gpu_run(gpu, ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES, &in, &out, COUNT,
                               NULL, NULL),
                  ARNE_OK);
    for (int s = 0; s < COUNT; s++) {
        double y[3][2], dq[4], dqd[4], dqdd[4], found[4];
        for (int i = 0; i < 6; i++)
            y[i / 2][i % 2] = x[i / 2][2 * s + i % 2];
        arne_inverse_dynamics_derivatives(robot, w, y[0], y[1], y[2], NULL, 0, dq, dqd, dqdd);
        for (int i = 0; i < 4; i++)
            found[i] = to[4 * s + i];
        expect_close("dtau_dqd", found, dqd, 4, 1e-5);
    }
    in.q = (const void *)64; // of nobody
    arne_error error = {0};
    assert_status(arne_gpu_run(gpu, ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES, &in, &out, COUNT,
                               NULL, &error),
                  ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "q is not in the device's memory"));
    arne_work_free(w);
    arne_gpu_free(gpu);
    arne_robot_free(robot);
}

// ---- rollouts ----

typedef struct plant {
    const arne_robot *robot;
    arne_work        *work;
    const double     *tau, *q_ref, *qd_ref, *kp, *kd; // of the step; kp NULL: no controller
} plant;

static arne_status rate(void *context, double time, const double *q, const double *qd,
                        const double *z, double *qdd, double *zd, arne_error *error)
{
    const plant *p = context;
    double       u[64], off[64];
    (void)time;
    (void)z;
    (void)zd;
    if (p->kp) arne_difference(p->robot, q, p->q_ref, off);
    for (int i = 0; i < arne_robot_sizes(p->robot).v_count; i++) {
        u[i] = p->tau[i];
        if (p->kp) u[i] += p->kp[i] * off[i] + p->kd[i] * (p->qd_ref[i] - qd[i]);
    }
    return arne_forward_dynamics(p->robot, p->work, q, qd, u, NULL, qdd, error);
}

typedef struct rollout_case {
    arne_method method;
    int         follows, varies;
} rollout_case;

// One column of an array.
static void gather(const double *rows, size_t count, size_t s, double *x)
{
    for (size_t k = 0; k < count; k++)
        x[k] = rows[k * COUNT + s];
}

// What the library's integrator makes of state s, with torques of each step where they vary.
static void by_integrator(const problem *p, const rollout_case *c, const arne_gpu_inputs *in,
                          size_t s, double *q, double *qd)
{
    const size_t                  nq = (size_t)p->size.q_count, n = (size_t)p->size.v_count;
    double                        tau[64], q_ref[64], qd_ref[64];
    plant                         own = {.robot = p->robot,
                                         .work = new_work(p->robot),
                                         .tau = tau,
                                         .q_ref = q_ref,
                                         .qd_ref = qd_ref,
                                         .kp = in->kp,
                                         .kd = in->kd};
    const arne_system             system = {.robot = p->robot, .context = &own, .rate = rate};
    const arne_integrator_options how = {.size = sizeof how, .method = c->method, .step = DT};
    arne_integrator              *it;
    assert_ok(arne_integrator_new(&system, &how, &it, NULL));
    gather(in->q, nq, s, q);
    gather(in->qd, n, s, qd);
    for (int k = 0; k < STEPS; k++) {
        gather((const double *)in->tau + (c->varies ? (size_t)k * n * COUNT : 0), n, s, tau);
        if (c->follows) gather(in->q_ref, nq, s, q_ref);
        if (c->follows) gather(in->qd_ref, n, s, qd_ref);
        assert_ok(arne_integrator_start(it, 0, q, qd, NULL, NULL));
        assert_ok(arne_integrator_advance(it, DT, NULL, NULL));
        memcpy(q, arne_integrator_q(it), nq * sizeof *q);
        memcpy(qd, arne_integrator_qd(it), n * sizeof *qd);
    }
    arne_integrator_free(it);
    arne_work_free(own.work);
}

static void check_rollout(arne_gpu *gpu, const problem *p, const rollout_case *c)
{
    const size_t nq = (size_t)p->size.q_count, n = (size_t)p->size.v_count;
    double      *tau = zeroed(STEPS * n * COUNT, sizeof *tau);
    double      *q_end = zeroed(nq * COUNT, sizeof *q_end);
    double      *qd_end = zeroed(n * COUNT, sizeof *qd_end);
    double      *q_ref = zeroed(nq * COUNT, sizeof *q_ref);
    double       kp[64], kd[64];
    for (size_t i = 0; i < STEPS * n * COUNT; i++)
        tau[i] = sin((double)i);
    for (size_t i = 0; i < nq * COUNT; i++) // the next state
        q_ref[i] = p->in.q[i / COUNT * COUNT + (i + 1) % COUNT];
    for (size_t i = 0; i < n; i++) {
        kp[i] = 2 + (double)i;
        kd[i] = 0.1 * (double)(i + 1);
    }
    const arne_gpu_inputs  in = {.q = p->in.q,
                                 .qd = p->in.qd,
                                 .tau = tau,
                                 .q_ref = c->follows ? q_ref : NULL,
                                 .qd_ref = c->follows ? p->in.qdd : NULL,
                                 .kp = c->follows ? kp : NULL,
                                 .kd = c->follows ? kd : NULL,
                                 .steps = STEPS,
                                 .dt = DT,
                                 .method = c->method,
                                 .every_step = c->varies ? 1u << ARNE_INPUT_tau : 0};
    const arne_gpu_outputs out = {.q_end = q_end, .qd_end = qd_end};
    run_gpu(gpu, ARNE_ALGORITHM_ROLLOUT, &in, &out);
    for (size_t s = 0; s < COUNT; s += 43) {
        double q[64], qd[64], x[64];
        by_integrator(p, c, &in, s, q, qd);
        gather(q_end, nq, s, x);
        expect_close("q_end", x, q, nq, 1e-10);
        gather(qd_end, n, s, x);
        expect_close("qd_end", x, qd, n, 1e-10);
    }
    free(tau);
    free(q_ref);
    free(q_end);
    free(qd_end);
}

static void check_rollouts(const arne_robot *robot, const rollout_case *cases, int count)
{
    arne_gpu *gpu = new_gpu(robot, ARNE_PRECISION_DOUBLE, "");
    problem   p = new_problem(robot, COUNT, COUNT);
    for (int k = 0; k < count; k++)
        check_rollout(gpu, &p, &cases[k]);
    free_problem(&p);
    arne_gpu_free(gpu);
}

// A tree with joints of these kinds, on a base that floats or stands.
static arne_robot *tree_with(unsigned kinds, arne_base base)
{
    for (uint64_t seed = 1; seed < 200; seed++) {
        arne_builder            *builder = random_tree(seed);
        const arne_build_options options = {.size = sizeof options, .base = base};
        arne_robot              *robot;
        unsigned                 found = 0;
        assert_ok(arne_builder_finish(builder, &options, &robot, NULL));
        arne_builder_free(builder);
        for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++)
            found |= 1u << arne_robot_joint(robot, i).kind;
        if ((found & kinds) == kinds) return robot;
        arne_robot_free(robot);
    }
    fail_msg("no tree has these kinds");
    return NULL;
}

static void rollouts_are_those_of_the_integrator(void **unused)
{
    static const rollout_case cases[] = {
        {ARNE_METHOD_EULER, 1, 1}, {ARNE_METHOD_RK4, 1, 0}, {ARNE_METHOD_RK4, 0, 1}};
    arne_robot *tree = tree_with(
        1u << ARNE_JOINT_PLANAR | 1u << ARNE_JOINT_BALL | 1u << ARNE_JOINT_HELICAL, ARNE_BASE_FREE);
    arne_robot *arm = read_robot("hua_arm", NULL); // its motors are behind springs
    (void)unused;
    check_rollouts(tree, cases, 2);
    check_rollouts(arm, cases + 2, 1);
    arne_robot_free(tree);
    arne_robot_free(arm);
}

// ---- the folder ----

static int lines_of(const char *path)
{
    FILE *in = fopen(path, "r");
    int   lines = 0, c;
    while (in && (c = fgetc(in)) != EOF)
        lines += c == '\n';
    if (in) (void)fclose(in);
    return lines;
}

// The only file in it, which is what a kernel was written to.
static int count_files(const char *folder)
{
    DIR           *d = opendir(folder);
    struct dirent *entry;
    int            count = 0;
    while (d && (entry = readdir(d)))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (d) (void)closedir(d);
    return count;
}

static arne_gpu_kernel prepare(const arne_robot *robot, const char *folder,
                               arne_precision precision)
{
    arne_gpu       *gpu = new_gpu(robot, precision, folder);
    arne_gpu_kernel facts;
    arne_error      error = {0};
    if (arne_gpu_prepare(gpu, ARNE_ALGORITHM_INVERSE_DYNAMICS, NULL, NULL, &facts, &error))
        fail_msg("%s", error.text);
    arne_gpu_free(gpu);
    return facts;
}

static void a_kernel_is_compiled_once(void **unused)
{
    char        root[] = "/tmp/arne-kernels-XXXXXX", folder[64], log[64];
    arne_robot *robot = read_robot("planar_pr", NULL), *other = read_robot("planar_2r", NULL);
    (void)unused;
    assert_non_null(mkdtemp(root));
    snprintf(folder, sizeof folder, "%s/a/b", root);
    snprintf(log, sizeof log, "%s/log", root);
    assert_int_equal(setenv("FAKE_NVRTC_LOG", log, 1), 0);
    const arne_gpu_kernel first = prepare(robot, folder, ARNE_PRECISION_DOUBLE);
    assert_false(first.was_cached);
    assert_true(first.operations > 0);
    assert_ptr_equal(strstr(first.file, folder), first.file);
    assert_true(prepare(robot, folder, ARNE_PRECISION_DOUBLE).was_cached);
    assert_int_equal(lines_of(log), 1);
    // Another precision, another robot: other files.
    assert_false(prepare(robot, folder, ARNE_PRECISION_FLOAT).was_cached);
    const arne_gpu_kernel last = prepare(other, folder, ARNE_PRECISION_DOUBLE);
    assert_false(last.was_cached);
    assert_int_equal(lines_of(log), 3);
    assert_int_equal(count_files(folder), 3);
    // What is broken is made again, and then whole.
    FILE *broken = fopen(last.file, "w");
    assert_non_null(broken);
    fputs("this is no kernel", broken);
    (void)fclose(broken);
    assert_false(prepare(other, folder, ARNE_PRECISION_DOUBLE).was_cached);
    assert_true(prepare(other, folder, ARNE_PRECISION_DOUBLE).was_cached);
    assert_int_equal(lines_of(log), 4);
    assert_int_equal(unsetenv("FAKE_NVRTC_LOG"), 0);
    arne_robot_free(robot);
    arne_robot_free(other);
    snprintf(folder, sizeof folder, "rm -rf %s", root);
    assert_int_equal(system(folder), 0);
}

// ---- what is missing ----

static void what_is_missing_is_said(void **unused)
{
    const char      *nvrtc = getenv("ARNE_NVRTC");
    char            *before = strdup(nvrtc ? nvrtc : "");
    arne_robot      *robot = read_robot("planar_pr", NULL);
    arne_gpu_options options = {.size = sizeof options, .cache = ""};
    arne_gpu        *gpu = NULL;
    arne_error       error = {0};
    (void)unused;
    assert_int_equal(setenv("ARNE_NVRTC", "/nowhere/libnvrtc.so", 1), 0);
    assert_status(arne_gpu_new(robot, &options, &gpu, &error), ARNE_OK);
    assert_status(arne_gpu_available(&error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "NVRTC"));
    assert_status(arne_gpu_prepare(gpu, ARNE_ALGORITHM_POSE, NULL, NULL, NULL, &error),
                  ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "NVRTC"));
    arne_gpu_free(gpu);
    assert_int_equal(setenv("ARNE_NVRTC", before, 1), 0);
    assert_int_equal(setenv("FAKE_GPU_NONE", "1", 1), 0);
    assert_status(arne_gpu_available(&error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "no CUDA device"));
    assert_int_equal(unsetenv("FAKE_GPU_NONE"), 0);
    assert_ok(arne_gpu_available(&error));
    free(before);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_agree_with_the_batch),
        cmocka_unit_test(layouts_and_precision),
        cmocka_unit_test(rollouts_are_those_of_the_integrator),
        cmocka_unit_test(a_kernel_is_compiled_once),
        cmocka_unit_test(what_is_missing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

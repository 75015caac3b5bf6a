// arne bench [ROBOT...]: the time each algorithm takes on this machine.
//
// Each algorithm runs through the same random states in turn, so that neither branches nor caches
// learn one state by heart; the best of several rounds is what the machine can do undisturbed.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): clock_gettime
#include "bench_batch.h"
#include "bench_gpu.h"
#include "load.h"
#include "message.h"
#include "output.h"
#include "print_json.h"
#include "print_table.h"
#include "verbs.h"

#include <arne/configuration.h>
#include <arne/derivatives.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct bench_args {
    robot_args  robot;
    const char *robots, *output, *cache;
    int         json, gpu;
} bench_args;

#define AT(field) offsetof(bench_args, field)
static const option options[] = {
    ROBOT_OPTIONS,
    TEXT("--robots", "DIR", robots, "where the robots that come with Arne are"),
    FLAG("--json", json, "an array of {robot, algorithm, ns}"),
    FLAG("--gpu", gpu, "states per second on a CUDA device instead"),
    TEXT("--cache", "DIR", cache,
         "with --gpu: folder for compiled kernels (default: the user's cache)"),
    OPTION_OUTPUT,
    OPTION_END,
};

static const command bench = {
    "bench",
    "[ROBOT...]",
    "The time each algorithm takes on this machine, in nanoseconds per call.\n"
    "Without ROBOT: some of the robots that come with Arne.",
    0,
    100,
    options,
    NULL};

// --- the states and the algorithms -------------------------------------------------------------

enum { STATES = 64, ROUNDS = 7 };

typedef struct trial {
    const arne_robot *robot;
    arne_work        *work;
    arne_sizes        sizes;
    int               frame; // the last one, furthest from the base in most files
    double           *q, *qd, *qdd, *qddd, *tau; // STATES of each
    double           *out[4];                    // room for the largest results
    bench_batch      *batch;                     // the same states
    arne_status       status;                    // of the last failure
} trial;

static const double *at(const double *all, int count, int s)
{
    return all + (size_t)count * (size_t)s;
}
#define Q at(t->q, t->sizes.q_count, s)
#define QD at(t->qd, t->sizes.v_count, s)
#define QDD at(t->qdd, t->sizes.v_count, s)
#define QDDD at(t->qddd, t->sizes.v_count, s)
#define TAU at(t->tau, t->sizes.v_count, s)

static void cmd_bench_keep(trial *t, arne_status status)
{
    if (status != ARNE_OK) t->status = status;
}

static void run_pose(trial *t, int s) { arne_kinematics(t->robot, t->work, Q, NULL, NULL); }
static void run_velocity(trial *t, int s) { arne_kinematics(t->robot, t->work, Q, QD, NULL); }
static void run_acceleration(trial *t, int s) { arne_kinematics(t->robot, t->work, Q, QD, QDD); }
static void run_jacobian(trial *t, int s)
{
    arne_jacobian(t->robot, t->work, Q, t->frame, ARNE_AXES_ALIGNED, t->out[0]);
}
static void run_com(trial *t, int s)
{
    arne_vec3 com, velocity;
    arne_center_of_mass(t->robot, t->work, Q, QD, &com, &velocity);
}
static void run_energy(trial *t, int s)
{
    arne_energy(t->robot, t->work, Q, QD, &t->out[0][0], &t->out[0][1]);
}
static void run_momentum(trial *t, int s)
{
    arne_wrench momentum;
    arne_momentum(t->robot, t->work, Q, QD, &momentum);
}
static void run_inverse_dynamics(trial *t, int s)
{
    arne_inverse_dynamics(t->robot, t->work, Q, QD, QDD, NULL, t->out[0]);
}
static void run_gravity(trial *t, int s) { arne_gravity(t->robot, t->work, Q, t->out[0]); }
static void run_bias(trial *t, int s) { arne_bias(t->robot, t->work, Q, QD, NULL, t->out[0]); }
static void run_coriolis_matrix(trial *t, int s)
{
    arne_coriolis_matrix(t->robot, t->work, Q, QD, t->out[0]);
}
static void run_mass_matrix(trial *t, int s) { arne_mass_matrix(t->robot, t->work, Q, t->out[0]); }
static void run_inverse_mass_matrix(trial *t, int s)
{
    cmd_bench_keep(t, arne_inverse_mass_matrix(t->robot, t->work, Q, t->out[0], NULL));
}
static void run_operational_inertia(trial *t, int s)
{
    cmd_bench_keep(t, arne_operational_inertia(t->robot, t->work, Q, t->frame, ARNE_AXES_ALIGNED,
                                               t->out[0], NULL));
}
static void run_forward_dynamics(trial *t, int s)
{
    cmd_bench_keep(t, arne_forward_dynamics(t->robot, t->work, Q, QD, TAU, NULL, t->out[0], NULL));
}
static void run_forward_dynamics_matrix(trial *t, int s)
{
    cmd_bench_keep(
        t, arne_forward_dynamics_matrix(t->robot, t->work, Q, QD, TAU, NULL, t->out[0], NULL));
}
static void run_torque_rate(trial *t, int s)
{
    arne_torque_rate(t->robot, t->work, Q, QD, QDD, QDDD, NULL, 0, t->out[0], t->out[1]);
}
static void run_inverse_dynamics_derivatives(trial *t, int s)
{
    arne_inverse_dynamics_derivatives(t->robot, t->work, Q, QD, QDD, NULL, 0, t->out[0], t->out[1],
                                      t->out[2]);
}
static void run_inverse_dynamics_along(trial *t, int s)
{
    arne_inverse_dynamics_along(t->robot, t->work, Q, QD, QDD, NULL, 0, TAU, TAU, TAU, t->out[0]);
}
static void run_inverse_dynamics_against(trial *t, int s)
{
    arne_inverse_dynamics_against(t->robot, t->work, Q, QD, QDD, NULL, 0, TAU, t->out[0], t->out[1],
                                  t->out[2]);
}
static void run_forward_dynamics_derivatives(trial *t, int s)
{
    cmd_bench_keep(t,
                   arne_forward_dynamics_derivatives(t->robot, t->work, Q, QD, TAU, NULL, 0, NULL,
                                                     t->out[0], t->out[1], t->out[2], NULL));
}
static void run_wrench_derivatives(trial *t, int s)
{
    arne_inverse_dynamics_derivatives(t->robot, t->work, Q, QD, QDD, NULL, 0, NULL, NULL, NULL);
    for (int i = 0; i < t->sizes.joint_count; i++)
        arne_wrench_derivatives(t->robot, t->work, i, t->out[0], t->out[1], t->out[2]);
}
// Contracted with one vector.
static void run_second_derivatives(trial *t, int s)
{
    cmd_bench_keep(t, arne_second_derivatives(t->robot, t->work, Q, QD, QDD, NULL, 0, TAU,
                                              t->out[0], t->out[1], t->out[2], t->out[3], NULL));
}
#undef Q
#undef QD
#undef QDD
#undef QDDD
#undef TAU

// What has no function here is timed as a batch of one lane and one thread.
static void (*const runs[ARNE_ALGORITHM_COUNT])(trial *t, int s) = {
    [ARNE_ALGORITHM_POSE] = run_pose,
    [ARNE_ALGORITHM_VELOCITY] = run_velocity,
    [ARNE_ALGORITHM_ACCELERATION] = run_acceleration,
    [ARNE_ALGORITHM_JACOBIAN] = run_jacobian,
    [ARNE_ALGORITHM_CENTER_OF_MASS] = run_com,
    [ARNE_ALGORITHM_ENERGY] = run_energy,
    [ARNE_ALGORITHM_MOMENTUM] = run_momentum,
    [ARNE_ALGORITHM_INVERSE_DYNAMICS] = run_inverse_dynamics,
    [ARNE_ALGORITHM_GRAVITY] = run_gravity,
    [ARNE_ALGORITHM_BIAS] = run_bias,
    [ARNE_ALGORITHM_CORIOLIS_MATRIX] = run_coriolis_matrix,
    [ARNE_ALGORITHM_MASS_MATRIX] = run_mass_matrix,
    [ARNE_ALGORITHM_INVERSE_MASS_MATRIX] = run_inverse_mass_matrix,
    [ARNE_ALGORITHM_OPERATIONAL_INERTIA] = run_operational_inertia,
    [ARNE_ALGORITHM_FORWARD_DYNAMICS] = run_forward_dynamics,
    [ARNE_ALGORITHM_FORWARD_DYNAMICS_MATRIX] = run_forward_dynamics_matrix,
    [ARNE_ALGORITHM_TORQUE_RATE] = run_torque_rate,
    [ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES] = run_inverse_dynamics_derivatives,
    [ARNE_ALGORITHM_INVERSE_DYNAMICS_ALONG] = run_inverse_dynamics_along,
    [ARNE_ALGORITHM_INVERSE_DYNAMICS_AGAINST] = run_inverse_dynamics_against,
    [ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES] = run_forward_dynamics_derivatives,
    [ARNE_ALGORITHM_WRENCH_DERIVATIVES] = run_wrench_derivatives,
    [ARNE_ALGORITHM_SECOND_DERIVATIVES] = run_second_derivatives,
};

static const char *cmd_bench_name_of(int algorithm)
{
    return arne_catalogue_algorithm((arne_algorithm)algorithm)->name;
}

static int is_timed(int algorithm)
{
    return (arne_catalogue_algorithm((arne_algorithm)algorithm)->has & ARNE_HAS_BENCH) != 0;
}

// Deterministic numbers within 1, by a linear congruence: their quality does not matter here.
static double small(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static int trial_begin(trial *t, const arne_robot *robot)
{
    *t = (trial){.robot = robot, .sizes = arne_robot_sizes(robot)};
    const size_t v_count = (size_t)t->sizes.v_count, q_count = (size_t)t->sizes.q_count;
    const size_t square = v_count * v_count, tall = 6 * v_count;
    uint64_t     seed = 1;
    t->frame = t->sizes.link_count - 1;
    t->q = need(STATES * q_count, sizeof(double));
    t->qd = need(STATES * v_count, sizeof(double));
    t->qdd = need(STATES * v_count, sizeof(double));
    t->qddd = need(STATES * v_count, sizeof(double));
    t->tau = need(STATES * v_count, sizeof(double));
    for (int i = 0; i < 4; i++)
        t->out[i] = need((square > tall ? square : tall) + 36, sizeof(double));
    for (size_t s = 0; s < STATES; s++)
        arne_random_configuration(robot, &seed, t->q + s * q_count);
    for (size_t i = 0; i < STATES * v_count; i++) {
        t->qd[i] = small(&seed);
        t->qdd[i] = small(&seed);
        t->qddd[i] = small(&seed);
        t->tau[i] = small(&seed);
    }
    const double *const part[] = {t->q, t->qd, t->qdd, t->qddd, t->tau};
    t->batch = bench_batch_new(robot, part, STATES);
    return t->batch && arne_work_new(robot, &t->work) == ARNE_OK ? EXIT_FINE
                                                                 : fail_data("out of memory");
}

static void trial_end(trial *t)
{
    arne_work_free(t->work);
    bench_batch_free(t->batch);
    free(t->q);
    free(t->qd);
    free(t->qdd);
    free(t->qddd);
    free(t->tau);
    for (int i = 0; i < 4; i++)
        free(t->out[i]);
}

// --- timing ------------------------------------------------------------------------------------

static double cmd_bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds_of(trial *t, int algorithm, long calls)
{
    void (*const run)(trial *, int) = runs[algorithm];
    const double from = cmd_bench_now();
    for (long i = 0; run && i < calls; i++)
        run(t, (int)(i % STATES));
    for (long i = 0; !run && i < calls; i += STATES)
        cmd_bench_keep(t, bench_batch_run(t->batch, (arne_algorithm)algorithm));
    return cmd_bench_now() - from;
}

// Nanoseconds per call, or minus the status with which the algorithm fails at any of the states.
static double time_algorithm(trial *t, int algorithm)
{
    long   calls = STATES;
    double best;
    t->status = ARNE_OK;
    while ((best = seconds_of(t, algorithm, calls)) < 2e-3 && t->status == ARNE_OK)
        calls *= 2;
    if (t->status != ARNE_OK) return -(double)t->status;
    for (int round = 0; round < ROUNDS; round++) {
        const double taken = seconds_of(t, algorithm, calls);
        if (taken < best) best = taken;
    }
    return 1e9 * best / (double)calls;
}

static int time_robot(const char *path, const robot_args *args, double *ns, char **name)
{
    arne_robot *robot;
    trial       t = {0};
    int         code = load_robot(path, args, NULL, &robot);
    if (code != EXIT_FINE) return code;
    *name = need_copy(arne_robot_name(robot), strlen(arne_robot_name(robot)));
    code = trial_begin(&t, robot);
    for (int i = 0; i < ARNE_ALGORITHM_COUNT && code == EXIT_FINE; i++)
        if (is_timed(i)) ns[i] = time_algorithm(&t, i);
    trial_end(&t);
    arne_robot_free(robot);
    return code;
}

// --- what was found ----------------------------------------------------------------------------

static void print_table(char *const *name, const double *ns, int robot_count, FILE *out)
{
    for (int first = 0; first < robot_count; first += 6) {
        const int last = first + 6 < robot_count ? first + 6 : robot_count;
        table     t = table_begin("lrrrrrr");
        t.columns = 1 + last - first;
        table_cell(&t, "ns per call");
        for (int r = first; r < last; r++)
            table_cell(&t, "%s", name[r]);
        for (int a = 0; a < ARNE_ALGORITHM_COUNT; a++) {
            if (!is_timed(a)) continue;
            table_cell(&t, "%s", cmd_bench_name_of(a));
            for (int r = first; r < last; r++) {
                const double value = ns[r * ARNE_ALGORITHM_COUNT + a];
                // A frame with fewer than six freedoms has no operational inertia, for one.
                if (value < 0)
                    table_cell(&t, "%s", value == -ARNE_UNSUPPORTED ? "-" : "singular");
                else
                    table_cell(&t, value < 100 ? "%.1f" : "%.0f", value);
            }
        }
        table_print(&t, 0, out);
        table_free(&t);
    }
}

static void print_json(char *const *name, const double *ns, int robot_count, FILE *out)
{
    json j = json_begin(out);
    json_open(&j, NULL, '[');
    for (int r = 0; r < robot_count; r++)
        for (int a = 0; a < ARNE_ALGORITHM_COUNT; a++) {
            if (!is_timed(a)) continue;
            const double value = ns[r * ARNE_ALGORITHM_COUNT + a];
            json_line(&j, 1);
            json_open(&j, NULL, '{');
            json_text(&j, "robot", name[r]);
            json_text(&j, "algorithm", cmd_bench_name_of(a));
            json_number(&j, "ns", value < 0 ? HUGE_VAL : value);
            json_close(&j, '}');
        }
    fputs("\n]\n", out);
}

static int bench_robots(const text_list *paths, const bench_args *args)
{
    double *ns = need((size_t)paths->count * ARNE_ALGORITHM_COUNT, sizeof *ns);
    char  **name = need((size_t)paths->count, sizeof *name);
    output  out;
    int     code = output_open(&out, args->output);
    for (int i = 0; i < paths->count && code == EXIT_FINE; i++)
        code = time_robot(paths->text[i], &args->robot, &ns[(size_t)i * ARNE_ALGORITHM_COUNT],
                          &name[i]);
    if (code == EXIT_FINE) {
        (args->json ? print_json : print_table)(name, ns, paths->count, out.stream);
        code = output_deliver(&out);
    } else {
        output_drop(&out);
    }
    for (int i = 0; i < paths->count; i++)
        free(name[i]);
    free(name);
    free(ns);
    return code;
}

static int bench_devices(const text_list *paths, const bench_args *args)
{
    output out;
    int    code = output_open(&out, args->output);
    for (int i = 0; i < paths->count && code == EXIT_FINE; i++) {
        arne_robot *robot;
        code = load_robot(paths->text[i], &args->robot, NULL, &robot);
        if (code != EXIT_FINE) break;
        code = bench_gpu(robot, args->cache, args->output ? out.stream : stdout);
        arne_robot_free(robot);
    }
    const int delivered =
        output_deliver(&out); // also where a result is wrong: the table says which
    return code == EXIT_FINE ? delivered : code;
}

static int bench_paths(const text_list *paths, const bench_args *args)
{
    if (args->cache && !args->gpu) return fail_usage("bench: --cache is for --gpu");
    if (args->gpu && args->json) return fail_usage("bench: --gpu prints a table, not --json");
    return (args->gpu ? bench_devices : bench_robots)(paths, args);
}

static int bench_own(const bench_args *args)
{
    static const char *const own[] = {"arm6", "arm7", "quadruped", "humanoid"};
    enum { OWN = sizeof own / sizeof own[0] };
    char     *path[OWN] = {0};
    text_list paths = {0};
    int       code = EXIT_FINE;
    for (int i = 0; i < OWN && code == EXIT_FINE; i++) {
        path[i] = find_robot(args->robots, own[i]);
        if (path[i])
            text_list_add(&paths, path[i], i);
        else
            code = EXIT_DATA;
    }
    if (code == EXIT_FINE) code = bench_paths(&paths, args);
    for (int i = 0; i < OWN; i++)
        free(path[i]);
    text_list_free(&paths);
    return code;
}

int cmd_bench(int argc, char **argv)
{
    bench_args args = {0};
    text_list  operands = {0};
    int        code = options_parse(&bench, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;
    code = operands.count ? bench_paths(&operands, &args) : bench_own(&args);
    options_free(&bench, &args, &operands);
    return code;
}

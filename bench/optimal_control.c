// Optimal control over a horizon: time of one iteration with 100 knots, and where it goes, beside
// what is aimed at. One core; processor time, the least of many runs.
//
//     arne_optimal_control_bench
//
// An iteration is the derivatives of all knots, one Riccati recursion and one trial of the line
// search: near an optimum there is only one.
//
// A tick is one step of receding horizon control at 1 kHz: an arm of 7 axes follows an eight within
// 40 % of its torques, 30 knots of 10 ms, one iteration; then with its joint speeds bounded, too.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include <arne/arne.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KNOTS = 100, ROUNDS = 60 };

typedef struct row {
    const char *name, *file, *frame;
    double      aim;     // ms; 0: none
    int         stands;  // on all its contact shapes but the last
    int         threads; // 0: one; else the time is that of the wall
} row;

static const row rows[] = {
    {"arm of 6 axes", "puma560.yaml", "link6", 0.5, 0, 0},
    {"arm of 7 axes", "arm7.urdf", "link7", 0.5, 0, 0},
    {"quadruped, no contact", "quadruped.yaml", NULL, 2, 0, 0},
    {"quadruped, four feet", "quadruped.yaml", NULL, 4, 1, 0},
    {"the same, two threads", "quadruped.yaml", NULL, 0, 1, 2},
    {"humanoid", "humanoid.yaml", NULL, 12, 0, 0},
    {"the same, two threads", "humanoid.yaml", NULL, 0, 0, 2},
};

// context: not NULL for the time of the wall
static double seconds(void *context)
{
    struct timespec t;
    clock_gettime(context ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static arne_robot *read_robot(const row *r)
{
    char                     path[4096];
    arne_builder            *builder = NULL;
    arne_robot              *robot = NULL;
    arne_error               error;
    const arne_build_options smooth = {.no_friction = 1};
    snprintf(path, sizeof path, "%s/%s", ARNE_ROBOTS_DIR, r->file);
    if (arne_builder_new(&builder) || arne_read(builder, path, &error) ||
        arne_builder_finish(builder, &smooth, &robot, &error))
        fprintf(stderr, "%s: %s\n", path, error.text);
    arne_builder_free(builder);
    return robot;
}

// A frame is to move by two centimetres, at small weights of states and controls.
static void measure(const row *r, const arne_robot *robot)
{
    const arne_sizes      s = arne_robot_sizes(robot);
    const int             n = s.v_count, named = r->frame ? arne_find_frame(robot, r->frame) : -1;
    const int             frame = named >= 0 ? named : s.link_count - 1;
    arne_oc              *oc = NULL;
    arne_error            error;
    arne_work            *work = NULL;
    double               *x = calloc((size_t)(s.q_count + n), sizeof *x);
    double                pose[12];
    arne_oc_result        best = {0};
    const arne_oc_options first = {.iterations = 20, .hessian = ARNE_OC_GAUSS_NEWTON};
    const arne_oc_options one = {.iterations = 1,
                                 .hessian = ARNE_OC_GAUSS_NEWTON,
                                 .tolerance = 1e-300,
                                 .cost_tolerance = 1e-300,
                                 .clock = seconds,
                                 .clock_context = r->threads ? (void *)(uintptr_t)r : NULL};
    if (!x || arne_work_new(robot, &work)) exit(1);
    arne_neutral(robot, x);
    for (int leg = 0; leg < 4 && r->stands; leg++) { // bent, so that feet can hold it
        x[7 + 3 * leg + 1] = leg < 2 ? 0.6 : -0.6;
        x[7 + 3 * leg + 2] = leg < 2 ? -1.2 : 1.2;
    }
    arne_kinematics(robot, work, x, NULL, NULL);
    const arne_pose X = arne_frame_pose(robot, work, frame);
    const double    now[12] = {X.R.x.x, X.R.x.y, X.R.x.z, X.R.y.x,      X.R.y.y, X.R.y.z,
                               X.R.z.x, X.R.z.y, X.R.z.z, X.p.x + 0.02, X.p.y,   X.p.z};
    memcpy(pose, now, sizeof now);
    const arne_oc_term terms[4] = {
        {.quantity = ARNE_OC_POSE, .index = frame, .weight = 1, .reference = pose},
        {.quantity = ARNE_OC_STATE, .weight = 0.1, .reference = x},
        {.quantity = ARNE_OC_CONTROL, .weight = 0.1},
        {.quantity = ARNE_OC_POSE, .index = frame, .at_end = 1, .weight = 10, .reference = pose}};
    arne_oc_contact feet[8];
    const int       foot_count = r->stands ? s.contact_count - 1 : 0;
    for (int i = 0; i < foot_count; i++)
        feet[i] = (arne_oc_contact){.frame = arne_robot_contact(robot, i).link};
    const arne_oc_phase   phase = {.contacts = feet, .contact_count = foot_count};
    const arne_oc_problem problem = {.robot = robot,
                                     .knots = KNOTS,
                                     .step = 0.01,
                                     .terms = terms,
                                     .term_count = 4,
                                     .phases = &phase,
                                     .phase_count = r->stands,
                                     .threads = r->threads};
    if (arne_oc_new(&problem, &oc, &error)) {
        fprintf(stderr, "%s: %s\n", r->name, error.text);
        exit(1);
    }
    double least = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        arne_oc_result result;
        x[s.q_count + n - 1] += i % 2 ? 1e-3 : -1e-3; // the optimum moves a little
        if (i == 0) (void)!arne_oc_solve(oc, x, x + s.q_count, &first, NULL, NULL);
        (void)!arne_oc_solve(oc, x, x + s.q_count, &one, &result, NULL);
        if (result.iterations != 1 || result.trials < 1) continue;
        result.search_time /= result.trials;
        const double time = result.derivative_time + result.riccati_time + result.search_time;
        if (time >= least) continue;
        least = time;
        best = result;
    }
    printf("%-24s %4d %9.3f %12.3f %9.3f %9.3f", r->name, n, 1e3 * least,
           1e3 * best.derivative_time, 1e3 * best.riccati_time, 1e3 * best.search_time);
    if (r->aim > 0) printf("   aim %.1f%s", r->aim, 1e3 * least <= r->aim ? "" : ": missed");
    printf("\n");
    arne_oc_free(oc);
    arne_work_free(work);
    free(x);
}

// ---- ticks ----

enum { TICK_KNOTS = 30, TICKS = 1000, RUNS = 20, AXES = 7 };

typedef struct ticking {
    double target[(TICK_KNOTS + 1) * 12], hold[AXES], x[2 * AXES], rest[2 * AXES];
    double weights[2 * AXES], end_weights[2 * AXES];
} ticking;

static void aim_at(ticking *t, const double *start, double time)
{
    const double pi = 3.14159265358979323846;
    for (int k = 0; k <= TICK_KNOTS; k++) {
        const double now = time + 0.01 * k;
        double      *to = t->target + 12 * k;
        memcpy(to, start, 12 * sizeof *to);
        to[10] += 0.15 * sin(pi * now);
        to[11] += 0.10 * sin(2 * pi * now);
    }
}

// One run: times of its ticks, or their parts.
static void ticks_run(const arne_robot *robot, arne_work *work, arne_oc *oc, ticking *t,
                      const double *start, double *times, double *parts)
{
    const arne_oc_options one = {
        .iterations = 1, .hessian = ARNE_OC_GAUSS_NEWTON, .clock = parts ? seconds : NULL};
    arne_oc_result r;
    double         u[AXES], a[AXES];
    (void)!arne_oc_start(oc, NULL, NULL, NULL);
    memcpy(t->x, t->rest, sizeof t->x);
    for (int i = 0; i < TICKS; i++) {
        aim_at(t, start, 1e-3 * i);
        arne_gravity(robot, work, t->x, t->hold);
        const double begun = seconds(NULL);
        if (arne_oc_step(oc, t->x, t->x + AXES, i ? 1e-3 : 0, &one, u, NULL, &r, NULL)) exit(1);
        times[i] = seconds(NULL) - begun;
        for (int k = 0; k < 3 && parts; k++)
            parts[k] += k == 0 ? r.derivative_time : k == 1 ? r.riccati_time : r.search_time;
        if (parts) parts[3] += times[i];
        if (arne_forward_dynamics(robot, work, t->x, t->x + AXES, u, NULL, a, NULL)) exit(1);
        for (int k = 0; k < AXES; k++) {
            t->x[AXES + k] += 1e-3 * a[k];
            t->x[k] += 1e-3 * t->x[AXES + k];
        }
    }
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// speed: of all joints [rad/s]; 0: no bounds
static void measure_ticks(const arne_robot *robot, double speed, double aim)
{
    static const double q0[AXES] = {0, -0.785398, 0, -2.356194, 0, 1.570796, 0.785398};
    static double       times[RUNS * TICKS];
    const int           frame = arne_find_frame(robot, "link7");
    ticking             t = {.target = {0}};
    arne_work          *work = NULL;
    arne_oc            *oc = NULL;
    double              low[AXES], high[AXES], slow[2 * AXES], fast[2 * AXES], most = 0;
    if (arne_work_new(robot, &work)) exit(1);
    memcpy(t.rest, q0, sizeof q0);
    for (int i = 0; i < 2 * AXES; i++) {
        t.weights[i] = i < AXES ? 0.1 : 0.02;
        t.end_weights[i] = i < AXES ? 0 : 0.2;
        fast[i] = i < AXES ? INFINITY : speed;
        slow[i] = -fast[i];
    }
    for (int i = 0; i < AXES; i++)
        low[i] = -(high[i] = i < 4 ? 34.8 : 4.8);
    arne_kinematics(robot, work, q0, NULL, NULL);
    const arne_pose    X = arne_frame_pose(robot, work, frame);
    const double       start[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, X.p.x, X.p.y, X.p.z};
    const arne_oc_term terms[] = {
        {.quantity = ARNE_OC_POSITION,
         .index = frame,
         .weight = 2000,
         .reference = t.target,
         .reference_stride = 12},
        {.quantity = ARNE_OC_POSITION,
         .index = frame,
         .weight = 200,
         .reference = t.target,
         .reference_stride = 12,
         .at_end = 1},
        {.quantity = ARNE_OC_STATE, .weight = 1, .weights = t.weights, .reference = t.rest},
        {.quantity = ARNE_OC_STATE,
         .weight = 1,
         .weights = t.end_weights,
         .reference = t.rest,
         .at_end = 1},
        {.quantity = ARNE_OC_CONTROL, .weight = 2e-4, .reference = t.hold},
        {.quantity = ARNE_OC_STATE,
         .first = 1,
         .last = TICK_KNOTS - 1,
         .lower = slow,
         .upper = fast}};
    const arne_oc_problem problem = {.robot = robot,
                                     .knots = TICK_KNOTS,
                                     .step = 0.01,
                                     .control_lower = low,
                                     .control_upper = high,
                                     .terms = terms,
                                     .term_count = speed > 0 ? 6 : 5};
    if (arne_oc_new(&problem, &oc, NULL)) exit(1);
    for (int i = 0; i < RUNS; i++)
        ticks_run(robot, work, oc, &t, start, times + (ptrdiff_t)i * TICKS, NULL);
    for (int i = 0; i < RUNS * TICKS; i++)
        most = fmax(most, times[i]);
    qsort(times, RUNS * TICKS, sizeof *times, rising);
    const double late = times[RUNS * TICKS * 99 / 100];
    printf("%-34s median %.3f, 99 of 100 %.3f, most %.3f   aim %.1f%s\n",
           speed > 0 ? "ms of a tick, with bounds of speed" : "ms of a tick, arm of 7 axes",
           1e3 * times[RUNS * TICKS / 2], 1e3 * late, 1e3 * most, 1e3 * aim,
           late <= aim ? "" : ": missed");
    double parts[4] = {0};
    ticks_run(robot, work, oc, &t, start, times, parts);
    printf("%-34s derivatives %.0f, Riccati %.0f, line search %.0f %%\n", "",
           100 * parts[0] / parts[3], 100 * parts[1] / parts[3], 100 * parts[2] / parts[3]);
    arne_oc_free(oc);
    arne_work_free(work);
}

int main(void)
{
    arne_robot *arm = NULL;
    printf("%-24s %4s %9s %12s %9s %9s\n", "ms of an iteration", "n", "all", "derivatives",
           "Riccati", "search");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arne_robot *robot = read_robot(&rows[i]);
        if (!robot) return 1;
        measure(&rows[i], robot);
        if (i == 1) arm = robot;
        if (i != 1) arne_robot_free(robot);
    }
    measure_ticks(arm, 0, 0.3e-3);
    measure_ticks(arm, 2.175, 0.3e-3);
    arne_robot_free(arm);
    return 0;
}

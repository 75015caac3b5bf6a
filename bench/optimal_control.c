// Optimal control over a horizon: time of one iteration with 100 knots, and where it goes, beside
// what is aimed at. One core; processor time, the least of many runs.
//
//     arne_optimal_control_bench
//
// An iteration is the derivatives of all knots, one Riccati recursion and one trial of the line
// search: near an optimum there is only one.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include <arne/arne.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KNOTS = 100, ROUNDS = 60 };

typedef struct row {
    const char *name, *file, *frame;
    double      aim;    // ms
    int         stands; // on all its contact shapes but the last
} row;

static const row rows[] = {
    {"arm of 6 axes", "puma560.yaml", "link6", 0.5, 0},
    {"arm of 7 axes", "arm7.urdf", "link7", 0.5, 0},
    {"quadruped, no contact", "quadruped.yaml", NULL, 2, 0},
    {"quadruped, four feet", "quadruped.yaml", NULL, 4, 1},
    {"humanoid", "humanoid.yaml", NULL, 12, 0},
};

static double seconds(void *context)
{
    struct timespec t;
    (void)context;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
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
                                 .clock = seconds};
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
                                     .phase_count = r->stands};
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
    printf("%-24s %4d %9.3f %12.3f %9.3f %9.3f   aim %.1f%s\n", r->name, n, 1e3 * least,
           1e3 * best.derivative_time, 1e3 * best.riccati_time, 1e3 * best.search_time, r->aim,
           1e3 * least <= r->aim ? "" : ": missed");
    arne_oc_free(oc);
    arne_work_free(work);
    free(x);
}

int main(void)
{
    printf("%-24s %4s %9s %12s %9s %9s\n", "ms of an iteration", "n", "all", "derivatives",
           "Riccati", "search");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arne_robot *robot = read_robot(&rows[i]);
        if (!robot) return 1;
        measure(&rows[i], robot);
        arne_robot_free(robot);
    }
    return 0;
}

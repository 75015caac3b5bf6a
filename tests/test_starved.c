#define _POSIX_C_SOURCE 200809L // mkdtemp
// Work with too little memory: each allocation of a job is refused in turn. Every time the job says
// that there is no memory, and gives back all it has taken.
#include "meter.h"
#include "testing.h"

#include <arne/arne.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A job frees all that it makes.
typedef arne_status (*job_fn)(const void *what, arne_error *error);

// `every`: only each of so many allocations is refused, where there are many. `streams`: so many
// refusals do no harm: a stream without a buffer is slow, and a file that cannot be kept is read
// again.
static void starve_streams(const char *name, job_fn job, const void *what, int every, int streams)
{
    int refusals = 0, spared = 0, taken = 0;
    for (int i = 1;; i += every) {
        arne_error error = {0};
        meter_start(i);
        const arne_status status = job(what, &error);
        const meter       m = meter_stop();
        // Where allocations of the C library are not seen, what it hands over is freed all the
        // same.
        if (SEES_ALL ? m.live != 0 : m.live > 0)
            fail_msg("%s: allocation %d refused: %d blocks leak", name, i, m.live);
        if (!m.refused) {
            if (status) fail_msg("%s: %s", name, error.text);
            taken = m.taken;
            break;
        }
        refusals++;
        if (status == ARNE_OK) spared++;
        if (status != ARNE_OK && status != ARNE_NO_MEMORY)
            fail_msg("%s: allocation %d refused: %s: %s", name, i, arne_status_text(status),
                     error.text);
    }
    print_message("%s: %d of %d allocations refused, %d done without\n", name, refusals, taken,
                  spared);
    assert_true(refusals > 2);
    if (spared > streams) fail_msg("%s: %d refusals are not told", name, spared);
}

static void starve(const char *name, job_fn job, const void *what, int every)
{
    starve_streams(name, job, what, every, 3);
}

// ---- simulations

static arne_status simulate(const void *what, arne_error *error)
{
    arne_simulation_summary summary;
    arne_table             *table = NULL;
    const arne_status       status = arne_simulate(what, NULL, NULL, &table, &summary, error);
    arne_table_free(table);
    return status;
}

static arne_status read_scenario(const void *what, arne_error *error)
{
    arne_scenario    *s = NULL;
    const arne_status status =
        arne_scenario_read_yaml(what, strlen(what), ARNE_ROBOTS_DIR "/s.yaml", NULL, &s, error);
    arne_scenario_free(s);
    return status;
}

#define STEPS                                                                                      \
    "duration: 0.003\nrecord: {every: 0.001, columns: [q, qd, qdd, tau, energy, "                  \
    "wrench]}\nintegrator: {method: rk4, step: "                                                   \
    "0.001}\n"
#define ARM "robot: arm6.yaml\n" STEPS
#define GOES "reference: {type: point_to_point, to: 0.2, duration: 0.1}\n"

static void simulations(void **unused)
{
    static const char *const texts[] = {
        ARM GOES "controller: {type: pd, kp: 50, kd: 5}\nfriction: stick\nlimits: hold\n",
        ARM GOES "controller: {type: computed_torque, kp: 50, kd: 5, sample_time: 0.002}\n",
        ARM "reference: {type: waypoints, times: [0, 0.1, 0.2], points: [[0, 0, 0, 0, 0, 0], [1, "
            "1, 1, 1, 1, 1], [1, 0, 1, 0, 1, 0]]}\ndrive: reference\n",
        ARM "reference: {type: sinusoid, harmonics: [{frequency: 2, amplitude: 0.1}]}\ncontroller: "
            "{type: impedance, frame: link6, stiffness: [9, 9, 9, 1, 1, 1], damping: [9, 9, 9, 1, "
            "1, 1]}\n",
        ARM
        "surroundings: [{type: drag, frame: link1, linear: [1, 1, 1, 1, 1, 1]}, "
        "{type: tether, frame: link6, anchor: [0, 0, 1], stiffness: 3, length: 1}, {type: wing, "
        "frame: link2, area: 0.1}, {type: buoyancy, frame: link3, volume: 0.001}, {type: "
        "added_mass, frame: link2, mass: [1, 2, 3, 0.1, 0.1, 0.1]}, {type: thruster, frame: "
        "link4, force: 3, axis: [0, 0, 1], start: 0, duration: 1}]\n",
        "robot: four_bar.yaml\n" STEPS
        "initial: {q: {motor: 0.5}, qd: {motor: 1}}\ncontroller: {type: pd, kp: 1, kd: 1}\n",
        "robot: four_bar.yaml\n" STEPS "drive: reference\nreference: {type: point_to_point, from: "
        "{motor: 0.5}, to: {motor: 0.6}, duration: 0.1}\n",
        "robot: quadruped.yaml\n" STEPS
        "surroundings: [{type: ground, friction: 0.5, model: compliant, stiffness: 1e4}]\n",
        "robot: quadruped.yaml\nduration: 0.003\nsurroundings: [{type: ground, friction: "
        "0.5}]\nintegrator: {step: 0.001}\n",
        "robot: quadruped.yaml\nduration: 0.003\ninitial: {q: {front_left_knee: 1}, height: "
        "ground}\n"
        "surroundings: [{type: ground, friction: 0.5}]\nintegrator: {step: 0.001}\n"
        "controller: {type: whole_body, kp: 50, kd: 5}\n",
    };
    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        arne_scenario *s = NULL;
        arne_error     error;
        char           name[32];
        assert_ok_or(arne_scenario_read_yaml(texts[i], strlen(texts[i]), ARNE_ROBOTS_DIR "/s.yaml",
                                             NULL, &s, &error),
                     &error);
        snprintf(name, sizeof name, "simulation %d", (int)i + 1);
        starve(name, simulate, arne_scenario_simulation(s), 1);
        arne_scenario_free(s);
        snprintf(name, sizeof name, "scenario %d", (int)i + 1);
        starve(name, read_scenario, texts[i], 7);
    }
}

// ---- plans

static arne_status plan(const void *what, arne_error *error)
{
    arne_plan  *p = NULL;
    double      most[8], time[8];
    arne_status status =
        arne_plan_read_yaml(what, strlen(what), ARNE_ROBOTS_DIR "/p.yaml", NULL, &p, error);
    if (!status) status = arne_plan_utilisation(p, most, time, error);
    arne_plan_free(p);
    return status;
}

static void quiet(void *context, const char *quantity, const char *against, double first,
                  double second)
{
    (void)context, (void)quantity, (void)against, (void)first, (void)second;
}

static arne_status derivatives(const void *what, arne_error *error)
{
    arne_plan  *p = NULL;
    double      worst;
    arne_status status =
        arne_plan_read_yaml(what, strlen(what), ARNE_ROBOTS_DIR "/p.yaml", NULL, &p, error);
    if (!status) status = arne_plan_check_derivatives(p, quiet, NULL, &worst, error);
    arne_plan_free(p);
    // Values that cannot be had for want of memory are none.
    return status && strstr(error->text, "has no value") ? ARNE_NO_MEMORY : status;
}

static void plans(void **unused)
{
    static const char *const texts[] = {
        "robot: planar_2r.yaml\nspline: {degree: 5, control_points: 8}\ntime: {start: 1, least: "
        "0.2, most: 3}\nstart: {position: [0, -1], velocity: 0}\nend: {position: [1, 0], velocity: "
        "0}\nconstraints: [{quantity: torque, limits: true}]\nobjective: [{quantity: time}, "
        "{quantity: torque, weight: 0.1}]\n",
    };
    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        starve("plan", plan, texts[i], 5);
        starve("derivatives of a plan", derivatives, texts[i], 5);
    }
}

// ---- motions, code, texts

static const double from[2] = {0, 0}, to[2] = {1, 1}, times[3] = {0, 1, 2},
                    points[6] = {0, 0, 1, 1, 0, 1};

static arne_status motions(const void *robot, arne_error *error)
{
    static const double        rates[2] = {1e4, 1e4}, much[2] = {100, 100}, frequency[1] = {2};
    const arne_scaling_options how = {.torque = much, .torque_rate = rates, .sample_time = 0.02};
    arne_trajectory           *path[5] = {NULL}, *slow = NULL;
    arne_table                *table = NULL;
    arne_status status = arne_trajectory_point_to_point(robot, ARNE_PROFILE_QUINTIC, from, to, 1,
                                                        NULL, &path[0], error);
    if (!status) status = arne_trajectory_waypoints(robot, 3, 3, times, points, &path[1], error);
    if (!status)
        status = arne_trajectory_rates(robot, 3, times, points, points, points, &path[2], error);
    if (!status)
        status = arne_trajectory_sinusoid(robot, from, 1, frequency, to, from, &path[3], error);
    if (!status) status = arne_trajectory_sample(path[1], robot, 2, 5, 3, &table, error);
    if (!status) status = arne_trajectory_table(robot, 3, table, NULL, &path[4], error);
    if (!status) status = arne_trajectory_scaled(robot, path[0], &how, &slow, error);
    arne_trajectory_free(slow ? slow : path[0]);
    for (int i = 1; i < 5; i++)
        arne_trajectory_free(path[i]);
    arne_table_free(table);
    return status;
}

static arne_status code(const void *robot, arne_error *error)
{
    const char *const           names[] = {"inverse-dynamics", "forward-dynamics", "mass-matrix"};
    const arne_generate_options o = {.functions = names, .function_count = 3};
    arne_generated             *made = NULL;
    const arne_status           status = arne_generate(robot, &o, &made, error);
    arne_generated_free(made);
    return status;
}

static arne_status text(const void *robot, arne_error *error)
{
    char       *out = NULL;
    size_t      size;
    arne_status status = arne_robot_text(robot, ARNE_FORMAT_YAML, NULL, NULL, &out, &size, error);
    free(out);
    out = NULL;
    if (!status) status = arne_robot_text(robot, ARNE_FORMAT_URDF, NULL, NULL, &out, &size, error);
    free(out);
    return status;
}

static arne_status parts(const void *robot, arne_error *error)
{
    const arne_batch_options alone = {.threads = 1}; // the C library keeps memory of threads
    arne_work               *work = NULL;
    arne_base_set           *set = NULL;
    arne_robot              *form = NULL;
    arne_feedforward        *forward = NULL;
    arne_batch              *batch = NULL;
    arne_status              status = arne_work_new(robot, &work);
    if (status) return status;
    status = arne_base_set_new(robot, work, 1, 1, &set, error);
    if (!status) status = arne_robot_base_form(robot, &form, error);
    if (!status) status = arne_feedforward_new(robot, &forward, error);
    if (!status) status = arne_batch_new(robot, &alone, &batch, error);
    arne_batch_free(batch);
    arne_feedforward_free(forward);
    arne_robot_free(form);
    arne_base_set_free(set);
    arne_work_free(work);
    return status;
}

static arne_status modules(const void *robot, arne_error *error)
{
    arne_modules     *made = NULL;
    const arne_status status = arne_modules_new(robot, &made, error);
    arne_modules_free(made);
    return status;
}

// Two platforms on legs, one on the other.
static arne_robot *stack(void)
{
    static const char text[] =
        "parallel:\n  modules: 2\n  platform: {mass: 3, inertia: [0.05, 0.06, 0.08], home: {xyz: "
        "[0, 0, 0.5]}}\n"
        "  base_points: [[0.3, -0.05, 0], [0.3, 0.05, 0], [-0.1, 0.28, 0], [-0.2, 0.23, 0], [-0.2, "
        "-0.23, 0], [-0.1, -0.28, 0]]\n"
        "  platform_points: [[0.15, -0.2, 0], [0.15, 0.2, 0], [0.1, 0.23, 0], [-0.25, 0.04, 0], "
        "[-0.25, -0.04, 0], [0.1, -0.23, 0]]\n"
        "  legs: {kind: UPS, joints: [{name: turn, mass: 0.1, inertia: [1e-4, 1e-4, 1e-4]}, {name: "
        "tilt, mass: 0.1}, {name: slide, mass: 0.3}]}\n";
    arne_builder *b = NULL;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&b));
    assert_ok_or(arne_read_yaml(b, text, strlen(text), "stack.yaml", &error), &error);
    assert_ok_or(arne_builder_finish(b, NULL, &robot, &error), &error);
    arne_builder_free(b);
    return robot;
}

static void others(void **unused)
{
    (void)unused;
    arne_robot *robot = read_robot("planar_2r", NULL), *bar = read_robot("four_bar", NULL);
    starve("motions", motions, robot, 1);
    starve("code", code, robot, 1);
    starve("code of a loop", code, bar, 1);
    starve("text", text, robot, 1);
    starve("parts", parts, robot, 1);
    arne_robot *platforms = stack();
    starve("modules", modules, platforms, 1);
    arne_robot_free(platforms);
    arne_robot_free(bar);
    arne_robot_free(robot);
}

// ---- robot files that name others

static arne_status read_named(const void *what, arne_error *error)
{
    arne_robot       *robot = NULL;
    const arne_status status = arne_robot_read(what, NULL, &robot, error);
    arne_robot_free(robot);
    return status;
}

static void files_that_name_files(void **unused)
{
    (void)unused;
    starve("xacro", read_named, "tests/data/xacro/arm.urdf.xacro name:=a", 1);
    starve("SDF", read_named, "tests/data/sdf/hand.sdf", 1);
}

// ---- identification, sweeps, pages

enum { ROWS = 80 };

typedef struct recording {
    const arne_robot *robot;
    double            time[ROWS], q[2 * ROWS], tau[2 * ROWS];
    arne_log          log;
} recording;

static void record(recording *r, const arne_robot *robot)
{
    arne_work *work = NULL;
    r->robot = robot;
    assert_ok(arne_work_new(robot, &work));
    for (int i = 0; i < ROWS; i++) {
        double qd[2], qdd[2];
        r->time[i] = 0.05 * i;
        for (int k = 0; k < 2; k++) {
            const double w = 2 + 1.3 * k, at = w * r->time[i];
            r->q[2 * i + k] = 0.8 * sin(at) + 0.3 * cos(2.1 * at);
            qd[k] = w * (0.8 * cos(at) - 0.63 * sin(2.1 * at));
            qdd[k] = w * w * (-0.8 * sin(at) - 1.323 * cos(2.1 * at));
        }
        arne_inverse_dynamics(robot, work, r->q + 2 * (size_t)i, qd, qdd, NULL,
                              r->tau + 2 * (size_t)i);
        for (int k = 0; k < 2; k++) // and friction
            r->tau[2 * i + k] += 0.2 * qd[k] + (qd[k] > 0 ? 0.1 : -0.15);
    }
    r->log = (arne_log){.rows = ROWS, .time = r->time, .q = r->q, .tau = r->tau};
    arne_work_free(work);
}

static arne_status fit(const void *what, arne_error *error)
{
    const recording            *r = what;
    const arne_identify_options o = {.threads = 1, .cutoff = 4, .torque_cutoff = 3, .springs = 1};
    arne_identify              *s = NULL;
    arne_robot                 *found = NULL;
    arne_status                 status = arne_identify_new(r->robot, &o, &s, error);
    if (!status) status = arne_identify_add_log(s, &r->log, ARNE_LOG_FIT, error);
    if (!status) status = arne_identify_add_log(s, &r->log, ARNE_LOG_VALIDATE, error);
    if (!status) status = arne_identify_fit_robot(s, error);
    if (!status) status = arne_identify_robot(s, &found, error);
    arne_robot_free(found);
    arne_identify_free(s);
    return status;
}

static arne_status design(const void *what, arne_error *error)
{
    const arne_design_options o = {
        .period = 2, .harmonics = 2, .starts = 1, .iterations = 1, .seed = 1};
    arne_design      *d = NULL;
    const arne_status status = arne_design_new(((const recording *)what)->robot, &o, &d, error);
    arne_design_free(d);
    return status;
}

// A row whose run fails says so in its line.
static arne_status sweep_row(const void *what, arne_error *error)
{
    arne_sweep *s = NULL;
    char       *line = NULL;
    arne_status status = arne_sweep_read(what, NULL, &s, error);
    if (!status) status = arne_sweep_row(s, 1, NULL, &line, error);
    if (!status && strstr(line, "memory")) status = ARNE_NO_MEMORY;
    free(line);
    arne_sweep_free(s);
    return status;
}

static arne_status page(const void *what, arne_error *error)
{
    static const char     file[] = ARNE_ROBOTS_DIR "/five_bar.yaml";
    const arne_robot_page how = {.looks = file};
    arne_robot           *robot = NULL;
    arne_status           status = arne_robot_read(file, NULL, &robot, error);
    if (!status) status = arne_report_robot(what, robot, &how, error);
    arne_robot_free(robot);
    return status;
}

static arne_status sweep_page(const void *what, arne_error *error)
{
    char path[64];
    snprintf(path, sizeof path, "%s/swept", (const char *)what);
    return arne_sweep_report(path, error);
}

static void finished_sweep(const char *path, const char *dir)
{
    const arne_sweep_options how = {.jobs = 1, .alone = 1};
    arne_sweep              *s = NULL;
    arne_error               error;
    char                     out[64];
    snprintf(out, sizeof out, "%s/swept", dir);
    assert_ok_or(arne_sweep_read(path, NULL, &s, &error), &error);
    assert_ok_or(arne_sweep_run(s, out, &how, NULL, &error), &error);
    arne_sweep_free(s);
}

static void write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_true(out && fputs(text, out) >= 0 && fclose(out) == 0);
}

static void sweeps_and_pages(void **unused)
{
    static const char quantity[] =
        "run: {compute: jacobian, robot: " ARNE_ROBOTS_DIR "/planar_2r.yaml, frame: tip}\n"
        "parameters: {q.joint1: [0, 1], robot.bodies.link2.mass: {uniform: [0.4, 0.6]}}\n"
        "design: sobol\nsamples: 2\n";
    static const char run[] = "robot: " ARNE_ROBOTS_DIR "/planar_2r.yaml\nduration: 0.01\n"
                              "controller: {type: pd, kp: 10, kd: 1}\n"
                              "integrator: {method: rk4, step: 0.005}\n";
    static const char robust[] = "run: run.yaml\nrobustness: 10 %\ndesign: lhs\nsamples: 2\n"
                                 "figures: {last: {column: q.joint1, reduce: last}}\n";
    char              dir[] = "/tmp/arne_starved_XXXXXX", path[64], page_path[64];
    (void)unused;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/run.yaml", dir);
    write_text(path, run);
    snprintf(path, sizeof path, "%s/sweep.yaml", dir);
    write_text(path, quantity);
    starve("row of a sweep", sweep_row, path, 1);
    write_text(path, robust);
    starve("row of robustness", sweep_row, path, 1);
    snprintf(page_path, sizeof page_path, "%s/page.html", dir);
    starve("page", page, page_path, 1);
    write_text(path, quantity);
    finished_sweep(path, dir);
    starve_streams("page of a sweep", sweep_page, dir, 1, 6);
    snprintf(path, sizeof path, "rm -rf %s", dir);
    assert_int_equal(system(path), 0);
}

static void studies(void **unused)
{
    const arne_build_options down = {.gravity = &(arne_vec3){0, -9.81, 0}};
    arne_robot              *robot = NULL;
    arne_error               error;
    recording                r;
    (void)unused;
    assert_ok_or(arne_robot_read(ARNE_ROBOTS_DIR "/planar_2r.yaml", &down, &robot, &error), &error);
    record(&r, robot);
    starve("fit", fit, &r, 1);
    starve("design", design, &r, 1);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_that_name_files),
                                       cmocka_unit_test(simulations),
                                       cmocka_unit_test(plans),
                                       cmocka_unit_test(others),
                                       cmocka_unit_test(studies),
                                       cmocka_unit_test(sweeps_and_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// arne simulate SCENARIO: runs a scenario and leaves a folder with all there is to know.
#include "load_scenario.h"
#include "message.h"
#include "open_page.h"
#include "options.h"
#include "print_schema.h"
#include "verbs.h"
#include "which_verb.h"

#include <arne/kinematics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct simulate_args {
    const char *out;
    int         quiet, check, view, resume, schema;
    text_list   package;
} simulate_args;

#define AT(field) offsetof(simulate_args, field)
static const option options[] = {
    OPTION_OUT(
        "the folder of the run (default: SCENARIO's name, .run); a run that is there is replaced"),
    OPTION_QUIET(quiet, "no warnings, no summary"),
    OPTION_PACKAGE(package),
    OPTION_VIEW,
    FLAG("--resume", resume, "continue the run that was stopped, in DIR.incomplete"),
    OPTION_SCHEMA("scenarios"),
    FLAG("--check", check, "fail if a figure is not within its tolerance"),
    OPTION_END,
};

static const command simulate = {
    "simulate",
    "SCENARIO",
    "Runs a scenario: a robot, its controller, its surroundings, over time. The folder of the run\n"
    "holds inputs/, result.csv, summary.json and report.html. Ctrl-C ends a run early and keeps\n"
    "what there is in DIR.incomplete; --resume goes on from there.",
    1,
    1,
    options,
    NULL};

static void print_figures(const arne_scenario *s)
{
    for (int i = 0; i < arne_scenario_figure_count(s); i++) {
        const arne_figure f = arne_scenario_figure(s, i);
        char              name[128];
        printf("  %-36s %12.6g %-6s", shown(f.name, name, sizeof name), f.value, f.unit);
        if (!isnan(f.published)) printf("  expected %.6g", f.published);
        printf("\n");
    }
}

static int check_figures(const arne_scenario *s, const char *path)
{
    int code = EXIT_FINE;
    for (int i = 0; i < arne_scenario_figure_count(s); i++) {
        const arne_figure f = arne_scenario_figure(s, i);
        if (!arne_figure_good(&f))
            code = fail_data("%s: %s is %.6g, more than %.3g of it from %.6g", path, f.name,
                             f.value, f.within, f.published);
    }
    return code;
}

// Which joint passed which limit, and when. Where that ended the run, its end says so.
static void print_limits(const arne_simulation_spec *sim, const arne_simulation_summary *r)
{
    const int held = sim->stop_at_limits == ARNE_LIMITS_HOLD;
    if (sim->stop_at_limits == ARNE_LIMITS_STOP) return;
    for (long i = 0; i < r->limit_event_count; i++) {
        const arne_limit_event *e = &r->limit_events[i];
        const arne_joint_info   j = arne_robot_joint(sim->robot, e->joint);
        char                    name[128];
        printf("  joint '%s' %s its %s limit %.6g %s at %.4g s%s\n",
               shown(j.name, name, sizeof name), held ? "stopped at" : "passed",
               e->upper ? "upper" : "lower", e->upper ? j.upper : j.lower,
               arne_joint_unit(&j, 0, 0), e->time,
               held ? " (limits: hold)" : "; the motion goes on (limits: report)");
    }
}

// A robot that is not driven and starts in balance does not move.
static void print_stillness(const arne_simulation_spec *sim, const arne_simulation_summary *r)
{
    const double seen = 0.5e-6 * arne_total_mass(sim->robot); // at 1 mm/s
    if (sim->controller || sim->drive == ARNE_DRIVE_REFERENCE || r->kinetic_largest >= seen) return;
    printf("  nothing moves: the robot starts at rest and in balance; initial: {q: ...} starts it "
           "elsewhere\n");
}

static void cmd_simulate_print_summary(const arne_scenario *s, const arne_simulation_summary *r)
{
    char title[256], ended[256];
    printf("%s\n", shown(arne_scenario_title(s), title, sizeof title));
    printf("  %g s in %.3g s (%.3g times real time), %ld steps, %ld evaluations\n", r->time,
           r->solve_time, r->realtime_ratio, r->steps, r->rates);
    if (arne_scenario_simulation(s)->reference)
        printf("  error %.6g rms, %.6g at most\n", r->rms_error, r->peak_error);
    printf("  energy residual %.3g of the largest kinetic energy\n", r->energy_residual);
    if (r->limits_hit)
        printf("  limits were hit %ld time%s\n", r->limits_hit, r->limits_hit == 1 ? "" : "s");
    print_limits(arne_scenario_simulation(s), r);
    if (r->beyond >= 0)
        warn("beyond",
             "joint '%s': the motion is beyond the points of its spline or its largest turn "
             "from %.4g s on",
             arne_robot_joint(arne_scenario_simulation(s)->robot, r->beyond).name, r->beyond_time);
    if (r->ended[0]) printf("  %s\n", shown(r->ended, ended, sizeof ended));
    print_stillness(arne_scenario_simulation(s), r);
    print_figures(s);
}

int cmd_simulate(int argc, char **argv)
{
    if (wants_schema(argc, argv, ARNE_DOCUMENT_SCENARIO)) return EXIT_FINE;
    simulate_args           args = {0};
    text_list               operands = {0};
    arne_scenario          *scenario = NULL;
    arne_simulation_summary summary;
    int                     code = options_parse(&simulate, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;
    const char *path = operands.text[0];
    char       *dir =
        args.out ? need_copy(args.out, strlen(args.out)) : run_folder_of(path, "scenario", ".run");
    code = check_kind(path, ARNE_DOCUMENT_SCENARIO);
    if (code == EXIT_FINE) code = load_scenario(path, args.quiet, &scenario);
    if (code == EXIT_FINE) {
        code = run_scenario(scenario, path, dir, args.resume, &summary);
        if (code == EXIT_FINE && !args.quiet) cmd_simulate_print_summary(scenario, &summary);
        if (code == EXIT_FINE && (args.view || !args.quiet)) name_report(dir, args.view);
        if (code == EXIT_FINE && args.check) code = check_figures(scenario, path);
    }
    arne_scenario_free(scenario);
    free(dir);
    options_free(&simulate, &args, &operands);
    return code;
}

// arne plan PROBLEM: the best motion, and its folder.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "message.h"
#include "notes.h"
#include "open_page.h"
#include "options.h"
#include "plan_horizon.h"
#include "plan_starts.h"
#include "print_schema.h"
#include "signals.h"
#include "verbs.h"
#include "which_verb.h"

#include <arne/configuration.h>
#include <arne/horizon.h>
#include <arne/plan.h>
#include <arne/report.h>
#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct plan_args {
    const char *out, *warm, *log, *normal;
    number_list refine, converge, starts, seed, jobs;
    int         check, feasibility_first, quiet, plots, view, resume, schema;
    text_list   package;
} plan_args;

#define AT(field) offsetof(plan_args, field)
static const option options[] = {
    OPTION_OUT("the folder of the run; an earlier run in it is replaced"),
    NUMBERS("--refine", "N", refine,
            "add grid points where constraints are violated between them, at most N times", 1),
    NUMBERS("--converge", "PART", converge,
            "double the spans until the relative change of the objective is below PART, and print "
            "the table",
            1),
    NUMBERS("--starts", "N", starts,
            "search from N starts, all but the first at random, and keep the best motion", 1),
    NUMBERS("--seed", "N", seed, "seed of the random starts (default: 1)", 1),
    OPTION_ROW("--jobs", "-j", OPTION_NUMBERS, "N", jobs,
               "threads that evaluate grid points, or processes for several starts (default: one "
               "for each processor); results do not depend on it",
               1),
    FLAG("--feasibility-first", feasibility_first,
         "first find any motion that satisfies the constraints"),
    TEXT("--warm", "DIR", warm, "start from the motion of an earlier run"),
    FLAG("--resume", resume,
         "continue from the best motion of an interrupted search, in DIR.incomplete"),
    FLAG("--check-derivatives", check,
         "compare every derivative with the complex step, without a search"),
    TEXT("--normal", "FILE", normal,
         "measured gait to compare a walking motion with, in the report"),
    FLAG("--plots", plots, "also write the plots of the report as files"),
    OPTION_VIEW,
    OPTION_SCHEMA("problem files"),
    TEXT("--log", "FILE", log, "write the output of the solver to FILE"),
    OPTION_QUIET_RUN,
    OPTION_PACKAGE(package),
    OPTION_END,
};

static const command plan_verb = {
    "plan",
    "PROBLEM",
    "Finds the best motion of a robot: the one that takes the least time, effort or whatever the "
    "problem file\n"
    "asks for, within its constraints. With --out it leaves a folder with the motion, a summary "
    "and a report.\n"
    "An interrupt (Ctrl-C) ends the search and keeps the best motion so far in DIR.incomplete.",
    1,
    1,
    options,
    NULL};

// ---- progress and interrupts

static int cmd_plan_show_progress(void *unused, const arne_plan_progress *p)
{
    (void)unused;
    fprintf(stderr, "\r%s %4d   objective %-12.6g violation %-9.2e %-36.36s",
            p->phase == 1 ? "feasibility" : "iteration", p->iteration, p->objective, p->violation,
            p->worst ? p->worst : "");
    return 0;
}

// ---- the parts of the work

static void say_check(void *context, const char *quantity, const char *against, double first,
                      double second)
{
    (void)context;
    printf("%-20s %-14s %10.2e %10.2e\n", quantity, against, first, second);
}

static int check(const char *path, arne_plan *plan)
{
    double     worst = 0;
    arne_error error;
    printf("%-20s %-14s %10s %10s\n", "derivatives of", "against", "first", "second");
    const arne_status status = arne_plan_check_derivatives(plan, say_check, NULL, &worst, &error);
    if (status) return fail_error(path, status, &error);
    if (worst < ARNE_PLAN_DERIVATIVES_OFF) return EXIT_FINE;
    return fail_data("%s: derivatives are off by %.2e", path, worst);
}

static const char *status_text(arne_plan_status status)
{
    static const char *const texts[] = {"not solved",
                                        "optimal",
                                        "nearly optimal",
                                        "infeasible",
                                        "out of iterations",
                                        "interrupted",
                                        "failed",
                                        "stalled, with all constraints met",
                                        "limits are missed between grid points"};
    return texts[status];
}

static void say_result(const arne_plan *plan, const arne_plan_result *r)
{
    char name[256];
    printf("status             %s\n", status_text(r->status));
    printf("T                  %.9g s\n", r->T);
    printf("objective          %.9g\n", r->objective);
    printf("iterations         %d\n", r->iterations);
    printf("violation          %.3g\n", r->violation);
    printf("violation between  %.3g", r->violation_between);
    if (r->worst_between >= 0)
        printf(": %s, %.3g %% of its bound or size, at %.4g s",
               shown(arne_plan_constraint_name(plan, r->worst_between), name, sizeof name),
               100 * r->part_between, r->worst_between_time);
    printf("\n");
    printf("solver time        %.3f s: values %.3f, derivatives %.3f, linear algebra and the rest "
           "%.3f\n",
           r->solve_time, r->function_time, r->derivative_time,
           r->solve_time - r->function_time - r->derivative_time);
    printf("size               %d variables, %d constraints, %d grid points\n", r->variables,
           r->constraints, r->grid_points);
}

// The joint that is nearest to what it can do.
static void say_utilisation(arne_plan *plan)
{
    const arne_robot *robot = arne_plan_robot(plan);
    const arne_sizes  size = arne_robot_sizes(robot);
    double           *most = malloc(2 * (size_t)size.v_count * sizeof *most);
    double           *time = most ? most + size.v_count : NULL;
    int               worst = -1;
    if (most && arne_plan_utilisation(plan, most, time, NULL) == ARNE_OK)
        for (int i = 0; i < size.joint_count; i++) {
            const arne_joint_info j = arne_robot_joint(robot, i);
            if (j.v_count == 1 && most[j.v_start] > 0 &&
                (worst < 0 || most[j.v_start] > most[arne_robot_joint(robot, worst).v_start]))
                worst = i;
        }
    if (worst >= 0) {
        const arne_joint_info j = arne_robot_joint(robot, worst);
        char                  name[128];
        printf("utilisation        %.3g of the limit of joint '%s', at %.4g s\n", most[j.v_start],
               shown(j.name, name, sizeof name), time[j.v_start]);
    }
    free(most);
}

// How far q is outside of a joint's range, as a part of that range.
static double part_outside(const arne_joint_info *j, double q)
{
    const double range = j->upper - j->lower;
    return isfinite(range) && range > 0 ? fmax(q - j->upper, j->lower - q) / range : -1;
}

// Whether the problem has a constraint on this quantity: what it leaves free is then its choice.
static int plan_limits(const arne_plan *plan, const char *quantity)
{
    int i = 0;
    while (*arne_plan_constraint_name(plan, i) &&
           strcmp(arne_plan_constraint_name(plan, i), quantity) != 0)
        i++;
    return *arne_plan_constraint_name(plan, i) != 0;
}

// Warns where a joint is faster than its limit and the problem has no constraint on velocities.
static void say_speeds(const char *path, arne_plan *plan)
{
    enum { SAMPLES = 400 };
    const arne_robot *robot = arne_plan_robot(plan);
    const arne_sizes  size = arne_robot_sizes(robot);
    double           *qd = need((size_t)size.v_count + 1, sizeof *qd), most = 1.01, when = 0;
    int               worst = -1;
    for (int k = 0; k <= SAMPLES && !plan_limits(plan, "velocity"); k++) {
        arne_plan_evaluate(plan, (double)k / SAMPLES, NULL, qd, NULL, NULL, NULL);
        for (int i = 0; i < size.joint_count; i++) {
            const arne_joint_info j = arne_robot_joint(robot, i);
            if (j.v_count != 1 || !(fabs(qd[j.v_start]) > most * j.velocity)) continue;
            most = fabs(qd[j.v_start]) / j.velocity;
            when = arne_plan_time(plan) * k / SAMPLES;
            worst = i;
        }
    }
    if (worst >= 0) {
        const arne_joint_info j = arne_robot_joint(robot, worst);
        warn("limit",
             "%s: joint '%s' moves at %.4g at t = %.4g s, faster than its limit %.4g; "
             "{quantity: velocity, limits: true} keeps it within",
             path, j.name, most * j.velocity, when, j.velocity);
    }
    free(qd);
}

// Warns where the motion leaves a joint's range and the problem has no constraint on positions.
static void say_ranges(const char *path, arne_plan *plan)
{
    enum { SAMPLES = 400 };
    const arne_robot *robot = arne_plan_robot(plan);
    const arne_sizes  size = arne_robot_sizes(robot);
    double           *q = need((size_t)size.v_count + 1, sizeof *q), most = 0.01, at = 0, when = 0;
    int               worst = -1;
    for (int k = 0; k <= SAMPLES && !plan_limits(plan, "position"); k++) {
        arne_plan_evaluate(plan, (double)k / SAMPLES, q, NULL, NULL, NULL, NULL);
        for (int i = 0; i < size.joint_count; i++) {
            const arne_joint_info j = arne_robot_joint(robot, i);
            if (j.v_count != 1 || !(part_outside(&j, q[j.v_start]) > most)) continue;
            most = part_outside(&j, q[j.v_start]);
            at = q[j.v_start];
            when = arne_plan_time(plan) * k / SAMPLES;
            worst = i;
        }
    }
    for (int k = 0, beyond = -1; k <= SAMPLES && beyond < 0; k++) {
        arne_plan_evaluate(plan, (double)k / SAMPLES, q, NULL, NULL, NULL, NULL);
        beyond = arne_joint_beyond(robot, q);
        if (beyond >= 0)
            warn("beyond",
                 "%s: joint '%s': the motion is beyond the points of its spline or its largest "
                 "turn at t = %.4g s",
                 path, arne_robot_joint(robot, beyond).name, arne_plan_time(plan) * k / SAMPLES);
    }
    if (worst >= 0) {
        const arne_joint_info j = arne_robot_joint(robot, worst);
        warn("limit",
             "%s: joint '%s' goes to %.4g at t = %.4g s, outside of its limits %.4g to "
             "%.4g; "
             "{quantity: position, limits: true} keeps it within",
             path, j.name, at, when, j.lower, j.upper);
    }
    free(q);
}

static const char *why_not(const arne_plan_result *r, char *text, size_t size)
{
    if (!(r->change > 0)) return "no better motion was found with finer splines";
    snprintf(text, size, "the objective still changes by %.3g", r->change);
    return text;
}

// How the objective changed with the spans.
static void say_steps(const arne_plan *plan, const arne_plan_result *r)
{
    char           text[100];
    arne_plan_step steps[16];
    const int      count = arne_plan_steps(plan, steps, 16);
    if (!count) {
        if (arne_plan_is_complete(r->status))
            printf("converged          not checked: --converge 0.001 refines the splines until "
                   "the objective no longer changes\n");
        return;
    }
    printf("%-16s %-14s %-10s %s\n", "control points", "objective", "change", "iterations");
    for (int i = 0; i < count; i++) {
        const double before = i ? steps[i - 1].objective : steps[i].objective;
        printf("%-16d %-14.9g %-10.3g %d\n", steps[i].control_points, steps[i].objective,
               i ? (steps[i].objective - before) / steps[i].objective : 0.0, steps[i].iterations);
    }
    if (r->converged < 0) printf("not converged: %s\n", why_not(r, text, sizeof text));
}

// A motion that satisfies all constraints may still not be what was asked for. Returns the exit
// status: that of bad data where --converge or the file asks for an accuracy that is not reached.
static int judge(const char *path, const arne_plan *plan, const arne_plan_result *r,
                 const arne_solve_options *how, int quiet)
{
    const double between = how->between > 0 ? how->between : 0.01;
    const int    asked = how->converge > 0;
    char         text[256];
    if (how->refine < 0 && r->part_between > between)
        say("%s: warning: '%s' is missed between grid points by %.3g %% of its bound or size, and "
            "nothing is refined (refine: 0)",
            path, shown(arne_plan_constraint_name(plan, r->worst_between), text, sizeof text),
            100 * r->part_between);
    if (r->converged >= 0) return EXIT_FINE;
    if (asked || quiet)
        say("%s: %snot converged: %s", path,
            asked ? "" : "warning: ", why_not(r, text, sizeof text));
    return asked ? EXIT_DATA : EXIT_FINE;
}

static int jobs_of(const plan_args *args)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return args->jobs.given ? (int)args->jobs.value[0] : processors > 1 ? (int)processors : 1;
}

// Several starts: what each came to, and the plan at the start of the best.
static int several(const char *path, arne_plan *plan, const plan_args *args,
                   const arne_solve_options *how)
{
    const double        wanted = args->starts.value[0];
    const int           count = (int)wanted;
    const unsigned long seed = args->seed.given ? (unsigned long)args->seed.value[0] : 1;
    arne_error          error;
    if (!(wanted >= 1 && wanted <= 10000 && wanted == count))
        return fail_usage("--starts takes a whole number from 1 to 10000");
    arne_plan_found *found = need((size_t)count, sizeof *found);
    int              code = plan_starts(path, how, count, seed, jobs_of(args), found), best = 0;
    if (!code && !args->quiet)
        printf("%-8s %-36s %-14s %s\n", "seed", "status", "objective", "iterations");
    for (int i = 0; i < count && !code; i++) {
        if (plan_found_is_better(&found[i], &found[best])) best = i;
        if (!args->quiet)
            printf("%-8lu %-36s %-14.9g %d\n", found[i].seed, status_text(found[i].status),
                   found[i].objective, found[i].iterations);
    }
    if (!code && found[best].seed) arne_plan_scatter(plan, found[best].seed, STARTS_PART);
    const arne_status status = code ? ARNE_OK : arne_plan_keep_found(plan, found, count, &error);
    if (status) code = fail_error(path, status, &error);
    free(found);
    return code;
}

// Ipopt does not report that its log cannot be written, so a line is written before the search and
// after it.
static int check_log(const char *path)
{
    FILE *log = path ? fopen(path, "a") : NULL;
    int   fine = !path || log;
    if (log) fine = fputc('\n', log) != EOF && fflush(log) == 0;
    const int why = errno;
    if (log && fclose(log) != 0 && fine) return fail_data("%s: cannot be written", path);
    return fine ? EXIT_FINE : fail_data("%s: cannot be written: %s", path, strerror(why));
}

static int search(const char *path, arne_plan *plan, const plan_args *args)
{
    arne_solve_options how = arne_plan_solver(plan);
    arne_plan_result   result;
    arne_error         error;
    int                shows = isatty(STDERR_FILENO) && !args->quiet;
    if (args->refine.given)
        how.refine = args->refine.value[0] > 0 ? (int)args->refine.value[0] : -1;
    if (check_log(args->log) != EXIT_FINE) return EXIT_DATA;
    how.feasibility_first |= args->feasibility_first;
    if (args->converge.given) how.converge = args->converge.value[0];
    how.log = args->log;
    how.warm = args->warm != NULL;
    if (args->starts.given) {
        const int code = several(path, plan, args, &how);
        if (code) return code;
    }
    how.threads = jobs_of(args);
    if (shows) how.progress = cmd_plan_show_progress;
    how.stop = signals_stop;
    signals_note();
    const arne_status status = arne_plan_solve(plan, &how, &result, &error);
    if (shows) fprintf(stderr, "\r%99s\r", "");
    int verdict = check_log(args->log);
    if (status) verdict = fail_error(path, status, &error);
    if (status && status != ARNE_NOT_CONVERGED) return verdict;
    if (!args->quiet && !status) say_result(plan, &result);
    if (!args->quiet && !status) say_utilisation(plan);
    if (!args->quiet && !status) say_steps(plan, &result);
    if (!args->quiet && !status) say_ranges(path, plan);
    if (!args->quiet && !status) say_speeds(path, plan);
    if (!status) {
        const int judged = judge(path, plan, &result, &how, args->quiet);
        if (!verdict) verdict = judged;
    }
    if (!args->out) return verdict;
    const arne_report_options page = {.plots = args->plots};
    const arne_status         written = arne_plan_write(plan, &result, args->out, &page, &error);
    if (written) return fail_error(args->out, written, &error);
    const int kept = !arne_plan_is_complete(result.status);
    char     *place = need(strlen(args->out) + sizeof ".incomplete", 1);
    sprintf(place, "%s%s", args->out, kept ? ".incomplete" : "");
    if (kept) say("%s: the best motion so far, marked as not complete", place);
    if (args->view || (!args->quiet && !verdict)) name_report(place, args->view);
    free(place);
    return verdict;
}

// The solver allocates the same large blocks again and again: the C library keeps them instead of
// giving them back to the system.
static void keep_memory(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 25);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
}

// --view without --out: the run goes to a temporary folder.
static char *folder_to_view(const plan_args *args)
{
    char *folder = args->view && !args->out && !args->check ? temporary_folder() : NULL;
    char *run = folder ? need(strlen(folder) + sizeof "/run", 1) : NULL;
    if (run) sprintf(run, "%s/run", folder);
    free(folder);
    return run;
}

// What is wrong with the numbers of the options; NULL: nothing.
static const char *wrong_number(const plan_args *args)
{
    const double jobs = args->jobs.given ? args->jobs.value[0] : 1;
    const double refine = args->refine.given ? args->refine.value[0] : 0;
    if (!(jobs >= 1 && jobs <= 1024 && jobs == (int)jobs))
        return "--jobs takes a whole number from 1 to 1024";
    if (!(refine >= 0 && refine <= 1000 && refine == (int)refine))
        return "--refine takes a whole number from 0 to 1000";
    if (args->converge.given && !(args->converge.value[0] >= 0 && args->converge.value[0] < 1))
        return "--converge takes a part from 0 to below 1";
    return args->resume && !args->out ? "--resume needs --out, to know where the search was left"
                                      : NULL;
}

// An option that problems with method: riccati have no meaning for; NULL: none is given.
static const char *not_for_riccati(const plan_args *args)
{
    return args->refine.given        ? "--refine"
           : args->converge.given    ? "--converge"
           : args->starts.given      ? "--starts"
           : args->feasibility_first ? "--feasibility-first"
           : args->warm              ? "--warm"
           : args->resume            ? "--resume"
           : args->check             ? "--check-derivatives"
           : args->normal            ? "--normal"
           : args->log               ? "--log"
                                     : NULL;
}

static int plan_riccati(const char *path, const plan_args *args)
{
    const char        *given = not_for_riccati(args);
    const horizon_args own = {args->out, args->quiet, args->plots, args->view};
    if (given) return fail_usage("%s has no meaning for a problem with method: riccati", given);
    return signals_code(plan_horizon(path, &own));
}

int cmd_plan(int argc, char **argv)
{
    if (wants_schema(argc, argv, ARNE_DOCUMENT_PROBLEM)) return EXIT_FINE;
    plan_args  args = {0};
    text_list  operands = {0};
    arne_plan *plan = NULL;
    arne_error error;
    int        code = options_parse(&plan_verb, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;
    const char *wrong = wrong_number(&args);
    if (wrong) {
        options_free(&plan_verb, &args, &operands);
        return fail_usage("%s", wrong);
    }
    keep_memory();
    code = check_kind(operands.text[0], ARNE_DOCUMENT_PROBLEM);
    if (code != EXIT_FINE) {
        options_free(&plan_verb, &args, &operands);
        return code;
    }
    char *viewed = folder_to_view(&args);
    if (viewed) args.out = viewed;
    if (arne_horizon_is(operands.text[0])) {
        code = plan_riccati(operands.text[0], &args);
        free(viewed);
        options_free(&plan_verb, &args, &operands);
        return code;
    }
    const char        *path = operands.text[0];
    note_list          notes = {0};
    arne_build_options build = {0};
    notes_listen(&notes, &build);
    arne_status status = arne_plan_read(path, &build, &plan, &error);
    notes_hide(&notes, "contact"); // plans name what touches
    notes_group(&notes);
    notes_say(&notes, path, args.quiet ? NOTES_QUIET : 0);
    if (!status && args.warm) status = arne_plan_start_from(plan, args.warm, &error);
    if (!status && args.normal) status = arne_plan_compare(plan, args.normal, &error);
    // A place that cannot be had is known before the search.
    if (!status && args.out && !args.check)
        status = args.resume ? arne_plan_resume(plan, args.out, &error)
                             : arne_plan_reserve(plan, args.out, &error);
    code = notes.errors ? EXIT_DATA
           : status     ? fail_error(path, status, &error)
           : args.check ? check(path, plan)
                        : search(path, plan, &args);
    code = signals_code(code);
    arne_plan_free(plan);
    free(viewed);
    notes_free(&notes);
    options_free(&plan_verb, &args, &operands);
    return code;
}

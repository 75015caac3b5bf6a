// arne identify design|fit|payload ROBOT [LOG...]: a motion to record, and what recordings say of
// the robot.
#include "identify.h"
#include "message.h"
#include "print_schema.h"
#include "verbs.h"

#include <arne/report.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(identify_args, field)
static const option options[] = {
    OPTION_OUT("the folder of results"),
    TEXTS("--validate", "LOG", validate,
          "fit: logs for validation, not used for the fit (default: a part of the logs)"),
    TEXT("--settings", "FILE", settings,
         "a file with columns, units, gains, couplings and other settings"),
    CHOICE("--estimator", "consistent|free", estimator,
           "physically possible links (the default), or unconstrained"),
    TEXT("--friction", "LIST", friction,
         "terms: viscous, coulomb, offset, stribeck, sigmoid, load; or none"),
    FLAG("--springs", springs, "estimate springs on joints"),
    NUMBERS("--cutoff", "HZ", cutoff,
            "cut-off of positions (default: from the spectrum; 0: no filter)", 1),
    NUMBERS("--torque-cutoff", "HZ", torque_cutoff,
            "cut-off of torques and regressors (default: as positions; 0: no filter)", 1),
    NUMBERS("--order", "N", order, "order of the Butterworth filters (default: 4)", 1),
    NUMBERS("--decimate", "N", decimate,
            "use every N-th row after the filter (default: as the filter allows)", 1),
    NUMBERS("--hold-back", "PART", hold_back,
            "part of the logs for validation (default: 0.2; 0: none)", 1),
    NUMBERS("--rest-speed", "V", rest_speed,
            "leave out rows where no joint is faster than V (default: 0.5 % of top speed; 0: none)",
            1),
    NUMBERS("--crossing-speed", "V", crossing_speed,
            "leave out rows of a joint that is slower than V", 1),
    NUMBERS("--huber", "K", huber,
            "outliers: residuals beyond K deviations get less weight (1.345 is usual)", 1),
    NUMBERS("--ridge", "W", ridge, "weight of the prior in the free estimate", 1),
    NUMBERS("--prior", "W", prior,
            "weight of the distance to the prior in the consistent estimate (default: 0.01)", 1),
    NUMBERS("--gains", "LIST", gains, "gains of the drives, torque per current; 0: unknown", 0),
    CHOICE(
        "--side", "joints|motors", side,
        "side of the gears of the logs (default: detected); gears and couplings are the robot's"),
    TEXT("--columns", "LIST", columns,
         "names for the columns of logs that have no header; - for those to skip"),
    TEXTS("--column", "NAME=OTHER", column,
          "the log calls a column by another name: q.elbow=Joint_3"),
    NUMBERS("--rows", "A,B", rows, "use rows A to B of logs to fit, from 1", 2),
    NUMBERS("--validate-rows", "A,B", validate_rows, "the same for logs for validation", 2),
    NUMBERS("--threads", "N", threads, "number of threads (default: one for each processor)", 1),
    TEXTS("--unloaded", "LOG", unloaded, "payload: a log of the motion without the load"),
    TEXT("--frame", "NAME", frame, "payload: frame that carries the load (default: the last link)"),
    NUMBERS("--period", "S", period, "design: period of the motion (default: 10)", 1),
    NUMBERS("--harmonics", "N", harmonics, "design: harmonics of each joint (default: 5)", 1),
    CHOICE("--motion", "fourier|splines", motion, "design: form of the motion (default: fourier)"),
    NUMBERS("--starts", "N", starts, "design: number of random starts of the search (default: 4)",
            1),
    NUMBERS("--seed", "N", seed, "design: seed of the random starts", 1),
    NUMBERS("--iterations", "N", iterations,
            "design: largest number of iterations of a search (default: 150)", 1),
    NUMBERS("--margin", "PART", margin, "design: margin to every limit (default: 0.05)", 1),
    NUMBERS("--acceleration", "LIST", acceleration,
            "design: limits, one or by joint (default: 2/s times the limits of velocity)", 0),
    NUMBERS("--noise", "LIST", noise,
            "design: noise of torques [N m], one or by joint (default: 1 % of the limits)", 0),
    TEXTS("--above", "FRAME", above, "design: a frame that stays above the floor"),
    NUMBERS("--floor", "Z", floor, "design: height of the floor (default: 0)", 1),
    NUMBERS("--rate", "HZ", rate, "design: sample rate of motion.csv (default: 100)", 1),
    FLAG("--plots", plots, "also write the plots of the page as files"),
    OPTION_VIEW,
    OPTION_SCHEMA("settings files"),
    ROBOT_OPTIONS,
    OPTION_END,
};

static void tasks(FILE *out)
{
    fputs("Tasks:\n"
          "  design ROBOT          the motion that determines the parameters best, within limits\n"
          "  fit ROBOT LOG...      the parameters of the robot, with standard deviations and "
          "validation\n"
          "  payload ROBOT LOG     mass, centre and inertia of a load\n\n"
          "A LOG is a CSV file with the columns time, q.JOINT, tau.JOINT or current.JOINT, and "
          "where\n"
          "they were recorded qd.JOINT and qdd.JOINT.\n\n",
          out);
}

static const command identify = {
    "identify",
    "design|fit|payload ROBOT [LOG...]",
    "Identification: designs a motion to record, estimates the parameters of a robot from "
    "recorded\ntorques, with standard deviations, and writes the robot.",
    2,
    1 << 20,
    options,
    tasks};

// What follows a --validate directly belongs to it: --validate A.csv B.csv.
static void sort_logs(const text_list *operands, const identify_args *args, text_list *fit,
                      text_list *validate)
{
    for (int i = 0; i < args->validate.count; i++)
        text_list_add(validate, args->validate.text[i], args->validate.at[i]);
    for (int i = 2; i < operands->count; i++) {
        const int at = operands->at[i];
        int       follows = 0;
        for (int k = 0; k < validate->count; k++)
            follows |= validate->at[k] == at - 1 ||
                       (k < args->validate.count && validate->at[k] == at - 2);
        text_list_add(follows ? validate : fit, operands->text[i], at);
    }
}

// What single numbers may be.
static int cmd_identify_check_numbers(const identify_args *args)
{
    static const struct bound {
        const char *name;
        size_t      at;
        double      least, most;
        int         whole;
    } bounds[] = {
        {"--cutoff", AT(cutoff), 0, INFINITY, 0},
        {"--torque-cutoff", AT(torque_cutoff), 0, INFINITY, 0},
        {"--order", AT(order), 1, 20, 1},
        {"--decimate", AT(decimate), 1, 1e6, 1},
        {"--hold-back", AT(hold_back), 0, 0.9, 0},
        {"--rest-speed", AT(rest_speed), 0, INFINITY, 0},
        {"--crossing-speed", AT(crossing_speed), 0, INFINITY, 0},
        {"--huber", AT(huber), 0, INFINITY, 0},
        {"--ridge", AT(ridge), 0, INFINITY, 0},
        {"--prior", AT(prior), 0, INFINITY, 0},
        {"--threads", AT(threads), 1, 1024, 1},
        {"--period", AT(period), 1e-3, 1e6, 0},
        {"--harmonics", AT(harmonics), 1, 100, 1},
        {"--starts", AT(starts), 1, 1e4, 1},
        {"--seed", AT(seed), 0, 1e15, 1},
        {"--iterations", AT(iterations), 1, 1e6, 1},
        {"--margin", AT(margin), 0, 0.9, 0},
        {"--rate", AT(rate), 1e-3, 1e6, 0},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const struct bound *b = &bounds[i];
        const number_list  *list = (const number_list *)(const void *)((const char *)args + b->at);
        const double        x = list->given ? list->value[0] : b->least;
        if (x >= b->least && x <= b->most && (!b->whole || x == floor(x))) continue;
        return isfinite(b->most) ? fail_usage("%s takes a %snumber from %g to %g", b->name,
                                              b->whole ? "whole " : "", b->least, b->most)
                                 : fail_usage("%s takes a number that is not negative", b->name);
    }
    return EXIT_FINE;
}

// First and last row: whole numbers from 1 that a file can have.
static int check_rows(const char *name, const number_list *list)
{
    const double *x = list->value;
    if (!list->given) return EXIT_FINE;
    if (x[0] >= 1 && x[1] >= x[0] && x[1] <= 1e15 && x[0] == floor(x[0]) && x[1] == floor(x[1]))
        return EXIT_FINE;
    return fail_usage("%s takes two whole numbers from 1 to 1e15, the first row and the last",
                      name);
}

// A folder that may not be replaced is refused before the work, not after it.
static int check_place(const char *dir)
{
    arne_error        error;
    const arne_status status = arne_run_check_place(dir, &error);
    return status ? fail_error(dir, status, &error) : EXIT_FINE;
}

static int cmd_identify_run(const text_list *operands, const identify_args *args)
{
    const char *task = operands->text[0], *path = operands->text[1];
    arne_robot *robot = NULL;
    text_list   fit = {0}, validate = {0};
    const int   designs = strcmp(task, "design") == 0, fits = strcmp(task, "fit") == 0;
    if (!designs && !fits && strcmp(task, "payload") != 0)
        return fail_usage("there is no task '%s'; they are design, fit and payload", task);
    if (!designs && operands->count < 3) return fail_usage("%s: a log is missing", task);
    if (designs && operands->count > 2)
        return fail_usage("design: '%s' is one operand too many", operands->text[2]);
    int code = load_robot(path, &args->robot, NULL, &robot);
    sort_logs(operands, args, &fit, &validate);
    if (code == EXIT_FINE && !designs && fit.count == 0)
        code = fail_usage("%s: there is no log to fit, only such to check with", task);
    if (code == EXIT_FINE && args->out && (designs || fits)) code = check_place(args->out);
    if (code == EXIT_FINE)
        code = designs ? identify_design(path, robot, args)
               : fits  ? identify_fit(path, robot, &fit, &validate, args)
                       : identify_payload(path, robot, &fit, args);
    arne_robot_free(robot);
    text_list_free(&fit);
    text_list_free(&validate);
    return code;
}

int cmd_identify(int argc, char **argv)
{
    if (wants_schema(argc, argv, ARNE_DOCUMENT_IDENTIFICATION)) return EXIT_FINE;
    identify_args args = {0};
    text_list     operands = {0};
    int           code = options_parse(&identify, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;
    code = cmd_identify_check_numbers(&args);
    if (code == EXIT_FINE) code = check_rows("--rows", &args.rows);
    if (code == EXIT_FINE) code = check_rows("--validate-rows", &args.validate_rows);
    if (code == EXIT_FINE) code = cmd_identify_run(&operands, &args);
    options_free(&identify, &args, &operands);
    return code;
}

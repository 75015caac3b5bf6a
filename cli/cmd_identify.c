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

static const option options[] = {
    {"--out", "-o", OPTION_TEXT, "DIR", "the folder of results", offsetof(identify_args, out), 0},
    {"--validate", NULL, OPTION_TEXTS, "LOG",
     "fit: logs for validation, not used for the fit (default: a part of the logs)",
     offsetof(identify_args, validate), 0},
    {"--settings", NULL, OPTION_TEXT, "FILE",
     "a file with columns, units, gains, couplings and other settings",
     offsetof(identify_args, settings), 0},
    {"--estimator", NULL, OPTION_CHOICE, "consistent|free",
     "physically possible links (the default), or unconstrained",
     offsetof(identify_args, estimator), 0},
    {"--friction", NULL, OPTION_TEXT, "LIST",
     "terms: viscous, coulomb, offset, stribeck, sigmoid, load; or none",
     offsetof(identify_args, friction), 0},
    {"--springs", NULL, OPTION_FLAG, NULL, "estimate springs on joints",
     offsetof(identify_args, springs), 0},
    {"--cutoff", NULL, OPTION_NUMBERS, "HZ",
     "cut-off of positions (default: from the spectrum; 0: no filter)",
     offsetof(identify_args, cutoff), 1},
    {"--torque-cutoff", NULL, OPTION_NUMBERS, "HZ",
     "cut-off of torques and regressors (default: as positions; 0: no filter)",
     offsetof(identify_args, torque_cutoff), 1},
    {"--order", NULL, OPTION_NUMBERS, "N", "order of the Butterworth filters (default: 4)",
     offsetof(identify_args, order), 1},
    {"--decimate", NULL, OPTION_NUMBERS, "N",
     "use every N-th row after the filter (default: as the filter allows)",
     offsetof(identify_args, decimate), 1},
    {"--hold-back", NULL, OPTION_NUMBERS, "PART",
     "part of the logs for validation (default: 0.2; 0: none)", offsetof(identify_args, hold_back),
     1},
    {"--rest-speed", NULL, OPTION_NUMBERS, "V",
     "leave out rows where no joint is faster than V (default: 0.5 % of top speed; 0: none)",
     offsetof(identify_args, rest_speed), 1},
    {"--crossing-speed", NULL, OPTION_NUMBERS, "V",
     "leave out rows of a joint that is slower than V", offsetof(identify_args, crossing_speed), 1},
    {"--huber", NULL, OPTION_NUMBERS, "K",
     "outliers: residuals beyond K deviations get less weight (1.345 is usual)",
     offsetof(identify_args, huber), 1},
    {"--ridge", NULL, OPTION_NUMBERS, "W", "weight of the prior in the free estimate",
     offsetof(identify_args, ridge), 1},
    {"--prior", NULL, OPTION_NUMBERS, "W",
     "weight of the distance to the prior in the consistent estimate (default: 0.01)",
     offsetof(identify_args, prior), 1},
    {"--gains", NULL, OPTION_NUMBERS, "LIST", "gains of the drives, torque per current; 0: unknown",
     offsetof(identify_args, gains), 0},
    {"--side", NULL, OPTION_CHOICE, "joints|motors",
     "side of the gears of the logs (default: detected); gears and couplings are the robot's",
     offsetof(identify_args, side), 0},
    {"--columns", NULL, OPTION_TEXT, "LIST",
     "names for the columns of logs that have no header; - for those to skip",
     offsetof(identify_args, columns), 0},
    {"--column", NULL, OPTION_TEXTS, "NAME=OTHER",
     "the log calls a column by another name: q.elbow=Joint_3", offsetof(identify_args, column), 0},
    {"--rows", NULL, OPTION_NUMBERS, "A,B", "use rows A to B of logs to fit, from 1",
     offsetof(identify_args, rows), 2},
    {"--validate-rows", NULL, OPTION_NUMBERS, "A,B", "the same for logs for validation",
     offsetof(identify_args, validate_rows), 2},
    {"--threads", NULL, OPTION_NUMBERS, "N", "number of threads (default: one for each processor)",
     offsetof(identify_args, threads), 1},
    {"--unloaded", NULL, OPTION_TEXTS, "LOG", "payload: a log of the motion without the load",
     offsetof(identify_args, unloaded), 0},
    {"--frame", NULL, OPTION_TEXT, "NAME",
     "payload: frame that carries the load (default: the last link)",
     offsetof(identify_args, frame), 0},
    {"--period", NULL, OPTION_NUMBERS, "S", "design: period of the motion (default: 10)",
     offsetof(identify_args, period), 1},
    {"--harmonics", NULL, OPTION_NUMBERS, "N", "design: harmonics of each joint (default: 5)",
     offsetof(identify_args, harmonics), 1},
    {"--motion", NULL, OPTION_CHOICE, "fourier|splines",
     "design: form of the motion (default: fourier)", offsetof(identify_args, motion), 0},
    {"--starts", NULL, OPTION_NUMBERS, "N",
     "design: number of random starts of the search (default: 4)", offsetof(identify_args, starts),
     1},
    {"--seed", NULL, OPTION_NUMBERS, "N", "design: seed of the random starts",
     offsetof(identify_args, seed), 1},
    {"--iterations", NULL, OPTION_NUMBERS, "N",
     "design: largest number of iterations of a search (default: 150)",
     offsetof(identify_args, iterations), 1},
    {"--margin", NULL, OPTION_NUMBERS, "PART", "design: margin to every limit (default: 0.05)",
     offsetof(identify_args, margin), 1},
    {"--acceleration", NULL, OPTION_NUMBERS, "LIST",
     "design: limits, one or by joint (default: 2/s times the limits of velocity)",
     offsetof(identify_args, acceleration), 0},
    {"--noise", NULL, OPTION_NUMBERS, "LIST",
     "design: noise of torques [N m], one or by joint (default: 1 % of the limits)",
     offsetof(identify_args, noise), 0},
    {"--above", NULL, OPTION_TEXTS, "FRAME", "design: a frame that stays above the floor",
     offsetof(identify_args, above), 0},
    {"--floor", NULL, OPTION_NUMBERS, "Z", "design: height of the floor (default: 0)",
     offsetof(identify_args, floor), 1},
    {"--rate", NULL, OPTION_NUMBERS, "HZ", "design: sample rate of motion.csv (default: 100)",
     offsetof(identify_args, rate), 1},
    {"--plots", NULL, OPTION_FLAG, NULL, "also write the plots of the page as files",
     offsetof(identify_args, plots), 0},
    {"--view", NULL, OPTION_FLAG, NULL, "open the page in a browser", offsetof(identify_args, view),
     0},
    {"--schema", NULL, OPTION_FLAG, NULL,
     "print the schema of settings files as JSON, and do nothing else",
     offsetof(identify_args, schema), 0},
    ROBOT_OPTIONS(identify_args),
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
static int check_numbers(const identify_args *args)
{
#define AT(field) offsetof(identify_args, field)
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
#undef AT
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

static int run(const text_list *operands, const identify_args *args)
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
    code = check_numbers(&args);
    if (code == EXIT_FINE) code = check_rows("--rows", &args.rows);
    if (code == EXIT_FINE) code = check_rows("--validate-rows", &args.validate_rows);
    if (code == EXIT_FINE) code = run(&operands, &args);
    options_free(&identify, &args, &operands);
    return code;
}

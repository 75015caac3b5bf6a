// arne view WHAT: a page to look at a robot, a run (or two in one view, or several compared), a
// scenario or a problem.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): stat
#include "csv_names.h"
#include "given_state.h"
#include "load.h"
#include "message.h"
#include "open_page.h"
#include "options.h"
#include "verbs.h"
#include "view_motion.h"

#include <arne/report.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct view_args {
    robot_args  robot;
    const char *output, *states, *plots, *activation;
    number_list q, cutoff;
    text_list   column;
    int         modes, live;
} view_args;

#define AT(field) offsetof(view_args, field)
static const option options[] = {
    OPTION_ROW("--output", "-o", OPTION_TEXT, "FILE", output,
               "the page (default: a temporary file)", 0),
    TEXT("--states", "FILE", states,
         "a recorded motion of the robot: a CSV with time and q.JOINT, and qd.JOINT, qdd.JOINT "
         "where they are known; the page has its torques"),
    TEXTS("--column", "NAME=OTHER", column,
          "--states calls a column by another name: q.elbow=Joint_3"),
    TEXT("--plots", "DIR", plots,
         "with --states or a run: every plot of the page in DIR, as SVG and (by rsvg-convert) as "
         "PNG"),
    TEXT("--activation", "FILE", activation,
         "with --states or a run: muscles have the colours of their activations in this table, as "
         "'arne motion muscles' writes it (default: columns activation.NAME of the run)"),
    NUMBERS(
        "--cutoff", "HZ", cutoff,
        "with --states: of the filter that finds what is missing, as compute --differentiate does",
        1),
    NUMBERS("--q", "LIST|NAME|JOINT=VALUE,...", q,
            "the initial posture of a robot, or the name of one in its file; for closed chains the "
            "active joints are enough",
            0),
    FLAG("--modes", modes,
         "for a robot with springs: natural frequencies and drawings of the mode shapes"),
    FLAG("--live", live,
         "the page of a robot computes: torques of gravity, shares of limits, mass matrix, "
         "manipulability; ends can be dragged"),
    ROBOT_OPTIONS,
    OPTION_END,
};

static const command view = {
    "view",
    "ROBOT|RUN...|SCENARIO|PROBLEM",
    "Writes an HTML page and opens it in a browser; without a display its path is printed.\n"
    "A robot has a slider for every joint. A run is a folder that simulate or plan left;\n"
    "two of them are shown in one view; of three to eight the page has the figures in one\n"
    "table and their plots over each other. A scenario or a problem is run first. A robot\n"
    "with --states goes through that motion; the page has plots of its torques.",
    1,
    8,
    options,
    NULL};

typedef enum viewed { VIEW_ROBOT, VIEW_RUN, VIEW_SCENARIO, VIEW_PROBLEM } viewed;

// ---- what a file is

// Whether a line of the text starts with "key:".
static int has_key(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && line[length] == ':') return 1;
    }
    return 0;
}

// Scenarios and problems name a robot; what a problem has besides is how to search.
static viewed kind_of_text(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    if (*text == '<' || !has_key(text, "robot")) return VIEW_ROBOT;
    return has_key(text, "objective") || has_key(text, "spline") || has_key(text, "gait")
               ? VIEW_PROBLEM
               : VIEW_SCENARIO;
}

// A file that cannot be read is left to the reader of robots, whose message says why.
static viewed cmd_view_kind_of(const char *path)
{
    enum { ENOUGH = 1 << 20 };
    struct stat there;
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) return VIEW_RUN;
    FILE  *file = fopen(path, "rb");
    viewed kind = VIEW_ROBOT;
    if (!file) return kind;
    char        *text = need(ENOUGH + 1, 1);
    const size_t size = fread(text, 1, ENOUGH, file);
    text[size] = 0;
    kind = kind_of_text(text);
    free(text);
    fclose(file);
    return kind;
}

// ---- each kind

static void cmd_view_on_warning(void *context, const arne_warning *warning)
{
    const view_args *args = context;
    if (args->robot.quiet) return;
    if (warning->line > 0)
        warn(warning->rule, "%s:%d: %s", warning->file, warning->line, warning->text);
    else
        warn(warning->rule, "%s: %s", warning->file, warning->text);
}

// --q as `compute` takes it: of a robot with loops all coordinates, or those of active joints.
static int take_posture(const char *path, const arne_robot *robot, const number_list *q,
                        state_list *out)
{
    const state_args  given = {.robot_file = path, .part[PART_Q] = *q};
    const state_needs needs = {.parts = NEED_Q, .why = "view"};
    ordering          order;
    int               code = ordering_make(robot, NULL, &order);
    if (code == EXIT_FINE) code = states_make(robot, &order, &given, &needs, out);
    ordering_free(&order);
    return code;
}

static int view_robot(const char *path, const view_args *args, const char *page)
{
    arne_robot     *robot = NULL;
    arne_error      error = {0};
    arne_robot_page how = {
        .looks = path, .meshes = {NULL, 0, cmd_view_on_warning, (void *)args}, .live = args->live};
    state_list posture = {0};
    int        code = load_robot(path, &args->robot, NULL, &robot);
    if (code == EXIT_FINE && args->q.given) code = take_posture(path, robot, &args->q, &posture);
    if (posture.item) how.q = posture.item->part[PART_Q];
    if (code == EXIT_FINE) {
        const arne_status status = args->modes ? arne_report_modes(page, robot, &how, &error)
                                               : arne_report_robot(page, robot, &how, &error);
        if (status) code = fail_error(path, status, &error);
    }
    states_free(&posture);
    arne_robot_free(robot);
    return code;
}

// start: the time of the table of activations at the start of the run.
static int view_run(const char *dir, const char *other, const char *page, const view_args *args,
                    double start)
{
    arne_error          error = {0};
    arne_table         *table = NULL;
    arne_report_options how = {.page = page,
                               .activation_start = start,
                               .other = other,
                               .recorded = args->states != NULL,
                               .plots = args->plots != NULL,
                               .plots_dir = args->plots,
                               .warn = cmd_view_on_warning,
                               .warn_context = (void *)args};
    const char         *file = args->activation;
    arne_status         status = file ? arne_table_read_csv(file, &table, &error) : ARNE_OK;
    how.activations = table;
    if (!status) status = arne_report_write(dir, &how, &error);
    if (table && status == ARNE_NOT_FOUND && !error.file[0])
        strncat(error.file, file, sizeof error.file - 1);
    arne_table_free(table);
    return status ? fail_error(file ? file : dir, status, &error) : EXIT_FINE;
}

static int compare_runs(const text_list *what, const char *page)
{
    arne_error        error = {0};
    const arne_status status =
        arne_report_compare(page, (const char *const *)what->text, what->count, &error);
    return status ? fail_error(what->text[0], status, &error) : EXIT_FINE;
}

// Runs it into a folder of its own, which is kept: the page links its table.
static int run_first(const char *path, viewed kind, const char *folder)
{
    char      verb[] = "view", out[] = "--out", quiet[] = "--quiet";
    char     *from = need_copy(path, strlen(path)), *dir = need_copy(folder, strlen(folder));
    char     *argv[] = {verb, from, out, dir, quiet, NULL};
    const int code = kind == VIEW_PROBLEM ? cmd_plan(5, argv) : cmd_simulate(5, argv);
    free(from);
    free(dir);
    return code;
}

// A run of the motion, and its page. The robot is that of its file.
static int view_motion(const char *path, const view_args *args, const char *page,
                       const char *folder)
{
    const robot_args *r = &args->robot;
    char             *scenario = NULL;
    if (r->base || r->gravity.given || r->no_friction || r->no_rotor || args->q.given ||
        args->modes)
        return fail_usage("--states shows the robot as its file has it: --base, --gravity, "
                          "--no-friction, --no-rotor, --q and --modes do not go with it");
    char *run = path_in(folder, "run");

    const view_recording from = {args->states, args->cutoff.given ? args->cutoff.value[0] : 0,
                                 r->quiet, &args->column};
    double               start = 0;
    int                  code = view_write_motion(path, r, &from, folder, &scenario, &start);
    if (code == EXIT_FINE) code = run_first(scenario, VIEW_SCENARIO, run);
    if (code == EXIT_FINE) code = view_run(run, NULL, page, args, start);
    free(scenario);
    free(run);
    return code;
}

static int view_all(const text_list *what, const view_args *args, const char *page, char *folder)
{
    const viewed kind = cmd_view_kind_of(what->text[0]);
    if (kind == VIEW_ROBOT && names_table(what->text[0]))
        return fail_data("%s is a table; 'arne view ROBOT --states %s' shows the motion of a "
                         "robot",
                         what->text[0], what->text[0]);
    for (int i = 0; i < what->count && what->count > 1; i++)
        if (cmd_view_kind_of(what->text[i]) != VIEW_RUN)
            return fail_usage("%s is no folder of a run: of several operands view compares all",
                              what->text[i]);
    if (args->modes && kind != VIEW_ROBOT) return fail_usage("--modes are those of a robot's file");
    if (args->live && (kind != VIEW_ROBOT || args->modes || args->states))
        return fail_usage("--live is for the page of a robot's file");
    if (kind == VIEW_ROBOT && args->plots && !args->states)
        return fail_usage("--plots are of --states, or of a run");
    if (args->column.count && !args->states) return fail_usage("--column is of --states, a table");
    if (column_aliases_check(&args->column) != EXIT_FINE) return EXIT_USAGE;
    if (args->cutoff.given && !args->states) return fail_usage("--cutoff is of --states");
    if (args->cutoff.given && !(args->cutoff.value[0] > 0))
        return fail_usage("--cutoff must be a frequency above 0 Hz");
    if (args->states && kind != VIEW_ROBOT)
        return fail_usage("--states are of a robot: the operand is its file");
    if (args->activation && !args->states && (kind == VIEW_ROBOT || what->count > 2))
        return fail_usage("--activation is of --states, or of a run");
    if (args->states) return view_motion(what->text[0], args, page, folder);
    if (kind == VIEW_ROBOT) return view_robot(what->text[0], args, page);
    if (kind == VIEW_RUN && what->count > 2) return compare_runs(what, page);
    if (kind == VIEW_RUN)
        return view_run(what->text[0], what->count > 1 ? what->text[1] : NULL, page, args, 0);
    char *run = path_in(folder, "run");
    int   code = run_first(what->text[0], kind, run);
    if (code == EXIT_FINE) code = view_run(run, NULL, page, args, 0);
    free(run);
    return code;
}

int cmd_view(int argc, char **argv)
{
    view_args args = {0};
    text_list operands = {0};
    int       code = options_parse(&view, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;
    char *folder = temporary_folder();
    char *page = folder && !args.output ? path_in(folder, "view.html") : NULL;
    if (folder) {
        const char *path = args.output ? args.output : page;
        code = view_all(&operands, &args, path, folder);
        if (code == EXIT_FINE) open_page(path);
        remove(folder); // where nothing was left in it
    } else {
        code = EXIT_DATA;
    }
    free(page);
    free(folder);
    options_free(&view, &args, &operands);
    return code;
}

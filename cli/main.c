// arne: robot dynamics from the shell. Finds the verb; cmd_VERB.c does the work.
#include "arguments.h"
#include "message.h"
#include "quantities.h"
#include "signals.h"
#include "verbs.h"

#include <arne/version.h>
#include <stdio.h>
#include <string.h>

typedef struct verb {
    const char *name, *operands, *summary;
    int (*run)(int argc, char **argv);
} verb;

static const verb verbs[] = {
    {"info", "ROBOT", "the tree, joints, limits, masses, and the order of q", cmd_info},
    {"check", "FILE...", "checks files; lists all mistakes with file and line", cmd_check},
    {"compute", "QUANTITY ROBOT", "any quantity at one state or for each row of a CSV",
     cmd_compute},
    {"convert", "ROBOT", "a robot file as YAML or URDF", cmd_convert},
    {"identify", "TASK ROBOT", "a motion to record, and parameters from recordings", cmd_identify},
    {"motion", "TASK ROBOT FILE", "recorded motions of people: from markers to torques",
     cmd_motion},
    {"plan", "PROBLEM", "the best motion within limits, with a report", cmd_plan},
    {"generate", "ROBOT", "straight-line C code for one robot", cmd_generate},
    {"view", "ROBOT|DIR|FILE", "a page that shows a robot, a run, a scenario or a problem",
     cmd_view},
    {"report", "DIR", "the page of a run: key figures, plots, the moving mechanism", cmd_report},
    {"simulate", "SCENARIO", "a robot, its controller and its surroundings over time",
     cmd_simulate},
    {"sweep", "SWEEP", "a run for many values of its parameters, on many cores", cmd_sweep},
    {"bench", "[ROBOT...]", "the time each algorithm takes on this machine", cmd_bench},
    {"demo", "", "runs the examples and compares with published results", cmd_demo},
};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static void help(FILE *out)
{
    fprintf(out, "Usage: arne VERB [arguments]\n\n"
                 "The dynamics of robots: how they move, and which torques move them.\n\nVerbs:\n");
    for (int i = 0; i < VERB_COUNT; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", verbs[i].name, verbs[i].operands);
        fprintf(out, "  %-24s %s\n", left, verbs[i].summary);
    }
    fprintf(
        out,
        "\n'arne help VERB' describes a verb; 'arne --version' prints the version.\n"
        "A ROBOT is a URDF, xacro, SDF, MJCF, OpenSim or YAML robot file; NAME:=VALUE "
        "sets an\n"
        "argument of a xacro file, --model NAME chooses one of several models of an SDF file.\n");
}

static const char *verb_name(const void *unused, int index)
{
    (void)unused;
    return verbs[index].name;
}

static const verb *find_verb(const char *name)
{
    for (int i = 0; i < VERB_COUNT; i++)
        if (strcmp(name, verbs[i].name) == 0) return &verbs[i];
    return NULL;
}

static int main_is_there(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

static int main_run_verb(int argc, char **argv)
{
    char        buffer[256];
    const verb *v = find_verb(argv[0]);
    if (v && !arguments_join(&argc, argv)) return EXIT_USAGE;
    if (v) return v->run(argc, argv);
    if (is_quantity(argv[0]))
        return fail_usage("'%s' is a quantity: 'arne compute %s ROBOT'", argv[0], argv[0]);
    if (main_is_there(argv[0]))
        return fail_usage("'%s' is a file, and a verb comes first, as in 'arne info %s'; "
                          "'arne --help' lists them",
                          argv[0], argv[0]);
    near_matches(argv[0], verb_name, NULL, VERB_COUNT, buffer, sizeof buffer);
    return fail_usage("unknown verb '%s'%s; 'arne --help' lists them", argv[0], buffer);
}

// arne help VERB is arne VERB --help.
static int run_help(int argc, char **argv)
{
    static char flag[] = "--help";
    char       *asked[] = {argc > 0 ? argv[0] : NULL, flag, NULL};
    if (argc > 0) return main_run_verb(2, asked);
    help(stdout);
    return EXIT_FINE;
}

int main(int argc, char **argv)
{
    int code = EXIT_FINE;
    signals_begin();
    if (argc < 2) {
        help(stdout);
        return fail_usage("a verb is missing");
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        code = run_help(argc - 2, argv + 2);
    else if (strcmp(argv[1], "--version") == 0)
        printf("arne %s\n", arne_version());
    else
        code = main_run_verb(argc - 1, argv + 1);
    // A full disk or a closed pipe is a failure too.
    if (fflush(stdout) != 0 || ferror(stdout))
        return code ? code : fail_data("stdout cannot be written");
    return code;
}

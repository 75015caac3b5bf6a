// arne sweep SWEEP: a run thousands of times, on the cores of this machine or on many by mpirun.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): isatty, fileno
#include "load.h"
#include "message.h"
#include "notes.h"
#include "open_page.h"
#include "options.h"
#include "print_schema.h"
#include "signals.h"
#include "verbs.h"
#include "which_verb.h"

#include <arne/sweep.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct sweep_args {
    const char *out;
    number_list jobs, row, chunk, group;
    int         resume, retry, quiet, view, schema, isa;
    text_list   package;
} sweep_args;

#define AT(field) offsetof(sweep_args, field)
static const option options[] = {
    OPTION_OUT("the folder of the sweep (default: SWEEP's name, .sweep)"),
    OPTION_ROW(
        "--jobs", "-j", OPTION_NUMBERS, "N", jobs,
        "processes that compute (default: one for each processor; under mpirun 1 for each rank)",
        1),
    FLAG("--resume", resume, "continue the sweep that was stopped or killed, in DIR.incomplete"),
    FLAG("--retry", retry,
         "with --resume: compute rows that failed again, also those of a complete sweep"),
    NUMBERS("--row", "K", row,
            "compute row K alone and print it; with --out its run's folder is kept", 1),
    CHOICE("--isa", "baseline|x86-64-v3|x86-64-v4", isa,
           "instruction set (default: the best of this processor)"),
    NUMBERS("--chunk", "N", chunk, "rows handed out at once (default: adapts to their duration)",
            1),
    NUMBERS(
        "--group", "N", group,
        "ranks that request rows together (default: those of a node, if there are more than 256 "
        "ranks)",
        1),
    OPTION_VIEW,
    OPTION_SCHEMA("sweep files"),
    OPTION_QUIET_RUN,
    OPTION_PACKAGE(package),
    OPTION_END,
};

static const command sweep_verb = {
    "sweep",
    "SWEEP",
    "Runs a scenario, a problem or a quantity for many values of its parameters. DIR holds\n"
    "table.csv (and table.h5), summary.json, inputs/ and report.html. 'mpirun -n 64 arne sweep\n"
    "SWEEP' does the same on many machines, with the same results. Ctrl-C ends it within a\n"
    "second; after that, or a crash, --resume goes on with what is done.",
    1,
    1,
    options,
    NULL};

// --- progress ------------------------------------------------------------------------------------

static void cmd_sweep_show_progress(void *context, const arne_sweep_progress *p)
{
    const double left = p->rate > 0 ? (double)(p->rows - p->done) / p->rate : 0;
    const long   s = (long)left;
    (void)context;
    fprintf(stderr, "\r%ld of %ld done, %ld failed, %.4g rows/s, ", p->done, p->rows, p->failed,
            p->rate);
    if (p->rate > 0)
        fprintf(stderr, "%ld:%02ld:%02ld left   ", s / 3600, s / 60 % 60, s % 60);
    else
        fprintf(stderr, "...   ");
    fflush(stderr);
}

static void cmd_sweep_on_warning(void *context, const arne_warning *w)
{
    (void)context;
    say("%s: %s", w->file, w->text);
}

// --- the parts of the work

static void cmd_sweep_print_summary(const arne_sweep *s, const arne_sweep_summary *r)
{
    char title[256];
    if (*arne_sweep_title(s)) printf("%s\n", shown(arne_sweep_title(s), title, sizeof title));
    printf("  %ld rows, %ld failed, %.3g s", r->rows, r->failed, r->elapsed);
    if (r->done > r->resumed) printf(" (%.4g rows/s)", (double)(r->done - r->resumed) / r->elapsed);
    printf("\n");
    if (r->resumed) printf("  %ld rows were done before\n", r->resumed);
    printf("  %d process%s%s\n", r->jobs, r->jobs == 1 ? "" : "es",
           r->ranks > 1 ? " on several ranks" : "");
}

static int run_row(const char *path, arne_sweep *s, const sweep_args *args)
{
    arne_error        error;
    char             *line = NULL, *header = NULL;
    const arne_status status =
        arne_sweep_row(s, (long)args->row.value[0], args->out, &line, &error);
    if (status) return fail_error(path, status, &error);
    header = arne_sweep_header(s);
    if (header) printf("%s\n%s\n", header, line);
    free(header);
    free(line);
    return EXIT_FINE;
}

static int run_all(const char *path, arne_sweep *s, const sweep_args *args, const char *dir)
{
    const int          rank = arne_sweep_launch_rank();
    const int          shows = rank == 0 && isatty(fileno(stderr)) && !args->quiet;
    arne_error         error = {0};
    arne_sweep_summary summary;
    arne_sweep_options how = {.resume = args->resume,
                              .retry = args->retry,
                              .stop = signals_stop,
                              .warn = cmd_sweep_on_warning,
                              .page = 1,
                              .progress = shows ? cmd_sweep_show_progress : NULL};
    if (args->jobs.given) how.jobs = (int)args->jobs.value[0];
    if (args->chunk.given) how.chunk = (long)args->chunk.value[0];
    if (args->group.given) how.group = (int)args->group.value[0];
    signals_note();
    signal(SIGXFSZ, SIG_IGN); // a file that grows too large is a full disk
    const arne_status status = arne_sweep_run(s, dir, &how, &summary, &error);
    if (shows) fprintf(stderr, "\r%79s\r", "");
    if (summary.rank != 0) return EXIT_FINE;
    if (status) return fail_error(path, status, &error);
    if (!args->quiet) cmd_sweep_print_summary(s, &summary);
    if (args->view || !args->quiet) name_report(dir, args->view);
    return EXIT_FINE;
}

static int cmd_sweep_check_numbers(const sweep_args *args)
{
    const number_list *const lists[] = {&args->jobs, &args->chunk, &args->group};
    const char *const        names[] = {"--jobs", "--chunk", "--group"};
    for (int i = 0; i < 3; i++)
        if (lists[i]->given && !(lists[i]->value[0] >= 1 && lists[i]->value[0] <= 1e9))
            return fail_usage("%s must be 1 or more", names[i]);
    if (args->row.given && !(args->row.value[0] >= 0 && args->row.value[0] < 1e15))
        return fail_usage("--row must be 0 or more");
    if (args->retry && !args->resume) return fail_usage("--retry needs --resume");
    return EXIT_FINE;
}

int cmd_sweep(int argc, char **argv)
{
    if (wants_schema(argc, argv, ARNE_DOCUMENT_SWEEP)) return EXIT_FINE;
    sweep_args  args = {0};
    text_list   operands = {0};
    arne_sweep *s = NULL;
    arne_error  error = {0};
    int         code = options_parse(&sweep_verb, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;
    code = cmd_sweep_check_numbers(&args);
    if (code == EXIT_FINE) code = check_kind(operands.text[0], ARNE_DOCUMENT_SWEEP);
    if (code == EXIT_FINE) {
        const char        *path = operands.text[0];
        char              *dir = args.out ? need_copy(args.out, strlen(args.out))
                                          : run_folder_of(path, "sweep", ".sweep");
        note_list          notes = {0};
        arne_build_options build = {.isa = (arne_isa)args.isa};
        notes_listen(&notes, &build);
        const arne_status status = arne_sweep_read(path, &build, &s, &error);
        const int         speaks = arne_sweep_launch_rank() == 0;
        notes_hide(&notes, "contact");
        notes_group(&notes);
        if (speaks) notes_say(&notes, path, args.quiet ? NOTES_QUIET : 0);
        code = status != ARNE_OK
                   ? (notes.errors || !speaks ? EXIT_DATA : fail_error(path, status, &error))
               : args.row.given ? run_row(path, s, &args)
                                : run_all(path, s, &args, dir);
        code = signals_code(code);
        arne_sweep_free(s);
        notes_free(&notes);
        free(dir);
    }
    options_free(&sweep_verb, &args, &operands);
    return code;
}

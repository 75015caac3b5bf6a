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

static const option options[] = {
    {"--out", "-o", OPTION_TEXT, "DIR", "the folder of the sweep (default: SWEEP's name, .sweep)",
     offsetof(sweep_args, out), 0},
    {"--jobs", "-j", OPTION_NUMBERS, "N",
     "processes that compute (default: one for each processor; under mpirun 1 for each rank)",
     offsetof(sweep_args, jobs), 1},
    {"--resume", NULL, OPTION_FLAG, NULL,
     "continue the sweep that was stopped or killed, in DIR.incomplete",
     offsetof(sweep_args, resume), 0},
    {"--retry", NULL, OPTION_FLAG, NULL,
     "with --resume: compute rows that failed again, also those of a complete sweep",
     offsetof(sweep_args, retry), 0},
    {"--row", NULL, OPTION_NUMBERS, "K",
     "compute row K alone and print it; with --out its run's folder is kept",
     offsetof(sweep_args, row), 1},
    {"--isa", NULL, OPTION_CHOICE, "baseline|x86-64-v3|x86-64-v4",
     "instruction set (default: the best of this processor)", offsetof(sweep_args, isa), 0},
    {"--chunk", NULL, OPTION_NUMBERS, "N",
     "rows handed out at once (default: adapts to their duration)", offsetof(sweep_args, chunk), 1},
    {"--group", NULL, OPTION_NUMBERS, "N",
     "ranks that request rows together (default: those of a node, if there are more than 256 "
     "ranks)",
     offsetof(sweep_args, group), 1},
    {"--view", NULL, OPTION_FLAG, NULL, "open the page in a browser", offsetof(sweep_args, view),
     0},
    {"--schema", NULL, OPTION_FLAG, NULL,
     "print the schema of sweep files as JSON, and do nothing else", offsetof(sweep_args, schema),
     0},
    {"--quiet", "-q", OPTION_FLAG, NULL,
     "no warnings, no progress and no summary; --quiet=KIND,KIND: no warnings of these kinds",
     offsetof(sweep_args, quiet), 0},
    OPTION_PACKAGE(sweep_args, package),
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

// "study.sweep" of "a/study.yaml", "arm.sweep" of "arm/sweep.yaml".
static char *default_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t      length = strcspn(name, ".");
    if (slash && slash > path && length == 5 && strncmp(name, "sweep", 5) == 0) {
        const char *begin = slash;
        while (begin > path && begin[-1] != '/')
            begin--;
        if (*begin != '.') {
            name = begin;
            length = (size_t)(slash - begin);
        }
    }
    char *out = need(length + sizeof ".sweep", 1);
    memcpy(out, name, length);
    strcpy(out + length, ".sweep");
    return out;
}

// --- progress ------------------------------------------------------------------------------------

static void show_progress(void *context, const arne_sweep_progress *p)
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

static void on_warning(void *context, const arne_warning *w)
{
    (void)context;
    say("%s: %s", w->file, w->text);
}

// --- the parts of the work

static void print_summary(const arne_sweep *s, const arne_sweep_summary *r)
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
                              .warn = on_warning,
                              .progress = shows ? show_progress : NULL};
    if (args->jobs.given) how.jobs = (int)args->jobs.value[0];
    if (args->chunk.given) how.chunk = (long)args->chunk.value[0];
    if (args->group.given) how.group = (int)args->group.value[0];
    signals_note();
    signal(SIGXFSZ, SIG_IGN); // a file that grows too large is a full disk
    const arne_status status = arne_sweep_run(s, dir, &how, &summary, &error);
    if (shows) fprintf(stderr, "\r%79s\r", "");
    if (summary.rank != 0) return EXIT_FINE;
    if (status) return fail_error(path, status, &error);
    const arne_status page = arne_sweep_report(dir, &error);
    if (page) return fail_error(dir, page, &error);
    if (!args->quiet) print_summary(s, &summary);
    if (args->view || !args->quiet) name_report(dir, args->view);
    return EXIT_FINE;
}

static int check_numbers(const sweep_args *args)
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
    code = check_numbers(&args);
    if (code == EXIT_FINE) code = check_kind(operands.text[0], ARNE_DOCUMENT_SWEEP);
    if (code == EXIT_FINE) {
        const char *path = operands.text[0];
        char       *dir = args.out ? need_copy(args.out, strlen(args.out)) : default_folder(path);
        note_list   notes = {0};
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

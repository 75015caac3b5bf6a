#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): sigaction, isatty, fileno
#include "load_scenario.h"

#include "message.h"

#include <arne/report.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted; // signals have no other way to tell

static void on_signal(int number) { interrupted = number; }

typedef struct bar {
    int shown, width;
} bar;

// One line that is drawn over itself, only where somebody sees it.
static int on_progress(void *context, double part)
{
    enum { WIDTH = 40 };
    bar      *b = context;
    const int width = (int)(part * WIDTH);
    if (b->shown && width != b->width) {
        b->width = width;
        fprintf(stderr, "\r[%.*s%*s] %3d %%", width, "########################################",
                WIDTH - width, "", (int)(100 * part));
        fflush(stderr);
    }
    return interrupted != 0;
}

static void on_warning(void *context, const arne_warning *w)
{
    const int *quiet = context;
    if (*quiet || w->accepted) return;
    if (w->line > 0)
        say("warning: %s:%d: %s", w->file, w->line, w->text);
    else
        say("warning: %s: %s", w->file, w->text);
}

int load_scenario(const char *path, int quiet, arne_scenario **out)
{
    arne_error        error = {0};
    const arne_status status = arne_scenario_read(path, on_warning, &quiet, out, &error);
    return status == ARNE_OK ? EXIT_FINE : fail_error(path, status, &error);
}

// The first Ctrl-C ends the run at the next row; a second one ends the program.
static void catch_signals(int catch_them)
{
    struct sigaction how = {.sa_flags = (int)SA_RESETHAND};
    how.sa_handler = catch_them ? on_signal : SIG_DFL;
    sigemptyset(&how.sa_mask);
    sigaction(SIGINT, &how, NULL);
    sigaction(SIGTERM, &how, NULL);
}

int run_scenario(arne_scenario *scenario, const char *path, const char *dir,
                 arne_simulation_summary *summary)
{
    arne_error error = {0};
    bar        b = {.shown = isatty(fileno(stderr)), .width = -1};
    interrupted = 0;
    catch_signals(1);
    arne_status status = arne_scenario_run(scenario, dir, on_progress, &b, summary, &error);
    catch_signals(0);
    if (b.shown) fprintf(stderr, "\r%60s\r", "");
    int code = status == ARNE_OK ? EXIT_FINE : fail_error(path, status, &error);
    if (status != ARNE_OK && summary->ended[0])
        say("%s: what there is up to t = %.9g s is there, marked as not complete", dir,
            summary->time);
    if (code == EXIT_FINE && interrupted) {
        say("%s: %s; what there is up to then is there, marked as not complete", dir,
            summary->ended);
        code = EXIT_INTERRUPTED;
    }
    if (status == ARNE_OK || summary->ended[0]) {
        status = arne_report_write(dir, NULL, &error);
        if (status != ARNE_OK) {
            const int bad = fail_error(dir, status, &error);
            if (code == EXIT_FINE) code = bad;
        }
    }
    return code;
}

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): isatty, fileno
#include "load_scenario.h"

#include "message.h"
#include "notes.h"
#include "signals.h"

#include <arne/report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    return 0;
}

int has_ground(const arne_scenario *scenario)
{
    const arne_simulation_spec *sim = arne_scenario_simulation(scenario);
    for (int i = 0; i < sim->surrounding_count; i++)
        if (sim->surroundings[i].kind == ARNE_SURROUNDING_GROUND) return 1;
    return 0;
}

int load_scenario(const char *path, int quiet, arne_scenario **out)
{
    arne_error         error = {0};
    note_list          notes = {0};
    arne_build_options options = {0};
    notes_listen(&notes, &options);
    const arne_status status = arne_scenario_read(path, &options, out, &error);
    if (status != ARNE_OK || !has_ground(*out)) notes_hide(&notes, "contact");
    notes_group(&notes);
    notes_say(&notes, path, quiet ? NOTES_QUIET : 0);
    const int code = status == ARNE_OK ? EXIT_FINE
                     : notes.errors    ? EXIT_DATA
                                       : fail_error(path, status, &error);
    notes_free(&notes);
    return code;
}

// The message about an incomplete run, and where it is.
static void say_incomplete(const char *dir, const arne_simulation_summary *summary)
{
    say("%s.incomplete: what there is up to t = %.9g s, marked as not complete", dir,
        summary->time);
}

int run_scenario(arne_scenario *scenario, const char *path, const char *dir, int resume,
                 arne_simulation_summary *summary)
{
    arne_error                  error = {0};
    bar                         b = {.shown = isatty(fileno(stderr)), .width = -1};
    const arne_report_options   page = {0};
    const arne_scenario_options how = {.progress = on_progress,
                                       .context = &b,
                                       .stop = signals_stop,
                                       .resume = resume,
                                       .page = &page};
    signals_note();
    const arne_status status = arne_scenario_run(scenario, dir, &how, summary, &error);
    if (b.shown) fprintf(stderr, "\r%60s\r", "");
    const int code = status == ARNE_OK ? EXIT_FINE : fail_error(path, status, &error);
    if (summary->stopped && status == ARNE_OK) say("%s: %s", path, summary->ended);
    if (summary->ended[0] && (status != ARNE_OK || summary->stopped)) say_incomplete(dir, summary);
    return signals_code(code);
}

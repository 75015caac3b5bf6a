// arne plan of problems with solver: {method: riccati}: one solution over the whole time, and its
// folder.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "plan_horizon.h"
#include "message.h"
#include "notes.h"
#include "open_page.h"
#include "signals.h"
#include <arne/horizon.h>
#include <arne/report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double plan_horizon_seconds(void *unused)
{
    struct timespec now;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void say_solution(const arne_oc_result *r, double time)
{
    printf("status             %s\n", arne_oc_outcome_name(r->outcome));
    printf("objective          %.9g\n", r->cost);
    printf("iterations         %d, %d with the exact Hessian\n", r->iterations, r->exact);
    printf("gradient           %.3g\n", r->gradient);
    printf("gap                %.3g\n", r->gap);
    printf("violation          %.3g\n", r->violation);
    printf("solver time        %.3f s: derivatives %.3f, recursion %.3f, line search %.3f\n", time,
           r->derivative_time, r->riccati_time, r->search_time);
}

static int write_run(arne_horizon *h, const arne_oc_result *r, const horizon_args *args)
{
    arne_error error;
    const int  kept = r->outcome != ARNE_OC_CONVERGED;
    char      *place = need(strlen(args->out) + sizeof ".incomplete", 1);
    sprintf(place, "%s%s", args->out, kept ? ".incomplete" : "");
    const arne_report_options page = {.plots = args->plots};
    const arne_status         status = arne_horizon_write(h, r, args->out, &page, &error);
    if (!status && kept) say("%s: the best motion so far, marked as not complete", place);
    const int code = status ? fail_error(place, status, &error) : EXIT_FINE;
    if (!code && (args->view || (!args->quiet && !kept))) name_report(place, args->view);
    free(place);
    return code;
}

int plan_horizon(const char *path, const horizon_args *args)
{
    note_list          notes = {0};
    arne_build_options build = {0};
    arne_horizon      *h = NULL;
    arne_error         error;
    arne_oc_result     result;
    notes_listen(&notes, &build);
    arne_status status = arne_horizon_read(path, &build, &h, &error);
    notes_hide(&notes, "contact");
    notes_group(&notes);
    notes_say(&notes, path, args->quiet ? NOTES_QUIET : 0);
    int code = notes.errors ? EXIT_DATA : status ? fail_error(path, status, &error) : EXIT_FINE;
    notes_free(&notes);
    if (code) {
        arne_horizon_free(h);
        return code;
    }
    const arne_oc_options how = {.clock = plan_horizon_seconds, .stop = signals_stop};
    signals_note();
    const double start = plan_horizon_seconds(NULL);
    status = arne_horizon_solve(h, &how, &result, &error);
    const double time = plan_horizon_seconds(NULL) - start;
    const int    found = arne_horizon_solver(h) &&
                      (!status || status == ARNE_NOT_CONVERGED || status == ARNE_STOPPED);
    if (status) code = fail_error(path, status, &error);
    if (found && !args->quiet) say_solution(&result, time);
    if (found && args->out) {
        const int written = write_run(h, &result, args);
        if (!code) code = written;
    }
    arne_horizon_free(h);
    return code;
}

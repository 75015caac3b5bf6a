// One row of a sweep, by itself, with the numbers that it has in the table.
#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): mkdtemp
#include "base/error.h"
#include "io/folder.h"
#include "sweep/sweep.h"
#include "sweep/sweep_store.h"
#include <stdlib.h>
#include <unistd.h>

static void remove_folder(char *dir)
{
    if (!dir) return;
    arne_folder_walk(dir, sweep_remove_item, dir);
    rmdir(dir);
    free(dir);
}

// A temporary folder, or NULL if none can be made.
static char *sweep_alone_make_folder(void)
{
    const char *place = getenv("TMPDIR");
    char       *dir = arne_join(place && *place ? place : "/tmp", "/arne-sweep-", "XXXXXX");
    if (dir && mkdtemp(dir)) return dir;
    free(dir);
    return NULL;
}

// With `warm: neighbours`, a row starts from its neighbour's motion: compute that row first, and
// before it its own neighbour.
static arne_status evaluate_after_neighbours(const sweep_job *job, long row, double *figures,
                                             char reason[SWEEP_REASON])
{
    const long      parent = sweep_warm_parent(job->sweep, row);
    const sweep_job before = {.sweep = job->sweep, .warm = job->warm};
    arne_status     status = ARNE_OK;
    if (parent >= 0) status = evaluate_after_neighbours(&before, parent, figures, reason);
    return status ? status : sweep_evaluate(job, row, figures, reason);
}

static arne_status sweep_alone_evaluate(arne_sweep *s, long row, const char *dir, double *figures,
                                        char reason[SWEEP_REASON])
{
    sweep_job job = {.sweep = s, .row_folder = dir};
    if (!s->warm) return sweep_evaluate(&job, row, figures, reason);
    char *warm = sweep_alone_make_folder();
    if (!warm) return ARNE_FILE;
    job.warm = warm;
    const arne_status status = evaluate_after_neighbours(&job, row, figures, reason);
    remove_folder(warm);
    return status;
}

arne_status arne_sweep_row(arne_sweep *s, long row, const char *dir, char **line, arne_error *error)
{
    char   reason[SWEEP_REASON];
    buffer b = {0};
    if (!s || !line) return arne_fail_null(error);
    if (row < 0 || row >= s->rows)
        return arne_fail(error, ARNE_VALUE, s->path, 0, "there is no such row: the last one is %ld",
                         s->rows - 1);
    *line = NULL;
    double     *figures = calloc((size_t)s->figure_count + 1, sizeof *figures);
    arne_status status =
        figures ? sweep_alone_evaluate(s, row, dir, figures, reason) : ARNE_NO_MEMORY;
    if (!status) sweep_put_line(&b, s, row, figures, reason);
    if (!status && b.failed) status = ARNE_NO_MEMORY;
    free(figures);
    if (!status) {
        *line = b.text;
        return ARNE_OK;
    }
    buffer_free(&b);
    return arne_fail(error, status, NULL, 0, "%s", arne_status_text(status));
}

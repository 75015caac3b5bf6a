// Searches from several starts: a process for each, as many at a time as are asked for. The
// solver's linear algebra is not made for threads.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "plan_starts.h"
#include "message.h"
#include "signals.h"
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// What the process of a start does: it says through the pipe what it found.
static void search_from(const char *path, const arne_solve_options *how, arne_plan_found *found)
{
    arne_plan       *plan = NULL;
    arne_plan_result result = {0};
    arne_error       error;
    found->status = ARNE_PLAN_FAILED;
    found->objective = NAN;
    if (arne_plan_read(path, NULL, &plan, &error) != ARNE_OK) return;
    if (found->seed) arne_plan_scatter(plan, found->seed, STARTS_PART);
    const arne_status status = arne_plan_solve(plan, how, &result, &error);
    if (!status || status == ARNE_NOT_CONVERGED) {
        found->status = result.status;
        found->objective = result.objective;
        found->T = result.T;
        found->iterations = result.iterations;
    }
    arne_plan_free(plan);
}

static int begin(const char *path, const arne_solve_options *how, const arne_plan_found *asked,
                 pid_t *child)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    *child = fork();
    if (*child < 0) {
        close(ends[0]), close(ends[1]);
        return -1;
    }
    if (*child == 0) {
        arne_plan_found found = *asked;
        close(ends[0]);
        search_from(path, how, &found);
        const ssize_t written = write(ends[1], &found, sizeof found);
        _exit(written == (ssize_t)sizeof found ? 0 : 1);
    }
    close(ends[1]);
    return ends[0];
}

static void finish(int from, pid_t child, arne_plan_found *found)
{
    arne_plan_found said;
    if (read(from, &said, sizeof said) == (ssize_t)sizeof said) *found = said;
    close(from);
    while (waitpid(child, NULL, 0) < 0 && !signals_stop(NULL))
        ;
}

int plan_starts(const char *path, const arne_solve_options *how, int count, unsigned long seed,
                int most, arne_plan_found *found)
{
    int   *from = need((size_t)count, sizeof *from);
    pid_t *child = need((size_t)count, sizeof *child);
    int    begun = 0, code = 0;
    for (int i = 0; i < count; i++)
        found[i] = (arne_plan_found){.seed = i ? seed + (unsigned long)i - 1 : 0,
                                     .status = ARNE_PLAN_FAILED,
                                     .objective = NAN};
    for (int done = 0; done < count && !code; done++) {
        for (; begun < count && begun < done + most && !signals_stop(NULL); begun++) {
            from[begun] = begin(path, how, &found[begun], &child[begun]);
            if (from[begun] < 0) {
                code = fail_data("%s: no further process can be started", path);
                break;
            }
        }
        if (done < begun) finish(from[done], child[done], &found[done]);
    }
    free(from);
    free(child);
    return code;
}

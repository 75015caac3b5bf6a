// How long plans take, by one thread and by two, beside what is aimed at.
//
//     arne_plan_bench [FOLDER OF THE REPOSITORY]
//
// Wall clock and processor time of the search alone, the least of several runs. On a machine that
// does other things the processor time says more.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include <arne/plan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

typedef struct row {
    const char *name, *file;
    double      converge;
    double      aim[2]; // s, with one thread and with two; 0: none
    int         runs;
} row;

static const row rows[] = {
    {"arm6, torque rates", "bench/arm6_torque_rate.yaml", 0, {0.2, 0}, 5},
    {"gait of the thesis", "examples/gait/thesis.yaml", 0, {3.4, 2}, 2},
    {"gait, converged", "examples/gait/problem.yaml", 0.02, {20, 20}, 1},
};

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static arne_status once(const char *path, const row *r, int threads, arne_plan_result *result,
                        double *processor, arne_error *error)
{
    arne_plan  *plan = NULL;
    arne_status status = arne_plan_read(path, NULL, &plan, error);
    if (!status) {
        arne_solve_options how = arne_plan_solver(plan);
        how.threads = threads;
        if (r->converge > 0) how.converge = r->converge;
        const double begun = seconds(CLOCK_PROCESS_CPUTIME_ID);
        status = arne_plan_solve(plan, &how, result, error);
        *processor = seconds(CLOCK_PROCESS_CPUTIME_ID) - begun;
    }
    arne_plan_free(plan);
    return status;
}

static int measure(const char *folder, const row *r, int threads)
{
    char             path[4096];
    arne_plan_result best = {.solve_time = INFINITY};
    double           processor = INFINITY;
    arne_error       error;
    snprintf(path, sizeof path, "%s/%s", folder, r->file);
    for (int i = 0; i < r->runs; i++) {
        arne_plan_result result;
        double           used = 0;
        if (once(path, r, threads, &result, &used, &error) != ARNE_OK) {
            fprintf(stderr, "%s: %s\n", path, error.text);
            return 1;
        }
        processor = fmin(processor, used);
        if (result.solve_time < best.solve_time) best = result;
    }
    const double aim = r->aim[threads - 1];
    printf("%-20s %7d %7.2f %9.2f %8.2f %11.2f %8.2f %6d %8d %8d  %.7g", r->name, threads,
           best.solve_time, processor, best.function_time, best.derivative_time,
           best.solve_time - best.function_time - best.derivative_time, best.iterations,
           best.jacobian_entries, best.hessian_entries, best.objective);
    if (aim > 0) printf("  aim %.1f%s", aim, best.solve_time <= aim ? "" : ": missed");
    printf("\n");
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ARNE_SOURCE;
    arne_error  error;
    int         bad = 0;
#ifdef __GLIBC__ // as the program does
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 25);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
    if (arne_plan_available(&error) != ARNE_OK) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_FAILURE;
    }
    printf("%-20s %7s %7s %9s %8s %11s %8s %6s %8s %8s  %s\n", "s", "threads", "wall", "processor",
           "values", "derivatives", "algebra", "iter.", "Jacobian", "Hessian", "objective");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int threads = 1; threads <= 2; threads++)
            bad |= measure(folder, &rows[i], threads);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

// How long a fit takes, and how much memory.
//
//     arne_identify_bench [ROWS [THREADS]]       rows of arm6 in memory, none left out: seconds
//     arne_identify_bench --csv FILE ROWS    writes rows of planar_2r to a file, fits them: memory
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): clock_gettime
#include <arne/dynamics.h>
#include <arne/identify.h>
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { PARTS = 4, HARMONICS = 3 };

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static arne_robot *read_robot(const char *name)
{
    char        path[512];
    arne_robot *robot = NULL;
    arne_error  error;
    snprintf(path, sizeof path, "%s/%s", ARNE_ROBOTS_DIR, name);
    if (arne_robot_read(path, NULL, &robot, &error)) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        exit(1);
    }
    return robot;
}

// Noise from the number of the row, so that any row can be made alone.
static double noise(long row, int joint)
{
    unsigned long long x = (unsigned long long)row * 64 + (unsigned long long)joint + 1;
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185ULL;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44dULL;
    return (double)(x >> 11) / 9007199254740992.0 - 0.5;
}

// q, qd, qdd and tau of a row at 1 kHz.
static void make_row(const arne_robot *robot, arne_work *work, int n, long row,
                     double *const x[PARTS])
{
    const double t = 0.001 * (double)row;
    for (int j = 0; j < n; j++) {
        x[0][j] = x[1][j] = x[2][j] = 0;
        for (int k = 1; k <= HARMONICS; k++) {
            const double w = 0.7 * (k + 0.37 * j), a = 0.9 / k, at = w * t + 0.7 * j + 1.3 * k;
            x[0][j] += a * sin(at);
            x[1][j] += a * w * cos(at);
            x[2][j] -= a * w * w * sin(at);
        }
    }
    arne_inverse_dynamics(robot, work, x[0], x[1], x[2], NULL, x[3]);
    for (int j = 0; j < n; j++)
        x[3][j] += 0.5 * noise(row, j);
}

static void check(arne_status status, const arne_error *error)
{
    if (!status) return;
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

static void say(const char *what, const arne_identify *s, double cpu, double wall)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    const arne_identify_result *r = arne_identify_get(s);
    printf("%-24s rows %-9ld decimate %d  cutoff %.3g Hz  processor %.2f s  clock %.2f s  peak %ld "
           "MB\n",
           what, r->fit.rows, r->decimate, r->torque_cutoff, cpu, wall, use.ru_maxrss / 1024);
}

// All rows count: no decimation, nothing held back, rest included.
static void time_memory(long rows, int threads)
{
    arne_robot  *robot = read_robot("arm6.yaml");
    const size_t n = (size_t)arne_robot_sizes(robot).v_count, all = (size_t)rows * n;
    arne_work   *work = NULL;
    double      *numbers = malloc((PARTS * all + (size_t)rows) * sizeof *numbers);
    if (!numbers || arne_work_new(robot, &work)) exit(1);
    double *part[PARTS], *time = numbers + PARTS * all;
    for (int p = 0; p < PARTS; p++)
        part[p] = numbers + (size_t)p * all;
    for (long i = 0; i < rows; i++) {
        double *const at[PARTS] = {part[0] + (size_t)i * n, part[1] + (size_t)i * n,
                                   part[2] + (size_t)i * n, part[3] + (size_t)i * n};
        time[i] = 0.001 * (double)i;
        make_row(robot, work, (int)n, i, at);
    }
    for (int filtered = 0; filtered < 2; filtered++) {
        const arne_identify_options o = {.size = sizeof o,
                                         .decimate = 1,
                                         .hold_back = -1,
                                         .rest_speed = -1,
                                         .cutoff = filtered ? 20 : -1,
                                         .threads = threads};
        const arne_log              log = {.rows = (int)rows,
                                           .time = time,
                                           .q = part[0],
                                           .qd = filtered ? NULL : part[1],
                                           .qdd = filtered ? NULL : part[2],
                                           .tau = part[3]};
        arne_identify              *s = NULL;
        arne_error                  error;
        check(arne_identify_new(robot, &o, &s, &error), &error);
        check(arne_identify_add_log(s, &log, ARNE_LOG_FIT, &error), &error);
        const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
        check(arne_identify_fit_robot(s, &error), &error);
        say(filtered ? "arm6, filtered" : "arm6, rates recorded", s,
            seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, seconds(CLOCK_MONOTONIC) - wall);
        arne_identify_free(s);
    }
    arne_work_free(work);
    free(numbers);
    arne_robot_free(robot);
}

static void write_csv(const arne_robot *robot, const char *path, long rows)
{
    const int  n = arne_robot_sizes(robot).v_count;
    arne_work *work = NULL;
    double     x[PARTS][8];
    FILE      *file = fopen(path, "w");
    if (!file || n > 8 || arne_work_new(robot, &work)) exit(1);
    fprintf(file, "time");
    for (int p = 0; p < PARTS; p += 3)
        for (int j = 0; j < n; j++)
            fprintf(file, ",%s.%s", p ? "tau" : "q", arne_robot_joint(robot, j).name);
    fputc('\n', file);
    for (long i = 0; i < rows; i++) {
        double *const at[PARTS] = {x[0], x[1], x[2], x[3]};
        make_row(robot, work, n, i, at);
        fprintf(file, "%.3f", 0.001 * (double)i);
        for (int p = 0; p < PARTS; p += 3)
            for (int j = 0; j < n; j++)
                fprintf(file, ",%.9g", x[p][j]);
        fputc('\n', file);
    }
    if (fclose(file)) exit(1);
    arne_work_free(work);
}

static void time_csv(const char *path, long rows)
{
    arne_robot    *robot = read_robot("planar_2r.yaml");
    arne_identify *s = NULL;
    arne_error     error;
    write_csv(robot, path, rows);
    const arne_identify_options o = {.size = sizeof o, .cutoff = 20, .decimate = 1};
    check(arne_identify_new(robot, &o, &s, &error), &error);
    check(arne_identify_add_file(s, path, ARNE_LOG_FIT, &error), &error);
    const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
    check(arne_identify_fit_robot(s, &error), &error);
    say("planar_2r, from a file", s, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu,
        seconds(CLOCK_MONOTONIC) - wall);
    arne_identify_free(s);
    arne_robot_free(robot);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--csv") == 0)
        time_csv(argv[2], strtol(argv[3], NULL, 10));
    else
        time_memory(argc > 1 ? strtol(argv[1], NULL, 10) : 1000000,
                    argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1);
    return 0;
}

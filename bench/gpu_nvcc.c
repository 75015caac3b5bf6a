// Kernels that the library compiles by NVRTC beside the same text compiled by nvcc:
//
//     arne_gpu_nvcc NVCC FOLDER ROBOT...
//
// prints a table in markdown: states per second of each, their ratio (aim: at least 0.8) and the
// seconds that both compilers took, then what missed its aim. The robots' bases are fixed, unless
// their files say otherwise. What nvcc makes is put into FOLDER/nvcc under the name that the
// library looks for, so that both run in the same way.
#define _POSIX_C_SOURCE 200809L
#include <arne/arne.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { STATES = 1000000, ROUNDS = 3, STEPS = 100, PATH = 8192, INPUTS = 4 };

// Aims: of the ratio, for all; of steps a second of rollouts, for arm7 in float.
static const double RATIO = 0.8;
typedef struct subject {
    arne_algorithm algorithm;
    arne_method    method;
    const char    *name; // NULL: the algorithm's
    double         aim;  // 0: none
} subject;
static const subject subjects[] = {
    {ARNE_ALGORITHM_INVERSE_DYNAMICS, ARNE_METHOD_EULER, NULL, 0},
    {ARNE_ALGORITHM_FORWARD_DYNAMICS, ARNE_METHOD_EULER, NULL, 0},
    {ARNE_ALGORITHM_MASS_MATRIX, ARNE_METHOD_EULER, NULL, 0},
    {ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES, ARNE_METHOD_EULER, NULL, 0},
    {ARNE_ALGORITHM_ROLLOUT, ARNE_METHOD_EULER, "rollout, Euler, 100 steps", 1e10},
    {ARNE_ALGORITHM_ROLLOUT, ARNE_METHOD_RK4, "rollout, RK4, 100 steps", 3e9}};

typedef struct trial {
    const arne_robot *robot;
    const subject    *of;
    arne_gpu         *gpu;
    int              *missed;
    arne_precision    precision;
    size_t            count, entry;
    void             *in[INPUTS], *out;
} trial;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(arne_status status, const arne_error *error)
{
    if (status == ARNE_OK) return;
    fprintf(stderr, "arne_gpu_nvcc: %s\n", error->text);
    exit(2);
}

static arne_gpu_inputs inputs_of(const trial *t)
{
    return (arne_gpu_inputs){.q = t->in[0],
                             .qd = t->in[1],
                             .qdd = t->in[2],
                             .tau = t->in[3],
                             .on_device = 1,
                             .steps = STEPS,
                             .dt = 1e-4,
                             .method = t->of->method};
}

static arne_gpu_outputs outputs_of(const trial *t, arne_algorithm a)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(a);
    arne_gpu_outputs           out = {0};
    char                      *at = t->out;
    for (int i = 0; i < info->output_count; i++) {
        if (info->outputs[i].on_request) continue;
        arne_gpu_set_output(&out, info->outputs[i].array, at);
        at += arne_array_size(t->robot, info->outputs[i].array) * t->count * t->entry;
    }
    return out;
}

// ---- arrays ----

static void fill(trial *t)
{
    const arne_sizes z = arne_robot_sizes(t->robot);
    const size_t     rows[INPUTS] = {(size_t)z.q_count, (size_t)z.v_count, (size_t)z.v_count,
                                     (size_t)z.v_count};
    uint64_t         seed = 1;
    double          *q = calloc((size_t)z.q_count + 1, sizeof *q);
    arne_error       error;
    for (int i = 0; i < INPUTS; i++) {
        char *x = calloc(rows[i] * t->count + 1, t->entry);
        for (size_t s = 0; s < t->count; s++) {
            if (i == 0) arne_random_configuration(t->robot, &seed, q);
            for (size_t k = 0; k < rows[i]; k++) {
                const double value = i ? sin((double)(s * 31 + k * (size_t)(i + 1))) : q[k];
                if (t->precision == ARNE_PRECISION_FLOAT)
                    ((float *)(void *)x)[k * t->count + s] = (float)value;
                else
                    ((double *)(void *)x)[k * t->count + s] = value;
            }
        }
        check(arne_gpu_allocate(t->gpu, rows[i] * t->count * t->entry, &t->in[i], &error), &error);
        check(arne_gpu_copy(t->gpu, t->in[i], x, rows[i] * t->count * t->entry, &error), &error);
        free(x);
    }
    free(q);
}

static size_t output_rows(const arne_robot *robot, arne_algorithm a)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(a);
    size_t                     rows = 0;
    for (int i = 0; i < info->output_count; i++)
        if (!info->outputs[i].on_request) rows += arne_array_size(robot, info->outputs[i].array);
    return rows;
}

// ---- one kernel ----

static double rate_of(trial *t, arne_algorithm a)
{
    const arne_gpu_inputs  in = inputs_of(t);
    const arne_gpu_outputs out = outputs_of(t, a);
    double                 best = INFINITY;
    arne_error             error;
    for (int repeat = 1, good = 0; good < ROUNDS;) {
        const double from = now();
        for (int i = 0; i < repeat; i++)
            check(arne_gpu_run(t->gpu, a, &in, &out, t->count, NULL, &error), &error);
        check(arne_gpu_wait(t->gpu, NULL, &error), &error);
        const double each = (now() - from) / repeat;
        if (each * repeat < 0.02 && repeat < 1 << 12) {
            repeat *= 2;
            continue;
        }
        best = fmin(best, each);
        good++;
    }
    return (double)t->count / best * (a == ARNE_ALGORITHM_ROLLOUT ? STEPS : 1);
}

// Seconds; the binary has the name that the library gave to its own and, as all that are kept, the
// hash of its bytes behind them.
static double by_nvcc(const trial *t, arne_algorithm a, const char *nvcc, const char *folder,
                      const char *file)
{
    const arne_kernel_options o = {
        .size = sizeof o, .precision = t->precision, .method = (int)t->of->method};
    const char  *name = strrchr(file, '/');
    char         source[PATH], command[3 * PATH];
    arne_kernel *text;
    arne_error   error;
    check(arne_generate_kernel(t->robot, a, &o, &text, &error), &error);
    snprintf(source, sizeof source, "%s/kernel.cu", folder);
    FILE *out = fopen(source, "w");
    if (!out || !name || fwrite(text->text, 1, text->size, out) != text->size || fclose(out)) {
        fprintf(stderr, "arne_gpu_nvcc: %s cannot be written\n", source);
        exit(2);
    }
    arne_kernel_free(text);
    snprintf(command, sizeof command, "%s -O3 -w -arch=native -cubin -o %s/nvcc/%s %s", nvcc,
             folder, name + 1, source);
    const double from = now();
    if (system(command) != 0) exit(2);
    const double seconds = now() - from;
    snprintf(command, sizeof command,
             "cd %s/nvcc && h=$(sha256sum %s) && printf %%.64s \"$h\" >> %s", folder, name + 1,
             name + 1);
    if (system(command) != 0) exit(2);
    return seconds;
}

static double rate_by(trial *t, arne_gpu *other, arne_algorithm a, arne_gpu_kernel *facts)
{
    const arne_gpu_inputs in = inputs_of(t);
    arne_gpu             *own = t->gpu;
    double                rate = 0;
    t->gpu = other;
    if (arne_gpu_prepare(other, a, &in, NULL, facts, NULL) == ARNE_OK) rate = rate_of(t, a);
    t->gpu = own;
    return rate;
}

// The aims beside the row, and whether they are missed.
static void judge(const trial *t, double rate, double rate_nvcc)
{
    const int    has_aim = t->entry == 4 && !strcmp(arne_robot_name(t->robot), "arm7");
    const double aim = has_aim ? t->of->aim : 0;
    const int    missed = !(rate >= RATIO * rate_nvcc) || rate < aim;
    if (aim > 0) printf(" aim %.0e,", aim);
    printf(" aim of the ratio %.2f%s\n", RATIO, missed ? ": missed" : "");
    fflush(stdout);
    *t->missed += missed;
}

static void compare(trial *t, arne_gpu *other, const char *nvcc, const char *folder)
{
    const arne_algorithm  a = t->of->algorithm;
    const arne_gpu_inputs in = inputs_of(t);
    arne_gpu_kernel       own, theirs;
    arne_error            error;
    const char           *name = t->of->name ? t->of->name : arne_catalogue_algorithm(a)->name;
    t->count = STATES;
    while (output_rows(t->robot, a) * t->count * t->entry > (size_t)8 << 30)
        t->count /= 2;
    if (arne_gpu_prepare(t->gpu, a, &in, NULL, &own, &error)) {
        printf("| %s | %s | %s | none: %s |\n", arne_robot_name(t->robot), name,
               t->entry == 4 ? "float" : "double", error.text);
        return;
    }
    const double seconds = by_nvcc(t, a, nvcc, folder, own.file);
    check(
        arne_gpu_allocate(t->gpu, output_rows(t->robot, a) * t->count * t->entry, &t->out, &error),
        &error);
    fill(t);
    const double rate = rate_of(t, a);
    const double rate_nvcc = rate_by(t, other, a, &theirs);
    printf("| %s | %s | %s | %d | %.3g | %.3g | %.2f | %.2f | %.1f |%s", arne_robot_name(t->robot),
           name, t->entry == 4 ? "float" : "double", own.operations, rate, rate_nvcc,
           rate / rate_nvcc, own.seconds, seconds,
           theirs.was_cached ? "" : " nvcc's binary was not taken");
    judge(t, rate, rate_nvcc);
    for (int i = 0; i < INPUTS; i++)
        arne_gpu_release(t->gpu, t->in[i]);
    arne_gpu_release(t->gpu, t->out);
}

static void compare_robot(const char *path, const char *nvcc, const char *folder, int *missed)
{
    char        own[PATH], theirs[PATH];
    arne_robot *robot;
    arne_error  error;
    check(arne_robot_read(path, NULL, &robot, &error), &error);
    snprintf(own, sizeof own, "%s/nvrtc", folder);
    snprintf(theirs, sizeof theirs, "%s/nvcc", folder);
    for (int p = 1; p >= 0; p--) {
        arne_gpu_options options = {.size = sizeof options,
                                    .precision = p ? ARNE_PRECISION_FLOAT : ARNE_PRECISION_DOUBLE,
                                    .cache = own};
        trial            t = {.robot = robot,
                              .missed = missed,
                              .precision = options.precision,
                              .entry = p ? sizeof(float) : sizeof(double)};
        arne_gpu        *other;
        check(arne_gpu_new(robot, &options, &t.gpu, &error), &error);
        options.cache = theirs;
        check(arne_gpu_new(robot, &options, &other, &error), &error);
        for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
            t.of = &subjects[i];
            compare(&t, other, nvcc, folder);
        }
        arne_gpu_free(other);
        arne_gpu_free(t.gpu);
    }
    arne_robot_free(robot);
}

int main(int argc, char **argv)
{
    char path[PATH];
    if (argc < 4) {
        fprintf(stderr, "arne_gpu_nvcc NVCC FOLDER ROBOT...\n");
        return 2;
    }
    (void)mkdir(argv[2], 0700);
    snprintf(path, sizeof path, "%s/nvcc", argv[2]);
    (void)mkdir(path, 0700);
    printf("| robot | algorithm | entries | operations | by NVRTC, states/s | by nvcc | ratio | "
           "NVRTC [s] | nvcc [s] |\n"
           "|---|---|---|---:|---:|---:|---:|---:|---:|\n");
    int missed = 0;
    for (int i = 3; i < argc; i++)
        compare_robot(argv[i], argv[1], argv[2], &missed);
    printf("\n%d missed their aims.\n", missed);
    return 0;
}

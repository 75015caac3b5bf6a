#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): clock_gettime
#include "gpu/compiled.h"
#include "base/clock.h"
#include "base/error.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Compiling takes about half a millisecond for an operation, more where there are many, and code
// that does not stay in the instruction cache is slow.
enum { MOST_OPERATIONS = 60000 };

// ---- which one ----

static kernel_key compiled_key_of(const gpu_job *job)
{
    kernel_key key;
    memset(&key, 0, sizeof key);
    key.algorithm = job->algorithm;
    key.frame = job->frame_index;
    key.axes = job->axes;
    key.method = job->method;
    key.stiffness = job->has_stiffness;
    key.damping = job->has_damping;
    key.ground = job->algorithm != ARNE_ALGORITHM_ROLLOUT || !job->in[ARNE_INPUT_ground]
                     ? ARNE_GROUND_NONE
                 : job->field ? ARNE_GROUND_FIELD
                              : ARNE_GROUND_PLANE;
    key.rigid = job->sweeps > 0;
    key.left_out = job->left_out;
    key.own_gains = job->own_gains;
    key.mass = job->in[ARNE_INPUT_mass_factor] != NULL;
    key.restart = job->in[ARNE_INPUT_restart] != NULL;
    key.limits = job->limit_stiffness > 0 || job->limit_damping > 0;
    key.policy = job->policy != NULL;
    key.hidden = job->policy ? job->policy->hidden : 0;
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        key.wanted[i] = job->out[i] != NULL;
    return key;
}

// ---- making it ----

static arne_status generate(const workshop *w, const kernel_key *key, arne_kernel **text,
                            arne_error *error)
{
    arne_array          outputs[ARNE_ARRAY_COUNT];
    arne_kernel_options o = {.size = sizeof o,
                             .precision = w->precision,
                             .frame = key->frame,
                             .axes = (arne_axes)key->axes,
                             .outputs = outputs,
                             .method = key->method,
                             .stiffness = key->stiffness,
                             .damping = key->damping,
                             .ground = (arne_ground_kind)key->ground,
                             .rigid = key->rigid,
                             .left_out = key->left_out,
                             .own_gains = key->own_gains,
                             .mass = key->mass,
                             .restart = key->restart,
                             .limits = key->limits,
                             .policy = key->policy,
                             .hidden = key->hidden};
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        if (key->wanted[i]) outputs[o.output_count++] = (arne_array)i;
    const arne_status status =
        arne_generate_kernel(w->robot, (arne_algorithm)key->algorithm, &o, text, error);
    if (status) return status;
    const int operations = (*text)->counts.mul + (*text)->counts.add;
    if (operations <= MOST_OPERATIONS) return ARNE_OK;
    arne_kernel_free(*text);
    *text = NULL;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                     "straight-line code for it has %d operations, and more than %d are not "
                     "compiled",
                     operations, MOST_OPERATIONS);
}

static void compiled_find_file(const workshop *w, const arne_kernel *text, char file[CACHE_PATH])
{
    char   target[64];
    sha256 facts;
    snprintf(target, sizeof target, "sm %d.%d nvrtc %d fast %d", w->device->major, w->device->minor,
             nvrtc_release(w->compiler), w->is_fast);
    sha256_start(&facts);
    sha256_add(&facts, target, strlen(target));
    sha256_add(&facts, text->text, text->size);
    cache_file(&w->cache, &facts, file);
}

static int compiled_load(const workshop *w, compiled *k, const char *image)
{
    int code = w->device->load(&k->module, image);
    if (code) k->module = NULL;
    if (!code) code = w->device->function(&k->function, k->module, "arne_kernel");
    if (code && k->module) {
        (void)w->device->unload(k->module);
        k->module = k->function = NULL;
    }
    return code;
}

static arne_status compile(const workshop *w, compiled *k, const arne_kernel *text,
                           const char *file, arne_error *error)
{
    const nvrtc_target target = {w->device->major, w->device->minor, w->is_fast};
    char              *image;
    size_t             size;
    arne_status status = nvrtc_compile(w->compiler, text->text, &target, &image, &size, error);
    if (status) return status;
    const int code = compiled_load(w, k, image);
    if (code)
        status = driver_fail(w->device, code, "the compiled kernel", error);
    else if (!cache_write(&w->cache, file, image, size))
        k->facts.file[0] = 0;
    free(image);
    return status;
}

static arne_status compiled_make(workshop *w, compiled *k, arne_error *error)
{
    char         file[CACHE_PATH], *image;
    size_t       size;
    arne_kernel *text = NULL;
    arne_status  status = w->compiler ? ARNE_OK : nvrtc_open(&w->compiler, error);
    if (!status) status = generate(w, &k->key, &text, error);
    if (status) return status;
    k->facts.operations = text->counts.mul + text->counts.add;
    k->input_count = text->input_count;
    k->output_count = text->output_count;
    memcpy(k->arrays, text->arrays, sizeof k->arrays);
    compiled_find_file(w, text, file);
    snprintf(k->facts.file, sizeof k->facts.file, "%s", file);
    cache_read(file, &image, &size);
    k->facts.was_cached = image && compiled_load(w, k, image) == 0; // what is broken is made again
    free(image);
    if (!k->facts.was_cached) status = compile(w, k, text, file, error);
    arne_kernel_free(text);
    return status;
}

compiled *workshop_kernel(workshop *w, const gpu_job *job)
{
    const kernel_key key = compiled_key_of(job);
    for (compiled *k = w->made; k; k = k->next)
        if (memcmp(&k->key, &key, sizeof key) == 0) return k;
    compiled    *k = calloc(1, sizeof *k);
    arne_error   error = {0};
    const double from = clock_seconds();
    if (!k) return NULL;
    k->key = key;
    k->next = w->made;
    w->made = k;
    if (compiled_make(w, k, &error)) {
        snprintf(k->why, sizeof k->why, "%s", error.text);
        k->facts.file[0] = 0;
        k->facts.operations = 0;
    }
    k->facts.seconds = clock_seconds() - from;
    return k;
}

void workshop_close(workshop *w)
{
    while (w->made) {
        compiled *k = w->made;
        w->made = k->next;
        if (k->module) (void)w->device->unload(k->module);
        free(k);
    }
    nvrtc_close(w->compiler);
    w->compiler = NULL;
}

// ---- running it ----

// As kernel_arrays.cuh has it.
typedef struct kernel_array {
    const void *at;
    long long   state;
    int         entry;
} kernel_array;

enum { MOST_ARGUMENTS = ARNE_ARRAY_COUNT + 24, MOST_NUMBERS = 8 };

// A number in the kernel's precision.
typedef union kernel_number {
    float  f;
    double d;
} kernel_number;

typedef struct launch {
    kernel_array       arrays[ARNE_ARRAY_COUNT];
    unsigned long long count;
    int                steps;
    kernel_number      numbers[MOST_NUMBERS];
    int                number_count;
    long long          each[3]; // of tau, q_ref, qd_ref
    const void        *heights;
    int                rows, columns, sweeps, holds;
    kernel_array       policy;
    void              *factors;
    void              *argument[MOST_ARGUMENTS];
    int                argument_count;
} launch;

static void add_argument(launch *l, void *at) { l->argument[l->argument_count++] = at; }

static arne_status add_array(launch *l, int i, const void *at, arne_batch_layout layout,
                             arne_array array, arne_error *error)
{
    if (layout.entry > INT32_MAX || layout.entry < INT32_MIN)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "%s: entries that lie %lld apart are too far for a compiled kernel",
                         arne_catalogue_array(array)->name, (long long)layout.entry);
    l->arrays[i] = (kernel_array){at, layout.state, (int)layout.entry};
    add_argument(l, &l->arrays[i]);
    return ARNE_OK;
}

static arne_status add_arrays(launch *l, const compiled *k, const gpu_job *job, arne_error *error)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < k->input_count + k->output_count && !status; i++) {
        const arne_array a = k->arrays[i];
        const int        in = i < k->input_count;
        status = add_array(l, i, in ? job->in[a] : job->out[a],
                           in ? job->in_layout[a] : job->out_layout[a], a, error);
    }
    return status;
}

static void add_number(launch *l, const workshop *w, double x)
{
    kernel_number *n = &l->numbers[l->number_count++];
    if (w->precision == ARNE_PRECISION_FLOAT)
        n->f = (float)x;
    else
        n->d = x;
    add_argument(l, n);
}

// The factors kp, kd and the largest torques of a policy, in the kernel's precision.
static int add_factors(launch *l, const workshop *w, const gpu_job *job)
{
    const double *const all[3] = {job->kp, job->kd, job->policy ? job->policy->most : NULL};
    const size_t        n = (size_t)arne_robot_sizes(w->robot).v_count;
    size_t              at = 0;
    l->factors = calloc(3 * n + 1, sizeof(double));
    if (!l->factors) return 0;
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; all[i] && k < n; k++, at++)
            if (w->precision == ARNE_PRECISION_FLOAT)
                ((float *)l->factors)[at] = (float)all[i][k];
            else
                ((double *)l->factors)[at] = all[i][k];
    add_argument(l, l->factors);
    return 1;
}

// What it has of limits, a height field, sweeps and a policy.
static arne_status compiled_add_world(launch *l, const workshop *w, const gpu_job *job,
                                      arne_error *error)
{
    const arne_gpu_field  *f = job->field;
    const arne_gpu_policy *p = job->policy;
    if (job->limit_stiffness > 0 || job->limit_damping > 0) {
        add_number(l, w, job->limit_stiffness);
        add_number(l, w, job->limit_damping);
    }
    if (f) {
        l->heights = f->heights;
        l->rows = f->rows;
        l->columns = f->columns;
        add_argument(l, &l->heights);
        add_argument(l, &l->rows);
        add_argument(l, &l->columns);
        add_number(l, w, f->corner[0]);
        add_number(l, w, f->corner[1]);
        add_number(l, w, f->spacing[0]);
        add_number(l, w, f->spacing[1]);
    }
    l->sweeps = job->sweeps;
    if (job->sweeps) add_argument(l, &l->sweeps);
    if (!p) return ARNE_OK;
    if (p->layout.entry > INT32_MAX || p->layout.entry < INT32_MIN)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "policy: weights lie too far apart");
    l->policy = (kernel_array){p->weights, p->layout.state, (int)p->layout.entry};
    l->holds = p->holds ? p->holds : 1;
    add_argument(l, &l->policy);
    add_argument(l, &l->holds);
    return ARNE_OK;
}

static arne_status add_rollout(launch *l, const workshop *w, const gpu_job *job, arne_error *error)
{
    static const int inputs[3] = {ARNE_INPUT_tau, ARNE_INPUT_q_ref, ARNE_INPUT_qd_ref};
    const int is_read[3] = {1, job->has_stiffness || job->policy, job->has_damping || job->policy};
    l->steps = job->steps;
    add_argument(l, &l->steps);
    add_number(l, w, job->dt);
    for (int i = 0; i < 3; i++) {
        l->each[i] = (long long)job->step_rows[inputs[i]] * job->in_layout[inputs[i]].entry;
        if (is_read[i]) add_argument(l, &l->each[i]);
    }
    if ((job->kp || job->kd || job->policy) && !add_factors(l, w, job))
        return arne_fail_memory(error);
    return compiled_add_world(l, w, job, error);
}

arne_status compiled_launch(const workshop *w, const compiled *k, const gpu_job *job,
                            driver_handle stream, arne_error *error)
{
    launch       l = {.count = job->count};
    const size_t blocks = (job->count + ARNE_KERNEL_BLOCK - 1) / ARNE_KERNEL_BLOCK;
    arne_status  status = add_arrays(&l, k, job, error);
    if (!status && blocks > INT32_MAX)
        status = arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%zu states are too many for one run",
                           job->count);
    if (!status) {
        add_argument(&l, &l.count);
        if (job->algorithm == ARNE_ALGORITHM_ROLLOUT) status = add_rollout(&l, w, job, error);
    }
    if (!status) {
        const int code = w->device->launch(k->function, (unsigned)blocks, 1, 1, ARNE_KERNEL_BLOCK,
                                           1, 1, 0, stream, l.argument, NULL);
        if (code) status = driver_fail(w->device, code, "launch", error);
    }
    free(l.factors);
    return status;
}

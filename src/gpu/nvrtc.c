#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): secure_getenv
#include "gpu/nvrtc.h"
#include "base/error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ARNE_HAVE_DLOPEN
#include <dlfcn.h>

enum { PATH_SIZE = 4096, MOST_ARCHITECTURES = 256, OPTION_SIZE = 48 };

// As nvrtc.h declares them: a result of 0 is success, a program is an opaque pointer.
typedef void *program;

struct nvrtc {
    void *library;
    int   release;
    int (*create)(program *, const char *text, const char *name, int, const char *const *,
                  const char *const *);
    int (*destroy)(program *);
    int (*compile)(program, int count, const char *const *options);
    int (*log_size)(program, size_t *);
    int (*log)(program, char *);
    int (*cubin_size)(program, size_t *);
    int (*cubin)(program, char *);
    int (*ptx_size)(program, size_t *);
    int (*ptx)(program, char *);
    int (*version)(int *, int *);
    int (*architecture_count)(int *);
    int (*architectures)(int *);
    const char *(*words)(int);
};

// ---- finding it ----

static void *nvrtc_try_folder(const char *folder, const char *below)
{
    char path[PATH_SIZE];
    if (!folder || !folder[0]) return NULL;
    if (snprintf(path, sizeof path, "%s/%s/libnvrtc.so", folder, below) >= (int)sizeof path)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *find_library(void)
{
    // By the names of its releases: Python's packages have no plain one.
    static const char *const names[] = {"libnvrtc.so",    "libnvrtc.so.13",   "libnvrtc.so.12",
                                        "libnvrtc.so.14", "libnvrtc.so.11.2", NULL};
    const char              *own = secure_getenv("ARNE_NVRTC");
    if (own && own[0]) return dlopen(own, RTLD_NOW | RTLD_LOCAL); // no other is meant
    void *found = NULL;
    for (int i = 0; names[i] && !found; i++)
        found = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    const char *const folders[] = {secure_getenv("CUDA_PATH"), secure_getenv("CUDA_HOME"),
                                   "/usr/local/cuda"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && !found; i++) {
        found = nvrtc_try_folder(folders[i], "lib64");
        if (!found) found = nvrtc_try_folder(folders[i], "lib");
    }
    return found;
}

// A function by name; the loader's object pointer becomes a function pointer by its bytes.
static int nvrtc_take(const nvrtc *n, const char *name, void *function)
{
    void *found = dlsym(n->library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static int nvrtc_take_all(nvrtc *n)
{
    return nvrtc_take(n, "nvrtcCreateProgram", &n->create) &&
           nvrtc_take(n, "nvrtcDestroyProgram", &n->destroy) &&
           nvrtc_take(n, "nvrtcCompileProgram", &n->compile) &&
           nvrtc_take(n, "nvrtcGetProgramLogSize", &n->log_size) &&
           nvrtc_take(n, "nvrtcGetProgramLog", &n->log) &&
           nvrtc_take(n, "nvrtcGetPTXSize", &n->ptx_size) &&
           nvrtc_take(n, "nvrtcGetPTX", &n->ptx) &&
           nvrtc_take(n, "nvrtcGetCUBINSize", &n->cubin_size) &&
           nvrtc_take(n, "nvrtcGetCUBIN", &n->cubin) &&
           nvrtc_take(n, "nvrtcVersion", &n->version) &&
           nvrtc_take(n, "nvrtcGetNumSupportedArchs", &n->architecture_count) &&
           nvrtc_take(n, "nvrtcGetSupportedArchs", &n->architectures) &&
           nvrtc_take(n, "nvrtcGetErrorString", &n->words);
}

arne_status nvrtc_open(nvrtc **out, arne_error *error)
{
    nvrtc *n = calloc(1, sizeof *n);
    int    major = 0, minor = 0;
    *out = NULL;
    if (!n) return arne_fail_memory(error);
    n->library = find_library();
    if (!n->library) {
        free(n);
        return arne_fail(
            error, ARNE_UNSUPPORTED, NULL, 0,
            "NVRTC, which compiles kernels, was not found: install CUDA's libnvrtc, or "
            "name the file by ARNE_NVRTC");
    }
    if (!nvrtc_take_all(n) || n->version(&major, &minor)) {
        nvrtc_close(n);
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "the NVRTC that was found is older than CUDA 11.2");
    }
    n->release = 1000 * major + 10 * minor;
    *out = n;
    return ARNE_OK;
}

void nvrtc_close(nvrtc *n)
{
    free(n); // the library stays: it does not like to be unloaded
}

int nvrtc_release(const nvrtc *n) { return n->release; }

// ---- compiling ----

// Whether it makes machine code for the device; else *best is the last one before that it knows.
static int knows(const nvrtc *n, const nvrtc_target *target, int *best)
{
    const int wanted = 10 * target->major + target->minor;
    int       list[MOST_ARCHITECTURES], count = 0, exact = 0;
    *best = 0;
    if (n->architecture_count(&count) || count > MOST_ARCHITECTURES || n->architectures(list))
        return 1; // it will say itself
    for (int i = 0; i < count; i++) {
        exact |= list[i] == wanted;
        if (list[i] <= wanted && list[i] > *best) *best = list[i];
    }
    return exact || !*best;
}

static arne_status fail_with_log(const nvrtc *n, program p, int code, arne_error *error)
{
    size_t size = 0;
    char  *log = n->log_size(p, &size) ? NULL : malloc(size + 1);
    char  *from = log;
    if (log && n->log(p, log)) log[0] = 0;
    if (log) {
        log[size] = 0;
        char *mistake = strstr(log, "error");
        while (mistake && mistake > log && mistake[-1] != '\n')
            mistake--;
        if (mistake) from = mistake;
        from[strcspn(from, "\n")] = 0;
    }
    const arne_status status =
        arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "NVRTC: %s%s%s", n->words(code),
                  from && from[0] ? ": " : "", from ? from : "");
    free(log);
    return status;
}

static arne_status take_image(const nvrtc *n, program p, int is_machine_code, char **image,
                              size_t *size, arne_error *error)
{
    int code = is_machine_code ? n->cubin_size(p, size) : n->ptx_size(p, size);
    if (code) return fail_with_log(n, p, code, error);
    *image = malloc(*size + 1);
    if (!*image) return arne_fail_memory(error);
    (*image)[*size] = 0;
    code = is_machine_code ? n->cubin(p, *image) : n->ptx(p, *image);
    if (!code) return ARNE_OK;
    free(*image);
    *image = NULL;
    return fail_with_log(n, p, code, error);
}

arne_status nvrtc_compile(const nvrtc *n, const char *text, const nvrtc_target *target,
                          char **image, size_t *size, arne_error *error)
{
    char        architecture[OPTION_SIZE];
    int         best = 0;
    const int   exact = knows(n, target, &best);
    const char *options[] = {architecture, "--std=c++17", "-default-device", "--use_fast_math"};
    program     p = NULL;
    *image = NULL;
    snprintf(architecture, sizeof architecture, "--gpu-architecture=%s_%d",
             exact ? "sm" : "compute", exact ? 10 * target->major + target->minor : best);
    int code = n->create(&p, text, "arne_kernel.cu", 0, NULL, NULL);
    if (code) return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "NVRTC: %s", n->words(code));
    code = n->compile(p, target->is_fast ? 4 : 3, options);
    const arne_status status =
        code ? fail_with_log(n, p, code, error) : take_image(n, p, exact, image, size, error);
    (void)n->destroy(&p);
    return status;
}

#else

struct nvrtc {
    int unused;
};

arne_status nvrtc_open(nvrtc **out, arne_error *error)
{
    *out = NULL;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "this system cannot load NVRTC");
}

void nvrtc_close(nvrtc *n) { (void)n; }
int  nvrtc_release(const nvrtc *n) { return n->unused; }

arne_status nvrtc_compile(const nvrtc *n, const char *text, const nvrtc_target *target,
                          char **image, size_t *size, arne_error *error)
{
    (void)n;
    (void)text;
    (void)target;
    *image = NULL;
    *size = 0;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "this system cannot load NVRTC");
}

#endif

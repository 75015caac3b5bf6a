// libnvrtc.so for machines without one: the text of a kernel, with the words of CUDA defined away,
// compiled by the C++ compiler of the machine. See fake_cuda.c. FAKE_NVRTC_LOG names a file that
// gets a line for each kernel.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALL __attribute__((visibility("default")))

enum { SUCCESS = 0, FAILURE = 6, PATH = 64 };

typedef struct program {
    char  *text, *image;
    size_t size;
} program;

static const char before[] =
    "extern \"C\" { void sincos(double, double *, double *); void sincosf(float, float *, float "
    "*);\n"
    "double sqrt(double); float sqrtf(float); double atan2(double, double);\n"
    "float atan2f(float, float); double tanh(double); float tanhf(float); }\n"
    "#define __device__\n#define __global__\n#define __forceinline__ inline\n"
    "#define __noinline__ __attribute__((noinline))\n#define __launch_bounds__(n)\n"
    "template <class T> static inline T __ldg(const T *x) { return *x; }\n"
    "static struct { unsigned x; } blockIdx, threadIdx;\n";
static const char after[] =
    "\ntemplate <int... I> struct places {};\n"
    "template <int N, int... I> struct up_to : up_to<N - 1, N - 1, I...> {};\n"
    "template <int... I> struct up_to<0, I...> { typedef places<I...> type; };\n"
    "template <class... A, int... I>\n"
    "static void call(void (*f)(A...), void **a, places<I...>) { f(*(A *)a[I]...); }\n"
    "template <class... A> static void call(void (*f)(A...), void **a)\n"
    "{ call(f, a, typename up_to<sizeof...(A)>::type()); }\n"
    "extern \"C\" void fake_launch(unsigned blocks, unsigned threads, void **a)\n{\n"
    "    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)\n"
    "        for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++) call(arne_kernel, a);\n"
    "}\n";

CALL int nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return SUCCESS;
}
CALL int nvrtcGetNumSupportedArchs(int *count)
{
    *count = 1;
    return SUCCESS;
}
CALL int nvrtcGetSupportedArchs(int *list)
{
    *list = 90;
    return SUCCESS;
}
CALL const char *nvrtcGetErrorString(int code) { return code ? "it failed" : "fine"; }

CALL int nvrtcCreateProgram(program **out, const char *text, const char *name, int headers,
                            const char *const *a, const char *const *b)
{
    *out = calloc(1, sizeof **out);
    (*out)->text = strdup(text);
    return headers || a || b || !name ? FAILURE : SUCCESS;
}
CALL int nvrtcDestroyProgram(program **p)
{
    free((*p)->text);
    free((*p)->image);
    free(*p);
    *p = NULL;
    return SUCCESS;
}

static void log_line(void)
{
    const char *name = getenv("FAKE_NVRTC_LOG");
    FILE       *log = name ? fopen(name, "a") : NULL;
    if (!log) return;
    fputs("compiled\n", log);
    (void)fclose(log);
}

static int read_back(program *p, const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in) return FAILURE;
    (void)fseek(in, 0, SEEK_END);
    p->size = (size_t)ftell(in);
    rewind(in);
    p->image = malloc(p->size);
    const size_t got = fread(p->image, 1, p->size, in);
    (void)fclose(in);
    return got == p->size ? SUCCESS : FAILURE;
}

CALL int nvrtcCompileProgram(program *p, int count, const char *const *options)
{
    char folder[PATH] = "/tmp/arne-fake-nvrtc-XXXXXX", source[PATH + 8], object[PATH + 8];
    char command[4 * PATH];
    if (count < 1 || strcmp(options[0], "--gpu-architecture=sm_90") != 0 || !mkdtemp(folder))
        return FAILURE;
    snprintf(source, sizeof source, "%s/k.cpp", folder);
    snprintf(object, sizeof object, "%s/k.so", folder);
    FILE *out = fopen(source, "w");
    if (!out) return FAILURE;
    fprintf(out, "%s%s%s", before, p->text, after);
    (void)fclose(out);
    snprintf(command, sizeof command, "c++ -std=c++17 -O0 -w -shared -fPIC -o %s %s", object,
             source);
    const int code = system(command) == 0 ? read_back(p, object) : FAILURE;
    (void)unlink(source);
    (void)unlink(object);
    (void)rmdir(folder);
    log_line();
    return code;
}

CALL int nvrtcGetProgramLogSize(program *p, size_t *size)
{
    (void)p;
    *size = 1;
    return SUCCESS;
}
CALL int nvrtcGetProgramLog(program *p, char *log)
{
    (void)p;
    *log = 0;
    return SUCCESS;
}
CALL int nvrtcGetCUBINSize(program *p, size_t *size)
{
    *size = p->size;
    return SUCCESS;
}
CALL int nvrtcGetCUBIN(program *p, char *image)
{
    memcpy(image, p->image, p->size);
    return SUCCESS;
}
CALL int nvrtcGetPTXSize(program *p, size_t *size) { return nvrtcGetCUBINSize(p, size); }
CALL int nvrtcGetPTX(program *p, char *image) { return nvrtcGetCUBIN(p, image); }

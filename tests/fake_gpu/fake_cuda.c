// libcuda.so.1 for machines without a device: memory is the machine's own, a module is a shared
// object that the other double made (nvrtc.c), and a launch calls its threads one after the other.
// What the library does with a driver and a compiler can so be tested everywhere; how fast it is,
// and what a device makes of the text, cannot.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALL __attribute__((visibility("default")))

enum { SUCCESS = 0, INVALID = 1, NO_MEMORY = 2, BAD_IMAGE = 200, NOT_FOUND = 500 };

static int context, depth;

CALL int cuInit(unsigned flags) { return flags ? INVALID : SUCCESS; }
CALL int cuDeviceGetCount(int *count)
{
    *count = getenv("FAKE_GPU_NONE") ? 0 : 1;
    return SUCCESS;
}
CALL int cuDeviceGetName(char *name, int size, int device)
{
    snprintf(name, (size_t)size, "a double of device %d", device);
    return SUCCESS;
}
CALL int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 75 ? 9 : 0;
    return device ? INVALID : SUCCESS;
}
CALL int cuDevicePrimaryCtxRetain(void **out, int device)
{
    *out = &context;
    return device ? INVALID : SUCCESS;
}
CALL int cuDevicePrimaryCtxRelease_v2(int device) { return device ? INVALID : SUCCESS; }
CALL int cuCtxGetCurrent(void **out)
{
    *out = depth ? &context : NULL;
    return SUCCESS;
}
CALL int cuCtxGetDevice(int *device)
{
    *device = 0;
    return SUCCESS;
}
CALL int cuCtxPushCurrent_v2(void *which)
{
    depth++;
    return which == &context ? SUCCESS : INVALID;
}
CALL int cuCtxPopCurrent_v2(void **which)
{
    *which = &context;
    return --depth < 0 ? INVALID : SUCCESS;
}

// ---- modules ----

// The driver is not told the size of an image either.
static size_t size_of(const char *image)
{
    Elf64_Ehdr head;
    memcpy(&head, image, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return 0;
    return head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
}

CALL int cuModuleLoadData(void **module, const void *image)
{
    char         path[] = "/tmp/arne-fake-gpu-XXXXXX";
    const size_t size = strnlen(image, 4) < 4 ? 0 : size_of(image);
    const int    file = size ? mkstemp(path) : -1;
    *module = NULL;
    if (file < 0) return BAD_IMAGE;
    if (write(file, image, size) == (ssize_t)size) *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    (void)close(file);
    (void)unlink(path);
    return *module ? SUCCESS : BAD_IMAGE;
}
CALL int cuModuleUnload(void *module) { return dlclose(module) ? INVALID : SUCCESS; }
CALL int cuModuleGetFunction(void **function, void *module, const char *name)
{
    *function = strcmp(name, "arne_kernel") == 0 ? dlsym(module, "fake_launch") : NULL;
    return *function ? SUCCESS : NOT_FOUND;
}
CALL int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads,
                        unsigned tx, unsigned ty, unsigned shared, void *stream, void **arguments,
                        void **extra)
{
    void (*launch)(unsigned, unsigned, void **);
    memcpy(&launch, &function, sizeof launch);
    if (y != 1 || z != 1 || tx != 1 || ty != 1 || shared || stream || extra) return INVALID;
    launch(x, threads, arguments);
    return SUCCESS;
}

// ---- memory ----

CALL int cuMemAlloc_v2(unsigned long long *out, size_t size)
{
    void *memory = malloc(size);
    *out = (unsigned long long)(size_t)memory;
    return memory ? SUCCESS : NO_MEMORY;
}
CALL int cuMemFree_v2(unsigned long long at)
{
    free((void *)(size_t)at);
    return SUCCESS;
}
CALL int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t size, void *stream)
{
    memcpy((void *)(size_t)to, from, size);
    return stream ? INVALID : SUCCESS;
}
CALL int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t size, void *stream)
{
    memcpy(to, (const void *)(size_t)from, size);
    return stream ? INVALID : SUCCESS;
}
CALL int cuMemcpy(unsigned long long to, unsigned long long from, size_t size)
{
    memcpy((void *)(size_t)to, (const void *)(size_t)from, size);
    return SUCCESS;
}
CALL int cuStreamSynchronize(void *stream) { return stream ? INVALID : SUCCESS; }
CALL int cuCtxSynchronize(void) { return SUCCESS; }
// A number that is small is no address.
CALL int cuPointerGetAttribute(void *out, int attribute, unsigned long long at)
{
    *(unsigned *)out = attribute == 2 && at > 4096 ? 2 : 0;
    return SUCCESS;
}
CALL int cuGetErrorString(int code, const char **words)
{
    static const char *const list[] = {"no error", "invalid argument", "out of memory"};
    *words = code >= 0 && code < 3 ? list[code] : "another failure";
    return SUCCESS;
}

#include "gpu/driver.h"
#include "base/error.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef ARNE_HAVE_DLOPEN
#include <dlfcn.h>

// Numbers of cuda.h.
enum { ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76, POINTER_MEMORY = 2, POINTER_MANAGED = 8 };
enum { MEMORY_OF_DEVICE = 2 };

// A function by name; the loader's object pointer becomes a function pointer by its bytes.
static int driver_take(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static int driver_take_all(driver *d, void *library)
{
    const struct {
        const char *name;
        void       *function;
    } table[] = {{"cuInit", &d->start},
                 {"cuDeviceGetCount", &d->device_count},
                 {"cuDeviceGetName", &d->device_name},
                 {"cuDeviceGetAttribute", &d->device_attribute},
                 {"cuDevicePrimaryCtxRetain", &d->retain},
                 {"cuDevicePrimaryCtxRelease_v2", &d->release},
                 {"cuCtxGetCurrent", &d->current},
                 {"cuCtxGetDevice", &d->current_device},
                 {"cuCtxPushCurrent_v2", &d->push},
                 {"cuCtxPopCurrent_v2", &d->pop},
                 {"cuModuleLoadData", &d->load},
                 {"cuModuleUnload", &d->unload},
                 {"cuModuleGetFunction", &d->function},
                 {"cuLaunchKernel", &d->launch},
                 {"cuMemAlloc_v2", &d->allocate},
                 {"cuMemFree_v2", &d->release_memory},
                 {"cuMemcpyHtoDAsync_v2", &d->to_device},
                 {"cuMemcpyDtoHAsync_v2", &d->from_device},
                 {"cuMemcpy", &d->copy},
                 {"cuStreamSynchronize", &d->synchronise},
                 {"cuCtxSynchronize", &d->finish},
                 {"cuPointerGetAttribute", &d->pointer_attribute},
                 {"cuGetErrorString", &d->words}};
    int fine = 1;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        fine &= driver_take(library, table[i].name, table[i].function);
    return fine;
}

// That of the thread, where a program has one, as its arrays are of it; else the one that CUDA's
// runtime uses.
static int take_context(driver *d)
{
    int code = d->current(&d->context);
    if (!code && d->context) return d->current_device(&d->device);
    if (!code) code = d->retain(&d->context, d->device = 0);
    d->is_retained = !code;
    return code;
}

static arne_status driver_start(driver *d, arne_error *error)
{
    int count = 0;
    int code = d->start(0);
    if (!code) code = d->device_count(&count);
    if (!code && count == 0)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "no CUDA device: none was found");
    if (!code) code = take_context(d);
    if (!code) code = d->device_attribute(&d->major, ATTRIBUTE_MAJOR, d->device);
    if (!code) code = d->device_attribute(&d->minor, ATTRIBUTE_MINOR, d->device);
    if (!code) code = d->device_name(d->name, (int)sizeof d->name, d->device);
    return code ? driver_fail(d, code, "no CUDA device", error) : ARNE_OK;
}

arne_status driver_open(driver **out, arne_error *error)
{
    driver *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d) return arne_fail_memory(error);
    void       *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL); // stays
    arne_status status = ARNE_OK;
    if (!library)
        status = arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                           "no CUDA device: there is no driver, libcuda.so.1");
    else if (!driver_take_all(d, library))
        status = arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                           "no CUDA device: the driver is older than CUDA 11");
    else
        status = driver_start(d, error);
    if (status)
        driver_close(d);
    else
        *out = d;
    return status;
}

void driver_close(driver *d)
{
    if (d && d->is_retained) (void)d->release(d->device);
    free(d);
}

int driver_enter(const driver *d) { return d->push(d->context); }

void driver_leave(const driver *d)
{
    driver_handle before;
    (void)d->pop(&before);
}

int driver_knows(const driver *d, const void *at)
{
    unsigned             kind = 0, managed = 0;
    const device_address address = (device_address)(uintptr_t)at;
    if (d->pointer_attribute(&kind, POINTER_MEMORY, address)) return 0;
    (void)d->pointer_attribute(&managed, POINTER_MANAGED, address);
    return kind == MEMORY_OF_DEVICE || (managed & 0xff) != 0;
}

#else

arne_status driver_open(driver **out, arne_error *error)
{
    *out = NULL;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                     "no CUDA device: this system cannot load its driver");
}

void driver_close(driver *d) { free(d); }
int  driver_enter(const driver *d) { return d->device; }
void driver_leave(const driver *d) { (void)d; }
int  driver_knows(const driver *d, const void *at) { return d && at; }

#endif

arne_status driver_fail(const driver *d, int code, const char *what, arne_error *error)
{
    const char *words = NULL;
    if (d->words(code, &words)) words = NULL;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s: %s", what,
                     words ? words : "an unknown failure of the driver");
}

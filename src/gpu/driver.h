// The CUDA driver, found where the machine has one: the library itself needs none of it.
//
// Functions return 0, or the driver's code, which driver_fail puts into words. They act on the
// device and in the context of the object, between driver_enter and driver_leave.
#ifndef ARNE_GPU_DRIVER_H
#define ARNE_GPU_DRIVER_H

#include <arne/status.h>
#include <stddef.h>

typedef unsigned long long device_address;
typedef void              *driver_handle; // of a context, module, function or stream

typedef struct driver {
    int           device, major, minor; // compute capability
    driver_handle context;
    int           is_retained;
    char          name[64]; // of the device

    // As cuda.h declares them.
    int (*start)(unsigned);
    int (*device_count)(int *);
    int (*device_name)(char *, int, int);
    int (*device_attribute)(int *, int, int);
    int (*retain)(driver_handle *, int);
    int (*release)(int);
    int (*current)(driver_handle *);
    int (*current_device)(int *);
    int (*push)(driver_handle);
    int (*pop)(driver_handle *);
    int (*load)(driver_handle *, const void *);
    int (*unload)(driver_handle);
    int (*function)(driver_handle *, driver_handle, const char *);
    int (*launch)(driver_handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  unsigned, driver_handle, void **, void **);
    int (*allocate)(device_address *, size_t);
    int (*release_memory)(device_address);
    int (*to_device)(device_address, const void *, size_t, driver_handle);
    int (*from_device)(void *, device_address, size_t, driver_handle);
    int (*copy)(device_address, device_address, size_t);
    int (*synchronise)(driver_handle);
    int (*finish)(void);
    int (*pointer_attribute)(void *, int, device_address);
    int (*words)(int, const char **);
} driver;

// The device of the thread's context, or the first one. ARNE_UNSUPPORTED where there is none.
ARNE_CHECKED arne_status driver_open(driver **out, arne_error *error);
void                     driver_close(driver *d);

int  driver_enter(const driver *d);
void driver_leave(const driver *d);

// Whether an address is of the device's memory.
int driver_knows(const driver *d, const void *at);

// ARNE_UNSUPPORTED with what was tried and the driver's own words.
arne_status driver_fail(const driver *d, int code, const char *what, arne_error *error);

#endif

// Compiled kernels as files, so that a robot's are compiled once on a machine. Several processes
// may use one folder at a time: a file appears whole or not at all.
#ifndef ARNE_GPU_KERNEL_CACHE_H
#define ARNE_GPU_KERNEL_CACHE_H

#include "base/sha256.h"
#include <stddef.h>

enum { CACHE_PATH = 4096 };

typedef struct kernel_cache {
    char folder[CACHE_PATH]; // "": none
} kernel_cache;

// given: a folder, made where it is used first; "": none; NULL: arne/kernels in the user's folder
// for such files ($XDG_CACHE_HOME, or .cache in $HOME; none where neither is set). 0 where the
// name is too long.
int cache_open(kernel_cache *c, const char *given);

// The file of what this text, these options and this compiler make.
void cache_file(const kernel_cache *c, sha256 *facts, char file[CACHE_PATH]);

// *bytes is to be freed; NULL where there is no such file, or it is not whole.
void cache_read(const char *file, char **bytes, size_t *size);
// 0 where it could not be kept; that is no failure.
int cache_write(const kernel_cache *c, const char *file, const char *bytes, size_t size);

#endif

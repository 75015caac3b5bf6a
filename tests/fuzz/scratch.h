// A folder in memory, where there is one, for targets that read files.
#ifndef ARNE_FUZZ_SCRATCH_H
#define ARNE_FUZZ_SCRATCH_H

#include <stddef.h>

// Made by the first call, with inputs/arm.yaml, arm.yaml and table.csv in it; removed when the
// process ends.
const char *scratch_folder(void);
// "FOLDER/name" in `path` (of SCRATCH_PATH bytes), which is written. Returns 0 where it cannot be.
enum { SCRATCH_PATH = 256 };
int scratch_write(const char *name, const void *bytes, size_t size, char *path);

#endif

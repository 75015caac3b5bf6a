// A folder in memory, where there is one, for targets that read files.
#ifndef ARNE_FUZZ_SCRATCH_H
#define ARNE_FUZZ_SCRATCH_H

#include <arne/types.h>
#include <stddef.h>
#include <stdint.h>

// Made by the first call, with inputs/arm.yaml, arm.yaml and table.csv in it; removed when the
// process ends.
const char *scratch_folder(void);
// "FOLDER/name" in `path` (of SCRATCH_PATH bytes), which is written. Returns 0 where it cannot be.
enum { SCRATCH_PATH = 256 };
int scratch_write(const char *name, const void *bytes, size_t size, char *path);

// The next part of an input, up to a zero byte or its end; the cursor goes behind it.
typedef struct scratch_part {
    const uint8_t *bytes;
    size_t         size;
} scratch_part;
scratch_part scratch_next(const uint8_t **data, size_t *size);

// Reads bytes as a robot file of this name, and builds the robot. Ends the process where a failure
// has no message.
void scratch_read_robot(const uint8_t *data, size_t size, const char *path);

#endif

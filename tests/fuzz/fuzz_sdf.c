// Any bytes at all as an SDF file: it must end in time, and leak nothing. It includes files that
// are not there.
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scratch_read_robot(data, size, "/nowhere/fuzz.sdf model:=m");
    return 0;
}

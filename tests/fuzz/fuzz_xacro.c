// Any bytes at all as a xacro file: it must end in time, and leak nothing. It includes files that
// are not there.
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scratch_read_robot(data, size, "/nowhere/fuzz.xacro a:=1 b:=x y");
    return 0;
}

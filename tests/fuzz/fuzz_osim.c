// Any bytes at all: the reader of OpenSim's models and the builder behind it must return, and leak
// nothing.
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scratch_read_robot(data, size, "/nowhere/fuzz.osim");
    return 0;
}

// Any bytes at all as an SDF file: it must end in time, and leak nothing. It includes files that
// are not there.
#include <arne/io.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    arne_error    error;
    if (arne_builder_new(&builder) != ARNE_OK) return 0;
    arne_status status =
        arne_read_text(builder, (const char *)data, size, "/nowhere/fuzz.sdf model:=m", &error);
    if (!status) status = arne_builder_finish(builder, NULL, &robot, &error);
    if (!status) arne_robot_free(robot);
    arne_builder_free(builder);
    return 0;
}

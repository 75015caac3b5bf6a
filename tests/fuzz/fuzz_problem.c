// Any bytes as a problem of planning: it is read or refused with a text, and leaks nothing.
#include "scratch.h"
#include <arne/plan.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char       path[SCRATCH_PATH];
    arne_plan *plan = NULL;
    arne_error error = {0};
    if (!scratch_write("fuzz.yaml", data, size, path)) return 0;
    const arne_status status = arne_plan_read(path, NULL, &plan, &error);
    if (status != ARNE_OK && !error.text[0]) abort();
    arne_plan_free(plan);
    return 0;
}

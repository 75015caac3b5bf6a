#include "packaged_robot.h"
#include "robot/robot.h"

#include <stdlib.h>
#include <string.h>

arne_robot *packaged_robot(const arne_robot *other)
{
    arne_robot *copy = malloc(other->size);
    if (!copy) return NULL;
    memcpy(copy, other, other->size);
    for (int isa = ARNE_ISA_BASELINE; isa < ARNE_ISA_COUNT; isa++)
        if (arne_isa_available((arne_isa)isa)) copy->isa = isa - ARNE_ISA_BASELINE;
    return copy;
}

#include "packaged_robot.h"
#include "robot/isa.h"
#include "robot/robot.h"

#include <stdlib.h>
#include <string.h>

arne_robot *packaged_robot(const arne_robot *other)
{
    arne_robot *copy = malloc(other->size);
    if (!copy) return NULL;
    memcpy(copy, other, other->size);
    copy->isa = isa_index(ARNE_ISA_BEST);
    return copy;
}

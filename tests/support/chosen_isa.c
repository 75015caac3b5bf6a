// ARNE_TEST_ISA names the instruction set that robots are built for where nothing else is asked
// for: the linker leads the library's question here.
#include "robot/isa.h"
#include "robot/robot.h"

#include <stdlib.h>
#include <string.h>

int __real_isa_index(arne_isa isa); // NOLINT(bugprone-reserved-identifier)
int __wrap_isa_index(arne_isa isa); // NOLINT(bugprone-reserved-identifier)

int __wrap_isa_index(arne_isa isa) // NOLINT(bugprone-reserved-identifier)
{
    const char *wanted = getenv("ARNE_TEST_ISA");
    for (int i = ARNE_ISA_BASELINE; isa == ARNE_ISA_BEST && wanted && i < ARNE_ISA_COUNT; i++)
        if (!strcmp(arne_isa_name((arne_isa)i), wanted)) {
            const int found = __real_isa_index((arne_isa)i);
            return found < 0 ? __real_isa_index(isa) : found; // this processor has not got it
        }
    return __real_isa_index(isa);
}

void robot_pretend_isa(arne_robot *robot, arne_isa isa);

void robot_pretend_isa(arne_robot *robot, arne_isa isa)
{
    robot->isa = (int)isa - (int)ARNE_ISA_BASELINE;
}

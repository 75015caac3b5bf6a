// What this processor has. Asked anew each time: the compiler's runtime knows the answer.
#include "robot/isa.h"
#include "robot/robot.h"
#include <stddef.h>

#ifdef ARNE_ISAS
static int processor_has(arne_isa isa)
{
    if (isa == ARNE_ISA_V4)
        return processor_has(ARNE_ISA_V3) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (isa == ARNE_ISA_V3) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return isa == ARNE_ISA_BASELINE;
}
#else
static int processor_has(arne_isa isa) { return isa == ARNE_ISA_BASELINE; }
#endif

int isa_index(arne_isa isa)
{
    if (isa == ARNE_ISA_BEST)
        for (isa = ARNE_ISA_COUNT - 1; isa > ARNE_ISA_BASELINE && !processor_has(isa);)
            isa--;
    return processor_has(isa) ? (int)isa - (int)ARNE_ISA_BASELINE : -1;
}

int arne_isa_available(arne_isa isa) { return isa_index(isa) >= 0; }

const char *arne_isa_name(arne_isa isa)
{
    static const char *const names[ARNE_ISA_COUNT] = {
        "best",
#if defined ARNE_NATIVE
        "native",
#elif defined __x86_64__
        "x86-64",
#elif defined __aarch64__
        "arm64",
#else
        "generic",
#endif
        "x86-64-v3",
        "x86-64-v4"
    };
    return (unsigned)isa < ARNE_ISA_COUNT ? names[isa] : NULL;
}

arne_isa arne_robot_isa(const arne_robot *robot)
{
    return (arne_isa)(ARNE_ISA_BASELINE + robot->isa);
}

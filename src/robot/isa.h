// The instruction sets that kernels are compiled for. Which of them this build has is the build's
// choice: with ARNE_ISAS all of the list below, else one, for whatever the whole library is
// compiled for.
#ifndef ARNE_ROBOT_ISA_H
#define ARNE_ROBOT_ISA_H

#include <arne/builder.h>

// Best last. The suffix is that of the kernels' names.
#ifdef ARNE_ISAS
#define ARNE_EACH_ISA(SET, ...)                                                                    \
    SET(x86_64, __VA_ARGS__) SET(x86_64_v3, __VA_ARGS__) SET(x86_64_v4, __VA_ARGS__)
#endif

// The number a robot carries: the place in the list. isa BEST: the best that this processor has;
// -1: it has not got it, or this library has no kernels for it.
int isa_index(arne_isa isa);

#endif

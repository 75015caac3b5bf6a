// Functions that are compiled once for each instruction set, and found by the robot that they are
// called for.
//
// A source that includes this file is compiled so; CMakeLists.txt looks for the line. What it has
// for others it defines as
//     KERNEL(type, name, (parameters), (arguments)) { ... }
// where the robot is the first parameter. Each set has its own, under the name with a suffix, and
// `name` itself goes to the one that robot->isa says. All else in such a source is static. Outside
// of these sources no code reads an arne_work: its layout depends on the instruction set.
#ifndef ARNE_ROBOT_KERNEL_H
#define ARNE_ROBOT_KERNEL_H

#include "robot/isa.h"
#include "robot/work.k.h"

#ifdef ARNE_ISAS

#ifndef ARNE_ISA
#error "a source with kernels is compiled for all instruction sets: configure the build again"
#endif
#define KERNEL_JOIN(name, suffix) name##_##suffix
#define KERNEL_PASTE(name, suffix) KERNEL_JOIN(name, suffix)
#define KERNEL_DECLARE(suffix, type, name, parameters) type name##_##suffix parameters;
#define KERNEL_POINTER(suffix, name) name##_##suffix,
#define KERNEL_INDEX(robot, ...) ((robot) ? (robot)->isa : 0)

#ifdef ARNE_ISA_FIRST // one of the sets has the way to all of them
#define KERNEL(type, name, parameters, arguments)                                                  \
    ARNE_EACH_ISA(KERNEL_DECLARE, type, name, parameters)                                          \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*const all[]) parameters = {ARNE_EACH_ISA(KERNEL_POINTER, name)};              \
        return all[KERNEL_INDEX arguments] arguments;                                              \
    }                                                                                              \
    type KERNEL_PASTE(name, ARNE_ISA) parameters
#else
#define KERNEL(type, name, parameters, arguments)                                                  \
    type KERNEL_PASTE(name, ARNE_ISA) parameters;                                                  \
    type KERNEL_PASTE(name, ARNE_ISA) parameters
#endif

#else
#define KERNEL(type, name, parameters, arguments) type name parameters
#endif

#endif

// Rods by strain modes: their speed beside what is aimed at, beside rigid segments, and how their
// errors fall with modes and points.
#ifndef ARNE_BENCH_RODS_H
#define ARNE_BENCH_RODS_H

#include "measure.h"

namespace peers
{

// Prints the time of inverse and forward dynamics of a rod with 6 modes and 12 slices; how many
// times as fast as real time examples/soft_arm runs; examples/flexible_arm with rods and with
// segments: coordinates, difference of the hand's motion, time of the processor; and errors over
// points and modes. Examples are beside `folder`.
void print_rods(const std::string &folder, effort e);

} // namespace peers

#endif

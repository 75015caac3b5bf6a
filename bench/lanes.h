// Many states at once against one at a time, and two threads against one.
#ifndef ARNE_BENCH_LANES_H
#define ARNE_BENCH_LANES_H

#include "measure.h"

namespace peers
{

// Prints the times per state of inverse and direct dynamics, in every width of this machine. The
// results are compared first; returns how many are wrong.
int print_lanes(const std::string &name, const problem &p, effort e);

} // namespace peers

#endif

// What free bases, springs and motors cost beside the plain robot.
#ifndef ARNE_BENCH_ELASTIC_H
#define ARNE_BENCH_ELASTIC_H

#include "measure.h"

namespace peers
{

// Prints the times of hybrid and elastic dynamics over those of direct dynamics of the plain tree,
// and of inverse dynamics with a free base over those with a fixed one, on trees of 10, 100 and
// 1000 links. The results are checked first, by inverse dynamics; returns how many are wrong.
int print_elastic(effort e);

} // namespace peers

#endif

// How the time of each algorithm grows with the robot.
#ifndef ARNE_BENCH_GROWTH_H
#define ARNE_BENCH_GROWTH_H

#include "measure.h"

#include <set>
#include <string>

namespace peers
{

// On chains and random trees; only the named algorithms where there are names.
void print_growth(const std::set<std::string> &names, effort e);

} // namespace peers

#endif

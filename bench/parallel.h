// Parallel robots: inverse dynamics of the Gough-Stewart platform beside that of a serial arm.
#ifndef ARNE_BENCH_PARALLEL_H
#define ARNE_BENCH_PARALLEL_H

#include "measure.h"

namespace peers
{

// Prints times of robots/gough_stewart over `unit`, KDL's inverse dynamics of arm6 in ns (0: not
// measured). The two ways to its forces are compared first; returns how many states they are apart
// in.
int print_parallel(const std::string &folder, double unit, effort e);

} // namespace peers

#endif

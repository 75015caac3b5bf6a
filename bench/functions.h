// What joints that follow by functions, and exponential joints, cost beside plain joints.
#ifndef ARNE_BENCH_FUNCTIONS_H
#define ARNE_BENCH_FUNCTIONS_H

#include "measure.h"

namespace peers
{

// Prints inverse dynamics of the human of `folder` with eight joints that follow by splines over
// the same human without, and of a chain of 20 exponential joints of three strains over one of 60
// revolute joints.
void print_functions(const std::string &folder, effort e);

} // namespace peers

#endif

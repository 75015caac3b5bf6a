// The build that people install beside the one for this machine.
#ifndef ARNE_BENCH_PACKAGED_H
#define ARNE_BENCH_PACKAGED_H

#include "measure.h"

namespace peers
{

// One problem and its name.
struct named_problem {
    std::string    name;
    const problem *what;
};

// Loads the module `path` (packaged_module.cpp with the packaged library in it) and prints, for
// every algorithm, how much longer it takes than this build. Returns the number of results that are
// apart.
int print_packaged(const std::string &path, const std::vector<named_problem> &problems, effort e);

} // namespace peers

#endif

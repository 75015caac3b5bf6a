// Code that the program generates for arm6, behind the same face as the libraries.
#ifndef ARNE_BENCH_GENERATED_H
#define ARNE_BENCH_GENERATED_H

#include "peer.h"

namespace peers
{

// NULL for every other robot.
peer_ptr make_generated(const problem &p);
// The same for four states at once; times are per state.
peer_ptr make_generated_lanes(const problem &p);

} // namespace peers

#endif

// Time per call of several libraries, so that the noise of the machine hits all alike.
#ifndef ARNE_BENCH_MEASURE_H
#define ARNE_BENCH_MEASURE_H

#include "peer.h"

namespace peers
{

struct effort {
    double round_seconds; // of one library in one round
    int    rounds;
    double limit_seconds; // after that a slow call is not repeated
};

// The processor's time for one call of each, in ns; 0 where a peer does not offer it. They take
// turns: A, B, C, A, B, C ...; the best round counts.
std::vector<double> time_in_turn(const std::vector<peer *> &peers, algorithm a, effort e);

// How much longer `first` takes than `second`: the median over rounds in which both take their
// turn. 0 where one of them does not offer it.
double median_ratio(peer &first, peer &second, algorithm a, effort e);

struct figure {
    bool   timed = false;
    double ns = 0;
    bool   compared = false;
    double apart = 0; // from ours, relative
};

// Times all peers of a problem, of which the first is ours, and compares the others with it.
std::vector<figure> measure(const problem &p, const std::vector<peer_ptr> &peers, algorithm a,
                            effort e);

} // namespace peers

#endif

#include "measure.h"

#include <algorithm>
#include <ctime>

namespace peers
{
namespace
{

// Processor time of this thread: what others on the machine take is not counted.
double now()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds(peer &who, algorithm a, int calls)
{
    const double start = now();
    who.run(a, calls);
    return now() - start;
}

// How many calls fill a round. Whole turns of the states where that is not too long, so that every
// round does the same work.
int calibrate(peer &who, algorithm a, double round_seconds)
{
    double calls = 1, took = seconds(who, a, 1); // the first call also warms up
    while (took < round_seconds / 4 && calls < 1e8) {
        calls *= took < round_seconds / 40 ? 10 : 2;
        took = seconds(who, a, static_cast<int>(calls));
    }
    calls = std::min(1e8, std::max(1.0, calls * round_seconds / took));
    const int count = static_cast<int>(calls);
    return count < state_count ? count : count / state_count * state_count;
}

// Large matrices are compared at fewer states; they have entries enough.
int states_to_compare(const problem &p)
{
    return std::min(static_cast<int>(p.states.size()), p.model.v_count > 200 ? 1 : 8);
}

} // namespace

std::vector<double> time_in_turn(const std::vector<peer *> &peers, algorithm a, effort e)
{
    std::vector<double> ns(peers.size()), spent(peers.size());
    std::vector<int>    calls(peers.size());

    for (size_t i = 0; i < peers.size(); i++)
        if (peers[i]->offers(a) == support::full)
            calls[i] = calibrate(*peers[i], a, e.round_seconds);
    for (int round = 0; round < e.rounds; round++)
        for (size_t i = 0; i < peers.size(); i++) {
            if (calls[i] == 0 || spent[i] > e.limit_seconds) continue;
            const double took = seconds(*peers[i], a, calls[i]), each = 1e9 * took / calls[i];
            spent[i] += took;
            ns[i] = round == 0 ? each : std::min(ns[i], each);
        }
    return ns;
}

double median_ratio(peer &first, peer &second, algorithm a, effort e)
{
    if (first.offers(a) != support::full || second.offers(a) != support::full) return 0;
    const int           calls = calibrate(first, a, e.round_seconds);
    std::vector<double> ratios;
    second.run(a, calls); // warm too
    for (int round = 0; round < e.rounds; round++) {
        const double one = seconds(first, a, calls), other = seconds(second, a, calls);
        ratios.push_back(one / other);
    }
    std::nth_element(ratios.begin(), ratios.begin() + e.rounds / 2, ratios.end());
    return ratios[e.rounds / 2];
}

std::vector<figure> measure(const problem &p, const std::vector<peer_ptr> &peers, algorithm a,
                            effort e)
{
    std::vector<peer *> who;
    for (const peer_ptr &peer : peers)
        who.push_back(peer.get());
    std::vector<figure> out(peers.size());
    for (size_t i = 1; i < peers.size(); i++) { // what is wrong need not be timed to be told
        figure &f = out[i];
        f.compared = peers[i]->offers(a) != support::none;
        for (int s = 0; f.compared && s < states_to_compare(p); s++)
            f.apart = std::max(f.apart, difference(*peers[0], *peers[i], p, a, s));
    }
    const std::vector<double> ns = time_in_turn(who, a, e);
    for (size_t i = 0; i < peers.size(); i++) {
        out[i].timed = ns[i] > 0;
        out[i].ns = ns[i];
    }
    return out;
}

} // namespace peers

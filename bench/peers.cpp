#include "generated.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace peers
{

const std::vector<algorithm> &all_algorithms()
{
    static const std::vector<algorithm> list = {
#define PEERS_ALGORITHM_ENTRY(id, row) algorithm::id,
        PEERS_ALGORITHM_LIST(PEERS_ALGORITHM_ENTRY)
#undef PEERS_ALGORITHM_ENTRY
    };
    return list;
}

const char *algorithm_name(algorithm a)
{
    switch (a) {
#define PEERS_ALGORITHM_NAME(id, row)                                                              \
    case algorithm::id:                                                                            \
        return arne_catalogue_algorithm(ARNE_ALGORITHM_##row)->name;
        PEERS_ALGORITHM_LIST(PEERS_ALGORITHM_NAME)
#undef PEERS_ALGORITHM_NAME
    }
    return "";
}

bool is_derivative(algorithm a) { return a > algorithm::forward_dynamics; }

namespace
{

// splitmix64 (Steele, Lea and Flood 2014): the same numbers on every machine, unlike
// std::uniform_real.
double uniform(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

std::vector<double> uniform_vector(int count, uint64_t *seed)
{
    std::vector<double> out(count);
    for (double &x : out)
        x = uniform(seed);
    return out;
}

} // namespace

std::vector<state> random_states(const arne_robot *robot, int count, uint64_t seed)
{
    const arne_sizes   n = arne_robot_sizes(robot);
    std::vector<state> out(count);
    for (state &s : out) {
        s.q.resize(n.q_count);
        arne_random_configuration(robot, &seed, s.q.data());
        s.qd = uniform_vector(n.v_count, &seed);
        s.qdd = uniform_vector(n.v_count, &seed);
        s.tau = uniform_vector(n.v_count, &seed);
    }
    return out;
}

std::vector<peer_ptr> all_peers(const problem &p, std::vector<std::string> *left_out)
{
    std::vector<std::pair<const char *, std::function<peer_ptr(const problem &)>>> makers = {
#ifdef ARNE_HAVE_KDL
        {"kdl", make_kdl},
#endif
#ifdef ARNE_HAVE_MUJOCO
        {"mujoco", make_mujoco},
#endif
#ifdef ARNE_HAVE_PINOCCHIO
        {"pinocchio", make_pinocchio},
#endif
#ifdef ARNE_HAVE_RBDL
        {"rbdl", make_rbdl},
#endif
    };
    std::vector<peer_ptr> out;
    out.push_back(make_arne(p));
    if (peer_ptr generated = make_generated(p)) out.push_back(std::move(generated));
    if (peer_ptr lanes = make_generated_lanes(p)) out.push_back(std::move(lanes));
    for (const auto &[name, make] : makers) {
        try {
            out.push_back(make(p));
        } catch (const std::runtime_error &e) {
            const std::string text = e.what(); // of which the first line is enough
            if (left_out)
                left_out->push_back(std::string(name) + ": " + text.substr(0, text.find('\n')));
        }
    }
    return out;
}

std::vector<double> minus(std::vector<double> a, const std::vector<double> &b)
{
    for (size_t i = 0; i < a.size(); i++)
        a[i] -= b[i];
    return a;
}

double difference(const std::vector<double> &a, const std::vector<double> &b)
{
    if (a.empty() || a.size() != b.size()) return INFINITY;
    double largest = 1, apart = 0;
    for (size_t i = 0; i < b.size(); i++) {
        // A NaN must not pass for a small difference.
        if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return INFINITY;
        largest = std::max(largest, std::fabs(b[i]));
        apart = std::max(apart, std::fabs(a[i] - b[i]));
    }
    return apart / largest;
}

double difference(peer &ours, peer &theirs, const problem &p, algorithm a, int state)
{
    const std::vector<double> x = ours.result(a, state), y = theirs.result(a, state);
    if (a != algorithm::forward_dynamics) return difference(x, y);

    arne_work *work = nullptr;
    if (arne_work_new(p.robot, &work) != ARNE_OK) return INFINITY;
    std::vector<double> tau_x(x.size()), tau_y(y.size());
    const struct state &s = p.states[state];
    arne_inverse_dynamics(p.robot, work, s.q.data(), s.qd.data(), x.data(), nullptr, tau_x.data());
    arne_inverse_dynamics(p.robot, work, s.q.data(), s.qd.data(), y.data(), nullptr, tau_y.data());
    arne_work_free(work);
    return difference(tau_x, tau_y);
}

} // namespace peers

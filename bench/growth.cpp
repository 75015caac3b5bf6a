#include "growth.h"
#include "models.h"

#include <cmath>
#include <cstdio>

namespace peers
{
namespace
{

const int sizes[] = {10, 50, 100, 200, 1000};
// Caches are left behind on the way, so that a little more than the order is granted.
const double granted = 0.2;

// The time is at most of this order in the number of bodies.
int order(algorithm a)
{
    switch (a) {
    case algorithm::coriolis_matrix:
    case algorithm::mass_matrix:
    case algorithm::inverse_mass_matrix:
    case algorithm::regressor:
    case algorithm::inverse_dynamics_derivatives:
    case algorithm::forward_dynamics_derivatives:
    case algorithm::second_derivatives:
        return 2;
    default:
        return 1;
    }
}

struct family {
    std::vector<robot_ptr> robots;
    std::vector<problem>   problems;
    std::vector<peer_ptr>  owners;
    std::vector<peer *>    peers;
};

family make_family(bool trees)
{
    family f;
    f.problems.reserve(std::size(sizes)); // the peers keep references
    for (int size : sizes) {
        f.robots.push_back(trees ? make_tree_robot(size, 1) : make_chain_robot(size));
        const arne_robot *robot = f.robots.back().get();
        f.problems.push_back(
            {robot, make_tree(robot, false), random_states(robot, state_count, 1)});
        f.owners.push_back(make_arne(f.problems.back()));
        f.peers.push_back(f.owners.back().get());
    }
    return f;
}

double exponent(const std::vector<double> &ns, int from, int to)
{
    return std::log(ns[to] / ns[from]) / std::log(double(sizes[to]) / sizes[from]);
}

void print_row(const char *name, algorithm a, const std::vector<double> &ns)
{
    const double aim = order(a) + granted;
    bool         missed = false;
    std::printf("  %-28s", name);
    for (double x : ns)
        x > 0 ? std::printf(" %10.4g", x) : std::printf(" %10s", "-");
    for (const auto &[from, to] : {std::pair(1, 3), std::pair(3, 4)}) {
        if (ns[from] == 0 || ns[to] == 0) {
            std::printf(" %8s", "-");
            continue;
        }
        std::printf(" %8.2f", exponent(ns, from, to));
        missed |= exponent(ns, from, to) > aim;
    }
    std::printf("   aim %.1f%s\n", aim, missed ? "  missed" : "");
    std::fflush(stdout);
}

} // namespace

void print_growth(const std::set<std::string> &names, effort e)
{
    for (bool trees : {false, true}) {
        const family f = make_family(trees);
        std::printf("\nns per call on %s, and the exponent of growth\n  %-28s",
                    trees ? "random trees" : "chains", "bodies");
        for (int size : sizes)
            std::printf(" %10d", size);
        std::printf("   50-200 200-1000\n");
        for (algorithm a : all_algorithms())
            if (names.empty() || names.count(algorithm_name(a)))
                print_row(algorithm_name(a), a, time_in_turn(f.peers, a, e));
    }
}

} // namespace peers

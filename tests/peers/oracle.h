// One library as an oracle: every quantity it offers, on one robot, at random states.
#ifndef TEST_PEERS_ORACLE_H
#define TEST_PEERS_ORACLE_H

#include "models.h"
#include "peer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace oracle
{

struct library {
    peers::peer_ptr (*make)(const peers::problem &);
    double tolerance;
};

// How many robots were compared and how many of them are wrong.
struct tally {
    int compared = 0, wrong = 0;
};

const int states_per_robot = 20;

inline const char *robots_folder()
{
    const char *folder = std::getenv("ROBOTS");
    return folder && *folder ? folder : ARNE_ROBOTS_DIR;
}

inline std::string stem(const std::string &path)
{
    const size_t slash = path.rfind('/');
    const size_t start = slash == std::string::npos ? 0 : slash + 1;
    return path.substr(start, path.rfind('.') - start);
}

inline double largest_row_sum(const std::vector<double> &M, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += std::fabs(M[i * n + k]);
        largest = std::max(largest, sum);
    }
    return largest;
}

// Accelerations from torques lose what the mass matrix's condition takes; torques from
// accelerations do not.
inline double allowance(peers::algorithm a, peers::peer &ours, const peers::problem &p, int state)
{
    if (a != peers::algorithm::forward_dynamics && a != peers::algorithm::inverse_mass_matrix)
        return 1;
    const size_t n = static_cast<size_t>(p.model.robot_v_count);
    const double M = largest_row_sum(ours.result(peers::algorithm::mass_matrix, state), n);
    const auto   inverse = ours.result(peers::algorithm::inverse_mass_matrix, state);
    if (inverse.empty()) return 1;
    return std::max(1.0, 1e-4 * M * largest_row_sum(inverse, n));
}

// The largest difference of one quantity, in units of what is allowed: more than 1 is wrong.
inline double worst(const library &lib, peers::algorithm a, peers::peer &ours, peers::peer &theirs,
                    const peers::problem &p)
{
    double most = 0;
    for (int s = 0; s < static_cast<int>(p.states.size()); s++) {
        const double apart = peers::difference(ours.result(a, s), theirs.result(a, s));
        most = std::max(most, apart / (lib.tolerance * allowance(a, ours, p, s)));
    }
    return most;
}

// What arne_robot_joint says of an axis is what the link is seen to move about.
inline bool axes_agree(const arne_robot *robot, const peers::tree &t)
{
    for (const peers::tree_body &body : t.bodies)
        for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
            const arne_joint_info info = arne_robot_joint(robot, j);
            if (info.child != body.frame || arne_joint_kind_v_count(info.kind) != 1) continue;
            const arne_vec3 a = info.axis, b = body.joints[0].axis;
            if (!(peers::difference({a.x, a.y, a.z}, {b.x, b.y, b.z}) < 1e-9)) return false;
        }
    return true;
}

// Compares all that the library offers; a line says how it went. A robot that the library cannot
// describe is a failure: a test that compares nothing must not pass.
inline void compare(const library &lib, const std::string &name, const arne_robot *robot,
                    bool with_rotor, tally &count)
{
    count.compared++;
    try {
        const peers::problem  p = {robot, peers::make_tree(robot, with_rotor),
                                   peers::random_states(robot, states_per_robot, 7)};
        const peers::peer_ptr ours = peers::make_arne(p), theirs = lib.make(p);
        double                most = 0;
        int                   quantities = 0;
        std::string           bad = axes_agree(robot, p.model) ? "" : " axis";
        for (peers::algorithm a : peers::all_algorithms()) {
            if (theirs->offers(a) == peers::support::none) continue;
            const double units = worst(lib, a, *ours, *theirs, p);
            quantities++;
            most = std::max(most, units);
            if (units > 1) bad += std::string(" ") + peers::algorithm_name(a);
        }
        const bool good = bad.empty() && quantities > 0;
        std::printf("%-4s %-36s %2d quantities, %.1e of what is allowed%s%s\n", good ? "ok" : "BAD",
                    name.c_str(), quantities, most, good ? "" : ", wrong:", bad.c_str());
        count.wrong += !good;
    } catch (const std::runtime_error &e) {
        std::printf("BAD  %-36s %s\n", name.c_str(), e.what());
        count.wrong++;
    }
}

// A file of robots/, with this base and without friction.
inline void compare_file(const library &lib, const std::string &path, arne_base base,
                         bool with_rotor, tally &count)
{
    static const char *const said[] = {"", ", fixed base", ", prescribed base", ", free base"};
    arne_build_options       options = peers::plain_options();
    options.base = base;
    options.no_rotor = !with_rotor;
    const std::string name = stem(path) + said[base] + (with_rotor ? ", rotors" : "");
    try {
        const peers::robot_ptr robot = peers::read_robot(path, options);
        const arne_sizes       size = arne_robot_sizes(robot.get());
        if (size.motor_count + size.spring_count > 0)
            std::printf("     %-36s has motors or springs, which the library does not know\n",
                        name.c_str());
        else
            compare(lib, name, robot.get(), with_rotor, count);
    } catch (const std::runtime_error &e) {
        std::printf("BAD  %-36s %s\n", name.c_str(), e.what());
        count.compared++;
        count.wrong++;
    }
}

inline int report(const char *library, const tally &count)
{
    std::printf("%s: %d robots compared, %d wrong\n", library, count.compared, count.wrong);
    return count.compared == 0 || count.wrong > 0;
}

} // namespace oracle

#endif

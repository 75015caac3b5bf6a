#include "loops.h"

#include "models.h"

#include <algorithm>
#include <arne/arne.h>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <stdexcept>

namespace peers
{
namespace
{

const int    state_total = 64;
const double direct_aim = 5;

void check(arne_status status, const arne_error &error)
{
    if (status != ARNE_OK) throw std::runtime_error(error.text);
}

// The workspaces of a robot with loops.
struct closed {
    explicit closed(const arne_robot *r) : robot(r)
    {
        const arne_error none = {};
        check(arne_work_new(r, &work), none);
        check(arne_loop_work_new(r, &loop), none);
    }
    ~closed()
    {
        arne_loop_work_free(loop);
        arne_work_free(work);
    }
    closed(const closed &) = delete;
    closed &operator=(const closed &) = delete;

    const arne_robot *robot;
    arne_work        *work = nullptr;
    arne_loop_work   *loop = nullptr;
};

double cpu_seconds()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

using pass = std::function<void()>; // over all states

// ns per state, the best of the rounds in which all take turns.
std::vector<double> time_passes(const std::vector<pass> &what, effort e)
{
    std::vector<double> best(what.size(), INFINITY);
    for (int round = 0; round < e.rounds; round++)
        for (size_t i = 0; i < what.size(); i++) {
            const double from = cpu_seconds();
            int          passes = 0;
            double       spent = 0;
            do {
                what[i]();
                passes++;
                spent = cpu_seconds() - from;
            } while (spent < e.round_seconds);
            best[i] = std::min(best[i], 1e9 * spent / (passes * state_total));
        }
    return best;
}

} // namespace

std::vector<double> five_bar_states(const arne_robot *robot, int count, bool moving)
{
    closed              c(robot);
    std::vector<double> out;
    arne_error          error = {};
    for (int i = 0; i < count; i++) {
        double q[4] = {2 + 0.3 * std::sin(i), -1.27, 1.1 + 0.3 * std::cos(1.7 * i), 1.29};
        double qd[4] = {std::cos(i), 0, std::sin(2.3 * i), 0};
        double tau[4] = {2 * std::sin(3. * i), 0, 2 * std::cos(i), 0};
        if (!moving) std::fill(qd, qd + 4, 0.);
        check(arne_assemble(robot, c.work, c.loop, nullptr, q, nullptr, &error), error);
        check(arne_loop_complete(robot, c.work, c.loop, q, qd, nullptr, &error), error);
        for (const double *x : {q, qd, tau})
            out.insert(out.end(), x, x + 4);
    }
    return out;
}

void print_loops(const std::string &folder, effort e)
{
    const std::string path = find_robot_file(folder, "five_bar");
    if (path.empty()) return;
    const robot_ptr           robot = read_robot(path, {});
    const std::vector<double> states = five_bar_states(robot.get(), state_total, true);
    closed                    c(robot.get());
    double                    out[4];
    std::vector<pass>         what;
    int                       failures = 0;
    const auto                at = [&](int i) { return &states[static_cast<size_t>(12 * i)]; };
    what.push_back([&] {
        for (int i = 0; i < state_total; i++)
            failures += arne_loop_forward_dynamics(c.robot, c.work, c.loop, at(i), at(i) + 4,
                                                   at(i) + 8, nullptr, nullptr, out, nullptr) != 0;
    });
    what.push_back([&] {
        for (int i = 0; i < state_total; i++)
            failures += arne_loop_inverse_dynamics(c.robot, c.work, c.loop, at(i), at(i) + 4,
                                                   at(i) + 8, nullptr, nullptr, out, nullptr) != 0;
    });
#ifdef ARNE_HAVE_MUJOCO
    const std::unique_ptr<five_bar_twin> twin = five_bar_in_mujoco(robot.get(), 0);
    what.push_back([&] {
        for (int i = 0; i < state_total; i++)
            twin->accelerations(at(i), at(i) + 4, at(i) + 8);
    });
#endif
    const std::vector<double> ns = time_passes(what, e);
    if (failures) throw std::runtime_error("the five-bar has no answer at some state");
    std::printf("\nClosed chains, ns per call: five_bar direct dynamics %.0f, inverse %.0f\n",
                ns[0], ns[1]);
    if (ns.size() > 2)
        std::printf(
            "  MuJoCo's forward step on the same mechanism %.0f: %.1f times ours, aim %.0f%s\n",
            ns[2], ns[2] / ns[0], direct_aim, ns[2] / ns[0] < direct_aim ? "  missed" : "");
}

} // namespace peers

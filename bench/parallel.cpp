#include "parallel.h"

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
const double aim = 2;

void check(arne_status status, const arne_error &error)
{
    if (status != ARNE_OK) throw std::runtime_error(error.text);
}

double cpu_seconds()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// A platform on its way, with all legs.
struct moment {
    std::vector<double> q, qd, qdd;
};

class platform
{
  public:
    explicit platform(const std::string &path)
        : robot_(read_robot(path, {})), size_(arne_robot_sizes(robot_.get())), tau(size_.v_count)
    {
        const arne_error none = {};
        check(arne_work_new(robot_.get(), &work_), none);
        check(arne_loop_work_new(robot_.get(), &loop_), none);
        for (int i = 0; i < state_total; i++)
            moments_.push_back(make_moment(i));
    }
    ~platform()
    {
        arne_loop_work_free(loop_);
        arne_work_free(work_);
    }
    platform(const platform &) = delete;
    platform &operator=(const platform &) = delete;

    void by_legs(int i)
    {
        const moment &m = moments_[static_cast<size_t>(i)];
        failures +=
            arne_parallel_inverse_dynamics(robot_.get(), work_, loop_, m.q.data(), m.qd.data(),
                                           m.qdd.data(), nullptr, tau.data(), nullptr) != ARNE_OK;
    }
    // From the platform's motion alone.
    void from_platform(int i)
    {
        moment &m = moments_[static_cast<size_t>(i)];
        failures += arne_parallel_inverse_kinematics(robot_.get(), work_, loop_, m.q.data(),
                                                     nullptr) != ARNE_OK;
        failures += arne_parallel_complete(robot_.get(), work_, m.q.data(), m.qd.data(),
                                           m.qdd.data(), nullptr) != ARNE_OK;
        by_legs(i);
    }
    void by_loops(int i)
    {
        const moment &m = moments_[static_cast<size_t>(i)];
        failures += arne_loop_inverse_dynamics(robot_.get(), work_, loop_, m.q.data(), m.qd.data(),
                                               m.qdd.data(), nullptr, nullptr, tau.data(),
                                               nullptr) != ARNE_OK;
    }

  private:
    moment make_moment(int i)
    {
        arne_error error = {};
        moment     m = {std::vector<double>(static_cast<size_t>(size_.q_count)),
                        std::vector<double>(static_cast<size_t>(size_.v_count)),
                        std::vector<double>(static_cast<size_t>(size_.v_count))};
        arne_start_configuration(robot_.get(), m.q.data());
        for (int k = 0; k < 6; k++) {
            m.qd[static_cast<size_t>(k)] = 0.1 * std::sin(1.3 * i + k);
            m.qdd[static_cast<size_t>(k)] = std::cos(2.1 * i + k);
        }
        std::vector<double> there = m.q;
        arne_integrate(robot_.get(), m.q.data(), m.qd.data(), there.data());
        m.q = there;
        check(arne_parallel_inverse_kinematics(robot_.get(), work_, loop_, m.q.data(), &error),
              error);
        check(arne_parallel_complete(robot_.get(), work_, m.q.data(), m.qd.data(), m.qdd.data(),
                                     &error),
              error);
        return m;
    }

    robot_ptr           robot_;
    arne_sizes          size_;
    arne_work          *work_ = nullptr;
    arne_loop_work     *loop_ = nullptr;
    std::vector<moment> moments_;

  public:
    std::vector<double> tau;
    int                 failures = 0;
};

using call = void (platform::*)(int);

double time_call(platform &p, call what, double seconds)
{
    const double from = cpu_seconds();
    double       spent = 0;
    int          passes = 0;
    do {
        for (int i = 0; i < state_total; i++)
            (p.*what)(i);
        passes++;
        spent = cpu_seconds() - from;
    } while (spent < seconds);
    return 1e9 * spent / (passes * state_total);
}

int count_apart(platform &p)
{
    int bad = 0;
    for (int i = 0; i < state_total; i++) {
        p.by_loops(i);
        const std::vector<double> wanted = p.tau;
        p.by_legs(i);
        double off = 0;
        for (size_t k = 0; k < wanted.size(); k++)
            off = std::max(off, std::fabs(wanted[k] - p.tau[k]));
        bad += !(off < 1e-9);
    }
    return bad;
}

} // namespace

int print_parallel(const std::string &folder, double unit, effort e)
{
    const std::string path = find_robot_file(folder, "gough_stewart");
    if (path.empty()) return 0;
    platform                 p(path);
    const int                bad = count_apart(p);
    static const char *const titles[] = {"platform and legs", "from the platform's motion alone",
                                         "loops"};
    static const call calls[] = {&platform::by_legs, &platform::from_platform, &platform::by_loops};
    double            best[] = {INFINITY, INFINITY, INFINITY};
    for (int round = 0; round < e.rounds; round++)
        for (int i = 0; i < 3; i++)
            best[i] = std::min(best[i], time_call(p, calls[i], e.round_seconds));
    if (p.failures) throw std::runtime_error("the Gough-Stewart platform has no answer somewhere");
    std::printf("\nInverse dynamics of gough_stewart, ns per call, and over that of KDL on arm6\n");
    for (int i = 0; i < 3; i++) {
        std::printf("  %-34s %7.0f", titles[i], best[i]);
        if (unit > 0) std::printf("   %5.2f", best[i] / unit);
        if (unit > 0 && i == 0)
            std::printf("   aim %.1f%s", aim, best[i] / unit > aim ? "  missed" : "");
        std::printf("\n");
    }
    return bad;
}

} // namespace peers

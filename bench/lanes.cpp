#include "lanes.h"

#include "scalar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <stdexcept>

namespace peers
{

namespace
{

const size_t some = 512 + 3,
             many = 65536 + 3; // for lanes, and for threads, which take a while to wake
const double lanes_aim = 3.5, threads_aim = 1.8;

// Where a workspace happens to lie matters by a tenth now and then: each is timed in several
// places.
const int places = 3;

// Rows of all states, in the layout of arne_batch; the states of the problem come again and again.
std::vector<double> rows_of(const problem &p, std::vector<double> state::*part, size_t count)
{
    const size_t        rows = (p.states[0].*part).size();
    std::vector<double> out(rows * count);
    for (size_t i = 0; i < rows; i++)
        for (size_t s = 0; s < count; s++)
            out[i * count + s] = (p.states[s % p.states.size()].*part)[i];
    return out;
}

double seconds()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

using evaluation = std::function<void()>; // of `count` states

// ns per state, the best of many short rounds in which all take turns.
std::vector<double> time_each(const std::vector<evaluation> &what, size_t count, int rounds)
{
    std::vector<double> best(what.size(), INFINITY);
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < what.size(); i++) {
            const double from = seconds();
            what[i]();
            best[i] = std::min(best[i], 1e9 * (seconds() - from) / static_cast<double>(count));
        }
    return best;
}

struct batch {
    batch(const arne_robot *robot, int width, int threads)
    {
        const arne_batch_options options = {sizeof options, width, threads};
        arne_error               error;
        if (arne_batch_new(robot, &options, &handle, &error) != ARNE_OK)
            throw std::runtime_error(error.text);
    }
    ~batch() { arne_batch_free(handle); }
    batch(const batch &) = delete;
    batch &operator=(const batch &) = delete;

    arne_batch *handle = nullptr;
};

// One algorithm on one robot.
class comparison
{
  public:
    comparison(const problem &p, arne_algorithm a, size_t count)
        : p_(p), algorithm_(a), count_(count), q_(rows_of(p, &state::q, count)),
          qd_(rows_of(p, &state::qd, count)), qdd_(rows_of(p, &state::qdd, count)),
          tau_(rows_of(p, &state::tau, count)), out_(tau_.size()), one_(p.states[0].tau.size())
    {
        for (int i = 0; i < places; i++) {
            scalar_work_[i] = scalar_work_new(p.robot);
            if (!scalar_work_[i] || arne_work_new(p.robot, &work_[i]) != ARNE_OK)
                throw std::runtime_error("out of memory");
        }
    }
    ~comparison()
    {
        for (int i = 0; i < places; i++) {
            arne_work_free(work_[i]);
            scalar_work_free(scalar_work_[i]);
        }
    }
    comparison(const comparison &) = delete;
    comparison &operator=(const comparison &) = delete;

    void core(size_t s, int place)
    {
        const state &x = p_.states[s % p_.states.size()];
        if (algorithm_ == ARNE_ALGORITHM_INVERSE_DYNAMICS)
            arne_inverse_dynamics(p_.robot, work_[place], x.q.data(), x.qd.data(), x.qdd.data(),
                                  nullptr, one_.data());
        else if (arne_forward_dynamics(p_.robot, work_[place], x.q.data(), x.qd.data(),
                                       x.tau.data(), nullptr, one_.data(), nullptr) != ARNE_OK)
            throw std::runtime_error("direct dynamics failed");
    }
    void all_by_core(int place)
    {
        for (size_t s = 0; s < count_; s++)
            core(s, place);
    }
    void scalar_code(size_t s, int place)
    {
        const state &x = p_.states[s % p_.states.size()];
        if (algorithm_ == ARNE_ALGORITHM_INVERSE_DYNAMICS)
            scalar_inverse_dynamics(p_.robot, scalar_work_[place], x.q.data(), x.qd.data(),
                                    x.qdd.data(), one_.data());
        else
            scalar_forward_dynamics(p_.robot, scalar_work_[place], x.q.data(), x.qd.data(),
                                    x.tau.data(), one_.data());
    }
    void all_by_scalar_code(int place)
    {
        for (size_t s = 0; s < count_; s++)
            scalar_code(s, place);
    }
    void all_by(const batch &b)
    {
        arne_batch_inputs  in = {};
        arne_batch_outputs out = {};
        arne_error         error;
        in.q = q_.data();
        in.qd = qd_.data();
        in.qdd = qdd_.data();
        in.tau = tau_.data();
        (algorithm_ == ARNE_ALGORITHM_INVERSE_DYNAMICS ? out.tau : out.qdd) = out_.data();
        if (arne_batch_run(b.handle, algorithm_, &in, &out, count_, &error) != ARNE_OK)
            throw std::runtime_error(error.text);
    }
    // The same, kept where a batch leaves its results.
    void keep_by_scalar_code()
    {
        for (size_t s = 0; s < count_; s++) {
            scalar_code(s, 0);
            for (size_t i = 0; i < one_.size(); i++)
                out_[i * count_ + s] = one_[i];
        }
    }
    // The largest relative difference between what is kept and the core's own results.
    double apart()
    {
        double worst = 0;
        for (size_t s = 0; s < count_; s++) {
            double size = 1, off = 0;
            core(s, 0);
            for (size_t i = 0; i < one_.size(); i++) {
                size = std::max(size, std::fabs(one_[i]));
                off = std::max(off, std::fabs(one_[i] - out_[i * count_ + s]));
            }
            worst = std::max(worst, off / size);
        }
        return worst;
    }

  private:
    const problem      &p_;
    arne_algorithm      algorithm_;
    size_t              count_;
    arne_work          *work_[places] = {};
    scalar_work        *scalar_work_[places] = {};
    std::vector<double> q_, qd_, qdd_, tau_, out_, one_;
};

// Scalar code, one state at a time, and every width; results that are wrong are counted.
int print_widths(const std::string &name, const char *title, comparison &c, const problem &p,
                 effort e)
{
    std::vector<evaluation>             what; // of each kind one for every place
    std::vector<std::unique_ptr<batch>> batches;
    for (int i = 0; i < places; i++)
        what.push_back([&c, i] { c.all_by_scalar_code(i); });
    for (int i = 0; i < places; i++)
        what.push_back([&c, i] { c.all_by_core(i); });
    c.keep_by_scalar_code();
    int bad = c.apart() > 1e-9;
    for (int width : {2, 4, 8}) {
        if (!arne_batch_has_width(width)) {
            std::printf("  %-8s %-18s width %d: skipped, not on this machine\n", name.c_str(),
                        title, width);
            continue;
        }
        for (int i = 0; i < places; i++) {
            batches.push_back(std::make_unique<batch>(p.robot, width, 1));
            const batch *b = batches.back().get();
            c.all_by(*b);
            bad += c.apart() > 1e-9;
            what.push_back([&c, b] { c.all_by(*b); });
        }
    }
    const std::vector<double> each = time_each(what, some, 100 * e.rounds);
    std::vector<double>       ns;
    for (auto i = each.begin(); i != each.end(); i += places)
        ns.push_back(*std::min_element(i, i + places));
    const double scalar = ns[0], core = ns[1];
    std::printf("  %-5s %-17s scalar %6.1f   one state %6.1f: %.2f", name.c_str(), title, scalar,
                core, scalar / core);
    for (size_t i = 0; i + 2 < ns.size(); i++) {
        const int    width = arne_batch_width(batches[i * places]->handle);
        const double lanes = ns[i + 2];
        std::printf("   %d lanes %6.1f: %.2f (%.2f)%s", width, lanes, scalar / lanes, core / lanes,
                    width == 4 && scalar / lanes < lanes_aim ? " missed" : "");
    }
    std::printf("\n");
    return bad;
}

void print_threads(const std::string &name, const char *title, comparison &c, const problem &p,
                   effort e)
{
    const batch               one(p.robot, 0, 1), two(p.robot, 0, 2);
    const std::vector<double> ns =
        time_each({[&] { c.all_by(one); }, [&] { c.all_by(two); }}, many, 20 * e.rounds);
    std::printf("  %-5s %-17s one thread %6.1f ns   two %6.1f: %.2f%s\n", name.c_str(), title,
                ns[0], ns[1], ns[0] / ns[1], ns[0] / ns[1] < threads_aim ? " missed" : "");
}

} // namespace

int print_lanes(const std::string &name, const problem &p, effort e)
{
    static const struct {
        const char    *title;
        arne_algorithm algorithm;
    } algorithms[] = {{"inverse-dynamics", ARNE_ALGORITHM_INVERSE_DYNAMICS},
                      {"forward-dynamics", ARNE_ALGORITHM_FORWARD_DYNAMICS}};
    int bad = 0;
    for (const auto &a : algorithms) {
        comparison lanes(p, a.algorithm, some), threads(p, a.algorithm, many);
        bad += print_widths(name, a.title, lanes, p, e);
        print_threads(name, a.title, threads, p, e);
    }
    return bad;
}

} // namespace peers

#include "packaged.h"

#include <cmath>
#include <cstdio>
#include <dlfcn.h>
#include <stdexcept>

namespace peers
{
namespace
{

const double mean_aim = 1.05, worst_aim = 1.10, wrong = 1e-6;

using maker = peer *(*)(const problem &);

maker load(const std::string &path)
{
    void *module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module) throw std::runtime_error(dlerror());
    void *found = dlsym(module, "arne_make_packaged");
    if (!found) throw std::runtime_error(path + " has no peer in it");
    return reinterpret_cast<maker>(found);
}

const char *verdict(double x, double aim) { return x > aim ? "  missed" : ""; }

} // namespace

int print_packaged(const std::string &path, const std::vector<named_problem> &problems, effort e)
{
    const maker           make = load(path);
    std::vector<peer_ptr> ours, theirs;
    int                   bad = 0, count = 0;
    double                logs = 0, worst = 0;
    e.rounds = 2 * e.rounds + 1;
    std::printf("\nTime of the packaged build over that of this build, medians of %d rounds in "
                "turn\n  %-28s",
                e.rounds, "algorithm");
    for (const named_problem &p : problems) {
        std::printf(" %10s", p.name.c_str());
        ours.push_back(make_arne(*p.what));
        theirs.emplace_back(make(*p.what));
    }
    std::printf("\n");
    for (algorithm a : all_algorithms()) {
        std::printf("  %-28s", algorithm_name(a));
        for (size_t i = 0; i < problems.size(); i++) {
            const double ratio = median_ratio(*theirs[i], *ours[i], a, e);
            if (ratio > 0) {
                std::printf(" %10.3f", ratio);
                logs += std::log(ratio);
                worst = std::max(worst, ratio);
                count++;
                bad += difference(*ours[i], *theirs[i], *problems[i].what, a, 0) > wrong;
            } else {
                std::printf(" %10s", "-");
            }
        }
        std::printf("\n");
        std::fflush(stdout);
    }
    const double mean = std::exp(logs / count);
    std::printf("  geometric mean %.3f   aim %.2f%s\n  worst %.3f   aim %.2f%s\n", mean, mean_aim,
                verdict(mean, mean_aim), worst, worst_aim, verdict(worst, worst_aim));
    return bad;
}

} // namespace peers

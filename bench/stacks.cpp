#include "stacks.h"

#include "models.h"

#include <algorithm>
#include <arne/arne.h>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace peers
{
namespace
{

void check(arne_status status, const arne_error &error)
{
    if (status != ARNE_OK) throw std::runtime_error(error.text);
}

robot_ptr make_stack(int modules)
{
    const std::string text =
        "name: stack\nparallel:\n  modules: " + std::to_string(modules) +
        "\n  platform: {mass: 3, com: [0, 0, 0.01], inertia: [0.05, 0.05, 0.09], home: {xyz: [0, "
        "0, "
        "0.5]}}\n"
        "  base_points: [[0.30, -0.05, 0.02], [0.30, 0.05, 0.02], [-0.107, 0.285, 0.02], "
        "[-0.193, 0.235, 0.02], [-0.193, -0.235, 0.02], [-0.107, -0.285, 0.02]]\n"
        "  platform_points: [[0.15, -0.20, -0.02], [0.15, 0.20, -0.02], [0.098, 0.23, -0.02], "
        "[-0.248, 0.03, -0.02], [-0.248, -0.03, -0.02], [0.098, -0.23, -0.02]]\n"
        "  legs:\n    kind: UPS\n    joints:\n"
        "      - {name: turn, mass: 0.05, inertia: [1e-4, 1e-4, 1e-4]}\n"
        "      - {name: tilt, mass: 0.5, com: [0, 0, 0.12], inertia: [0.004, 0.004, 0.0002]}\n"
        "      - {name: slide, mass: 0.3, com: [0, 0, -0.1], inertia: [0.002, 0.002, 0.0001]}\n";
    arne_error    error = {};
    arne_builder *builder = nullptr;
    check(arne_builder_new(&builder), error);
    const std::unique_ptr<arne_builder, void (*)(arne_builder *)> owner(builder, arne_builder_free);
    check(arne_read_yaml(builder, text.data(), text.size(), "stack", &error), error);
    return finish_robot(builder, plain_options());
}

// ns of a call, the least of three.
double time_of(const std::function<arne_status()> &call)
{
    double best = INFINITY;
    for (int round = 0; round < 3; round++) {
        const std::clock_t from = std::clock();
        int                calls = 0;
        do {
            if (call() != ARNE_OK) throw std::runtime_error("a stack cannot be computed");
            calls++;
        } while (std::clock() - from < CLOCKS_PER_SEC / 200);
        best =
            std::min(best, 1e9 * static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC / calls);
    }
    return best;
}

double apart(const std::vector<double> &a, const std::vector<double> &b)
{
    double off = 0, size = 1;
    for (size_t i = 0; i < a.size(); i++) {
        off = std::max(off, std::fabs(a[i] - b[i]));
        size = std::max(size, std::fabs(b[i]));
    }
    return off / size;
}

int print_stack(int count, double first[2])
{
    const robot_ptr     robot = make_stack(count);
    const arne_sizes    n = arne_robot_sizes(robot.get());
    const auto          nv = static_cast<size_t>(n.v_count);
    arne_error          error = {};
    arne_work          *work = nullptr;
    arne_loop_work     *loop = nullptr;
    arne_modules       *modules = nullptr;
    std::vector<double> q(static_cast<size_t>(n.q_count)), rest(nv), tau(nv), by_loops(nv), qdd(nv),
        loops_qdd(nv);
    check(arne_work_new(robot.get(), &work), error);
    check(arne_loop_work_new(robot.get(), &loop), error);
    check(arne_modules_new(robot.get(), &modules, &error), error);
    arne_start_configuration(robot.get(), q.data());
    check(arne_assemble(robot.get(), work, loop, nullptr, q.data(), nullptr, &error), error);
    const double times[4] = {
        time_of([&] {
            return arne_modules_inverse_dynamics(modules, q.data(), rest.data(), rest.data(),
                                                 tau.data(), nullptr);
        }),
        time_of([&] {
            return arne_loop_inverse_dynamics(robot.get(), work, loop, q.data(), rest.data(),
                                              rest.data(), nullptr, nullptr, by_loops.data(),
                                              nullptr);
        }),
        time_of([&] {
            return arne_modules_forward_dynamics(modules, q.data(), rest.data(), rest.data(),
                                                 qdd.data(), nullptr);
        }),
        time_of([&] {
            return arne_loop_forward_dynamics(robot.get(), work, loop, q.data(), rest.data(),
                                              rest.data(), nullptr, nullptr, loops_qdd.data(),
                                              nullptr);
        })};
    if (first[0] == 0) first[0] = times[0], first[1] = times[2];
    const double off = std::max(apart(tau, by_loops), apart(qdd, loops_qdd));
    std::printf("  %7d %12.0f %12.0f %7.1f %12.0f %12.0f %7.1f %10.0e\n", count, times[0], times[1],
                times[0] / first[0], times[2], times[3], times[2] / first[1], off);
    arne_modules_free(modules);
    arne_loop_work_free(loop);
    arne_work_free(work);
    return !(off < 1e-6);
}

} // namespace

int print_stacks()
{
    double first[2] = {0, 0};
    int    bad = 0;
    std::printf(
        "\nPlatforms on each other, ns: by module and by the general form of loops; growth: "
        "by module, of the first row (2 to 16 modules: 8 is linear)\n"
        "  %7s %12s %12s %7s %12s %12s %7s %10s\n",
        "modules", "inverse", "loops", "growth", "forward", "loops", "growth", "apart");
    for (int count : {2, 4, 8, 16})
        bad += print_stack(count, first);
    return bad;
}

} // namespace peers

#include "rods.h"

#include "models.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace peers
{
namespace
{

const double inverse_aim = 2000, forward_aim = 5000, pace_aim = 20; // ns, ns, times real time

void check(arne_status status, const arne_error &error)
{
    if (status != ARNE_OK) throw std::runtime_error(error.text);
}

// A round rod of length 1 that is clamped at its root, with so many modes of twist and of
// bends: in both planes, or in one and without weight.
robot_ptr make_rod(int twists, int bends, int points, bool both_ways)
{
    arne_builder *builder = nullptr;
    arne_error    error = {};
    check(arne_builder_new(&builder), error);
    const std::unique_ptr<arne_builder, void (*)(arne_builder *)> owner(builder, arne_builder_free);
    arne_body_spec  base = arne_body_spec_default(), rod = arne_body_spec_default();
    arne_joint_spec clamp = arne_joint_spec_default();
    base.name = clamp.parent = "base";
    rod.name = clamp.name = clamp.child = "rod";
    clamp.kind = ARNE_JOINT_FIXED;
    rod.flexible = arne_flexible_spec_default();
    rod.flexible.segments = 0;
    rod.flexible.length = 1;
    rod.flexible.points = points;
    rod.flexible.turn = 3;
    rod.flexible.modes[ARNE_STRAIN_TWIST] = twists;
    rod.flexible.modes[ARNE_STRAIN_BEND_Z] = bends;
    rod.flexible.modes[ARNE_STRAIN_BEND_Y] = both_ways ? bends : 0;
    for (double &stiffness : rod.flexible.stiffness)
        stiffness = 1;
    rod.flexible.line[0] = 1;
    for (int i = 1; i < 4; i++)
        rod.flexible.line[i] = 1e-3;
    if (!both_ways) check(arne_builder_set_gravity(builder, {0, 0, 0}), error);
    check(arne_builder_add_body(builder, &base, &error), error);
    check(arne_builder_add_body(builder, &rod, &error), error);
    check(arne_builder_add_joint(builder, &clamp, &error), error);
    return finish_robot(builder, plain_options());
}

using work_ptr = std::unique_ptr<arne_work, void (*)(arne_work *)>;

work_ptr make_work(const robot_ptr &robot)
{
    arne_work *work = nullptr;
    check(arne_work_new(robot.get(), &work), {});
    return work_ptr(work, arne_work_free);
}

void print_speed(effort e)
{
    const robot_ptr robot = make_rod(2, 2, 11, true);
    problem         p;
    p.robot = robot.get();
    p.model = {};
    p.model.bodies.resize(1); // its tip, which is not asked for here
    p.states = random_states(p.robot, state_count, 1);
    const peer_ptr ours = make_arne(p);
    const double   inverse = time_in_turn({ours.get()}, algorithm::inverse_dynamics, e)[0],
                 forward = time_in_turn({ours.get()}, algorithm::forward_dynamics, e)[0];
    std::printf(
        "\nRods by strain modes: one with 6 modes and 12 slices\n"
        "  inverse dynamics %6.0f ns, aim %.0f%s\n  forward dynamics %6.0f ns, aim %.0f%s\n",
        inverse, inverse_aim, inverse > inverse_aim ? " missed" : "", forward, forward_aim,
        forward > forward_aim ? " missed" : "");
}

// ---- simulations

struct run {
    double                             seconds = 0; // of the processor
    double                             duration = 0;
    int                                coordinates = 0;
    std::vector<std::array<double, 3>> hand;
};

run simulate(const std::string &path)
{
    arne_error     error = {};
    arne_scenario *scenario = nullptr;
    arne_table    *table = nullptr;
    check(arne_scenario_read(path.c_str(), nullptr, &scenario, &error), error);
    const std::unique_ptr<arne_scenario, void (*)(arne_scenario *)> owner(scenario,
                                                                          arne_scenario_free);
    const arne_simulation_spec *spec = arne_scenario_simulation(scenario);
    arne_simulation_summary     summary = {};
    run                         out;
    const std::clock_t          from = std::clock();
    check(arne_simulate(spec, nullptr, nullptr, &table, &summary, &error), error);
    out.seconds = static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC;
    const std::unique_ptr<arne_table, void (*)(arne_table *)> rows(table, arne_table_free);
    const arne_robot                                         *robot = spec->robot;
    arne_work                                                *made = nullptr;
    check(arne_work_new(robot, &made), error);
    const work_ptr   work(made, arne_work_free);
    const int        hand = arne_find_frame(robot, "hand");
    const arne_sizes n = arne_robot_sizes(robot);
    out.duration = spec->duration;
    out.coordinates = n.v_count;
    for (int i = 0; i < arne_table_rows(table); i++) {
        arne_kinematics(robot, made, arne_table_row(table, i) + 1, nullptr, nullptr); // after time
        const arne_vec3 p = arne_frame_pose(robot, made, hand).p;
        out.hand.push_back({p.x, p.y, p.z});
    }
    return out;
}

void print_pace(const std::string &examples)
{
    const run    arm = simulate(examples + "/soft_arm/scenario.yaml");
    const double pace = arm.duration / arm.seconds;
    std::printf("  an arm of three rods and nine cables runs %.0f times as fast as real time, aim "
                "%.0f%s\n",
                pace, pace_aim, pace < pace_aim ? " missed" : "");
}

std::string text_of(const std::string &path)
{
    std::ifstream      file(path);
    std::ostringstream all;
    all << file.rdbuf();
    if (!file) throw std::runtime_error(path + " cannot be read");
    return all.str();
}

void replace_all(std::string *text, const std::string &from, const std::string &to)
{
    for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size())
        text->replace(at, from.size(), to);
}

// The flexible arm with segments, or rods with modes of their bend in its plane, in a folder T.
run simulate_arm(const std::string &T, const std::string &examples, int segments, int modes)
{
    std::string arm = text_of(examples + "/flexible_arm/arm.yaml");
    replace_all(&arm, "segments: 6, bends: y",
                modes ? "modes: {bend_z: " + std::to_string(modes) +
                            "}, points: " + std::to_string(modes + 2)
                      : "segments: " + std::to_string(segments) + ", bends: y");
    if (modes) replace_all(&arm, "axis: x, ", "");
    std::ofstream(T + "/arm.yaml") << arm;
    std::ofstream(T + "/scenario.yaml") << text_of(examples + "/flexible_arm/scenario.yaml");
    // its figures name coordinates of segments
    std::string scenario = text_of(T + "/scenario.yaml");
    scenario.resize(scenario.find("figures:"));
    std::ofstream(T + "/scenario.yaml") << scenario;
    return simulate(T + "/scenario.yaml");
}

double most_apart(const run &a, const run &b)
{
    double most = 0;
    for (size_t i = 0; i < std::min(a.hand.size(), b.hand.size()); i++)
        most = std::max(most, std::hypot(a.hand[i][0] - b.hand[i][0], a.hand[i][1] - b.hand[i][1],
                                         a.hand[i][2] - b.hand[i][2]));
    return most;
}

void print_segments(const std::string &examples)
{
    const auto T =
        std::filesystem::temp_directory_path() / ("arne_rods_" + std::to_string(getpid()));
    std::filesystem::create_directory(T);
    const run best = simulate_arm(T.string(), examples, 0, 5);
    std::printf(
        "  examples/flexible_arm, beside rods with 5 modes each: coordinates that bend, the "
        "hand's way off, s of the processor\n");
    for (const auto &[segments, modes] : {std::pair{6, 0}, {8, 0}, {12, 0}, {0, 2}, {0, 3}}) {
        const run one = simulate_arm(T.string(), examples, segments, modes);
        std::printf("    %-8s %3d  %6.2f mm  %6.3f s\n", modes ? "rods" : "segments",
                    one.coordinates - 2, 1e3 * most_apart(one, best), one.seconds);
    }
    std::filesystem::remove_all(T);
}

// ---- convergence

// Torques of one motion, of which the continuous rod is a member, by the number of points.
std::vector<double> torques(int points)
{
    const robot_ptr     robot = make_rod(2, 2, points, true);
    const work_ptr      work = make_work(robot);
    std::vector<double> q = {0.7, -1.1, 0.9, 1.2, -0.8, 0.5}, qd = {1, -0.4, 0.8, 0.3, -1.2, 0.6},
                        qdd = {0.2, 1, -0.7, -0.9, 0.4, 1.1}, tau(6);
    arne_inverse_dynamics(robot.get(), work.get(), q.data(), qd.data(), qdd.data(), nullptr,
                          tau.data());
    return tau;
}

// The tip of the elastica of P L^2 / EI = 10.
arne_vec3 elastica(int modes)
{
    const robot_ptr     robot = make_rod(0, modes, 60, false);
    const work_ptr      work = make_work(robot);
    std::vector<double> q(static_cast<size_t>(modes));
    const int           tip = arne_find_frame(robot.get(), "rod_tip");
    arne_load           load = {};
    load.frame = tip;
    load.in_world = 1;
    load.wrench.lin.y = 10;
    arne_equilibrium_options ask = {};
    ask.loads = &load;
    ask.load_count = 1;
    arne_error error = {};
    check(arne_equilibrium(robot.get(), work.get(), &ask, q.data(), &error), error);
    arne_kinematics(robot.get(), work.get(), q.data(), nullptr, nullptr);
    return arne_frame_pose(robot.get(), work.get(), tip).p;
}

void print_convergence()
{
    const std::vector<double> exact = torques(160);
    double                    before = 0;
    std::printf("  points, error of torques beside 160 points, observed order\n");
    for (int points = 5; points <= 40; points *= 2) {
        const std::vector<double> tau = torques(points);
        double                    error = 0, size = 0;
        for (size_t i = 0; i < tau.size(); i++) {
            error = std::max(error, std::fabs(tau[i] - exact[i]));
            size = std::max(size, std::fabs(exact[i]));
        }
        std::printf("    %3d  %.1e", points, error / size);
        std::printf(before > 0 ? "  %.2f\n" : "\n", std::log2(before / (error / size)));
        before = error / size;
    }
    const arne_vec3 tip = elastica(14);
    std::printf("  modes, error of the tip of an elastica (P L^2 / EI = 10) beside 14 modes\n");
    for (int modes = 2; modes <= 10; modes += 2) {
        const arne_vec3 p = elastica(modes);
        std::printf("    %3d  %.1e\n", modes, std::hypot(p.x - tip.x, p.y - tip.y, p.z - tip.z));
    }
}

} // namespace

void print_rods(const std::string &folder, effort e)
{
    const std::string examples = folder + "/../examples";
    print_speed(e);
    if (std::filesystem::exists(examples + "/soft_arm/scenario.yaml")) {
        print_pace(examples);
        print_segments(examples);
    }
    print_convergence();
}

} // namespace peers

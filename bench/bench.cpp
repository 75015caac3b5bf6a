// arne_bench: how long each algorithm takes on each robot, here and in every library it finds.
#include "contact.h"
#include "elastic.h"
#include "functions.h"
#include "growth.h"
#include "lanes.h"
#include "loops.h"
#include "measure.h"
#include "models.h"
#include "packaged.h"
#include "parallel.h"
#include "results.h"
#include "rods.h"
#include "simulate.h"
#include "stacks.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <stdexcept>

#ifndef ARNE_ROBOTS_DIR
#define ARNE_ROBOTS_DIR "robots"
#endif

using namespace peers;

namespace
{

const char *const help =
    "usage: arne_bench [options] [ROBOT ...]\n"
    "\n"
    "Times each algorithm on each robot, in Arne and in every other library of this\n"
    "build, and compares the results. Robots: arm6 arm7 puma560 scara quadruped\n"
    "humanoid chain10 chain100 (any chain will do); default: all of these.\n"
    "A path to a robot file is a robot too.\n"
    "\n"
    "  --algorithm NAME   only this one, as `arne compute` calls it; repeatable\n"
    "  --csv FILE         write robot,algorithm,library,ns to FILE\n"
    "  --markdown FILE    write a table of all times to FILE\n"
    "  --robots DIR       where the robot files are\n"
    "  --packaged MODULE  compare with the packaged build in this module\n"
    "  --quick            shorter rounds and fewer of them: a look, not a measurement\n"
    "  --help             this text\n";

// A library that is further than this from ours is wrong, or we are.
const double wrong = 1e-6;

const char *const default_robots[] = {"arm6",      "arm7",     "puma560", "scara",
                                      "quadruped", "humanoid", "chain10", "chain100"};

// What this project holds itself to, with -march=native.
const struct {
    const char *algorithm;
    double      ratio;
} targets[] = {{"inverse-dynamics", 5}, {"forward-dynamics", 5.5}, {"mass-matrix", 8}},
  generated_targets[] = {{"inverse-dynamics", 11}, {"forward-dynamics", 13}};

// A derivative's time, at most so many times that of inverse dynamics in a library, KDL's or ours.
const struct {
    const char *algorithm, *library;
    double      most;
    const char *robots[3];
} derivative_targets[] = {
    {"inverse-dynamics-derivatives", "kdl", 0.75, {"arm6", "arm7"}},
    {"forward-dynamics-derivatives", "kdl", 1.2, {"arm6", "arm7"}},
    {"second-derivatives", "kdl", 3, {"arm6", "arm7"}},
    {"inverse-dynamics-derivatives", "arne", 5, {"humanoid"}},
    {"torque-rate", "arne", 2.2, {"arm6", "arm7", "humanoid"}},
};

struct settings {
    std::string              folder = ARNE_ROBOTS_DIR, csv, markdown, packaged;
    effort                   how = {0.020, 7, 1.0};
    std::vector<std::string> robots;
    std::set<std::string>    algorithms; // empty: all
};

[[noreturn]] void usage_error(const std::string &text)
{
    std::fprintf(stderr, "arne_bench: %s (--help tells more)\n", text.c_str());
    std::exit(2);
}

void check_algorithm(const std::string &name)
{
    for (algorithm a : all_algorithms())
        if (name == algorithm_name(a)) return;
    usage_error("no algorithm " + name);
}

settings parse(int argc, char **argv)
{
    settings   s;
    const auto value = [&](int *i) -> std::string {
        if (*i + 1 >= argc) usage_error(std::string(argv[*i]) + " needs a value");
        return argv[++*i];
    };
    for (int i = 1; i < argc; i++) {
        const std::string a = argv[i];
        if (a == "--help") {
            std::fputs(help, stdout);
            std::exit(0);
        } else if (a == "--quick") {
            s.how = {0.002, 3, 0.1};
        } else if (a == "--csv") {
            s.csv = value(&i);
        } else if (a == "--markdown") {
            s.markdown = value(&i);
        } else if (a == "--packaged") {
            s.packaged = value(&i);
        } else if (a == "--robots") {
            s.folder = value(&i);
        } else if (a == "--algorithm") {
            s.algorithms.insert(value(&i));
        } else if (a.rfind("-", 0) == 0) {
            usage_error("unknown option " + a);
        } else {
            s.robots.push_back(a);
        }
    }
    for (const std::string &name : s.algorithms)
        check_algorithm(name);
    if (s.robots.empty()) s.robots.assign(std::begin(default_robots), std::end(default_robots));
    return s;
}

robot_ptr open_robot(const settings &s, const std::string &name)
{
    int length = 0, count = 0;
    if (std::sscanf(name.c_str(), "chain%d%n", &count, &length) == 1 &&
        length == static_cast<int>(name.size()) && count > 0 && count <= 100000)
        return make_chain_robot(count);
    const std::string path =
        name.find('/') == std::string::npos ? find_robot_file(s.folder, name) : name;
    if (path.empty()) throw std::runtime_error("no robot " + name + " in " + s.folder);
    return read_robot(path, plain_options());
}

int column(const peer &who) { return std::max(10, static_cast<int>(std::strlen(who.name()))); }

void print_head(const std::string &name, const problem &p, const std::vector<peer_ptr> &peers)
{
    static const char *const base[] = {"", "fixed", "prescribed", "free"};
    const arne_sizes         n = arne_robot_sizes(p.robot);
    std::printf("\n%s: %d bodies, %d freedoms, %s base\n", name.c_str(), n.body_count - 1,
                n.v_count, base[arne_robot_base(p.robot)]);
    std::printf("  %-28s %9s", "algorithm", "arne");
    for (size_t i = 1; i < peers.size(); i++)
        std::printf("  %*s  ratio    apart", column(*peers[i]), peers[i]->name());
    std::printf("\n");
}

void print_row(algorithm a, const std::vector<peer_ptr> &peers, const std::vector<figure> &figures)
{
    if (!figures[0].timed) return;
    std::printf("  %-28s %9.4g", algorithm_name(a), figures[0].ns);
    for (size_t i = 1; i < figures.size(); i++) {
        const figure &f = figures[i];
        const int     width = column(*peers[i]);
        if (f.timed)
            std::printf("  %*.4g %6.2f", width, f.ns, f.ns / figures[0].ns);
        else
            std::printf("  %*s %6s", width, "-", "");
        if (f.compared)
            std::printf("  %7.0e%s", f.apart, f.apart > wrong ? "!" : "");
        else
            std::printf("  %7s", "");
    }
    std::printf("\n");
    std::fflush(stdout);
}

problem make_problem(const arne_robot *robot)
{
    return {robot, make_tree(robot, false), random_states(robot, state_count, 1)};
}

bool is_wanted(const settings &s, algorithm a)
{
    return s.algorithms.empty() || s.algorithms.count(algorithm_name(a)) > 0;
}

// Returns the number of answers that are wrong.
int run_robot(const settings &s, const std::string &name, results &all)
{
    const robot_ptr          robot = open_robot(s, name);
    const problem            p = make_problem(robot.get());
    std::vector<std::string> left_out;
    std::vector<peer_ptr>    peers = all_peers(p, &left_out);
    int                      bad = 0;

    print_head(name, p, peers);
    for (algorithm a : all_algorithms()) {
        if (!is_wanted(s, a)) continue;
        const std::vector<figure> figures = measure(p, peers, a, s.how);
        print_row(a, peers, figures);
        for (size_t i = 0; i < peers.size(); i++) {
            if (figures[i].timed)
                all.add({name, algorithm_name(a), peers[i]->name(), figures[i].ns});
            bad += figures[i].compared && figures[i].apart > wrong;
        }
    }
    for (const std::string &line : left_out)
        std::printf("  without %s\n", line.c_str());
    return bad;
}

// Returns the number of results that are wrong.
int print_batches(const settings &s, const results &all)
{
    int bad = 0;
    if (!s.algorithms.empty() || (!all.has("arm6") && !all.has("arm7"))) return 0;
    std::printf(
        "\nns per state on one core, all with the same flags: scalar code, one state at a time, "
        "and\n"
        "lanes. After the colon times faster than scalar code, aim 3.5 with 4 lanes; in brackets\n"
        "than one state at a time. Two threads against one: aim 1.8.\n");
    for (const char *name : {"arm6", "arm7"})
        if (all.has(name)) {
            const robot_ptr robot = open_robot(s, name);
            bad += print_lanes(name, make_problem(robot.get()), s.how);
        }
    return bad;
}

int print_packaged_build(const settings &s)
{
    if (s.packaged.empty()) return 0;
    std::vector<robot_ptr>     robots;
    std::vector<problem>       problems;
    std::vector<named_problem> named;
    for (const char *name : {"arm6", "quadruped", "humanoid", "chain50"}) {
        robots.push_back(open_robot(s, name));
        problems.push_back(make_problem(robots.back().get()));
        named.push_back({name, nullptr});
    }
    for (size_t i = 0; i < named.size(); i++)
        named[i].what = &problems[i];
    return print_packaged(s.packaged, named, s.how);
}

void print_targets(const results &all)
{
    if (!all.has("arm6") && !all.has("arm7")) return;
    std::printf("\nTimes faster than KDL; aims for a build with -march=native\n");
    for (const char *robot : {"arm6", "arm7"})
        for (const auto &t : targets) {
            const double ours = all.ns(robot, t.algorithm, "arne"),
                         theirs = all.ns(robot, t.algorithm, "kdl");
            if (ours == 0 || theirs == 0) continue;
            std::printf("  %-5s %-28s %6.2f   aim %.1f%s\n", robot, t.algorithm, theirs / ours,
                        t.ratio, theirs / ours < t.ratio ? "  missed" : "");
        }
}

void print_generated_targets(const results &all)
{
    bool any = false;
    for (const auto &t : generated_targets) {
        const double ours = all.ns("arm6", t.algorithm, "arne-generated"),
                     theirs = all.ns("arm6", t.algorithm, "kdl");
        if (ours == 0 || theirs == 0) continue;
        if (!any) std::printf("\nThe same of generated code\n");
        any = true;
        std::printf("  %-5s %-28s %6.2f   aim %.1f%s\n", "arm6", t.algorithm, theirs / ours,
                    t.ratio, theirs / ours < t.ratio ? "  missed" : "");
    }
}

void print_generated_lanes(const results &all)
{
    const double ns = all.ns("arm6", "inverse-dynamics", "arne-generated-4");
    if (ns > 0)
        std::printf("  arm6  inverse dynamics, 4 lanes: %.1f ns a state   aim 22%s\n", ns,
                    ns > 22 ? "  missed" : "");
}

void print_derivative_targets(const results &all)
{
    bool any = false;
    for (const auto &t : derivative_targets)
        for (const char *robot : t.robots) {
            const double ours = robot ? all.ns(robot, t.algorithm, "arne") : 0,
                         unit = robot ? all.ns(robot, "inverse-dynamics", t.library) : 0;
            if (ours == 0 || unit == 0) continue;
            if (!any) std::printf("\nTimes of derivatives over that of inverse dynamics\n");
            any = true;
            std::printf("  %-8s %-28s over %-4s %6.2f   aim %.2f%s\n", robot, t.algorithm,
                        t.library, ours / unit, t.most, ours / unit > t.most ? "  missed" : "");
        }
}

int run(const settings &s)
{
    results all;
    int     bad = 0;
    std::printf("Arne %s. ns per call, best of %d rounds of %.0f ms, %d states in turn.\n"
                "ratio: to arne's time. apart: the largest relative difference from arne's "
                "result.\n",
                arne_version(), s.how.rounds, 1e3 * s.how.round_seconds, state_count);
    for (const std::string &name : s.robots)
        bad += run_robot(s, name, all);
    if (s.algorithms.empty()) bad += print_packaged_build(s);
    if (all.has("chain10") && all.has("chain100")) print_growth(s.algorithms, s.how);
    print_targets(all);
    print_generated_targets(all);
    print_generated_lanes(all);
    print_derivative_targets(all);
    bad += print_batches(s, all);
#ifdef ARNE_HAVE_MUJOCO
    if (s.algorithms.empty() && all.has("arm6"))
        print_simulation(open_robot(s, "arm6").get(), "arm6", s.how.rounds);
#endif
    if (s.algorithms.empty() && all.has("quadruped"))
        print_ground(open_robot(s, "quadruped").get(), s.how.rounds);
    if (s.algorithms.empty() && all.has("chain100")) bad += print_elastic(s.how);
    if (s.algorithms.empty() && all.has("humanoid")) print_functions(s.folder, s.how);
    if (s.algorithms.empty() && all.has("humanoid")) print_rods(s.folder, s.how);
    if (s.algorithms.empty() && all.has("arm6")) print_loops(s.folder, s.how);
    if (s.algorithms.empty() && all.has("arm6"))
        bad += print_parallel(s.folder, all.ns("arm6", "inverse-dynamics", "kdl"), s.how);
    if (s.algorithms.empty() && all.has("arm6")) bad += print_stacks();
    if (!s.csv.empty()) all.write_csv(s.csv);
    if (!s.markdown.empty()) all.write_markdown(s.markdown);
    if (bad > 0) std::printf("\n%d results are apart by more than %.0e\n", bad, wrong);
    return bad > 0;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        return run(parse(argc, argv));
    } catch (const std::exception &e) {
        std::fprintf(stderr, "arne_bench: %s\n", e.what());
        return 1;
    }
}

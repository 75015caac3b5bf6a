#include "contact.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <stdexcept>

namespace peers
{
namespace
{

const double aim = 2;
const double step = 1e-3;

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

// How far the robot is above the ground.
double lowest_gap(const arne_robot *robot, const std::vector<double> &q)
{
    arne_surface plane = {};
    arne_error   error = {};
    arne_work   *work = nullptr;
    arne_world  *world = nullptr;
    double       least = 1;
    check(arne_work_new(robot, &work), error);
    check(arne_world_new(robot, &plane, 1, &world, &error), error);
    arne_kinematics(robot, work, q.data(), nullptr, nullptr);
    for (int i = arne_world_find(world, work, 1) - 1; i >= 0; i--)
        if (arne_world_touch(world, i).other < 0)
            least = std::min(least, arne_world_touch(world, i).gap);
    arne_world_free(world);
    arne_work_free(work);
    return least;
}

} // namespace

double wall_seconds(const std::function<void()> &call)
{
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        call();
        clock_gettime(CLOCK_MONOTONIC, &to);
        best = std::min(best, static_cast<double>(to.tv_sec - from.tv_sec) +
                                  1e-9 * static_cast<double>(to.tv_nsec - from.tv_nsec));
    }
    return best;
}

double stance::sway(double time) { return 0.03 * std::sin(5 * time); }

double stance::torque(int q_index, double sway, double position, double velocity) const
{
    return kp * (q[static_cast<size_t>(q_index)] + sway - position) - kd * velocity;
}

stance quadruped_stance(const arne_robot *robot)
{
    const arne_sizes n = arne_robot_sizes(robot);
    stance           out = {std::vector<double>(static_cast<size_t>(n.q_count)), 60, 0.6};
    arne_neutral(robot, out.q.data());
    for (int j = 0; j < n.joint_count; j++) {
        const arne_joint_info joint = arne_robot_joint(robot, j);
        const std::string     name = joint.name;
        if (name.find("swing") != std::string::npos)
            out.q[static_cast<size_t>(joint.q_start)] = -0.8;
        if (name.find("knee") != std::string::npos) out.q[static_cast<size_t>(joint.q_start)] = 1.6;
    }
    out.q[2] -= lowest_gap(robot, out.q);
    return out;
}

robot_ptr make_balls(int count)
{
    arne_error    error = {};
    arne_builder *builder = nullptr;
    check(arne_builder_new(&builder), error);
    const std::unique_ptr<arne_builder, void (*)(arne_builder *)> owner(builder, arne_builder_free);
    std::string text = "name: balls\nbodies:\n  - {name: world}\n", joints, contacts;
    for (int i = 0; i < count; i++) {
        const std::string ball = "ball" + std::to_string(i);
        text += "  - {name: " + ball + ", mass: 1, inertia: [0.004, 0.004, 0.004]}\n";
        joints += "  - {name: j" + std::to_string(i) +
                  ", kind: free, parent: world, child: " + ball + "}\n";
        contacts += "  - {link: " + ball + ", sphere: 0.1}\n";
    }
    text += "joints:\n" + joints + "contacts:\n" + contacts;
    check(arne_read_yaml(builder, text.data(), text.size(), "balls", &error), error);
    return finish_robot(builder, plain_options());
}

stance balls_stance(const arne_robot *robot)
{
    const arne_sizes n = arne_robot_sizes(robot);
    stance           out = {std::vector<double>(static_cast<size_t>(n.q_count)), 0, 0};
    arne_neutral(robot, out.q.data());
    for (int j = 0; j < n.joint_count; j++) {
        double *q = &out.q[static_cast<size_t>(arne_robot_joint(robot, j).q_start)];
        q[0] = 0.3 * (j % 15);
        q[1] = 0.3 * (j / 15);
        q[2] = 0.1;
    }
    return out;
}

standing::standing(const arne_robot *robot, const stance &where, double h) : where_(where), step_(h)
{
    const arne_sizes n = arne_robot_sizes(robot);
    arne_surface     plane = {};
    arne_error       error = {};
    plane.model = ARNE_CONTACT_RIGID;
    plane.friction = ground_friction;
    plane.no_pairs = 1;
    check(arne_work_new(robot, &work_), error);
    check(arne_world_new(robot, &plane, 1, &world_, &error), error);
    qd_.resize(static_cast<size_t>(n.v_count));
    tau_.resize(static_cast<size_t>(n.v_count));
    for (int j = 0; j < n.joint_count; j++) {
        const arne_joint_info joint = arne_robot_joint(robot, j);
        if (joint.q_count != 1 || joint.v_count != 1) continue;
        joint_q_.push_back(joint.q_start);
        joint_v_.push_back(joint.v_start);
    }
    start();
}

standing::~standing()
{
    arne_world_free(world_);
    arne_work_free(work_);
}

void standing::start()
{
    q_ = where_.q;
    std::fill(qd_.begin(), qd_.end(), 0.0);
    steps_ = 0;
}

void standing::advance()
{
    arne_error   error = {};
    const double sway = stance::sway(step_ * static_cast<double>(steps_));
    for (size_t j = 0; j < joint_q_.size(); j++) {
        const size_t q = static_cast<size_t>(joint_q_[j]), v = static_cast<size_t>(joint_v_[j]);
        tau_[v] = where_.torque(joint_q_[j], sway, q_[q], qd_[v]);
    }
    check(
        arne_world_step(world_, work_, tau_.data(), nullptr, step_, q_.data(), qd_.data(), &error),
        error);
    steps_++;
}

namespace
{

// ns for a step, the best of so many rounds; *contacts: on average.
double our_step_time(const arne_robot *robot, const stance &where, int steps, int rounds,
                     double *contacts)
{
    standing ours(robot, where, step);
    double   best = INFINITY, sum = 0;
    for (int round = 0; round < rounds; round++) {
        ours.start();
        for (int i = 0; i < settling; i++)
            ours.advance();
        sum = 0;
        const double from = cpu_seconds();
        for (int i = 0; i < steps; i++) {
            ours.advance();
            sum += ours.touch_count();
        }
        best = std::min(best, 1e9 * (cpu_seconds() - from) / steps);
    }
    *contacts = sum / steps;
    return best;
}

void print_line(const char *name, const arne_robot *robot, const stance &where, int steps,
                int rounds)
{
    double       contacts = 0;
    const double ours = our_step_time(robot, where, steps, rounds, &contacts);
    std::printf("  %-12s %8.1f %10.0f", name, contacts, ours);
#ifdef ARNE_HAVE_MUJOCO
    const double cone = mujoco_step_time(robot, where, step, steps, {false, 0, 0}, rounds);
    const double pyramid = mujoco_step_time(robot, where, step, steps, {true, 0, 0}, rounds);
    std::printf(" %12.0f %6.2f %12.0f %6.2f", cone, cone / ours, pyramid, pyramid / ours);
#endif
    std::printf("\n");
}

} // namespace

void print_ground(const arne_robot *quadruped, int rounds)
{
    std::printf("\nOn rigid ground, ns for a step of %g ms (MuJoCo's contacts are as its defaults "
                "have them; aim for the quadruped: %g times as long)\n"
                "  %-12s %8s %10s %12s %6s %12s %6s\n",
                1e3 * step, aim, "robot", "contacts", "arne", "mujoco cone", "ratio", "pyramid",
                "ratio");
    print_line("quadruped", quadruped, quadruped_stance(quadruped), 1000, rounds);
    for (int count : {1, 2, 5, 10, 20, 50, 100, 200}) {
        const robot_ptr   balls = make_balls(count);
        const std::string name = std::to_string(count) + (count == 1 ? " ball" : " balls");
        print_line(name.c_str(), balls.get(), balls_stance(balls.get()), 1 + 2000 / count, rounds);
    }
}

} // namespace peers

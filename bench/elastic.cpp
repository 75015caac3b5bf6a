#include "elastic.h"

#include "models.h"

#include <algorithm>
#include <arne/motor.h>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <stdexcept>

namespace peers
{

namespace
{

const int    sizes[] = {10, 100, 1000};
const double direct_aim = 1.5, base_aim = 2.5, body_aim = 1.5;

enum class drive { none, springs, reflected, elastic, rigid, mixed };

using builder_ptr = std::unique_ptr<arne_builder, void (*)(arne_builder *)>;

void check(arne_status status, const arne_error &error)
{
    if (status != ARNE_OK) throw std::runtime_error(error.text);
}

std::string link_name(int i) { return "link" + std::to_string(i); }

int parent_of(int i) { return i % 4 ? i - 1 : i / 2; }

void add_link(arne_builder *builder, int i)
{
    static const arne_vec3 axes[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    const std::string      link = link_name(i), joint = "joint" + std::to_string(i),
                      parent = link_name(parent_of(i));
    const double    inertia[6] = {2e-3, 3e-3, 4e-3, 1e-4, 2e-4, -1e-4};
    arne_error      error = {};
    arne_body_spec  body = arne_body_spec_default();
    arne_joint_spec spec = arne_joint_spec_default();
    body.name = link.c_str();
    body.mass = 1;
    body.com = {0.05, 0.01, 0.02};
    std::copy(inertia, inertia + 6, body.inertia);
    check(arne_builder_add_body(builder, &body, &error), error);
    if (i == 0) return;
    spec.name = joint.c_str();
    spec.parent = parent.c_str();
    spec.child = link.c_str();
    spec.axis = axes[i % 3];
    spec.origin.p = {0.1, 0, 0.02};
    check(arne_builder_add_joint(builder, &spec, &error), error);
}

// A motor sits on the link that its joint stands on or, of mixed drives, also one before that.
void add_drive(arne_builder *builder, int i, drive kind)
{
    const int         before = parent_of(i);
    const std::string joint = "joint" + std::to_string(i),
                      link =
                          link_name(kind == drive::mixed && i % 3 == 0 && before ? parent_of(before)
                                                                                 : before);
    arne_error      error = {};
    arne_motor_spec motor = arne_motor_spec_default();
    motor.joint = joint.c_str();
    motor.link = link.c_str();
    motor.axis = {0, 0.6, 0.8};
    motor.gear = 50;
    motor.inertia = 1e-5;
    motor.reflected = kind == drive::reflected;
    if (kind != drive::rigid && (kind != drive::mixed || i % 2)) motor.stiffness = 500;
    check(arne_builder_add_motor(builder, &motor, &error), error);
}

robot_ptr make_robot(int count, drive kind, arne_base base)
{
    arne_error    error = {};
    arne_builder *builder = nullptr;
    check(arne_builder_new(&builder), error);
    const builder_ptr owner(builder, arne_builder_free);
    for (int i = 0; i <= count; i++)
        add_link(builder, i);
    for (int i = 1; i <= count && kind != drive::none; i++) {
        if (kind != drive::springs) {
            add_drive(builder, i, kind);
        } else if (i % 2) {
            const std::string joint = "joint" + std::to_string(i);
            arne_spring_spec  spring = arne_spring_spec_default();
            spring.joint = joint.c_str();
            spring.stiffness = 20;
            check(arne_builder_add_spring(builder, &spring, &error), error);
        }
    }
    arne_build_options options = {};
    options.base = base;
    return finish_robot(builder, options);
}

// One thing that is timed: a robot with one state, and what is asked of it.
class subject
{
  public:
    subject(int count, drive kind, arne_base base)
        : robot_(make_robot(count, kind, base)), size_(arne_robot_sizes(robot_.get())),
          q(size_.q_count), qd(size_.v_count), qdd(size_.v_count), tau(size_.v_count),
          motor(size_.v_count), again(size_.v_count), given(size_.v_count)
    {
        uint64_t seed = 1;
        if (arne_work_new(robot_.get(), &work_) != ARNE_OK)
            throw std::runtime_error("out of memory");
        arne_random_configuration(robot_.get(), &seed, q.data());
        for (int i = 0; i < size_.v_count; i++) {
            qd[i] = std::sin(3.0 * i);
            qdd[i] = std::cos(5.0 * i);
            tau[i] = motor[i] = std::sin(7.0 * i);
            given[i] = i % 2 != 0;
        }
    }
    ~subject() { arne_work_free(work_); }
    subject(const subject &) = delete;
    subject &operator=(const subject &) = delete;

    arne_status inverse()
    {
        arne_inverse_dynamics(robot_.get(), work_, q.data(), qd.data(), qdd.data(), nullptr,
                              tau.data());
        return ARNE_OK;
    }
    arne_status base_inverse()
    {
        return arne_base_acceleration(robot_.get(), work_, q.data(), qd.data(), nullptr, qdd.data(),
                                      tau.data(), nullptr);
    }
    arne_status direct()
    {
        return arne_forward_dynamics(robot_.get(), work_, q.data(), qd.data(), tau.data(), nullptr,
                                     qdd.data(), nullptr);
    }
    arne_status hybrid()
    {
        return arne_hybrid_dynamics(robot_.get(), work_, q.data(), qd.data(), given.data(), nullptr,
                                    tau.data(), qdd.data(), nullptr);
    }
    arne_status elastic_direct()
    {
        return arne_elastic_forward_dynamics(robot_.get(), work_, q.data(), qd.data(), motor.data(),
                                             nullptr, qdd.data(), nullptr, nullptr);
    }
    arne_status elastic_inverse()
    {
        return arne_elastic_inverse_dynamics(robot_.get(), work_, q.data(), qd.data(), nullptr,
                                             qdd.data(), motor.data(), nullptr, nullptr);
    }

    // How far the motion that was found is from one whose torques are those that were asked for.
    double apart(bool spread)
    {
        double size = 1, off = 0;
        if (spread) arne_motor_spread(robot_.get(), motor.data(), tau.data());
        arne_inverse_dynamics(robot_.get(), work_, q.data(), qd.data(), qdd.data(), nullptr,
                              again.data());
        for (int i = 0; i < size_.v_count; i++) {
            size = std::max(size, std::fabs(tau[i]));
            off = std::max(off, std::fabs(tau[i] - again[i]));
        }
        return off / size;
    }

  private:
    robot_ptr  robot_;
    arne_sizes size_;
    arne_work *work_ = nullptr;

  public:
    std::vector<double>        q, qd, qdd, tau, motor, again;
    std::vector<unsigned char> given;
};

using call = arne_status (subject::*)();

struct line {
    const char *title;
    drive       kind;
    arne_base   base;
    call        what;
    bool        spread; // motor torques, not torques of all coordinates
    double      aim;    // over the reference; 0: this is the reference of the lines below
};

const line lines[] = {
    {"direct dynamics", drive::none, ARNE_BASE_FIXED, &subject::direct, false, 0},
    {"hybrid dynamics, half given", drive::none, ARNE_BASE_FIXED, &subject::hybrid, false,
     direct_aim},
    {"springs: direct", drive::springs, ARNE_BASE_FIXED, &subject::elastic_direct, true,
     direct_aim},
    {"springs: inverse", drive::springs, ARNE_BASE_FIXED, &subject::elastic_inverse, false,
     direct_aim},
    {"elastic, reflected: direct", drive::reflected, ARNE_BASE_FIXED, &subject::elastic_direct,
     true, direct_aim},
    {"elastic, full rotors: direct", drive::elastic, ARNE_BASE_FIXED, &subject::elastic_direct,
     true, direct_aim},
    {"elastic, full rotors: inverse", drive::elastic, ARNE_BASE_FIXED, &subject::elastic_inverse,
     false, direct_aim},
    {"rigid, full rotors: direct", drive::rigid, ARNE_BASE_FIXED, &subject::elastic_direct, true,
     direct_aim},
    {"mixed, on other links: direct", drive::mixed, ARNE_BASE_FIXED, &subject::elastic_direct, true,
     direct_aim},
    {"inverse dynamics", drive::none, ARNE_BASE_FIXED, &subject::inverse, false, 0},
    {"inverse dynamics, free base", drive::none, ARNE_BASE_FREE, &subject::base_inverse, false,
     base_aim},
};
const size_t line_count = std::size(lines), size_count = std::size(sizes);

double seconds(subject &s, call what, int calls)
{
    timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (int i = 0; i < calls; i++)
        if ((s.*what)() != ARNE_OK) throw std::runtime_error("elastic dynamics failed");
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    return static_cast<double>(to.tv_sec - from.tv_sec) +
           1e-9 * static_cast<double>(to.tv_nsec - from.tv_nsec);
}

} // namespace

int print_elastic(effort e)
{
    std::vector<std::unique_ptr<subject>> all;
    std::vector<double>                   best(line_count * size_count, INFINITY);
    int                                   bad = 0;
    for (const line &l : lines)
        for (int size : sizes) {
            all.push_back(std::make_unique<subject>(size, l.kind, l.base));
            if ((all.back().get()->*l.what)() != ARNE_OK)
                throw std::runtime_error("elastic dynamics failed");
            bad += l.what != &subject::elastic_inverse && all.back()->apart(l.spread) > 1e-6;
        }
    for (int round = 0; round < e.rounds; round++)
        for (size_t i = 0; i < all.size(); i++) {
            const line &l = lines[i / size_count];
            const int   calls =
                std::max(1, static_cast<int>(e.round_seconds / 5 * 1e7 / sizes[i % size_count]));
            best[i] = std::min(best[i], 1e9 * seconds(*all[i], l.what, calls) / calls);
        }
    std::printf(
        "\nns per link on trees of 10, 100 and 1000 links, all joints driven; over the line "
        "without a ratio\n");
    size_t reference = 0;
    for (size_t i = 0; i < line_count; i++) {
        const line &l = lines[i];
        double      cost[size_count], ratio = 0, least = INFINITY, most = 0;
        if (l.aim == 0) reference = i;
        for (size_t k = 0; k < size_count; k++) {
            cost[k] = best[i * size_count + k] / sizes[k];
            ratio = std::max(ratio, best[i * size_count + k] / best[reference * size_count + k]);
            least = std::min(least, cost[k]);
            most = std::max(most, cost[k]);
        }
        std::printf("  %-30s %7.1f %7.1f %7.1f   factor %.2f%s", l.title, cost[0], cost[1], cost[2],
                    most / least, most / least > body_aim ? " missed" : "");
        if (l.aim > 0)
            std::printf("   ratio %.2f, aim %.1f%s", ratio, l.aim, ratio > l.aim ? " missed" : "");
        std::printf("\n");
    }
    return bad;
}

} // namespace peers

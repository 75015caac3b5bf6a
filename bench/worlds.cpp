// arne_worlds_bench [WORLDS]: a quadruped that stands and sways on four feet, in many worlds at
// once: steps in a second on one core and on two, rigid and compliant ground, and MuJoCo's default
// solver where it was found. Torques come from the same law, robots are the same, steps are 1 ms.
#include "contact.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

using namespace peers;

namespace
{

const double step = 1e-3, aim = 3;
const int    steps = 200;

class our_worlds
{
  public:
    our_worlds(const arne_robot *robot, const stance &where, int count, int threads, bool rigid)
        : where_(where), count_(static_cast<size_t>(count)), n_(arne_robot_sizes(robot)),
          tau_(count_ * static_cast<size_t>(n_.v_count))
    {
        arne_surrounding         ground = {};
        arne_simulation_spec     spec = {};
        arne_simulations_options o = {};
        arne_error               error = {};
        ground.kind = ARNE_SURROUNDING_GROUND;
        ground.surface.model = rigid ? ARNE_CONTACT_RIGID : ARNE_CONTACT_COMPLIANT;
        ground.surface.friction = ground_friction;
        ground.surface.no_pairs = 1;
        if (!rigid) { // feet sink in by 2 mm and creep by 1 cm/s; five inner steps bear that
            ground.surface.stiffness = 3e5;
            ground.surface.slip_velocity = 0.02;
            spec.integrator.step = step / 5;
        }
        spec.surroundings = &ground;
        spec.surrounding_count = 1;
        spec.integrator.method = ARNE_METHOD_EULER;
        spec.q = where.q.data();
        o.step = step;
        o.threads = threads;
        o.spec = &spec;
        if (arne_simulations_new(robot, count, &o, &worlds_, &error))
            throw std::runtime_error(error.text);
        for (int j = 0; j < n_.joint_count; j++) {
            const arne_joint_info joint = arne_robot_joint(robot, j);
            if (joint.q_count == 1 && joint.v_count == 1) joints_.push_back(joint);
        }
    }
    ~our_worlds() { arne_simulations_free(worlds_); }
    our_worlds(const our_worlds &) = delete;
    our_worlds &operator=(const our_worlds &) = delete;

    void advance()
    {
        const double *q = arne_simulations_q(worlds_), *qd = arne_simulations_qd(worlds_);
        const double  sway = stance::sway(arne_simulations_time(worlds_)[0]);
        arne_error    error = {};
        for (size_t i = 0; i < count_; i++)
            for (const arne_joint_info &j : joints_) {
                const size_t v =
                    i * static_cast<size_t>(n_.v_count) + static_cast<size_t>(j.v_start);
                const size_t at =
                    i * static_cast<size_t>(n_.q_count) + static_cast<size_t>(j.q_start);
                tau_[v] = where_.torque(j.q_start, sway, q[at], qd[v]);
            }
        if (arne_simulations_step(worlds_, tau_.data(), 1, &error))
            throw std::runtime_error(error.text);
    }
    double height() const { return arne_simulations_q(worlds_)[2]; }

  private:
    stance                       where_;
    size_t                       count_;
    arne_sizes                   n_;
    std::vector<double>          tau_;
    std::vector<arne_joint_info> joints_;
    arne_simulations            *worlds_ = nullptr;
};

double our_rate(const arne_robot *robot, const stance &where, int count, int threads, bool rigid)
{
    our_worlds worlds(robot, where, count, threads, rigid);
    for (int i = 0; i < settling; i++)
        worlds.advance();
    const double seconds = wall_seconds([&] {
        for (int i = 0; i < steps; i++)
            worlds.advance();
    });
    if (!(worlds.height() > 0.8 * where.q[2])) throw std::runtime_error("the quadruped has fallen");
    return count * steps / seconds;
}

} // namespace

int main(int argc, char **argv)
{
    const int count = argc > 1 ? std::atoi(argv[1]) : 64;
    if (count < 1) {
        std::fputs("usage: arne_worlds_bench [WORLDS]\n", stderr);
        return 2;
    }
    try {
        const robot_ptr robot =
            read_robot(find_robot_file(ARNE_ROBOTS_DIR, "quadruped"), plain_options());
        const stance where = quadruped_stance(robot.get());
        std::printf(
            "%d quadrupeds on four feet, steps of %g ms in a second (aim: %g times MuJoCo)\n"
            "  %7s %12s %6s %12s %6s %12s\n",
            count, 1e3 * step, aim, "threads", "rigid", "ratio", "compliant", "ratio", "mujoco");
        for (int threads = 1; threads <= 2; threads++) {
            const double rigid = our_rate(robot.get(), where, count, threads, true);
            const double soft = our_rate(robot.get(), where, count, threads, false);
#ifdef ARNE_HAVE_MUJOCO
            const double theirs =
                mujoco_worlds_rate(robot.get(), where, step, count, threads, steps);
#else
            const double theirs = NAN;
#endif
            std::printf("  %7d %12.0f %6.2f %12.0f %6.2f %12.0f\n", threads, rigid, rigid / theirs,
                        soft, soft / theirs, theirs);
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "arne_worlds_bench: %s\n", error.what());
        return 1;
    }
    return 0;
}

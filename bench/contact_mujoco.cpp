#include "contact.h"

#include "mjcf.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <list>
#include <memory>
#include <stdexcept>
#include <thread>

namespace peers
{
namespace
{

// MuJoCo's copy of a robot on the ground, under the same torques.
class mujoco_robot
{
  public:
    mujoco_robot(const arne_robot *robot, const stance &where, double step,
                 const mujoco_ground &how)
        : tree_(make_tree(robot, false)), where_(where),
          m_(mjcf_model(tree_, ground_friction), mj_deleteModel)
    {
        make_data();
        m_->opt.integrator = mjINT_EULER;
        m_->opt.timestep = step;
        m_->opt.cone = how.pyramid ? mjCONE_PYRAMIDAL : mjCONE_ELLIPTIC;
        if (how.stiffness > 0) stiffen(how);
        start();
    }
    // Another one of the same model.
    mujoco_robot(const mujoco_robot &other) : tree_(other.tree_), where_(other.where_), m_(other.m_)
    {
        make_data();
        start();
    }
    mujoco_robot &operator=(const mujoco_robot &) = delete;
    void          start()
    {
        mj_resetData(m_.get(), d_.get());
        const std::vector<double> q = tree_position(tree_, where_.q.data());
        std::vector<double>       at(q);
        for (const tree_source &s : tree_.sources) // its quaternions begin with the scalar
            if (s.kind == ARNE_JOINT_FREE && s.native_free) {
                double *u = &at[static_cast<size_t>(s.tree_q) + 3];
                std::rotate(u, u + 3, u + 4);
            }
        std::memcpy(d_->qpos, at.data(), sizeof(double) * at.size());
        steps_ = 0;
    }
    void advance()
    {
        const double sway = stance::sway(m_->opt.timestep * static_cast<double>(steps_));
        for (const tree_source &s : tree_.sources)
            if (s.kind == ARNE_JOINT_REVOLUTE || s.kind == ARNE_JOINT_CONTINUOUS)
                d_->qfrc_applied[s.tree_v] =
                    where_.torque(s.q, sway, d_->qpos[s.tree_q], d_->qvel[s.tree_v]);
        mj_step(m_.get(), d_.get());
        steps_++;
    }
    std::vector<double> q() const { return {d_->qpos, d_->qpos + m_->nq}; }

  private:
    void make_data()
    {
        d_.reset(mj_makeData(m_.get()));
        if (!d_) throw std::runtime_error("no memory for MuJoCo's data");
    }
    // Stiffness and critical damping of their own, and constraints that are kept all but for a
    // part.
    void stiffen(const mujoco_ground &how)
    {
        for (int i = 0; i < m_->ngeom; i++) {
            mjtNum *ref = m_->geom_solref + mjNREF * i, *imp = m_->geom_solimp + mjNIMP * i;
            ref[0] = -how.stiffness;
            ref[1] = -2 * std::sqrt(how.stiffness);
            imp[0] = imp[1] = 1 - how.softness;
        }
        m_->opt.iterations = 200;
        m_->opt.tolerance = 1e-14;
    }

    struct data_free {
        void operator()(mjData *d) const { mj_deleteData(d); }
    };
    tree                               tree_;
    stance                             where_;
    std::shared_ptr<mjModel>           m_;
    std::unique_ptr<mjData, data_free> d_;
    long                               steps_ = 0;
};

double cpu_seconds()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

} // namespace

double mujoco_step_time(const arne_robot *robot, const stance &where, double step, int steps,
                        const mujoco_ground &how, int rounds)
{
    mujoco_robot theirs(robot, where, step, how);
    double       best = INFINITY;
    for (int round = 0; round < rounds; round++) {
        theirs.start();
        for (int i = 0; i < settling; i++)
            theirs.advance();
        const double from = cpu_seconds();
        for (int i = 0; i < steps; i++)
            theirs.advance();
        best = std::min(best, 1e9 * (cpu_seconds() - from) / steps);
    }
    return best;
}

std::vector<double> mujoco_after(const arne_robot *robot, const stance &where, double step,
                                 int steps, const mujoco_ground &how)
{
    mujoco_robot theirs(robot, where, step, how);
    for (int i = 0; i < steps; i++)
        theirs.advance();
    return theirs.q();
}

double mujoco_worlds_rate(const arne_robot *robot, const stance &where, double step, int worlds,
                          int threads, int steps)
{
    const mujoco_robot      first(robot, where, step, {true, 0, 0});
    std::list<mujoco_robot> all;
    for (int i = 0; i < worlds; i++)
        all.emplace_back(first);
    const auto advance = [&](int count) {
        std::vector<std::thread> helpers;
        const auto               work = [&](int number) {
            int i = 0;
            for (mujoco_robot &one : all)
                if (i++ % threads == number)
                    for (int k = 0; k < count; k++)
                        one.advance();
        };
        for (int t = 1; t < threads; t++)
            helpers.emplace_back(work, t);
        work(0);
        for (std::thread &helper : helpers)
            helper.join();
    };
    advance(settling);
    return worlds * steps / wall_seconds([&] { advance(steps); });
}

} // namespace peers

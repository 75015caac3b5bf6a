#include "simulate.h"

#include "mjcf.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <stdexcept>

namespace peers
{
namespace
{

const double step = 1e-3;
const int    samples = 2000;
const double aim = 3;

void check(arne_status status, const arne_error &error)
{
    if (status != ARNE_OK) throw std::runtime_error(error.text);
}

double now()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Controller, reference and integrator of one arm. The arm starts off the reference.
class loop
{
  public:
    explicit loop(const arne_robot *robot) : robot_(robot), nv_(arne_robot_sizes(robot).v_count)
    {
        const size_t        n = static_cast<size_t>(nv_);
        const double        frequency = 2;
        std::vector<double> offset(n, 0), amplitude(n), phase(n), kp(n, 400), kd(n, 40);
        arne_error          error = {};
        for (size_t i = 0; i < n; i++) {
            amplitude[i] = 0.3 + 0.1 * static_cast<double>(i % 3);
            phase[i] = 0.5 * static_cast<double>(i);
        }
        tau_.resize(n);
        reference_.resize(3 * n);
        start_.resize(n, 0.1);
        check(arne_work_new(robot, &work_), error);
        check(arne_trajectory_sinusoid(robot, offset.data(), 1, &frequency, amplitude.data(),
                                       phase.data(), &path_, &error),
              error);
        check(arne_controller_computed_torque(robot, kp.data(), kd.data(), &controller_, &error),
              error);
        const std::vector<double> infinite(n, INFINITY);
        const arne_control_limits none = {infinite.data(), nullptr};
        check(arne_controller_set_limits(controller_, &none, &error), error);
        arne_system system = {};
        system.robot = robot;
        system.context = this;
        system.rate = rate;
        arne_integrator_options options = {};
        options.method = ARNE_METHOD_RK4;
        options.step = step;
        check(arne_integrator_new(&system, &options, &it_, &error), error);
    }
    ~loop()
    {
        arne_integrator_free(it_);
        arne_controller_free(controller_);
        arne_trajectory_free(path_);
        arne_work_free(work_);
    }
    loop(const loop &) = delete;
    loop &operator=(const loop &) = delete;

    // The torques at a state.
    const double *control(double t, const double *q, const double *qd)
    {
        double *r = reference_.data();
        arne_trajectory_evaluate(path_, t, r, r + nv_, r + 2 * nv_, nullptr, nullptr);
        const arne_control_input input = {t, q, qd, r, r + nv_, r + 2 * nv_, nullptr, nullptr};
        arne_error               error = {};
        check(arne_control(controller_, &input, tau_.data(), &error), error);
        return tau_.data();
    }

    // The whole motion; where out is not NULL it takes q after each step.
    void run(double *out)
    {
        const std::vector<double> still(static_cast<size_t>(nv_), 0);
        arne_error                error = {};
        check(arne_integrator_start(it_, 0, start_.data(), still.data(), nullptr, &error), error);
        for (int k = 0; k < samples; k++) {
            control(k * step, arne_integrator_q(it_), arne_integrator_qd(it_));
            check(arne_integrator_advance(it_, (k + 1) * step, nullptr, &error), error);
            if (out)
                std::memcpy(out + k * nv_, arne_integrator_q(it_),
                            sizeof(double) * static_cast<size_t>(nv_));
        }
    }
    const double *start() const { return start_.data(); }

  private:
    static arne_status rate(void *context, double, const double *q, const double *qd,
                            const double *, double *qdd, double *, arne_error *error)
    {
        loop *self = static_cast<loop *>(context);
        return arne_forward_dynamics(self->robot_, self->work_, q, qd, self->tau_.data(), nullptr,
                                     qdd, error);
    }

    const arne_robot   *robot_;
    int                 nv_;
    arne_work          *work_ = nullptr;
    arne_trajectory    *path_ = nullptr;
    arne_controller    *controller_ = nullptr;
    arne_integrator    *it_ = nullptr;
    std::vector<double> tau_, reference_, start_;
};

class mujoco_arm
{
  public:
    explicit mujoco_arm(const arne_robot *robot)
        : m_(mjcf_model(make_tree(robot, false)), mj_deleteModel)
    {
        d_.reset(mj_makeData(m_.get()));
        if (!d_) throw std::runtime_error("no memory for MuJoCo's data");
        m_->opt.integrator = mjINT_RK4;
        m_->opt.timestep = step;
    }
    void start(const double *q)
    {
        mj_resetData(m_.get(), d_.get());
        std::memcpy(d_->qpos, q, sizeof(double) * static_cast<size_t>(m_->nq));
    }
    void advance(const double *tau)
    {
        std::memcpy(d_->qfrc_applied, tau, sizeof(double) * static_cast<size_t>(m_->nv));
        mj_step(m_.get(), d_.get());
    }
    const double *q() const { return d_->qpos; }
    const double *qd() const { return d_->qvel; }

  private:
    struct data_free {
        void operator()(mjData *d) const { mj_deleteData(d); }
    };
    std::unique_ptr<mjModel, void (*)(mjModel *)> m_;
    std::unique_ptr<mjData, data_free>            d_;
};

} // namespace

simulation_figures simulate_beside_mujoco(const arne_robot *robot, int rounds)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    const size_t     n = static_cast<size_t>(sizes.v_count);
    if (sizes.q_count != sizes.v_count || sizes.joint_count != sizes.v_count)
        throw std::runtime_error("only arms of simple joints are simulated beside MuJoCo");
    loop                ours(robot);
    mujoco_arm          theirs(robot);
    std::vector<double> path(n * samples), torques(n * samples);
    simulation_figures  f = {INFINITY, INFINITY, 0};

    // Under the same controller, closed over each simulation's own state.
    ours.run(path.data());
    theirs.start(ours.start());
    for (size_t k = 0; k < samples; k++) {
        const double *tau = ours.control(static_cast<double>(k) * step, theirs.q(), theirs.qd());
        std::copy(tau, tau + n, torques.data() + k * n);
        theirs.advance(tau);
        for (size_t i = 0; i < n; i++)
            f.apart = std::max(f.apart, std::fabs(theirs.q()[i] - path[k * n + i]));
    }
    // Theirs again with these torques, so that only the steps are timed.
    for (int round = 0; round < rounds; round++) {
        const double begin = now();
        ours.run(nullptr);
        const double middle = now();
        theirs.start(ours.start());
        for (size_t k = 0; k < samples; k++)
            theirs.advance(torques.data() + k * n);
        f.ours = std::min(f.ours, 1e9 * (middle - begin) / samples);
        f.theirs = std::min(f.theirs, 1e9 * (now() - middle) / samples);
    }
    return f;
}

void print_simulation(const arne_robot *robot, const char *name, int rounds)
{
    const simulation_figures f = simulate_beside_mujoco(robot, rounds);
    std::printf("\n%s under computed torque, a millisecond by RK4: %.4g ns, control included; "
                "MuJoCo's step %.4g ns, %.2f times as long (aim: %g); %.0e rad apart after 2 s\n",
                name, f.ours, f.theirs, f.theirs / f.ours, aim, f.apart);
}

} // namespace peers

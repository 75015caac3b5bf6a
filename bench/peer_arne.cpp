// Ours, behind the same face as the others. No other peer is called with less ceremony.
#include "peer.h"

#include <stdexcept>

namespace peers
{
namespace
{

// Larger robots have regressors of hundreds of megabytes.
const int most_regressed = 300;

class arne_peer : public peer
{
  public:
    explicit arne_peer(const problem &p)
        : p_(p), robot_(p.robot), n_(arne_robot_sizes(p.robot)),
          tip_(p.model.bodies[p.model.tip].frame), tau_(n_.v_count), qdd_(n_.v_count),
          along_q_(n_.v_count), along_qd_(n_.v_count), along_qdd_(n_.v_count), matrix_(square()),
          dq_(square()), dqd_(square()), dqdd_(square()),
          jacobian_(static_cast<size_t>(6) * n_.v_count)
    {
        if (arne_work_new(robot_, &work_) != ARNE_OK)
            throw std::runtime_error("no memory for a workspace");
        // Where the tip cannot move in six ways, there is nothing to time but the failure.
        operational(p.states[0]);
        six_ways_ = status_ == ARNE_OK;
        second(p.states[0]);
        one_coordinate_ = status_ == ARNE_OK;
    }
    ~arne_peer() override { arne_work_free(work_); }
    arne_peer(const arne_peer &) = delete;
    arne_peer &operator=(const arne_peer &) = delete;

    const char *name() const override { return "arne"; }
    support     offers(algorithm a) const override
    {
        const bool missing = (a == algorithm::operational_inertia && !six_ways_) ||
                             (a == algorithm::regressor && n_.v_count > most_regressed) ||
                             (a == algorithm::second_derivatives && !one_coordinate_);
        return missing ? support::none : support::full;
    }

    void run(algorithm a, int count) override
    {
        switch (a) {
        case algorithm::pose:
            return each(count, [this](const state &s) { pose(s); });
        case algorithm::velocity:
            return each(count, [this](const state &s) { velocity(s); });
        case algorithm::acceleration:
            return each(count, [this](const state &s) { acceleration(s); });
        case algorithm::jacobian:
            return each(count, [this](const state &s) { jacobian(s); });
        case algorithm::com:
            return each(count, [this](const state &s) { com(s); });
        case algorithm::energy:
            return each(count, [this](const state &s) { energy(s); });
        case algorithm::momentum:
            return each(count, [this](const state &s) { momentum(s); });
        case algorithm::inverse_dynamics:
            return each(count, [this](const state &s) { inverse(s); });
        case algorithm::gravity:
            return each(count, [this](const state &s) { gravity(s); });
        case algorithm::bias:
            return each(count, [this](const state &s) { bias(s); });
        case algorithm::coriolis_matrix:
            return each(count, [this](const state &s) { coriolis(s); });
        case algorithm::mass_matrix:
            return each(count, [this](const state &s) { mass(s); });
        case algorithm::inverse_mass_matrix:
            return each(count, [this](const state &s) { inverse_mass(s); });
        case algorithm::centroidal_matrix:
            return each(count, [this](const state &s) { centroidal(s); });
        case algorithm::regressor:
            return each(count, [this](const state &s) { regress(s); });
        case algorithm::operational_inertia:
            return each(count, [this](const state &s) { operational(s); });
        case algorithm::forward_dynamics:
            return each(count, [this](const state &s) { forward(s); });
        case algorithm::inverse_dynamics_derivatives:
            return each(count, [this](const state &s) { inverse_derivatives(s); });
        case algorithm::forward_dynamics_derivatives:
            return each(count, [this](const state &s) { forward_derivatives(s); });
        case algorithm::inverse_dynamics_along:
            return each(count, [this](const state &s) { along(s); });
        case algorithm::inverse_dynamics_against:
            return each(count, [this](const state &s) { against(s); });
        case algorithm::torque_rate:
            return each(count, [this](const state &s) { rate(s); });
        case algorithm::second_derivatives:
            return each(count, [this](const state &s) { second(s); });
        }
    }

    std::vector<double> result(algorithm a, int state) override;

  private:
    template <class Call> void each(int count, Call call)
    {
        in_turn(count, p_.states.size(), [&](size_t s) { call(p_.states[s]); });
    }

    void pose(const state &s) { arne_kinematics(robot_, work_, s.q.data(), nullptr, nullptr); }
    void velocity(const state &s)
    {
        arne_kinematics(robot_, work_, s.q.data(), s.qd.data(), nullptr);
    }
    void acceleration(const state &s)
    {
        arne_kinematics(robot_, work_, s.q.data(), s.qd.data(), s.qdd.data());
    }
    void jacobian(const state &s)
    {
        arne_jacobian(robot_, work_, s.q.data(), tip_, ARNE_AXES_ALIGNED, jacobian_.data());
    }
    void com(const state &s)
    {
        arne_center_of_mass(robot_, work_, s.q.data(), nullptr, &com_, nullptr);
    }
    void energy(const state &s)
    {
        arne_energy(robot_, work_, s.q.data(), s.qd.data(), &kinetic_, &potential_);
    }
    void momentum(const state &s)
    {
        arne_momentum(robot_, work_, s.q.data(), s.qd.data(), &momentum_);
    }
    void inverse(const state &s)
    {
        arne_inverse_dynamics(robot_, work_, s.q.data(), s.qd.data(), s.qdd.data(), nullptr,
                              tau_.data());
    }
    void gravity(const state &s) { arne_gravity(robot_, work_, s.q.data(), tau_.data()); }
    void bias(const state &s)
    {
        arne_bias(robot_, work_, s.q.data(), s.qd.data(), nullptr, tau_.data());
    }
    void coriolis(const state &s)
    {
        arne_coriolis_matrix(robot_, work_, s.q.data(), s.qd.data(), matrix_.data());
    }
    void mass(const state &s) { arne_mass_matrix(robot_, work_, s.q.data(), matrix_.data()); }
    void inverse_mass(const state &s)
    {
        status_ = arne_inverse_mass_matrix(robot_, work_, s.q.data(), matrix_.data(), nullptr);
    }
    void centroidal(const state &s)
    {
        arne_centroidal_matrix(robot_, work_, s.q.data(), jacobian_.data());
    }
    void regress(const state &s)
    {
        regressor_.resize(static_cast<size_t>(n_.v_count) * arne_parameter_count(robot_));
        arne_regressor(robot_, work_, s.q.data(), s.qd.data(), s.qdd.data(), regressor_.data());
    }
    void operational(const state &s)
    {
        status_ = arne_operational_inertia(robot_, work_, s.q.data(), tip_, ARNE_AXES_ALIGNED,
                                           lambda_.data(), nullptr);
    }
    void forward(const state &s)
    {
        status_ = arne_forward_dynamics(robot_, work_, s.q.data(), s.qd.data(), s.tau.data(),
                                        nullptr, tau_.data(), nullptr);
    }
    void inverse_derivatives(const state &s)
    {
        arne_inverse_dynamics_derivatives(robot_, work_, s.q.data(), s.qd.data(), s.qdd.data(),
                                          nullptr, 0, dq_.data(), dqd_.data(), dqdd_.data());
    }
    void forward_derivatives(const state &s)
    {
        status_ = arne_forward_dynamics_derivatives(robot_, work_, s.q.data(), s.qd.data(),
                                                    s.tau.data(), nullptr, 0, qdd_.data(),
                                                    dq_.data(), dqd_.data(), dqdd_.data(), nullptr);
    }
    void along(const state &s)
    {
        arne_inverse_dynamics_along(robot_, work_, s.q.data(), s.qd.data(), s.qdd.data(), nullptr,
                                    0, s.qd.data(), s.qdd.data(), s.tau.data(), tau_.data());
    }
    void against(const state &s)
    {
        arne_inverse_dynamics_against(robot_, work_, s.q.data(), s.qd.data(), s.qdd.data(), nullptr,
                                      0, s.tau.data(), along_q_.data(), along_qd_.data(),
                                      along_qdd_.data());
    }
    void rate(const state &s)
    {
        arne_torque_rate(robot_, work_, s.q.data(), s.qd.data(), s.qdd.data(), s.tau.data(),
                         nullptr, 0, tau_.data(), qdd_.data());
    }
    void second(const state &s)
    {
        status_ = arne_second_derivatives(robot_, work_, s.q.data(), s.qd.data(), s.qdd.data(),
                                          nullptr, 0, s.tau.data(), matrix_.data(), dq_.data(),
                                          dqd_.data(), dqdd_.data(), nullptr);
    }

    size_t              square() const { return static_cast<size_t>(n_.v_count) * n_.v_count; }
    std::vector<double> poses() const;
    std::vector<double> derivative(algorithm a, const state &s);

    const problem      &p_;
    const arne_robot   *robot_;
    arne_work          *work_ = nullptr;
    arne_sizes          n_;
    int                 tip_;
    std::vector<double> tau_, qdd_, along_q_, along_qd_, along_qdd_;
    std::vector<double> regressor_, matrix_, dq_, dqd_, dqdd_, jacobian_,
        lambda_ = std::vector<double>(36);
    arne_vec3   com_ = {};
    arne_wrench momentum_ = {};
    double      kinetic_ = 0, potential_ = 0;
    arne_status status_ = ARNE_OK;
    bool        six_ways_ = false, one_coordinate_ = false;
};

std::vector<double> arne_peer::poses() const
{
    std::vector<double> out;
    for (const tree_body &body : p_.model.bodies) {
        const arne_pose  X = arne_frame_pose(robot_, work_, body.frame);
        const arne_mat3 &R = X.R;
        out.insert(out.end(), {X.p.x, X.p.y, X.p.z, R.x.x, R.y.x, R.z.x, R.x.y, R.y.y, R.z.y, R.x.z,
                               R.y.z, R.z.z});
    }
    return out;
}

std::vector<double> joined(std::initializer_list<const std::vector<double> *> parts)
{
    std::vector<double> out;
    for (const std::vector<double> *part : parts)
        out.insert(out.end(), part->begin(), part->end());
    return out;
}

// A failure is an empty answer, which agrees with nothing.
std::vector<double> arne_peer::derivative(algorithm a, const state &s)
{
    switch (a) {
    case algorithm::inverse_dynamics_derivatives:
        inverse_derivatives(s);
        return joined({&dq_, &dqd_, &dqdd_});
    case algorithm::forward_dynamics_derivatives:
        forward_derivatives(s);
        if (status_ != ARNE_OK) return {};
        return joined({&dq_, &dqd_, &dqdd_});
    case algorithm::inverse_dynamics_along:
        along(s);
        return tau_;
    case algorithm::inverse_dynamics_against:
        against(s);
        return joined({&along_q_, &along_qd_, &along_qdd_});
    case algorithm::torque_rate:
        rate(s);
        return joined({&tau_, &qdd_});
    case algorithm::second_derivatives:
        second(s);
        if (status_ != ARNE_OK) return {};
        return joined({&matrix_, &dq_, &dqd_, &dqdd_});
    default:
        return {};
    }
}

std::vector<double> arne_peer::result(algorithm a, int index)
{
    const state &s = p_.states[index];
    status_ = ARNE_OK;
    switch (a) {
    case algorithm::pose:
        pose(s);
        return poses();
    case algorithm::velocity: {
        velocity(s);
        const arne_motion v = arne_frame_velocity(robot_, work_, tip_, ARNE_AXES_ALIGNED);
        return {v.lin.x, v.lin.y, v.lin.z, v.ang.x, v.ang.y, v.ang.z};
    }
    case algorithm::acceleration: {
        acceleration(s);
        const arne_motion v = arne_frame_acceleration(robot_, work_, tip_, ARNE_AXES_ALIGNED,
                                                      ARNE_ACCELERATION_CLASSICAL);
        return {v.lin.x, v.lin.y, v.lin.z, v.ang.x, v.ang.y, v.ang.z};
    }
    case algorithm::jacobian:
        jacobian(s);
        return jacobian_;
    case algorithm::centroidal_matrix:
        centroidal(s);
        return jacobian_;
    case algorithm::regressor:
        regress(s);
        return regressor_;
    case algorithm::com:
        com(s);
        return {com_.x, com_.y, com_.z};
    case algorithm::energy:
        energy(s);
        return {kinetic_, potential_};
    case algorithm::momentum:
        momentum(s);
        return {momentum_.lin.x, momentum_.lin.y, momentum_.lin.z,
                momentum_.ang.x, momentum_.ang.y, momentum_.ang.z};
    case algorithm::inverse_dynamics:
        inverse(s);
        return tau_;
    case algorithm::gravity:
        gravity(s);
        return tau_;
    case algorithm::bias:
        bias(s);
        return tau_;
    case algorithm::coriolis_matrix: {
        coriolis(s);
        std::vector<double> c(n_.v_count);
        for (int i = 0; i < n_.v_count; i++)
            for (int k = 0; k < n_.v_count; k++)
                c[i] += matrix_[i * n_.v_count + k] * s.qd[k];
        return c;
    }
    case algorithm::mass_matrix:
        mass(s);
        return matrix_;
    case algorithm::inverse_mass_matrix:
        inverse_mass(s);
        break;
    case algorithm::operational_inertia:
        operational(s);
        break;
    case algorithm::forward_dynamics:
        forward(s);
        break;
    default:
        return derivative(a, s);
    }
    if (status_ != ARNE_OK) return {};
    return a == algorithm::forward_dynamics      ? tau_
           : a == algorithm::operational_inertia ? lambda_
                                                 : matrix_;
}

} // namespace

peer_ptr make_arne(const problem &p) { return peer_ptr(new arne_peer(p)); }

} // namespace peers

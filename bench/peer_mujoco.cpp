// MuJoCo, by the functions that mj_inverse and mj_forward are made of, without contacts, limits and
// sensors: the least that gives each quantity.
//
// MuJoCo numbers bodies depth first, writes quaternions w first, and the linear velocity of a free
// joint in world axes; the angular one is in the body's axes, as ours.
#include "peer.h"

#include "mjcf.h"
#include <cstring>
#include <stdexcept>

namespace peers
{
namespace
{

struct mujoco_state {
    std::vector<double> qpos, qvel, qacc, tau;
};

class mujoco_peer : public peer
{
  public:
    explicit mujoco_peer(const problem &p) : p_(p), m_(mjcf_model(p.model), mj_deleteModel)
    {
        d_.reset(mj_makeData(m_.get()));
        if (!d_) throw std::runtime_error("no memory for MuJoCo's data");
        number_joints();
        const size_t n = static_cast<size_t>(m_->nv);
        tau_.resize(n);
        matrix_.resize(n * n);
        unit_.resize(n * n);
        jacobian_.resize(6 * n);
        for (size_t i = 0; i < n; i++)
            unit_[i * n + i] = 1;
        for (size_t i = 0; i < p.states.size(); i++)
            add_state(p.states[i]);
        const std::string tip = "b" + std::to_string(p.model.tip);
        tip_ = mj_name2id(m_.get(), mjOBJ_BODY, tip.c_str());
    }

    const char *name() const override { return "mujoco"; }

    support offers(algorithm a) const override
    {
        if (is_derivative(a)) return support::none; // its own are by finite differences
        switch (a) {
        case algorithm::acceleration:
        case algorithm::coriolis_matrix:
            return support::by_hand;
        case algorithm::operational_inertia:
        case algorithm::centroidal_matrix: // not written here
        case algorithm::regressor:
            return support::none;
        case algorithm::inverse_mass_matrix:
        case algorithm::forward_dynamics:
            return p_.model.same_freedoms() ? support::full : support::none;
        default:
            return support::full;
        }
    }

    void run(algorithm a, int count) override
    {
        if (a == algorithm::gravity) stop();
        switch (a) {
        case algorithm::pose:
            return each(count, [this](mujoco_state &s) { pose(s); });
        case algorithm::velocity:
            return each(count, [this](mujoco_state &s) { velocity(s); });
        case algorithm::jacobian:
            return each(count, [this](mujoco_state &s) { jacobian(s); });
        case algorithm::com:
            return each(count, [this](mujoco_state &s) { position(s); });
        case algorithm::energy:
            return each(count, [this](mujoco_state &s) { energy(s); });
        case algorithm::momentum:
            return each(count, [this](mujoco_state &s) { momentum(s); });
        case algorithm::inverse_dynamics:
            return each(count, [this](mujoco_state &s) { inverse(s); });
        case algorithm::gravity:
            return each(count, [this](mujoco_state &s) { gravity(s); });
        case algorithm::bias:
            return each(count, [this](mujoco_state &s) { bias(s); });
        case algorithm::mass_matrix:
            return each(count, [this](mujoco_state &s) { mass(s); });
        case algorithm::inverse_mass_matrix:
            return each(count, [this](mujoco_state &s) { inverse_mass(s); });
        case algorithm::forward_dynamics:
            return each(count, [this](mujoco_state &s) { forward(s); });
        default:
            return;
        }
    }

    std::vector<double> result(algorithm a, int index) override;

  private:
    template <class Call> void each(int count, Call call)
    {
        in_turn(count, states_.size(), [&](size_t s) { call(states_[s]); });
    }

    // --- What is timed ---

    void pose(const mujoco_state &s)
    {
        std::memcpy(d_->qpos, s.qpos.data(), s.qpos.size() * sizeof(double));
        mj_kinematics(m_.get(), d_.get());
    }
    void position(const mujoco_state &s)
    {
        pose(s);
        mj_comPos(m_.get(), d_.get());
    }
    void velocity(const mujoco_state &s)
    {
        position(s);
        std::memcpy(d_->qvel, s.qvel.data(), s.qvel.size() * sizeof(double));
        mj_comVel(m_.get(), d_.get());
    }
    void jacobian(const mujoco_state &s)
    {
        position(s);
        mj_jacBody(m_.get(), d_.get(), jacobian_.data(), jacobian_.data() + 3 * m_->nv, tip_);
    }
    void energy(const mujoco_state &s)
    {
        position(s);
        std::memcpy(d_->qvel, s.qvel.data(), s.qvel.size() * sizeof(double));
        mj_crb(m_.get(), d_.get());
        mj_energyPos(m_.get(), d_.get());
        mj_energyVel(m_.get(), d_.get());
    }
    void momentum(const mujoco_state &s)
    {
        velocity(s);
        mj_subtreeVel(m_.get(), d_.get());
    }
    void inverse(const mujoco_state &s)
    {
        velocity(s);
        std::memcpy(d_->qacc, s.qacc.data(), s.qacc.size() * sizeof(double));
        mj_rne(m_.get(), d_.get(), 1, tau_.data());
    }
    void bias(const mujoco_state &s)
    {
        velocity(s);
        mj_rne(m_.get(), d_.get(), 0, tau_.data());
    }
    // After stop(): the body velocities of a robot at rest do not depend on q.
    void gravity(const mujoco_state &s)
    {
        position(s);
        mj_rne(m_.get(), d_.get(), 0, tau_.data());
    }
    void mass(const mujoco_state &s)
    {
        position(s);
        mj_crb(m_.get(), d_.get());
        mj_fullM(m_.get(), matrix_.data(), d_->qM);
    }
    void inverse_mass(const mujoco_state &s)
    {
        position(s);
        mj_crb(m_.get(), d_.get());
        mj_factorM(m_.get(), d_.get());
        mj_solveM(m_.get(), d_.get(), matrix_.data(), unit_.data(), m_->nv);
    }
    void forward(const mujoco_state &s)
    {
        velocity(s);
        mj_crb(m_.get(), d_.get());
        mj_factorM(m_.get(), d_.get());
        mj_rne(m_.get(), d_.get(), 0, tau_.data());
        for (size_t i = 0; i < tau_.size(); i++)
            tau_[i] = s.tau[i] - tau_[i];
        mj_solveM(m_.get(), d_.get(), tau_.data(), tau_.data(), 1);
    }

    void stop()
    {
        std::memset(d_->qvel, 0, static_cast<size_t>(m_->nv) * sizeof(double));
        mj_kinematics(m_.get(), d_.get());
        mj_comPos(m_.get(), d_.get());
        mj_comVel(m_.get(), d_.get());
    }

    // --- Translation ---

    void number_joints()
    {
        for (size_t i = 0; i < p_.model.bodies.size(); i++) {
            const std::string body = "b" + std::to_string(i);
            bodies_.push_back(mj_name2id(m_.get(), mjOBJ_BODY, body.c_str()));
            for (size_t k = 0; k < p_.model.bodies[i].joints.size(); k++) {
                const std::string joint = body + "." + std::to_string(k);
                joints_.push_back(mj_name2id(m_.get(), mjOBJ_JOINT, joint.c_str()));
            }
        }
        size_t next = 0;
        for (const tree_body &b : p_.model.bodies)
            for (const tree_joint &j : b.joints) {
                const int count = j.type == joint_type::free   ? 6
                                  : j.type == joint_type::ball ? 3
                                                               : 1;
                for (int k = 0; k < count; k++)
                    dof_.push_back(m_->jnt_dofadr[joints_[next]] + k);
                next++;
            }
    }

    void add_state(const state &s)
    {
        const velocity_map B(p_.model, s.q.data(), s.qd.data(), free_axes::world);
        states_.push_back({positions(tree_position(p_.model, s.q.data())),
                           ordered(B.velocity(s.qd.data())), ordered(B.acceleration(s.qdd.data())),
                           ordered(B.velocity(s.tau.data()))});
    }

    std::vector<double> positions(const std::vector<double> &q) const
    {
        std::vector<double> out(m_->nq);
        size_t              next = 0;
        for (const tree_body &b : p_.model.bodies)
            for (const tree_joint &j : b.joints) {
                double       *to = &out[m_->jnt_qposadr[joints_[next++]]];
                const double *from = &q[j.q];
                if (j.type == joint_type::free)
                    for (int k = 0; k < 3; k++)
                        *to++ = *from++;
                if (j.type == joint_type::free || j.type == joint_type::ball) *to++ = from[3];
                const int left = j.type == joint_type::hinge || j.type == joint_type::slide ? 1 : 3;
                for (int k = 0; k < left; k++)
                    to[k] = from[k];
            }
        return out;
    }

    // From the tree's order to MuJoCo's, and back.
    std::vector<double> ordered(const std::vector<double> &v) const
    {
        std::vector<double> out(v.size());
        for (size_t i = 0; i < v.size(); i++)
            out[dof_[i]] = v[i];
        return out;
    }
    std::vector<double> tree_ordered(const double *v) const
    {
        std::vector<double> out;
        for (int dof : dof_)
            out.push_back(v[dof]);
        return out;
    }
    std::vector<double> tree_ordered(const std::vector<double> &rows, int row_count) const
    {
        std::vector<double> out;
        for (int i = 0; i < row_count; i++)
            for (int dof : dof_)
                out.push_back(rows[i * m_->nv + dof]);
        return out;
    }
    std::vector<double> matrix(const velocity_map &B) const
    {
        std::vector<double> M;
        for (int row : dof_)
            for (int column : dof_)
                M.push_back(matrix_[row * m_->nv + column]);
        return B.matrix(M);
    }
    std::vector<double> poses() const
    {
        std::vector<double> out;
        for (int id : bodies_) {
            out.insert(out.end(), d_->xpos + 3 * id, d_->xpos + 3 * id + 3);
            out.insert(out.end(), d_->xmat + 9 * id, d_->xmat + 9 * id + 9);
        }
        return out;
    }
    // Of the tip. MuJoCo counts weight as an acceleration of the ground.
    std::vector<double> acceleration(const mujoco_state &s)
    {
        const mjtNum *g = m_->opt.gravity;
        mjtNum        a[6]; // angular first
        inverse(s);
        mj_rnePostConstraint(m_.get(), d_.get());
        mj_objectAcceleration(m_.get(), d_.get(), mjOBJ_XBODY, tip_, a, 0);
        return {a[3] + g[0], a[4] + g[1], a[5] + g[2], a[0], a[1], a[2]};
    }
    std::vector<double> momentum_result() const
    {
        const double       *v = d_->subtree_linvel, mass = m_->body_subtreemass[0];
        std::vector<double> out = {mass * v[0], mass * v[1], mass * v[2]};
        out.insert(out.end(), d_->subtree_angmom, d_->subtree_angmom + 3);
        return out;
    }

    const problem                                &p_;
    std::unique_ptr<mjModel, void (*)(mjModel *)> m_;
    std::unique_ptr<mjData, void (*)(mjData *)>   d_ = {nullptr, mj_deleteData};
    std::vector<int>          bodies_, joints_, dof_; // MuJoCo's numbers, in the tree's order
    int                       tip_ = 0;
    std::vector<mujoco_state> states_;
    std::vector<double>       tau_, matrix_, unit_, jacobian_;
};

std::vector<double> mujoco_peer::result(algorithm a, int index)
{
    const state        &own = p_.states[index];
    const mujoco_state &s = states_[index];
    const velocity_map  B(p_.model, own.q.data(), own.qd.data(), free_axes::world);
    switch (a) {
    case algorithm::pose:
        pose(s);
        return poses();
    case algorithm::velocity: {
        mjtNum v[6]; // angular first
        velocity(s);
        mj_objectVelocity(m_.get(), d_.get(), mjOBJ_XBODY, tip_, v, 0);
        return {v[3], v[4], v[5], v[0], v[1], v[2]};
    }
    case algorithm::acceleration:
        return acceleration(s);
    case algorithm::jacobian:
        jacobian(s);
        return B.columns(tree_ordered(jacobian_, 6), 6);
    case algorithm::com:
        position(s);
        return {d_->subtree_com, d_->subtree_com + 3};
    case algorithm::energy:
        energy(s);
        return {d_->energy[1], d_->energy[0]};
    case algorithm::momentum:
        momentum(s);
        return momentum_result();
    case algorithm::inverse_dynamics:
        inverse(s);
        // mj_rne leaves the armature to mj_inverse.
        for (int i = 0; i < m_->nv; i++)
            tau_[i] += m_->dof_armature[i] * s.qacc[i];
        return B.torque(tree_ordered(tau_.data()).data());
    case algorithm::gravity:
        stop();
        gravity(s);
        return B.torque(tree_ordered(tau_.data()).data());
    case algorithm::bias: {
        // At qdd = 0 the tree may still accelerate: B 0 + rate. MuJoCo's own bias is without that.
        const std::vector<double> none(p_.model.robot_v_count);
        const mujoco_state resting = {s.qpos, s.qvel, ordered(B.acceleration(none.data())), {}};
        inverse(resting);
        return B.torque(tree_ordered(tau_.data()).data());
    }
    case algorithm::coriolis_matrix:
        return minus(result(algorithm::bias, index), result(algorithm::gravity, index));
    case algorithm::mass_matrix:
        mass(s);
        return matrix(B);
    case algorithm::inverse_mass_matrix:
        inverse_mass(s);
        return matrix(B); // B is orthogonal
    case algorithm::forward_dynamics:
        forward(s);
        return B.robot_acceleration(tree_ordered(tau_.data()).data());
    default:
        return {};
    }
}

} // namespace

peer_ptr make_mujoco(const problem &p) { return peer_ptr(new mujoco_peer(p)); }

} // namespace peers

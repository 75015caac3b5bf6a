// Pinocchio. Joints are re-framed to turn about z, for which it has its fastest joint type, and
// added depth first, which its algorithms count on.
//
// Quaternions are x, y, z, w and the velocity of a free base is its body-frame twist, as ours.
#include "peer.h"

#include "algebra.h"
#include "z_tree.h"

#include <algorithm>
#include <chrono>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/config.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/joint/joints.hpp>
#include <pinocchio/multibody/model.hpp>
#include <stdexcept>

namespace peers
{
namespace
{

namespace pin = pinocchio;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Vector3d to_eigen(arne_vec3 a) { return {a.x, a.y, a.z}; }
Eigen::Matrix3d to_eigen(const arne_mat3 &R)
{
    Eigen::Matrix3d out;
    out << to_eigen(R.x), to_eigen(R.y), to_eigen(R.z);
    return out;
}
pin::SE3 to_pinocchio(const arne_pose &X) { return {to_eigen(X.R), to_eigen(X.p)}; }

pin::JointModel joint(joint_type type)
{
    if (type == joint_type::hinge) return pin::JointModelRZ();
    if (type == joint_type::slide) return pin::JointModelPZ();
    return pin::JointModelFreeFlyer();
}

struct pinocchio_state {
    VectorXd q, v, a, tau;
};

class pinocchio_peer : public peer
{
  public:
    explicit pinocchio_peer(const problem &p) : p_(p)
    {
        build();
        data_ = std::make_unique<pin::Data>(model_);
        jacobian_ = pin::Data::Matrix6x::Zero(6, model_.nv);
        for (const state &s : p.states)
            add_state(s);
        choose_conventions();
    }

    const char *name() const override { return "pinocchio"; }
    support     offers(algorithm a) const override
    {
        switch (a) {
        case algorithm::operational_inertia:
        case algorithm::centroidal_matrix: // not written here
        case algorithm::regressor:
        case algorithm::inverse_dynamics_along:
        case algorithm::inverse_dynamics_against:
        case algorithm::torque_rate:
        case algorithm::second_derivatives: // it has them whole, not contracted
            return support::none;
        default:
            return support::full;
        }
    }

    void run(algorithm a, int count) override
    {
        in_turn(count, states_.size(), [&](size_t s) { call(a, states_[s]); });
    }

    std::vector<double> result(algorithm a, int state) override;

  private:
    void build()
    {
        const std::vector<z_body> bodies = make_z_bodies(p_.model);
        ids_.resize(bodies.size());
        model_.gravity.linear() = to_eigen(p_.model.gravity);
        for (int i : p_.model.depth_first()) {
            const z_body         &b = bodies[i];
            const pin::JointIndex parent = b.parent < 0 ? 0 : ids_[b.parent];
            const std::string     name = std::to_string(i);
            const pin::SE3        X = to_pinocchio(b.placement);
            ids_[i] = model_.addJoint(parent, joint(b.type), X, name);
            const pin::Inertia inertia(b.mass, to_eigen(b.com), to_eigen(b.inertia));
            model_.appendBodyToJoint(ids_[i], inertia, pin::SE3::Identity());
        }
        for (size_t i = 0; i < bodies.size(); i++) {
            links_.push_back(to_pinocchio(bodies[i].link));
            for (int k = 0; k < model_.joints[ids_[i]].nv(); k++)
                dof_.push_back(model_.joints[ids_[i]].idx_v() + k);
        }
    }

    void add_state(const state &s)
    {
        const std::vector<double> position = tree_position(p_.model, s.q.data());
        const velocity_map        B(p_.model, s.q.data(), s.qd.data(), free_axes::body);
        VectorXd                  q(model_.nq);
        for (size_t i = 0; i < ids_.size(); i++)
            for (int k = 0; k < model_.joints[ids_[i]].nq(); k++)
                q[model_.joints[ids_[i]].idx_q() + k] =
                    position[p_.model.bodies[i].joints[0].q + k];
        states_.push_back({q, ordered(B.velocity(s.qd.data())),
                           ordered(B.acceleration(s.qdd.data())),
                           ordered(B.velocity(s.tau.data()))});
    }

    // It has these in the joints' own axes and in the world's: which is faster depends on the robot
    // and the compiler.
#if PINOCCHIO_VERSION_AT_LEAST(3, 0, 0)
    void mass_matrix(const pinocchio_state &s, bool in_world)
    {
        pin::crba(model_, *data_, s.q, in_world ? pin::Convention::WORLD : pin::Convention::LOCAL);
    }
    void forward_dynamics(const pinocchio_state &s, bool in_world)
    {
        pin::aba(model_, *data_, s.q, s.v, s.tau,
                 in_world ? pin::Convention::WORLD : pin::Convention::LOCAL);
    }
#else
    void mass_matrix(const pinocchio_state &s, bool) { pin::crba(model_, *data_, s.q); }
    void forward_dynamics(const pinocchio_state &s, bool)
    {
        pin::aba(model_, *data_, s.q, s.v, s.tau);
    }
#endif

    // The best of some rounds of all states.
    template <typename function> static double best_seconds(const function &round)
    {
        double best = 1e300;
        for (int i = 0; i < 9; i++) {
            const auto begin = std::chrono::steady_clock::now();
            round();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
            best = std::min(best, took.count());
        }
        return best;
    }
    void choose_conventions()
    {
        double mass[2], forward[2];
        for (int world = 0; world < 2; world++) {
            mass[world] = best_seconds([&] {
                for (const pinocchio_state &s : states_)
                    mass_matrix(s, world != 0);
            });
            forward[world] = best_seconds([&] {
                for (const pinocchio_state &s : states_)
                    forward_dynamics(s, world != 0);
            });
        }
        mass_in_world_ = mass[1] < mass[0];
        forward_in_world_ = forward[1] < forward[0];
    }

    // The library's own functions, nothing else: this is what is timed.
    void call(algorithm a, const pinocchio_state &s)
    {
        pin::Data &d = *data_;
        switch (a) {
        case algorithm::pose:
            pin::forwardKinematics(model_, d, s.q);
            return;
        case algorithm::velocity:
            pin::forwardKinematics(model_, d, s.q, s.v);
            return;
        case algorithm::acceleration:
            pin::forwardKinematics(model_, d, s.q, s.v, s.a);
            return;
        case algorithm::jacobian:
            pin::computeJointJacobian(model_, d, s.q, ids_[p_.model.tip], jacobian_);
            return;
        case algorithm::com:
            pin::centerOfMass(model_, d, s.q, false);
            return;
        case algorithm::energy:
            pin::computeKineticEnergy(model_, d, s.q, s.v);
            pin::computePotentialEnergy(model_, d);
            return;
        case algorithm::momentum:
            pin::computeCentroidalMomentum(model_, d, s.q, s.v);
            return;
        case algorithm::inverse_dynamics:
            pin::rnea(model_, d, s.q, s.v, s.a);
            return;
        case algorithm::gravity:
            pin::computeGeneralizedGravity(model_, d, s.q);
            return;
        case algorithm::bias:
            pin::nonLinearEffects(model_, d, s.q, s.v);
            return;
        case algorithm::coriolis_matrix:
            pin::computeCoriolisMatrix(model_, d, s.q, s.v);
            return;
        case algorithm::mass_matrix:
            mass_matrix(s, mass_in_world_);
            return;
        case algorithm::inverse_mass_matrix:
            pin::computeMinverse(model_, d, s.q);
            return;
        case algorithm::forward_dynamics:
            forward_dynamics(s, forward_in_world_);
            return;
        case algorithm::inverse_dynamics_derivatives:
            pin::computeRNEADerivatives(model_, d, s.q, s.v, s.a);
            return;
        case algorithm::forward_dynamics_derivatives:
            pin::computeABADerivatives(model_, d, s.q, s.v, s.tau);
            return;
        default:
            return;
        }
    }

    VectorXd ordered(const std::vector<double> &v) const
    {
        VectorXd out(model_.nv);
        for (size_t i = 0; i < v.size(); i++)
            out[dof_[i]] = v[i];
        return out;
    }
    std::vector<double> tree_ordered(const VectorXd &v) const
    {
        std::vector<double> out;
        for (int dof : dof_)
            out.push_back(v[dof]);
        return out;
    }
    // Only the upper triangle is computed.
    std::vector<double> symmetric(const MatrixXd &M) const
    {
        std::vector<double> out;
        for (int row : dof_)
            for (int column : dof_)
                out.push_back(M(std::min(row, column), std::max(row, column)));
        return out;
    }
    std::vector<double> full(const MatrixXd &M) const
    {
        std::vector<double> out;
        for (int row : dof_)
            for (int column : dof_)
                out.push_back(M(row, column));
        return out;
    }
    static std::vector<double> joined(std::vector<double> a, const std::vector<double> &b,
                                      const std::vector<double> &c)
    {
        a.insert(a.end(), b.begin(), b.end());
        a.insert(a.end(), c.begin(), c.end());
        return a;
    }
    std::vector<double> poses() const
    {
        std::vector<double> out;
        for (size_t i = 0; i < ids_.size(); i++) {
            const pin::SE3 X = data_->oMi[ids_[i]] * links_[i];
            out.insert(out.end(), X.translation().data(), X.translation().data() + 3);
            for (int row = 0; row < 3; row++)
                for (int column = 0; column < 3; column++)
                    out.push_back(X.rotation()(row, column));
        }
        return out;
    }
    // From the joint's origin and axes, where Pinocchio has it, to the link's origin; world axes.
    Eigen::Vector3d tip_offset() const
    {
        return data_->oMi[ids_[p_.model.tip]].rotation() * links_[p_.model.tip].translation();
    }
    std::vector<double> tip_velocity() const
    {
        const pin::SE3       &X = data_->oMi[ids_[p_.model.tip]];
        const pin::Motion    &v = data_->v[ids_[p_.model.tip]];
        const Eigen::Vector3d ang = X.rotation() * v.angular();
        const Eigen::Vector3d lin = X.rotation() * v.linear() + ang.cross(tip_offset());
        return {lin[0], lin[1], lin[2], ang[0], ang[1], ang[2]};
    }
    std::vector<double> tip_acceleration() const
    {
        const Eigen::Matrix3d R = data_->oMi[ids_[p_.model.tip]].rotation();
        const pin::Motion    &v = data_->v[ids_[p_.model.tip]], &a = data_->a[ids_[p_.model.tip]];
        const Eigen::Vector3d w = R * v.angular(), ang = R * a.angular(), r = tip_offset();
        const Eigen::Vector3d origin = R * (a.linear() + v.angular().cross(v.linear()));
        const Eigen::Vector3d lin = origin + ang.cross(r) + w.cross(w.cross(r));
        return {lin[0], lin[1], lin[2], ang[0], ang[1], ang[2]};
    }
    std::vector<double> tip_jacobian() const
    {
        const Eigen::Matrix3d R = data_->oMi[ids_[p_.model.tip]].rotation();
        std::vector<double>   out(6 * dof_.size());
        for (size_t k = 0; k < dof_.size(); k++) {
            const Eigen::Vector3d ang = R * jacobian_.col(dof_[k]).tail<3>();
            const Eigen::Vector3d lin =
                R * jacobian_.col(dof_[k]).head<3>() + ang.cross(tip_offset());
            for (size_t i = 0; i < 3; i++) {
                out[i * dof_.size() + k] = lin[i];
                out[(i + 3) * dof_.size() + k] = ang[i];
            }
        }
        return out;
    }

    const problem               &p_;
    pin::Model                   model_;
    std::unique_ptr<pin::Data>   data_;
    std::vector<pin::JointIndex> ids_;   // of the tree's bodies
    std::vector<pin::SE3>        links_; // their links in their joints' frames
    std::vector<int>             dof_;   // Pinocchio's velocities, in the tree's order
    std::vector<pinocchio_state> states_;
    pin::Data::Matrix6x          jacobian_;
    bool                         mass_in_world_ = false, forward_in_world_ = false;
};

std::vector<double> pinocchio_peer::result(algorithm a, int index)
{
    const state           &own = p_.states[index];
    const pinocchio_state &s = states_[index];
    const velocity_map     B(p_.model, own.q.data(), own.qd.data(), free_axes::body);
    const pin::Data       &d = *data_;
    call(a, s);
    switch (a) {
    case algorithm::pose:
        return poses();
    case algorithm::velocity:
        return tip_velocity();
    case algorithm::acceleration:
        return tip_acceleration();
    case algorithm::jacobian:
        pin::forwardKinematics(model_, *data_, s.q); // where the tip is, to see it in the world
        return B.columns(tip_jacobian(), 6);
    case algorithm::com:
        return {d.com[0][0], d.com[0][1], d.com[0][2]};
    case algorithm::energy:
        return {d.kinetic_energy, d.potential_energy};
    case algorithm::momentum: {
        const Eigen::Matrix<double, 6, 1> h = d.hg.toVector();
        return {h[0], h[1], h[2], h[3], h[4], h[5]};
    }
    case algorithm::inverse_dynamics:
        return B.torque(tree_ordered(d.tau).data());
    case algorithm::gravity:
        return B.torque(tree_ordered(d.g).data());
    case algorithm::bias:
        return B.torque(tree_ordered(d.nle).data());
    case algorithm::coriolis_matrix:
        return B.torque(tree_ordered(d.C * s.v).data());
    case algorithm::mass_matrix:
        return B.matrix(symmetric(d.M));
    case algorithm::inverse_mass_matrix:
        return B.matrix(symmetric(d.Minv)); // B is orthogonal
    case algorithm::forward_dynamics:
        return B.robot_acceleration(tree_ordered(d.ddq).data());
    case algorithm::inverse_dynamics_derivatives: // no joint here has a B that moves
        return joined(B.matrix(full(d.dtau_dq)), B.matrix(full(d.dtau_dv)),
                      B.matrix(symmetric(d.M)));
    case algorithm::forward_dynamics_derivatives:
        return joined(B.matrix(full(d.ddq_dq)), B.matrix(full(d.ddq_dv)),
                      B.matrix(symmetric(d.Minv)));
    default:
        return {};
    }
}

} // namespace

peer_ptr make_pinocchio(const problem &p)
{
    if (!p.model.same_freedoms()) throw std::runtime_error("mimic joints are not translated");
    return peer_ptr(new pinocchio_peer(p));
}

} // namespace peers

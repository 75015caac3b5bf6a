// RBDL. Joints are re-framed to turn about z, for which it has a joint type of its own.
//
// A floating base is three translations in world axes and a ball; its quaternion's w stands at the
// end of q.
#include "peer.h"

#include "algebra.h"
#include "z_tree.h"

#include <rbdl/rbdl.h>
#include <stdexcept>

namespace peers
{
namespace
{

namespace rbd = RigidBodyDynamics;
using rbd::Math::Matrix3d;
using rbd::Math::MatrixNd;
using rbd::Math::Vector3d;
using rbd::Math::VectorNd;

Vector3d to_rbdl(arne_vec3 a) { return Vector3d(a.x, a.y, a.z); }
Matrix3d to_rbdl(const arne_mat3 &R)
{
    return Matrix3d(R.x.x, R.y.x, R.z.x, R.x.y, R.y.y, R.z.y, R.x.z, R.y.z, R.z.z);
}

rbd::Joint joint(joint_type type)
{
    if (type == joint_type::hinge) return rbd::Joint(rbd::JointTypeRevoluteZ);
    if (type == joint_type::slide) return rbd::Joint(rbd::JointTypePrismatic, Vector3d(0, 0, 1));
    return rbd::Joint(rbd::JointTypeFloatingBase);
}

struct rbdl_state {
    VectorNd q, qd, qdd, tau;
};

class rbdl_peer : public peer
{
  public:
    explicit rbdl_peer(const problem &p) : p_(p), bodies_(make_z_bodies(p.model))
    {
        build();
        tau_ = zero_ = VectorNd::Zero(model_.dof_count);
        mass_ = MatrixNd::Zero(model_.dof_count, model_.dof_count);
        jacobian_ = MatrixNd::Zero(6, model_.dof_count);
        for (const state &s : p.states)
            add_state(s);
    }

    const char *name() const override { return "rbdl"; }

    support offers(algorithm a) const override
    {
        switch (a) {
        case algorithm::pose:
        case algorithm::velocity:
        case algorithm::jacobian:
        case algorithm::inverse_dynamics:
        case algorithm::gravity:
        case algorithm::bias:
        case algorithm::mass_matrix:
        case algorithm::forward_dynamics:
            return support::full;
        default:
            return support::none;
        }
    }

    void run(algorithm a, int count) override
    {
        in_turn(count, states_.size(), [&](size_t s) { call(a, states_[s]); });
    }

    std::vector<double> result(algorithm a, int index) override
    {
        const state       &own = p_.states[index];
        const rbdl_state  &s = states_[index];
        const velocity_map B(p_.model, own.q.data(), own.qd.data(), free_axes::world);
        call(a, s);
        switch (a) {
        case algorithm::pose:
            return poses(s);
        case algorithm::velocity:
            return tip_velocity(s);
        case algorithm::jacobian:
            return B.columns(tip_jacobian(), 6);
        case algorithm::bias: {
            // At qdd = 0 a free base in world axes still accelerates: B 0 + rate.
            const std::vector<double> none(p_.model.robot_v_count);
            rbd::InverseDynamics(model_, s.q, s.qd, ordered(B.acceleration(none.data())), tau_);
            return B.torque(tree_ordered(tau_).data());
        }
        case algorithm::mass_matrix:
            return B.matrix(tree_mass());
        case algorithm::forward_dynamics:
            return B.robot_acceleration(tree_ordered(tau_).data());
        default:
            return B.torque(tree_ordered(tau_).data());
        }
    }

  private:
    void build()
    {
        model_.gravity = to_rbdl(p_.model.gravity);
        for (const z_body &b : bodies_) {
            const rbd::Math::SpatialTransform X(to_rbdl(transposed(b.placement.R)),
                                                to_rbdl(b.placement.p));
            const rbd::Body                   body(b.mass, to_rbdl(b.com), to_rbdl(b.inertia));
            ids_.push_back(
                model_.AddBody(b.parent < 0 ? 0 : ids_[b.parent], X, joint(b.type), body));
            // A floating base is two joints: its translations come three entries before its ball.
            const unsigned last = model_.mJoints[ids_.back()].q_index;
            const unsigned first = b.type == joint_type::free ? last - 3 : last;
            for (unsigned k = 0; k < (b.type == joint_type::free ? 6u : 1u); k++)
                dof_.push_back(first + k);
        }
    }

    void add_state(const state &s)
    {
        const std::vector<double> position = tree_position(p_.model, s.q.data());
        const velocity_map        B(p_.model, s.q.data(), s.qd.data(), free_axes::world);
        VectorNd                  q = VectorNd::Zero(model_.q_size);
        for (size_t i = 0; i < bodies_.size(); i++) {
            const tree_joint &j = p_.model.bodies[i].joints[0];
            const double     *from = &position[j.q];
            const int         lengths = j.type == joint_type::free ? 3 : 1;
            for (int k = 0; k < lengths; k++)
                q[dof_[j.v + k]] = from[k];
            if (j.type == joint_type::free)
                model_.SetQuaternion(ids_[i],
                                     rbd::Math::Quaternion(from[3], from[4], from[5], from[6]), q);
        }
        states_.push_back({q, ordered(B.velocity(s.qd.data())),
                           ordered(B.acceleration(s.qdd.data())),
                           ordered(B.velocity(s.tau.data()))});
    }

    // The library's own functions, nothing else: this is what is timed.
    void call(algorithm a, const rbdl_state &s)
    {
        switch (a) {
        case algorithm::pose:
            rbd::UpdateKinematicsCustom(model_, &s.q, nullptr, nullptr);
            return;
        case algorithm::velocity:
            rbd::UpdateKinematicsCustom(model_, &s.q, &s.qd, nullptr);
            return;
        case algorithm::jacobian:
            rbd::CalcPointJacobian6D(model_, s.q, tip(), to_rbdl(tip_link().p), jacobian_);
            return;
        case algorithm::inverse_dynamics:
            rbd::InverseDynamics(model_, s.q, s.qd, s.qdd, tau_);
            return;
        case algorithm::gravity:
            rbd::NonlinearEffects(model_, s.q, zero_, tau_);
            return;
        case algorithm::bias:
            rbd::NonlinearEffects(model_, s.q, s.qd, tau_);
            return;
        case algorithm::mass_matrix:
            rbd::CompositeRigidBodyAlgorithm(model_, s.q, mass_);
            return;
        case algorithm::forward_dynamics:
            rbd::ForwardDynamics(model_, s.q, s.qd, s.tau, tau_);
            return;
        default:
            return;
        }
    }

    unsigned         tip() const { return ids_[p_.model.tip]; }
    const arne_pose &tip_link() const { return bodies_[p_.model.tip].link; }

    VectorNd ordered(const std::vector<double> &v) const
    {
        VectorNd out = VectorNd::Zero(model_.dof_count);
        for (size_t i = 0; i < v.size(); i++)
            out[dof_[i]] = v[i];
        return out;
    }
    std::vector<double> tree_ordered(const VectorNd &v) const
    {
        std::vector<double> out;
        for (unsigned dof : dof_)
            out.push_back(v[dof]);
        return out;
    }
    std::vector<double> tree_mass() const
    {
        std::vector<double> out;
        for (unsigned row : dof_)
            for (unsigned column : dof_)
                out.push_back(mass_(row, column));
        return out;
    }
    std::vector<double> poses(const rbdl_state &s)
    {
        std::vector<double> out;
        for (size_t i = 0; i < ids_.size(); i++) {
            const arne_pose &link = bodies_[i].link;
            const Vector3d   p =
                rbd::CalcBodyToBaseCoordinates(model_, s.q, ids_[i], to_rbdl(link.p), false);
            const Matrix3d R =
                rbd::CalcBodyWorldOrientation(model_, s.q, ids_[i], false).transpose() *
                to_rbdl(link.R);
            out.insert(out.end(), {p[0], p[1], p[2], R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1),
                                   R(1, 2), R(2, 0), R(2, 1), R(2, 2)});
        }
        return out;
    }
    // Angular parts come first in RBDL.
    std::vector<double> tip_velocity(const rbdl_state &s)
    {
        const rbd::Math::SpatialVector v =
            rbd::CalcPointVelocity6D(model_, s.q, s.qd, tip(), to_rbdl(tip_link().p), false);
        return {v[3], v[4], v[5], v[0], v[1], v[2]};
    }
    std::vector<double> tip_jacobian() const
    {
        std::vector<double> out;
        for (int row : {3, 4, 5, 0, 1, 2})
            for (unsigned dof : dof_)
                out.push_back(jacobian_(row, dof));
        return out;
    }

    const problem          &p_;
    std::vector<z_body>     bodies_;
    rbd::Model              model_;
    std::vector<unsigned>   ids_; // of the tree's bodies
    std::vector<unsigned>   dof_; // RBDL's velocities, in the tree's order
    std::vector<rbdl_state> states_;
    VectorNd                tau_, zero_;
    MatrixNd                mass_, jacobian_;
};

} // namespace

peer_ptr make_rbdl(const problem &p)
{
    if (!p.model.same_freedoms()) throw std::runtime_error("mimic joints are not translated");
    return peer_ptr(new rbdl_peer(p));
}

} // namespace peers

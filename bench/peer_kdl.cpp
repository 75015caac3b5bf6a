// Orocos KDL. Serial robots get its chain solvers, branched ones its tree solvers (inverse dynamics
// only; a mass matrix is then put together from inverse dynamics, to compare but not to time).
//
// A KDL segment is a joint, fixed in the parent's frame, and a tip frame after it. Joints of more
// than one freedom become several segments, of which the last has the mass. KDL has no ball and no
// free joint. A copy of a KDL tree numbers its joints depth first, whatever the original does, and
// some solvers make one: so we do that too.
#include "peer.h"

#include "algebra.h"
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <stdexcept>

namespace peers
{
namespace
{

KDL::Vector to_kdl(arne_vec3 a) { return {a.x, a.y, a.z}; }
KDL::Frame  to_kdl(const arne_pose &X)
{
    return {KDL::Rotation(to_kdl(X.R.x), to_kdl(X.R.y), to_kdl(X.R.z)), to_kdl(X.p)};
}
// With its number in front, so that a link may be called root too.
std::string segment_name(const tree &t, int body)
{
    return body < 0 ? "root" : std::to_string(body) + " " + t.bodies[body].name;
}

KDL::RigidBodyInertia inertia(const tree_body &b)
{
    const double *I = b.inertia;
    return KDL::RigidBodyInertia(b.mass, to_kdl(b.com),
                                 KDL::RotationalInertia(I[0], I[1], I[2], I[3], I[4], I[5]));
}

KDL::Joint joint(const std::string &name, const tree_joint &j, const arne_pose &X)
{
    const KDL::Joint::JointType type =
        j.type == joint_type::hinge ? KDL::Joint::RotAxis : KDL::Joint::TransAxis;
    const arne_vec3 origin = add(X.p, mul(X.R, j.point)), axis = mul(X.R, j.axis);
    return {name, to_kdl(origin), to_kdl(axis), type, 1, 0, j.rotor};
}

// The placement comes before the first joint of a body, so it is that joint's matter alone.
std::vector<KDL::Segment> segments(const tree &t, int body)
{
    const tree_body          &b = t.bodies[body];
    const std::string         name = segment_name(t, body);
    std::vector<KDL::Segment> out;
    for (size_t k = 0; k < b.joints.size(); k++) {
        const bool        last = k + 1 == b.joints.size();
        const arne_pose   X = k == 0 ? b.placement : arne_pose{identity(), {0, 0, 0}};
        const std::string own = last ? name : name + " " + std::to_string(k);
        out.emplace_back(own, joint(own, b.joints[k], X), to_kdl(X),
                         last ? inertia(b) : KDL::RigidBodyInertia::Zero());
    }
    return out;
}

struct kdl_state {
    KDL::JntArray q, qd, qdd, tau;
};

// KDL's number of each of the tree's joints.
std::vector<unsigned> joint_numbers(const tree &t)
{
    std::vector<unsigned> out(t.v_count);
    unsigned              next = 0;
    for (int body : t.depth_first())
        for (const tree_joint &j : t.bodies[body].joints) {
            // With one freedom each, coordinates and velocities count alike.
            if (j.type != joint_type::hinge && j.type != joint_type::slide)
                throw std::runtime_error("no ball and free joints");
            out[j.v] = next++;
        }
    return out;
}

void append(const KDL::Frame &X, std::vector<double> &out)
{
    out.insert(out.end(), X.p.data, X.p.data + 3);
    out.insert(out.end(), X.M.data, X.M.data + 9); // by rows
}

class kdl_peer : public peer
{
  public:
    explicit kdl_peer(const problem &p)
        : p_(p), number_(joint_numbers(p.model)), count_(p.model.v_count),
          gravity_(to_kdl(p.model.gravity)), zero_(count_), tau_(count_), jacobian_(count_)
    {
        for (const state &s : p.states) {
            const velocity_map B(p.model, s.q.data(), s.qd.data(), free_axes::world);
            // tau is used only where B is orthogonal; then B tau is the tree's torque.
            states_.push_back(
                {ordered(tree_position(p.model, s.q.data())), ordered(B.velocity(s.qd.data())),
                 ordered(B.acceleration(s.qdd.data())), ordered(B.velocity(s.tau.data()))});
        }
    }
    const char *name() const override { return "kdl"; }

  protected:
    template <class Call> void each(int count, Call call)
    {
        in_turn(count, states_.size(), [&](size_t s) { call(states_[s]); });
    }
    velocity_map map(int index) const
    {
        const state &s = p_.states[index];
        return {p_.model, s.q.data(), s.qd.data(), free_axes::world};
    }
    // With qdd = 0 the robot's coordinates may still accelerate the tree's: B a + rate.
    KDL::JntArray resting(int index) const
    {
        const std::vector<double> none(p_.model.robot_v_count);
        return ordered(map(index).acceleration(none.data()));
    }

    // From the tree's order to KDL's, and back.
    KDL::JntArray ordered(const std::vector<double> &v) const
    {
        KDL::JntArray out(count_);
        for (size_t i = 0; i < v.size(); i++)
            out(number_[i]) = v[i];
        return out;
    }
    std::vector<double> tree_ordered(const KDL::JntArray &v) const
    {
        std::vector<double> out;
        for (unsigned i : number_)
            out.push_back(v(i));
        return out;
    }
    std::vector<double> tree_jacobian() const
    {
        std::vector<double> out;
        for (unsigned i = 0; i < 6; i++)
            for (unsigned k : number_)
                out.push_back(jacobian_(i, k));
        return out;
    }
    std::vector<double> torque(int index) const
    {
        return map(index).torque(tree_ordered(tau_).data());
    }

    const problem         &p_;
    std::vector<unsigned>  number_;
    unsigned               count_;
    KDL::Vector            gravity_;
    KDL::JntArray          zero_, tau_;
    KDL::Jacobian          jacobian_;
    std::vector<kdl_state> states_;
};

KDL::Chain make_chain(const tree &t)
{
    KDL::Chain chain;
    for (size_t i = 0; i < t.bodies.size(); i++)
        for (const KDL::Segment &s : segments(t, static_cast<int>(i)))
            chain.addSegment(s);
    return chain;
}

class kdl_chain_peer : public kdl_peer
{
  public:
    explicit kdl_chain_peer(const problem &p)
        : kdl_peer(p), chain_(make_chain(p.model)), inverse_(chain_, gravity_),
          forward_(chain_, gravity_), parameters_(chain_, gravity_), position_(chain_),
          velocity_(chain_), jacobians_(chain_),
          no_wrench_(chain_.getNrOfSegments(), KDL::Wrench::Zero()),
          poses_(chain_.getNrOfSegments()), mass_(count_)
    {
        for (const kdl_state &s : states_)
            moving_.emplace_back(s.q, s.qd);
    }

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
            return support::full;
        case algorithm::forward_dynamics:
            return p_.model.same_freedoms() ? support::full : support::none;
        case algorithm::coriolis_matrix:
            return support::by_hand;
        default:
            return support::none;
        }
    }

    void run(algorithm a, int count) override
    {
        switch (a) {
        case algorithm::pose:
            return each(count, [this](kdl_state &s) { pose(s); });
        case algorithm::velocity:
            return in_turn(count, moving_.size(), [this](size_t s) { velocity(s); });
        case algorithm::jacobian:
            return each(count, [this](kdl_state &s) { jacobian(s); });
        case algorithm::inverse_dynamics:
            return each(count, [this](kdl_state &s) { inverse(s, s.qdd); });
        case algorithm::gravity:
            return each(count, [this](kdl_state &s) { gravity(s); });
        case algorithm::bias:
            return each(count, [this](kdl_state &s) { inverse(s, zero_); });
        case algorithm::mass_matrix:
            return each(count, [this](kdl_state &s) { mass(s); });
        case algorithm::forward_dynamics:
            return each(count, [this](kdl_state &s) { forward(s); });
        default:
            return;
        }
    }

    std::vector<double> result(algorithm a, int index) override
    {
        kdl_state         &s = states_[index];
        const velocity_map B = map(index);
        switch (a) {
        case algorithm::pose:
            pose(s);
            return body_poses();
        case algorithm::velocity: {
            velocity(static_cast<size_t>(index));
            const KDL::Twist v = tip_.GetTwist();
            return {v.vel.x(), v.vel.y(), v.vel.z(), v.rot.x(), v.rot.y(), v.rot.z()};
        }
        case algorithm::jacobian:
            jacobian(s);
            return B.columns(tree_jacobian(), 6);
        case algorithm::inverse_dynamics:
            inverse(s, s.qdd);
            return torque(index);
        case algorithm::gravity:
            gravity(s);
            return torque(index);
        case algorithm::bias:
            inverse(s, resting(index));
            return torque(index);
        case algorithm::coriolis_matrix:
            return minus(result(algorithm::bias, index), result(algorithm::gravity, index));
        case algorithm::mass_matrix: {
            mass(s);
            // A chain's joints are numbered as the tree's; M is symmetric, so columns are as good
            // as rows.
            const double *M = mass_.data.data();
            return B.matrix(std::vector<double>(M, M + mass_.data.size()));
        }
        case algorithm::forward_dynamics:
            if (!forward(s)) return {};
            return B.robot_acceleration(tree_ordered(tau_).data());
        default:
            return {};
        }
    }

  private:
    void pose(const kdl_state &s) { position_.JntToCart(s.q, poses_); }
    void velocity(size_t s) { velocity_.JntToCart(moving_[s], tip_); }
    void jacobian(const kdl_state &s) { jacobians_.JntToJac(s.q, jacobian_); }
    void inverse(const kdl_state &s, const KDL::JntArray &qdd)
    {
        inverse_.CartToJnt(s.q, s.qd, qdd, no_wrench_, tau_);
    }
    void gravity(const kdl_state &s) { parameters_.JntToGravity(s.q, tau_); }
    void mass(const kdl_state &s) { parameters_.JntToMass(s.q, mass_); }
    bool forward(const kdl_state &s)
    {
        return forward_.CartToJnt(s.q, s.qd, s.tau, no_wrench_, tau_) == KDL::SolverI::E_NOERROR;
    }
    std::vector<double> body_poses() const
    {
        std::vector<double> out;
        size_t              segment = 0;
        for (const tree_body &b : p_.model.bodies) {
            segment += b.joints.size();
            append(poses_[segment - 1], out);
        }
        return out;
    }

    KDL::Chain                      chain_;
    KDL::ChainIdSolver_RNE          inverse_;
    KDL::ChainFdSolver_RNE          forward_;
    KDL::ChainDynParam              parameters_;
    KDL::ChainFkSolverPos_recursive position_;
    KDL::ChainFkSolverVel_recursive velocity_;
    KDL::ChainJntToJacSolver        jacobians_;
    KDL::Wrenches                   no_wrench_;
    std::vector<KDL::Frame>         poses_;
    std::vector<KDL::JntArrayVel>   moving_;
    KDL::FrameVel                   tip_;
    KDL::JntSpaceInertiaMatrix      mass_;
};

KDL::Tree make_kdl_tree(const tree &t)
{
    KDL::Tree out("root");
    for (int i : t.depth_first()) {
        std::string hook = segment_name(t, t.bodies[i].parent);
        for (const KDL::Segment &s : segments(t, i)) {
            if (!out.addSegment(s, hook))
                throw std::runtime_error("a segment is refused: " + s.getName());
            hook = s.getName();
        }
    }
    return out;
}

class kdl_tree_peer : public kdl_peer
{
  public:
    explicit kdl_tree_peer(const problem &p)
        : kdl_peer(p), tree_(make_kdl_tree(p.model)), inverse_(tree_, gravity_),
          weightless_(tree_, KDL::Vector::Zero()), position_(tree_), jacobians_(tree_),
          tip_(segment_name(p.model, p.model.tip))
    {
    }

    support offers(algorithm a) const override
    {
        switch (a) {
        case algorithm::inverse_dynamics:
        case algorithm::gravity:
        case algorithm::bias:
        case algorithm::jacobian:
            return support::full;
        case algorithm::pose:
        case algorithm::coriolis_matrix:
        case algorithm::mass_matrix:
            return support::by_hand;
        default:
            return support::none;
        }
    }

    void run(algorithm a, int count) override
    {
        switch (a) {
        case algorithm::inverse_dynamics:
            return each(count, [this](kdl_state &s) { inverse(s.q, s.qd, s.qdd); });
        case algorithm::gravity:
            return each(count, [this](kdl_state &s) { inverse(s.q, zero_, zero_); });
        case algorithm::bias:
            return each(count, [this](kdl_state &s) { inverse(s.q, s.qd, zero_); });
        case algorithm::jacobian:
            return each(count, [this](kdl_state &s) { jacobian(s); });
        default:
            return;
        }
    }

    std::vector<double> result(algorithm a, int index) override
    {
        const kdl_state   &s = states_[index];
        const velocity_map B = map(index);
        switch (a) {
        case algorithm::inverse_dynamics:
            inverse(s.q, s.qd, s.qdd);
            return torque(index);
        case algorithm::gravity:
            inverse(s.q, zero_, zero_);
            return torque(index);
        case algorithm::bias:
            inverse(s.q, s.qd, resting(index));
            return torque(index);
        case algorithm::jacobian:
            jacobian(s);
            return B.columns(tree_jacobian(), 6);
        case algorithm::pose:
            return body_poses(s);
        case algorithm::coriolis_matrix:
            return minus(result(algorithm::bias, index), result(algorithm::gravity, index));
        case algorithm::mass_matrix:
            return B.matrix(mass(s));
        default:
            return {};
        }
    }

  private:
    void inverse(const KDL::JntArray &q, const KDL::JntArray &qd, const KDL::JntArray &qdd)
    {
        inverse_.CartToJnt(q, qd, qdd, no_wrench_, tau_);
    }
    void jacobian(const kdl_state &s)
    {
        KDL::SetToZero(jacobian_);
        jacobians_.JntToJac(s.q, jacobian_, tip_);
    }
    std::vector<double> body_poses(const kdl_state &s)
    {
        std::vector<double> out;
        for (size_t i = 0; i < p_.model.bodies.size(); i++) {
            KDL::Frame X;
            position_.JntToCart(s.q, X, segment_name(p_.model, static_cast<int>(i)));
            append(X, out);
        }
        return out;
    }
    // Column by column, from the torques of unit accelerations without weight (Walker and Orin
    // 1982).
    std::vector<double> mass(const kdl_state &s)
    {
        std::vector<double> M;
        for (unsigned k : number_) {
            KDL::JntArray unit(count_);
            unit(k) = 1;
            weightless_.CartToJnt(s.q, zero_, unit, no_wrench_, tau_);
            const std::vector<double> column = tree_ordered(tau_);
            M.insert(M.end(), column.begin(), column.end());
        }
        return M;
    }

    KDL::Tree                      tree_;
    KDL::TreeIdSolver_RNE          inverse_, weightless_;
    KDL::TreeFkSolverPos_recursive position_;
    KDL::TreeJntToJacSolver        jacobians_;
    KDL::WrenchMap                 no_wrench_;
    std::string                    tip_;
};

} // namespace

peer_ptr make_kdl(const problem &p)
{
    if (p.model.is_serial()) return peer_ptr(new kdl_chain_peer(p));
    return peer_ptr(new kdl_tree_peer(p));
}

} // namespace peers

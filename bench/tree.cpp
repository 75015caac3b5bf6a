#include "tree.h"

#include "algebra.h"
#include <memory>
#include <queue>
#include <stdexcept>

namespace peers
{
namespace
{

using work_ptr = std::unique_ptr<arne_work, void (*)(arne_work *)>;

work_ptr new_work(const arne_robot *robot)
{
    arne_work *work = nullptr;
    if (arne_work_new(robot, &work) != ARNE_OK)
        throw std::runtime_error("no memory for a workspace");
    return work_ptr(work, arne_work_free);
}

// All angles and lengths zero, all quaternions the identity: what arne_neutral gives, but also
// where limits exclude zero.
std::vector<double> zero_configuration(const arne_robot *robot)
{
    const arne_sizes    n = arne_robot_sizes(robot);
    std::vector<double> q(n.q_count);
    arne_neutral(robot, q.data());
    for (int j = 0; j < n.joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(robot, j);
        if (info.q_count != info.v_count) continue; // with a quaternion
        for (int k = 0; k < info.q_count; k++)
            q[info.q_start + k] = 0;
    }
    return q;
}

// Asks the library how links stand and move; see the head of tree.h.
class observer
{
  public:
    explicit observer(const arne_robot *robot)
        : robot_(robot), work_(new_work(robot)), q_(zero_configuration(robot)),
          qd_(arne_robot_sizes(robot).v_count)
    {
        arne_kinematics(robot_, work_.get(), q_.data(), nullptr, nullptr);
        for (int f = 0; f < arne_robot_sizes(robot).frame_count; f++)
            poses_.push_back(arne_frame_pose(robot_, work_.get(), f));
    }

    // Of frame b in frame a; a = -1: the world.
    arne_pose pose(int a, int b) const
    {
        const arne_pose &X_wb = poses_[b];
        return a < 0 ? X_wb : mul(inverse(poses_[a]), X_wb);
    }

    // The twist of the child against the parent, in the child's frame, when velocity v alone is 1.
    arne_motion screw(int parent, int child, int v)
    {
        qd_[v] = 1;
        arne_kinematics(robot_, work_.get(), q_.data(), qd_.data(), nullptr);
        qd_[v] = 0;
        arne_motion s = arne_frame_velocity(robot_, work_.get(), child, ARNE_AXES_BODY);
        if (parent < 0) return s;
        // The parent moves only where this velocity drives more than one joint (mimic).
        const arne_motion p = arne_frame_velocity(robot_, work_.get(), parent, ARNE_AXES_BODY);
        const arne_pose   X_pc = pose(parent, child);
        const arne_vec3   lin = mul_transposed(X_pc.R, peers::add(p.lin, cross(p.ang, X_pc.p)));
        s.lin = sub(s.lin, lin);
        s.ang = sub(s.ang, mul_transposed(X_pc.R, p.ang));
        return s;
    }

  private:
    const arne_robot      *robot_;
    work_ptr               work_;
    std::vector<double>    q_, qd_;
    std::vector<arne_pose> poses_;
};

arne_vec3 unit(arne_vec3 a) { return scale(1 / length(a), a); }

tree_joint slide(arne_vec3 axis) { return {joint_type::slide, unit(axis), {0, 0, 0}, 0, 0, 0}; }

// The points p of a hinge's axis do not move: lin + ang x p = 0. This is the one nearest to the
// frame's origin.
tree_joint hinge(const arne_motion &s)
{
    const arne_vec3 p = scale(1 / dot(s.ang, s.ang), cross(s.ang, s.lin));
    return {joint_type::hinge, unit(s.ang), p, 0, 0, 0};
}

// The centre of a ball: the mean of three perpendicular axes' nearest points counts each coordinate
// twice.
tree_joint ball(const arne_motion *s)
{
    arne_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        sum = peers::add(sum, hinge(s[k]).point);
    return {joint_type::ball, {0, 0, 0}, scale(0.5, sum), 0, 0, 0};
}

bool is_identity(const arne_pose &X)
{
    const arne_mat3 I = identity();
    return length(X.p) + length(sub(X.R.x, I.x)) + length(sub(X.R.y, I.y)) < 1e-12;
}

// The elementary joints of one joint, from the screws of its velocities.
std::vector<tree_joint> elementary(const tree_source &s, const std::vector<arne_motion> &screw)
{
    switch (s.kind) {
    case ARNE_JOINT_PRISMATIC:
        return {slide(screw[0].lin)};
    case ARNE_JOINT_REVOLUTE:
    case ARNE_JOINT_CONTINUOUS:
        return {hinge(screw[0])};
    case ARNE_JOINT_HELICAL:
        return {hinge(screw[0]), slide(screw[0].ang)};
    case ARNE_JOINT_UNIVERSAL:
        return {hinge(screw[0]), hinge(screw[1])};
    case ARNE_JOINT_PLANAR:
        return {slide(screw[0].lin), slide(screw[1].lin), hinge(screw[2])};
    case ARNE_JOINT_BALL:
        return {ball(&screw[0])};
    case ARNE_JOINT_FREE:
        if (s.native_free) return {{joint_type::free, {0, 0, 0}, {0, 0, 0}, 0, 0, 0}};
        return {slide(screw[0].lin), slide(screw[1].lin), slide(screw[2].lin), ball(&screw[3])};
    default:
        throw std::runtime_error("a joint kind that peers do not have");
    }
}

int position_count(joint_type type)
{
    return type == joint_type::free ? 7 : type == joint_type::ball ? 4 : 1;
}
int velocity_count(joint_type type)
{
    return type == joint_type::free ? 6 : type == joint_type::ball ? 3 : 1;
}

// Which body carries each link: its own where it is a moving joint's child, else that of its
// parent.
class carriers
{
  public:
    carriers(const arne_robot *robot, const std::vector<int> &joint_of_link)
        : robot_(robot), joint_of_link_(joint_of_link)
    {
    }

    int joint(int link) const
    {
        while (link >= 0 && joint_of_link_[link] < 0)
            link = arne_robot_frame(robot_, link).parent;
        return link < 0 ? -1 : joint_of_link_[link];
    }

  private:
    const arne_robot *robot_;
    std::vector<int>  joint_of_link_;
};

std::vector<int> joints_of_links(const arne_robot *robot)
{
    const arne_sizes n = arne_robot_sizes(robot);
    std::vector<int> joint(n.frame_count, -1);
    for (int j = 0; j < n.joint_count; j++)
        joint[arne_robot_joint(robot, j).child] = j;
    return joint;
}

// Joints in an order where a body comes after the one that carries it; the robot's own order
// otherwise.
std::vector<int> outward_order(const arne_robot *robot, const carriers &carrier)
{
    const int                     count = arne_robot_sizes(robot).joint_count;
    std::vector<std::vector<int>> children(count + 1);
    std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
    std::vector<int>                                              order;
    for (int j = 0; j < count; j++) {
        const int parent = carrier.joint(arne_robot_joint(robot, j).parent);
        children[parent + 1].push_back(j);
    }
    for (int j : children[0])
        ready.push(j);
    while (!ready.empty()) {
        const int j = ready.top();
        ready.pop();
        order.push_back(j);
        for (int k : children[j + 1])
            ready.push(k);
    }
    return order;
}

// Sums the links that one body carries: mass, first moment and inertia about the body's origin.
void add_link(tree_body &body, const arne_pose &X, const arne_frame_info &link)
{
    const arne_vec3 c = peers::add(X.p, mul(X.R, link.com));
    body.mass += link.mass;
    body.com = peers::add(body.com, scale(link.mass, c));
    add_turned(X.R, link.inertia, body.inertia);
    add_point_mass(link.mass, c, body.inertia);
}

void move_inertia_to_com(tree_body &body)
{
    if (body.mass <= 0) return;
    body.com = scale(1 / body.mass, body.com);
    add_point_mass(-body.mass, body.com, body.inertia);
}

void add_inertias(tree &t, const arne_robot *robot, const observer &observed,
                  const carriers &carrier, const std::vector<int> &body_of_joint)
{
    for (int f = 0; f < arne_robot_sizes(robot).link_count; f++) {
        const int joint = carrier.joint(f);
        if (joint < 0) continue; // welded to the ground
        tree_body &body = t.bodies[body_of_joint[joint]];
        add_link(body, observed.pose(body.frame, f), arne_robot_frame(robot, f));
    }
    for (tree_body &body : t.bodies)
        move_inertia_to_com(body);
}

tree_source make_source(const arne_robot *robot, const arne_joint_info &info, int body)
{
    tree_source s = {info.kind, body, info.q_start, info.v_start, 0, 0, 1, 0, false, identity()};
    if (info.mimic >= 0) {
        const arne_joint_info followed = arne_robot_joint(robot, info.mimic);
        s.q = followed.q_start;
        s.v = followed.v_start;
        s.ratio = info.mimic_ratio;
        if (info.mimic_ratio == 0) throw std::runtime_error("a mimic joint that never moves");
    }
    if (info.kind == ARNE_JOINT_HELICAL) s.pitch = info.pitch;
    return s;
}

void add_joints(tree &t, tree_body &body, tree_source &s, const std::vector<arne_motion> &screw,
                double rotor)
{
    s.tree_q = t.q_count;
    s.tree_v = t.v_count;
    if (s.kind == ARNE_JOINT_BALL || s.kind == ARNE_JOINT_FREE) {
        const size_t k = s.kind == ARNE_JOINT_FREE ? 3 : 0;
        s.turn = {screw[k].ang, screw[k + 1].ang, screw[k + 2].ang};
    }
    body.joints = elementary(s, screw);
    for (tree_joint &joint : body.joints) {
        joint.q = t.q_count;
        joint.v = t.v_count;
        joint.rotor = rotor;
        t.q_count += position_count(joint.type);
        t.v_count += velocity_count(joint.type);
        if (s.kind == ARNE_JOINT_HELICAL) rotor = 0; // it belongs to the turning alone
    }
}

void add_body(tree &t, const arne_robot *robot, observer &observed, int j, int parent,
              bool with_rotor)
{
    const arne_joint_info    info = arne_robot_joint(robot, j);
    const tree_body         *carried_by = parent < 0 ? nullptr : &t.bodies[parent];
    tree_body                body = {arne_robot_frame(robot, info.child).name,
                                     info.child,
                                     parent,
                                     observed.pose(carried_by ? carried_by->frame : -1, info.child),
                                     {},
                                     0,
                                     {0, 0, 0},
                                     {0, 0, 0, 0, 0, 0}};
    tree_source              s = make_source(robot, info, static_cast<int>(t.bodies.size()));
    std::vector<arne_motion> screw;
    for (int k = 0; k < arne_joint_kind_v_count(info.kind); k++) {
        arne_motion m = observed.screw(info.parent, info.child, s.v + k);
        m.lin = scale(1 / s.ratio, m.lin);
        m.ang = scale(1 / s.ratio, m.ang);
        screw.push_back(m);
    }
    s.native_free = info.kind == ARNE_JOINT_FREE && info.parent < 0 && is_identity(body.placement);
    add_joints(t, body, s, screw, with_rotor ? info.rotor_inertia : 0);
    t.sources.push_back(s);
    t.bodies.push_back(body);
}

int furthest_out(const tree &t)
{
    std::vector<int> depth;
    int              best = 0;
    for (const tree_body &body : t.bodies) {
        depth.push_back(body.parent < 0 ? 1 : depth[body.parent] + 1);
        if (depth.back() >= depth[best]) best = static_cast<int>(depth.size()) - 1;
    }
    return best;
}

} // namespace

tree make_tree(const arne_robot *robot, bool with_rotor)
{
    const arne_sizes n = arne_robot_sizes(robot);
    const carriers   carrier(robot, joints_of_links(robot));
    observer         observed(robot);
    std::vector<int> body_of_joint(n.joint_count, -1);

    tree t = {arne_robot_name(robot), arne_robot_gravity(robot), {}, {}, 0, 0, n.v_count, 0, {}};
    for (int j : outward_order(robot, carrier)) {
        const int by = carrier.joint(arne_robot_joint(robot, j).parent);
        body_of_joint[j] = static_cast<int>(t.bodies.size());
        add_body(t, robot, observed, j, by < 0 ? -1 : body_of_joint[by], with_rotor);
    }
    if (t.bodies.empty()) throw std::runtime_error("nothing moves");
    add_inertias(t, robot, observed, carrier, body_of_joint);
    t.tip = furthest_out(t);
    for (int i = 0; i < n.contact_count; i++) {
        const arne_contact_info c = arne_robot_contact(robot, i);
        const int               by = carrier.joint(c.link);
        if (c.shape != ARNE_SHAPE_SPHERE || by < 0) continue;
        const int       body = body_of_joint[by];
        const arne_pose X = mul(observed.pose(t.bodies[body].frame, c.link), c.pose);
        t.spheres.push_back({body, X.p, c.size[0]});
    }
    return t;
}

bool tree::is_serial() const
{
    for (size_t i = 0; i < bodies.size(); i++)
        if (bodies[i].parent != static_cast<int>(i) - 1) return false;
    return true;
}

bool tree::has(joint_type type) const
{
    for (const tree_body &body : bodies)
        for (const tree_joint &joint : body.joints)
            if (joint.type == type) return true;
    return false;
}

bool tree::same_freedoms() const { return v_count == robot_v_count; }

std::vector<int> tree::depth_first() const
{
    std::vector<std::vector<int>> children(bodies.size());
    std::vector<int>              order, waiting;
    for (size_t i = bodies.size(); i-- > 0;) // last first, as they are taken from the end
        (bodies[i].parent < 0 ? waiting : children[bodies[i].parent])
            .push_back(static_cast<int>(i));
    while (!waiting.empty()) {
        const int body = waiting.back();
        waiting.pop_back();
        order.push_back(body);
        waiting.insert(waiting.end(), children[body].begin(), children[body].end());
    }
    return order;
}

std::vector<double> tree_position(const tree &t, const double *q)
{
    std::vector<double> out(t.q_count);
    for (const tree_source &s : t.sources) {
        double       *to = &out[s.tree_q];
        const double *from = q + s.q;
        const int     lengths = s.kind == ARNE_JOINT_FREE ? 3 : 0;
        if (s.kind == ARNE_JOINT_BALL || s.kind == ARNE_JOINT_FREE) {
            for (int k = 0; k < lengths; k++)
                to[k] = from[k];
            const double   *u = from + lengths;
            const arne_vec3 turned = mul(s.turn, arne_vec3{u[0], u[1], u[2]});
            for (int k = 0; k < 3; k++)
                to[lengths + k] = coordinate(turned, k);
            to[lengths + 3] = u[3];
            continue;
        }
        for (int k = 0; k < arne_joint_kind_q_count(s.kind); k++)
            to[k] = s.ratio * from[k];
        if (s.kind == ARNE_JOINT_HELICAL) to[1] = s.pitch * to[0];
    }
    return out;
}

velocity_map::velocity_map(const tree &t, const double *q, const double *v, free_axes axes)
    : rows_(t.v_count), columns_(t.robot_v_count), rate_(t.v_count)
{
    for (const tree_source &s : t.sources)
        add(s, q, v, axes);
}

void velocity_map::add_rotation(int row, int column, const arne_mat3 &R)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            entries_.push_back({row + i, column + k, element(R, i, k)});
}

void velocity_map::add(const tree_source &s, const double *q, const double *v, free_axes axes)
{
    const int row = s.tree_v;
    if (s.kind == ARNE_JOINT_BALL) return add_rotation(row, s.v, s.turn);
    if (s.kind == ARNE_JOINT_FREE) {
        add_rotation(row + 3, s.v + 3, s.turn);
        if (s.native_free && axes == free_axes::body) return add_rotation(row, s.v, identity());
        const arne_mat3 R = rotation(q + s.q + 3);
        const arne_vec3 lin = {v[s.v], v[s.v + 1], v[s.v + 2]};
        const arne_vec3 ang = {v[s.v + 3], v[s.v + 4], v[s.v + 5]};
        const arne_vec3 rate = mul(R, cross(ang, lin));
        add_rotation(row, s.v, R);
        for (int k = 0; k < 3; k++)
            rate_[row + k] = coordinate(rate, k);
        return;
    }
    if (s.kind == ARNE_JOINT_PLANAR) {
        const double c = std::cos(q[s.q + 2]), d = std::sin(q[s.q + 2]), w = v[s.v + 2];
        add_rotation(row, s.v, {{c, d, 0}, {-d, c, 0}, {0, 0, 1}});
        rate_[row] = w * (-d * v[s.v] - c * v[s.v + 1]);
        rate_[row + 1] = w * (c * v[s.v] - d * v[s.v + 1]);
        return;
    }
    for (int k = 0; k < arne_joint_kind_v_count(s.kind); k++)
        entries_.push_back({row + k, s.v + k, s.ratio});
    if (s.kind == ARNE_JOINT_HELICAL) entries_.push_back({row + 1, s.v, s.ratio * s.pitch});
}

std::vector<double> velocity_map::velocity(const double *v) const
{
    std::vector<double> out(rows_);
    for (const entry &e : entries_)
        out[e.row] += e.value * v[e.column];
    return out;
}

std::vector<double> velocity_map::acceleration(const double *a) const
{
    std::vector<double> out = velocity(a);
    for (size_t i = 0; i < out.size(); i++)
        out[i] += rate_[i];
    return out;
}

std::vector<double> velocity_map::torque(const double *tau_tree) const
{
    std::vector<double> out(columns_);
    for (const entry &e : entries_)
        out[e.column] += e.value * tau_tree[e.row];
    return out;
}

std::vector<double> velocity_map::robot_acceleration(const double *a_tree) const
{
    std::vector<double> left(a_tree, a_tree + rows_);
    for (size_t i = 0; i < left.size(); i++)
        left[i] -= rate_[i];
    return torque(left.data());
}

std::vector<double> velocity_map::columns(const std::vector<double> &J_tree, int rows) const
{
    std::vector<double> out(rows * columns_);
    for (int i = 0; i < rows; i++)
        for (const entry &e : entries_)
            out[i * columns_ + e.column] += J_tree[i * rows_ + e.row] * e.value;
    return out;
}

std::vector<double> velocity_map::matrix(const std::vector<double> &M_tree) const
{
    const std::vector<double> MB = columns(M_tree, rows_);
    const size_t              n = columns_;
    std::vector<double>       out(n * n);
    for (const entry &e : entries_)
        for (size_t k = 0; k < n; k++)
            out[e.column * n + k] += e.value * MB[e.row * n + k];
    return out;
}

} // namespace peers

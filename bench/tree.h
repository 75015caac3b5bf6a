// A robot as other libraries see it: bodies behind elementary joints (hinge, slide, ball, free).
//
// The tree is found out from outside, through the public functions alone: where do the links stand
// at zero, and how does each link move against its parent when one velocity is 1? That holds for
// robots of any file format. Nothing but this one configuration is taken on trust; at all others
// poses and velocities are compared as everything else.
//
// A body's pose in its parent is placement exp(S_1 q_1) ... exp(S_k q_k), with the screws S of its
// joints in the body's own frame. A helical joint is a hinge and a slide that move together, a
// universal joint two hinges, a planar one two slides and a hinge, a free joint that is not the
// root's three slides and a ball; a mimic joint is a joint of its own. So the tree has other
// velocities than the robot:
//
//     v_tree = B(q) v,    a_tree = B(q) a + rate(q, v),    tau = B(q)^T tau_tree
#ifndef ARNE_BENCH_TREE_H
#define ARNE_BENCH_TREE_H

#include <arne/arne.h>
#include <string>
#include <vector>

namespace peers
{

enum class joint_type { hinge, slide, ball, free };

struct tree_joint {
    joint_type type;
    arne_vec3  axis;  // hinge, slide: a unit vector in the body's axes
    arne_vec3  point; // hinge, ball: a point of the axis, or the centre, in the body's frame
    int        q, v;  // its first entries among the tree's coordinates
    double     rotor; // reflected inertia
};

struct tree_body {
    std::string             name;
    int                     frame;     // the link whose frame this is
    int                     parent;    // a body that comes before this one, or -1: the ground
    arne_pose               placement; // in the parent, all joints at zero
    std::vector<tree_joint> joints;
    double                  mass; // with all the links that are welded to it
    arne_vec3               com;
    double                  inertia[6]; // xx, yy, zz, xy, xz, yz about the centre of mass
};

// A contact shape of the robot that is a sphere.
struct tree_sphere {
    int       body;
    arne_vec3 centre; // in the body's frame
    double    radius;
};

// How one joint of the robot turns into joints of the tree.
struct tree_source {
    arne_joint_kind kind;
    int             body;
    int             q, v; // of the robot (of the joint that is followed, where it is a mimic joint)
    int             tree_q, tree_v;
    double          ratio;       // of a mimic joint, else 1
    double          pitch;       // of a helical joint, else 0
    bool            native_free; // one joint of type free
    arne_mat3       turn;        // ball and free: body axes from the joint's axes
};

struct tree {
    std::string              name;
    arne_vec3                gravity;
    std::vector<tree_body>   bodies;
    std::vector<tree_source> sources;
    int                      q_count, v_count; // of the tree
    int                      robot_v_count;
    int                      tip; // the body that is furthest out
    std::vector<tree_sphere> spheres;

    bool is_serial() const;
    bool has(joint_type type) const;
    // B is square and orthogonal, so that direct dynamics can be compared too.
    bool same_freedoms() const;
    // The bodies so that every subtree is contiguous, parents first.
    std::vector<int> depth_first() const;
};

// with_rotor: take the reflected inertias along. Throws std::runtime_error where the robot cannot
// be written so.
tree make_tree(const arne_robot *robot, bool with_rotor);

// The tree's coordinates of the configuration q.
std::vector<double> tree_position(const tree &t, const double *q);

// How a free root's linear velocity is written by the peer.
enum class free_axes { world, body };

// B(q) and rate(q, v) of one state; B is sparse, one to three entries in a row.
class velocity_map
{
  public:
    velocity_map(const tree &t, const double *q, const double *v, free_axes axes);

    std::vector<double> velocity(const double *v) const;                 // B v
    std::vector<double> acceleration(const double *a) const;             // B a + rate
    std::vector<double> torque(const double *tau_tree) const;            // B^T tau_tree
    std::vector<double> robot_acceleration(const double *a_tree) const;  // B^T (a_tree - rate)
    std::vector<double> matrix(const std::vector<double> &M_tree) const; // B^T M_tree B
    std::vector<double> columns(const std::vector<double> &J_tree, int rows) const; // J_tree B

  private:
    struct entry {
        int    row, column;
        double value;
    };
    void add(const tree_source &s, const double *q, const double *v, free_axes axes);
    void add_rotation(int row, int column, const arne_mat3 &R);

    int                 rows_, columns_;
    std::vector<entry>  entries_;
    std::vector<double> rate_;
};

} // namespace peers

#endif

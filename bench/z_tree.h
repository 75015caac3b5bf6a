// The tree for libraries whose fastest joints turn about, or slide along, the z axis of the joint's
// own frame: each body is written in its joint's frame instead of its link's.
#ifndef ARNE_BENCH_Z_TREE_H
#define ARNE_BENCH_Z_TREE_H

#include "tree.h"

namespace peers
{

struct z_body {
    int        parent;    // as in the tree
    joint_type type;      // hinge, slide, or free at the root
    arne_pose  placement; // of the joint's frame in the parent's joint frame
    arne_pose  link;      // of the link's frame in the joint's
    double     mass;
    arne_vec3  com;
    arne_mat3  inertia; // about the centre of mass
};

// One for each body of the tree. Throws std::runtime_error where a joint is not one hinge, one
// slide or a free base.
std::vector<z_body> make_z_bodies(const tree &t);

} // namespace peers

#endif

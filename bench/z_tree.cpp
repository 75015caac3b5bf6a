#include "z_tree.h"

#include "algebra.h"
#include <stdexcept>

namespace peers
{
namespace
{

// Some frame at the joint's point with z along its axis.
arne_pose joint_frame(const tree_joint &j)
{
    if (j.type == joint_type::free) return {identity(), {0, 0, 0}};
    const arne_vec3 z = j.axis;
    const arne_vec3 other = std::fabs(z.x) < 0.5 ? arne_vec3{1, 0, 0} : arne_vec3{0, 1, 0};
    const arne_vec3 across = cross(z, other);
    const arne_vec3 y = scale(1 / length(across), across);
    return {{cross(y, z), y, z}, j.point};
}

} // namespace

std::vector<z_body> make_z_bodies(const tree &t)
{
    std::vector<z_body>    out;
    std::vector<arne_pose> frames; // of the joints in their links
    for (const tree_body &b : t.bodies) {
        if (b.joints.size() != 1 || b.joints[0].type == joint_type::ball)
            throw std::runtime_error("only joints of one freedom and free bases are translated");
        const arne_pose frame = joint_frame(b.joints[0]), link = inverse(frame);
        arne_pose       placement = mul(b.placement, frame);
        if (b.parent >= 0) placement = mul(inverse(frames[b.parent]), placement);
        double I[6] = {};
        add_turned(link.R, b.inertia, I);
        out.push_back({b.parent,
                       b.joints[0].type,
                       placement,
                       link,
                       b.mass,
                       add(link.p, mul(link.R, b.com)),
                       {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}});
        frames.push_back(frame);
    }
    return out;
}

} // namespace peers

// Orocos KDL as an oracle, to 1e-9: every robot of robots/ and chains, on a fixed base, without and
// with rotors.
#include "oracle.h"

extern "C" {
#include "random.h"
}

namespace
{

const oracle::library kdl = {peers::make_kdl, 1e-9};

// KDL has no ball joint and no free one. Whatever else is in a random tree can be put together.
bool can_describe(const arne_robot *robot)
{
    for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
        const arne_joint_kind kind = arne_robot_joint(robot, j).kind;
        if (kind == ARNE_JOINT_BALL || kind == ARNE_JOINT_FREE) return false;
    }
    return arne_robot_sizes(robot).v_count > 0;
}

void compare_random_trees(oracle::tally &count)
{
    arne_build_options options = peers::plain_options();
    options.base = ARNE_BASE_FIXED;
    for (uint64_t seed = 0; seed < 200; seed++) {
        arne_builder          *builder = random_tree(seed);
        const peers::robot_ptr robot = peers::finish_robot(builder, options);
        arne_builder_free(builder);
        if (can_describe(robot.get()))
            oracle::compare(kdl, arne_robot_name(robot.get()), robot.get(), false, count);
    }
}

} // namespace

int main()
{
    oracle::tally count;
    for (const std::string &path : peers::all_robot_files(oracle::robots_folder())) {
        arne_build_options fixed = {};
        fixed.base = ARNE_BASE_FIXED;
        if (!can_describe(peers::read_robot(path, fixed).get())) continue;
        for (bool with_rotor : {false, true})
            oracle::compare_file(kdl, path, ARNE_BASE_FIXED, with_rotor, count);
    }
    for (int length : {1, 10, 50})
        oracle::compare(kdl, "chain of " + std::to_string(length),
                        peers::make_chain_robot(length).get(), false, count);
    compare_random_trees(count);
    return oracle::report("KDL", count);
}

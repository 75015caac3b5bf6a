// MuJoCo as an oracle, to 1e-6: every robot of robots/ on a fixed and on a free base, without and
// with rotors, and random trees of every joint kind. A base without mass stays fixed: free, it
// would make the mass matrix singular.
#include "oracle.h"

extern "C" {
#include "random.h"
}

namespace
{

const oracle::library mujoco = {peers::make_mujoco, 1e-6};

bool base_has_mass(const std::string &path)
{
    arne_build_options options = peers::plain_options();
    options.base = ARNE_BASE_FREE;
    const peers::robot_ptr robot = peers::read_robot(path, options);
    return peers::make_tree(robot.get(), false).bodies[0].mass > 0;
}

void compare_random_trees(oracle::tally &count)
{
    arne_build_options options = peers::plain_options();
    for (uint64_t seed = 0; seed < 200; seed++) {
        arne_builder *builder = random_tree(seed);
        options.base = seed % 2 ? ARNE_BASE_FREE : ARNE_BASE_FIXED;
        const peers::robot_ptr robot = peers::finish_robot(builder, options);
        arne_builder_free(builder);
        if (arne_robot_sizes(robot.get()).v_count > 0)
            oracle::compare(mujoco, arne_robot_name(robot.get()), robot.get(), false, count);
    }
}

} // namespace

int main()
{
    oracle::tally count;
    for (const std::string &path : peers::all_robot_files(oracle::robots_folder()))
        for (bool with_rotor : {false, true}) {
            oracle::compare_file(mujoco, path, ARNE_BASE_FIXED, with_rotor, count);
            if (base_has_mass(path))
                oracle::compare_file(mujoco, path, ARNE_BASE_FREE, with_rotor, count);
        }
    for (int length : {1, 10, 50})
        oracle::compare(mujoco, "chain of " + std::to_string(length),
                        peers::make_chain_robot(length).get(), false, count);
    compare_random_trees(count);
    return oracle::report("MuJoCo", count);
}

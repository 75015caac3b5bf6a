// The robots that are timed and compared.
#ifndef ARNE_BENCH_MODELS_H
#define ARNE_BENCH_MODELS_H

#include <arne/arne.h>
#include <memory>
#include <string>
#include <vector>

namespace peers
{

using robot_ptr = std::unique_ptr<arne_robot, void (*)(arne_robot *)>;

// Without friction and rotors, which other libraries leave out, all do the same work.
arne_build_options plain_options();

// All throw std::runtime_error with file, line and rule.
robot_ptr read_robot(const std::string &path, const arne_build_options &options);
robot_ptr finish_robot(const arne_builder *builder, const arne_build_options &options);
// Any number of links on revolute joints, about three axes in turn.
robot_ptr make_chain_robot(int count);

// The same links, each on one that was there before, not far from the last: a tree of chains. Equal
// seeds, equal trees.
robot_ptr make_tree_robot(int count, uint64_t seed);

// robots/NAME.yaml or .urdf; "" where there is none.
std::string find_robot_file(const std::string &folder, const std::string &name);
// Every robot file of a folder, sorted.
std::vector<std::string> all_robot_files(const std::string &folder);

} // namespace peers

#endif

#include "models.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace peers
{
namespace
{

const char *const endings[] = {".yaml", ".yml", ".urdf"};

void check(arne_status status, const arne_error &error)
{
    if (status == ARNE_OK) return;
    std::string text = error.text[0] ? error.text : arne_status_text(status);
    if (error.file[0])
        text = std::string(error.file) + ":" + std::to_string(error.line) + ": " + text;
    throw std::runtime_error(text);
}

} // namespace

arne_build_options plain_options()
{
    arne_build_options options = {};
    options.no_friction = 1;
    options.no_rotor = 1;
    return options;
}

robot_ptr read_robot(const std::string &path, const arne_build_options &options)
{
    arne_robot *robot = nullptr;
    arne_error  error = {};
    check(arne_robot_read(path.c_str(), &options, &robot, &error), error);
    return robot_ptr(robot, arne_robot_free);
}

robot_ptr finish_robot(const arne_builder *builder, const arne_build_options &options)
{
    arne_robot *robot = nullptr;
    arne_error  error = {};
    check(arne_builder_finish(builder, &options, &robot, &error), error);
    return robot_ptr(robot, arne_robot_free);
}

namespace
{

// Link i hangs on link parents[i - 1].
robot_ptr make_from_parents(const std::string &name, const std::vector<int> &parents)
{
    const int              count = static_cast<int>(parents.size());
    static const arne_vec3 axes[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    arne_error             error = {};
    arne_builder          *builder = nullptr;
    check(arne_builder_new(&builder), error);
    const std::unique_ptr<arne_builder, void (*)(arne_builder *)> owner(builder, arne_builder_free);

    check(arne_builder_set_name(builder, name.c_str()), error);
    for (int i = 0; i <= count; i++) {
        const std::string link = "link" + std::to_string(i), joint = "joint" + std::to_string(i),
                          parent = "link" + std::to_string(i ? parents[i - 1] : 0);
        arne_body_spec body = arne_body_spec_default();
        body.name = link.c_str();
        body.mass = 1;
        body.com = {0.05, 0.01, 0.02};
        const double inertia[6] = {2e-3, 3e-3, 4e-3, 1e-4, 2e-4, -1e-4};
        std::copy(inertia, inertia + 6, body.inertia);
        check(arne_builder_add_body(builder, &body, &error), error);
        if (i == 0) continue;
        arne_joint_spec spec = arne_joint_spec_default();
        spec.name = joint.c_str();
        spec.parent = parent.c_str();
        spec.child = link.c_str();
        spec.axis = axes[i % 3];
        spec.origin.p = {0.1, 0, 0.02};
        check(arne_builder_add_joint(builder, &spec, &error), error);
    }
    return finish_robot(builder, plain_options());
}

} // namespace

robot_ptr make_chain_robot(int count)
{
    std::vector<int> parents(count);
    for (int i = 0; i < count; i++)
        parents[i] = i;
    return make_from_parents("chain" + std::to_string(count), parents);
}

robot_ptr make_tree_robot(int count, uint64_t seed)
{
    std::vector<int> parents(count);
    for (int i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u; // Knuth's
        const int back = seed >> 62 ? 0 : static_cast<int>((seed >> 40) % 20);
        parents[i] = std::max(0, i - back);
    }
    return make_from_parents("tree" + std::to_string(count), parents);
}

std::string find_robot_file(const std::string &folder, const std::string &name)
{
    for (const char *ending : endings) {
        const std::string path = folder + "/" + name + ending;
        if (std::filesystem::exists(path)) return path;
    }
    return "";
}

std::vector<std::string> all_robot_files(const std::string &folder)
{
    std::vector<std::string> out;
    for (const auto &file : std::filesystem::directory_iterator(folder))
        for (const char *ending : endings)
            if (file.path().extension() == ending) out.push_back(file.path().string());
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace peers

#include "functions.h"

#include "models.h"

#include <cstdio>
#include <stdexcept>

namespace peers
{
namespace
{

const double spline_aim = 1.15, exponential_aim = 3;

using builder_ptr = std::unique_ptr<arne_builder, void (*)(arne_builder *)>;

void check(arne_status status, const arne_error &error)
{
    if (status != ARNE_OK) throw std::runtime_error(error.text);
}

builder_ptr new_builder()
{
    arne_builder *builder = nullptr;
    check(arne_builder_new(&builder), {});
    return builder_ptr(builder, arne_builder_free);
}

// Vertebrae and neck follow the lowest ones, as their stiffness shares a bend out.
robot_ptr make_human(const std::string &path, bool follows)
{
    static const char *const pairs[][2] = {
        {"S2_flex", "S1_flex"}, {"S2_lat", "S1_lat"}, {"S3_flex", "S1_flex"}, {"S3_lat", "S1_lat"},
        {"S4_flex", "S1_flex"}, {"S4_lat", "S1_lat"}, {"NU_flex", "NL_flex"}, {"NU_lat", "NL_lat"}};
    static const double x[] = {-0.6, -0.3, -0.1, 0, 0.2, 0.4, 0.6};
    static const double y[] = {-0.5, -0.3, -0.08, 0, 0.15, 0.35, 0.4};
    const builder_ptr   builder = new_builder();
    arne_error          error = {};
    check(arne_read(builder.get(), path.c_str(), &error), error);
    for (const auto &pair : pairs) {
        arne_function_spec spec = {};
        spec.joint = pair[0];
        spec.with = pair[1];
        spec.function = arne_function_make(ARNE_FUNCTION_SPLINE, 7, x, y);
        if (follows) check(arne_builder_add_function(builder.get(), &spec, &error), error);
    }
    return finish_robot(builder.get(), plain_options());
}

void add_body(arne_builder *builder, const std::string &name, double mass)
{
    arne_error     error = {};
    arne_body_spec body = arne_body_spec_default();
    body.name = name.c_str();
    body.mass = mass;
    body.com = {0.05 * mass, 0, 0};
    for (int i = 0; i < 3; i++)
        body.inertia[i] = 2e-3 * mass;
    check(arne_builder_add_body(builder, &body, &error), error);
}

void add_joint(arne_builder *builder, const std::string &name, const std::string &parent,
               arne_joint_kind kind)
{
    arne_error      error = {};
    arne_joint_spec joint = arne_joint_spec_default();
    joint.name = joint.child = name.c_str();
    joint.parent = parent.c_str();
    joint.kind = kind;
    if (kind == ARNE_JOINT_EXPONENTIAL)
        joint.rest[0][ARNE_STRAIN_STRETCH] = joint.rest[1][ARNE_STRAIN_STRETCH] = 0.1;
    check(arne_builder_add_joint(builder, &joint, &error), error);
}

// Pieces of a rod that bends both ways and is twisted.
robot_ptr make_exponential_chain(int count)
{
    const builder_ptr builder = new_builder();
    arne_error        error = {};
    std::string       before = "base";
    add_body(builder.get(), before, 0);
    for (int i = 0; i < count; i++) {
        const std::string piece = "piece" + std::to_string(i);
        add_body(builder.get(), piece, 1);
        add_joint(builder.get(), piece, before, ARNE_JOINT_EXPONENTIAL);
        for (arne_strain strain : {ARNE_STRAIN_TWIST, ARNE_STRAIN_BEND_Y, ARNE_STRAIN_BEND_Z}) {
            const std::string      name = piece + "." + std::to_string(strain);
            const arne_strain_spec spec = {piece.c_str(), name.c_str(), strain, {1, 1}, {}};
            add_body(builder.get(), name, 0);
            add_joint(builder.get(), name, "base", ARNE_JOINT_STRAIN);
            check(arne_builder_add_strain(builder.get(), &spec, &error), error);
        }
        before = piece;
    }
    return finish_robot(builder.get(), plain_options());
}

void print_ratio(const char *title, const robot_ptr &robot, const robot_ptr &plain, double aim,
                 effort e)
{
    const algorithm a = algorithm::inverse_dynamics;
    problem         problems[2];
    for (int i = 0; i < 2; i++) {
        problems[i].robot = i ? plain.get() : robot.get();
        problems[i].model = {};
        problems[i].model.bodies.resize(1); // its tip, which is not asked for here
        problems[i].states = random_states(problems[i].robot, state_count, 1);
    }
    const peer_ptr ours = make_arne(problems[0]), other = make_arne(problems[1]);
    const auto     ns = time_in_turn({ours.get(), other.get()}, a, e);
    const double   ratio = median_ratio(*ours, *other, a, e);
    std::printf("  %-62s %8.4g %8.4g   ratio %.2f, aim %.2f%s\n", title, ns[0], ns[1], ratio, aim,
                ratio > aim ? " missed" : "");
}

} // namespace

void print_functions(const std::string &folder, effort e)
{
    const std::string human = find_robot_file(folder, "human");
    std::printf("\nns of inverse dynamics, and the median of ratios\n");
    if (!human.empty())
        print_ratio("human of 55 joints, 8 of which follow by splines, and without",
                    make_human(human, true), make_human(human, false), spline_aim, e);
    print_ratio("20 exponential joints of three strains, and 60 revolute ones",
                make_exponential_chain(20), make_chain_robot(60), exponential_aim, e);
}

} // namespace peers

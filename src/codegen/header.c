#include "codegen/generate.h"
#include "codegen/names.h"
#include <arne/identify.h>
#include <arne/version.h>

void put_signature(buffer *b, const generation *g, arne_algorithm f)
{
    array_info in[MOST_INPUTS], out[MOST_OUTPUTS];
    char       word[FUNCTION_WORD];
    const int  in_count = function_inputs(&g->ask, f, in),
              out_count = function_outputs(&g->ask, f, out);
    put(b, "void %s_%s(", g->prefix, function_word(f, word));
    for (int i = 0; i < in_count; i++)
        put(b, "const %s *%s, ", type_name(g), in[i].name);
    for (int i = 0; i < out_count; i++)
        put(b, "%s%s *%s", i ? ", " : "", type_name(g), out[i].name);
    put(b, ")");
}

static void put_followed(buffer *b, const arne_robot *robot, int joint)
{
    enum { MOST = 16 };
    arne_term terms[MOST];
    const int count = arne_joint_terms(robot, joint, terms, MOST);
    for (int i = 0; i < count && i < MOST; i++)
        put(b, "%s %d", i ? "," : count > 1 ? "follows joints" : "follows joint", terms[i].joint);
    if (arne_robot_joint(robot, joint).function_count) put(b, " by functions");
    if (arne_robot_joint(robot, joint).kind == ARNE_JOINT_EXPONENTIAL) put(b, " and other strains");
    put(b, count > MOST ? ", ...\n" : "\n");
}

static void header_put_joints(buffer *b, const generation *g)
{
    const arne_sizes size = arne_robot_sizes(g->ask.robot);
    char             name[SHOWN_NAME];
    put(b, "//\n// Joints, and their entries of q and of qd, qdd, tau:\n");
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(g->ask.robot, i);
        const char           *passive = g->ask.order && j.passive ? ", passive" : "";
        put(b, "//     %d  %s (%s): ", i, harmless(j.name, name), arne_joint_kind_name(j.kind));
        if (j.mimic >= 0)
            put_followed(b, g->ask.robot, i);
        else if (j.v_count == 0)
            put(b, "none\n");
        else if (j.q_count == 1)
            put(b, "q[%d], qd[%d]%s\n", j.q_start, j.v_start, passive);
        else
            put(b, "q[%d..%d], qd[%d..%d]%s\n", j.q_start, j.q_start + j.q_count - 1, j.v_start,
                j.v_start + j.v_count - 1, passive);
    }
    if (size.theta_count) put(b, "// Motors that drive a joint through a spring, likewise:\n");
    for (int i = 0; i < size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(g->ask.robot, i);
        if (m.v_index >= 0)
            put(b, "//     %s: q[%d], qd[%d]\n", harmless(m.name, name), m.q_index, m.v_index);
    }
}

static void header_put_frames(buffer *b, const generation *g)
{
    const int only = g->ask.options->frame, count = arne_robot_sizes(g->ask.robot).frame_count;
    char      name[SHOWN_NAME];
    put(b, "// Frames:\n");
    for (int i = 0; i < count; i++)
        if (only < 0 || only == i)
            put(b, "//     %d  %s\n", only < 0 ? i : 0,
                harmless(arne_robot_frame(g->ask.robot, i).name, name));
}

static void put_parameters(buffer *b, const generation *g)
{
    const int count = arne_parameter_count(g->ask.robot);
    char      name[SHOWN_NAME], shown[SHOWN_NAME];
    put(b, "// Columns:");
    for (int i = 0; i < count; i++) {
        arne_parameter_name(g->ask.robot, i, name, sizeof name);
        if (i % 5 == 0) put(b, "\n//     %3d ", i);
        put(b, " %s%s", harmless(name, shown), i % 5 < 4 && i + 1 < count ? "," : "");
    }
    put(b, "\n");
}

static void put_arrays(buffer *b, const array_info *a, int count, const char *way)
{
    for (int i = 0; i < count; i++)
        put(b, "// %-8s %s, %d: %s [%s]\n", a[i].name, way, a[i].count, a[i].meaning, a[i].unit);
}

static void put_declaration(buffer *b, const generation *g, int index)
{
    const arne_algorithm        f = g->functions[index];
    const arne_operation_counts c = g->counts[index];
    array_info                  in[MOST_INPUTS], out[MOST_OUTPUTS];
    put(b, "// %s: %s\n//\n", function_info(f)->name, function_info(f)->text);
    put_arrays(b, in, function_inputs(&g->ask, f, in), "in");
    put_arrays(b, out, function_outputs(&g->ask, f, out), "out");
    if (function_info(f)->takes & ARNE_TAKES_FRAME) header_put_frames(b, g);
    if (f == ARNE_ALGORITHM_REGRESSOR) put_parameters(b, g);
    put(b, "// %d multiplications, %d additions, %d divisions, %d square roots, %d sin/cos", c.mul,
        c.add, c.div, c.sqrt, c.sincos);
    if (c.sign) put(b, ", %d signs", c.sign);
    put(b, "\n");
    put_signature(b, g, f);
    put(b, ";\n\n");
}

void write_header(buffer *b, const generation *g)
{
    const arne_sizes size = arne_robot_sizes(g->ask.robot);
    char             name[SHOWN_NAME];
    put(b, "// Straight-line code for the robot %s, made by Arne %s.\n//\n",
        harmless(arne_robot_name(g->ask.robot), name), arne_version());
    put(b,
        "// SI units, radians. Arrays may overlap; nothing is allocated, nothing can fail. q has "
        "%d entries; qd, qdd,\n// tau have %d.\n",
        size.q_count, size.v_count);
    put(b, "// Quaternions are x, y, z, w, of unit length; velocities of free, ball and planar "
           "joints are in body axes.\n");
    if (lanes_of(g) > 1)
        put(b,
            "// %d states at once: every entry of an array is that of %d states, side by side, "
            "entry i "
            "of state s at %d i + s.\n",
            lanes_of(g), lanes_of(g), lanes_of(g));
    if (g->ask.options->base_parameters)
        put(b,
            "// The inertias in the code are base parameters: torques and accelerations are those "
            "of the robot, but no\n// number belongs to one link alone.\n");
    if (g->ask.order)
        put(b,
            "// The robot has loops: q, qd, qdd are of all joints and must obey them; torques are "
            "of "
            "the active joints, zero\n// at the others. At singular configurations results are not "
            "finite.\n");
    header_put_joints(b, g);
    put(b, "#ifndef ARNE_GENERATED_%s_H\n#define ARNE_GENERATED_%s_H\n\n", g->prefix, g->prefix);
    put(b, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    for (int i = 0; i < g->function_count; i++)
        put_declaration(b, g, i);
    put(b, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

void write_cmake(buffer *b, const generation *g)
{
    const char *p = g->prefix;
    put(b, "# Made by Arne %s: the library %s and its self-test.\n", arne_version(), p);
    put(b, "cmake_minimum_required(VERSION 3.16)\nproject(%s LANGUAGES C)\n\n", p);
    put(b, "if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)\n"
           "    set(CMAKE_BUILD_TYPE Release)\nendif()\n");
    put(b, "set(CMAKE_C_STANDARD 99)\n\nadd_library(%s STATIC %s.c %s.h)\n", p, p, p);
    put(b, "target_include_directories(%s PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n", p);
    put(b, "if(UNIX)\n    target_link_libraries(%s PUBLIC m)\nendif()\n\n", p);
    put(b, "enable_testing()\nadd_executable(%s_selftest %s_selftest.c)\n", p, p);
    put(b, "target_link_libraries(%s_selftest PRIVATE %s)\n", p, p);
    put(b, "add_test(NAME %s COMMAND %s_selftest)\n", p, p);
}

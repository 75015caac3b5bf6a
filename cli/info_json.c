#include "info.h"
#include "message.h"
#include "order.h"
#include "print_json.h"

#include <arne/kinematics.h>
#include <stdlib.h>

static void vector(json *j, const char *key, arne_vec3 v)
{
    json_numbers(j, key, (const double[]){v.x, v.y, v.z}, 3);
}

static const char *info_json_name_of(const arne_robot *robot, int frame)
{
    return frame < 0 ? NULL : arne_robot_frame(robot, frame).name;
}

// How much of which joints' motion a joint or a rotor takes up; all of a motor behind a spring is
// its own.
static void terms(json *j, const arne_robot *robot, const char *key, int index,
                  int (*of)(const arne_robot *, int, arne_term *, int))
{
    const int  count = of(robot, index, NULL, 0);
    arne_term *list = need((size_t)count + 1, sizeof *list);
    json_open(j, key, '{');
    for (int i = 0; i < of(robot, index, list, count); i++)
        json_number(j, arne_robot_joint(robot, list[i].joint).name, list[i].ratio);
    json_close(j, '}');
    free(list);
}

static void functions(json *j, const arne_robot *robot, int index)
{
    const int    count = arne_joint_functions(robot, index, NULL, 0);
    arne_follow *list = need((size_t)count + 1, sizeof *list);
    arne_joint_functions(robot, index, list, count);
    json_text(j, "mimic", NULL);
    json_open(j, "functions", '[');
    for (int i = 0; i < count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "joint", arne_robot_joint(robot, list[i].with).name);
        if (list[i].times >= 0) json_text(j, "times", arne_robot_joint(robot, list[i].times).name);
        json_text(j, "kind", arne_function_kind_name(list[i].function.kind));
        json_number(j, "factor", list[i].function.factor);
        if (list[i].function.x) json_numbers(j, "x", list[i].function.x, list[i].function.count);
        if (list[i].function.count)
            json_numbers(j, "y", list[i].function.y, list[i].function.count);
        json_close(j, '}');
    }
    json_close(j, ']');
    free(list);
}

static void joint(json *j, const arne_robot *robot, int index)
{
    const arne_joint_info info = arne_robot_joint(robot, index);
    json_line(j, 3);
    json_open(j, NULL, '{');
    json_text(j, "name", info.name);
    json_text(j, "kind", arne_joint_kind_name(info.kind));
    json_text(j, "parent", info_json_name_of(robot, info.parent));
    json_text(j, "child", info_json_name_of(robot, info.child));
    json_integer(j, "q_start", info.q_count ? info.q_start : -1);
    json_integer(j, "q_count", info.q_count);
    json_integer(j, "v_start", info.v_count ? info.v_start : -1);
    json_integer(j, "v_count", info.v_count);
    vector(j, "axis", info.axis);
    json_number(j, "pitch", info.pitch);
    json_number(j, "lower", info.lower);
    json_number(j, "upper", info.upper);
    json_number(j, "velocity", info.velocity);
    json_number(j, "effort", info.effort);
    json_number(j, "viscous", info.viscous);
    json_number(j, "coulomb_positive", info.coulomb_positive);
    json_number(j, "coulomb_negative", info.coulomb_negative);
    json_number(j, "rotor_inertia", info.rotor_inertia);
    json_boolean(j, "passive", info.passive);
    if (info.function_count) {
        functions(j, robot, index);
    } else if (info.mimic >= 0) {
        json_open(j, "mimic", '{');
        json_text(j, "joint", arne_robot_joint(robot, info.mimic).name);
        json_number(j, "ratio", info.mimic_ratio);
        json_number(j, "offset", info.mimic_offset);
        json_close(j, '}');
    } else {
        json_text(j, "mimic", NULL);
    }
    if (!info.function_count) terms(j, robot, "follows", index, arne_joint_terms);
    json_close(j, '}');
}

static void motor(json *j, const arne_robot *robot, int index)
{
    const arne_motor_info info = arne_robot_motor(robot, index);
    json_line(j, 3);
    json_open(j, NULL, '{');
    json_text(j, "name", info.name);
    json_text(j, "joint", arne_robot_joint(robot, info.joint).name);
    json_text(j, "link", info_json_name_of(robot, info.link));
    vector(j, "axis", info.axis);
    vector(j, "position", info.position);
    json_number(j, "gear", info.gear);
    json_text(j, "rotor", info.reflected ? "reflected" : "full");
    json_number(j, "inertia", info.inertia);
    json_number(j, "transverse", info.transverse);
    json_number(j, "mass", info.mass);
    json_boolean(j, "link_contains_mass", info.mass_included);
    json_boolean(j, "link_contains_inertia", info.inertia_included);
    json_number(j, "stiffness", info.stiffness);
    json_number(j, "damping", info.damping);
    json_number(j, "viscous", info.viscous);
    json_number(j, "coulomb_positive", info.coulomb_positive);
    json_number(j, "coulomb_negative", info.coulomb_negative);
    json_number(j, "effort", info.effort);
    json_number(j, "effort_rate", info.effort_rate);
    terms(j, robot, "turns_with", index, arne_motor_terms);
    json_integer(j, "theta_q", info.q_index);
    json_integer(j, "theta_v", info.v_index);
    json_close(j, '}');
}

static void spring(json *j, const arne_robot *robot, int index)
{
    const arne_spring_info info = arne_robot_spring(robot, index);
    json_line(j, 3);
    json_open(j, NULL, '{');
    json_text(j, "joint", arne_robot_joint(robot, info.joint).name);
    json_number(j, "stiffness", info.stiffness);
    json_number(j, "damping", info.damping);
    json_number(j, "rest", info.rest);
    json_numbers(j, "stiffness_more", info.stiffness_more, 2);
    json_numbers(j, "damping_more", info.damping_more, 2);
    json_close(j, '}');
}

static void loop(json *j, const arne_robot *robot, int index)
{
    const arne_loop_info info = arne_robot_loop(robot, index);
    json_line(j, 3);
    json_open(j, NULL, '{');
    json_text(j, "name", info.name);
    json_text(j, "kind", arne_loop_kind_name(info.kind));
    json_text(j, "predecessor", info_json_name_of(robot, info.frame[0]));
    json_text(j, "successor", info_json_name_of(robot, info.frame[1]));
    json_integer(j, "rows", info.row_count);
    json_number(j, "length", info.length);
    json_close(j, '}');
}

// A list of parts of the robot, each on a line of its own.
static void parts(json *j, const arne_robot *robot, const char *key, int from, int to,
                  void (*part)(json *j, const arne_robot *robot, int index))
{
    json_line(j, 1);
    json_open(j, key, '[');
    for (int i = from; i < to; i++)
        part(j, robot, i);
    json_close(j, ']');
}

static void mobility(json *j, const arne_robot *robot)
{
    loop_facts found;
    if (!arne_robot_sizes(robot).loop_count) return;
    loop_facts_find(robot, &found);
    json_line(j, 1);
    json_open(j, "mobility", '{');
    json_integer(j, "mobility", found.report.mobility);
    json_integer(j, "rows", found.report.rows);
    json_integer(j, "rank", found.report.generic_rank);
    json_integer(j, "redundant", found.report.redundant);
    json_integer(j, "active", found.report.active);
    json_integer(j, "undetermined", found.report.undetermined);
    json_boolean(j, "singular", found.report.singular);
    json_number(j, "condition", found.report.condition);
    json_text(j, "error", found.status == ARNE_OK ? NULL : found.error.text);
    json_close(j, '}');
}

static void link(json *j, const arne_robot *robot, int index)
{
    const arne_frame_info info = arne_robot_frame(robot, index);
    json_line(j, 3);
    json_open(j, NULL, '{');
    json_text(j, "name", info.name);
    json_text(j, "parent", info_json_name_of(robot, info.parent));
    json_integer(j, "body", info.body);
    json_boolean(j, "merged", is_merged(robot, index));
    json_number(j, "mass", info.mass);
    vector(j, "com", info.com);
    json_numbers(j, "inertia", info.inertia, 6);
    if (info.gravity_compensation != 0)
        json_number(j, "gravity_compensation", info.gravity_compensation);
    json_close(j, '}');
}

static void frame(json *j, const arne_robot *robot, int index)
{
    const arne_frame_info info = arne_robot_frame(robot, index);
    json_line(j, 3);
    json_open(j, NULL, '{');
    json_text(j, "name", info.name);
    json_text(j, "link", info_json_name_of(robot, info.parent));
    json_integer(j, "body", info.body);
    json_close(j, '}');
}

static void warning(json *j, const facts *about, const note *n)
{
    json_line(j, 3);
    json_open(j, NULL, '{');
    json_text(j, "rule", n->rule);
    json_text(j, "file", n->file[0] ? n->file : about->path);
    json_integer(j, "line", n->line);
    json_text(j, "text", n->text);
    json_boolean(j, "accepted", n->accepted);
    json_close(j, '}');
}

static void names(json *j, const char *key, char *const *name, int count)
{
    json_line(j, 1);
    json_open(j, key, '[');
    for (int i = 0; i < count; i++)
        json_text(j, NULL, name[i]);
    json_close(j, ']');
}

static void header(json *j, const facts *about)
{
    const arne_robot *robot = about->robot;
    const arne_sizes  sizes = arne_robot_sizes(robot);
    json_line(j, 1);
    json_text(j, "name", arne_robot_name(robot));
    json_text(j, "file", about->path);
    json_text(j, "base", base_name(robot));
    vector(j, "gravity", arne_robot_gravity(robot));
    json_number(j, "mass", arne_total_mass(robot));
    json_number(j, "link_mass", link_mass(robot));
    json_integer(j, "q_count", sizes.q_count);
    json_integer(j, "v_count", sizes.v_count);
    json_integer(j, "body_count", sizes.body_count);
    json_integer(j, "joint_count", sizes.joint_count);
    json_integer(j, "motor_count", sizes.motor_count);
    json_integer(j, "spring_count", sizes.spring_count);
    json_integer(j, "theta_count", sizes.theta_count);
    json_integer(j, "link_count", sizes.link_count);
    json_integer(j, "frame_count", sizes.frame_count);
    ordering order;
    ordering_make(robot, NULL, &order);
    names(j, "q", order.q_name, order.q_count);
    names(j, "v", order.v_name, order.v_count);
    ordering_free(&order);
}

void info_json(const facts *about, FILE *out)
{
    const arne_sizes sizes = arne_robot_sizes(about->robot);
    json             j = json_begin(out);
    json_open(&j, NULL, '{');
    header(&j, about);
    parts(&j, about->robot, "joints", 0, sizes.joint_count, joint);
    parts(&j, about->robot, "motors", 0, sizes.motor_count, motor);
    parts(&j, about->robot, "springs", 0, sizes.spring_count, spring);
    parts(&j, about->robot, "loops", 0, sizes.loop_count, loop);
    mobility(&j, about->robot);
    parts(&j, about->robot, "links", 0, sizes.link_count, link);
    parts(&j, about->robot, "frames", sizes.link_count, sizes.frame_count, frame);
    json_line(&j, 1);
    json_open(&j, "warnings", '[');
    for (int i = 0; i < about->notes->count; i++)
        warning(&j, about, &about->notes->item[i]);
    json_close(&j, ']');
    fputc('\n', out);
    json_close(&j, '}');
    fputc('\n', out);
}

#include "info.h"
#include "print_table.h"

#include <arne/builder.h>
#include <arne/kinematics.h>
#include <arne/report.h>
#include <math.h>
#include <string.h>

const char *base_name(const arne_robot *robot)
{
    static const char *const name[] = {"fixed", "fixed", "prescribed", "free"};
    return name[arne_robot_base(robot)];
}

int is_merged(const arne_robot *robot, int link)
{
    const arne_frame_info info = arne_robot_frame(robot, link);
    return info.parent >= 0 && arne_robot_frame(robot, info.parent).body == info.body;
}

static const char *info_table_name_of(const arne_robot *robot, int frame)
{
    return frame < 0 ? "world" : arne_robot_frame(robot, frame).name;
}

double link_mass(const arne_robot *robot)
{
    double mass = 0;
    for (int i = 0; i < arne_robot_sizes(robot).link_count; i++)
        mass += arne_robot_frame(robot, i).mass;
    for (int i = 0; i < arne_robot_sizes(robot).motor_count; i++) {
        const arne_motor_info motor = arne_robot_motor(robot, i);
        if (!motor.mass_included) mass += motor.mass;
    }
    return mass;
}

int own_joints(const arne_robot *robot)
{
    int count = arne_robot_base(robot) == ARNE_BASE_FREE ? -1 : 0;
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        arne_custom_joint custom;
        count += !arne_joint_custom(robot, i, &custom) || custom.first == i;
    }
    return count;
}

static const char *root_name(const arne_robot *robot)
{
    for (int i = 0; i < arne_robot_sizes(robot).link_count; i++)
        if (arne_robot_frame(robot, i).parent < 0) return arne_robot_frame(robot, i).name;
    return "none";
}

static const char *info_table_plural(int count) { return count == 1 ? "" : "s"; }

// --- the header --------------------------------------------------------------------------------

static void print_header(const facts *about, FILE *out)
{
    const arne_robot *robot = about->robot;
    const arne_sizes  sizes = arne_robot_sizes(robot);
    const arne_vec3   g = arne_robot_gravity(robot);
    const double      moving = arne_total_mass(robot), all = link_mass(robot);
    const int         joints = own_joints(robot);
    char              name[256], path[1024];
    int               merged = 0;
    for (int i = 0; i < sizes.link_count; i++)
        merged += is_merged(robot, i);

    fprintf(out, "%s  (%s)\n", shown(arne_robot_name(robot), name, sizeof name),
            shown(about->path, path, sizeof path));
    fprintf(out, "  base     %s: %s\n", base_name(robot),
            shown(root_name(robot), name, sizeof name));
    fprintf(out, "  gravity  %g %g %g m/s^2\n", g.x, g.y, g.z);
    fprintf(out, "  mass     %.6g kg moves", moving);
    if (fabs(all - moving) > 1e-9 * (1 + fabs(all))) fprintf(out, ", %.6g kg in all links", all);
    fprintf(
        out,
        "\n  size     %d link%s (%d merged), %d joint%s that move%s, q has %d entr%s, qd has %d\n",
        sizes.link_count, info_table_plural(sizes.link_count), merged, joints,
        info_table_plural(joints), joints == 1 ? "s" : "", sizes.q_count,
        sizes.q_count == 1 ? "y" : "ies", sizes.v_count);
}

// --- joints ------------------------------------------------------------------------------------

static int turns(arne_joint_kind kind)
{
    return arne_joint_kind_facts(kind)->limits == ARNE_COORDINATE_ANGLE;
}

static void cell_place(table *t, int start, int count)
{
    if (count == 0)
        table_cell(t, "-");
    else if (count == 1)
        table_cell(t, "%d", start);
    else
        table_cell(t, "%d-%d", start, start + count - 1);
}

// Zeros without a sign.
static void cell_vector(table *t, arne_vec3 v)
{
    table_cell(t, "%.4g %.4g %.4g", v.x + 0.0, v.y + 0.0, v.z + 0.0);
}

static void cell_axis(table *t, const arne_joint_info *j)
{
    // These kinds move about or along more than one axis.
    if (arne_joint_kind_facts(j->kind)->has_axis)
        cell_vector(t, j->axis);
    else
        table_cell(t, "-");
}

static void cell_limit(table *t, double lower, double upper, const char *unit)
{
    if (isfinite(lower) || isfinite(upper))
        table_cell(t, "%.4g .. %.4g %s", lower, upper, unit);
    else
        table_cell(t, "none");
}

static void cell_most(table *t, double most, const char *unit)
{
    if (isfinite(most))
        table_cell(t, "%.4g %s", most, unit);
    else
        table_cell(t, "%s", "");
}

static void cell_value(table *t, double value)
{
    if (value != 0)
        table_cell(t, "%.4g", value);
    else
        table_cell(t, "%s", "");
}

static void cell_coulomb(table *t, double positive, double negative)
{
    if (positive == negative)
        cell_value(t, positive);
    else
        table_cell(t, "+%.4g -%.4g", positive, negative);
}

// "spline(j1) + product(j1, j2)"
static void write_functions(const arne_robot *robot, int joint, char text[600])
{
    enum { MOST = 16 };
    arne_follow f[MOST];
    const int   count = arne_joint_functions(robot, joint, f, MOST);
    size_t      at = strlen(text), size = 600;
    for (int i = 0; i < count && i < MOST && at + 1 < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s(%s%s%s)", i ? " + " : "",
                               arne_function_kind_name(f[i].function.kind),
                               arne_robot_joint(robot, f[i].with).name, f[i].times < 0 ? "" : ", ",
                               f[i].times < 0 ? "" : arne_robot_joint(robot, f[i].times).name);
    if (at + 1 < size && count > MOST) snprintf(text + at, size - at, " + ...");
}

// "2 j1 - 0.5 j2 + 0.1"
static void cell_mimic(table *t, const arne_robot *robot, int joint)
{
    enum { MOST = 16 };
    arne_term    terms[MOST];
    const int    count = arne_joint_terms(robot, joint, terms, MOST);
    const double offset = arne_robot_joint(robot, joint).mimic_offset;
    char         text[600] = "";
    size_t       at = 0;
    for (int i = 0; i < count && i < MOST && at + 1 < sizeof text; i++) {
        const double ratio = terms[i].ratio, size = i ? fabs(ratio) : ratio;
        char         factor[32] = "";
        if (size != 1) snprintf(factor, sizeof factor, "%.4g ", size);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s%s",
                               !i          ? ""
                               : ratio < 0 ? " - "
                                           : " + ",
                               factor, arne_robot_joint(robot, terms[i].joint).name);
    }
    if (at + 1 < sizeof text && count > MOST)
        at += (size_t)snprintf(text + at, sizeof text - at, " + ...");
    if (at + 1 < sizeof text && count && offset != 0)
        snprintf(text + at, sizeof text - at, " %+.4g", offset);
    table_cell(t, "%s", text);
}

// Of a part of a custom joint: its links are not told.
static void joint_row(table *t, const arne_robot *robot, int index, int part)
{
    const arne_joint_info j = arne_robot_joint(robot, index);
    const arne_frame_info child = arne_robot_frame(robot, j.child);
    const int             angle = turns(j.kind);
    cell_place(t, j.q_start, j.q_count);
    cell_place(t, j.v_start, j.v_count);
    table_cell(t, "%s", j.name);
    table_cell(t, "%s", arne_joint_kind_name(j.kind));
    table_cell(t, "%s", part ? "" : info_table_name_of(robot, j.parent));
    table_cell(t, "%s", part ? "" : child.name);
    cell_axis(t, &j);
    cell_value(t, j.pitch);
    cell_limit(t, j.lower, j.upper, angle ? "rad" : "m");
    cell_most(t, j.velocity, angle ? "rad/s" : "m/s");
    cell_most(t, j.effort, angle ? "N m" : "N");
    if (part) {
        table_cell(t, "%s", "");
        table_cell(t, "%s", "");
    } else {
        table_cell(t, "%.5g", child.mass);
        cell_vector(t, child.com);
    }
    cell_value(t, j.viscous);
    cell_coulomb(t, j.coulomb_positive, j.coulomb_negative);
    cell_value(t, j.rotor_inertia);
    char text[600] = "";
    write_functions(robot, index, text);
    if (j.function_count)
        table_cell(t, "%s", text);
    else
        cell_mimic(t, robot, index);
}

// The row of a custom joint, before those of its coordinates: "t1 spline(angle), r2 sine(angle)".
static void custom_row(table *t, const arne_robot *robot, const arne_custom_joint *custom)
{
    const arne_frame_info child =
        arne_robot_frame(robot, arne_robot_joint(robot, custom->last).child);
    char text[600] = "";
    for (int i = custom->first; i <= custom->last; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        const size_t          at = strlen(text), length = strlen(custom->name) + 1;
        arne_custom_joint     other;
        if (!j.function_count || !arne_joint_custom(robot, i, &other)) continue;
        if (other.first != custom->first || strlen(j.name) < length) continue;
        snprintf(text + at, sizeof text - at, "%s%s ", at ? ", " : "", j.name + length);
        write_functions(robot, i, text);
    }
    const char *const cells[] = {
        "-",
        "-",
        custom->name,
        "custom",
        info_table_name_of(robot, arne_robot_joint(robot, custom->first).parent),
        child.name,
        "-",
        "",
        "",
        "",
        ""};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        table_cell(t, "%s", cells[i]);
    table_cell(t, "%.5g", child.mass);
    cell_vector(t, child.com);
    for (int i = 0; i < 3; i++)
        table_cell(t, "%s", "");
    table_cell(t, "%s", text);
}

static int has_losses(const arne_robot *robot, int index)
{
    const arne_joint_info j = arne_robot_joint(robot, index);
    return j.viscous != 0 || j.coulomb_positive != 0 || j.coulomb_negative != 0 ||
           j.rotor_inertia != 0;
}

static void info_table_print_joints(const arne_robot *robot, FILE *out)
{
    static const char *const title[] = {"q",      "qd",      "joint",       "kind",     "parent",
                                        "child",  "axis",    "pitch m/rad", "position", "velocity",
                                        "effort", "mass kg", "com m",       "viscous",  "coulomb",
                                        "rotor",  "follows"};
    enum { TITLES = sizeof title / sizeof title[0] };
    int   losses = 0;
    table t = table_begin("rrlllllrlrrrlrrrl");
    for (int i = 0; i < TITLES; i++)
        table_cell(&t, "%s", title[i]);
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        arne_custom_joint custom;
        const int         part = arne_joint_custom(robot, i, &custom);
        if (part && custom.first == i) custom_row(&t, robot, &custom);
        if (part && !arne_robot_joint(robot, i).q_count) continue;
        joint_row(&t, robot, i, part);
        losses = losses || has_losses(robot, i);
    }
    fprintf(out,
            "\nJoints, in the order of q; mass and centre of mass are those of the child link\n");
    if (losses)
        fprintf(out,
                "(viscous in N m s/rad, coulomb in N m, rotor in kg m^2; N s/m, N and kg where "
                "a joint slides)\n");
    table_print(&t, 2, out);
    table_free(&t);
}

// --- motors and springs ------------------------------------------------------------------------

static void motor_row(table *t, const arne_robot *robot, int index)
{
    const arne_motor_info m = arne_robot_motor(robot, index);
    const arne_joint_info j = arne_robot_joint(robot, m.joint);
    const int             angle = turns(j.kind);
    cell_place(t, m.q_index, m.q_index >= 0);
    cell_place(t, m.v_index, m.v_index >= 0);
    table_cell(t, "%s", m.name);
    table_cell(t, "%s", j.name);
    table_cell(t, "%s", info_table_name_of(robot, m.link));
    cell_vector(t, m.axis);
    cell_vector(t, m.position);
    table_cell(t, "%.6g", m.gear);
    table_cell(t, "%s", m.reflected ? "reflected" : "full");
    table_cell(t, "%.4g%s", m.inertia, m.inertia_included ? " in link" : "");
    table_cell(t, "%.4g%s", m.mass, m.mass_included ? " in link" : "");
    if (isfinite(m.stiffness))
        table_cell(t, "%.6g", m.stiffness);
    else
        table_cell(t, "rigid");
    cell_value(t, m.damping);
    cell_value(t, m.viscous);
    cell_coulomb(t, m.coulomb_positive, m.coulomb_negative);
    cell_most(t, m.effort, angle ? "N m" : "N");
    cell_most(t, m.effort_rate, angle ? "N m/s" : "N/s");
}

static void print_motors(const arne_robot *robot, FILE *out)
{
    static const char *const title[] = {"q",       "qd",      "motor",   "joint",   "link",
                                        "axis",    "place m", "gear",    "rotor",   "inertia",
                                        "mass kg", "stiff",   "damping", "viscous", "coulomb",
                                        "effort",  "its rate"};
    enum { TITLES = sizeof title / sizeof title[0] };
    table t = table_begin("rrlllllrlllrrrrrr");
    for (int i = 0; i < TITLES; i++)
        table_cell(&t, "%s", title[i]);
    for (int i = 0; i < arne_robot_sizes(robot).motor_count; i++)
        motor_row(&t, robot, i);
    if (t.count > t.columns) {
        fprintf(out,
                "\nMotors, counted on the joint's side of the gear but for the rotor's inertia "
                "(kg m^2 about its axis);\nelastic ones have a coordinate theta of their own, "
                "behind those of the joints (stiff in N m/rad or N/m)\n");
        table_print(&t, 2, out);
    }
    table_free(&t);
}

static void print_drive(const arne_robot *robot, int passive, FILE *out)
{
    char name[256];
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.passive == passive && j.v_count)
            fprintf(out, " %s", shown(j.name, name, sizeof name));
    }
    fprintf(out, "\n");
}

static void print_mobility(const arne_robot *robot, FILE *out)
{
    loop_facts found;
    loop_facts_find(robot, &found);
    if (found.status != ARNE_OK) {
        fprintf(out, "  %s\n", found.error.text);
        return;
    }
    const arne_loop_report *r = &found.report;
    fprintf(out,
            "  mobility %d (%d coordinates, %d constraints of rank %d), %d active coordinate%s",
            r->mobility, arne_robot_sizes(robot).v_count, r->rows, r->generic_rank, r->active,
            info_table_plural(r->active));
    if (r->redundant)
        fprintf(out, ", %d redundant constraint%s", r->redundant, info_table_plural(r->redundant));
    if (r->undetermined)
        fprintf(out, "; %d motion%s left undriven", r->undetermined,
                info_table_plural(r->undetermined));
    if (r->active > r->mobility) fprintf(out, "; %d more than needed", r->active - r->mobility);
    fprintf(out, r->singular ? "\n  singular at the start\n" : "\n  condition %.3g at the start\n",
            r->condition);
}

static void print_loops(const arne_robot *robot, FILE *out)
{
    table             t = table_begin("lllllr");
    const char *const title[] = {"loop", "kind", "predecessor", "successor", "rows", "length"};
    const arne_sizes  sizes = arne_robot_sizes(robot);
    for (int i = 0; i < 6; i++)
        table_cell(&t, "%s", title[i]);
    for (int i = 0; i < sizes.loop_count; i++) {
        const arne_loop_info l = arne_robot_loop(robot, i);
        table_cell(&t, "%s", l.name);
        table_cell(&t, "%s", arne_loop_kind_name(l.kind));
        table_cell(&t, "%s", info_table_name_of(robot, l.frame[0]));
        table_cell(&t, "%s", info_table_name_of(robot, l.frame[1]));
        table_cell(&t, "%d", l.row_count);
        cell_value(&t, l.length);
    }
    if (sizes.loop_count) {
        fprintf(out, "\nLoops\n");
        table_print(&t, 2, out);
        fprintf(out, "  active  ");
        print_drive(robot, 0, out);
        fprintf(out, "  passive ");
        print_drive(robot, 1, out);
        print_mobility(robot, out);
    }
    table_free(&t);
}

static void print_springs(const arne_robot *robot, FILE *out)
{
    table             t = table_begin("lrrr");
    const char *const title[] = {"joint", "stiffness", "damping", "rest"};
    for (int i = 0; i < 4; i++)
        table_cell(&t, "%s", title[i]);
    for (int i = 0; i < arne_robot_sizes(robot).spring_count; i++) {
        const arne_spring_info s = arne_robot_spring(robot, i);
        table_cell(&t, "%s", arne_robot_joint(robot, s.joint).name);
        table_cell(&t, "%.6g", s.stiffness);
        table_cell(&t, "%.6g", s.damping);
        table_cell(&t, "%.6g", s.rest);
    }
    if (t.count > t.columns) {
        fprintf(out, "\nSprings on joints\n");
        table_print(&t, 2, out);
    }
    table_free(&t);
}

// --- what has no joint of its own --------------------------------------------------------------

static void print_merged(const arne_robot *robot, FILE *out)
{
    const arne_sizes  sizes = arne_robot_sizes(robot);
    table             t = table_begin("lllrl");
    const char *const title[] = {"link", "on", "moves with body", "mass kg", "com m"};
    for (int i = 0; i < 5; i++)
        table_cell(&t, "%s", title[i]);
    for (int i = 0; i < sizes.link_count; i++) {
        const arne_frame_info f = arne_robot_frame(robot, i);
        if (!is_merged(robot, i)) continue;
        table_cell(&t, "%s", f.name);
        table_cell(&t, "%s", info_table_name_of(robot, f.parent));
        table_cell(&t, "%d", f.body);
        table_cell(&t, "%.5g", f.mass);
        cell_vector(&t, f.com);
    }
    if (t.count > t.columns) {
        fprintf(out,
                "\nLinks merged into the body that carries them (their frames keep their names)\n");
        table_print(&t, 2, out);
    }
    table_free(&t);
}

static void print_frames(const arne_robot *robot, FILE *out)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    table            t = table_begin("ll");
    table_cell(&t, "frame");
    table_cell(&t, "on link");
    for (int i = sizes.link_count; i < sizes.frame_count; i++) {
        const arne_frame_info f = arne_robot_frame(robot, i);
        table_cell(&t, "%s", f.name);
        table_cell(&t, "%s", info_table_name_of(robot, f.parent));
    }
    if (t.count > t.columns) {
        fprintf(out, "\nFrames\n");
        table_print(&t, 2, out);
    }
    table_free(&t);
}

// As --order takes it: every joint once, also where it has several coordinates.
static void print_order(const arne_robot *robot, FILE *out)
{
    char name[256];
    int  count = 0;
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (!j.v_count) continue;
        fprintf(out, "%s%s", count++ ? "," : "\nOrder of q\n  ", shown(j.name, name, sizeof name));
    }
    if (count) fprintf(out, "\n");
}

static void print_notes(const facts *about, FILE *out)
{
    if (about->notes->count) fprintf(out, "\nWarnings\n");
    for (int i = 0; i < about->notes->count; i++) {
        char text[1024];
        note_format(&about->notes->item[i], about->path, text, sizeof text);
        fprintf(out, "  %s%s\n", text,
                about->notes->item[i].accepted ? " (accepted by the file)" : "");
    }
}

void info_table(const facts *about, FILE *out)
{
    print_header(about, out);
    if (arne_robot_sizes(about->robot).joint_count) {
        info_table_print_joints(about->robot, out);
        print_order(about->robot, out);
    }
    print_loops(about->robot, out);
    print_motors(about->robot, out);
    print_springs(about->robot, out);
    print_merged(about->robot, out);
    print_frames(about->robot, out);
    print_notes(about, out);
}

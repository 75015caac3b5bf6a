// The robot as a table of its joints.
#include "report/markup.h"
#include "report/page.h"
#include <arne/builder.h>
#include <arne/kinematics.h>
#include <arne/report.h>
#include <math.h>

static void cell(buffer *b, const char *text)
{
    put(b, "<td>");
    put_text(b, text);
    put(b, "</td>");
}

static void cell_number(buffer *b, double value, const char *unit)
{
    put(b, "<td class=\"num\">");
    if (isfinite(value) && value != 0) {
        put_value(b, value, 4);
        if (*unit) put(b, " <span class=\"unit\">%s</span>", unit);
    }
    put(b, "</td>");
}

static void cell_vector(buffer *b, arne_vec3 v)
{
    const double value[] = {v.x, v.y, v.z};
    put(b, "<td class=\"num\">");
    for (int i = 0; i < 3; i++) {
        put(b, "%s", i ? " " : "");
        put_value(b, fabs(value[i]) < 1e-12 ? 0 : value[i], 3);
    }
    put(b, "</td>");
}

static void cell_range(buffer *b, double low, double high, const char *unit)
{
    put(b, "<td class=\"num\">");
    if (isfinite(low) || isfinite(high)) {
        put_value(b, low, 4);
        put(b, " \u2026 ");
        put_value(b, high, 4);
        put(b, " <span class=\"unit\">%s</span>", unit);
    }
    put(b, "</td>");
}

static void cell_friction(buffer *b, const arne_joint_info *j)
{
    put(b, "<td class=\"num\">");
    if (j->viscous != 0) put_value(b, j->viscous, 3);
    if (j->coulomb_positive != 0 || j->coulomb_negative != 0) {
        put(b, "%s", j->viscous != 0 ? "; " : "");
        put_value(b, j->coulomb_positive, 3);
        if (j->coulomb_positive != j->coulomb_negative) {
            put(b, " / ");
            put_value(b, j->coulomb_negative, 3);
        }
    }
    put(b, "</td>");
}

// Columns that many robots have no use for.
enum { HAS_FRICTION = 1, HAS_ROTOR = 2 };

static int robot_page_columns_of(const arne_robot *robot)
{
    int has = 0;
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.viscous != 0 || j.coulomb_positive != 0 || j.coulomb_negative != 0)
            has |= HAS_FRICTION;
        if (j.rotor_inertia != 0) has |= HAS_ROTOR;
    }
    return has;
}

// The row of a custom joint, before those of its coordinates.
static void put_custom(buffer *b, const arne_robot *robot, const arne_custom_joint *custom, int has)
{
    const int             parent = arne_robot_joint(robot, custom->first).parent;
    const arne_frame_info child =
        arne_robot_frame(robot, arne_robot_joint(robot, custom->last).child);
    put(b, "<tr><th>");
    put_text(b, custom->name);
    put(b, "</th>");
    cell(b, "custom");
    cell(b, parent < 0 ? "world" : arne_robot_frame(robot, parent).name);
    cell(b, child.name);
    for (int i = 0; i < 4; i++)
        cell(b, "");
    cell_number(b, child.mass, "kg");
    cell_vector(b, child.com);
    if (has & HAS_FRICTION) cell(b, "");
    if (has & HAS_ROTOR) cell(b, "");
    put(b, "</tr>\n");
}

static void put_joint(buffer *b, const arne_robot *robot, int index, int has)
{
    const arne_joint_info j = arne_robot_joint(robot, index);
    const arne_frame_info child = arne_robot_frame(robot, j.child);
    arne_custom_joint     custom;
    const int             part = arne_joint_custom(robot, index, &custom);
    if (part && custom.first == index) put_custom(b, robot, &custom, has);
    if (part && !j.q_count) return;
    const arne_joint_kind_info *kind = arne_joint_kind_facts(j.kind);
    const int                   angle = kind->limits == ARNE_COORDINATE_ANGLE;
    put(b, "<tr><th>");
    put_text(b, j.name);
    put(b, "</th>");
    cell(b, kind->name);
    cell(b, part ? "" : j.parent < 0 ? "world" : arne_robot_frame(robot, j.parent).name);
    cell(b, part ? "" : child.name);
    if (kind->has_axis)
        cell_vector(b, j.axis);
    else
        cell(b, "");
    cell_range(b, j.lower, j.upper, angle ? "rad" : "m");
    cell_number(b, j.velocity, angle ? "rad/s" : "m/s");
    cell_number(b, j.effort, angle ? "N m" : "N");
    if (part) {
        cell(b, "");
        cell(b, "");
    } else {
        cell_number(b, child.mass, "kg");
        cell_vector(b, child.com);
    }
    if (has & HAS_FRICTION) cell_friction(b, &j);
    if (has & HAS_ROTOR) cell_number(b, j.rotor_inertia, "");
    put(b, "</tr>\n");
}

static void robot_page_put_facts(buffer *b, const arne_robot *robot)
{
    static const char *const base[] = {"fixed", "fixed", "prescribed", "free"};
    const arne_sizes         sizes = arne_robot_sizes(robot);
    const arne_vec3          g = arne_robot_gravity(robot);
    put(b, "<p class=\"facts\"><span>base <b>%s</b></span><span>mass that moves <b>",
        base[arne_robot_base(robot)]);
    put_value(b, arne_total_mass(robot), 5);
    put(b, " kg</b></span><span>gravity <b>");
    put_value(b, g.x, 4);
    put(b, " ");
    put_value(b, g.y, 4);
    put(b, " ");
    put_value(b, g.z, 4);
    put(b,
        " m/s\u00b2</b></span><span>links <b>%d</b></span><span>coordinates <b>%d</b></span>"
        "<span>velocities <b>%d</b></span></p>\n",
        sizes.link_count, sizes.q_count, sizes.v_count);
}

void page_robot(buffer *b, const arne_robot *robot)
{
    const int count = arne_robot_sizes(robot).joint_count, folded = count > 12;
    const int has = robot_page_columns_of(robot);
    put(b, "<section><h2>Robot: ");
    put_text(b, arne_robot_name(robot));
    put(b, "</h2>\n");
    robot_page_put_facts(b, robot);
    if (folded) put(b, "<details class=\"group\"><summary>Table of %d joints</summary>\n", count);
    put(b, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table of joints\">"
           "<table class=\"joints\"><thead><tr><th>joint</th><th>kind</th>"
           "<th>parent</th><th>child</th><th>axis</th><th>position</th><th>velocity</th>"
           "<th>effort</th><th>mass</th><th>centre of mass [m]</th>");
    if (has & HAS_FRICTION) put(b, "<th>friction: viscous; dry</th>");
    if (has & HAS_ROTOR) put(b, "<th>rotor inertia [kg m\u00b2]</th>");
    put(b, "</tr></thead><tbody>\n");
    for (int i = 0; i < count; i++)
        put_joint(b, robot, i, has);
    put(b, "</tbody></table></div>%s</section>\n", folded ? "</details>" : "");
}

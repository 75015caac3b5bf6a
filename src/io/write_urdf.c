// The URDF of a builder, and what a URDF cannot say. Loops are written as URDF+ has them.
#include "io/write_robot.h"
#include "robot/builder.h"
#include "robot/inertia.h"
#include <float.h>
#include <math.h>
#include <string.h>

// A name with an ending, which makes another name of it.
typedef struct label {
    const char *name, *ending;
} label;

static label plain(const char *name) { return (label){name, ""}; }

static void attribute_label(robot_writer *w, const char *key, label value)
{
    put(&w->out, " %s=\"", key);
    write_xml_text(w, value.name);
    put(&w->out, "%s\"", value.ending);
}

static void attribute(robot_writer *w, const char *key, const char *value)
{
    attribute_label(w, key, plain(value));
}

static void numbers(robot_writer *w, const char *key, int count, const double *x)
{
    put(&w->out, " %s=\"", key);
    write_numbers(w, count, x, " ");
    put(&w->out, "\"");
}

static void write_urdf_number(robot_writer *w, const char *key, double x)
{
    numbers(w, key, 1, &x);
}

static void origin(robot_writer *w, const char *indent, const arne_pose *X)
{
    double rpy[3];
    rotation_to_rpy(&X->R, rpy);
    put(&w->out, "%s<origin", indent);
    numbers(w, "xyz", 3, &X->p.x);
    numbers(w, "rpy", 3, rpy);
    put(&w->out, "/>\n");
}

// ---- links ----

static void inertial_tag(robot_writer *w, const arne_body_spec *s, const double about[6])
{
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const arne_pose          com = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, s->com};
    put(&w->out, "    <inertial>\n");
    origin(w, "      ", &com);
    put(&w->out, "      <mass");
    write_urdf_number(w, "value", s->mass);
    put(&w->out, "/>\n      <inertia");
    for (int k = 0; k < 6; k++)
        write_urdf_number(w, names[k], about[k]);
    put(&w->out, "/>\n    </inertial>\n");
}

static int touches(const robot_writer *w, const char *link)
{
    for (int i = 0; i < w->b->contact_count; i++)
        if (strcmp(w->b->contacts[i].link, link) == 0) return 1;
    return 0;
}

// Points and discs are what a URDF has not; the axis of what is round is z.
static void collision_tag(robot_writer *w, const arne_contact_spec *s)
{
    arne_pose at = s->origin;
    if (s->shape == ARNE_SHAPE_POINT || s->shape == ARNE_SHAPE_DISC) {
        write_lost(w, "the contact %s of link '%s'", arne_shape_name(s->shape), s->link);
        return;
    }
    if (s->friction >= 0) write_lost(w, "the friction of a contact of link '%s'", s->link);
    if (s->shape == ARNE_SHAPE_CAPSULE || s->shape == ARNE_SHAPE_CYLINDER)
        at = contact_spec_pose(s);
    put(&w->out, "    <collision>\n");
    origin(w, "      ", &at);
    put(&w->out, "      <geometry>\n        <%s", arne_shape_name(s->shape));
    if (s->shape == ARNE_SHAPE_BOX) {
        numbers(w, "size", 3, s->size);
    } else {
        write_urdf_number(w, "radius", s->size[0]);
        if (s->shape != ARNE_SHAPE_SPHERE) write_urdf_number(w, "length", s->size[1]);
    }
    put(&w->out, "/>\n      </geometry>\n    </collision>\n");
}

static void link_item(robot_writer *w, const arne_body_spec *s)
{
    double about[6], principal[3];
    int    any = s->mass != 0;
    inertia_about_com(s, about, principal);
    for (int k = 0; k < 6; k++)
        any |= about[k] != 0;
    put(&w->out, "  <link");
    attribute(w, "name", s->name);
    if (!any && !touches(w, s->name)) {
        put(&w->out, "/>\n");
        return;
    }
    put(&w->out, ">\n");
    if (any) inertial_tag(w, s, about);
    for (int i = 0; i < w->b->contact_count; i++)
        if (strcmp(w->b->contacts[i].link, s->name) == 0) collision_tag(w, &w->b->contacts[i]);
    put(&w->out, "  </link>\n");
}
// ---- joints ----

static const char *joint_type(arne_joint_kind kind)
{
    switch (kind) {
    case ARNE_JOINT_FREE:
        return "floating";
    case ARNE_JOINT_BALL:
        return "spherical";
    case ARNE_JOINT_FIXED:
    case ARNE_JOINT_REVOLUTE:
    case ARNE_JOINT_CONTINUOUS:
    case ARNE_JOINT_PRISMATIC:
    case ARNE_JOINT_PLANAR:
        return arne_joint_kind_name(kind);
    default:
        return NULL;
    }
}

// A <limit> must name all of them, and revolute and prismatic joints must have one. What has no
// limit is written as the largest number, which readers take as none.
static void limit_tag(robot_writer *w, const arne_joint_spec *s)
{
    const int ranged = s->kind == ARNE_JOINT_REVOLUTE || s->kind == ARNE_JOINT_PRISMATIC;
    if (!ranged && isinf(s->effort) && isinf(s->velocity)) return;
    put(&w->out, "    <limit");
    if (ranged) write_urdf_number(w, "lower", fmax(s->lower, -DBL_MAX));
    if (ranged) write_urdf_number(w, "upper", fmin(s->upper, DBL_MAX));
    write_urdf_number(w, "effort", fmin(s->effort, DBL_MAX));
    write_urdf_number(w, "velocity", fmin(s->velocity, DBL_MAX));
    put(&w->out, "/>\n");
}

static void dynamics_tag(robot_writer *w, const arne_joint_spec *s)
{
    if (s->coulomb_positive != s->coulomb_negative)
        write_lost(w, "joint '%s': Coulomb friction that differs by direction; the mean is written",
                   s->name);
    const double coulomb = 0.5 * (s->coulomb_positive + s->coulomb_negative);
    if (s->viscous == 0 && coulomb == 0) return;
    put(&w->out, "    <dynamics");
    write_urdf_number(w, "damping", s->viscous);
    write_urdf_number(w, "friction", coulomb);
    put(&w->out, "/>\n");
}

static void mimic_tag(robot_writer *w, const arne_joint_spec *s)
{
    if (!s->mimic) return;
    put(&w->out, "    <mimic");
    attribute(w, "joint", s->mimic);
    write_urdf_number(w, "multiplier", s->mimic_ratio);
    write_urdf_number(w, "offset", s->mimic_offset);
    put(&w->out, "/>\n");
}

static void joint_losses(robot_writer *w, const arne_joint_spec *s)
{
    if (!joint_type(s->kind))
        write_lost(w, "joint '%s' is %s, which a URDF has not: it is written as fixed", s->name,
                   arne_joint_kind_name(s->kind));
    if (s->kind == ARNE_JOINT_BALL)
        write_lost(w, "joint '%s' is spherical, a type that not every reader knows", s->name);
    if (s->rotor_inertia != 0) write_lost(w, "joint '%s': its rotor's inertia", s->name);
    if (s->actuation == ARNE_ACTUATION_PASSIVE && w->b->loop_count == 0)
        write_lost(w, "joint '%s': that nothing drives it", s->name);
    if (s->start != 0) write_lost(w, "joint '%s': where assembly starts", s->name);
}

static void write_urdf_open_joint(robot_writer *w, label name, const char *type, int active,
                                  label parent, label child)
{
    put(&w->out, "  <joint");
    attribute_label(w, "name", name);
    attribute(w, "type", type);
    if (active) put(&w->out, " independent=\"true\"");
    put(&w->out, ">\n    <parent");
    attribute_label(w, "link", parent);
    put(&w->out, "/>\n    <child");
    attribute_label(w, "link", child);
    put(&w->out, "/>\n");
}

static void empty_link(robot_writer *w, label name)
{
    put(&w->out, "  <link");
    attribute_label(w, "name", name);
    put(&w->out, "/>\n");
}

static void fixed_joint(robot_writer *w, label name, label parent, const char *child,
                        const arne_pose *at)
{
    write_urdf_open_joint(w, name, "fixed", 0, parent, plain(child));
    origin(w, "    ", at);
    put(&w->out, "  </joint>\n");
}

// A link whose frame is not its joint's gets an empty link at the joint, and stands on that.
static void write_urdf_joint_item(robot_writer *w, const arne_joint_spec *s)
{
    const char *type = joint_type(s->kind);
    const int   bare =
        is_identity(&s->tip.R) && s->tip.p.x == 0 && s->tip.p.y == 0 && s->tip.p.z == 0;
    const int   active = w->b->loop_count > 0 && s->actuation == ARNE_ACTUATION_ACTIVE;
    const label between = {s->name, "_frame"}, tip = {s->name, "_tip"};
    joint_losses(w, s);
    if (!bare) empty_link(w, between);
    write_urdf_open_joint(w, plain(s->name), type ? type : "fixed", active, plain(s->parent),
                          bare ? plain(s->child) : between);
    origin(w, "    ", &s->origin);
    if (arne_joint_kind_q_count(s->kind) > 0) {
        put(&w->out, "    <axis");
        numbers(w, "xyz", 3, &s->axis.x);
        put(&w->out, "/>\n");
        limit_tag(w, s);
        dynamics_tag(w, s);
        mimic_tag(w, s);
    }
    put(&w->out, "  </joint>\n");
    if (!bare) fixed_joint(w, tip, between, s->child, &s->tip);
}

// A named frame is an empty link on a fixed joint.
static void write_urdf_frame_item(robot_writer *w, const frame_spec *s)
{
    const label          joint = {s->name, "_fixed"};
    const arne_body_spec link = {.name = s->name};
    link_item(w, &link);
    fixed_joint(w, joint, plain(s->body), s->name, &s->pose);
}

// ---- loops ----

static void write_urdf_loop_end(robot_writer *w, const char *tag, const char *link,
                                const arne_pose *X)
{
    put(&w->out, "    <%s", tag);
    attribute(w, "link", link);
    put(&w->out, ">\n");
    origin(w, "      ", X);
    put(&w->out, "    </%s>\n", tag);
}

static void write_urdf_loop_item(robot_writer *w, const arne_loop_spec *s)
{
    put(&w->out, "  <loop");
    attribute(w, "name", s->name);
    attribute(w, "type", arne_loop_kind_name(s->kind));
    if (s->kind == ARNE_LOOP_ROD || s->kind == ARNE_LOOP_ROLLING)
        write_urdf_number(w, "length", s->length);
    put(&w->out, ">\n");
    write_urdf_loop_end(w, "predecessor", s->predecessor, &s->predecessor_origin);
    write_urdf_loop_end(w, "successor", s->successor, &s->successor_origin);
    put(&w->out, "    <axis");
    numbers(w, "xyz", 3, &s->axis.x);
    put(&w->out, "/>\n  </loop>\n");
    if (s->leg.kind != ARNE_LEG_NONE)
        write_lost(w, "loop '%s': that it ends a leg, whose inverse kinematics has a closed form",
                   s->name);
}

static void robot_losses(robot_writer *w)
{
    const arne_builder *b = w->b;
    if (b->gravity.x != 0 || b->gravity.y != 0 || b->gravity.z != -9.81)
        write_lost(w, "gravity (%g, %g, %g)", b->gravity.x, b->gravity.y, b->gravity.z);
    if (b->base != ARNE_BASE_DEFAULT && b->base != ARNE_BASE_FIXED)
        write_lost(w, "that the base is %s", b->base == ARNE_BASE_FREE ? "free" : "prescribed");
    for (int i = 0; i < b->motor_count; i++)
        write_lost(w, "the motor of joint '%s'", b->motors[i].joint);
    for (int i = 0; i < b->coupling_count; i++)
        if (b->couplings[i].joint)
            write_lost(w, "that joint '%s' follows '%s' too", b->couplings[i].joint,
                       b->couplings[i].with);
    for (int i = 0; i < b->body_count; i++)
        if (b->bodies[i].gravity_compensation != 0)
            write_lost(w, "the gravity compensation of link '%s'", b->bodies[i].name);
    for (int i = 0; i < b->spring_count; i++)
        write_lost(w, "the spring on joint '%s'", b->springs[i].joint);
    write_lost_muscles(w);
}

void write_urdf(robot_writer *w)
{
    const arne_builder *b = w->b;
    put(&w->out, "<?xml version=\"1.0\"?>\n<robot");
    attribute(w, "name", b->name);
    put(&w->out, ">\n");
    robot_losses(w);
    for (int i = 0; i < b->body_count; i++)
        link_item(w, &b->bodies[i]);
    for (int i = 0; i < b->joint_count; i++)
        write_urdf_joint_item(w, &b->joints[i]);
    for (int i = 0; i < b->frame_count; i++)
        write_urdf_frame_item(w, &b->frames[i]);
    for (int i = 0; i < b->loop_count; i++)
        write_urdf_loop_item(w, &b->loops[i]);
    put(&w->out, "</robot>\n");
}

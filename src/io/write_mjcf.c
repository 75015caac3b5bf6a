// The MJCF of a builder, as MuJoCo 2.2 and later read it, and what MJCF cannot say.
//
// A body's pose is that of its link at q = 0. Its joints stand in its own frame: with X the pose of
// a joint's frame in the link at q = 0, the anchor is X.p and the axis X.R axis. Links without mass
// between two joints (MuJoCo has none) become several joints of one body.
#include "io/write_mjcf.h"
#include "base/error.h"
#include "io/formats/mjcf.h"
#include "io/principal_axes.h"
#include "robot/builder.h"
#include "robot/inertia.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

static void mjcf_indent(mjcf_writer *m, int depth) { put(&m->w->out, "%*s", 2 * depth + 2, ""); }

void mjcf_text(mjcf_writer *m, const char *key, const char *value)
{
    put(&m->w->out, " %s=\"", key);
    write_xml_text(m->w, value);
    put(&m->w->out, "\"");
}

void mjcf_values(mjcf_writer *m, const char *key, int count, const double *x)
{
    put(&m->w->out, " %s=\"", key);
    write_numbers(m->w, count, x, " ");
    put(&m->w->out, "\"");
}

void mjcf_lost_curve(mjcf_writer *m, const arne_spring_spec *s)
{
    const double *k = s->stiffness_more, *d = s->damping_more;
    if (k[0] != 0 || k[1] != 0 || d[0] != 0 || d[1] != 0)
        write_lost(m->w, "the curve of the spring on joint '%s'", s->joint);
}

void mjcf_value(mjcf_writer *m, const char *key, double x) { mjcf_values(m, key, 1, &x); }

static void mjcf_pose_at(mjcf_writer *m, const arne_pose *X)
{
    double h[4];
    if (X->p.x != 0 || X->p.y != 0 || X->p.z != 0) mjcf_values(m, "pos", 3, &X->p.x);
    if (is_identity(&X->R)) return;
    rotation_to_wxyz(&X->R, h);
    mjcf_values(m, "quat", 4, h);
}

// ---- inertia, by its principal axes: MuJoCo would find them to nine digits only

static void mjcf_inertial(mjcf_writer *m, const arne_body_spec *s, int depth)
{
    double about[6], moments[3];
    if (s->mass == 0) return;
    inertia_about_com(s, about, moments);
    const arne_mat3 J = {{about[0], about[3], about[4]},
                         {about[3], about[1], about[5]},
                         {about[4], about[5], about[2]}};
    arne_pose       X = {rotation_identity(), s->com};
    principal_axes(&J, 1e-17 * moments[2], 0, &X.R);
    moments[0] = vec_dot(X.R.x, rotate(&J, X.R.x));
    moments[1] = vec_dot(X.R.y, rotate(&J, X.R.y));
    moments[2] = vec_dot(X.R.z, rotate(&J, X.R.z));
    if (2 * fmax(moments[0], fmax(moments[1], moments[2])) >
        (1 + 1e-9) * (moments[0] + moments[1] + moments[2]))
        write_lost(m->w, "that link '%s' has an inertia that no body can have: MuJoCo refuses it",
                   s->name);
    mjcf_indent(m, depth);
    put(&m->w->out, "<inertial pos=\"");
    write_numbers(m->w, 3, &s->com.x, " ");
    put(&m->w->out, "\"");
    X.p = (arne_vec3){0, 0, 0};
    mjcf_pose_at(m, &X);
    mjcf_value(m, "mass", s->mass);
    mjcf_values(m, "diaginertia", 3, moments);
    put(&m->w->out, "/>\n");
}

// ---- joints

// Springs and reflected rotors of a joint.
static void mjcf_passive(mjcf_writer *m, const arne_joint_spec *s)
{
    const arne_builder *b = m->w->b;
    double              armature = s->rotor_inertia, damping = s->viscous;
    for (int i = 0; i < b->motor_count; i++)
        if (strcmp(b->motors[i].joint, s->name) == 0) {
            armature += b->motors[i].gear * b->motors[i].gear * b->motors[i].inertia;
            damping += b->motors[i].viscous;
            if ((b->motors[i].inertia != 0 && !b->motors[i].reflected) ||
                isfinite(b->motors[i].stiffness))
                write_lost(m->w, "motor '%s', but for its reflected inertia", b->motors[i].name);
        }
    for (int i = 0; i < b->spring_count; i++)
        if (strcmp(b->springs[i].joint, s->name) == 0) {
            mjcf_value(m, "stiffness", b->springs[i].stiffness);
            if (b->springs[i].rest != 0) mjcf_value(m, "springref", b->springs[i].rest);
            mjcf_lost_curve(m, &b->springs[i]);
            damping += b->springs[i].damping;
        }
    if (damping != 0) mjcf_value(m, "damping", damping);
    if (armature != 0) mjcf_value(m, "armature", armature);
    if (s->coulomb_positive != 0) mjcf_value(m, "frictionloss", s->coulomb_positive);
    if (s->coulomb_positive != s->coulomb_negative)
        write_lost(m->w, "the friction of joint '%s' that differs by direction", s->name);
    if (isfinite(s->velocity)) write_lost(m->w, "the velocity limit of joint '%s'", s->name);
}

static void mjcf_one(mjcf_writer *m, const arne_joint_spec *s, const char *type, const char *ending,
                     const arne_pose *X, arne_vec3 axis, int depth)
{
    const arne_vec3 a = rotate(&X->R, axis);
    mjcf_indent(m, depth);
    put(&m->w->out, "<joint name=\"");
    write_xml_text(m->w, s->name);
    put(&m->w->out, "%s\" type=\"%s\"", ending, type);
    if (X->p.x != 0 || X->p.y != 0 || X->p.z != 0) mjcf_values(m, "pos", 3, &X->p.x);
    if (strcmp(type, "ball") != 0) mjcf_values(m, "axis", 3, &a.x);
    if (strcmp(type, "ball") != 0 && isfinite(s->lower) && isfinite(s->upper)) {
        const double range[2] = {s->lower, s->upper};
        put(&m->w->out, " limited=\"true\"");
        mjcf_values(m, "range", 2, range);
    }
    mjcf_passive(m, s);
    put(&m->w->out, "/>\n");
}

// A free joint stands on the world in MuJoCo.
static int is_on_world(const mjcf_writer *m, const arne_joint_spec *s)
{
    const arne_builder *b = m->w->b;
    return b->base != ARNE_BASE_FREE && strcmp(b->bodies[m->root].name, "world") == 0 &&
           strcmp(s->parent, "world") == 0;
}

// Two slides and a hinge. Their velocities are those of x and y, not in body axes.
static void mjcf_plane(mjcf_writer *m, const arne_joint_spec *s, const arne_pose *X, int depth)
{
    const arne_vec3 n = vec_scale(1 / vec_norm(s->axis), s->axis);
    arne_vec3       x = fabs(n.x) > 0.9 ? (arne_vec3){0, 1, 0} : (arne_vec3){1, 0, 0};
    x = vec_add(x, vec_scale(-vec_dot(x, n), n));
    x = vec_scale(1 / vec_norm(x), x);
    mjcf_one(m, s, "slide", "_x", X, x, depth);
    mjcf_one(m, s, "slide", "_y", X, vec_cross(n, x), depth);
    mjcf_one(m, s, "hinge", "", X, n, depth);
    write_lost(m->w, "joint '%s' is planar: it is two slides and a hinge", s->name);
}

// X: the joint's frame in the body, at q = 0.
static void mjcf_joint_tag(mjcf_writer *m, const arne_joint_spec *s, const arne_pose *X, int depth)
{
    const arne_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    switch ((int)s->kind) {
    case ARNE_JOINT_FIXED:
        return;
    case ARNE_JOINT_REVOLUTE:
    case ARNE_JOINT_CONTINUOUS:
        mjcf_one(m, s, "hinge", "", X, s->axis, depth);
        return;
    case ARNE_JOINT_PRISMATIC:
        mjcf_one(m, s, "slide", "", X, s->axis, depth);
        return;
    case ARNE_JOINT_BALL:
        mjcf_one(m, s, "ball", "", X, z, depth);
        return;
    case ARNE_JOINT_UNIVERSAL:
        mjcf_one(m, s, "hinge", "_x", X, x, depth);
        mjcf_one(m, s, "hinge", "_y", X, y, depth);
        return;
    case ARNE_JOINT_PLANAR:
        mjcf_plane(m, s, X, depth);
        return;
    case ARNE_JOINT_FREE:
        if (!is_on_world(m, s)) {
            mjcf_one(m, s, "slide", "_x", X, x, depth);
            mjcf_one(m, s, "slide", "_y", X, y, depth);
            mjcf_one(m, s, "slide", "_z", X, z, depth);
            mjcf_one(m, s, "ball", "", X, z, depth);
            write_lost(m->w, "joint '%s' is free below another body: it is three slides and a ball",
                       s->name);
            return;
        }
        mjcf_indent(m, depth);
        put(&m->w->out, "<joint type=\"free\"");
        mjcf_text(m, "name", s->name);
        mjcf_passive(m, s);
        put(&m->w->out, "/>\n");
        return;
    default:
        write_lost(m->w, "joint '%s': MJCF has no %s joints; the link is fixed", s->name,
                   arne_joint_kind_name(s->kind));
    }
}

// ---- what is on a link

static void mjcf_sites(mjcf_writer *m, int link, const arne_pose *X, int depth)
{
    const arne_builder *b = m->w->b;
    for (int i = 0; i < b->frame_count; i++) {
        if (strcmp(b->frames[i].body, b->bodies[link].name) != 0) continue;
        const arne_pose at = pose_times(X, &b->frames[i].pose);
        mjcf_indent(m, depth);
        put(&m->w->out, "<site");
        mjcf_text(m, "name", b->frames[i].name);
        mjcf_pose_at(m, &at);
        put(&m->w->out, "/>\n");
    }
}

static void mjcf_shapes(mjcf_writer *m, int link, int depth)
{
    const arne_builder *b = m->w->b;
    for (int i = 0; i < b->contact_count; i++) {
        const arne_contact_spec *s = &b->contacts[i];
        if (strcmp(s->link, b->bodies[link].name) != 0) continue;
        if (s->shape == ARNE_SHAPE_POINT || s->shape == ARNE_SHAPE_DISC) {
            write_lost(m->w, "the contact %s of link '%s'", arne_shape_name(s->shape), s->link);
            continue;
        }
        const arne_pose at = s->shape == ARNE_SHAPE_CAPSULE || s->shape == ARNE_SHAPE_CYLINDER
                                 ? contact_spec_pose(s)
                                 : s->origin;
        const double    half[3] = {s->size[0] / 2, s->size[1] / 2, s->size[2] / 2};
        const double    round[2] = {s->size[0], s->size[1] / 2};
        mjcf_indent(m, depth);
        put(&m->w->out, "<geom type=\"%s\" mass=\"0\"", arne_shape_name(s->shape));
        if (s->shape == ARNE_SHAPE_BOX)
            mjcf_values(m, "size", 3, half);
        else
            mjcf_values(m, "size", s->shape == ARNE_SHAPE_SPHERE ? 1 : 2, round);
        mjcf_pose_at(m, &at);
        if (s->friction >= 0) mjcf_value(m, "friction", s->friction);
        put(&m->w->out, "/>\n");
    }
}

// ---- bodies

static int write_mjcf_joint_above(const mjcf_writer *m, int link)
{
    for (int i = 0; i < m->w->b->joint_count; i++)
        if (m->child[i] == link) return i;
    return -1;
}

// Joints of merged links, from the first on, in the frame of the body.
static void mjcf_joints_above(mjcf_writer *m, int link, const arne_pose *body, int depth)
{
    const int joint = write_mjcf_joint_above(m, link);
    if (joint < 0) return;
    const arne_joint_spec *s = &m->w->b->joints[joint];
    if (m->merged[m->parent[joint]]) mjcf_joints_above(m, m->parent[joint], body, depth);
    const arne_pose frame = pose_times(&m->at_rest[m->parent[joint]], &s->origin),
                    back = pose_inverse(body), X = pose_times(&back, &frame);
    mjcf_joint_tag(m, s, &X, depth);
}

static void mjcf_children(mjcf_writer *m, int link, const arne_pose *parent, int depth);

// parent: the pose of the body around it.
static void mjcf_link(mjcf_writer *m, int link, const arne_pose *parent, int depth)
{
    const arne_pose here = m->at_rest[link], back = pose_inverse(parent);
    const arne_pose X = pose_times(&back, &here), same = pose_identity();
    if (m->merged[link]) {
        mjcf_children(m, link, parent, depth);
        return;
    }
    mjcf_indent(m, depth);
    put(&m->w->out, "<body");
    mjcf_text(m, "name", m->w->b->bodies[link].name);
    mjcf_pose_at(m, &X);
    if (m->w->b->bodies[link].gravity_compensation != 0)
        write_lost(m->w, "the gravity compensation of link '%s': MuJoCo 2.2 has none",
                   m->w->b->bodies[link].name);
    put(&m->w->out, ">\n");
    mjcf_inertial(m, &m->w->b->bodies[link], depth + 1);
    if (link == m->root && m->w->b->base == ARNE_BASE_FREE) {
        mjcf_indent(m, depth + 1);
        put(&m->w->out, "<freejoint/>\n");
    }
    mjcf_joints_above(m, link, &here, depth + 1);
    mjcf_shapes(m, link, depth + 1);
    mjcf_sites(m, link, &same, depth + 1);
    mjcf_children(m, link, &here, depth + 1);
    mjcf_indent(m, depth);
    put(&m->w->out, "</body>\n");
}

static void mjcf_children(mjcf_writer *m, int link, const arne_pose *parent, int depth)
{
    for (int i = 0; i < m->w->b->joint_count; i++)
        if (m->parent[i] == link && !mjcf_is_tendon(m, i)) mjcf_link(m, m->child[i], parent, depth);
}

// ---- the tree

static int is_tied(const arne_builder *b, const char *link)
{
    for (int i = 0; i < b->contact_count; i++)
        if (strcmp(b->contacts[i].link, link) == 0) return 1;
    for (int i = 0; i < b->loop_count; i++)
        if (strcmp(b->loops[i].predecessor, link) == 0 || strcmp(b->loops[i].successor, link) == 0)
            return 1;
    return 0;
}

// A link without mass that only carries one other, by a joint that moves.
static int write_mjcf_is_merged(const mjcf_writer *m, int link)
{
    const arne_builder   *b = m->w->b;
    const arne_body_spec *s = &b->bodies[link];
    int                   below = -1, count = 0;
    for (int i = 0; i < b->joint_count; i++)
        if (m->parent[i] == link) {
            below = i;
            count++;
        }
    const int above = write_mjcf_joint_above(m, link);
    if (s->mass != 0 || s->inertia[0] != 0 || count != 1 || above < 0 || is_tied(b, s->name))
        return 0;
    const arne_joint_kind up = b->joints[above].kind, down = b->joints[below].kind;
    return up != ARNE_JOINT_FIXED && down != ARNE_JOINT_FIXED && up != ARNE_JOINT_FREE &&
           down != ARNE_JOINT_FREE;
}

static int write_mjcf_find_link(const arne_builder *b, const char *name)
{
    return name_index_find(&b->body_index, name);
}

// Poses at q = 0, from the root outward.
static void place_links(mjcf_writer *m, int link, const arne_pose *X)
{
    m->at_rest[link] = *X;
    for (int i = 0; i < m->w->b->joint_count; i++) {
        if (m->parent[i] != link) continue;
        const arne_joint_spec *s = &m->w->b->joints[i];
        arne_pose              Y = pose_times(X, &s->origin);
        Y = pose_times(&Y, &s->tip);
        place_links(m, m->child[i], &Y);
    }
}

static int take_tree(mjcf_writer *m)
{
    const arne_builder *b = m->w->b;
    const arne_pose     world = pose_identity();
    const size_t        joints = (size_t)b->joint_count + 1, links = (size_t)b->body_count + 1;
    m->parent = calloc(joints, sizeof *m->parent);
    m->child = calloc(joints, sizeof *m->child);
    m->merged = calloc(links, sizeof *m->merged);
    m->at_rest = calloc(links, sizeof *m->at_rest);
    if (!m->parent || !m->child || !m->merged || !m->at_rest) return 0;
    for (int i = 0; i < b->joint_count; i++) {
        m->parent[i] = write_mjcf_find_link(b, b->joints[i].parent);
        m->child[i] = write_mjcf_find_link(b, b->joints[i].child);
    }
    m->root = 0;
    for (int i = write_mjcf_joint_above(m, 0); i >= 0; i = write_mjcf_joint_above(m, m->root))
        m->root = m->parent[i];
    place_links(m, m->root, &world);
    for (int i = 0; i < b->body_count; i++)
        m->merged[i] = write_mjcf_is_merged(m, i);
    return 1;
}

// ---- the file

static void mjcf_world_body(mjcf_writer *m)
{
    const arne_builder *b = m->w->b;
    const arne_pose     world = pose_identity();
    const int           is_world = strcmp(b->bodies[m->root].name, "world") == 0 &&
                         b->bodies[m->root].mass == 0 && b->base != ARNE_BASE_FREE;
    put(&m->w->out, "  <worldbody>\n");
    if (is_world) {
        mjcf_sites(m, m->root, &world, 1);
        mjcf_children(m, m->root, &world, 1);
    } else {
        mjcf_link(m, m->root, &world, 1);
    }
    put(&m->w->out, "  </worldbody>\n");
}

static void mjcf_other_losses(mjcf_writer *m)
{
    const arne_builder *b = m->w->b;
    for (int i = 0; i < b->frame_count; i++)
        if (m->merged[write_mjcf_find_link(b, b->frames[i].body)])
            write_lost(m->w, "frame '%s', between two joints", b->frames[i].name);
    if (b->base == ARNE_BASE_PRESCRIBED)
        write_lost(m->w, "that the base is prescribed: it is fixed");
    for (int i = 0; i < b->body_count; i++)
        if (b->bodies[i].flexible.segments)
            write_lost(m->w, "link '%s' bends; it is written without mass", b->bodies[i].name);
    for (int i = 0; i < b->coupling_count; i++)
        if (b->couplings[i].motor)
            write_lost(m->w, "that motor '%s' turns with several joints", b->couplings[i].motor);
}

void write_mjcf(robot_writer *w)
{
    mjcf_writer m = {.w = w};
    if (!take_tree(&m)) {
        w->out.failed = 1;
    } else {
        put(&w->out, "<mujoco");
        mjcf_text(&m, "model", w->b->name);
        put(&w->out, ">\n  <compiler angle=\"radian\"/>\n  <option");
        mjcf_values(&m, "gravity", 3, &w->b->gravity.x);
        put(&w->out, "/>\n");
        mjcf_world_body(&m);
        mjcf_write_tendons(&m);
        mjcf_write_equality(&m);
        mjcf_write_motors(&m);
        put(&w->out, "</mujoco>\n");
        mjcf_other_losses(&m);
        write_lost_muscles(w);
    }
    free(m.parent);
    free(m.child);
    free(m.merged);
    free(m.at_rest);
}

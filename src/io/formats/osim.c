#include "io/formats/osim.h"

#include "base/error.h"
#include "base/name_index.h"
#include "base/plain.h"
#include "io/pose_math.h"
#include "robot/builder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;
enum { VERSION_FIRST = 20303, VERSION_LAST = 40600 };

// ---- bodies

static arne_body_spec osim_body_spec(osim *o, const xml_node *node)
{
    static const char *const names[6] = {"inertia_xx", "inertia_yy", "inertia_zz",
                                         "inertia_xy", "inertia_xz", "inertia_yz"};
    arne_body_spec           spec = arne_body_spec_default();
    double                   com[3] = {0};
    spec.name = osim_name(o, node);
    spec.place = (arne_place){node->file, node->line};
    osim_numbers(o, node, "mass", 1, &spec.mass);
    osim_numbers(o, node, "mass_center", 3, com);
    spec.com = (arne_vec3){com[0], com[1], com[2]};
    if (!osim_numbers(o, node, "inertia", 6, spec.inertia))
        for (int i = 0; i < 6; i++)
            osim_numbers(o, node, names[i], 1, &spec.inertia[i]);
    return spec;
}

// The ground is the root; old files list it as a body.
static void osim_bodies_add(osim *o)
{
    arne_body_spec ground = arne_body_spec_default();
    ground.name = "ground";
    ground.place = (arne_place){o->model->file, o->model->line};
    osim_added(o, o->model, arne_builder_add_body(o->reader->builder, &ground, o->reader->error));
    osim_child(o->model, "Ground");
    for (const xml_node *c = osim_items(o->model, "BodySet"); c; c = c->next) {
        if (strcmp(c->tag, "Body") != 0) continue;
        const arne_body_spec spec = osim_body_spec(o, c);
        if (!*spec.name || strcmp(spec.name, "ground") == 0) continue;
        osim_added(o, c, arne_builder_add_body(o->reader->builder, &spec, o->reader->error));
        if (o->reader->looks) osim_looks_add(o, c, spec.name);
    }
}

// ---- markers: frames of their names

static void osim_markers_add(osim *o)
{
    arne_builder *b = o->reader->builder;
    for (const xml_node *c = osim_items(o->model, "MarkerSet"); c; c = c->next) {
        const char *body, *name;
        arne_pose   pose;
        double      p[3] = {0};
        char        other[300];
        if (strcmp(c->tag, "Marker") != 0) continue;
        name = osim_name(o, c);
        osim_numbers(o, c, "location", 3, p);
        if (!osim_frame(o, c, osim_socket(o, c, "parent_frame", "body"), &body, &pose)) continue;
        pose.p = vec_add(pose.p, rotate(&pose.R, (arne_vec3){p[0], p[1], p[2]}));
        pose.R = rotation_identity();
        if (o->reader->looks) osim_looks_marker(o, c, body, &pose);
        snprintf(other, sizeof other, "%.240s.marker", name);
        if (name_index_find(&b->body_index, name) >= 0) name = other;
        osim_added(o, c,
                   arne_builder_add_frame(b, name, body, &pose, (arne_place){c->file, c->line},
                                          o->reader->error));
    }
}

// ---- forces of coordinates

static void osim_spring_add(osim *o, const xml_node *node)
{
    arne_spring_spec spec = arne_spring_spec_default();
    ((xml_node *)node)->used = 1;
    spec.joint = osim_coordinate_name(o, node, "coordinate");
    spec.place = (arne_place){node->file, node->line};
    osim_numbers(o, node, "stiffness", 1, &spec.stiffness);
    osim_numbers(o, node, "viscosity", 1, &spec.damping);
    osim_numbers(o, node, "rest_length", 1, &spec.rest);
    if (!spec.joint) return osim_fail(o, node, "<%s> names no coordinate", node->tag);
    osim_added(o, node, arne_builder_add_spring(o->reader->builder, &spec, o->reader->error));
}

// Rotations are in degrees. Stiffness grows from a limit on by a step over `transition`.
static void osim_limit_add(osim *o, const xml_node *node)
{
    arne_muscle_spec spec = arne_muscle_spec_default(ARNE_MUSCLE_LIMIT);
    arne_muscle_law *law = &spec.law;
    arne_joint_spec  joint;
    ((xml_node *)node)->used = 1;
    spec.name = osim_name(o, node);
    spec.place = (arne_place){node->file, node->line};
    spec.joint = osim_coordinate_name(o, node, "coordinate");
    osim_numbers(o, node, "lower_limit", 1, &law->limits[0]);
    osim_numbers(o, node, "upper_limit", 1, &law->limits[1]);
    osim_numbers(o, node, "lower_stiffness", 1, &law->limit_stiffness[0]);
    osim_numbers(o, node, "upper_stiffness", 1, &law->limit_stiffness[1]);
    osim_numbers(o, node, "damping", 1, &law->damping);
    osim_numbers(o, node, "transition", 1, &law->transition);
    if (!spec.joint || arne_builder_get_joint(o->reader->builder, spec.joint, &joint) != ARNE_OK)
        return osim_fail(o, node, "<%s>: there is no coordinate '%s'", node->tag,
                         spec.joint ? spec.joint : "");
    const double unit = joint.kind == ARNE_JOINT_PRISMATIC ? 1 : DEGREE;
    for (int k = 0; k < 2; k++) {
        law->limits[k] *= unit;
        law->limit_stiffness[k] /= unit;
    }
    law->damping /= unit;
    law->transition *= unit;
    osim_added(o, node, arne_builder_add_muscle(o->reader->builder, &spec, o->reader->error));
}

// Largest torque: optimal force times the largest control.
static void osim_actuator_add(osim *o, const xml_node *node)
{
    double          force = 1;
    arne_joint_spec joint;
    const char     *name = osim_coordinate_name(o, node, "coordinate");
    ((xml_node *)node)->used = 1;
    osim_numbers(o, node, "optimal_force", 1, &force);
    const double most = fabs(force) * fmax(fabs(osim_finite(o, node, "min_control", -INFINITY)),
                                           fabs(osim_finite(o, node, "max_control", INFINITY)));
    if (!name || arne_builder_get_joint(o->reader->builder, name, &joint) != ARNE_OK)
        return osim_fail(o, node, "<%s>: there is no coordinate '%s'", node->tag, name ? name : "");
    if (!isfinite(most)) return;
    joint.effort = most;
    osim_added(o, node, arne_builder_set_joint(o->reader->builder, &joint, o->reader->error));
}

static void osim_forces_add(osim *o)
{
    for (const xml_node *c = osim_items(o->model, "ForceSet"); c; c = c->next)
        if (strcmp(c->tag, "SpringGeneralizedForce") == 0 && !osim_is_off(o, c))
            osim_spring_add(o, c);
        else if (strcmp(c->tag, "CoordinateActuator") == 0 && !osim_is_off(o, c))
            osim_actuator_add(o, c);
}

static void osim_limits_add(osim *o)
{
    for (const xml_node *c = osim_items(o->model, "ForceSet"); c; c = c->next)
        if (strcmp(c->tag, "CoordinateLimitForce") == 0 && !osim_is_off(o, c)) osim_limit_add(o, c);
}

// ---- the file

static void osim_model(osim *o)
{
    double      g[3] = {0, -9.80665, 0};
    const char *name = xml_node_get(o->model, "name");
    osim_numbers(o, o->model, "gravity", 3, g);
    osim_check(o, arne_builder_set_gravity(o->reader->builder, (arne_vec3){g[0], g[1], g[2]}));
    if (name && *name) osim_check(o, arne_builder_set_name(o->reader->builder, name));
    osim_bodies_add(o);
    if (status_goes_on(o->status)) osim_joints_add(o);
    if (status_goes_on(o->status)) osim_couplers_add(o);
    if (status_goes_on(o->status)) osim_markers_add(o);
    if (status_goes_on(o->status)) osim_contacts_add(o);
    if (status_goes_on(o->status)) osim_forces_add(o);
    if (status_goes_on(o->status)) osim_muscles_add(o);
    if (status_goes_on(o->status)) osim_limits_add(o);
    if (status_goes_on(o->status)) osim_tell_unused(o);
}

static void osim_check_version(osim *o, const xml_node *root)
{
    const char *text = xml_node_get(root, "Version");
    const int   version = text ? atoi(text) : 0;
    if (version < VERSION_FIRST)
        osim_fail(o, root,
                  "file version '%s' is not read (%d to %d are; OpenSim 3.0 or later can "
                  "save the model anew)",
                  text ? text : "", VERSION_FIRST, VERSION_LAST);
    else if (version > VERSION_LAST)
        osim_check(o, xml_node_warn(o->reader, "version", root,
                                    "file version %s is newer than %d, the last one that is known",
                                    text, VERSION_LAST));
}

arne_status osim_read(reader *r, const char *text, size_t size)
{
    osim o = {.reader = r};
    o.status = xml_tree_parse(r, text, size, &o.tree);
    const xml_node *root = o.status ? NULL : o.tree.root;
    if (root && strcmp(root->tag, "OpenSimDocument") != 0) {
        osim_fail(&o, root, "this is no model of OpenSim: it starts with <%s>", root->tag);
    } else if (root) {
        o.model = xml_node_child(root, "Model");
        if (!o.model)
            osim_fail(&o, root, "this file of OpenSim has no <Model>%s%s%s",
                      root->first ? ", but a <" : "", root->first ? root->first->tag : "",
                      root->first ? ">" : "");
        else
            osim_check_version(&o, root);
    }
    if (o.model && !o.status) osim_model(&o);
    if (o.status) r->builder->incomplete = 1;
    xml_tree_free(&o.tree);
    return o.status;
}

format_match osim_recognise(const format_sample *sample)
{
    return strcmp(sample->root, "OpenSimDocument") == 0 ? FORMAT_CERTAIN : FORMAT_NO;
}

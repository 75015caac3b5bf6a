// Links of SDF: inertia, and what is drawn and touches.
#include "io/formats/sdf.h"

#include "base/error.h"
#include "io/visual.h"
#include "robot/builder.h"
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ---- shapes

typedef struct sdf_shape {
    visual_kind kind;
    double      size[3];
    const char *mesh;
} sdf_shape;

static int sdf_link_read_shape(sdf *s, const xml_node *around, sdf_shape *out)
{
    const xml_node *geometry = xml_node_child(around, "geometry");
    const xml_node *node = NULL;
    *out = (sdf_shape){.size = {1, 1, 1}};
    if (geometry && (node = xml_node_child(geometry, "box"))) {
        out->kind = VISUAL_BOX;
        sdf_numbers(s, node, "size", 3, out->size);
    } else if (geometry && (node = xml_node_child(geometry, "sphere"))) {
        out->kind = VISUAL_SPHERE;
        sdf_numbers(s, node, "radius", 1, out->size);
    } else if (geometry && ((node = xml_node_child(geometry, "cylinder")) ||
                            (node = xml_node_child(geometry, "capsule")))) {
        out->kind = strcmp(node->tag, "capsule") == 0 ? VISUAL_CAPSULE : VISUAL_CYLINDER;
        sdf_numbers(s, node, "radius", 1, &out->size[0]);
        sdf_numbers(s, node, "length", 1, &out->size[1]);
    } else if (geometry && (node = xml_node_child(geometry, "mesh"))) {
        out->kind = VISUAL_MESH;
        out->mesh = sdf_text(s, node, "uri");
        sdf_numbers(s, node, "scale", 3, out->size);
    }
    return node != NULL && (out->kind != VISUAL_MESH || out->mesh);
}

static void add_visuals(sdf *s, const sdf_item *link)
{
    sdf_shape shape;
    for (const xml_node *c = xml_node_child(link->node, "visual"); c; c = xml_node_again(c)) {
        const xml_node *material = xml_node_child(c, "material");
        if (!sdf_link_read_shape(s, c, &shape)) continue;
        visual *v = visuals_add(s->reader->looks, link->full, c->file);
        if (v && shape.mesh) v->mesh = visual_text(shape.mesh);
        if (!v || (shape.mesh && !v->mesh)) return sdf_check(s, arne_fail_memory(s->reader->error));
        v->kind = shape.kind;
        memcpy(v->size, shape.size, sizeof v->size);
        v->at = sdf_pose_read(s, c);
        v->line = c->line;
        v->colour[3] = 1;
        v->has_colour = material && xml_node_child(material, "diffuse");
        if (v->has_colour) sdf_numbers(s, material, "diffuse", 4, v->colour);
    }
}

static void sdf_link_add_contacts(sdf *s, const sdf_item *link)
{
    static const arne_shape shapes[] = {[VISUAL_BOX] = ARNE_SHAPE_BOX,
                                        [VISUAL_CYLINDER] = ARNE_SHAPE_CYLINDER,
                                        [VISUAL_SPHERE] = ARNE_SHAPE_SPHERE,
                                        [VISUAL_CAPSULE] = ARNE_SHAPE_CAPSULE};
    sdf_shape               shape;
    for (const xml_node *c = xml_node_child(link->node, "collision"); c; c = xml_node_again(c)) {
        if (!sdf_link_read_shape(s, c, &shape) || shape.kind == VISUAL_MESH) continue;
        if (!(shape.size[0] > 0 && shape.size[1] > 0 && shape.size[2] > 0)) continue;
        arne_contact_spec spec = arne_contact_spec_default();
        spec.link = link->full;
        spec.shape = shapes[shape.kind];
        memcpy(spec.size, shape.size, sizeof spec.size);
        spec.origin = sdf_pose_read(s, c);
        spec.place = (arne_place){c->file, c->line};
        sdf_check(s, arne_reader_check(
                         s->reader,
                         arne_builder_add_contact(s->reader->builder, &spec, s->reader->error),
                         c->line));
    }
}

// ---- inertia

// Mass 1 density and moments of inertia of a solid, about its centre and in its own axes.
static double solid(const sdf_shape *shape, double I[3])
{
    const double *d = shape->size, r = d[0], l = d[1];
    double        m = 0;
    if (shape->kind == VISUAL_BOX) {
        m = d[0] * d[1] * d[2];
        for (int i = 0; i < 3; i++)
            I[i] = m / 12 * (d[(i + 1) % 3] * d[(i + 1) % 3] + d[(i + 2) % 3] * d[(i + 2) % 3]);
    } else if (shape->kind == VISUAL_SPHERE) {
        m = 4 * pi / 3 * r * r * r;
        I[0] = I[1] = I[2] = 0.4 * m * r * r;
    } else if (shape->kind == VISUAL_CYLINDER) {
        m = pi * r * r * l;
        I[0] = I[1] = m * (3 * r * r + l * l) / 12;
        I[2] = m * r * r / 2;
    } else if (shape->kind == VISUAL_CAPSULE) { // a cylinder and two half spheres
        const double rod = pi * r * r * l, ball = 4 * pi / 3 * r * r * r;
        m = rod + ball;
        I[0] = I[1] =
            rod * (3 * r * r + l * l) / 12 + ball * (0.4 * r * r + l * l / 4 + 3 * l * r / 8);
        I[2] = rod * r * r / 2 + 0.4 * ball * r * r;
    }
    return m;
}

// R diag(I) R^T + m (|p|^2 - p p^T), added to xx, yy, zz, xy, xz, yz.
static void add_inertia(double out[6], const double I[3], double m, const arne_pose *at)
{
    const double     p[3] = {at->p.x, at->p.y, at->p.z};
    const arne_vec3  columns[3] = {at->R.x, at->R.y, at->R.z};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        const int i = row[k], j = column[k];
        for (int c = 0; c < 3; c++) {
            const double v[3] = {columns[c].x, columns[c].y, columns[c].z};
            out[k] += v[i] * I[c] * v[j];
        }
        out[k] += m * ((i == j ? p[0] * p[0] + p[1] * p[1] + p[2] * p[2] : 0) - p[i] * p[j]);
    }
}

// <inertial auto="true">: of the collisions, by their density [kg/m^3].
static void auto_inertia(sdf *s, const sdf_item *link, const xml_node *inertial,
                         arne_body_spec *body)
{
    double common = 1000, moment[3] = {0};
    body->mass = 0;
    memset(body->inertia, 0, sizeof body->inertia);
    body->about_origin = 1;
    sdf_numbers(s, inertial, "density", 1, &common);
    for (const xml_node *c = xml_node_child(link->node, "collision"); c; c = xml_node_again(c)) {
        sdf_shape shape;
        double    I[3] = {0}, density = common;
        sdf_numbers(s, c, "density", 1, &density);
        const double volume = sdf_link_read_shape(s, c, &shape) ? solid(&shape, I) : 0,
                     m = density * volume;
        if (!(volume > 0)) {
            sdf_check(s, xml_node_warn(s->reader, "unknown", c,
                                       "link '%s': this shape does not count for its inertia",
                                       link->full));
            continue;
        }
        const arne_pose at = sdf_pose_read(s, c);
        for (int i = 0; i < 3; i++)
            I[i] *= density;
        add_inertia(body->inertia, I, m, &at);
        body->mass += m;
        moment[0] += m * at.p.x, moment[1] += m * at.p.y, moment[2] += m * at.p.z;
    }
    if (body->mass > 0)
        body->com =
            (arne_vec3){moment[0] / body->mass, moment[1] / body->mass, moment[2] / body->mass};
}

// What is not given is 1 (moments and mass) or 0 (products).
static void sdf_link_read_inertial(sdf *s, const sdf_item *link, arne_body_spec *body)
{
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const xml_node          *inertial = xml_node_child(link->node, "inertial");
    const xml_node          *inertia = inertial ? xml_node_child(inertial, "inertia") : NULL;
    const char              *automatic = inertial ? xml_node_get(inertial, "auto") : NULL;
    const arne_pose          at = sdf_pose_read(s, inertial);
    body->mass = 1;
    for (int i = 0; i < 3; i++)
        body->inertia[i] = 1;
    body->com = at.p;
    body->inertia_axes = at.R;
    if (inertial) sdf_numbers(s, inertial, "mass", 1, &body->mass);
    for (int i = 0; i < 6 && inertia; i++)
        sdf_numbers(s, inertia, names[i], 1, &body->inertia[i]);
    if (automatic && strcmp(automatic, "true") == 0) {
        body->inertia_axes = (arne_mat3){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        auto_inertia(s, link, inertial, body);
    }
}

void sdf_link_add(sdf *s, sdf_item *link)
{
    arne_body_spec body = arne_body_spec_default();
    body.name = link->full;
    body.place = (arne_place){link->node->file, link->node->line};
    sdf_link_read_inertial(s, link, &body);
    if (!sdf_truth(s, link->node, "gravity", 1)) body.gravity_compensation = 1;
    sdf_check(s, arne_reader_check(
                     s->reader, arne_builder_add_body(s->reader->builder, &body, s->reader->error),
                     link->node->line));
    if (s->reader->looks) add_visuals(s, link);
    if (status_goes_on(s->status)) sdf_link_add_contacts(s, link);
}

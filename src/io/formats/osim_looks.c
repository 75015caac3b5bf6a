// How the bodies of a model look: meshes, spheres, cylinders and boxes.
#include "io/formats/osim.h"

#include "base/error.h"
#include "io/pose_math.h"
#include "io/visual.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static visual *osim_looks_new(osim *o, const xml_node *node, const char *body, visual_kind kind)
{
    visual *v = visuals_add(o->reader->looks, body, node->file);
    if (!v) return osim_check(o, arne_fail_memory(o->reader->error)), NULL;
    v->kind = kind;
    v->line = node->line;
    v->at = pose_identity();
    v->colour[3] = 1;
    return v;
}

// OpenSim looks for meshes beside the model, then in the folder Geometry there.
static char *osim_looks_file(const char *model, const char *file)
{
    char  in_folder[1000];
    char *found = visual_mesh_path(model, file, NULL, 0);
    snprintf(in_folder, sizeof in_folder, "Geometry/%.900s", file);
    if (!found)
        found = visual_mesh_path(model, in_folder, NULL, 0);
    else
        in_folder[0] = 0;
    const int below = found && in_folder[0];
    free(found);
    return visual_text(below ? in_folder : file);
}

static void osim_looks_mesh(osim *o, const xml_node *node, const char *body, const char *tag,
                            const double scale[3])
{
    const char *file = osim_text(o, node, tag);
    visual     *v = file ? osim_looks_new(o, node, body, VISUAL_MESH) : NULL;
    if (!v) return;
    v->size[0] = v->size[1] = v->size[2] = 1;
    osim_numbers(o, node, "scale_factors", 3, v->size);
    for (int i = 0; i < 3; i++)
        v->size[i] *= scale[i];
    v->mesh = osim_looks_file(node->file, file);
    if (!v->mesh) osim_check(o, arne_fail_memory(o->reader->error));
}

// Cylinders of OpenSim are along y.
static void osim_looks_shape(osim *o, const xml_node *node, const char *body)
{
    static const double one[3] = {1, 1, 1};
    visual             *v;
    if (strcmp(node->tag, "Mesh") == 0) {
        osim_looks_mesh(o, node, body, "mesh_file", one);
    } else if (strcmp(node->tag, "Sphere") == 0) {
        if ((v = osim_looks_new(o, node, body, VISUAL_SPHERE)))
            osim_numbers(o, node, "radius", 1, v->size);
    } else if (strcmp(node->tag, "Brick") == 0) {
        if (!(v = osim_looks_new(o, node, body, VISUAL_BOX))) return;
        osim_numbers(o, node, "half_lengths", 3, v->size);
        for (int i = 0; i < 3; i++)
            v->size[i] *= 2;
    } else if (strcmp(node->tag, "Cylinder") == 0) {
        if (!(v = osim_looks_new(o, node, body, VISUAL_CYLINDER))) return;
        osim_numbers(o, node, "radius", 1, &v->size[0]);
        osim_numbers(o, node, "half_height", 1, &v->size[1]);
        v->size[1] *= 2;
        v->at.R = (arne_mat3){{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
    }
}

void osim_looks_marker(osim *o, const xml_node *marker, const char *body, const arne_pose *at)
{
    static const double pink[4] = {1, 0.45, 0.7, 1};
    visual             *v = osim_looks_new(o, marker, body, VISUAL_SPHERE);
    if (!v) return;
    v->at = *at;
    v->size[0] = 0.01;
    v->besides = v->has_colour = 1;
    memcpy(v->colour, pink, sizeof pink);
}

void osim_looks_add(osim *o, const xml_node *body, const char *name)
{
    double          scale[3] = {1, 1, 1};
    const xml_node *old = osim_child(body, "VisibleObject");
    for (const xml_node *c = osim_items(body, "attached_geometry"); c; c = c->next)
        osim_looks_shape(o, c, name);
    if (!old) return;
    osim_numbers(o, old, "scale_factors", 3, scale);
    for (const xml_node *c = osim_items(old, "GeometrySet"); c; c = c->next)
        osim_looks_mesh(o, c, name, "geometry_file", scale);
}

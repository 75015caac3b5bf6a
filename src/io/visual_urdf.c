// <visual> of links: <origin>, <geometry> with one shape, <material> by name or with a colour. One
// that cannot be understood is left out, and the first of them is remembered.
#include "io/visual.h"

#include "base/error.h"
#include "io/read_rotation.h"
#include "io/xml.h"
#include <stdlib.h>
#include <string.h>

typedef struct looks {
    visual_list     *out;
    visual          *now;  // the visual that is open; NULL in a <material> of the robot
    char            *link; // that is open
    visual_material *materials;
    int              material_count;
    int              broken; // the visual that is open has a mistake
} looks;

static arne_status no_memory(const xml *x) { return arne_fail_memory(x->reader->error); }

static arne_status gently(const xml *x, arne_status status)
{
    looks *l = x->context;
    if (!status || !status_goes_on(status)) return status;
    if (!l->out->left_out++) l->out->first = *x->reader->error;
    arne_error_clear(x->reader->error);
    l->broken = 1;
    return ARNE_OK;
}

static arne_status open_link(xml *x)
{
    looks      *l = x->context;
    const char *name = arne_xml_attribute(x, "name");
    free(l->link);
    l->link = visual_text(name ? name : "");
    return l->link ? ARNE_OK : no_memory(x);
}

static arne_status open_visual(xml *x)
{
    looks *l = x->context;
    l->broken = 0;
    l->now = visuals_add(l->out, l->link);
    if (l->now) l->now->line = x->line;
    return l->now ? ARNE_OK : no_memory(x);
}

static arne_status close_visual(xml *x)
{
    looks *l = x->context;
    if (l->broken) l->now->kind = VISUAL_NONE;
    l->now = NULL;
    return ARNE_OK;
}

static arne_status open_origin(xml *x)
{
    visual     *v = ((looks *)x->context)->now;
    double      xyz[3] = {0}, rpy[3] = {0};
    arne_status status = arne_xml_numbers(x, "xyz", 3, xyz);
    if (!status) status = arne_xml_numbers(x, "rpy", 3, rpy);
    v->at.p = (arne_vec3){xyz[0], xyz[1], xyz[2]};
    v->at.R = arne_rotation_rpy(rpy);
    return gently(x, status);
}

static arne_status open_box(xml *x)
{
    visual *v = ((looks *)x->context)->now;
    v->kind = VISUAL_BOX;
    return gently(x, arne_xml_required_numbers(x, "size", 3, v->size));
}

static arne_status open_sphere(xml *x)
{
    visual *v = ((looks *)x->context)->now;
    v->kind = VISUAL_SPHERE;
    return gently(x, arne_xml_required_numbers(x, "radius", 1, v->size));
}

static arne_status open_round(xml *x)
{
    visual *v = ((looks *)x->context)->now;
    v->kind = strcmp(x->tag, "capsule") == 0 ? VISUAL_CAPSULE : VISUAL_CYLINDER;
    const arne_status status = arne_xml_required_numbers(x, "radius", 1, &v->size[0]);
    return gently(x, status ? status : arne_xml_required_numbers(x, "length", 1, &v->size[1]));
}

static arne_status open_mesh(xml *x)
{
    visual     *v = ((looks *)x->context)->now;
    const char *file = NULL;
    arne_status status = arne_xml_text(x, "filename", &file);
    if (status) return gently(x, status);
    v->kind = VISUAL_MESH;
    v->size[0] = v->size[1] = v->size[2] = 1;
    v->mesh = visual_text(file);
    if (!v->mesh) return no_memory(x);
    return gently(x, arne_xml_numbers(x, "scale", 3, v->size));
}

// Of a visual: its colour's name. Of the robot: a name whose colour follows.
static arne_status open_material(xml *x)
{
    looks      *l = x->context;
    const char *name = arne_xml_attribute(x, "name");
    if (l->now) {
        free(l->now->material);
        l->now->material = visual_text(name ? name : "");
        return l->now->material ? ARNE_OK : no_memory(x);
    }
    visual_material *all = realloc(l->materials, ((size_t)l->material_count + 1) * sizeof *all);
    if (!all) return no_memory(x);
    l->materials = all;
    all[l->material_count] = (visual_material){visual_text(name ? name : ""), {0.8, 0.8, 0.8, 1}};
    return all[l->material_count++].name ? ARNE_OK : no_memory(x);
}

// A colour that cannot be understood is that of things without one.
static arne_status open_colour(xml *x)
{
    looks      *l = x->context;
    double      rgba[4] = {0, 0, 0, 1};
    const int   broken = l->broken;
    arne_status status = arne_xml_required_numbers(x, "rgba", 4, rgba);
    if (status) {
        status = gently(x, status);
        l->broken = broken;
        return status;
    }
    memcpy(l->now ? l->now->colour : l->materials[l->material_count - 1].colour, rgba, sizeof rgba);
    if (l->now) l->now->has_colour = 1;
    return ARNE_OK;
}

static const xml_element elements[] = {
    {"", "robot", " name version ", 1, NULL, NULL},
    {"robot", "link", " name ", 0, open_link, NULL},
    {"link", "visual", " name ", 0, open_visual, close_visual},
    {"visual", "origin", " xyz rpy ", 0, open_origin, NULL},
    {"visual", "geometry", " ", 0, NULL, NULL},
    {"geometry", "box", " size ", 0, open_box, NULL},
    {"geometry", "sphere", " radius ", 0, open_sphere, NULL},
    {"geometry", "cylinder", " radius length ", 0, open_round, NULL},
    {"geometry", "capsule", " radius length ", 0, open_round, NULL},
    {"geometry", "mesh", " filename scale ", 0, open_mesh, NULL},
    {"visual", "material", " name ", 0, open_material, NULL},
    {"robot", "material", " name ", 0, open_material, NULL},
    {"material", "color", " rgba ", 0, open_colour, NULL},
    {"material", "texture", NULL, 0, NULL, NULL},
    {"robot", "joint", NULL, 0, NULL, NULL},
    {"robot", "loop", NULL, 0, NULL, NULL},
    {"link", "inertial", NULL, 0, NULL, NULL},
    {"link", "collision", NULL, 0, NULL, NULL},
};

// What a URDF may be is the robot reader's to judge.
static arne_status inspect(xml *x)
{
    (void)x;
    return ARNE_OK;
}

// A colour that was defined for the whole robot, or within another visual of that name.
static void colour_by_name(const looks *l, visual *v)
{
    for (int i = 0; i < l->material_count && !v->has_colour; i++)
        if (strcmp(l->materials[i].name, v->material) == 0) {
            memcpy(v->colour, l->materials[i].colour, sizeof v->colour);
            v->has_colour = 1;
        }
    for (int i = 0; i < l->out->count && !v->has_colour; i++) {
        const visual *o = &l->out->item[i];
        if (o != v && o->has_colour && o->material && strcmp(o->material, v->material) == 0) {
            memcpy(v->colour, o->colour, sizeof v->colour);
            v->has_colour = 1;
        }
    }
}

arne_status visuals_urdf(reader *r, const char *text, size_t size, visual_list *out)
{
    static const xml_grammar grammar = {elements, sizeof elements / sizeof *elements, inspect};
    looks                    l = {.out = out};
    const arne_status        status = arne_xml_walk(r, &grammar, &l, text, size);
    for (int i = 0; i < out->count && !status; i++)
        if (out->item[i].material && *out->item[i].material) colour_by_name(&l, &out->item[i]);
    for (int i = 0; i < l.material_count; i++)
        free(l.materials[i].name);
    free(l.materials);
    free(l.link);
    return status;
}

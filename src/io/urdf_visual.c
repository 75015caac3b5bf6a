// <visual> of a URDF's links: <origin>, <geometry> with one shape, <material> by name or with a
// colour. One that cannot be understood is left out, and the first of them is remembered: the
// motion does not depend on it. Without a list for them, visuals and materials are passed over.
#include "base/error.h"
#include "io/urdf.h"
#include <stdlib.h>
#include <string.h>

static arne_status visual_no_memory(const xml *x) { return arne_fail_memory(x->reader->error); }

// Skips an element if visuals are not wanted. Unknown elements inside of visuals are not reported.
static int visual_is_wanted(xml *x)
{
    if (!x->reader->looks)
        x->passing = x->depth;
    else if (!x->quiet)
        x->quiet = x->depth;
    return x->reader->looks != NULL;
}

arne_status urdf_open_visual(xml *x)
{
    urdf *u = x->context;
    if (!visual_is_wanted(x)) return ARNE_OK;
    u->looks.broken = 0;
    u->looks.now = visuals_add(x->reader->looks, u->name ? u->name : "", x->reader->file);
    if (u->looks.now) u->looks.now->line = x->line;
    return u->looks.now ? ARNE_OK : visual_no_memory(x);
}

arne_status urdf_close_visual(xml *x)
{
    urdf_looks *l = &((urdf *)x->context)->looks;
    if (l->broken) l->now->kind = VISUAL_NONE;
    l->now = NULL;
    return ARNE_OK;
}

// A mistake in what is read leaves the visual out.
static arne_status visual_gently(xml *x, arne_status (*read)(xml *, visual *))
{
    reader      *r = x->reader;
    const reader before = *r;
    urdf_looks  *l = &((urdf *)x->context)->looks;
    arne_error   own;
    arne_error_clear(&own);
    r->found = NULL;
    r->error = &own;
    const arne_status status = read(x, l->now);
    *r = before;
    if (status == ARNE_NO_MEMORY) return visual_no_memory(x);
    if (status && !r->looks->left_out++) r->looks->first = own;
    l->broken |= status != ARNE_OK;
    return ARNE_OK;
}

static arne_status urdf_visual_read_origin(xml *x, visual *v)
{
    return urdf_read_pose(x, &v->at.p, &v->at.R);
}

arne_status urdf_visual_origin(xml *x) { return visual_gently(x, urdf_visual_read_origin); }

static arne_status urdf_visual_read_shape(xml *x, visual *v)
{
    if (strcmp(x->tag, "box") == 0) {
        v->kind = VISUAL_BOX;
        return arne_xml_required_numbers(x, "size", 3, v->size);
    }
    v->kind = strcmp(x->tag, "sphere") == 0    ? VISUAL_SPHERE
              : strcmp(x->tag, "capsule") == 0 ? VISUAL_CAPSULE
                                               : VISUAL_CYLINDER;
    const arne_status status = arne_xml_required_numbers(x, "radius", 1, &v->size[0]);
    if (status || v->kind == VISUAL_SPHERE) return status;
    return arne_xml_required_numbers(x, "length", 1, &v->size[1]);
}

arne_status urdf_visual_shape(xml *x) { return visual_gently(x, urdf_visual_read_shape); }

static arne_status urdf_visual_read_mesh(xml *x, visual *v)
{
    const char       *file = NULL;
    const arne_status status = arne_xml_text(x, "filename", &file);
    if (status) return status;
    v->kind = VISUAL_MESH;
    v->size[0] = v->size[1] = v->size[2] = 1;
    free(v->mesh);
    v->mesh = visual_text(file);
    return v->mesh ? arne_xml_numbers(x, "scale", 3, v->size) : ARNE_NO_MEMORY;
}

arne_status urdf_visual_mesh(xml *x) { return visual_gently(x, urdf_visual_read_mesh); }

// Of a visual: its colour's name. Of the robot: a name whose colour follows.
arne_status urdf_open_material(xml *x)
{
    urdf_looks *l = &((urdf *)x->context)->looks;
    const char *name = arne_xml_attribute(x, "name");
    if (!visual_is_wanted(x)) return ARNE_OK;
    if (l->now) {
        free(l->now->material);
        l->now->material = visual_text(name ? name : "");
        return l->now->material ? ARNE_OK : visual_no_memory(x);
    }
    visual_material *all = realloc(l->materials, ((size_t)l->material_count + 1) * sizeof *all);
    if (!all) return visual_no_memory(x);
    l->materials = all;
    all[l->material_count] = (visual_material){visual_text(name ? name : ""), {0.8, 0.8, 0.8, 1}};
    return all[l->material_count++].name ? ARNE_OK : visual_no_memory(x);
}

static arne_status read_colour(xml *x, visual *v)
{
    urdf_looks       *l = &((urdf *)x->context)->looks;
    double            rgba[4] = {0, 0, 0, 1};
    const arne_status status = arne_xml_required_numbers(x, "rgba", 4, rgba);
    if (status) return status;
    memcpy(v ? v->colour : l->materials[l->material_count - 1].colour, rgba, sizeof rgba);
    if (v) v->has_colour = 1;
    return ARNE_OK;
}

// An invalid colour is replaced by the default colour; the shape stays.
arne_status urdf_open_colour(xml *x)
{
    urdf_looks       *l = &((urdf *)x->context)->looks;
    const int         broken = l->broken;
    const arne_status status = visual_gently(x, read_colour);
    l->broken = broken;
    return status;
}

// A colour that was defined for the whole robot, or within another visual of that name.
static void colour_by_name(const urdf_looks *l, const visual_list *out, int first, visual *v)
{
    for (int i = 0; i < l->material_count && !v->has_colour; i++)
        if (strcmp(l->materials[i].name, v->material) == 0) {
            memcpy(v->colour, l->materials[i].colour, sizeof v->colour);
            v->has_colour = 1;
        }
    for (int i = first; i < out->count && !v->has_colour; i++) {
        const visual *o = &out->item[i];
        if (o != v && o->has_colour && o->material && strcmp(o->material, v->material) == 0) {
            memcpy(v->colour, o->colour, sizeof v->colour);
            v->has_colour = 1;
        }
    }
}

void urdf_looks_finish(urdf_looks *l, visual_list *out, int first)
{
    for (int i = first; out && i < out->count; i++)
        if (out->item[i].material && *out->item[i].material)
            colour_by_name(l, out, first, &out->item[i]);
    for (int i = 0; i < l->material_count; i++)
        free(l->materials[i].name);
    free(l->materials);
}

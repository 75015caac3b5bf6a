// <collision> of a URDF's links.
//
// A file that was written for somebody else may hold shapes that are not supported, of no size, or
// with mistakes: these do not touch, and one warning says so. The motion does not depend on them.
#include "base/error.h"
#include "io/mesh_hull.h"
#include "io/urdf.h"
#include "io/visual.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void urdf_collision_begin(urdf_collisions *c, arne_place place)
{
    c->now = arne_contact_spec_default();
    c->now.place = place;
    c->open = 1;
    c->has_shape = c->broken = 0;
    free(c->mesh);
    c->mesh = NULL;
}

static void urdf_collision_leave_out(const xml *x, urdf_collisions *c, const char *what,
                                     const char *why)
{
    if (c->broken) return;
    c->broken = 1;
    if (!c->left_out++) {
        c->first_at = (arne_place){x->reader->file, x->line};
        const size_t length = strlen(what), most = 200;
        const char  *end = what + (length > most ? length - most : 0);
        // Of a long address the last folders say more.
        const char *folder = end > what ? strchr(end, '/') : NULL;
        snprintf(c->first, sizeof c->first, "%.120s: %s%s%s%.36s", x->owner,
                 end > what ? "..." : "", folder ? folder : end, *why ? " " : "", why);
    }
}

// A mistake in what is read leaves the shape out.
static arne_status gently(xml *x, urdf_collisions *c, arne_status (*read)(xml *, urdf_collisions *))
{
    reader      *r = x->reader;
    const reader before = *r;
    arne_error   own;
    char         owner[sizeof x->owner];
    if (!c->open) return ARNE_OK;
    arne_error_clear(&own);
    memcpy(owner, x->owner, sizeof owner);
    x->owner[0] = 0;
    r->found = NULL;
    r->error = &own;
    arne_status status = read(x, c);
    *r = before;
    memcpy(x->owner, owner, sizeof owner);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(r->error);
    if (status) urdf_collision_leave_out(x, c, own.text, "");
    return ARNE_OK;
}

static arne_status urdf_collision_read_shape(xml *x, urdf_collisions *c)
{
    arne_status status = ARNE_OK;
    int         shape = 0;
    while (strcmp(arne_shape_name((arne_shape)shape), x->tag) != 0)
        shape++;
    c->now.shape = (arne_shape)shape;
    if (c->now.shape == ARNE_SHAPE_BOX)
        status = arne_xml_required_numbers(x, "size", 3, c->now.size);
    else
        status = arne_xml_required_numbers(x, "radius", 1, c->now.size);
    if (!status && arne_shape_size_count(c->now.shape) == 2)
        status = arne_xml_required_numbers(x, "length", 1, &c->now.size[1]);
    if (status) return status;
    for (int i = 0; i < arne_shape_size_count(c->now.shape); i++)
        if (c->now.size[i] <= 0)
            return arne_xml_fail(x, ARNE_VALUE, "%s has %s size", x->tag,
                                 c->now.size[i] < 0 ? "a negative" : "no");
    c->has_shape = 1;
    return ARNE_OK;
}

arne_status urdf_collision_shape(xml *x, urdf_collisions *c)
{
    return gently(x, c, urdf_collision_read_shape);
}

static arne_status urdf_collision_read_origin(xml *x, urdf_collisions *c)
{
    return urdf_read_pose(x, &c->now.origin.p, &c->now.origin.R);
}

arne_status urdf_collision_origin(xml *x, urdf_collisions *c)
{
    return gently(x, c, urdf_collision_read_origin);
}

// Its origin may be said after it: what is found is put together at the end.
static arne_status urdf_collision_read_mesh(xml *x, urdf_collisions *c)
{
    const char *file = arne_xml_attribute(x, "filename");
    c->scale[0] = c->scale[1] = c->scale[2] = 1;
    arne_status status = ARNE_OK;
    if (arne_xml_attribute(x, "scale")) status = arne_xml_required_numbers(x, "scale", 3, c->scale);
    if (status) return status;
    free(c->mesh);
    c->mesh = file ? visual_mesh_path(x->reader->file, file, NULL, 0) : NULL;
    if (c->mesh) return ARNE_OK;
    if (!file || !*file) file = "a mesh";
    const size_t length = strlen(file), most = 300; // more than is shown of it
    return arne_xml_fail(x, ARNE_FILE, "%s is not found",
                         file + (length > most ? length - most : 0));
}

arne_status urdf_collision_mesh(xml *x, urdf_collisions *c)
{
    return gently(x, c, urdf_collision_read_mesh);
}

static arne_status urdf_collision_keep(const reader *r, urdf_collisions *c)
{
    if (c->count == c->room) {
        const int          more = c->room ? 2 * c->room : 4;
        arne_contact_spec *bigger = realloc(c->of_link, (size_t)more * sizeof *bigger);
        if (!bigger) return arne_fail_memory(r->error);
        c->of_link = bigger;
        c->room = more;
    }
    c->of_link[c->count++] = c->now;
    return ARNE_OK;
}

// A mesh touches with vertices of its hull.
static arne_status keep_mesh(const xml *x, urdf_collisions *c)
{
    arne_vec3       points[MESH_HULL_MOST];
    const char     *why;
    const arne_pose at = c->now.origin;
    const int       count = mesh_hull(c->mesh, points, &why);
    arne_status     status = count < 0 ? arne_fail_memory(x->reader->error) : ARNE_OK;
    if (count == 0) urdf_collision_leave_out(x, c, c->mesh, why);
    c->now.shape = ARNE_SHAPE_POINT;
    for (int i = 0; i < count && !status; i++) {
        const double u = c->scale[0] * points[i].x, v = c->scale[1] * points[i].y,
                     w = c->scale[2] * points[i].z;
        c->now.origin.p = (arne_vec3){at.p.x + at.R.x.x * u + at.R.y.x * v + at.R.z.x * w,
                                      at.p.y + at.R.x.y * u + at.R.y.y * v + at.R.z.y * w,
                                      at.p.z + at.R.x.z * u + at.R.y.z * v + at.R.z.z * w};
        status = urdf_collision_keep(x->reader, c);
    }
    free(c->mesh);
    c->mesh = NULL;
    return status;
}

arne_status urdf_collision_end(xml *x, urdf_collisions *c)
{
    c->open = 0;
    if (c->broken) return ARNE_OK;
    if (c->mesh) return keep_mesh(x, c);
    return c->has_shape ? urdf_collision_keep(x->reader, c) : ARNE_OK;
}

arne_status urdf_collisions_add(reader *r, urdf_collisions *c, const char *link)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < c->count && !status; i++) {
        c->of_link[i].link = link;
        status = arne_builder_add_contact(r->builder, &c->of_link[i], r->error);
    }
    c->count = 0;
    return status;
}

arne_status urdf_collisions_tell(reader *r, const urdf_collisions *c)
{
    if (!c->left_out) return ARNE_OK;
    reader at = *r; // in the file of the first, which the tree of a xacro file has included
    at.file = c->first_at.file;
    return arne_reader_warn(&at, "contact", c->first_at.line,
                            "%d collision shape%s cannot touch (the first, %s); give the robot "
                            "`contacts` in a YAML file that extends it",
                            c->left_out, c->left_out > 1 ? "s" : "", c->first);
}

void urdf_collisions_free(urdf_collisions *c)
{
    free(c->of_link);
    free(c->mesh);
}

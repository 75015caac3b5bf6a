// Contact spheres of OpenSim, with the friction of the forces that name them, and half-spaces.
#include "io/formats/osim.h"

#include "base/error.h"
#include "io/pose_math.h"
#include "robot/builder.h"
#include <string.h>

// Whether a list of names, or of paths that end in names, has this one.
static int osim_contact_is_named(const char *names, const char *name)
{
    static const char space[] = " \t\r\n";
    const size_t      size = strlen(name);
    for (const char *at = names; at && (at = strstr(at, name)); at++) {
        const int starts = at == names || at[-1] == '/' || strchr(space, at[-1]);
        if (starts && (!at[size] || strchr(space, at[size]))) return 1;
    }
    return 0;
}

static void osim_contact_parameters(osim *o, const xml_node *force, const char *shape,
                                    double *friction)
{
    if (strcmp(force->tag, "SmoothSphereHalfSpaceForce") == 0) {
        if (osim_contact_is_named(osim_socket(o, force, "sphere", "sphere"), shape))
            osim_numbers(o, force, "static_friction", 1, friction);
        return;
    }
    const xml_node *set = osim_child(force, "HuntCrossleyForce::ContactParametersSet");
    const xml_node *first = osim_child(set, "objects");
    for (const xml_node *p = first ? first->first : NULL; p; p = p->next)
        if (osim_contact_is_named(osim_text(o, p, "geometry"), shape))
            osim_numbers(o, p, "static_friction", 1, friction);
}

// The friction of the contact force that names a shape; negative: none does.
static double osim_contact_friction(osim *o, const char *shape)
{
    double friction = -1;
    for (const xml_node *f = osim_items(o->model, "ForceSet"); f; f = f->next)
        osim_contact_parameters(o, f, shape, &friction);
    return friction;
}

static int osim_contact_pose(osim *o, const xml_node *node, const char **link, arne_pose *out)
{
    const arne_pose own = osim_pose(o, node, "location", "orientation");
    arne_pose       frame;
    if (!osim_frame(o, node, osim_socket(o, node, "frame", "body_name"), link, &frame)) return 0;
    *out = pose_times(&frame, &own);
    return 1;
}

// A half-space is where x is positive. Surfaces belong to scenarios: the warning says how.
static void osim_contact_plane(osim *o, const xml_node *node)
{
    const char *link, *name = osim_name(o, node);
    arne_pose   X;
    if (!osim_contact_pose(o, node, &link, &X)) return;
    osim_mark(node);
    if (strcmp(link, "ground") != 0)
        osim_check(o, xml_node_warn(o->reader, "unknown", node,
                                    "half-space '%s' is on the moving body %s, and not read", name,
                                    link));
    else
        osim_check(o,
                   xml_node_warn(o->reader, "unknown", node,
                                 "half-space '%s' is not read; a scenario has it as {type: "
                                 "ground, point: [%g, %g, %g], normal: [%g, %g, %g]}",
                                 name, X.p.x, X.p.y, X.p.z, 0 - X.R.x.x, 0 - X.R.x.y, 0 - X.R.x.z));
}

void osim_contacts_add(osim *o)
{
    for (const xml_node *c = osim_items(o->model, "ContactGeometrySet"); c; c = c->next) {
        arne_contact_spec spec = arne_contact_spec_default();
        if (strcmp(c->tag, "ContactHalfSpace") == 0) osim_contact_plane(o, c);
        if (strcmp(c->tag, "ContactSphere") != 0) continue;
        spec.name = osim_name(o, c);
        spec.shape = ARNE_SHAPE_SPHERE;
        spec.place = (arne_place){c->file, c->line};
        osim_numbers(o, c, "radius", 1, &spec.size[0]);
        spec.friction = osim_contact_friction(o, spec.name);
        if (!osim_contact_pose(o, c, &spec.link, &spec.origin)) continue;
        osim_added(o, c, arne_builder_add_contact(o->reader->builder, &spec, o->reader->error));
    }
}

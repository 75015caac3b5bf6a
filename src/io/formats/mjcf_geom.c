// Geoms of MJCF: their mass and inertia, how they look, and what of them touches.
//
// Sizes are half lengths and radii. A capsule's or cylinder's axis is z. Without <inertial>, every
// geom has mass, also those that are only drawn: density 1000 kg/m^3 unless mass or density is
// given.
#include "base/error.h"
#include "io/formats/mjcf.h"
#include "io/mesh_hull.h"
#include "robot/builder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum geom_type {
    GEOM_SPHERE,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_BOX,
    GEOM_ELLIPSOID,
    GEOM_MESH,
    GEOM_FITTED, // a primitive of the size of a mesh
    GEOM_OTHER   // plane, height field, signed distance field
} geom_type;

typedef struct geom {
    geom_type type;
    double    size[3]; // radius and half length; half lengths; radii
    arne_pose X;       // in the body
    double    mass;    // negative: by density
    double    density;
    int       shell, group, touches;
    mjcf_mesh mesh;
} geom;

// ---- reading

static arne_status geom_kind(mjcf *m, const xml_node *node, const mjcf_class *class, geom *g)
{
    static const char *const types[] = {"sphere", "capsule",   "cylinder",
                                        "box",    "ellipsoid", "mesh"};
    static const char *const others[] = {"plane", "hfield", "sdf"};
    const char              *type = mjcf_get(node, class, "type");
    if (!type && mjcf_get(node, class, "mesh")) type = "mesh";
    for (int i = 0; i < 6 && type; i++)
        if (strcmp(types[i], type) == 0) {
            g->type = (geom_type)i;
            return ARNE_OK;
        }
    g->type = type ? GEOM_OTHER : GEOM_SPHERE;
    for (int i = 0; i < 3 && type; i++)
        if (strcmp(others[i], type) == 0) return ARNE_OK;
    return type ? xml_node_fail(m->r, ARNE_VALUE, node,
                                "unknown geom type '%.40s' (there are plane, hfield, sphere, "
                                "capsule, ellipsoid, cylinder, box, mesh, sdf)",
                                type)
                : ARNE_OK;
}

// From one end to the other: place, direction and length.
static arne_status geom_ends(mjcf *m, const xml_node *node, const mjcf_class *class, geom *g)
{
    double      x[6];
    int         count = 0;
    arne_status status = mjcf_numbers(m, node, class, "fromto", 6, 6, x, &count);
    if (status || !count || g->type == GEOM_SPHERE || g->type == GEOM_MESH) return status;
    const arne_vec3 from = {x[0], x[1], x[2]}, to = {x[3], x[4], x[5]};
    const arne_vec3 along = vec_add(from, vec_scale(-1, to));
    const double    length = vec_norm(along);
    if (length == 0) return xml_node_fail(m->r, ARNE_VALUE, node, "fromto of <geom> has no length");
    g->X = (arne_pose){rotation_of_z(along), vec_scale(0.5, vec_add(from, to))};
    if (g->type == GEOM_BOX || g->type == GEOM_ELLIPSOID) {
        if (g->size[1] == 0) g->size[1] = g->size[0];
        g->size[2] = length / 2;
    } else {
        g->size[1] = length / 2;
    }
    return ARNE_OK;
}

static const xml_node *find_asset(const mjcf_model *model, const char *tag, const char *name)
{
    for (const xml_node *k = model->tree.root->first; k; k = k->next) {
        if (strcmp(k->tag, "asset") != 0) continue;
        for (const xml_node *c = k->first; c; c = c->next) {
            if (strcmp(c->tag, tag) != 0) continue;
            const char *own = xml_node_get(c, "name"), *file = xml_node_get(c, "file");
            if (own && strcmp(own, name) == 0) return c;
            if (own || !file) continue;
            const char  *slash = strrchr(file, '/'), *stem = slash ? slash + 1 : file;
            const char  *dot = strrchr(stem, '.');
            const size_t size = dot ? (size_t)(dot - stem) : strlen(stem);
            if (strlen(name) == size && memcmp(name, stem, size) == 0) return c;
        }
    }
    return NULL;
}

static arne_status geom_mesh(mjcf *m, const mjcf_place *at, const xml_node *node,
                             const mjcf_class *class, geom *g)
{
    mjcf_place      outside = *at;
    mjcf_class     *own = NULL;
    const char     *name = mjcf_get(node, class, "mesh");
    double          p[3] = {0}, h[4] = {1, 0, 0, 0};
    mjcf_mesh      *mesh = &g->mesh;
    const mjcf_want wants[] = {{"scale", 3, 3, mesh->scale, NULL},
                               {"refpos", 3, 3, p, NULL},
                               {"refquat", 4, 4, h, NULL},
                               {0}};
    if (name && g->type <= GEOM_ELLIPSOID) g->type = GEOM_FITTED;
    *mesh = (mjcf_mesh){.scale = {1, 1, 1}, .ref = pose_identity()};
    if (!name) return ARNE_OK;
    mesh->asset = find_asset(at->model, "mesh", name);
    if (!mesh->asset)
        return xml_node_fail(m->r, ARNE_NOT_FOUND, node, "there is no mesh '%.80s'", name);
    outside.class = NULL;
    arne_status status = mjcf_class_of(m, &outside, mesh->asset, &own);
    status = status_both(status, mjcf_read_all(m, mesh->asset, own, wants));
    mesh->inertia = mjcf_get(mesh->asset, own, "inertia");
    if (!status && h[0] == 0 && h[1] == 0 && h[2] == 0 && h[3] == 0)
        return xml_node_fail(m->r, ARNE_VALUE, mesh->asset, "refquat of <mesh> has no length");
    mesh->ref = (arne_pose){rotation_wxyz(h), {p[0], p[1], p[2]}};
    return status;
}

static arne_status geom_read(mjcf *m, const mjcf_place *at, const xml_node *node,
                             const mjcf_class *class, geom *g)
{
    double          group = 0, contype = 1, conaffinity = 1;
    const mjcf_want wants[] = {{"size", 1, 3, g->size, NULL},
                               {"mass", 1, 1, &g->mass, NULL},
                               {"density", 1, 1, &g->density, NULL},
                               {"group", 1, 1, &group, NULL},
                               {"contype", 1, 1, &contype, NULL},
                               {"conaffinity", 1, 1, &conaffinity, NULL},
                               {0}};
    arne_status     status = geom_kind(m, node, class, g);
    *g = (geom){.type = g->type, .mass = -1, .density = 1000};
    status = status_both(status, mjcf_pose(m, at, node, class, &g->X));
    status = status_both(status, mjcf_read_all(m, node, class, wants));
    status = status_both(status, geom_mesh(m, at, node, class, g));
    g->shell = mjcf_is(mjcf_get(node, class, "shellinertia"), "true");
    g->group = (int)fmax(-1e6, fmin(1e6, group));
    g->touches = contype != 0 || conaffinity != 0;
    if (!status) status = geom_ends(m, node, class, g);
    if (!status && g->type <= GEOM_ELLIPSOID && !(g->size[0] > 0))
        status = xml_node_fail(m->r, ARNE_VALUE, node, "size of <geom> must be positive");
    g->X = pose_times(&at->X, &g->X);
    return status;
}

// ---- mass and inertia, of density 1 or of mass 1

static double geom_volume(const geom *g)
{
    const double pi = acos(-1.0), r = g->size[0], h = 2 * g->size[1];
    const double a = g->size[0], b = g->size[1], c = g->size[2];
    switch (g->type) {
    case GEOM_SPHERE:
        return g->shell ? 4 * pi * r * r : 4 * pi * r * r * r / 3;
    case GEOM_CAPSULE:
        return g->shell ? 4 * pi * r * r + 2 * pi * r * h : pi * (r * r * h + 4 * r * r * r / 3);
    case GEOM_CYLINDER:
        return g->shell ? 2 * pi * r * r + 2 * pi * r * h : pi * r * r * h;
    case GEOM_BOX:
        return g->shell ? 8 * (a * b + b * c + c * a) : 8 * a * b * c;
    case GEOM_ELLIPSOID:
        return !g->shell
                   ? 4 * pi * a * b * c / 3 // of a surface, as Thomsen has it
                   : 4 * pi *
                         pow((pow(a * b, 1.6075) + pow(b * c, 1.6075) + pow(c * a, 1.6075)) / 3,
                             1 / 1.6075);
    default:
        return 0;
    }
}

// Principal moments about the centre, in the geom's axes.
static void solid_moments(const geom *g, double m, double I[6])
{
    const double a = g->size[0], b = g->size[1], c = g->size[2], r = a, h = 2 * b;
    if (g->type == GEOM_SPHERE) {
        I[0] = I[1] = I[2] = 0.4 * m * r * r;
    } else if (g->type == GEOM_CYLINDER) {
        I[0] = I[1] = m * (3 * r * r + h * h) / 12;
        I[2] = m * r * r / 2;
    } else if (g->type == GEOM_CAPSULE) { // a cylinder and two halves of a ball
        const double ball = m * (4 * r / 3) / (4 * r / 3 + h), tube = m - ball;
        I[0] = I[1] =
            tube * (3 * r * r + h * h) / 12 + 0.4 * ball * r * r + ball * h * (3 * r + 2 * h) / 8;
        I[2] = tube * r * r / 2 + 0.4 * ball * r * r;
    } else {
        const double k = g->type == GEOM_BOX ? 3 : 5;
        I[0] = m * (b * b + c * c) / k;
        I[1] = m * (a * a + c * c) / k;
        I[2] = m * (a * a + b * b) / k;
    }
}

static void shell_moments(const geom *g, double m, double I[6])
{
    const double a = g->size[0], b = g->size[1], c = g->size[2], r = a, h = 2 * b;
    if (g->type == GEOM_SPHERE) {
        I[0] = I[1] = I[2] = 2 * m * r * r / 3;
    } else if (g->type == GEOM_ELLIPSOID) { // what a micrometre more on each semi-axis adds
        geom         outer = *g;
        double       inner[6];
        const double u = 1e-6, A = a + u, B = b + u, C = c + u, more = A * B * C - a * b * c;
        outer.size[0] = A;
        outer.size[1] = B;
        outer.size[2] = C;
        solid_moments(&outer, m * A * B * C / more, I);
        solid_moments(g, m * a * b * c / more, inner);
        for (int i = 0; i < 3; i++)
            I[i] -= inner[i];
    } else if (g->type == GEOM_BOX) { // pairs of faces across x, y and z
        const double A = a * b + b * c + c * a;
        const double x = m * b * c / A, y = m * a * c / A, z = m * a * b / A;
        I[0] = x * (b * b + c * c) / 3 + y * (b * b + c * c / 3) + z * (c * c + b * b / 3);
        I[1] = y * (a * a + c * c) / 3 + x * (a * a + c * c / 3) + z * (c * c + a * a / 3);
        I[2] = z * (a * a + b * b) / 3 + x * (a * a + b * b / 3) + y * (b * b + a * a / 3);
    } else if (g->type == GEOM_CYLINDER) { // side and caps
        const double caps = m * r / (r + h), side = m - caps;
        I[0] = I[1] = side * (6 * r * r + h * h) / 12 + caps * (r * r / 4 + h * h / 4);
        I[2] = side * r * r + caps * r * r / 2;
    } else { // capsule: side and two halves of a sphere, whose centres are r/2 from its middle
        const double ball = m * 2 * r / (2 * r + h), side = m - ball;
        I[0] = I[1] =
            side * (6 * r * r + h * h) / 12 + 2 * ball * r * r / 3 + ball * h * (r + h / 2) / 2;
        I[2] = side * r * r + 2 * ball * r * r / 3;
    }
}

// The path of a mesh, from the folder of its model; to be freed.
static char *mjcf_geom_mesh_path(const mjcf_place *at, const geom *g)
{
    const char *file = g->mesh.asset ? xml_node_get(g->mesh.asset, "file") : NULL;
    const char *folder = at->model->compiler.mesh_folder;
    if (!file) return NULL;
    const size_t size = strlen(folder) + strlen(file) + 2;
    char        *path = malloc(size);
    if (!path) return NULL;
    const int joined = *folder && *file != '/' && !strstr(file, "://");
    const int slash = joined && folder[strlen(folder) - 1] != '/';
    snprintf(path, size, "%s%s%s", joined ? folder : "", slash ? "/" : "", file);
    return path;
}

// Of a mesh in the file, or of an STL file that is there.
static int mesh_mass(const mjcf_place *at, const geom *g, mjcf_mass *sum)
{
    char     *said = mjcf_geom_mesh_path(at, g);
    char     *path = said ? visual_mesh_path(at->model->file, said, NULL, 0) : NULL;
    const int known = mjcf_mesh_mass(&g->mesh, path, g->shell, g->mass, g->density, &g->X, sum);
    free(said);
    free(path);
    return known;
}

static void geom_mass(const mjcf_place *at, const geom *g, mjcf_mass *sum)
{
    const mjcf_compiler *c = &at->model->compiler;
    double               I[6] = {0}, m = g->mass;
    if (g->group < c->groups[0] || g->group > c->groups[1] || g->mass == 0) return;
    if (g->type == GEOM_OTHER || (g->mass < 0 && g->density == 0)) return;
    if (g->type == GEOM_FITTED) {
        sum->missing = 1;
        return;
    }
    if (g->type == GEOM_MESH) {
        sum->missing |= !mesh_mass(at, g, sum);
        return;
    }
    if (m < 0) m = g->density * geom_volume(g);
    if (g->shell)
        shell_moments(g, m, I);
    else
        solid_moments(g, m, I);
    mjcf_mass_add(sum, m, &g->X, I);
}

// ---- looks

static void geom_colour(const mjcf_place *at, mjcf *m, const xml_node *node,
                        const mjcf_class *class, visual *v)
{
    const char     *text = mjcf_get(node, class, "rgba"), *name = mjcf_get(node, class, "material");
    const xml_node *from = node;
    double          rgba[4] = {0.5, 0.5, 0.5, 1};
    if (!text && name && (from = find_asset(at->model, "material", name)) != NULL) {
        mjcf_class *own = at->model->classes;
        const char *word = xml_node_get(from, "class");
        if (word && mjcf_find_class(at->model, word)) own = mjcf_find_class(at->model, word);
        text = mjcf_get(from, own, "rgba");
    }
    if (!text || xml_node_numbers(m->r, from ? from : node, "rgba", text, 4, 4, rgba, NULL)) return;
    memcpy(v->colour, rgba, sizeof rgba);
    v->has_colour = 1;
}

// A mesh is drawn with factors along its own axes, then with a pose: S R^T = R^T S', if there is
// such an S'.
static arne_status mesh_look(mjcf *m, const geom *g, visual *v)
{
    const arne_mat3 *R = &g->mesh.ref.R, back = rotation_transpose(R);
    const double    *s = g->mesh.scale;
    const arne_mat3  S = {{s[0], 0, 0}, {0, s[1], 0}, {0, 0, s[2]}};
    const arne_mat3  left = rotation_times(R, &S), own = rotation_times(&left, &back);
    const arne_vec3  p = rotate_back(R, g->mesh.ref.p);
    const arne_pose  at = {back, {-s[0] * p.x, -s[1] * p.y, -s[2] * p.z}};
    const double     skew = fabs(own.x.y) + fabs(own.x.z) + fabs(own.y.z);
    v->at = pose_times(&g->X, &at);
    v->size[0] = own.x.x;
    v->size[1] = own.y.y;
    v->size[2] = own.z.z;
    if (skew <= 1e-9 * (fabs(s[0]) + fabs(s[1]) + fabs(s[2]))) return ARNE_OK;
    return xml_node_warn(m->r, "visual", g->mesh.asset,
                         "a mesh with different 'scale' along axes that are turned by 'refquat' is "
                         "drawn without what shears it");
}

static arne_status geom_look(mjcf *m, const mjcf_place *at, const xml_node *node,
                             const mjcf_class *class, const char *link, const geom *g)
{
    static const visual_kind kinds[] = {VISUAL_SPHERE, VISUAL_CAPSULE, VISUAL_CYLINDER,
                                        VISUAL_BOX,    VISUAL_SPHERE,  VISUAL_MESH};
    if (!m->r->looks || g->type >= GEOM_FITTED || g->group > 2) return ARNE_OK;
    visual *v = visuals_add(m->r->looks, link, at->model->file);
    if (!v) return arne_fail_memory(m->r->error);
    v->kind = kinds[g->type];
    v->at = g->X;
    v->line = node->line;
    for (int i = 0; i < 3; i++)
        v->size[i] = g->type == GEOM_BOX ? 2 * g->size[i] : 0;
    if (g->type == GEOM_SPHERE || g->type == GEOM_ELLIPSOID) v->size[0] = g->size[0];
    if (g->type == GEOM_CAPSULE || g->type == GEOM_CYLINDER) {
        v->size[0] = g->size[0];
        v->size[1] = 2 * g->size[1];
    }
    if (g->type == GEOM_MESH) {
        v->mesh = mjcf_geom_mesh_path(at, g);
        if (!v->mesh) v->kind = VISUAL_NONE;
    }
    geom_colour(at, m, node, class, v);
    return g->type == GEOM_MESH ? mesh_look(m, g, v) : ARNE_OK;
}

// ---- contacts

static arne_status mjcf_geom_add_contact(mjcf *m, const arne_contact_spec *spec,
                                         const xml_node *node)
{
    return arne_reader_check(m->r, arne_builder_add_contact(m->r->builder, spec, m->r->error),
                             node->line);
}

// A mesh touches with vertices of its hull, as in a URDF.
static arne_status mesh_contact(mjcf *m, const mjcf_place *at, const geom *g,
                                arne_contact_spec *spec, const xml_node *node)
{
    arne_vec3   points[MESH_HULL_MOST];
    const char *why;
    char       *said = mjcf_geom_mesh_path(at, g);
    char       *path = said ? visual_mesh_path(at->model->file, said, NULL, 0) : NULL;
    const int   count = path ? mesh_hull(path, points, &why) : 0;
    arne_status status = count < 0 ? arne_fail_memory(m->r->error) : ARNE_OK;
    free(said);
    free(path);
    if (count == 0 && !m->meshes++) m->first_mesh = node;
    spec->shape = ARNE_SHAPE_POINT;
    for (int i = 0; i < count && !status; i++) {
        const arne_vec3 p = mjcf_mesh_point(&g->mesh, points[i]);
        spec->origin = pose_identity();
        spec->origin.p = vec_add(g->X.p, rotate(&g->X.R, p));
        status = mjcf_geom_add_contact(m, spec, node);
    }
    return status;
}

static arne_status geom_contact(mjcf *m, const mjcf_place *at, const xml_node *node,
                                const mjcf_class *class, const char *link, const geom *g)
{
    static const arne_shape shapes[] = {ARNE_SHAPE_SPHERE, ARNE_SHAPE_CAPSULE, ARNE_SHAPE_CYLINDER,
                                        ARNE_SHAPE_BOX};
    arne_contact_spec       spec = arne_contact_spec_default();
    double                  friction[5] = {-1};
    if (!g->touches || g->type >= GEOM_OTHER || at->body < 0) return ARNE_OK;
    const arne_status status = mjcf_numbers(m, node, class, "friction", 1, 5, friction, NULL);
    if (status) return status;
    spec.link = link;
    spec.origin = g->X;
    spec.axis = (arne_vec3){0, 0, 1};
    spec.friction = friction[0];
    spec.place = mjcf_place_of(node);
    if (g->type == GEOM_MESH) return mesh_contact(m, at, g, &spec, node);
    if (g->type == GEOM_ELLIPSOID || g->type == GEOM_FITTED) {
        if (!m->meshes++) m->first_mesh = node;
        return ARNE_OK;
    }
    spec.shape = shapes[g->type];
    for (int i = 0; i < 3; i++)
        spec.size[i] = g->type == GEOM_BOX ? 2 * g->size[i] : i == 1 ? 2 * g->size[1] : g->size[i];
    if (g->type == GEOM_SPHERE) spec.size[1] = 0;
    if (g->type != GEOM_BOX) spec.size[2] = 0;
    return mjcf_geom_add_contact(m, &spec, node);
}

arne_status mjcf_geom(mjcf *m, const mjcf_place *at, const xml_node *node, const char *link,
                      mjcf_mass *sum)
{
    mjcf_class *class = NULL;
    geom        g = {0};
    arne_status status = mjcf_class_of(m, at, node, &class);
    status = status_both(status, geom_read(m, at, node, class, &g));
    if (status) return status;
    geom_mass(at, &g, sum);
    if (!link) return ARNE_OK;
    status = geom_look(m, at, node, class, link, &g);
    return status ? status : geom_contact(m, at, node, class, link, &g);
}

arne_status mjcf_geom_surface(mjcf *m, const mjcf_known *known, arne_wrap_spec *out)
{
    mjcf_class *class = NULL;
    geom        g = {0};
    arne_status status = mjcf_class_of(m, &known->at, known->node, &class);
    if (!status) status = geom_read(m, &known->at, known->node, class, &g);
    if (status) return status;
    out->origin = g.X;
    out->shape = g.type == GEOM_SPHERE     ? ARNE_WRAP_SPHERE
                 : g.type == GEOM_CYLINDER ? ARNE_WRAP_CYLINDER
                                           : ARNE_WRAP_SHAPE_COUNT;
    out->size[0] = g.size[0];
    out->size[1] = 1e6; // m: it has no ends
    return ARNE_OK;
}

// Links touch what is around them, not each other: only a body that is excluded with the world has
// contacts to lose.
static arne_status exclude_one(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    arne_builder *b = m->r->builder;
    const char   *link = NULL;
    int           world = 0, kept = 0;
    for (int i = 0; i < 2; i++) {
        const char *name = xml_node_get(node, i ? "body2" : "body1");
        const char *full = name ? mjcf_name(m, at, name) : "";
        if (!full) return ARNE_NO_MEMORY;
        const int body = mjcf_find_body(m, full);
        if (name && strcmp(name, "world") == 0)
            world = 1;
        else if (body >= 0)
            link = m->bodies[body].name;
        else if (at->model == m->models)
            return xml_node_fail(m->r, ARNE_NOT_FOUND, node, "<exclude>: there is no body '%.80s'",
                                 name ? name : "");
    }
    for (int i = 0; i < b->contact_count && world && link; i++)
        if (strcmp(b->contacts[i].link, link) != 0) b->contacts[kept++] = b->contacts[i];
    if (world && link) b->contact_count = kept;
    return ARNE_OK;
}

// A pair of a link and the world lets a geom touch that does not otherwise.
static arne_status pair_one(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    const mjcf_known *link = NULL;
    mjcf_class *class = NULL;
    geom g = {0};
    int  worlds = 0;
    for (int i = 0; i < 2; i++) {
        const char *name = xml_node_get(node, i ? "geom2" : "geom1");
        const char *full = name ? mjcf_name(m, at, name) : "";
        if (!full) return ARNE_NO_MEMORY;
        const int k = name_index_find(&m->geom_names, full);
        if (k < 0 && at->model == m->models)
            return xml_node_fail(m->r, ARNE_NOT_FOUND, node, "<pair>: there is no geom '%.80s'",
                                 name ? name : "");
        if (k >= 0 && m->geoms[k].at.body >= 0) link = &m->geoms[k];
        worlds += k >= 0 && m->geoms[k].at.body < 0;
    }
    if (!worlds && !m->pairs++) m->first_pair = node;
    if (worlds != 1 || !link) return ARNE_OK;
    arne_status status = mjcf_class_of(m, &link->at, link->node, &class);
    if (!status) status = geom_read(m, &link->at, link->node, class, &g);
    if (status || g.touches) return status;
    g.touches = 1;
    const xml_node *from = xml_node_get(node, "friction") ? node : link->node;
    return geom_contact(m, &link->at, from, from == node ? NULL : class,
                        m->bodies[link->at.body].name, &g);
}

arne_status mjcf_excludes(mjcf *m, const mjcf_place *at, const xml_node *root)
{
    const arne_status status = mjcf_each(m, at, root, "contact", "exclude", exclude_one);
    return status_both(status, mjcf_each(m, at, root, "contact", "pair", pair_one));
}

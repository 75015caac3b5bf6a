// Tendons. The length of a fixed tendon is a sum of coordinates, L = sum of coef_i q_i. Where it
// has a spring, a damper, friction or inertia, it becomes a joint that follows these coordinates
// and slides a link without mass, which has all of that.
#include "base/error.h"
#include "io/formats/mjcf.h"
#include "robot/builder.h"
#include "robot/wrap.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const xml_node *mjcf_find_tendon(const xml_node *root, const char *name)
{
    for (const xml_node *k = root->first; k && name; k = k->next)
        for (const xml_node *t = strcmp(k->tag, "tendon") == 0 ? k->first : NULL; t; t = t->next)
            if (mjcf_is(xml_node_get(t, "name"), name)) return t;
    return NULL;
}

typedef struct tendon {
    arne_spring_spec spring;
    double           armature, loss;
    double           rest[2]; // springlength; negative: where all joints are at springref
    int              rests;
} tendon;

static arne_status tendon_read(mjcf *m, const xml_node *node, const mjcf_class *class, tendon *t)
{
    const mjcf_want   wants[] = {{"armature", 1, 1, &t->armature, NULL},
                                 {"frictionloss", 1, 1, &t->loss, NULL},
                                 {"springlength", 1, 2, t->rest, &t->rests},
                                 {0}};
    const arne_status status = mjcf_spring_numbers(m, node, class, &t->spring);
    return status_both(status, mjcf_read_all(m, node, class, wants));
}

static int tendon_acts(const tendon *t)
{
    return mjcf_spring_is_there(&t->spring) || t->armature != 0 || t->loss != 0;
}

// What the joint follows: the first joint in proportion, the others by couplings. *rest: the
// tendon's length where all joints are at springref.
static arne_status tendon_follow(mjcf *m, const mjcf_place *at, const xml_node *node,
                                 arne_joint_spec *spec, double *rest)
{
    arne_builder *b = m->r->builder;
    arne_status   status = ARNE_OK;
    int           added = 0;
    for (const xml_node *j = node->first; j && !status; j = j->next) {
        double coef = 1;
        int    joint = -1;
        if (strcmp(j->tag, "joint") != 0) continue;
        status = mjcf_one_coordinate(m, at, j, xml_node_get(j, "joint"), &joint);
        status = status_both(status, mjcf_number(m, j, NULL, "coef", &coef));
        if (status) break;
        *rest += coef * m->joints[joint].rest;
        spec->start += coef * m->joints[joint].ref;
        if (!spec->mimic) {
            spec->mimic = m->joints[joint].name;
            spec->mimic_ratio = coef;
            continue;
        }
        if (!added++)
            status =
                arne_reader_check(m->r, arne_builder_add_joint(b, spec, m->r->error), node->line);
        const arne_coupling_spec more = {.joint = spec->name,
                                         .with = m->joints[joint].name,
                                         .ratio = coef,
                                         .place = mjcf_place_of(j)};
        if (!status)
            status =
                arne_reader_check(m->r, arne_builder_add_coupling(b, &more, m->r->error), j->line);
    }
    if (status || added || !spec->mimic) return status;
    return arne_reader_check(m->r, arne_builder_add_joint(b, spec, m->r->error), node->line);
}

static arne_status tendon_fixed(mjcf *m, const mjcf_place *at, const xml_node *node,
                                const tendon *t)
{
    arne_body_spec  link = arne_body_spec_default();
    arne_joint_spec spec = arne_joint_spec_default();
    double          rest = 0;
    const char     *own = xml_node_get(node, "name");
    const char     *name = mjcf_name(m, at, own ? own : "tendon");
    if (!name) return ARNE_NO_MEMORY;
    link.name = mjcf_unique(m, &m->r->builder->body_index, &m->frames, name, NULL);
    spec.name = mjcf_unique(m, &m->r->builder->joint_index, NULL, name, own ? node : NULL);
    if (!link.name || !spec.name) return ARNE_NO_MEMORY;
    spec.kind = ARNE_JOINT_PRISMATIC;
    spec.parent = mjcf_root_link(m);
    spec.child = link.name;
    spec.axis = (arne_vec3){0, 0, 1};
    spec.viscous = t->spring.damping;
    spec.coulomb_positive = spec.coulomb_negative = t->loss;
    spec.rotor_inertia = t->armature;
    spec.place = link.place = mjcf_place_of(node);
    arne_status status = arne_reader_check(
        m->r, arne_builder_add_body(m->r->builder, &link, m->r->error), node->line);
    if (!status) status = tendon_follow(m, at, node, &spec, &rest);
    arne_spring_spec spring = t->spring;
    spring.damping = 0; // friction has it
    if (status || !mjcf_spring_is_there(&spring)) return status;
    spring.joint = spec.name;
    spring.rest = t->rests && t->rest[0] >= 0 ? t->rest[0] : rest;
    spring.place = spec.place;
    return arne_reader_check(m->r, arne_builder_add_spring(m->r->builder, &spring, m->r->error),
                             node->line);
}

// ---- paths in space

// Points, and surfaces between two of them: a path over surfaces.
typedef struct tendon_path {
    arne_path_point *points;
    int             *bodies; // of the points
    arne_path_wrap  *wraps;
    arne_wrap_spec  *surfaces;
    int             *carriers;                          // of the surfaces
    int              point_count, wrap_count, wrapping; // wrapping: the next point ends a wrap
    const char      *why;                               // it cannot be; NULL: it can
} tendon_path;

static arne_status tendon_find(mjcf *m, const mjcf_place *at, const xml_node *node, const char *key,
                               const name_index *names, int *index)
{
    const char *name = xml_node_get(node, key), *full = name ? mjcf_name(m, at, name) : "";
    if (!full) return ARNE_NO_MEMORY;
    *index = name_index_find(names, full);
    return *index >= 0 ? ARNE_OK
                       : xml_node_fail(m->r, ARNE_NOT_FOUND, node, "<%s>: there is no %s '%.80s'",
                                       node->tag, key, name ? name : "");
}

static arne_pose tendon_at_spring(const mjcf *m, int body)
{
    return body < 0 ? pose_identity() : m->bodies[body].at_spring;
}

static arne_status tendon_point(mjcf *m, const mjcf_place *at, const xml_node *node, tendon_path *p)
{
    int         site;
    arne_status status = tendon_find(m, at, node, "site", &m->site_names, &site);
    if (status) return status;
    const mjcf_site *s = &m->sites[site];
    p->points[p->point_count] = (arne_path_point){
        .link = s->body < 0 ? "world" : m->bodies[s->body].name, .position = s->at.p};
    p->bodies[p->point_count++] = s->body;
    p->wrapping = 0;
    return ARNE_OK;
}

// The x axis of a surface points to the side site.
static void tendon_side(tendon_path *p, arne_wrap_spec *w, arne_vec3 side)
{
    const arne_pose back = pose_inverse(&w->origin);
    arne_vec3       x = vec_add(back.p, rotate(&back.R, side));
    if (vec_norm(x) < w->size[0]) p->why = "it passes inside of a geom";
    if (w->shape == ARNE_WRAP_CYLINDER) x.z = 0;
    if (vec_norm(x) == 0) x.x = 1;
    x = vec_scale(1 / vec_norm(x), x);
    arne_vec3 z = {0, 0, 1};
    if (fabs(x.z) > 0.9) z = (arne_vec3){1, 0, 0};
    z = vec_add(z, vec_scale(-vec_dot(x, z), x));
    z = vec_scale(1 / vec_norm(z), z);
    const arne_mat3 R = {x, vec_cross(z, x), z};
    w->origin.R = rotation_times(&w->origin.R, &R);
    w->side = ARNE_WRAP_SITE;
}

static arne_status tendon_wrap(mjcf *m, const mjcf_place *at, const xml_node *node, tendon_path *p)
{
    int             geom, side = -1;
    arne_wrap_spec *w = &p->surfaces[p->wrap_count];
    arne_status     status = tendon_find(m, at, node, "geom", &m->geom_names, &geom);
    if (xml_node_get(node, "sidesite"))
        status = status_both(status, tendon_find(m, at, node, "sidesite", &m->site_names, &side));
    *w = arne_wrap_spec_default();
    if (!status) status = mjcf_geom_surface(m, &m->geoms[geom], w);
    if (status) return status;
    const int body = m->geoms[geom].at.body;
    w->link = body < 0 ? "world" : m->bodies[body].name;
    w->place = mjcf_place_of(node);
    if (w->shape == ARNE_WRAP_SHAPE_COUNT || !p->point_count || p->wrapping)
        p->why = "a geom of its path is no sphere or cylinder between two sites";
    else if (side >= 0 && m->sites[side].body != body)
        p->why = "a side site is on another body than its geom";
    else if (side >= 0)
        tendon_side(p, w, m->sites[side].at.p);
    p->carriers[p->wrap_count] = body;
    p->wraps[p->wrap_count++] =
        (arne_path_wrap){.first = p->point_count - 1, .last = p->point_count};
    p->wrapping = 1;
    return ARNE_OK;
}

// How long it is where all joints are at springref.
static double tendon_length(const mjcf *m, const tendon_path *p)
{
    double sum = 0;
    for (int i = 0, k = 0; i + 1 < p->point_count; i++) {
        arne_vec3 end[2];
        wrap_arc  arc = {.length = -1};
        for (int e = 0; e < 2; e++) {
            const arne_pose X = tendon_at_spring(m, p->bodies[i + e]);
            end[e] = vec_add(X.p, rotate(&X.R, p->points[i + e].position));
        }
        if (k < p->wrap_count && p->wraps[k].first == i) {
            arne_pose X = tendon_at_spring(m, p->carriers[k]);
            X = pose_times(&X, &p->surfaces[k].origin);
            X = pose_inverse(&X);
            for (int e = 0; e < 2; e++)
                end[e] = vec_add(X.p, rotate(&X.R, end[e]));
            if (wrap_line(&p->surfaces[k++], end[0], end[1], &arc) == WRAP_NONE) arc.length = -1;
        }
        if (arc.length < 0) arc = (wrap_arc){end[0], end[0], 0};
        sum += vec_norm(vec_add(arc.from, vec_scale(-1, end[0]))) + arc.length +
               vec_norm(vec_add(end[1], vec_scale(-1, arc.to)));
    }
    return sum;
}

static arne_status tendon_add_path(mjcf *m, const mjcf_place *at, const xml_node *node,
                                   const tendon *t, tendon_path *p)
{
    arne_builder    *b = m->r->builder;
    arne_muscle_spec spec = arne_muscle_spec_default(ARNE_MUSCLE_TENDON);
    const char *own = xml_node_get(node, "name"), *name = mjcf_name(m, at, own ? own : "tendon");
    char        made[300];
    arne_status status = ARNE_OK;
    spec.name = name ? mjcf_unique(m, &m->path_names, NULL, name, own ? node : NULL) : NULL;
    if (!spec.name || !name_index_add(&m->path_names, spec.name, m->paths))
        return arne_fail_memory(m->r->error);
    for (int k = 0; k < p->wrap_count && !status; k++) {
        snprintf(made, sizeof made, "%.250s_%d", spec.name, k + 1);
        p->wraps[k].wrap = p->surfaces[k].name = xml_tree_text(&m->models->tree, made);
        if (!p->wraps[k].wrap) return arne_fail_memory(m->r->error);
        status = arne_reader_check(m->r, arne_builder_add_wrap(b, &p->surfaces[k], m->r->error),
                                   node->line);
    }
    const double rest = tendon_length(m, p);
    spec.law.slack[0] = t->rests && t->rest[0] >= 0 ? t->rest[0] : rest;
    spec.law.slack[1] = t->rests && t->rest[0] >= 0 ? t->rest[t->rests - 1] : rest;
    spec.law.elastic[0] = t->spring.stiffness;
    spec.law.viscous[0] = t->spring.damping;
    memcpy(spec.law.elastic + 1, t->spring.stiffness_more, sizeof t->spring.stiffness_more);
    memcpy(spec.law.viscous + 1, t->spring.damping_more, sizeof t->spring.damping_more);
    spec.points = p->points;
    spec.point_count = p->point_count;
    spec.wraps = p->wraps;
    spec.wrap_count = p->wrap_count;
    spec.place = mjcf_place_of(node);
    if (!m->paths++) m->first_path = node;
    return status ? status
                  : arne_reader_check(m->r, arne_builder_add_muscle(b, &spec, m->r->error),
                                      node->line);
}

static arne_status tendon_spatial(mjcf *m, const mjcf_place *at, const xml_node *node,
                                  const tendon *t, const char **why)
{
    tendon_path p = {0};
    arne_status status = ARNE_OK;
    size_t      count = 1;
    for (const xml_node *k = node->first; k; k = k->next)
        count++;
    p.points = calloc(count, sizeof *p.points);
    p.bodies = calloc(2 * count, sizeof *p.bodies);
    p.wraps = calloc(count, sizeof *p.wraps);
    p.surfaces = calloc(count, sizeof *p.surfaces);
    if (!p.points || !p.bodies || !p.wraps || !p.surfaces) status = arne_fail_memory(m->r->error);
    p.carriers = p.bodies ? p.bodies + count : NULL;
    for (const xml_node *k = node->first; k && status_goes_on(status); k = k->next) {
        if (strcmp(k->tag, "site") == 0) status = status_both(status, tendon_point(m, at, k, &p));
        if (strcmp(k->tag, "geom") == 0) status = status_both(status, tendon_wrap(m, at, k, &p));
        if (strcmp(k->tag, "pulley") == 0) p.why = "it has a pulley";
    }
    if (p.wrapping || p.point_count < 2) p.why = "its path does not end in a site";
    for (int i = 0; i < p.point_count + p.wrap_count && m->free_base; i++)
        if ((i < p.point_count ? p.bodies[i] : p.carriers[i - p.point_count]) < 0)
            p.why = "it is tied to the world, and the robot has a free base";
    if (!status && !p.why) status = tendon_add_path(m, at, node, t, &p);
    *why = p.why;
    free(p.points);
    free(p.bodies);
    free(p.wraps);
    free(p.surfaces);
    return status;
}

static arne_status tendon_one(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    const int   fixed = strcmp(node->tag, "fixed") == 0;
    const char *why = NULL;
    tendon      t = {0};
    mjcf_class *class = NULL;
    arne_status status = mjcf_class_of(m, at, node, &class);
    status = status_both(status, tendon_read(m, node, class, &t));
    if (status || !tendon_acts(&t)) return status;
    if (fixed && t.spring.stiffness != 0 && t.rests == 2 && t.rest[0] != t.rest[1])
        why = "the spring has no force over a range of lengths";
    if (!fixed && (t.armature != 0 || t.loss != 0)) why = "it has armature or friction in space";
    if (!why)
        status = fixed ? tendon_fixed(m, at, node, &t) : tendon_spatial(m, at, node, &t, &why);
    if (!why || m->left++) return status;
    m->first_left = node;
    m->why_left = why;
    return status;
}

arne_status mjcf_tendons(mjcf *m, const mjcf_place *at, const xml_node *root)
{
    const arne_status status = mjcf_each(m, at, root, "tendon", "fixed", tendon_one);
    return status_goes_on(status)
               ? status_both(status, mjcf_each(m, at, root, "tendon", "spatial", tendon_one))
               : status;
}

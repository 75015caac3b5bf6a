// A body of MJCF: its sites, inertia and joints, and the links between them.
#include "io/formats/mjcf_body.h"
#include "base/error.h"
#include "robot/builder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MJCF_MOST_BODIES = 200000 };

arne_status mjcf_no_memory(const mjcf *m) { return arne_fail_memory(m->r->error); }

// ---- by name

int mjcf_find_body(const mjcf *m, const char *name)
{
    return name_index_find(&m->body_names, name);
}

int mjcf_find_joint(const mjcf *m, const char *name)
{
    return name_index_find(&m->joint_names, name);
}

int mjcf_find_site(const mjcf *m, const char *name)
{
    return name_index_find(&m->site_names, name);
}

const char *mjcf_unique(mjcf *m, const name_index *taken, const name_index *also, const char *want,
                        const xml_node *at)
{
    char text[300];
    snprintf(text, sizeof text, "%.250s", want);
    for (int i = m->renamed < 100 ? 2 : m->renamed;
         name_index_find(taken, text) >= 0 || (also && name_index_find(also, text) >= 0); i++)
        snprintf(text, sizeof text, "%.250s_%d", want, i);
    if (strcmp(text, want) == 0) return want;
    if (at && !m->renamed++) {
        m->first_renamed = at;
        snprintf(m->first_name, sizeof m->first_name, "%.60s", text);
    }
    char *kept = xml_tree_text(&m->models->tree, text);
    if (!kept) (void)mjcf_no_memory(m);
    return kept;
}

const char *mjcf_root_link(const mjcf *m) { return m->free_base ? m->bodies[0].name : "world"; }

const char *mjcf_link_of(const mjcf *m, int body)
{
    return body < 0 ? "world" : m->bodies[body].name;
}

// ---- one body

static arne_status add_site(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    const char *name = xml_node_get(node, "name");
    mjcf_class *class = NULL;
    arne_pose   X;
    arne_status status = mjcf_class_of(m, at, node, &class);
    status = status_both(status, mjcf_pose(m, at, node, class, &X));
    double fromto[6];
    int    ends = 0;
    if (strcmp(node->tag, "site") == 0)
        status = status_both(status, mjcf_numbers(m, node, class, "fromto", 6, 6, fromto, &ends));
    if (ends == 6 && !status) {
        const arne_vec3 a = {fromto[0], fromto[1], fromto[2]},
                        e = {fromto[3], fromto[4], fromto[5]};
        X.p = vec_scale(0.5, vec_add(a, e));
        if (vec_norm(vec_add(a, vec_scale(-1, e))) > 0)
            X.R = rotation_of_z(vec_add(a, vec_scale(-1, e)));
    }
    if (status || !name || !*name) return status;
    if (!mjcf_grow((void **)&m->sites, m->site_count, &m->site_room, sizeof *m->sites))
        return mjcf_no_memory(m);
    const char *full = mjcf_name(m, at, name);
    if (!full) return ARNE_NO_MEMORY;
    if (!name_index_add(&m->site_names, full, m->site_count)) return mjcf_no_memory(m);
    m->sites[m->site_count++] = (mjcf_site){full, at->body, pose_times(&at->X, &X), node};
    return ARNE_OK;
}

static arne_status keep_geom(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    const char *name = xml_node_get(node, "name"), *full = name ? mjcf_name(m, at, name) : NULL;
    if (name &&
        (!full || !mjcf_grow((void **)&m->geoms, m->geom_count, &m->geom_room, sizeof *m->geoms) ||
         !name_index_add(&m->geom_names, full, m->geom_count)))
        return mjcf_no_memory(m);
    if (name) m->geoms[m->geom_count++] = (mjcf_known){*at, node};
    return ARNE_OK;
}

static int has_bodies(const xml_node *node)
{
    for (const xml_node *c = node->first; c; c = c->next)
        if (strcmp(c->tag, "body") == 0 || strcmp(c->tag, "attach") == 0 || has_bodies(c)) return 1;
    return 0;
}

arne_status mjcf_own_element(mjcf *m, const mjcf_place *at, const xml_node *c, mjcf_reading *b)
{
    if (strcmp(c->tag, "geom") == 0) {
        const char *link = at->body < 0 && m->free_base ? NULL : mjcf_link_of(m, at->body);
        if (b->weighs) return mjcf_geom(m, at, c, NULL, &b->sum);
        return status_both(keep_geom(m, at, c), mjcf_geom(m, at, c, link, &b->sum));
    }
    if (b->weighs && strcmp(c->tag, "inertial") != 0) return ARNE_OK;
    if (strcmp(c->tag, "site") == 0 || strcmp(c->tag, "camera") == 0) return add_site(m, at, c);
    if (strcmp(c->tag, "inertial") == 0) {
        b->inertial = c;
        return ARNE_OK;
    }
    if (strcmp(c->tag, "joint") != 0 && strcmp(c->tag, "freejoint") != 0) return ARNE_OK;
    if (at->body < 0)
        return xml_node_fail(m->r, ARNE_VALUE, c, "the world cannot have a <%s>", c->tag);
    if (b->joint_count == MJCF_MOST_JOINTS)
        return xml_node_fail(m->r, ARNE_TOO_LARGE, c, "a body has more than %d joints",
                             MJCF_MOST_JOINTS);
    b->joints[b->joint_count] = c;
    b->frames[b->joint_count] = at->X;
    b->classes[b->joint_count++] = at->class;
    return ARNE_OK;
}

// ---- inertia

static arne_status mjcf_body_read_inertial(mjcf *m, const mjcf_place *at, const xml_node *node,
                                           arne_body_spec *spec)
{
    arne_pose   X;
    int         mass = 0, diagonal = 0, full = 0;
    arne_status status = mjcf_pose(m, at, node, NULL, &X);
    status = status_both(status, mjcf_numbers(m, node, NULL, "mass", 1, 1, &spec->mass, &mass));
    status = status_both(
        status, mjcf_numbers(m, node, NULL, "diaginertia", 3, 3, spec->inertia, &diagonal));
    if (!diagonal)
        status = status_both(
            status, mjcf_numbers(m, node, NULL, "fullinertia", 6, 6, spec->inertia, &full));
    if (!status && !mass) status = xml_node_fail(m->r, ARNE_VALUE, node, "<inertial> has no mass");
    if (!status && !diagonal && !full && spec->mass > 0)
        status = xml_node_fail(m->r, ARNE_VALUE, node,
                               "<inertial> has neither diaginertia nor fullinertia");
    X = pose_times(&at->X, &X);
    spec->com = X.p;
    spec->inertia_axes = X.R;
    return status;
}

static arne_status body_inertia(mjcf *m, const mjcf_place *at, const xml_node *node,
                                const mjcf_reading *b, const arne_pose *X, arne_body_spec *spec)
{
    const mjcf_compiler *c = &at->model->compiler;
    arne_status          status = ARNE_OK;
    if (b->inertial && (c->from_geom != 1 || (b->sum.mass == 0 && !b->sum.missing))) {
        status = mjcf_body_read_inertial(m, at, b->inertial, spec);
    } else if (c->from_geom) {
        mjcf_mass_to_spec(&b->sum, spec);
        if (b->sum.missing && !m->no_mass++) m->first_no_mass = node;
    }
    if (!status) mjcf_bound(c, X, spec);
    return status;
}

// ---- joints, and the links between them

static arne_status mjcf_body_add_spring(mjcf *m, const xml_node *node, const arne_joint_spec *spec,
                                        const mjcf_joint_more *more)
{
    arne_spring_spec spring = more->spring;
    if (!mjcf_spring_is_there(&spring)) return ARNE_OK;
    if (arne_joint_kind_v_count(spec->kind) != 1)
        return xml_node_warn(m->r, "mjcf", node,
                             "joint '%.80s': the spring of a %s joint is not used", spec->name,
                             arne_joint_kind_name(spec->kind));
    spring.joint = spec->name;
    spring.place = spec->place;
    return arne_reader_check(m->r, arne_builder_add_spring(m->r->builder, &spring, m->r->error),
                             node->line);
}

static arne_status keep_joint(mjcf *m, const mjcf_place *at, const xml_node *node,
                              const arne_joint_spec *spec, const mjcf_joint_more *more, int index)
{
    const char *called = xml_node_get(node, "name");
    if (called) called = mjcf_name(m, at, called);
    if (xml_node_get(node, "name") && !called) return ARNE_NO_MEMORY;
    if (!mjcf_grow((void **)&m->joints, m->joint_count, &m->joint_room, sizeof *m->joints))
        return mjcf_no_memory(m);
    if (called && !name_index_add(&m->joint_names, called, m->joint_count))
        return mjcf_no_memory(m);
    m->joints[m->joint_count++] = (mjcf_joint){.name = spec->name,
                                               .called = called ? called : "",
                                               .kind = spec->kind,
                                               .body = at->body,
                                               .index = index,
                                               .ref = more->ref,
                                               .rest = more->spring.rest,
                                               .tuned = {more->tuned[0], more->tuned[1]},
                                               .node = node,
                                               .armature = more->armature,
                                               .compensates = more->compensates};
    return ARNE_OK;
}

// The name of a joint that has none: its body's, with the kind.
static const char *mjcf_body_joint_name(mjcf *m, const mjcf_place *at, const xml_node *node,
                                        const char *kind)
{
    const char *own = node ? xml_node_get(node, "name") : NULL;
    char        made[300];
    snprintf(made, sizeof made, "%.200s_%s", m->bodies[at->body].name, kind);
    const char *want = own && *own ? mjcf_name(m, at, own) : xml_tree_text(&m->models->tree, made);
    if (!want) return mjcf_no_memory(m), NULL;
    return mjcf_unique(m, &m->r->builder->joint_index, NULL, want, own ? node : NULL);
}

static arne_status mjcf_body_add_joint(mjcf *m, const xml_node *node, const arne_joint_spec *spec)
{
    return arne_reader_check(m->r, arne_builder_add_joint(m->r->builder, spec, m->r->error),
                             node->line);
}

// The k-th joint of a body and the link that it moves. before: the pose of the body in the link
// that carries the joint.
static arne_status body_joint(mjcf *m, const mjcf_place *at, const mjcf_reading *b, int k,
                              const arne_pose *before, const char *parent, const char *child)
{
    const xml_node *node = b->joints[k];
    mjcf_place      here = *at;
    arne_joint_spec spec;
    mjcf_joint_more more;
    here.X = b->frames[k];
    here.class = b->classes[k];
    arne_status status = mjcf_joint_spec(m, &here, node, &spec, &more);
    if (status) return status;
    if (spec.kind == ARNE_JOINT_FREE && (m->bodies[at->body].parent >= 0 || b->joint_count > 1))
        return xml_node_fail(m->r, ARNE_VALUE, node,
                             "a free joint must be the only one of a body of the world");
    spec.name = mjcf_body_joint_name(m, at, node, arne_joint_kind_name(spec.kind));
    if (!spec.name) return ARNE_NO_MEMORY;
    const int slides = spec.kind == ARNE_JOINT_PRISMATIC;
    arne_pose turn = pose_move(vec_scale(slides ? more.spring.rest : 0, spec.axis));
    if (more.spring.rest != 0 && !slides) turn.R = rotation_about(spec.axis, more.spring.rest);
    turn = pose_times(&spec.origin, &turn);
    turn = pose_times(&turn, &spec.tip);
    m->bodies[at->body].at_spring = pose_times(&m->bodies[at->body].at_spring, &turn);
    spec.parent = parent;
    spec.child = child;
    const int is_base = m->free_base && m->bodies[at->body].parent < 0;
    if (spec.kind == ARNE_JOINT_FREE) {
        m->bodies[at->body].free = 1;
        if (is_base) return keep_joint(m, at, node, &spec, &more, -1);
    } else {
        spec.origin = pose_times(before, &spec.origin);
    }
    status = mjcf_body_add_joint(m, node, &spec);
    if (!status) status = mjcf_body_add_spring(m, node, &spec, &more);
    return status ? status : keep_joint(m, at, node, &spec, &more, m->r->builder->joint_count - 1);
}

arne_status mjcf_add_link(mjcf *m, const xml_node *node, const arne_body_spec *spec)
{
    return arne_reader_check(m->r, arne_builder_add_body(m->r->builder, spec, m->r->error),
                             node->line);
}

// A link without mass between two joints of a body.
static const char *link_between(mjcf *m, const mjcf_place *at, const xml_node *node, int k)
{
    arne_body_spec spec = arne_body_spec_default();
    char           made[300];
    snprintf(made, sizeof made, "%.200s_%d", m->bodies[at->body].name, k + 1);
    const char *name = xml_tree_text(&m->models->tree, made);
    spec.name = name ? mjcf_unique(m, &m->r->builder->body_index, NULL, name, NULL) : NULL;
    spec.place = mjcf_place_of(node);
    return spec.name && !mjcf_add_link(m, node, &spec) ? spec.name : NULL;
}

static arne_status add_chain(mjcf *m, const mjcf_place *at, const xml_node *node,
                             const mjcf_reading *b, const arne_pose *X)
{
    const mjcf_body *own = &m->bodies[at->body];
    const char      *parent = mjcf_link_of(m, own->parent);
    arne_pose        before = *X;
    arne_status      status = ARNE_OK;
    if (b->joint_count == 0) {
        arne_joint_spec spec = arne_joint_spec_default();
        spec.kind = ARNE_JOINT_FIXED;
        spec.name = mjcf_body_joint_name(m, at, NULL, "fixed");
        spec.parent = parent;
        spec.child = own->name;
        spec.origin = before;
        spec.place = mjcf_place_of(node);
        return spec.name ? mjcf_body_add_joint(m, node, &spec) : ARNE_NO_MEMORY;
    }
    for (int k = 0; k < b->joint_count && !status; k++) {
        const char *child =
            k + 1 < b->joint_count ? link_between(m, at, node, k) : m->bodies[at->body].name;
        if (!child) return ARNE_NO_MEMORY;
        status = body_joint(m, at, b, k, &before, parent, child);
        parent = child;
        before = pose_identity();
    }
    return status;
}

static arne_status begin_body(mjcf *m, const mjcf_place *at, const xml_node *node,
                              const arne_pose *X, mjcf_place *own)
{
    const char *called = xml_node_get(node, "name"), *class = xml_node_get(node, "childclass");
    char        made[40];
    snprintf(made, sizeof made, "body_%d", m->body_count + 1);
    const char *want =
        called && *called ? mjcf_name(m, at, called) : xml_tree_text(&m->models->tree, made);
    if (want) want = mjcf_unique(m, &m->r->builder->body_index, NULL, want, node);
    if (!want || !mjcf_grow((void **)&m->bodies, m->body_count, &m->body_room, sizeof *m->bodies))
        return mjcf_no_memory(m);
    if (m->body_count == MJCF_MOST_BODIES)
        return xml_node_fail(m->r, ARNE_TOO_LARGE, node, "there are more than %d bodies",
                             MJCF_MOST_BODIES);
    if (!name_index_add(&m->body_names, want, m->body_count)) return mjcf_no_memory(m);
    const arne_pose world = pose_identity();
    m->bodies[m->body_count] = (mjcf_body){
        .name = want,
        .parent = at->body,
        .at_rest = pose_times(at->body < 0 ? &world : &m->bodies[at->body].at_rest, X),
        .at_spring = pose_times(at->body < 0 ? &world : &m->bodies[at->body].at_spring, X)};
    *own = *at;
    own->body = m->body_count++;
    own->X = world;
    if (!class) return ARNE_OK;
    own->class = mjcf_find_class(at->model, class);
    return own->class ? ARNE_OK
                      : xml_node_fail(m->r, ARNE_NOT_FOUND, node,
                                      "there is no default class '%.80s'", class);
}

// A free body with `align` that carries no others has the frame of its inertia: *X moves there, and
// all in the body stands in a frame that moves it back.
static arne_status body_align(mjcf *m, const xml_node *node, mjcf_place *own, arne_pose *X)
{
    const xml_node *joint = xml_node_child(node, "freejoint");
    const char     *align = joint ? xml_node_get(joint, "align") : NULL;
    const int       wanted = own->model->compiler.align_free;
    if (!joint || has_bodies(node) ||
        !(mjcf_is(align, "true") || (wanted && !mjcf_is(align, "false"))))
        return ARNE_OK;
    mjcf_reading  *b = calloc(1, sizeof *b);
    arne_body_spec spec = arne_body_spec_default();
    const int      no_mass = m->no_mass;
    if (!b) return mjcf_no_memory(m);
    b->weighs = 1;
    arne_status status = mjcf_visit(m, own, node, MJCF_OWN, b);
    if (!status) status = body_inertia(m, own, node, b, X, &spec);
    free(b);
    m->no_mass = no_mass;
    if (status || !(spec.mass > 0)) return status;
    const arne_pose P = {spec.inertia_axes, spec.com};
    mjcf_body      *body = &m->bodies[own->body];
    own->X = pose_inverse(&P);
    *X = pose_times(X, &P);
    body->at_rest = pose_times(&body->at_rest, &P);
    body->at_spring = pose_times(&body->at_spring, &P);
    return ARNE_OK;
}

arne_status mjcf_read_body(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    mjcf_reading  *b = calloc(1, sizeof *b);
    mjcf_place     own;
    arne_pose      X;
    arne_body_spec spec = arne_body_spec_default();
    if (!b) return mjcf_no_memory(m);
    arne_status status = mjcf_pose(m, at, node, NULL, &X);
    X = pose_times(&at->X, &X);
    status = status_both(status, begin_body(m, at, node, &X, &own));
    if (!status) status = body_align(m, node, &own, &X);
    if (status_goes_on(status))
        status = status_both(status, mjcf_visit(m, &own, node, MJCF_OWN, b));
    if (status_goes_on(status))
        status = status_both(status, body_inertia(m, &own, node, b, &X, &spec));
    spec.name = m->body_count ? m->bodies[own.body].name : "";
    spec.place = mjcf_place_of(node);
    status =
        status_both(status, mjcf_number(m, node, NULL, "gravcomp", &spec.gravity_compensation));
    if (m->body_count) m->bodies[own.body].link = m->r->builder->body_count;
    if (m->body_count)
        m->bodies[own.body].moves =
            b->joint_count > 0 || (at->body >= 0 && m->bodies[at->body].moves);
    if (status_goes_on(status)) status = status_both(status, mjcf_add_link(m, node, &spec));
    if (status_goes_on(status)) status = status_both(status, add_chain(m, &own, node, b, &X));
    free(b);
    return status_goes_on(status)
               ? status_both(status, mjcf_visit(m, &own, node, MJCF_CHILDREN, NULL))
               : status;
}

// Armature a of a free joint is an inertia that has no weight: a link of mass a and inertia a I at
// the body's origin, whose weight is held.
arne_status mjcf_free_armatures(mjcf *m)
{
    arne_status status = ARNE_OK;
    for (int k = 0; k < m->joint_count && !status; k++) {
        const double   a = m->joints[k].armature;
        const char    *own = m->bodies[m->joints[k].body].name;
        arne_body_spec link = arne_body_spec_default();
        char           made[300];
        if (a == 0) continue;
        snprintf(made, sizeof made, "%.200s_armature", own);
        const char *name = xml_tree_text(&m->models->tree, made);
        link.name =
            name ? mjcf_unique(m, &m->r->builder->body_index, &m->frames, name, NULL) : NULL;
        if (!link.name) return mjcf_no_memory(m);
        link.mass = link.inertia[0] = link.inertia[1] = link.inertia[2] = a;
        link.gravity_compensation = 1;
        arne_joint_spec fixed = arne_joint_spec_default();
        fixed.kind = ARNE_JOINT_FIXED;
        fixed.name = mjcf_unique(m, &m->r->builder->joint_index, NULL, link.name, NULL);
        fixed.parent = own;
        fixed.child = link.name;
        if (!fixed.name) return mjcf_no_memory(m);
        link.place = fixed.place = m->r->builder->bodies[m->bodies[m->joints[k].body].link].place;
        status = arne_reader_check(m->r, arne_builder_add_body(m->r->builder, &link, m->r->error),
                                   link.place.line);
        if (!status)
            status = arne_reader_check(
                m->r, arne_builder_add_joint(m->r->builder, &fixed, m->r->error), link.place.line);
    }
    return status;
}

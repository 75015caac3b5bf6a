// Bodies of MJCF from the world outward, with frames, copies and attached models.
#include "base/error.h"
#include "io/formats/mjcf_body.h"
#include "robot/builder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MJCF_MOST_COPIES = 100000 };

// ---- frames, copies, attached models

static arne_status visit_frame(mjcf *m, const mjcf_place *at, const xml_node *node,
                               mjcf_phase phase, mjcf_reading *b)
{
    const char *class = xml_node_get(node, "childclass");
    mjcf_place  inside = *at;
    arne_pose   X;
    arne_status status = mjcf_pose(m, at, node, NULL, &X);
    if (status) return phase == MJCF_OWN ? status : ARNE_OK; // it was told
    inside.X = pose_times(&at->X, &X);
    if (class) inside.class = mjcf_find_class(at->model, class);
    if (class && !inside.class)
        return phase == MJCF_OWN ? xml_node_fail(m->r, ARNE_NOT_FOUND, node,
                                                 "there is no default class '%.80s'", class)
                                 : ARNE_OK;
    return mjcf_visit(m, &inside, node, phase, b);
}

// Copy i stands at the i-th power of the step; its names end in the separator and i.
static arne_status visit_replicate(mjcf *m, const mjcf_place *at, const xml_node *node,
                                   mjcf_phase phase, mjcf_reading *b)
{
    const char *sep = xml_node_get(node, "sep");
    double      count = 0, offset[3] = {0};
    arne_pose   step = pose_identity(), X = step;
    char        width[16], suffix[256];
    arne_status status = mjcf_number(m, node, NULL, "count", &count);
    status = status_both(status, mjcf_numbers(m, node, NULL, "offset", 3, 3, offset, NULL));
    status = status_both(status, mjcf_rotation(m, at, node, NULL, &step.R));
    if (!status && !(count >= 1 && count <= MJCF_MOST_COPIES))
        status = xml_node_fail(m->r, ARNE_VALUE, node, "count of <replicate> must be 1 to %d",
                               MJCF_MOST_COPIES);
    if (status) return phase == MJCF_OWN ? status : ARNE_OK;
    m->copies += (int)count;
    if (m->copies > MJCF_MOST_COPIES)
        return xml_node_fail(m->r, ARNE_TOO_LARGE, node, "there are more than %d copies",
                             MJCF_MOST_COPIES);
    step.p = (arne_vec3){offset[0], offset[1], offset[2]};
    const int digits = snprintf(width, sizeof width, "%d", (int)count);
    for (int i = 0; i < (int)count && status_goes_on(status); i++) {
        mjcf_place copy = *at;
        snprintf(suffix, sizeof suffix, "%.60s%0*d%.150s", sep ? sep : "", digits, i, at->suffix);
        copy.suffix = xml_tree_text(&m->models->tree, suffix);
        if (!copy.suffix) return mjcf_no_memory(m);
        copy.X = pose_times(&at->X, &X);
        status = status_both(status, mjcf_visit(m, &copy, node, phase, b));
        X = pose_times(&X, &step);
    }
    return status;
}

static const xml_node *find_named(const xml_node *parent, const char *tag, const char *name)
{
    for (const xml_node *c = parent->first; c; c = c->next) {
        if (strcmp(c->tag, tag) == 0 && mjcf_is(xml_node_get(c, "name"), name)) return c;
        const xml_node *below = find_named(c, tag, name);
        if (below) return below;
    }
    return NULL;
}

// The model of an asset, read once.
static arne_status attached_model(mjcf *m, const mjcf_place *at, const xml_node *node,
                                  mjcf_model **out)
{
    const char     *name = xml_node_get(node, "model");
    const xml_node *asset = NULL;
    for (const xml_node *k = at->model->tree.root->first; k && !asset && name; k = k->next)
        if (strcmp(k->tag, "asset") == 0) asset = find_named(k, "model", name);
    const char *file = asset ? xml_node_get(asset, "file") : NULL;
    *out = NULL;
    if (!file)
        return xml_node_fail(m->r, ARNE_NOT_FOUND, node, "<attach>: there is no model '%.80s'",
                             name ? name : "");
    for (mjcf_model *k = m->models->next; k && !*out; k = k->next)
        if (mjcf_is(k->name, file)) *out = k;
    if (*out) return ARNE_OK;
    const arne_status status = mjcf_load_named(m, asset, file, out);
    if (*out) (*out)->name = file;
    return status;
}

enum { MJCF_DEEPEST_ATTACH = 8, MJCF_MOST_ATTACHED = 1000 };

static arne_status visit_attach(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    const char *body = xml_node_get(node, "body"), *prefix = xml_node_get(node, "prefix");
    mjcf_model *model = NULL;
    mjcf_place  inside = *at;
    arne_status status = attached_model(m, at, node, &model);
    if (status || !model || !model->tree.root) return status;
    const xml_node *found = body ? find_named(model->tree.root, "body", body) : NULL;
    if (!found)
        return xml_node_fail(m->r, ARNE_NOT_FOUND, node, "<attach>: there is no body '%.80s'",
                             body ? body : "");
    if (m->attached_count == MJCF_MOST_ATTACHED || m->attach_depth == MJCF_DEEPEST_ATTACH)
        return xml_node_fail(m->r, ARNE_TOO_LARGE, node,
                             "models are attached too often, or in a circle");
    if (!mjcf_grow((void **)&m->attached, m->attached_count, &m->attached_room,
                   sizeof *m->attached))
        return mjcf_no_memory(m);
    const mjcf_place names = {.prefix = at->prefix, .suffix = ""};
    inside.prefix = mjcf_name(m, &names, prefix ? prefix : "");
    if (!inside.prefix) return ARNE_NO_MEMORY;
    inside.model = model;
    inside.class = NULL;
    m->attached[m->attached_count++] = inside;
    m->attach_depth++;
    status = mjcf_read_body(m, &inside, found);
    m->attach_depth--;
    return status;
}

arne_status mjcf_visit(mjcf *m, const mjcf_place *at, const xml_node *parent, mjcf_phase phase,
                       mjcf_reading *b)
{
    arne_status status = ARNE_OK;
    for (const xml_node *c = parent->first; c && status_goes_on(status); c = c->next) {
        arne_status one = ARNE_OK;
        if (strcmp(c->tag, "frame") == 0)
            one = visit_frame(m, at, c, phase, b);
        else if (strcmp(c->tag, "replicate") == 0)
            one = visit_replicate(m, at, c, phase, b);
        else if (strcmp(c->tag, "body") == 0)
            one = phase == MJCF_CHILDREN ? mjcf_read_body(m, at, c) : ARNE_OK;
        else if (strcmp(c->tag, "attach") == 0)
            one = phase == MJCF_CHILDREN ? visit_attach(m, at, c) : ARNE_OK;
        else if (phase == MJCF_OWN)
            one = mjcf_own_element(m, at, c, b);
        status = status_both(status, one);
    }
    return status;
}

// ---- the world

// The one body of the world, where there is no more: NULL else.
static const xml_node *only_body(const xml_node *root)
{
    const xml_node *body = NULL;
    for (const xml_node *k = root->first; k; k = k->next) {
        if (strcmp(k->tag, "worldbody") != 0) continue;
        for (const xml_node *c = k->first; c; c = c->next) {
            if (strcmp(c->tag, "frame") == 0 || strcmp(c->tag, "replicate") == 0 ||
                strcmp(c->tag, "attach") == 0)
                return NULL;
            if (strcmp(c->tag, "body") != 0) continue;
            if (body) return NULL;
            body = c;
        }
    }
    return body;
}

// A robot with a free base: its root is the only body of the world, and nothing acts on its joint.
static int has_free_base(mjcf *m, const mjcf_place *world, const xml_node *root)
{
    const xml_node *body = only_body(root);
    if (!body) return 0;
    if (xml_node_child(body, "freejoint")) return 1;
    const xml_node *joint = xml_node_child(body, "joint");
    const char *class = xml_node_get(body, "childclass");
    arne_joint_spec spec;
    mjcf_joint_more more;
    mjcf_place      at = *world;
    if (class) at.class = mjcf_find_class(at.model, class);
    if (!joint ||
        !mjcf_is(mjcf_get(joint, at.class ? at.class : at.model->classes, "type"), "free"))
        return 0;
    findings     found = {0};
    const reader before = *m->r;
    m->r->found = &found;
    const arne_status status = mjcf_joint_spec(m, &at, joint, &spec, &more);
    *m->r = before;
    findings_free(&found);
    return !status && !mjcf_spring_is_there(&more.spring) && spec.viscous == 0 &&
           spec.coulomb_positive == 0;
}

static arne_status world_add_frames(mjcf *m)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < m->site_count && !status; i++) {
        const mjcf_site *s = &m->sites[i];
        if (s->body < 0 && m->free_base) continue;
        const char *name = mjcf_unique(m, &m->r->builder->body_index, &m->frames, s->name, s->node);
        if (!name || !name_index_add(&m->frames, name, i)) return mjcf_no_memory(m);
        status =
            arne_reader_check(m->r,
                              arne_builder_add_frame(m->r->builder, name, mjcf_link_of(m, s->body),
                                                     &s->at, mjcf_place_of(s->node), m->r->error),
                              s->node->line);
    }
    return status;
}

arne_status mjcf_world(mjcf *m, const xml_node *root)
{
    const mjcf_place world = {
        .model = m->models, .prefix = "", .suffix = "", .body = -1, .X = pose_identity()};
    arne_status    status = ARNE_OK;
    arne_body_spec spec = arne_body_spec_default();
    mjcf_reading  *b = calloc(1, sizeof *b);
    if (!b) return mjcf_no_memory(m);
    m->free_base = has_free_base(m, &world, root);
    spec.name = "world";
    spec.place = mjcf_place_of(root);
    if (m->free_base)
        status = arne_builder_set_base(m->r->builder, ARNE_BASE_FREE);
    else
        status = mjcf_add_link(m, root, &spec);
    for (int phase = MJCF_OWN; phase <= MJCF_CHILDREN; phase++)
        for (const xml_node *k = root->first; k && status_goes_on(status); k = k->next)
            if (strcmp(k->tag, "worldbody") == 0)
                status = status_both(status, mjcf_visit(m, &world, k, (mjcf_phase)phase, b));
    free(b);
    return status_goes_on(status) ? status_both(status, world_add_frames(m)) : status;
}

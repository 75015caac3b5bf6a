// Tendons. The length of a fixed tendon is a sum of coordinates, L = sum of coef_i q_i. Where it has
// a spring, a damper, friction or inertia, it becomes a joint that follows these coordinates and
// slides a link without mass, which has all of that.
#include "base/error.h"
#include "io/formats/mjcf.h"
#include "robot/builder.h"
#include <math.h>
#include <string.h>

const xml_node *mjcf_find_tendon(const xml_node *root, const char *name)
{
    for (const xml_node *k = root->first; k && name; k = k->next)
        for (const xml_node *t = strcmp(k->tag, "tendon") == 0 ? k->first : NULL; t; t = t->next)
            if (mjcf_is(xml_node_get(t, "name"), name)) return t;
    return NULL;
}

// Defaults of all tendons have the tag of their section.
static arne_status tendon_numbers(mjcf *m, const xml_node *node, const mjcf_class *class,
                                  const char *name, int most, double *out, int *count)
{
    const char *text = xml_node_get(node, name);
    for (; class && !text; class = class->parent)
        for (const struct mjcf_default *d = class->last; d && !text; d = d->next)
            if (strcmp(d->node->tag, "tendon") == 0) text = xml_node_get(d->node, name);
    *count = 0;
    return text ? xml_node_numbers(m->r, node, name, text, 1, most, out, count) : ARNE_OK;
}

typedef struct tendon {
    double stiffness[3], damping[3], armature, loss;
    double rest[2]; // springlength; negative: where all joints are at springref
    int    rests;
} tendon;

static arne_status tendon_read(mjcf *m, const xml_node *node, const mjcf_class *class, tendon *t)
{
    int         n;
    arne_status status = tendon_numbers(m, node, class, "stiffness", 3, t->stiffness, &n);
    status = status_both(status, tendon_numbers(m, node, class, "damping", 3, t->damping, &n));
    status = status_both(status, tendon_numbers(m, node, class, "armature", 1, &t->armature, &n));
    status = status_both(status, tendon_numbers(m, node, class, "frictionloss", 1, &t->loss, &n));
    return status_both(status,
                       tendon_numbers(m, node, class, "springlength", 2, t->rest, &t->rests));
}

static int tendon_acts(const tendon *t)
{
    return t->stiffness[0] != 0 || t->damping[0] != 0 || t->armature != 0 || t->loss != 0;
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
    spec.viscous = t->damping[0];
    spec.coulomb_positive = spec.coulomb_negative = t->loss;
    spec.rotor_inertia = t->armature;
    spec.place = link.place = mjcf_place_of(node);
    arne_status status = arne_reader_check(
        m->r, arne_builder_add_body(m->r->builder, &link, m->r->error), node->line);
    if (!status) status = tendon_follow(m, at, node, &spec, &rest);
    if (status || t->stiffness[0] == 0) return status;
    const arne_spring_spec spring = {.joint = spec.name,
                                     .stiffness = t->stiffness[0],
                                     .rest = t->rests && t->rest[0] >= 0 ? t->rest[0] : rest,
                                     .place = spec.place};
    return arne_reader_check(m->r, arne_builder_add_spring(m->r->builder, &spring, m->r->error),
                             node->line);
}

static arne_status tendon_one(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    const char *why = NULL;
    tendon      t = {0};
    mjcf_class *class = NULL;
    arne_status status = mjcf_class_of(m, at, node, &class);
    status = status_both(status, tendon_read(m, node, class, &t));
    if (status || !tendon_acts(&t)) return status;
    if (t.stiffness[0] != 0 && t.rests == 2 && t.rest[0] != t.rest[1])
        why = "the spring has no force over a range of lengths";
    if (t.stiffness[1] != 0 || t.stiffness[2] != 0 || t.damping[1] != 0 || t.damping[2] != 0)
        why = "stiffness or damping is a polynomial";
    if (strcmp(node->tag, "fixed") != 0) why = "a path in space";
    if (why)
        return xml_node_warn(m->r, "mjcf", node, "<%s>: what it does to joints is not used: %s",
                             node->tag, why);
    return tendon_fixed(m, at, node, &t);
}

arne_status mjcf_tendons(mjcf *m, const mjcf_place *at, const xml_node *root)
{
    arne_status status = ARNE_OK;
    for (const xml_node *k = root->first; k && status_goes_on(status); k = k->next)
        for (const xml_node *t = strcmp(k->tag, "tendon") == 0 ? k->first : NULL;
             t && status_goes_on(status); t = t->next)
            if (strcmp(t->tag, "fixed") == 0 || strcmp(t->tag, "spatial") == 0)
                status = status_both(status, tendon_one(m, at, t));
    return status;
}

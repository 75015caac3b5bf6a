// Equality constraints. Points and poses of bodies that are tied become loops; joints and fixed
// tendons that are tied by lines become joints that follow others, and a joint that is a polynomial
// of another follows it by a function.
//
// A joint equality is relative to qpos0: q1 - r1 = c0 + c1 (q2 - r2) + c2 (q2 - r2)^2 + ...
#include "base/error.h"
#include "io/formats/mjcf.h"
#include "robot/builder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SITES_MEET 1e-6 // m

static arne_status mjcf_equality_not_found(mjcf *m, const xml_node *node, const char *what,
                                           const char *name)
{
    return xml_node_fail(m->r, ARNE_NOT_FOUND, node, "<%s>: there is no %s '%.80s'", node->tag,
                         what, name ? name : "");
}

// ---- loops

// A place on a body: the pose of what is tied in its link.
typedef struct eq_end {
    int       body; // -1: the world
    arne_pose X;
} eq_end;

static const char *end_link(const mjcf *m, const eq_end *e)
{
    return e->body < 0 ? "world" : m->bodies[e->body].name;
}

static arne_pose mjcf_equality_rest_of(const mjcf *m, int body)
{
    return body < 0 ? pose_identity() : m->bodies[body].at_rest;
}

static arne_status mjcf_equality_find_end(mjcf *m, const mjcf_place *at, const xml_node *node,
                                          const char *key, eq_end *out)
{
    const char *name = xml_node_get(node, key);
    *out = (eq_end){-1, pose_identity()};
    if (!name || strcmp(name, "world") == 0) return ARNE_OK; // body2 may be left out
    const char *full = mjcf_name(m, at, name);
    if (!full) return ARNE_NO_MEMORY;
    out->body = mjcf_find_body(m, full);
    return out->body >= 0 ? ARNE_OK : mjcf_equality_not_found(m, node, "body", name);
}

static arne_status find_site_end(mjcf *m, const mjcf_place *at, const xml_node *node,
                                 const char *key, eq_end *out)
{
    const char *name = xml_node_get(node, key), *full = name ? mjcf_name(m, at, name) : NULL;
    if (name && !full) return ARNE_NO_MEMORY;
    const int site = full ? mjcf_find_site(m, full) : -1;
    if (site < 0) return mjcf_equality_not_found(m, node, "site", name);
    *out = (eq_end){m->sites[site].body, m->sites[site].at};
    return ARNE_OK;
}

static arne_status mjcf_equality_add_loop(mjcf *m, const mjcf_place *at, const xml_node *node,
                                          arne_loop_kind kind, const eq_end *a, const eq_end *b)
{
    const char    *name = xml_node_get(node, "name");
    arne_loop_spec spec = arne_loop_spec_default();
    char           made[64];
    snprintf(made, sizeof made, "%s_%d", node->tag, m->loops + 1);
    spec.name = name ? mjcf_name(m, at, name) : xml_tree_text(&m->models->tree, made);
    if (!spec.name) return arne_fail_memory(m->r->error);
    if (m->free_base && (a->body < 0 || b->body < 0))
        return xml_node_warn(m->r, "mjcf", node,
                             "<%s> with the world is not used: the robot has a free base",
                             node->tag);
    spec.kind = kind;
    spec.predecessor = end_link(m, a);
    spec.successor = end_link(m, b);
    spec.predecessor_origin = a->X;
    spec.successor_origin = b->X;
    spec.place = mjcf_place_of(node);
    m->loops++;
    return arne_reader_check(m->r, arne_builder_add_loop(m->r->builder, &spec, m->r->error),
                             node->line);
}

// Sites that meet at qpos0 but for the digits of the file are taken to meet: a planar loop could
// not be closed across its plane otherwise.
static void meet_at_rest(const mjcf *m, const eq_end *a, eq_end *b)
{
    const arne_pose A = mjcf_equality_rest_of(m, a->body), B = mjcf_equality_rest_of(m, b->body),
                    back = pose_inverse(&B), AB = pose_times(&back, &A);
    const arne_vec3 p = vec_add(AB.p, rotate(&AB.R, a->X.p));
    if (vec_norm(vec_add(p, vec_scale(-1, b->X.p))) < SITES_MEET) b->X.p = p;
}

// The point of body2 is the one that meets the anchor of body1 at qpos0.
static arne_status read_connect(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    eq_end a, b;
    double anchor[3] = {0};
    if (xml_node_get(node, "site1") || xml_node_get(node, "site2")) {
        arne_status status = find_site_end(m, at, node, "site1", &a);
        status = status_both(status, find_site_end(m, at, node, "site2", &b));
        if (!status) meet_at_rest(m, &a, &b);
        return status ? status : mjcf_equality_add_loop(m, at, node, ARNE_LOOP_BALL, &a, &b);
    }
    arne_status status = mjcf_equality_find_end(m, at, node, "body1", &a);
    status = status_both(status, mjcf_equality_find_end(m, at, node, "body2", &b));
    status = status_both(status, mjcf_numbers(m, node, NULL, "anchor", 3, 3, anchor, NULL));
    if (status) return status;
    const arne_pose A = mjcf_equality_rest_of(m, a.body), B = mjcf_equality_rest_of(m, b.body),
                    back = pose_inverse(&B);
    const arne_pose AB = pose_times(&back, &A);
    a.X.p = (arne_vec3){anchor[0], anchor[1], anchor[2]};
    b.X.p = vec_add(AB.p, rotate(&AB.R, a.X.p));
    return mjcf_equality_add_loop(m, at, node, ARNE_LOOP_BALL, &a, &b);
}

// relpose is the pose of body2 in body1; without a rotation: as at qpos0.
static arne_status read_weld(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    eq_end      a, b;
    double      x[7] = {0};
    arne_status status;
    if (xml_node_get(node, "site1") || xml_node_get(node, "site2")) {
        status = find_site_end(m, at, node, "site1", &a);
        status = status_both(status, find_site_end(m, at, node, "site2", &b));
        return status ? status : mjcf_equality_add_loop(m, at, node, ARNE_LOOP_FIXED, &a, &b);
    }
    status = mjcf_equality_find_end(m, at, node, "body1", &a);
    status = status_both(status, mjcf_equality_find_end(m, at, node, "body2", &b));
    status = status_both(status, mjcf_numbers(m, node, NULL, "relpose", 7, 7, x, NULL));
    if (status) return status;
    const arne_pose A = mjcf_equality_rest_of(m, a.body), B = mjcf_equality_rest_of(m, b.body),
                    back = pose_inverse(&A);
    a.X = pose_times(&back, &B);
    if (x[3] != 0 || x[4] != 0 || x[5] != 0 || x[6] != 0)
        a.X = (arne_pose){rotation_wxyz(&x[3]), {x[0], x[1], x[2]}};
    return mjcf_equality_add_loop(m, at, node, ARNE_LOOP_FIXED, &a, &b);
}

// ---- joints that follow others

typedef struct eq_sum { // sum of coef (q - ref), of joints
    int    joint[32];
    double coef[32];
    int    count;
} eq_sum;

static void sum_add(eq_sum *s, int joint, double coef)
{
    for (int i = 0; i < s->count; i++)
        if (s->joint[i] == joint) {
            s->coef[i] += coef;
            return;
        }
    if (s->count == 32) return;
    s->joint[s->count] = joint;
    s->coef[s->count++] = coef;
}

int mjcf_follows(const mjcf *m, int joint)
{
    const arne_joint_spec *spec = &m->r->builder->joints[m->joints[joint].index];
    return spec->mimic != NULL || builder_has_function(m->r->builder, spec->name);
}

// Whether a joint follows, over any way, another one.
static int depends_on(const mjcf *m, int joint, int other, int depth)
{
    const arne_builder *b = m->r->builder;
    const char         *mimic = b->joints[m->joints[joint].index].mimic;
    if (joint == other) return 1;
    for (int i = 0; i < b->function_count && !mimic; i++)
        if (strcmp(b->functions[i].joint, m->joints[joint].name) == 0) mimic = b->functions[i].with;
    if (!mimic || depth > 100) return depth > 100;
    for (int k = 0; k < m->joint_count; k++)
        if (strcmp(m->joints[k].name, mimic) == 0 && depends_on(m, k, other, depth + 1)) return 1;
    for (int i = 0; i < b->coupling_count; i++)
        for (int k = 0; k < m->joint_count && b->couplings[i].joint; k++)
            if (strcmp(b->couplings[i].joint, m->joints[joint].name) == 0 &&
                strcmp(b->couplings[i].with, m->joints[k].name) == 0 &&
                depends_on(m, k, other, depth + 1))
                return 1;
    return 0;
}

static int has_one_coordinate(const mjcf *m, int joint)
{
    return m->joints[joint].index >= 0 && arne_joint_kind_v_count(m->joints[joint].kind) == 1;
}

// Solves sum = constant for one joint that is free to follow the others.
static arne_status mjcf_equality_tie(mjcf *m, const xml_node *node, const eq_sum *s,
                                     double constant)
{
    arne_builder *b = m->r->builder;
    int           who = -1;
    for (int i = 0; i < 2 * s->count && who < 0; i++) { // first one that is not driven
        const int j = i % s->count;
        int       fine = s->coef[j] != 0 && !mjcf_follows(m, s->joint[j]);
        fine = fine && (i >= s->count || !m->joints[s->joint[j]].driven);
        for (int k = 0; k < s->count && fine; k++)
            fine = k == j || s->coef[k] == 0 || !depends_on(m, s->joint[k], s->joint[j], 0);
        if (fine) who = j;
    }
    if (who < 0)
        return xml_node_warn(m->r, "mjcf", node,
                             "<%s> is not used: its joints follow others already", node->tag);
    arne_joint_spec *spec = &b->joints[m->joints[s->joint[who]].index];
    double           offset = m->joints[s->joint[who]].ref + constant / s->coef[who];
    arne_status      status = ARNE_OK;
    for (int i = 0; i < s->count && !status; i++) {
        if (i == who || s->coef[i] == 0) continue;
        const double      ratio = -s->coef[i] / s->coef[who];
        const mjcf_joint *with = &m->joints[s->joint[i]];
        offset -= ratio * with->ref;
        if (!spec->mimic) {
            spec->mimic = b->joints[with->index].name;
            spec->mimic_ratio = ratio;
            continue;
        }
        const arne_coupling_spec more = {
            .joint = spec->name, .with = with->name, .ratio = ratio, .place = mjcf_place_of(node)};
        status =
            arne_reader_check(m->r, arne_builder_add_coupling(b, &more, m->r->error), node->line);
    }
    spec->mimic_offset = offset;
    return status;
}

// A joint that stays where it is: its link is held to its parent.
static arne_status lock(mjcf *m, const xml_node *node, int joint, double value)
{
    const arne_joint_spec *spec = &m->r->builder->joints[m->joints[joint].index];
    const double           q = m->joints[joint].ref + value;
    arne_loop_spec         loop = arne_loop_spec_default();
    arne_pose              turn = pose_identity();
    if (spec->kind == ARNE_JOINT_PRISMATIC)
        turn.p = vec_scale(q, spec->axis);
    else
        turn.R = rotation_about(spec->axis, q);
    const arne_pose X = pose_times(&spec->origin, &turn);
    loop.name = spec->name;
    loop.kind = ARNE_LOOP_FIXED;
    loop.predecessor = spec->parent;
    loop.successor = spec->child;
    loop.predecessor_origin = pose_times(&X, &spec->tip);
    loop.place = mjcf_place_of(node);
    m->loops++;
    return arne_reader_check(m->r, arne_builder_add_loop(m->r->builder, &loop, m->r->error),
                             node->line);
}

arne_status mjcf_one_coordinate(mjcf *m, const mjcf_place *at, const xml_node *node,
                                const char *name, int *joint)
{
    const char *full = name ? mjcf_name(m, at, name) : "";
    if (!full) return ARNE_NO_MEMORY;
    *joint = *full ? mjcf_find_joint(m, full) : -1;
    if (*joint < 0) return mjcf_equality_not_found(m, node, "joint", name);
    if (has_one_coordinate(m, *joint)) return ARNE_OK;
    return xml_node_fail(m->r, ARNE_VALUE, node, "<%s>: joint '%.80s' is no hinge or slide",
                         node->tag, name);
}

static arne_status warn_of_curve(mjcf *m, const xml_node *node)
{
    return xml_node_warn(m->r, "mjcf", node,
                         "<%s> is not used: its polynomial is not a line, and no joint is free to "
                         "follow it",
                         node->tag);
}

// q1 = r1 + sum of c_i (q2 - r2)^i, as a polynomial of q2.
static arne_status follow_curve(mjcf *m, const xml_node *node, int one, int two, const double c[5])
{
    double y[5] = {0};
    for (int i = 4; i >= 0; i--) { // Horner's scheme: y becomes y (q2 - r2) + c_i
        for (int k = 4; k > 0; k--)
            y[k] = y[k - 1] - m->joints[two].ref * y[k];
        y[0] = c[i] - m->joints[two].ref * y[0];
    }
    y[0] += m->joints[one].ref;
    const arne_function_spec spec = {.joint = m->joints[one].name,
                                     .with = m->joints[two].name,
                                     .function =
                                         arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 5, NULL, y),
                                     .place = mjcf_place_of(node)};
    return arne_reader_check(m->r, arne_builder_add_function(m->r->builder, &spec, m->r->error),
                             node->line);
}

static int mjcf_equality_is_line(const double c[5]) { return c[2] == 0 && c[3] == 0 && c[4] == 0; }

static arne_status read_joint_equality(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    const char *second = xml_node_get(node, "joint2");
    double      c[5] = {0, 1, 0, 0, 0};
    int         one = -1, two = -1;
    arne_status status = mjcf_one_coordinate(m, at, node, xml_node_get(node, "joint1"), &one);
    if (second) status = status_both(status, mjcf_one_coordinate(m, at, node, second, &two));
    status = status_both(status, mjcf_numbers(m, node, NULL, "polycoef", 1, 5, c, NULL));
    if (status) return status;
    if (!second) return lock(m, node, one, c[0]);
    if (!mjcf_equality_is_line(c))
        return mjcf_follows(m, one) || depends_on(m, two, one, 0)
                   ? warn_of_curve(m, node)
                   : follow_curve(m, node, one, two, c);
    if (c[1] == 0) return lock(m, node, one, c[0]);
    eq_sum s = {0};
    sum_add(&s, one, 1);
    sum_add(&s, two, -c[1]);
    return mjcf_equality_tie(m, node, &s, c[0]);
}

// ---- tendons

// Adds factor times the length of a fixed tendon, less that at qpos0.
static arne_status add_tendon(mjcf *m, const mjcf_place *at, const xml_node *tendon, double factor,
                              eq_sum *s)
{
    arne_status status = ARNE_OK;
    for (const xml_node *j = tendon->first; j && !status; j = j->next) {
        double coef = 1;
        int    joint = -1;
        if (strcmp(j->tag, "joint") != 0) continue;
        status = mjcf_one_coordinate(m, at, j, xml_node_get(j, "joint"), &joint);
        if (!status) status = mjcf_number(m, j, NULL, "coef", &coef);
        if (!status) sum_add(s, joint, factor * coef);
    }
    return status;
}

static arne_status read_tendon_equality(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    const xml_node *root = node->parent->parent;
    const char     *second = xml_node_get(node, "tendon2");
    const xml_node *one = mjcf_find_tendon(root, xml_node_get(node, "tendon1"));
    const xml_node *two = mjcf_find_tendon(root, second);
    double          c[5] = {0, 1, 0, 0, 0};
    eq_sum          s = {0};
    if (!one || (second && !two))
        return mjcf_equality_not_found(m, node, "tendon",
                                       one ? second : xml_node_get(node, "tendon1"));
    arne_status status = mjcf_numbers(m, node, NULL, "polycoef", 1, 5, c, NULL);
    if (status) return status;
    if (strcmp(one->tag, "fixed") != 0 || (two && strcmp(two->tag, "fixed") != 0))
        return xml_node_warn(m->r, "mjcf", node,
                             "<tendon> of <equality> is not used: a spatial tendon");
    if (two && !mjcf_equality_is_line(c)) return warn_of_curve(m, node);
    status = add_tendon(m, at, one, 1, &s);
    if (!status && two) status = add_tendon(m, at, two, -c[1], &s);
    return status ? status : mjcf_equality_tie(m, node, &s, c[0]);
}

static arne_status read_equality(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    static const struct {
        const char *tag;
        mjcf_take   take;
    } ways[] = {{"connect", read_connect},
                {"weld", read_weld},
                {"joint", read_joint_equality},
                {"tendon", read_tendon_equality}};
    mjcf_class *class = NULL;
    const arne_status status = mjcf_class_of(m, at, node, &class);
    if (status || mjcf_is(mjcf_get(node, class, "active"), "false")) return status;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].tag, node->tag) == 0) return ways[i].take(m, at, node);
    return ARNE_OK;
}

arne_status mjcf_equalities(mjcf *m, const mjcf_place *at, const xml_node *root)
{
    return mjcf_each(m, at, root, "equality", NULL, read_equality);
}

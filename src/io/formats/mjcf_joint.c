// <joint> and <freejoint> of a body. A hinge turns its body about an axis through an anchor by
// q - ref, with both in the body's frame:
//     body = before T(anchor) R(axis, q - ref) T(-anchor)
// so that ref goes into the joint's frame, and the anchor into both of its sides.
#include "base/error.h"
#include "io/formats/mjcf.h"
#include "robot/builder.h"
#include <arne/dynamics.h>
#include <arne/loop.h>
#include <arne/work.h>
#include <stdlib.h>
#include <string.h>

static arne_status joint_kind(mjcf *m, const xml_node *node, const mjcf_class *class,
                              arne_joint_kind *kind)
{
    static const struct {
        const char     *type;
        arne_joint_kind kind;
    } types[] = {{"hinge", ARNE_JOINT_CONTINUOUS},
                 {"slide", ARNE_JOINT_PRISMATIC},
                 {"ball", ARNE_JOINT_BALL},
                 {"free", ARNE_JOINT_FREE}};
    const char *type = strcmp(node->tag, "freejoint") == 0 ? "free" : mjcf_get(node, class, "type");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!type || strcmp(types[i].type, type) == 0) {
            *kind = types[i].kind;
            return ARNE_OK;
        }
    return xml_node_fail(m->r, ARNE_VALUE, node,
                         "unknown joint type '%.40s' (there are hinge, slide, ball, free)", type);
}

static arne_status joint_limits(mjcf *m, const mjcf_place *at, const xml_node *node,
                                const mjcf_class *class, double unit, arne_joint_spec *spec)
{
    double          range[2] = {0}, force[2] = {0};
    int             ranges = 0, forces = 0;
    const mjcf_want wants[] = {
        {"range", 2, 2, range, &ranges}, {"actuatorfrcrange", 2, 2, force, &forces}, {0}};
    const arne_status status = mjcf_read_all(m, node, class, wants);
    if (mjcf_is_limited(at, node, class, "limited", ranges > 0) &&
        (spec->kind == ARNE_JOINT_CONTINUOUS || spec->kind == ARNE_JOINT_PRISMATIC)) {
        if (spec->kind == ARNE_JOINT_CONTINUOUS) spec->kind = ARNE_JOINT_REVOLUTE;
        spec->lower = unit * range[0];
        spec->upper = unit * range[1];
    }
    if (mjcf_is_limited(at, node, class, "actuatorfrclimited", forces > 0) &&
        (force[1] > 0 || force[0] < 0))
        spec->effort = fmax(-force[0], force[1]);
    return status;
}

arne_status mjcf_spring_numbers(mjcf *m, const xml_node *node, const mjcf_class *class,
                                arne_spring_spec *spring)
{
    double      k[3] = {0}, d[3] = {0};
    arne_status status = mjcf_numbers(m, node, class, "stiffness", 1, 3, k, NULL);
    status = status_both(status, mjcf_numbers(m, node, class, "damping", 1, 3, d, NULL));
    spring->stiffness = k[0];
    spring->damping = d[0];
    for (int i = 0; i < 2; i++) {
        spring->stiffness_more[i] = k[i + 1];
        spring->damping_more[i] = d[i + 1];
    }
    return status;
}

int mjcf_spring_is_there(const arne_spring_spec *s)
{
    return s->stiffness != 0 || s->stiffness_more[0] != 0 || s->stiffness_more[1] != 0 ||
           s->damping != 0 || s->damping_more[0] != 0 || s->damping_more[1] != 0;
}

// A damper that is a line is friction.
static arne_status joint_passive(mjcf *m, const xml_node *node, const mjcf_class *class,
                                 arne_joint_spec *spec, arne_spring_spec *spring)
{
    double      loss = 0;
    arne_status status = mjcf_spring_numbers(m, node, class, spring);
    status = status_both(status, mjcf_number(m, node, class, "armature", &spec->rotor_inertia));
    status = status_both(status, mjcf_number(m, node, class, "frictionloss", &loss));
    spec->viscous = spring->damping;
    spring->damping = 0;
    spec->coulomb_positive = spec->coulomb_negative = loss;
    return status;
}

arne_status mjcf_joint_spec(mjcf *m, const mjcf_place *at, const xml_node *node,
                            arne_joint_spec *spec, mjcf_joint_more *more)
{
    double axis[3] = {0, 0, 1}, anchor[3] = {0};
    mjcf_class *class = NULL;
    *spec = arne_joint_spec_default();
    *more = (mjcf_joint_more){0};
    arne_status status = mjcf_class_of(m, at, node, &class);
    if (strcmp(node->tag, "freejoint") == 0) class = NULL; // it ignores defaults
    status = status_both(status, joint_kind(m, node, class, &spec->kind));
    spec->place = mjcf_place_of(node);
    if (strcmp(node->tag, "freejoint") == 0) return status;
    const int    turns = spec->kind == ARNE_JOINT_CONTINUOUS || spec->kind == ARNE_JOINT_BALL;
    const double unit = at->model->compiler.degrees && turns ? acos(-1.0) / 180 : 1;
    status = status_both(status, joint_passive(m, node, class, spec, &more->spring));
    if (spec->kind == ARNE_JOINT_FREE) {
        more->armature = spec->rotor_inertia;
        spec->rotor_inertia = 0;
        return status;
    }
    const mjcf_want wants[] = {{"axis", 3, 3, axis, NULL},
                               {"pos", 3, 3, anchor, NULL},
                               {"ref", 1, 1, &more->ref, NULL},
                               {"springref", 1, 1, &more->spring.rest, NULL},
                               {"springdamper", 2, 2, more->tuned, NULL},
                               {0}};
    status = status_both(status, mjcf_read_all(m, node, class, wants));
    more->ref *= unit;
    more->spring.rest *= unit;
    more->compensates = mjcf_is(mjcf_get(node, class, "actuatorgravcomp"), "true");
    const arne_vec3 p = {anchor[0], anchor[1], anchor[2]};
    const arne_vec3 here = vec_add(at->X.p, rotate(&at->X.R, p));
    spec->axis = rotate(&at->X.R, (arne_vec3){axis[0], axis[1], axis[2]});
    if (spec->kind != ARNE_JOINT_BALL && vec_norm(spec->axis) == 0)
        return status_both(status, xml_node_fail(m->r, ARNE_VALUE, node, "axis of <joint> is 0"));
    spec->axis = vec_scale(1 / vec_norm(spec->axis), spec->axis);
    if (turns) {
        spec->origin.p = here;
        spec->tip = pose_move((arne_vec3){0 - here.x, 0 - here.y, 0 - here.z});
    }
    if (spec->kind == ARNE_JOINT_CONTINUOUS && more->ref != 0)
        spec->origin.R = rotation_about(spec->axis, -more->ref);
    if (spec->kind == ARNE_JOINT_PRISMATIC && more->ref != 0)
        spec->origin.p = vec_scale(-more->ref, spec->axis);
    if (spec->kind == ARNE_JOINT_BALL) more->ref = 0;
    spec->start = more->ref;
    return status_both(status, joint_limits(m, at, node, class, unit, spec));
}

// ---- springdamper

// Of a mass m = 1 / (M^-1)_kk that nothing else holds: a damper of 2 m / t and a spring of
// m / (t z)^2, with time constant t and damping ratio z.
static arne_status tune_spring(mjcf *m, const mjcf_joint *j, double mass)
{
    arne_builder    *b = m->r->builder;
    arne_spring_spec spring = arne_spring_spec_default();
    const double     pace = j->tuned[0] * j->tuned[1];
    int              i = 0;
    b->joints[j->index].viscous = 2 * mass / j->tuned[0];
    while (i < b->spring_count && strcmp(b->springs[i].joint, j->name) != 0)
        i++;
    spring.joint = j->name;
    spring.stiffness = mass / (pace * pace);
    spring.rest = j->rest;
    spring.place = b->joints[j->index].place;
    if (i < b->spring_count)
        b->springs[i].stiffness = spring.stiffness;
    else
        return arne_builder_add_spring(b, &spring, m->r->error);
    return ARNE_OK;
}

static arne_status tune_springs(mjcf *m, const arne_robot *robot, arne_work *work, double *q,
                                double *inverse)
{
    const int   n = arne_robot_sizes(robot).v_count;
    arne_status status = ARNE_OK;
    arne_start_configuration(robot, q);
    if (arne_inverse_mass_matrix(robot, work, q, inverse, NULL)) return ARNE_OK; // told later
    for (int k = 0; k < m->joint_count && !status; k++) {
        const mjcf_joint *j = &m->joints[k];
        const int         at = arne_find_joint(robot, j->name);
        if (!(j->tuned[0] > 0 && j->tuned[1] > 0) || j->index < 0 || at < 0) continue;
        const int v = arne_robot_joint(robot, at).v_start;
        if (arne_joint_kind_v_count(j->kind) == 1)
            status = tune_spring(m, j, 1 / inverse[v * n + v]);
        else
            status = xml_node_warn(m->r, "mjcf", j->node, "springdamper of a %s joint is not used",
                                   arne_joint_kind_name(j->kind));
    }
    return status;
}

arne_status mjcf_tune_springs(mjcf *m)
{
    arne_robot *robot = NULL;
    arne_work  *work = NULL;
    arne_error  unseen; // a robot that cannot be is told of when it is built
    int         any = 0;
    for (int k = 0; k < m->joint_count; k++)
        any |= m->joints[k].tuned[0] > 0 && m->joints[k].tuned[1] > 0;
    if (!any) return ARNE_OK;
    arne_status status = arne_builder_finish(m->r->builder, NULL, &robot, &unseen);
    if (status) return status == ARNE_NO_MEMORY ? arne_fail_memory(m->r->error) : ARNE_OK;
    const arne_sizes size = arne_robot_sizes(robot);
    const size_t     n = (size_t)size.v_count, room = (size_t)size.q_count + n * n;
    double          *x = calloc(room + 1, sizeof *x);
    if (!x || arne_work_new(robot, &work))
        status = arne_fail_memory(m->r->error);
    else
        status = tune_springs(m, robot, work, x, x + size.q_count);
    arne_work_free(work);
    arne_robot_free(robot);
    free(x);
    return status;
}

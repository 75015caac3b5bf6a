// <joint> and <freejoint> of a body. A hinge turns its body about an axis through an anchor by
// q - ref, with both in the body's frame:
//     body = before T(anchor) R(axis, q - ref) T(-anchor)
// so that ref goes into the joint's frame, and the anchor into both of its sides.
#include "base/error.h"
#include "io/formats/mjcf.h"
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

// Of polynomials, the linear part; told where the others are not 0.
static arne_status joint_first(mjcf *m, const xml_node *node, const mjcf_class *class,
                               const char *name, double *out)
{
    double            x[3] = {0};
    const arne_status status = mjcf_numbers(m, node, class, name, 1, 3, x, NULL);
    if (mjcf_get(node, class, name)) *out = x[0];
    if (status || (x[1] == 0 && x[2] == 0)) return status;
    return xml_node_warn(m->r, "mjcf", node, "%s of <joint> is taken as linear", name);
}

static arne_status joint_passive(mjcf *m, const xml_node *node, const mjcf_class *class,
                                 arne_joint_spec *spec, double *stiffness)
{
    double      loss = 0;
    arne_status status = joint_first(m, node, class, "stiffness", stiffness);
    status = status_both(status, joint_first(m, node, class, "damping", &spec->viscous));
    status = status_both(status, mjcf_number(m, node, class, "armature", &spec->rotor_inertia));
    status = status_both(status, mjcf_number(m, node, class, "frictionloss", &loss));
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
    status = status_both(status, joint_passive(m, node, class, spec, &more->stiffness));
    if (spec->kind == ARNE_JOINT_FREE) {
        more->armature = spec->rotor_inertia;
        spec->rotor_inertia = 0;
        return status;
    }
    const mjcf_want wants[] = {{"axis", 3, 3, axis, NULL},
                               {"pos", 3, 3, anchor, NULL},
                               {"ref", 1, 1, &more->ref, NULL},
                               {"springref", 1, 1, &more->rest, NULL},
                               {0}};
    status = status_both(status, mjcf_read_all(m, node, class, wants));
    more->ref *= unit;
    more->rest *= unit;
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

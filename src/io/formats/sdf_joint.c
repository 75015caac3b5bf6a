// Joints of SDF. X_parent_child(q) = origin motion(q) tip, with the joint's pose in the parent, and
// that of the child in the joint. A joint that leads to a link which has one already closes a loop;
// joints to the world come first. Links without a joint to them float.
#include "io/formats/sdf.h"

#include "base/error.h"
#include "robot/builder.h"
#include <arne/io.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// What a joint connects: poses in the frame of the top model, of the world for the world.
typedef struct sdf_ends {
    sdf_item *parent, *child; // parent NULL: the world
    arne_pose in_parent, in_child;
} sdf_ends;

static arne_status sdf_joint_keep(sdf *s, const xml_node *at, arne_status status)
{
    return arne_reader_check(s->reader, status, at->line);
}

static arne_place sdf_joint_place_of(const xml_node *node)
{
    return (arne_place){node->file, node->line};
}

static const char *name_with(sdf *s, const char *name, const char *end)
{
    buffer out = {0};
    put_bytes(&out, name, strlen(name));
    put_bytes(&out, end, strlen(end));
    const char *text = out.failed ? NULL : xml_tree_text(&s->tree, out.text);
    buffer_free(&out);
    if (!text) sdf_check(s, arne_fail_memory(s->reader->error));
    return text ? text : "";
}

// ---- which joints make the tree

static int find_ends(sdf *s, sdf_item *joint, sdf_ends *out)
{
    const char *parent = sdf_text(s, joint->node, "parent"),
               *child = sdf_text(s, joint->node, "child");
    *out = (sdf_ends){0};
    if (!parent || !child) {
        sdf_fail(s, joint->node, "joint '%s': there is no <%s>", joint->full,
                 parent ? "child" : "parent");
        return 0;
    }
    const int grounded = strcmp(parent, "world") == 0;
    if (strcmp(child, "world") == 0) {
        sdf_fail(s, joint->node, "joint '%s': the world cannot be its child", joint->full);
        return 0;
    }
    out->child = sdf_link_of(s, joint->model, child, joint->node);
    out->parent = grounded ? NULL : sdf_link_of(s, joint->model, parent, joint->node);
    if (!out->child || (!grounded && !out->parent)) return 0;
    if (out->parent == out->child) {
        sdf_fail(s, joint->node, "joint '%s' connects the link '%s' with itself", joint->full,
                 out->child->full);
        return 0;
    }
    return 1;
}

static int is_gearbox(const sdf_item *joint)
{
    const char *type = xml_node_get(joint->node, "type");
    return type && strcmp(type, "gearbox") == 0;
}

static int leads_to(const sdf_item *link, const sdf_item *above)
{
    while (link && link != above)
        link = link->parent;
    return link != NULL;
}

// A joint that is none of the tree stays untied: it closes a loop.
static void sdf_joint_tie(sdf *s, sdf_item *joint, int grounded)
{
    sdf_ends    ends;
    const char *parent = sdf_text(s, joint->node, "parent");
    const int   to_world = parent && strcmp(parent, "world") == 0;
    if (to_world != grounded || is_gearbox(joint) || !find_ends(s, joint, &ends)) return;
    if (ends.child->tied || (ends.parent && leads_to(ends.parent, ends.child))) {
        s->loops = 1;
        return;
    }
    ends.child->tied = joint->tied = 1;
    const char *type = xml_node_get(joint->node, "type");
    s->moving += type && strcmp(type, "fixed") != 0;
    ends.child->parent = ends.parent;
    if (!ends.parent) s->grounded = 1;
}

typedef void (*sdf_visit)(sdf *s, sdf_item *item, int how);

static void each_item(sdf *s, sdf_model *model, sdf_kind kind, sdf_visit visit, int how)
{
    for (sdf_item *i = model->items; i && status_goes_on(s->status); i = i->next) {
        if (i->kind == kind) visit(s, i, how);
        if (i->inner) each_item(s, i->inner, kind, visit, how);
    }
}

// ---- axes

// In the frame of the joint, of length 1.
static arne_vec3 sdf_joint_read_axis(sdf *s, sdf_item *joint, const char *tag)
{
    const xml_node *axis = xml_node_child(joint->node, tag);
    const xml_node *xyz = axis ? xml_node_child(axis, "xyz") : NULL;
    const char     *in = xyz ? xml_node_get(xyz, "expressed_in") : NULL;
    double          v[3] = {0, 0, 1};
    arne_pose       frame;
    if (axis) sdf_numbers(s, axis, "xyz", 3, v);
    const int in_model =
        joint->model->version <= 104 ||
        (axis && joint->model->version <= 106 && sdf_truth(s, axis, "use_parent_model_frame", 0));
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(length > 0)) {
        sdf_fail(s, xyz ? xyz : joint->node, "joint '%s': the axis is zero", joint->full);
        return (arne_vec3){0, 0, 1};
    }
    arne_vec3 a = {v[0] / length, v[1] / length, v[2] / length};
    if (!in || !*in) in = in_model ? "__model__" : NULL;
    if (!in || !sdf_pose_of(s, joint->model, in, xyz ? xyz : joint->node, &frame)) return a;
    frame = sdf_pose_mul(sdf_pose_of_model(s, joint->model), frame);
    const arne_pose own = sdf_pose_in_top(s, joint);
    a = sdf_turn(&frame.R, a);
    return sdf_turn_back(&own.R, a);
}

static double sdf_joint_limit_of(sdf *s, const xml_node *limit, const char *tag, double sign)
{
    double v = sign * INFINITY;
    if (limit) sdf_numbers(s, limit, tag, 1, &v);
    return fabs(v) >= 1e16 ? sign * INFINITY : v;
}

static double sdf_joint_most_of(sdf *s, const xml_node *limit, const char *tag)
{
    const double v = sdf_joint_limit_of(s, limit, tag, 1);
    return v < 0 ? INFINITY : v;
}

// Limits, friction and mimic of an axis.
static void read_axis_facts(sdf *s, sdf_item *joint, const char *tag, arne_joint_spec *spec)
{
    const xml_node *axis = xml_node_child(joint->node, tag);
    const xml_node *limit = axis ? xml_node_child(axis, "limit") : NULL;
    const xml_node *dynamics = axis ? xml_node_child(axis, "dynamics") : NULL;
    const xml_node *mimic = axis ? xml_node_child(axis, "mimic") : NULL;
    spec->axis = sdf_joint_read_axis(s, joint, tag);
    spec->lower = sdf_joint_limit_of(s, limit, "lower", -1);
    spec->upper = sdf_joint_limit_of(s, limit, "upper", 1);
    spec->effort = sdf_joint_most_of(s, limit, "effort");
    spec->velocity = sdf_joint_most_of(s, limit, "velocity");
    if (dynamics) sdf_numbers(s, dynamics, "damping", 1, &spec->viscous);
    if (dynamics) sdf_numbers(s, dynamics, "friction", 1, &spec->coulomb_positive);
    spec->coulomb_negative = spec->coulomb_positive;
    if (!mimic || !xml_node_get(mimic, "joint")) return;
    const char *of = xml_node_get(mimic, "axis");
    double      reference = 0;
    spec->mimic = name_with(s, joint->model->prefix, xml_node_get(mimic, "joint"));
    if (of && strcmp(of, "axis2") == 0) spec->mimic = name_with(s, spec->mimic, "_2");
    spec->mimic_ratio = 1;
    spec->mimic_offset = 0;
    sdf_numbers(s, mimic, "multiplier", 1, &spec->mimic_ratio);
    sdf_numbers(s, mimic, "offset", 1, &spec->mimic_offset);
    sdf_numbers(s, mimic, "reference", 1, &reference);
    spec->mimic_offset -= spec->mimic_ratio * reference;
}

// ---- joints of the tree

static void sdf_joint_add_spring(sdf *s, const sdf_item *joint, const char *tag, const char *name)
{
    const xml_node  *axis = xml_node_child(joint->node, tag);
    const xml_node  *dynamics = axis ? xml_node_child(axis, "dynamics") : NULL;
    arne_spring_spec spring = arne_spring_spec_default();
    if (!dynamics) return;
    sdf_numbers(s, dynamics, "spring_stiffness", 1, &spring.stiffness);
    sdf_numbers(s, dynamics, "spring_reference", 1, &spring.rest);
    spring.joint = name;
    spring.place = sdf_joint_place_of(dynamics);
    if (spring.stiffness == 0) return;
    sdf_check(
        s, sdf_joint_keep(s, dynamics,
                          arne_builder_add_spring(s->reader->builder, &spring, s->reader->error)));
}

static void sdf_joint_add_joint(sdf *s, const sdf_item *joint, const arne_joint_spec *spec,
                                const char *tag)
{
    arne_joint_spec own = *spec;
    own.place = sdf_joint_place_of(joint->node);
    if (own.kind == ARNE_JOINT_REVOLUTE && !isfinite(own.lower) && !isfinite(own.upper))
        own.kind = ARNE_JOINT_CONTINUOUS;
    if (s->loops) own.actuation = ARNE_ACTUATION_ACTIVE;
    sdf_check(s,
              sdf_joint_keep(s, joint->node,
                             arne_builder_add_joint(s->reader->builder, &own, s->reader->error)));
    if (tag) sdf_joint_add_spring(s, joint, tag, own.name);
}

// Two axes in series, the first on the side of the parent, with a body without mass between them.
static void add_two_axes(sdf *s, sdf_item *joint, arne_joint_spec *spec)
{
    arne_body_spec  middle = arne_body_spec_default();
    arne_joint_spec second = *spec;
    middle.name = name_with(s, joint->full, "_middle");
    middle.place = sdf_joint_place_of(joint->node);
    sdf_check(s,
              sdf_joint_keep(s, joint->node,
                             arne_builder_add_body(s->reader->builder, &middle, s->reader->error)));
    spec->kind = second.kind = ARNE_JOINT_REVOLUTE;
    spec->child = second.parent = middle.name;
    spec->tip = second.origin = arne_joint_spec_default().origin;
    second.name = name_with(s, joint->full, "_2");
    read_axis_facts(s, joint, "axis", spec);
    read_axis_facts(s, joint, "axis2", &second);
    sdf_joint_add_joint(s, joint, spec, "axis");
    sdf_joint_add_joint(s, joint, &second, "axis2");
}

// Metres per radian: screw_thread_pitch [m per turn], or the inverse thread_pitch of Gazebo.
static double read_pitch(sdf *s, const sdf_item *joint)
{
    double per_turn = 0, thread = 1;
    if (xml_node_child(joint->node, "screw_thread_pitch")) {
        sdf_numbers(s, joint->node, "screw_thread_pitch", 1, &per_turn);
        return per_turn / (2 * pi);
    }
    sdf_numbers(s, joint->node, "thread_pitch", 1, &thread);
    return -1 / thread;
}

static const struct {
    const char     *type;
    arne_joint_kind kind;
    int             loop; // arne_loop_kind; -1: none
} types[] = {{"revolute", ARNE_JOINT_REVOLUTE, ARNE_LOOP_REVOLUTE},
             {"continuous", ARNE_JOINT_CONTINUOUS, ARNE_LOOP_REVOLUTE},
             {"prismatic", ARNE_JOINT_PRISMATIC, ARNE_LOOP_PRISMATIC},
             {"fixed", ARNE_JOINT_FIXED, ARNE_LOOP_FIXED},
             {"ball", ARNE_JOINT_BALL, ARNE_LOOP_BALL},
             {"screw", ARNE_JOINT_HELICAL, -1},
             {"universal", ARNE_JOINT_UNIVERSAL, ARNE_LOOP_UNIVERSAL},
             {"revolute2", ARNE_JOINT_UNIVERSAL, ARNE_LOOP_UNIVERSAL}};
enum { TYPES = sizeof types / sizeof *types };

static const char *sdf_joint_type_name(const void *unused, int i)
{
    (void)unused;
    return types[i].type;
}

static int find_type(sdf *s, const sdf_item *joint)
{
    const char *type = xml_node_get(joint->node, "type");
    char        near[200];
    for (int i = 0; type && i < TYPES; i++)
        if (strcmp(types[i].type, type) == 0) return i;
    arne_near_matches(type ? type : "", sdf_joint_type_name, NULL, TYPES, near, sizeof near);
    sdf_fail(s, joint->node, "joint '%s': unknown type '%s'%s", joint->full, type ? type : "",
             near);
    return -1;
}

static void add_tree_joint(sdf *s, sdf_item *joint, const sdf_ends *ends, int type)
{
    arne_joint_spec spec = arne_joint_spec_default();
    spec.name = joint->full;
    spec.parent = ends->parent ? ends->parent->full : s->root;
    spec.child = ends->child->full;
    spec.origin = ends->in_parent;
    spec.tip = sdf_pose_inverse(ends->in_child);
    spec.kind = types[type].kind;
    if (spec.kind == ARNE_JOINT_UNIVERSAL) return add_two_axes(s, joint, &spec);
    if (spec.kind == ARNE_JOINT_HELICAL) spec.pitch = read_pitch(s, joint);
    const int has_axis = spec.kind != ARNE_JOINT_FIXED && spec.kind != ARNE_JOINT_BALL;
    if (has_axis) read_axis_facts(s, joint, "axis", &spec);
    sdf_joint_add_joint(s, joint, &spec, has_axis ? "axis" : NULL);
}

// ---- loops

// x along a, y as close to b as can be.
static arne_mat3 frame_along(arne_vec3 a, arne_vec3 b)
{
    const double along = a.x * b.x + a.y * b.y + a.z * b.z;
    arne_vec3    y = {b.x - along * a.x, b.y - along * a.y, b.z - along * a.z};
    const double length = sqrt(y.x * y.x + y.y * y.y + y.z * y.z);
    y = (arne_vec3){y.x / length, y.y / length, y.z / length};
    return (arne_mat3){a, y, {a.y * y.z - a.z * y.y, a.z * y.x - a.x * y.z, a.x * y.y - a.y * y.x}};
}

static void sdf_joint_add_loop(sdf *s, sdf_item *joint, const sdf_ends *ends, int type)
{
    arne_loop_spec loop = arne_loop_spec_default();
    const char    *why = types[type].loop < 0                        ? "by a screw"
                         : !s->moving && s->roots + s->grounded <= 1 ? "of links that do not move"
                                                                     : NULL;
    if (why) {
        sdf_check(s,
                  xml_node_warn(s->reader, "lost", joint->node,
                                "joint '%s' closes a loop %s, and is left out", joint->full, why));
        return;
    }
    loop.name = joint->full;
    loop.kind = (arne_loop_kind)types[type].loop;
    loop.predecessor = ends->parent ? ends->parent->full : s->root;
    loop.successor = ends->child->full;
    loop.predecessor_origin = ends->in_parent;
    loop.successor_origin = ends->in_child;
    loop.place = sdf_joint_place_of(joint->node);
    loop.axis = sdf_joint_read_axis(s, joint, "axis");
    if (loop.kind == ARNE_LOOP_UNIVERSAL) {
        const arne_pose turned = {frame_along(loop.axis, sdf_joint_read_axis(s, joint, "axis2")),
                                  {0, 0, 0}};
        loop.predecessor_origin = sdf_pose_mul(ends->in_parent, turned);
        loop.successor_origin = sdf_pose_mul(ends->in_child, turned);
    }
    sdf_check(s,
              sdf_joint_keep(s, joint->node,
                             arne_builder_add_loop(s->reader->builder, &loop, s->reader->error)));
}

// ---- gears

// The joint of the tree that moves a link; NULL: none.
static sdf_item *sdf_joint_joint_of(sdf *s, sdf_model *model, const sdf_item *link)
{
    sdf_ends ends;
    for (sdf_item *i = model->items; i; i = i->next) {
        if (i->kind == SDF_JOINT && i->tied && find_ends(s, i, &ends) && ends.child == link)
            return i;
        sdf_item *inner = i->inner ? sdf_joint_joint_of(s, i->inner, link) : NULL;
        if (inner) return inner;
    }
    return NULL;
}

// +1 or -1: whether an axis of one joint points as that of another.
static double same_way(sdf *s, sdf_item *a, const char *tag, sdf_item *b)
{
    const arne_pose A = sdf_pose_in_top(s, a), B = sdf_pose_in_top(s, b);
    const arne_vec3 u = sdf_turn(&A.R, sdf_joint_read_axis(s, a, tag)),
                    v = sdf_turn(&B.R, sdf_joint_read_axis(s, b, "axis"));
    return u.x * v.x + u.y * v.y + u.z * v.z < 0 ? -1 : 1;
}

// The angle of the child is -ratio times that of the parent, both from the reference body.
static void add_gearbox(sdf *s, sdf_item *joint, int unused)
{
    sdf_ends        ends;
    double          ratio = 1;
    arne_joint_spec spec;
    (void)unused;
    if (!is_gearbox(joint) || !find_ends(s, joint, &ends)) return;
    sdf_item *first = ends.parent ? sdf_joint_joint_of(s, s->top, ends.parent) : NULL;
    sdf_item *second = sdf_joint_joint_of(s, s->top, ends.child);
    sdf_numbers(s, joint->node, "gearbox_ratio", 1, &ratio);
    if (!first || !second ||
        arne_builder_get_joint(s->reader->builder, second->full, &spec) != ARNE_OK) {
        sdf_check(s, xml_node_warn(s->reader, "lost", joint->node,
                                   "the gearbox '%s' couples links without joints, and is left out",
                                   joint->full));
        return;
    }
    spec.mimic = first->full;
    spec.mimic_ratio =
        -ratio * same_way(s, joint, "axis", first) * same_way(s, joint, "axis2", second);
    spec.mimic_offset = 0;
    sdf_check(s,
              sdf_joint_keep(s, joint->node,
                             arne_builder_set_joint(s->reader->builder, &spec, s->reader->error)));
}

// ---- all of them

static void tie_joint(sdf *s, sdf_item *joint, int grounded) { sdf_joint_tie(s, joint, grounded); }

static void take_joint(sdf *s, sdf_item *joint, int unused)
{
    sdf_ends ends;
    (void)unused;
    if (is_gearbox(joint) || !find_ends(s, joint, &ends)) return;
    const int       type = find_type(s, joint);
    const arne_pose own = sdf_pose_in_top(s, joint);
    if (type < 0) return;
    ends.in_child = sdf_pose_mul(sdf_pose_inverse(sdf_pose_in_top(s, ends.child)), own);
    ends.in_parent = ends.parent
                         ? sdf_pose_mul(sdf_pose_inverse(sdf_pose_in_top(s, ends.parent)), own)
                         : sdf_pose_mul(sdf_pose_in_world(s), own);
    if (joint->tied)
        add_tree_joint(s, joint, &ends, type);
    else
        sdf_joint_add_loop(s, joint, &ends, type);
}

static void count_root(sdf *s, sdf_item *link, int unused)
{
    (void)unused;
    s->roots += !link->tied;
    s->links++;
}

// Fixed in the world, or floating.
static void place_link(sdf *s, sdf_item *link, int is_static)
{
    arne_joint_spec spec = arne_joint_spec_default();
    if (link->tied && !is_static) return;
    spec.name = name_with(s, link->full, is_static ? "_fixed" : "_free");
    spec.parent = s->root;
    spec.child = link->full;
    spec.kind = is_static ? ARNE_JOINT_FIXED : ARNE_JOINT_FREE;
    spec.origin = sdf_pose_mul(sdf_pose_in_world(s), sdf_pose_in_top(s, link));
    sdf_joint_add_joint(s, link, &spec, NULL);
}

static void add_world(sdf *s)
{
    arne_body_spec body = arne_body_spec_default();
    body.name = s->root;
    sdf_check(s,
              sdf_joint_keep(s, s->top->node,
                             arne_builder_add_body(s->reader->builder, &body, s->reader->error)));
}

void sdf_joints_add(sdf *s)
{
    const int is_static = sdf_truth(s, s->top->node, "static",
                                    s->top->include && sdf_truth(s, s->top->include, "static", 0));
    each_item(s, s->top, SDF_JOINT, tie_joint, 1);
    each_item(s, s->top, SDF_JOINT, tie_joint, 0);
    each_item(s, s->top, SDF_LINK, count_root, 0);
    const int floats = !is_static && !s->grounded && s->roots == 1;
    if (!floats) add_world(s);
    if (floats) sdf_check(s, arne_builder_set_base(s->reader->builder, ARNE_BASE_FREE));
    if (!floats) each_item(s, s->top, SDF_LINK, place_link, is_static);
    if (!is_static) each_item(s, s->top, SDF_JOINT, take_joint, 0);
    if (!is_static) each_item(s, s->top, SDF_JOINT, add_gearbox, 0);
}

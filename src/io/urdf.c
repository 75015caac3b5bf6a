// URDF: links and joints as http://wiki.ros.org/urdf/XML describes them.
//
// What shapes the motion and the looks is read; what is for others (gazebo, transmissions and so
// on) is passed over; anything else is a warning. The rules of the model belong to
// the builder.
#include "io/urdf.h"
#include "base/error.h"
#include "io/formats/formats.h"
#include "io/read_rotation.h"
#include "robot/builder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

arne_status urdf_keep(xml *x, char **slot, const char *text)
{
    const size_t size = strlen(text) + 1;
    char        *copy = malloc(size);
    if (!copy) return arne_fail_memory(x->reader->error);
    memcpy(copy, text, size);
    free(*slot);
    *slot = copy;
    return ARNE_OK;
}

// Copies the value of an attribute that must be there.
arne_status urdf_keep_attribute(xml *x, char **slot, const char *attribute)
{
    const char       *text = NULL;
    const arne_status status = arne_xml_text(x, attribute, &text);
    return status ? status : urdf_keep(x, slot, text);
}

static void urdf_forget(urdf *u)
{
    char **const slots[] = {&u->name, &u->parent, &u->child, &u->mimic};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        free(*slots[i]);
        *slots[i] = NULL;
    }
}

arne_place urdf_place_of(const xml *x) { return (arne_place){x->reader->file, x->line}; }

arne_status urdf_open_owner(xml *x)
{
    urdf             *u = x->context;
    const arne_status status = urdf_keep_attribute(x, &u->name, "name");
    if (!status) snprintf(x->owner, sizeof x->owner, "%s '%.120s'", x->tag, u->name);
    return status;
}

void urdf_close_owner(xml *x)
{
    x->owner[0] = 0;
    urdf_forget(x->context);
}

arne_status urdf_read_pose(xml *x, arne_vec3 *p, arne_mat3 *R)
{
    double      xyz[3] = {0}, rpy[3] = {0}, quaternion[4] = {0, 0, 0, 1};
    arne_status status = arne_xml_numbers(x, "xyz", 3, xyz);
    if (!status) status = arne_xml_numbers(x, "rpy", 3, rpy);
    if (!status) status = arne_xml_numbers(x, "quat_xyzw", 4, quaternion);
    if (status) return status;
    const int turned = arne_xml_attribute(x, "quat_xyzw") != NULL;
    if (turned && arne_xml_attribute(x, "rpy"))
        return arne_xml_fail(x, ARNE_VALUE, "<origin> has both rpy and quat_xyzw");
    *p = (arne_vec3){xyz[0], xyz[1], xyz[2]};
    *R = arne_rotation_rpy(rpy);
    double length = 0;
    if (turned && !arne_rotation_quaternion(quaternion, R, &length))
        return arne_xml_fail(x, ARNE_VALUE,
                             "quat_xyzw of <origin> has length %.7g; it must be a unit quaternion",
                             length);
    return ARNE_OK;
}

// ---- robot and links

static arne_status open_robot(xml *x)
{
    const char *name = arne_xml_attribute(x, "name");
    if (!name || !*name)
        return arne_reader_warn(x->reader, "name", x->line,
                                "the robot has no name; it is called 'robot'");
    return arne_reader_check(x->reader, arne_builder_set_name(x->reader->builder, name), x->line);
}

// What could not be added is missing elsewhere: suppress errors that follow from it.
static arne_status urdf_leave_out(xml *x)
{
    x->reader->builder->incomplete = 1;
    urdf_close_owner(x);
    return ARNE_OK;
}

static arne_status urdf_open_link(xml *x)
{
    urdf *u = x->context;
    u->body = arne_body_spec_default();
    u->body.place = urdf_place_of(x);
    return urdf_open_owner(x);
}

static arne_status close_link(xml *x)
{
    urdf *u = x->context;
    if (!u->name) return urdf_leave_out(x);
    u->body.name = u->name;
    arne_status status = arne_builder_add_body(x->reader->builder, &u->body, x->reader->error);
    if (!status) status = urdf_collisions_add(x->reader, &u->collisions, u->name);
    urdf_close_owner(x);
    return arne_reader_check(x->reader, status, x->line);
}

static arne_status close_inertial(xml *x)
{
    if (!arne_xml_contains(x, "mass"))
        return arne_xml_fail(x, ARNE_VALUE, "<inertial> has no <mass>");
    if (!arne_xml_contains(x, "inertia"))
        return arne_xml_fail(x, ARNE_VALUE, "<inertial> has no <inertia>");
    return ARNE_OK;
}

static arne_status open_inertial_origin(xml *x)
{
    urdf *u = x->context;
    return urdf_read_pose(x, &u->body.com, &u->body.inertia_axes);
}

static arne_status open_mass(xml *x)
{
    urdf *u = x->context;
    return arne_xml_required_numbers(x, "value", 1, &u->body.mass);
}

static arne_status open_inertia(xml *x)
{
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    urdf                    *u = x->context;
    arne_status              status = ARNE_OK;
    int                      missing = 0;
    for (int i = 0; i < 6 && status_goes_on(status); i++) {
        missing |= i >= 3 && !arne_xml_attribute(x, names[i]);
        status = status_both(status,
                             i < 3 ? arne_xml_required_numbers(x, names[i], 1, &u->body.inertia[i])
                                   : arne_xml_numbers(x, names[i], 1, &u->body.inertia[i]));
    }
    if (missing && status_goes_on(status))
        status = status_both(status, arne_reader_warn(x->reader, "inertia", x->line,
                                                      "%s: <inertia> lacks ixy, ixz or iyz, which "
                                                      "count as 0",
                                                      x->owner));
    return status;
}

// ---- what of a link touches

static arne_status open_collision(xml *x)
{
    urdf *u = x->context;
    urdf_collision_begin(&u->collisions, urdf_place_of(x));
    return ARNE_OK;
}

static arne_status open_collision_origin(xml *x)
{
    return urdf_collision_origin(x, &((urdf *)x->context)->collisions);
}

static arne_status open_shape(xml *x)
{
    urdf *u = x->context;
    return u->looks.now ? urdf_visual_shape(x) : urdf_collision_shape(x, &u->collisions);
}

static arne_status open_mesh(xml *x)
{
    urdf *u = x->context;
    return u->looks.now ? urdf_visual_mesh(x) : urdf_collision_mesh(x, &u->collisions);
}

static arne_status close_collision(xml *x)
{
    return urdf_collision_end(x, &((urdf *)x->context)->collisions);
}

// ---- joints

static arne_status read_joint_type(xml *x, arne_joint_kind *kind)
{
    static const struct {
        const char     *type;
        arne_joint_kind kind;
    } types[] = {{"revolute", ARNE_JOINT_REVOLUTE},   {"continuous", ARNE_JOINT_CONTINUOUS},
                 {"prismatic", ARNE_JOINT_PRISMATIC}, {"fixed", ARNE_JOINT_FIXED},
                 {"floating", ARNE_JOINT_FREE},       {"spherical", ARNE_JOINT_BALL},
                 {"ball", ARNE_JOINT_BALL},           {"universal", ARNE_JOINT_UNIVERSAL},
                 {"planar", ARNE_JOINT_PLANAR}};
    const char       *type = NULL;
    const arne_status status = arne_xml_text(x, "type", &type);
    if (status) return status;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].type, type) == 0) {
            *kind = types[i].kind;
            return ARNE_OK;
        }
    return arne_xml_fail(
        x, ARNE_VALUE,
        "unknown joint type '%s' (URDF has revolute, continuous, prismatic, fixed, "
        "floating, planar)",
        type);
}

static int is_true(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "True") == 0 || strcmp(text, "1") == 0;
}

// Nothing refers to the name of a joint but what mimics it: one without a name is given one.
static arne_status urdf_open_named(xml *x)
{
    urdf       *u = x->context;
    const char *name = arne_xml_attribute(x, "name");
    char        made[32];
    if (name && *name) return urdf_open_owner(x);
    snprintf(made, sizeof made, "joint_%d", x->line);
    const arne_status status = urdf_keep(x, &u->name, made);
    if (status) return status;
    snprintf(x->owner, sizeof x->owner, "%s '%s'", x->tag, made);
    return arne_reader_warn(x->reader, "name", x->line, "the joint has no name; it is called '%s'",
                            made);
}

static arne_status urdf_open_joint(xml *x)
{
    urdf *u = x->context;
    u->joint = arne_joint_spec_default();
    u->joint.axis = (arne_vec3){1, 0, 0};
    u->joint.place = urdf_place_of(x);
    const char *independent = arne_xml_attribute(x, "independent");
    if (independent)
        u->joint.actuation = is_true(independent) ? ARNE_ACTUATION_ACTIVE : ARNE_ACTUATION_PASSIVE;
    const arne_status status = urdf_open_named(x);
    return status ? status : read_joint_type(x, &u->joint.kind);
}

static arne_status open_parent(xml *x)
{
    urdf *u = x->context;
    return urdf_keep_attribute(x, &u->parent, "link");
}

static arne_status open_child(xml *x)
{
    urdf *u = x->context;
    return urdf_keep_attribute(x, &u->child, "link");
}

static arne_status open_joint_origin(xml *x)
{
    urdf *u = x->context;
    return urdf_read_pose(x, &u->joint.origin.p, &u->joint.origin.R);
}

static arne_status open_axis(xml *x)
{
    urdf  *u = x->context;
    double xyz[3] = {0};
    if (!arne_joint_kind_facts(u->joint.kind)->has_axis) return ARNE_OK;
    if (!arne_xml_attribute(x, "xyz"))
        return arne_reader_warn(x->reader, "axis", x->line, "%s: <axis> has no xyz; it is 1 0 0",
                                x->owner);
    const arne_status status = arne_xml_required_numbers(x, "xyz", 3, xyz);
    if (!status) u->joint.axis = (arne_vec3){xyz[0], xyz[1], xyz[2]};
    return status;
}

arne_status urdf_check_ends(xml *x, const char *parent, const char *child)
{
    const urdf *u = x->context;
    arne_status status = ARNE_OK;
    if (!u->parent && !arne_xml_contains(x, parent))
        status = arne_xml_fail(x, ARNE_VALUE, "there is no <%s>", parent);
    if (!u->child && !arne_xml_contains(x, child))
        status = status_both(status, arne_xml_fail(x, ARNE_VALUE, "there is no <%s>", child));
    return status;
}

int urdf_has_ends(const urdf *u) { return u->name && u->parent && u->child; }

static arne_status close_joint(xml *x)
{
    urdf       *u = x->context;
    arne_status status = urdf_check_ends(x, "parent", "child");
    if (!urdf_has_ends(u)) return status_both(status, urdf_leave_out(x));
    if (urdf_is_limited(u->joint.kind) && !arne_xml_contains(x, "limit"))
        status = arne_reader_warn(x->reader, "limit", x->line,
                                  "%s: there is no <limit>; its range is unlimited", x->owner);
    const int turns = u->joint.kind == ARNE_JOINT_REVOLUTE ||
                      u->joint.kind == ARNE_JOINT_CONTINUOUS ||
                      u->joint.kind == ARNE_JOINT_PRISMATIC;
    if (!status && turns && !arne_xml_contains(x, "axis") && x->level[x->depth].has_unknown)
        status = arne_reader_warn(x->reader, "axis", x->line, "%s: there is no <axis>; it is 1 0 0",
                                  x->owner);
    u->joint.name = u->name;
    u->joint.parent = u->parent;
    u->joint.child = u->child;
    u->joint.mimic = u->mimic;
    if (!status) status = arne_builder_add_joint(x->reader->builder, &u->joint, x->reader->error);
    urdf_close_owner(x);
    return arne_reader_check(x->reader, status, x->line);
}

static const xml_element elements[] = {
    {"", "robot", " name version ", 1, open_robot, NULL},
    {"robot", "link", " name ", 0, urdf_open_link, close_link},
    {"link", "inertial", " ", 1, NULL, close_inertial},
    {"inertial", "origin", " xyz rpy quat_xyzw ", 1, open_inertial_origin, NULL},
    {"inertial", "mass", " value ", 1, open_mass, NULL},
    {"inertial", "inertia", " ixx iyy izz ixy ixz iyz ", 1, open_inertia, NULL},
    {"robot", "joint", " name type independent ", 0, urdf_open_joint, close_joint},
    {"joint", "parent", " link ", 1, open_parent, NULL},
    {"joint", "child", " link ", 1, open_child, NULL},
    {"joint", "origin", " xyz rpy quat_xyzw ", 1, open_joint_origin, NULL},
    {"joint", "axis", " xyz ", 1, open_axis, NULL},
    {"joint", "limit", " lower upper velocity effort ", 1, urdf_open_limit, NULL},
    {"joint", "dynamics", " damping friction ", 1, urdf_open_dynamics, NULL},
    {"joint", "mimic", " joint multiplier offset ", 1, urdf_open_mimic, NULL},
    {"robot", "loop", " name type length ", 0, urdf_open_loop, urdf_close_loop},
    {"robot", "coupling", " name ", 0, urdf_open_coupling, urdf_close_coupling},
    {"coupling", "predecessor", " link ", 1, open_parent, NULL},
    {"coupling", "successor", " link ", 1, open_child, NULL},
    {"coupling", "ratio", " value ", 1, urdf_open_ratio, NULL},
    {"loop", "predecessor", " link ", 1, open_parent, NULL},
    {"loop", "successor", " link ", 1, open_child, NULL},
    {"loop", "axis", " xyz ", 1, urdf_open_loop_axis, NULL},
    {"predecessor", "origin", " xyz rpy quat_xyzw ", 1, urdf_open_predecessor_origin, NULL},
    {"successor", "origin", " xyz rpy quat_xyzw ", 1, urdf_open_successor_origin, NULL},
    {"link", "collision", " name ", 0, open_collision, close_collision},
    {"collision", "origin", " xyz rpy quat_xyzw ", 1, open_collision_origin, NULL},
    {"collision", "geometry", " ", 1, NULL, NULL},
    {"collision", "verbose", NULL, 0, NULL, NULL},
    {"collision", "contact_coefficients", NULL, 0, NULL, NULL},
    {"collision", "material", NULL, 0, NULL, NULL},
    {"geometry", "box", " size ", 0, open_shape, NULL},
    {"geometry", "sphere", " radius ", 0, open_shape, NULL},
    {"geometry", "cylinder", " radius length ", 0, open_shape, NULL},
    {"geometry", "capsule", " radius length ", 0, open_shape, NULL},
    {"geometry", "mesh", " filename scale ", 0, open_mesh, NULL},
    {"link", "visual", " name ", 0, urdf_open_visual, urdf_close_visual},
    {"visual", "origin", " xyz rpy quat_xyzw ", 0, urdf_visual_origin, NULL},
    {"visual", "geometry", " ", 0, NULL, NULL},
    {"visual", "material", " name ", 0, urdf_open_material, NULL},
    {"robot", "material", " name ", 0, urdf_open_material, NULL},
    {"material", "color", " rgba ", 0, urdf_open_colour, NULL},
    {"material", "texture", NULL, 0, NULL, NULL},
    // Standard, and without any effect on the motion.
    {"link", "sensor", NULL, 0, NULL, NULL},
    {"link", "gazebo", NULL, 0, NULL, NULL},
    {"link", "material", NULL, 0, NULL, NULL},
    {"joint", "safety_controller", NULL, 0, NULL, NULL},
    {"joint", "calibration", NULL, 0, NULL, NULL},
    {"joint", "gazebo", NULL, 0, NULL, NULL},
    {"robot", "transmission", NULL, 0, NULL, NULL},
    {"robot", "gazebo", NULL, 0, NULL, NULL},
    {"robot", "sensor", NULL, 0, NULL, NULL},
    {"robot", "ros2_control", NULL, 0, NULL, NULL},
};

// What can be said when all of the file is known.
static arne_status urdf_finish(reader *r, const urdf *u, int errors_before, int first_joint)
{
    if (u->xacro_line && r->builder->body_count == 0) {
        r->builder->incomplete = 1;
        return urdf_refuse_xacro(r, u->xacro_line);
    }
    arne_status status = urdf_mend_mimics(r, first_joint);
    if (!status && r->found->errors == errors_before) status = urdf_couplings_tie(r, &u->couplings);
    return status;
}

// Reads the text or, where root is not NULL, a tree that was read before.
static arne_status urdf_read_any(reader *r, const char *text, size_t size, const xml_node *root)
{
    static const xml_grammar grammar = {elements, sizeof elements / sizeof *elements, urdf_inspect};
    urdf                     u = {0};
    const int                before = r->found->errors, first = r->builder->joint_count;
    const int                drawn = r->looks ? r->looks->count : 0;
    arne_status              status = root ? arne_xml_walk_tree(r, &grammar, &u, root)
                                           : arne_xml_walk(r, &grammar, &u, text, size);
    const findings          *found = r->found;
    const finding           *last = found->count ? &found->item[found->count - 1] : NULL;
    if (status && last && (last->code == ARNE_SYNTAX || last->code == ARNE_UNSUPPORTED))
        r->builder->incomplete = 1; // it ended before its end
    else
        status = status_both(status, urdf_finish(r, &u, before, first));
    if (status_goes_on(status))
        status = status_both(status, urdf_collisions_tell(r, &u.collisions));
    urdf_looks_finish(&u.looks, r->looks, drawn);
    urdf_collisions_free(&u.collisions);
    urdf_couplings_free(&u.couplings);
    urdf_forget(&u);
    return status;
}

arne_status urdf_read(reader *r, const char *text, size_t size)
{
    return urdf_read_any(r, text, size, NULL);
}

arne_status urdf_read_tree(reader *r, const xml_node *root)
{
    return urdf_read_any(r, NULL, 0, root);
}

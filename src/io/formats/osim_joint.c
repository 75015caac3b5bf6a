// Joints of OpenSim as custom joints, coordinates and their couplers.
//
// From the parent's body to the child's: X = P T(p) R1 R2 R3 C^-1, with P and C the joint's frames
// in both bodies and p along axes of P. A joint that is reversed, or whose child is the ground, has
// the inverse: C R3^-1 R2^-1 R1^-1 T(-p) P^-1. It becomes two custom joints, one that turns and one
// that slides.
#include "io/formats/osim.h"

#include "base/error.h"
#include "io/pose_math.h"
#include "robot/builder.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COORDINATES_MOST = 2 * ARNE_CUSTOM_AXES };

// Axes of joints that say them by their kind; coordinates in this order.
static const struct {
    const char *tag, *rotations, *translations;
} joint_kinds[] = {
    {"WeldJoint", "", ""},      {"PinJoint", "z", ""},        {"SliderJoint", "", "x"},
    {"BallJoint", "xyz", ""},   {"GimbalJoint", "xyz", ""},   {"FreeJoint", "xyz", "xyz"},
    {"PlanarJoint", "z", "xy"}, {"UniversalJoint", "xy", ""},
};

typedef struct osim_joint {
    const xml_node  *node;
    const char      *name;
    const char      *body[2];                // of the parent and of the child
    arne_pose        frame[2];               // the joint's frames in them
    arne_custom_axis axis[COORDINATES_MOST]; // three rotations, three translations
    int              has[COORDINATES_MOST];
    arne_joint_spec  coordinates[COORDINATES_MOST];
    int              coordinate_count;
} osim_joint;

// ---- coordinates

static arne_joint_spec osim_coordinate(osim *o, const xml_node *node)
{
    arne_joint_spec spec = arne_joint_spec_default();
    arne_function   prescribed;
    double          range[2] = {-INFINITY, INFINITY}, value = 0;
    spec.name = osim_name(o, node);
    osim_numbers(o, node, "default_value", 1, &spec.start);
    osim_numbers(o, node, "range", 2, range);
    spec.lower = range[0];
    spec.upper = range[1];
    spec.soft = !osim_truth(o, node, "clamped", 0) && isfinite(range[0]);
    int               still = osim_truth(o, node, "locked", 0);
    const int         moves = osim_truth(o, node, "prescribed", 0);
    const arne_status before = o->status;
    if (moves && osim_function_is(node, "prescribed_function", "Constant") &&
        osim_function(o, node, "prescribed_function", &prescribed) &&
        osim_function_is_constant(&prescribed, &value)) {
        spec.start = value;
        still = 1;
    } else if (moves && o->status == before) {
        if (osim_child(node, "prescribed_function"))
            osim_mark(osim_child(node, "prescribed_function"));
        osim_check(o, xml_node_warn(o->reader, "unknown", node,
                                    "coordinate '%s' is prescribed over time, which is not used",
                                    spec.name));
    }
    if (still) {
        spec.lower = spec.upper = spec.start;
        spec.soft = 0;
    }
    return spec;
}

static void osim_joint_coordinates(osim *o, osim_joint *j)
{
    const xml_node *first = osim_items(j->node, "CoordinateSet");
    if (!first) first = osim_items(j->node, "coordinates");
    for (const xml_node *c = first; c; c = c->next) {
        if (strcmp(c->tag, "Coordinate") != 0) continue;
        if (j->coordinate_count == COORDINATES_MOST)
            return osim_fail(o, c, "joint '%s' has more than six coordinates", j->name);
        j->coordinates[j->coordinate_count++] = osim_coordinate(o, c);
    }
}

// ---- axes

// Which coordinate moves an axis; one that is not its own may belong to another joint.
static void osim_axis_function(osim *o, osim_joint *j, const xml_node *node, arne_custom_axis *axis)
{
    const char       *coordinate = osim_text(o, node, "coordinates");
    arne_function     f;
    const arne_status before = o->status;
    if (!osim_function(o, node, "function", &f)) {
        if (o->status == before) axis->joint = coordinate; // by the coordinate itself
        return;
    }
    if (osim_function_is_constant(&f, &axis->value)) return;
    if (!coordinate || strpbrk(coordinate, " \t\r\n"))
        return osim_fail(o, node, "joint '%s': a function of %s coordinates cannot be used",
                         j->name, coordinate ? "several" : "no");
    const int line = f.kind == ARNE_FUNCTION_POLYNOMIAL && f.count == 2 && f.y[0] == 0;
    axis->joint = coordinate;
    if (line && fabs(f.factor * f.y[1]) == 1) { // the coordinate itself
        if (f.factor * f.y[1] < 0) axis->axis = vec_scale(-1, axis->axis);
        return;
    }
    axis->function = f;
}

static int osim_axis_index(const char *name, int otherwise)
{
    static const char *const names[] = {"rotation1",    "rotation2",    "rotation3",
                                        "translation1", "translation2", "translation3"};
    for (int i = 0; name && i < COORDINATES_MOST; i++)
        if (strcmp(names[i], name) == 0) return i;
    return otherwise;
}

static void osim_joint_custom(osim *o, osim_joint *j)
{
    const xml_node *transform = osim_child(j->node, "SpatialTransform");
    int             count = 0;
    for (const xml_node *c = transform ? transform->first : NULL; c; c = c->next, count++) {
        double    a[3] = {0};
        const int i = osim_axis_index(xml_node_get(c, "name"), count);
        if (strcmp(c->tag, "TransformAxis") != 0) continue;
        if (i >= COORDINATES_MOST || j->has[i])
            return osim_fail(o, c, "joint '%s' has an axis too many", j->name);
        ((xml_node *)c)->used = 1;
        if (!osim_numbers(o, c, "axis", 3, a)) a[i % 3] = 1;
        j->has[i] = 1;
        j->axis[i].axis = (arne_vec3){a[0], a[1], a[2]};
        osim_axis_function(o, j, c, &j->axis[i]);
    }
}

static void osim_joint_plain(osim *o, osim_joint *j, const char *rotations,
                             const char *translations)
{
    const char *const words[2] = {rotations, translations};
    char              name[300];
    int               k = 0;
    for (int s = 0; s < 2; s++)
        for (int i = 0; words[s][i]; i++, k++) {
            const char axis = words[s][i];
            if (k == j->coordinate_count) {
                snprintf(name, sizeof name, "%.200s_coord_%d", j->name, k);
                j->coordinates[k] = arne_joint_spec_default();
                j->coordinates[k].name = xml_tree_text(&o->tree, name);
                if (!j->coordinates[k].name)
                    return osim_check(o, arne_fail_memory(o->reader->error));
                j->coordinate_count++;
            }
            j->has[3 * s + i] = 1;
            j->axis[3 * s + i] = (arne_custom_axis){.axis = {axis == 'x', axis == 'y', axis == 'z'},
                                                    .joint = j->coordinates[k].name};
        }
}

// Where the joint's frames are: by paths to frames, or by numbers in the body that it moves.
static int osim_joint_frames(osim *o, osim_joint *j, const char *owner)
{
    static const char *const sockets[2] = {"parent_frame", "child_frame"};
    const char              *old = osim_text(o, j->node, "parent_body");
    if (!owner) {
        int found = 1;
        for (int i = 0; i < 2; i++)
            found &= osim_frame(o, j->node, osim_socket(o, j->node, sockets[i], sockets[i]),
                                &j->body[i], &j->frame[i]);
        return found;
    }
    j->body[1] = owner;
    j->frame[0] = osim_pose(o, j->node, "location_in_parent", "orientation_in_parent");
    j->frame[1] = osim_pose(o, j->node, "location", "orientation");
    arne_pose unused;
    return osim_frame(o, j->node, old, &j->body[0], &unused);
}

// ---- into the builder

static void osim_joint_put(osim *o, const osim_joint *j, arne_custom_spec *spec)
{
    spec->place = (arne_place){j->node->file, j->node->line};
    osim_added(o, j->node, arne_builder_add_custom(o->reader->builder, spec, o->reader->error));
}

static void osim_joint_forward(osim *o, osim_joint *j)
{
    arne_custom_spec spec = {.name = j->name,
                             .parent = j->body[0],
                             .child = j->body[1],
                             .origin = j->frame[0],
                             .tip = pose_inverse(&j->frame[1]),
                             .coordinate_count = j->coordinate_count,
                             .coordinates = j->coordinates};
    for (int i = 0; i < 3; i++) {
        if (j->has[i]) spec.rotations[spec.rotation_count++] = j->axis[i];
        if (j->has[3 + i]) spec.translations[spec.translation_count++] = j->axis[3 + i];
    }
    osim_joint_put(o, j, &spec);
}

static int osim_joint_slides(const osim_joint *j, const char *coordinate)
{
    for (int i = 3; i < COORDINATES_MOST; i++)
        if (j->has[i] && j->axis[i].joint && strcmp(j->axis[i].joint, coordinate) == 0) return 1;
    return 0;
}

static void osim_joint_reversed(osim *o, osim_joint *j)
{
    arne_joint_spec  turning[COORDINATES_MOST], sliding[COORDINATES_MOST];
    char             link[300], slide[300];
    arne_body_spec   between = arne_body_spec_default();
    arne_custom_spec turn = {.name = j->name,
                             .parent = j->body[1],
                             .child = link,
                             .origin = j->frame[1],
                             .tip = pose_identity(),
                             .coordinates = turning};
    arne_custom_spec move = {.name = slide,
                             .parent = link,
                             .child = j->body[0],
                             .origin = pose_identity(),
                             .tip = pose_inverse(&j->frame[0]),
                             .coordinates = sliding};
    snprintf(link, sizeof link, "%.200s.turned", j->name);
    snprintf(slide, sizeof slide, "%.200s.slide", j->name);
    between.name = link;
    between.place = (arne_place){j->node->file, j->node->line};
    for (int i = 0; i < COORDINATES_MOST; i++)
        j->axis[i].axis = vec_scale(-1, j->axis[i].axis);
    for (int i = 0; i < 3; i++) {
        if (j->has[2 - i]) turn.rotations[turn.rotation_count++] = j->axis[2 - i];
        if (j->has[3 + i]) move.translations[move.translation_count++] = j->axis[3 + i];
    }
    for (int k = 0; k < j->coordinate_count; k++)
        if (osim_joint_slides(j, j->coordinates[k].name))
            sliding[move.coordinate_count++] = j->coordinates[k];
        else
            turning[turn.coordinate_count++] = j->coordinates[k];
    osim_added(o, j->node, arne_builder_add_body(o->reader->builder, &between, o->reader->error));
    osim_joint_put(o, j, &turn);
    osim_joint_put(o, j, &move);
}

// A coordinate that is only a distance slides, also where no axis has it for itself.
static void osim_joint_sort(osim_joint *j)
{
    for (int k = 0; k < j->coordinate_count; k++) {
        int turns = 0;
        for (int i = 0; i < 3; i++)
            turns |= j->has[i] && j->axis[i].joint &&
                     strcmp(j->axis[i].joint, j->coordinates[k].name) == 0;
        if (!turns && osim_joint_slides(j, j->coordinates[k].name))
            j->coordinates[k].kind = ARNE_JOINT_PRISMATIC;
    }
}

// owner: the body in which the joint stands, until version 30000; else NULL.
static void osim_joint_add(osim *o, const xml_node *node, const char *owner)
{
    osim_joint        j = {.node = node, .name = osim_name(o, node)};
    const arne_status before = o->status;
    int               known = strcmp(node->tag, "CustomJoint") == 0;
    const int         found = osim_joint_frames(o, &j, owner);
    osim_joint_coordinates(o, &j);
    if (known) osim_joint_custom(o, &j);
    for (size_t k = 0; k < sizeof joint_kinds / sizeof *joint_kinds && !known; k++)
        if ((known = strcmp(joint_kinds[k].tag, node->tag) == 0))
            osim_joint_plain(o, &j, joint_kinds[k].rotations, joint_kinds[k].translations);
    if (!known)
        osim_fail(o, node, "joint '%s': <%s> is not read (the joints that are: CustomJoint, %s)",
                  j.name, node->tag,
                  "WeldJoint, PinJoint, SliderJoint, BallJoint, GimbalJoint, FreeJoint, "
                  "PlanarJoint, UniversalJoint");
    if (!found || o->status != before || !*j.name) return;
    osim_joint_sort(&j);
    if (osim_truth(o, node, "reverse", 0) || strcmp(j.body[1], "ground") == 0)
        osim_joint_reversed(o, &j);
    else
        osim_joint_forward(o, &j);
}

void osim_joints_add(osim *o)
{
    for (const xml_node *b = osim_items(o->model, "BodySet"); b; b = b->next) {
        const xml_node *holder = osim_child(b, "Joint");
        const char     *body = xml_node_get(b, "name");
        for (const xml_node *c = holder && body ? holder->first : NULL; c; c = c->next)
            osim_joint_add(o, c, body);
    }
    for (const xml_node *c = osim_items(o->model, "JointSet"); c; c = c->next)
        if (strcmp(c->tag, "groups") != 0) osim_joint_add(o, c, NULL);
}

// ---- couplers

// The coordinates of a list of names, one after the other; NULL at its end.
static const char *osim_next_word(osim *o, const char **rest)
{
    const char  *start = *rest + strspn(*rest, " \t\r\n");
    const size_t size = strcspn(start, " \t\r\n");
    char        *word = size ? xml_tree_text(&o->tree, start) : NULL;
    *rest = start + size;
    if (word) word[size] = 0;
    return word;
}

// q = scale f(q(with)); of several coordinates, a sum of lines: c0 q0 + c1 q1 + ... + last.
static void osim_coupler_add(osim *o, const xml_node *node)
{
    arne_function_spec spec = {.place = {node->file, node->line}};
    const char        *rest = osim_text(o, node, "independent_coordinate_names");
    double             scale = 1;
    ((xml_node *)node)->used = 1;
    spec.joint = osim_text(o, node, "dependent_coordinate_name");
    osim_numbers(o, node, "scale_factor", 1, &scale);
    if (!rest || !spec.joint)
        return osim_fail(o, node, "<%s> needs dependent and independent coordinates", node->tag);
    arne_function f;
    if (!osim_function(o, node, "coupled_coordinates_function", &f))
        return osim_fail(o, node, "<%s> has no function that is read", node->tag);
    f.factor *= scale;
    const char *first = osim_next_word(o, &rest), *next = osim_next_word(o, &rest);
    const int   several = next != NULL;
    if (several && f.kind != ARNE_FUNCTION_POLYNOMIAL)
        return osim_fail(o, node, "a function of several coordinates must be a LinearFunction");
    for (int k = f.count - 1; first; k--, first = next, next = osim_next_word(o, &rest)) {
        double *line = several ? document_take(&o->tree.memory, 2 * sizeof *line) : NULL;
        spec.with = first;
        spec.function = f;
        if (line) { // f has the coefficients from the last to the first
            line[0] = !next ? f.y[0] : 0;
            line[1] = k > 0 ? f.y[k] : 0;
            spec.function.y = line;
            spec.function.count = 2;
        }
        osim_added(o, node, arne_builder_add_function(o->reader->builder, &spec, o->reader->error));
    }
}

void osim_couplers_add(osim *o)
{
    for (const xml_node *c = osim_items(o->model, "ConstraintSet"); c; c = c->next) {
        if (strcmp(c->tag, "CoordinateCouplerConstraint") != 0) continue;
        const int off = osim_truth(o, c, "isDisabled", 0) || !osim_truth(o, c, "isEnforced", 1);
        ((xml_node *)c)->used = 1;
        if (off)
            osim_check(o, xml_node_warn(o->reader, "unknown", c,
                                        "constraint '%s' is switched off, and not read",
                                        osim_name(o, c)));
        else if (!o->reader->open)
            osim_coupler_add(o, c);
    }
}

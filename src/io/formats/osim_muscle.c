// Muscles, ligaments, springs and actuators on paths of OpenSim, and the surfaces that paths wrap.
#include "io/formats/osim.h"

#include "base/error.h"
#include "io/pose_math.h"
#include "robot/builder.h"
#include <arne/muscle.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define LAW(field) offsetof(arne_muscle_law, field)

typedef struct law_row {
    const char *curve, *tag; // within this element of the muscle; NULL: of the muscle itself
    size_t      at;
} law_row;

// Numbers of all laws; tags that a kind does not have are not there.
static const law_row law_rows[] = {
    {NULL, "max_isometric_force", LAW(max_force)},
    {NULL, "optimal_fiber_length", LAW(fibre_length)},
    {NULL, "tendon_slack_length", LAW(slack_length)},
    {NULL, "pennation_angle", LAW(pennation)},
    {NULL, "pennation_angle_at_optimal", LAW(pennation)},
    {NULL, "max_contraction_velocity", LAW(max_velocity)},
    {NULL, "Vmax", LAW(max_velocity)}, // Thelen's, until version 20303
    {NULL, "fiber_damping", LAW(damping)},
    {NULL, "activation_time_constant", LAW(activation_time)},
    {NULL, "deactivation_time_constant", LAW(deactivation_time)},
    {NULL, "minimum_activation", LAW(minimum_activation)},
    {NULL, "FmaxTendonStrain", LAW(tendon_strain)},
    {NULL, "FmaxMuscleStrain", LAW(passive_strain)},
    {NULL, "KshapeActive", LAW(active_shape)},
    {NULL, "KshapePassive", LAW(passive_shape)},
    {NULL, "Af", LAW(velocity_shape)},
    {NULL, "Flen", LAW(lengthening_force)},
    {NULL, "active_force_width_scale", LAW(active_width)},
    {NULL, "tendon_strain_at_one_norm_force", LAW(tendon_strain)},
    {NULL, "passive_fiber_strain_at_one_norm_force", LAW(passive_strain)},
    {NULL, "resting_length", LAW(slack_length)},
    {NULL, "pcsa_force", LAW(max_force)},
    {NULL, "stiffness", LAW(stiffness)},
    {NULL, "dissipation", LAW(dissipation)},
    {"ActiveForceLengthCurve", "min_norm_active_fiber_length", LAW(active[0])},
    {"ActiveForceLengthCurve", "transition_norm_fiber_length", LAW(active[1])},
    {"ActiveForceLengthCurve", "max_norm_active_fiber_length", LAW(active[2])},
    {"ActiveForceLengthCurve", "shallow_ascending_slope", LAW(active[3])},
    {"ActiveForceLengthCurve", "minimum_value", LAW(active[4])},
    {"ForceVelocityCurve", "concentric_slope_at_vmax", LAW(velocity[0])},
    {"ForceVelocityCurve", "concentric_slope_near_vmax", LAW(velocity[1])},
    {"ForceVelocityCurve", "isometric_slope", LAW(velocity[2])},
    {"ForceVelocityCurve", "eccentric_slope_at_vmax", LAW(velocity[3])},
    {"ForceVelocityCurve", "eccentric_slope_near_vmax", LAW(velocity[4])},
    {"ForceVelocityCurve", "max_eccentric_velocity_force_multiplier", LAW(velocity[5])},
    {"ForceVelocityCurve", "concentric_curviness", LAW(velocity[6])},
    {"ForceVelocityCurve", "eccentric_curviness", LAW(velocity[7])},
    {"FiberForceLengthCurve", "strain_at_zero_force", LAW(passive[0])},
    {"FiberForceLengthCurve", "strain_at_one_norm_force", LAW(passive_strain)},
    {"FiberForceLengthCurve", "stiffness_at_low_force", LAW(passive[1])},
    {"FiberForceLengthCurve", "stiffness_at_one_norm_force", LAW(passive[2])},
    {"FiberForceLengthCurve", "curviness", LAW(passive[3])},
    {"TendonForceLengthCurve", "strain_at_one_norm_force", LAW(tendon_strain)},
    {"TendonForceLengthCurve", "stiffness_at_one_norm_force", LAW(tendon[0])},
    {"TendonForceLengthCurve", "norm_force_at_toe_end", LAW(tendon[1])},
    {"TendonForceLengthCurve", "curviness", LAW(tendon[2])},
};

// ---- surfaces

static int osim_wrap_shape(const char *tag)
{
    static const char *const tags[] = {"WrapCylinder", "WrapSphere", "WrapEllipsoid", "WrapTorus"};
    for (int i = 0; i < ARNE_WRAP_SHAPE_COUNT; i++)
        if (strcmp(tags[i], tag) == 0) return i;
    return -1;
}

// Surfaces that are switched off, or not read, are not wrapped.
static const arne_wrap_spec *osim_wrap_read(const osim *o, const char *name)
{
    const arne_builder *b = o->reader->builder;
    for (int i = 0; name && i < b->wrap_count; i++)
        if (strcmp(b->wraps[i].name, name) == 0) return &b->wraps[i];
    return NULL;
}

static arne_wrap_side osim_wrap_side(osim *o, const xml_node *node)
{
    const char *word = osim_text(o, node, "quadrant");
    if (word && *word == '+') word++;
    for (int i = 0; word && i < ARNE_WRAP_SIDE_COUNT; i++)
        if (strcmp(arne_wrap_side_name((arne_wrap_side)i), word) == 0) return (arne_wrap_side)i;
    if (word) osim_fail(o, node, "<quadrant> is '%s', not all, x, -x, y, -y, z or -z", word);
    return ARNE_WRAP_ALL;
}

static void osim_wrap_add(osim *o, const xml_node *node, const char *body)
{
    const int      shape = osim_wrap_shape(node->tag);
    arne_wrap_spec spec = arne_wrap_spec_default();
    if (shape < 0 || !osim_truth(o, node, "active", 1)) return;
    spec.name = osim_name(o, node);
    if (osim_wrap_read(o, spec.name)) { // OpenSim's paths find the first
        osim_mark(node);
        return osim_check(o, xml_node_warn(o->reader, "unknown", node,
                                           "there is another surface '%s', which paths take",
                                           spec.name));
    }
    spec.link = body;
    spec.shape = (arne_wrap_shape)shape;
    spec.origin = osim_pose(o, node, "translation", "xyz_body_rotation");
    spec.side = osim_wrap_side(o, node);
    spec.place = (arne_place){node->file, node->line};
    osim_numbers(o, node, "radius", 1, &spec.size[0]);
    osim_numbers(o, node, "length", 1, &spec.size[1]);
    osim_numbers(o, node, "inner_radius", 1, &spec.size[0]);
    osim_numbers(o, node, "outer_radius", 1, &spec.size[1]);
    osim_numbers(o, node, "dimensions", 3, spec.size);
    osim_added(o, node, arne_builder_add_wrap(o->reader->builder, &spec, o->reader->error));
}

static void osim_wraps_add(osim *o, const xml_node *body, const char *name)
{
    for (const xml_node *c = osim_items(body, "WrapObjectSet"); c; c = c->next)
        osim_wrap_add(o, c, name);
}

// ---- points

static void osim_point_moving(osim *o, const xml_node *node, arne_path_point *out)
{
    static const char *const places[3] = {"x_location", "y_location", "z_location"};
    static const char *const axes[3] = {"x_coordinate", "y_coordinate", "z_coordinate"};
    for (int k = 0; k < 3; k++) {
        arne_function     f;
        const arne_status before = o->status;
        if (!osim_function(o, node, places[k], &f)) {
            if (o->status == before) osim_fail(o, node, "a moving point has no %s", places[k]);
            continue;
        }
        const char *coordinate = osim_coordinate_name(o, node, axes[k]);
        if (osim_function_is_constant(&f, &(&out->position.x)[k])) continue;
        if (!coordinate) osim_fail(o, node, "a moving point has no %s", axes[k]);
        out->follows[k] = coordinate;
        out->functions[k] = f;
    }
}

// A point on a frame that is not a body's own: a moving one keeps the frame.
static void osim_point_place(osim *o, const xml_node *node, const arne_pose *frame,
                             arne_path_point *out)
{
    char name[300];
    if (!out->follows[0] && !out->follows[1] && !out->follows[2]) {
        out->position = vec_add(frame->p, rotate(&frame->R, out->position));
        return;
    }
    if (is_identity(&frame->R) && frame->p.x == 0 && frame->p.y == 0 && frame->p.z == 0) return;
    snprintf(name, sizeof name, "%.250s.frame", osim_name(o, node));
    osim_added(o, node,
               arne_builder_add_frame(o->reader->builder, name, out->link, frame,
                                      (arne_place){node->file, node->line}, o->reader->error));
    out->link = xml_tree_text(&o->tree, name);
    if (!out->link) osim_check(o, arne_fail_memory(o->reader->error));
}

static int osim_point_read(osim *o, const xml_node *node, arne_path_point *out)
{
    double    p[3] = {0}, range[2] = {0};
    arne_pose frame;
    ((xml_node *)node)->used = 1;
    *out = (arne_path_point){0};
    osim_numbers(o, node, "location", 3, p);
    out->position = (arne_vec3){p[0], p[1], p[2]};
    if (!osim_frame(o, node, osim_socket(o, node, "parent_frame", "body"), &out->link, &frame))
        return 0;
    if (strncmp(node->tag, "Conditional", 11) == 0) {
        out->joint = osim_coordinate_name(o, node, "coordinate");
        if (!osim_numbers(o, node, "range", 2, range) || !out->joint)
            osim_fail(o, node, "a conditional point needs a coordinate and its range");
        out->lower = range[0];
        out->upper = range[1];
    } else if (strncmp(node->tag, "Moving", 6) == 0) {
        osim_point_moving(o, node, out);
    }
    osim_point_place(o, node, &frame, out);
    return 1;
}

static int osim_count(const xml_node *first)
{
    int count = 0;
    for (; first; first = first->next)
        count++;
    return count;
}

static int osim_path_points(osim *o, const xml_node *path, arne_muscle_spec *spec)
{
    const xml_node  *first = osim_items(path, "PathPointSet");
    arne_path_point *points =
        document_take(&o->tree.memory, ((size_t)osim_count(first) + 1) * sizeof *points);
    if (!points) return osim_check(o, arne_fail_memory(o->reader->error)), 0;
    for (const xml_node *c = first; c; c = c->next) {
        if (!strstr(c->tag, "PathPoint") && !strstr(c->tag, "MusclePoint")) continue; // old name
        if (!osim_point_read(o, c, &points[spec->point_count++])) return 0;
    }
    spec->points = points;
    return 1;
}

static int osim_path_wraps(osim *o, const xml_node *path, arne_muscle_spec *spec)
{
    const xml_node *first = osim_items(path, "PathWrapSet");
    arne_path_wrap *wraps =
        document_take(&o->tree.memory, ((size_t)osim_count(first) + 1) * sizeof *wraps);
    if (!wraps) return osim_check(o, arne_fail_memory(o->reader->error)), 0;
    for (const xml_node *c = first; c; c = c->next) {
        double      range[2] = {-1, -1};
        const char *name = osim_text(o, c, "wrap_object");
        osim_numbers(o, c, "range", 2, range);
        const arne_wrap_spec *wrap = osim_wrap_read(o, name);
        const int             alone = c == first && !c->next;
        if (!wrap || (wrap->shape == ARNE_WRAP_TORUS && !alone)) continue; // a torus only alone
        ((xml_node *)c)->used = 1;
        osim_text(o, c, "method");
        wraps[spec->wrap_count++] = (arne_path_wrap){name, range[0] > 1 ? (int)range[0] - 1 : 0,
                                                     range[1] > 0 ? (int)range[1] - 1 : -1};
    }
    spec->wraps = wraps;
    return 1;
}

// ---- muscles

static void osim_muscle_law(osim *o, const xml_node *node, arne_muscle_law *law)
{
    if (!node) return;
    for (size_t i = 0; i < sizeof law_rows / sizeof *law_rows; i++) {
        const law_row  *r = &law_rows[i];
        const xml_node *at = r->curve ? osim_child(node, r->curve) : node;
        if (at) osim_numbers(o, at, r->tag, 1, (double *)(void *)((char *)law + r->at));
    }
    law->rigid_tendon = osim_truth(o, node, "ignore_tendon_compliance", law->rigid_tendon);
    law->no_passive = osim_truth(o, node, "ignore_passive_fiber_force", law->no_passive);
    if (law->kind == ARNE_MUSCLE_CABLE) {
        osim_numbers(o, node, "optimal_force", 1, &law->max_force);
        law->max_force *= osim_finite(o, node, "max_control", 1);
    }
}

static int osim_muscle_kind(const char *tag)
{
    static const struct {
        const char      *tag;
        arne_muscle_kind kind;
    } kinds[] = {{"Millard2012EquilibriumMuscle", ARNE_MUSCLE_MILLARD},
                 {"Thelen2003Muscle", ARNE_MUSCLE_THELEN},
                 {"DeGrooteFregly2016Muscle", ARNE_MUSCLE_DEGROOTE},
                 {"Ligament", ARNE_MUSCLE_LIGAMENT},
                 {"PathSpring", ARNE_MUSCLE_SPRING},
                 {"PathActuator", ARNE_MUSCLE_CABLE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].tag, tag) == 0) return (int)kinds[i].kind;
    return -1;
}

static void osim_muscle_add(osim *o, const xml_node *node, arne_muscle_kind kind)
{
    arne_muscle_spec  spec = arne_muscle_spec_default(kind);
    const xml_node   *holder = xml_node_child(node, "path") ? osim_child(node, "path") : node;
    const xml_node   *path = osim_child(holder, "GeometryPath");
    const xml_node   *other = xml_node_child(holder, "FunctionBasedPath");
    const arne_status before = o->status;
    spec.name = osim_name(o, node);
    spec.place = (arne_place){node->file, node->line};
    if (osim_is_off(o, node)) return;
    if (!path && other) {
        osim_mark(node);
        return osim_check(o,
                          xml_node_warn(o->reader, "unknown", node,
                                        "'%s' has a <%s>, and is not read", spec.name, other->tag));
    }
    // Old files leave out what equals the object of this kind among the model's defaults.
    osim_muscle_law(o, osim_child(osim_child(o->model, "defaults"), node->tag), &spec.law);
    osim_muscle_law(o, node, &spec.law);
    if (kind == ARNE_MUSCLE_LIGAMENT &&
        !osim_function(o, node, "force_length_curve", &spec.curve) && o->status == before)
        osim_fail(o, node, "ligament '%s' has no force_length_curve", spec.name);
    if (!path) osim_fail(o, node, "'%s' has no GeometryPath", spec.name);
    if (!path || !osim_path_points(o, path, &spec) || !osim_path_wraps(o, path, &spec)) return;
    if (o->status != before || !*spec.name) return;
    osim_added(o, node, arne_builder_add_muscle(o->reader->builder, &spec, o->reader->error));
}

// A spring between two points, which also pushes.
static void osim_muscle_spring(osim *o, const xml_node *node)
{
    static const char *const bodies[2] = {"body1", "body2"}, *const places[2] = {"point1",
                                                                                 "point2"};
    arne_muscle_spec spec = arne_muscle_spec_default(ARNE_MUSCLE_TENDON);
    arne_path_point  points[2] = {0};
    if (osim_is_off(o, node)) return;
    spec.name = osim_name(o, node);
    spec.place = (arne_place){node->file, node->line};
    spec.points = points;
    spec.point_count = 2;
    osim_numbers(o, node, "stiffness", 1, &spec.law.elastic[0]);
    osim_numbers(o, node, "rest_length", 1, &spec.law.slack[0]);
    spec.law.slack[1] = spec.law.slack[0];
    for (int i = 0; i < 2; i++) {
        double    p[3] = {0};
        arne_pose frame;
        osim_numbers(o, node, places[i], 3, p);
        points[i].position = (arne_vec3){p[0], p[1], p[2]};
        const char *body = osim_socket(o, node, bodies[i], bodies[i]);
        if (!osim_frame(o, node, body, &points[i].link, &frame)) return;
        osim_point_place(o, node, &frame, &points[i]);
    }
    osim_added(o, node, arne_builder_add_muscle(o->reader->builder, &spec, o->reader->error));
}

// One of the two frames that a bushing connects, as a named frame; until version 30502 it is a body
// and a pose in it.
static const char *osim_bushing_frame(osim *o, const xml_node *node, const char *force, int second)
{
    static const char *const sockets[2] = {"frame1", "frame2"}, *const old[2] = {"body_1",
                                                                                 "body_2"};
    static const char *const        place[2] = {"location_body_1", "location_body_2"},
                             *const turn[2] = {"orientation_body_1", "orientation_body_2"};
    const char                     *body;
    char                            name[300];
    arne_pose                       frame;
    const char                     *path = osim_socket(o, node, sockets[second], old[second]);
    if (!osim_frame(o, node, path, &body, &frame)) return NULL;
    const arne_pose own = osim_pose(o, node, place[second], turn[second]),
                    pose = pose_times(&frame, &own);
    snprintf(name, sizeof name, "%.250s.%s", force, sockets[second]);
    osim_added(o, node,
               arne_builder_add_frame(o->reader->builder, name, body, &pose,
                                      (arne_place){node->file, node->line}, o->reader->error));
    const char *kept = xml_tree_text(&o->tree, name);
    if (!kept) osim_check(o, arne_fail_memory(o->reader->error));
    return kept;
}

// A bushing: a spring and a damper for each coordinate of one frame in another, three places and
// three angles.
static void osim_bushing_add(osim *o, const xml_node *node)
{
    static const char *const words[4] = {"translational_stiffness", "rotational_stiffness",
                                         "translational_damping", "rotational_damping"};
    double                   numbers[4][3] = {0};
    arne_path_point          points[2] = {0};
    char                     name[300];
    if (osim_is_off(o, node)) return;
    const char *force = osim_name(o, node);
    for (int i = 0; i < 4; i++)
        osim_numbers(o, node, words[i], 3, numbers[i]);
    for (int i = 0; i < 2; i++)
        if (!(points[i].link = osim_bushing_frame(o, node, force, i))) return;
    for (int i = 0; i < 6; i++) {
        arne_muscle_spec spec = arne_muscle_spec_default(ARNE_MUSCLE_TENDON);
        spec.name = name;
        spec.place = (arne_place){node->file, node->line};
        spec.measure = (arne_path_measure)(ARNE_MEASURE_X + i);
        spec.points = points;
        spec.point_count = 2;
        spec.law.elastic[0] = numbers[i / 3][i % 3];
        spec.law.viscous[0] = numbers[2 + i / 3][i % 3];
        if (spec.law.elastic[0] == 0 && spec.law.viscous[0] == 0) continue;
        snprintf(name, sizeof name, "%.250s.%s", force, arne_path_measure_name(spec.measure));
        osim_added(o, node, arne_builder_add_muscle(o->reader->builder, &spec, o->reader->error));
    }
}

void osim_muscles_add(osim *o)
{
    osim_wraps_add(o, osim_child(o->model, "Ground"), "ground");
    for (const xml_node *b = osim_items(o->model, "BodySet"); b; b = b->next)
        if (xml_node_get(b, "name")) osim_wraps_add(o, b, xml_node_get(b, "name"));
    for (const xml_node *c = osim_items(o->model, "ForceSet"); c && status_goes_on(o->status);
         c = c->next) {
        const int kind = osim_muscle_kind(c->tag);
        if (kind >= 0) osim_muscle_add(o, c, (arne_muscle_kind)kind);
        if (strcmp(c->tag, "PointToPointSpring") == 0) osim_muscle_spring(o, c);
        if (strcmp(c->tag, "BushingForce") == 0) osim_bushing_add(o, c);
    }
}

// A robot for planning: every joint of several coordinates becomes a chain of joints with one each,
// with massless links between them. Second derivatives exist there, and a spline of every
// coordinate is a motion.
#include "plan/problem/split_joints.h"
#include "base/error.h"
#include "math/vectors.h"
#include "robot/builder.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct step { // of a chain
    const char *suffix;
    int         slides;
    arne_vec3   axis;
} step;

// The x of a planar joint's plane: the frame's x, or y, made perpendicular to the normal.
static arne_vec3 plane_x(arne_vec3 normal)
{
    const double    length = sqrt(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
    const arne_vec3 n = {normal.x / length, normal.y / length, normal.z / length};
    const arne_vec3 start = fabs(n.x) < 0.9 ? (arne_vec3){1, 0, 0} : (arne_vec3){0, 1, 0};
    const double    along = start.x * n.x + start.y * n.y;
    const arne_vec3 x = {start.x - along * n.x, start.y - along * n.y, -along * n.z};
    const double    size = sqrt(x.x * x.x + x.y * x.y + x.z * x.z);
    return (arne_vec3){x.x / size, x.y / size, x.z / size};
}

// The chain of a joint; 0 where it has one coordinate already.
static int steps_of(const arne_joint_spec *spec, step out[6])
{
    static const arne_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const step             free_steps[6] = {{"x", 1, x},  {"y", 1, y},  {"z", 1, z},
                                            {"rz", 0, z}, {"ry", 0, y}, {"rx", 0, x}};
    if (spec->kind == ARNE_JOINT_FREE) {
        memcpy(out, free_steps, sizeof free_steps);
        return 6;
    }
    if (spec->kind == ARNE_JOINT_BALL) {
        memcpy(out, free_steps + 3, 3 * sizeof *out);
        return 3;
    }
    if (spec->kind == ARNE_JOINT_UNIVERSAL) {
        out[0] = (step){"rx", 0, x};
        out[1] = (step){"ry", 0, y};
        return 2;
    }
    if (spec->kind == ARNE_JOINT_PLANAR) {
        out[0] = (step){"x", 1, plane_x(spec->axis)};
        out[1] = (step){"y", 1, cross3(spec->axis, plane_x(spec->axis))};
        out[2] = (step){"rz", 0, spec->axis};
        return 3;
    }
    return 0;
}

static arne_pose split_still(void) { return arne_joint_spec_default().origin; }

static arne_status split_add_chain(arne_builder *to, const arne_joint_spec *spec, const step *steps,
                                   int count, arne_error *error)
{
    char        parent[300];
    arne_status status = ARNE_OK;
    snprintf(parent, sizeof parent, "%s", spec->parent);
    for (int i = 0; i < count && !status; i++) {
        char            name[300], child[300];
        arne_joint_spec part = *spec;
        snprintf(name, sizeof name, "%.250s.%s", spec->name, steps[i].suffix);
        snprintf(child, sizeof child, "%s", i + 1 < count ? name : spec->child);
        part.name = name;
        part.parent = parent;
        part.child = child;
        part.kind = steps[i].slides ? ARNE_JOINT_PRISMATIC : ARNE_JOINT_REVOLUTE;
        part.axis = steps[i].axis;
        if (i > 0) part.origin = split_still();
        if (i + 1 < count) part.tip = split_still();
        if (i + 1 < count) {
            arne_body_spec link = arne_body_spec_default();
            link.name = child;
            link.place = spec->place;
            status = arne_builder_add_body(to, &link, error);
        }
        if (!status) status = arne_builder_add_joint(to, &part, error);
        memcpy(parent, child, sizeof parent);
    }
    return status;
}

static arne_status split_add_joint(arne_builder *to, const arne_joint_spec *spec, arne_error *error)
{
    step      steps[6];
    const int count = steps_of(spec, steps);
    if (!count) return arne_builder_add_joint(to, spec, error);
    const int turns = spec->kind == ARNE_JOINT_BALL || spec->kind == ARNE_JOINT_FREE;
    if (turns && (spec->viscous != 0 || spec->coulomb_positive != 0 ||
                  spec->coulomb_negative != 0 || spec->rotor_inertia != 0))
        return arne_fail(
            error, ARNE_UNSUPPORTED, spec->place.file, spec->place.line,
            "joint '%s': a %s joint with friction or a rotor cannot be planned as three rotations",
            spec->name, arne_joint_kind_name(spec->kind));
    return split_add_chain(to, spec, steps, count, error);
}

static int is_body(const arne_builder *b, const char *name)
{
    for (int i = 0; i < b->body_count; i++)
        if (!strcmp(b->bodies[i].name, name)) return 1;
    return 0;
}

static int is_joint(const arne_builder *b, const char *name)
{
    for (int i = 0; i < b->joint_count; i++)
        if (!strcmp(b->joints[i].name, name)) return 1;
    return 0;
}

static const char *root_of(const arne_builder *b)
{
    for (int i = 0; i < b->body_count; i++) {
        int moved = 0;
        for (int j = 0; j < b->joint_count; j++)
            moved |= !strcmp(b->joints[j].child, b->bodies[i].name);
        if (!moved) return b->bodies[i].name;
    }
    return "";
}

// A base that moves hangs on a new root, the world, by a chain of its own.
static arne_status split_add_base(const arne_builder *from, arne_builder *to, arne_error *error)
{
    char world[64] = "world", name[64] = "base";
    for (size_t n = 5; is_body(from, world) && n < sizeof world - 1; n++)
        world[n] = '_', world[n + 1] = 0;
    for (size_t n = 4; is_joint(from, name) && n < sizeof name - 1; n++)
        name[n] = '_', name[n + 1] = 0;
    arne_body_spec  ground = arne_body_spec_default();
    arne_joint_spec joint = arne_joint_spec_default();
    ground.name = world;
    joint.name = name;
    joint.parent = world;
    joint.child = root_of(from);
    joint.kind = ARNE_JOINT_FREE;
    const arne_status status = arne_builder_add_body(to, &ground, error);
    return status ? status : split_add_joint(to, &joint, error);
}

static arne_status copy_rest(const arne_builder *from, arne_builder *to, arne_error *error)
{
    arne_status status = arne_builder_set_name(to, from->name);
    if (!status) status = arne_builder_set_gravity(to, from->gravity);
    for (int i = 0; i < from->body_count && !status; i++)
        status = arne_builder_add_body(to, &from->bodies[i], error);
    for (int i = 0; i < from->frame_count && !status; i++)
        status = arne_builder_add_frame(to, from->frames[i].name, from->frames[i].body,
                                        &from->frames[i].pose, from->frames[i].place, error);
    for (int i = 0; i < from->joint_count && !status; i++)
        status = split_add_joint(to, &from->joints[i], error);
    for (int i = 0; i < from->motor_count && !status; i++)
        status = arne_builder_add_motor(to, &from->motors[i], error);
    for (int i = 0; i < from->coupling_count && !status; i++)
        status = arne_builder_add_coupling(to, &from->couplings[i], error);
    for (int i = 0; i < from->function_count && !status; i++)
        status = arne_builder_add_function(to, &from->functions[i], error);
    for (int i = 0; i < from->strain_count && !status; i++)
        status = arne_builder_add_strain(to, &from->strains[i], error);
    for (int i = 0; i < from->spring_count && !status; i++)
        status = arne_builder_add_spring(to, &from->springs[i], error);
    for (int i = 0; i < from->loop_count && !status; i++)
        status = arne_builder_add_loop(to, &from->loops[i], error);
    for (int i = 0; i < from->wrap_count && !status; i++)
        status = arne_builder_add_wrap(to, &from->wraps[i], error);
    for (int i = 0; i < from->muscle_count && !status; i++)
        status = arne_builder_add_muscle(to, &from->muscles[i], error);
    return status;
}

arne_status arne_planning_robot(const arne_builder *builder, const arne_build_options *options,
                                arne_robot **out, arne_error *error)
{
    arne_build_options own_options;
    if (out) *out = NULL;
    const arne_status known = builder_take_options(&options, &own_options, error);
    if (known) return known;
    const arne_build_options plain = {0};
    arne_build_options       own = options ? *options : plain;
    arne_builder            *to = NULL;
    if (!builder || !out) return arne_fail_null(error);
    *out = NULL;
    const arne_base base = own.base ? own.base : builder->base;
    const int       moves = base == ARNE_BASE_FREE || base == ARNE_BASE_PRESCRIBED;
    own.base = ARNE_BASE_FIXED;
    own.warn = NULL; // the file's own flaws were reported when it was read
    if (arne_builder_new(&to) != ARNE_OK) return arne_fail_memory(error);
    arne_status status = moves ? split_add_base(builder, to, error) : ARNE_OK;
    if (!status) status = copy_rest(builder, to, error);
    if (!status) status = arne_builder_finish(to, &own, out, error);
    arne_builder_free(to);
    return status;
}

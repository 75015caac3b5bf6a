// Joints that are held at a value: the joint becomes fixed, its origin takes up the displacement,
// and what hangs on the joint (motor, spring, joints that follow it) is held with it.
#include "base/error.h"
#include "math/vectors.h"
#include "robot/builder.h"
#include "robot/inertia.h"
#include "robot/robot.h"
#include <arne/io.h>
#include <math.h>
#include <string.h>

// Rodrigues' formula, for a unit axis.
static arne_mat3 lock_rotation(arne_vec3 a, double angle)
{
    const double c = cos(angle), s = sin(angle), t = 1 - c;
    return (arne_mat3){{t * a.x * a.x + c, t * a.x * a.y + s * a.z, t * a.x * a.z - s * a.y},
                       {t * a.x * a.y - s * a.z, t * a.y * a.y + c, t * a.y * a.z + s * a.x},
                       {t * a.x * a.z + s * a.y, t * a.y * a.z - s * a.x, t * a.z * a.z + c}};
}

static void displace(arne_joint_spec *j, double value)
{
    const double    n = sqrt(j->axis.x * j->axis.x + j->axis.y * j->axis.y + j->axis.z * j->axis.z);
    const arne_vec3 a = {j->axis.x / n, j->axis.y / n, j->axis.z / n};
    const double    angle = j->kind == ARNE_JOINT_PRISMATIC ? 0 : value;
    const double    way = j->kind == ARNE_JOINT_PRISMATIC ? value
                          : j->kind == ARNE_JOINT_HELICAL ? j->pitch * value
                                                          : 0;
    const arne_mat3 turn = lock_rotation(a, angle), R = j->origin.R;
    j->origin.p = add_scaled3(j->origin.p, out_of3(&R, a), way);
    j->origin.R = (arne_mat3){out_of3(&R, turn.x), out_of3(&R, turn.y), out_of3(&R, turn.z)};
}

// A rotor that stands still is a part of the link that carries it.
static arne_status lock_rotor(arne_builder *b, const arne_motor_spec *m, const char *parent,
                              arne_error *error)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const char      *carrier = m->link ? m->link : parent;
    const arne_vec3  along = m->axis, centre = {0, 0, 0};
    const double     n = sqrt(along.x * along.x + along.y * along.y + along.z * along.z);
    const double     u[] = {along.x / n, along.y / n, along.z / n};
    const double     about = m->inertia - m->transverse, mass = m->mass_included ? 0 : m->mass;
    const arne_pose  here = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    const arne_pose  at = {here.R, m->position};
    double           rotor[6] = {0}, own[6], principal[3];
    arne_body_spec   link;
    body             sum;
    for (int i = 0; i < 6 && !m->inertia_included; i++)
        rotor[i] = (row[i] == column[i] ? m->transverse : 0) + about * u[row[i]] * u[column[i]];
    if (m->reflected || arne_builder_get_body(b, carrier, &link) != ARNE_OK) return ARNE_OK;
    memset(&sum, 0, sizeof sum);
    inertia_about_com(&link, own, principal);
    body_add_mass(&sum, here, link.mass, link.com, own);
    body_add_mass(&sum, at, mass, centre, rotor);
    if (!(link.mass + mass > 0)) return ARNE_OK;
    body_mass(&sum, &link.mass, &link.com, own);
    return arne_builder_set_inertia(b, carrier, link.mass, link.com, own, 0, error);
}

static arne_status lock_motor(arne_builder *b, const char *joint, const char *parent,
                              arne_error *error)
{
    arne_status status = ARNE_OK;
    int         kept = 0;
    for (int i = 0; i < b->motor_count; i++) {
        const arne_motor_spec m = b->motors[i];
        if (strcmp(m.joint, joint) != 0)
            b->motors[kept++] = m;
        else if (!status)
            status = lock_rotor(b, &m, parent, error);
    }
    b->motor_count = kept;
    kept = 0;
    for (int i = 0; i < b->spring_count; i++)
        if (strcmp(b->springs[i].joint, joint) != 0) b->springs[kept++] = b->springs[i];
    b->spring_count = kept;
    return status;
}

static const char *lock_name(const void *builder, int index)
{
    return ((const arne_builder *)builder)->joints[index].name;
}

// Why a joint cannot be held by itself; NULL: it can.
static const char *why_not(const arne_builder *b, const arne_joint_spec *j)
{
    if (arne_joint_kind_q_count(j->kind) != 1) return "it has not one coordinate";
    if (j->mimic) return "it follows another joint: lock that";
    if (builder_has_function(b, j->name)) return "it follows others by functions: lock those";
    for (int i = 0; i < b->function_count; i++)
        if (strcmp(b->functions[i].with, j->name) == 0 ||
            (b->functions[i].times && strcmp(b->functions[i].times, j->name) == 0))
            return "another joint follows it by a function";
    for (int i = 0; i < b->coupling_count; i++) {
        const arne_coupling_spec *c = &b->couplings[i];
        if (strcmp(c->with, j->name) == 0 || (c->joint && strcmp(c->joint, j->name) == 0))
            return "it is coupled with other joints";
    }
    return NULL;
}

static arne_status lock_one(arne_builder *b, int index, double value, arne_error *error)
{
    arne_joint_spec  *j = &b->joints[index];
    const char *const name = j->name, *const parent = j->parent;
    displace(j, value);
    arne_joint_spec fixed = arne_joint_spec_default();
    fixed.name = name;
    fixed.parent = parent;
    fixed.child = j->child;
    fixed.kind = ARNE_JOINT_FIXED;
    fixed.origin = j->origin;
    fixed.tip = j->tip;
    fixed.place = j->place;
    *j = fixed;
    arne_status status = lock_motor(b, name, parent, error);
    for (int i = 0; i < b->joint_count && !status; i++) {
        const char *follows = b->joints[i].mimic;
        if (!follows || strcmp(follows, name) != 0) continue;
        const double held = b->joints[i].mimic_ratio * value + b->joints[i].mimic_offset;
        b->joints[i].mimic = NULL;
        status = lock_one(b, i, held, error);
    }
    return status;
}

arne_status arne_builder_lock(arne_builder *builder, const char *joint, double value,
                              arne_error *error)
{
    if (!builder || !joint)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    char      near[300];
    const int index = name_index_find(&builder->joint_index, joint);
    if (index < 0)
        return arne_fail(
            error, ARNE_NOT_FOUND, NULL, 0, "there is no joint '%s'%s", joint,
            arne_near_matches(joint, lock_name, builder, builder->joint_count, near, sizeof near));
    const arne_joint_spec *j = &builder->joints[index];
    const char            *why = why_not(builder, j);
    if (why)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "joint '%s' cannot be locked: %s", joint,
                         why);
    if (!(value >= j->lower && value <= j->upper) || !isfinite(value))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "joint '%s' cannot be locked at %.6g: its limits are %.6g and %.6g", joint,
                         value, j->lower, j->upper);
    return lock_one(builder, index, value, error);
}

arne_status arne_robot_reduce(const arne_robot *robot, int count, const char *const *joints,
                              const double *values, arne_robot **out, arne_error *error)
{
    arne_builder *builder = NULL;
    if (out) *out = NULL;
    if (!robot || !out || (count > 0 && (!joints || !values)))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_status status = arne_builder_new(&builder);
    if (status) return arne_fail_memory(error);
    status = arne_builder_add_robot(builder, robot, error);
    for (int i = 0; i < count && !status; i++)
        status = arne_builder_lock(builder, joints[i], values[i], error);
    const arne_build_options options = {.isa = arne_robot_isa(robot)};
    if (!status) status = arne_builder_finish(builder, &options, out, error);
    arne_builder_free(builder);
    return status;
}
